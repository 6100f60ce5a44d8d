#include "harness/supervise.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include "base/format.h"
#include "harness/machine.h"
#include "harness/outcome.h"

namespace clusterc::harness {
namespace {
namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Shared with the parent: the folder that the child made. Empty: none.
struct Shared {
  char scratch[4096];
};
Shared* shared = nullptr;
int lock_file = -1;

volatile std::sig_atomic_t caught = 0;  // a signal handler has nowhere else to write
void remember(int signal) { caught = signal; }

// Younger than this a folder may be that of somebody between its mkdtemp and its lock.
constexpr std::time_t kYoung = 10;

bool locked_by_somebody(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return true;
  const bool taken = ::flock(file, LOCK_EX | LOCK_NB) != 0;  // file systems without locks refuse: then it is left alone
  ::close(file);
  return taken;
}

void sweep(const std::string& inside, const std::string& prefix) {
  std::error_code failed;
  for (fs::directory_iterator at(inside, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string path = at->path().string();
    struct stat status {};
    if (!at->path().filename().string().starts_with(prefix) || ::lstat(path.c_str(), &status) != 0) continue;
    if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() || std::time(nullptr) - status.st_mtime < kYoung ||
        locked_by_somebody(path))
      continue;
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
}

void remove_named(const std::string& path) {
  std::error_code failed;
  for (int turn = 0; turn < 20; ++turn) {  // a program that is just dying may make another file
    failed.clear();
    fs::remove_all(path, failed);
    if (!failed && !fs::exists(path, failed)) return;
    std::this_thread::sleep_for(milliseconds(50));
  }
  std::fprintf(stderr, "clusterc: error: '%s' could not be removed: %s\n", path.c_str(), failed.message().c_str());
}

// What the child left: adopted by us, generation by generation.
void end_orphans() {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (std::chrono::steady_clock::now() < until) {
    if (::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
    const std::string text = read_text(format("/proc/self/task/{}/children", ::getpid())).value_or("");
    for (const char *at = text.data(), *end = at + text.size(); at != end;) {
      pid_t id = 0;
      const auto [next, failed] = std::from_chars(at, end, id);
      if (failed == std::errc()) ::kill(id, SIGKILL);
      at = next == end ? end : next + 1;
    }
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
}

}  // namespace

int supervise(const std::function<int()>& work) {
  void* const at = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return work();
  shared = new (at) Shared{};
  struct sigaction action {};
  action.sa_handler = remember;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return work();
  if (child == 0) {
    ::setpgid(0, 0);  // what the terminal sends reaches the child once, through the parent
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    if (::getppid() != parent) ::_exit(static_cast<int>(Exit::could_not_run));
    const int status = work();
    remove_scratch();  // the parent may be gone; else it looks again
    std::fflush(nullptr);
    ::_exit(status);  // the parent sweeps; destructors of what is static have nothing to do
  }
  int status = 0;
  bool passed_on = false;
  for (;;) {
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);  // orphans come here, too
    if (ended == child) break;
    if (ended > 0) continue;
    if (caught != 0 && !passed_on) {
      passed_on = true;
      ::kill(child, caught == SIGHUP ? SIGTERM : caught);
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  end_orphans();
  if (shared->scratch[0] != '\0') remove_named(shared->scratch);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string make_scratch(const std::string& inside, const std::string& name) {
  const std::string prefix = format("clusterc-{}-{}-", name, host_name());
  sweep(inside, prefix);
  std::string path = format("{}/{}XXXXXX", inside == "/" ? "" : inside, prefix);
  if (path.size() >= sizeof(Shared::scratch))
    throw CouldNotRun(Cause::system, format("the path '{}' is too long", inside));
  if (!::mkdtemp(path.data())) {
    const int why = errno;
    const Cause cause = why == EROFS                     ? Cause::read_only
                        : why == ENOSPC || why == EDQUOT ? Cause::no_space
                                                         : Cause::system;
    throw CouldNotRun(cause, format("no folder could be made in '{}': {}", inside, std::strerror(why)));
  }
  if (shared) std::copy(path.c_str(), path.c_str() + path.size() + 1, shared->scratch);
  lock_file = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_file >= 0) ::flock(lock_file, LOCK_EX | LOCK_NB);
  return path;
}

void remove_scratch() {
  if (!shared || shared->scratch[0] == '\0') return;
  remove_named(shared->scratch);
  shared->scratch[0] = '\0';
  if (lock_file >= 0) ::close(lock_file);
  lock_file = -1;
}

}  // namespace clusterc::harness
