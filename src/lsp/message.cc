#include "lsp/message.h"

#include <nlohmann/json.hpp>

#include "base/json_writer.h"

namespace clusterc::lsp {
namespace {

using Json = nlohmann::json;

constexpr int kParseError = -32700, kInvalidRequest = -32600;  // JSON-RPC 2.0, section 5.1
constexpr std::size_t kDeepest = 64;                           // the deepest that a client sends is some ten levels

bool too_deep(std::string_view json) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else
        quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDeepest) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

// Editors that keep text as UTF-16 may write half of a surrogate pair, which no Unicode text can hold: U+FFFD stands
// for it, one UTF-16 unit for one, so that places stay what they are.
std::string without_lone_surrogates(std::string_view json) {
  std::string out(json);
  const auto unit = [&](std::size_t at) {  // of "\uXXXX" at `at`; -1: there is none
    if (at + 6 > out.size() || out[at] != '\\' || out[at + 1] != 'u') return -1;
    int value = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const char c = out[i];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  };
  const auto between = [](int x, int low, int high) { return x >= low && x <= high; };
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    if (out[i] != '\\') continue;
    const int first = unit(i);
    if (between(first, 0xd800, 0xdbff) && between(unit(i + 6), 0xdc00, 0xdfff)) {
      i += 11;
    } else if (between(first, 0xd800, 0xdfff)) {
      out.replace(i + 2, 4, "fffd");
      i += 5;
    } else {
      ++i;
    }
  }
  return out;
}

RequestId id_of(const Json& j) {
  RequestId id;
  if (j.is_null())
    id.kind = RequestId::Kind::null;
  else if (j.is_number_integer())
    id.kind = RequestId::Kind::number, id.number = j.get<std::int64_t>();
  else if (j.is_string())
    id.kind = RequestId::Kind::text, id.text = j.get<std::string>();
  return id;
}

// Members by path; nullptr where one is missing or no object.
const Json* at(const Json& j, std::initializer_list<const char*> path) {
  const Json* here = &j;
  for (const char* key : path) {
    if (!here->is_object()) return nullptr;
    const auto found = here->find(key);
    if (found == here->end()) return nullptr;
    here = &*found;
  }
  return here;
}
bool read_text(const Json& j, std::initializer_list<const char*> path, std::string& out) {
  const Json* found = at(j, path);
  if (!found || !found->is_string()) return false;
  out = found->get<std::string>();
  return true;
}
bool truth(const Json& j, std::initializer_list<const char*> path) {
  const Json* found = at(j, path);
  return found && found->is_boolean() && found->get<bool>();
}
bool holds(const Json& j, std::initializer_list<const char*> path, std::string_view word) {
  const Json* found = at(j, path);
  if (!found || !found->is_array()) return false;
  for (const Json& item : *found)
    if (item.is_string() && item.get_ref<const std::string&>() == word) return true;
  return false;
}

std::optional<Position> position_of(const Json* j) {
  if (!j) return std::nullopt;
  const Json *line = at(*j, {"line"}), *character = at(*j, {"character"});
  const auto good = [](const Json* n) {
    return n && n->is_number_unsigned() && n->get<std::uint64_t>() <= 0x7fffffff;
  };  // LSP: uinteger
  if (!good(line) || !good(character)) return std::nullopt;
  return Position{line->get<std::uint32_t>(), character->get<std::uint32_t>()};
}
std::optional<Range> range_of(const Json* j) {
  if (!j) return std::nullopt;
  const auto start = position_of(at(*j, {"start"})), end = position_of(at(*j, {"end"}));
  if (!start || !end) return std::nullopt;
  return Range{*start, *end};
}

void read_abilities(const Json& params, ClientAbilities& out) {
  const Json* document = at(params, {"capabilities", "textDocument"});
  if (document) {
    out.related_information = truth(*document, {"publishDiagnostics", "relatedInformation"});
    out.code_description = truth(*document, {"publishDiagnostics", "codeDescriptionSupport"});
    out.hierarchical_symbols = truth(*document, {"documentSymbol", "hierarchicalDocumentSymbolSupport"});
    out.code_action_literals = at(*document, {"codeAction", "codeActionLiteralSupport"}) != nullptr;
    out.snippets = truth(*document, {"completion", "completionItem", "snippetSupport"});
    out.markdown_hover = holds(*document, {"hover", "contentFormat"}, "markdown");
    out.markdown_completion = holds(*document, {"completion", "completionItem", "documentationFormat"}, "markdown");
  }
  out.document_changes = truth(params, {"capabilities", "workspace", "workspaceEdit", "documentChanges"});
}

bool read_changes(const Json& params, std::vector<TextChange>& out) {
  const Json* changes = at(params, {"contentChanges"});
  if (!changes || !changes->is_array()) return false;
  for (const Json& change : *changes) {
    TextChange one;
    if (!read_text(change, {"text"}, one.text)) return false;
    if (const Json* range = at(change, {"range"}); range && !range->is_null()) {
      one.range = range_of(range);
      if (!one.range) return false;
    }
    out.push_back(std::move(one));
  }
  return true;
}

// What a method needs of its params, and has to find there.
bool read_params(const Json& params, Message& m) {
  const std::string& method = m.method;
  if (const Json* version = at(params, {"textDocument", "version"}); version && version->is_number_integer())
    m.version = version->get<std::int64_t>();
  const bool uri = read_text(params, {"textDocument", "uri"}, m.uri);
  if (method == "initialize") {
    read_abilities(params, m.abilities);
    return params.is_object();
  }
  if (method == "$/cancelRequest") {
    if (const Json* id = at(params, {"id"})) m.cancelled = id_of(*id);
    return m.cancelled.kind == RequestId::Kind::number || m.cancelled.kind == RequestId::Kind::text;
  }
  if (method == "textDocument/didOpen") {
    (void)read_text(params, {"textDocument", "languageId"}, m.language);
    return uri && read_text(params, {"textDocument", "text"}, m.text);
  }
  if (method == "textDocument/didChange") return uri && read_changes(params, m.changes);
  if (method == "completionItem/resolve") {
    if (!params.is_object()) return false;
    m.item = params.dump();
    (void)read_text(params, {"data"}, m.item_data);
    return true;
  }
  if (method == "textDocument/codeAction") {
    m.range = range_of(at(params, {"range"}));
    if (const Json* only = at(params, {"context", "only"}); only && only->is_array())
      for (const Json& kind : *only)
        if (kind.is_string()) m.only.push_back(kind.get<std::string>());
    return uri && m.range;
  }
  if (method == "textDocument/completion" || method == "textDocument/hover" || method == "textDocument/definition") {
    m.position = position_of(at(params, {"position"}));
    return uri && m.position;
  }
  return !method.starts_with("textDocument/") || uri;
}

}  // namespace

void write_id(JsonWriter& json, const RequestId& id) {
  switch (id.kind) {
    case RequestId::Kind::number:
      json.value(id.number);
      return;
    case RequestId::Kind::text:
      json.value(id.text);
      return;
    case RequestId::Kind::none:
    case RequestId::Kind::null:
      json.null();
  }
}

ParsedMessage parse_message(std::string_view text) {
  ParsedMessage out;
  if (too_deep(text)) {
    out.error = kParseError;
    out.what = "nested deeper than " + std::to_string(kDeepest) + " levels";
    return out;
  }
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) json = Json::parse(without_lone_surrogates(text), nullptr, false);
  if (json.is_discarded()) {
    out.error = kParseError;
    out.what = "not JSON";
    return out;
  }
  if (const Json* id = at(json, {"id"})) out.id = id_of(*id);
  Message m;
  m.id = out.id;
  const bool has_method = read_text(json, {"method"}, m.method) && !m.method.empty();
  const bool response = !has_method && json.is_object() && (json.contains("result") || json.contains("error"));
  const bool wrong_id = json.is_object() && json.contains("id") && out.id.kind == RequestId::Kind::none;
  std::string version;
  if ((!has_method && !response) || wrong_id || !read_text(json, {"jsonrpc"}, version) || version != "2.0") {
    out.error = kInvalidRequest;
    out.what = "not a JSON-RPC 2.0 message";
    return out;
  }
  if (has_method) {
    static const Json kNothing = Json::object();
    const Json* params = at(json, {"params"});
    m.complete = read_params(params && !params->is_null() ? *params : kNothing, m);
  }
  out.message = std::move(m);
  return out;
}

std::string with_members(std::string_view object, std::string_view more) {
  Json json = Json::parse(object, nullptr, false);
  const Json added = Json::parse(more, nullptr, false);
  if (json.is_object() && added.is_object()) json.update(added);
  return json.is_discarded() ? std::string("null") : json.dump();
}

}  // namespace clusterc::lsp
