// The text of apply.sh, which installs files on a node and looks up its adapters.
#pragma once
#include <string_view>

namespace clusterc {

inline constexpr std::string_view kApplyHead = R"sh(set -u
LC_ALL=C
export LC_ALL
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
root=${FABRIC_ENV_ROOT:-}   # folder of another system, for an image
ports=
status=0
)sh";
inline constexpr std::string_view kFind = R"sh(some=0
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
)sh";
inline constexpr std::string_view kIwarp =
    R"sh(# iwarp INTERFACE…: adapters that can do both speak iWARP (devlink-params: enable_iwarp); the kernel forgets it at a restart. One that speaks it already is
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
)sh";
inline constexpr std::string_view kPut =
    R"sh(# put FILE PLACE [LINE]: installs the file beside this script, with the ports after LINE, if it differs
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
)sh";

}  // namespace clusterc
