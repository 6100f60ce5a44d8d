#include "report/tree_diff.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"
#include "report/line_diff.h"
#include "report/markdown.h"
#include "rules/say.h"
#include "write/tree.h"

namespace clusterc {
namespace {

std::string_view change_of(const TreeDiff::File& f) { return !f.before ? "new" : !f.after ? "gone" : "changed"; }

void append_octal(std::string& out, std::uint32_t mode) {
  if (mode != kLink)
    mode = 0100000 | ((mode & 0100) ? 0755u : 0644u);  // git knows whether a file is a program, and no more
  for (int shift = 15; shift >= 0; shift -= 3) out += static_cast<char>('0' + ((mode >> shift) & 7));
}

// git quotes names with other signs than these; compiled files have none of them.
std::string quoted(std::string_view side, std::string_view path) {
  const bool plain = std::all_of(path.begin(), path.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && static_cast<unsigned char>(c) < 0x7f;
  });
  std::string out(side);
  if (plain) return (out += path);
  out.insert(0, 1, '"');
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (byte >= 0x20 && byte < 0x7f)
      out += c;
    else {
      out += '\\';
      for (int shift = 6; shift >= 0; shift -= 3) out += static_cast<char>('0' + ((byte >> shift) & 7));
    }
  }
  return out += '"';
}

bool is_binary(const std::optional<std::string>& text) { return text && text->find('\0') != std::string::npos; }

}  // namespace

void append_patch(std::string& out, const TreeDiff::File& f) {
  // A link in a file's place is two changes: one goes, the other comes.
  if (f.before && f.after && (f.before_mode == kLink) != (f.after_mode == kLink)) {
    append_patch(out, {.path = f.path, .before = f.before, .after = {}, .before_mode = f.before_mode});
    append_patch(out, {.path = f.path, .before = {}, .after = f.after, .after_mode = f.after_mode});
    return;
  }
  const std::string a = quoted("a/", f.path), b = quoted("b/", f.path);
  std::string before, after;
  if (f.before) append_octal(before, f.before_mode);
  if (f.after) append_octal(after, f.after_mode);
  if (f.before && f.after && before == after && *f.before == *f.after) return;  // only the rights of others differ
  if (is_binary(f.before) || is_binary(f.after))
    return;  // git takes no patch of them without its own coding; the summary says so
  out += format("diff --git {} {}\n", a, b);
  if (!f.before)
    out += format("new file mode {}\n", after);
  else if (!f.after)
    out += format("deleted file mode {}\n", before);
  else if (before != after)
    out += format("old mode {}\nnew mode {}\n", before, after);
  const std::string_view was = f.before ? std::string_view(*f.before) : std::string_view(),
                         is = f.after ? std::string_view(*f.after) : std::string_view();
  if (was == is) return;
  const std::string from = f.before ? a : "/dev/null", to = f.after ? b : "/dev/null";
  out += format("--- {}\n+++ {}\n", from, to);
  append_hunks(out, was, is);
}

std::string render_tree_patch(const TreeDiff& d) {
  std::string out;
  for (const TreeDiff::File& f : d.files) append_patch(out, f);
  return out;
}

std::string render_tree_summary(const TreeDiff& d) {
  std::size_t counts[3] = {}, edited = 0;
  for (const TreeDiff::File& f : d.files)
    ++counts[change_of(f) == "changed" ? 0 : change_of(f) == "new" ? 1 : 2], edited += f.edited;
  std::string out = format("{} -> {}: ", printable(d.before_name), printable(d.after_name));
  if (d.files.empty())
    out +=
        d.other_spec
            ? "the files are the same; manifest.json is from another text of the spec or another version of clusterc\n"
            : "the files are the same\n";
  else
    out += format("{} changed, {} new, {} gone\n", plural(static_cast<std::int64_t>(counts[0]), "file"), counts[1],
                  counts[2]);
  for (const TreeDiff::File& f : d.files)
    if (is_binary(f.before) || is_binary(f.after))
      out += format("{}: contains zero bytes, and is not in the patch\n", printable(f.path));
  for (const TreeDiff::File& f : d.files)
    if (f.edited) out += format("{}: changed by hand since it was compiled\n", printable(f.path));
  for (const std::string& path : d.foreign) out += format("{}: not a compiled file; kept\n", printable(path));
  return out;
}

std::string render_tree_markdown(const TreeDiff& d) {
  std::string out =
      format("### Compiled files: {} → {}\n\n", markdown_text(d.before_name), markdown_text(d.after_name));
  if (d.files.empty()) return out + "The files are the same.\n";
  out += "| file | |\n| --- | --- |\n";
  for (const TreeDiff::File& f : d.files)
    out += markdown_row({f.path, std::string(change_of(f)) + (f.edited ? ", edited by hand" : "")});
  std::string patch;
  constexpr std::size_t kMost = 60'000;  // a comment on GitHub holds 65,536 characters
  std::size_t shown = 0;
  for (const TreeDiff::File& f : d.files) {
    const std::size_t before = patch.size();
    append_patch(patch, f);
    if (out.size() + patch.size() > kMost) {
      patch.resize(before);
      break;
    }
    ++shown;
  }
  if (patch.empty() && shown == 0)
    return out + "\nThe changes are too long for a comment: `clusterc diff` without `--format markdown` prints them.\n";
  out +=
      format("\n<details><summary>Changes in these files</summary>\n\n{}\n</details>\n", markdown_block("diff", patch));
  if (shown < d.files.size())
    out += format("\n{} more are not shown here.\n", plural(static_cast<std::int64_t>(d.files.size() - shown), "file"));
  return out;
}

std::string render_tree_json(const TreeDiff& d) {
  std::string out;
  JsonWriter json(out, {.indent = 1});
  json.begin_object().field("format", "clusterc-tree-diff").field("version", 1).field("same", d.files.empty());
  json.field("before", d.before_name)
      .field("after", d.after_name)
      .field("spec_sha256", d.spec_sha256)
      .field("other_spec", d.other_spec);
  json.array("files");
  for (const TreeDiff::File& f : d.files) {
    std::string patch;
    append_patch(patch, f);
    json.begin_object()
        .field("path", f.path)
        .field("change", change_of(f))
        .field("edited", f.edited)
        .field("patch", patch)
        .end_object();
  }
  json.end_array().array("foreign");
  for (const std::string& path : d.foreign) json.value(path);
  json.end_array().end_object();
  return out + "\n";
}

}  // namespace clusterc
