# shellcheck shell=sh
# made by clusterc from spec 'Case'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group 'cpu'; installed as /etc/slurm/node.sh
memory 27131
daemon munge munged
