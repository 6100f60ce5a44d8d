#include "audit/scheduler_record.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>

#include "base/line_ends.h"
#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kLongest = 4096;
constexpr std::size_t kMostNodes = std::size_t{1} << 20;

using Pairs = std::map<std::string, std::string, std::less<>>;

std::string shown(std::string_view text) { return printable(text.substr(0, kLongest)); }

std::int64_t integer(const Pairs& pairs, std::string_view key) {
  const auto at = pairs.find(key);
  const auto value = at == pairs.end() ? std::nullopt : parse_uint(at->second);
  return value && *value < (std::uint64_t{1} << 60) ? static_cast<std::int64_t>(*value) : -1;
}
std::string word(const Pairs& pairs, std::string_view key) {
  const auto at = pairs.find(key);
  return at == pairs.end() || at->second == "(null)" || at->second == "N/A" ? std::string() : at->second;
}

// "KEY=VALUE KEY=VALUE …"; a word without '=' belongs to the value before it. The first value of a key counts: reasons,
// which anybody writes, come last.
void take_pairs(std::string_view line, Pairs& into) {
  Pairs::iterator last = into.end();
  for (const std::string_view part : split(line, ' ')) {
    const std::string_view item = trim(part);
    if (item.empty()) continue;
    const auto equals = item.find('=');
    if (equals == item.npos || equals == 0) {
      if (last != into.end() && last->second.size() < kLongest) last->second += ' ' + std::string(item);
      continue;
    }
    const std::string_view key = item.substr(0, equals);
    if (key == "Reason" || key == "Comment" || key == "Extra") {  // to the end of the line
      into.try_emplace(std::string(key), line.substr(static_cast<std::size_t>(item.data() - line.data()) + equals + 1));
      return;
    }
    const auto [at, fresh] = into.try_emplace(std::string(key), item.substr(equals + 1));
    last = fresh ? at : into.end();
  }
}

// "gpu:h100:8(S:0-1),shard:h100:24(S:0-1)" -> without what stands in brackets
std::set<std::string> gres_of(std::string_view text) {
  std::set<std::string> out;
  std::string item;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(';
    if (depth > 0) {
      depth -= c == ')';
    } else if (c == ',') {
      out.insert(std::exchange(item, {}));
    } else {
      item += c;
    }
  }
  out.insert(item);
  out.erase("");
  // Shards have the type of their GPU once the node has registered, and none before.
  std::set<std::string> plain;
  for (const std::string& one : out)
    plain.insert(one.starts_with("shard:") ? "shard" + one.substr(one.rfind(':')) : one);
  return plain;
}

SeenSchedulerNode node_of(const Pairs& pairs) {
  SeenSchedulerNode out;
  out.name = shown(word(pairs, "NodeName"));
  out.state = shown(word(pairs, "State")), out.reason = shown(trim(word(pairs, "Reason")));
  out.version = shown(word(pairs, "Version"));
  out.cpus = integer(pairs, "CPUTot"), out.sockets = integer(pairs, "Sockets");
  out.cores_per_socket = integer(pairs, "CoresPerSocket"), out.threads_per_core = integer(pairs, "ThreadsPerCore");
  out.memory_mib = integer(pairs, "RealMemory");
  out.has_gres = pairs.contains("Gres"), out.has_features = pairs.contains("AvailableFeatures");
  out.gres = gres_of(shown(word(pairs, "Gres")));
  const std::string features = word(pairs, "AvailableFeatures");
  for (const std::string_view f : split(features, ','))
    if (!f.empty()) out.features.insert(shown(f));
  // slurm.conf(5), sinfo(1), NODE STATE CODES. '*': it does not answer.
  // A node that Slurm powers down or up is away, not broken; one that is drained or failed stays so when it is back.
  const auto has = [&](std::string_view state) { return out.state.find(state) != out.state.npos; };
  const bool away = has("POWER");
  for (const std::string_view bad : {"DRAIN", "FAIL", "INVAL", "UNKNOWN", "FUTURE"})
    if (has(bad)) out.up = false;
  for (const std::string_view part : split(out.state, '+'))
    if (!away && (part.starts_with("DOWN") || part.starts_with("NOT_RESPONDING") || part.ends_with('*')))
      out.up = false;
  return out;
}

template <class Use>
void each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    use(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

// One file can hold what several calls printed, one after the other. A line that begins at the margin and belongs to
// none of them is counted: it may be what the reader did not know of.
class Scontrol {
 public:
  explicit Scontrol(SeenScheduler& into) : into_(into) {}

  void take(std::string_view line) {
    ++number_;
    if (line.starts_with("NodeName=")) {
      end_node();
      part_ = Part::nodes, into_.has_nodes = true;
      take_pairs(line, pairs_);
    } else if (line.starts_with("Configuration data as of")) {
      end_node();
      part_ = Part::config, into_.has_config = true;
    } else if (line.starts_with("SwitchName=") || line.starts_with("BlockName=")) {
      end_node();
      part_ = Part::topology, into_.has_topology = true;
      take_switch(line);
    } else if (trim(line).empty()) {
      return;
    } else if (part_ == Part::config && belongs_to_config(line)) {
      take_key(line);
    } else if (part_ == Part::nodes && (line[0] == ' ' || line[0] == '\t')) {
      take_pairs(line, pairs_);
    } else if (part_ != Part::topology || !line.starts_with("AggregatedBlock=")) {
      if (++unread_ == 1) first_unread_ = number_;
    }
  }

  bool end(std::string& error) {
    end_node();
    if (part_ == Part::none)
      error = "it is not what `scontrol show nodes`, `scontrol show config` or `scontrol show topology` prints";
    else if (unread_ > 0)
      error = "scontrol prints no such line as line " + std::to_string(first_unread_) +
              (unread_ == 1 ? std::string() : ", and " + std::to_string(unread_ - 1) + " more");
    return error.empty();
  }

 private:
  enum class Part { none, nodes, config, topology };

  // "KEY = VALUE", a heading ("Cgroup Support Configuration:"), or the state of a controller at the end
  static bool belongs_to_config(std::string_view line) {
    const std::string_view text = trim(line);
    return text.find(" = ") != text.npos || text.ends_with(" =") || text.ends_with(':') ||
           text.starts_with("Slurmctld(");
  }

  void end_node() {
    if (pairs_.contains("NodeName") && into_.nodes.size() < kMostNodes) into_.nodes.push_back(node_of(pairs_));
    pairs_.clear();
  }
  void take_key(std::string_view line) {
    const auto equals = line.find(" = ");
    const std::string_view key = trim(line.substr(0, equals));
    if (equals != line.npos && !key.empty() && into_.config.size() < 4096)
      into_.config.try_emplace(shown(key), shown(trim(line.substr(equals + 3))));
  }
  void take_switch(std::string_view line) {
    Pairs pairs;
    take_pairs(line, pairs);
    const std::string name = word(pairs, line.starts_with("S") ? "SwitchName" : "BlockName");
    if (into_.switches.size() < kMostNodes)
      into_.switches.push_back({shown(name), word(pairs, "Nodes"), word(pairs, "Switches")});
  }

  SeenScheduler& into_;
  Part part_ = Part::none;
  Pairs pairs_;
  std::int64_t number_ = 0, unread_ = 0, first_unread_ = 0;
};

}  // namespace

bool read_scontrol(std::string_view text, SeenScheduler& into, std::string& error) {
  if (const auto cr = bare_carriage_return(text); cr != text.npos) {
    error = "its lines end with a bare CR: save it with LF line ends";
    return false;
  }
  Scontrol reader(into);
  each_line(text, [&](std::string_view line) { reader.take(line); });
  return reader.end(error);
}

bool read_kubectl(std::string_view text, SeenScheduler& into, std::string& error) {
  using simdjson::dom::element;
  simdjson::dom::parser parser;
  element root;
  if (const auto failed = parser.parse(simdjson::padded_string(text)).get(root); failed != simdjson::SUCCESS) {
    error = std::string("it is cut or no JSON: ") + simdjson::error_message(failed);
    return false;
  }
  simdjson::dom::array items;
  if (!root.is_object() || root["items"].get(items) != simdjson::SUCCESS) {
    error = "it is not what `kubectl get nodes -o json` prints: it has no list `items`";
    return false;
  }
  into.has_nodes = true;
  const auto text_at = [](const element& e, std::string_view pointer) {
    std::string_view v;
    return e.at_pointer(pointer).get(v) == simdjson::SUCCESS ? shown(v) : std::string();
  };
  for (const element item : items) {
    std::string_view kind;
    if (!item.is_object() || (item["kind"].get(kind) == simdjson::SUCCESS && kind != "Node")) continue;
    SeenSchedulerNode node;
    node.name = text_at(item, "/metadata/name");
    if (node.name.empty() || into.nodes.size() >= kMostNodes) continue;
    node.version = text_at(item, "/status/nodeInfo/kubeletVersion");
    for (const std::string_view key : {"kernelVersion", "osImage", "containerRuntimeVersion"})
      node.facts[std::string(key)] = text_at(item, "/status/nodeInfo/" + std::string(key));
    const auto amount = [&](std::string_view pointer) -> std::int64_t {
      const auto value = parse_uint(text_at(item, pointer));
      return value && *value < (std::uint64_t{1} << 40) ? static_cast<std::int64_t>(*value) : -1;
    };
    node.cpus = amount("/status/capacity/cpu");
    node.gpus = amount("/status/capacity/nvidia.com~1gpu");
    if (std::string memory = text_at(item, "/status/capacity/memory"); memory.ends_with("Ki")) {
      const auto kib = parse_uint(std::string_view(memory).substr(0, memory.size() - 2));
      if (kib && *kib < (std::uint64_t{1} << 50)) node.memory_mib = static_cast<std::int64_t>(*kib / 1024);
    }
    if (simdjson::dom::object labels; item.at_pointer("/metadata/labels").get(labels) == simdjson::SUCCESS)
      for (const auto& [key, value] : labels)
        if (std::string_view v; node.labels.size() < 1024 && value.get(v) == simdjson::SUCCESS)
          node.labels.try_emplace(shown(key), shown(v));
    node.state = "without a condition Ready";
    node.up = false;
    if (simdjson::dom::array conditions; item.at_pointer("/status/conditions").get(conditions) == simdjson::SUCCESS)
      for (const element c : conditions)
        if (c.is_object() && text_at(c, "/type") == "Ready") {
          node.up = text_at(c, "/status") == "True";
          node.state = node.up ? "Ready" : "not Ready", node.reason = text_at(c, "/message");
        }
    if (bool cordoned = false; item.at_pointer("/spec/unschedulable").get(cordoned) == simdjson::SUCCESS && cordoned)
      node.cordoned = true, node.state += ", cordoned";
    into.nodes.push_back(std::move(node));
  }
  return true;
}

}  // namespace clusterc
