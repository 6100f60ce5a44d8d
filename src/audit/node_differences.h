// What differs on nodes, gathered so that what is the same of several nodes becomes one finding.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "diag/finding.h"
#include "plan/plan.h"

namespace clusterc {

struct NodePlace {
  int group = -1;
  std::int64_t member = 0;
  auto operator<=>(const NodePlace&) const = default;
};

// Nodes, each in one of the four.
struct NodeCounts {
  std::int64_t as_planned = 0, in_part = 0, differing = 0, unread = 0;
  std::int64_t read() const { return as_planned + in_part + differing; }
};

// What is compared; findings and their helps follow from it.
enum class AuditSubject : std::uint8_t { nodes, scheduler, files };

// What belongs to no planned node: a file that cannot be read, a stranger.
Finding& report_unread(AuditSubject, SourceSpan, std::string message, Findings&);

class NodeDifferences {
 public:
  NodeDifferences(const Plan&, Findings&, AuditSubject);

  void met(NodePlace);  // it is compared
  // "'n03' VERB SEEN, planned PLANNED"; the verb of one node: has, lacks, runs, is.
  void differs(NodePlace, std::string_view fact, std::string_view verb, std::string seen, std::string planned);
  bool has_difference(NodePlace, std::string_view fact) const;
  // A value that the nodes of a group have in common; an empty one is not compared.
  void value(NodePlace, std::string_view fact, std::string_view what, std::string value);
  void fact_unread(NodePlace, std::string what);  // of a node that is compared: the spec has it
  void node_unread(NodePlace, std::string why);   // nothing of it is compared
  void node_unread(NodePlace, SourceSpan, std::string why);

  NodeCounts report();

 private:
  using Nodes = std::vector<NodePlace>;
  enum class Standing : std::uint8_t { as_planned, in_part, differing, unread };  // the worse, the later
  std::string these(const Nodes&) const;
  void name(Finding&, const Nodes&, Standing);
  void report_unequal();
  SourceSpan span_of(int group) const;

  const Plan& plan_;
  const Cluster& cluster_;
  Findings& findings_;
  AuditSubject subject_;
  std::map<NodePlace, Standing> standing_;
  std::set<std::pair<NodePlace, std::string_view>> different_;
  std::map<std::tuple<int, std::string_view, std::string_view, std::string, std::string>, Nodes> differences_;
  std::map<std::tuple<int, std::string_view, std::string_view>, std::map<std::string, Nodes>> values_;
  std::map<std::pair<int, std::string>, Nodes> facts_unread_;
  std::map<std::tuple<int, std::string>, Nodes> unread_;
  std::map<NodePlace, SourceSpan> places_;
};

}  // namespace clusterc
