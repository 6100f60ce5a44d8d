// A workbook (Office Open XML, ECMA-376) of plain sheets: one bold heading row that stays in sight, text and numbers
// below. It appends to a string as rows come, compressed as it goes, so a sheet of a million rows costs little more
// than its file. The archive is made here (ZIP, PKWARE APPNOTE 6.3; DEFLATE, RFC 1951, with its fixed codes): the same
// rows give the same bytes on every machine, whatever compression library it has. No clock: the files in it are dated
// 1980-01-01.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

// DEFLATE in one stream; matches of at least four bytes within 32 KiB, found by one probe of a hash table.
class Deflater {
 public:
  explicit Deflater(std::string& out) : out_(out), last_(kHash, -1) {}
  void write(std::string_view);
  void finish();
  std::uint32_t crc() const { return ~crc_; }
  std::uint64_t size() const { return total_; }

 private:
  static constexpr std::size_t kHash = 1U << 15, kWindow = 1U << 15, kBlock = 1U << 17;
  void block(bool final);
  void bits(std::uint32_t value, unsigned count) {
    hold_ |= static_cast<std::uint64_t>(value) << held_;  // at most 32 more, on less than 32
    held_ += count;
    if (held_ >= 32) flush(32);
  }
  void flush(unsigned count) {  // of whole bytes
    const std::size_t at = out_.size();
    out_.resize(at + count / 8);
    for (unsigned i = 0; i < count / 8; ++i) out_[at + i] = static_cast<char>(hold_ >> (8 * i) & 0xff);
    hold_ >>= count;
    held_ -= count;
  }
  void literal(unsigned char);
  void match(unsigned length, unsigned distance);

  std::string& out_;
  std::string buffer_;  // up to a window of what is done, then what is not
  std::size_t done_ = 0;
  std::uint64_t base_ = 0;          // place of the buffer's first byte in the stream
  std::vector<std::int64_t> last_;  // by hash: where four such bytes were last
  std::uint64_t hold_ = 0, total_ = 0;
  unsigned held_ = 0;
  std::uint32_t crc_ = 0xffffffffU;
};

class Workbook {
 public:
  explicit Workbook(std::string& out) : out_(out) {}
  // A sheet ends where the next begins. Columns whose heading begins with '#' hold numbers (an empty cell stays empty).
  // Excel and LibreOffice read 1,048,576 rows; what is beyond goes to a sheet "NAME 2" of the same headings.
  void sheet(std::string_view name, std::initializer_list<std::string_view> headings);
  void row(std::initializer_list<std::string_view> cells);
  void finish();

 private:
  struct File {
    std::string name;
    std::uint64_t offset = 0, packed = 0, size = 0;
    std::uint32_t crc = 0;
  };
  void begin_sheet();
  void end_sheet();
  void store(std::string_view name, std::string_view text);
  void open(std::string_view name);
  void close(const Deflater&, std::uint64_t start);
  void cell(std::string_view text, bool number, bool heading);

  std::string& out_;
  std::vector<File> files_;
  std::vector<std::string> sheets_;  // their names
  std::string base_name_;
  std::vector<std::string> headings_;
  int part_ = 1;
  std::vector<Deflater> deflater_;  // none or one
  std::uint64_t start_ = 0;
  std::int64_t rows_ = 0;
  std::string line_;
};

}  // namespace clusterc
