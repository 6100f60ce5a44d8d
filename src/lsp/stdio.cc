#include "lsp/stdio.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/digest.h"
#include "base/file.h"

namespace clusterc::lsp {
namespace {

// One job at a time, on a thread of its own; a byte in a pipe says that a result is there.
class Worker {
 public:
  explicit Worker(std::optional<Date> today) : today_(today) {
    if (::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("no pipe for the language server");
    thread_ = std::thread([this] { work(); });
  }
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int ready_fd() const { return pipe_[0]; }
  bool busy() const { return busy_; }  // asked and set by the thread of the conversation alone
  void start(Job job) {
    busy_ = true;
    {
      const std::lock_guard lock(mutex_);
      job_ = std::move(job);
    }
    wake_.notify_one();
  }
  std::optional<JobResult> take() {
    char bytes[16];
    while (::read(pipe_[0], bytes, sizeof bytes) > 0) {
    }
    const std::lock_guard lock(mutex_);
    std::optional<JobResult> result = std::move(result_);
    result_.reset();
    if (result) busy_ = false;
    return result;
  }

 private:
  void work() {
    for (std::unique_lock lock(mutex_);;) {
      wake_.wait(lock, [this] { return stop_ || job_; });
      if (stop_) return;
      const Job job = std::move(*job_);
      job_.reset();
      lock.unlock();
      JobResult result = run_job(job, today_);
      lock.lock();
      result_ = std::move(result);
      const char byte = 1;
      (void)!::write(pipe_[1], &byte, 1);
    }
  }

  std::optional<Date> today_;
  int pipe_[2] = {-1, -1};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Job> job_;
  std::optional<JobResult> result_;
  bool stop_ = false, busy_ = false;
  std::thread thread_;
};

bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      pollfd wait{fd, POLLOUT, 0};
      ::poll(&wait, 1, -1);
      continue;
    }
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

int serve(int in, int out, ServerOptions options) {
  const auto today = options.today;
  Server server(std::move(options));
  Worker worker(today);
  // An analysis that is still at work has nothing to lose, and nobody waits for it.
  const auto end = [&](int status) {
    if (worker.busy()) std::_Exit(status);
    return status;
  };
  std::string answer;
  std::vector<char> buffer(256 * 1024);
  int put_off = 0;
  while (!server.finished()) {
    pollfd sources[2] = {{in, POLLIN, 0}, {worker.ready_fd(), POLLIN, 0}};
    if (::poll(sources, 2, -1) < 0 && errno != EINTR) return end(1);
    if (sources[0].revents) {
      const ssize_t n = ::read(in, buffer.data(), buffer.size());
      if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) return end(1);  // the editor is gone without `exit`
      if (n > 0) server.receive({buffer.data(), static_cast<std::size_t>(n)}, answer);
    }
    if (sources[1].revents)
      if (auto result = worker.take()) server.finish(std::move(*result), answer);
    if (!write_whole(out, answer)) return end(1);
    answer.clear();
    if (!worker.busy() && !server.finished()) {
      // What was typed meanwhile comes first: an analysis of a text that is old already helps nobody. But not for ever.
      constexpr int kMostPutOff = 64;
      pollfd more{in, POLLIN, 0};
      if (::poll(&more, 1, 0) == 1 && ++put_off < kMostPutOff) continue;
      put_off = 0;
      if (auto job = server.next_job()) worker.start(std::move(*job));
    }
  }
  return end(server.exit_status());
}

KeepFile keep_in_cache() {
  namespace fs = std::filesystem;
  std::string root;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache && *cache == '/')
    root = std::string(cache) + "/clusterc";
  else if (home && *home == '/')
    root = std::string(home) + "/.cache/clusterc";
  return [root](std::string_view name, std::string_view text) mutable -> std::optional<std::string> {
    const std::string folder =
        sha256_hex(text).substr(0, 12);  // 48 bits: the same name twice with the same digest does not happen
    const auto keep_below = [&](const std::string& top) -> std::optional<std::string> {
      const fs::path path = fs::path(top) / folder / fs::path(name).relative_path();
      std::error_code failed;
      fs::create_directories(path.parent_path(), failed);
      if (failed) return std::nullopt;
      FileError error;
      if (const auto there = read_file(path.string(), 16u << 20, error); there && *there == text) return path.string();
      if (!write_file(path.string(), text, error, 0444)) return std::nullopt;  // editors open it as read-only
      return path.string();
    };
    if (!root.empty())
      if (auto kept = keep_below(root)) return kept;
    std::error_code failed;
    std::string fresh = (fs::temp_directory_path(failed) / "clusterc-XXXXXX").string();
    if (failed || !::mkdtemp(fresh.data())) return std::nullopt;
    root = fresh;
    return keep_below(root);
  };
}

}  // namespace clusterc::lsp
