#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/variants.h"
#include "report/cable_exports.h"
#include "report/plan_report.h"
#include "report/what_if_report.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o);
  o.add_options()("output,o", po::value<std::string>()->value_name("DIR"), "also write plan and exports there")(
      "exports", po::value<std::string>()->value_name("LIST")->default_value("all"), "which: book (plan.json, plan.txt, cables.csv, routes.csv, switches.csv), sheets (point-to-point, labels, bundles, spreadsheet), topo, dot, netbox; several with commas")(
      "what-if", po::value<std::string>()->value_name("WHAT"), "each: every component fails alone, worst first; or a combination: feed:A,spine:3")(
      "fit", po::value<std::string>()->value_name("GROUP"), "nodes.gpu: the largest count that room, feeds, cooling, switches and budget carry, and what stops the next ones")(
      "option", po::value<std::vector<std::string>>()->composing()->value_name("SETS"), "a variant beside the spec: nodes.gpu.model=nvidia-dgx-b200,nodes.gpu=64, or another spec; may stand several times")(
      "options", po::value<std::vector<std::string>>()->composing()->value_name("SETS"), "the same as --option")(
      "phases", po::bool_switch(), "each step of the spec's `phases`: what is bought, racked and cabled in it, and that nothing moves");
}

// In place of the build book. What cannot be found is wrong usage.
std::string what_if(const Run& run, const std::string& wish, Format format) {
  const WhatIfEngine engine(*run.plan);
  if (wish == "each") {
    const std::vector<WhatIfRow> rows = single_failures(engine);
    return format == Format::json ? render_what_if_each_json(engine, rows, run.spec_digest) : render_what_if_each_text(engine, rows);
  }
  std::vector<Component> failed;
  for (const std::string_view word : split(wish, ',')) {
    std::string error;
    const auto one = engine.find(trim(word), error);
    if (!one) throw UsageError{"--what-if: " + error};
    failed.push_back(*one);
  }
  const WhatIf state = engine.run(failed);
  return format == Format::json ? render_what_if_json(engine, state, run.spec_digest) : render_what_if_text(engine, state);
}

// One file after the other: the text of a large plan is held once.
void write_exports(const Run& run, const std::string& output, const std::string& wish) {
  namespace fs = std::filesystem;
  constexpr std::string_view kFamilies[] = {"book", "sheets", "topo", "dot", "netbox"};
  std::vector<std::string_view> families;
  for (const std::string_view word : split(wish, ',')) {
    const std::string_view family = trim(word);
    if (family == "all") families.assign(std::begin(kFamilies), std::end(kFamilies));
    else if (std::find(std::begin(kFamilies), std::end(kFamilies), family) == std::end(kFamilies)) throw UsageError{"--exports: there is no '" + std::string(family) + "'; book, sheets, topo, dot, netbox or all"};
    else families.push_back(family);
  }
  const auto wanted = [&](std::string_view family) { return std::find(families.begin(), families.end(), family) != families.end(); };
  const Cluster& cluster = *run.cluster;
  const Plan& plan = *run.plan;
  const fs::path folder = output;
  std::size_t files = 0;
  const auto make_folder = [](const fs::path& path) {
    std::error_code failed;
    fs::create_directories(path, failed);
    if (failed) throw std::runtime_error("'" + path.string() + "' cannot be made: " + failed.message());
  };
  const auto write = [&](const fs::path& name, const std::string& bytes) {
    FileError error;
    if (!write_file((folder / name).string(), bytes, error)) throw std::runtime_error(error.message);
    ++files;
  };
  make_folder(folder);
  if (wanted("book")) {
    const ExpectedFigures expected = expect_figures(cluster, plan, true);      // named in `targets` or not
    write("plan.json", render_plan_json(cluster, plan, expected, run.spec_digest));
    write("plan.txt", render_plan_text(cluster, plan, expected));
    write("cables.csv", render_cables_csv(cluster, plan));
    write("routes.csv", render_routes_csv(cluster, plan));
    write("switches.csv", render_switches_csv(cluster, plan));
  }
  if (wanted("sheets")) {
    write("point-to-point.csv", render_point_to_point_csv(cluster, plan));
    write("labels.csv", render_labels_csv(cluster, plan));
    write("bundles.csv", render_bundles_csv(cluster, plan));
    write("cabling.xlsx", render_cabling_xlsx(cluster, plan));
  }
  for (std::size_t f = 0; f < plan.fabrics.size(); ++f) {
    const std::string& name = plan.fabrics[f].name;
    if (wanted("topo"))
      if (const std::string text = render_topo(cluster, plan, static_cast<int>(f)); !text.empty()) write(name + ".topo", text);
    if (wanted("dot"))
      if (const std::string text = render_dot(cluster, plan, static_cast<int>(f)); !text.empty()) write(name + ".dot", text);
  }
  if (wanted("netbox")) {
    make_folder(folder / "netbox");
    for (const auto& [name, text] : render_netbox(cluster, plan)) write(fs::path("netbox") / name, text);
  }
  put_error("wrote " + std::to_string(files) + " files to " + folder.string() + "\n");
}

int run(const po::variables_map& given) {
  const std::string path = one_spec(given);
  const Format format = format_of(given);
  if (format == Format::sarif || format == Format::junit) throw UsageError{"a plan is printed as text or json"};
  std::vector<std::string> variants;
  for (const char* key : {"option", "options"})
    if (given.count(key)) variants.insert(variants.end(), given[key].as<std::vector<std::string>>().begin(), given[key].as<std::vector<std::string>>().end());
  if (const auto ways = given.count("what-if") + given.count("fit") + !variants.empty() + given["phases"].as<bool>(); ways > 1) throw UsageError{"one of --what-if, --fit, --option and --phases"};
  else if (ways == 1 && given.count("output")) throw UsageError{"--what-if, --fit, --option and --phases print; they write no folder: leave --output out"};
  if (given.count("fit") || !variants.empty() || given["phases"].as<bool>()) {
    const Printed printed = given["phases"].as<bool>() ? grow(path, given, format) : given.count("fit") ? fit(path, given, given["fit"].as<std::string>(), format) : lay_side_by_side(path, given, variants, format);
    put(printed.text);
    return printed.status;
  }
  auto result = run_pipeline(path, Stage::checked, run_options(given, path));
  const int status = report_findings(*result, path, given, true);
  if (!result->plan) return status;
  const Plan& plan = *result->plan;
  if (given.count("what-if")) {
    put(what_if(*result, given["what-if"].as<std::string>(), format));
    return status;
  }
  const ExpectedFigures expected = expect_figures(*result->cluster, plan, true);
  const std::string text = format == Format::json ? render_plan_json(*result->cluster, plan, expected, result->spec_digest) : render_plan_text(*result->cluster, plan, expected);
  put(text);
  if (given.count("output")) {
    write_exports(*result, given["output"].as<std::string>(), given["exports"].as<std::string>());
  }
  return status;
}

}  // namespace
const Command kPlan{"plan", "the build book: racks, power, cooling, fabrics, addresses, parts", "clusterc plan SPEC [--format text|json] [-o DIR [--exports LIST]] [--what-if each|KIND:NAME,… | --fit nodes.GROUP | --option SETS … | --phases]", options, run};
}  // namespace clusterc::cli
