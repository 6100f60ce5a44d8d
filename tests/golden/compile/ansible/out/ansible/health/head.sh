# shellcheck shell=sh
# made by clusterc from spec 'plays'; do not edit: use outputs.ansible.extra
# what cluster-health looks for on the machines of this group
memory 27131
daemon munge munged
