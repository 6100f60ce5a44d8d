#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/page_file.h"
#include "cli/variants.h"
#include "cli/written_files.h"
#include "report/cable_exports.h"
#include "report/handbook.h"
#include "report/margins.h"
#include "report/plan_report.h"
#include "report/plan_svg.h"
#include "report/rack_sheets.h"
#include "report/runbook.h"
#include "report/what_if_report.h"
#include "spec/names.h"
#include "write/manifest.h"
#include "write/tree.h"

namespace clusterc::cli {
namespace {

void options_of_plan(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o);
  o.add_options()("output,o", po::value<std::string>()->value_name("DIR"),
                  "also write the plan and exports to this folder")(
      "exports", po::value<std::string>()->value_name("LIST")->default_value("all"),
      "which: book (plan.json, plan.txt, cables.csv, routes.csv, switches.csv), documents (a build runbook, an "
      "operator's handbook), racks (an assembly sheet for each rack, HTML to print), sheets (point-to-point, labels, "
      "bundles, spreadsheet), topo, dot, netbox; several with commas")(
      "force", po::bool_switch(), "with --output: overwrite files there that were changed by hand")(
      "what-if", po::value<std::string>()->value_name("WHAT"),
      "each: every component fails alone, worst first; or a combination: feed:A,spine:3")(
      "fit", po::value<std::string>()->value_name("GROUP"),
      "nodes.gpu: the largest count that room, feeds, cooling, switches and budget allow, and the next limits")(
      "option", po::value<std::vector<std::string>>()->composing()->value_name("SETS"),
      "a variant to compare with the spec: nodes.gpu.model=nvidia-dgx-b200,nodes.gpu=64, or another spec; can be "
      "repeated")("options", po::value<std::vector<std::string>>()->composing()->value_name("SETS"),
                  "the same as --option")(
      "page", po::value<std::string>()->value_name("FILE"),
      "also write the plan as one HTML page that opens from disk: drawings, tables, failures")(
      "svg", po::value<std::string>()->value_name("DIR"),
      "also write the floor plan and the elevation of each kind of rack to this folder, as SVG for documents")(
      "phases", po::bool_switch(),
      "each step of the spec's `phases`: what is bought, racked and cabled, and whether anything moves");
}

// In place of the build book. What cannot be found is wrong usage.
std::string what_if(const Run& run, const std::string& wish, Format format) {
  const WhatIfEngine engine(*run.plan);
  if (wish == "each") {
    const std::vector<WhatIfRow> rows = single_failures(engine);
    return format == Format::json ? render_what_if_each_json(engine, rows, run.spec_digest)
                                  : render_what_if_each_text(engine, rows);
  }
  std::vector<Component> failed;
  for (const std::string_view word : split(wish, ',')) {
    std::string error;
    const auto one = engine.find(trim(word), error);
    if (!one) throw UsageError{"--what-if: " + error};
    const bool of_many = one->kind == ComponentKind::ups || one->kind == ComponentKind::cooling ||
                         one->kind == ComponentKind::cdu;  // a second one of them
    const auto before = std::count(failed.begin(), failed.end(), *one);
    if (one->kind == ComponentKind::link && before > 0) {
      const std::int64_t there = engine.alike(*one);
      if (before >= there)
        throw UsageError{"--what-if: '" + std::string(trim(word)) + "' is named more than " + std::to_string(there) +
                         " times, but exists " + std::to_string(there) + " times"};
    } else if (!of_many && before > 0) {
      throw UsageError{"--what-if: '" + std::string(trim(word)) + "' is named twice"};
    }
    failed.push_back(*one);
  }
  const WhatIf state = engine.run(failed);
  return format == Format::json ? render_what_if_json(engine, state, run.spec_digest)
                                : render_what_if_text(engine, state);
}

constexpr std::string_view kFamilies[] = {"book", "documents", "racks", "sheets", "topo", "dot", "netbox"};

// Which family a file of an earlier run belongs to; empty: none of ours.
std::string_view family_of(std::string_view path) {
  for (const std::string_view name : {"plan.json", "plan.txt", "cables.csv", "routes.csv", "switches.csv"})
    if (path == name) return "book";
  for (const std::string_view name : {"point-to-point.csv", "labels.csv", "bundles.csv", "cords.csv", "cabling.xlsx"})
    if (path == name) return "sheets";
  if (path == "runbook.md" || path == "handbook.md") return "documents";
  if (path.starts_with("racks/")) return "racks";
  if (path.starts_with("netbox/")) return "netbox";
  if (path.find('/') != std::string_view::npos) return {};
  if (path.ends_with(".svg")) return "svg";  // of --svg
  return path.ends_with(".topo") ? "topo" : path.ends_with(".dot") ? "dot" : std::string_view();
}

// In the order of kFamilies, each once.
std::vector<std::string_view> wanted_families(const std::string& wish) {
  std::set<std::string_view> named;
  for (const std::string_view word : split(wish, ',')) {
    const std::string_view family = trim(word);
    if (family == "all")
      named.insert(std::begin(kFamilies), std::end(kFamilies));
    else if (std::find(std::begin(kFamilies), std::end(kFamilies), family) == std::end(kFamilies))
      throw UsageError{"--exports: there is no '" + std::string(family) +
                       "'; book, documents, racks, sheets, topo, dot, netbox or all"};
    else
      named.insert(family);
  }
  std::vector<std::string_view> out;
  std::copy_if(std::begin(kFamilies), std::end(kFamilies), std::back_inserter(out),
               [&](std::string_view f) { return named.contains(f); });
  return out;
}

// A folder is replaced as a whole: what another run put there would be gone. Better told than done.
void refuse_others(const std::string& folder, const std::vector<std::string_view>& families,
                   std::string_view option = "--exports") {
  FileError error;
  std::string why;
  const std::string manifest = folder + "/" + std::string(kManifestName);
  if (std::error_code failed; !std::filesystem::is_regular_file(manifest, failed)) return;  // the writer says it
  const auto text = read_file(manifest, std::uint64_t{1} << 30, error);
  if (!text) return;
  std::set<std::string_view> others;
  const bool whole = each_in_manifest(*text, why, [&](std::string_view path, std::string_view) {
    const std::string_view family = family_of(path);
    if (family.empty())
      throw UsageError{"'" + folder + "' is not a plan (it has '" + std::string(path) +
                       "'), and would be replaced completely: name another folder"};
    if (std::find(families.begin(), families.end(), family) == families.end()) others.insert(family);
    return true;
  });
  if (!whole) return;  // the writer says what is wrong with it
  if (!others.empty())
    throw UsageError{"'" + folder + "' has other exports (" + join(others, ", ") + ") that " + std::string(option) +
                     " would remove: name another folder" + (option == "--exports" ? ", or these too" : "")};
}

// One file after the other: of a large plan the text of one is in memory. `text`: plan.txt where it is there already.
WriteResult write_exports(const Run& run, const ExpectedFigures& expected, std::string text, const std::string& folder,
                          const std::vector<std::string_view>& families, bool force, const Interrupts& interrupts) {
  const Cluster& cluster = *run.cluster;
  const Plan& plan = *run.plan;
  Tree tree(folder, {.spec_digest = run.spec_digest,
                     .tool_version = CLUSTERC_VERSION,
                     .force = force,
                     .interrupted = interrupts.flag(),
                     .progress = [](const std::string& line) { put_error(line + "\n"); }});
  const Interrupts::Guard guard([&] { return tree.abandon(); });
  const PlanVerdict verdict{run.findings, run.sources};
  const auto wanted = [&](std::string_view family) {
    return std::find(families.begin(), families.end(), family) != families.end();
  };
  const auto put_file = [&](std::string_view name, std::string_view bytes) { tree.put(name, "plan", bytes); };
  if (wanted("book")) {
    put_file("plan.txt", text.empty() ? render_plan_text(cluster, plan, expected, &verdict) : text);
    text = {};
    put_file("plan.json", render_plan_json(cluster, plan, expected, run.spec_digest, &verdict));
    put_file("cables.csv", render_cables_csv(cluster, plan));
    put_file("routes.csv", render_routes_csv(cluster, plan));
    put_file("switches.csv", render_switches_csv(cluster, plan));
  }
  if (wanted("documents")) {
    put_file("runbook.md", render_runbook(*run.system, expected, verdict.buildable(), run.spec_digest, &verdict));
    put_file("handbook.md", render_handbook(*run.system, &verdict));
  }
  if (wanted("racks"))
    render_rack_sheets(cluster, plan, verdict.buildable(), [&](std::string_view name, std::string_view html) {
      put_file("racks/" + std::string(name), html);
    });
  if (wanted("sheets")) {
    put_file("point-to-point.csv", render_point_to_point_csv(cluster, plan));
    put_file("labels.csv", render_labels_csv(cluster, plan));
    put_file("bundles.csv", render_bundles_csv(cluster, plan));
    put_file("cords.csv", render_cords_csv(cluster, plan));
    put_file("cabling.xlsx", render_cabling_xlsx(cluster, plan));
  }
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
    const int fabric = static_cast<int>(f);
    // A plan is made in spite of errors, and so of a network called '../x', of which `check` has said so.
    if (!is_group_name(plan.fabrics[f].name)) continue;
    if (wanted("topo") && has_topo(cluster, plan, fabric))
      put_file(plan.fabrics[f].name + ".topo", render_topo(cluster, plan, fabric));
    if (wanted("dot") && has_dot(plan, fabric))
      put_file(plan.fabrics[f].name + ".dot", render_dot(cluster, plan, fabric));
  }
  if (wanted("netbox"))
    for (const auto& [name, table] : render_netbox(cluster, plan)) put_file("netbox/" + name, table);
  return tree.finish();
}

WriteResult write_drawings(const Run& run, const std::string& folder, bool force, const Interrupts& interrupts) {
  Tree tree(folder, {.spec_digest = run.spec_digest,
                     .tool_version = CLUSTERC_VERSION,
                     .force = force,
                     .interrupted = interrupts.flag()});
  const Interrupts::Guard guard([&] { return tree.abandon(); });
  render_svg_drawings(*run.cluster, *run.plan,
                      [&](std::string_view name, std::string_view svg) { tree.put(name, "plan", svg); });
  return tree.finish();
}

// A folder is replaced as a whole: drawings or a page in the folder of the plan would be gone, or spoil it.
void require_folders_apart(const std::string& page, const std::string& drawings, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const auto place = [&](const std::string& path) { return fs::weakly_canonical(fs::absolute(path, failed), failed); };
  const auto within = [&](const std::string& inner, const std::string& outer) {
    const fs::path way = place(inner).lexically_relative(place(outer));
    return !way.empty() && *way.begin() != "..";
  };
  if (!drawings.empty() && !folder.empty() && (within(drawings, folder) || within(folder, drawings)))
    throw UsageError{"--svg and -o write the same folder: name another one with --svg"};
  for (const auto& [option, of] : {std::pair("-o", folder), std::pair("--svg", drawings)})
    if (!page.empty() && !of.empty() && within(page, of))
      throw UsageError{format("'{}' lies in the folder of {}, which is replaced as a whole: name a file outside of it",
                              page, option)};
}

void refuse_together(const po::variables_map& given, bool variants) {
  const auto ways = given.count("what-if") + given.count("fit") + variants + given["phases"].as<bool>();
  if (ways > 1) throw UsageError{"use only one of --what-if, --fit, --option and --phases"};
  if (ways == 1 && given.count("output"))
    throw UsageError{"--what-if, --fit, --option and --phases write no folder: omit --output"};
  for (const char* option : {"page", "svg"})
    if (ways == 1 && given.count(option))
      throw UsageError{format("--what-if, --fit, --option and --phases write no file: omit --{}", option)};
}

// A folder of files, which an interrupt leaves as it was.
int write_folder(const std::string& folder, bool force, int status,
                 const std::function<WriteResult(const Interrupts&)>& write) {
  const WriteResult written = [&] {
    const Interrupts interrupts(folder);
    try {
      return write(interrupts);
    } catch (const WriteError&) {
      interrupts.end_if_interrupted();
      throw;
    }
  }();
  return report_tree(written, folder, force, "--force overwrites it", status);
}

void put(const std::string& text, Format format, const po::variables_map& given) {
  if (format == Format::text)
    put_report(text, given);
  else
    put_text(text);
}

int run_plan(const po::variables_map& given) {
  const std::string path = one_spec(given);
  const Format format = text_or_json(given, "a plan is");
  std::vector<std::string> variants;
  for (const char* key : {"option", "options"})
    if (given.count(key))
      variants.insert(variants.end(), given[key].as<std::vector<std::string>>().begin(),
                      given[key].as<std::vector<std::string>>().end());
  refuse_together(given, !variants.empty());
  const auto named = [&](const char* option) {
    return given.count(option) ? given[option].as<std::string>() : std::string();
  };
  require_written_apart(given, {{path, "is the spec"}}, {"page"});
  const std::string page = named("page"), drawings = named("svg"), folder = named("output");
  require_folders_apart(page, drawings, folder);
  if (given.count("fit") || !variants.empty() || given["phases"].as<bool>()) {
    const Printed printed = given["phases"].as<bool>() ? grow(path, given, format)
                            : given.count("fit")       ? fit(path, given, given["fit"].as<std::string>(), format)
                                                       : lay_side_by_side(path, given, variants, format);
    put(printed.text, format, given);
    return printed.status;
  }
  const bool writes = given.count("output") > 0, force = given["force"].as<bool>();
  if (!writes && (!given["exports"].defaulted() || (force && drawings.empty())))
    throw UsageError{"--exports and --force need a folder: -o DIR"};
  const std::vector<std::string_view> families = wanted_families(given["exports"].as<std::string>());
  if (writes) refuse_others(folder, families);
  if (!drawings.empty()) refuse_others(drawings, {"svg"}, "--svg");
  RunOptions options = run_options(given, path);
  options.all_cables = !given.count("what-if");
  auto result = run_pipeline(path, Stage::checked, options);
  int status = report_findings(*result, path, given, true);
  if (!result->plan) return status;
  const Plan& plan = *result->plan;
  if (given.count("what-if")) {
    put(what_if(*result, given["what-if"].as<std::string>(), format), format, given);
    return status;
  }
  const ExpectedFigures expected = expect_figures(*result->cluster, plan, true);
  const PlanVerdict verdict{result->findings, result->sources};
  std::string text = format == Format::json
                         ? render_plan_json(*result->cluster, plan, expected, result->spec_digest, &verdict)
                         : render_plan_text(*result->cluster, plan, expected, &verdict);
  if (is_quiet(given) && format == Format::text)
    put_report(render_verdict_text(verdict) + render_margins_text(*result->cluster, plan), given);
  else
    put(text, format, given);
  if (!page.empty()) write_page(*result, expected, path, page);
  if (!drawings.empty())
    status = write_folder(drawings, force, status, [&](const Interrupts& interrupts) {
      return write_drawings(*result, drawings, force, interrupts);
    });
  if (!writes) return status;
  if (format == Format::json) text = {};
  return write_folder(folder, force, status, [&](const Interrupts& interrupts) {
    return write_exports(*result, expected, std::move(text), folder, families, force, interrupts);
  });
}

}  // namespace
const Command kPlan{
    "plan", "the build book: racks, power, cooling, fabrics, addresses, parts",
    "clusterc plan SPEC [--format text|json] [-o DIR [--exports LIST] [--force]] [--page FILE] [--svg DIR] [--what-if "
    "each|KIND:NAME,… | --fit nodes.GROUP | --option SETS … | --phases]",
    options_of_plan, run_plan};
}  // namespace clusterc::cli
