#!/bin/bash
# made by clusterc from spec 'once'; do not edit: it follows from the spec
# One for each rank of MPI.
set -u
trap '' USR1
exec "$TRAIN" "$@"
