#include "cli/audit_nodes.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

#include "audit/node_audit.h"
#include "base/file.h"
#include "base/format.h"
#include "base/host_pattern.h"
#include "base/index.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"
#include "cli/bundle.h"
#include "cli/validate_choices.h"
#include "model/group_ends.h"
#include "model/named_hosts.h"
#include "system/node_files.h"
#include "system/node_settings.h"

namespace clusterc::cli {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;  // records of 2,000 large nodes in one file
constexpr std::uint64_t kLargestFolder = std::uint64_t{4} << 30;

std::atomic<bool> probes_interrupted{false};
extern "C" void end_probes(int) { probes_interrupted.store(true); }

std::vector<std::string> every_node(const Cluster& c) {
  std::vector<std::string> out;
  for (const NodeGroupModel& group : c.nodes)
    for (std::int64_t i = 0; i < group.count; ++i) out.push_back(group.names.name(i));
  return out;
}

std::string whole(const std::string& path, std::uint64_t most) {
  FileError error;
  auto text = read_file(path == "-" ? "/dev/stdin" : path, most, error);
  if (!text) throw UsageError{"--nodes: " + error.message};
  return std::move(*text);
}

std::vector<Captured> read_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (std::error_code other; !at->path().filename().string().starts_with('.') && at->is_regular_file(other))
      paths.push_back(at->path().string());
  if (failed) throw UsageError{"--nodes: '" + folder + "' cannot be read: " + failed.message()};
  if (paths.empty())
    throw UsageError{"--nodes: '" + folder +
                     "' has no file: write what clusterc-probe prints into a file for each node"};
  std::ranges::sort(paths);
  std::vector<Captured> out;
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    out.push_back({"node-file", path, whole(path, kLargestNodeRecord + (1U << 20))});
    if ((bytes += out.back().text.size()) > kLargestFolder)
      throw UsageError{"--nodes: the files in '" + folder + "' have more than 4 GiB"};
  }
  return out;
}

// The lines of one node, or why there are none.
Captured outcome(const std::string& node, const LaunchResult& result) {
  const auto task = std::ranges::find(result.tasks, node, &TaskOutput::node);
  const auto last = [](const std::vector<std::string>& lines) {
    return lines.empty() ? std::string("it printed nothing") : printable(lines.back().substr(0, 400));
  };
  if (task == result.tasks.end())
    return {"node-unread", node,
            "the probe did not answer: " + (result.error.empty() ? "no answer came" : result.error)};
  if (!task->broken.empty()) return {"node-unread", node, "the probe did not answer: " + task->broken};
  for (const std::string& line : task->lines)
    if (is_node_record(line)) return {"node", node, line + "\n"};
  return {"node-unread", node,
          "the probe did not answer: " + last(task->complaints.empty() ? task->lines : task->complaints)};
}

std::vector<Captured> probe_nodes(const Run& run, const std::vector<std::string>& nodes,
                                  const po::variables_map& given) {
  if (given.count("launcher") && given["launcher"].as<std::string>() == "kubernetes")
    throw UsageError{
        "--launcher kubernetes starts no probe for audit: collect the records, and give their folder, --nodes DIR"};
  const std::string here = find_bundle(given["bundle"].as<std::string>());
  const std::string copied = copy_folder(given);
  const std::unique_ptr<Launcher> launcher = chosen_launcher(given, run, "", &probes_interrupted);
  if (std::string why; !launcher->available(why)) throw UsageError{"--nodes: " + why};
  struct sigaction action {
  }, before{};
  action.sa_handler = end_probes;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &before);
  std::vector<Captured> out;
  std::vector<NodeState> states = launcher->states(nodes);
  std::vector<std::string> usable;
  const auto sort_out = [&](const std::vector<std::string>& asked, const std::vector<NodeState>& now) {
    usable.clear();
    for (std::size_t i = 0; i < asked.size(); ++i)
      if (now[i].usable)
        usable.push_back(asked[i]);
      else
        out.push_back({"node-unread", asked[i], printable(now[i].why)});
  };
  sort_out(nodes, states);
  if (!copied.empty() && !usable.empty()) {
    const std::vector<std::string> asked = usable;
    sort_out(asked, launcher->copy(here, copied, asked));
  }
  if (!usable.empty() && !probes_interrupted.load()) {
    const Launch launch{.argv = {(copied.empty() ? here : copied) + "/clusterc-probe", "--format", "json"},
                        .nodes = usable,
                        .together = false,
                        .timeout = std::chrono::minutes(5),
                        .interrupted = &probes_interrupted};
    const LaunchResult result = launcher->run(launch);
    for (const std::string& node : usable) out.push_back(outcome(node, result));
  }
  ::sigaction(SIGINT, &before, nullptr);
  if (probes_interrupted.load()) {
    put_error("interrupted: nothing was compared\n");
    std::signal(SIGINT, SIG_DFL);
    ::raise(SIGINT);
  }
  return out;
}

// Records that are to be compared, by node; and what is no record.
class Records {
 public:
  Records(Run& run, NodeDifferences& to) : run_(run), cluster_(*run.cluster), to_(to) {}

  void take(const Captured& c) {
    if (c.kind == "node-unread") {
      const std::string why = printable(c.text.substr(0, 400));
      if (const auto node = place_of(c.name)) {
        asked_.insert(*node);
        to_.node_unread(*node, why);
      } else {
        report_unread(AuditSubject::nodes, SourceSpan{},
                      format("the spec has no node '{}', and it was not read: {}", printable(c.name), why),
                      run_.findings);
      }
    } else if (c.kind == "node" || c.kind == "node-file") {
      take_text(c);
    }
  }

  // A planned node that nothing was captured of is not compared, where whole files were read.
  std::vector<AuditedRecord> finish(std::int64_t& not_asked) {
    for (std::size_t g = 0; g < cluster_.nodes.size(); ++g)
      for (std::int64_t m = 0; m < cluster_.nodes[g].count; ++m) {
        const NodePlace node{static_cast<int>(g), m};
        if (asked_.contains(node)) continue;
        if (files_)
          to_.node_unread(node, "no record was collected");
        else
          ++not_asked;
      }
    std::vector<AuditedRecord> out;
    for (auto& [node, records] : records_) {
      if (records.size() == 1)
        out.push_back({node, std::move(records.front().record)});
      else
        to_.node_unread(node, records.back().span,
                        format("there are {} records of it: keep the newest one", records.size()));
    }
    return out;
  }

 private:
  struct Read {
    NodeRecord record;
    SourceSpan span;
  };

  std::optional<NodePlace> place_of(std::string_view name) const {
    for (const std::string_view host : {name, without_domain(cluster_, name), name.substr(0, name.find('.'))}) {
      const int group = host.empty() ? -1 : group_of_host(cluster_, host);
      if (group >= 0) return NodePlace{group, cluster_.nodes[at(group)].names.index_of(host)};
    }
    return std::nullopt;
  }
  std::string name_of(NodePlace n) const { return cluster_.nodes[at(n.group)].names.name(n.member); }

  void take_text(const Captured& c) {
    files_ = files_ || c.kind == "node-file";
    const bool live = c.kind == "node";
    const std::string stem = live ? c.name : std::filesystem::path(c.name).stem().string();
    const FileId file = live ? kNoFile : run_.sources.add(c.name, c.text);
    bool any = false;
    for (std::size_t begin = 0; begin < c.text.size();) {
      const std::size_t end = std::min(c.text.find('\n', begin), c.text.size());
      const std::string_view line = std::string_view(c.text).substr(begin, end - begin);
      if (is_node_record(line)) {
        any = true;
        // The first characters: a record is one long line.
        const auto shown = static_cast<std::uint32_t>(begin);
        const SourceSpan span = live ? SourceSpan{} : SourceSpan{file, shown, shown};
        // "gpu001: {…", as pdsh and `srun --label` print it
        std::string_view label = trim(line.substr(0, line.find('{')));
        if (label.ends_with(':')) label.remove_suffix(1);
        take_record(line, label.empty() ? std::string_view(stem) : label, span, live);
      }
      begin = end + 1;
    }
    if (any) return;
    const std::string why = "it holds no record of clusterc-probe";
    const auto node = place_of(stem);
    if (node) asked_.insert(*node);
    if (node)
      to_.node_unread(*node, live ? SourceSpan{} : SourceSpan{file, 0, 0}, format("'{}': {}", printable(c.name), why));
    else
      report_unread(AuditSubject::nodes, SourceSpan{file, 0, 0}, format("'{}': {}", printable(c.name), why),
                    run_.findings);
  }

  void take_record(std::string_view line, std::string_view called, SourceSpan span, bool live) {
    std::string error;
    auto record = read_node_record(line, error);
    const auto by_call = place_of(called);
    if (!record) {
      if (by_call) asked_.insert(*by_call);
      return by_call ? to_.node_unread(*by_call, span, error)
                     : static_cast<void>(report_unread(
                           AuditSubject::nodes, span,
                           format("a record of '{}' was not compared: {}", printable(called), error), run_.findings));
    }
    const auto by_host = place_of(record->host);
    if (by_call && by_host && *by_call != *by_host) {
      asked_.insert(*by_call);
      return to_.node_unread(
          *by_call, span,
          format("what was collected as '{}' is the record of '{}'", printable(called), name_of(*by_host)));
    }
    // A host that has no name of its own goes by that of its file; one that the spec does not have is another host.
    const bool nameless = record->host.empty() || record->host == "localhost" || record->host.starts_with("localhost.");
    if (!live && by_call && !by_host && !nameless) {
      asked_.insert(*by_call);
      return to_.node_unread(*by_call, span,
                             format("what was collected as '{}' is the record of '{}', which the spec does not have",
                                    printable(called), printable(record->host)));
    }
    const auto node = by_host ? by_host : by_call;
    if (!node) {
      report_unread(AuditSubject::nodes, span,
                    format("the spec has no node '{}': its record was not compared", printable(record->host)),
                    run_.findings)
          .help("call the file, or the host, as the spec calls the node");
      return;
    }
    asked_.insert(*node);
    records_[*node].push_back({std::move(*record), span});
  }

  Run& run_;
  const Cluster& cluster_;
  NodeDifferences& to_;
  bool files_ = false;
  std::set<NodePlace> asked_;
  std::map<NodePlace, std::vector<Read>> records_;
};

}  // namespace

void add_node_options(po::options_description& o) {
  o.add_options()("nodes", po::value<std::string>()->value_name("all|HOSTLIST|DIR|FILE"),
                  "probe the nodes, all or n[1-4,7], or read what clusterc-probe printed on them: a folder with a file "
                  "for each node, or one file with a line for each")(
      "launcher", po::value<std::string>()->value_name("NAME"),
      "how the probe starts on the nodes: local, mpirun (over ssh) or slurm (default: slurm if it is the spec's "
      "scheduler, else local)")("bundle", po::value<std::string>()->default_value("")->value_name("DIR"),
                                "folder of the validators, the same path on every node")(
      "copy-bundle", po::value<std::string>()->value_name("DIR"),
      "copy the validators into this folder of each node first")(
      "hosts", po::value<std::string>()->value_name("HOSTS"),
      "mpirun: the nodes to reach: a file with lines 'NAME [ADDRESS]', or a host list (default: all, by the addresses "
      "of the plan)")("ssh-config", po::value<std::string>()->value_name("FILE"),
                      "mpirun: read by ssh in place of ~/.ssh/config")(
      "partition", po::value<std::string>()->value_name("PARTITION"), "slurm: as srun takes it")(
      "account", po::value<std::string>()->value_name("ACCOUNT"), "slurm: as srun takes it")(
      "reservation", po::value<std::string>()->value_name("RESERVATION"), "slurm: as srun takes it");
}

std::vector<Captured> capture_nodes(Run& run, const po::variables_map& given) {
  const std::string word = given["nodes"].as<std::string>();
  std::error_code failed;
  if (std::filesystem::is_directory(word, failed)) return read_folder(word);
  if (word == "-" || std::filesystem::exists(word, failed)) return {{"node-file", word, whole(word, kLargestFile)}};
  if (word.find('/') != word.npos) throw UsageError{"--nodes: there is no folder or file '" + word + "'"};
  if (word == "all") return probe_nodes(run, every_node(*run.cluster), given);
  HostPattern::Error wrong;
  const auto pattern = HostPattern::parse(word, wrong);
  if (!pattern) throw UsageError{"--nodes '" + word + "': " + wrong.message + "; nor is there such a folder"};
  std::vector<std::string> nodes;
  for (std::int64_t i = 0; i < pattern->count(); ++i) {
    nodes.push_back(pattern->name(i));
    if (group_of_host(*run.cluster, nodes.back()) < 0)
      throw UsageError{"--nodes '" + word + "': the spec has no node '" + nodes.back() +
                       "', and there is no such folder"};
  }
  return probe_nodes(run, nodes, given);
}

bool asks_for_nodes(const std::vector<Captured>& captures) {
  return std::ranges::any_of(captures, [](const Captured& c) { return c.kind.starts_with("node"); });
}

NodesAudited audit_nodes(Run& run, const std::vector<Captured>& captures) {
  const Cluster& c = *run.cluster;
  std::vector<GroupSettings> settings;
  const std::vector<NodeSettings>& all = node_settings(*run.system);
  for (std::size_t g = 0; g < c.nodes.size(); ++g)
    settings.push_back({all[g].kernel_arguments, locked_memory(c, static_cast<int>(g))});
  NodeDifferences differences(*run.plan, run.findings, AuditSubject::nodes);
  Records records(run, differences);
  for (const Captured& capture : captures) records.take(capture);
  std::int64_t not_asked = 0;
  const std::vector<AuditedRecord> read = records.finish(not_asked);
  compare_nodes(c, settings, read, differences);
  const NodeCounts counts = differences.report();
  NodesAudited out;
  const std::int64_t asked = counts.read() + counts.unread;
  out.summary = format("nodes: {} of {} compared; {} as planned", counts.read(), asked, counts.as_planned);
  if (counts.in_part > 0) out.summary += format(", {} as far as they were read", counts.in_part);
  if (counts.differing > 0) out.summary += format(", {} not", counts.differing);
  out.summary += "\n";
  if (not_asked > 0)
    out.summary += format("{} planned {} not asked: --nodes does not name {}\n", not_asked,
                          not_asked == 1 ? "node was" : "nodes were", not_asked == 1 ? "it" : "them");
  out.members = [counts, asked, not_asked](JsonWriter& json) {
    json.object("nodes")
        .field("asked", asked)
        .field("read", counts.read())
        .field("as_planned", counts.as_planned)
        .field("in_part", counts.in_part)
        .field("differing", counts.differing)
        .field("unread", counts.unread)
        .field("nodes_not_asked", not_asked)
        .end_object();
  };
  return out;
}

}  // namespace clusterc::cli
