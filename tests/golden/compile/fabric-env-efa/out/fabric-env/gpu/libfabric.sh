# made by clusterc from spec 'nimbus'; do not edit: use outputs.fabric-env.extra
# for the nodes of group 'gpu': /etc/profile.d/cluster-libfabric.sh
# kind: efa of network 'compute'
export FI_PROVIDER=efa
# GPUs and adapters exchange data without the processors
export FI_EFA_USE_DEVICE_RDMA=1
# outputs.fabric-env.extra of the spec
export FI_LOG_LEVEL=warn
