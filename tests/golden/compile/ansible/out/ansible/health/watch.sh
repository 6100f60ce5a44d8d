# shellcheck shell=sh
# made by clusterc from spec 'plays'; do not edit: use outputs.ansible.extra
# checks that cluster-health makes on the machines of this group
memory 27131
daemon munge munged
