#include "catalog/catalog.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>

#include "base/format.h"
#include "catalog/embedded.h"
#include "catalog/types.h"
#include "fields/read.h"

namespace clusterc {

template <>
struct EnumNames<PartKind> {
  static constexpr auto names = enum_table<PartKind>({{PartKind::gpu, "gpu"},
                                                      {PartKind::cpu, "cpu"},
                                                      {PartKind::nic, "nic"},
                                                      {PartKind::switch_, "switch"},
                                                      {PartKind::cable, "cable"},
                                                      {PartKind::pdu, "pdu"},
                                                      {PartKind::rack, "rack"},
                                                      {PartKind::cooling, "cooling"},
                                                      {PartKind::ups, "ups"},
                                                      {PartKind::server, "server"},
                                                      {PartKind::storage, "storage"},
                                                      {PartKind::assembly, "assembly"}});
};

namespace {

constexpr std::size_t kKinds = EnumNames<PartKind>::names.size();
constexpr std::string_view kFolders[kKinds] = {"gpus",  "cpus",    "nics", "switches", "cables",  "pdus",
                                               "racks", "cooling", "ups",  "servers",  "storage", "assemblies"};

// What stands around the facts of a part.
struct PartHeader {
  Value<PartKind> part;
  Value<std::string> id, note;
  std::vector<Value<std::string>> aliases;
  Value<bool> planning_default;
  NamedMap<Value<std::string>> sources;
  static constexpr std::string_view type_name = "part";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("part", s.part, {.required = true, .doc = "kind of part"});
    v("id", s.id, {.required = true, .doc = "name that specs use"});
    v("aliases", s.aliases, {.doc = "further names"});
    v("planning_default", s.planning_default, {.doc = "true: no product, a planning figure"});
    v("sources", s.sources, {.doc = "documents by short name"});
    v("note", s.note, {.doc = "what a reader should know"});
  }
};
constexpr std::string_view kFacts[] = {"facts"};

}  // namespace

std::string_view part_kind_name(PartKind kind) { return enum_text(kind); }
std::string_view part_folder(PartKind kind) { return kFolders[static_cast<std::size_t>(kind)]; }

std::size_t embedded_count() { return embedded_index().rows.size(); }

EmbeddedFile embedded_file(std::size_t i) {
  const EmbeddedIndex index = embedded_index();
  const EmbeddedRow& row = index.rows[i];
  return {{index.names + row.folder, row.folder_size},
          {index.names + row.name, row.name_size},
          {index.names + row.id, row.id_size},
          {index.texts + row.text, row.text_size}};
}

std::optional<EmbeddedFile> find_embedded(std::string_view folder, std::string_view name) {
  const auto every = std::views::iota(std::size_t{0}, embedded_count());
  const auto key = [](std::size_t i) {
    const EmbeddedFile file = embedded_file(i);
    return std::pair(file.folder, file.name);
  };
  const auto at = std::ranges::lower_bound(every, std::pair(folder, name), {}, key);
  if (at == every.end() || key(*at) != std::pair(folder, name)) return std::nullopt;
  return embedded_file(*at);
}

struct Catalog::Impl {
  template <class T>
  using Shelf = std::map<std::string, std::unique_ptr<T>, std::less<>>;
  struct Own {
    FileId file = kNoFile;
    SourceSpan id_span;
    std::string id;  // canonical
  };

  Sources& sources;
  Findings& findings;
  std::map<std::string, Own, std::less<>> own[kKinds];  // by id and alias
  std::tuple<Shelf<GpuPart>, Shelf<CpuPart>, Shelf<NicPart>, Shelf<SwitchPart>, Shelf<CablePart>, Shelf<PduPart>,
             Shelf<RackPart>, Shelf<CoolingPart>, Shelf<UpsPart>, Shelf<ServerPart>, Shelf<StoragePart>,
             Shelf<AssemblyPart>>
      shelves;

  // The facts of an opened file go where the kind says; the header has been read.
  void read_facts(const Document& document, NodeId facts, const Type& type, void* part, std::string_view id) {
    ReadContext context{document, findings};
    context.origin = Origin::catalog;
    context.facts = true;
    context.sources = document.find(document.root(), "sources");
    if (context.sources != kNoNode && !document.is_mapping(context.sources)) context.sources = kNoNode;
    read_node(context, type, facts, part, {{}, id});
  }

  bool read_header(const Document& document, PartHeader& header, NodeId& facts) {
    bool ok = read_fields(ReadContext{document, findings}, document.root(), header, {}, kFacts);
    if (!document.is_mapping(document.root())) return false;
    facts = document.find(document.root(), "facts");
    if (facts == kNoNode) {
      const NodeId root = document.root();
      findings
          .error("spec-missing-key",
                 document.size(root) > 0 ? document.span(document.key(root, 0)) : document.span(root),
                 "'facts' is missing")
          .help("a part is written as part, id, sources and facts");
      ok = false;
    }
    return ok;
  }

  template <class T>
  void read(const Document& document, NodeId facts, T& part, std::string_view id) {
    read_facts(document, facts, type_of<T>(), &part, id);
    if constexpr (std::is_same_v<T, GpuPart>) divide_among_devices(part);
  }

  template <class T>
  const T* part(PartKind kind, std::string_view name) {
    auto& shelf = std::get<Shelf<T>>(shelves);
    const auto& owned = own[static_cast<std::size_t>(kind)];
    if (const auto mine = owned.find(name); mine != owned.end()) return shelf.find(mine->second.id)->second.get();
    const auto file = find_embedded(part_folder(kind), name);
    if (!file) return nullptr;
    if (const auto known = shelf.find(file->id); known != shelf.end()) return known->second.get();
    auto& part = shelf.emplace(std::string(file->id), std::make_unique<T>()).first->second;
    const FileId id = sources.add(format("catalog/{}/{}.yaml", file->folder, file->id), std::string(file->text));
    if (const auto document = parse_yaml(sources, id, findings)) {
      PartHeader header;
      NodeId facts = kNoNode;
      read_header(*document, header, facts);
      if (header.id && (*header.id != file->id || *header.part != kind))
        findings.error("spec-part-misplaced", header.id.span,
                       format("part '{}' of kind '{}' lies in catalog/{}/{}.yaml", *header.id,
                              part_kind_name(*header.part), file->folder, file->id));
      if (facts != kNoNode) read(*document, facts, *part, file->id);
    }
    return part.get();
  }

  template <class T>
  void keep_own(const Document& document, NodeId facts, const std::string& id) {
    auto& part = std::get<Shelf<T>>(shelves)[id];
    if (part) return;  // a second file of the same id was reported; the first one counts
    part = std::make_unique<T>();
    read(document, facts, *part, id);
  }
};

Catalog::Catalog(Sources& sources, Findings& findings) : impl_(new Impl{sources, findings, {}, {}}) {}
Catalog::~Catalog() = default;

void Catalog::add_own_file(FileId file) {
  Impl& m = *impl_;
  const auto document = parse_yaml(m.sources, file, m.findings);
  if (!document) return;
  PartHeader header;
  NodeId facts = kNoNode;
  m.read_header(*document, header, facts);
  if (!header.part || !header.id || facts == kNoNode) return;
  const PartKind kind = *header.part;
  auto& owned = m.own[static_cast<std::size_t>(kind)];
  const auto claim = [&](const Value<std::string>& name) {
    const auto [at, fresh] = owned.try_emplace(*name, Impl::Own{file, name.span, *header.id});
    if (!fresh)
      m.findings
          .error("spec-duplicate-part", name.span,
                 format("{} '{}' is written twice among your own parts", part_kind_name(kind), *name))
          .note(at->second.id_span, "first written here");
    else if (find_embedded(part_folder(kind), *name))
      m.findings.note("spec-part-replaces-built-in", name.span,
                      format("{} '{}' replaces the built-in part with this name", part_kind_name(kind), *name));
    return fresh;
  };
  if (!claim(header.id)) return;
  for (const auto& alias : header.aliases) claim(alias);
  const std::string& id = *header.id;
  switch (kind) {
    case PartKind::gpu:
      return m.keep_own<GpuPart>(*document, facts, id);
    case PartKind::cpu:
      return m.keep_own<CpuPart>(*document, facts, id);
    case PartKind::nic:
      return m.keep_own<NicPart>(*document, facts, id);
    case PartKind::switch_:
      return m.keep_own<SwitchPart>(*document, facts, id);
    case PartKind::cable:
      return m.keep_own<CablePart>(*document, facts, id);
    case PartKind::pdu:
      return m.keep_own<PduPart>(*document, facts, id);
    case PartKind::rack:
      return m.keep_own<RackPart>(*document, facts, id);
    case PartKind::cooling:
      return m.keep_own<CoolingPart>(*document, facts, id);
    case PartKind::ups:
      return m.keep_own<UpsPart>(*document, facts, id);
    case PartKind::server:
      return m.keep_own<ServerPart>(*document, facts, id);
    case PartKind::storage:
      return m.keep_own<StoragePart>(*document, facts, id);
    case PartKind::assembly:
      return m.keep_own<AssemblyPart>(*document, facts, id);
  }
}

const GpuPart* Catalog::gpu(std::string_view id) { return impl_->part<GpuPart>(PartKind::gpu, id); }
const CpuPart* Catalog::cpu(std::string_view id) { return impl_->part<CpuPart>(PartKind::cpu, id); }
const NicPart* Catalog::nic(std::string_view id) { return impl_->part<NicPart>(PartKind::nic, id); }
const SwitchPart* Catalog::switch_(std::string_view id) { return impl_->part<SwitchPart>(PartKind::switch_, id); }
const CablePart* Catalog::cable(std::string_view id) { return impl_->part<CablePart>(PartKind::cable, id); }
const PduPart* Catalog::pdu(std::string_view id) { return impl_->part<PduPart>(PartKind::pdu, id); }
const RackPart* Catalog::rack(std::string_view id) { return impl_->part<RackPart>(PartKind::rack, id); }
const CoolingPart* Catalog::cooling(std::string_view id) { return impl_->part<CoolingPart>(PartKind::cooling, id); }
const UpsPart* Catalog::ups(std::string_view id) { return impl_->part<UpsPart>(PartKind::ups, id); }
const ServerPart* Catalog::server(std::string_view id) { return impl_->part<ServerPart>(PartKind::server, id); }
const StoragePart* Catalog::storage(std::string_view id) { return impl_->part<StoragePart>(PartKind::storage, id); }
const AssemblyPart* Catalog::assembly(std::string_view id) { return impl_->part<AssemblyPart>(PartKind::assembly, id); }

std::vector<PartInfo> Catalog::list() const {
  std::vector<PartInfo> out;
  for (std::size_t k = 0; k < kKinds; ++k) {
    const PartKind kind = static_cast<PartKind>(k);
    const std::size_t first = out.size();
    const auto& owned = impl_->own[k];
    for (const auto& [name, mine] : owned)
      if (name == mine.id) out.push_back({kind, name, true});
    for (std::size_t i = 0; i < embedded_count(); ++i)
      if (const EmbeddedFile f = embedded_file(i);
          f.folder == kFolders[k] && f.name == f.id && owned.find(f.id) == owned.end())
        out.push_back({kind, f.id, false});
    std::ranges::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), {}, &PartInfo::id);
  }
  return out;
}

std::string_view Catalog::text(PartKind kind, std::string_view id) const {
  const auto& owned = impl_->own[static_cast<std::size_t>(kind)];
  if (const auto mine = owned.find(id); mine != owned.end()) return impl_->sources.text(mine->second.file);
  const auto file = find_embedded(part_folder(kind), id);
  return file ? file->text : std::string_view();
}

std::vector<std::string_view> Catalog::known(PartKind kind) const {
  std::vector<std::string_view> ids;
  for (const auto& [name, mine] : impl_->own[static_cast<std::size_t>(kind)]) ids.push_back(name);
  for (std::size_t i = 0; i < embedded_count(); ++i)
    if (const EmbeddedFile f = embedded_file(i); f.folder == part_folder(kind)) ids.push_back(f.name);
  return ids;
}

}  // namespace clusterc
