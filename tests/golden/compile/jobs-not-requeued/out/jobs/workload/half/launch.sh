#!/bin/bash
# made by clusterc from spec 'once'; do not edit: it follows from the spec
# One for each GPU: jax.distributed.initialize() finds coordinator, ranks and its GPU in Slurm's variables.
set -u
trap '' USR1   # a script that does not ask for the signal is not ended by it
exec "${PYTHON:-python3}" "$TRAIN" "$@"
