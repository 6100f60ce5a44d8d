#include "compile/installer_files.h"

#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "compile/template_text.h"
#include "write/writers.h"

namespace clusterc {

std::string install_header(const CompileInput& in, std::string_view output_id) {
  return replace_all(made_by(in, output_id), "\\\n", "\\.\n");
}

namespace {}  // namespace

std::string data_drives_script() {
  return "#!/bin/sh\n" + std::string(template_text("install/drives.sh")) +
         std::string(template_text("install/data-drives.sh"));
}

std::string disks_script(const InstallPlan& plan, std::string_view tail) {
  const InstallDrives& d = plan.disks;
  std::string out = "# shellcheck disable=SC2034\n";  // not each installer asks for all of it
  std::string serials, others;
  for (const auto& node : d.serials) serials += (serials.empty() ? "" : "\n") + node.host + " " + node.numbers;
  for (const auto& other : d.others)
    others += (others.empty() ? "" : "\n") + std::to_string(other.fewest) + " " + std::to_string(other.drives.count) +
              " " + std::string(other.drives.kind) + " " + std::to_string(other.drives.least) + " " +
              std::to_string(other.drives.most) + " " + other.name;
  ShellWriter sh(out);
  sh.assign("count", d.boot.count)
      .assign("kind", d.boot.kind)
      .assign("least", d.boot.least)
      .assign("most", d.boot.most)
      .assign("paths", join(d.paths, " "))
      .assign("serials", serials)
      .assign("others", others);
  out += template_text("install/drives.sh");
  out += template_text("install/disks.sh");
  out += template_text("install/" + std::string(tail));
  return out;
}

std::string finish_script(const CompileInput& in, int group, const InstallPlan& plan) {
  std::string out = "# shellcheck disable=SC2209\n";  // an account may be called as a command is: admin
  std::string networks;                               // whose names a port of these nodes may have
  for (const NetworkModel& net : in.cluster.networks)
    if (std::any_of(net.ends.begin(), net.ends.end(), [&](const EndPoints& e) { return e.group == group; }))
      networks += (networks.empty() ? "" : " ") + net.name;
  ShellWriter sh(out);
  sh.assign("base", plan.server.url)
      .assign("group", in.cluster.nodes[static_cast<std::size_t>(group)].name)
      .assign("folders", plan.folders)
      .assign("networks", networks)
      .assign("network", plan.network ? 1 : 0)
      .assign("user", plan.user)
      .assign("keys", plan.keys);
  out += template_text("install/finish.sh");
  return out;
}

std::string install_extra(const CompileInput& in, std::string_view file, bool (*good)(std::string_view),
                          std::string_view example, Findings& findings, bool (*ours)(std::string_view)) {
  std::string out;
  const auto* extra = extra_of(in, file);
  if (!extra) return out;
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = trim(*wish);
    if (text.empty() || one_line(text) != text || text.ends_with('\\') || !good(text))
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' is not a valid line of " + std::string(file))
          .help("write one setting in each line, for example " + std::string(example));
    else if (ours && ours(text))
      findings
          .error("output-extra-contradicts-spec", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' of " + std::string(file) +
                     " would override a value that follows from the spec")
          .help("change the spec instead");
    else
      out += text, out += '\n';
  }
  return out;
}

}  // namespace clusterc
