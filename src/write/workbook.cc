#include "write/workbook.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "write/writers.h"

namespace clusterc {
namespace {

// ISO 3309, as ZIP has it. Table k gives what a byte becomes k bytes further on, so that eight are taken at a time (M.
// Kounavis, F. Berry, A systematic approach to building high performance software-based CRC generators, ISCC 2005:
// "slicing by 8").
constexpr std::array<std::array<std::uint32_t, 256>, 8> kCrc = [] {
  std::array<std::array<std::uint32_t, 256>, 8> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320U ^ (c >> 1) : c >> 1;
    t[0][i] = c;
  }
  for (std::size_t k = 1; k < t.size(); ++k)
    for (std::uint32_t i = 0; i < 256; ++i) t[k][i] = t[0][t[k - 1][i] & 0xff] ^ (t[k - 1][i] >> 8);
  return t;
}();
std::uint32_t crc_of(std::uint32_t crc, std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, p += 8)
    crc = kCrc[7][p[0] ^ (crc & 0xff)] ^ kCrc[6][p[1] ^ ((crc >> 8) & 0xff)] ^ kCrc[5][p[2] ^ ((crc >> 16) & 0xff)] ^
          kCrc[4][p[3] ^ (crc >> 24)] ^ kCrc[3][p[4]] ^ kCrc[2][p[5]] ^ kCrc[1][p[6]] ^ kCrc[0][p[7]];
  for (; left > 0; --left, ++p) crc = kCrc[0][(crc ^ *p) & 0xff] ^ (crc >> 8);
  return crc;
}

constexpr std::uint32_t reversed(std::uint32_t v, unsigned n) {
  std::uint32_t r = 0;
  for (unsigned i = 0; i < n; ++i) r |= ((v >> i) & 1U) << (n - 1 - i);
  return r;
}
struct Code {
  std::uint16_t bits;
  std::uint8_t length;
};
constexpr std::array<Code, 288> kFixed = [] {  // RFC 1951, 3.2.6
  std::array<Code, 288> t{};
  for (std::uint32_t i = 0; i < 288; ++i) {
    const unsigned n = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    const std::uint32_t v = i < 144 ? 0x30 + i : i < 256 ? 0x190 + i - 144 : i < 280 ? i - 256 : 0xc0 + i - 280;
    t[i] = {static_cast<std::uint16_t>(reversed(v, n)), static_cast<std::uint8_t>(n)};
  }
  return t;
}();
// RFC 1951, 3.2.5: first length and first distance of each code, and their extra bits.
constexpr std::uint16_t kLengthFrom[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::uint8_t kLengthExtra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::uint16_t kDistanceFrom[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                           33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::uint8_t kDistanceExtra[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                           6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

// The same by length, extra bits and all; and the code of a distance, by the distance less one up to 256, by its 128ths
// beyond.
struct LongCode {
  std::uint32_t bits;
  std::uint8_t length;
};
constexpr std::array<LongCode, 259> kLengths = [] {
  std::array<LongCode, 259> t{};
  std::size_t l = 0;
  for (std::uint32_t length = 3; length <= 258; ++length) {
    while (l + 1 < std::size(kLengthFrom) && kLengthFrom[l + 1] <= length) ++l;
    t[length] = {kFixed[257 + l].bits | (length - kLengthFrom[l]) << kFixed[257 + l].length,
                 static_cast<std::uint8_t>(kFixed[257 + l].length + kLengthExtra[l])};
  }
  return t;
}();
constexpr std::uint8_t distance_code(std::uint32_t distance) {
  std::uint8_t d = 0;
  while (d + 1U < std::size(kDistanceFrom) && kDistanceFrom[d + 1] <= distance) ++d;
  return d;
}
constexpr std::array<std::uint8_t, 256> kNear = [] {
  std::array<std::uint8_t, 256> t{};
  for (std::uint32_t i = 0; i < 256; ++i) t[i] = distance_code(i + 1);
  return t;
}();
constexpr std::array<std::uint8_t, 256> kFar = [] {
  std::array<std::uint8_t, 256> t{};
  for (std::uint32_t i = 0; i < 256; ++i) t[i] = distance_code(i * 128 + 1);
  return t;
}();

constexpr unsigned kLongest = 258, kShortest = 4;
// How far two places hold the same, up to `most` bytes.
unsigned same_bytes(const char* a, const char* b, std::size_t most) {
  std::size_t n = 0;
  if constexpr (std::endian::native == std::endian::little)
    for (; n + 8 <= most; n += 8) {
      std::uint64_t x, y;
      std::memcpy(&x, a + n, 8);
      std::memcpy(&y, b + n, 8);
      if (x != y) return static_cast<unsigned>(n) + static_cast<unsigned>(std::countr_zero(x ^ y)) / 8;
    }
  while (n < most && a[n] == b[n]) ++n;
  return static_cast<unsigned>(n);
}
constexpr std::int64_t kMostRows = 1048576;  // Excel specifications and limits

void little(std::string& out, std::uint64_t v, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>((v >> (8 * i)) & 0xff);
}
constexpr std::uint32_t kDate = 0x00210000;  // 1980-01-01 00:00, MS-DOS form

void append_xml(std::string& out, std::string_view given) {
  const auto plain = [](char ch) {
    return ch >= 0x20 && ch < 0x7f && ch != '&' && ch != '<' && ch != '>' && ch != '"' && ch != '[';
  };
  const auto begins_plainly = [](char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9');
  };
  if (given.empty() || (begins_plainly(given.front()) && std::all_of(given.begin(), given.end(), plain))) {
    out += given;  // nearly all
    return;
  }
  for (const char ch : sheet_text(given)) switch (ch) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += ch;
    }
}

}  // namespace

void Deflater::literal(unsigned char ch) { bits(kFixed[ch].bits, kFixed[ch].length); }

void Deflater::match(unsigned length, unsigned distance) {
  const LongCode l = kLengths[length];
  const std::size_t d = distance <= 256 ? kNear[distance - 1] : kFar[(distance - 1) >> 7];
  const std::uint32_t far = reversed(static_cast<std::uint32_t>(d), 5) | (distance - kDistanceFrom[d]) << 5;
  bits(l.bits | far << l.length,
       l.length + 5U + kDistanceExtra[d]);  // 8 + 5 bits of length, 5 + 13 of distance at most
}

void Deflater::write(std::string_view text) {
  crc_ = crc_of(crc_, text);
  total_ += text.size();
  buffer_ += text;
  if (buffer_.size() - done_ >= kBlock) block(false);
}

void Deflater::finish() {
  block(true);
  if (held_ % 8) bits(0, 8 - held_ % 8);
  flush(held_);
}

void Deflater::block(bool final) {
  bits(final ? 1 : 0, 1);
  bits(1, 2);  // fixed codes
  const char* data = buffer_.data();
  const std::size_t end = buffer_.size();
  std::size_t i = done_;
  while (i < end) {
    unsigned length = 0;
    std::size_t from = 0;
    if (i + kShortest <= end) {
      std::uint32_t four;
      std::memcpy(&four, data + i,
                  4);  // a key only: its byte order changes where a match is looked for on other machines
      if constexpr (std::endian::native == std::endian::big) four = __builtin_bswap32(four);
      std::int64_t& last = last_[(four * 2654435761U) >> 17];
      const std::int64_t here = static_cast<std::int64_t>(base_ + i);
      if (last >= static_cast<std::int64_t>(base_) && here - last <= static_cast<std::int64_t>(kWindow)) {
        from = static_cast<std::size_t>(last - static_cast<std::int64_t>(base_));
        length = same_bytes(data + from, data + i, std::min<std::size_t>(kLongest, end - i));
      }
      last = here;
    }
    if (length >= kShortest) {
      match(length, static_cast<unsigned>(i - from));
      i += length;
    } else {
      literal(static_cast<unsigned char>(data[i++]));
    }
  }
  bits(kFixed[256].bits, kFixed[256].length);
  const std::size_t keep = std::min(end, kWindow);
  base_ += end - keep;
  buffer_.erase(0, end - keep);
  done_ = keep;
}

void Workbook::open(std::string_view name) {
  files_.push_back({std::string(name), out_.size()});
  // Sizes and sum follow the data (bit 3): they are not known yet.
  little(out_, 0x04034b50, 4);
  little(out_, 20, 2);
  little(out_, 8, 2);
  little(out_, 8, 2);
  little(out_, kDate, 4);
  little(out_, 0, 12);
  little(out_, name.size(), 2);
  little(out_, 0, 2);
  out_ += name;
}

void Workbook::close(const Deflater& d, std::uint64_t start) {
  File& f = files_.back();
  f.crc = d.crc();
  f.size = d.size();
  f.packed = out_.size() - start;
  little(out_, 0x08074b50, 4);
  little(out_, f.crc, 4);
  little(out_, f.packed, 4);
  little(out_, f.size, 4);
}

void Workbook::store(std::string_view name, std::string_view text) {
  open(name);
  const std::uint64_t start = out_.size();
  Deflater d(out_);
  d.write(text);
  d.finish();
  close(d, start);
}

void Workbook::cell(std::string_view text, bool number, bool heading) {
  if (text.empty()) {
    line_ += "<c/>";
  } else if (number) {
    line_ += "<c><v>";
    line_ += text;
    line_ += "</v></c>";
  } else {
    line_ += heading ? "<c s=\"1\" t=\"inlineStr\"><is><t>" : "<c t=\"inlineStr\"><is><t>";
    append_xml(line_, text);
    line_ += "</t></is></c>";
  }
}

void Workbook::sheet(std::string_view name, std::initializer_list<std::string_view> headings) {
  end_sheet();
  base_name_ = name;
  headings_.assign(headings.begin(), headings.end());
  part_ = 1;
  begin_sheet();
}

void Workbook::begin_sheet() {
  sheets_.push_back(part_ == 1 ? base_name_ : base_name_ + " " + std::to_string(part_));
  open("xl/worksheets/sheet" + std::to_string(sheets_.size()) + ".xml");
  start_ = out_.size();
  deflater_.clear();
  deflater_.emplace_back(out_);
  line_ =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<worksheet "
      "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetViews><sheetView "
      "workbookViewId=\"0\"><pane ySplit=\"1\" "
      "topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews><sheetData>\n<row>";
  for (const std::string& h : headings_)
    cell(h.starts_with('#') ? std::string_view(h).substr(1) : std::string_view(h), false, true);
  line_ += "</row>\n";
  deflater_[0].write(line_);
  rows_ = 1;
}

void Workbook::row(std::initializer_list<std::string_view> cells) {
  if (rows_ == kMostRows) {
    end_sheet();
    ++part_;
    begin_sheet();
  }
  line_ = "<row>";
  std::size_t i = 0;
  for (const std::string_view text : cells) {
    cell(text, i < headings_.size() && headings_[i].starts_with('#'), false);
    ++i;
  }
  line_ += "</row>\n";
  deflater_[0].write(line_);
  ++rows_;
}

void Workbook::end_sheet() {
  if (deflater_.empty()) return;
  deflater_[0].write("</sheetData></worksheet>\n");
  deflater_[0].finish();
  close(deflater_[0], start_);
  deflater_.clear();
}

void Workbook::finish() {
  end_sheet();
  const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
  const std::string package = "http://schemas.openxmlformats.org/package/2006/",
                    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const std::string sheetml = "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
                    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.";
  std::string types = head + "<Types xmlns=\"" + package +
                      "content-types\"><Default Extension=\"rels\" "
                      "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>" +
                      "<Default Extension=\"xml\" ContentType=\"application/xml\"/><Override "
                      "PartName=\"/xl/workbook.xml\" ContentType=\"" +
                      kind + "sheet.main+xml\"/>" + "<Override PartName=\"/xl/styles.xml\" ContentType=\"" + kind +
                      "styles+xml\"/>";
  std::string book = head + "<workbook xmlns=\"" + sheetml + "\" xmlns:r=\"" + office + "\"><sheets>";
  std::string links = head + "<Relationships xmlns=\"" + package + "relationships\">";
  for (std::size_t i = 0; i < sheets_.size(); ++i) {
    const std::string n = std::to_string(i + 1);
    types += "<Override PartName=\"/xl/worksheets/sheet" + n + ".xml\" ContentType=\"" + kind + "worksheet+xml\"/>";
    book += "<sheet name=\"";
    append_xml(book, sheets_[i]);
    book += "\" sheetId=\"" + n + "\" r:id=\"rId" + n + "\"/>";
    links += "<Relationship Id=\"rId" + n + "\" Type=\"" + office + "/worksheet\" Target=\"worksheets/sheet" + n +
             ".xml\"/>";
  }
  const std::string last = std::to_string(sheets_.size() + 1);
  links +=
      "<Relationship Id=\"rId" + last + "\" Type=\"" + office + "/styles\" Target=\"styles.xml\"/></Relationships>\n";
  store("[Content_Types].xml", types + "</Types>\n");
  store("_rels/.rels", head + "<Relationships xmlns=\"" + package +
                           "relationships\"><Relationship Id=\"rId1\" Type=\"" + office +
                           "/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>\n");
  store("xl/workbook.xml", book + "</sheets></workbook>\n");
  store("xl/_rels/workbook.xml.rels", links);
  store("xl/styles.xml", head + "<styleSheet xmlns=\"" + sheetml +
                             "\"><fonts count=\"2\"><font><sz val=\"10\"/><name val=\"Arial\"/></font><font><b/><sz "
                             "val=\"10\"/><name val=\"Arial\"/></font></fonts>" +
                             "<fills count=\"1\"><fill><patternFill patternType=\"none\"/></fill></fills><borders "
                             "count=\"1\"><border/></borders><cellStyleXfs count=\"1\"><xf/></cellStyleXfs>" +
                             "<cellXfs count=\"2\"><xf/><xf fontId=\"1\" applyFont=\"1\"/></cellXfs></styleSheet>\n");
  const std::uint64_t directory = out_.size();
  for (const File& f : files_) {
    little(out_, 0x02014b50, 4);
    little(out_, 20, 2);
    little(out_, 20, 2);
    little(out_, 8, 2);
    little(out_, 8, 2);
    little(out_, kDate, 4);
    little(out_, f.crc, 4);
    little(out_, f.packed, 4);
    little(out_, f.size, 4);
    little(out_, f.name.size(), 2);
    little(out_, 0, 12);
    little(out_, f.offset, 4);
    out_ += f.name;
  }
  const std::uint64_t length = out_.size() - directory;
  little(out_, 0x06054b50, 4);
  little(out_, 0, 4);
  little(out_, files_.size(), 2);
  little(out_, files_.size(), 2);
  little(out_, length, 4);
  little(out_, directory, 4);
  little(out_, 0, 2);
}

}  // namespace clusterc
