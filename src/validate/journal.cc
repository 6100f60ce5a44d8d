#include "validate/journal.h"

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"

namespace clusterc {
namespace {

constexpr std::uint64_t kLargestJournal = std::uint64_t{4} << 30;

}  // namespace

Journal::Journal(Journal&& o) noexcept
    : file_(std::exchange(o.file_, -1)),
      done_(std::move(o.done_)),
      refused_(std::move(o.refused_)),
      started_(o.started_) {}
Journal& Journal::operator=(Journal&& o) noexcept {
  std::swap(file_, o.file_);
  std::swap(done_, o.done_);
  std::swap(refused_, o.refused_);
  std::swap(started_, o.started_);
  return *this;
}
Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

std::optional<Journal> Journal::open(const std::string& path, const JournalOwner& owner, std::int64_t now, bool fresh,
                                     std::string& error) {
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
  // A line that was cut by a kill has no end: it is cut off the file, too, so that the next line begins on its own.
  const std::size_t whole = old->rfind('\n') == std::string::npos ? 0 : old->rfind('\n') + 1;
  JournalText told = read_journal(std::string_view(*old).substr(0, whole), owner, now);
  if (!told.newer.empty()) {
    error =
        "the journal '" + path + "' has format version " + told.newer + ", this program writes 1: name another journal";
    return std::nullopt;
  }
  if (!told.ours || (whole == 0 && !old->empty())) {
    error = "'" + path + "' is not a journal of clusterc: name another with --journal";
    return std::nullopt;
  }
  if (told.other_options && !fresh) {
    const auto said = [](const std::string& options) {
      return options.empty() ? std::string("no such option") : "'" + printable(options) + "'";
    };
    error = format(
        "the journal '{}' has an unfinished run with {} result{} that began with other options: {}, now {}. Write "
        "those "
        "options to continue it, --fresh to give it up, or name another file with --journal",
        path, told.done.size(), told.done.size() == 1 ? "" : "s", said(*told.other_options), said(owner.options));
    return std::nullopt;
  }
  if (whole < old->size() && ::ftruncate(journal.file_, static_cast<off_t>(whole)) != 0) {
    error = "the journal '" + path + "' cannot be repaired: " + std::generic_category().message(errno);
    return std::nullopt;
  }
  bool written = true;
  if (old->empty()) written = journal.append(R"({"record":"journal","format":"clusterc-journal","version":1})");
  if (fresh || !told.open_run) {
    if (!fresh) journal.refused_ = std::move(told.refused);
    journal.started_ = now;
    written = written && journal.append(journal_run_line(owner, now));
  } else {
    journal.done_ = std::move(told.done);
    journal.started_ = told.started;
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

bool Journal::write(const JournalTest& test) { return append(journal_test_line(test)); }

bool Journal::complete() { return append(R"({"record":"end","status":"complete"})"); }

}  // namespace clusterc
