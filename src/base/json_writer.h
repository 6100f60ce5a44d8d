// Writes JSON that is right by construction: commas, quotes, escapes and nesting are the writer's business, the order
// is the caller's. It appends to a string that the caller owns and looks back at nothing but its own state, so a long
// document can be streamed: hand the string on and clear it whenever it grew large.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc {

struct JsonStyle {
  unsigned indent = 0;     // blanks a level; 0: everything on one line
  bool html_safe = false;  // "<" as \u003c, so that the text may stand inside <script>
};

// Wrong use (a value without a key in an object, an end without its begin) is a bug of ours: std::logic_error.
class JsonWriter {
 public:
  enum class Layout : std::uint8_t { block, line };  // line: the container and all in it stay on one line

  explicit JsonWriter(std::string& out, JsonStyle style = {}) : out_(out), style_(style) {}

  JsonWriter& begin_object(Layout layout = Layout::block) { return begin('{', layout); }
  JsonWriter& end_object() { return end('{', '}'); }
  JsonWriter& begin_array(Layout layout = Layout::block) { return begin('[', layout); }
  JsonWriter& end_array() { return end('[', ']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);  // bytes that are not UTF-8 become U+FFFD
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  JsonWriter& value(double number);  // shortest text that reads back as the same double; not finite: null
  template <std::signed_integral T>
  JsonWriter& value(T number) {
    return integer(static_cast<std::int64_t>(number));
  }
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) JsonWriter& value(T number) { return natural(static_cast<std::uint64_t>(number)); }
  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  JsonWriter& null();

  template <class T>
  JsonWriter& field(std::string_view name, const T& what) {
    return key(name).value(what);
  }
  JsonWriter& object(std::string_view name, Layout layout = Layout::block) { return key(name).begin_object(layout); }
  JsonWriter& array(std::string_view name, Layout layout = Layout::block) { return key(name).begin_array(layout); }

  bool complete() const { return started_ && open_.empty(); }  // exactly one whole value was written

 private:
  struct Level {
    char bracket;
    bool line;  // on one line
    bool empty = true;
    bool keyed = false;  // a key waits for its value
  };

  JsonWriter& begin(char bracket, Layout layout);
  JsonWriter& end(char open, char close);
  JsonWriter& integer(std::int64_t number);
  JsonWriter& natural(std::uint64_t number);
  void before_value();
  void separate();  // comma and line break before the next member or item
  void line_break();
  void quoted(std::string_view text);

  std::string& out_;
  JsonStyle style_;
  std::vector<Level> open_;
  bool started_ = false;
};

// For map() and list(): the container and all in it stay on one line.
inline constexpr auto kLine = JsonWriter::Layout::line;

}  // namespace clusterc
