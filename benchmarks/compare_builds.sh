#!/usr/bin/env bash
# Both cores of the package, for the baseline and for x86-64-v3, must compute the same.
# Usage: compare_builds.sh PYTHON, with a Python that has the package installed.
set -euo pipefail
python=$1

baseline=$(SPIELBAUM_CORE=baseline "$python" -m spielbaum bench --signature)
echo "baseline:  $baseline"
if ! "$python" -c 'import sys; from spielbaum.base.core import runs_v3; sys.exit(not runs_v3())'; then
    echo "signatures: this processor does not run x86-64-v3 builds, so only the baseline was checked"
    exit 0
fi
faster=$(SPIELBAUM_CORE=v3 "$python" -m spielbaum bench --signature)
echo "x86-64-v3: $faster"
[ "$baseline" = "$faster" ]
