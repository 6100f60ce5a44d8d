# shellcheck shell=sh
# made by clusterc from spec 'plays'; do not edit: use outputs.ansible.extra
# checks that cluster-health makes on the machines of this group
gpus 8 nvidia-smi
gpu_instances 56 nvidia-smi 1g.10gb
gpu_driver 570 nvidia-smi
gpu_fabric nvidia-smi
memory 1736441
link inband1
daemon nvidia-fabricmanager nv-fabricmanage
daemon munge munged
daemon slurmd slurmd
