# shellcheck shell=sh
# made by clusterc from spec 'quartet', digest e2ad34addba9250d53c6120ba811da0c0fdd464073a94846808cbc5b8529504e; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh look after on the nodes of group 'cpu'; there as /etc/slurm/node.sh
