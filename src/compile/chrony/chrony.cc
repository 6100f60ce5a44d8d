// chrony/chrony.conf: the same for every machine. Nodes with cloud-init get their time servers there too; this is for
// all others, and for who prefers a file.
#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "model/named_hosts.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "system/time_servers.h"

namespace clusterc {
namespace {

bool wants_chrony(const Cluster& c) { return !c.spec.software->time_servers.empty(); }

bool is_directive(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const std::string_view word = text.substr(0, text.find(' '));
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); }) &&
         letter(word[0]) && std::all_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f &&
                  std::string_view("#!;%").find(c) == std::string_view::npos;
         });
}

// The file of all machines; of a node that is a time server itself one of its own.
void write(const CompileInput& in, std::string_view path, const std::string& node,
           const std::vector<std::string_view>& others, Bundle& bundle, Findings* findings) {
  bundle.open(std::string(path), "chrony");
  std::string& out = bundle.text();
  out += made_by(in, "chrony");
  for (const std::string_view server : others)
    out += "server ", out += server, out += " iburst\n";  // names and addresses only (the reader holds them to that)
  if (!node.empty()) {
    out +=
        "# this node is the time server of the cluster; if no server answers, its own clock is the reference\nlocal "
        "stratum 10 orphan\n";
    for (const NetworkModel& n : in.cluster.networks)
      if (n.subnet) out += "allow ", out += n.subnet->text(), out += '\n';
  }
  out +=
      "driftfile /var/lib/chrony/chrony.drift\n# step a wrong clock while chronyd starts, but not while a job "
      "runs\nmakestep 1.0 3\nrtcsync\nlogdir /var/log/chrony\n";
  if (const auto* extra = extra_of(in, "chrony.conf")) {
    out += "# outputs.chrony.extra of the spec\n";
    for (const auto& wish : *extra) {
      if (!wish) continue;
      const std::string_view text = trim(*wish);
      if (is_directive(text))
        out += text, out += '\n';
      else if (findings)
        findings
            ->error("output-extra-malformed", wish.span,
                    "'" + one_line(text.substr(0, 60)) + "' is not a valid line of chrony.conf")
            .help("write one directive in each line, for example maxdistance 1.0");
    }
  }
  bundle.close();
}

void emit_chrony(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "chrony", {"chrony.conf"}, findings);
  std::vector<std::string_view> all;
  for (const auto& server : in.cluster.spec.software->time_servers)
    if (server) all.push_back(*server);
  write(in, "chrony/chrony.conf", {}, all, bundle, &findings);
  const std::vector<OwnTimeServer> own = own_time_servers(in.system);
  std::vector<std::string> done;
  for (const OwnTimeServer& o : own) {
    const std::string node = in.cluster.nodes[static_cast<std::size_t>(o.group)].names.name(o.member);
    if (std::find(done.begin(), done.end(), node) != done.end()) continue;
    done.push_back(node);
    std::vector<std::string_view> others = all;
    std::erase_if(others, [&](std::string_view s) {
      return std::any_of(own.begin(), own.end(), [&](const OwnTimeServer& x) {
        return x.server == s && x.group == o.group && x.member == o.member;
      });
    });
    write(in, "chrony/nodes/" + node + ".conf", node, others, bundle, nullptr);
  }
}

}  // namespace

extern const Output kChronyOutput;  // registry.cc names it
const Output kChronyOutput{
    .id = "chrony",
    .summary = "chrony.conf with the time servers of the spec",
    .consumers = "chrony 4.0 and newer",
    .wanted = wants_chrony,
    .emit = emit_chrony,
};

}  // namespace clusterc
