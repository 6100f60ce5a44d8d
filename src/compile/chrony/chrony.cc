// chrony/chrony.conf: the same for every machine. Nodes with cloud-init get their time servers there too; this is for all others, and for who prefers a file.
#include "compile/chrony/chrony.h"

#include <algorithm>

#include "base/text.h"
#include "compile/common.h"

namespace clusterc {
namespace {

bool wanted(const Cluster& c) { return !c.spec.software.time_servers.empty(); }

bool is_directive(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const std::string_view word = text.substr(0, text.find(' '));
  return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); }) && letter(word[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && std::string_view("#!;%").find(c) == std::string_view::npos; });
}

void emit(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "chrony", {"chrony.conf"}, findings);
  bundle.open("chrony/chrony.conf", "chrony");
  std::string& out = bundle.text();
  out += made_by(in, "chrony");
  for (const auto& server : in.cluster.spec.software.time_servers)
    if (server) out += "server ", out += *server, out += " iburst\n";   // names and addresses only (the reader holds them to that)
  out += "driftfile /var/lib/chrony/chrony.drift\n# a clock that is far off is set while chronyd starts, not under a running job\nmakestep 1.0 3\nrtcsync\nlogdir /var/log/chrony\n";
  if (const auto* extra = extra_of(in, "chrony.conf")) {
    out += "# outputs.chrony.extra of the spec\n";
    for (const auto& wish : *extra) {
      if (!wish) continue;
      const std::string_view text = trim(*wish);
      if (is_directive(text)) out += text, out += '\n';
      else findings.error("output-extra-malformed", wish.span, "'" + one_line(text.substr(0, 60)) + "' is no line of chrony.conf").help("write one directive in each line, for example maxdistance 1.0");
    }
  }
  bundle.close();
}

}  // namespace

const Output kChronyOutput{
    .id = "chrony",
    .summary = "chrony.conf with the time servers of the spec",
    .consumers = "chrony 4.0 and newer",
    .wanted = wanted,
    .emit = emit,
};

}  // namespace clusterc
