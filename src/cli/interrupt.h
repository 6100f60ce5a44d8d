// What has to be tidied up before a signal ends the program.
#pragma once
#include <atomic>
#include <csignal>
#include <functional>
#include <string>

namespace clusterc::cli {

// While it lives SIGINT, SIGTERM and SIGHUP do not end the program at once. They set the flag, and whoever looks at it
// tidies up and calls end_if_interrupted(). Where nobody has looked for half a second, because the program is busy
// computing, `abandon` of the guard is called from another thread, and the program ends.
class Interrupts {
 public:
  explicit Interrupts(std::string folder);  // that "is as it was" then; one object in a program
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  const std::atomic<bool>* flag() const;
  void end_if_interrupted() const;  // by the signal, so that the shell sees what ended it

  class Guard {
   public:
    explicit Guard(std::function<bool()> abandon);  // false: the work is done, the program goes on to its end
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
  };

 private:
  std::string folder_;
  sigset_t before_{};
};

}  // namespace clusterc::cli
