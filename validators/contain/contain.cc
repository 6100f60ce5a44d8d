// clusterc-contain PROGRAM [ARGUMENT…]: runs a launcher of MPI jobs so that nothing of the job outlives it. README.md
// says what and how.
//
// mpirun cleans up behind itself when it is asked to end, and not when it is killed: then its files stay in /tmp and
// /dev/shm, and ranks may run on. So it runs here below a parent that
//   adopts whatever loses its parent (PR_SET_CHILD_SUBREAPER), and ends it when the launcher is gone;
//   gives the job a folder of its own for its files and shared memory, and removes it;
//   is told when its own parent dies (PR_SET_PDEATHSIG), and then asks the launcher to end;
//   removes at its start the folders of those before it that were themselves killed: whose lock is free.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kCouldNotRun = 2;  // as harness/outcome.h
constexpr const char* kPrefix = "clusterc-job-";
constexpr milliseconds kPatience{
    10'000};  // between asking the launcher to end and killing it: Open MPI takes 1 to 3 s, on a busy machine more

volatile std::sig_atomic_t caught = 0;  // a signal handler has nowhere else to write
void remember(int signal) { caught = signal; }

// Where shared memory lies; a folder on a disk would have its pages written out.
std::string place() {
  for (const char* folder : {"/dev/shm", "/tmp"})
    if (::access(folder, W_OK | X_OK) == 0) return folder;
  return {};
}

// The folder of a job: locked as long as its owner lives, whatever becomes of that one.
class JobFolder {
 public:
  JobFolder() {
    const std::string where = place();
    if (where.empty()) return;
    sweep(where);
    std::string pattern = where + "/" + kPrefix + "XXXXXX";
    if (!::mkdtemp(pattern.data())) return;
    path_ = pattern;
    lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ >= 0) ::flock(lock_, LOCK_EX | LOCK_NB);
  }
  ~JobFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
    if (lock_ >= 0) ::close(lock_);
  }
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  // Younger than this it may be that of somebody between its mkdtemp and its lock.
  static constexpr std::time_t kYoung = 10;

  static void sweep(const std::string& where) {
    std::error_code ignored;
    for (fs::directory_iterator at(where, ignored), end; !ignored && at != end; at.increment(ignored)) {
      const std::string path = at->path().string();
      struct stat status {};
      if (!at->path().filename().string().starts_with(kPrefix) || ::lstat(path.c_str(), &status) != 0) continue;
      if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() || std::time(nullptr) - status.st_mtime < kYoung)
        continue;
      const int file = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (file < 0) continue;
      if (::flock(file, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, ignored);
      ::close(file);
      ignored.clear();
    }
  }

  std::string path_;
  int lock_ = -1;
};

std::vector<pid_t> children() {
  std::vector<pid_t> out;
  const std::string path =
      "/proc/self/task/" + std::to_string(::getpid()) + "/children";  // proc(5), CONFIG_PROC_CHILDREN
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return out;
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(file);
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    pid_t id = 0;
    const auto [next, failed] = std::from_chars(at, end, id);
    if (failed == std::errc()) out.push_back(id);
    at = next == end ? end : next + 1;
  }
  return out;
}

// What the launcher left behind: adopted by us, generation by generation.
void end_orphans() {
  const auto until = Clock::now() + milliseconds(5000);
  while (Clock::now() < until) {
    const std::vector<pid_t> left = children();
    if (left.empty() && ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
    for (const pid_t child : left) ::kill(child, SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
}

int run(char** command, const JobFolder& folder) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    std::fprintf(stderr, "clusterc-contain: error: no process could be made: %s\n", std::strerror(errno));
    return kCouldNotRun;
  }
  if (child == 0) {
    ::setpgid(0, 0);  // what the terminal sends to us reaches the launcher once, from us
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(kCouldNotRun);
    ::signal(SIGINT, SIG_DFL), ::signal(SIGTERM, SIG_DFL), ::signal(SIGHUP, SIG_DFL);
    if (const std::string& path = folder.path(); !path.empty()) {
      ::setenv("CLUSTERC_JOB_FOLDER", path.c_str(), 1);        // for what ranks write (src/validate/vendor_hpl.cc)
      ::setenv("OMPI_MCA_orte_tmpdir_base", path.c_str(), 1);  // Open MPI 4: session folder, with PMIx's shared memory
      ::setenv("OMPI_MCA_btl_vader_backing_directory", path.c_str(), 1);  // Open MPI 4: segments between ranks
      ::setenv("PRTE_MCA_prte_tmpdir_base", path.c_str(), 1);             // Open MPI 5, from its documentation, untried
      ::setenv("OMPI_MCA_btl_sm_backing_directory", path.c_str(), 1);     // Open MPI 5, the same
    }
    ::execvp(command[0], command);
    std::fprintf(stderr, "clusterc-contain: error: '%s' could not be started: %s\n", command[0], std::strerror(errno));
    ::_exit(kCouldNotRun);
  }
  ::setpgid(child, child);
  Clock::time_point kill_at = Clock::time_point::max();
  int passed_on = 0, status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);  // orphans come here, too
    if (ended == child) break;
    if (ended > 0) continue;
    if (caught != 0 && passed_on == 0) {
      passed_on = caught;
      ::kill(child, SIGTERM);  // Open MPI drops what ranks print after its own SIGINT
      kill_at = Clock::now() + kPatience;
    }
    if (Clock::now() >= kill_at) {
      ::kill(child, SIGKILL);
      kill_at = Clock::time_point::max();
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  ::kill(-child, SIGKILL);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "--help") == 0) {
    std::puts(
        "clusterc-contain: runs a launcher of MPI jobs so that no rank, file or shared memory of the job outlives "
        "it\n\n"
        "usage: clusterc-contain mpirun -n 2 clusterc-hpl …\n\nexit status: the launcher's");
    return argc < 2 ? kCouldNotRun : 0;
  }
  struct sigaction action {};
  action.sa_handler = remember;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) return kCouldNotRun;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const JobFolder folder;
  const int status = run(argv + 1, folder);
  end_orphans();
  return status;
}
