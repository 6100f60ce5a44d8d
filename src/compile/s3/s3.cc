// s3/STORAGE/: clients of an object store.
//   rclone.conf, aws-config        end point and where the credentials are: no file here has them
//   copy-checkpoints, cluster-copy.service, .timer    what is copied there, in place of deleting or synchronizing
#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "compile/template_text.h"
#include "spec/storage.h"
#include "system/object_store.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool wants_s3(const Cluster& c) { return std::any_of(c.storage.begin(), c.storage.end(), is_reached); }

void clients(const CompileInput& in, const ObjectStore& s, const std::string& folder, Bundle& bundle) {
  bundle.open(folder + "rclone.conf", "s3");
  std::string& rclone = bundle.text();
  rclone += made_by(in, "");
  IniWriter(rclone, " = ")
      .section(s.name)
      .field("type", "s3")
      .field("provider", "Other")
      .field("env_auth", true)  // by the credentials file that is named here, or by variables of who runs it
      .field("shared_credentials_file", s.credentials)
      .field("profile", s.name)
      .field("endpoint", s.end_point)
      .field("no_check_bucket", true);  // it makes no bucket
  bundle.close();
  bundle.open(folder + "aws-config", "s3");
  std::string& aws = bundle.text();
  aws += made_by(in, "");
  IniWriter(aws, " = ")
      .section("profile " + s.name)
      .field("region", "us-east-1")  // what stores of other makers take (rclone: s3, region)
      .field("endpoint_url", s.end_point);
  bundle.close();
}

void copies(const CompileInput& in, const ObjectStore& s, const std::string& folder, Bundle& bundle) {
  std::string out = "#!/bin/sh\n" + made_by(in, "") + "set -eu\n";
  ShellWriter(out)
      .assign("store", s.name)
      .assign("bucket", s.bucket)
      .assign("secret", s.credentials)
      .assign("mount", s.mount)
      .assign("from", s.from)
      .assign("prefix", s.prefix)
      .assign("rate", s.kib_per_second == 0 ? std::string("off") : std::to_string(s.kib_per_second) + "k");
  out += template_text("s3/copy-checkpoints.sh");
  bundle.add(folder + "copy-checkpoints", "s3", out, 0755);
  for (const std::string_view kind : {"service", "timer"}) {
    std::string unit = made_by(in, "") + std::string(template_text("s3/cluster-copy." + std::string(kind)));
    if (kind == "timer") unit = replace_all(unit, "@EVERY@", std::to_string(s.every_seconds));
    bundle.add(folder + "cluster-copy-" + s.name + "." + std::string(kind), "s3",
               replace_all(unit, "@STORAGE@", s.name));
  }
}

void emit_s3(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "s3", {}, findings);
  for (std::size_t i = 0; i < in.cluster.storage.size(); ++i) {
    const auto store = object_store(in.cluster, in.plan, static_cast<int>(i), findings);
    if (!store) continue;
    const std::string folder = "s3/" + store->name + "/";
    clients(in, *store, folder, bundle);
    if (!store->from.empty()) copies(in, *store, folder, bundle);
  }
}

}  // namespace

extern const Output kS3Output;  // registry.cc names it
const Output kS3Output{
    .id = "s3",
    .summary = "clients of object stores, and copies of checkpoints there",
    .consumers = "rclone 1.60 and newer, AWS CLI 2",
    .wanted = wants_s3,
    .emit = emit_s3,
};

}  // namespace clusterc
