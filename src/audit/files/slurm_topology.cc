#include "audit/files/slurm_topology.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "yaml/document.h"

namespace clusterc {
namespace {

// topology.yaml(5): a list of topologies, each a tree of switches, a list of blocks, or flat.
class Reader {
 public:
  Reader(const Document& d, Findings& findings) : d_(d), findings_(findings) {}

  SlurmText read() {
    if (!d_.is_sequence(d_.root())) {
      unread(d_.root(), "the file is no list of topologies: slurmctld does not start");
      return std::move(out_);
    }
    for (std::size_t i = 0; i < d_.size(d_.root()); ++i) {
      const NodeId one = d_.item(d_.root(), i);
      if (!known(one, {"topology", "cluster_default", "tree", "block", "flat", "ring"})) continue;
      if (const NodeId tree = d_.find(one, "tree"); tree != kNoNode && known(tree, {"switches"}))
        each(d_.find(tree, "switches"), {"switch", "children", "nodes"},
             {{"switch", "switchname"}, {"nodes", "nodes"}, {"children", "switches"}});
      if (const NodeId name = d_.find(one, "topology"); name != kNoNode && d_.is_scalar(name))
        names_.emplace_back(d_.scalar(name));
      const bool switches_whole = out_.whole;  // no block defines a switch
      if (const NodeId block = d_.find(one, "block"); block != kNoNode && known(block, {"block_sizes", "blocks"}))
        each(d_.find(block, "blocks"), {"block", "nodes"}, {{"block", "blockname"}, {"nodes", "nodes"}});
      out_.whole = switches_whole;
    }
    return std::move(out_);
  }

  std::vector<std::string> take_names() { return std::move(names_); }

 private:
  using Keys = std::initializer_list<std::string_view>;
  using Pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  Finding& unread(NodeId at, const std::string& message) {
    out_.whole = false;
    return findings_.error("file-slurm-unread", d_.span(at), message).note({}, "topology.yaml(5)");
  }
  // Slurm refuses some keys that it does not know, and passes over others without a word.
  bool known(NodeId mapping, Keys keys) {
    if (!d_.is_mapping(mapping)) {
      unread(mapping, "this is no mapping: slurmctld cannot read it");
      return false;
    }
    for (std::size_t i = 0; i < d_.size(mapping); ++i) {
      const NodeId key = d_.key(mapping, i);
      if (std::ranges::find(keys, d_.scalar(key)) != keys.end()) continue;
      unread(key, format("Slurm has no key '{}' in this place: it refuses the file, or ignores the key",
                         one_line(d_.scalar(key).substr(0, 40))))
          .help("write one of these keys: " + join(keys, ", "));
    }
    return true;
  }
  void each(NodeId list, Keys keys, Pairs pairs) {
    if (list == kNoNode || !d_.is_sequence(list)) return;
    for (std::size_t i = 0; i < d_.size(list); ++i) {
      const NodeId one = d_.item(list, i);
      if (!known(one, keys)) continue;
      SlurmRecord record;
      record.span = d_.span(one);
      for (const auto& [from, to] : pairs)
        if (const NodeId value = d_.find(one, from); value != kNoNode && d_.is_scalar(value))
          record.settings.emplace_back(std::string(to), SlurmSetting{std::string(d_.scalar(value)), d_.span(value)});
      if (!record.settings.empty()) out_.records.push_back(std::move(record));
    }
  }

  const Document& d_;
  Findings& findings_;
  SlurmText out_;
  std::vector<std::string> names_;
};

}  // namespace

std::optional<SlurmTopologyFile> read_slurm_topology(const Sources& sources, const ReadBeside& read,
                                                     Findings& findings) {
  if (!read) return std::nullopt;
  if (const auto file = read("topology.yaml")) {
    Findings of_yaml;
    const auto document = parse_yaml(sources, *file, of_yaml);
    if (document) {
      Reader reader(*document, findings);
      SlurmCluster cluster = slurm_cluster(reader.read());
      return SlurmTopologyFile{"topology.yaml", reader.take_names(), std::move(cluster)};
    }
    const SourceSpan at = of_yaml.empty() ? SourceSpan{*file, 0, 0} : of_yaml.all().front().span;
    findings.error("file-slurm-unread", at, "this is no YAML: slurmctld does not start")
        .note({}, of_yaml.empty() ? std::string("topology.yaml(5)") : of_yaml.all().front().message);
    SlurmText none;
    none.whole = false;
    return SlurmTopologyFile{"topology.yaml", {}, slurm_cluster(std::move(none))};
  }
  if (const auto file = read("topology.conf"))
    return SlurmTopologyFile{"topology.conf", {}, slurm_cluster(read_slurm_text(sources, *file, read, findings))};
  return std::nullopt;
}

}  // namespace clusterc
