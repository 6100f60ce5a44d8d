#include "base/stacks.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace clusterc {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostProcesses = 8, kMostThreads = 12, kMostOfProcess = 48, kMostFrames = 10;
constexpr std::size_t kMostDescendants = 4096;

std::string read_proc(const std::string& path) {
  FileError unreadable;  // the process has ended, or is somebody else's
  return read_file(path, std::size_t{1} << 16, unreadable).value_or("");
}

std::vector<long> numbers(std::string_view text) {
  std::vector<long> out;
  for (const std::string_view word : split(text, ' '))
    if (long number = 0; std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc())
      out.push_back(number);
  return out;
}

std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    out.push_back(at->path().string());
  std::sort(out.begin(), out.end(), natural_less);
  return out;
}

// "State:\tT (stopped)" of proc_pid_status(5).
std::string state_in(std::string_view status) {
  for (const std::string_view line : split(status, '\n'))
    if (line.starts_with("State:")) return std::string(trim(line.substr(6)));
  return "gone";
}

// "[<0>] futex_wait_queue+0x60/0x90" of proc_pid_stack(5), which only root may read.
std::string kernel_frames(std::string_view stack) {
  std::string out;
  std::size_t count = 0;
  for (std::string_view line : split(stack, '\n')) {
    line = trim(line.substr(std::min(line.size(), line.find("] ") + 2)));
    if (line.empty() || count++ == kMostFrames) continue;
    out += (out.empty() ? "" : " < ") + std::string(line.substr(0, line.find('+')));
  }
  return out;
}

std::string thread_line(const std::string& folder) {
  const std::string status = read_proc(folder + "/status");
  std::string out = format("thread {} '{}': {}", folder.substr(folder.rfind('/') + 1),
                           trim(read_proc(folder + "/comm")), state_in(status));
  const std::string waits = read_proc(folder + "/wchan");
  if (const std::string at(trim(waits)); !at.empty() && at != "0") out += ", waits in " + at;
  const std::string call = read_proc(folder + "/syscall");
  const std::string number(trim(call.substr(0, call.find(' '))));
  if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos) out += ", system call " + number;
  if (const std::string frames = kernel_frames(read_proc(folder + "/stack")); !frames.empty())
    out += ", kernel: " + frames;
  return out;
}

// What prints the stacks of a running process. head reads on while a debugger holds this process itself, and timeout
// ends a debugger that hangs.
std::vector<std::string> debugger(long process) {
  std::vector<std::string> out = {"timeout",
                                  "-k",
                                  "1",
                                  std::to_string(kStackSeconds / 2),
                                  "/bin/sh",
                                  "-c",
                                  "\"$@\" 2> /dev/null < /dev/null | head -c 16384",
                                  "stacks"};
  const std::string id = std::to_string(process), frames = std::to_string(kMostFrames);
  if (find_program("eu-stack"))
    out.insert(out.end(), {"eu-stack", "-p", id, "-n", frames});
  else if (find_program("gdb"))
    out.insert(out.end(), {"gdb", "-nx", "-batch", "-p", id, "-ex", "thread apply all backtrace " + frames});
  else
    return {};
  return out;
}

}  // namespace

std::vector<long> descendants_of(long process) {
  std::vector<long> out;
  const auto add_children = [&](long of) {
    for (const std::string& thread : entries(format("/proc/{}/task", of)))
      for (const long child : numbers(trim(read_proc(thread + "/children"))))
        if (out.size() < kMostDescendants) out.push_back(child);
  };
  add_children(process);
  for (std::size_t i = 0; i < out.size(); ++i) add_children(out[i]);
  return out;
}

std::vector<std::string> stacks_of(std::span<const long> processes) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view line) {
    if (out.size() < kMostStackLines) out.push_back(printable(line.substr(0, kLongestStackLine)));
  };
#ifdef PR_SET_PTRACER
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // else Yama lets nobody but a parent look at this process
#endif
  const auto until = Clock::now() + std::chrono::seconds(kStackSeconds);
  for (const long process : processes.first(std::min(processes.size(), kMostProcesses))) {
    const std::string folder = format("/proc/{}", process), name(trim(read_proc(folder + "/comm")));
    if (name.empty()) continue;
    const std::size_t most = out.size() + kMostOfProcess;
    add(format("process {} '{}': {}", process, name, state_in(read_proc(folder + "/status"))));
    const std::vector<std::string> threads = entries(folder + "/task");
    for (std::size_t i = 0; i < std::min(threads.size(), kMostThreads); ++i) add("  " + thread_line(threads[i]));
    if (threads.size() > kMostThreads) add(format("  and {} more threads", threads.size() - kMostThreads));
    const std::vector<std::string> argv = debugger(process);
    if (argv.empty() || Clock::now() >= until) continue;
    const SubprocessResult said = run({.argv = argv, .timeout = std::chrono::seconds(kStackSeconds), .max_out = 16384});
    for (const std::string_view line : split(said.out, '\n'))
      if (!trim(line).empty() && out.size() < most) add("  " + std::string(line));
  }
  return out;
}

}  // namespace clusterc
