// What slurmd runs on a node: prolog, epilog and health check, the same for all nodes, and a file for each node group
// with what has to be there (compile/node_health.h). That one holds commands with quoted words, a line each.
#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "compile/health_check.h"
#include "compile/slurm/slurm.h"
#include "model/storage_path.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "system/file_systems.h"
#include "system/node_files.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kProlog = R"sh(
# Slurm's Prolog: runs as root on each node of a job before the job starts. If it fails, the job returns to the queue,
# for other nodes. The prolog first drains the node with a reason of the health check (Slurm's own would be "Prolog
# error"), which resumes the node when nothing is missing any more.
set -u
here=/etc/slurm
case ${SLURM_JOB_ID:-} in '' | *[!0-9]*) exit 1 ;; esac
"$here/healthcheck.sh" --prolog || exit 1
fail() {
  "$here/healthcheck.sh" --drain "$1"
  exit 1
}
# own FOLDER: a folder of the user alone. It first removes anything that another user put there, such as a link to a
# system folder, whose owner would change here.
own() {
  [ ! -L "$1" ] && [ "$(stat -c %u "$1" 2>/dev/null)" = "$SLURM_JOB_UID" ] && return
  rm -rf "$1"
  if ! mkdir -m 0700 "$1" || ! chown "$SLURM_JOB_UID" "$1"; then fail "no folder can be made in ${1%/*}"; fi
}
# scratch FOLDER: a separate folder for the job on the node's drives
scratch() { own "$1/$SLURM_JOB_ID"; }
# scratch_folder FOLDER: the spec does not name its drives, so that it is not checked
scratch_folder() {
  mkdir -p "$1"
  scratch "$1"
}
# enroot FOLDER: Enroot keeps a user's images and containers in folders under which every user can write: another user
# could make them first, and put a program into them.
enroot() { [ ! -d "${1%/*}" ] || own "$1-$SLURM_JOB_UID"; }
eval "$(
  grep '^scratch' "$here/node.sh"
  sed -n 's/^ENROOT_[A-Z]*_PATH \(.*\)-.(id -u)$/enroot \1/p' /etc/enroot/enroot.conf 2>/dev/null
)"
true
)sh";

constexpr std::string_view kEpilog = R"sh(
# Slurm's Epilog: runs as root on each node of a job after the job has ended. It removes the job's scratch folder and
# checks the node before the next job.
set -u
here=/etc/slurm
scratch() { rm -rf "${1:?}/$SLURM_JOB_ID"; }
scratch_folder() { scratch "$1"; }
case ${SLURM_JOB_ID:-} in '' | *[!0-9]*) exit 1 ;; esac
eval "$(grep '^scratch' "$here/node.sh")"
"$here/healthcheck.sh"
exit 0
)sh";

// slurm.conf(5), TaskProlog: "export NAME=value" on its standard output sets the environment of the task.
constexpr std::string_view kTaskProlog = R"sh(
# Slurm's TaskProlog: runs as the user before each task. TMPDIR is the scratch folder that the prolog made for the job, on
# the drives of the node: /tmp is small, and in the memory of some nodes. A TMPDIR that the user chose stays. Containers of
# Enroot have the environment of the task and not this folder, so nothing is set where Enroot is.
set -u
[ ! -e /etc/enroot ] || exit 0
case ${TMPDIR:-/tmp} in /tmp | /var/tmp) ;; *) exit 0 ;; esac
scratch() {
  [ -n "${SLURM_JOB_ID:-}" ] && [ -w "$1/$SLURM_JOB_ID" ] || return
  echo "export TMPDIR=$1/$SLURM_JOB_ID"
  exit 0
}
scratch_folder() { scratch "$1"; }
eval "$(grep '^scratch' /etc/slurm/node.sh)"
exit 0
)sh";

void script(std::string_view name, const std::string& text, Bundle& bundle) {
  bundle.open("slurm/" + std::string(name), "slurm", 0755);
  bundle.text() += text;
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
  w.comment("what healthcheck.sh, prolog.sh and epilog.sh check on the nodes of group '" + g.name +
            "'; installed as /etc/slurm/node.sh");
  for (const GpuDevices& d : n.devices)
    for (const std::int64_t number : d.numbers) w.command({"gpu_device", std::string(d.stem) + std::to_string(number)});
  const bool nvidia =
      g.server.gpu_count > 0 && (!g.server.gpu || g.server.gpu->vendor.value_or(Vendor::nvidia) == Vendor::nvidia);
  if (nvidia) w.command({"gpus", std::to_string(g.server.gpu_count), "nvidia-smi"});
  if (nvidia && n.mig) w.command({"gpu_instances", std::to_string(n.gpus), "nvidia-smi", n.type});
  append_looks(in, n.group, true, out);
  bundle.close();
  bundle.open("slurm/nodes/" + g.name + ".conf", "slurm");
  bundle.text() += made_by(in, "slurm") + "# settings of the slurmd unit on the nodes of group '" + one_line(g.name) +
                   "'; installed as " + std::string(kSlurmdSettingsPath) + "\n" + slurmd_settings(c, n.group);
  bundle.close();
}

}  // namespace

std::string scratch_of(const CompileInput& in, const SlurmNodes& n) {
  const Cluster& c = in.cluster;
  for (const int i : storage_of_group(c, n.group)) {
    const StorageModel& s = c.storage[static_cast<std::size_t>(i)];
    if (s.spec && s.spec->kind && *s.spec->kind == StorageKind::local && s.spec->mount &&
        mounts(s, c.nodes[static_cast<std::size_t>(n.group)]))
      return *s.spec->mount;
  }
  return {};
}

bool has_scratch(const CompileInput& in, const SlurmFacts& facts) {
  return std::ranges::any_of(facts.nodes, [&](const SlurmNodes& n) { return !scratch_of(in, n).empty(); });
}

void emit_node_scripts(const CompileInput& in, const SlurmFacts& facts, Bundle& bundle, Findings&) {
  script("healthcheck.sh", health_check_script(in, "slurm"), bundle);
  script("prolog.sh", node_script(in, "slurm", kProlog), bundle);
  script("epilog.sh", node_script(in, "slurm", kEpilog), bundle);
  if (has_scratch(in, facts) && !in.cluster.spec.software->scheduler->private_tmp.value_or(false))
    script("taskprolog.sh", node_script(in, "slurm", kTaskProlog), bundle);
  for (const SlurmNodes& n : facts.nodes) node_file(in, n, bundle);
}

}  // namespace clusterc
