// The section `software` of a spec, of the cluster and of each node group. For spec/read_spec.cc.
#pragma once
#include "spec/check_names.h"
#include "spec/software.h"

namespace clusterc {

class SoftwareChecks : private NameChecks {
 public:
  using NameChecks::NameChecks;
  void software(const Software& s);
  void secret(std::string_view key, const SecretRef& s);

 private:
  // What is compiled for a system depends on whose it is: a slip there would leave out its network configuration in
  // silence.
  void distribution(const Value<std::string>& os);
  // Names of files in the IANA database: parts of letters, digits, _ + -, parted by '/' (its theory.html, "Timezone
  // identifiers").
  void time_zone(const Value<std::string>& zone);
  // What sssd's ldap_uri takes: "ldaps://ldap1.example.org, ldaps://10.0.0.2:636/", or hosts alone.
  void directory(const Value<std::string>& servers);
  void mirror(const Mirror& m);
  void notebooks(const Notebooks& n);
  void power_saving(const PowerSaving& p);
  void qos_name(const Value<std::string>& v);
  // Read by shells, units and configuration files alike.
  void plain_path(std::string_view key, const Value<std::string>& path);
};

}  // namespace clusterc
