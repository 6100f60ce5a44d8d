// Nodes that are kept for some at a known time: a script of scontrol commands. slurmctld holds reservations in its
// state, not in slurm.conf.
//
// scontrol takes no beginning that is past (slurmctld refuses one older than ten minutes), so the script looks at the
// clock: what is over is left out, what is under way begins now and ends when it would have, and what comes again
// begins the next time.
#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "compile/slurm/slurm.h"
#include "spec/software.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kScript = R"sh(
# Creates the reservations of the spec. Run it as root or SlurmUser where scontrol reaches slurmctld, after
# accounts.sh if teams have reservations, and again after each change. It does not change a reservation that exists
# (scontrol delete reservation NAME removes one), and creates none that is over.
set -eu

number() { printf %s "$1" | tr -d 'T:-'; }
earlier() { [ "$(number "$1")" -lt "$(number "$2")" ]; }
# later MOMENT DAYS: the same time of day
later() { printf '%sT%s\n' "$(date -u -d "${1%T*} $2 days" +%Y-%m-%d)" "${1#*T}"; }
# reservation NAME START END DAYS KEY=VALUE...     DAYS: it repeats after so many days; 0: it does not repeat
reservation() {
  name=$1 start=$2 end=$3 days=$4
  shift 4
  if scontrol --oneliner show reservation "$name" > /dev/null 2>&1; then return; fi
  now=$(date +%Y-%m-%dT%H:%M:%S)
  if [ "$days" -gt 0 ]; then
    past=$((($(date +%s) - $(date -d "$start" +%s)) / 86400 / days * days))   # as good as all of them at once
    if [ "$past" -gt 0 ]; then start=$(later "$start" "$past") end=$(later "$end" "$past"); fi
    while earlier "$start" "$now"; do start=$(later "$start" "$days") end=$(later "$end" "$days"); done
  elif earlier "$end" "$now"; then
    return
  elif earlier "$start" "$now"; then
    start=now
  fi
  scontrol create reservation ReservationName="$name" StartTime="$start" EndTime="$end" "$@"
}
)sh";

}  // namespace

void emit_reservations(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle) {
  if (facts.reservations.empty()) return;
  bundle.open("slurm/reservations.sh", "slurm", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n";
  out += made_by(in, "slurm");
  out += kScript;
  ShellWriter w(out);
  w.blank();
  for (const SlurmReservation& r : facts.reservations) {
    std::vector<std::string> words{"reservation", r.name, r.start, r.end, std::to_string(r.days), "Nodes=" + r.nodes};
    if (!r.users.empty()) words.push_back("Users=" + join(r.users, ","));
    if (!r.accounts.empty()) words.push_back("Accounts=" + join(r.accounts, ","));
    if (!r.flags.empty()) words.push_back("Flags=" + join(r.flags, ","));
    w.command(words);
  }
  bundle.close();
}

}  // namespace clusterc
