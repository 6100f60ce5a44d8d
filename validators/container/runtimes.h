// How each container runtime starts a program, and how what it left is removed: command lines, never a shell's.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterc::container {

enum class Runtime : std::uint8_t { podman, docker, containerd, enroot, apptainer };
inline constexpr std::string_view kRuntimes = "podman|docker|containerd|enroot|apptainer";  // as the options have them
std::string_view runtime_text(Runtime);
std::optional<Runtime> runtime_of(std::string_view);

// The program that starts its containers, of those that it may have the first that is installed: containerd has nerdctl
// and ctr.
std::optional<std::string> program_of(Runtime);
std::string programs_text(Runtime);  // "nerdctl or ctr": for the message

struct Start {
  Runtime runtime = Runtime::podman;
  std::string program;               // path
  std::string name;                  // of the container
  std::string image;                 // as the runtime names it; empty: `rootfs`
  std::string rootfs;                // folder
  std::string bundle;                // folder of our programs: the same path in the container
  std::vector<std::string> command;  // a path and its arguments
  bool nvidia = false, amd = false;  // GPUs to be handed in
  std::size_t gpus = 0;
  bool hook = false;               // NVIDIA's by the toolkit's hook instead of CDI
  std::vector<std::string> verbs;  // RDMA device nodes: "/dev/infiniband/uverbs0"
};
// What keeps it from being started, in words; empty: nothing.
std::string refused(const Start&);
bool needs_image(
    const Start&);  // and none is named, nor a folder that it takes: the one thing refused that is no mistake
std::vector<std::string> start_arguments(const Start&);
// Prints the names of all containers, one a line; empty as with `remove_arguments`.
std::vector<std::string> list_arguments(Runtime, const std::string& program);
// Run one after the other; empty where the container is a child process and ends with it.
std::vector<std::vector<std::string>> remove_arguments(const Start&);

}  // namespace clusterc::container
