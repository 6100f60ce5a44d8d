#include "validate/journal.h"

#include <simdjson.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::uint64_t kLargestJournal = std::uint64_t{4} << 30;

std::string text(const simdjson::dom::element& e, const char* key) {
  std::string_view v;
  return e[key].get(v) == simdjson::SUCCESS ? std::string(v) : std::string();
}

std::vector<std::string> texts(const simdjson::dom::element& e, const char* key) {
  std::vector<std::string> out;
  simdjson::dom::array lines;
  if (e[key].get(lines) != simdjson::SUCCESS) return out;
  for (const auto line : lines) {
    std::string_view v;
    if (line.get(v) == simdjson::SUCCESS) out.emplace_back(v);
  }
  return out;
}

JournalTest read_test(const simdjson::dom::element& e) {
  JournalTest test{text(e, "id"), text(e, "how"), text(e, "error"), {}};
  simdjson::dom::array tasks;
  if (e["tasks"].get(tasks) != simdjson::SUCCESS) return test;
  for (const auto task : tasks) {
    TaskOutput out{text(task, "node"), texts(task, "lines"), texts(task, "complaints")};
    test.tasks.push_back(std::move(out));
  }
  return test;
}

}  // namespace

Journal::Journal(Journal&& o) noexcept : file_(std::exchange(o.file_, -1)), done_(std::move(o.done_)) {}
Journal& Journal::operator=(Journal&& o) noexcept {
  std::swap(file_, o.file_);
  std::swap(done_, o.done_);
  return *this;
}
Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

std::optional<Journal> Journal::open(const std::string& path, const std::string& cluster,
                                     const std::string& spec_digest, const std::string& launcher,
                                     const std::string& started, bool fresh, std::string& error) {
  Journal journal;
  FileError unusable;
  std::optional<Descriptor> file = open_to_append(path, unusable);
  if (!file) {
    error = "the journal " + unusable.message;
    return std::nullopt;
  }
  journal.file_ = file->release();
  if (::flock(journal.file_, LOCK_EX | LOCK_NB) != 0) {
    error = "the journal '" + path + "' is in use by another run";
    return std::nullopt;
  }
  const auto old = read_file(journal.file_, path, kLargestJournal, unusable);
  if (!old) {
    error = "the journal " + unusable.message;
    return std::nullopt;
  }
  bool ours = old->empty(), open_run = false;
  // A line that was cut by a kill has no end: it is cut off the file, too, so that the next line begins on its own.
  const std::size_t whole = old->rfind('\n') == std::string::npos ? 0 : old->rfind('\n') + 1;
  simdjson::dom::parser parser;
  std::size_t number = 0;
  for (std::size_t at = 0; at < whole;) {
    const std::size_t end = old->find('\n', at);
    const std::string_view line(old->data() + at, end - at);
    at = end + 1;
    ++number;
    simdjson::dom::element e;
    if (parser.parse(line).get(e) != simdjson::SUCCESS) {
      if (number == 1) break;
      continue;
    }
    const std::string record = text(e, "record");
    if (number == 1) {
      std::int64_t version = 0;
      if (e["version"].get(version) != simdjson::SUCCESS) version = 0;
      if (text(e, "format") != "clusterc-journal") break;
      if (version > 1) {
        error = "the journal '" + path + "' has format version " + std::to_string(version) +
                ", this program writes 1: name another journal";
        return std::nullopt;
      }
      ours = true;
    } else if (record == "run") {
      open_run = text(e, "spec_sha256") == spec_digest && text(e, "launcher") == launcher;
      journal.done_.clear();
    } else if (record == "test" && open_run) {
      journal.done_.push_back(read_test(e));
    } else if (record == "end") {
      open_run = false;
      journal.done_.clear();
    }
  }
  if (!ours) {
    error = "'" + path + "' is no journal of clusterc: name another with --journal";
    return std::nullopt;
  }
  if (whole < old->size() && ::ftruncate(journal.file_, static_cast<off_t>(whole)) != 0) {
    error = "the journal '" + path + "' cannot be mended: " + std::generic_category().message(errno);
    return std::nullopt;
  }
  bool written = true;
  if (old->empty()) written = journal.append(R"({"record":"journal","format":"clusterc-journal","version":1})");
  if (fresh || !open_run) {
    journal.done_.clear();
    std::string line;
    JsonWriter(line)
        .begin_object()
        .field("record", "run")
        .field("cluster", cluster)
        .field("spec_sha256", spec_digest)
        .field("launcher", launcher)
        .field("started", started)
        .end_object();
    written = written && journal.append(line);
  }
  if (!written) {
    error = "the journal '" + path + "' cannot be written: " + std::generic_category().message(errno);
    return std::nullopt;
  }
  return journal;
}

bool Journal::append(const std::string& line) {
  if (!write_all(file_, line + "\n")) return false;
  return ::fdatasync(file_) == 0 || errno == EINVAL || errno == EROFS;  // a file system that cannot
}

bool Journal::write(const JournalTest& test) {
  std::string line;
  JsonWriter json(line);
  json.begin_object()
      .field("record", "test")
      .field("id", test.id)
      .field("how", test.how)
      .field("error", test.error)
      .array("tasks");
  for (const TaskOutput& task : test.tasks) {
    json.begin_object().field("node", task.node).array("lines");
    for (const std::string& l : task.lines) json.value(l);
    json.end_array();
    if (!task.complaints.empty()) {
      json.array("complaints");
      for (const std::string& l : task.complaints) json.value(l);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array().end_object();
  return append(line);
}

bool Journal::complete() { return append(R"({"record":"end","status":"complete"})"); }

}  // namespace clusterc
