#!/usr/bin/env bash
# heavy: the pages of 16,384 nodes and of every kind of example in Chromium take a minute and a half; consumer.page opens the smaller ones
# packages: chromium
export PAGES=all
exec "$(dirname "$0")/page.sh" "$@"
