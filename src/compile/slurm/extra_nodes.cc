// Nodes that extra lines of slurm.conf name and that stand nowhere in it.
#include <algorithm>
#include <unordered_set>

#include "base/format.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/slurm/slurm.h"
#include "diag/near.h"
#include "model/slurm_lines.h"
#include "spec/output.h"
#include "spec/software.h"

namespace clusterc {
namespace {

constexpr std::int64_t kMostNames = 1 << 20;  // of all lines together: more are no lists that anybody wrote
constexpr int kMostOffers = 20;               // of names that were meant: each looks at all nodes

// Reads the lists of extra lines, as many names as anybody wrote; says what is no list.
class Lists {
 public:
  explicit Lists(Findings& findings) : findings_(findings) {}
  std::optional<HostPattern> read(const std::string& list, const SourceSpan& at) {
    HostPattern::Error why;
    auto out = HostPattern::parse(list, why);
    const bool many = out && out->count() > kMostNames - names_, long_range = !slurm_reads_ranges(list);
    if (out && !many && !long_range) {
      names_ += out->count();
      return out;
    }
    findings_
        .error("output-extra-malformed", at,
               out && long_range ? format("'{}' has a range of more than {} names: slurmctld does not start",
                                          one_line(list.substr(0, 60)), kLongestSlurmRange)
               : many            ? format("with '{}', the extra lines of slurm.conf name more than {} nodes",
                                          one_line(list.substr(0, 60)), kMostNames)
                                 : format("'{}' is not a list of nodes: {}", one_line(list.substr(0, 60)), why.message))
        .help("write it as Slurm does: n[1-4,7]");
    return std::nullopt;
  }

 private:
  Findings& findings_;
  std::int64_t names_ = 0;
};

// Of addresses, host names and ports there are as many as nodes, or one (slurmctld 22.05: "NodeAddr count must equal
// that of NodeName records").
void check_addresses(const SlurmLine& line, std::int64_t nodes, Findings& findings) {
  for (const std::string_view key : {"nodeaddr", "nodehostname", "port"}) {
    const std::string* value = line.value(key);
    HostPattern::Error why;
    const auto list = value ? HostPattern::parse(key == "port" ? "p" + *value : *value, why) : std::nullopt;
    if (list && list->count() != 1 && list->count() != nodes)
      findings
          .error("output-extra-malformed", line.span,
                 format("'{}' has {} values of '{}', but the line names {} nodes: slurmctld does not start",
                        one_line(value->substr(0, 60)), list->count(), key, nodes))
          .help("write one value for each node, or a single one");
  }
}

}  // namespace

void check_extra_nodes(const CompileInput& in, const SlurmFacts& facts, Findings& findings) {
  const std::vector<SlurmLine> lines = extra_slurm_lines(in.cluster, "slurm.conf");
  // What an included file defines nobody here knows.
  if (const auto* wish = in.cluster.spec.outputs.find("slurm"))
    if (const auto* extra = wish->value.extra.find("slurm.conf"))
      for (const auto& line : extra->value)
        if (line && to_lower(trim(*line)).starts_with("include ")) return;
  Lists lists(findings);
  std::unordered_set<std::string> own;  // of extra NodeName lines
  std::vector<std::string> names;       // of slurm.conf's, once somebody asks
  std::unordered_set<std::string_view> compiled, sets;
  for (const SlurmLine& line : lines) {
    const std::string *node = line.value("nodename"), *set = line.value("nodeset");
    if (!line.rest.empty()) continue;  // slurm.conf's own writer says so
    if (node &&
        to_lower(*node) != "default") {  // slurmctld 22.05 takes a list that does not end for a node of that name
      const auto pattern = lists.read(*node, line.span);
      if (pattern) check_addresses(line, pattern->count(), findings);
      std::string twice;
      for (std::int64_t i = 0; pattern && i < pattern->count(); ++i)
        if (std::string name = pattern->name(i); !own.insert(name).second && twice.empty()) twice = std::move(name);
      if (!twice.empty())
        findings
            .error("output-extra-malformed", line.span,
                   format("the extra lines of slurm.conf define node '{}' twice: slurmctld does not start",
                          one_line(twice)))
            .help("keep one of them");
    }
    if (set) sets.insert(*set);
  }
  const auto known = [&](const std::string& name) {
    if (names.empty()) {
      for (const SlurmNodes& n : facts.nodes) {
        const HostPattern& group = in.cluster.nodes[static_cast<std::size_t>(n.group)].names;
        for (std::int64_t i = 0; i < group.count(); ++i) names.push_back(group.name(i));
      }
      compiled.insert(names.begin(), names.end());
    }
    return compiled.contains(name) || own.contains(name);
  };
  int offers = 0;
  for (const SlurmLine& line : lines) {
    const std::string *partition = line.value("partitionname"), *set = line.value("nodeset"),
                      *down = line.value("downnodes"),
                      *list = down               ? down
                              : partition || set ? line.value("nodes")
                                                 : nullptr;
    if (!line.rest.empty() || !list || list->empty() || to_lower(*list) == "all") continue;
    const auto pattern = lists.read(*list, line.span);  // slurmctld 22.05: "Invalid node names in partition"
    std::string unknown;
    std::int64_t more = 0;
    for (std::int64_t i = 0; pattern && i < pattern->count(); ++i) {
      std::string name = pattern->name(i);
      if (known(name) || (partition && sets.contains(name))) continue;
      if (unknown.empty())
        unknown = std::move(name);
      else
        ++more;
    }
    if (unknown.empty()) continue;
    // As slurmctld 22.05 does: "Invalid node names in partition" ends it, of a node set once a partition has it; a
    // DownNodes line it passes over, and DEFAULT is no partition.
    const bool ends = !down && !(partition && to_lower(*partition) == "default");
    const std::string what = down        ? "DownNodes"
                             : partition ? "partition '" + one_line(*partition) + "'"
                                         : "node set '" + one_line(*set) + "'";
    Finding& f = findings.add(ends ? Severity::error : Severity::warning, "slurm-extra-node-unknown", line.span,
                              format("{} of an extra line has '{}'{}, which slurm.conf does not define: {}", what,
                                     one_line(unknown), more > 0 ? format(" and {} more", more) : "",
                                     !ends       ? "slurmctld ignores it"
                                     : partition ? "slurmctld does not start"
                                                 : "slurmctld does not start if a partition uses it"));
    if (++offers > kMostOffers || !offer_names(f, unknown, {names.begin(), names.end()}))
      f.help(
          "use nodes of groups that run slurmd, or nodes that an extra line defines by NodeName; a partition can also "
          "use a NodeSet of an extra line, or ALL");
  }
}

}  // namespace clusterc
