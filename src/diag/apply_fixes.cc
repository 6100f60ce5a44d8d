#include "diag/apply_fixes.h"

#include <algorithm>
#include <map>

namespace clusterc {
namespace {

using Taken = std::map<std::uint32_t, const Edit*>;  // by begin; none meets another

bool meets(const Edit& a, const Edit& b) {
  return a.span.begin == b.span.begin || (a.span.begin < b.span.end && b.span.begin < a.span.end);
}
bool same(const Edit& a, const Edit& b) { return a.span == b.span && a.replacement == b.replacement; }

// The edit that it meets, nullptr when there is none. A neighbour further away cannot meet it: those between would,
// too.
const Edit* met(const Taken& taken, const Edit& edit) {
  const auto after = taken.lower_bound(edit.span.begin);
  if (after != taken.end() && meets(*after->second, edit)) return after->second;
  if (after != taken.begin() && meets(*std::prev(after)->second, edit)) return std::prev(after)->second;
  return nullptr;
}

// Takes all edits of the fix, or leaves everything as it was.
bool take(Taken& taken, const Fix& fix, std::string_view text, FileId file) {
  std::vector<std::uint32_t> added;
  bool good = !fix.edits.empty();
  for (const Edit& edit : fix.edits) {
    if (!good) break;
    good = edit.span.file == file && edit.span.begin <= edit.span.end && edit.span.end <= text.size();
    if (!good) break;
    if (const Edit* other = met(taken, edit)) {
      good = same(*other, edit);
    } else {
      taken.emplace(edit.span.begin, &edit);
      added.push_back(edit.span.begin);
    }
  }
  if (!good)
    for (const std::uint32_t begin : added) taken.erase(begin);
  return good;
}

}  // namespace

std::uint32_t Patched::moved(std::uint32_t offset) const {
  std::int64_t shift = 0;
  for (const Edit& edit : edits) {
    if (edit.span.begin >= offset && !(edit.span.begin == offset && edit.span.end == offset)) break;
    if (edit.span.end > offset) return static_cast<std::uint32_t>(edit.span.begin + shift);
    shift += static_cast<std::int64_t>(edit.replacement.size()) - (edit.span.end - edit.span.begin);
  }
  return static_cast<std::uint32_t>(offset + shift);
}

Patched apply_fixes(std::string_view text, FileId file, std::span<const Fix* const> fixes) {
  Taken taken;
  Patched out;
  for (const Fix* fix : fixes) out.applied.push_back(take(taken, *fix, text, file));
  std::size_t at = 0;
  for (const auto& [begin, edit] : taken) {
    out.text += text.substr(at, begin - at);
    out.text += edit->replacement;
    at = edit->span.end;
    out.edits.push_back(*edit);
  }
  out.text += text.substr(at);
  return out;
}

}  // namespace clusterc
