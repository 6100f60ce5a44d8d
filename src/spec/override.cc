#include "spec/override.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "diag/near.h"
#include "fields/read.h"
#include "fields/scalar_text.h"
#include "spec/nodes.h"
#include "spec/types.h"

namespace clusterc {
namespace {

bool names_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

// One override on its way to its place.
class Setter {
 public:
  Setter(Sources& sources, Findings& findings, Spec& spec) : sources_(sources), findings_(findings), spec_(spec) {}

  void set(const SpecOverride& o) {
    file_ = sources_.add(std::string(kOptionSource) + o.path, o.value);
    at_ = {file_, 0, static_cast<std::uint32_t>(o.value.size())};
    const std::vector<std::string_view> path = split(o.path, '.');
    if (path.size() == 2 && count_of_group(path[0], path[1], o.value)) return;
    const Type* type = &type_of<Spec>();
    void* at = &spec_;
    const Field* field = nullptr;
    void* record = nullptr;
    const Type* record_type = nullptr;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const std::string_view key = path[i];
      const bool last = i + 1 == path.size();
      while (type->form == Type::Form::maybe) {
        if (type->size(at) == 0)
          return wrong(format(
              "the spec has no '{}' to change",
              join(std::vector<std::string_view>(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i)), ".")));
        at = type->at(at, 0);
        type = &type->element();
      }
      const Field* found = nullptr;
      if (type->form == Type::Form::record) {
        found = type->field(key);
        if (!found && type->rest) {
          at = type->rest->in(at);
          type = &type->rest->type();
        } else if (!found) {
          std::vector<std::string_view> keys;
          for (const Field& f : type->fields) keys.push_back(f.key);
          return unknown("key", key, path, i, keys);
        }
      }
      field = found;
      if (found) {
        record = at;
        record_type = type;
        at = found->in(at);
        type = &found->type();
        continue;
      }
      if (type->form == Type::Form::map) {
        std::size_t n = 0;
        while (n < type->size(at) && type->entry_name(at, n) != key) ++n;
        if (n == type->size(at)) {
          if (!last) {
            std::vector<std::string_view> names;
            for (std::size_t k = 0; k < n; ++k) names.push_back(type->entry_name(at, k));
            return unknown("entry", key, path, i, names);
          }
          at = type->append(at, key, at_);
        } else {
          at = type->at(at, n);
        }
        type = &type->element();
      } else if (type->form == Type::Form::list) {
        NumberProblem problem;
        const auto index = parse_whole(key, problem);
        if (!index || *index < 0 || static_cast<std::size_t>(*index) >= type->size(at))
          return wrong(format("'{}' is no item of a list of {}", key, type->size(at)));
        at = type->at(at, static_cast<std::size_t>(*index));
        type = &type->element();
      } else {
        return wrong(format(
            "'{}' holds a single value: there is no '{}' in it",
            join(std::vector<std::string_view>(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i)), "."),
            key));
      }
    }
    if (trim(o.value).empty() && field && field->options.required)
      return wrong(format("'{}' cannot be left out", o.path));
    only_way_of_group(path);
    type->clear(at);
    if (!trim(o.value).empty()) {
      const auto document = parse_yaml(sources_, file_, findings_);
      if (!document) return;
      const ReadContext context{*document, findings_};
      const ReadPlace place{at_, path.back()};
      if (field)
        read_field(context, *field, document->root(), record, place);
      else
        read_node(context, *type, document->root(), at, place);
    } else if (field && record_type) {
      fill_standards(*record_type, record);
    }
  }

 private:
  void wrong(std::string message) { findings_.error("spec-option", at_, std::move(message)); }
  void unknown(std::string_view what, std::string_view key, const std::vector<std::string_view>& path, std::size_t i,
               const std::vector<std::string_view>& known) {
    const std::string where =
        i == 0 ? std::string("the spec")
               : "'" +
                     join(std::vector<std::string_view>(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i)),
                          ".") +
                     "'";
    Finding& f = findings_.error("spec-option", at_, format("there is no {} '{}' in {}", what, key, where));
    offer_names(f, key, known);
  }

  // nodes.gpu=64
  bool count_of_group(std::string_view section, std::string_view name, std::string_view text) {
    Value<std::string>* names = nullptr;
    if (auto* g = section == "nodes" ? spec_.nodes.find(name) : nullptr) names = &g->value.names;
    if (auto* g = section == "racks" ? spec_.racks.find(name) : nullptr) names = &g->value.names;
    if (auto* g = section == "assemblies" ? spec_.assemblies.find(name) : nullptr) names = &g->value.names;
    NumberProblem problem = NumberProblem::none;
    const auto count = parse_whole(trim(text), problem);
    if (!names || !*names || (!count && problem != NumberProblem::too_large)) return false;
    constexpr std::int64_t kMost = std::int64_t{1} << 24;  // names of one pattern (base/host_pattern.h)
    HostPattern::Error error;
    if (!count || *count < 1 || *count > kMost)
      wrong(format("'{}.{}' is {}, it has to be 1 to {}", section, name, trim(text), kMost));
    else if (const auto pattern = HostPattern::parse(**names, error))
      *names = Value<std::string>(resized_pattern(*pattern, *count, name), at_, Origin::spec);
    return true;
  }

  void only_way_of_group(const std::vector<std::string_view>& path) {
    if (path.size() != 3 || path[0] != "nodes") return;
    auto* entry = spec_.nodes.find(path[1]);
    constexpr std::string_view kWays[] = {"model", "server", "from", "instance", "virtual_machine"};
    if (!entry || std::find(std::begin(kWays), std::end(kWays), path[2]) == std::end(kWays)) return;
    NodeGroup& g = entry->value;
    g.model = g.from = g.instance = {};
    g.server.reset();
    g.virtual_machine.reset();
  }

  Sources& sources_;
  Findings& findings_;
  Spec& spec_;
  FileId file_ = kNoFile;
  SourceSpan at_;
};

}  // namespace

std::optional<std::vector<SpecOverride>> parse_overrides(std::string_view text, std::string& error) {
  std::vector<SpecOverride> all;
  std::size_t begin = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (i < text.size()) {
      if (quote) {
        if (c == quote) quote = 0;
        continue;
      }
      if (c == '"' || c == '\'') quote = c;
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      if (c != ',' || depth > 0) continue;
    }
    const std::string_view one = trim(text.substr(begin, i - begin));
    begin = i + 1;
    const auto equals = one.find('=');
    const std::string_view path = trim(one.substr(0, equals));
    if (equals == one.npos || path.empty() || !std::all_of(path.begin(), path.end(), names_key) ||
        path.front() == '.' || path.back() == '.' || path.find("..") != path.npos) {
      error = format(
          "'{}' is no setting: write a path of keys, '=' and a value, such as nodes.gpu.model=nvidia-dgx-b200", one);
      return std::nullopt;
    }
    all.push_back({std::string(path), std::string(trim(one.substr(equals + 1)))});
  }
  return all;
}

void apply_overrides(const std::vector<SpecOverride>& all, Sources& sources, Findings& findings, Spec& spec) {
  Setter setter(sources, findings, spec);
  for (const SpecOverride& o : all) setter.set(o);
}

std::string resized_pattern(const HostPattern& pattern, std::int64_t count, std::string_view group) {
  const std::string& text = pattern.text();
  const std::int64_t have = pattern.count();
  if (count == have) return text;
  const auto open = text.find('['), close = text.find(']');
  const bool one_bracket = open != text.npos && text.find('[', open + 1) == text.npos &&
                           text.find(',', close) == text.npos && text.rfind(',', open) == text.npos;
  const std::string_view inside =
      one_bracket ? std::string_view(text).substr(open + 1, close - open - 1) : std::string_view();
  const auto one_range = inside.find(',') == inside.npos ? inside.find('-') : inside.npos;
  if (one_bracket && (count > have || one_range != inside.npos)) {
    // The last range ends earlier or later: "001-127" -> "001-200", "1-4,7" -> "1-4,7-10".
    const auto last = inside.rfind(',') == inside.npos ? 0 : inside.rfind(',') + 1;
    const std::string_view range = inside.substr(last), low = range.substr(0, range.find('-'));
    const auto high = parse_uint(range.substr(range.find('-') == range.npos ? 0 : range.find('-') + 1));
    if (high && count > 0) {
      std::string end;
      append_padded(end, static_cast<std::uint64_t>(static_cast<std::int64_t>(*high) + count - have),
                    static_cast<unsigned>(low.size()));
      return text.substr(0, open + 1) + std::string(inside.substr(0, last)) + std::string(low) + "-" + end +
             text.substr(close);
    }
  }
  if (count > have) return format("{},{}-more[1-{}]", text, group, count - have);
  std::vector<std::string> first;
  for (std::int64_t i = 0; i < count; ++i) first.push_back(pattern.name(i));
  return fold_names(first);
}

}  // namespace clusterc
