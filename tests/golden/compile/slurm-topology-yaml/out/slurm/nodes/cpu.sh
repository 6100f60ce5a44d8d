# shellcheck shell=sh
# made by clusterc from spec 'case'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group 'cpu'; installed as /etc/slurm/node.sh
memory 761856
link data1
daemon munge munged
