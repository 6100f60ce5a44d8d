#include "report/figures.h"

#include <algorithm>

#include "base/format.h"
#include "plan/failures/what_if_network.h"
#include "plan/power/power.h"
#include "report/table.h"
#include "spec/network.h"
#include "spec/prices.h"
#include "spec/site.h"

namespace clusterc {

PlanFigures figures_of(const Plan& plan, const Findings& findings) {
  const Cluster& c = *plan.cluster;
  PlanFigures f;
  f.nodes = c.node_count;
  f.gpus = plan.gpu_count;
  f.racks = c.rack_count;
  for (const RackPlan& r : plan.racks) {
    f.racks_used += !r.devices.empty();
    f.liquid_heat += r.liquid_heat;
  }
  for (const Unplaced& u : plan.unplaced) f.unplaced += u.count;
  for (const NodeGroupModel& g : c.nodes) {
    f.nodes_by_group[g.name] = g.count;
    if (g.server.gpu_count > 0) f.gpus_by_model[g.server.gpu_model] += g.count * g.server.gpu_count;
  }
  for (const Fabric& fabric : plan.fabrics) {
    if (fabric.tiers.empty()) continue;
    f.switches += fabric.switch_count();
    f.switches_by_network[fabric.name] = fabric.switch_count();
    f.links += fabric.node_cables + fabric.leaf_spine_cables + fabric.spine_core_cables + fabric.uplink_cables;
  }
  f.power = plan.it_power;
  f.typical = plan.it_typical;
  f.powerless = power_gaps(plan).equipment;
  const SitePower site = site_power(plan);
  f.site = site.total;
  f.pue_known = site.pue_known();
  f.pue_stated = site.by_pue;
  f.pue = site.pue();
  const int jobs = c.first_network_carrying(Traffic::compute);
  if (jobs >= 0 && !plan.fabrics[static_cast<std::size_t>(jobs)].tiers.empty()) {
    const Fabric& fabric = plan.fabrics[static_cast<std::size_t>(jobs)];
    f.job_network = fabric.name;
    f.bisection = fabric.link_rate * FabricLoss(plan, jobs).normal();
    f.oversubscription = fabric.oversubscription;
  }
  f.errors = findings.count(Severity::error);
  f.warnings = findings.count(Severity::warning);
  f.notes = findings.count(Severity::note);
  f.cost = cost_of(plan);
  return f;
}

std::string power_figure(const PlanFigures& f, Watts watts, std::string_view least) {
  if (f.powerless.empty()) return watts.value > 0 ? to_text(watts) : std::string();
  return watts.value > 0 ? std::string(least) + to_text(watts) : "unknown";
}

std::string figures_line(const PlanFigures& f) {
  const auto some = [](std::int64_t n, std::string_view one, std::string_view many) {
    return format("{} {}", n, n == 1 ? one : many);
  };
  std::string out = some(f.nodes, "node", "nodes") + ", " + some(f.gpus, "GPU", "GPUs") + ", " +
                    some(f.switches, "switch", "switches") + ", " + some(f.links, "link", "links");
  if (f.racks) out += format(", {} of {} used", f.racks_used, some(f.racks, "rack", "racks"));
  if (const std::string power = power_figure(f, f.power); !power.empty())
    out += (power == "unknown" ? ", power " : ", ") + power;
  return out;
}

std::string cost_line(const Cost& c) {
  if (c.purchase <= 0 && c.rent <= 0 && c.unpriced > 0)
    return c.budget ? "the budget was not checked: nothing is priced" : "nothing is priced";
  const std::string_view least = c.unpriced ? "at least " : "";
  if (c.rent <= 0) return format("{}{}", least, money_text(c.purchase, c.currency));
  const std::string rent = format("{}{} of rent a year", least, money_text(c.rent, c.currency));
  return c.purchase > 0 ? format("{}{}, {}", least, money_text(c.purchase, c.currency), rent) : rent;
}

void figures_json(JsonWriter& json, const PlanFigures& f) {
  json.field("nodes", f.nodes).field("gpus", f.gpus);
  const auto counts = [&](std::string_view key, const std::map<std::string, std::int64_t>& map) {
    json.object(key, kLine);
    for (const auto& [name, count] : map) json.field(name, count);
    json.end_object();
  };
  counts("nodes_by_group", f.nodes_by_group);
  counts("gpus_by_model", f.gpus_by_model);
  json.field("racks", f.racks)
      .field("racks_used", f.racks_used)
      .field("without_a_place", f.unplaced)
      .field("switches", f.switches);
  counts("switches_by_network", f.switches_by_network);
  json.field("links", f.links)
      .field("power_w", f.power.value)
      .field("power_typical_w", f.typical.value)
      .field("heat_w", f.power.value)
      .field("liquid_heat_w", f.liquid_heat.value)
      .field("power_complete", f.powerless.empty())
      .field("site_power_w", f.site.value)
      .field("pue", f.pue)
      .field("pue_known", f.pue_known);
  json.field("job_network", f.job_network)
      .field("bisection_bit_s", f.bisection.value)
      .field("oversubscription", f.oversubscription);
  json.object("findings", kLine)
      .field("errors", f.errors)
      .field("warnings", f.warnings)
      .field("notes", f.notes)
      .end_object();
  if (!f.cost) return;
  json.object("cost", kLine)
      .field("currency", f.cost->currency)
      .field("complete", f.cost->complete())
      .field("unpriced_lines", f.cost->unpriced)
      .field("purchase", f.cost->purchase)
      .field("running_per_year", f.cost->running)
      .field("total_per_year", f.cost->year)
      .field("gpu_hour", f.cost->gpu_hour)
      .end_object();
}

namespace {

constexpr std::size_t kNamed = 3;  // errors that are printed of a variant

// Rows of the table, in this order; a row that no variant fills is left out.
struct Row {
  std::string_view name;
  std::string (*cell)(const PlanFigures&);
};

std::string at_least(const Cost& c, double amount, bool complete) {
  return (complete ? "" : ">= ") + money_text(amount, c.currency);
}
std::string none_if_zero(std::int64_t n) { return n ? std::to_string(n) : std::string(); }

const Row kRows[] = {
    {"nodes", [](const PlanFigures& f) { return std::to_string(f.nodes); }},
    {"GPUs", [](const PlanFigures& f) { return std::to_string(f.gpus); }},
    {"switches", [](const PlanFigures& f) { return std::to_string(f.switches); }},
    {"links", [](const PlanFigures& f) { return std::to_string(f.links); }},
    {"racks used",
     [](const PlanFigures& f) { return f.racks ? format("{} of {}", f.racks_used, f.racks) : std::string(); }},
    {"not placed", [](const PlanFigures& f) { return none_if_zero(f.unplaced); }},
    {"power and heat", [](const PlanFigures& f) { return power_figure(f, f.power, ">= "); }},
    {"heat to liquid",
     [](const PlanFigures& f) { return f.liquid_heat.value > 0 ? to_text(f.liquid_heat) : std::string(); }},
    {"typical power", [](const PlanFigures& f) { return power_figure(f, f.typical, ">= "); }},
    {"PUE",
     [](const PlanFigures& f) {
       return f.power.value <= 0                    ? std::string()
              : f.pue_stated || f.powerless.empty() ? format("{}{:.3g}", f.pue_known ? "" : ">= ", f.pue)
                                                    : "unknown";
     }},
    {"site",
     [](const PlanFigures& f) {
       return f.power.value > 0 ? (f.pue_known && f.powerless.empty() ? "" : ">= ") + to_text(f.site) : std::string();
     }},
    {"job network", [](const PlanFigures& f) { return f.job_network; }},
    {"bisection", [](const PlanFigures& f) { return f.bisection.value > 0 ? to_text(f.bisection) : std::string(); }},
    {"oversubscription",
     [](const PlanFigures& f) { return f.bisection.value > 0 ? format("{:.3g}", f.oversubscription) : std::string(); }},
    {"purchase",
     [](const PlanFigures& f) {
       return f.cost ? at_least(*f.cost, f.cost->purchase, f.cost->unpriced == 0) : std::string();
     }},
    {"a year",
     [](const PlanFigures& f) { return f.cost ? at_least(*f.cost, f.cost->year, f.cost->complete()) : std::string(); }},
    {"a GPU-hour",
     [](const PlanFigures& f) {
       return f.cost && f.cost->gpu_hour ? at_least(*f.cost, *f.cost->gpu_hour, f.cost->complete()) : std::string();
     }},
    {"errors", [](const PlanFigures& f) { return std::to_string(f.errors); }},
    {"warnings", [](const PlanFigures& f) { return std::to_string(f.warnings); }},
};

}  // namespace

std::string render_variants_text(const std::vector<Variant>& variants) {
  std::string out;
  std::vector<std::string> headings{""};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const std::string letter(1, static_cast<char>(i < 26 ? 'A' + i : '?'));
    headings.push_back(">" + (i < 26 ? letter : std::to_string(i + 1)));
    out += format("  {}  {}\n", i < 26 ? letter : std::to_string(i + 1), variants[i].name);
  }
  Table table(headings);
  for (const Row& row : kRows) {
    std::vector<std::string> cells{std::string(row.name)};
    bool filled = false;
    for (const Variant& v : variants) {
      cells.push_back(v.figures ? row.cell(*v.figures) : "-");
      filled = filled || (v.figures && !cells.back().empty());
    }
    if (filled) table.row(std::move(cells));
  }
  out += "\n" + table.text();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Variant& v = variants[i];
    if (v.figures && !v.figures->powerless.empty())
      out += format("\n  power of {} is a lower bound: that of {} is unknown\n", headings[i + 1].substr(1),
                    names_text(v.figures->powerless));
    if (!v.figures) out += format("\n  {} could not be planned: {}\n", headings[i + 1].substr(1), v.why);
    if (v.errors.empty()) continue;
    out += format("\n  errors of {}:\n", headings[i + 1].substr(1));
    for (std::size_t k = 0; k < std::min(kNamed, v.errors.size()); ++k) out += "    " + v.errors[k] + "\n";
    if (v.errors.size() > kNamed) out += format("    and {} more\n", v.errors.size() - kNamed);
  }
  return out;
}

std::string render_variants_json(const std::vector<Variant>& variants) {
  std::string out;
  JsonWriter json(out, {.indent = 1});
  json.begin_object().field("format", "clusterc-options").field("version", 1).array("variants");
  for (const Variant& v : variants) {
    json.begin_object().field("name", v.name).field("planned", v.figures.has_value());
    if (v.figures)
      figures_json(json, *v.figures);
    else
      json.field("why", v.why);
    json.array("errors");
    for (const std::string& e : v.errors) json.value(e);
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

}  // namespace clusterc
