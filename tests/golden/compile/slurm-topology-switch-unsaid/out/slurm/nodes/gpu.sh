# shellcheck shell=sh
# made by clusterc from spec 'lab'; do not edit: use outputs.slurm.extra
# what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group 'gpu'; installed as /etc/slurm/node.sh
gpu_device /dev/nvidia0
gpu_device /dev/nvidia1
gpu_device /dev/nvidia2
gpu_device /dev/nvidia3
gpus 4 nvidia-smi
gpu_driver 580 nvidia-smi
mig_off nvidia-smi
memory 761856
link data1
daemon munge munged
daemon cluster-roce
mounted /home
