#!/usr/bin/env bash
# Installs Debian's Chromium for the browser tests, if that is possible without asking anybody.
set -euo pipefail
command -v chromium > /dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    apt-get update -qq > /dev/null && apt-get install -y -qq chromium > /dev/null && exit 0
fi
echo "Chromium is not installed, so the page is not tested in a browser (package: chromium)."
