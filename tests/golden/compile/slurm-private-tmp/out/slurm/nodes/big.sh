# shellcheck shell=sh
# made by clusterc from spec 'Case'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group 'big'; installed as /etc/slurm/node.sh
memory 27131
daemon munge munged
scratch_folder /scratch
