# shellcheck shell=sh
# made by clusterc from spec 'hybrid'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group 'spot'; installed as /etc/slurm/node.sh
gpu_device /dev/nvidia0
gpu_device /dev/nvidia1
gpu_device /dev/nvidia2
gpu_device /dev/nvidia3
gpu_device /dev/nvidia4
gpu_device /dev/nvidia5
gpu_device /dev/nvidia6
gpu_device /dev/nvidia7
gpus 8 nvidia-smi
gpu_fabric nvidia-smi
memory 1736441
link eth0
daemon nvidia-fabricmanager nv-fabricmanage
daemon munge munged
