# shellcheck shell=sh
# made by clusterc from spec 'Sched', digest 258e8ed8285317ac5a22d32f5dd2c0ee76f89d067e6c1ac23626dab4f2a142b5; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh look after on the nodes of group 'cpu'; there as /etc/slurm/node.sh
mounted /home
