// spares.sh: takes nodes that are held back for repair out of service, once. Not a DownNodes line, nor State=DRAIN of a
// node: slurmctld carries these out at each start and each reconfigure (slurm.conf(5), DownNodes), and drains a spare
// again that was put into service.
#include <algorithm>

#include "compile/common.h"
#include "compile/slurm/slurm.h"
#include "spec/software.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kScript = R"sh(
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
)sh";

// Behind the lists: the notes appear whole or not at all.
constexpr std::string_view kNote = R"sh(
[ "$names" = "$before
" ] && exit 0
part=$(mktemp "$noted.XXXXXX")
printf %s "$names" > "$part"
mv -f "$part" "$noted"
)sh";

}  // namespace

void emit_spares(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle) {
  if (std::all_of(facts.nodes.begin(), facts.nodes.end(), [](const SlurmNodes& n) { return n.spares.empty(); })) return;
  bundle.open("slurm/spares.sh", "slurm", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n";
  out += made_by(in, "slurm");
  out += kScript.substr(1);
  ShellWriter w(out);
  for (const SlurmNodes& n : facts.nodes)
    if (!n.spares.empty()) w.command({"spares", n.spares});
  out += kNote;
  bundle.close();
}

}  // namespace clusterc
