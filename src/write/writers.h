// Typed writers of structured formats. Each appends to a string that the caller owns (a Bundle's arena) and quotes by
// construction: what a reader of the format gets back is what was given. Where a format cannot carry a value (a line
// end in slurm.conf) nothing is written for it and `error()` says why: the caller makes a finding of it.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

// What a value of any writer is made from; a number becomes its shortest text.
class WriterValue {
 public:
  enum class Kind : std::uint8_t { text, number, truth };
  WriterValue(std::string_view text) : text_(text), kind_(Kind::text) {}
  WriterValue(const char* text) : text_(text), kind_(Kind::text) {}
  WriterValue(const std::string& text) : text_(text), kind_(Kind::text) {}
  WriterValue(bool truth) : text_(truth ? "true" : "false"), kind_(Kind::truth) {}
  template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, char>) WriterValue(T number) : kind_(Kind::number) {
    set(number);
  }
  WriterValue(double number);
  WriterValue(const WriterValue&) = delete;  // a view: lives in the call that it is an argument of
  WriterValue& operator=(const WriterValue&) = delete;
  std::string_view text() const { return text_; }
  Kind kind() const { return kind_; }

 private:
  template <class T>
  void set(T number) {
    if constexpr (std::signed_integral<T>)
      set_signed(number);
    else
      set_unsigned(number);
  }
  void set_signed(std::int64_t);
  void set_unsigned(std::uint64_t);
  std::string_view text_;
  char buffer_[32];
  Kind kind_;
};

// The first thing that could not be written.
class WriterError {
 public:
  const std::string& error() const { return error_; }
  bool ok() const { return error_.empty(); }

 protected:
  void refuse(std::string_view what, std::string_view value, std::string_view why);

 private:
  std::string error_;
};

// YAML in block style, the same for readers of 1.1 and 1.2: what either could take for something else is quoted ("no",
// "010", "1:30", "2026-01-01"). Text of several lines becomes a literal block where that keeps every byte. Wrong use (a
// value without a key in a map) is a bug of ours: std::logic_error.
class YamlWriter {
 public:
  explicit YamlWriter(std::string& out) : out_(out) {}
  YamlWriter& comment(std::string_view text);  // "# " before each line, at the present depth
  YamlWriter& key(std::string_view name);
  YamlWriter& tag(std::string_view name);  // "!unsafe", in front of the next value, which is a scalar
  YamlWriter& value(const WriterValue&);
  YamlWriter& null();
  YamlWriter& field(std::string_view name, const WriterValue& v) { return key(name).value(v); }
  YamlWriter& begin_map();  // document, value of a key, or item
  YamlWriter& end_map() { return end(Kind::map); }
  YamlWriter& begin_list();
  YamlWriter& end_list() { return end(Kind::list); }
  YamlWriter& map(std::string_view name) { return key(name).begin_map(); }
  YamlWriter& list(std::string_view name) { return key(name).begin_list(); }
  YamlWriter& flow(std::span<const std::string> items);  // [a, b] on one line, as a value
  YamlWriter& flow(std::initializer_list<std::string_view> items);

 private:
  enum class Kind : std::uint8_t { map, list };
  struct Level {
    Kind kind;
    unsigned indent;
    bool empty = true;
  };
  void start_entry();  // line break and blanks in front of a key or an item, or nothing right behind "- "
  void before_value(bool container);
  YamlWriter& begin(Kind);
  YamlWriter& end(Kind);
  void scalar(std::string_view text, unsigned indent, bool flow);

  std::string& out_;
  std::vector<Level> levels_;
  std::string_view tag_;  // stands until the next scalar
  bool keyed_ = false;    // a key waits for its value
  bool dash_ = false;     // "- " was just written
  bool fresh_ = true;     // at the beginning of a line
};

// [section] and key=value lines, as systemd, NetworkManager, OpenSM-like and Python's readers take them. They agree on
// no quoting, so values with line ends, blanks at an end, or a comment sign after a blank are refused.
class IniWriter : public WriterError {
 public:
  explicit IniWriter(std::string& out, std::string_view assign = "=") : out_(out), assign_(assign) {}
  IniWriter& comment(std::string_view text);
  IniWriter& section(std::string_view name);  // with an empty line before it, but for the first
  IniWriter& field(std::string_view name, const WriterValue&);
  IniWriter& line(std::string_view bare);  // a line of its own, as Ansible's host lists have them

 private:
  std::string& out_;
  std::string assign_;
  bool started_ = false;
};

// Lines of Key=Value pairs as Slurm reads them: "NodeName=gpu[001-127] CPUs=112". Values with blanks are quoted; Slurm
// has no escape inside quotes and cuts at '#' even there, so '"', '#', '\' and line ends are refused.
class KeyValueWriter : public WriterError {
 public:
  explicit KeyValueWriter(std::string& out) : out_(out) {}
  KeyValueWriter& comment(std::string_view text);
  KeyValueWriter& blank() {
    out_ += '\n';
    return *this;
  }
  KeyValueWriter& pair(std::string_view key, const WriterValue&);  // on the present line
  KeyValueWriter& end_line();
  KeyValueWriter& line(std::string_view key, const WriterValue& v) { return pair(key, v).end_line(); }

 private:
  std::string& out_;
  bool in_line_ = false;
};

// POSIX shell: assignments and commands whose words are quoted.
class ShellWriter : public WriterError {
 public:
  explicit ShellWriter(std::string& out) : out_(out) {}
  ShellWriter& comment(std::string_view text);
  ShellWriter& blank() {
    out_ += '\n';
    return *this;
  }
  ShellWriter& assign(std::string_view name, const WriterValue&);
  ShellWriter& export_(std::string_view name, const WriterValue&);
  ShellWriter& command(std::span<const std::string> words);
  ShellWriter& command(std::initializer_list<std::string_view> words);

 private:
  std::string& out_;
};
void append_shell_word(std::string& out, std::string_view word);  // quoted only where it must be

// RFC 4180, but lines end with '\n'.
class CsvWriter {
 public:
  explicit CsvWriter(std::string& out) : out_(out) {}
  CsvWriter& cell(const WriterValue&);
  CsvWriter& end_row();
  CsvWriter& row(std::initializer_list<std::string_view> cells);

 private:
  std::string& out_;
  bool in_row_ = false;
};

// A cell of a sheet that people open in a spreadsheet: one line (printable()), and no formula: where one would begin,
// an apostrophe stands in front.
std::string sheet_text(std::string_view);

// CSV whose cells are such texts.
class SheetWriter {
 public:
  explicit SheetWriter(std::string& out) : out_(out) {}
  SheetWriter& row(std::initializer_list<std::string_view> cells);

 private:
  std::string& out_;
};

}  // namespace clusterc
