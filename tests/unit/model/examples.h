// Specs from text or from examples/, read and resolved with the built-in catalogue.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "model/cluster.h"
#include "spec/sections.h"
#include "yaml/document.h"

namespace clusterc {

struct Resolved {
  Sources sources;
  Findings findings;
  Catalog catalog{sources, findings};
  std::unique_ptr<Cluster> cluster;

  void text(std::string yaml) {
    const FileId file = sources.add("cluster.yaml", std::move(yaml));
    const auto document = parse_yaml(sources, file, findings);
    ASSERT_TRUE(document);
    auto spec = read_spec(*document, sources, findings);
    ASSERT_TRUE(spec) << told();
    cluster = resolve_cluster(std::move(*spec), catalog, findings);
  }
  void example(const std::string& name) {
    std::ifstream in(std::string(CLUSTERC_SOURCE_DIR) + "/examples/" + name + ".yaml", std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    text(all.str());
  }
  // "12: no feed is named 'C' [spec-unknown-name]"
  std::string told() {
    findings.sort(sources);
    std::string out;
    for (const Finding& f : findings.all()) {
      out += std::to_string(f.span.valid() ? sources.position(f.span.file, f.span.begin).line : 0) + ": " + f.message +
             " [" + f.rule + "]";
      for (const Remark& h : f.helps) out += " help: " + h.message;
      out += "\n";
    }
    return out;
  }
  const NodeGroupModel& group(std::string_view name) const {
    return cluster->nodes.at(static_cast<std::size_t>(cluster->find_node_group(name)));
  }
  const NetworkModel& network(std::string_view name) const {
    return cluster->networks.at(static_cast<std::size_t>(cluster->find_network(name)));
  }
};

}  // namespace clusterc
