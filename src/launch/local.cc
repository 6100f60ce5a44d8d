// This machine alone: programs run directly, MPI worlds through mpirun.
#include <unistd.h>

#include <algorithm>

#include "base/subprocess.h"
#include "base/text.h"
#include "launch/launcher.h"
#include "launch/world.h"

namespace clusterc {
namespace {

class LocalLauncher final : public Launcher {
 public:
  explicit LocalLauncher(std::string this_node) : this_node_(std::move(this_node)) {}

  std::string_view id() const override { return "local"; }
  bool available(std::string&) const override { return true; }

  std::vector<NodeState> states(std::span<const std::string> nodes) const override {
    std::vector<NodeState> out;
    for (const std::string& node : nodes)
      out.push_back(node == this_node_ ? NodeState{true, ""}
                                       : NodeState{false, "not this machine, whose host name is '" + this_node_ +
                                                              "': the local launcher reaches only this machine"});
    return out;
  }

  std::vector<std::string> command(const Launch& launch) const override {
    std::vector<std::string> argv;
    if (launch.mpi) {
      argv = {"mpirun", "-n", std::to_string(launch.ranks_per_node), "--oversubscribe"};
      // Keeps the job together: whatever is killed, no rank, file or shared memory of it stays.
      const std::string contain =
          (launch.bundle.empty() ? launch.argv[0].substr(0, launch.argv[0].rfind('/') + 1) : launch.bundle + "/") +
          "clusterc-contain";
      if (find_program(contain)) argv.insert(argv.begin(), contain);
      // Open MPI asks for this consent where everything is root anyway: containers and fresh nodes.
      if (::geteuid() == 0) argv.emplace_back("--allow-run-as-root");
    }
    argv.insert(argv.end(), launch.argv.begin(), launch.argv.end());
    return argv;
  }

  LaunchResult run(const Launch& launch) const override {
    if (launch.mpi && !find_program("mpirun")) return {.error = "mpirun is not installed on this machine"};
    Subprocess process;
    process.argv = command(launch);
    // The bundle's clusterc-contain gives mpirun 10 s to end by itself, and its orphans 5.
    if (launch.mpi) process.grace = std::chrono::seconds(16);
    const auto ranks = static_cast<std::size_t>(launch.mpi ? std::max(1, launch.ranks_per_node) : 1);
    return run_in_one_stream(std::move(process), launch, ranks, this_node_, true);
  }

 private:
  std::string this_node_;
};

}  // namespace

std::unique_ptr<Launcher> make_local_launcher(std::string this_node) {
  return std::make_unique<LocalLauncher>(std::move(this_node));
}
}  // namespace clusterc
