#include "burn/crew.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <thread>

#include "base/format.h"
#include "harness/loop.h"
#include "harness/machine.h"
#include "harness/outcome.h"

namespace clusterc::burn {
using namespace harness;
namespace {

std::uint64_t nanoseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

void copy_text(char* to, std::size_t size, std::string_view text) {
  const std::size_t count = std::min(size - 1, text.size());
  std::memcpy(to, text.data(), count);
  to[count] = 0;
}

// A child of ours: ends with its parent, and leaves the signals of the whole group to it.
void become_child(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  for (const int signal : {SIGINT, SIGTERM})
    ::signal(signal, SIG_IGN);  // the parent ends us, and the kernel where it cannot
}

// Not for ever: one that is stuck in a driver cannot be ended, and the kernel does so once it comes back.
void end_child(pid_t& id) {
  if (id <= 0) return;
  ::kill(id, SIGKILL);
  constexpr double kPatience = 5;
  for (const double begin = now_seconds(); now_seconds() - begin < kPatience;) {
    if (::waitpid(id, nullptr, WNOHANG) != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  id = -1;
}

[[noreturn]] void work(const Bench& bench, std::size_t worker, Told& told, pid_t parent, bool damage) {
  become_child(parent);
  const Place& place = bench.places[worker];
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (!place.gpu && place.number < CPU_SETSIZE) {
    CPU_SET(static_cast<std::size_t>(place.number), &mask);
    ::sched_setaffinity(0, sizeof mask, &mask);
  }
  const auto failed = [&](Cause cause, const char* why) {
    copy_text(told.why, sizeof told.why, why);
    told.failed = static_cast<int>(cause);
    ::_exit(static_cast<int>(Exit::could_not_run));
  };
  try {
    const std::unique_ptr<Load> load = bench.load(worker);
    told.flop = load->flop();
    for (;;) {
      const std::string_view wrong = load->round(damage && told.rounds == 0);
      if (!wrong.empty()) {
        if (told.wrong == 0) copy_text(told.first_wrong, sizeof told.first_wrong, wrong);
        ++told.wrong;
      }
      told.processor_nanoseconds = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
      told.finished = nanoseconds(CLOCK_MONOTONIC);
      ++told.rounds;
    }
  } catch (const CouldNotRun& e) {
    failed(e.cause(), e.what());
  } catch (const std::bad_alloc&) {
    failed(Cause::no_memory, "an allocation failed");
  } catch (const std::exception& e) {
    failed(Cause::system, e.what());
  }
  ::_exit(1);
}

}  // namespace

std::string Place::name() const { return gpu ? format("gpu{}", number) : format("processor {}", number); }

Crew::Crew(const Bench& bench, bool damage) : bench_(bench), ids_(bench.places.size(), -1), moved_(ids_.size()) {
  void* const at = ::mmap(nullptr, size() * sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw CouldNotRun(Cause::no_memory, "no memory to share with the workers");
  told_ = static_cast<Told*>(at);
  const pid_t parent = ::getpid();
  for (std::size_t i = 0; i < size(); ++i) {
    new (told_ + i) Told;
    ids_[i] = ::fork();
    if (ids_[i] == 0) work(bench, i, told_[i], parent, damage && i == 0);
    if (ids_[i] < 0) {
      const int why = errno;
      end();
      throw CouldNotRun(Cause::system, format("no process could be made: {}", std::strerror(why)));
    }
  }
}

Crew::~Crew() { end(); }

void Crew::end() {
  for (const pid_t id : ids_)
    if (id > 0) ::kill(id, SIGKILL);
  for (pid_t& id : ids_) end_child(id);
  if (told_) ::munmap(told_, size() * sizeof(Told));
  told_ = nullptr;
}

std::string Crew::who(std::size_t i) const {
  return format("the worker on {} (process {})", bench_.places[i].name(), ids_[i]);
}

std::vector<Seen> Crew::seen() const {
  std::vector<Seen> out;
  for (std::size_t i = 0; i < size(); ++i)
    out.push_back({told_[i].rounds, told_[i].processor_nanoseconds, told_[i].finished});
  return out;
}

void Crew::look(double seconds) {
  for (std::size_t i = 0; i < size(); ++i) {
    int status = 0;
    if (::waitpid(ids_[i], &status, WNOHANG) == ids_[i]) {
      const std::string name = who(i);
      ids_[i] = -1;
      if (told_[i].failed >= 0)
        throw CouldNotRun(static_cast<Cause>(told_[i].failed.load()),
                          format("{}: {}", bench_.places[i].name(), told_[i].why));
      throw CouldNotRun(Cause::system, WIFSIGNALED(status)
                                           ? format("{} was ended by signal {}", name, WTERMSIG(status))
                                           : format("{} ended with status {}", name, WEXITSTATUS(status)));
    }
    const std::uint64_t rounds = told_[i].rounds;
    auto& [known, since] = moved_[i];
    if (since == 0 || rounds != known) {
      known = rounds;
      since = now_seconds();
    }
    if (now_seconds() - since < seconds) continue;
    const std::string stat = read_text(format("/proc/{}/stat", ids_[i])).value_or("");
    const auto behind = stat.rfind(") ");
    const char state = behind == stat.npos || behind + 2 >= stat.size() ? '?' : stat[behind + 2];
    const std::string waits =
        bench_.places[i].gpu ? "waits for its device" : "got no processor";  // a worker of a GPU spins while it waits
    throw CouldNotRun(Cause::timeout, format("{} finished no round for {:.3g} s: it {}", who(i), seconds,
                                             state == 'T' || state == 't' ? "is stopped"
                                             : state == 'R'               ? waits
                                                                          : format("is in state {}", state)));
  }
}

std::string ask_elsewhere(const std::function<std::string()>& ask, double seconds, const char* what) {
  int ends[2];
  if (::pipe(ends) != 0) throw CouldNotRun(Cause::system, format("no pipe could be made: {}", std::strerror(errno)));
  const pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    become_child(parent);
    std::string answer;
    const auto refused = [&](Cause cause, const char* why) {
      answer = format("-{}{}", static_cast<char>('A' + static_cast<int>(cause)), why);
    };
    try {
      answer = "+" + ask();
    } catch (const CouldNotRun& e) {
      refused(e.cause(), e.what());
    } catch (const std::exception& e) {
      refused(Cause::system, e.what());
    }
    for (std::string_view rest = answer; !rest.empty();) {
      const ssize_t wrote = ::write(ends[1], rest.data(), rest.size());
      if (wrote <= 0) break;
      rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string answer;
  bool complete = false;
  for (const double begin = now_seconds(); child > 0 && !complete && now_seconds() - begin < seconds;) {
    pollfd wait{.fd = ends[0], .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, 50) <= 0) {
      if (interrupted()) break;
      continue;
    }
    char buffer[4096];
    const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
    complete = got == 0;
    if (got > 0) answer.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  const bool made = child > 0;
  end_child(child);
  if (!made) throw CouldNotRun(Cause::system, "no process could be made");
  check_interrupted();
  if (!complete) throw CouldNotRun(Cause::timeout, format("{} got no answer in {:.3g} s", what, seconds));
  if (answer.starts_with('+')) return answer.substr(1);
  if (answer.size() < 2) throw CouldNotRun(Cause::system, format("{} crashed", what));
  throw CouldNotRun(static_cast<Cause>(answer[1] - 'A'), answer.substr(2));
}

}  // namespace clusterc::burn
