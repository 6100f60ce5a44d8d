// Rules of nftables in extra lines: matches from the left to the right, each an expression of nft(8) and a value of its
// type. What is not known here is left to nft: a finding is only what nft surely refuses.
#include <algorithm>
#include <array>
#include <vector>

#include "base/format.h"
#include "base/ip.h"
#include "base/text.h"
#include "compile/extra_tables.h"

namespace clusterc {
namespace {

// nft(8): payload, meta and ct expressions, statements; the first word of each.
constexpr std::string_view kBegins[] = {
    "accept",     "ah",    "arp",     "comp",     "continue", "counter",  "ct",      "day",      "dccp",
    "drop",       "dup",   "esp",     "ether",    "exthdr",   "fib",      "flow",    "fwd",      "goto",
    "hour",       "icmp",  "icmpv6",  "igmp",     "iif",      "iifgroup", "iifkind", "iifname",  "iiftype",
    "ip",         "ip6",   "jhash",   "jump",     "l4proto",  "length",   "limit",   "log",      "mark",
    "masquerade", "meta",  "meter",   "nfproto",  "notrack",  "numgen",   "oif",     "oifgroup", "oifkind",
    "oifname",    "osf",   "pkttype", "priority", "protocol", "queue",    "quota",   "redirect", "reject",
    "return",     "rt",    "sctp",    "set",      "skgid",    "skuid",    "snat",    "socket",   "symhash",
    "synproxy",   "tcp",   "th",      "time",     "tproxy",   "udp",      "udplite", "update",   "vlan",
    "xfrm",       "add",   "cgroup",  "dnat",     "frag",     "hbh",      "dst",     "mh",       "ibrname",
    "obrname",    "ipsec", "secmark", "tunnel",   "vxlan",    "geneve",   "gre",     "oiftype",  "nftrace",
    "rtclassid",  "cpu",   "last",    "delete",   "reset",    "ibriport", "obriport"};
constexpr std::string_view kPortFields[] = {"ackseq", "checksum", "doff",     "dport", "flags",  "length",
                                            "option", "reset",    "sequence", "sport", "urgptr", "vtag",
                                            "window", "chunk",    "csumcov",  "type"};
constexpr std::string_view kIpFields[] = {"checksum",  "daddr",    "dscp", "ecn",    "flowlabel", "frag-off",
                                          "hdrlength", "hoplimit", "id",   "length", "nexthdr",   "option",
                                          "protocol",  "saddr",    "ttl",  "version"};
constexpr std::string_view kStates[] = {"established", "invalid", "new", "related", "untracked"};
// Between an expression and what nft makes of it: a comparison of order, an arithmetic one, a concatenation, a range
// with blanks, a map. What follows has a type of its own.
constexpr std::string_view kOperators[] = {"!",   "<",  ">",   "<=", ">=", "lt", "gt", "le",  "ge", "&",   "|",
                                           "and", "or", "xor", "^",  "<<", ">>", ".",  "map", "-",  "vmap"};
constexpr std::string_view kSets[] = {"inside", "bmc", "tftp"};  // that the compiled table has

bool among(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}
bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

// A service has letters in its name; a number is a port.
std::string port_fault(std::string_view value) {
  const auto ends = split(value, '-');
  if (!std::ranges::all_of(ends, is_number)) return {};
  for (const std::string_view end : ends)
    if (!is_extra_word(end, "$int:0:65535")) return format("'{}' is not a port: ports end at 65535", end);
  if (ends.size() == 2 && is_extra_word(ends[0], "$int:0:65535") &&
      (ends[0].size() > ends[1].size() || (ends[0].size() == ends[1].size() && ends[0] > ends[1])))
    return format("the range '{}' ends before it begins", value);
  return {};
}

std::string address_fault(std::string_view value, bool v6) {
  if (value.starts_with('@'))
    return among(kSets, value.substr(1)) ? std::string()
                                         : format("the compiled table has no set '{}'", value.substr(1));
  if (value.empty() || v6 || value.find_first_not_of("0123456789./-") != value.npos) return {};
  for (const std::string_view end : split(value, '-'))
    if (!end.empty() && !is_extra_word(end, "$prefix"))  // blanks may stand beside the '-'
      return format("'{}' is not an IPv4 address or subnet", end);
  return {};
}

// The values of a match: one, or a set in braces. Behind any other operator than equality the rest is left to nft.
std::string each_value(const std::vector<std::string_view>& words, std::size_t& at,
                       std::string (*fault)(std::string_view)) {
  const auto left_to_nft = [&] {
    if (at >= words.size() || !among(kOperators, words[at])) return false;
    at = words.size();
    return true;
  };
  if (at < words.size() && among(std::to_array<std::string_view>({"!=", "==", "ne", "eq"}), words[at])) ++at;
  if (left_to_nft()) return {};
  if (at >= words.size()) return "a match has no value";
  const bool set = words[at] == "{";
  std::size_t values = 0;
  for (at += set; at < words.size(); ++at) {
    if (set && words[at] == "}") {
      ++at;
      return values ? std::string() : std::string("a set has no value");
    }
    if (words[at] != ",") {
      ++values;
      if (std::string why = fault(words[at]); !why.empty()) return why;
    }
    if (!set) {
      ++at;
      left_to_nft();
      break;
    }
  }
  return set ? std::string("a set in braces does not end") : std::string();
}

// Words and signs, as the lexer of nft parts them.
std::vector<std::string_view> nft_words(std::string_view rule) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < rule.size();) {
    if (rule[i] == ' ' || rule[i] == '\t') {
      ++i;
      continue;
    }
    // nft needs no blanks around operators
    const bool sign = rule[i] == '{' || rule[i] == '}' || rule[i] == ',',
               operates = std::string_view("<>=!&|^").find(rule[i]) != std::string_view::npos;
    const std::size_t end =
        sign ? i + 1
             : std::min(operates ? rule.find_first_not_of("<>=!&|^", i) : rule.find_first_of(" \t{},<>=!&|^", i),
                        rule.size());
    out.push_back(rule.substr(i, end - i));
    i = end;
  }
  return out;
}

}  // namespace

std::string nft_rule_fault(std::string_view rule) {
  const std::vector<std::string_view> words = nft_words(rule);
  std::size_t at = 0;
  while (at < words.size()) {
    const std::string_view word = words[at];
    if (word.starts_with('@') || word.starts_with('(')) return {};  // raw payload, an expression in brackets
    if (!among(kBegins, word)) return format("nft knows no match or statement '{}'", one_line(word.substr(0, 40)));
    const std::string_view next = at + 1 < words.size() ? words[at + 1] : std::string_view();
    std::string why;
    if (among(std::to_array<std::string_view>({"tcp", "udp", "udplite", "sctp", "dccp", "th"}), word)) {
      if (!among(kPortFields, next)) return format("'{}' has no field '{}'", word, one_line(next.substr(0, 40)));
      if (next != "dport" && next != "sport") return {};
      at += 2;
      why = each_value(words, at, port_fault);
    } else if (word == "ip" || word == "ip6") {
      if (!among(kIpFields, next)) return format("'{}' has no field '{}'", word, one_line(next.substr(0, 40)));
      if (next != "saddr" && next != "daddr") return {};
      at += 2;
      why = word == "ip6" ? each_value(words, at, [](std::string_view v) { return address_fault(v, true); })
                          : each_value(words, at, [](std::string_view v) { return address_fault(v, false); });
    } else if (word == "ct" && next == "state") {
      at += 2;
      why = each_value(words, at, [](std::string_view v) {
        return among(kStates, v) || is_number(v) ? std::string() : format("'{}' is not a state of connections", v);
      });
      while (at < words.size() && words[at] == ",") at += 2;  // new,related without braces
    } else if (word == "iifname" || word == "oifname") {
      at += 1;
      why = each_value(words, at, [](std::string_view) { return std::string(); });
    } else if (word == "accept" || word == "drop") {
      ++at;
      if (at < words.size() && words[at] != "comment")
        return format("'{}' follows the verdict", one_line(words[at].substr(0, 40)));
    } else if (word == "counter" && (next.empty() || among(kBegins, next))) {
      ++at;
    } else {
      return {};  // nft reads the rest
    }
    if (!why.empty()) return why;
  }
  return {};
}

}  // namespace clusterc
