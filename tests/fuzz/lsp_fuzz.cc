// Any bytes from an editor: the language server must answer each request once, with JSON-RPC, and end or go on; never
// crash, hang or grow. The first byte says what the rest is: '!' the raw stream; '?' the text of a spec, opened, asked
// about at many places, and edited; else each line is the body of one message. With clang: -fsanitize=fuzzer,address.
// Without libFuzzer see fuzz_main.h.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/text.h"
#include "lsp/server.h"

namespace {

using namespace clusterc;
using namespace clusterc::lsp;

[[noreturn]] void broken(const char* what) {
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

struct Conversation {
  Server server;
  std::size_t responses = 0;

  explicit Conversation(ServerOptions options) : server(std::move(options)) {}

  void take(std::string_view out) {
    FrameReader frames(64u << 20);
    frames.feed(out);
    while (const auto frame = frames.next()) {
      if (frame->kind != Frame::Kind::body) broken("the server's own framing");
      const ParsedMessage parsed = parse_message(frame->text);
      if (!parsed.message) broken("the server's own JSON");
      responses += parsed.message->method.empty();
    }
  }
  void bytes(std::string_view in) {
    std::string out;
    server.receive(in, out);
    for (int jobs = 0; jobs < 8; ++jobs) {
      const auto job = server.next_job();
      if (!job) break;
      server.finish(run_job(*job, std::nullopt), out);
    }
    take(out);
  }
  void body(std::string_view text) {
    bytes("Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + std::string(text));
  }
};

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"textDocument":{"publishDiagnostics":{"relatedInformation":true},)"
    R"("codeAction":{"codeActionLiteralSupport":{}},"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}}}})";

void request(Conversation& c, std::string_view method, const Range& range) {
  std::string text;
  JsonWriter json(text);
  const auto place = [&](std::string_view key, Position p) {
    json.object(key).field("line", p.line).field("character", p.character).end_object();
  };
  json.begin_object()
      .field("jsonrpc", "2.0")
      .field("id", 1)
      .field("method", method)
      .object("params")
      .object("textDocument")
      .field("uri", "file:///dev/null/x.yaml")
      .end_object();
  place("position", range.start);
  json.object("range");
  place("start", range.start);
  place("end", range.end);
  json.end_object().end_object().end_object();
  const std::size_t before = c.responses;
  c.body(text);
  if (c.responses != before + 1) broken("a request without its one answer");
}

void type(Conversation& c, std::string_view spec) {
  std::string text;
  JsonWriter(text)
      .begin_object()
      .field("jsonrpc", "2.0")
      .field("method", "textDocument/didOpen")
      .object("params")
      .object("textDocument")
      .field("uri", "file:///dev/null/x.yaml")
      .field("languageId", "clusterc")
      .field("version", 1)
      .field("text", spec)
      .end_object()
      .end_object()
      .end_object();
  c.body(text);
  const TextDocument document{std::string(spec)};
  const std::size_t step = spec.size() / 24 + 1;
  for (std::size_t at = 0; at <= spec.size(); at += step) {
    const Range range = document.range(at, std::min(at + step, spec.size()));
    for (const auto method : {"textDocument/completion", "textDocument/hover", "textDocument/definition"})
      request(c, method, range);
    if (at % 5 == 0) request(c, "textDocument/codeAction", range);
  }
  request(c, "textDocument/documentSymbol", {});
  std::string change;
  const Position middle = document.position(spec.size() / 2), end = document.position(spec.size() / 2 + step);
  JsonWriter json(change);
  json.begin_object()
      .field("jsonrpc", "2.0")
      .field("method", "textDocument/didChange")
      .object("params")
      .object("textDocument")
      .field("uri", "file:///dev/null/x.yaml")
      .field("version", 2)
      .end_object()
      .array("contentChanges")
      .begin_object()
      .object("range");
  json.object("start").field("line", middle.line).field("character", middle.character).end_object();
  json.object("end").field("line", end.line).field("character", end.character).end_object();
  json.end_object().field("text", "\r\n{ \xf0\x9f\x98\x80: ").end_object().end_array().end_object().end_object();
  c.body(change);
  request(c, "textDocument/completion", document.range(spec.size() / 2, spec.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ServerOptions options;
  options.most_message_bytes = 1u << 20;
  options.most_document_bytes = 256u << 10;
  options.keep = [](std::string_view name, std::string_view) -> std::optional<std::string> {
    return "/kept/" + std::string(name);
  };
  Conversation c(options);
  std::string_view in(reinterpret_cast<const char*>(data), size);
  if (in.starts_with('!')) {
    c.bytes(in.substr(1));
    return 0;
  }
  c.body(kInitialize);
  if (in.starts_with('?')) {
    // JSON carries Unicode text: other bytes come as U+FFFD, as an editor would send them.
    type(c, in.substr(1));
    return 0;
  }
  for (const std::string_view line : split(in, '\n')) {
    c.body(line);
    if (c.server.finished()) break;
  }
  return 0;
}

#include "fuzz_main.h"
