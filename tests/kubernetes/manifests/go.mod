module clusterc.test/kubernetes/manifests

go 1.24

require (
	github.com/kedacore/keda/v2 v2.21.0
	github.com/kubeflow/trainer/v2 v2.0.0
)
