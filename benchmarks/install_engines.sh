#!/usr/bin/env bash
# Installs the programs that play_engines.py plays with, as far as that is possible without asking anybody.
set -uo pipefail
cd "$(dirname "$0")/.."
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    apt-get update -qq > /dev/null
    apt-get install -y -qq --no-install-recommends stockfish polyglot grhino fairy-stockfish > /dev/null
    command -v npm > /dev/null || apt-get install -y -qq --no-install-recommends nodejs npm > /dev/null
fi
mkdir -p build/npm
command -v npm > /dev/null && npm install --silent --prefix build/npm @sabaki/gtp fairy-stockfish-nnue.wasm
exit 0
