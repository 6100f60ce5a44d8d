// maas/machines.sh: `maas PROFILE machines create` for each node (MAAS, CLI reference, machines: create). MAAS asks for
// a MAC, so that those without one in the inventory are left out. Who may turn BMCs on comes from the environment of
// whoever runs it.

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "system/node_list.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool wants_maas(const Cluster& c) { return lists_nodes(c, "maas"); }

constexpr std::string_view kHead = R"sh(# usage: machines.sh PROFILE     PROFILE: the profile name of `maas login`
# Machines whose name MAAS already has are not changed, so that the script can run again. BMC_USER and BMC_PASSWORD:
# an account that may turn the machines on.
set -eu
profile=${1:?usage: machines.sh PROFILE}

known() { maas "$profile" machines read "hostname=$1" | grep -q '"hostname"'; }
machine() {
  if known "$1"; then
    echo "$1: known already"
    return
  fi
  name=$1 && shift
  maas "$profile" machines create "hostname=$name" "$@"%EXTRA% > /dev/null
  echo "$name: created"
}
)sh";
constexpr std::string_view kBmcs = R"sh(: "${BMC_USER:?the account of the BMCs}" "${BMC_PASSWORD:?its password}"
bmc() {
  name=$1 address=$2 && shift 2
  machine "$name" "$@" power_type=ipmi "power_parameters_power_address=$address" "power_parameters_power_user=$BMC_USER" "power_parameters_power_pass=$BMC_PASSWORD"
}
)sh";

constexpr std::string_view kFile = "machines.sh";
constexpr std::string_view kKeys[] = {"hostname", "architecture", "mac_addresses", "power_type"};

// Keywords of every machine, as words of a shell with a blank before each.
std::string keywords(const CompileInput& in, Findings& findings) {
  std::string out;
  const auto* extra = extra_of(in, kFile);
  if (!extra) return out;
  for (const auto& wish : *extra) {
    if (!wish) continue;
    const std::string_view text = *wish, key = text.substr(0, text.find('='));
    const bool good = !key.empty() && key.size() < text.size() &&
                      std::all_of(key.begin(), key.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; }) &&
                      std::none_of(text.begin(), text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (!good)
      findings
          .error("output-extra-malformed", wish.span,
                 "'" + one_line(text.substr(0, 60)) + "' is not a valid keyword of `machines create`")
          .help("write one keyword in each line, for example domain=cluster.example");
    else if (std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys) ||
             key.starts_with("power_parameters_"))
      findings
          .error("output-extra-contradicts-spec", wish.span,
                 "an extra line sets '" + std::string(key) + "', which is already set from the spec")
          .help("change the spec instead");
    else
      out += ' ', append_shell_word(out, text);
  }
  return out;
}

void emit_maas(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "maas", {kFile}, findings);
  std::string lines, example;
  ShellWriter sh(lines);
  std::int64_t left_out = 0;
  bool bmcs = false;
  each_listed(
      in.system, findings, [](const ListedGroup&) {},
      [&](const ListedGroup& g, std::int64_t member, const std::string& name) {
        std::vector<std::string> words;
        const std::uint32_t bmc = g.bmc_address(member);
        if (bmc != 0)
          words = {"bmc", name, ipv4_text(bmc)};
        else
          words = {"machine", name};
        words.push_back(g.architecture() == "aarch64" ? "architecture=arm64/generic" : "architecture=amd64/generic");
        const std::size_t before = words.size();
        for (const std::string& port : g.boot_ports())
          if (const auto mac = g.mac(member, name, port)) words.push_back("mac_addresses=" + mac_text(*mac));
        if (words.size() == before) {
          if (left_out++ == 0)
            example = name + "," + (g.boot_ports().empty() ? "PORT" : g.boot_ports().front()) + ",MAC";
          return;
        }
        if (bmc == 0) words.push_back("power_type=manual");
        bmcs |= bmc != 0;
        sh.command(words);
      });
  warn_of_left_out(in.system, "maas", "MAAS", left_out, "the MAC of the port that a node starts from", example,
                   findings);
  bundle.open("maas/" + std::string(kFile), "maas", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n" + made_by(in, "maas") + unknown_macs(left_out, "nodes, which are left out", example);
  out += replace_all(kHead, "%EXTRA%", keywords(in, findings));
  if (bmcs) out += kBmcs;
  out += '\n';
  out += lines;
  bundle.close();
}

}  // namespace

extern const Output kMaasOutput;  // registry.cc names it
const Output kMaasOutput{
    .id = "maas",
    .summary = "commands that add the nodes to MAAS, with MAC addresses and BMCs, if `outputs` of the spec names it",
    .consumers = "the command line of MAAS 3",
    .wanted = wants_maas,
    .emit = emit_maas,
};

}  // namespace clusterc
