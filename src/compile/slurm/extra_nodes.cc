// Nodes that extra lines of slurm.conf name and that stand nowhere in it.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/slurm/slurm.h"
#include "diag/near.h"
#include "model/slurm_lines.h"

namespace clusterc {
namespace {

constexpr std::int64_t kMostNames = 1 << 20;       // of one line: more is no host list that anybody wrote

std::optional<HostPattern> hosts(std::string_view list) {
  HostPattern::Error error;
  auto out = HostPattern::parse(list, error);
  return out && out->count() <= kMostNames ? out : std::nullopt;
}

}  // namespace

void check_extra_nodes(const CompileInput& in, const SlurmFacts& facts, Findings& findings) {
  const std::vector<SlurmLine> lines = extra_slurm_lines(in.cluster, "slurm.conf");
  // What an included file defines nobody here knows.
  if (const auto* wish = in.cluster.spec.outputs.find("slurm"))
    if (const auto* extra = wish->value.extra.find("slurm.conf"))
      for (const auto& line : extra->value)
        if (line && to_lower(trim(*line)).starts_with("include ")) return;
  std::vector<HostPattern> own;                    // of extra NodeName lines
  std::vector<std::string_view> sets;
  for (const SlurmLine& line : lines) {
    const std::string *node = line.value("nodename"), *set = line.value("nodeset");
    if (!line.rest.empty()) continue;                // slurm.conf's own writer says so
    if (node && to_lower(*node) != "default") {    // slurmctld 22.05 takes a list that does not end for a node of that name
      HostPattern::Error why;
      if (auto pattern = hosts(*node)) {
        std::string twice;
        for (std::int64_t i = 0; i < pattern->count() && twice.empty(); ++i)
          if (std::any_of(own.begin(), own.end(), [&, name = pattern->name(i)](const HostPattern& p) { return p.index_of(name) >= 0; })) twice = pattern->name(i);
        if (!twice.empty()) findings.error("output-extra-malformed", line.span, format("node '{}' stands twice in the extra lines of slurm.conf: slurmctld does not start", one_line(twice))).help("keep one of them");
        own.push_back(std::move(*pattern));
      }
      else if (!HostPattern::parse(*node, why)) findings.error("output-extra-malformed", line.span, format("'{}' is no list of nodes: {}", one_line(node->substr(0, 60)), why.message)).help("write it as Slurm does: n[1-4,7]");
    }
    if (set) sets.emplace_back(*set);
  }
  const auto known = [&](std::string_view name) {
    return std::any_of(facts.nodes.begin(), facts.nodes.end(), [&](const SlurmNodes& n) { return in.cluster.nodes[static_cast<std::size_t>(n.group)].names.index_of(name) >= 0; }) ||
           std::any_of(own.begin(), own.end(), [&](const HostPattern& p) { return p.index_of(name) >= 0; });
  };
  for (const SlurmLine& line : lines) {
    const std::string *partition = line.value("partitionname"), *set = line.value("nodeset"), *down = line.value("downnodes"), *list = down ? down : partition || set ? line.value("nodes") : nullptr;
    if (!line.rest.empty() || !list || list->empty() || to_lower(*list) == "all") continue;
    HostPattern::Error why;
    if (const auto read = HostPattern::parse(*list, why); !read || read->count() > kMostNames) {   // slurmctld 22.05: "Invalid node names in partition"
      findings.error("output-extra-malformed", line.span, format("'{}' is no list of nodes: {}", one_line(list->substr(0, 60)), read ? format("it has {} names", read->count()) : why.message)).help("write it as Slurm does: n[1-4,7]");
      continue;
    }
    const auto pattern = hosts(*list);
    std::string unknown;
    std::int64_t more = 0;
    for (std::int64_t i = 0; pattern && i < pattern->count(); ++i) {
      std::string name = pattern->name(i);
      if (known(name) || (partition && std::find(sets.begin(), sets.end(), name) != sets.end())) continue;
      if (unknown.empty()) unknown = std::move(name); else ++more;
    }
    if (unknown.empty()) continue;
    // As slurmctld 22.05 does: "Invalid node names in partition" ends it, of a node set once a partition has it; a DownNodes line it passes over, and DEFAULT is no partition.
    const bool ends = !down && !(partition && to_lower(*partition) == "default");
    const std::string what = down ? "DownNodes" : partition ? "partition '" + one_line(*partition) + "'" : "node set '" + one_line(*set) + "'";
    Finding& f = findings.add(ends ? Severity::error : Severity::warning, "slurm-extra-node-unknown", line.span,
                              format("{} of an extra line has '{}'{}, which slurm.conf does not define: {}", what, one_line(unknown), more > 0 ? format(" and {} more", more) : "",
                                     !ends ? "slurmctld passes over it" : partition ? "slurmctld does not start" : "slurmctld does not start where a partition has it"));
    std::vector<std::string> names;
    for (const SlurmNodes& n : facts.nodes) {
      const HostPattern& group = in.cluster.nodes[static_cast<std::size_t>(n.group)].names;
      for (std::int64_t i = 0; i < group.count(); ++i) names.push_back(group.name(i));
    }
    if (!offer_names(f, unknown, {names.begin(), names.end()}))
      f.help("nodes of slurm.conf are those of the groups that run slurmd, and what NodeName of an extra line defines; a partition may have NodeSet of an extra line, and ALL");
  }
}

}  // namespace clusterc
