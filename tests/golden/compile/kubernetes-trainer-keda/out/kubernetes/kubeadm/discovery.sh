#!/bin/sh
# made by clusterc from spec 'work'; do not edit: it follows from the spec
# On the first node of the control plane, as root, once kubeadm init is through: makes the file that nodes join
# with. It has a token that ends after some hours: copy it to /etc/kubernetes/ of these nodes, mode 0600, and
# remove it when they have joined.
#   discovery.sh [FILE] [HOURS]      default: ./discovery.conf, 4
set -eu
endpoint=https://k1:6443
file=${1:-discovery.conf} hours=${2:-4}
umask 077
token=$(kubeadm token create --ttl "${hours}h")
authority=$(base64 -w 0 < /etc/kubernetes/pki/ca.crt)
# A new file, and no token among the arguments of a program: other users would see it there.
rm -f "$file.part"
cat > "$file.part" << CONF
apiVersion: v1
kind: Config
clusters:
- name: cluster
  cluster: { server: "$endpoint", certificate-authority-data: "$authority" }
users:
- name: join
  user: { token: "$token" }
contexts:
- name: join
  context: { cluster: cluster, user: join }
current-context: join
CONF
mv "$file.part" "$file"
echo "$file: a token for $hours hours"
