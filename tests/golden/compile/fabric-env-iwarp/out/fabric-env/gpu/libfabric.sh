# made by clusterc from spec 'told'; do not edit: use outputs.fabric-env.extra
# for the nodes of group 'gpu': /etc/profile.d/cluster-libfabric.sh
# rdma: iwarp of the job network, connected by rdma_cm
export FI_PROVIDER='verbs;ofi_rxm'
# its interface
export FI_VERBS_IFACE=data1
