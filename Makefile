# Everything starts here. Each target creates .venv, builds the package and installs what it needs by itself.

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

SOURCES := $(shell find cpp src -name '*.hpp' -o -name '*.cpp' -o -name '*.py' -o -name '*.toml' -o -path '*/page/*' -type f) $(wildcard models/*) CMakeLists.txt pyproject.toml

.PHONY: studio play test mutants peers bench lint asan tsan signatures clean

studio: $(VENV)/installed  ## Spielbaum in the browser; PORT=8000 is where it listens
	$(BIN)/spielbaum studio --port $(PORT) --open

play: $(VENV)/installed  ## a game of Connect Four in the terminal
	$(BIN)/spielbaum play connect4

# Tests wait for processes again and again: what only computes runs in their pauses, and is nice, for some of them look at the clock.
test: $(VENV)/installed-dev  ## all tests: C++ kernels, Python, documentation examples
	$(MAKE) --no-print-directory -j 3 pytest beside-pytest

.PHONY: pytest beside-pytest ctest chromium
# Two processes of tests: more would crowd those that start processes themselves. Files in the order of tests/conftest.py, not by
# their number of tests: those with a single one are among the longest.
pytest: $(VENV)/installed-dev chromium  ## the tests in Python
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder tests
beside-pytest:
	nice -n 14 $(MAKE) --no-print-directory lint ctest signatures

mutants: $(VENV)/installed-dev  ## which changes of the arena and of the training loops no test notices; takes an hour
	$(BIN)/python benchmarks/mutate.py

PEERS := play_kaggle openspiel_games learn_ppo play_engines
.PHONY: $(PEERS)
peers: $(VENV)/installed-peers  ## programs of others play and learn with ours: Kaggle's environment, OpenSpiel's games, a learner of PPO, and engines; all are tried even if one fails
	$(MAKE) --no-print-directory --keep-going $(PEERS)
$(PEERS): $(VENV)/installed-peers
	$(BIN)/python benchmarks/$@.py

# Kaggle's package comes without the 1.7 GB that ConnectX does not need.
$(VENV)/installed-peers: $(VENV)/installed-dev
	$(PIP) install --no-deps kaggle-environments==1.33.2
	$(PIP) install -c constraints.txt jsonschema requests sb3-contrib
	./benchmarks/install_engines.sh
	@touch $@

bench: $(VENV)/installed-dev  ## speed of the games beside OpenSpiel and Stockfish in the same run
	./benchmarks/install_engines.sh stockfish
	$(BIN)/spielbaum bench
	$(BIN)/python benchmarks/compare_peers.py
	$(BIN)/python benchmarks/solve_connect4.py
	$(BIN)/python benchmarks/solve_reversi.py
	$(BIN)/python benchmarks/bratko_kopec.py
	$(BIN)/python benchmarks/compare_alphabeta.py
	$(BIN)/python benchmarks/compare_threads.py
	$(BIN)/python benchmarks/compare_mcts.py
	$(BIN)/python benchmarks/accuracy_mcts.py
	$(BIN)/python benchmarks/train_ntuple.py
	$(BIN)/python benchmarks/selfplay.py
	$(BIN)/python benchmarks/studio_load.py

lint: $(VENV)/installed-dev  ## formatting, lint and types
	$(BIN)/ruff format --check src tests benchmarks docs examples
	$(BIN)/ruff check src tests benchmarks docs examples
	find cpp -name '*.hpp' -o -name '*.cpp' | xargs $(BIN)/clang-format --dry-run -Werror
	$(BIN)/mypy
	$(BIN)/mypy examples/morris.py

chromium:  # for the tests of the page
	./tests/browser/install_chromium.sh
ctest: $(VENV)/installed-dev  ## the tests of the C++ kernels
	$(call run_ctest,release)

asan: $(VENV)/installed-dev  ## the same under the address and undefined-behaviour sanitizers
	$(call run_ctest,asan)

tsan: $(VENV)/installed-dev  ## searches by several threads under the thread sanitizer
	$(call run_ctest,tsan,--target test_alphabeta_threads --target test_mcts --target test_ntuple_threads,-R threads)

signatures: $(VENV)/installed-dev  ## the cores for baseline x86-64 and x86-64-v3 must compute the same
	./benchmarks/compare_builds.sh $(BIN)/python

clean:  ## remove what the other targets made
	rm -rf $(VENV) build dist

define run_ctest
	@mkdir -p build
	$(BIN)/cmake --preset $(1) > build/$(1)-configure.log || (cat build/$(1)-configure.log; exit 1)
	$(BIN)/cmake --build --preset $(1) $(2)
	$(BIN)/ctest --preset $(1) $(3)
endef

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Spielbaum needs Python 3.11 or newer; choose one with: make PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(SOURCES) | $(VENV)/bin/python
	@echo "Building Spielbaum; this takes about two minutes."
	$(PIP) install -c constraints.txt .
	@touch $@

# The package is built while what its tests need is installed: one core would have nothing to do. Of that, only what tests import
# is compiled, by them: all of it would take a minute.
$(VENV)/installed-dev: $(SOURCES) constraints.txt | $(VENV)/bin/python
	@echo "Building Spielbaum and installing what its tests need; this takes a few minutes."
	@rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; print(*p['dependencies'], *p['optional-dependencies']['dev'], sep='\n')" > build/wheel/needs.txt
	$(PIP) wheel --no-deps -c constraints.txt --wheel-dir build/wheel -C cmake.define.SPIELBAUM_WERROR=ON . & built=$$!; \
	$(PIP) install --no-compile -c constraints.txt -r build/wheel/needs.txt && wait $$built
	$(PIP) install --no-deps --force-reinstall build/wheel/*.whl
	@touch $@ $(VENV)/installed
