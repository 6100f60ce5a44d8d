// frameworks/<group>/: for each framework that the spec names a list for pip of one consistent set (framework, cuDNN,
// NCCL, Jupyter) that the group's driver runs, and a module for Lmod. Each framework has an environment of its own,
// because their wheels ask for different releases of the same libraries.
#include "model/frameworks.h"

#include "base/text.h"
#include "compile/common.h"
#include "spec/software.h"

namespace clusterc {
namespace {

bool wants_frameworks(const Cluster& c) {
  for (const NodeGroupModel& g : c.nodes)
    for (const NamedVersion& f : g.software->frameworks)
      if (wheel_of(g, f)) return true;
  return false;
}

std::string folder_of(const FrameworkWheel& w) {
  return "/opt/frameworks/" + std::string(w.name) + "-" + std::string(w.release);
}

void requirements(const CompileInput& in, const NodeGroupModel& g, const FrameworkWheel& w, Bundle& bundle) {
  const std::string file = std::string(w.name) + ".txt", to = folder_of(w);
  bundle.open("frameworks/" + g.name + "/" + file, "frameworks");
  std::string& out = bundle.text();
  out += made_by(in, "");
  out += "# CUDA " + std::string(w.cuda) + " comes with it: driver " + std::string(driver_for(w).value_or("unknown")) +
         " or newer" + (g.software->gpu_driver ? ", and these nodes have " + g.software->gpu_driver->text() : "") +
         "\n";
  out += "# python3 -m venv " + to + " && " + to + "/bin/pip install -r " + file + "\n";
  out += std::string(w.requirement) + "==" + std::string(w.release) + "\n";
  for (const std::string_view line : {w.cudnn, w.nccl})
    if (!line.empty()) (out += line) += '\n';
  out += "jupyterlab~=4.0\n";
  bundle.close();
}

// https://lmod.readthedocs.io/en/latest/050_lua_modulefiles.html
void module_file(const CompileInput& in, const NodeGroupModel& g, const FrameworkWheel& w, Bundle& bundle) {
  const std::string name(w.name), release(w.release), to = folder_of(w);
  bundle.open("frameworks/" + g.name + "/modules/" + name + "/" + release + ".lua", "frameworks");
  std::string& out = bundle.text();
  const std::string head = made_by(in, "");
  for (const std::string_view line : split(head, '\n'))
    if (!line.empty()) ((out += "--") += line.substr(1)) += '\n';
  out += "whatis(\"Name: " + name + "\")\nwhatis(\"Version: " + release + ", CUDA " + std::string(w.cuda) + "\")\n";
  out += "family(\"frameworks\")\n";
  out += "setenv(\"VIRTUAL_ENV\", \"" + to + "\")\nprepend_path(\"PATH\", \"" + to + "/bin\")\n";
  bundle.close();
}

void emit_frameworks(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "frameworks", {}, findings);
  for (const NodeGroupModel& g : in.cluster.nodes) {
    std::vector<std::string_view> done;
    for (const NamedVersion& f : g.software->frameworks) {
      const FrameworkWheel* w = wheel_of(g, f);
      if (!w || std::find(done.begin(), done.end(), w->name) != done.end()) continue;
      done.push_back(w->name);
      requirements(in, g, *w, bundle);
      module_file(in, g, *w, bundle);
    }
  }
}

}  // namespace

extern const Output kFrameworksOutput;  // registry.cc names it
const Output kFrameworksOutput{
    .id = "frameworks",
    .summary =
        "for each framework that the spec names, a list for pip that fits the driver (framework, cuDNN, NCCL, "
        "JupyterLab) and a module for Lmod",
    .consumers = "pip 22.2 and newer, Lmod 8",
    .wanted = wants_frameworks,
    .emit = emit_frameworks,
};

}  // namespace clusterc
