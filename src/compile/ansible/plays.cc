// Which roles run on which groups, in order: site.yml and its preview, and update.yml.
#include "compile/ansible/plays.h"

#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "system/gateways.h"
#include "system/install.h"
#include "system/mirror.h"
#include "write/writers.h"

namespace clusterc {

bool runs_role(const NodeSettings& s, std::string_view role) {
  return std::find(s.roles.begin(), s.roles.end(), role) != s.roles.end();
}

std::vector<std::string> updated_roles(const NodeSettings& s) {
  std::vector<std::string> out;
  if (!s.slurmd) return out;
  for (const std::string_view role : {"nvidia_driver", "nvidia_fabric_manager", "nvidia_imex", "cuda", "rocm"})
    if (runs_role(s, role)) out.emplace_back(role);
  if (!out.empty() && runs_role(s, "repositories")) out.insert(out.begin(), "repositories");
  return out;
}

namespace {

struct Play {
  std::vector<std::string> hosts, roles;
};
constexpr std::string_view kPair = "nfs_failover";

bool is_network(std::string_view role) { return role == "netplan" || role == "networkd" || role == "networkmanager"; }
bool is_alone(std::string_view role) { return role == kPair || is_network(role); }  // a play of its own

// Roles that follow each other on the same machines are one play.
std::vector<Play> plays_of(const CompileInput& in, const std::vector<std::string>& names,
                           const std::vector<NodeSettings>& all) {
  std::vector<Play> plays;
  const auto busy = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const NodeSettings& s) { return !s.roles.empty(); }));
  // Others may have their packages over a gateway: it forwards before they ask, and who has packages knows the way
  // back.
  const auto gateways_first = [&] {
    const auto mirror = mirror_server(in.system);
    for (const std::string_view role :
         {"repositories", "nftables", "kernel", "netplan", "networkd", "networkmanager"}) {
      std::vector<std::string> hosts;
      bool forwarding = false;
      for (std::size_t g = 0; g < all.size(); ++g) {
        const bool gateway = forwards(in.system, static_cast<int>(g)),
                   serves = role.starts_with("net") && mirror && mirror->group == static_cast<int>(g);
        if (runs_role(all[g], role) && (gateway || serves)) hosts.push_back(names[g]), forwarding |= gateway;
      }
      if (!forwarding) continue;
      if (plays.empty() || plays.back().hosts != hosts || is_alone(role) || is_alone(plays.back().roles.back()))
        plays.push_back({hosts, {}});
      plays.back().roles.emplace_back(role);
    }
  };
  for (const std::string_view role : setup_roles()) {
    std::vector<std::string> hosts;
    for (std::size_t g = 0; g < all.size(); ++g)
      if (runs_role(all[g], role)) hosts.push_back(names[g]);
    if (role == "repositories") gateways_first();  // behind the mirror, before who reads it through them
    if (hosts.empty()) continue;
    if (hosts.size() == busy) hosts = {"all"};
    const bool alone = is_alone(role) || (!plays.empty() && is_alone(plays.back().roles.back()));
    if (plays.empty() || plays.back().hosts != hosts || alone) plays.push_back({std::move(hosts), {}});
    plays.back().roles.emplace_back(role);
  }
  return plays;
}

// A handler is told once, by the file that changed: where a later task fails, the next run would find the file as it
// should be, and the daemon would go on with the old one.
void play_handlers_always(YamlWriter& y) { y.field("force_handlers", true); }

// What a role replaces on a machine that stands stays beside it, as FILE.PID.TIME~: no daemon reads such a name.
void module_defaults(YamlWriter& y) {
  y.map("module_defaults");
  for (const std::string_view module : {"copy", "template", "lineinfile", "replace"})
    y.map("ansible.builtin." + std::string(module)).field("backup", true).end_map();
  // Images of clouds have no lists of packages: the first package that is installed reads them (the role base).
  y.map("ansible.builtin.apt")
      .field("cache_valid_time", "{{ (base_lists.matched | default(1) == 0) | ternary(3600, 0) }}")
      .end_map();
  y.end_map();
}

void write_plays(const std::vector<Play>& plays, YamlWriter& y) {
  for (const Play& p : plays) {
    std::string name =
        "On " + (p.hosts.front() == "all" ? "every machine" : join(p.hosts, ", ")) + ": " + join(p.roles, ", ");
    constexpr std::size_t kLongest = 150;  // with "- name: " before it a line of 160, ansible-lint's yaml[line-length]
    if (name.size() > kLongest) name.erase(name.rfind(", ", kLongest - 5)), name += ", …";
    y.begin_map().field("name", name).field("hosts", join(p.hosts, ":")).field("become", true);
    // One server of a pair that went on without the other would serve what the other may still write.
    if (p.roles.front() == kPair) y.field("any_errors_fatal", true);
    // One machine first: what cuts it off is not done to the others.
    if (is_network(p.roles.front())) y.list("serial").value(1).value("25%").end_list();
    play_handlers_always(y);
    module_defaults(y);
    y.list("roles");
    for (const std::string& role : p.roles) y.begin_map().field("role", role).key("tags").flow({role}).end_map();
    y.end_list().end_map();
  }
}

// The first play for machines that stand: it plays the others in check mode, shows what they would change on each
// machine, and asks. On all hosts, once: localhost would not be among those of --limit.
constexpr std::string_view kPreview = R"yml(- name: Show what would be changed on each machine, and ask
  hosts: all
  gather_facts: false
  tags: [always]
  vars:
    # What was typed, with all its options. Where /proc is not, and where no ansible-playbook was: what Ansible says of it
    cluster_preview_typed: "{{ lookup('ansible.builtin.file', '/proc/self/cmdline', rstrip=false, errors='ignore') | default('', true) | split('\x00') }}"
    cluster_preview_name: "{{ cluster_preview_typed | select('match', '(.*/)?ansible-playbook$') | first | default('') }}"
    cluster_preview_options: "{{ cluster_preview_typed[cluster_preview_typed.index(cluster_preview_name) + 1:-1]
      if cluster_preview_name else [playbook_dir ~ '/site.yml', '--limit', ansible_limit | default('all')]
      + ['--tags', ansible_run_tags | join(',')] + (ansible_skip_tags | map('regex_replace', '^', '--skip-tags=') | list)
      + (ansible_inventory_sources | map('regex_replace', '^', '--inventory=') | list) }}"
    cluster_preview_asks: "{{ cluster_preview_options | select('match', '(-[bCDv]*[KkJ][bCDvKkJ]*|--ask-.*|(--vault-id[ =]?)?(.*@)?prompt)$') }}"
  tasks:
    - name: Ask for no password twice
      ansible.builtin.assert:
        that: cluster_preview_asks | length == 0
        fail_msg: >-
          The preview cannot ask for a password again ({{ cluster_preview_asks | join(' ') }}). Write --become-password-file,
          --connection-password-file or --vault-password-file instead. Or play with --check --diff first, and then with
          -e cluster_preview=false
        quiet: true
      run_once: true  # noqa: run-once[task]
      when: cluster_preview | default(true) | bool and not ansible_check_mode

    - name: Play everything in check mode
      ansible.builtin.command:
        argv: "{{ ['ansible-playbook'] + (cluster_preview_options | reject('equalto', '--step')) + ['--check', '--diff'] }}"
      environment: {ANSIBLE_NOCOLOR: "1"}
      register: cluster_preview_shown
      changed_when: false
      run_once: true  # noqa: run-once[task]
      delegate_to: localhost
      become: false
      when: cluster_preview | default(true) | bool and not ansible_check_mode

    - name: Show what would be changed
      ansible.builtin.debug:
        var: cluster_preview_shown.stdout_lines
      run_once: true  # noqa: run-once[task]
      when: cluster_preview_shown is not skipped

    - name: Ask before anything is changed
      ansible.builtin.pause:
        prompt: Return changes the machines as shown above; ctrl-C and then A leaves them as they are
      when: cluster_preview_shown is not skipped

)yml";

// Before anything is changed anywhere: where one machine's Slurm would lose its jobs, no machine is changed. Not
// any_errors_fatal: a machine that does not answer, of which a large cluster always has one, would stop all others.
void write_slurm_guard(const std::vector<std::string>& names, const std::vector<NodeSettings>& all, YamlWriter& y) {
  std::vector<std::string> hosts;
  for (std::size_t g = 0; g < all.size(); ++g)
    if (runs_role(all[g], "slurm")) hosts.push_back(names[g]);
  if (hosts.empty()) return;
  y.begin_map()
      .field("name", "Change no machine where a running Slurm would be lost")
      .field("hosts", join(hosts, ":"))
      .field("become", true)
      .field("gather_facts", false)
      .field("max_fail_percentage", 0)
      .key("tags")
      .flow({std::string("slurm")})
      .list("tasks")
      .begin_map()
      .field("name", "Leave what a running Slurm must keep")
      .map("ansible.builtin.import_role")
      .field("name", "slurm")
      .field("tasks_from", "running.yml")
      .end_map()
      .end_map()
      .end_list()
      .end_map();
}

// Machines that stand: the inventory has their addresses or switches.
bool stands(const CompileInput& in) {
  return in.system.inventory && std::ranges::any_of(in.system.inventory->rows(),
                                                    [](const InventoryRow& r) { return !r.leaf.empty() || r.address; });
}

}  // namespace

void write_site_play(const CompileInput& in, const std::vector<std::string>& names,
                     const std::vector<NodeSettings>& all, Bundle& bundle) {
  const std::vector<Play> plays = plays_of(in, names, all);
  bundle.open("ansible/site.yml", "ansible");
  bundle.text() += made_by(in, "ansible") + "---\n";
  if (stands(in)) bundle.text() += kPreview;
  YamlWriter y(bundle.text());
  y.begin_list();
  write_slurm_guard(names, all, y);
  write_plays(plays, y);
  y.end_list();
  bundle.close();
}

// update.yml: one node first, which shows what the new releases break, then batches.
bool write_update_play(const CompileInput& in, const std::vector<std::string>& names,
                       const std::vector<NodeSettings>& all, Bundle& bundle) {
  std::vector<std::string> hosts;
  for (std::size_t g = 0; g < all.size(); ++g)
    if (!updated_roles(all[g]).empty()) hosts.push_back(names[g]);
  if (hosts.empty()) return false;
  bundle.open("ansible/update.yml", "ansible");
  bundle.text() +=
      made_by(in, "ansible") +
      "# ansible-playbook update.yml: new releases of driver, fabric manager and toolkit, one batch of nodes after "
      "the other\n---\n";
  YamlWriter y(bundle.text());
  y.begin_list();
  y.begin_map()
      .field("name", "Update " + join(hosts, ", ") + " in batches, each node without jobs")
      .field("hosts", join(hosts, ":"))
      .list("serial")
      .value(1)
      .value("{{ update_batch | default('5%') }}")
      .end_list()
      .field("become", true)
      .field("gather_facts", false);
  play_handlers_always(y);
  module_defaults(y);
  y.list("roles").begin_map().field("role", "update").end_map().end_list().end_map().end_list();
  bundle.close();
  return true;
}

}  // namespace clusterc
