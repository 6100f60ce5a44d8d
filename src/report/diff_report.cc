#include "report/diff_report.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "report/markdown.h"
#include "report/table.h"
#include "spec/prices.h"

namespace clusterc {
namespace {

constexpr std::size_t kNamed = 3;   // objects of a list that text names
constexpr std::size_t kParts = 40;  // lines of the bill in Markdown, which goes into comments of limited size
constexpr std::string_view kFloorHint =
    "rows are filled in the order of the spec: no rack moves if the group that grows is last in `racks` or has all its "
    "racks from the start";

// ---- figures
// -------------------------------------------------------------------------------------------------------------
struct FigureRow {
  std::string name, before, after, change;
};

std::string signed_count(std::int64_t d) { return d > 0 ? "+" + std::to_string(d) : std::to_string(d); }

std::vector<FigureRow> figure_rows(const SpecDiff& d) {
  std::vector<FigureRow> rows;
  const PlanFigures &a = d.before, &b = d.after;
  const auto count = [&](std::string name, std::int64_t was, std::int64_t is) {
    if (was || is)
      rows.push_back(
          {std::move(name), std::to_string(was), std::to_string(is), was == is ? "" : signed_count(is - was)});
  };
  const auto share = [](double was, double is) {
    const double percent = was > 0 ? (is / was - 1) * 100 : 0;
    if (std::abs(percent) <= 1e-7) return std::string();
    return percent >= 999.5 ? format(" ({:+.0f} %)", percent)
                            : format(" ({:+.3g} %)", percent);  // three digits, and never a power of ten
  };
  const auto quantity = [&](std::string name, auto was, auto is) {
    if (was.value <= 0 && is.value <= 0) return;
    const bool same = to_text(was) == to_text(is);
    rows.push_back(
        {std::move(name), to_text(was), to_text(is),
         same ? "" : (is > was ? "+" : "-") + to_text(is > was ? is - was : was - is) + share(was.value, is.value)});
  };
  count("nodes", a.nodes, b.nodes);
  count("GPUs", a.gpus, b.gpus);
  count("switches", a.switches, b.switches);
  count("links", a.links, b.links);
  count("racks used", a.racks_used, b.racks_used);
  count("not placed", a.unplaced, b.unplaced);
  const auto power = [&](std::string name, Watts was, Watts is) {
    if (a.powerless.empty() && b.powerless.empty()) return quantity(std::move(name), was, is);
    const auto text = [](const PlanFigures& f, Watts w) {
      const std::string t = power_figure(f, w);
      return t.empty() ? to_text(w) : t;
    };
    rows.push_back({std::move(name), text(a, was), text(b, is), text(a, was) == text(b, is) ? "" : "unknown"});
  };
  power("power and heat", a.power, b.power);
  quantity("heat to liquid", a.liquid_heat, b.liquid_heat);
  power("typical power", a.typical, b.typical);
  // Of the first network that carries compute: another one where networks change places.
  quantity(a.job_network == b.job_network || a.job_network.empty() || b.job_network.empty()
               ? "bisection"
               : format("bisection of '{}', then '{}'", a.job_network, b.job_network),
           a.bisection, b.bisection);
  if (a.cost || b.cost) {
    const auto money = [&](std::string name, auto pick, bool of_parts = false) {
      const auto text = [&](const PlanFigures& f) {
        return f.cost ? ((of_parts ? f.cost->unpriced == 0 : f.cost->complete()) ? "" : "at least ") +
                            money_text(pick(*f.cost), f.cost->currency)
                      : std::string("-");
      };
      std::string change;
      if (a.cost && b.cost && a.cost->currency == b.cost->currency) {
        const double was = pick(*a.cost), is = pick(*b.cost);
        if (money_text(was, "") != money_text(is, ""))
          change = (is > was ? "+" : "-") + money_text(std::abs(is - was), b.cost->currency) + share(was, is);
      } else if (a.cost && b.cost) {
        change = "another currency";
      }
      rows.push_back({std::move(name), text(a), text(b), std::move(change)});
    };
    money(
        "purchase", [](const Cost& c) { return c.purchase; }, true);
    money("a year", [](const Cost& c) { return c.year; });
    if ((a.cost && a.cost->gpu_hour) || (b.cost && b.cost->gpu_hour))
      money("a GPU-hour", [](const Cost& c) { return c.gpu_hour.value_or(0); });
  }
  count("errors", static_cast<std::int64_t>(a.errors), static_cast<std::int64_t>(b.errors));
  count("warnings", static_cast<std::int64_t>(a.warnings), static_cast<std::int64_t>(b.warnings));
  return rows;
}

// ---- lists of objects
// ----------------------------------------------------------------------------------------------------
struct Section {
  std::string_view title, key;
  std::vector<const std::vector<ChangeList>*> lists;
};

std::vector<Section> sections(const PlanDiff& p) {
  return {
      {"New", "added", {&p.added}},
      {"Removed", "removed", {&p.removed}},
      {"Refit", "refitted", {&p.refitted}},
      {"Move", "moved", {&p.moved}},
      {"Other power feed", "repowered", {&p.repowered}},
      {"Cables to lay", "cables_added", {&p.cables_added}},
      {"Cables to remove", "cables_removed", {&p.cables_removed}},
      {"Cables to move", "cables_moved", {&p.cables_moved}},
      {"Cables to replace", "cables_replaced", {&p.cables_replaced}},
      {"Renumber", "renumbered", {&p.renumbered}},
  };
}

std::string change_text(const ObjectChange& c) {
  if (c.before.empty() && c.after.empty()) return c.object;
  if (c.before.empty()) return c.object + " (" + c.after + ")";
  if (c.after.empty()) return c.object + " (" + c.before + ")";
  return c.object + " (" + c.before + " -> " + c.after + ")";
}

std::string first_of(const ChangeList& list) {
  std::string out;
  for (std::size_t i = 0; i < std::min(kNamed, list.items.size()); ++i)
    out += (i ? ", " : "") + change_text(list.items[i]);
  const std::int64_t more = list.count - static_cast<std::int64_t>(std::min(kNamed, list.items.size()));
  if (more > 0) out += format(" and {} more", more);
  return out;
}

std::string price_of(const Cost* cost, const PartChange& p) {
  if (!cost || p.accessory || p.after <= p.before) return {};
  for (const CostLine& l : cost->lines)
    if (l.part == p.part && std::abs(l.length.value - p.length.value) < 1e-9)
      return l.each ? money_text(*l.each * static_cast<double>(p.after - p.before), cost->currency) : "not priced";
  // What is put into a node whose price is of all that is in it has no line.
  return p.kind == "gpu" || p.kind == "cpu" || p.kind == "memory" || p.kind == "nic" || p.kind == "drive" ||
                 p.kind == "nvlink-bridge"
             ? "with its node"
             : "not priced";
}
const Cost* prices_of(const SpecDiff& d) { return d.after.cost ? &*d.after.cost : nullptr; }

std::string_view shown(const std::string& s) {
  return s.empty() ? std::string_view("not written") : std::string_view(s);
}

std::string_view plan_word(const SpecDiff& d) {
  if (!d.plan.empty()) return "the plan changes";
  const std::vector<FigureRow> rows = figure_rows(d);
  return std::any_of(rows.begin(), rows.end(), [](const FigureRow& r) { return !r.change.empty(); })
             ? "nothing to buy, move or recable, but other figures"
             : "the plan is the same";
}

// ---- Markdown
// --------------------------------------------------------------------------------------------------------------
std::string heading_row(std::string_view names, std::string_view rule) { return format("{}\n{}\n", names, rule); }

// What is long is folded away.
std::string folded(const std::string& title, const std::string& body) {
  return format("<details><summary>{}</summary>\n\n{}\n</details>\n\n", markdown_text(title), body);
}

}  // namespace

bool SpecDiff::same() const {
  return written.empty() && plan.empty() && new_findings.empty() && gone_findings.empty() && changed_findings.empty() &&
         (!files || files->empty());
}

void diff_findings(const ToldFindings& before, const ToldFindings& after, SpecDiff& d) {
  const auto change = [](const Finding& f, const Sources& sources, std::string was) {
    FindingChange out{f.rule, f.message, std::move(was), f.severity, {}, {}};
    if (f.span.valid()) out.file = sources.path(f.span.file), out.at = sources.position(f.span.file, f.span.begin);
    return out;
  };
  const auto counted = [](const Finding& f) { return !f.accepted; };
  std::vector<const Finding*> old, fresh;
  for (const Finding& f : before.findings.all())
    if (counted(f)) old.push_back(&f);
  const auto take = [&](const auto& same) -> const Finding* {
    const auto found = std::find_if(old.begin(), old.end(), same);
    if (found == old.end()) return nullptr;
    const Finding* f = *found;
    old.erase(found);
    return f;
  };
  for (const Finding& f : after.findings.all())
    if (counted(f) && !take([&](const Finding* o) {
          return o->rule == f.rule && o->message == f.message && o->severity == f.severity;
        }))
      fresh.push_back(&f);
  const auto about = [](const Finding& f) { return f.objects.empty() ? std::string() : f.objects.front(); };
  for (const Finding* f : fresh) {
    const Finding* was = take(
        [&](const Finding* o) { return o->rule == f->rule && o->severity == f->severity && about(*o) == about(*f); });
    if (was)
      d.changed_findings.push_back(change(*f, after.sources, was->message));
    else
      d.new_findings.push_back(change(*f, after.sources, {}));
  }
  for (const Finding* f : old) d.gone_findings.push_back(change(*f, before.sources, {}));
  for (auto* list : {&d.new_findings, &d.gone_findings, &d.changed_findings})
    std::stable_sort(list->begin(), list->end(),
                     [](const FindingChange& a, const FindingChange& b) { return a.severity > b.severity; });
}

std::string plan_changes_text(const PlanDiff& d, const Cost* cost, std::string_view indent,
                              const std::vector<NamedSum>& once) {
  std::string out;
  const auto title = [&](std::string_view text) { out += format("\n{}{}\n", indent, text); };
  if (!d.parts.empty() || !once.empty()) {
    title("To buy, or left over");
    Table table({">number", "part", ">length", "what", ">price"});
    // All of them: it is what somebody orders by.
    for (const PartChange& p : d.parts)
      table.row({signed_count(p.after - p.before), p.part, p.length.value > 0 ? to_text(p.length) : "", p.what,
                 price_of(cost, p)});
    for (const NamedSum& s : once) table.row({"", s.name, "", "paid once", money_text(s.amount, cost->currency)});
    out += table.text(static_cast<unsigned>(indent.size() + 2));
  }
  for (const Section& s : sections(d)) {
    if (s.lists.front()->empty()) continue;
    title(s.title);
    for (const ChangeList& list : *s.lists.front())
      out += format("{}  {} ({}): {}\n", indent, list.what, list.count, first_of(list));
    if (s.key == "moved" && d.floor_moves) out += format("{}  {}\n", indent, kFloorHint);
  }
  return out;
}

std::string render_diff_text(const SpecDiff& d) {
  if (d.same()) return {};
  std::string out = format("{} -> {}: {}\n", d.before_name, d.after_name, plan_word(d));
  const auto title = [&](std::string_view text) { out += format("\n{}\n", text); };
  if (!d.written.empty()) {
    title("Written");
    for (const ValueChange& c : d.written) out += format("  {}: {} -> {}\n", c.path, shown(c.before), shown(c.after));
  }
  title("Changed figures");
  Table figures({"", ">before", ">after", ">change"});
  for (const FigureRow& r : figure_rows(d)) figures.row({r.name, r.before, r.after, r.change});
  out += figures.text();
  const auto findings = [&](std::string_view name, const std::vector<FindingChange>& list) {
    if (list.empty()) return;
    title(name);
    for (const FindingChange& f : list) {
      out += format("  {}{}: {} [{}]\n", f.file.empty() ? "" : format("{}:{}:{}: ", f.file, f.at.line, f.at.column),
                    severity_name(f.severity), f.message, f.rule);
      if (!f.before.empty()) out += format("    before: {}\n", f.before);
    }
  };
  findings("New findings", d.new_findings);
  findings("Findings that no longer occur", d.gone_findings);
  findings("Findings with changed numbers", d.changed_findings);
  out += plan_changes_text(d.plan, prices_of(d));
  if (d.files && !d.files->empty()) {
    title("Compiled files");
    for (const ChangeList& list : *d.files) out += format("  {} ({}): {}\n", list.what, list.count, first_of(list));
  } else if (!d.files) {
    title("Compiled files");
    out += "  not compared: " + d.why_no_files + "\n";
  }
  return out;
}

std::string render_diff_markdown(const SpecDiff& d) {
  std::string out = format("### {}: {}\n\n", markdown_text(d.after_name), d.same() ? "nothing changes" : plan_word(d));
  if (d.same()) return out;
  out += heading_row("| | before | after | change |", "| --- | ---: | ---: | ---: |");
  for (const FigureRow& r : figure_rows(d)) out += markdown_row({r.name, r.before, r.after, r.change});
  out += "\n";
  const auto findings = [&](std::string_view name, const std::vector<FindingChange>& list) {
    if (list.empty()) return;
    out += format("**{}**\n\n", name);
    for (const FindingChange& f : list) {
      out += format("- {}: {} ({})", severity_name(f.severity), markdown_text(f.message), markdown_text(f.rule));
      if (!f.file.empty()) out += " at " + markdown_code(format("{}:{}:{}", f.file, f.at.line, f.at.column));
      if (!f.before.empty()) out += "; before: " + markdown_text(f.before);
      out += "\n";
    }
    out += "\n";
  };
  findings("New findings", d.new_findings);
  findings("Findings that no longer occur", d.gone_findings);
  findings("Findings with changed numbers", d.changed_findings);
  const auto lists = [&](const std::vector<ChangeList>& all) {
    std::string body;
    for (const ChangeList& list : all)
      body += format("- {} ({}): {}\n", markdown_text(list.what), list.count, markdown_text(first_of(list)));
    return body;
  };
  const auto total = [](const std::vector<ChangeList>& all) {
    std::int64_t n = 0;
    for (const ChangeList& list : all) n += list.count;
    return n;
  };
  if (!d.written.empty()) {
    std::string body = heading_row("| key | before | after |", "| --- | --- | --- |");
    for (const ValueChange& c : d.written)
      body += markdown_row({c.path, std::string(shown(c.before)), std::string(shown(c.after))});
    out += folded(format("Written: {} {}", d.written.size(), d.written.size() == 1 ? "key" : "keys"), body);
  }
  if (!d.plan.parts.empty()) {
    std::string body = heading_row("| number | part | length | what | price |", "| ---: | --- | ---: | --- | ---: |");
    for (std::size_t i = 0; i < std::min(kParts, d.plan.parts.size()); ++i) {
      const PartChange& p = d.plan.parts[i];
      body += markdown_row({signed_count(p.after - p.before), p.part, p.length.value > 0 ? to_text(p.length) : "",
                            p.what, price_of(prices_of(d), p)});
    }
    if (d.plan.parts.size() > kParts)
      body += format("\nand {} more lines: `clusterc diff` prints them as text and as JSON\n",
                     d.plan.parts.size() - kParts);
    out += folded(format("To buy, or left over: {} lines of the bill", d.plan.parts.size()), body);
  }
  for (const Section& s : sections(d.plan))
    if (const auto& all = *s.lists.front(); !all.empty())
      out += folded(format("{}: {}", s.title, total(all)), lists(all));
  if (d.files && !d.files->empty())
    out += folded(format("Compiled files: {}", total(*d.files)), lists(*d.files));
  else if (!d.files)
    out += "Compiled files were not compared: " + markdown_text(d.why_no_files) + "\n";
  return out;
}

namespace {
void lists_json(JsonWriter& json, std::string_view key, const std::vector<ChangeList>& all) {
  json.array(key);
  for (const ChangeList& list : all) {
    json.begin_object().field("what", list.what).field("count", list.count).array("objects");
    for (const ObjectChange& c : list.items)
      json.begin_object(kLine).field("object", c.object).field("before", c.before).field("after", c.after).end_object();
    json.end_array().end_object();
  }
  json.end_array();
}
}  // namespace

void plan_changes_json(JsonWriter& json, const PlanDiff& d) {
  json.array("parts");
  for (const PartChange& p : d.parts) {
    json.begin_object(kLine)
        .field("part", p.part)
        .field("what", p.what)
        .field("kind", p.kind)
        .field("before", p.before)
        .field("after", p.after);
    if (p.length.value > 0) json.field("length_m", p.length.value);
    json.end_object();
  }
  json.end_array();
  for (const Section& s : sections(d)) lists_json(json, s.key, *s.lists.front());
}

std::string render_diff_json(const SpecDiff& d) {
  std::string out;
  JsonWriter json(out, {.indent = 1});
  json.begin_object().field("format", "clusterc-diff").field("version", 1).field("same", d.same());
  json.object("before").field("name", d.before_name).field("spec_sha256", d.before_digest).object("figures");
  figures_json(json, d.before);
  json.end_object()
      .end_object()
      .object("after")
      .field("name", d.after_name)
      .field("spec_sha256", d.after_digest)
      .object("figures");
  figures_json(json, d.after);
  json.end_object().end_object();
  json.array("written");
  for (const ValueChange& c : d.written)
    json.begin_object(kLine).field("path", c.path).field("before", c.before).field("after", c.after).end_object();
  json.end_array();
  json.object("findings");
  const auto findings = [&](std::string_view key, const std::vector<FindingChange>& list) {
    json.array(key);
    for (const FindingChange& f : list) {
      json.begin_object(kLine)
          .field("severity", severity_name(f.severity))
          .field("rule", f.rule)
          .field("message", f.message);
      if (!f.before.empty()) json.field("before", f.before);
      if (!f.file.empty()) json.field("file", f.file).field("line", f.at.line).field("column", f.at.column);
      json.end_object();
    }
    json.end_array();
  };
  findings("new", d.new_findings);
  findings("gone", d.gone_findings);
  findings("changed", d.changed_findings);
  json.end_object();
  plan_changes_json(json, d.plan);
  if (d.files)
    lists_json(json, "files", *d.files);
  else
    json.field("files_not_compared", d.why_no_files);
  json.end_object();
  return out + "\n";
}

}  // namespace clusterc
