#include "validate/journal_text.h"

#include <simdjson.h>

#include <optional>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/utc.h"

namespace clusterc {
namespace {

using JournalElement = simdjson::dom::element;

// The clock of this machine may be set back a little between two runs (NTP steps beyond 128 ms: RFC 5905, STEPT).
constexpr std::int64_t kClockSlack = 60;

// Why a line does not count; thrown and caught in this file.
struct Unsound {
  std::string why;
};

std::string text(const JournalElement& e, const char* key) {
  std::string_view v;
  if (e[key].get(v) != simdjson::SUCCESS) throw Unsound{format("'{}' is missing or not a text", key)};
  return std::string(v);
}

std::string text_or_nothing(const JournalElement& e, const char* key) {
  JournalElement there;
  return e[key].get(there) == simdjson::SUCCESS ? text(e, key) : std::string();
}

std::vector<std::string> texts(const JournalElement& e, const char* key, bool required) {
  std::vector<std::string> out;
  JournalElement there;
  if (e[key].get(there) != simdjson::SUCCESS && !required) return out;
  simdjson::dom::array lines;
  if (e[key].get(lines) != simdjson::SUCCESS) throw Unsound{format("'{}' is missing or not a list", key)};
  for (const JournalElement line : lines) {
    std::string_view v;
    if (line.get(v) != simdjson::SUCCESS) throw Unsound{format("'{}' has an entry that is not a text", key)};
    out.emplace_back(v);
  }
  return out;
}

std::int64_t moment(const JournalElement& e, const char* key, std::int64_t now) {
  const std::string said = text(e, key);
  const auto at = parse_utc(said);
  if (!at) throw Unsound{format("'{}' is not a time: '{}'", key, printable(said.substr(0, 40)))};
  if (*at > now + kClockSlack)
    throw Unsound{format("'{}' is in the future: {}, now it is {}", key, said, utc_text(now))};
  return *at;
}

// How long a test took; journals of earlier versions do not say it.
double seconds_or_nothing(const JournalElement& e) {
  JournalElement there;
  double v = 0;
  if (e["seconds"].get(there) != simdjson::SUCCESS) return 0;
  if (there.get(v) != simdjson::SUCCESS || !(v >= 0)) throw Unsound{"'seconds' is not a duration"};
  return v;
}

JournalTest read_test(const JournalElement& e, std::int64_t started, std::int64_t now) {
  JournalTest test{text(e, "id"), text(e, "how"), text(e, "error"), {}, moment(e, "ended", now), seconds_or_nothing(e)};
  if (test.id.empty()) throw Unsound{"'id' is empty"};
  if (test.ended < started - kClockSlack)
    throw Unsound{format("a test ended at {}, before its run began ({})", utc_text(test.ended), utc_text(started))};
  simdjson::dom::array tasks;
  if (e["tasks"].get(tasks) != simdjson::SUCCESS) throw Unsound{"'tasks' is missing or not a list"};
  for (const JournalElement task : tasks) {
    if (!task.is_object()) throw Unsound{"a task is not an object"};
    test.tasks.push_back({.node = text(task, "node"),
                          .lines = texts(task, "lines", true),
                          .complaints = texts(task, "complaints", false),
                          .claims = text_or_nothing(task, "claims"),
                          .broken = text_or_nothing(task, "broken"),
                          .stacks = texts(task, "stacks", false)});
  }
  return test;
}

// What differs between the run and the one that begins, with what would go on with it; empty: nothing.
std::string difference(const JournalElement& e, const JournalOwner& now) {
  const auto differs = [&](const char* key, const std::string& is, std::string_view what, std::string_view help) {
    const std::string was = text(e, key);
    constexpr std::size_t kShown = 16;
    return was == is ? std::string()
                     : format("it was for another {} ({}, now {}): {}", what, printable(was.substr(0, kShown)),
                              printable(is.substr(0, kShown)), help);
  };
  for (std::string why :
       {differs("cluster", now.cluster, "cluster", "name another journal with --journal"),
        differs("spec_sha256", now.spec_digest, "spec", "validate the earlier spec to continue it"),
        differs("launcher", now.launcher, "launcher", "name that launcher with --launcher to continue it"),
        differs("program_version", now.program_version, "version of clusterc", "use that version to continue it"),
        differs("bundle_sha256", now.bundle_digest, "bundle of validators",
                "name the folder of that bundle with --bundle to continue it")})
    if (!why.empty()) return why;
  if (text_or_nothing(e, "repeats") != now.repeats)
    return now.repeats.empty()
               ? "it repeats what failed in an earlier report: name that report with --failed to continue it"
               : "it does not repeat what failed in this report";
  return {};
}

bool is_done(const JournalTest& test) {
  if (!test.error.empty()) return false;
  for (const TaskOutput& task : test.tasks)
    if (!task.broken.empty()) return false;
  return true;
}

class Reader {
 public:
  Reader(const JournalOwner& owner, std::int64_t now) : owner_(owner), now_(now) {}

  // False: it is no journal of ours.
  bool first(std::string_view line) {
    JournalElement e;
    std::int64_t version = 0;
    std::string_view format_name;
    if (parser_.parse(line).get(e) != simdjson::SUCCESS || e["format"].get(format_name) != simdjson::SUCCESS ||
        format_name != "clusterc-journal" || e["version"].get(version) != simdjson::SUCCESS || version < 1)
      return false;
    if (version > 1) out_.newer = std::to_string(version);
    return out_.ours = true;
  }

  void line(std::size_t number, std::string_view line) {
    try {
      JournalElement e;
      if (parser_.parse(line).get(e) != simdjson::SUCCESS || !e.is_object()) throw Unsound{"it is not a JSON object"};
      record(e);
    } catch (const Unsound& unsound) {
      // Whatever else the run holds: whoever wrote this line may have written them all.
      refuse(format("its line {} was not written by clusterc: {}", number, unsound.why));
    }
  }

  JournalText take() {
    if (out_.other_options && (!out_.open_run || out_.done.empty())) {  // nothing that could be lost
      out_.open_run = false;
      out_.other_options.reset();
    }
    if (!out_.open_run) out_.done.clear();
    if (!unfinished_) out_.refused.clear();
    return std::move(out_);
  }

 private:
  void refuse(std::string why) {
    if (unfinished_ && out_.refused.empty()) out_.refused = std::move(why);
    out_.open_run = false;
  }

  void record(const JournalElement& e) {
    const std::string kind = text(e, "record");
    if (kind == "run") {
      unfinished_ = out_.open_run = true;
      out_.done.clear();
      out_.refused.clear();
      out_.other_options.reset();
      out_.started = moment(e, "started", now_);
      if (std::string why = difference(e, owner_); !why.empty()) refuse(std::move(why));
      JournalElement there;  // versions before this one wrote no options
      if (e["options"].get(there) == simdjson::SUCCESS)
        if (std::string was = text(e, "options"); was != owner_.options) out_.other_options = std::move(was);
    } else if (kind == "end") {
      unfinished_ = out_.open_run = false;
    } else if (kind == "test") {
      if (!out_.open_run) return;
      JournalTest test = read_test(e, out_.started, now_);
      for (const JournalTest& earlier : out_.done)
        if (earlier.id == test.id && earlier.how == test.how && is_done(earlier))
          throw Unsound{format("a second result of '{}', which had finished", printable(test.id))};
      out_.done.push_back(std::move(test));
    } else {
      throw Unsound{format("there is no record '{}'", printable(kind.substr(0, 40)))};
    }
  }

  const JournalOwner& owner_;
  const std::int64_t now_;
  simdjson::dom::parser parser_;
  JournalText out_;
  bool unfinished_ = false;  // the last run has no end, whether it counts or not
};

}  // namespace

JournalText read_journal(std::string_view lines, const JournalOwner& owner, std::int64_t now) {
  if (lines.empty()) return {.ours = true};
  Reader reader(owner, now);
  std::size_t number = 0;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    if (++number > 1)
      reader.line(number, line);
    else if (!reader.first(line))
      return {};
  }
  return reader.take();
}

std::string journal_run_line(const JournalOwner& owner, std::int64_t started) {
  std::string line;
  JsonWriter json(line);
  json.begin_object()
      .field("record", "run")
      .field("cluster", owner.cluster)
      .field("spec_sha256", owner.spec_digest)
      .field("launcher", owner.launcher)
      .field("program_version", owner.program_version)
      .field("bundle_sha256", owner.bundle_digest)
      .field("options", owner.options)
      .field("started", utc_text(started));
  if (!owner.repeats.empty()) json.field("repeats", owner.repeats);
  json.end_object();
  return line;
}

std::string journal_test_line(const JournalTest& test) {
  std::string line;
  JsonWriter json(line);
  json.begin_object()
      .field("record", "test")
      .field("id", test.id)
      .field("how", test.how)
      .field("error", test.error)
      .field("ended", utc_text(test.ended));
  if (test.seconds > 0) json.field("seconds", test.seconds);
  json.array("tasks");
  for (const TaskOutput& task : test.tasks) {
    json.begin_object().field("node", task.node);
    if (!task.claims.empty()) json.field("claims", task.claims);
    if (!task.broken.empty()) json.field("broken", task.broken);
    json.array("lines");
    for (const std::string& l : task.lines) json.value(l);
    json.end_array();
    if (!task.complaints.empty()) {
      json.array("complaints");
      for (const std::string& l : task.complaints) json.value(l);
      json.end_array();
    }
    if (!task.stacks.empty()) {
      json.array("stacks");
      for (const std::string& l : task.stacks) json.value(l);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array().end_object();
  return line;
}

}  // namespace clusterc
