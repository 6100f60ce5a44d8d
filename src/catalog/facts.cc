#include "catalog/facts.h"

#include "catalog/types.h"
#include "fields/show.h"

namespace clusterc {
namespace {

template <class T>
PartRecord record_of(const T* part) {
  return part ? PartRecord{&type_of<T>(), part} : PartRecord{};
}

void collect(const Type& type, const void* at, std::string_view path, Fact& fact) {
  void* const there = const_cast<void*>(at);  // the tables serve reading and writing
  switch (type.form) {
    case Type::Form::value: {
      if (!path.empty()) return;
      const ValueHead head = type.head(there);
      if (!head.has) return;
      fact.confirmed = (fact.known ? fact.confirmed : true) && head.confirmed;
      fact.known = true;
      fact.text += (fact.text.empty() ? "" : ", ") + scalar_text(type, at);
      return;
    }
    case Type::Form::list:
    case Type::Form::map:
    case Type::Form::maybe:
      for (std::size_t i = 0; i < type.size(at); ++i) collect(type.element(), type.at(there, i), path, fact);
      return;
    case Type::Form::record:
      break;
  }
  const std::size_t dot = path.find('.');
  if (const Field* field = type.field(path.substr(0, dot)))
    collect(field->type(), field->in(at), dot == path.npos ? std::string_view() : path.substr(dot + 1), fact);
}

}  // namespace

PartRecord part_record(Catalog& catalog, PartKind kind, std::string_view id) {
  switch (kind) {
    case PartKind::gpu:
      return record_of(catalog.gpu(id));
    case PartKind::cpu:
      return record_of(catalog.cpu(id));
    case PartKind::nic:
      return record_of(catalog.nic(id));
    case PartKind::switch_:
      return record_of(catalog.switch_(id));
    case PartKind::cable:
      return record_of(catalog.cable(id));
    case PartKind::pdu:
      return record_of(catalog.pdu(id));
    case PartKind::rack:
      return record_of(catalog.rack(id));
    case PartKind::cooling:
      return record_of(catalog.cooling(id));
    case PartKind::ups:
      return record_of(catalog.ups(id));
    case PartKind::server:
      return record_of(catalog.server(id));
    case PartKind::storage:
      return record_of(catalog.storage(id));
    case PartKind::assembly:
      return record_of(catalog.assembly(id));
  }
  return {};
}

Fact fact_of(const PartRecord& part, std::string_view path) {
  Fact fact;
  if (part.type) collect(*part.type, part.record, path, fact);
  return fact;
}

std::span<const std::string_view> deciding_facts(PartKind kind) {
  static constexpr std::string_view kGpu[] = {"tdp", "memory"}, kCpu[] = {"cores", "tdp", "pcie_lanes"},
                                    kNic[] = {"ports", "port_rate", "power"},
                                    kSwitch[] = {"ports", "port_rate", "psus.count", "power"},
                                    kCable[] = {"rate", "connector", "reach"},
                                    kPdu[] = {"phases", "voltage", "breaker", "outlets.count"},
                                    kRack[] = {"units", "depth", "static_load"}, kCooling[] = {"heat"},
                                    kUps[] = {"power", "apparent"},
                                    kServer[] = {"units", "psus.count", "psus.power", "power"},
                                    kStorage[] = {"units", "power"}, kAssembly[] = {"units", "power"};
  switch (kind) {
    case PartKind::gpu:
      return kGpu;
    case PartKind::cpu:
      return kCpu;
    case PartKind::nic:
      return kNic;
    case PartKind::switch_:
      return kSwitch;
    case PartKind::cable:
      return kCable;
    case PartKind::pdu:
      return kPdu;
    case PartKind::rack:
      return kRack;
    case PartKind::cooling:
      return kCooling;
    case PartKind::ups:
      return kUps;
    case PartKind::server:
      return kServer;
    case PartKind::storage:
      return kStorage;
    case PartKind::assembly:
      return kAssembly;
  }
  return {};
}

PartGaps gaps_of(Catalog& catalog, const PartInfo& info) {
  PartGaps gaps;
  const PartRecord part = part_record(catalog, info.kind, info.id);
  for (const std::string_view key : deciding_facts(info.kind)) {
    const Fact fact = fact_of(part, key);
    if (!fact.known)
      gaps.unknown.push_back(key);
    else if (!fact.confirmed)
      gaps.unconfirmed.push_back(key);
  }
  return gaps;
}

}  // namespace clusterc
