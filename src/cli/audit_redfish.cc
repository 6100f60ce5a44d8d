#include "cli/audit_redfish.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <map>
#include <set>

#include "audit/bmc_answer.h"
#include "audit/hardware_audit.h"
#include "base/file.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"
#include "model/group_ends.h"
#include "system/interfaces.h"

namespace clusterc::cli {
namespace {

constexpr std::uint64_t kLargestList = std::uint64_t{64} << 20, kLargestPassword = 4096;

std::atomic<int> interrupted_by{0};
std::atomic<bool> interrupted{false};
void on_signal(int number) {
  interrupted_by.store(number);
  interrupted.store(true);
}

// While it lives the first SIGINT or SIGTERM only sets the flag: sessions on the BMCs are ended. The second one ends
// the program.
class Signals {
 public:
  Signals() {
    for (std::size_t i = 0; i < std::size(kNumbers); ++i) {
      struct sigaction action {};
      action.sa_handler = on_signal;
      action.sa_flags = static_cast<int>(SA_RESETHAND);
      ::sigaction(kNumbers[i], &action, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) ::sigaction(kNumbers[i], &before_[i], nullptr);  // nohup stays nohup
    }
  }
  ~Signals() {
    for (std::size_t i = 0; i < std::size(kNumbers); ++i) ::sigaction(kNumbers[i], &before_[i], nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  static constexpr int kNumbers[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kNumbers)] = {};
};

std::string read_password(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) throw UsageError{"--password-file: '" + path + "' cannot be opened"};
  if (S_ISREG(status.st_mode) && (status.st_mode & 077U) != 0)
    throw UsageError{format("--password-file: other users have access to '{}' (mode {:04o}); chmod 600 {}", path,
                            status.st_mode & 07777U, path)};
  FileError error;
  std::optional<std::string> text = read_file(file.get(), path, kLargestPassword, error);
  if (!text) throw UsageError{"--password-file: " + error.message};
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  if (text->empty()) throw UsageError{"--password-file: '" + path + "' is empty"};
  return std::move(*text);
}

std::string password_of(const po::variables_map& given) {
  if (given.count("password-file") == given.count("password-env"))
    throw UsageError{"name the account at the BMCs: --user NAME with --password-file FILE or --password-env VARIABLE"};
  if (given.count("password-file")) return read_password(given["password-file"].as<std::string>());
  const std::string& name = given["password-env"].as<std::string>();
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0')
    throw UsageError{"--password-env: the environment has no variable '" + name + "'"};
  return value;
}

std::int64_t positive(const po::variables_map& given, const char* name, std::int64_t most) {
  const auto value = given[name].as<std::int64_t>();
  if (value < 1 || value > most) throw UsageError{format("--{} takes 1 to {}", name, most)};
  return value;
}

struct Line {
  SourceSpan span;
  std::string_view first, second;
};
// Lines of one or two words; '#' begins a comment.
std::vector<Line> words_of(const Sources& sources, FileId file) {
  std::vector<Line> out;
  const std::string_view text = sources.text(file);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    line = trim(line.substr(0, line.find('#')));
    if (!line.empty()) {
      const auto begin = static_cast<std::uint32_t>(line.data() - text.data());
      const std::size_t gap = line.find_first_of(" \t");
      Line l{{file, begin, begin + static_cast<std::uint32_t>(line.size())}, line.substr(0, gap), {}};
      if (gap != std::string_view::npos) l.second = trim(line.substr(gap));
      out.push_back(l);
    }
    at = end + 1;
  }
  return out;
}

std::string place(const Sources& sources, const Line& line) {
  return format("{}:{}", sources.path(line.span.file), sources.position(line.span.file, line.span.begin).line);
}

FileId add_file(Run& run, const char* option, const std::string& path) {
  FileError error;
  std::optional<std::string> text = read_file(path, kLargestList, error);
  if (!text) throw UsageError{format("--{}: {}", option, error.message)};
  return run.sources.add(path, std::move(*text));
}

// What is wrong with a host name or address, with a port if it is not 443; empty: nothing.
std::string wrong_address(std::string_view text, std::string_view node) {
  if (text.starts_with("http://"))
    return format("'{}' is plain HTTP: BMCs are read over TLS alone; write '{} {}'", printable(text), node,
                  printable(text.substr(7, text.find('/', 7) - 7)));
  if (text.starts_with("https://"))
    return format("write the address alone: '{} {}'", node, printable(text.substr(8, text.find('/', 8) - 8)));
  if (text.empty() || text.size() > 300 ||
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") !=
          std::string_view::npos)
    return format("write 'node address', as '{} 10.0.0.7' or '{} bmc-7.lan:8443'", node, node);
  const std::size_t bracket = text.rfind(']'), colon = text.rfind(':');
  if (text.front() != '[' && std::ranges::count(text, ':') > 1)
    return format("write an IPv6 address in brackets: '{} [{}]'", node, text);
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return {};
  const std::string_view digits = text.substr(colon + 1);
  if (const auto port = parse_uint(digits); !port || *port < 1 || *port > 65535)
    return format("the port '{}' is not one of 1 to 65535", digits);
  return {};
}

// Nodes by their names in the spec, written in capitals or not.
class NodeNames {
 public:
  explicit NodeNames(const Cluster& c) : c_(c) {}
  std::optional<std::pair<int, std::int64_t>> find(std::string_view name) {
    if (const int group = group_of_host(c_, name); group >= 0)
      return std::pair(group, c_.nodes[static_cast<std::size_t>(group)].names.index_of(name));
    if (folded_.empty())
      for (std::size_t g = 0; g < c_.nodes.size(); ++g)
        for (std::int64_t m = 0; m < c_.nodes[g].count; ++m)
          folded_.try_emplace(to_lower(c_.nodes[g].names.name(m)), static_cast<int>(g), m);
    const auto at = folded_.find(to_lower(name));
    return at == folded_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  const Cluster& c_;
  std::map<std::string, std::pair<int, std::int64_t>, std::less<>>
      folded_;  // made where a name is not found as written
};

struct Asked {
  std::vector<AuditedNode> nodes;
  std::vector<Bmc> bmcs;
  std::int64_t without = 0;     // nodes whose BMC has no address
  std::int64_t not_listed = 0;  // nodes with a BMC that the list does not name
};

bool has_bmc(const NodeGroupModel& group) {
  return !group.server.virtual_machine && !group.server.instance && group.server.part.bmc.value_or(true);
}

Asked from_plan(const Run& run) {
  const Cluster& c = *run.cluster;
  Asked out;
  for (std::size_t g = 0; g < c.nodes.size(); ++g) {
    const NodeGroupModel& group = c.nodes[g];
    if (!has_bmc(group)) continue;
    int network = -1, end = -1;
    for (const GroupEnd& at : ends_of_group(c, static_cast<int>(g))) {
      const NetworkModel& net = c.networks[static_cast<std::size_t>(at.network)];
      if (network < 0 && net.subnet && is_management_port(c, net, net.ends[static_cast<std::size_t>(at.end)]))
        network = at.network, end = at.end;
    }
    for (std::int64_t m = 0; m < group.count; ++m) {
      const std::uint32_t address = network < 0 ? 0 : run.plan->address(network, end, m);
      if (address == 0) {
        ++out.without;
        continue;
      }
      out.bmcs.push_back({ipv4_text(address), {}});
      out.nodes.push_back({static_cast<int>(g), m, out.bmcs.back().address, {}, {}});
    }
  }
  if (out.bmcs.empty())
    throw UsageError{
        "--redfish plan: the plan has no address of a BMC; give an out-of-band network a `subnet`, or list the BMCs: "
        "--redfish FILE with lines 'node address'"};
  return out;
}

Asked from_file(Run& run, const std::string& path) {
  const Cluster& c = *run.cluster;
  Asked out;
  const FileId file = add_file(run, "redfish", path);
  std::set<std::pair<int, std::int64_t>> met;
  NodeNames names(c);
  for (const Line& line : words_of(run.sources, file)) {
    const auto node = names.find(line.first);
    if (!node) throw UsageError{format("{}: the spec has no node '{}'", place(run.sources, line), line.first)};
    if (const std::string wrong = wrong_address(line.second, line.first); !wrong.empty())
      throw UsageError{format("{}: {}", place(run.sources, line), wrong)};
    const auto [group, member] = *node;
    if (!met.emplace(group, member).second)
      throw UsageError{format("{}: node '{}' is listed twice", place(run.sources, line), line.first)};
    out.nodes.push_back({group, member, std::string(line.second), {}, line.span});
    out.bmcs.push_back({std::string(line.second), {}});
  }
  for (const NodeGroupModel& group : c.nodes)
    if (has_bmc(group)) out.not_listed += group.count;
  for (const auto& [group, member] : met)
    if (has_bmc(c.nodes[static_cast<std::size_t>(group)])) --out.not_listed;
  if (out.bmcs.empty()) throw UsageError{"'" + path + "' lists no BMC: write lines 'node address'"};
  return out;
}

// "node sha256//…", "address sha256//…", or one pin alone, which is every other BMC's.
void read_pins(Run& run, const std::string& path, Asked& asked) {
  const FileId file = add_file(run, "pin", path);
  std::set<std::string> addresses;
  for (const Bmc& bmc : asked.bmcs) addresses.insert(plain_address(bmc.address));
  std::map<std::pair<int, std::int64_t>, std::string> of_node;
  std::map<std::string, std::string> of_address;
  std::string of_all;
  NodeNames names(*run.cluster);
  for (const Line& line : words_of(run.sources, file)) {
    const std::string_view pin = line.second.empty() ? line.first : line.second;
    if (!pin.starts_with("sha256//") || pin.size() != 52 || pin.find(';') != std::string_view::npos)
      throw UsageError{format("{}: a pin is written sha256//BASE64 of the public key", place(run.sources, line))};
    const std::string address = plain_address(line.first);
    if (line.second.empty())
      of_all = pin;
    else if (const auto node = names.find(line.first))
      of_node[*node] = pin;
    else if (addresses.contains(address) || address.find_first_of(".:") != std::string::npos)
      of_address[address] = pin;  // of a BMC that is not read now, too: one file may serve several lists
    else
      throw UsageError{format("{}: the spec has no node '{}'", place(run.sources, line), line.first)};
  }
  for (std::size_t i = 0; i < asked.bmcs.size(); ++i) {
    const auto node = of_node.find({asked.nodes[i].group, asked.nodes[i].member});
    const auto address = of_address.find(plain_address(asked.bmcs[i].address));
    asked.bmcs[i].pin = node != of_node.end() ? node->second : address != of_address.end() ? address->second : of_all;
  }
}

}  // namespace

void add_redfish_options(po::options_description& o) {
  o.add_options()("redfish", po::value<std::string>()->value_name("plan|FILE"),
                  "read the BMCs over Redfish: at the planned addresses, or those of FILE, with lines 'node address'")(
      "user", po::value<std::string>()->value_name("NAME"), "account at the BMCs; reading is all that it needs")(
      "password-file", po::value<std::string>()->value_name("FILE"),
      "file with its password, which nobody else may read")("password-env",
                                                            po::value<std::string>()->value_name("VARIABLE"),
                                                            "variable of the environment with its password")(
      "ca", po::value<std::string>()->value_name("FILE"),
      "certificates of the authorities that signed those of the BMCs (PEM); left out: the system's")(
      "pin", po::value<std::string>()->value_name("FILE"),
      "public keys of the BMCs in place of authorities, with lines 'node sha256//BASE64'")(
      "insecure", "do not verify the certificates of the BMCs; reported as a finding")(
      "firmware",
      "compare the firmware of all parts among the nodes of a group too: about 100 requests more for a BMC")(
      "connections", po::value<std::int64_t>()->default_value(64)->value_name("N"), "BMCs that are read at a time")(
      "timeout", po::value<std::int64_t>()->default_value(30)->value_name("SECONDS"),
      "for one answer of a BMC; it has twenty times as long in all");
}

namespace {

void add_serials(const Run& run, std::vector<AuditedNode>& nodes) {
  if (!run.inventory) return;
  for (AuditedNode& node : nodes) {
    const NodeGroupModel& group = run.cluster->nodes[static_cast<std::size_t>(node.group)];
    const InventoryRow* row = run.inventory->find(group.names.name(node.member), "");
    if (!row) row = run.inventory->find(run.plan->node_object(group.first + node.member), "");
    if (row) node.serial = row->serial;
  }
}

std::string counts_text(const HardwareCounts& counts, std::int64_t size) {
  std::string out =
      format("BMCs: {} of {} read to the end; {} of {} nodes as planned", counts.read(), size, counts.as_planned, size);
  if (counts.in_part > 0) out += format(", {} as far as the BMCs say", counts.in_part);
  if (counts.differing > 0) out += format(", {} not", counts.differing);
  if (counts.unread > 0) out += format(", {} not judged", counts.unread);
  return out + "\n";
}

JsonMembers counts_members(const HardwareCounts& counts, std::int64_t size, std::int64_t not_asked) {
  return [=](JsonWriter& json) {
    json.object("bmcs")
        .field("asked", size)
        .field("read", counts.read())
        .field("as_planned", counts.as_planned)
        .field("in_part", counts.in_part)
        .field("differing", counts.differing)
        .field("unread", counts.unread)
        .field("nodes_not_asked", not_asked)
        .end_object();
  };
}

}  // namespace

bool asks_for_bmcs(const std::vector<Captured>& captures) {
  return std::ranges::any_of(captures, [](const Captured& c) { return c.kind == "bmc"; });
}

RedfishAudited audit_saved_bmcs(Run& run, const std::vector<Captured>& captures) {
  std::vector<AuditedNode> nodes;
  std::vector<BmcAnswer> answers;
  NodeNames names(*run.cluster);
  std::int64_t strange = 0;
  for (const Captured& c : captures) {
    if (c.kind != "bmc") continue;
    BmcAnswer answer;
    std::string address;
    const bool good = read_bmc_answer(c.text, answer, address);
    const auto node = names.find(c.name);
    if (!good) throw UsageError{format("--from: what was kept of the BMC of '{}' cannot be read", printable(c.name))};
    if (!node) {
      ++strange;
      continue;
    }
    nodes.push_back({node->first, node->second, std::move(address), {}, {}});
    answers.push_back(std::move(answer));
  }
  add_serials(run, nodes);
  const HardwareCounts counts = report_hardware(*run.plan, nodes, answers, run.findings);
  const auto size = static_cast<std::int64_t>(nodes.size());
  RedfishAudited out;
  out.summary = counts_text(counts, size);
  if (strange > 0)
    out.summary += format("{} kept {} not compared: the spec has no node of {} name\n", strange,
                          strange == 1 ? "BMC was" : "BMCs were", strange == 1 ? "its" : "their");
  out.members = counts_members(counts, size, 0);
  return out;
}

RedfishAudited audit_redfish(Run& run, const std::string& spec_path, const po::variables_map& given,
                             std::vector<Captured>& captures) {
  RedfishAccess access;
  if (!given.count("user"))
    throw UsageError{"name the account at the BMCs: --user NAME with --password-file FILE or --password-env VARIABLE"};
  access.user = given["user"].as<std::string>();
  access.password = password_of(given);
  access.connections = positive(given, "connections", 4096);
  const std::int64_t seconds = positive(given, "timeout", 3600);
  access.request_timeout = std::chrono::seconds(seconds);
  access.connect_timeout = std::chrono::seconds(std::min<std::int64_t>(10, seconds));
  access.bmc_timeout = std::chrono::seconds(20 * seconds);
  access.insecure = given.count("insecure") > 0;
  access.limits.firmware = given.count("firmware") > 0;
  if (access.insecure && (given.count("ca") || given.count("pin")))
    throw UsageError{"--insecure verifies nothing: leave it out, or leave --ca and --pin out"};
  if (given.count("ca")) {
    access.ca_file = given["ca"].as<std::string>();
    FileError error;
    if (!read_file(access.ca_file, kLargestList, error)) throw UsageError{"--ca: " + error.message};
  }
  const std::string& from = given["redfish"].as<std::string>();
  Asked asked = from == "plan" ? from_plan(run) : from_file(run, from);
  add_serials(run, asked.nodes);
  if (given.count("pin")) read_pins(run, given["pin"].as<std::string>(), asked);

  std::vector<BmcAnswer> answers;
  RedfishTotals totals;
  std::string error;
  {
    const Signals signals;
    if (!read_bmcs(asked.bmcs, access, interrupted, answers, totals, error)) throw UsageError{"--redfish: " + error};
  }
  if (interrupted.load()) {
    put_error("interrupted: the sessions on the BMCs were ended, and nothing was compared\n");
    std::signal(interrupted_by.load(), SIG_DFL);
    ::raise(interrupted_by.load());
  }
  if (access.insecure) report_unverified(begin_of(run.sources, spec_path), run.findings);
  for (std::size_t i = 0; i < answers.size(); ++i)
    captures.push_back(
        {"bmc", run.cluster->nodes[static_cast<std::size_t>(asked.nodes[i].group)].names.name(asked.nodes[i].member),
         bmc_answer_text(answers[i], asked.nodes[i].address)});
  const HardwareCounts counts = report_hardware(*run.plan, asked.nodes, answers, run.findings);
  RedfishAudited audited;
  std::string& out = audited.summary;
  const auto size = static_cast<std::int64_t>(asked.bmcs.size());
  out = counts_text(counts, size);
  if (asked.without > 0)
    out += format("{} planned {} not asked: the plan has no address of a BMC for {}\n", asked.without,
                  asked.without == 1 ? "node was" : "nodes were", asked.without == 1 ? "it" : "them");
  if (asked.not_listed > 0)
    out += format("{} planned {} not asked: '{}' does not name {}\n", asked.not_listed,
                  asked.not_listed == 1 ? "node was" : "nodes were", from, asked.not_listed == 1 ? "it" : "them");
  out += format("{} requests ({} again) in {:.1f} s over {} connections, {:.0f} ms each\n", totals.requests,
                totals.retries, totals.wall_seconds, std::min(access.connections, size),
                totals.requests > 0 ? 1000 * totals.answer_seconds / static_cast<double>(totals.requests) : 0.0);
  audited.members = counts_members(counts, size, asked.without + asked.not_listed);
  return audited;
}

}  // namespace clusterc::cli
