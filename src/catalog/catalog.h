// The catalogue: built-in parts (embedded in the program, parsed only when a spec names them) and the spec's own.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/server_parts.h"
#include "diag/finding.h"

namespace clusterc {

enum class PartKind { gpu, cpu, nic, switch_, cable, pdu, rack, cooling, ups, server, storage, assembly };
std::string_view part_kind_name(PartKind);  // "switch"; the folder in catalog/ is the plural in English spelling

struct PartInfo {  // what can be known without parsing the part
  PartKind kind;
  std::string_view id;
  bool own = false;  // from the spec's `parts:`
};

// Lookup is lazy: a part is parsed the first time it is asked for. References stay valid as long as the Catalog.
// Unknown ids give nullptr; the caller reports (it knows the place) with known().
class Catalog {
 public:
  Catalog(Sources&, Findings&);
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  void add_own_file(FileId);  // a file of the spec's `parts:` folders; a built-in id is replaced, with a note

  const GpuPart* gpu(std::string_view id);
  const CpuPart* cpu(std::string_view id);
  const NicPart* nic(std::string_view id);
  const SwitchPart* switch_(std::string_view id);
  const CablePart* cable(std::string_view id);
  const PduPart* pdu(std::string_view id);
  const RackPart* rack(std::string_view id);
  const CoolingPart* cooling(std::string_view id);
  const UpsPart* ups(std::string_view id);
  const ServerPart* server(std::string_view id);
  const StoragePart* storage(std::string_view id);
  const AssemblyPart* assembly(std::string_view id);

  std::vector<PartInfo> list() const;                          // sorted by kind, then id
  std::string_view text(PartKind, std::string_view id) const;  // the part's file, empty when unknown
  std::vector<std::string_view> known(PartKind) const;         // every id of the kind, for "did you mean"
 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace clusterc
