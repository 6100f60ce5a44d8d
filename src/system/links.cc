#include "system/links.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "spec/network.h"
#include "system/csv_reader.h"

namespace clusterc {
namespace {

// By group: the name of the system by that of the plan.
using Links = std::vector<std::map<std::string, std::string, std::less<>>>;
constexpr const char* kQuestion = "links of the inventory";

const Links& links_of(const Cluster& c) {
  return c.memo.get(kQuestion, [] { return Links(); });
}

struct LinkRow {
  std::string name, port, link;
  SourceSpan at;
};

// Rows with a link. What cannot be read is reported by Inventory::read.
std::vector<LinkRow> rows_with_link(const Sources& sources, FileId file) {
  std::vector<LinkRow> out;
  std::deque<std::string> unquoted;
  CsvReader csv(sources.text(file), unquoted);
  std::vector<CsvCell> row;
  std::size_t wrong = 0, columns = 0, name = 0, port = 0, link = 0;
  for (bool header = true; !csv.done();) {
    if (!csv.row(row, wrong)) {
      csv.skip_line();
      continue;
    }
    if (row.size() == 1 && row[0].text.empty()) continue;
    if (header) {
      header = false;
      columns = name = port = link = row.size();
      for (std::size_t i = row.size(); i-- > 0;) {  // of two the first: both are reported
        const std::string word = to_lower(row[i].text);
        if (word == "name") name = i;
        if (word == "port") port = i;
        if (word == "link") link = i;
      }
      if (link == columns || name == columns) return out;
      continue;
    }
    if (row.size() != columns || row[link].text.empty()) continue;
    out.push_back({std::string(row[name].text), port < columns ? std::string(row[port].text) : std::string(),
                   std::string(row[link].text), SourceSpan{file, row[link].begin, row[link].end}});
  }
  return out;
}

// What the kernel takes for an interface (dev_valid_name: at most 15 characters), and none that stands for another one
// beside it: eno1.100 is a VLAN, eno1@if2 is how ip(8) prints a device over another.
bool is_link_name(std::string_view text) {
  constexpr std::size_t kLongest = 15;
  const auto plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return text.size() <= kLongest && plain(text.front()) && text != "lo" &&
         std::ranges::all_of(text, [&](char c) { return plain(c) || c == '-' || c == '_'; });
}

bool is_bond(std::string_view name) {  // system/group_network.h numbers them
  return name.starts_with("bond") && name.find_first_not_of("0123456789", 4) == name.npos;
}

class LinkReader {
 public:
  LinkReader(const Cluster& c, const Plan& plan, Findings& findings)
      : c_(c), plan_(plan), findings_(findings), groups_(c.nodes.size()) {
    for (std::size_t g = 0; g < c.nodes.size(); ++g)
      for (std::int64_t i = 0; i < c.nodes[g].count; ++i) {
        hosts_.emplace(c.nodes[g].names.name(i), static_cast<int>(g));
        hosts_.emplace(plan.node_object(c.nodes[g].first + i), static_cast<int>(g));
      }
  }
  void take(const LinkRow& row);
  Links links();

 private:
  struct Group {
    std::vector<Interface> ports;  // empty: not asked yet
    std::map<std::string, const LinkRow*, std::less<>> by_port, by_link;
  };
  Group* group_of(const std::string& name);
  std::string unlike_others(const Group&, const LinkRow&) const;
  void refuse(const LinkRow& row, std::string why, std::string help) {
    constexpr int kMostTold = 20;  // a file in another format has one in every line
    if (++told_ <= kMostTold) findings_.error("inventory-link-unusable", row.at, std::move(why)).help(std::move(help));
  }

  const Cluster& c_;
  const Plan& plan_;
  Findings& findings_;
  std::unordered_map<std::string, int> hosts_;
  std::vector<Group> groups_;
  int told_ = 0;
};

LinkReader::Group* LinkReader::group_of(const std::string& name) {
  const auto at = hosts_.find(name);
  if (at == hosts_.end()) return nullptr;
  Group& g = groups_[static_cast<std::size_t>(at->second)];
  if (g.ports.empty()) g.ports = ports_of_group(c_, plan_, at->second);
  return &g;
}

bool has_port(const Interface& i, std::string_view port) { return std::ranges::find(i.names, port) != i.names.end(); }

// Why a port of the group cannot have this name; empty: it can.
std::string LinkReader::unlike_others(const Group& g, const LinkRow& row) const {
  if (const auto other = g.by_port.find(row.port); other != g.by_port.end() && other->second->link != row.link)
    return format("port '{}' is called '{}' on '{}', and '{}' on '{}' of the same group", row.port, row.link,
                  one_line(row.name), other->second->link, one_line(other->second->name));
  if (const auto other = g.by_link.find(row.link); other != g.by_link.end() && other->second->port != row.port)
    return format("the ports '{}' and '{}' of one group are both called '{}'", other->second->port, row.port, row.link);
  if (is_bond(row.link))
    return format("the compiled files call bonds bond0, bond1, …: port '{}' cannot be called '{}'", row.port, row.link);
  for (const Interface& i : g.ports) {
    const NetworkModel& net = c_.networks[static_cast<std::size_t>(i.network)];
    const std::int64_t vlan = net.spec && net.shares >= 0 ? net.spec->vlan.value_or(0) : 0;
    const std::string over = format("{}.{}", row.link, vlan);
    constexpr std::size_t kLongest = 15;  // as above
    if (vlan > 0 && over.size() > kLongest && has_port(i, row.port))
      return format("VLAN {} over '{}' would be called '{}': the name of an interface has at most {} characters", vlan,
                    row.link, over, kLongest);
  }
  return {};
}

void LinkReader::take(const LinkRow& row) {
  if (!is_link_name(row.link))
    return refuse(row, format("'{}' is not the name of a port's network interface", one_line(row.link.substr(0, 60))),
                  "write the name that `ip -br link` prints for the port on the machine, without a VLAN and without "
                  "what follows '@': at most 15 letters, digits, '-' and '_', such as eno1, ens3f0np0 or ib0");
  Group* g = group_of(row.name);
  if (!g || std::ranges::none_of(g->ports, [&](const Interface& i) { return has_port(i, row.port); })) {
    std::vector<std::string> known;
    constexpr std::size_t kNamed = 12;
    for (std::size_t i = 0; g && i < g->ports.size(); ++i)
      for (const std::string& port : g->ports[i].names)
        if (known.size() < kNamed && std::ranges::find(known, port) == known.end()) known.push_back(port);
    return refuse(
        row,
        row.port.empty()
            ? format("the row gives '{}' the interface '{}', but names no port", one_line(row.name), row.link)
            : format("the row gives the interface '{}' to port '{}' of '{}', but the operating system of this "
                     "machine has no such port",
                     row.link, one_line(row.port), one_line(row.name)),
        known.empty() ? std::string("write `link` into rows of ports of nodes only")
                      : "write the port as the spec has it: " + join(known, ", "));
  }
  if (std::string why = unlike_others(*g, row); !why.empty())
    return refuse(row, std::move(why),
                  "give all nodes of a group the same port names: write `mac` in place of `link` (the compiled files "
                  "then name the "
                  "ports by their MAC addresses); or set the names in the image; or divide the group");
  g->by_port.emplace(row.port, &row), g->by_link.emplace(row.link, &row);
}

Links LinkReader::links() {
  Links out(groups_.size());
  for (std::size_t n = 0; n < groups_.size(); ++n) {
    const Group& g = groups_[n];
    for (const auto& [port, row] : g.by_port) out[n].emplace(port, row->link);
    for (const Interface& i : g.ports)
      for (const std::string& port : i.names)
        if (const auto other = g.by_link.find(port); other != g.by_link.end() && !g.by_port.contains(port))
          refuse(*other->second,
                 format("port '{}' is called '{}', which is the name of another port of group '{}'",
                        other->second->port, port, c_.nodes[n].name),
                 format("write the `link` of port '{}', too", port));
  }
  return out;
}

}  // namespace

void take_links(const Cluster& c, const Sources& sources, const Inventory& inventory, const Plan& plan,
                Findings& findings) {
  if (inventory.rows().empty()) return;
  const std::vector<LinkRow> rows = rows_with_link(sources, inventory.rows().front().span.file);
  if (rows.empty()) return;
  LinkReader reader(c, plan, findings);
  for (const LinkRow& row : rows) reader.take(row);
  c.memo.get(kQuestion, [&] { return reader.links(); });
}

const std::string* link_of(const Cluster& c, int group, std::string_view port) {
  const Links& all = links_of(c);
  const auto of = static_cast<std::size_t>(group);
  if (group < 0 || of >= all.size()) return nullptr;
  const auto link = all[of].find(port);
  return link == all[of].end() ? nullptr : &link->second;
}

std::string_view planned_port(const Cluster& c, int group, std::string_view name) {
  const Links& all = links_of(c);
  const auto of = static_cast<std::size_t>(group);
  if (group >= 0 && of < all.size())
    for (const auto& [port, link] : all[of])
      if (link == name) return port;
  return name;
}

}  // namespace clusterc
