#include "audit/neighbours.h"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/index.h"
#include "base/text.h"

namespace clusterc {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::element;
using simdjson::dom::object;
using Index = std::int32_t;

constexpr std::size_t kMostTold = 20;      // links that cannot be read, told one by one
constexpr std::size_t kLongestName = 255;  // bytes of a host name or an interface
// Ports have names, so they are numbered behind all that a plan numbers: no number means a planned port by chance.
constexpr std::int64_t kFirstPort = std::int64_t{1} << 32;

std::string text(const element& e, std::string_view key) {
  std::string_view v;
  return e[key].get(v) == SUCCESS ? std::string(v) : std::string();
}

std::string clean(std::string_view name) { return one_line(trim(name).substr(0, kLongestName)); }

// A value that is a list, or one item where there is only one.
template <class F>
void each(const element& e, std::string_view key, F use) {
  element value;
  if (e[key].get(value) != SUCCESS) return;
  simdjson::dom::array items;
  if (value.get(items) == SUCCESS)
    for (const element item : items) use(item);
  else
    use(value);
}

struct Port {
  std::string device, name;
  auto operator<=>(const Port&) const = default;
};
struct Cable {
  Port a, b;
  SourceSpan span;
};

class Reader {
 public:
  Reader(const Sources& sources, const PlannedNames& planned, Findings& findings)
      : sources_(sources), findings_(findings), most_ports_(planned.most_ports) {
    for (const std::string& name : planned.switches) switches_.insert(to_lower(name));
    for (const std::string& name : planned.hosts) hosts_.insert(to_lower(name));
  }

  void read(const NeighbourFile& from) {
    at_ = 0;
    file_ = from.file;
    const std::string_view json = sources_.text(from.file);
    element root;
    if (parser_.parse(json.data(), json.size()).get(root) != SUCCESS) {
      unread({file_, 0, 0}, "this is not JSON");
      return;
    }
    element lldp;
    simdjson::dom::array graphs;
    if (root["lldp"].get(lldp) == SUCCESS && !from.device.empty()) {
      listed_.insert(clean(from.device));
      each(lldp, "interface", [&](const element& e) { read_interface(clean(from.device), e); });
    } else if (root.get(graphs) == SUCCESS) {
      for (const element graph : graphs) read_graph(graph);
    } else {
      unread(
          {file_, 0, 0},
          "this is neither what `lldpcli -f json show neighbors` prints of the device that the file is called after, "
          "nor a topology graph of NetQ");
    }
  }

  SeenFabric finish() {
    if (bad_ > kMostTold)
      findings_.warning("audit-capture-unread", {file_, 0, 0},
                        format("{} more links cannot be read", bad_ - kMostTold));
    drop_domains();
    number_interfaces();
    std::map<Port, Port> plugged;
    std::map<Port, std::size_t> link_of;
    for (const Cable& c : cables_) {
      const auto a = plugged.find(c.a), b = plugged.find(c.b);
      if (a != plugged.end() && b != plugged.end() && a->second == c.b && b->second == c.a) {
        out_.links[link_of[c.a]].twice = true;
        continue;
      }
      if (a != plugged.end() || b != plugged.end()) {
        findings_
            .warning("audit-capture-unread", c.span,
                     format("'{}' {} and '{}' {} are plugged into each other here, and otherwise in an earlier place: "
                            "the earlier one counts",
                            c.a.device, c.a.name, c.b.device, c.b.name))
            .help("take the capture again, while no cable is moved");
        continue;
      }
      plugged.emplace(c.a, c.b), plugged.emplace(c.b, c.a);
      link_of[c.a] = link_of[c.b] = out_.links.size();
      add(c);
    }
    out_.ethernet = true;
    return std::move(out_);
  }

 private:
  void unread(SourceSpan at, std::string message) {
    if (++bad_ > kMostTold) return;
    findings_.warning("audit-capture-unread", at, std::move(message))
        .help("take the file as the tool wrote it: lldpcli -f json show neighbors > HOST.json");
  }

  // The place of `word` behind the last one that was found: elements come in the order of the text.
  SourceSpan place(std::string_view word) {
    const std::string_view all = sources_.text(file_);
    const std::size_t found = all.find(format("\"{}\"", word), at_);
    if (found == std::string_view::npos) return {file_, 0, 0};
    at_ = found;
    return {file_, static_cast<std::uint32_t>(found), static_cast<std::uint32_t>(found + word.size() + 2)};
  }

  // {"swp1": {"chassis": {"gpu001": {…}}, "port": {"id": …, "descr": "eth2"}}}
  void read_interface(const std::string& device, const element& e) {
    object interfaces;
    if (e.get(interfaces) != SUCCESS) return;
    for (const auto& [key, value] : interfaces) {
      const SourceSpan at = place(key);
      object chassis;
      element port;
      if (value["chassis"].get(chassis) != SUCCESS || value["port"].get(port) != SUCCESS) {
        unread(at, "a neighbour without chassis or port");
        continue;
      }
      std::string far;
      for (const auto& [name, facts] : chassis) {
        // A device without a name is told by its identity alone, whose keys stand here in the place of the name.
        element id;
        if (facts["id"].get(id) != SUCCESS) continue;
        far = clean(name);
        if (bridges(facts)) bridging_.insert(far);
      }
      std::string near_port = clean(key), far_port = clean(text(port, "descr"));
      element id;
      if (port["id"].get(id) == SUCCESS &&
          (text(id, "type") == "ifname" || text(id, "type") == "local" || far_port.empty()))
        far_port = clean(text(id, "value"));
      if (far.empty() || far_port.empty()) {
        unread(at, "a neighbour that names neither itself nor its port");
        continue;
      }
      cables_.push_back({{device, std::move(near_port)}, {std::move(far), std::move(far_port)}, at});
    }
  }

  static bool bridges(const element& chassis) {
    bool out = false;
    each(chassis, "capability", [&](const element& c) {
      bool enabled = false;
      const std::string type = text(c, "type");
      out |= c["enabled"].get(enabled) == SUCCESS && enabled && (type == "Bridge" || type == "Router");
    });
    return out;
  }

  void read_graph(const element& graph) {
    std::map<std::string, std::string> name_of;
    each(graph, "nodes", [&](const element& tier) {
      each(tier, "compounded_nodes", [&](const element& node) {
        const std::string name = clean(text(node, "name"));
        name_of.emplace(text(node, "id"), name);
        if (text(node, "device_type") == "switch") switches_.insert(to_lower(name));
        listed_.insert(name);
      });
    });
    each(graph, "links", [&](const element& bundle) {
      each(bundle, "compounded_links", [&](const element& link) {
        const SourceSpan at = place(text(link, "id"));
        std::vector<Port> ends;
        each(link, "interfaces", [&](const element& end) {
          const std::string node = text(end, "node");
          const auto found = name_of.find(node);
          ends.push_back({found == name_of.end() ? clean(node) : found->second, clean(text(end, "interface"))});
        });
        if (ends.size() != 2 || ends[0].device.empty() || ends[1].device.empty() || ends[0].name.empty() ||
            ends[1].name.empty())
          unread(at, "a link that does not name two devices and their interfaces");
        else
          cables_.push_back({ends[0], ends[1], at});
      });
    });
  }

  // "gpu01.example.org" is gpu01, where a device is called so as well: LLDP names the one, files and plans the other.
  void drop_domains() {
    std::set<std::string> names(listed_);
    for (const Cable& c : cables_) names.insert(c.a.device), names.insert(c.b.device);
    const auto plain = [&](const std::string& name) {
      const std::string first = name.substr(0, name.find('.'));
      return names.contains(first) || switches_.contains(to_lower(first)) ? first : name;
    };
    std::map<std::string, std::set<std::string>> ports;
    for (const Cable& c : cables_)
      for (const Port* p : {&c.a, &c.b}) ports[p->device].insert(p->name);
    for (const std::string& name : bridging_)
      if (!hosts_.contains(to_lower(plain(name))) && !hosts_.contains(to_lower(name.substr(0, name.find('.')))) &&
          ports[name].size() > most_ports_)
        switches_.insert(to_lower(name));
    for (const std::string& name : names)
      if (is_switch(name)) switches_.insert(to_lower(plain(name)));
    std::set<std::string> listed;
    for (const std::string& name : listed_) listed.insert(plain(name));
    listed_ = std::move(listed);
    for (Cable& c : cables_) c.a.device = plain(c.a.device), c.b.device = plain(c.b.device);
  }

  bool is_switch(const std::string& name) const { return switches_.contains(to_lower(name)); }

  // The interfaces of hosts have the same names on equal hosts: their order is that of the names, over all hosts, so
  // that one that is missing on a host leaves the others what they are.
  void number_interfaces() {
    std::vector<std::string> names;
    for (const Cable& c : cables_)
      for (const Port* p : {&c.a, &c.b})
        if (!is_switch(p->device)) names.push_back(p->name);
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return natural_less(a, b) || (!natural_less(b, a) && a < b);
    });
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (std::size_t i = 0; i < names.size(); ++i) interface_[names[i]] = static_cast<std::int64_t>(i) + 1;
  }

  // A switch is one device; of a host each interface is one, as its adapters are in an InfiniBand fabric.
  Index device(const Port& p, SourceSpan span) {
    const bool sw = is_switch(p.device);
    const auto [found, fresh] =
        by_name_.try_emplace(sw ? Port{p.device, {}} : p, static_cast<Index>(out_.devices.size()));
    if (fresh) {
      SeenDevice d;
      d.name = p.device;
      d.is_switch = sw;
      d.span = span;
      d.listed = listed_.contains(p.device);
      if (!sw) d.adapter = interface_.at(p.name);
      out_.devices.push_back(std::move(d));
    }
    return found->second;
  }

  void add(const Cable& c) {
    SeenLink l;
    const bool swap = !is_switch(c.a.device);
    const Port &a = swap ? c.b : c.a, &b = swap ? c.a : c.b;
    l.a = device(a, c.span), l.b = device(b, c.span);
    l.a_name = a.name, l.b_name = b.name;
    l.a_port = kFirstPort + next_port_++, l.b_port = is_switch(b.device) ? kFirstPort + next_port_++ : 1;
    l.span = c.span;
    out_.links.push_back(std::move(l));
  }

  const Sources& sources_;
  Findings& findings_;
  simdjson::dom::parser parser_;
  std::set<std::string> switches_, hosts_, bridging_, listed_;
  std::size_t most_ports_ = 0;
  std::vector<Cable> cables_;
  std::map<std::string, std::int64_t> interface_;
  std::map<Port, Index> by_name_;
  SeenFabric out_;
  FileId file_ = kNoFile;
  std::size_t at_ = 0, bad_ = 0;
  std::int64_t next_port_ = 0;
};

}  // namespace

bool is_neighbour_capture(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
  // Links of ibdiagnet begin with "{ SW Ports:" or "{ CA Ports:".
  const std::string_view rest = trim(text.substr(first + 1, 16));
  return !rest.starts_with("SW ") && !rest.starts_with("CA ");
}

SeenFabric read_neighbours(const Sources& sources, const std::vector<NeighbourFile>& files, const PlannedNames& planned,
                           Findings& findings) {
  Reader reader(sources, planned, findings);
  for (const NeighbourFile& f : files) reader.read(f);
  return reader.finish();
}

}  // namespace clusterc
