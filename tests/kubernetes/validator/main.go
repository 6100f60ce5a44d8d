// The programs of Kubernetes that judge the compiled files, in one: which one is run is its first argument.
package main

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	kubeletscheme "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	kubeletvalidation "k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
)

func kubelet(files []string) int {
	_, codecs, err := kubeletscheme.NewSchemeAndCodecs(serializer.EnableStrict)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	bad := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err == nil {
			obj, _, e := codecs.UniversalDecoder().Decode(data, nil, nil)
			err = e
			if err == nil {
				config := obj.(*kubeletconfig.KubeletConfiguration)
				config.FailCgroupV1 = false // a question to this machine, which is no node
				err = kubeletvalidation.ValidateKubeletConfiguration(config, utilfeature.DefaultFeatureGate)
			}
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", f, err)
			bad = 1
		}
	}
	return bad
}

func main() {
	if len(os.Args) < 2 {
		os.Exit(2)
	}
	name := os.Args[1]
	os.Args = append([]string{name}, os.Args[2:]...)
	switch name {
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kubeadm":
		if err := kubeadm.Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "kubelet-config":
		os.Exit(kubelet(os.Args[1:]))
	}
}
