#include "compile/job_launch.h"

namespace clusterc {

std::string tell_processes(std::string_view signal, bool deep, std::string_view trapped) {
  std::string out = "# The processes that train save and end when they get this signal.\ntell() {\n  local pid";
  if (deep) out += " inner";
  out += "\n  for pid in $(children \"$run\"); do\n";
  if (deep)
    out += "    for inner in $(children \"$pid\"); do kill -" + std::string(signal) + " \"$inner\"; done\n";
  else
    out += "    kill -" + std::string(signal) + " \"$pid\"\n";
  out += "  done\n}\n";
  if (!trapped.empty()) (out += "trap tell ").append(trapped) += '\n';
  return out;
}

}  // namespace clusterc
