// What runs in the container: it says what it sees, and runs the collective of clusterc-nccl among ranks in it.
#pragma once
#include <string>
#include <vector>

namespace clusterc::container {

struct Task {
  std::string program;  // path of clusterc-container
  std::string token;    // to be said again
  std::string root = "/";
  unsigned seconds = 60;  // it ends itself then, should nobody else end it
  unsigned ranks = 0;     // of the collective; 0: none
  std::string device = "host";
};
std::vector<std::string> inside_arguments(const Task&);

inline constexpr char kInside[] = "inside";                       // the first argument
inline constexpr char kStarted[] = "{\"record\":\"started\"}\n";  // its first line
// main() in the container. Prints look_line(), then the lines of clusterc-nccl as they are; its exit status.
int run_inside(int argc, char** argv);

}  // namespace clusterc::container
