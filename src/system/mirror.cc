#include "system/mirror.h"

#include <algorithm>

#include "base/ip.h"
#include "model/named_hosts.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "system/interfaces.h"

namespace clusterc {

bool has_mirror(const Cluster& c) { return c.spec.software->mirror && c.spec.software->mirror->server; }

std::optional<MirrorServer> mirror_server(const System& in) {
  const Cluster& c = in.cluster;
  if (!has_mirror(c)) return std::nullopt;
  MirrorServer out{.spec = &*c.spec.software->mirror, .host = *c.spec.software->mirror->server};
  const std::string_view name = without_domain(c, out.host);
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const std::int64_t member = c.nodes[g].names.index_of(name);
    if (member < 0) continue;
    out.node = name, out.group = static_cast<int>(g), out.member = member;
    if (const Home home = home_of(c, in.plan, out.group); home.network >= 0)
      out.address = in.plan.address(home.network, home.end_points, member, 0);
    break;
  }
  return out;
}

bool has_images(const Cluster& c) { return has_mirror(c) && !c.spec.software->mirror->images.empty(); }

std::vector<std::string> mirrored_registries(const Cluster& c) {
  std::vector<std::string> out;
  if (!has_mirror(c)) return out;
  for (const auto& image : c.spec.software->mirror->images)
    if (image && image->find('/') != image->npos)
      if (std::string registry = image->substr(0, image->find('/'));
          std::find(out.begin(), out.end(), registry) == out.end())
        out.push_back(std::move(registry));
  return out;
}

std::string mirrored(std::string_view url, std::string_view base) {
  const std::size_t begin = url.find("://");
  return std::string(base) + "/" + std::string(begin == url.npos ? url : url.substr(begin + 3));
}

std::string installer_mirror(const System& in, int network) {
  const auto server = mirror_server(in);
  if (!server) return {};
  std::uint32_t address = server->address;
  if (const int beside = server->group >= 0 ? end_points_of(in.cluster, network, server->group) : -1; beside >= 0)
    address = in.plan.address(network, beside, server->member, 0);
  return "http://" + (address != 0 ? ipv4_text(address) : server->host) + "/packages";
}

// https://www.debian.org/security/ (security.debian.org/debian-security, SUITE-security); Ubuntu: what its installer
// writes, where ports.ubuntu.com has both.
std::string_view security_mirror(const KnownRelease& r) {
  if (r.family == "debian") return "http://security.debian.org/debian-security";
  if (r.family == "ubuntu") return r.arm ? "http://ports.ubuntu.com/ubuntu-ports" : "http://security.ubuntu.com/ubuntu";
  return {};
}

std::vector<PackageSource> distribution_sources(const NodeGroupModel& g) {
  const auto r = known_release(g);
  if (!r || r->mirror.empty()) return {};
  const std::string suite(r->codename);
  if (r->family == "debian" || r->family == "ubuntu") {
    // Firmware has an archive area of its own since Debian 12 (its release notes, 2.2); Ubuntu's Slurm and munge are in
    // universe, Slurm's plugin for MIG in multiverse and contrib, where what NVIDIA's drivers ask for is, too.
    const std::string areas = r->family == "ubuntu" ? "main restricted universe multiverse"
                              : r->number == "11"   ? "main contrib"
                                                    : "main contrib non-free-firmware";
    const std::string key = "/usr/share/keyrings/" + std::string(r->family) + "-archive-keyring.gpg", name(r->family);
    return {{name, r->mirror, suite + " " + suite + "-updates", areas, key},
            {name + "-security", std::string(security_mirror(*r)), suite + "-security", areas, key}};
  }
  std::vector<PackageSource> out;
  for (const std::string_view part : {"BaseOS", "AppStream"})
    out.push_back({std::string(part),
                   r->mirror + "/" + std::string(part) + "/" + (r->arm ? "aarch64" : "x86_64") + "/os/", "", "", ""});
  return out;
}

}  // namespace clusterc
