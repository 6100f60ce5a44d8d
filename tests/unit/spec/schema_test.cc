// The committed schema and reference are what the descriptors say, and an independent validator agrees with the reader.
#include "spec/schema.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "base/json_writer.h"
#include "diag/finding.h"
#include "fields/scalar_text.h"
#include "fields/show.h"
#include "spec/sections.h"
#include "spec/spec.h"
#include "yaml/document.h"

namespace clusterc {
namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// UPDATE_GOLDEN=1 rewrites the committed file, but never in CI.
void compare_with_committed(const std::string& path, const std::string& made) {
  const std::filesystem::path full = std::string(CLUSTERC_SOURCE_DIR "/") + path;
  if (std::getenv("UPDATE_GOLDEN") && !std::getenv("CI")) std::ofstream(full, std::ios::binary) << made;
  EXPECT_TRUE(file_text(full) == made) << path << " is not what the descriptors say; UPDATE_GOLDEN=1 rewrites it";
}

TEST(SpecSchema, IsTheCommittedOne) { compare_with_committed("schemas/spec.schema.json", spec_schema()); }
TEST(SpecReference, IsTheCommittedOne) { compare_with_committed("docs/spec-reference.md", spec_reference()); }

// A document as JSON, with the scalars of YAML's core schema.
nlohmann::json as_json(const Document& d, NodeId n) {
  switch (d.kind(n)) {
    case Document::Kind::null:
      return nullptr;
    case Document::Kind::sequence: {
      nlohmann::json out = nlohmann::json::array();
      for (NodeId i = d.first_child(n); i != kNoNode; i = d.next_sibling(i)) out.push_back(as_json(d, i));
      return out;
    }
    case Document::Kind::mapping: {
      nlohmann::json out = nlohmann::json::object();
      for (NodeId key = d.first_child(n); key != kNoNode; key = d.next_sibling(d.next_sibling(key)))
        out[std::string(d.scalar(key))] = as_json(d, d.next_sibling(key));
      return out;
    }
    case Document::Kind::scalar:
      break;
  }
  const std::string text(d.scalar(n));
  NumberProblem problem;
  if (d.quoted(n)) return text;
  if (const auto truth = parse_truth(text)) return *truth;
  if (const auto whole = parse_whole(text, problem)) return *whole;
  if (text.find_first_of("/%") == text.npos)
    if (const auto number = parse_ratio(text, problem)) return *number;
  return text;
}

struct Opinion {
  bool reader = false, schema = false;
  std::string told;
};

const nlohmann::json& schema_document() {
  static const nlohmann::json document = nlohmann::json::parse(spec_schema());
  return document;
}

Opinion opinion_of(const std::string& text) {
  Opinion out;
  Sources sources;
  Findings findings;
  const auto document = parse_yaml(sources, sources.add("spec.yaml", text), findings);
  if (!document) {
    ADD_FAILURE() << "not YAML: " << text;
    return out;
  }
  const auto spec = read_spec(*document, sources, findings);
  out.reader = spec && findings.count(Severity::error) == 0;
  for (const Finding& f : findings.all()) out.told += f.message + " [" + f.rule + "]\n";

  static const valijson::Schema* schema = [] {
    auto* made = new valijson::Schema;
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_document()), *made);
    return made;
  }();
  const nlohmann::json json = as_json(*document, document->root());
  valijson::ValidationResults results;
  out.schema = valijson::Validator().validate(*schema, valijson::adapters::NlohmannJsonAdapter(json), &results);
  for (valijson::ValidationResults::Error e; results.popError(e);) {
    for (const auto& part : e.context) out.told += part;
    out.told += ": " + e.description + "\n";
  }
  return out;
}

TEST(SpecSchema, TheValidatorTakesEveryExample) {
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CLUSTERC_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "broken.yaml")
      continue;  // broken on purpose: the README shows it
    const Opinion o = opinion_of(file_text(entry.path()));
    EXPECT_TRUE(o.reader && o.schema) << entry.path() << "\n" << o.told;
    ++seen;
  }
  EXPECT_GE(seen, 6);
}

std::string spec_with(std::string_view site, std::string_view node = "names: n1, model: generic-1u",
                      std::string_view more = "") {
  std::string out = "clusterc: 1\nname: x\nsite: { ";
  (((out += site) += " }\nnodes: { n: { ") += node) += " } }\n";
  return (out += more) += '\n';
}
constexpr std::string_view kSite = "region: iec, supply: { phases: 1, voltage: 230 V }";

TEST(SpecSchema, ReaderAndValidatorAgree) {
  const auto site = [](std::string_view more) { return spec_with(std::string(kSite) + more.data()); };
  const auto node = [](std::string_view more) {
    return spec_with(kSite, "names: n1, model: generic-1u" + std::string(more));
  };
  const auto root = [](std::string_view more) { return spec_with(kSite, "names: n1, model: generic-1u", more); };
  const std::string good[] = {
      site(""),
      site(", altitude: 120 m"),
      site(", altitude: unknown"),
      site(", altitude: { unknown: no map }"),
      site(", feeds: { A: { capacity: 1.6 MVA } }"),
      node(", roles: login"),
      node(", roles: [login, compute]"),
      node(", cpus: 2 x epyc-9654"),
      node(", cpus: { model: epyc-9654 }"),
      node(", per_rack: 4"),
      root("networks: { a: { kind: ethernet, oversubscription: 4/3, connects: everything } }"),
      root("networks: { a: { oversubscription: 3, connects: { n: 2 } } }"),
      root("software: { gpu_driver: 570, cuda: 13.0, secure_boot: true }"),
      root("teams: { t: { share: 60 % } }"),
      root("accept: { rule: r, at: a, reason: b, until: 2027-03-31 }"),
      root("networks: { a: { connects: { n: all }, bond: 0x2 } }"),
  };
  for (const auto& text : good) {
    const Opinion o = opinion_of(text);
    EXPECT_TRUE(o.reader) << text << o.told;
    EXPECT_TRUE(o.schema) << text << o.told;
  }
  const std::string broken[] = {
      site(", altitude: 120"),
      site(", altitude: 120 kW"),
      site(", altitude: high"),
      site(", altitude: [120 m]"),
      site(", altitud: 120 m"),
      site(", altitude:"),
      site(", feeds: { A: { capacity: 1.6 MW } }"),
      site(", feeds: [A]"),
      site(", cable_route: under"),
      spec_with("region: iec, supply: { phases: 4, voltage: 230 V }"),
      spec_with("region: iec, supply: { voltage: 230 V }"),
      node(", per_rack: 61"),
      node(", per_rack: 4.5"),
      node(", per_rack: \"4\""),
      node(", per_rack: [1]"),
      node(", roles: chef"),
      node(", at: n1"),
      root("software: { secure_boot: yes }"),
      root("software: { secure_boot: \"true\" }"),
      root("software: { iommu: sometimes }"),
      root("teams: { t: { share: 2 } }"),
      root("teams: { t: { share: most } }"),
      root("accept: { rule: r, at: a, reason: b, until: tomorrow }"),
      root("accept: { rule: r, at: a, until: 2027-03-31 }"),
      root("colour: red"),
      root("software: { identity: { kind: ldap, bind_password: hunter2 } }"),
      root("networks: { a: { kind: ethernet } }"),
      "clusterc: 1\nname: x\n",
      "clusterc: 2\nname: x\nsite: cloud\nnodes: {}\n",
      "clusterc: 1\nname: x\nsite: cloud\nnodes: []\n",
  };
  for (const auto& text : broken) {
    const Opinion o = opinion_of(text);
    EXPECT_FALSE(o.reader) << text;
    EXPECT_FALSE(o.schema) << text;
  }
}

// The spec as it is shown, without its comments: the same for two specs that say the same.
std::string shown(const std::string& text, const std::string& path) {
  Sources sources;
  Findings findings;
  const auto document = parse_yaml(sources, sources.add(path, text), findings);
  const auto spec = document ? read_spec(*document, sources, findings) : std::nullopt;
  for (const Finding& f : findings.all()) ADD_FAILURE() << path << ": " << f.message << "\n" << text;
  return spec ? show_yaml(*spec, {.origins = false}) : std::string();
}

TEST(ShowSpec, WhatIsShownReadsBackAsTheSameSpec) {
  for (const auto& entry : std::filesystem::directory_iterator(CLUSTERC_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml" || entry.path().filename() == "broken.yaml")
      continue;  // broken on purpose: the README shows it
    const std::string path = entry.path().filename(), text = file_text(entry.path());
    const std::string once = shown(text, path);
    EXPECT_EQ(shown(once, path), once);
    // With its comments it is the same spec too.
    Sources sources;
    Findings findings;
    const auto document = parse_yaml(sources, sources.add(path, text), findings);
    const auto spec = read_spec(*document, sources, findings);
    ASSERT_TRUE(spec);
    EXPECT_EQ(shown(show_yaml(*spec), path), once);
    std::string json;
    JsonWriter writer(json);
    show_json(*spec, writer);
    EXPECT_TRUE(writer.complete());
    EXPECT_EQ(nlohmann::json::parse(json)["clusterc"]["value"], 1);
  }
}

}  // namespace
}  // namespace clusterc
