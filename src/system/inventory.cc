#include "system/inventory.h"

#include <algorithm>
#include <array>

#include "base/ip.h"
#include "base/text.h"
#include "system/csv_reader.h"

namespace clusterc {
namespace {

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Of one adapter: not of a group of them (IEEE 802-2014, 8.2.2: the first bit on the wire), and not nothing.
std::optional<std::uint64_t> parse_port_mac(std::string_view text) {
  const auto mac = parse_mac(text);
  return mac && *mac != 0 && (*mac >> 40 & 1) == 0 ? mac : std::nullopt;
}

std::string place(std::string_view name, std::string_view port) {
  std::string key(name);
  key += '\n';
  key += port;
  return key;
}

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 60)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text.size() > 60 ? out + "..." : out;
}

constexpr std::size_t kMostTold = 20;  // findings of one kind: a file in another format has one in every line

}  // namespace

std::optional<std::uint64_t> parse_guid(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint64_t value = 0;
  int digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == ':' || c == '-') && digits > 0 && i + 1 < text.size() && text[i - 1] != c) continue;
    const int d = c >= '0' && c <= '9'   ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                         : -1;
    if (d < 0 || ++digits > 16) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(d);
  }
  if (value == 0) return std::nullopt;
  return value;
}

void append_guid(std::uint64_t guid, std::string& out) {
  out += "0x";
  append_hex(out, guid, 16);
}

// Reads the rows of one file, and compares them with each other.
class InventoryReader {
 public:
  InventoryReader(const Sources& sources, FileId file, Findings& findings)
      : text_(sources.text(file)), file_(file), findings_(findings), csv_(text_, inventory_.unquoted_) {}
  Inventory read();

 private:
  using Row = std::vector<CsvCell>;
  using Number = std::pair<std::string_view, std::size_t>;  // a serial number, and the row

  bool read_row(Row& row);  // false: malformed, and reported
  bool read_header(const Row& row);
  void add_row(const Row& row);
  std::optional<std::uint64_t> port_mac(const Row& row);
  std::optional<std::uint64_t> guid(const Row& row);
  std::optional<std::uint64_t> read_number(const CsvCell& cell, std::optional<std::uint64_t> (*parse)(std::string_view),
                                           const char* what, const char* example);
  void check_serial(const CsvCell& serial);
  void read_as_built(const Row& row, InventoryRow& r);
  void check_as_built();
  void check_serials();
  void report_shared_serial(const Number& one, const Number& second);
  void check_numbers(std::optional<std::uint64_t> InventoryRow::*number, void (*print)(std::uint64_t, std::string&),
                     const char* what);

  static CsvCell cell(const Row& row, int column) {
    return column < 0 ? CsvCell{} : row[static_cast<std::size_t>(column)];
  }
  SourceSpan at(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  SourceSpan at(const CsvCell& c) const { return at(c.begin, c.end); }

  std::string_view text_;
  FileId file_;
  Findings& findings_;
  Inventory inventory_;
  CsvReader csv_;
  int name_ = -1, port_ = -1, mac_ = -1, guid_ = -1, serial_ = -1, address_ = -1, leaf_ = -1, leaf_port_ = -1,
      rack_ = -1, position_ = -1, link_ = -1;  // columns
  std::size_t columns_ = 0;
  std::vector<Number> serials_;
  std::size_t malformed_ = 0, values_ = 0, twice_ = 0;  // findings of each kind
};

bool InventoryReader::read_row(Row& row) {
  std::size_t wrong = 0;
  if (csv_.row(row, wrong)) return true;
  if (++malformed_ <= kMostTold)
    findings_
        .error("inventory-malformed", at(wrong, wrong + 1),
               text_[wrong] == '"' ? "a quoted cell of the inventory has no closing quote"
                                   : "a cell of the inventory has text after its closing quote")
        .help("quote the whole cell, and double the quotes inside it (RFC 4180)");
  csv_.skip_line();
  return false;
}

// Columns for people and other programs.
static bool is_for_people(std::string_view column) {
  static constexpr std::array kColumns = std::to_array<std::string_view>(
      {"", "asset", "asset tag", "asset_tag", "comment", "note", "notes", "remark", "remarks"});
  return std::ranges::find(kColumns, column) != kColumns.end() || column.starts_with('#');
}

bool InventoryReader::read_header(const Row& row) {
  columns_ = row.size();
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string word = to_lower(row[i].text);
    int* column = word == "name"                       ? &name_
                  : word == "port"                     ? &port_
                  : word == "mac"                      ? &mac_
                  : word == "guid"                     ? &guid_
                  : word == "serial"                   ? &serial_
                  : word == "address"                  ? &address_
                  : word == "link"                     ? &link_
                  : word == "switch" || word == "leaf" ? &leaf_
                  : word == "switch_port"              ? &leaf_port_
                  : word == "rack"                     ? &rack_
                  : word == "position"                 ? &position_
                                                       : nullptr;
    if (!column) {
      if (is_for_people(word)) continue;
      Finding& f = findings_.error("inventory-column-unread", at(row[i]),
                                   "clusterc does not read column '" + shown(word) + "' of the inventory");
      f.help(word.find("ip") != word.npos
                 ? "write `address` for the address of a port"
                 : "columns are name, port, mac, guid, serial, link, address, switch, switch_port, "
                   "rack, position; asset and remark are allowed, too, and clusterc does not use them");
      continue;
    }
    if (*column >= 0)
      findings_.error("inventory-malformed", at(row[i]), "the inventory has two columns '" + word + "'");
    *column = static_cast<int>(i);
  }
  if (name_ >= 0) return true;
  findings_.error("inventory-malformed", at(row[0]), "the first line of the inventory has no column 'name'")
      .help("write name,port,mac,guid as the first line");
  return false;
}

std::optional<std::uint64_t> InventoryReader::read_number(const CsvCell& c,
                                                          std::optional<std::uint64_t> (*parse)(std::string_view),
                                                          const char* what, const char* example) {
  if (c.text.empty()) return {};
  const auto number = parse(c.text);
  if (!number && ++values_ <= kMostTold)
    findings_.error("inventory-value", at(c), "'" + shown(c.text) + "' is not a " + what)
        .help("write it as in this example: " + std::string(example));
  return number;
}

std::optional<std::uint64_t> InventoryReader::port_mac(const Row& row) {
  return read_number(cell(row, mac_), parse_port_mac, "MAC address of a port", "94:6d:ae:12:34:56");
}

std::optional<std::uint64_t> InventoryReader::guid(const Row& row) {
  return read_number(cell(row, guid_), parse_guid, "GUID", "0x946dae0300123456");
}

void InventoryReader::check_serial(const CsvCell& serial) {
  if (!std::any_of(serial.text.begin(), serial.text.end(), is_letter_or_digit) && ++values_ <= kMostTold)
    findings_
        .warning("inventory-value", at(serial),
                 "'" + shown(serial.text) + "' is not a serial number: it has neither a letter nor a digit")
        .help("write it as on the label, for example S64GNE0T100001; leave the cell empty if the number is not known");
}

void InventoryReader::add_row(const Row& row) {
  if (row.size() != columns_) {
    if (++malformed_ <= kMostTold)
      findings_.error("inventory-malformed", at(row[0].begin, row.back().end),
                      "a row of the inventory has " + std::to_string(row.size()) + " cells, but the first line has " +
                          std::to_string(columns_));
    return;
  }
  const CsvCell name = cell(row, name_), serial = cell(row, serial_);
  InventoryRow r{.span = at(name), .name = name.text, .port = cell(row, port_).text, .serial = serial.text};
  if (r.name.empty()) {
    if (++values_ <= kMostTold) findings_.error("inventory-value", r.span, "a row of the inventory names no device");
    return;
  }
  r.mac = port_mac(row);
  r.guid = guid(row);
  read_as_built(row, r);
  const auto [before, fresh] = inventory_.by_place_.emplace(place(r.name, r.port), inventory_.rows_.size());
  if (!fresh) {
    if (++twice_ <= kMostTold)
      findings_
          .error("inventory-row-twice", r.span,
                 (r.port.empty() ? "" : "port '" + shown(r.port) + "' of ") + "'" + shown(r.name) +
                     "' has two rows in the inventory")
          .note(inventory_.rows_[before->second].span, "the other row");
    return;
  }
  if (!serial.text.empty()) {
    serials_.emplace_back(serial.text, inventory_.rows_.size());
    check_serial(serial);
  }
  inventory_.rows_.push_back(r);
}

void InventoryReader::read_as_built(const Row& row, InventoryRow& r) {
  if (const CsvCell address = cell(row, address_); !address.text.empty()) {
    r.address = parse_ipv4(address.text), r.address_span = at(address);
    if (!r.address && ++values_ <= kMostTold)
      findings_.error("inventory-value", at(address), "'" + shown(address.text) + "' is not an IPv4 address")
          .help("write it without the length of the prefix, for example 10.1.0.17");
  }
  const CsvCell leaf = cell(row, leaf_), leaf_port = cell(row, leaf_port_), rack = cell(row, rack_),
                position = cell(row, position_);
  r.leaf_port = leaf_port.text, r.rack = rack.text, r.position = position.text;
  r.place_span = at(rack.text.empty() ? position : rack);
  const bool word = std::ranges::all_of(
      leaf.text, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.' || c == '/'; });
  if (word)
    r.leaf = leaf.text;
  else if (++values_ <= kMostTold)
    findings_.error("inventory-value", at(leaf), "'" + shown(leaf.text) + "' is not the name of a switch")
        .help("write it as the switch calls itself: letters, digits, '-', '_', '.' and '/'");
  if (!leaf_port.text.empty() && leaf.text.empty() && ++values_ <= kMostTold)
    findings_.error("inventory-value", at(leaf_port),
                    "port '" + shown(leaf_port.text) + "' has no switch: the cell `switch` of this row is empty");
}

// One address for two ports, two cables in one port of a switch, one device in two places.
void InventoryReader::check_as_built() {
  std::unordered_map<std::string, const InventoryRow*> addresses, ports, places;
  const auto once = [&](std::unordered_map<std::string, const InventoryRow*>& seen, const std::string& key,
                        const InventoryRow& r, SourceSpan where, const std::string& what) {
    const auto [before, fresh] = seen.emplace(key, &r);
    if (!fresh && ++twice_ <= kMostTold)
      findings_
          .error("inventory-value-twice", where,
                 "'" + shown(r.name) + "' and '" + shown(before->second->name) + "' have the same " + what)
          .note(before->second->span, "the other row");
  };
  for (const InventoryRow& r : inventory_.rows_) {
    if (r.address) once(addresses, ipv4_text(*r.address), r, r.address_span, "address " + ipv4_text(*r.address));
    if (!r.leaf_port.empty())
      once(ports, std::string(r.leaf) + "\n" + std::string(r.leaf_port), r, r.span,
           "port '" + shown(r.leaf_port) + "' of switch '" + shown(r.leaf) + "'");
    if (r.rack.empty() && r.position.empty()) continue;
    const auto [before, fresh] = places.emplace(std::string(r.name), &r);
    if (!fresh && (before->second->rack != r.rack || before->second->position != r.position) && ++twice_ <= kMostTold)
      findings_.error("inventory-value-twice", r.place_span, "'" + shown(r.name) + "' has two places in the inventory")
          .note(before->second->place_span, "the other place");
  }
}

void InventoryReader::report_shared_serial(const Number& one, const Number& second) {
  const auto is_object = [](std::string_view device) { return device.find('/') != std::string_view::npos; };
  const InventoryRow &r = inventory_.rows_[second.second], &other = inventory_.rows_[one.second];
  const bool drives = r.port.starts_with("drives.") && other.port.starts_with("drives.");  // have numbers of their own
  const auto called = [&](const InventoryRow& device) {
    return "'" + shown(device.name) + (drives ? " " + shown(device.port) : "") + "'";
  };
  if ((!drives && r.name == other.name) || is_object(r.name) != is_object(other.name) || ++twice_ > kMostTold) return;
  // An installer finds the drives of the system by these numbers: one that is of another entry, too, may hold data.
  const std::string said =
      called(r) + " and " + called(other) + " have the same serial number '" + shown(second.first) + "'";
  (drives && r.name == other.name ? findings_.error("inventory-serial-twice", r.span, said)
                                  : findings_.warning("inventory-serial-twice", r.span, said))
      .note(other.span, "the other row");
}

// Rows of one device have its serial number each; two devices hardly ever have the same: nodes of one chassis may. A
// host name and an object's (gpu001, node/gpu/001) may be of one device.
void InventoryReader::check_serials() {
  std::sort(serials_.begin(), serials_.end());
  for (std::size_t i = 1; i < serials_.size(); ++i)
    if (serials_[i].first == serials_[i - 1].first) report_shared_serial(serials_[i - 1], serials_[i]);
}

// One MAC or GUID for two ports: the second would take the first one's address, or its place in the fabric.
void InventoryReader::check_numbers(std::optional<std::uint64_t> InventoryRow::*number,
                                    void (*print)(std::uint64_t, std::string&), const char* what) {
  std::vector<std::pair<std::uint64_t, std::size_t>> all;
  for (std::size_t i = 0; i < inventory_.rows_.size(); ++i)
    if (const auto& v = inventory_.rows_[i].*number) all.emplace_back(*v, i);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].first != all[i - 1].first || ++twice_ > kMostTold) continue;
    const InventoryRow &r = inventory_.rows_[all[i].second], &other = inventory_.rows_[all[i - 1].second];
    std::string text;
    print(all[i].first, text);
    findings_
        .error("inventory-value-twice", r.span,
               "'" + shown(r.name) + "' and '" + shown(other.name) + "' have the same " + what + " " + text)
        .note(other.span, "the other row");
  }
}

Inventory InventoryReader::read() {
  Row row;
  for (bool header = true; !csv_.done();) {
    if (!read_row(row) || (row.size() == 1 && row[0].text.empty())) continue;
    if (!header) {
      add_row(row);
    } else if (!read_header(row)) {
      return std::move(inventory_);
    }
    header = false;
  }
  check_serials();
  check_as_built();
  check_numbers(
      &InventoryRow::mac, [](std::uint64_t mac, std::string& out) { append_mac(out, mac); }, "MAC address");
  check_numbers(&InventoryRow::guid, append_guid, "GUID");
  return std::move(inventory_);
}

Inventory Inventory::read(const Sources& sources, FileId file, Findings& findings) {
  return InventoryReader(sources, file, findings).read();
}

const InventoryRow* Inventory::find(std::string_view name, std::string_view port) const {
  const auto found = by_place_.find(place(name, port));
  return found == by_place_.end() ? nullptr : &rows_[found->second];
}

}  // namespace clusterc
