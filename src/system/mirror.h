// Packages and images for sites without internet. On the mirror the way of a file is that of its source:
// https://HOST/PATH is served as https://MIRROR/packages/HOST/PATH, an image REGISTRY/PATH:TAG as
// MIRROR/REGISTRY/PATH:TAG. So no two repositories meet in one folder, and who reads a file knows where it is from.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/install.h"
#include "system/packages.h"

namespace clusterc {

struct Mirror;

bool has_mirror(const Cluster&);  // the spec names one

struct MirrorServer {
  const Mirror* spec = nullptr;
  std::string host;  // as the spec has it, and as certificates must
  std::string node;  // of this cluster, by its name; empty: a machine that is none of its
  int group = -1;
  std::int64_t member = 0;
  std::uint32_t address = 0;  // that its plain name means; 0: none
};
std::optional<MirrorServer> mirror_server(const System&);      // nullopt: the spec names none
bool has_images(const Cluster&);                               // images are mirrored
std::vector<std::string> mirrored_registries(const Cluster&);  // whose images these are, in the order of the spec

// Where a file of the internet lies below the mirror's URL.
std::string mirrored(std::string_view url, std::string_view base);
// That URL for installers in a network, which know no authority of the site: over HTTP, by its address there, else by
// the one that its name means. Empty: no mirror.
std::string installer_mirror(const System&, int network);

// The archive of a distribution's security updates; empty: they come with the others.
std::string_view security_mirror(const KnownRelease&);
// A distribution's own repositories, as its machines know them; for apt `key` is the file on them that they are signed
// by, for dnf it is empty.
std::vector<PackageSource> distribution_sources(const NodeGroupModel&);

}  // namespace clusterc
