#include "cli/audit_saved.h"

#include <simdjson.h>

#include <algorithm>
#include <cctype>

#include "base/file.h"
#include "base/format.h"
#include "base/host_pattern.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"
#include "model/group_ends.h"

namespace clusterc::cli {
namespace {

constexpr std::uint64_t kLargestSave = std::uint64_t{2} << 30;
constexpr std::size_t kMostFindings = std::size_t{1} << 20, kMostGone = 20;
using simdjson::dom::element;

std::string whole(const char* option, const std::string& path) {
  FileError error;
  auto text = read_file(path, kLargestSave, error);
  if (!text) throw UsageError{format("--{}: {}", option, error.message)};
  return std::move(*text);
}

std::string text(const element& e, std::string_view key) {
  std::string_view v;
  return e[key].get(v) == simdjson::SUCCESS ? std::string(v) : std::string();
}

element parsed(simdjson::dom::parser& parser, const char* option, const std::string& path, const std::string& bytes) {
  element root;
  if (const auto failed = parser.parse(bytes).get(root); failed != simdjson::SUCCESS || !root.is_object())
    throw UsageError{format("--{}: '{}' is cut or no JSON: {}", option, path, simdjson::error_message(failed))};
  return root;
}

// "gpu003", "gpu[001-004]"
bool are_nodes(const Cluster& c, std::string_view word) {
  HostPattern::Error wrong;
  const auto names = HostPattern::parse(word, wrong);
  return names && names->count() > 0 && group_of_host(c, names->name(0)) >= 0;
}

// Of several nodes and of one the same words: "4 nodes 'n[1-4]' have …" and "'n3' has …" differ in the nodes alone, and
// so do "…, of 5 other nodes of the group 'x'" and "of 4".
// A message may name a file or a model before the nodes.
std::string without_nodes(const Cluster& c, std::string message) {
  auto open = message.find('\''), close = open == message.npos ? open : message.find('\'', open + 1);
  while (close != message.npos && !are_nodes(c, std::string_view(message).substr(open + 1, close - open - 1))) {
    open = message.find('\'', close + 1);
    close = open == message.npos ? open : message.find('\'', open + 1);
  }
  if (close == message.npos) return message;
  std::string_view before = std::string_view(message).substr(0, open),
                   after = std::string_view(message).substr(close + 1);
  if (before.ends_with(" nodes ")) {
    before.remove_suffix(7);
    while (!before.empty() && std::isdigit(static_cast<unsigned char>(before.back()))) before.remove_suffix(1);
  }
  std::string tail(after);
  for (const auto& [many, one] : {std::pair{" have ", " has "},
                                  {" lack ", " lacks "},
                                  {" run ", " runs "},
                                  {" are ", " is "},
                                  {" were ", " was "}})
    if (tail.starts_with(many)) tail = one + tail.substr(std::string_view(many).size());
  if (const auto of = tail.find(", of ");
      of != tail.npos && of + 5 < tail.size() && std::isdigit(static_cast<unsigned char>(tail[of + 5])))
    tail.resize(of);
  return std::string(before) + "*" + tail;
}

template <class Objects>
void add_keys_of(const Cluster& c, std::string_view rule, const std::string& message, const Objects& objects,
                 std::set<std::string>& into) {
  if (objects.empty()) into.insert(format("{}\n{}\n", rule, message));
  const std::string of_any = objects.empty() ? std::string() : without_nodes(c, message);
  for (const auto& object : objects) into.insert(format("{}\n{}\n{}", rule, of_any, object));
}

}  // namespace

void add_saved_options(po::options_description& o) {
  o.add_options()("save", po::value<std::string>()->value_name("FILE"),
                  "keep all that this run reads of the running cluster in one file")(
      "from", po::value<std::string>()->value_name("FILE"),
      "compare what --save kept, in place of the running cluster")(
      "against", po::value<std::string>()->value_name("FILE"),
      "an earlier audit, its JSON report or what --save kept: only what is new counts");
}

void save_captures(const std::string& path, const std::string& spec_digest, const std::vector<Captured>& captures) {
  FileError error;
  // Serial numbers, addresses and reasons are for its owner.
  if (!write_file(path, captures_text(captures, CLUSTERC_VERSION, spec_digest), error, 0600))
    throw WriteError{"--save: " + error.message};
}

std::vector<Captured> saved_captures(const char* option, const std::string& path) {
  std::string error;
  auto captures = read_captures(whole(option, path), error);
  if (!captures) throw UsageError{format("--{}: '{}': {}", option, path, error)};
  if (captures->empty()) throw UsageError{format("--{}: '{}' has no capture: nothing was compared", option, path)};
  return std::move(*captures);
}

void add_keys(const Cluster& c, const Findings& findings, std::set<std::string>& into) {
  for (const Finding& f : findings.all())
    if (f.severity != Severity::note) add_keys_of(c, f.rule, f.message, f.objects, into);
}

EarlierAudit earlier_audit(const Cluster& c, const std::string& path) {
  const std::string bytes = whole("against", path);
  simdjson::dom::parser parser;
  const element root = parsed(parser, "against", path, bytes);
  EarlierAudit out;
  if (text(root, "format") == kCapturesFormat) {
    out.captures = saved_captures("against", path);
    return out;
  }
  simdjson::dom::array findings;
  if (root["findings"].get(findings) != simdjson::SUCCESS)
    throw UsageError{
        format("--against: '{}' is neither a report of `clusterc audit --format json` nor a file of --save", path)};
  std::size_t met = 0;
  for (const element f : findings) {
    if (!f.is_object() || text(f, "severity") == "note" || ++met > kMostFindings) continue;
    std::vector<std::string> objects;
    simdjson::dom::array names;
    if (f["objects"].get(names) == simdjson::SUCCESS)
      for (const element name : names)
        if (std::string_view v; name.get(v) == simdjson::SUCCESS) objects.emplace_back(v);
    add_keys_of(c, text(f, "rule"), text(f, "message"), objects, out.keys);
  }
  return out;
}

ChangesAudited compare_with_earlier(const Cluster& c, const std::string& path, const std::set<std::string>& earlier,
                                    Findings& findings) {
  std::set<std::string> now;
  std::int64_t fresh = 0, same = 0;
  for (Finding& f : findings.all()) {
    if (f.severity == Severity::note) continue;
    std::set<std::string> keys;
    add_keys_of(c, f.rule, f.message, f.objects, keys);
    now.insert(keys.begin(), keys.end());
    std::int64_t known = 0;
    for (const std::string& key : keys) known += earlier.contains(key);
    same += known;
    fresh += static_cast<std::int64_t>(keys.size()) - known;
    if (known == static_cast<std::int64_t>(keys.size())) f.in_baseline = true;
  }
  std::vector<std::string> gone;
  for (const std::string& key : earlier)
    if (!now.contains(key)) gone.push_back(key);
  ChangesAudited out;
  out.summary = format("against {}: {} new, {} unchanged, {} gone\n", printable(path), fresh, same, gone.size());
  const auto parts = [](const std::string& key) { return split(key, '\n'); };
  for (std::size_t i = 0; i < gone.size() && i < kMostGone; ++i) {
    const auto words = parts(gone[i]);
    if (words.size() < 3) continue;
    out.summary += format("gone: {}{}{} [{}]\n", printable(words[2]), words[2].empty() ? "" : ": ", printable(words[1]),
                          printable(words[0]));
  }
  if (gone.size() > kMostGone) out.summary += format("gone: {} more\n", gone.size() - kMostGone);
  out.members = [=](JsonWriter& json) {
    json.object("against").field("file", path).field("new", fresh).field("unchanged", same).array("gone");
    for (const std::string& key : gone) {
      const auto words = parts(key);
      if (words.size() < 3) continue;
      json.begin_object().field("rule", words[0]).field("message", words[1]).field("object", words[2]).end_object();
    }
    json.end_array().end_object();
  };
  return out;
}

}  // namespace clusterc::cli
