#!/bin/sh
# made by clusterc from spec 'nimbus'; do not edit: use outputs.fabric-env.extra
# Installs the files beside it on a node of this group and prints what it changed. Exit status 3: some RDMA ports of the plan are missing, so that the
# libraries choose among the others; run it again when all are there.
set -u
LC_ALL=C
export LC_ALL
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
root=${FABRIC_ENV_ROOT:-}   # folder of another system, for an image
ports=
status=0
# put FILE PLACE [LINE]: installs the file beside this script, with the ports after LINE, if it differs
put() {
  to=$root$2
  mkdir -p "${to%/*}" || exit 2
  {
    cat "$here/$1" || exit 2
    if [ -n "${3:-}" ] && [ "$status" -eq 0 ] && [ -n "$ports" ]; then printf '%s%s\n' "$3" "$ports"; fi
  } > "$to.new" || exit 2
  if cmp -s "$to.new" "$to"; then
    rm -f "$to.new"
  else
    chmod 0644 "$to.new" && mv -f "$to.new" "$to" || exit 2
    echo "changed $2"
  fi
}
put openmpi-mca-params.conf /etc/openmpi/openmpi-mca-params.conf
put libfabric.sh /etc/profile.d/cluster-libfabric.sh
put enroot.env /etc/enroot/environ.d/90-cluster-libfabric.env
put sysctl.conf /etc/sysctl.d/90-cluster-fabric.conf
exit "$status"
