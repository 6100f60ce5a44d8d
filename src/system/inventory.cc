#include "system/inventory.h"

#include <algorithm>

#include "base/ip.h"
#include "base/text.h"

namespace clusterc {
namespace {

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct Cell {
  std::string_view text;
  std::uint32_t begin = 0, end = 0;
};

// Cells of RFC 4180: commas between them, quotes around a cell that has one, a quote in it doubled. Ends with the line.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::deque<std::string>& unquoted) : text_(text), unquoted_(unquoted) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // spreadsheets put it in front
  }
  bool done() const { return at_ >= text_.size(); }
  bool row(std::vector<Cell>& out,
           std::size_t& wrong) {  // false: a quote that is not closed, or text behind one, at `wrong`
    out.clear();
    for (;;) {
      Cell c{{}, static_cast<std::uint32_t>(at_), 0};
      if (at_ < text_.size() && text_[at_] == '"') {
        if (!quoted(c, wrong)) return false;
      } else {
        const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        c.text = trim(text_.substr(at_, end - at_));
        at_ = end;
      }
      c.end = static_cast<std::uint32_t>(at_);
      out.push_back(c);
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (at_ < text_.size() && text_[at_] == '\r') ++at_;
      if (at_ < text_.size() && text_[at_] == '\n') ++at_;
      return true;
    }
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1; }

 private:
  bool quoted(Cell& c, std::size_t& wrong) {
    const std::size_t first = ++at_;
    std::string* copy = nullptr;
    for (std::size_t from = first;;) {
      const std::size_t end = text_.find('"', from);
      if (end == std::string_view::npos) {
        wrong = first - 1;
        return false;
      }
      if (end + 1 < text_.size() && text_[end + 1] == '"') {
        if (!copy) copy = &unquoted_.emplace_back();
        copy->append(text_, from, end + 1 - from);
        from = end + 2;
        continue;
      }
      if (copy) copy->append(text_, from, end - from);
      c.text = trim(copy ? std::string_view(*copy) : text_.substr(first, end - first));
      at_ = end + 1;
      if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\r' && text_[at_] != '\n') {
        wrong = at_;
        return false;
      }
      return true;
    }
  }
  std::string_view text_;
  std::deque<std::string>& unquoted_;
  std::size_t at_ = 0;
};

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

Inventory Inventory::read(const Sources& sources, FileId file, Findings& findings) {
  Inventory inventory;
  const std::string_view text = sources.text(file);
  const auto at = [&](std::size_t begin, std::size_t end) {
    return SourceSpan{file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  };
  CsvReader reader(text, inventory.unquoted_);
  std::vector<Cell> row;
  std::size_t wrong = 0, malformed = 0, values = 0, twice = 0;
  const auto broken = [&] {
    if (++malformed <= kMostTold)
      findings
          .error("inventory-malformed", at(wrong, wrong + 1),
                 text[wrong] == '"' ? "a quoted cell of the inventory does not end"
                                    : "text behind the closing quote of a cell")
          .help("quotes stand around the whole cell, and double inside it (RFC 4180)");
    reader.skip_line();
  };
  int name = -1, port = -1, mac = -1, guid = -1, serial = -1;
  std::vector<std::pair<std::string_view, std::size_t>> serials;  // and the row
  std::size_t columns = 0;
  for (bool header = true; !reader.done();) {
    if (!reader.row(row, wrong)) {
      broken();
      continue;
    }
    if (row.size() == 1 && row[0].text.empty()) continue;
    if (header) {
      header = false;
      columns = row.size();
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string word = to_lower(row[i].text);
        int* column = word == "name"     ? &name
                      : word == "port"   ? &port
                      : word == "mac"    ? &mac
                      : word == "guid"   ? &guid
                      : word == "serial" ? &serial
                                         : nullptr;
        if (!column) continue;
        if (*column >= 0)
          findings.error("inventory-malformed", at(row[i].begin, row[i].end),
                         "the inventory has two columns '" + word + "'");
        *column = static_cast<int>(i);
      }
      if (name < 0) {
        findings
            .error("inventory-malformed", at(row[0].begin, row[0].end),
                   "the first line of the inventory names no column 'name'")
            .help("begin with name,port,mac,guid");
        return inventory;
      }
      continue;
    }
    if (row.size() != columns) {
      if (++malformed <= kMostTold)
        findings.error("inventory-malformed", at(row[0].begin, row.back().end),
                       "a row of the inventory has " + std::to_string(row.size()) + " cells, its first line has " +
                           std::to_string(columns));
      continue;
    }
    const auto cell = [&](int column) { return column < 0 ? Cell{} : row[static_cast<std::size_t>(column)]; };
    InventoryRow r{at(cell(name).begin, cell(name).end), cell(name).text, cell(port).text, {}, {}, cell(serial).text};
    if (r.name.empty()) {
      if (++values <= kMostTold) findings.error("inventory-value", r.span, "a row of the inventory names no device");
      continue;
    }
    const auto value = [&](int column, std::string_view what, auto parse, std::string_view example,
                           std::optional<std::uint64_t>& to) {
      const Cell c = cell(column);
      if (c.text.empty()) return;
      to = parse(c.text);
      if (!to && ++values <= kMostTold)
        findings.error("inventory-value", at(c.begin, c.end), "'" + shown(c.text) + "' is no " + std::string(what))
            .help("for example " + std::string(example));
    };
    value(mac, "MAC address of a port", parse_port_mac, "94:6d:ae:12:34:56", r.mac);
    value(guid, "GUID", parse_guid, "0x946dae0300123456", r.guid);
    const auto [before, fresh] = inventory.by_place_.emplace(place(r.name, r.port), inventory.rows_.size());
    if (!fresh) {
      if (++twice <= kMostTold)
        findings
            .error("inventory-row-twice", r.span,
                   "'" + shown(r.name) + "'" + (r.port.empty() ? "" : " port '" + shown(r.port) + "'") +
                       " stands twice in the inventory")
            .note(inventory.rows_[before->second].span, "the other row");
      continue;
    }
    if (const Cell number = cell(serial); !number.text.empty()) {
      serials.emplace_back(number.text, inventory.rows_.size());
      if (!std::any_of(number.text.begin(), number.text.end(), is_letter_or_digit) && ++values <= kMostTold)
        findings
            .error("inventory-value", at(number.begin, number.end),
                   "'" + shown(number.text) + "' is no serial number: it has neither a letter nor a digit")
            .help("for example S64GNE0T100001; leave the cell empty where the number is unknown");
    }
    inventory.rows_.push_back(r);
  }
  // Rows of one device have its serial number each; two devices hardly ever have the same: nodes of one chassis may. A
  // host name and an object's (gpu001, node/gpu/001) may be of one device.
  const auto is_object = [](std::string_view device) { return device.find('/') != std::string_view::npos; };
  std::sort(serials.begin(), serials.end());
  for (std::size_t i = 1; i < serials.size(); ++i) {
    const InventoryRow &r = inventory.rows_[serials[i].second], &other = inventory.rows_[serials[i - 1].second];
    const bool drives =
        r.port.starts_with("drives.") && other.port.starts_with("drives.");  // have numbers of their own
    const auto called = [&](const InventoryRow& device) {
      return "'" + shown(device.name) + (drives ? " " + shown(device.port) : "") + "'";
    };
    if (serials[i].first == serials[i - 1].first && (drives || r.name != other.name) &&
        is_object(r.name) == is_object(other.name) && ++twice <= kMostTold) {
      // An installer finds the drives of the system by these numbers: one that is of another entry, too, may hold data.
      const std::string said =
          called(r) + " and " + called(other) + " have the same serial number '" + shown(serials[i].first) + "'";
      (drives && r.name == other.name ? findings.error("inventory-serial-twice", r.span, said)
                                      : findings.warning("inventory-serial-twice", r.span, said))
          .note(other.span, "the other one");
    }
  }
  // One MAC or GUID for two ports: the second would take the first one's address, or its place in the fabric.
  for (const bool macs : {true, false}) {
    std::vector<std::pair<std::uint64_t, std::size_t>> all;
    for (std::size_t i = 0; i < inventory.rows_.size(); ++i)
      if (const auto& v = macs ? inventory.rows_[i].mac : inventory.rows_[i].guid) all.emplace_back(*v, i);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i].first == all[i - 1].first && ++twice <= kMostTold) {
        const InventoryRow &r = inventory.rows_[all[i].second], &other = inventory.rows_[all[i - 1].second];
        std::string number;
        if (macs)
          append_mac(number, all[i].first);
        else
          append_guid(all[i].first, number);
        findings
            .error("inventory-value-twice", r.span,
                   "'" + shown(r.name) + "' and '" + shown(other.name) + "' have the same " +
                       (macs ? "MAC address " : "GUID ") + number)
            .note(other.span, "the other one");
      }
  }
  return inventory;
}

const InventoryRow* Inventory::find(std::string_view name, std::string_view port) const {
  const auto found = by_place_.find(place(name, port));
  return found == by_place_.end() ? nullptr : &rows_[found->second];
}

}  // namespace clusterc
