#!/bin/sh
# made by clusterc from spec 'lab'; do not edit: use outputs.fabric-env.extra
# Installs the files beside it on a node of this group and prints what it changed. Exit status 3: some RDMA ports of the plan are missing, so that the
# libraries choose among the others; run it again when all are there.
# shellcheck disable=SC2317,SC2329  # not every group calls every function
set -u
LC_ALL=C
export LC_ALL
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
root=${FABRIC_ENV_ROOT:-}   # folder of another system, for an image
ports=
status=0
some=0
# port NAME: an RDMA port, once
port() {
  case ,$ports, in *",$1,"*) return ;; esac
  ports=$ports${ports:+,}$1
  some=$((some + 1))
}
# expect COUNT NETWORK: fewer ports than the plan has: the libraries choose by themselves
expect() {
  [ "$some" -eq "$1" ] || { echo "network $2: $some of $1 RDMA ports are there" >&2; status=3; }
  some=0
}
# roce INTERFACE…: the ports below interfaces
roce() {
  for interface; do
    for device in "$root/sys/class/net/$interface/device/infiniband"/*; do
      [ -d "$device" ] || continue
      number=$(cat "$root/sys/class/net/$interface/dev_port" 2>/dev/null || echo 0)
      port "${device##*/}:$((number + 1))"
    done
  done
}
# infiniband PREFIX…: active ports to which a subnet manager has given one of these prefixes
infiniband() {
  for at in "$root/sys/class/infiniband"/*/ports/*; do
    [ "$(cat "$at/link_layer" 2>/dev/null)" = InfiniBand ] || continue
    case $(cat "$at/state" 2>/dev/null) in "4: "*) ;; *) continue ;; esac
    gid=$(cat "$at/gids/0" 2>/dev/null)
    for prefix; do
      case $gid in "$prefix":*) device=${at%/ports/*}; port "${device##*/}:${at##*/}" ;; esac
    done
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
roce ens3f0np0
expect 1 lan
infiniband fe80:0000:0000:0000
expect 1 ib
put nccl.conf /etc/nccl.conf NCCL_IB_HCA==
put ucx.conf /etc/ucx/ucx.conf UCX_NET_DEVICES=
exit "$status"
