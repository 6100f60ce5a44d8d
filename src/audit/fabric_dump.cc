#include "audit/fabric_dump.h"

#include <unordered_set>

#include "audit/port_counters.h"
#include "spec/other_files.h"

namespace clusterc {

SeenFabric read_fabric_dump(const Sources& sources, FileId file, Findings& findings) {
  const OtherFile* known = recognise_other_file(sources.text(file));
  const FileKind kind = known ? known->kind : FileKind::ibnetdiscover;
  if (kind == FileKind::iblinkinfo) return read_iblinkinfo(sources, file, findings);
  if (kind == FileKind::ibdiagnet_lst) return read_ibdiagnet_lst(sources, file, findings);
  if (kind == FileKind::ibdiagnet_csv) return read_ibdiagnet_csv(sources, file, findings);
  if (kind == FileKind::port_counters) return read_counters(sources, file, findings);
  return read_ibnetdiscover(sources, file, findings);
}

bool attach_counters(SeenFabric& to, const SeenFabric& counters) {
  std::unordered_set<std::string> known;
  for (const SeenDevice& d : to.devices) known.insert(d.id);
  for (const auto& [guid, device] : to.port_guids) known.insert(guid);
  std::size_t there = 0;
  for (const PortCounters& c : counters.counters) there += known.contains(c.guid);
  if (there == 0 && !counters.counters.empty()) return false;
  to.counted = true;
  to.counters.insert(to.counters.end(), counters.counters.begin(), counters.counters.end());
  return true;
}

}  // namespace clusterc
