#!/bin/sh
# made by clusterc from spec 'told'; do not edit: use outputs.fabric-env.extra
# Installs the files beside it on a node of this group and prints what it changed. Exit status 3: some RDMA ports of the plan are missing, so that the
# libraries choose among the others; run it again when all are there.
set -u
LC_ALL=C
export LC_ALL
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
root=${FABRIC_ENV_ROOT:-}   # folder of another system, for an image
ports=
status=0
# iwarp INTERFACE…: adapters that can do both speak iWARP (devlink-params: enable_iwarp); the kernel forgets it at a restart. One that speaks it already is
# left alone: the driver takes the RDMA device away at each setting, and with it the connections of running jobs.
iwarp() {
  for interface; do
    pci=$(basename "$(readlink -f "$root/sys/class/net/$interface/device" 2>/dev/null)")
    case $(cat "$root/sys/class/net/$interface/device/uevent" 2>/dev/null) in
      "") echo "interface $interface is not there" >&2; status=3; continue ;;
    esac
    if now=$(devlink dev param show "pci/$pci" name enable_iwarp 2> /dev/null); then
      case $now in *"cmode runtime value true"*) continue ;; esac
      devlink dev param set "pci/$pci" name enable_roce value false cmode runtime > /dev/null 2>&1
      devlink dev param set "pci/$pci" name enable_iwarp value true cmode runtime || status=3
    fi
  done
}
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
iwarp data1
put nccl.conf /etc/nccl.conf
put openmpi-mca-params.conf /etc/openmpi/openmpi-mca-params.conf
put libfabric.sh /etc/profile.d/cluster-libfabric.sh
put modules.conf /etc/modules-load.d/cluster-fabric.conf
exit "$status"
