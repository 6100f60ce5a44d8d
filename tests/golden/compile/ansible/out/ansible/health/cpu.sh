# shellcheck shell=sh
# made by clusterc from spec 'plays'; do not edit: use outputs.ansible.extra
# what cluster-health looks for on the machines of this group
memory 13565
daemon munge munged
daemon slurmd slurmd
