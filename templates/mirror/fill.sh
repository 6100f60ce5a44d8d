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

