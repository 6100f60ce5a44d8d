#include "system/object_store.h"

#include <algorithm>

#include "base/text.h"
#include "model/storage_path.h"
#include "spec/nodes.h"
#include "spec/storage.h"
#include "system/file_systems.h"
#include "system/mount_source.h"

namespace clusterc {
namespace {

constexpr std::int64_t kEvery = 3600;  // as the language says
constexpr double kLeastEvery = 60, kMostEvery = 31536000;

bool is_plain(std::string_view text, std::string_view also) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also.find(c) != std::string_view::npos;
  });
}

// Amazon S3, "General purpose bucket naming rules": 3 to 63 lower-case letters, digits, dots and hyphens, a letter or a
// digit at both ends, no two dots.
bool is_bucket(std::string_view text) {
  const auto end = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return text.size() >= 3 && text.size() <= 63 && end(text.front()) && end(text.back()) &&
         text.find("..") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [&](char c) { return end(c) || c == '.' || c == '-'; });
}

// "https://s3.example.org:9000/checkpoints"
bool read_source(std::string_view text, ObjectStore& out) {
  const std::size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  const std::size_t slash = scheme == 0 ? std::string_view::npos : text.find('/', scheme);
  if (slash == std::string_view::npos) return false;
  std::string_view host = text.substr(scheme, slash - scheme);
  if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
    const std::string_view port = host.substr(colon + 1);
    if (port.empty() || port.size() > 5 ||
        !std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return false;
    host = host.substr(0, colon);
  }
  out.end_point = text.substr(0, slash), out.bucket = text.substr(slash + 1);
  return is_mount_host(host) && is_bucket(out.bucket);
}

class Judge {
 public:
  Judge(const Cluster& c, const Plan& plan, int storage, Findings& findings)
      : c_(c), plan_(plan), s_(c.storage[static_cast<std::size_t>(storage)]), findings_(findings) {
    out_.storage = storage, out_.name = s_.name;
  }

  std::optional<ObjectStore> judge() {
    if (!read_source(*s_.spec->source, out_))
      fail(s_.spec->source.span, "its `source` is no end point with a bucket",
           "write both, such as `source: \"https://s3.example.org/checkpoints\"`");
    else if (out_.end_point.starts_with("http:"))
      findings_
          .warning("s3-without-tls", s_.spec->source.span,
                   "whoever listens in the network of '" + s_.name + "' can read and change what is copied there")
          .help("write `source: \"https" + s_.spec->source->substr(4) + "\"` if the store has a certificate");
    secret();
    for (const int g : groups_named_by(c_, *s_.spec))
      if (const NodeGroupModel& of = c_.nodes[static_cast<std::size_t>(g)];
          of.count > 0 && (of.computes || !s_.spec->on.empty()))
        out_.groups.push_back(g);
    if (s_.spec->copies && out_.groups.empty())
      fail(s_.spec->copies->span, "no nodes reach it", "name a node group in `on`");
    else if (s_.spec->copies)
      copies();
    return good_ ? std::optional(out_) : std::nullopt;
  }

 private:
  void fail(SourceSpan at, const std::string& why, const std::string& help) {
    good_ = false;
    findings_.error("s3-incomplete", at.valid() ? at : s_.span, "'" + s_.name + "' cannot be reached: " + why)
        .help(help);
  }

  void secret() {
    const std::string help =
        "write `secret: { file: /etc/cluster/s3-credentials }`: a file of AWS credentials on the nodes";
    const auto& secret = s_.spec->secret;
    if (!secret) return fail(s_.span, "it has no `secret`", help);
    if (!secret->file) return fail(secret->span, "its `secret` must be a file on the nodes", help);
    if (!secret->file->starts_with('/') || !is_plain(*secret->file, "/._-"))
      return fail(secret->file.span, "the path of its `secret` has other signs than letters, digits and / . _ -", help);
    out_.credentials = *secret->file;
  }

  void copies() {
    const StorageCopies& copies = *s_.spec->copies;
    const StorageModel* from = nullptr;
    for (const StorageModel& s : c_.storage)
      if (copies.from && s.name == *copies.from) from = &s;
    const int group = out_.groups.front();
    const std::string& copier = c_.nodes[static_cast<std::size_t>(group)].name;
    if (!from || !is_mounted_by_us(c_, plan_, static_cast<int>(from - c_.storage.data()), group))
      return fail(copies.from ? copies.from.span : copies.span,
                  "'" + copies.from.value_or("") + "' is not mounted on '" + copier + "', which makes the copies",
                  "write in `from` a storage that '" + copier +
                      "' mounts, or write a group that mounts it as the first in `on`");
    const std::string folder = copies.folder.value_or("");
    if (!is_plain(folder, "/._-") || folder.starts_with('/') || ("/" + folder + "/").find("/../") != std::string::npos)
      return fail(copies.folder.span, "the folder to copy must be below '" + *from->spec->mount + "'",
                  "write it without the path of the mount: `folder: checkpoints`");
    out_.mount = *from->spec->mount;
    out_.from = folder.empty() ? out_.mount : out_.mount + "/" + folder;
    out_.prefix = folder.empty() ? from->name : from->name + "/" + folder;
    const double every = copies.every ? copies.every->value : static_cast<double>(kEvery);
    if (every < kLeastEvery || every > kMostEvery)
      return fail(copies.every.span, "the time between copies must be from a minute to a year", "write `every: 1 h`");
    out_.every_seconds = static_cast<std::int64_t>(every);
    if (copies.rate)
      out_.kib_per_second = std::max<std::int64_t>(1, static_cast<std::int64_t>(copies.rate->value / 1024));
  }

  const Cluster& c_;
  const Plan& plan_;
  const StorageModel& s_;
  Findings& findings_;
  ObjectStore out_;
  bool good_ = true;
};

}  // namespace

bool is_reached(const StorageModel& s) {
  return s.spec && s.spec->kind && *s.spec->kind == StorageKind::object && s.spec->source;
}

std::optional<ObjectStore> object_store(const Cluster& c, const Plan& plan, int storage, Findings& findings) {
  if (!is_reached(c.storage[static_cast<std::size_t>(storage)])) return std::nullopt;
  return Judge(c, plan, storage, findings).judge();
}

}  // namespace clusterc
