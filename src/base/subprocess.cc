#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"

namespace clusterc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& o) noexcept {
    close();
    fd_ = std::exchange(o.fd_, -1);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read, write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    return true;
  }
};

std::vector<char*> pointers(const std::vector<std::string>& list) {
  std::vector<char*> out;
  for (const std::string& item : list) out.push_back(const_cast<char*>(item.c_str()));
  out.push_back(nullptr);
  return out;
}

// One end of the program's output: what is kept, and the line that is not whole yet.
struct Stream {
  Descriptor fd;
  std::string* kept;
  std::size_t limit;
  const std::function<void(std::string_view)>* on_line;
  std::size_t max_line = 0;
  std::string line;
  bool cut = false;  // the line was handed over before its end
  bool truncated = false;
  std::uint64_t read = 0;  // bytes

  // False at the end of the stream.
  bool read_once() {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t room = limit - std::min(limit, kept->size());
    kept->append(bytes.substr(0, room));
    truncated = truncated || bytes.size() > room;
    read += bytes.size();
    if (on_line && *on_line) {
      for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
        grow(bytes.substr(0, end));
        if (!cut) (*on_line)(line);
        line.clear();
        cut = false;
      }
      grow(bytes);
    }
    return true;
  }
  void grow(std::string_view piece) {
    if (cut) return;
    line.append(piece.substr(0, max_line - line.size()));
    if (line.size() < max_line) return;
    (*on_line)(line);
    line.clear();
    cut = true;
  }
  void finish() {
    if (on_line && *on_line && !line.empty()) (*on_line)(line);
    line.clear();
    fd.close();
  }
};

}  // namespace

SubprocessResult run(const Subprocess& what) {
  using Outcome = SubprocessResult::Outcome;
  SubprocessResult result;
  const std::string name = what.argv.empty() ? "" : what.argv[0];
  const auto not_started = [&](int number) {
    result.reason = "'" + name + "' could not be started: " + std::generic_category().message(number);
    return result;
  };
  if (name.empty()) return not_started(EINVAL);

  // The input is a file in memory: no SIGPIPE when the program does not read it, no deadlock when it is long.
  Descriptor input(what.input.empty() ? ::open("/dev/null", O_RDONLY | O_CLOEXEC)
                                      : ::memfd_create("input", MFD_CLOEXEC));
  if (input.get() < 0) return not_started(errno);
  for (std::string_view rest = what.input; !rest.empty();) {
    const ssize_t put = ::write(input.get(), rest.data(), rest.size());
    if (put < 0) return not_started(errno);
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  if (!what.input.empty()) ::lseek(input.get(), 0, SEEK_SET);
  Pipe out, err, failure;
  if (!out.open() || !err.open() || !failure.open()) return not_started(errno);
  const std::vector<char*> argv = pointers(what.argv);
  const std::vector<char*> environment = what.environment ? pointers(*what.environment) : std::vector<char*>{};

  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return not_started(errno);
  if (child == 0) {  // async-signal-safe calls only
    ::setpgid(0, 0);
    // When we are killed in a way that leaves us no word (SIGKILL), the program is asked to end, so that it does not
    // measure for nobody.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(126);  // killed before that took hold
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    if (::dup2(input.get(), 0) >= 0 && ::dup2(out.write.get(), 1) >= 0 && ::dup2(err.write.get(), 2) >= 0 &&
        (what.directory.empty() || ::chdir(what.directory.c_str()) == 0)) {
      if (what.environment)
        ::execvpe(argv[0], argv.data(), environment.data());
      else
        ::execvp(argv[0], argv.data());
    }
    const int number = errno;
    if (::write(failure.write.get(), &number, sizeof number) < 0) ::_exit(126);
    ::_exit(127);
  }
  ::setpgid(child, child);  // both sides, so that it holds whoever comes first
  out.write.close(), err.write.close(), failure.write.close();
  int number = 0;
  ssize_t got;
  while ((got = ::read(failure.read.get(), &number, sizeof number)) < 0 && errno == EINTR) {
  }
  if (got == static_cast<ssize_t>(sizeof number)) {
    ::waitpid(child, nullptr, 0);
    return not_started(number);
  }

  Stream streams[2] = {{.fd = std::move(out.read),
                        .kept = &result.out,
                        .limit = what.max_out,
                        .on_line = &what.on_line,
                        .max_line = what.max_line},
                       {.fd = std::move(err.read), .kept = &result.err, .limit = what.max_err, .on_line = nullptr}};
  const Clock::time_point begin = Clock::now();
  std::optional<Outcome> ended_by_us;
  std::string because;
  Clock::time_point kill_at = Clock::time_point::max(), drain_until = Clock::time_point::max();
  bool gone = false;
  int status = 0;
  for (;;) {
    pollfd waiting[2];
    nfds_t count = 0;
    Stream* polled[2] = {};
    for (Stream& stream : streams) {
      if (stream.fd.get() < 0) continue;
      polled[count] = &stream;
      waiting[count++] = {stream.fd.get(), POLLIN, 0};
    }
    if (gone && (count == 0 || Clock::now() >= drain_until)) break;
    // With nothing to read the poll is a short sleep; what ends a program closes its pipes and wakes us at once.
    const int ready = ::poll(waiting, count, count == 0 ? 2 : 20);
    for (nfds_t i = 0; ready > 0 && i < count; ++i)
      if (waiting[i].revents != 0 && !polled[i]->read_once()) polled[i]->finish();
    if (!gone) {
      siginfo_t information{};  // looked at, not reaped: until then the group's number is ours
      gone = ::waitid(P_PID, static_cast<id_t>(child), &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             information.si_pid == child;
      // Grandchildren may hold the pipes open: what they printed so far is read, then the group is ended.
      if (gone) drain_until = Clock::now() + milliseconds(500);
    }
    if (gone) continue;
    const Clock::time_point now = Clock::now();
    if (!ended_by_us) {
      if (what.interrupted && what.interrupted->load())
        ended_by_us = Outcome::interrupted;
      else if (what.timeout && now - begin >= *what.timeout)
        ended_by_us = Outcome::timed_out;
      else if (what.most_err && streams[1].read > *what.most_err)
        ended_by_us = Outcome::stopped,
        because = "it printed more than " + to_text(Bytes(static_cast<double>(*what.most_err))) + " on standard error";
      else if (what.end_because && !(because = what.end_because()).empty())
        ended_by_us = Outcome::stopped;
      if (ended_by_us) {
        ::kill(-child, SIGTERM);
        kill_at = now + what.grace;
      }
    } else if (now >= kill_at) {
      ::kill(-child, SIGKILL);
      kill_at = Clock::time_point::max();
    }
  }
  ::kill(-child, SIGKILL);  // whoever of the group is left
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  for (Stream& stream : streams) stream.finish();
  result.truncated = streams[0].truncated || streams[1].truncated;

  const bool exited = WIFEXITED(status);
  result.status = exited ? WEXITSTATUS(status) : WTERMSIG(status);
  result.outcome = ended_by_us ? *ended_by_us : exited ? Outcome::exited : Outcome::signalled;
  switch (result.outcome) {
    case Outcome::timed_out:
      result.reason =
          "'" + name + "' was ended after " + to_text(Seconds(static_cast<double>(what.timeout->count()) / 1000));
      break;
    case Outcome::stopped:
      result.reason = "'" + name + "' was ended: " + because;
      break;
    case Outcome::interrupted:
      result.reason = "'" + name + "' was interrupted";
      break;
    case Outcome::signalled:
      result.reason = "'" + name + "' was ended by signal " + std::to_string(result.status);
      break;
    default:
      if (result.status != 0) result.reason = "'" + name + "' ended with exit status " + std::to_string(result.status);
  }
  return result;
}

std::optional<std::string> find_program(std::string_view name) {
  const auto usable = [](const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string_view::npos)
    return usable(std::string(name)) ? std::optional(std::string(name)) : std::nullopt;
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path ? path : "/usr/bin:/bin", ':')) {
    std::string candidate = folder.empty() ? "." : std::string(folder);
    (candidate += '/') += name;
    if (usable(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace clusterc
