#include "compile/slurm/conf_values.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "base/format.h"
#include "base/text.h"
#include "compile/common.h"

namespace clusterc {
namespace {

// By the width of the number; all take UNLIMITED and INFINITE but those named in kFinite. Small letters.
constexpr std::string_view kNumbers16[] = {"accountingstorageport",
                                           "acctgathernodefreq",
                                           "batchstarttimeout",
                                           "completewait",
                                           "eiotimeout",
                                           "fairsharedampeningfactor",
                                           "getenvtimeout",
                                           "groupupdateforce",
                                           "groupupdatetime",
                                           "healthcheckinterval",
                                           "inactivelimit",
                                           "jobfileappend",
                                           "jobrequeue",
                                           "killonbadexit",
                                           "killwait",
                                           "maxtaskspernode",
                                           "messagetimeout",
                                           "overtimelimit",
                                           "prologepilogtimeout",
                                           "propagateprioprocess",
                                           "resumerate",
                                           "resumetimeout",
                                           "resvoverrun",
                                           "returntoservice",
                                           "schedulertimeslice",
                                           "slurmctldtimeout",
                                           "slurmdtimeout",
                                           "slurmschedloglevel",
                                           "suspendrate",
                                           "suspendtimeout",
                                           "tcptimeout",
                                           "treewidth",
                                           "unkillablesteptimeout",
                                           "vsizefactor",
                                           "waittime"};
constexpr std::string_view kNumbers32[] = {"epilogmsgtime",
                                           "firstjobid",
                                           "jobcompport",
                                           "keepalivetime",
                                           "maxarraysize",
                                           "maxdbdmsgs",
                                           "maxjobcount",
                                           "maxjobid",
                                           "maxnodecount",
                                           "maxstepcount",
                                           "minjobage",
                                           "priorityweightage",
                                           "priorityweightassoc",
                                           "priorityweightfairshare",
                                           "priorityweightjobsize",
                                           "priorityweightpartition",
                                           "priorityweightqos",
                                           "slurmdport"};
constexpr std::string_view kNumbers64[] = {"defcpupergpu",  "defmempercpu", "defmempergpu",
                                           "defmempernode", "maxmempercpu", "maxmempernode"};
constexpr std::string_view kTruths[] = {"allowspecresourcesusage", "disablerootjobs", "priorityfavorsmall",
                                        "trackwckey", "usepam"};

constexpr std::string_view kNode16[] = {"boards", "corespeccount", "corespersocket",  "cpus",
                                        "procs",  "sockets",       "socketsperboard", "threadspercore"};
constexpr std::string_view kNode32[] = {"tmpdisk", "weight"}, kNode64[] = {"memspeclimit", "realmemory"};
constexpr std::string_view kPartition16[] = {"priority", "priorityjobfactor", "prioritytier", "resumetimeout",
                                             "suspendtimeout"};
constexpr std::string_view kPartition32[] = {"gracetime", "maxcpuspernode", "maxnodes", "minnodes"};
constexpr std::string_view kPartition64[] = {"defcpupergpu",  "defmempercpu", "defmempergpu",
                                             "defmempernode", "maxmempercpu", "maxmempernode"};
constexpr std::string_view kPartitionTruths[] = {"default", "disablerootjobs", "exclusiveuser", "hidden",
                                                 "lln",     "reqresv",         "rootonly"};
constexpr std::string_view kFinite[] = {"firstjobid", "maxnodecount", "propagateprioprocess", "slurmschedloglevel"};

bool among(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// strtoull(3) with base 0, so 0x10 and 010 too; memory in 64 bits may end in K.
std::string number_refused(std::string_view value, unsigned bits, bool finite) {
  const std::string text = to_lower(value);
  if (!finite && (text == "unlimited" || text == "infinite")) return {};
  const auto no = [&] {
    return format("'{}' is not a {}", one_line(value.substr(0, 60)),
                  finite ? "number" : "number, UNLIMITED or INFINITE");
  };
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (bits == 64 && digits.ends_with('k')) digits.remove_suffix(1);
  unsigned base = 10;
  if (digits.starts_with("0x"))
    base = 16, digits.remove_prefix(2);
  else if (digits.starts_with('0') && digits.size() > 1)
    base = 8, digits.remove_prefix(1);
  if (digits.empty()) return no();
  const std::uint64_t most = bits == 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
  std::uint64_t sum = 0;
  for (const char c : digits) {
    const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a') + 10
                                                  : 99;
    if (digit >= base) return no();
    if (sum > (most - digit) / base) return format("'{}' is more than {}", one_line(value.substr(0, 60)), most);
    sum = sum * base + digit;
  }
  return {};
}

// Minutes, minutes:seconds, hours:minutes:seconds, days-hours and so on (slurm.conf(5), MaxTime).
bool is_time(std::string_view value) {
  const std::string text = to_lower(value);
  if (text == "unlimited" || text == "infinite" || text == "-1") return true;
  const auto number = [](std::string_view s) {
    return !s.empty() && s.size() <= 9 && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  std::string_view rest = text;
  if (const std::size_t dash = rest.find('-'); dash != rest.npos) {
    if (!number(rest.substr(0, dash))) return false;
    rest.remove_prefix(dash + 1);
  }
  const auto parts = split(rest, ':');
  return parts.size() <= 3 && std::all_of(parts.begin(), parts.end(), number);
}

std::string word_refused(std::string_view value, std::span<const std::string_view> words, std::string_view known) {
  return among(words, to_lower(value)) ? std::string()
                                       : format("'{}' is not one of {}", one_line(value.substr(0, 60)), known);
}

std::string truth_refused(std::string_view value) {
  constexpr std::string_view kWords[] = {"yes", "no", "true", "false", "up", "down", "1", "0"};
  return word_refused(value, kWords, "YES and NO");
}

}  // namespace

std::string slurm_value_refused(std::string_view first, std::string_view key, std::string_view value) {
  const std::string line = to_lower(first), k = to_lower(key);
  if (line == "nodename") {
    if (among(kNode16, k)) return number_refused(value, 16, false);
    if (among(kNode32, k)) return number_refused(value, 32, false);
    if (among(kNode64, k)) return number_refused(value, 64, false);
    constexpr std::string_view kStates[] = {"cloud", "down", "drain", "fail", "failing", "future", "idle", "unknown"};
    if (k == "state") return word_refused(value, kStates, "CLOUD, DOWN, DRAIN, FAIL, FAILING, FUTURE and UNKNOWN");
    return {};
  }
  if (line == "partitionname") {
    if (among(kPartition16, k)) return number_refused(value, 16, false);
    if (among(kPartition32, k)) return number_refused(value, 32, false);
    if (among(kPartition64, k)) return number_refused(value, 64, false);
    if (among(kPartitionTruths, k)) return truth_refused(value);
    constexpr std::string_view kStates[] = {"up", "down", "drain", "inactive"};
    if (k == "state") return word_refused(value, kStates, "UP, DOWN, DRAIN and INACTIVE");
    if ((k == "maxtime" || k == "defaulttime") && !is_time(value))
      return format("'{}' is not a time: minutes, 2:00:00, 1-00:00:00 or UNLIMITED", one_line(value.substr(0, 60)));
    return {};
  }
  if (line != k) return {};
  if (among(kNumbers16, k)) return number_refused(value, 16, among(kFinite, k));
  if (among(kNumbers32, k)) return number_refused(value, 32, among(kFinite, k));
  if (among(kNumbers64, k)) return number_refused(value, 64, false);
  if (among(kTruths, k)) return truth_refused(value);
  constexpr std::string_view kTimes[] = {"prioritycalcperiod", "prioritydecayhalflife", "prioritymaxage"};
  if (among(kTimes, k) && !is_time(value))
    return format("'{}' is not a time: minutes, 2:00:00 or 14-0", one_line(value.substr(0, 60)));
  return {};
}

}  // namespace clusterc
