// JSON-RPC 2.0 messages as plain values: what of them the server reads, and nothing else. message.cc is the only place
// that sees the JSON library (nlohmann, for small input: its nesting is bounded here, its bytes by the framing).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/text.h"

namespace clusterc {
class JsonWriter;
}
namespace clusterc::lsp {

struct RequestId {
  enum class Kind : std::uint8_t { none, null, number, text } kind = Kind::none;  // none: a notification
  std::int64_t number = 0;
  std::string text;
  bool operator==(const RequestId&) const = default;
};
void write_id(JsonWriter&, const RequestId&);  // the value alone; none as null

struct TextChange {
  std::optional<Range> range;  // left out: the whole text is new
  std::string text;
};

struct ClientAbilities {             // of `initialize`; what is left out is not there
  bool related_information = false;  // publishDiagnostics
  bool code_description = false;
  bool hierarchical_symbols = false;
  bool document_changes = false;  // workspace edits with versions
  bool code_action_literals = false;
  bool snippets = false;
  bool markdown_hover = true, markdown_completion = true;
};

struct Message {
  RequestId id;
  std::string method;               // empty: a response to something of ours, which is passed over
  std::string uri, language, text;  // textDocument
  std::int64_t version = 0;
  std::vector<TextChange> changes;
  std::optional<Position> position;
  std::optional<Range> range;
  RequestId cancelled;
  ClientAbilities abilities;
  std::vector<std::string> only;  // kinds of code action that are wanted; empty: any
  std::string item;               // completionItem/resolve: the item as it came, to be given back
  std::string item_data;          // and what we wrote into its `data`
  bool complete = true;           // false: params lack what the method needs, or hold something else
};

struct ParsedMessage {
  std::optional<Message> message;
  int error = 0;  // JSON-RPC code, where there is no message
  std::string what;
  RequestId id;  // of the request that is wrong, where it could be read
};

ParsedMessage parse_message(std::string_view json);
// An object as it was, with the members of another object added: both are text that parse_message gave or JsonWriter
// wrote.
std::string with_members(std::string_view object, std::string_view more);

}  // namespace clusterc::lsp
