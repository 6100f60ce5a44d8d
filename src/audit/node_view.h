// One node as the comparisons of `audit --nodes` see it, and the words of their findings.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "audit/node_audit.h"

namespace clusterc {

struct NodeView {
  const Cluster& cluster;
  const GroupSettings& settings;
  const NodeGroupModel& group;
  NodePlace node;
  const NodeRecord& seen;
  NodeDifferences& to;

  const ServerModel& planned() const { return group.server; }
  const Software& wanted() const { return *group.software; }
  void differs(std::string_view fact, std::string_view verb, std::string what, std::string plan = {}) const {
    to.differs(node, fact, verb, std::move(what), std::move(plan));
  }
  void unread(std::string what) const { to.fact_unread(node, std::move(what)); }
  void common(std::string_view fact, std::string_view what, std::string value) const {
    to.value(node, fact, what, std::move(value));
  }
  bool has_argument(std::string_view) const;  // on the kernel's command line
};

// The whole of a group, made once.
struct GroupView {
  struct Adapters {  // of one set of PCI ids: several sets of the spec may have the same
    std::set<std::string> ids, models;
    std::int64_t adapters = 0, generation = 0, lanes = 0;
    std::vector<double> rates;  // of the ports that networks connect, the fastest first
  };
  std::vector<Adapters> adapters;
  double usual_memory = 0;  // bytes
};
std::vector<GroupView::Adapters> planned_adapters(const Cluster&, const NodeGroupModel&);

void compare_hardware(const NodeView&, const GroupView&);
void compare_software(const NodeView&);

// Whether two amounts differ by no more than this share of the second.
bool about(double seen, double planned, double share);
std::string gib(double bytes);
std::string quoted(std::string_view);
// A release that is written with fewer numbers means all that begin so: 570 is 570.86.15, 6.8 is 6.8.0-45-generic.
bool is_release(std::string_view wanted, std::string_view seen);
// "2 x 960 GB, 8 x 3.84 TB"
std::string counted(const std::map<std::string, std::int64_t>&);
// "a, b"; empty where nothing has a name
std::string listed(const std::set<std::string>&);
std::vector<std::string_view> words_of(std::string_view);

}  // namespace clusterc
