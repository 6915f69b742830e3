#!/usr/bin/env bash
# Installs Debian's Stockfish for the comparison of perft, if that is possible without asking anybody.
set -euo pipefail
export PATH="$PATH:/usr/games"
command -v stockfish > /dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    apt-get update -qq > /dev/null && apt-get install -y -qq stockfish > /dev/null && exit 0
fi
echo "Stockfish is not installed, so chess perft is not compared (package: stockfish)."
