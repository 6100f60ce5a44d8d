#include "launch/hosts.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/host_pattern.h"
#include "base/text.h"
#include "spec/network.h"

namespace clusterc {
namespace {

std::string dotted(std::uint32_t a) { return format("{}.{}.{}.{}", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255); }

// What stands in a file of ssh and on command lines as it is: letters, digits and '.', '-', '_', ':', not first a '-'.
bool is_plain(std::string_view text) {
  return !text.empty() && text.size() <= 255 && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                  c == '_' || c == ':';
         });
}

std::map<std::string, std::string, std::less<>> by_name(const std::vector<Host>& hosts) {
  std::map<std::string, std::string, std::less<>> out;
  for (const Host& host : hosts) out.emplace(host.name, host.address);
  return out;
}

}  // namespace

std::vector<Host> planned_hosts(const Cluster& cluster, const Plan& plan) {
  std::vector<Host> out;
  for (const NodeGroupModel& group : cluster.nodes)
    for (std::int64_t i = 0; i < group.count; ++i) {
      Host host{group.names.name(i), group.names.name(i)};
      for (const Traffic traffic : {Traffic::inband, Traffic::compute, Traffic::storage}) {
        std::uint32_t address = 0;
        for (std::size_t n = 0; n < cluster.networks.size() && address == 0; ++n)
          if (cluster.networks[n].carries_traffic(traffic))
            address = plan.node_address(static_cast<int>(n), group.first + i);
        if (address == 0) continue;
        host.address = dotted(address);
        break;
      }
      out.push_back(std::move(host));
    }
  return out;
}

std::optional<std::vector<Host>> hosts_of_list(std::string_view list, const std::vector<Host>& known,
                                               std::string& error) {
  HostPattern::Error wrong;
  const auto pattern = HostPattern::parse(list, wrong);
  if (!pattern) {
    error = wrong.message;
    return std::nullopt;
  }
  const auto addresses = by_name(known);
  std::vector<Host> out;
  for (std::int64_t i = 0; i < pattern->count(); ++i) {
    const std::string name = pattern->name(i);
    const auto at = addresses.find(name);
    out.push_back({name, at == addresses.end() ? name : at->second});
  }
  return out;
}

std::optional<std::vector<Host>> hosts_of_file(std::string_view text, const std::vector<Host>& known,
                                               std::string& error) {
  const auto addresses = by_name(known);
  std::vector<Host> out;
  std::set<std::string, std::less<>> seen;
  std::size_t number = 0;
  for (const std::string_view whole : split(text, '\n')) {
    ++number;
    std::vector<std::string_view> words;
    std::string line(whole.substr(0, whole.find('#')));
    std::replace(line.begin(), line.end(), '\t', ' ');
    for (const std::string_view word : split(line, ' '))
      if (!trim(word).empty()) words.push_back(trim(word));
    if (words.empty()) continue;
    if (words.size() > 2 || !std::all_of(words.begin(), words.end(), is_plain)) {
      error = format("line {}: NAME [ADDRESS] was expected", number);
      return std::nullopt;
    }
    if (!seen.emplace(words[0]).second) {
      error = format("line {}: '{}' is named twice", number, words[0]);
      return std::nullopt;
    }
    const auto at = addresses.find(words[0]);
    out.push_back({std::string(words[0]), words.size() == 2       ? std::string(words[1])
                                          : at == addresses.end() ? std::string(words[0])
                                                                  : at->second});
  }
  if (out.empty()) error = "it names no host";
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace clusterc
