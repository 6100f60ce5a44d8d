#!/bin/sh
# made by clusterc from spec 'Sched'; do not edit: use outputs.slurm.extra
# Drains each spare node once, with the reason "spare". Run it as root or SlurmUser on a controller when slurmctld
# answers: after its first start, before slurmd runs on any node, and again after each change of the spec.
#   scontrol update nodename=NODE state=resume                puts a spare into service: no later run drains it again
#   scontrol update nodename=NODE state=drain reason=spare    takes it out of service again
# A file beside slurmctld's state lists the drained spares; it is lost if that state is lost.
set -eu

config=$(scontrol show config)
value() { printf '%s\n' "$config" | sed -n "s/^$1 *= //p"; }
state=$(value StateSaveLocation) user=$(value SlurmUser)
user=${user%%(*}
# Root may be squashed on the file system of the state, and the folder belongs to SlurmUser: write there as SlurmUser.
if [ "$(id -u)" = 0 ] && [ "$user" != root ]; then
  exec setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups sh "$0"
fi
noted=$state/cluster-spares
[ -w "$state" ] || { echo "spares.sh: '$state', the state of slurmctld, is not on this machine: run it on a controller" >&2; exit 1; }
before=$(cat "$noted" 2> /dev/null || :)
names=
# spares NODES: a list as slurm.conf has it
spares() {
  for node in $(scontrol show hostnames "$1"); do
    names="$names$node
"
    if printf '%s\n' "$before" | grep -qxF -e "$node"; then continue; fi
    # Keep the reason of a node that an administrator drained, but not that of the health check, which would resume
    # the spare.
    case $(scontrol show node "$node" | sed -n 's/^ *State=\([^ ]*\).*/\1/p; s/^ *Reason=/:/p' | tr -d '\n') in
      *DRAIN*:health:* | *FAIL*:health:*) ;;
      *DRAIN* | *FAIL*) continue ;;
    esac
    scontrol update nodename="$node" state=drain reason=spare
    echo "$node is a spare now"
  done
}
spares g2

[ "$names" = "$before
" ] && exit 0
part=$(mktemp "$noted.XXXXXX")
printf %s "$names" > "$part"
mv -f "$part" "$noted"
