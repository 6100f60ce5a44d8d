// The steps of render_configuration_steps, written one after the other. runbook_machines.cc has those before the plays:
// compiling, the mirror, the first node and the others; runbook_steps.cc the plays and what follows.
#pragma once
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/index.h"
#include "report/markdown.h"
#include "system/mirror.h"
#include "system/node_settings.h"
#include "system/slurm.h"
#include "system/system.h"

namespace clusterc {

class ConfigurationSteps {
 public:
  ConfigurationSteps(const System& in, int& section);
  std::string text();

 private:
  static std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
    return std::to_string(n) + " " + std::string(n == 1 ? one : many);
  }
  const NodeSettings& set(int group) const { return settings_[at(group)]; }
  bool runs(int group, std::string_view role) const {
    return std::find(set(group).roles.begin(), set(group).roles.end(), role) != set(group).roles.end();
  }
  bool anywhere(std::string_view role) const {
    for (std::size_t g = 0; g < c_.nodes.size(); ++g)
      if (runs(static_cast<int>(g), role)) return true;
    return false;
  }
  static std::string quoted(std::string_view name) { return markdown_text(name); }
  static std::string code(std::string_view text) { return markdown_code(text); }
  std::string first_of(int group) const { return c_.nodes[at(group)].names.name(0); }
  // A section begins with its first box: what has none does not stand there.
  void section(std::string_view title) { title_ = title; }
  void box(std::string_view text) {
    if (!title_.empty()) out_ += format("\n## {}. {}\n\n", ++section_, title_), title_ = {};
    out_ += format("- [ ] {}\n", text);
  }
  // A file of the compiled tree: its output is used by this step.
  std::string file(std::string_view output, std::string_view name);
  std::string folders(const std::vector<std::string_view>& outputs);
  // Outputs that these roles copy from the tree, and no step before.
  std::vector<std::string_view> copied(const std::vector<std::string_view>& roles) const;
  std::string play(std::string_view options);
  std::string by_hand(const std::vector<std::string_view>& copies) {
    return folders(copies) + (copies.size() == 1 ? " is" : " are");
  }
  // Of the groups that `which` takes: "gpu, fm".
  template <class Which>
  std::vector<std::string> groups(const Which& which) const {
    std::vector<std::string> all;
    for (std::size_t g = 0; g < c_.nodes.size(); ++g)
      if (c_.nodes[g].count > 0 && which(static_cast<int>(g))) all.push_back(quoted(c_.nodes[g].name));
    return all;
  }

  // Secrets that are read where the plays run; `on`: those that lie on a group's machines.
  struct Secret {
    const SecretRef* ref;
    std::string what;
    int group;
  };

  std::string ports_of(int group, int network) const;
  std::string port_names() const;
  void inventory();
  std::vector<Secret> secrets() const;
  void compiling();
  void switches();
  bool mirror_is_first() const;
  void mirror();
  // What the play of the mirror finds there, or says is missing.
  void mirror_files();
  std::string os_of(int group) const;
  std::string up(const NodeGroupModel& g) const;
  void first_node();
  // What no spec has, and installers ask for.
  void media(const std::string& node);
  void nodes();
  void group(int g, bool listed);
  bool is_debian(int group) const { return set(group).distribution == "Debian" || set(group).distribution == "Ubuntu"; }

  void plays();
  // What docs/ansible.md leaves to others, and roles build on.
  void yours();
  std::string slurm_package() const;
  // A port of InfiniBand carries nothing before a subnet manager has given it its address.
  void links();
  // Switches of an InfiniBand fabric that can run its subnet manager: "the switch spine-ib-01".
  std::string managers(int network) const;
  // How one sees that each cable is plugged where the plan has it.
  void proof_of_cabling();
  void services();
  // Some look at the cluster alone to say whether they are wanted, and at the plan to say for whom.
  bool writes(const OutputKind& output) const;
  void rest();

  const System& in_;
  const Cluster& c_;
  const Plan& p_;
  int& section_;
  const int provisioner_;
  const std::vector<NodeSettings>& settings_;  // of each group
  std::optional<SlurmFacts> slurm_;
  std::optional<MirrorServer> mirror_;
  bool serves_ = false;                      // the first that provisions gives out addresses, or installs
  std::set<std::string, std::less<>> used_;  // outputs that a step has named
  std::string title_, out_;
};

}  // namespace clusterc
