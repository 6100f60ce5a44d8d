// slurmd compares the two files line by line (gres.c, _merge_config; seen with `slurmd -G` of 22.05): a line of
// gres.conf with another type than slurm.conf is ignored, devices beyond the promised count are ignored, and with fewer
// devices the node registers with fewer, so that slurmctld drains it. Types are compared without case. An entry of
// slurm.conf without a type takes devices of any type.
#include "audit/files/slurm_devices.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "audit/files/words.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

struct DeviceLine {
  const SlurmRecord* record = nullptr;
  bool all = false;  // of all nodes
  std::string type;  // lower case
  std::int64_t count = 0;
};

// "/dev/nvidia[0-6]", "/dev/nvidia0,/dev/nvidia1"; nullopt: it cannot be counted.
std::optional<std::int64_t> files_of(std::string_view list) {
  std::int64_t count = 0;
  for (std::string_view term : host_list_terms(list)) {
    const std::size_t slash = term.substr(0, term.find('[')).rfind('/');
    if (slash != term.npos) term.remove_prefix(slash + 1);
    HostPattern::Error error;
    const auto files = HostPattern::parse(term, error);
    if (!files || files->count() > (1 << 16) || (count += files->count()) > (1 << 16)) return std::nullopt;
  }
  return count;
}

class Devices {
 public:
  // False: something detects the devices, or a line says what cannot be counted here.
  bool read(const SlurmCluster& gres) {
    if (!gres.text.whole) return false;
    for (const SlurmRecord& record : gres.text.records) {
      const SlurmSetting* detect = record.find("autodetect");
      if (detect && to_lower(detect->value) != "off") return false;
      const SlurmSetting *name = record.find("name"), *nodes = record.find("nodename");
      if (!name || to_lower(name->value) != "gpu") continue;
      if (record.find("multiplefiles")) return false;
      DeviceLine line;
      line.record = &record;
      line.all = !nodes;
      if (nodes) {
        const auto names = host_list_names(nodes->value, left);
        if (!names) return false;
        for (const std::string& host : *names) of_node[host].push_back(lines.size());
      }
      if (const SlurmSetting* type = record.find("type")) line.type = to_lower(type->value);
      const SlurmSetting *file = record.find("file"), *count = record.find("count");
      if (file) {
        const auto files = files_of(file->value);
        if (!files) return false;
        line.count = *files;
      } else {
        const auto number = count ? parse_uint(count->value) : std::optional<std::uint64_t>(1);
        if (!number || *number > (1 << 16)) return false;
        line.count = static_cast<std::int64_t>(*number);
      }
      lines.push_back(std::move(line));
    }
    return true;
  }
  std::vector<DeviceLine> lines;
  std::unordered_map<std::string, std::vector<std::size_t>> of_node;  // numbers of lines
  std::int64_t left = kMostSlurmNames;
};

// What one line of slurm.conf promises, and the lines of gres.conf that some of its nodes have in common.
struct Case {
  std::vector<std::string> first_names;
  std::int64_t count = 0;
  // "'n[1-4]'", "'n[1-63]' and 4,033 more"
  std::string text() const {
    const auto rest = count - static_cast<std::int64_t>(first_names.size());
    return format("'{}'{}", fold_names(first_names), rest > 0 ? format(" and {} more", grouped(rest)) : "");
  }
};
constexpr std::size_t kNamesShown = 64, kMostReported = 1000, kMostOfAll = 64;

// The same list of files with `count` of them: "/dev/nvidia[0-6]" -> "/dev/nvidia[0-7]"; empty: it is no plain range.
std::string longer_range(std::string_view list, std::int64_t count) {
  const std::size_t open = list.find('['), dash = list.find('-', open == list.npos ? 0 : open);
  if (open == list.npos || dash == list.npos || !list.ends_with(']')) return {};
  const auto low = parse_uint(list.substr(open + 1, dash - open - 1)),
             high = parse_uint(list.substr(dash + 1, list.size() - dash - 2));
  if (!low || !high || (list[open + 1] == '0' && dash > open + 2) || *low > (1 << 16)) return {};
  return format("{}{}-{}]", list.substr(0, open + 1), *low, *low + static_cast<std::uint64_t>(count) - 1);
}

std::string typed(std::string_view type) { return type.empty() ? std::string() : format(" of type '{}'", type); }

void compare(const SlurmSetting& gres, const std::vector<SlurmGres>& promised,
             const std::vector<const DeviceLine*>& lines, const Case& of, Findings& findings) {
  const std::string nodes = of.text();
  std::set<const DeviceLine*> used;
  std::vector<const SlurmGres*> short_of;
  for (const SlurmGres& want : promised) {
    const std::string type = to_lower(want.type);
    std::int64_t have = 0;
    const DeviceLine* last = nullptr;
    for (const DeviceLine* line : lines)
      if (type.empty() || line->type == type) {
        have += line->count;
        last = line;
        used.insert(line);
      }
    if (!last) {
      short_of.push_back(&want);
      continue;
    }
    if (have == want.count) continue;
    const SlurmSetting* file = last->record->find("file");
    const SourceSpan at = file ? file->span : last->record->span;
    const std::string range = file && lines.size() == 1 ? longer_range(file->value, want.count) : std::string();
    Finding& f =
        have < want.count
            ? findings.error("file-slurm-gres-differs", at,
                             format("gres.conf has {}{} for {}, but slurm.conf promises {}: slurmctld drains such a "
                                    "node",
                                    counted(have, "device"), typed(want.type), nodes, grouped(want.count)))
            : findings.warning("file-slurm-gres-differs", at,
                               format("gres.conf has {}{} for {}, but slurm.conf promises {}: slurmd ignores the rest",
                                      counted(have, "device"), typed(want.type), nodes, grouped(want.count)));
    f.note(gres.span, "the promise")
        .note({}, "gres.conf(5), File and Count; slurm.conf(5), Gres")
        .help(format("write {} if the node has {}; write Gres=gpu{}{}:{} in slurm.conf if it has {}",
                     range.empty() ? format("all {} in File=", counted(want.count, "device")) : "File=" + range,
                     grouped(want.count), want.type.empty() ? "" : ":", want.type, have, grouped(have)));
  }
  for (const SlurmGres* want : short_of) {
    const auto other = std::ranges::find_if(lines, [&](const DeviceLine* l) { return !used.contains(l); });
    if (other == lines.end()) continue;  // gres.conf may leave out what slurm.conf describes
    const DeviceLine& line = **other;
    const SlurmSetting* type = line.record->find("type");
    used.insert(&line);
    findings
        .error("file-slurm-gres-differs", type ? type->span : line.record->span,
               type ? format("gres.conf calls the GPUs of {} '{}', but slurm.conf calls them '{}': slurmd ignores this "
                             "line",
                             nodes, type->value, want->type)
                    : format("gres.conf gives the GPUs of {} no type, but slurm.conf calls them '{}': slurmd ignores "
                             "this line",
                             nodes, want->type))
        .note(gres.span, "the type that slurm.conf promises")
        .note({}, "gres.conf(5), Type; slurm.conf(5), Gres")
        .help(format("write Type={} here", want->type));
  }
}

}  // namespace

void judge_slurm_devices(const SlurmCluster& slurm, const SlurmCluster& gres, Findings& findings) {
  Devices devices;
  if (!devices.read(gres) || devices.lines.empty()) return;
  std::vector<std::size_t> of_all;
  for (std::size_t i = 0; i < devices.lines.size(); ++i)
    if (devices.lines[i].all) of_all.push_back(i);
  if (of_all.size() > kMostOfAll) return;
  for (const SlurmNodeLine& node : slurm.nodes) {
    const SlurmSetting* setting = node.find("gres");
    const std::vector<SlurmGres> promised = setting ? gpus_of_gres(setting->value) : std::vector<SlurmGres>();
    const auto untyped = std::ranges::count_if(promised, [](const SlurmGres& g) { return g.type.empty(); });
    // Which devices a promise without a type takes beside one with a type is the order of slurmd.
    if (promised.empty() || node.each.empty() || (untyped > 0 && promised.size() > 1)) continue;
    std::map<std::vector<const DeviceLine*>, Case> cases;
    for (const std::string& name : node.each) {
      std::vector<std::size_t> numbers = of_all;
      if (const auto own = devices.of_node.find(name); own != devices.of_node.end())
        numbers.insert(numbers.end(), own->second.begin(), own->second.end());
      std::ranges::sort(numbers);
      std::vector<const DeviceLine*> lines;
      for (const std::size_t n : numbers) lines.push_back(&devices.lines[n]);
      Case& of = cases[lines];
      if (of.first_names.size() < kNamesShown) of.first_names.push_back(name);
      ++of.count;
    }
    // In the order of gres.conf, not of addresses: the lines lie in one vector.
    for (const auto& [lines, of] : cases)
      if (findings.all().size() < kMostReported) compare(*setting, promised, lines, of, findings);
  }
}

}  // namespace clusterc
