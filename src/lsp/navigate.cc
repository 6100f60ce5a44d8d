#include "lsp/navigate.h"

#include <filesystem>

#include "base/format.h"
#include "catalog/embedded.h"
#include "lsp/describe.h"
#include "lsp/names.h"
#include "rules/finding_table.h"

namespace clusterc::lsp {
namespace {

// The text of a part and where it lies: an own one in its file, a built-in one where `keep` puts it. `keys`: the way to
// a place in it.
std::optional<Target> part_target(PartKind kind, std::string_view id, std::initializer_list<std::string_view> keys,
                                  const Analysis* good, const KeepFile& keep) {
  std::string path;
  std::string_view text;
  if (good && good->run->catalog) {
    const std::string_view own = good->run->catalog->text(kind, id);
    const Sources& sources = good->run->sources;
    for (FileId f = 1; f < sources.size() && !own.empty(); ++f)
      if (sources.text(f).data() == own.data()) path = sources.path(f), text = own;
  }
  if (path.empty()) {
    const auto file = find_embedded(part_folder(kind), id);
    if (!file || !keep) return std::nullopt;
    text = file->text;
    const auto kept = keep(format("{}/{}.yaml", file->folder, file->id), text);
    if (!kept) return std::nullopt;
    path = *kept;
  }
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(path, failed);
  Target target;
  target.uri = uri_of_path(failed ? path : whole.string());
  const Sketch sketch(text);
  SketchId at = keys.size() ? sketch.find_path(keys) : kNoSketch;
  if (at == kNoSketch) at = sketch.find_path({"id"});
  if (at != kNoSketch) target.range = TextDocument(std::string(text)).range(sketch[at].key_begin, sketch[at].key_end);
  return target;
}

Target in_document(const Sketch& s, SketchId n) {
  Target target;
  target.begin = s[n].key_begin;
  target.end = s[n].key_end;
  return target;
}

std::optional<Target> defined(const Names& names, std::string_view written, const Sketch& s, SketchId context,
                              const Analysis* good, const KeepFile& keep) {
  using Of = Names::Of;
  if (names.of == Of::part) return part_target(names.part, written.substr(part_begin(written)), {}, good, keep);
  if (names.of == Of::rule) {
    const FindingKind* kind = find_finding_kind(written);
    if (!kind || !keep) return std::nullopt;
    const auto kept = keep(format("rules/{}.md", kind->id), describe_rule(kind->id));
    if (!kept) return std::nullopt;
    Target target;
    target.uri = uri_of_path(*kept);
    return target;
  }
  if (names.of == Of::device) {
    // "gpus[0]", "nics.data[1]": the entry of the group, where it is written there.
    const std::string_view entry = written.substr(0, written.find('['));
    const SketchId group = node_group_around(s, context);
    const std::string_view key = entry.substr(0, entry.find('.')),
                           name = key.size() < entry.size() ? entry.substr(key.size() + 1) : std::string_view();
    for (const SketchId holder : {group, group == kNoSketch ? kNoSketch : s.find(group, "server")}) {
      const SketchId at = holder == kNoSketch ? kNoSketch : s.find(holder, key);
      const SketchId exact = at == kNoSketch || name.empty() ? at : s.find(at, name);
      if (exact != kNoSketch) return in_document(s, exact);
    }
    return std::nullopt;
  }
  for (const KnownName& name : known_names(names, s, context, good))
    if (name.name == written && name.where != kNoSketch) return in_document(s, name.where);
  if (names.of == Of::port_set || names.of == Of::nics_entry) {
    // Ports that the spec does not write come with the server.
    const std::string_view group =
        names.of == Of::port_set
            ? s.key(context == 0 ? context : s[context].parent)
            : s.key(node_group_around(s, context) == kNoSketch ? 0 : node_group_around(s, context));
    const NodeGroupModel* model = node_group_model(good, group);
    if (!model) return std::nullopt;
    if (auto target = part_target(PartKind::server, model->server.id, {"facts", "ports", written}, good, keep))
      return target;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Target> definition_at(const Sketch& s, std::size_t offset, const Analysis* good, const KeepFile& keep) {
  bool on_key = false;
  const SketchId n = thing_at(s, offset, on_key);
  if (n == kNoSketch) return std::nullopt;
  const Names names =
      on_key ? (s[n].parent == kNoSketch ? Names{} : spot_of(s, s[n].parent).keys) : item_of(spot_of(s, n)).names;
  if (names.of == Names::Of::nothing) return std::nullopt;
  auto target = defined(names, on_key ? s.key(n) : s.value(n), s, n, good, keep);
  if (target) {
    target->from_begin = on_key ? s[n].key_begin : s[n].begin;
    target->from_end = on_key ? s[n].key_end : s[n].end;
  }
  return target;
}

}  // namespace clusterc::lsp
