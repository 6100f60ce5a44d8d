// Which parts of the catalogue join a set of cages that hang together, the cheapest first. For plan/fabric/cabling*.cc.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/fabric/cabling.h"

namespace clusterc {

bool same_rate(double a, double b);  // but for rounding

inline constexpr unsigned kAnyMedium = ~0U;  // a bit for each Medium

// Asked again for every set of one kind, so answers are kept.
class CablePicker {
 public:
  struct Need {
    bool pair = false, star = false;
    int head = -1;            // group with the head of a star; of a pair, the one with the larger cage
    std::vector<int> groups;  // all of them, sorted
    double rate = 0;
    unsigned media = kAnyMedium;
    LinkKind kind = LinkKind::ethernet;
    auto key() const { return std::tie(pair, star, head, groups, rate, media, kind); }
    bool operator<(const Need& o) const { return key() < o.key(); }
  };

  CablePicker(const std::vector<CableModel>& parts, const std::vector<CageGroup>& groups)
      : parts_(parts), groups_(groups) {}

  const CablePart* part(int i) const { return parts_[static_cast<std::size_t>(i)].part; }
  static constexpr double kMixed = -1;  // a rate: the links run at several, which no part does
  const std::vector<CableChoice>& options(const Need& n);
  // Of options that are none, or none long enough.
  std::string why_not(const Need& n, const std::vector<CableChoice>& options, double length) const;

 private:
  // A module for cages of a group: how its ports stand to the links. `split`: links of one port; `joined`: ports of one
  // link.
  struct Fit {
    std::int64_t split = 0, joined = 0;
  };
  static Fit fit(const CablePart& m, const CageGroup& g, double rate);
  static bool carries(const CablePart& p, const Need& n);
  void cables(const Need& n, std::vector<CableChoice>& out) const;
  void modules(const Need& n, std::vector<CableChoice>& out) const;
  // The module for the cages of a group whose optic is this and that reaches as far; -1: none.
  int module_for(const Need& n, const CageGroup& group, const std::string& optic, double reach, Fit& how) const;
  // Modules of one optic in all cages, and the fibres between them; false: they do not fit.
  bool with_modules(const Need& n, const std::string& optic, double reach, CableChoice& c) const;
  // All that is asked of a group of cages is their connector and the links of each, so groups of one kind take the same
  // parts.
  Need by_kind(const Need& n);

  const std::vector<CableModel>& parts_;
  const std::vector<CageGroup>& groups_;
  std::map<Need, std::vector<CableChoice>> known_;
  std::map<Need, const std::pair<const Need, std::vector<CableChoice>>*> of_kinds_;  // needs with kinds for groups
  std::map<std::pair<std::string_view, std::int64_t>, int> kinds_;
};

}  // namespace clusterc
