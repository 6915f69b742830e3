#!/usr/bin/env bash
# install_engines.sh [PROGRAM ...]: installs Debian's packages with engines of others, and npm's where none are named, if that is
# possible without asking anybody. What plays with them leaves out what is missing.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH="$PATH:/usr/games"
declare -A packages=([gtp-rhino]=grhino [node]=nodejs)  # the others have the names of their programs
programs=("$@")
[ $# -gt 0 ] || programs=(stockfish polyglot gtp-rhino gnugo fairy-stockfish node npm)
updated=""
for program in "${programs[@]}"; do
    command -v "$program" > /dev/null && continue
    package=${packages[$program]:-$program}
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        [ -n "$updated" ] || apt-get update -qq > /dev/null
        updated=yes
        # One after the other: not every release has all of them.
        apt-get install -y -qq --no-install-recommends "$package" > /dev/null && continue
    fi
    echo "$program is not installed, so nothing is played with it (package: $package)."
done
if [ $# = 0 ] && command -v npm > /dev/null; then
    npm install --silent --prefix build/npm @sabaki/gtp fairy-stockfish-nnue.wasm
fi
exit 0
