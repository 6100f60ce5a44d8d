// Which adapter of a host is which of its planned ports. Hosts of one kind number their adapters alike, so most of them
// tell what a port is called: one that was plugged into another network, or into none, changes nothing.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "audit/seen_units.h"

namespace clusterc {

// A planned group, and the ports that its hosts shall have.
using HostKind = std::pair<std::string, std::size_t>;

struct HostToNumber {
  const SeenHost* host = nullptr;
  HostKind kind;
  std::vector<std::int32_t> leaves;  // by planned port: the seen leaf that it shall be in; -1: not known
};

class PortNumbers {
 public:
  PortNumbers() = default;
  explicit PortNumbers(const std::vector<HostToNumber>&);
  // Which of the planned ports an end of the host is, from 0. -1: none that is known.
  std::int32_t rank(const HostKind&, const SeenHost&, std::size_t end) const;
  // Hosts with other numbers than most of their kind, which were taken in their order all the same: enough hosts, or as
  // many as otherwise, have them.
  const std::vector<std::string>& numbered_otherwise() const { return otherwise_; }

 private:
  using Ports =
      std::vector<std::pair<std::int64_t, std::int64_t>>;  // adapters and ports, in the order of planned ports
  struct Numbering {
    Ports usual;
    std::set<Ports> trusted;  // common enough beside it: hosts of another model
  };
  static Ports ports_of(const SeenHost&);
  void number_whole(const std::vector<const HostToNumber*>&, std::size_t count, Numbering&, bool& none);
  const Ports* whole_ports(const std::vector<const HostToNumber*>&, std::size_t count) const;
  static Ports ports_by_leaf(const std::vector<const HostToNumber*>&, std::size_t count);

  std::map<HostKind, Numbering> numbering_;
  std::vector<std::string> otherwise_;
};

}  // namespace clusterc
