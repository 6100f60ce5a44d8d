#!/bin/sh
# made by clusterc from spec 'closed'; do not edit: it follows from the spec
folder=/srv/mirror
registry=127.0.0.1:5000
# On a machine with internet, and again whenever there is something new: only that is fetched. Needs apt-mirror, dnf with its plugin reposync, wget, skopeo and
# docker-registry, of these only what is called below. $folder then goes to the mirror, to the same place (rsync -a, or a disk that is carried).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
failed=0
mkdir -p "$folder/packages"

# apt-mirror ends with 0 whatever it could not fetch: the lists of each suite have to be new, and wget to complain of no package
debs() {
  if [ -d "$folder/.apt-mirror/skel" ]; then find "$folder/.apt-mirror/skel" -name Release -delete; fi
  rm -f "$folder"/.apt-mirror/var/archive-log.*
  LC_ALL=C apt-mirror "$here/mirror.list"
  if grep -h -B 3 -e ' ERROR ' -e 'failed: ' -e 'unable to resolve' "$folder"/.apt-mirror/var/archive-log.* >&2; then echo "not fetched: packages" >&2; failed=1; fi
}
index() {
  [ -s "$folder/.apt-mirror/skel/$1" ] || { echo "not fetched: $1" >&2; failed=1; }
}

# ID PATH
rpms() {
  mkdir -p "$folder/packages/$2"
  dnf --quiet --setopt=skip_if_unavailable=false --setopt=reposdir="$here" --setopt=cachedir="$folder/.dnf" --setopt=varsdir=/dev/null --releasever=1 --repoid="$1" \
    reposync --norepopath --download-metadata --remote-time --delete --download-path="$folder/packages/$2" || { echo "not fetched: $2" >&2; failed=1; }
}

files() {
  wget --no-verbose --force-directories --timestamping --directory-prefix="$folder/packages" --input-file="$here/files" || { echo "not fetched: a file of $here/files" >&2; failed=1; }
}

# Into the registry's own folder, through a registry that runs as long as this does, or the one that serves them already on this machine.
# Who may read what is asked for by login: skopeo login REGISTRY.
images() {
  if ! wget --quiet --output-document=/dev/null "http://$registry/v2/"; then
    mkdir -p "$folder/registry"
    docker-registry serve "$here/registry.yml" &
    trap 'kill $!' EXIT
    for _ in 1 2 3 4 5 6 7 8 9 10; do
      if wget --quiet --output-document=/dev/null "http://$registry/v2/"; then break; fi
      sleep 1
    done
  fi
  skopeo sync --all --keep-going --scoped --src yaml --dest docker --dest-tls-verify=false "$here/images.yaml" "$registry" || { echo "not fetched: an image of $here/images.yaml" >&2; failed=1; }
}

done_with() { exit "$failed"; }

debs
index archive.ubuntu.com/ubuntu/dists/noble-updates/Release
index archive.ubuntu.com/ubuntu/dists/noble/Release
index deb.debian.org/debian/dists/bookworm-updates/Release
index deb.debian.org/debian/dists/bookworm/Release
index developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/Release
index download.docker.com/linux/debian/dists/bookworm/Release
index linux.mellanox.com/public/repo/doca/3.1.0/ubuntu24.04/x86_64/Release
index nvidia.github.io/libnvidia-container/stable/deb/amd64/Release
index security.debian.org/debian-security/dists/bookworm-security/Release
index security.ubuntu.com/ubuntu/dists/noble-security/Release
rpms developer.download.nvidia.com-compute-cuda-repos-rhel9-x86_64 developer.download.nvidia.com/compute/cuda/repos/rhel9/x86_64
rpms dl.fedoraproject.org-pub-epel-9-Everything-x86_64 dl.fedoraproject.org/pub/epel/9/Everything/x86_64
rpms download.rockylinux.org-pub-rocky-9-AppStream-x86_64-os download.rockylinux.org/pub/rocky/9/AppStream/x86_64/os
rpms download.rockylinux.org-pub-rocky-9-BaseOS-x86_64-os download.rockylinux.org/pub/rocky/9/BaseOS/x86_64/os
rpms nvidia.github.io-libnvidia-container-stable-rpm-x86_64 nvidia.github.io/libnvidia-container/stable/rpm/x86_64
files
images
done_with
