# shellcheck shell=sh
# made by clusterc from spec 'quartet'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh look after on the nodes of group 'cpu'; there as /etc/slurm/node.sh
memory 1612
daemon munge munged
