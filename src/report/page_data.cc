#include "report/page_data.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "base/format.h"
#include "base/index.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "model/nvlink.h"
#include "model/pcie.h"
#include "plan/power/cords.h"
#include "plan/power/feed_lines.h"
#include "plan/power/power.h"
#include "plan/power/rack_limits.h"
#include "report/link_rows.h"
#include "report/margins.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/site.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostMargins = 400;  // the tightest; what is beyond is far from its limit

template <class Number>
void append_number(std::string& bytes, std::int64_t value) {
  const auto all = static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(value, 0, static_cast<std::int64_t>(static_cast<Number>(-1))));
  for (std::size_t i = 0; i < sizeof(Number); ++i) bytes += static_cast<char>((all >> (8 * i)) & 0xff);
}

// Each text once, by the order of its first use.
class Words {
 public:
  std::int64_t number(const std::string& text) {
    const auto [at, fresh] = numbers_.try_emplace(text, static_cast<std::int64_t>(words_.size()));
    if (fresh) words_.push_back(&at->first);
    return at->second;
  }
  std::size_t size() const { return words_.size(); }
  void write(JsonWriter& json, std::string_view key) const {
    json.array(key);
    for (const std::string* word : words_) json.value(*word);
    json.end_array();
  }

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<const std::string*> words_;  // keys of a map of nodes: they stay where they are
};

class PageData {
 public:
  PageData(JsonWriter& json, const Cluster& cluster, const Plan& plan) : json_(json), c_(cluster), p_(plan) {}

  void all(std::string_view spec_path) {
    json_.begin_object().field("format", "clusterc-page").field("version", 1).field("spec", spec_path);
    rack_groups();
    margins();
    currents();
    servers();
    links();
    json_.end_object();
  }

 private:
  void rack_groups() {
    json_.array("rack_groups");
    const auto one = [&](std::string_view kind, const auto& g, std::int64_t units) {
      json_.begin_object(kLine)
          .field("kind", kind)
          .field("name", g.name)
          .field("first", g.first)
          .field("count", g.count)
          .field("model", g.model)
          .field("units", units);
      if (g.part) {
        if (g.part->width) json_.field("width_m", g.part->width->value);
        if (g.part->depth) json_.field("depth_m", g.part->depth->value);
      }
    };
    for (const RackGroupModel& g : c_.racks) {
      one("rack", g, g.part ? g.part->units.value_or(0) : 0);
      if (g.part && g.part->static_load) json_.field("static_load_kg", g.part->static_load->value);
      const RackLimits limits = rack_limits(c_, g);
      if (std::isfinite(limits.survives.value)) json_.field("power_limit_w", limits.survives.value);
      json_.end_object();
    }
    for (const AssemblyGroupModel& a : c_.assemblies) {
      one("frame", a, a.part ? a.part->units.value_or(0) : 0);
      json_.end_object();
    }
    json_.end_array();
  }

  void margins() {
    const std::vector<Margin> all = margins_of(c_, p_);
    json_.field("margins_in_all", all.size()).array("margins");
    for (std::size_t i = 0; i < std::min(all.size(), kMostMargins); ++i)
      json_.begin_object(kLine)
          .field("object", all[i].object)
          .field("what", all[i].what)
          .field("share", all[i].share())
          .field("load", all[i].load_text())
          .field("limit", all[i].limit_text())
          .end_object();
    json_.end_array();
  }

  // By place in "pdus" of plan.json: currents of the lines with all feeds, after the loss of the worst one, and what a
  // line may carry.
  void currents() {
    json_.array("pdu_amps");
    const std::vector<PduCurrents>& all = p_.pdu_currents();
    for (std::size_t i = 0; i < p_.pdus.size(); ++i) {
      const PduModel& m = c_.racks[at(c_.rack_group_of(p_.pdus[i].rack))].pdus[at(p_.pdus[i].pdu)];
      json_.begin_array(kLine);
      if (const auto rating = m.part ? line_rating(c_, *m.part) : std::nullopt; rating && i < all.size()) {
        const int lines = m.part->phases.value_or(1) >= 3 ? 3 : 1;
        const auto tenths = [&](double amps) { json_.value(std::round(amps * 10) / 10); };
        tenths(*rating);
        for (int l = 0; l < lines; ++l) tenths(all[i].lines[at(l)]);
        for (int l = 0; l < lines; ++l)
          tenths(all[i].worst_lost_feed < 0 ? all[i].lines[at(l)] : all[i].worst_lines[at(l)]);
      }
      json_.end_array();
    }
    json_.end_array();
  }

  void pairs(const NodeGroupModel& g, const PcieTree& tree) {
    json_.array("pairs");
    for (const PortSet& set : g.server.ports) {
      if (set.nics < 0 || set.ports_each < 1) continue;
      for (const GpuNicPair& pair : pair_gpus_with_nics(g.server, tree, set.nics)) {
        if (pair.nic < 0) continue;
        json_.begin_object(kLine)
            .field("gpu", pair.gpu)
            .field("nic", g.server.nics[at(set.nics)].name)
            .field("index", pair.nic)
            .field("ports", set.name)
            .field("first_port", pair.nic * set.ports_each + 1)
            .field("ports_each", set.ports_each)
            .field("relation", pcie_relation_name(pair.road.relation));
        if (pair.road.rate.value > 0) json_.field("rate", to_text(pair.road.rate));
        json_.end_object();
      }
    }
    json_.end_array();
  }

  void tree(const PcieTree& t) {
    json_.array("sockets");
    for (const PcieTreeSocket& s : t.sockets)
      json_.begin_object(kLine)
          .field("name", s.name)
          .field("lanes_used", s.lanes_used)
          .field("lanes", s.lanes)
          .end_object();
    json_.end_array().array("switches");
    for (const PcieTreeSwitch& s : t.switches)
      json_.begin_object(kLine)
          .field("name", s.name)
          .field("socket", s.socket)
          .field("through", s.through)
          .field("uplink_lanes", s.uplink_lanes)
          .field("generation", s.generation)
          .end_object();
    json_.end_array().array("devices");
    for (const PcieDevice& d : t.devices) {
      json_.begin_object(kLine)
          .field("name", d.name)
          .field("kind", d.kind == PcieDeviceKind::gpu   ? "gpu"
                         : d.kind == PcieDeviceKind::nic ? "nic"
                                                         : "drive")
          .field("socket", d.socket)
          .field("through", d.through)
          .field("slot", d.slot_name)
          .field("lanes", d.lanes)
          .field("generation", d.generation);
      if (d.rate.value > 0) json_.field("rate", to_text(d.rate));
      json_.end_object();
    }
    json_.end_array();
  }

  void servers() {
    json_.array("servers");
    for (std::size_t i = 0; i < c_.nodes.size(); ++i) {
      const NodeGroupModel& g = c_.nodes[i];
      json_.begin_object().field("group", g.name).field("first", g.first).field("count", g.count);
      json_.field("gpus", g.server.gpu_count).field("joined", gpus_joined_in_server(g.server));
      json_.field("domain_gpus", nvlink_domain_gpus(c_, g));
      if (const Value<BytesPerSecond>& link = gpu_link_of(g.server); link && link->value > 0)
        json_.field("gpu_link", to_text(*link));
      if (g.server.known) {
        const PcieTree& pcie = p_.pcie_tree(i);
        tree(pcie);
        pairs(g, pcie);
      }
      json_.end_object();
    }
    json_.end_array();
  }

  // Objects: every node, then what else is at the end of a link. "racks": place of its rack in plan.json, plus one.
  void links() {
    for (std::int64_t n = 0; n < c_.node_count; ++n)
      object(p_.node_object(n), c_.node_name(n), p_.node_rack.empty() ? -1 : p_.node_rack[at(n)]);
    json_.array("links");
    LinkRows rows(c_, p_);
    for (std::size_t f = 0; f < p_.fabrics.size(); ++f) {
      struct Columns {
        std::string near, near_port, far, far_port, cable, rate, length;
        std::int64_t count = 0;
      } columns;
      rows.each(static_cast<int>(f), [&](const LinkRow& r) {
        ++columns.count;
        append_number<std::uint32_t>(columns.near, object(r.near.object, r.near_host, r.link->near_at.rack));
        append_number<std::uint16_t>(columns.near_port, ports_.number(r.near.port));
        append_number<std::uint32_t>(columns.far, object(r.far.object, r.far_host, r.link->far_at.rack));
        append_number<std::uint16_t>(columns.far_port, ports_.number(r.far.port));
        append_number<std::uint16_t>(columns.cable, cables_.number(cable_text(r.run)));
        append_number<std::uint16_t>(columns.rate, rates_.number(std::string(r.rate)));
        append_number<std::uint16_t>(columns.length, std::llround(static_cast<double>(r.link->length) * 10));
        return true;
      });
      json_.begin_object()
          .field("network", p_.fabrics[f].name)
          .field("count", columns.count)
          .field("near", base64(columns.near))
          .field("near_port", base64(columns.near_port))
          .field("far", base64(columns.far))
          .field("far_port", base64(columns.far_port))
          .field("cable", base64(columns.cable))
          .field("rate", base64(columns.rate))
          .field("length_dm", base64(columns.length))
          .end_object();
    }
    json_.end_array();
    objects_.write(json_, "objects");
    json_.array("hosts");
    for (const std::string& host : hosts_) json_.value(host);
    json_.end_array();
    std::string racks;
    for (const std::int64_t rack : racks_) append_number<std::uint32_t>(racks, rack + 1);
    json_.field("racks", base64(racks));
    ports_.write(json_, "ports");
    cables_.write(json_, "cables");
    rates_.write(json_, "rates");
  }

  std::int64_t object(const std::string& name, const std::string& host, std::int64_t rack) {
    const std::int64_t number = objects_.number(name);
    if (at(number) < hosts_.size()) return number;
    hosts_.push_back(host);
    racks_.push_back(rack);
    return number;
  }

  JsonWriter& json_;
  const Cluster& c_;
  const Plan& p_;
  Words objects_, ports_, cables_, rates_;
  std::vector<std::string> hosts_;   // by object
  std::vector<std::int64_t> racks_;  // by object; -1: none
};

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= have ? kDigits[three >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::string render_page_data(const Cluster& cluster, const Plan& plan, std::string_view spec_path) {
  std::string out;
  JsonWriter json(out, {.html_safe = true});
  PageData(json, cluster, plan).all(spec_path);
  return out;
}

}  // namespace clusterc
