# shellcheck shell=sh
# made by clusterc from spec 'Case'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group 'gpu'; installed as /etc/slurm/node.sh
gpu_device /dev/nvidia0
gpu_device /dev/nvidia1
gpus 2 nvidia-smi
memory 27131
daemon munge munged
