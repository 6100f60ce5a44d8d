# shellcheck shell=sh
# made by clusterc from spec 'case'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group 'gpu'; installed as /etc/slurm/node.sh
gpu_device /dev/nvidia0
gpu_device /dev/nvidia1
gpu_device /dev/nvidia2
gpu_device /dev/nvidia3
gpus 4 nvidia-smi
memory 1523712
link data1
daemon nvidia-imex nvidia-imex
daemon munge munged
