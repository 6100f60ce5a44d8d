// Runs one command and prints what it used, as one JSON object: measure OUT.json COMMAND ARGUMENTS…
// A small program of its own, because Linux counts the memory of the process that forked towards the peak of the one
// that is executed: started from Python, every command would seem to need Python's memory.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: measure OUT.json COMMAND ARGUMENTS...\n", stderr), 2;
  timeval begin{}, end{};
  ::gettimeofday(&begin, nullptr);
  const pid_t child = ::fork();
  if (child < 0) return std::perror("fork"), 2;
  if (child == 0) {
    ::execv(argv[2], argv + 2);
    std::perror(argv[2]);
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  if (::wait4(child, &status, 0, &used) != child) return std::perror("wait4"), 2;
  ::gettimeofday(&end, nullptr);
  const auto us = [](const timeval& t) { return static_cast<long long>(t.tv_sec) * 1000000 + t.tv_usec; };
  std::FILE* out = std::fopen(argv[1], "w");
  if (!out) return std::perror(argv[1]), 2;
  std::fprintf(out, "{\"user_us\": %lld, \"system_us\": %lld, \"wall_us\": %lld, \"peak_kib\": %ld, \"status\": %d}\n",
               us(used.ru_utime), us(used.ru_stime), us(end) - us(begin), used.ru_maxrss,
               WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return std::fclose(out) == 0 ? 0 : 2;
}
