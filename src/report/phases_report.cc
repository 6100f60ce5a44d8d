#include "report/phases_report.h"

#include "base/format.h"
#include "spec/prices.h"

namespace clusterc {

std::int64_t disturbed(const PlanDiff& d) {
  std::int64_t n = 0;
  for (const auto* lists : {&d.removed, &d.refitted, &d.moved, &d.repowered, &d.cables_removed, &d.cables_moved,
                            &d.cables_replaced, &d.renumbered})
    for (const ChangeList& list : *lists) n += list.count;
  return n;
}

std::int64_t idle_leaves(const Plan& plan) {
  std::int64_t idle = 0;
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
    const Fabric& fabric = plan.fabrics[f];
    if (fabric.tiers.empty()) continue;
    std::vector<bool> used(static_cast<std::size_t>(fabric.tiers[0].count), false);
    for (std::size_t b = 0; b < fabric.blocks.size(); ++b)
      for (std::int64_t m = 0; m < fabric.blocks[b].members; ++m)
        for (std::int64_t p = 0; p < fabric.blocks[b].ports_each; ++p)
          if (const PortRef port = plan.block_port(static_cast<int>(f), static_cast<int>(b), m, p);
              port.port >= 0 && port.sw.tier == 0)
            used[static_cast<std::size_t>(port.sw.index)] = true;
    for (const bool u : used) idle += !u;
  }
  return idle;
}

std::string render_phases_text(const PhasesReport& r) {
  std::string out = format("{}: {} phase{}\n", r.cluster, r.steps.size(), r.steps.size() == 1 ? "" : "s");
  for (const std::string& b : r.built_for) out += "  " + b + "\n";
  for (std::size_t i = 0; i < r.steps.size(); ++i) {
    const PhaseStep& s = r.steps[i];
    const PlanFigures& f = s.figures;
    out += format("\n{}. {}{}\n", i + 1, s.name, s.by.empty() ? "" : ", by " + s.by);
    out += "  at its end: " + figures_line(f) + "\n";
    if (f.cost) out += format("  total purchase so far: {}\n", cost_line(*f.cost));
    if (s.idle_leaves)
      out += format("  {} leaf switch{} no connected member yet: a later phase may buy {}\n", s.idle_leaves,
                    s.idle_leaves == 1 ? " has" : "es have", s.idle_leaves == 1 ? "it" : "them");
    if (s.empty_racks)
      out += format("  {} rack{} still empty: a later phase buys {} and {} PDUs\n", s.empty_racks,
                    s.empty_racks == 1 ? " is" : "s are", s.empty_racks == 1 ? "it" : "them",
                    s.empty_racks == 1 ? "its" : "their");
    if (i > 0)
      out += disturbed(s.change) == 0 ? std::string("  no existing object is moved, recabled or renumbered\n")
                                      : format("  {} existing object{}: see below\n", disturbed(s.change),
                                               disturbed(s.change) == 1 ? " changes" : "s change");
    for (const std::string& job : s.smaller_jobs) out += "  " + job + "\n";
    if (!s.errors.empty()) {
      out += format("  {} error{} at this size\n", s.errors.size(), s.errors.size() == 1 ? "" : "s");
      for (std::size_t k = 0; k < s.errors.size() && k < 3; ++k) out += "    " + s.errors[k] + "\n";
    }
    out += plan_changes_text(s.change, f.cost ? &*f.cost : nullptr, "  ", s.once);
  }
  return out;
}

std::string render_phases_json(const PhasesReport& r) {
  std::string out;
  JsonWriter json(out, {.indent = 1});
  json.begin_object()
      .field("format", "clusterc-phases")
      .field("version", 1)
      .field("cluster", r.cluster)
      .array("built_for");
  for (const std::string& b : r.built_for) json.value(b);
  json.end_array().array("phases");
  for (const PhaseStep& s : r.steps) {
    json.begin_object()
        .field("name", s.name)
        .field("by", s.by)
        .field("disturbed", disturbed(s.change))
        .field("idle_leaves", s.idle_leaves)
        .field("empty_racks", s.empty_racks)
        .object("once", JsonWriter::Layout::line);
    for (const NamedSum& sum : s.once) json.field(sum.name, sum.amount);
    json.end_object().object("figures");
    figures_json(json, s.figures);
    json.end_object().array("smaller_jobs");
    for (const std::string& job : s.smaller_jobs) json.value(job);
    json.end_array().array("errors");
    for (const std::string& e : s.errors) json.value(e);
    json.end_array().object("change");
    plan_changes_json(json, s.change);
    json.end_object().end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

}  // namespace clusterc
