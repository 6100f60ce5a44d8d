#include "report/handbook.h"

#include <algorithm>

#include "base/format.h"
#include "base/index.h"
#include "base/ip.h"
#include "base/printable.h"
#include "base/text.h"
#include "model/mig.h"
#include "plan/cost/fitted.h"
#include "report/markdown.h"
#include "report/repairs.h"
#include "report/what_if_report.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "system/file_systems.h"
#include "system/infiniband.h"
#include "system/node_settings.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

class Handbook {
 public:
  Handbook(const System& in, const PlanVerdict* verdict) : in_(in), c_(in.cluster), p_(in.plan), verdict_(verdict) {}

  std::string text() {
    out_ = format(
        "# Handbook: {}\n\n{}For the operators of this cluster. The spec is the source: change the spec, not this "
        "file, and "
        "write this file again (`clusterc plan SPEC -o DIR`).\n",
        markdown_text(*c_.spec.name), verdict_ ? render_verdict_markdown(*verdict_) : std::string());
    nodes();
    networks();
    services();
    daily_work();
    failures();
    repairs();
    teams();
    spares();
    return without_commands(std::move(out_));
  }

 private:
  void section(std::string_view title) { out_ += format("\n## {}. {}\n\n", ++section_, title); }
  void heading(std::string_view names, std::string_view rule) { out_ += format("{}\n{}\n", names, rule); }

  void nodes() {
    section("Nodes");
    heading("| group | nodes | names | server | GPUs | roles |", "| --- | ---: | --- | --- | --- | --- |");
    for (const NodeGroupModel& g : c_.nodes) {
      if (g.count == 0) continue;
      std::vector<std::string> roles;
      for (const auto& [role, word] : EnumNames<Role>::names)
        if (g.has_role(role)) roles.emplace_back(word);
      if (roles.empty() && g.computes) roles.emplace_back("compute");
      out_ += markdown_row({g.name, std::to_string(g.count), g.names.text(), g.server.id,
                            g.server.gpu_count ? std::to_string(g.server.gpu_count) + " x " + g.server.gpu_model : "-",
                            join(roles, ", ")});
    }
    instances();
  }

  void instances() {
    const bool slurm = in_.makes("slurm"), ansible = in_.makes("ansible");
    bool any = false, ours = false;
    for (const NodeGroupModel& g : c_.nodes) {
      const std::string_view mig = cut_by_mig(g.software);
      if (g.count == 0 || g.server.gpu_count == 0 || mig.empty()) continue;
      if (!any) {
        out_ += "\nGPUs that are partitioned by MIG:\n\n";
        heading(
            "| group | layout | instances per GPU | per node | one instance in a job | command that partitions the "
            "GPUs of a node again |",
            "| --- | --- | ---: | ---: | --- | --- |");
      }
      any = true;
      const auto layout = mig_layout(g.software), made = ansible ? mig_made(g) : std::nullopt;
      ours = ours || made;
      out_ += markdown_row({g.name, std::string(mig), layout ? std::to_string(layout->count) : "unknown",
                            layout ? std::to_string(layout->count * g.server.gpu_count) : "unknown",
                            slurm && layout && runs_slurmd(c_, g) ? "--gres=gpu:" + gres_type(c_, g) + ":1" : "-",
                            made ? format("/usr/local/sbin/cluster-mig {} {}", made->count, made->profile) : "-"});
    }
    if (!any) return;
    out_ +=
        "\nInstances cannot communicate over NVLink or PCIe, and a program sees only one of them: a program that needs "
        "several GPUs needs whole GPUs.";
    if (ours)
      out_ +=
          " Run `cluster-mig` as root on the node. It does not change a GPU that is in use, and then ends with status "
          "3.";
    out_ += "\n";
  }

  std::string members(const EndPoints& e) const {
    return e.group >= 0 ? c_.nodes[at(e.group)].name : e.storage >= 0 ? c_.storage[at(e.storage)].name : "equipment";
  }

  void networks() {
    section("Networks");
    heading("| network | kind | rate | carries | subnet | gateway | first addresses |",
            "| --- | --- | ---: | --- | --- | --- | --- |");
    for (std::size_t i = 0; i < c_.networks.size(); ++i) {
      const NetworkModel& n = c_.networks[i];
      std::vector<std::string> carries, first;
      for (const Traffic t : n.carries) carries.emplace_back(enum_text(t));
      std::string gateway = "-";
      for (const AddressPlan& a : p_.addresses) {
        if (a.network != static_cast<int>(i)) continue;
        if (a.gateway && n.spec && n.spec->gateway)
          gateway = ipv4_text(a.gateway);  // the address that is kept free for one is no router
        for (std::size_t e = 0; e < n.ends.size() && e < a.first.size(); ++e)
          if (a.first[e]) first.push_back(members(n.ends[e]) + " " + ipv4_text(a.first[e]));
      }
      out_ += markdown_row({n.name, std::string(enum_text(n.kind)), n.rate.value > 0 ? to_text(n.rate) : "-",
                            join(carries, ", "), n.subnet ? n.subnet->text() : "-", gateway,
                            first.empty() ? "-" : join(first, "; ")});
    }
    out_ +=
        "\n`hosts/hosts` of the compiled tree has every name and address. `plan.json`, `cables.csv` and `cords.csv` of "
        "the plan (`clusterc plan -o`) have the place and the connections of each device.\n";
  }

  // Local storage: which groups' nodes have it.
  static std::string on_of(const StorageModel& s) {
    std::vector<std::string> on;
    for (const auto& name : s.spec->on)
      if (name) on.push_back(*name);
    return on.empty() ? "each node" : "each node of " + join(on, ", ");
  }

  void services() {
    section("Services");
    heading("| service | on | where |", "| --- | --- | --- |");
    for (const auto& [role, word] : EnumNames<Role>::names) {
      if (role == Role::compute) continue;
      std::vector<std::string> on, idle;
      for (std::size_t i = 0; i < c_.nodes.size(); ++i) {
        const NodeGroupModel& g = c_.nodes[i];
        if (g.count == 0 || !g.has_role(role)) continue;
        on.push_back(g.names.text());
        if (role == Role::fabric_manager && managed_subnets(c_, p_, static_cast<int>(i)).empty())
          idle.push_back(g.names.text());
      }
      if (!on.empty())
        out_ +=
            markdown_row({std::string(word), join(on, ", "),
                          idle.empty() ? "" : join(idle, ", ") + ": no port in an InfiniBand network, so no subnet"});
    }
    if (const auto& scheduler = c_.spec.software->scheduler; scheduler && scheduler->controllers)
      out_ += markdown_row({"Slurm's controllers", *scheduler->controllers, "slurmctld; the first is the primary"});
    for (std::size_t i = 0; i < c_.storage.size(); ++i) {
      const StorageModel& s = c_.storage[i];
      if (!s.spec) continue;
      bool mounted = false;
      for (std::size_t g = 0; g < c_.nodes.size() && !mounted; ++g)
        mounted = c_.nodes[g].count > 0 && is_mounted_by_us(c_, p_, static_cast<int>(i), static_cast<int>(g));
      const std::string by = s.nodes >= 0                                   ? c_.nodes[at(s.nodes)].names.text()
                             : s.count > 0                                  ? std::to_string(s.count) + " x " + s.model
                             : s.spec->servers && s.spec->servers->external ? *s.spec->servers->external
                                                                            : on_of(s);
      out_ += markdown_row(
          {"storage " + s.name + (s.spec->kind ? " (" + std::string(enum_text(*s.spec->kind)) + ")" : ""), by,
           s.spec->mount
               ? (mounted ? "mounted at " : "planned for ") + *s.spec->mount + (mounted ? "" : ": no output mounts it")
               : ""});
    }
  }

  // A node whose name stands for all of its kind in commands.
  std::string some_node() const {
    for (const NodeGroupModel& g : c_.nodes)
      if (g.computes && g.count > 0) return c_.node_name(g.first);
    return {};
  }

  std::string some_spare() const {
    for (const NodeGroupModel& g : c_.nodes)
      if (g.count > 0 && g.spec && g.spec->spares.value_or(0) > 0 && runs_slurmd(c_, g))
        return c_.node_name(g.first + g.count - 1);
    return {};
  }

  void commands(std::string_view lead, std::initializer_list<std::pair<std::string, std::string_view>> lines) {
    out_ += format("{}\n\n```sh\n", lead);
    std::size_t width = 0;
    for (const auto& [command, why] : lines) width = std::max(width, command.size());
    for (const auto& [command, why] : lines)
      out_ += command + std::string(width - command.size() + 2, ' ') + "# " + std::string(why) + "\n";
    out_ += "```\n\n";
  }

  void daily_work() {
    section("Daily work");
    const std::string node = some_node();
    if (in_.makes("slurm") && !node.empty()) {
      commands("The queue, and nodes that are out of service:",
               {{"sinfo -R", "nodes that are drained or down, since when, and why"},
                {"squeue --start", "when jobs are expected to begin"},
                {"scontrol update nodename=" + node + " state=drain reason=\"new memory\"", "running jobs end first"},
                {"scontrol update nodename=" + node + " state=resume",
                 "after the repair; the health check never resumes a node that was drained by hand"},
                {"scontrol show node " + node, "its state, resources and jobs"}});
      out_ +=
          "The health check drains a node that has less than the spec states, with a reason that begins with "
          "`health:`, and resumes it when nothing is missing any more. It does not change a node with any other "
          "reason.\n\n";
      if (const std::string spare = some_spare(); !spare.empty())
        commands("Spares are drained with the reason `spare`. A spare that was put into service stays in service:",
                 {{"scontrol update nodename=" + spare + " state=resume", "puts it into service"},
                  {"scontrol update nodename=" + spare + " state=drain reason=spare", "makes it a spare again"}});
    }
    if (in_.makes("ansible") && !node.empty())
      commands("After a node was reinstalled or replaced, run the plays of the compiled tree:",
               {{"ansible-playbook site.yml --limit " + node + " --check --diff", "in DIR/ansible: what would change"},
                {"ansible-playbook site.yml --limit " + node, "a second run changes nothing"},
                {"ansible " + node + " -b -a /usr/local/sbin/cluster-health", "prints what is missing on the node"}});
    commands("To change the cluster, change its spec:",
             {{"clusterc check SPEC", "can it be built?"},
              {"clusterc diff OLD SPEC", "what to buy, move, recable and reconfigure"},
              {"clusterc plan SPEC --what-if KIND:NAME", "the effects of a planned shutdown"},
              {"clusterc compile SPEC -o DIR",
               "writes only changed files; keeps and reports files that were changed by hand"},
              {"clusterc validate SPEC", "after a repair: does the cluster meet its targets?"}});
    while (out_.ends_with("\n\n")) out_.pop_back();
  }

  // Names of this cluster's.
  std::string combination() const {
    std::vector<std::string> names;
    if (!c_.feeds.empty()) names.push_back("feed:" + c_.feeds.front().name);
    for (std::size_t f = 0; f < p_.fabrics.size() && names.size() < 2; ++f)
      if (!p_.fabrics[f].tiers.empty()) {
        std::string name = p_.switch_name(static_cast<int>(f), {static_cast<int>(p_.fabrics[f].tiers.size()) - 1, 0});
        names.push_back(name.replace(name.find('/'), 1, ":"));
      }
    return names.size() < 2 ? std::string()
                            : "; combinations: " + markdown_code("clusterc plan SPEC --what-if " + join(names, ","));
  }

  void failures() {
    section("When something fails");
    const WhatIfEngine engine(p_);
    out_ += "Effects of the failure of one component, worst first" + combination() + ".\n\n" +
            markdown_block("text", render_what_if_each_text(engine, single_failures(engine)));
  }

  void repairs() {
    const std::string text = render_repairs(in_);
    if (text.empty()) return;
    section("Incidents and repairs");
    out_ += text;
  }

  void teams() {
    if (c_.spec.teams.empty()) return;
    section("Teams");
    heading("| team | share | quota | users |", "| --- | ---: | --- | --- |");
    for (const auto& t : c_.spec.teams) {
      std::vector<std::string> quota, users;
      for (const auto& q : t.value.quota)
        if (q.value.amount && q.value.of)
          quota.push_back(q.name + ": " + std::to_string(*q.value.amount) + " " + *q.value.of);
      for (const auto& u : t.value.users)
        if (u) users.push_back(*u);
      out_ += markdown_row({t.name, t.value.share ? format("{:g} %", *t.value.share * 100) : "-",
                            quota.empty() ? "-" : join(quota, ", "), users.empty() ? "-" : join(users, ", ")});
    }
  }

  void spares() {
    std::vector<std::vector<std::string>> rows;
    for (const BillRow& b : bill_rows(p_))
      if (b.spares > 0)
        rows.push_back(
            {std::to_string(b.spares), b.part + (b.length.value > 0 ? " " + to_text(b.length) : ""), b.what});
    if (rows.empty()) return;
    section("Spares");
    heading("| count | part | for |", "| ---: | --- | --- |");
    for (const auto& row : rows) out_ += markdown_row(row);
  }

  const System& in_;
  const Cluster& c_;
  const Plan& p_;
  const PlanVerdict* verdict_;
  std::string out_;
  int section_ = 0;
};

}  // namespace

std::string render_handbook(const System& system, const PlanVerdict* verdict) {
  return Handbook(system, verdict).text();
}

}  // namespace clusterc
