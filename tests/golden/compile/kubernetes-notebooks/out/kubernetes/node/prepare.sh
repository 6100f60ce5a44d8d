#!/bin/sh
# made by clusterc from spec 'books'; do not edit: it follows from the spec
# On every node of Kubernetes, as root, from this folder: kernel modules, settings, no swap, and a look at what
# has to be installed. It can be run again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
install -m 644 "$here/modules.conf" /etc/modules-load.d/90-kubernetes.conf
install -m 644 "$here/sysctl.conf" /etc/sysctl.d/90-kubernetes.conf
sed -n '/^[^#]/p' "$here/modules.conf" | while read -r module; do modprobe "$module"; done
sysctl -q --system > /dev/null
swapoff -a
# fstab: swap stays off after a start; the line as it was is kept beside it
if grep -qE '^[^#[:space:]]+[[:space:]]+[^[:space:]]+[[:space:]]+swap[[:space:]]' /etc/fstab; then
  sed -i.before-kubernetes -E 's/^([^#[:space:]]+[[:space:]]+[^[:space:]]+[[:space:]]+swap[[:space:]])/#\1/' /etc/fstab
fi
missing=
for program in kubeadm kubelet kubectl; do
  command -v "$program" > /dev/null || missing="$missing $program"
done
if [ ! -S /run/containerd/containerd.sock ] && [ ! -S /var/run/crio/crio.sock ]; then missing="$missing containerd"; fi
if [ -n "$missing" ]; then echo "not there, or not running:$missing" >&2; exit 1; fi
release=1.36
case $(kubeadm version -o short) in
  "v$release" | "v$release".*) ;;
  *) echo "kubeadm is $(kubeadm version -o short), the files are for $release" >&2; exit 1 ;;
esac
systemctl enable -q kubelet
