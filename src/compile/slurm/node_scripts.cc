// What slurmd runs on a node: prolog, epilog and health check, the same for all nodes, and a file for each node group
// with what has to be there. That one holds commands with quoted words (gpu_device, gpus, amd_gpus, mounted, scratch,
// scratch_folder); each script says what they do.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "compile/common.h"
#include "compile/file_systems.h"
#include "compile/slurm/slurm.h"
#include "model/gpu_devices.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kPath = "PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n";

constexpr std::string_view kHealthCheck = R"sh(
# Slurm's HealthCheckProgram: looks for what the spec promises of this node (node.sh beside it).
#   healthcheck.sh           drains the node, with the reason, while something is missing; resumes it when all is there again. A node that
#                            somebody else drained stays drained.
#   healthcheck.sh --check   only says what is missing, and ends with 1
set -u
here=/etc/slurm
node=${SLURMD_NODENAME:-$(hostname -s)}
mark=/run/slurm/health.$node   # there while this script holds the node drained
asked=/run/slurm/asked.$node   # there once the controller was asked since the machine started: a start empties /run, and mends many a fault
found=
miss() { found=${found:-$1}; }
gpu_device() { [ -e "$1" ] || miss "$1 is missing"; }
# gpus COUNT TOOL: a GPU that fell off the bus keeps its device file and does not answer
gpus() {
  answers=$(timeout 30 "$2" --query-gpu=index --format=csv,noheader 2>/dev/null | grep -c '^[0-9]')
  [ "$answers" -eq "$1" ] || miss "$answers of $1 GPUs answer"
}
# amd_gpus FOLDER COUNT NUMBER...: the driver's list of GPUs has renderD of each of these numbers, and COUNT entries in all (0: not compared).
# Where it has others, a GPU is partitioned or the numbers are not those of gres.conf: Slurm keeps no job from what gres.conf does not list.
amd_gpus() {
  list=$(cat "$1"/*/properties 2>/dev/null | sed -n 's/^drm_render_minor \([1-9][0-9]*\)$/\1/p')
  count=$2
  shift 2
  answers=0
  for number in "$@"; do printf '%s\n' "$list" | grep -qx "$number" && answers=$((answers + 1)); done
  [ "$answers" -eq "$#" ] || miss "$answers of $# GPUs answer"
  all=$(printf '%s\n' "$list" | grep -c .)
  [ "$count" -eq 0 ] || [ "$all" -eq "$count" ] || miss "the driver lists $all GPUs and not $count"
}
gpu_instances() {
  answers=$(timeout 30 "$2" -L 2>/dev/null | grep -c '^ *MIG ')
  [ "$answers" -eq "$1" ] || miss "$answers of $1 MIG instances are there"
}
# mounted FOLDER: a server that is gone keeps whoever looks waiting, until it is killed
mounted() {
  { timeout -s KILL 20 mountpoint -q "$1"; } 2> /dev/null
  case $? in
    0) ;;
    124 | 137) miss "$1 does not answer" ;;
    *) miss "$1 is not mounted" ;;
  esac
}
scratch() { mounted "$1"; }
scratch_folder() { :; }
if [ -r "$here/node.sh" ]; then
  # shellcheck source=/dev/null
  . "$here/node.sh"
else
  miss "$here/node.sh is missing"
fi
if [ "${1:-}" = --check ]; then
  [ -z "$found" ] || { echo "$node: $found" >&2; exit 1; }
  exit 0
fi
reason() {
  shown=$(scontrol show node "$node") || return 1
  printf '%s\n' "$shown" | sed -n 's/^ *Reason=//p'
}
mkdir -p "${mark%/*}"
if [ -n "$found" ]; then
  case $(reason) in
    "health: $found"*) : > "$mark" ;;
    '' | "health: "*)
      scontrol update nodename="$node" state=drain reason="health: $found"
      : > "$mark" ;;
  esac
elif [ -e "$mark" ] || [ ! -e "$asked" ]; then
  why=$(reason) || exit 0   # nobody answers: next time
  case $why in
    "health: "*) scontrol update nodename="$node" state=resume ;;
  esac
  rm -f "$mark"
  : > "$asked"
fi
)sh";

constexpr std::string_view kProlog = R"sh(
# Slurm's Prolog: run as root on each node of a job before anything of the job. When it fails, slurmd drains the node and the job goes back
# into the queue, for other nodes.
set -u
here=/etc/slurm
"$here/healthcheck.sh" --check || exit 1
gpu_device() { :; }
gpus() { :; }
amd_gpus() { :; }
gpu_instances() { :; }
mounted() { :; }
# scratch FOLDER: a folder of the job's own on the node's drives. What somebody else put there before, such as a link to a folder of the
# system's that would change hands here, is taken away.
scratch() {
  at=$1/$SLURM_JOB_ID
  [ ! -L "$at" ] && [ "$(stat -c %u "$at" 2>/dev/null)" = "$SLURM_JOB_UID" ] && return
  rm -rf "$at"
  mkdir -m 0700 "$at" || exit 1
  chown "$SLURM_JOB_UID" "$at" || exit 1
}
# scratch_folder FOLDER: the spec does not say which drives it lies on, so that it is not looked for
scratch_folder() { mkdir -p "$1" && scratch "$1"; }
case ${SLURM_JOB_ID:-} in '' | *[!0-9]*) exit 1 ;; esac
# shellcheck source=/dev/null
. "$here/node.sh"
exit 0
)sh";

constexpr std::string_view kEpilog = R"sh(
# Slurm's Epilog: run as root on each node of a job when all of it has ended. Takes the job's scratch away and looks at the node, before the
# next job comes.
set -u
here=/etc/slurm
gpu_device() { :; }
gpus() { :; }
amd_gpus() { :; }
gpu_instances() { :; }
mounted() { :; }
scratch() { rm -rf "${1:?}/$SLURM_JOB_ID"; }
scratch_folder() { scratch "$1"; }
case ${SLURM_JOB_ID:-} in '' | *[!0-9]*) exit 1 ;; esac
# shellcheck source=/dev/null
. "$here/node.sh"
"$here/healthcheck.sh"
exit 0
)sh";

void script(const CompileInput& in, std::string_view name, std::string_view text, Bundle& bundle) {
  bundle.open("slurm/" + std::string(name), "slurm", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n";
  out += made_by(in, "slurm");
  constexpr std::string_view kSet = "\nset -u\n";  // behind the words on what it is for
  const std::size_t at = text.find(kSet);
  out += text.substr(1, at);
  out += "# shellcheck disable=SC2317  # node.sh calls the functions\nset -u\n";
  out += kPath;
  out += text.substr(at + kSet.size());
  bundle.close();
}

void node_file(const CompileInput& in, const SlurmNodes& n, Bundle& bundle) {
  const Cluster& c = in.cluster;
  const NodeGroupModel& g = c.nodes[n.group];
  bundle.open("slurm/nodes/" + g.name + ".sh", "slurm");
  std::string& out = bundle.text();
  out += "# shellcheck shell=sh\n";
  out += made_by(in, "slurm");
  ShellWriter w(out);
  w.comment("what healthcheck.sh, prolog.sh and epilog.sh look after on the nodes of group '" + g.name +
            "'; there as /etc/slurm/node.sh");
  for (const GpuDevices& d : n.devices)
    for (const std::int64_t number : d.numbers) w.command({"gpu_device", std::string(d.stem) + std::to_string(number)});
  const bool nvidia =
      g.server.gpu_count > 0 && (!g.server.gpu || g.server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::nvidia);
  if (nvidia) w.command({"gpus", std::to_string(g.server.gpu_count), "nvidia-smi"});
  if (g.server.gpu && g.server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::amd && g.server.gpu_count > 0) {
    std::vector<std::string> words{"amd_gpus", std::string(kAmdGpuList),
                                   std::to_string(kfd_lists_each_gpu_once(g.server) ? g.server.gpu_count : 0)};
    for (const std::int64_t number : gpu_device_files(g.server).numbers) words.push_back(std::to_string(number));
    w.command(words);
  }
  if (nvidia && n.mig) w.command({"gpu_instances", std::to_string(n.gpus), "nvidia-smi"});
  std::set<std::string> seen;
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    const StorageModel& s = c.storage[i];
    if (!mounts(s, g) || !s.spec->kind || !seen.insert(*s.spec->mount).second) continue;
    const bool ours = is_mounted_by_us(c, in.plan, static_cast<int>(i), n.group);
    if (*s.spec->kind == StorageKind::local)
      w.command({ours ? "scratch" : "scratch_folder", *s.spec->mount});
    else if (ours)
      w.command({"mounted", *s.spec->mount});
  }
  bundle.close();
}

}  // namespace

void emit_node_scripts(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle, Findings&) {
  script(in, "healthcheck.sh", kHealthCheck, bundle);
  script(in, "prolog.sh", kProlog, bundle);
  script(in, "epilog.sh", kEpilog, bundle);
  for (const SlurmNodes& n : facts.nodes) node_file(in, n, bundle);
}

}  // namespace clusterc
