// The language server without its streams: bytes from the editor in, bytes for the editor out. It keeps the open
// documents, answers requests at once from a sketch of the newest text and the last state that could be resolved, and
// hands out the slow part, the analysis of a changed document, as a job, so that the program around it can run it
// beside the conversation.
//
//   server.receive(bytes, out);                                  // every whole message
//   while (auto job = server.next_job()) server.finish(run(*job), out);
//
// What an editor can send is bounded here: a message and a document in bytes, documents in number.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/analysis.h"
#include "lsp/framing.h"
#include "lsp/message.h"
#include "lsp/navigate.h"
#include "lsp/sketch.h"

namespace clusterc::lsp {

struct ServerOptions {
  std::size_t most_message_bytes =
      8u << 20;  // a document of the largest size, with every byte escaped as \uXXXX, is six times as long
  std::size_t most_document_bytes = 1u << 20;  // 20,000 lines; a larger spec is for `clusterc check`
  std::size_t most_documents = 64;
  std::optional<Date> today;  // acceptances expire against this day
  std::string version;        // of the program
  KeepFile keep;              // where built-in parts can be opened; none: they are not navigated to
};

struct Job {
  std::string uri, path;
  std::uint64_t generation = 0;  // of the text
  std::shared_ptr<const TextDocument> text;
};
struct JobResult {
  std::string uri;
  std::uint64_t generation = 0;
  std::shared_ptr<const Analysis> analysis;  // nullptr: it failed; `failure` says how
  std::string failure;
};
JobResult run_job(const Job&, std::optional<Date> today);

class Server {
 public:
  explicit Server(ServerOptions);
  ~Server();

  void receive(std::string_view bytes, std::string& out);
  // A document that has changed since it was last handed out, the one that waited longest first.
  std::optional<Job> next_job();
  // Publishes the findings, unless the document has changed meanwhile.
  void finish(JobResult, std::string& out);

  bool finished() const { return finished_; }  // `exit` came, or the stream cannot be understood any more
  int exit_status() const { return status_; }  // 0: after `shutdown`

 private:
  struct Open;
  void handle(const Message&, std::string& out);
  void request(const Message&, std::string& out);
  void notification(const Message&, std::string& out);
  void initialize(const Message&, std::string& out);
  void open(const Message&, std::string& out);
  void change(const Message&, std::string& out);
  void close(const Message&, std::string& out);
  void set_text(Open&, std::string text);
  void take(Open&, std::string& out);
  void publish_too_large(Open&, std::size_t bytes, std::string& out);
  // A text that is too large to be checked is kept as far as this, so that it is followed while it is cut down again.
  std::size_t most_kept() const { return 16 * options_.most_document_bytes; }
  void lose_sync(std::string_view why, std::string& out);
  void log(std::string_view text, int type, std::string& out);
  void publish_nothing(const Open&, std::string& out);
  void completion(const Message&, Open&, std::string& out);
  void resolve(const Message&, std::string& out);
  void hover(const Message&, Open&, std::string& out);
  void definition(const Message&, Open&, std::string& out);
  void symbols(const Message&, Open&, std::string& out);
  void code_actions(const Message&, Open&, std::string& out);

  ServerOptions options_;
  FrameReader frames_;
  ClientAbilities can_;
  std::map<std::string, std::unique_ptr<Open>, std::less<>> documents_;
  std::uint64_t generation_ = 0;
  bool initialized_ = false, shut_down_ = false, finished_ = false;
  int status_ = 0;
};

}  // namespace clusterc::lsp
