#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "audit/fabric_dump.h"
#include "audit/fabric_records.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

// rdma-core, infiniband-diags/iblinkinfo.c. A head for each device and a line for each of its ports, or with -l a line
// alone:
//
//     Switch: 0x0000000000200004 MF0;leaf-1:MQM9700/U1:
//               7    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>     105    1[  ] "gpu001 mlx5_0" ( )
//     CA: gpu001 mlx5_0:
//           0x00000000001000bf    105    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       7    1[  ] "MF0;…" (
//           )
struct Port {
  std::string guid, name;  // guid: empty at a peer without -l
  std::uint64_t lid = 0, number = 0;
  bool is_switch = false;
};
struct Row {
  Port here, peer;
  std::size_t device = 0;  // number of the head; 0: with -l
  SeenLink link;
};

std::string_view next_word(std::string_view& rest) {
  rest = trim(rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest.remove_prefix(word.size());
  return word;
}

// "   7    1[  ] ": LID, port, and the number on the outside of a director.
bool read_port(std::string_view& rest, Port& out) {
  std::string_view lid = next_word(rest);
  if (lid.starts_with("0x")) {
    out.guid = full_guid(lid);
    if (out.guid.empty()) return false;
    rest = trim(rest);
    if (rest.starts_with('"')) {  // with -l
      const std::size_t quote = rest.find('"', 1);
      if (quote == rest.npos) return false;
      out.name = std::string(trim(rest.substr(1, quote - 1)));
      rest.remove_prefix(quote + 1);
    }
    lid = next_word(rest);
  }
  rest = trim(rest);
  const std::size_t bracket = rest.find('['), end = rest.find(']');
  if (bracket == rest.npos || end == rest.npos || end < bracket) return false;
  const auto l = parse_uint(lid), n = parse_uint(rest.substr(0, bracket));
  if (!l || !n || *l > 0xFFFF || *n > 0xFFFF) return false;
  out.lid = *l, out.number = *n;
  rest.remove_prefix(end + 1);
  return true;
}

// The rates of a lane as libibmad prints them (dump.c, mad_dump_linkspeed and mad_dump_linkspeedext).
std::string_view speed_name(std::string_view gbps) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"2.5", "SDR"},    {"5.0", "DDR"},    {"10.0", "QDR"},  {"14.0625", "FDR"}, {"25.78125", "EDR"},
      {"53.125", "HDR"}, {"106.25", "NDR"}, {"212.5", "XDR"}, {"51.5625", "HDR"}, {"103.125", "NDR"}};
  for (const auto& [rate, name] : kNames)
    if (rate == gbps) return name;
  return {};
}

// "( 4X        106.25 Gbps Active/  LinkUp)". False: the port is down.
bool read_state(std::string_view words, SeenLink& link) {
  std::string_view rest = words;
  const std::string_view width = next_word(rest), rate = next_word(rest), unit = next_word(rest);
  if (unit != "Gbps") return false;
  std::int64_t lanes = 0;
  const auto [end, bad] = std::from_chars(width.data(), width.data() + width.size(), lanes);
  if (bad != std::errc() || end == width.data() + width.size() || (*end != 'X' && *end != 'x')) return false;
  std::string_view name = rest.find("(FDR10)") != rest.npos ? std::string_view("FDR10") : speed_name(rate);
  link.lanes = lanes;
  link.speed = name.empty() ? one_line(format("{}x {} Gb/s", lanes, rate.substr(0, 16))) : format("{}x{}", lanes, name);
  link.rate = BitsPerSecond(static_cast<double>(lanes) * lane_rate(name).value);
  return true;
}

class Reader {
 public:
  Reader(const Sources& sources, FileId file, Findings& findings)
      : text_(sources.text(file)), file_(file), findings_(findings), records_(out_, findings) {}

  SeenFabric read() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      std::string_view line = text_.substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      take(line, {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + line.size())});
      begin = end + 1;
    }
    make_devices();
    make_links();
    records_.drop_shared_names();
    return std::move(out_);
  }

 private:
  void take(std::string_view line, SourceSpan span) {
    const std::string_view words = trim(line);
    if (words.empty() || words.front() == '#') return;
    const std::size_t arrow = words.find("==("), point = words.find(")==>");
    if (arrow != words.npos && point != words.npos && arrow < point) {
      Row row;
      row.link.span = span;
      std::string_view left = words.substr(0, arrow), right = words.substr(point + 4);
      if (!read_port(left, row.here)) return bad(span);
      row.device = heads_;
      if (row.here.guid.empty()) row.here.guid = head_.guid;
      if (row.here.name.empty()) row.here.name = head_.name, row.here.is_switch = head_.is_switch;
      if (row.here.guid.empty()) return bad(span);
      const bool up = read_state(words.substr(arrow + 3, point - arrow - 3), row.link);
      if (up && right.find("\"Port not available\"") == right.npos) {
        if (!read_port(right, row.peer)) return bad(span);
        const std::size_t quote = right.find('"'), last = right.rfind("\" (");
        if (quote != right.npos && last != right.npos && last > quote)
          row.peer.name = std::string(right.substr(quote + 1, last - quote - 1));
      } else {
        row.peer.number = 0;
      }
      rows_.push_back(std::move(row));
      return;
    }
    head_ = {};
    std::string_view rest = words;
    const std::string_view kind = next_word(rest);
    if (kind != "Switch:" && kind != "Switch" && kind != "CA:" && kind != "Router:") return bad(span);
    head_.is_switch = kind != "CA:";
    rest = trim(rest);
    if (head_.is_switch) {
      head_.guid = full_guid(next_word(rest));
      if (head_.guid.empty()) return bad(span);
      rest = trim(rest);
    }
    if (rest.ends_with(':')) rest.remove_suffix(1);
    head_.name = std::string(rest);
    ++heads_;
  }

  // With -l only the numbers of ports tell what a device is: all ports of a switch have one GUID.
  void make_devices() {
    std::map<std::string, std::uint64_t> first_port;
    for (Row& r : rows_)
      if (r.device == 0) {
        const auto [known, fresh] = first_port.try_emplace(r.here.guid, r.here.number);
        if (!fresh && known->second != r.here.number) switches_[r.here.guid] = true;
      }
    std::map<std::size_t, std::int32_t> of_head;
    for (Row& r : rows_) {
      if (r.device == 0) r.here.is_switch = switches_.contains(r.here.guid);
      std::int32_t device = -1;
      if (const auto known = of_head.find(r.device); r.device > 0 && known != of_head.end()) {
        device = known->second;
      } else {
        device = records_.device(r.here.is_switch, id_of(r), r.here.name, r.link.span);
        out_.devices[static_cast<std::size_t>(device)].listed = true;
        if (r.device > 0) of_head.emplace(r.device, device);
      }
      if (!r.here.is_switch) records_.port_guid(device, r.here.guid);
      r.link.a = device;
      r.link.a_port = static_cast<std::int64_t>(r.here.number);
      by_guid_.emplace(r.here.guid, device);
      if (r.here.lid > 0) by_lid_.emplace(r.here.lid, device);
    }
  }

  // With -l each port of an adapter stands alone: those with one name and GUIDs that follow each other are one adapter.
  std::string id_of(const Row& r) {
    if (r.device > 0 || r.here.is_switch) return r.here.guid;
    std::uint64_t guid = 0;
    std::from_chars(r.here.guid.data(), r.here.guid.data() + r.here.guid.size(), guid, 16);
    const auto [known, fresh] = adapters_.try_emplace({r.here.name, guid - r.here.number}, r.here.guid);
    return known->second;
  }

  void make_links() {
    std::size_t alone = 0;
    const Row* first = nullptr;
    for (Row& r : rows_) {
      if (r.peer.number == 0 && r.peer.name.empty()) continue;  // down
      std::optional<std::int32_t> peer;
      if (const auto known = by_guid_.find(r.peer.guid); known != by_guid_.end()) peer = known->second;
      if (const auto known = by_lid_.find(r.peer.lid); !peer && r.peer.lid > 0 && known != by_lid_.end())
        peer = known->second;
      if (!peer) {
        if (++alone == 1) first = &r;
        continue;
      }
      r.link.b = *peer;
      r.link.b_port = static_cast<std::int64_t>(r.peer.number);
      records_.add(r.link);
    }
    if (first)
      findings_
          .warning(
              "audit-capture-unread", first->link.span,
              format("{} ports, for example the one in this line, have a peer that the list lacks or that has no LID: "
                     "their links were not read",
                     alone))
          .help(
              "take the list of the whole fabric while a subnet manager runs, with LIDs and GUIDs: iblinkinfo -l > "
              "FILE");
    if (bad_ > 0)
      findings_
          .warning("audit-capture-unread", bad_at_,
                   bad_ == 1 ? std::string("this is no line that iblinkinfo writes")
                             : format("{} lines, as this one, are none that iblinkinfo writes", bad_))
          .help("take the list as the tool wrote it: iblinkinfo -l > FILE");
  }
  void bad(SourceSpan span) {
    if (bad_++ == 0) bad_at_ = span;
  }

  std::string_view text_;
  FileId file_;
  Findings& findings_;
  SeenFabric out_;
  FabricRecords records_;
  Port head_;
  std::size_t heads_ = 0, bad_ = 0;
  SourceSpan bad_at_;
  std::vector<Row> rows_;
  std::map<std::pair<std::string, std::uint64_t>, std::string> adapters_;  // with -l: name and GUID of the adapter
  std::map<std::string, bool> switches_;
  std::map<std::string, std::int32_t> by_guid_;
  std::map<std::uint64_t, std::int32_t> by_lid_;
};

}  // namespace

SeenFabric read_iblinkinfo(const Sources& sources, FileId file, Findings& findings) {
  return Reader(sources, file, findings).read();
}

}  // namespace clusterc
