#!/usr/bin/env bash
# Builds the package for another level of the processor and compares signatures: both must compute the same.
# Usage: compare_builds.sh PYTHON, with a Python that has the (baseline) package installed.
set -euo pipefail
python=$1
target=build/x86-64-v3

if ! grep -q ' avx2 .* bmi2 ' /proc/cpuinfo 2> /dev/null; then
    echo "signatures: this processor does not run x86-64-v3 builds, so only the baseline was checked"
    exit 0
fi
baseline=$("$python" -m spielbaum bench --signature)
"$python" -m pip --disable-pip-version-check --quiet install --no-deps --upgrade --target "$target" . \
    -C build-dir=build/x86-64-v3-objects -C cmake.define.SPIELBAUM_ARCH=x86-64-v3
faster=$(PYTHONPATH=$target "$python" -m spielbaum bench --signature)
echo "baseline:  $baseline"
echo "x86-64-v3: $faster"
[ "$baseline" = "$faster" ]
