# shellcheck shell=sh
# made by clusterc from spec 'Sched'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group 'vm'; installed as /etc/slurm/node.sh
memory 1612
daemon munge munged
mounted /home
