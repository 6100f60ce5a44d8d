//go:build tools

// The programs that go.mod pins: scripts/kubernetes --kueue builds them.
package programs

import (
	_ "github.com/kubeflow/mpi-operator/cmd/mpi-operator"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"
	_ "sigs.k8s.io/kueue/cmd/kueue"
)
