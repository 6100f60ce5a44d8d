// ansible/inventory.yaml: a group for each node group and role, hosts as ranges (gpu[001:127]), what the spec says of each as variables.
#include "compile/ansible/ansible.h"

#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool wanted(const Cluster& c) { return c.node_count > 0; }

// Group names are Python identifiers for Ansible; the word in front keeps them apart from hosts of the same name.
std::string group_name(std::string_view kind, std::string_view name) {
  std::string out(kind);
  out += '_';
  for (const char c : name) out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  return out;
}

bool is_variable(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

// gpu[001-127] -> gpu[001:127]; c[1,3,5-9] -> c1, c3, c[5:9]; h[1-2]n[01-16] -> h[1:2]n[01:16]. A list inside brackets has no
// counterpart, so every choice becomes an entry of its own.
std::vector<std::string> host_ranges(std::string_view pattern) {
  std::vector<std::string> done, growing{std::string()};
  const auto finish = [&] {
    for (std::string& s : growing) done.push_back(std::move(s));
    growing.assign(1, std::string());
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == ',') {
      finish();
    } else if (pattern[i] != '[') {
      for (std::string& s : growing) s += pattern[i];
    } else {
      const std::size_t end = pattern.find(']', i);
      std::vector<std::string> next;
      for (const std::string& s : growing)
        for (const std::string_view choice : split(pattern.substr(i + 1, end - i - 1), ',')) {
          const auto dash = choice.find('-');
          std::string& n = next.emplace_back(s);
          if (dash == std::string_view::npos) {
            n += choice;
            continue;
          }
          n += '[', n += choice.substr(0, dash), n += ':', n += choice.substr(dash + 1), n += ']';
        }
      growing = std::move(next);
      i = end;
    }
  }
  finish();
  return done;
}

void named(YamlWriter& y, std::string_view key, const std::vector<NamedVersion>& list) {
  if (list.empty()) return;
  y.list(key);
  for (const NamedVersion& v : list)
    if (v.kind) y.value(v.version ? *v.kind + " " + v.version->text() : *v.kind);
  y.end_list();
}

void variables(YamlWriter& y, const NodeGroupModel& g) {
  const Software& s = g.software;
  const ServerModel& m = g.server;
  const auto version = [&](std::string_view key, const Value<Version>& v) { if (v) y.field(key, v->text()); };
  if (s.os) y.field("cluster_os", *s.os);
  if (s.arch) y.field("cluster_arch", enum_text(*s.arch));
  version("cluster_kernel", s.kernel);
  if (m.gpu_count > 0) {
    y.field("cluster_gpu_model", m.gpu_model).field("cluster_gpu_count", m.gpu_count);
    version("cluster_gpu_driver", s.gpu_driver);
    if (s.kernel_modules) y.field("cluster_gpu_kernel_modules", enum_text(*s.kernel_modules));
    version("cluster_fabric_manager", s.fabric_manager);
    if (s.persistence) y.field("cluster_gpu_persistence", *s.persistence);
    if (s.mig) y.field("cluster_mig", *s.mig);
  }
  version("cluster_cuda", s.cuda);
  version("cluster_nccl", s.nccl);
  if (s.mpi && s.mpi->kind) y.field("cluster_mpi", s.mpi->version ? *s.mpi->kind + " " + s.mpi->version->text() : *s.mpi->kind);
  if (s.fabric && s.fabric->kind) y.field("cluster_rdma", s.fabric->version ? *s.fabric->kind + " " + s.fabric->version->text() : *s.fabric->kind);
  named(y, "cluster_containers", s.containers);
  named(y, "cluster_monitoring", s.monitoring);
  named(y, "cluster_frameworks", s.frameworks);
  if (s.scheduler && s.scheduler->kind) {
    y.field("cluster_scheduler", enum_text(*s.scheduler->kind));
    version("cluster_scheduler_version", s.scheduler->version);
  }
  if (m.cores > 0) y.field("cluster_cores", m.cores);
  if (m.memory) y.field("cluster_memory_mib", static_cast<std::int64_t>(m.memory->value / (1024.0 * 1024.0)));
  if (g.spec && !g.spec->roles.empty()) {
    y.list("cluster_roles");
    for (const auto& r : g.spec->roles)
      if (r) y.value(enum_text(*r));
    y.end_list();
  }
}

void emit(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "ansible", {"inventory.yaml"}, findings);
  const auto extra = yaml_entries(in, "inventory.yaml", {}, "ansible_user: admin", findings, [](const Document&, NodeId, std::string_view key) -> Refusal {
    if (!is_variable(key)) return {"a variable's name has letters, digits and '_', and no digit first", false};
    // A group's variables would win over these (Ansible, variable precedence) without a word.
    if (key.starts_with("cluster_")) return {"variables that begin with cluster_ follow from the spec: '" + std::string(key) + "'", true};
    return {};
  });
  std::vector<std::string> names;
  for (const NodeGroupModel& g : c.nodes) {
    names.push_back(group_name("group", g.name));
    for (std::size_t o = 0; o + 1 < names.size(); ++o)
      if (names[o] == names.back())
        findings.error("ansible-groups-collide", g.span, "Ansible would call '" + g.name + "' and '" + c.nodes[o].name + "' both " + names.back()).note(c.nodes[o].span, "the other group").help("rename one of them");
  }
  bundle.open("ansible/inventory.yaml", "ansible");
  std::string& out = bundle.text();
  out += made_by(in, "ansible");
  YamlWriter y(out);
  y.begin_map().map("all");
  y.map("vars").field("cluster_name", c.spec.name.value_or(""));
  if (c.spec.software.domain) y.field("cluster_domain", *c.spec.software.domain);
  y.end_map();
  if (!extra.empty()) {
    out += "\n    # outputs.ansible.extra of the spec";
    for (const YamlEntry& e : extra) {
      out += '\n';
      append_indented(out, std::string_view(e.text).substr(0, e.text.size() - 1), 4);   // the depth of all: vars:
      out.pop_back();
    }
  }
  y.map("children");
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    if (c.nodes[g].count == 0) continue;
    y.map(names[g]).map("hosts");
    for (const std::string& range : host_ranges(c.nodes[g].names.text())) y.key(range).null();
    y.end_map();
    y.map("vars");
    variables(y, c.nodes[g]);
    y.field("cluster_group", c.nodes[g].name).end_map().end_map();
  }
  for (const auto& [role, word] : EnumNames<Role>::names) {
    bool begun = false;
    for (std::size_t g = 0; g < c.nodes.size(); ++g) {
      if (c.nodes[g].count == 0 || !c.nodes[g].has_role(role)) continue;
      if (!begun) y.map(group_name("role", word)).map("children");
      begun = true;
      y.key(names[g]).null();
    }
    if (begun) y.end_map().end_map();
  }
  y.end_map().end_map().end_map();
  bundle.close();
}

}  // namespace

const Output kAnsibleOutput{
    .id = "ansible",
    .summary = "inventory with a group for each node group and role",
    .consumers = "ansible-core 2.14 and newer",
    .wanted = wanted,
    .emit = emit,
};

}  // namespace clusterc
