// mirror/: what fills a mirror of packages and container images on a machine with internet, and the registry that
// serves the images: for each group the repositories that its machines are told of (the distribution's own, and those
// of the roles), what installers fetch, the images that the spec names.
#include "system/mirror.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "compile/common.h"
#include "compile/installer_files.h"
#include "compile/templates.h"
#include "model/named_hosts.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "system/node_settings.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kList = "mirror.list", kRpms = "mirror.repo";
constexpr std::string_view kRegistry = "127.0.0.1:5000";  // behind nginx, which speaks TLS and lets nobody write

bool wants_mirror(const Cluster& c) { return has_mirror(c); }

// What stands in apt-mirror's list, in wget's, in a shell's words: no release of a spec brings other signs in.
bool is_url(std::string_view text) {
  return text.find("://") != text.npos && text.find("/..") == text.npos &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view(":/._+-").find(c) != std::string_view::npos;
         });
}

// What all groups need, each once.
struct Needs {
  std::set<std::string> debs;                 // lines of mirror.list
  std::set<std::string> indexes;              // what has to be there when they have been fetched
  std::map<std::string, PackageSource> rpms;  // by URL
  std::set<std::string> files;                // URLs
};

std::string below_packages(std::string_view url) {
  std::string out = mirrored(url, "");
  out.erase(0, 1);
  while (out.ends_with('/')) out.pop_back();
  return out;
}

void take(const PackageSource& s, bool arm, Needs& out) {
  if (!is_url(s.url)) return;
  const bool key_to_fetch = is_url(s.key);
  if (key_to_fetch) out.files.insert(s.key);
  if (s.suite.empty()) {
    out.rpms.emplace(s.url, s);
    return;
  }
  for (const std::string_view suite : split(s.suite, ' ')) {
    out.debs.insert("deb [arch=" + std::string(arm ? "arm64" : "amd64") + "] " + s.url + " " + std::string(suite) +
                    (s.components.empty() ? "" : " " + s.components));
    out.indexes.insert(below_packages(s.url) + (suite == "./" ? "" : "/dists/" + std::string(suite)) + "/Release");
  }
}

// An address alone: what dnf's list calls it follows from that.
bool is_repository(std::string_view text) {
  return (text.starts_with("https://") || text.starts_with("http://")) && is_url(text) &&
         below_packages(text).find('/') != std::string::npos;
}

Needs needs_of(const CompileInput& in, Findings& findings) {
  Needs out;
  const std::string more =
      install_extra(in, kRpms, is_repository, "https://dl.fedoraproject.org/pub/epel/9/Everything/x86_64/", findings);
  for (const std::string_view url : split(more, '\n'))
    if (!url.empty()) out.rpms.emplace(std::string(url), PackageSource{std::string(url), std::string(url), "", "", ""});
  std::string drivers;  // a group whose NVIDIA driver asks for dkms
  SourceSpan drivers_at;
  const Cluster& c = in.cluster;
  std::set<std::string> unknown;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& group = c.nodes[g];
    if (group.count == 0) continue;
    const bool arm = group.software->arch.value_or(Arch::x86_64) == Arch::aarch64;
    const NodePackages& packages = node_settings(in.system)[g].packages;
    for (const PackageSource& s : packages.sources) take(s, arm, out);
    for (const std::string& file : packages.runtime_files) out.files.insert(file);
    for (const std::string& file : {packages.pyxis, packages.mpi_source})
      if (!file.empty()) out.files.insert(file);
    if (std::any_of(packages.driver.begin(), packages.driver.end(),
                    [](const std::string& p) { return p.starts_with("@nvidia-driver:"); }))
      drivers = group.name, drivers_at = group.span;
    const std::vector<PackageSource> own = distribution_sources(group);
    for (const PackageSource& s : own) take(s, arm, out);
    if (own.empty() && group.software->os && unknown.insert(*group.software->os).second)
      findings.note(
          "mirror-distribution-unknown", group.software->os.span,
          "no list of the mirror has the packages of '" + one_line(*group.software->os) + "' itself: " +
              (group.software->os->starts_with("rhel") ? "they need a subscription" : "their source is not known"));
    const auto installer = installer_of(c, static_cast<int>(g));
    const auto release = known_release(group);
    if (!installer || !release || release->mirror.empty()) continue;
    if (*installer == Installer::preseed) {
      for (const std::string_view file : {"linux", "initrd.gz"})
        out.files.insert(netboot_folder(*release, release->mirror) + std::string(file));
      out.debs.insert("deb [arch=" + std::string(release->arm ? "arm64" : "amd64") + "] " + release->mirror + " " +
                      std::string(release->codename) + " main/debian-installer");
    } else if (*installer ==
               Installer::kickstart) {  // Anaconda reads .treeinfo, and its second stage from where that says
      const std::string root = release->mirror + "/BaseOS/" + (release->arm ? "aarch64" : "x86_64") + "/os/";
      for (const std::string_view file :
           {".treeinfo", "images/pxeboot/vmlinuz", "images/pxeboot/initrd.img", "images/install.img"})
        out.files.insert(root + std::string(file));
    }
  }
  // Releases 8 and 9 of Red Hat's family (docs/ansible.md).
  if (!drivers.empty() && std::none_of(out.rpms.begin(), out.rpms.end(),
                                       [](const auto& r) { return r.first.find("epel") != std::string::npos; }))
    findings
        .note("mirror-epel-missing", drivers_at,
              "the NVIDIA driver of '" + drivers + "' needs dkms of EPEL, but no list of the mirror names EPEL")
        .help(
            "`outputs: { mirror: { extra: { mirror.repo: [ "
            "\"https://dl.fedoraproject.org/pub/epel/9/Everything/x86_64/\" ] } } }`, for your release and "
            "architecture; add the repository to the nodes by hand");
  return out;
}

// A name that dnf takes: the way of the repository.
std::string repository_id(std::string_view url) {
  std::string out = below_packages(url);
  std::replace(out.begin(), out.end(), '/', '-');
  return out;
}

bool is_line(std::string_view text) {
  const auto words = split(text, ' ');
  return (words.size() >= 3 && (words[0] == "deb" || words[0].starts_with("deb-"))) ||
         (words.size() == 2 && (words[0] == "clean" || words[0] == "skip-clean")) ||
         (words.size() == 3 && words[0] == "set");
}

void list(const CompileInput& in, const Needs& needs, const std::string& folder, Bundle& bundle, Findings& findings) {
  const std::string extra = install_extra(
      in, kList, is_line, "deb [arch=amd64] https://download.docker.com/linux/debian bookworm stable", findings);
  if (needs.debs.empty() && extra.empty()) return;
  bundle.open("mirror/mirror.list", "mirror");
  std::string& out = bundle.text();
  out += made_by(in, "mirror");
  out += "set base_path " + folder + "/.apt-mirror\nset mirror_path " + folder + "/packages\n";
  out += "# installations do not need the lists of files in packages\nset _contents 0\nset run_postmirror 0\n";
  for (const std::string& line : needs.debs) out += line, out += '\n';
  if (!extra.empty()) out += "# outputs.mirror.extra of the spec\n" + extra;
  bundle.close();
}

void repositories(const CompileInput& in, const Needs& needs, Bundle& bundle) {
  if (needs.rpms.empty()) return;
  bundle.open("mirror/mirror.repo", "mirror");
  bundle.text() += made_by(in, "mirror");
  IniWriter w(bundle.text());
  for (const auto& [url, source] : needs.rpms) {
    w.section(repository_id(url)).field("name", source.name).field("baseurl", url).field("enabled", 1);
    if (is_url(source.key))
      w.field("gpgcheck", 1).field("gpgkey", source.key);  // nodes have the distribution's own keys
  }
  bundle.close();
}

void images(const CompileInput& in, const Mirror& m, Bundle& bundle) {
  std::map<std::string, std::map<std::string, std::vector<std::string>>> by;  // registry, path, tags and digests
  for (const auto& image : m.images) {
    if (!image) continue;
    const std::size_t slash = image->find('/'), at = image->find('@'),
                      end = at != image->npos ? at : image->find(':', slash);
    if (slash == image->npos || end == image->npos) continue;  // told by the reader
    std::vector<std::string>& tags = by[image->substr(0, slash)][image->substr(slash + 1, end - slash - 1)];
    if (std::string tag = image->substr(end + 1); std::find(tags.begin(), tags.end(), tag) == tags.end())
      tags.push_back(std::move(tag));
  }
  bundle.open("mirror/images.yaml", "mirror");
  bundle.text() += made_by(in, "");
  YamlWriter y(bundle.text());
  y.begin_map();
  for (const auto& [registry, paths] : by) {
    y.map(registry).map("images");
    for (const auto& [path, tags] : paths) {
      y.list(path);
      for (const std::string& tag : tags) y.value(tag);
      y.end_list();
    }
    y.end_map().end_map();
  }
  y.end_map();
  bundle.close();

  bundle.open("mirror/registry.yml", "mirror");
  bundle.text() += made_by(in, "");
  YamlWriter r(bundle.text());
  r.begin_map()
      .field("version", "0.1")
      .map("log")
      .field("level", "warn")
      .map("accesslog")
      .field("disabled", true)
      .end_map()
      .end_map();
  r.map("storage")
      .map("cache")
      .field("blobdescriptor", "inmemory")
      .end_map()
      .map("filesystem")
      .field("rootdirectory", m.folder.value_or("") + "/registry")
      .end_map()
      .end_map();
  r.map("http").field("addr", kRegistry).field("relativeurls", true).end_map().end_map();
  bundle.close();
}

void fill(const CompileInput& in, const Needs& needs, const Mirror& m, bool list_made, Bundle& bundle) {
  bundle.open("mirror/fill.sh", "mirror", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n" + made_by(in, "");
  ShellWriter sh(out);
  sh.assign("folder", m.folder.value_or("")).assign("registry", kRegistry);
  for (const TemplateFile& file : template_files())
    if (file.path == "mirror/fill.sh") out += file.text;
  if (list_made) sh.command({"debs"});
  for (const std::string& path : needs.indexes) sh.command({"index", path});
  for (const auto& [url, source] : needs.rpms) sh.command({"rpms", repository_id(url), below_packages(url)});
  if (!needs.files.empty()) sh.command({"files"});
  if (has_images(in.cluster)) sh.command({"images"});
  sh.command({"done_with"});
  bundle.close();
}

void emit_mirror(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "mirror", {kList, kRpms}, findings);
  const auto server = mirror_server(in.system);
  if (!server) return;
  const Mirror& m = *server->spec;
  const Needs needs = needs_of(in, findings);
  list(in, needs, m.folder.value_or(""), bundle, findings);
  repositories(in, needs, bundle);
  if (!needs.files.empty()) {
    std::string text;
    for (const std::string& url : needs.files) text += url, text += '\n';
    bundle.add("mirror/files", "mirror", text);
  }
  if (has_images(in.cluster)) images(in, m, bundle);
  fill(in, needs, m, !needs.debs.empty() || extra_of(in, kList), bundle);
  if (server->group < 0) return;
  if (installer_of(in.cluster, server->group))
    findings
        .warning("mirror-installed-from-itself", m.server.span,
                 "'" + server->node + "' is the mirror, but would be installed over the network from itself")
        .help("give its group the role provisioning and install it from a medium, or name another server");
  // Of the distributions that are installed here Debian and Ubuntu pack a registry.
  const std::string os = in.cluster.nodes[static_cast<std::size_t>(server->group)].software->os.value_or("");
  if (has_images(in.cluster) && !os.empty() && !os.starts_with("debian-") && !os.starts_with("ubuntu-"))
    findings
        .warning("mirror-registry-unpacked", m.server.span,
                 "'" + one_line(os) + "' has no package of a registry: no output serves the images from '" +
                     server->node + "'")
        .help("use a server with Debian or Ubuntu, or run a registry of your own on it at " + std::string(kRegistry));
}

}  // namespace

extern const Output kMirrorOutput;  // registry.cc names it
const Output kMirrorOutput{
    .id = "mirror",
    .summary =
        "lists and scripts that fill a mirror of packages and container images, if the spec names one: repositories of "
        "every group, files of installers, images, the registry that serves them",
    .consumers = "apt-mirror 0.5, dnf 4 (reposync), wget, skopeo 1.9, docker-registry 2.8 and newer",
    .wanted = wants_mirror,
    .emit = emit_mirror,
};

}  // namespace clusterc
