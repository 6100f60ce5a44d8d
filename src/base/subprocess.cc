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
  std::string* kept = nullptr;
  std::size_t limit = 0;
  const std::function<void(std::string_view)>* on_line = nullptr;
  std::size_t max_line = 0;
  std::string line;
  bool cut = false;  // the line was handed over before its end
  bool truncated = false;
  std::uint64_t read = 0;  // bytes

  bool is_open() const { return fd.get() >= 0; }
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

// The input is a file in memory: no SIGPIPE when the program does not read it, no deadlock when it is long. 0, or the
// number of the error.
int open_input(std::string_view text, Descriptor& input) {
  input = Descriptor(text.empty() ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : ::memfd_create("input", MFD_CLOEXEC));
  if (input.get() < 0) return errno;
  if (text.empty()) return 0;
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t put = ::write(input.get(), rest.data(), rest.size());
    if (put < 0) return errno;
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  ::lseek(input.get(), 0, SEEK_SET);
  return 0;
}

// One run of a program, from its start to its last word.
class Execution {
 public:
  explicit Execution(const Subprocess& what) : what_(what) {}
  int start();   // 0, or the number of the error that kept it from starting
  void watch();  // reads what it prints until it has ended; ends it when its time is over or it is no longer wanted
  SubprocessResult finish();

 private:
  using Outcome = SubprocessResult::Outcome;

  [[noreturn]] void become_program(pid_t parent, const std::vector<char*>& argv,
                                   const std::vector<char*>& environment) const;
  void read_streams();
  bool has_ended() const;
  std::optional<Outcome> reason_to_end();
  void terminate();
  void end_when_due();

  const Subprocess& what_;
  SubprocessResult result_;
  Descriptor input_, held_input_;  // the second: the end that we hold
  Pipe out_, err_, failure_;
  pid_t child_ = -1;
  Stream streams_[2];                                               // standard output, standard error
  Clock::time_point begin_{}, kill_at_ = Clock::time_point::max();  // the second: when the next stronger signal is due
  bool only_interrupted_ = false;
  std::optional<Outcome> ended_by_us_;
  std::string because_;
};

// In the child: async-signal-safe calls only.
void Execution::become_program(pid_t parent, const std::vector<char*>& argv,
                               const std::vector<char*>& environment) const {
  ::setpgid(0, 0);
  // When we are killed in a way that leaves us no word (SIGKILL), the program is asked to end, so that it does not
  // measure for nobody.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(126);  // killed before that took hold
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (::dup2(input_.get(), 0) >= 0 && ::dup2(out_.write.get(), 1) >= 0 && ::dup2(err_.write.get(), 2) >= 0 &&
      (what_.directory.empty() || ::chdir(what_.directory.c_str()) == 0)) {
    if (what_.environment)
      ::execvpe(argv[0], argv.data(), environment.data());
    else
      ::execvp(argv[0], argv.data());
  }
  const int number = errno;
  if (::write(failure_.write.get(), &number, sizeof number) < 0) ::_exit(126);
  ::_exit(127);
}

int Execution::start() {
  if (what_.argv.empty() || what_.argv[0].empty()) return EINVAL;
  if (what_.hold_input) {
    Pipe held;
    if (!held.open()) return errno;
    input_ = std::move(held.read);
    held_input_ = std::move(held.write);
  } else if (const int number = open_input(what_.input, input_); number != 0) {
    return number;
  }
  if (!out_.open() || !err_.open() || !failure_.open()) return errno;
  const std::vector<char*> argv = pointers(what_.argv);
  const std::vector<char*> environment = what_.environment ? pointers(*what_.environment) : std::vector<char*>{};

  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) return errno;
  if (child_ == 0) become_program(parent, argv, environment);
  ::setpgid(child_, child_);  // both sides, so that it holds whoever comes first
  out_.write.close(), err_.write.close(), failure_.write.close();
  int number = 0;
  ssize_t got;
  while ((got = ::read(failure_.read.get(), &number, sizeof number)) < 0 && errno == EINTR) {
  }
  if (got == static_cast<ssize_t>(sizeof number)) {
    ::waitpid(child_, nullptr, 0);
    return number;
  }
  streams_[0] = {.fd = std::move(out_.read),
                 .kept = &result_.out,
                 .limit = what_.max_out,
                 .on_line = &what_.on_line,
                 .max_line = what_.max_line};
  streams_[1] = {.fd = std::move(err_.read), .kept = &result_.err, .limit = what_.max_err, .on_line = nullptr};
  begin_ = Clock::now();
  return 0;
}

// Waits for what is printed, some milliseconds at most.
void Execution::read_streams() {
  pollfd waiting[2];
  nfds_t count = 0;
  Stream* polled[2] = {};
  for (Stream& stream : streams_) {
    if (!stream.is_open()) continue;
    polled[count] = &stream;
    waiting[count++] = {stream.fd.get(), POLLIN, 0};
  }
  // With nothing to read the poll is a short sleep; what ends a program closes its pipes and wakes us at once.
  const int ready = ::poll(waiting, count, count == 0 ? 2 : 20);
  for (nfds_t i = 0; ready > 0 && i < count; ++i)
    if (waiting[i].revents != 0 && !polled[i]->read_once()) polled[i]->finish();
}

// Looked at, not reaped: until then the group's number is ours.
bool Execution::has_ended() const {
  siginfo_t information{};
  return ::waitid(P_PID, static_cast<id_t>(child_), &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         information.si_pid == child_;
}

std::optional<SubprocessResult::Outcome> Execution::reason_to_end() {
  if (what_.interrupted && what_.interrupted->load()) return Outcome::interrupted;
  if (what_.timeout && Clock::now() - begin_ >= *what_.timeout) return Outcome::timed_out;
  if (what_.most_err && streams_[1].read > *what_.most_err) {
    because_ = "it printed more than " + to_text(Bytes(static_cast<double>(*what_.most_err))) + " on standard error";
    return Outcome::stopped;
  }
  if (what_.end_because && !(because_ = what_.end_because()).empty()) return Outcome::stopped;
  return std::nullopt;
}

void Execution::terminate() {
  only_interrupted_ = false;
  ::kill(-child_, SIGTERM);
  kill_at_ = Clock::now() + what_.grace;
}

void Execution::end_when_due() {
  if (ended_by_us_) {
    if (Clock::now() < kill_at_) return;
    if (only_interrupted_) return terminate();
    ::kill(-child_, SIGKILL);
    kill_at_ = Clock::time_point::max();
    return;
  }
  ended_by_us_ = reason_to_end();
  if (!ended_by_us_) return;
  if (what_.after_interrupt.count() == 0) return terminate();
  only_interrupted_ = true;
  ::kill(-child_, SIGINT);
  kill_at_ = Clock::now() + what_.after_interrupt;
}

void Execution::watch() {
  Clock::time_point drain_until{};
  for (bool gone = false;;) {
    if (gone && (Clock::now() >= drain_until || !(streams_[0].is_open() || streams_[1].is_open()))) return;
    read_streams();
    if (gone) continue;
    gone = has_ended();
    // Grandchildren may hold the pipes open: what they printed so far is read, then the group is ended.
    if (gone)
      drain_until = Clock::now() + milliseconds(500);
    else
      end_when_due();
  }
}

SubprocessResult Execution::finish() {
  ::kill(-child_, SIGKILL);  // whoever of the group is left
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  for (Stream& stream : streams_) stream.finish();
  result_.truncated = streams_[0].truncated || streams_[1].truncated;

  const bool exited = WIFEXITED(status);
  result_.status = exited ? WEXITSTATUS(status) : WTERMSIG(status);
  result_.outcome = ended_by_us_ ? *ended_by_us_ : exited ? Outcome::exited : Outcome::signalled;
  const std::string name = "'" + what_.argv[0] + "'";
  switch (result_.outcome) {
    case Outcome::timed_out:
      result_.reason =
          name + " was ended after " + to_text(Seconds(static_cast<double>(what_.timeout->count()) / 1000));
      break;
    case Outcome::stopped:
      result_.reason = name + " was ended: " + because_;
      break;
    case Outcome::interrupted:
      result_.reason = name + " was interrupted";
      break;
    case Outcome::signalled:
      result_.reason = name + " was ended by signal " + std::to_string(result_.status);
      break;
    default:
      if (result_.status != 0) result_.reason = name + " ended with exit status " + std::to_string(result_.status);
  }
  return std::move(result_);
}

}  // namespace

SubprocessResult run(const Subprocess& what) {
  Execution execution(what);
  if (const int number = execution.start(); number != 0) {
    SubprocessResult result;
    result.reason = "'" + (what.argv.empty() ? std::string() : what.argv[0]) +
                    "' could not be started: " + std::generic_category().message(number);
    return result;
  }
  execution.watch();
  return execution.finish();
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
