// What a process can use of GPUs and RDMA adapters, outside a container and in it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc::container {

struct Look {
  std::vector<std::string> gpus;       // device nodes that open: "nvidia0", "dri/renderD128" (AMD's, where "kfd" opens)
  std::vector<std::string> libraries;  // of the GPUs' driver, that load: "libcuda.so.1"
  std::vector<std::string> adapters;   // /sys/class/infiniband: "mlx5_0"
  std::vector<std::string> verbs;  // device nodes that open, by which programs reach the adapters: "infiniband/uverbs0"
  std::string locked_memory;       // bytes that may be pinned, or "unlimited"
  std::string mpirun;              // path; empty: there is none
};
// `root`: "/", or a folder with dev/ and sys/ in its place.
Look look_at(const std::filesystem::path& root);

// One line without its end: what the program in the container says first. `token` tells this answer from any other.
std::string look_line(const Look&, std::string_view token);
struct Answer {
  std::string token;
  Look look;
};
std::optional<Answer> parse_look(std::string_view line);  // nullopt: it is another line

// What is there on one side only, each "nvidia3 is not in the container" or "mlx5_9 is in the container only".
struct Difference {
  std::size_t compared = 0;  // devices and libraries of both sides
  std::vector<std::string> found;
};
Difference compare(const Look& outside, const Look& inside);

}  // namespace clusterc::container
