// What jobs cannot be as the spec says: launchers, limits, quotas, checkpoints, images and splits.
#include "base/format.h"
#include "base/quantity.h"
#include "base/text.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "spec/workload.h"
#include "system/containers.h"
#include "system/file_systems.h"
#include "system/job_parts.h"
#include "system/kubernetes_jobs.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

// Pyxis and Apptainer divide their lists of mounts at commas and colons.
bool is_plain_mount(std::string_view path) { return path.find_first_of(",:") == std::string_view::npos; }

void check_split(const Job& j, Findings& findings) {
  const Workload& w = *j.workload;
  if (!w.launcher || !w.launcher->kind || !j.split || !j.model) return;
  const JobSplit& s = *j.split;
  const Layout l{.tensor = static_cast<double>(s.tensor),
                 .pipeline = static_cast<double>(s.pipeline),
                 .data = static_cast<double>(s.data),
                 .context = static_cast<double>(s.context),
                 .expert = static_cast<double>(s.expert),
                 .interleave = static_cast<double>(s.interleave),
                 .micro_batch = static_cast<double>(s.micro_batch),
                 .sharded = s.sharded,
                 .recompute = s.recompute};
  const std::string why = cannot_split(j.launcher, l, *j.model);
  if (why.empty()) return;
  Finding& f =
      findings.error("jobs-split-not-launched", w.launcher->kind.span,
                     format("launcher '{}' cannot start workload '{}' as planned", launcher_word(j.launcher), j.name));
  f.label(why).object("workloads." + j.name);
  if (w.split)
    f.note(w.split->span, "the split is set here");
  else
    f.note(w.span, "the spec has no `split`: the plan chose the fastest that fits into the memory of the GPUs");
  f.help(j.launcher == JobLauncher::horovod ? "write `split: { sharded: none }` if the model fits on one GPU, or "
                                              "`launcher: torchrun`"
                                            : "write a `split` that it can do, or `launcher: torchrun`");
}

void check_mounts(const Cluster& c, const Job& j, Findings& findings) {
  if (j.image.empty() || j.container == JobContainer::none) return;
  for (const StorageModel* s : shared_storage(c, j.group))
    if (!is_plain_mount(*s->spec->mount))
      findings
          .error("jobs-mount-malformed", s->spec->mount.span,
                 format("'{}' cannot be mounted in the container of workload '{}': commas and colons end a mount",
                        one_line(*s->spec->mount), j.name))
          .help("use a mount point without commas and colons");
}

// The limit that holds for a job: its own, or that of all jobs; null: none.
const Value<Seconds>* time_of(const Cluster& c, const Job& j) {
  const Workload& w = *j.workload;
  return w.launcher && w.launcher->time ? &w.launcher->time : slurm_time_limit(c, j.group);
}

void check_time(const Cluster& c, const Job& j, Findings& findings) {
  const Workload& w = *j.workload;
  const Value<Seconds>*limit = time_of(c, j), *most = slurm_time_limit(c, j.group);
  if (!limit) return;
  const Value<Seconds>& time = *limit;
  const bool own = w.launcher && w.launcher->time;
  if (own && most && *minutes_of(time) > *minutes_of(*most))
    findings
        .error(
            "jobs-time-over-limit", time.span,
            format(
                "each job of workload '{}' asks for {}, but a job may run for at most {}: Slurm would never start it",
                j.name, to_text(*time), to_text(**most)))
        .note(most->span, "the limit of all jobs")
        .help(format("write `time: {}`: {}", to_text(**most),
                     j.requeues ? "the job is requeued and goes on from its checkpoint"
                                : "submitted again, the job goes on from its checkpoint"))
        .object("workloads." + j.name);
  else if (j.is_warned() && time->value < 2 * static_cast<double>(j.warning))
    findings
        .error(
            "jobs-time-too-short", time.span,
            format(
                "each job of workload '{}' runs for {}, but needs {} to save: at most half of its time may be for that",
                j.name, to_text(*time), to_text(Seconds(static_cast<double>(j.warning)))))
        .label(own ? j.warning_sum : "the limit of all jobs; to save: " + j.warning_sum)
        .help("write a longer `time`, or save faster: `checkpoint_within`")
        .object("workloads." + j.name);
}

// Slurm holds a job that needs more than the quota of its account's QOS, whatever the other jobs have.
void check_quota(const Cluster& c, const Job& j, Findings& findings) {
  if (j.account.empty()) return;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(j.group)];
  for (const auto& team : c.spec.teams) {
    const QuotaAmount* quota = to_lower(team.name) == j.account ? quota_on(team.value, g.name) : nullptr;
    if (!quota) continue;
    const auto fits = nodes_within(*quota, j.node_gpus, j.node_cores);
    if (!fits || *fits >= j.nodes) continue;
    const std::int64_t need = j.nodes * (*quota->of == "gpus" ? j.node_gpus : *quota->of == "cores" ? j.node_cores : 1);
    findings
        .error("jobs-quota-too-small", j.workload->launcher->team.span,
               format("workload '{}' needs {} {} of '{}', and team '{}' may use {}: Slurm would never start it", j.name,
                      need, *quota->of, g.name, team.name, *quota->amount))
        .label(format("{} whole {}", j.nodes, j.nodes == 1 ? "node" : "nodes"))
        .note(quota->span, "the quota of the team")
        .help(format(
            "write `quota: {{ {}: {} {} }}` or more, or run it on {}", g.name, need, *quota->of,
            *fits > 0 ? format("{} {}", *fits, *fits == 1 ? "node" : "nodes") : std::string("nodes of another group")))
        .object("workloads." + j.name);
  }
}

void check_checkpoints(const Cluster& c, const Job& j, Findings& findings) {
  const Workload& w = *j.workload;
  if (!w.checkpoint_to || !j.saves || !j.checkpoints.empty()) return;
  const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(j.group)];
  for (const StorageModel& s : c.storage) {
    if (s.name != *w.checkpoint_to || !s.spec || !s.spec->kind || mounts(s, g)) continue;
    if (*s.spec->kind == StorageKind::local || *s.spec->kind == StorageKind::object) continue;
    Finding& f = findings.error(
        "jobs-checkpoints-unmounted", w.checkpoint_to.span,
        format("workload '{}' saves its checkpoints to '{}', which '{}' does not mount", j.name, s.name, g.name));
    f.note(s.spec->span, "the storage")
        .help(format("add '{}' to `on` of the storage and connect it to a network of the storage, or name storage that "
                     "the group mounts",
                     g.name))
        .object("workloads." + j.name);
  }
}

// A launcher of trainings for a model that is served, or the other way round.
void check_kinds(const Cluster& c, Findings& findings) {
  for (const auto& w : c.spec.workloads) {
    if (!w.value.launcher || !w.value.launcher->kind) continue;
    const bool serves = *w.value.launcher->kind == "vllm", served = w.value.kind.value_or("") == "inference";
    if (serves == served) continue;
    findings
        .error("jobs-launcher-of-another-kind", w.value.launcher->kind.span,
               format("launcher '{}' {}, and workload '{}' is of `kind: {}`", one_line(*w.value.launcher->kind),
                      serves ? "serves a model" : "starts trainings and programs", w.name,
                      w.value.kind.value_or("training")))
        .help(served ? "write `kind: vllm` of the launcher"
                     : "write `kind: inference` of the workload, or another launcher")
        .object("workloads." + w.name);
  }
}

}  // namespace

void check_jobs(const System& in, Findings& findings) {
  const Cluster& c = in.cluster;
  check_kinds(c, findings);
  if (runs_kubernetes(c)) {
    Findings said;  // the output kubernetes reports them
    check_kubernetes_jobs(in, kubernetes_facts(in, said), findings);
    for (const Job& j : job_facts(in).jobs) check_split(j, findings);
    return;
  }
  const auto& scheduler = c.spec.software->scheduler;
  if (!scheduler || !scheduler->kind || *scheduler->kind != SchedulerKind::slurm) {
    for (const auto& w : c.spec.workloads)
      if (w.value.launcher && w.value.launcher->kind)
        findings
            .warning(
                "jobs-launcher-without-slurm", w.value.launcher->span,
                format("workload '{}' names the launcher '{}', and the cluster has no scheduler: nothing starts it",
                       w.name, one_line(*w.value.launcher->kind)))
            .help(
                "write `scheduler: slurm` in `software`, and its job is compiled; or take `launcher` out, and start it "
                "by hand")
            .object("workloads." + w.name);
    return;
  }
  for (const Job& j : job_facts(in).jobs) {
    check_split(j, findings);
    check_time(c, j, findings);
    check_quota(c, j, findings);
    check_checkpoints(c, j, findings);
    check_mounts(c, j, findings);
    if (!j.image.empty() && j.container == JobContainer::none)
      findings
          .error("jobs-image-without-runtime", j.workload->launcher->image.span,
                 format("workload '{}' runs in a container image, and '{}' has no runtime that srun can start it with",
                        j.name, c.nodes[static_cast<std::size_t>(j.group)].name))
          .help("write `containers: [enroot, pyxis]` or `containers: [apptainer]`")
          .object("workloads." + j.name);
  }
}

}  // namespace clusterc
