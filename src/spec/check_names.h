// Names, addresses, paths and figures as a spec writes them: what no descriptor can say of one value. For
// spec/read_spec.cc and the checks beside it.
#pragma once
#include <string>
#include <string_view>

#include "base/format.h"
#include "diag/finding.h"
#include "fields/fields.h"

namespace clusterc {

bool is_letter_or_digit(char);  // of ASCII
// A name of DNS: labels of letters, digits and inner hyphens (RFC 1123, 2.1), at most 253 in all (RFC 1035, 2.3.4).
bool is_domain(std::string_view);
bool is_address(const std::string&);  // IPv4 or IPv6
// Digits and points: an address, or none; no top-level domain is a number (RFC 3696, 2).
bool is_numbers(std::string_view);

class NameChecks {
 public:
  NameChecks(const Sources& sources, Findings& findings) : sources_(sources), findings_(findings) {}

  void cluster_name(const Value<std::string>& name);
  void group_name(std::string_view what, const std::string& name, SourceSpan at);
  void pattern(const Value<std::string>& names);
  // What becomes of a name in hosts, DNS and Slurm: digits alone are read as an address by many a program ("12" is
  // 0.0.0.12 to inet_aton).
  void host_names(const Value<std::string>& names);
  // Beside or below the spec: nothing outside its folder decides what comes of it.
  void relative_path(std::string_view key, const Value<std::string>& path);
  void mount_point(const Value<std::string>& mount);
  // Words stand in files of many kinds: what any of them could take for a sign of its own is in none.
  void word(std::string_view key, const Value<std::string>& v);
  void prefix(std::string_view key, const Value<std::string>& v);
  // "api.example.org", "10.0.0.9:6443"
  void endpoint(const Value<std::string>& v);
  // What a thing is called, or how many there are of it, is never unknown.
  void known(std::string_view key, const Value<std::string>& v) {
    if (v.unknown) findings_.error("spec-missing-key", v.span, format("'{}' cannot be unknown", key));
  }
  // Nothing of the kind is zero or less, and no figure of a room is beyond what a power station gives.
  template <class Q>
  void positive(std::string_view key, const Value<Q>& v) {
    if (v && !(v->value > 0 && v->value < 1e18))
      findings_.error("spec-out-of-range", v.span,
                      format("'{}' is {}, but must be more than 0{}", key, to_text(*v),
                             v->value > 0 ? " and less than 1e18 in its base unit" : ""));
  }
  template <class T>
  void group_names(std::string_view what, const NamedMap<T>& map) {
    for (const auto& entry : map) group_name(what, entry.name, entry.name_span);
  }

 protected:
  const Sources& sources_;
  Findings& findings_;
};

}  // namespace clusterc
