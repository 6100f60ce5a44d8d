// prepare.sh, mirrors.sh, layout.sh and quotas.sh of a BeeGFS. Release 8 has the program beegfs, 7.4 beegfs-ctl.

#include "compile/beegfs/beegfs.h"
#include "compile/common.h"
#include "compile/template_text.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "write/writers.h"

namespace clusterc {
namespace {

class Scripts {
 public:
  Scripts(const CompileInput& in, const BeegfsServers& of, Bundle& bundle)
      : in_(in), of_(of), s_(in.cluster.storage[static_cast<std::size_t>(of.storage)]), bundle_(bundle) {}

  void emit() {
    preparation();
    if (of_.mirrored) mirrors();
    if (s_.spec->mount && (s_.spec->stripe || of_.mirrored)) layout();
    if (s_.spec->mount && of_.quotas) quotas();
  }

 private:
  std::string& open(std::string_view name) {
    bundle_.open("beegfs/" + s_.name + "/" + std::string(name), "beegfs", 0755);
    std::string& out = bundle_.text();
    out += "#!/bin/sh\n", out += made_by(in_, "");
    return out;
  }
  void close() { bundle_.close(); }

  std::string node(int group, std::int64_t member) const {
    return in_.cluster.nodes[static_cast<std::size_t>(group)].names.name(member);
  }

  void preparation() {
    std::string& out = open("prepare.sh");
    ShellWriter(out).assign("secret", of_.secret).assign("seven", of_.seven ? "yes" : "no");
    out += template_text("beegfs/prepare.sh");
    const auto target = [&](std::string_view kind, int group, std::int64_t member, std::string_view path,
                            std::int64_t server, std::int64_t id) {
      out += "target ";
      append_shell_word(out, node(group, member));
      out += ' ', out += kind, out += ' ';
      append_shell_word(out, path);
      out += ' ' + std::to_string(server) + ' ' + std::to_string(id) + '\n';
    };
    target("mgmtd", of_.manager_group, of_.manager_member, of_.manager_folder, 1, 1);
    for (const BeegfsServer& m : of_.metadata) target("meta", m.group, m.member, m.targets.front().second, m.id, m.id);
    for (const BeegfsServer& d : of_.data)
      for (const auto& [id, path] : d.targets) target("storage", d.group, d.member, path, d.id, id);
    out += "finish\n";
    close();
  }

  // The first server mirrors the second, the third the fourth; on each the first target, the second, ….
  void mirrors() {
    std::string& out = open("mirrors.sh");
    out += template_text(of_.seven ? "beegfs/mirrors-7.sh" : "beegfs/mirrors.sh");
    const auto group = [&](std::string_view kind, std::int64_t id, std::int64_t first, std::int64_t second) {
      out += "group ", out += kind, out += ' ' + std::to_string(id) + ' ' + std::to_string(first) + ' ';
      out += std::to_string(second) + '\n';
    };
    for (std::size_t i = 0; i + 1 < of_.metadata.size(); i += 2)
      group("meta", of_.metadata[i].id, of_.metadata[i].id, of_.metadata[i + 1].id);
    for (std::size_t i = 0; i + 1 < of_.data.size(); i += 2)
      for (std::size_t t = 0; t < of_.data[i].targets.size(); ++t)
        group("storage", of_.data[i].targets[t].first, of_.data[i].targets[t].first, of_.data[i + 1].targets[t].first);
    close();
  }

  void layout() {
    std::string& out = open("layout.sh");
    out +=
        "# Striping and mirroring of new files, on any machine that mounts the file system, as root. Files that exist "
        "keep theirs.\nset -eu\n";
    ShellWriter(out).assign("mount", *s_.spec->mount);
    std::string options = of_.seven ? "beegfs-ctl --setpattern" : "beegfs entry set";
    const auto option = [&](std::string_view eight, std::string_view seven, std::string_view value) {
      options += " --";
      options += of_.seven ? seven : eight;
      options += '=', options += value;
    };
    option("pattern", "pattern", !of_.mirrored ? "raid0" : of_.seven ? "buddymirror" : "mirrored");
    if (const auto& stripe = s_.spec->stripe) {
      if (stripe->count) option("num-targets", "numtargets", std::to_string(*stripe->count));
      if (stripe->size)
        option("chunk-size", "chunksize", std::to_string(static_cast<std::int64_t>(stripe->size->value)));
    }
    out += options + " \"$mount\"\n";
    out += of_.seven ? "beegfs-ctl --getentryinfo \"$mount\"\n" : "beegfs entry info \"$mount\"\n";
    close();
  }

  void quotas() {
    std::string& out = open("quotas.sh");
    out +=
        "# A folder and a quota for each team, by its Unix group, which has the name of the team and must exist. On a "
        "machine that\n# mounts the file system, as root; it can be run again. It removes nothing.\nset -eu\n";
    ShellWriter(out).assign("mount", *s_.spec->mount).assign("type", "beegfs");
    out += template_text("storage/team-folder.sh");
    out += template_text(of_.seven ? "beegfs/quota-7.sh" : "beegfs/quota.sh");
    for (const auto& team : in_.cluster.spec.teams) {
      const auto* quota = team.value.storage.find(s_.name);
      if (!quota) continue;
      const auto limit = [](bool is_set, std::int64_t most) { return is_set ? std::to_string(most) : "unlimited"; };
      out += "team ";
      append_shell_word(out, team.name);
      const auto& [span, space, files] = quota->value;
      out += ' ' + limit(space.value.has_value(), space ? static_cast<std::int64_t>(space->value) : 0);
      out += ' ' + limit(files.value.has_value(), files.value_or(0)) + '\n';
    }
    close();
  }

  const CompileInput& in_;
  const BeegfsServers& of_;
  const StorageModel& s_;
  Bundle& bundle_;
};

}  // namespace

void emit_beegfs_scripts(const CompileInput& in, const BeegfsServers& of, Bundle& bundle) {
  Scripts(in, of, bundle).emit();
}

}  // namespace clusterc
