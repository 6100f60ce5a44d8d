// The names of a hosts file: whose they are, and that none stands for two machines.
//
// A machine has its plain name, and in each network an alias (gpu001-inband); where it has several addresses there,
// numbered ones besides (gpu001-compute-2). So a node called gpu001-inband, or a network a-b beside a network b, could
// name two machines. Two names can only meet where one machine's plain name is another's with "-…" behind it: those
// pairs are looked at, name by name, and no list of all names is made.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "system/system.h"

namespace clusterc {

class HostNames {
 public:
  explicit HostNames(const System&);
  // Every pair of machines that share a name, once for each pair of groups.
  void check(Findings&) const;
  // "node group 'gpu'", "a switch of network 'compute'"; empty: nobody has this name.
  std::string owner_of(std::string_view name) const;
  // localhost and its like, which every machine has at its loopback addresses.
  static bool is_reserved(std::string_view name);

 private:
  // Machines that have addresses in the same networks: a node group, a storage system, equipment of one kind.
  struct Kind {
    std::string text;  // for findings
    SourceSpan span;
    std::vector<std::string> suffixes;  // "" where it has a plain name, "-inband", "-compute", "-compute-1", …
  };
  int kind_of(std::string_view base) const;  // -1: no machine is called so
  using Tell = std::function<void(const std::string& name, int first, int second)>;
  void same_but_for_case(const Tell&) const;
  bool clash(std::string_view name, int kind, std::string& shared, int& other) const;

  const System& in_;
  std::vector<Kind> kinds_;                         // node groups first, in their order
  std::map<std::string, int, std::less<>> single_;  // storage systems and equipment
  struct Same {
    std::string name;
    int first, second;
  };
  std::vector<Same> same_;  // found while they were taken in
};

}  // namespace clusterc
