#include "audit/node_differences.h"

#include <algorithm>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/index.h"
#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostValues = 8;  // of one fact in a group; more are counted

std::string quoted(std::string_view text) { return "'" + printable(text) + "'"; }

Finding& report_difference(AuditSubject subject, SourceSpan at, std::string message, Findings& findings) {
  switch (subject) {
    case AuditSubject::nodes:
      return findings.error("audit-node-differs", at, std::move(message))
          .help("correct the node; if it is as it shall be, write it so in the spec");
    case AuditSubject::files:
      return findings.error("audit-file-differs", at, std::move(message))
          .help("write the compiled file to the node again; if it was changed by hand, write the change into the spec");
    case AuditSubject::scheduler:
      break;
  }
  return findings.error("audit-scheduler-differs", at, std::move(message))
      .help("correct the node or the scheduler's configuration; if it is as it shall be, write it so in the spec");
}

std::string_view verb_of_many(std::string_view verb) {
  return verb == "has" ? "have" : verb == "lacks" ? "lack" : verb == "runs" ? "run" : verb == "is" ? "are" : verb;
}

}  // namespace

Finding& report_unread(AuditSubject subject, SourceSpan at, std::string message, Findings& findings) {
  return subject == AuditSubject::nodes ? findings.warning("audit-node-unread", at, std::move(message))
                                        : findings.warning("audit-scheduler-unread", at, std::move(message));
}

NodeDifferences::NodeDifferences(const Plan& plan, Findings& findings, AuditSubject subject)
    : plan_(plan), cluster_(*plan.cluster), findings_(findings), subject_(subject) {}

void NodeDifferences::met(NodePlace node) { standing_.try_emplace(node, Standing::as_planned); }

void NodeDifferences::differs(NodePlace node, std::string_view fact, std::string_view verb, std::string seen,
                              std::string planned) {
  different_.insert({node, fact});
  differences_[{node.group, fact, verb, std::move(seen), std::move(planned)}].push_back(node);
}

bool NodeDifferences::has_difference(NodePlace node, std::string_view fact) const {
  return different_.contains({node, fact});
}

void NodeDifferences::value(NodePlace node, std::string_view fact, std::string_view what, std::string value) {
  if (!value.empty()) values_[{node.group, fact, what}][std::move(value)].push_back(node);
}

void NodeDifferences::fact_unread(NodePlace node, std::string what) {
  facts_unread_[{node.group, std::move(what)}].push_back(node);
}

void NodeDifferences::node_unread(NodePlace node, std::string why) {
  unread_[{node.group, std::move(why)}].push_back(node);
}

void NodeDifferences::node_unread(NodePlace node, SourceSpan at, std::string why) {
  places_[node] = at;
  node_unread(node, std::move(why));
}

NodeCounts NodeDifferences::report() {
  for (const auto& [key, nodes] : unread_) {
    const auto& [group, why] = key;
    const auto at = places_.find(nodes.front());
    Finding& f = report_unread(subject_, at == places_.end() ? span_of(group) : at->second,
                               format("{} {} not compared: {}", these(nodes), nodes.size() == 1 ? "was" : "were", why),
                               findings_);
    name(f, nodes, Standing::unread);
  }
  for (const auto& [key, nodes] : differences_) {
    const auto& [group, fact, verb, seen, planned] = key;
    Finding& f = report_difference(subject_, span_of(group),
                                   format("{} {} {}{}", these(nodes), nodes.size() == 1 ? verb : verb_of_many(verb),
                                          seen, planned.empty() ? "" : ", planned " + planned),
                                   findings_);
    name(f, nodes, Standing::differing);
  }
  report_unequal();
  for (const auto& [key, nodes] : facts_unread_) {
    Finding& f = report_unread(subject_, span_of(key.first),
                               format("{} of {}: not read, and not compared", key.second, these(nodes)), findings_);
    name(f, nodes, Standing::in_part);
  }
  NodeCounts out;
  for (const auto& [node, s] : standing_)
    ++(s == Standing::as_planned  ? out.as_planned
       : s == Standing::in_part   ? out.in_part
       : s == Standing::differing ? out.differing
                                  : out.unread);
  return out;
}

void NodeDifferences::report_unequal() {
  for (auto& [key, by_value] : values_) {
    const auto& [group, fact, what] = key;
    for (auto& [v, nodes] : by_value)  // what differs from the plan is told already
      std::erase_if(nodes, [&, fact = fact](NodePlace n) { return different_.contains({n, fact}); });
    std::erase_if(by_value, [](const auto& entry) { return entry.second.empty(); });
    if (by_value.size() < 2) continue;
    const auto common = std::ranges::max_element(by_value, {}, [](const auto& entry) { return entry.second.size(); });
    const std::size_t rest = common->second.size();
    constexpr std::string_view kHelp = "bring the nodes of a group to the same state, or describe them as two groups";
    if (by_value.size() > kMostValues) {
      Nodes others;
      for (const auto& [v, nodes] : by_value)
        if (v != common->first) others.insert(others.end(), nodes.begin(), nodes.end());
      std::ranges::sort(others);
      Finding& f =
          findings_.warning("audit-node-unequal", span_of(group),
                            format("{} of {} has {} values, of {} other {} of the group {}", what, these(others),
                                   by_value.size() - 1, rest, rest == 1 ? "node" : "nodes", quoted(common->first)));
      f.help(std::string(kHelp));
      name(f, others, Standing::differing);
      continue;
    }
    for (const auto& [v, nodes] : by_value) {
      if (v == common->first) continue;
      Finding& f = findings_.warning("audit-node-unequal", span_of(group),
                                     format("{} of {} is {}, of {} other {} of the group {}", what, these(nodes),
                                            quoted(v), rest, rest == 1 ? "node" : "nodes", quoted(common->first)));
      f.help(std::string(kHelp));
      name(f, nodes, Standing::differing);
    }
  }
}

// "'n03'", "3 nodes 'n[03-05]'"
std::string NodeDifferences::these(const Nodes& nodes) const {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const NodePlace& n : nodes) names.push_back(cluster_.nodes[at(n.group)].names.name(n.member));
  if (names.size() == 1) return quoted(names.front());
  return format("{} nodes '{}'", names.size(), fold_names(names));
}

SourceSpan NodeDifferences::span_of(int group) const { return cluster_.nodes[at(group)].span; }

void NodeDifferences::name(Finding& f, const Nodes& nodes, Standing standing) {
  for (const NodePlace& n : nodes) {
    f.object(plan_.node_object(cluster_.nodes[at(n.group)].first + n.member));
    Standing& s = standing_[n];
    s = std::max(s, standing);
  }
}

}  // namespace clusterc
