// lustre/: the servers of Lustre file systems whose targets the spec has.
//   ldev.conf                       every target with its server and the partner of that: /etc/ldev.conf (ldev.conf(5))
//   cluster-lustre, .service        start and stop the targets of a server, in their order
//   GROUP/lustre.conf               LNet of the servers of a group: the line that clients have, from the same source
//   STORAGE/format.sh               mkfs.lustre of each target, on devices that hold nothing
//   STORAGE/layout.sh, quotas.sh    striping of the whole; folders and quotas of the teams
// The line `options lnet networks=…` of clients (system/file_systems.h) and that of servers come from one function.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "compile/common.h"
#include "compile/template_text.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "system/file_systems.h"
#include "system/group_network.h"
#include "system/storage_targets.h"
#include "write/writers.h"

namespace clusterc {
namespace {

using Kind = StorageTarget::Kind;

bool is_lustre(const StorageModel& s) { return has_targets(s) && s.spec->kind && *s.spec->kind == StorageKind::lustre; }

bool wants_lustre(const Cluster& c) { return std::any_of(c.storage.begin(), c.storage.end(), is_lustre); }

bool serves_lustre(const System& in, int group) {
  return std::any_of(in.cluster.storage.begin(), in.cluster.storage.end(),
                     [&](const StorageModel& s) { return is_lustre(s) && serves(in.cluster, s, group); });
}

std::string node_of(const Cluster& c, const StorageTarget& t, std::int64_t member) {
  return c.nodes[static_cast<std::size_t>(t.group)].names.name(member);
}

// A file of modprobe.d: one `options MODULE NAME=VALUE …`, as lnet, ko2iblnd and ptlrpc take them.
bool is_module_line(std::string_view text) {
  return text.starts_with("options ") && text.size() > 8 && text.find('=') != std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '#' && c != '\\' && c != '\'' && c != '`';
         });
}
// The line of networks follows from the spec.
bool says_networks(std::string_view text) {
  return text.starts_with("options lnet ") &&
         (text.find(" networks=") != std::string_view::npos || text.find(" ip2nets=") != std::string_view::npos);
}

// ldev.conf has fields between blanks and no quotes.
bool is_ldev_line(std::string_view text) {
  std::size_t fields = 0;
  for (const std::string_view f : split(text, ' ')) fields += !f.empty();
  return fields >= 4 && fields <= 6 && std::all_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) > 0x1f && static_cast<unsigned char>(c) < 0x7f &&
                  std::string_view("#'\"`$\\;&|<>()").find(c) == std::string_view::npos;
         });
}

template <class Good>
void extra(const CompileInput& in, std::string_view file, const Good& good, std::string_view help, std::string& out,
           Findings* findings) {
  const auto* lines = extra_of(in, file);
  if (!lines) return;
  out += "# outputs.lustre.extra of the spec\n";
  for (const auto& wish : *lines) {
    if (!wish) continue;
    const std::string_view text = trim(*wish);
    if (good(text))
      out += text, out += '\n';
    else if (findings)
      findings
          ->error("output-extra-malformed", wish.span,
                  "'" + one_line(text.substr(0, 60)) + "' is not a valid line of " + std::string(file))
          .help(std::string(help));
  }
}

void option(std::string& out, std::string_view name, std::string_view value) {
  out += ' ';
  append_shell_word(out, std::string(name) + std::string(value));
}

void format_script(const CompileInput& in, const StorageModel& s, const LustreServers& of, Bundle& bundle) {
  const Cluster& c = in.cluster;
  bundle.open("lustre/" + s.name + "/format.sh", "lustre", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n", out += made_by(in, ""), out += template_text("lustre/format.sh");
  // Without a target of its own, the management service is on the first MDT.
  bool manager = true;
  for (const StorageTarget& t : of.targets) {
    out += "target ";
    append_shell_word(out, node_of(c, t, t.member));
    out += ' ', out += lustre_label(of, t), out += ' ';
    append_shell_word(out, t.path);
    if (manager) out += " --mgs";
    const bool here = manager;
    manager = false;
    if (t.kind != Kind::management) {
      out += t.kind == Kind::metadata ? " --mdt" : " --ost";
      option(out, "--fsname=", of.name);
      option(out, "--index=", std::to_string(t.index));
      if (!here)
        for (const std::string& nids : of.managers) option(out, "--mgsnode=", nids);
    }
    if (t.partner >= 0)
      for (const std::int64_t m : {std::min(t.member, t.partner), std::max(t.member, t.partner)})
        option(out, "--servicenode=", lustre_nids(c, in.plan, of, t.group, m));
    out += '\n';
  }
  out += R"sh(if [ "$mine" = 0 ]; then
  echo "$host has no target of this file system" >&2
  exit 2
fi
if [ "$run" = no ]; then echo "nothing was written; format.sh --run writes"; fi
exit "$status"
)sh";
  bundle.close();
}

// " -c 4 -S 4194304", in the options that lfs has had since 2.0 (lfs-setstripe(1))
std::string striping(const Striping& s) {
  std::string out;
  if (s.count) out += " -c " + std::to_string(*s.count);
  if (s.size) out += " -S " + std::to_string(static_cast<std::int64_t>(s.size->value));
  return out;
}

constexpr double kStripeUnit = 65536;  // a stripe is a multiple of 64 KiB (lfs-setstripe(1), -S)

void layout_script(const CompileInput& in, const StorageModel& s, Bundle& bundle, Findings& findings) {
  if (!s.spec->stripe || !s.spec->mount) return;
  const Striping& stripe = *s.spec->stripe;
  if (stripe.count && *stripe.count == 0) return;  // the file system's own
  if (stripe.size && (stripe.size->value < kStripeUnit || stripe.size->value > 4294901760.0 ||
                      stripe.size->value != kStripeUnit * static_cast<double>(static_cast<std::int64_t>(
                                                              stripe.size->value / kStripeUnit)))) {
    findings
        .error(
            "lustre-stripe-uneven", stripe.size.span,
            "a stripe has " + to_text(*stripe.size) + ", but Lustre needs a multiple of 64 KiB that is less than 4 GiB")
        .help("write `size: 4 MiB`");
    return;
  }
  if (striping(stripe).empty()) return;
  bundle.open("lustre/" + s.name + "/layout.sh", "lustre", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n", out += made_by(in, "");
  out +=
      "# Striping of new files, on any machine that mounts the file system. Files that exist keep theirs.\nset -eu\n"
      "mount=";
  append_shell_word(out, *s.spec->mount);
  out += "\nlfs setstripe" + striping(stripe) + " \"$mount\"\nlfs getstripe -d \"$mount\"\n";
  bundle.close();
}

void quota_script(const CompileInput& in, const StorageModel& s, const LustreServers& of, Bundle& bundle) {
  const Cluster& c = in.cluster;
  const auto has = [&](const auto& team) { return team.value.storage.find(s.name) != nullptr; };
  if (!s.spec->mount || std::none_of(c.spec.teams.begin(), c.spec.teams.end(), has)) return;
  bundle.open("lustre/" + s.name + "/quotas.sh", "lustre", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n", out += made_by(in, "");
  out += R"sh(# A folder and a quota for each team, by its Unix group, which has the name of the team and must exist.
# usage: quotas.sh enforce   on the management server, once: quotas of groups are enforced
#        quotas.sh           on a machine that mounts the file system, as root; it can be run again. It removes nothing
set -eu
)sh";
  out += "name=", append_shell_word(out, of.name);
  out += "\nmount=", append_shell_word(out, *s.spec->mount);
  out += R"sh(
type=lustre
case ${1:-} in
  enforce)
    for kind in mdt ost; do
      upper=$(echo "$kind" | tr '[:lower:]' '[:upper:]')
      lctl conf_param "$name.quota.$kind=g" || lctl set_param -P "osd-*.$name-$upper*.quota_slave.enabled=g"
    done
    exit ;;
  '') ;;
  *) echo "usage: ${0##*/} [enforce]" >&2; exit 2 ;;
esac
)sh";
  out += template_text("storage/team-folder.sh");
  out += R"sh(# team NAME KIB FILES; 0: no limit
team() {
  folder_of "$1"
  lfs setquota -g "$1" -b 0 -B "$2" -i 0 -I "$3" "$mount"
}
)sh";
  for (const auto& team : c.spec.teams) {
    const auto* quota = team.value.storage.find(s.name);
    if (!quota) continue;
    out += "team ";
    append_shell_word(out, team.name);
    // in KiB, as lfs counts a number without a unit (lfs-setquota(1))
    out += ' ' + std::to_string(quota->value.space ? static_cast<std::int64_t>(quota->value.space->value / 1024) : 0);
    out += ' ' + std::to_string(quota->value.files.value_or(0)) + '\n';
  }
  bundle.close();
}

// Releases whose tools take what is written: --servicenode came with 2.4, quotas of groups as here with 2.4,
// and 2.17 is the newest whose manual pages were read.
void check_lustre_version(const StorageModel& s, Findings& findings) {
  std::string error;
  if (!s.spec->version) return;
  const auto oldest = Version::parse("2.10", error), beyond = Version::parse("2.18", error);
  if (*s.spec->version >= *oldest && *s.spec->version < *beyond) return;
  findings
      .warning("lustre-version-unread", s.spec->version.span,
               "the files for the servers of '" + s.name + "' are written for Lustre 2.10 to 2.17, not for " +
                   s.spec->version->text())
      .help("write `version: 2.17`; or compare the options in lustre/" + s.name + "/format.sh with mkfs.lustre(8) of " +
            s.spec->version->text() + ", and accept the finding if all of them are there");
}

struct Placed {
  const StorageModel* storage;
  const LustreServers* of;
  const StorageTarget* target;
};

// ldev.conf holds all file systems: a label once, a server with one partner; and no device is formatted for two.
bool collide(const CompileInput& in, const std::vector<std::pair<const StorageModel*, LustreServers>>& all,
             Findings& findings) {
  std::map<std::string, Placed> labels;
  std::map<std::pair<int, std::int64_t>, std::int64_t> partners;
  std::map<std::tuple<int, std::int64_t, std::string>, Placed> devices;
  const auto report = [&](const Placed& now, const Placed& before, const std::string& what) {
    findings
        .error("lustre-targets-collide", now.storage->spec->targets->span,
               "'" + now.storage->name + "' and '" + before.storage->name + "' both have " + what)
        .help("give each file system a name, devices and a management server of its own");
    return true;
  };
  std::map<std::pair<int, std::int64_t>, Placed> managers;  // a server runs one MGS
  for (const auto& [s, of] : all)
    for (const StorageTarget& t : of.targets) {
      const Placed now{s, &of, &t};
      for (const std::int64_t m : {t.member, t.partner})
        if (&t == &of.targets.front() && m >= 0) {
          const auto [manager, only] = managers.try_emplace({t.group, m}, now);
          if (!only) return report(now, manager->second, "a management service on '" + node_of(in.cluster, t, m) + "'");
        }
      const auto [label, is_new] = labels.try_emplace(lustre_label(of, t), now);
      if (!is_new) return report(now, label->second, "a target '" + lustre_label(of, t) + "'");
      for (const std::int64_t m : {t.member, t.partner}) {
        if (m < 0) continue;
        const auto [device, fresh] = devices.try_emplace({t.group, m, t.path}, now);
        if (!fresh)
          return report(now, device->second, "the device '" + t.path + "' of '" + node_of(in.cluster, t, m) + "'");
        const auto [partner, unpaired] = partners.try_emplace({t.group, m}, m == t.member ? t.partner : t.member);
        if (!unpaired && partner->second != (m == t.member ? t.partner : t.member))
          return report(now, all.front().first == s ? now : Placed{all.front().first, &of, &t},
                        "targets of '" + node_of(in.cluster, t, m) + "' with different partners");
      }
    }
  return false;
}

void emit_lustre(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "lustre", {"ldev.conf", "lustre.conf"}, findings);
  std::vector<std::pair<const StorageModel*, LustreServers>> all;
  for (std::size_t i = 0; i < c.storage.size(); ++i) {
    if (!is_lustre(c.storage[i])) continue;
    check_lustre_version(c.storage[i], findings);
    if (auto of = lustre_servers(c, in.plan, static_cast<int>(i), findings))
      all.emplace_back(&c.storage[i], *std::move(of));
  }
  if (all.empty() || collide(in, all, findings)) return;
  bundle.open("lustre/ldev.conf", "lustre");
  std::string& ldev = bundle.text();
  ldev += made_by(in, "lustre") + "# server  partner  label  device\n";
  for (const auto& [s, of] : all)
    for (const StorageTarget& t : of.targets)
      ldev += node_of(c, t, t.member) + ' ' + (t.partner < 0 ? std::string("-") : node_of(c, t, t.partner)) + ' ' +
              lustre_label(of, t) + ' ' + t.path + '\n';
  extra(in, "ldev.conf", is_ldev_line,
        "write a server, its partner or -, a label and a device: oss9 - fs-OST0000 /dev/sdb", ldev, &findings);
  bundle.close();
  for (const std::string_view name : {"cluster-lustre", "cluster-lustre.service"}) {
    const bool script = name == "cluster-lustre";
    bundle.add("lustre/" + std::string(name), "lustre",
               std::string(script ? "#!/bin/sh\n" : "") + made_by(in, "") +
                   std::string(template_text("lustre/" + std::string(name))),
               script ? 0755 : 0644);
  }
  bool first = true;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    if (c.nodes[g].count == 0 || !serves_lustre(in.system, static_cast<int>(g))) continue;
    Findings ignored;  // of cloud-init and the outputs of networks
    const GroupNetwork network(in.system, static_cast<int>(g), ignored);
    bundle.open("lustre/" + c.nodes[g].name + "/lustre.conf", "lustre");
    std::string& out = bundle.text();
    out += made_by(in, "lustre") + lnet_options(c, in.plan, static_cast<int>(g), network);
    extra(
        in, "lustre.conf", [](std::string_view t) { return is_module_line(t) && !says_networks(t); },
        "write options of a module other than the networks of lnet: options ko2iblnd peer_credits=32", out,
        first ? &findings : nullptr);
    first = false;
    bundle.close();
  }
  for (const auto& [s, of] : all) {
    format_script(in, *s, of, bundle);
    layout_script(in, *s, bundle, findings);
    quota_script(in, *s, of, bundle);
  }
}

}  // namespace

extern const Output kLustreOutput;  // registry.cc names it
const Output kLustreOutput{
    .id = "lustre",
    .summary = "servers of Lustre: targets and fail-over partners, LNet, formatting of empty devices, striping, quotas",
    .consumers = "Lustre 2.10 to 2.17 with ldiskfs",
    .wanted = wants_lustre,
    .serves = serves_lustre,
    .emit = emit_lustre,
};

}  // namespace clusterc
