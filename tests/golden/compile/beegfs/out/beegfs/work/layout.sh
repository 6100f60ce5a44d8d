#!/bin/sh
# made by clusterc from spec 'bees'; do not edit: it follows from the spec
# Striping and mirroring of new files, on any machine that mounts the file system, as root. Files that exist keep theirs.
set -eu
mount=/work
beegfs entry set --pattern=mirrored --num-targets=4 --chunk-size=1048576 "$mount"
beegfs entry info "$mount"
