#include "cli/watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace clusterc::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kQuietMs = 80;      // without a further change for so long, a change is over
constexpr int kLongestMs = 1000;  // but no longer than this after the first
constexpr int kLookMs = 2000;     // a look where the kernel tells nothing
constexpr std::size_t kMostFolders = 1024;

struct Descriptor {
  int fd = -1;
  explicit Descriptor(int f) : fd(f) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

// The clock that file systems stamp with.
using StampedTime = std::pair<std::int64_t, std::int64_t>;
StampedTime now_as_stamped() {
  timespec t{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &t);
  return {t.tv_sec, t.tv_nsec};
}

// What tells that a file is another one than before.
using Stamp = std::vector<std::int64_t>;
Stamp stamp_of(const std::string& path) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return {};
  return {static_cast<std::int64_t>(s.st_dev), static_cast<std::int64_t>(s.st_ino), s.st_size, s.st_mtim.tv_sec,
          s.st_mtim.tv_nsec};
}

std::set<std::string> folders_below(const std::vector<std::string>& tops) {
  std::set<std::string> all;
  for (const std::string& top : tops) {
    std::error_code failed;
    all.insert(top);
    for (fs::recursive_directory_iterator i(top, fs::directory_options::skip_permission_denied, failed), end;
         !failed && i != end && all.size() < kMostFolders; i.increment(failed)) {
      std::error_code unknown;
      if (!i->is_directory(unknown) || i->is_symlink(unknown)) continue;
      if (i->path().filename().string().starts_with('.'))
        i.disable_recursion_pending();
      else
        all.insert(i->path().string());
    }
  }
  return all;
}

class Watch {
 public:
  Watch() : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    ::sigemptyset(&signals_);
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, s);
    // Held back while a round runs, so that its output is whole; waited for in between.
    if (::sigprocmask(SIG_BLOCK, &signals_, &before_) != 0 ||
        (ended_ = ::signalfd(-1, &signals_, SFD_NONBLOCK | SFD_CLOEXEC)) < 0)
      throw std::runtime_error("signals cannot be waited for");
  }
  ~Watch() {
    if (ended_ >= 0) ::close(ended_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

  // Names what to look at from now on. What changed while the round ran is seen, too: the stamps are those from before
  // it. Of what is named for the first time there are none: true when something of that was written since the round
  // began, and may not be what it read.
  bool look_at(const WatchRound& round, StampedTime began) {
    std::map<std::string, Stamp> now;
    std::set<std::string> folders = folders_below(round.folders);
    bool late = false;
    const auto name = [&](const std::string& path) {
      const auto known = stamps_.find(path);
      const Stamp& stamp = now[path] = known != stamps_.end() ? known->second : stamp_of(path);
      late = late || (known == stamps_.end() && !stamp.empty() && StampedTime{stamp[3], stamp[4]} >= began);
    };
    for (const std::string& file : round.files) name(file);
    for (const std::string& folder : folders) name(folder);
    for (const std::string& file : round.files) {
      const std::string parent = fs::path(file).parent_path().string();
      folders.insert(parent.empty() ? "." : parent);
    }
    stamps_ = std::move(now);
    if (events_.fd < 0) return late;
    // An editor writes beside the file and renames: only the folder sees that.
    for (const std::string& folder : folders)
      if (watched_.insert(folder).second)
        ::inotify_add_watch(events_.fd, folder.c_str(),
                            IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE);
    return late;
  }

  // The signal that ends it; 0: something has changed.
  int wait_for_change() {
    for (;;) {
      const int woken = wait(kLookMs);
      if (woken < 0) return signal();
      if (!changed()) continue;
      for (int spent = 0; spent < kLongestMs; spent += kQuietMs) {
        const int more = wait(kQuietMs);
        if (more < 0) return signal();
        if (more == 0) break;
      }
      changed();  // the stamps of what the round will read
      return 0;
    }
  }

 private:
  // Taken out of the queue: else it would strike when signals are let through again.
  int signal() {
    signalfd_siginfo info{};
    return ::read(ended_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : SIGTERM;
  }

  // 1: something happened, 0: nothing in this time, -1: a signal.
  int wait(int ms) {
    pollfd fds[2] = {{ended_, POLLIN, 0}, {events_.fd, POLLIN, 0}};
    const int n = ::poll(fds, 2, ms);
    if (n > 0 && (fds[0].revents & POLLIN)) return -1;
    if (n <= 0) return 0;
    char buffer[8192];
    while (events_.fd >= 0 && ::read(events_.fd, buffer, sizeof buffer) > 0) {
    }
    return 1;
  }
  bool changed() {
    bool any = false;
    for (auto& [file, stamp] : stamps_)
      if (Stamp now = stamp_of(file); now != stamp) stamp = std::move(now), any = true;
    return any;
  }

  Descriptor events_;
  int ended_ = -1;
  sigset_t signals_{}, before_{};
  std::map<std::string, Stamp> stamps_;
  std::set<std::string> watched_;
};

}  // namespace

int watch(const std::function<WatchRound()>& once) {
  Watch w;
  for (;;) {
    const StampedTime began = now_as_stamped();
    const WatchRound round = once();
    if (w.look_at(round, began)) continue;
    if (const int ended = w.wait_for_change()) return 128 + ended;
  }
}

}  // namespace clusterc::cli
