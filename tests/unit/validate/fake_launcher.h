// A launcher whose programs answer as a test wants it, and the lines that they print.
#pragma once
#include <atomic>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "validate/run.h"

namespace clusterc::test {

// What a program prints of itself: the launcher below puts its name, the node's and the number of figures in.
inline constexpr const char* kHeader =
    R"({"record":"header","format":"clusterc-result","version":1,"validator":"@program","host":"@node"})";
inline constexpr const char* kDone =
    R"({"record":"end","status":"done","measurements":@count,"wrong":@wrong,"data_verified":@verified})";

inline std::string unit_of(const std::string& metric) {
  if (metric.starts_with("gemm.") || metric.starts_with("hpl.") || metric.starts_with("burn.")) return "FLOP/s";
  if (metric.ends_with(".time")) return "s";
  for (const char* rate : {".random_read", ".random_write", ".create", ".stat", ".unlink"})
    if (metric.ends_with(rate)) return "1/s";
  return "B/s";
}

inline std::string measurement(const std::string& metric, const std::string& value, const std::string& more = "") {
  return R"({"record":"measurement","metric":")" + metric + R"(","unit":")" + unit_of(metric) + R"(","value":)" +
         value + R"(,"checked":1,"wrong":0,"data_verified":true,"device":{"label":"host"})" + more + "}";
}

inline constexpr const char* kStorage[] = {
    "storage.read", "storage.write",  "storage.random_read",     "storage.random_write",    "storage.create",
    "storage.stat", "storage.unlink", "storage.checkpoint_read", "storage.checkpoint_write"};

inline void put(std::string& line, const std::string& place, const std::string& text) {
  if (const auto at = line.find(place); at != std::string::npos) line.replace(at, place.size(), text);
}

// The lines as they come from a node.
inline std::vector<std::string> filled(std::vector<std::string> lines, const std::string& program,
                                       const std::string& node) {
  int figures = 0;
  bool verified = true;
  for (std::string& line : lines) {
    figures += line.starts_with(R"({"record":"measurement")");
    verified = verified && line.find(R"("data_verified":false)") == std::string::npos;
    put(line, "@program", program);
    put(line, "@node", node);
    put(line, "@count", std::to_string(figures));
    put(line, "@wrong", "0");
    put(line, "@verified", verified ? "true" : "false");
  }
  return lines;
}

// Every program answers as it should, but for what a test changes.
class FakeLauncher final : public Launcher {
 public:
  std::map<std::string, std::string> down;                    // node -> why
  std::map<std::string, std::vector<std::string>> says;       // program -> lines, on every node
  std::map<std::string, std::vector<std::string>> complains;  // program -> lines of standard error
  std::string error;                                          // of every launch
  bool twice = false;                                         // each node's result comes two times
  std::set<std::pair<std::string, std::string>> broken_in;    // program and node: its task was ended
  std::map<std::string, std::string> claims, broken;          // node -> what its task calls itself; why it was ended
  std::atomic<bool>* interrupt_in_memory = nullptr;
  mutable std::vector<std::string> started;
  mutable std::map<std::string, std::int64_t> asked;  // program -> GPUs of each node

  std::string_view id() const override { return "fake"; }
  bool available(std::string&) const override { return true; }
  std::vector<NodeState> states(std::span<const std::string> nodes) const override {
    std::vector<NodeState> out;
    for (const std::string& n : nodes)
      out.push_back(down.contains(n) ? NodeState{false, down.at(n)} : NodeState{true, ""});
    return out;
  }
  std::vector<std::string> command(const Launch& launch) const override { return launch.argv; }
  LaunchResult run(const Launch& launch) const override {
    const std::string program = launch.argv[0].substr(launch.argv[0].find_last_of("-/") + 1);
    started.push_back(program);
    asked[program] = launch.gpus_per_node;
    LaunchResult result;
    result.started = true;
    result.error = error;
    if (program == "memory" && interrupt_in_memory) *interrupt_in_memory = result.interrupted = true;
    std::vector<std::string> lines{kHeader};
    if (says.contains(program))
      lines = says.at(program);
    else {
      if (program == "probe") lines.push_back(R"({"record":"probe","host":"h","gpus":[]})");
      if (program == "memory")
        for (const char* m : {"memory.copy", "memory.scale", "memory.add", "memory.triad"})
          lines.push_back(measurement(m, "1e9"));
      if (program == "gemm")
        for (const char* m : {"gemm.fp64", "gemm.fp32"}) lines.push_back(measurement(m, "1e9"));
      if (program == "hpl") lines.push_back(measurement("hpl.score", "1e9"));
      if (program == "mpi")
        for (const char* m : {"mpi.allreduce.busbw", "mpi.allreduce.time"}) lines.push_back(measurement(m, "1e8"));
      if (program == "storage")
        for (const char* m : kStorage) lines.push_back(measurement(m, "1e8"));
      lines.push_back(kDone);
    }
    if (error.empty())
      for (const std::string& node : launch.nodes) {
        result.tasks.push_back({node, filled(lines, program, node),
                                complains.contains(program) ? complains.at(program) : std::vector<std::string>()});
        if (claims.contains(node)) result.tasks.back().claims = claims.at(node);
        if (broken_in.contains({program, node}))
          result.tasks.back().broken = "it stopped", result.tasks.back().lines.clear();
        if (broken.contains(node)) result.tasks.back().broken = broken.at(node), result.tasks.back().lines.clear();
        if (twice) result.tasks.push_back(result.tasks.back());
        if (launch.mpi) break;
      }
    return result;
  }
};

}  // namespace clusterc::test
