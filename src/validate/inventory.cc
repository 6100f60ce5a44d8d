#include "validate/inventory.h"

#include <simdjson.h>

#include "base/printable.h"
#include "validate/run.h"

namespace clusterc {
namespace {

using Element = simdjson::dom::element;
constexpr std::size_t kLongest = 200;     // characters of a text that another machine wrote
constexpr std::size_t kMostDevices = 64;  // GPUs, and adapters, of a node; a server of today has at most 16

std::string text(const Element& e, std::string_view pointer) {
  std::string_view v;
  return e.at_pointer(pointer).get(v) == simdjson::SUCCESS ? printable(v.substr(0, kLongest)) : std::string();
}

std::vector<Element> list(const Element& e, std::string_view key) {
  std::vector<Element> out;
  simdjson::dom::array all;
  if (e[key].get(all) != simdjson::SUCCESS) return out;
  for (const Element one : all)
    if (one.is_object() && out.size() < kMostDevices) out.push_back(one);
  return out;
}

}  // namespace

NodeFacts read_probe(const NodeProbe& probe) {
  NodeFacts out;
  out.node = probe.node;
  simdjson::dom::parser parser;
  Element e;
  if (parser.parse(probe.json).get(e) != simdjson::SUCCESS || !e.is_object()) return out;
  out.host = text(e, "/host");
  out.probed = text(e, "/time");
  out.system = text(e, "/os/name");
  out.kernel = text(e, "/kernel/release");
  out.vendor = text(e, "/platform/sys_vendor");
  out.product = text(e, "/platform/product_name");
  out.serial = text(e, "/platform/product_serial");
  out.bios = text(e, "/platform/bios_version");
  out.cpu = text(e, "/cpu/model");
  double bytes = 0;
  if (e.at_pointer("/memory/total_bytes").get(bytes) == simdjson::SUCCESS) out.memory_bytes = bytes;
  out.driver = text(e, "/nvidia/driver");
  if (out.driver.empty()) out.driver = text(e, "/nvidia/kernel_module");
  out.cuda = text(e, "/nvidia/cuda");
  out.nccl = text(e, "/nvidia/nccl");
  for (const Element& gpu : list(e, "gpus"))
    out.gpus.push_back(
        {text(gpu, "/name"), text(gpu, "/serial"), text(gpu, "/uuid"), text(gpu, "/vbios"), text(gpu, "/pci_address")});
  for (const Element& rdma : list(e, "rdma"))
    out.adapters.push_back(
        {text(rdma, "/name"), text(rdma, "/hca_type"), text(rdma, "/firmware"), text(rdma, "/node_guid")});
  for (const Element& nic : list(e, "nics")) {
    bool physical = false;
    if (nic["physical"].get(physical) == simdjson::SUCCESS && physical)
      out.adapters.push_back({text(nic, "/name"), text(nic, "/driver"), "", text(nic, "/mac")});
  }
  return out;
}

std::vector<NodeFacts> nodes_of(const Report& report) {
  std::vector<NodeFacts> out;
  out.reserve(report.probes.size() + report.earlier_nodes.size());
  for (const NodeProbe& probe : report.probes) out.push_back(read_probe(probe));
  out.insert(out.end(), report.earlier_nodes.begin(), report.earlier_nodes.end());
  return out;
}

}  // namespace clusterc
