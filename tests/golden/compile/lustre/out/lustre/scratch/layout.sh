#!/bin/sh
# made by clusterc from spec 'pairs'; do not edit: it follows from the spec
# Striping of new files, on any machine that mounts the file system. Files that exist keep theirs.
set -eu
mount=/scratch
lfs setstripe -c 4 -S 4194304 "$mount"
lfs getstripe -d "$mount"
