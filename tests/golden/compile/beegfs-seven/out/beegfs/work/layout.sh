#!/bin/sh
# made by clusterc from spec 'bees'; do not edit: it follows from the spec
# Striping and mirroring of new files, on any machine that mounts the file system, as root. Files that exist keep theirs.
set -eu
mount=/work
beegfs-ctl --setpattern --pattern=raid0 --numtargets=4 --chunksize=1048576 "$mount"
beegfs-ctl --getentryinfo "$mount"
