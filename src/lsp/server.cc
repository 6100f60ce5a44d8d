#include "lsp/server.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "lsp/complete.h"
#include "lsp/describe.h"
#include "lsp/report.h"
#include "lsp/symbols.h"

namespace clusterc::lsp {
namespace {

// JSON-RPC 2.0, section 5.1, and LSP 3.17, ErrorCodes.
constexpr int kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
              kServerNotInitialized = -32002, kRequestCancelled = -32800;
// LSP MessageType
constexpr int kError = 1, kWarning = 2;

void send(const std::string& body, std::string& out) {
  out += format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

// A response; `fill` writes the result.
template <class Fill>
void respond(const RequestId& id, std::string& out, Fill&& fill) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().field("jsonrpc", "2.0").key("id");
  write_id(json, id);
  json.key("result");
  fill(json);
  json.end_object();
  send(body, out);
}
void respond_null(const RequestId& id, std::string& out) {
  respond(id, out, [](JsonWriter& json) { json.null(); });
}
void respond_error(const RequestId& id, int code, std::string_view message, std::string& out) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().field("jsonrpc", "2.0").key("id");
  write_id(json, id);
  json.object("error").field("code", code).field("message", message).end_object().end_object();
  send(body, out);
}
template <class Fill>
void notify(std::string_view method, std::string& out, Fill&& fill) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().field("jsonrpc", "2.0").field("method", method).object("params");
  fill(json);
  json.end_object().end_object();
  send(body, out);
}

constexpr std::size_t kLooksAt = 64u << 10;  // of a text that is too large: enough to see whether it is a spec

// A spec says what it is in its first key. Other YAML that an editor hands over is left in peace; a slip in that one
// key is not.
bool is_spec(const Sketch& s, std::string_view language) {
  if (language == "clusterc") return true;
  for (SketchId n = s[0].first; n != kNoSketch; n = s[n].next)
    if (s[n].colon && !s[n].item && nearest_name(s.key(n), {"clusterc"})) return true;
  return false;
}

struct Received {
  ParsedMessage parsed;
  bool change =
      false;  // it could not be read, and may have been a change: then the text here is not the text there any more
};

void write_markup(JsonWriter& json, std::string_view key, std::string_view markdown, bool takes_markdown) {
  json.object(key)
      .field("kind", takes_markdown ? "markdown" : "plaintext")
      .field("value", takes_markdown ? std::string(markdown) : plain_text(markdown))
      .end_object();
}

}  // namespace

struct Server::Open {
  std::string uri, path, language;
  std::int64_t version = 0;
  std::uint64_t generation = 0, handed_out = 0;  // of the text now, and of the one last given to an analysis
  std::shared_ptr<const TextDocument> text;
  std::unique_ptr<Sketch> sketch;                // of `text`; null: it is too large to be looked at
  std::shared_ptr<const Analysis> latest, good;  // good: the last one with a cluster
  bool in_sync = true;                           // false: a change was lost, and nothing is known of the text
  bool published = false;                        // findings were sent for it

  const Analysis* resolved() const { return good.get(); }
  bool current() const { return good && good->text == text; }
};

JobResult run_job(const Job& job, std::optional<Date> today) {
  JobResult result{job.uri, job.generation, nullptr, {}};
  try {
    result.analysis = analyse(job.text, job.path, today);
  } catch (const std::exception& e) {  // out of memory, or a bug of ours: the conversation goes on without findings
    result.failure = e.what();
  }
  return result;
}

Server::Server(ServerOptions options) : options_(std::move(options)), frames_(options_.most_message_bytes) {}
Server::~Server() = default;

void Server::receive(std::string_view bytes, std::string& out) {
  frames_.feed(bytes);
  std::vector<Received> batch;
  while (!finished_) {
    auto frame = frames_.next();
    if (!frame) break;
    if (frame->kind == Frame::Kind::lost) {
      log("the stream cannot be read any more: " + frame->text, kError, out);
      finished_ = true;
      status_ = 1;
      break;
    }
    if (frame->kind == Frame::Kind::too_large) {
      batch.push_back({{std::nullopt, kInvalidRequest, frame->text, {}}, true});
      continue;
    }
    ParsedMessage parsed = parse_message(frame->text);
    const bool change = !parsed.message && frame->text.find("textDocument/did") != std::string::npos;
    batch.push_back({std::move(parsed), change});
  }
  // A request that is taken back while it waits is not worked on.
  std::vector<RequestId> cancelled;
  for (const auto& [p, change] : batch)
    if (p.message && p.message->method == "$/cancelRequest" && p.message->complete)
      cancelled.push_back(p.message->cancelled);
  for (const auto& [p, change] : batch) {
    if (finished_) break;
    if (!p.message) {
      respond_error(p.id.kind == RequestId::Kind::none ? RequestId{RequestId::Kind::null, 0, {}} : p.id, p.error,
                    p.what, out);
      if (change) lose_sync(p.what, out);
    } else if (p.message->id.kind != RequestId::Kind::none &&
               std::ranges::find(cancelled, p.message->id) != cancelled.end()) {
      respond_error(p.message->id, kRequestCancelled, "cancelled", out);
    } else {
      handle(*p.message, out);
    }
  }
}

void Server::handle(const Message& m, std::string& out) {
  if (m.method.empty()) return;
  if (m.id.kind == RequestId::Kind::none) return notification(m, out);
  if (!initialized_ && m.method != "initialize")
    return respond_error(m.id, kServerNotInitialized, "'initialize' comes first", out);
  if (shut_down_) return respond_error(m.id, kInvalidRequest, "the server is shut down", out);
  if (!m.complete)
    return respond_error(m.id, kInvalidParams, "the parameters of '" + m.method + "' are not complete", out);
  request(m, out);
}

void Server::request(const Message& m, std::string& out) {
  if (m.method == "initialize") {
    if (initialized_) return respond_error(m.id, kInvalidRequest, "'initialize' comes once", out);
    return initialize(m, out);
  }
  if (m.method == "shutdown") {
    shut_down_ = true;
    return respond_null(m.id, out);
  }
  if (m.method == "completionItem/resolve") return resolve(m, out);
  using Answer = void (Server::*)(const Message&, Open&, std::string&);
  static constexpr std::pair<std::string_view, Answer> kAnswers[] = {
      {"textDocument/completion", &Server::completion},   {"textDocument/hover", &Server::hover},
      {"textDocument/definition", &Server::definition},   {"textDocument/documentSymbol", &Server::symbols},
      {"textDocument/codeAction", &Server::code_actions},
  };
  for (const auto& [method, answer] : kAnswers) {
    if (m.method != method) continue;
    const auto document = documents_.find(m.uri);
    if (document == documents_.end() || !document->second->in_sync || !document->second->sketch)
      return respond_null(m.id, out);
    return (this->*answer)(m, *document->second, out);
  }
  respond_error(m.id, kMethodNotFound, "'" + m.method.substr(0, 100) + "' is not supported", out);
}

void Server::notification(const Message& m, std::string& out) {
  if (m.method == "exit") {
    finished_ = true;
    status_ = shut_down_ ? 0 : 1;
    return;
  }
  if (!initialized_ || shut_down_) return;
  if (m.method == "textDocument/didOpen")
    return m.complete ? open(m, out) : log("a document was opened without its text", kError, out);
  if (m.method == "textDocument/didChange")
    return m.complete ? change(m, out) : lose_sync("a change came incomplete", out);
  if (m.method == "textDocument/didClose") return close(m, out);
  if (m.method == "textDocument/didSave" || m.method == "workspace/didChangeWatchedFiles")
    // Own parts that the specs name may be what was saved.
    for (auto& [uri, document] : documents_) document->generation = ++generation_;
}

void Server::initialize(const Message& m, std::string& out) {
  initialized_ = true;
  can_ = m.abilities;
  respond(m.id, out, [&](JsonWriter& json) {
    json.begin_object().object("capabilities").field("positionEncoding", "utf-16");
    json.object("textDocumentSync")
        .field("openClose", true)
        .field("change", 2)
        .object("save")
        .field("includeText", false)
        .end_object()
        .end_object();
    json.object("completionProvider")
        .array("triggerCharacters")
        .value(" ")
        .value("{")
        .value("[")
        .value(",")
        .value("\"")
        .end_array()
        .field("resolveProvider", true)
        .end_object();
    json.field("hoverProvider", true).field("definitionProvider", true).field("documentSymbolProvider", true);
    if (can_.code_action_literals)
      json.object("codeActionProvider").array("codeActionKinds").value("quickfix").end_array().end_object();
    json.end_object()
        .object("serverInfo")
        .field("name", "clusterc")
        .field("version", options_.version)
        .end_object()
        .end_object();
  });
}

void Server::set_text(Open& document, std::string text) {
  document.sketch.reset();
  document.text = std::make_shared<const TextDocument>(std::move(text));
}

// The text is whole: it is looked at, or the editor is told why not.
void Server::take(Open& document, std::string& out) {
  document.generation = ++generation_;
  if (document.text->text().size() > options_.most_document_bytes)
    publish_too_large(document, document.text->text().size(), out);
  else
    document.sketch = std::make_unique<Sketch>(document.text->text());
}

void Server::open(const Message& m, std::string& out) {
  if (!documents_.contains(m.uri) && documents_.size() >= options_.most_documents)
    return log(
        format("more than {} documents are open: '{}' is left alone", options_.most_documents, m.uri.substr(0, 200)),
        kWarning, out);
  auto& document = documents_[m.uri];
  document = std::make_unique<Open>();
  document->uri = m.uri;
  document->language = m.language;
  document->version = m.version;
  // A document that was never saved has no folder beside which anything could lie.
  document->path = path_of_uri(m.uri).value_or("/dev/null/untitled.yaml");
  document->in_sync = m.text.size() <= most_kept();
  set_text(*document, document->in_sync ? m.text : m.text.substr(0, kLooksAt));
  if (document->in_sync)
    take(*document, out);
  else
    publish_too_large(*document, m.text.size(), out);
}

void Server::change(const Message& m, std::string& out) {
  const auto found = documents_.find(m.uri);
  if (found == documents_.end()) return;
  Open& document = *found->second;
  for (const TextChange& change : m.changes) {
    if (!change.range) {
      document.in_sync = true;  // the whole text: whatever was lost before
    } else if (!document.in_sync) {
      continue;
    }
    std::string text = change.range ? document.text->replaced(*change.range, change.text) : change.text;
    if (text.size() > most_kept()) {
      document.in_sync = false;
      return publish_too_large(document, text.size(), out);
    }
    set_text(document, std::move(text));
  }
  document.version = m.version;
  if (document.in_sync) take(document, out);
}

void Server::close(const Message& m, std::string& out) {
  const auto found = documents_.find(m.uri);
  if (found == documents_.end()) return;
  if (found->second->published) publish_nothing(*found->second, out);
  documents_.erase(found);
}

void Server::publish_nothing(const Open& document, std::string& out) {
  notify("textDocument/publishDiagnostics", out,
         [&](JsonWriter& json) { json.field("uri", document.uri).array("diagnostics").end_array(); });
}

// One finding at the top. Of a document that is no spec there is none, unless there were some before.
void Server::publish_too_large(Open& document, std::size_t bytes, std::string& out) {
  const std::string what =
      format("a spec of {} bytes is not checked in an editor, the most is {}: `clusterc check` reads it", bytes,
             options_.most_document_bytes);
  log("'" + document.uri.substr(0, 200) + "': " + what, kWarning, out);
  if (!document.published && !is_spec(Sketch(document.text->text().substr(0, kLooksAt)), document.language)) return;
  document.published = true;
  notify("textDocument/publishDiagnostics", out, [&](JsonWriter& json) {
    json.field("uri", document.uri).array("diagnostics").begin_object().key("range");
    write_range(json, Range{});
    json.field("severity", kWarning).field("source", "clusterc").field("message", what).end_object().end_array();
  });
}

// Something that may have been a change could not be read. No answer is better than one about another text.
void Server::lose_sync(std::string_view why, std::string& out) {
  if (documents_.empty()) return;
  for (auto& [uri, document] : documents_) {
    document->in_sync = false;
    if (document->published) publish_nothing(*document, out);
    document->published = false;
  }
  log(format("{}; open the document again", why), kError, out);
}

void Server::log(std::string_view text, int type, std::string& out) {
  notify("window/logMessage", out,
         [&](JsonWriter& json) { json.field("type", type).field("message", "clusterc: " + std::string(text)); });
}

std::optional<Job> Server::next_job() {
  Open* longest = nullptr;
  for (auto& [uri, document] : documents_)
    if (document->in_sync && document->sketch && document->handed_out != document->generation &&
        (!longest || document->generation < longest->generation))
      longest = document.get();
  if (!longest) return std::nullopt;
  longest->handed_out = longest->generation;
  return Job{longest->uri, longest->path, longest->generation, longest->text};
}

void Server::finish(JobResult result, std::string& out) {
  const auto found = documents_.find(result.uri);
  if (!result.failure.empty()) log("the analysis failed: " + result.failure, kError, out);
  if (found == documents_.end() || !result.analysis || shut_down_) return;
  Open& document = *found->second;
  if (result.analysis->good()) document.good = result.analysis;  // of an older text still better than nothing
  if (document.generation != result.generation || !document.in_sync) return;
  document.latest = result.analysis;
  const bool spec = is_spec(*document.sketch, document.language);
  if (!spec && !document.published) return;
  document.published = true;
  notify("textDocument/publishDiagnostics", out, [&](JsonWriter& json) {
    json.field("uri", document.uri).field("version", document.version).key("diagnostics");
    if (spec)
      write_diagnostics(json, *document.latest, document.uri, can_);
    else
      json.begin_array().end_array();
  });
}

void Server::completion(const Message& m, Open& document, std::string& out) {
  const TextDocument& text = *document.text;
  const Completion found = complete_at(*document.sketch, text.offset(*m.position), document.resolved());
  const Range range = text.range(found.begin, found.end);
  respond(m.id, out, [&](JsonWriter& json) {
    json.begin_object().field("isIncomplete", false).array("items");
    std::size_t rank = 0;
    for (const CompletionItem& item : found.items) {
      json.begin_object()
          .field("label", item.label)
          .field("kind", static_cast<int>(item.kind))
          .field("sortText", format("{:04}", rank++));
      if (!item.detail.empty()) json.field("detail", item.detail);
      if (!item.filter.empty()) json.field("filterText", item.filter);
      if (!item.documentation.empty())
        write_markup(json, "documentation", item.documentation, can_.markdown_completion);
      json.field("insertTextFormat", 1)
          .field("insertTextMode", 1)
          .object("textEdit")
          .key("range");  // plain text, as it is
      write_range(json, range);
      json.field("newText", item.text).end_object();
      if (!item.data.empty()) json.field("data", document.uri + "\n" + item.data);
      json.end_object();
    }
    json.end_array().end_object();
  });
}

// The documentation of one item, fetched when somebody looks at it.
void Server::resolve(const Message& m, std::string& out) {
  const std::size_t line = m.item_data.find('\n');
  const auto document = documents_.find(std::string_view(m.item_data).substr(0, line));
  std::string more = "{}";
  if (line != std::string::npos) {
    const std::string text =
        resolve_documentation(std::string_view(m.item_data).substr(line + 1),
                              document == documents_.end() ? nullptr : document->second->resolved());
    if (!text.empty()) {
      more.clear();
      JsonWriter json(more);
      json.begin_object();
      write_markup(json, "documentation", text, can_.markdown_completion);
      json.end_object();
    }
  }
  std::string id;
  JsonWriter json(id);
  write_id(json, m.id);
  send(format("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}}", id, with_members(m.item, more)), out);
}

void Server::hover(const Message& m, Open& document, std::string& out) {
  const TextDocument& text = *document.text;
  const auto found = hover_at(*document.sketch, text.offset(*m.position), document.resolved(), document.current());
  if (!found) return respond_null(m.id, out);
  respond(m.id, out, [&](JsonWriter& json) {
    json.begin_object();
    write_markup(json, "contents", found->markdown, can_.markdown_hover);
    json.key("range");
    write_range(json, text.range(found->begin, found->end));
    json.end_object();
  });
}

void Server::definition(const Message& m, Open& document, std::string& out) {
  const TextDocument& text = *document.text;
  const auto found = definition_at(*document.sketch, text.offset(*m.position), document.resolved(), options_.keep);
  if (!found) return respond_null(m.id, out);
  respond(m.id, out, [&](JsonWriter& json) {
    json.begin_object().field("uri", found->uri.empty() ? document.uri : found->uri).key("range");
    write_range(json, found->uri.empty() ? text.range(found->begin, found->end) : found->range);
    json.end_object();
  });
}

void Server::symbols(const Message& m, Open& document, std::string& out) {
  respond(m.id, out, [&](JsonWriter& json) {
    write_symbols(json, *document.sketch, *document.text, document.uri, can_.hierarchical_symbols);
  });
}

void Server::code_actions(const Message& m, Open& document, std::string& out) {
  const bool wanted = m.only.empty() || std::ranges::any_of(m.only, [](const std::string& kind) {
                        return kind == "quickfix" || kind.empty();
                      });
  // An edit is for the text that the finding was about, and for no other.
  if (!wanted || !document.latest || document.latest->text != document.text)
    return respond(m.id, out, [](JsonWriter& json) { json.begin_array().end_array(); });
  const std::size_t begin = document.text->offset(m.range->start), end = document.text->offset(m.range->end);
  respond(m.id, out, [&](JsonWriter& json) {
    write_code_actions(json, *document.latest, document.uri, document.version, std::min(begin, end),
                       std::max(begin, end), can_);
  });
}

}  // namespace clusterc::lsp
