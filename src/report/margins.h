// How much of each limit the plan uses: breakers, lines, zones, floors, budgets, rack units and subnets. Loads are
// those after the loss of the feed that is worst for them.
#pragma once
#include <string>
#include <vector>

#include "base/quantity.h"

namespace clusterc {

struct Cluster;
struct Plan;

struct Margin {
  std::string object, what;    // "pdu/r07/b", "line 2 if feed 'A' fails"
  double load = 0, limit = 0;  // in the base unit of `dimension`
  Dimension dimension = Dimension::power;
  std::string unit;  // in place of the dimension's: "addresses"

  double share() const { return load / limit; }
  std::string load_text() const { return text(load); }
  std::string limit_text() const { return text(limit); }

 private:
  std::string text(double value) const;
};

// Every limit that is stated, the tightest first.
std::vector<Margin> margins_of(const Cluster&, const Plan&);

// The tightest limit of each kind, as a table; empty where no limit is stated.
std::string render_margins_text(const Cluster&, const Plan&);

}  // namespace clusterc
