// parallelcluster/cluster.yaml: the cluster for AWS ParallelCluster 3, if `outputs` of the spec names it: a queue of
// Slurm for each group of instances that run jobs, with EFA, placement groups and spot instances as the spec has them.
#include <algorithm>

#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_yaml.h"
#include "compile/template_text.h"
#include "spec/nodes.h"
#include "spec/output.h"
#include "spec/site.h"
#include "spec/software.h"
#include "spec/storage.h"
#include "system/slurm.h"
#include "system/slurm_power.h"
#include "write/writers.h"

namespace clusterc {
namespace {

constexpr std::string_view kFile = "cluster.yaml";

bool wants_parallelcluster(const Cluster& c) { return c.spec.outputs.find("parallelcluster") != nullptr; }

SourceSpan wish_of(const CompileInput& in) {
  const auto* wish = in.cluster.spec.outputs.find("parallelcluster");
  return wish ? wish->name_span : SourceSpan{};
}

// As `Image/Os` names them (docs.aws.amazon.com, "AWS ParallelCluster", Image section).
std::string_view os_of(std::string_view os) {
  struct Row {
    std::string_view ours, theirs;
  };
  constexpr Row kRows[] = {{"amazon-linux-2023", "alinux2023"},
                           {"ubuntu-22.04", "ubuntu2204"},
                           {"ubuntu-24.04", "ubuntu2404"},
                           {"rhel-8", "rhel8"},
                           {"rhel-9", "rhel9"},
                           {"rocky-8", "rocky8"},
                           {"rocky-9", "rocky9"}};
  for (const Row& r : kRows)
    if (os == r.ours) return r.theirs;
  return {};
}

// subnet-0123456789abcdef0: a word, a hyphen and 8 or 17 hexadecimal digits (EC2 user guide, "Resource IDs").
bool is_id(std::string_view text, std::string_view word) {
  if (!text.starts_with(word) || text.size() <= word.size() || text[word.size()] != '-') return false;
  const std::string_view digits = text.substr(word.size() + 1);
  return (digits.size() == 8 || digits.size() == 17) && std::all_of(digits.begin(), digits.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool is_instance_type(std::string_view text) {  // m7i.2xlarge
  const std::size_t dot = text.find('.');
  return dot != text.npos && dot > 1 && dot + 1 < text.size() && text.size() <= 40 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-'; }) &&
         text.find('.', dot + 1) == text.npos;
}

// Names of queues and of their instances (AWS ParallelCluster 3.16, validators/cluster_validators.py: NameValidator).
bool is_queue_name(std::string_view name) {
  constexpr std::size_t kLongest = 25;
  return !name.empty() && name.size() <= kLongest && name != "default" && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

class Writer {
 public:
  Writer(const CompileInput& in, Findings& findings) : in_(in), c_(in.cluster), findings_(findings) {}

  // Whether all is there that the file needs.
  bool check() {
    const std::size_t before = findings_.count(Severity::error);
    const auto& site = c_.spec.site;
    const auto& scheduler = c_.spec.software->scheduler;
    if (!scheduler || !scheduler->kind || *scheduler->kind != SchedulerKind::slurm)
      findings_
          .error("parallelcluster-scheduler-missing", wish_of(in_),
                 "AWS ParallelCluster sets up Slurm, but the spec has no `scheduler: slurm`")
          .help("write `scheduler: slurm`, or remove parallelcluster from `outputs`");
    if (!site || c_.own_site || site->provider.value_or("") != "aws" || !site->location || !site->aws)
      findings_
          .error("parallelcluster-site-unsaid", wish_of(in_),
                 "AWS ParallelCluster needs a cloud at AWS with its region, a subnet and the instance of the head node")
          .help(
              "write `site: { kind: cloud, provider: aws, location: us-east-1, aws: { subnet: subnet-…, "
              "head_instance: m7i.2xlarge } }`");
    else
      identifiers(*site->aws);
    for (std::size_t g = 0; g < c_.nodes.size(); ++g) queue_of(static_cast<int>(g));
    return findings_.count(Severity::error) == before;
  }

  void write(Bundle& bundle) {
    const Site& site = *c_.spec.site;
    const AwsSite& aws = *site.aws;
    bundle.open("parallelcluster/" + std::string(kFile), "parallelcluster");
    std::string& out = bundle.text();
    out += made_by(in_, "parallelcluster");
    YamlWriter y(out);
    y.begin_map().field("Region", *site.location).map("Image").field("Os", os_).end_map();
    y.map("HeadNode").field("InstanceType", aws.head_instance.value_or(""));
    y.map("Networking").field("SubnetId", aws.head_subnet.or_else(aws.subnet).value_or("")).end_map();
    if (aws.key_pair) y.map("Ssh").field("KeyName", *aws.key_pair).end_map();
    y.end_map();
    y.map("Scheduling").field("Scheduler", "slurm").list("SlurmQueues");
    for (const int g : queues_) queue(y, g, aws);
    y.end_list();
    if (const auto& power = c_.spec.software->scheduler->power_saving; power && power->idle)
      y.map("SlurmSettings")
          .field("ScaledownIdletime", std::max<std::int64_t>(1, static_cast<std::int64_t>(power->idle->value / 60)))
          .end_map();
    y.end_map();
    storage(y);
    y.end_map();
    for (const YamlEntry& e : yaml_entries(in_, kFile, {"Region", "Image", "HeadNode", "Scheduling", "SharedStorage"},
                                           "Tags: [ { Key: project, Value: nimbus } ]", findings_))
      out += e.text;
    bundle.close();
  }

 private:
  void malformed(const Value<std::string>& value, std::string_view key, std::string_view example) {
    findings_
        .error("parallelcluster-value-malformed", value.span,
               "'" + std::string(key) + "' is '" + one_line(value->substr(0, 60)) +
                   "', but identifiers of AWS have another form")
        .help("write `" + std::string(key) + ": " + std::string(example) + "`");
  }

  void identifiers(const AwsSite& aws) {
    if (aws.subnet && !is_id(*aws.subnet, "subnet")) malformed(aws.subnet, "subnet", "subnet-0123456789abcdef0");
    if (aws.head_subnet && !is_id(*aws.head_subnet, "subnet"))
      malformed(aws.head_subnet, "head_subnet", "subnet-0123456789abcdef0");
    if (aws.image && !is_id(*aws.image, "ami")) malformed(aws.image, "image", "ami-0123456789abcdef0");
    if (aws.head_instance && !is_instance_type(*aws.head_instance))
      malformed(aws.head_instance, "head_instance", "m7i.2xlarge");
  }

  void queue_of(int group) {
    const NodeGroupModel& g = c_.nodes[static_cast<std::size_t>(group)];
    if (g.count == 0 || !runs_slurmd(c_, g)) return;
    if (aws_instance_type(g).empty()) {
      findings_
          .error("parallelcluster-instance-missing", g.span,
                 "nodes of '" + g.name + "' run jobs, but are no instances of AWS")
          .help("write `instance: aws-p5-48xlarge`, or another instance of the catalogue");
      return;
    }
    const Value<std::string>& os = g.software->os;
    const std::string_view theirs = os_of(os.value_or(""));
    if (theirs.empty() || (!os_.empty() && os_ != theirs))
      findings_
          .error("parallelcluster-os-unsupported", os ? os.span : g.span,
                 theirs.empty() ? "AWS ParallelCluster has no image of the operating system of '" + g.name + "'"
                                : "nodes of '" + g.name +
                                      "' have another operating system than those before, but AWS "
                                      "ParallelCluster has one for all")
          .help("write `os: ubuntu-22.04`, or ubuntu-24.04, amazon-linux-2023, rhel-9 or rocky-9, for all groups");
    os_ = theirs;
    if (!is_queue_name(g.name))
      findings_
          .error("parallelcluster-value-malformed", g.span,
                 "'" + g.name +
                     "' cannot name a queue of AWS ParallelCluster, which takes 25 lower-case letters, digits and "
                     "hyphens at most, after a letter, and not 'default'")
          .help("write a name such as `gpu-a` for the group");
    queues_.push_back(group);
  }

  bool has_efa(int group) const {
    return std::any_of(c_.networks.begin(), c_.networks.end(), [&](const NetworkModel& n) {
      return n.kind == LinkKind::efa &&
             std::any_of(n.ends.begin(), n.ends.end(), [&](const EndPoints& e) { return e.group == group; });
    });
  }

  // A group that is not started on demand always runs: MinCount is MaxCount.
  void queue(YamlWriter& y, int group, const AwsSite& aws) {
    const NodeGroupModel& g = c_.nodes[static_cast<std::size_t>(group)];
    const bool efa = has_efa(group);
    y.begin_map().field("Name", g.name).field("CapacityType", g.spec->spot ? "SPOT" : "ONDEMAND");
    y.map("Networking").list("SubnetIds").value(aws.subnet.value_or("")).end_list();
    if (efa) y.map("PlacementGroup").field("Enabled", true).end_map();
    y.end_map();
    if (aws.image) y.map("Image").field("CustomAmi", *aws.image).end_map();
    y.list("ComputeResources").begin_map().field("Name", g.name);
    y.list("Instances").begin_map().field("InstanceType", aws_instance_type(g)).end_map().end_list();
    y.field("MinCount", starts_on_demand(c_, g) ? 0 : g.count).field("MaxCount", g.count);
    if (efa) y.map("Efa").field("Enabled", true).end_map();
    y.end_map().end_list().end_map();
  }

  // FSx for Lustre by the number of its file system, which begins the name of its host.
  void storage(YamlWriter& y) {
    bool begun = false;
    for (const StorageModel& s : c_.storage) {
      if (!s.spec || !s.spec->kind || !s.spec->mount || *s.spec->kind == StorageKind::local) continue;
      const std::string host =
          s.spec->servers && s.spec->servers->external ? *s.spec->servers->external : std::string();
      const std::string id = host.substr(0, host.find('.'));
      const bool lustre = *s.spec->kind == StorageKind::lustre, nfs = *s.spec->kind == StorageKind::nfs;
      if (!is_id(id, "fs") || !(lustre || nfs)) {
        findings_
            .note("parallelcluster-storage-left", s.span,
                  "storage '" + s.name + "' is not mounted: no file system of FSx for Lustre or EFS, by its number")
            .help(
                "write `servers: { external: fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com }`, or mount it with "
                "scripts of your own");
        continue;
      }
      if (!begun) y.list("SharedStorage"), begun = true;
      y.begin_map()
          .field("Name", s.name)
          .field("MountDir", *s.spec->mount)
          .field("StorageType", lustre ? "FsxLustre" : "Efs");
      y.map(lustre ? "FsxLustreSettings" : "EfsSettings").field("FileSystemId", id).end_map().end_map();
    }
    if (begun) y.end_list();
  }

  const CompileInput& in_;
  const Cluster& c_;
  Findings& findings_;
  std::vector<int> queues_;
  std::string_view os_;
};

void emit_parallelcluster(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "parallelcluster", {kFile}, findings);
  Writer writer(in, findings);
  if (writer.check()) writer.write(bundle);
}

}  // namespace

extern const Output kParallelClusterOutput;  // registry.cc names it
const Output kParallelClusterOutput{
    .id = "parallelcluster",
    .summary =
        "the cluster for AWS ParallelCluster, if `outputs` of the spec names it: queues with EFA, placement groups and "
        "spot instances, file systems of FSx and EFS",
    .consumers = "AWS ParallelCluster 3.8 and newer",
    .wanted = wants_parallelcluster,
    .emit = emit_parallelcluster,
};

}  // namespace clusterc
