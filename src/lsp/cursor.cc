#include "lsp/cursor.h"

#include <algorithm>

#include "yaml/scan.h"

namespace clusterc::lsp {
namespace {

using Kind = SketchNode::Kind;

std::size_t line_begin(std::string_view text, std::size_t at) {
  while (at > 0 && !yaml_break(text[at - 1])) --at;
  return at;
}
bool blank_between(std::string_view text, std::size_t from, std::size_t to) {
  for (; from < to; ++from)
    if (!yaml_blank(text[from])) return false;
  return true;
}

// The innermost brackets around the place.
SketchId brackets_around(const Sketch& s, std::size_t offset) {
  SketchId found = kNoSketch;
  const auto& nodes = s.nodes();
  for (SketchId n = 0; n < nodes.size(); ++n) {
    if (!nodes[n].flow || nodes[n].begin >= offset) continue;
    // Brackets that were never closed also hold the rest of their last line: that is where the cursor is while they are
    // typed.
    const bool inside = nodes[n].closed ? offset < nodes[n].end
                                        : offset <= nodes[n].end ||
                                              blank_between(s.text(), nodes[n].end, std::min(offset, s.text().size()));
    if (inside) found = n;
  }
  return found;
}

Cursor value_of(const Sketch& s, SketchId n, std::size_t offset) {
  const SketchNode& node = s[n];
  Cursor c;
  c.at = n;
  c.in_flow = node.in_flow;
  if (node.kind == Kind::literal || node.flow) return c;
  c.where = Cursor::Where::value;
  c.begin = c.end = offset;
  c.needs_blank = !node.item && offset == node.after_key;
  if (node.kind == Kind::scalar && node.end > node.begin) {
    if (offset > node.end && !blank_between(s.text(), node.end, offset)) return {};
    c.begin = node.begin;
    c.end = std::max<std::size_t>(node.end, offset);
    c.needs_blank = false;
    if (offset < node.begin && !node.item && node.begin == node.after_key) c.needs_blank = true;
  }
  return c;
}

Cursor in_brackets(const Sketch& s, SketchId holder, std::size_t offset) {
  Cursor c;
  c.in_flow = true;
  c.at = holder;
  c.begin = c.end = offset;
  for (SketchId n = s[holder].first; n != kNoSketch; n = s[n].next) {
    const SketchNode& node = s[n];
    // The last thing in brackets that were not closed also has what follows it, up to a comma.
    const bool open_end = node.next == kNoSketch && !s[holder].closed && offset > node.slot_end &&
                          s.text().substr(node.slot_end, offset - node.slot_end).find(',') == std::string_view::npos;
    if (offset < node.slot_begin || (offset > node.slot_end && !open_end)) continue;
    if (node.item) return value_of(s, n, offset);
    if (node.colon && offset >= node.after_key) return value_of(s, n, offset);
    if (offset > node.key_end && !node.colon && !blank_between(s.text(), node.key_end, offset)) continue;
    if (offset > node.key_end && node.key_end > node.key_begin) return {};  // behind a key, before its colon
    c.where = Cursor::Where::key;
    c.entry = n;
    if (offset >= node.key_begin)
      c.begin = node.key_begin, c.end = node.key_end;
    else
      c.entry = kNoSketch;
    return c;
  }
  if (s[holder].kind == Kind::mapping) {
    c.where = Cursor::Where::key;
  } else {
    c.where = Cursor::Where::value;
    c.new_item = true;
  }
  return c;
}

// On a line where nothing stands yet, only its indentation tells to whom the next entry belongs.
Cursor on_blank_line(const Sketch& s, std::size_t offset, std::size_t column) {
  const auto& nodes = s.nodes();
  SketchId before = 0;
  for (SketchId n = 1; n < nodes.size(); ++n)
    if (!nodes[n].in_flow && nodes[n].key_begin < offset) before = n;
  if (nodes[before].kind == Kind::literal && nodes[before].end >= offset) return {};
  while (before != 0 && nodes[before].column >= column) before = nodes[before].parent;
  const SketchNode& parent = nodes[before];
  Cursor c;
  if (before != 0 && (parent.flow || parent.kind == Kind::scalar || parent.kind == Kind::literal) &&
      parent.first == kNoSketch)
    return {};
  if (before != 0 && parent.flow) return {};
  c.at = before;
  c.begin = c.end = offset;
  if (parent.first != kNoSketch && nodes[parent.first].item) {
    c.where = Cursor::Where::value;
    c.new_item = c.dash = true;
  } else {
    c.where = Cursor::Where::key;
  }
  return c;
}

}  // namespace

Cursor cursor_at(const Sketch& s, std::size_t offset) {
  const std::string_view text = s.text();
  offset = std::min(offset, text.size());
  if (s.in_comment(offset)) return {};
  if (const SketchId holder = brackets_around(s, offset); holder != kNoSketch) return in_brackets(s, holder, offset);
  const std::size_t begin = line_begin(text, offset);
  SketchId here = kNoSketch;
  const auto& nodes = s.nodes();
  for (SketchId n = 1; n < nodes.size(); ++n) {
    if (nodes[n].in_flow) continue;
    if (nodes[n].kind == Kind::literal && offset > nodes[n].after_key && offset <= nodes[n].end &&
        begin > nodes[n].key_begin)
      return {};
    if (nodes[n].key_begin >= begin && nodes[n].key_begin <= offset && line_begin(text, nodes[n].key_begin) == begin)
      here = n;
  }
  if (here == kNoSketch) {
    if (!blank_between(text, begin, offset) ||
        (offset < text.size() && !yaml_break(text[offset]) && !yaml_blank(text[offset]))) {
      // In front of the first thing of its line, or in a text that goes on over lines.
      return {};
    }
    std::size_t end = offset;
    while (end < text.size() && yaml_blank(text[end])) ++end;
    if (end < text.size() && !yaml_break(text[end])) return {};
    return on_blank_line(s, offset, offset - begin);
  }
  const SketchNode& node = nodes[here];
  if (node.item) {
    if (offset < node.after_key) return {};
    return value_of(s, here, offset);
  }
  if (node.colon && offset >= node.after_key) return value_of(s, here, offset);
  if (offset > node.key_end) return {};
  Cursor c;
  c.where = Cursor::Where::key;
  c.at = node.parent;
  c.entry = here;
  c.begin = node.key_begin;
  c.end = node.key_end;
  return c;
}

SketchId thing_at(const Sketch& s, std::size_t offset, bool& on_key) {
  const auto& nodes = s.nodes();
  SketchId found = kNoSketch;
  for (SketchId n = 1; n < nodes.size(); ++n) {
    const SketchNode& node = nodes[n];
    if (node.key_begin > offset) {
      if (!node.in_flow || node.slot_begin > offset) break;
      continue;
    }
    const bool key = node.key_begin < node.key_end && offset >= node.key_begin && offset <= node.key_end;
    const bool value = node.kind == Kind::scalar && offset >= node.begin && offset <= node.end;
    if (!key && !value) continue;
    found = n;
    on_key = key;
  }
  return found;
}

std::vector<SketchId> path_of(const Sketch& s, SketchId n) {
  std::vector<SketchId> path;
  for (; n != 0 && n != kNoSketch; n = s[n].parent) path.push_back(n);
  std::ranges::reverse(path);
  return path;
}

std::string path_text(const Sketch& s, SketchId n) {
  std::string out;
  for (const SketchId step : path_of(s, n)) {
    if (s[step].item) {
      std::size_t i = 0;
      for (SketchId c = s[s[step].parent].first; c != step && c != kNoSketch; c = s[c].next) ++i;
      out += "[" + std::to_string(i) + "]";
    } else {
      out += (out.empty() ? "" : ".") + std::string(s.key(step));
    }
  }
  return out;
}

namespace {

const Type& core_of(const Type& t) { return t.form == Type::Form::maybe ? core_of(t.element()) : t; }

}  // namespace

void* place_in(const Sketch& s, SketchId n, void* at, const Type*& type) {
  const auto inside = [&] {  // what a `maybe` holds
    while (at && type->form == Type::Form::maybe) {
      at = type->size(at) ? type->at(at, 0) : nullptr;
      type = &type->element();
    }
    return at != nullptr;
  };
  const auto item = [&](std::size_t i) {
    at = i < type->size(at) ? type->at(at, i) : nullptr;
    type = &type->element();
    return inside();
  };
  const auto named = [&](std::string_view name) {
    for (std::size_t i = 0; i < type->size(at); ++i)
      if (type->entry_name(at, i) == name) return item(i);
    return false;
  };
  for (const SketchId step : path_of(s, n)) {
    if (!inside()) return nullptr;
    if (s[step].item) {
      if (type->form != Type::Form::list) return nullptr;
      std::size_t i = 0;
      for (SketchId c = s[s[step].parent].first; c != step && c != kNoSketch; c = s[c].next) ++i;
      if (!item(i)) return nullptr;
      continue;
    }
    if (type->form == Type::Form::list && !item(0)) return nullptr;  // one item without brackets
    const std::string_view key = s.key(step);
    if (type->form == Type::Form::record) {
      if (const Field* f = type->field(key)) {
        at = f->in(at);
        type = &f->type();
        continue;
      }
      if (!type->rest) return nullptr;
      at = type->rest->in(at);
      type = &type->rest->type();
    }
    if (type->form != Type::Form::map || !named(key)) return nullptr;
  }
  if (!inside()) return nullptr;
  type = &core_of(*type);
  return at;
}

}  // namespace clusterc::lsp
