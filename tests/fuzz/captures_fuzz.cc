// Any bytes at all as a record of the node probe, as what scontrol, kubectl or sha256sum print, and as a file of saved
// captures, compared with a small planned cluster: each finding has a text, each planned node has one outcome, and what
// was saved reads back as it was.
#include <cstdint>
#include <string>
#include <string_view>

#include "audit/bmc_answer.h"
#include "audit/captures.h"
#include "audit/file_sums.h"
#include "audit/netbox.h"
#include "audit/node_audit.h"
#include "audit/scheduler_audit.h"
#include "broken.h"
#include "pipeline.h"

namespace {

using namespace clusterc;

constexpr const char* kSpec = R"(clusterc: 1
name: small
site: { region: iec, altitude: 100 m, supply: { phases: 3, voltage: 400 V } }
racks:
  main: { names: "r1", model: generic-48u-800x1200 }
nodes:
  n: { names: "n[1-2]", model: nvidia-dgx-h100, racks: main }
software: { os: ubuntu-22.04, gpu_driver: 580, acs: false, limits: { memlock: unlimited, nofile: 1048576 } }
)";

Run& small_run() {
  static const auto run = [] {
    RunOptions options;
    options.from_stdin = true;
    options.stdin_text = kSpec;
    auto made = run_pipeline("-", Stage::planned, options);
    if (!made->plan || made->findings.count(Severity::error)) broken("the spec of the test is wrong", kSpec);
    return made;
  }();
  return *run;
}

void check(const Findings& findings, const NodeCounts& counts, std::int64_t nodes, const std::string& text) {
  for (const Finding& f : findings.all())
    if (f.message.empty() || f.message.find('\n') != f.message.npos) broken("a finding without a line of text", text);
  if (counts.read() + counts.unread != nodes) broken("a node without an outcome, or with two", text);
}

void as_node_record(const std::string& text) {
  std::string error;
  auto record = read_node_record(text, error);
  if (record.has_value() != error.empty()) broken("neither a record nor an error, or both", text);
  if (!record) return;
  const Run& run = small_run();
  Findings findings;
  NodeDifferences differences(*run.plan, findings, AuditSubject::nodes);
  const std::vector<AuditedRecord> records = {{{0, 0}, *record}, {{0, 1}, *record}};
  compare_nodes(*run.cluster, {{{"iommu=pt", "nosmt"}, "unlimited"}}, records, differences);
  check(findings, differences.report(), 2, text);
  for (const Finding& f : findings.all())
    if (f.rule == "audit-node-unequal") broken("two nodes with one record differ", text);
}

void as_scheduler(const std::string& text) {
  const Run& run = small_run();
  for (const bool slurm : {true, false}) {
    SeenScheduler seen;
    std::string error;
    if ((slurm ? read_scontrol(text, seen, error) : read_kubectl(text, seen, error)) != error.empty())
      broken("neither the scheduler's words nor an error, or both", text);
    PlannedScheduler planned;
    planned.product = slurm ? "Slurm" : "Kubernetes";
    planned.version = "24.11";
    planned.cluster = "small";
    planned.controllers = {"head1"};
    for (const std::int64_t member : {0, 1}) {
      PlannedSchedulerNode node;
      node.node = {0, member};
      node.name = member == 0 ? "n1" : "n2";
      node.cpus = 224, node.sockets = 2, node.memory_mib = 2031616, node.gpus = 8;
      node.gres = {"gpu:h100:8"}, node.features = {"gpu"}, node.labels = {{"clusterc/group", "n"}};
      planned.nodes.push_back(std::move(node));
    }
    planned.switches = {{"leaf1", "n[1-2]", ""}, {"spine", "", "leaf1"}};
    Findings findings;
    NodeDifferences differences(*run.plan, findings, AuditSubject::scheduler);
    compare_scheduler(planned, seen, {}, findings, differences);
    check(findings, differences.report(), seen.has_nodes ? 2 : 0, text);
  }
}

void as_file_sums(const std::string& text) {
  const Run& run = small_run();
  const CompiledFiles compiled({{"slurm/slurm.conf", std::string(64, 'a')}, {"hosts/hosts", std::string(64, 'b')}});
  for (const std::string_view node : {"", "n1"}) {
    Findings findings;
    NodeDifferences differences(*run.plan, findings, AuditSubject::files);
    std::vector<FileSum> all;
    for (const auto& [name, sums] : read_file_sums(text, node).by_node) all.insert(all.end(), sums.begin(), sums.end());
    const FileCounts counts = compare_files(compiled, {0, 0}, "n1", "n", all, differences);
    if (counts.same > counts.compared) broken("more files agree than were compared", text);
    check(findings, differences.report(), 1, text);
  }
}

void as_captures(const std::string& text) {
  std::string error;
  const auto captures = read_captures(text, error);
  if (captures.has_value() != error.empty()) broken("neither captures nor an error, or both", text);
  if (!captures) return;
  const auto again = read_captures(captures_text(*captures, "1", "2"), error);
  if (!again || again->size() != captures->size()) broken("what is saved does not read back", text);
  for (std::size_t i = 0; i < again->size(); ++i)
    if ((*again)[i].text != (*captures)[i].text) broken("what is saved reads back as another text", text);
}

void as_bmc_answer(const std::string& text) {
  BmcAnswer answer, again;
  std::string address, other;
  if (!read_bmc_answer(text, answer, address)) return;
  const std::string kept = bmc_answer_text(answer, address);
  if (!read_bmc_answer(kept, again, other) || other != address || bmc_answer_text(again, other) != kept)
    broken("what a BMC said reads back otherwise", text);
}

void as_netbox(const std::string& text) {
  const Run& run = small_run();
  Sources sources;
  Findings findings;
  SeenNetbox seen;
  if (!read_netbox(sources, sources.add("netbox.csv", text), seen, findings)) return;
  const NetboxCounts counts = compare_netbox(*run.plan, seen, findings);
  if (counts.same_devices > counts.devices || counts.same_cables > counts.cables)
    broken("more agrees with NetBox than is planned", text);
  for (const Finding& f : findings.all())
    if (f.message.empty() || f.span.begin > f.span.end || f.span.end > text.size())
      broken("a finding without a place in the text", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  as_node_record(text);
  as_scheduler(text);
  as_file_sums(text);
  as_captures(text);
  as_bmc_answer(text);
  as_netbox(text);
  return 0;
}

#include "fuzz_main.h"
