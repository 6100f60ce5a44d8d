// What a template knows: scalars, lists and maps, read as they are asked for, so that nothing is built that no template
// looks at.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"

namespace clusterc {

class TemplateObject;

struct TemplateValue {
  enum class Kind : std::uint8_t { absent, truth, integer, number, text, list, map };
  Kind kind = Kind::absent;
  bool truth = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string_view text;                     // absent: why there is no value, "nothing is called 'x'"
  std::shared_ptr<const std::string> keeps;  // what the text lies in; null: it lives longer than the rendering
  std::optional<double> si;                  // of a quantity, in its SI unit
  Dimension dimension = Dimension::power;    // likewise
  bool sized = false;                        // absent: it would be a quantity of this dimension
  bool version = false;                      // a text whose numbers are compared one by one: 12.9 is before 13.0
  bool safe = false;    // may stand in a file as it is: quoted, or written by the template's author
  bool quoted = false;  // safe by its quotes: any change of the text makes it unsafe again
  bool unset = false;   // a list or map that nobody wrote: it is empty, and not defined
  std::shared_ptr<const TemplateObject> object;  // list, map

  static TemplateValue absent(std::string why) { return with_text(Kind::absent, std::move(why)); }
  static TemplateValue of(bool truth) { return {.kind = Kind::truth, .truth = truth}; }
  static TemplateValue of(std::int64_t integer) { return {.kind = Kind::integer, .integer = integer}; }
  static TemplateValue of(double number) { return {.kind = Kind::number, .number = number}; }
  static TemplateValue of(std::string text, bool safe = false) {
    TemplateValue v = with_text(Kind::text, std::move(text));
    v.safe = safe;
    return v;
  }
  static TemplateValue borrowed(std::string_view text, bool safe = false) {
    return {.kind = Kind::text, .text = text, .safe = safe};
  }
  static TemplateValue list(std::shared_ptr<const TemplateObject> object) {
    return {.kind = Kind::list, .object = std::move(object)};
  }
  static TemplateValue map(std::shared_ptr<const TemplateObject> object) {
    return {.kind = Kind::map, .object = std::move(object)};
  }

 private:
  static TemplateValue with_text(Kind kind, std::string text) {
    auto owned = std::make_shared<const std::string>(std::move(text));
    return {.kind = kind, .text = *owned, .keeps = owned};
  }
};

class TemplateObject {
 public:
  virtual ~TemplateObject() = default;
  virtual std::size_t size() const = 0;
  virtual TemplateValue item(std::size_t) const = 0;
  // Of a map: its keys, at most this many of them for a message; a value by its key, nullopt where there is no such
  // key; whether the keys are fixed (another one is a slip of the pen, always) or the spec's own.
  virtual std::string key(std::size_t) const { return {}; }
  virtual std::optional<TemplateValue> member(std::string_view name) const;
  virtual bool fixed_keys() const { return false; }
};

// Lists and maps that are held in memory.
class TemplateList : public TemplateObject {
 public:
  explicit TemplateList(std::vector<TemplateValue> items) : items_(std::move(items)) {}
  std::size_t size() const override { return items_.size(); }
  TemplateValue item(std::size_t i) const override { return items_[i]; }

 private:
  std::vector<TemplateValue> items_;
};

class TemplateMap : public TemplateObject {
 public:
  explicit TemplateMap(std::vector<std::pair<std::string, TemplateValue>> members, bool fixed = false)
      : members_(std::move(members)), fixed_(fixed) {}
  std::size_t size() const override { return members_.size(); }
  TemplateValue item(std::size_t i) const override { return members_[i].second; }
  std::string key(std::size_t i) const override { return members_[i].first; }
  bool fixed_keys() const override { return fixed_; }

 private:
  std::vector<std::pair<std::string, TemplateValue>> members_;
  bool fixed_;
};

}  // namespace clusterc
