// The section `teams` of a spec: who shares the cluster.
#pragma once
#include <string>
#include <vector>

#include "fields/fields.h"
#include "fields/scalars.h"

namespace clusterc {

struct QuotaAmount {  // "32 gpus", "1200 cores"
  SourceSpan span;
  Value<std::int64_t> amount;
  Value<std::string> of;
  static constexpr std::string_view type_name = "quota";
  static bool from_text(std::string_view, QuotaAmount&, std::string& error);
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("amount", s.amount, {.required = true, .doc = "how many", .least = 0, .most = 1e9});
    v("of", s.of, {.required = true, .doc = "what is counted", .words = "gpus|cores|nodes"});
  }
};
struct StorageQuota {  // "50 TB"
  SourceSpan span;
  Value<Bytes> space;
  Value<std::int64_t> files;
  static constexpr std::string_view type_name = "storage quota", example = "50 TB";
  static bool from_text(std::string_view, StorageQuota&, std::string& error);  // the space
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("space", s.space, {.doc = "most bytes of all of its files"});
    v("files", s.files, {.doc = "most files and folders", .least = 0, .most = 1e15});
  }
};
struct Team {
  SourceSpan span;
  Value<double> share;
  NamedMap<QuotaAmount> quota;
  NamedMap<StorageQuota> storage;
  std::vector<Value<std::string>> users;
  Value<std::int64_t> gid;
  static constexpr std::string_view type_name = "team";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("share", s.share, {.doc = "fair share: 60 %", .least = 0, .most = 1});
    v("quota", s.quota, {.doc = "most that it may use, by node group: { h100: 32 gpus }"});
    v("storage", s.storage, {.doc = "most that it may keep, by storage of kind lustre or beegfs: { scratch: 50 TB }"});
    v("users", s.users, {.doc = "accounts"});
    v("gid", s.gid,
      {.doc = "number of the Unix group that owns the team's folders: sessions of notebooks under Kubernetes have it",
       .least = 1,
       .most = 4294967294});
  }
};

}  // namespace clusterc
