#include "cli/audit_fabric.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "audit/fabric_audit.h"
#include "audit/fabric_dump.h"
#include "audit/neighbours.h"
#include "audit/port_counters.h"
#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "model/cluster.h"

namespace clusterc::cli {
namespace {

bool has_switches(const Run& run, std::size_t network, LinkKind kind) {
  const NetworkModel& n = run.cluster->networks[network];
  return n.kind == kind && n.shares < 0 && !run.plan->fabrics[network].tiers.empty();
}

// The fabrics that a capture can be of: with switches of ours, of its kind.
std::vector<int> fabrics_of(const Run& run, const std::string& network, LinkKind kind) {
  const Cluster& c = *run.cluster;
  const std::string kind_name = kind == LinkKind::infiniband ? "InfiniBand" : "Ethernet";
  std::vector<int> out;
  std::vector<std::string_view> known;
  for (std::size_t n = 0; n < c.networks.size(); ++n) {
    if (!has_switches(run, n, kind)) continue;
    known.push_back(c.networks[n].name);
    if (network.empty() || c.networks[n].name == network) out.push_back(static_cast<int>(n));
  }
  if (known.empty()) throw UsageError{"the spec plans no " + kind_name + " network with switches"};
  if (out.empty())
    throw UsageError{"--fabric: the spec plans no " + kind_name + " network '" + network + "' with switches; there " +
                     (known.size() == 1 ? "is " : "are ") + join(known, ", ")};
  return out;
}

// One fabric, from one capture or, where its planes have one each, from several.
struct Capture {
  std::string network, path;  // network: empty where none was named
  FileId file = kNoFile;      // the first one of a folder
  SeenFabric seen;
  std::int64_t dumps = 1;
  LinkKind kind() const { return seen.ethernet ? LinkKind::ethernet : LinkKind::infiniband; }
};

bool is_of_fabric(const Captured& c) { return c.kind == "fabric" || c.kind == "neighbours"; }

// "compute=fabric.txt"; a name of a network has no '/' and no '.'.
Capture capture_of(const std::string& word) {
  Capture out;
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos && word.find_first_of("/.") > equals) {
    out.network = word.substr(0, equals);
    if (out.network.empty()) throw UsageError{"--fabric: no network before '=': --fabric [NETWORK=]FILE"};
  }
  out.path = out.network.empty() ? word : word.substr(equals + 1);
  if (out.path.empty())
    throw UsageError{"--fabric: no file" + (out.network.empty() ? "" : " behind '" + out.network + "='") +
                     ": --fabric [NETWORK=]FILE"};
  return out;
}

Captured read_dump(const char* kind, const std::string& name, const std::string& path) {
  FileError error;
  auto text = read_file(path == "-" ? "/dev/stdin" : path, kLargestDump, error);
  if (!text) throw UsageError{error.message};
  return {kind, name, std::move(*text)};
}

PlannedNames planned_names(const Run& run) {
  PlannedNames out;
  std::map<std::string, std::size_t> ports;
  for (std::size_t n = 0; n < run.plan->fabrics.size(); ++n) {
    if (!has_switches(run, n, LinkKind::ethernet)) continue;
    PlannedFabric fabric = planned_fabric(*run.plan, static_cast<int>(n));
    for (PlannedDevice& d : fabric.devices) {
      if (d.tier < 0) out.most_ports = std::max(out.most_ports, ports[d.host] += static_cast<std::size_t>(d.ports));
      (d.tier >= 0 ? out.switches : out.hosts).push_back(std::move(d.host));
    }
  }
  return out;
}

// One word of --fabric. A folder has a file for each device: gpu001.json, leaf-1.json.
void capture_word(const std::string& word, std::vector<Captured>& out) {
  namespace fs = std::filesystem;
  const Capture capture = capture_of(word);
  std::error_code failed;
  if (!fs::is_directory(capture.path, failed)) {
    out.push_back(read_dump("fabric", word, capture.path));
    return;
  }
  std::vector<std::string> names;
  for (const fs::directory_entry& e : fs::directory_iterator(capture.path, failed))
    if (e.path().extension() == ".json") names.push_back(e.path().string());
  std::sort(names.begin(), names.end());
  if (failed || names.empty())
    throw UsageError{"--fabric: '" + capture.path +
                     "' has no .json file: lldpcli -f json show neighbors > HOST.json on each device"};
  for (const std::string& name : names)
    out.push_back(read_dump("neighbours", word + "/" + fs::path(name).filename().string(), name));
}

// Those of one word stand together: a dump alone, or the files of a folder.
void read_capture(Run& run, Capture& capture, std::span<const Captured> texts) {
  namespace fs = std::filesystem;
  std::vector<NeighbourFile> files;
  const bool folder = texts.front().kind == "neighbours";
  for (const Captured& one : texts) {
    const std::string device = fs::path(one.name).stem().string();
    const std::string path = folder                ? (fs::path(capture.path) / fs::path(one.name).filename()).string()
                             : capture.path == "-" ? "standard input"
                                                   : capture.path;
    const FileId file = run.sources.add(path, one.text);
    if (folder || is_neighbour_capture(run.sources.text(file))) files.push_back({file, device});
    if (&one == &texts.front()) capture.file = file;
  }
  if (files.empty())
    capture.seen = read_fabric_dump(run.sources, capture.file, run.findings);
  else
    capture.seen = read_neighbours(run.sources, files, planned_names(run), run.findings);
  if (capture.seen.links.empty() && !capture.seen.counted)
    throw UsageError{"'" + capture.path + "' has no link: it is not what " +
                     (files.empty() ? "ibnetdiscover, iblinkinfo or ibdiagnet prints" : "lldpcli or NetQ writes")};
}

// Lists of error counters have no cables: those of the fabric whose devices they name.
void attach(std::vector<Capture>& captures, const std::vector<Capture>& counters) {
  for (const Capture& list : counters) {
    bool known = false;
    for (Capture& c : captures)
      known = known || (!c.seen.ethernet && (list.network.empty() || list.network == c.network) &&
                        attach_counters(c.seen, list.seen));
    if (!known)
      throw UsageError{"--fabric: '" + list.path +
                       "' has error counters and no cables: give the dump of its fabric, too, taken at the same time: "
                       "ibnetdiscover > FILE"};
  }
}

// The word of --fabric that a capture came from.
std::string word_of(const Captured& c) { return c.kind == "neighbours" ? c.name.substr(0, c.name.rfind('/')) : c.name; }

std::vector<Capture> read_captures(Run& run, const std::vector<Captured>& all) {
  std::vector<Capture> out, counters;
  std::vector<Captured> texts;
  std::ranges::copy_if(all, std::back_inserter(texts), is_of_fabric);
  for (std::size_t i = 0, end = 0; i < texts.size(); i = end) {
    const std::string word = word_of(texts[i]);
    while (end < texts.size() && texts[end].kind == texts[i].kind && word_of(texts[end]) == word) ++end;
    Capture next = capture_of(word);
    read_capture(run, next, std::span(texts).subspan(i, end - i));
    const std::vector<int> fabrics = fabrics_of(run, next.network, next.kind());
    if (next.seen.links.empty()) {
      counters.push_back(std::move(next));
      continue;
    }
    const auto same =
        std::ranges::find_if(out, [&](const Capture& c) { return !next.network.empty() && c.network == next.network; });
    if (same == out.end()) {
      out.push_back(std::move(next));
      continue;
    }
    if (run.plan->fabrics[static_cast<std::size_t>(fabrics.front())].planes < 2)
      throw UsageError{"--fabric: '" + same->path + "' and '" + next.path + "' are both for network '" + next.network +
                       "', which has one plane: one dump shows all of it"};
    std::set<std::string> known;
    for (const SeenDevice& d : same->seen.devices) known.insert(d.id);
    for (const SeenDevice& d : next.seen.devices)
      if (d.is_switch && !d.id.empty() && known.contains(d.id))
        throw UsageError{"--fabric: '" + same->path + "' and '" + next.path +
                         "' have the same switches: give one dump of each plane of network '" + next.network + "'"};
    append(same->seen, std::move(next.seen));
    ++same->dumps;
  }
  attach(out, counters);
  return out;
}

void write_member(JsonWriter& json, const Capture& capture, const AuditedFabric& a) {
  const FabricDifferences& d = a.differences;
  json.begin_object()
      .field("network", a.planned.network)
      .field("file", capture.path)
      .field("recognised", !d.unrecognised)
      .field("named", a.match.by_name)
      .field("renamed", a.match.by_cables.size())
      .field("planned_cables", d.planned_cables)
      .field("right", d.right)
      .field("not_judged", d.unjudged + static_cast<std::int64_t>(d.unseen.size()))
      .field("misplaced", d.moves.size())
      .field("moves", d.ends_to_move())
      .field("missing", d.planned_cables - d.right - d.unjudged - static_cast<std::int64_t>(d.unseen.size()) -
                            static_cast<std::int64_t>(d.moves.size()))
      .field("unplanned", d.extra.size())
      .field("slow", d.slow.size())
      .field("devices_missing", d.absent.size())
      .field("devices_unplanned", d.unplanned.size())
      .end_object();
}

}  // namespace

void add_fabric_options(po::options_description& o) {
  o.add_options()("fabric", po::value<std::vector<std::string>>()->composing()->value_name("[NETWORK=]FILE"),
                  "what ibnetdiscover or iblinkinfo printed on the running fabric, or files of ibdiagnet, with error "
                  "counters of ibqueryerrors beside; NetQ's topology graph, or a folder with what lldpcli printed on "
                  "each device; '-' is standard input; several times for several fabrics, or for the planes of one")(
      "names", po::value<std::string>()->value_name("FILE"),
      "write as CSV which planned device each one of the fabric was recognised as");
}

std::vector<Captured> capture_fabrics(const std::string& spec_path, const po::variables_map& given) {
  std::vector<Captured> out;
  std::set<std::string> paths;
  if (!given.count("fabric")) return out;
  for (const std::string& word : given["fabric"].as<std::vector<std::string>>()) {
    const std::string path = capture_of(word).path;
    if (spec_path == "-" && path == "-") throw UsageError{"standard input is the spec or a dump, not both"};
    if (!paths.insert(path).second) throw UsageError{"--fabric: '" + path + "' is given twice"};
    capture_word(word, out);
  }
  return out;
}

bool asks_for_fabrics(const std::vector<Captured>& captures) { return std::ranges::any_of(captures, is_of_fabric); }

FabricsAudited audit_fabrics(Run& run, const std::vector<Captured>& texts, const std::string& names_file) {
  const std::vector<Capture> captures = read_captures(run, texts);
  std::vector<AuditedFabric> audited;
  FabricsAudited out;
  std::string names;
  for (const Capture& capture : captures) {
    AuditedFabric a = audit_fabric(capture.seen, *run.plan, fabrics_of(run, capture.network, capture.kind()));
    if (const std::int64_t planes = run.plan->fabrics[static_cast<std::size_t>(a.fabric)].planes;
        !capture.seen.ethernet && capture.dumps < planes)
      throw UsageError{format("--fabric: network '{}' has {} planes: give a dump of each, --fabric {}=FILE, {} times",
                              a.planned.network, planes, a.planned.network, planes)};
    for (std::size_t i = 0; i < audited.size(); ++i)
      if (audited[i].fabric == a.fabric)
        throw UsageError{"--fabric: '" + captures[i].path + "' and '" + capture.path + "' both fit network '" +
                         a.planned.network + "': name the network of each: --fabric NETWORK=FILE"};
    report_fabric(a, capture.file, run.findings);
    out.summaries += format("{}: {}\n", printable(capture.path), fabric_summary(a));
    names += fabric_names_csv(a, audited.empty());
    audited.push_back(std::move(a));
  }
  if (!names_file.empty()) {
    const std::string& file = names_file;
    FileError error;
    // A file of another kind is not overwritten: the spec, a dump.
    std::error_code failed;
    if (std::filesystem::is_regular_file(file, failed)) {
      const auto old = read_file(file, kLargestDump, error);
      if (!old || !old->starts_with(kNamesHeading))
        throw UsageError{"--names: '" + file + "' is there, and is no list of names: give another file"};
    }
    if (!write_file(file, names, error)) throw UsageError{"--names: " + error.message};
  }
  if (captures.size() == 1) out.path = captures.front().path;
  out.members = [captures, audited = std::move(audited)](JsonWriter& json) {
    json.array("fabrics");
    for (std::size_t i = 0; i < audited.size(); ++i) write_member(json, captures[i], audited[i]);
    json.end_array();
  };
  return out;
}

}  // namespace clusterc::cli
