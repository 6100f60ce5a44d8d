#include "report/parts_report.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "catalog/facts.h"
#include "report/table.h"

namespace clusterc {
namespace {

// What a table shows of a part, and what else it is found by.
struct PartFacts {
  std::vector<std::string> cells;  // as the headings of its kind
  std::vector<std::string> words;
};

template <class T>
std::string text_of(const Value<T>& v) {
  if (!v) return {};
  if constexpr (std::is_same_v<T, std::string>)
    return *v;
  else if constexpr (std::is_integral_v<T>)
    return std::to_string(*v);
  else if constexpr (std::is_enum_v<T>)
    return std::string(enum_text(*v));
  else if constexpr (requires { v->text(); })
    return v->text();
  else
    return to_text(*v);
}
template <class T>
std::string list_of(const std::vector<Value<T>>& values) {
  std::string out;
  for (const auto& v : values)
    if (v) out += (out.empty() ? "" : ", ") + text_of(v);
  return out;
}
std::string times(const Value<std::int64_t>& n, const std::string& what) {
  return n && !what.empty() ? format("{} x {}", *n, what) : what;
}
std::string count_of(const std::optional<PartCount>& p) {
  return p ? times(p->count, text_of(p->model)) : std::string();
}

// What the trade calls a port of this rate: InfiniBand Trade Association, roadmap (four lanes).
std::string_view generation(const Value<BitsPerSecond>& rate) {
  const double gb = rate ? rate->value / 1e9 : 0;
  return gb == 800 ? "xdr" : gb == 400 ? "ndr" : gb == 200 ? "hdr" : gb == 100 ? "edr" : "";
}

std::vector<std::string> headings(PartKind kind) {
  switch (kind) {
    case PartKind::gpu:
      return {"gpu", "form", ">memory", ">bandwidth", ">limit", ">BF16"};
    case PartKind::cpu:
      return {"cpu", "arch", ">cores", ">clock", ">TDP", ">PCIe lanes"};
    case PartKind::nic:
      return {"nic", "link", "ports", "cage", "PCIe", ">power"};
    case PartKind::switch_:
      return {"switch", "link", "ports", "cage", ">split", "uplinks", ">units", ">typical", ">highest"};
    case PartKind::cable:
      return {"cable", "medium", ">rate", ">reach", "from", "to", "link", "what it is"};
    case PartKind::pdu:
      return {"pdu", "region", ">phases", ">voltage", ">breaker", ">carries", "outlets"};
    case PartKind::rack:
      return {"rack", ">units", ">width", ">depth", ">height", ">carries"};
    case PartKind::cooling:
      return {"cooling", "kind", ">heat", ">draws"};
    case PartKind::ups:
      return {"ups", ">power", ">apparent"};
    case PartKind::server:
      return {"server", ">units", "GPUs", "processors", ">highest", ">depth", "name"};
    case PartKind::storage:
      return {"storage", ">units", ">read", ">write", ">capacity", ">power", "name"};
    case PartKind::assembly:
      return {"assembly", ">units", ">GPUs", ">power", ">shelves", ">weight"};
  }
  return {};
}

// What `parts` shows of each kind, in the order of its columns.
void add_facts(const GpuPart& p, PartFacts& f, const std::string& id) {
  f.cells = {id, text_of(p.form), text_of(p.memory), text_of(p.memory_bandwidth), text_of(p.tdp), text_of(p.bf16)};
  f.words.push_back(text_of(p.name));
  f.words.push_back(text_of(p.vendor));
  f.words.push_back(list_of(p.pci_ids));
}

void add_facts(const CpuPart& p, PartFacts& f, const std::string& id) {
  f.cells = {id, text_of(p.arch), text_of(p.cores), text_of(p.clock), text_of(p.tdp), text_of(p.pcie_lanes)};
  f.words.push_back(text_of(p.name));
  f.words.push_back(text_of(p.vendor));
  f.words.push_back(text_of(p.socket));
}

void add_facts(const NicPart& p, PartFacts& f, const std::string& id) {
  f.cells = {id,
             list_of(p.links),
             times(p.ports, text_of(p.port_rate)),
             text_of(p.connector),
             p.pcie_generation && p.pcie_lanes ? format("{}.0 x{}", *p.pcie_generation, *p.pcie_lanes) : "",
             text_of(p.power)};
  f.words.push_back(text_of(p.name));
  f.words.push_back(list_of(p.pci_ids));
  if (std::ranges::any_of(p.links, [](const auto& l) { return l && *l == LinkKind::infiniband; }))
    f.words.emplace_back(generation(p.port_rate));
}

void add_facts(const SwitchPart& p, PartFacts& f, const std::string& id) {
  f.cells = {id,
             text_of(p.link),
             times(p.ports, text_of(p.port_rate)),
             text_of(p.connector),
             text_of(p.breakout),
             times(p.uplinks, text_of(p.uplink_rate)),
             text_of(p.units),
             text_of(p.power_typical),
             text_of(p.power)};
  f.words.push_back(text_of(p.name));
  if (p.link && *p.link == LinkKind::infiniband) f.words.emplace_back(generation(p.port_rate));
}

void add_facts(const CablePart& p, PartFacts& f, const std::string& id) {
  const bool module = p.module.value_or(false);
  std::string far = module ? text_of(p.fibre) : text_of(p.far_connector);
  if (p.ends.value_or(1) > 1) far = format("{} x {}", *p.ends, far);
  std::string links = list_of(p.links);
  if (links.empty()) links = "infiniband, ethernet";  // as the field says where it is left out
  f.cells = {id,    text_of(p.medium), text_of(p.rate), text_of(p.reach), text_of(p.connector), far,
             links, text_of(p.name)};
  f.words.emplace_back(module ? "module transceiver" : p.rate ? "cable" : "fibre");
}

void add_facts(const PduPart& p, PartFacts& f, const std::string& id) {
  std::string outlets;
  for (const OutletGroup& g : p.outlets)
    if (g.kind && g.count) outlets += format("{}{} x {}", outlets.empty() ? "" : " + ", *g.count, enum_text(*g.kind));
  f.cells = {id,     text_of(p.region), text_of(p.phases), text_of(p.voltage), text_of(p.breaker), text_of(p.apparent),
             outlets};
  f.words.push_back(text_of(p.name));
}

void add_facts(const RackPart& p, PartFacts& f, const std::string& id) {
  f.cells = {id, text_of(p.units), text_of(p.width), text_of(p.depth), text_of(p.height), text_of(p.static_load)};
  f.words.push_back(text_of(p.name));
}

void add_facts(const CoolingPart& p, PartFacts& f, const std::string& id) {
  f.cells = {id, text_of(p.kind), text_of(p.heat), text_of(p.power)};
  f.words.push_back(text_of(p.name));
}

void add_facts(const UpsPart& p, PartFacts& f, const std::string& id) {
  f.cells = {id, text_of(p.power), text_of(p.apparent)};
  f.words.push_back(text_of(p.name));
}

void add_facts(const ServerPart& p, PartFacts& f, const std::string& id) {
  f.cells = {
      id, text_of(p.units), count_of(p.gpus), count_of(p.cpus), text_of(p.power), text_of(p.depth), text_of(p.name)};
}

void add_facts(const StoragePart& p, PartFacts& f, const std::string& id) {
  f.cells = {
      id, text_of(p.units), text_of(p.read), text_of(p.write), text_of(p.capacity), text_of(p.power), text_of(p.name)};
}

void add_facts(const AssemblyPart& p, PartFacts& f, const std::string& id) {
  f.cells = {id, text_of(p.units), text_of(p.gpus), text_of(p.power), text_of(p.power_shelves), text_of(p.weight)};
  f.words.push_back(text_of(p.name));
}

PartFacts facts_of(Catalog& catalog, const PartInfo& info) {
  PartFacts f;
  const std::string id(info.id);
  f.words = {id};
  const auto add = [&](const auto* p) {
    if (p) add_facts(*p, f, id);
  };
  switch (info.kind) {
    case PartKind::gpu:
      add(catalog.gpu(id));
      break;
    case PartKind::cpu:
      add(catalog.cpu(id));
      break;
    case PartKind::nic:
      add(catalog.nic(id));
      break;
    case PartKind::switch_:
      add(catalog.switch_(id));
      break;
    case PartKind::cable:
      add(catalog.cable(id));
      break;
    case PartKind::pdu:
      add(catalog.pdu(id));
      break;
    case PartKind::rack:
      add(catalog.rack(id));
      break;
    case PartKind::cooling:
      add(catalog.cooling(id));
      break;
    case PartKind::ups:
      add(catalog.ups(id));
      break;
    case PartKind::server:
      add(catalog.server(id));
      break;
    case PartKind::storage:
      add(catalog.storage(id));
      break;
    case PartKind::assembly:
      add(catalog.assembly(id));
      break;
  }
  if (f.cells.empty()) f.cells = {id};  // a part that could not be read: that is said elsewhere
  return f;
}

bool digit(char ch) { return ch >= '0' && ch <= '9'; }
bool letter(char ch) { return ch >= 'a' && ch <= 'z'; }
char lower(char ch) { return ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch; }

// Words and numbers, in small letters: "p5.48xlarge" is "p-5-48-xlarge", "400 Gb/s" is "400-gb-s", and "400g" its
// beginning.
std::string folded(std::string_view text) {
  std::string out;
  char before = ' ';
  for (const char raw : text) {
    const char ch = lower(raw);
    if (letter(ch) || digit(ch)) {
      const bool goes_on = (letter(ch) && letter(before)) || (digit(ch) && digit(before));
      if (!goes_on && !out.empty()) out += '-';
      out += ch;
    }
    before = ch;
  }
  return out;
}

// `wanted` folded, from where a word or a number begins.
bool has_word(std::string_view text, const std::string& wanted) {
  return ("-" + folded(text)).find("-" + wanted) != std::string::npos;
}

}  // namespace

std::string render_parts(Catalog& catalog, std::span<const PartInfo> parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size();) {
    Table table(headings(parts[i].kind));
    const PartKind kind = parts[i].kind;
    for (; i < parts.size() && parts[i].kind == kind; ++i) table.row(facts_of(catalog, parts[i]).cells);
    if (!out.empty()) out += '\n';
    out += table.text(0);
  }
  return out;
}

std::string render_gaps(Catalog& catalog, std::span<const PartInfo> parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size();) {
    const PartKind kind = parts[i].kind;
    Table table({std::string(part_kind_name(kind)), "unknown", "unconfirmed"});
    std::size_t whole = 0, count = 0;
    for (; i < parts.size() && parts[i].kind == kind; ++i, ++count) {
      const PartGaps gaps = gaps_of(catalog, parts[i]);
      if (gaps.none())
        ++whole;
      else
        table.row({std::string(parts[i].id), join(gaps.unknown, ", "), join(gaps.unconfirmed, ", ")});
    }
    if (!out.empty()) out += '\n';
    if (!table.empty()) out += table.text(0);
    out += format("{}: {} of {} have all of {} known and confirmed\n", part_kind_name(kind), whole, count,
                  join(deciding_facts(kind), ", "));
  }
  return out;
}

bool passes(Catalog& catalog, const PartInfo& info, const PartFilter& filter) {
  const PartRecord part = part_record(catalog, info.kind, info.id);
  const auto has = [&](std::initializer_list<std::string_view> facts, const std::string& word) {
    const std::string wanted = folded(word);
    return !wanted.empty() && std::ranges::any_of(facts, [&](std::string_view key) {
      const Fact fact = fact_of(part, key);
      return fact.known && has_word(fact.text, wanted);
    });
  };
  if (!filter.gpu.empty()) {
    if (info.kind != PartKind::server && info.kind != PartKind::assembly) return false;
    if (!has({"gpus.model", "trays.server.gpus.model"}, filter.gpu)) return false;
  }
  if (!filter.ports.empty()) {
    if (info.kind != PartKind::switch_ && info.kind != PartKind::nic) return false;
    if (!has({"port_rate", "uplink_rate"}, filter.ports)) return false;
  }
  return true;
}

std::vector<PartInfo> find_parts(Catalog& catalog, std::string_view word) {
  std::vector<PartInfo> found;
  const std::string wanted = folded(word);
  if (wanted.empty()) return found;
  for (const PartInfo& info : catalog.list()) {
    PartFacts f = facts_of(catalog, info);
    f.words.insert(f.words.end(), f.cells.begin(), f.cells.end());
    if (std::ranges::any_of(f.words, [&](const std::string& w) { return has_word(w, wanted); })) found.push_back(info);
  }
  return found;
}

}  // namespace clusterc
