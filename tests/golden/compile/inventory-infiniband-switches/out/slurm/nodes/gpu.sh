# shellcheck shell=sh
# made by clusterc from spec 'cabled'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group 'gpu'; installed as /etc/slurm/node.sh
gpu_device /dev/nvidia0
gpu_device /dev/nvidia1
gpu_device /dev/nvidia2
gpu_device /dev/nvidia3
gpus 4 nvidia-smi
memory 2031616
ib_ports 1 200
link data1
daemon munge munged
