// power/: programs that start and end instances at AWS when jobs need them or not (slurm.conf(5), ResumeProgram), and
// the table of nodes that they read.
#include "base/ip.h"
#include "compile/common.h"
#include "compile/slurm/slurm.h"
#include "compile/template_text.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/each_address.h"
#include "write/writers.h"

namespace clusterc {

void emit_power(const CompileInput& in, const SlurmPower& power, Bundle& bundle) {
  const Cluster& c = in.cluster;
  if (!power.spec || !power.compiled || !power.spec->region || !power.spec->launch_template) return;
  bundle.open("slurm/power/nodes", "slurm");
  std::string& table = bundle.text();
  table += made_by(in, "") + "# node  group  address  instance type  market\n";
  for (const int group : power.groups) {
    const NodeGroupModel& g = c.nodes[static_cast<std::size_t>(group)];
    const Home home = home_of(c, in.plan, group);
    if (home.network < 0) continue;  // slurm_power says it
    for (std::int64_t i = 0; i < g.count; ++i)
      table += g.names.name(i) + " " + g.name + " " + ipv4_text(in.plan.address(home.network, home.end_points, i, 0)) +
               " " + aws_instance_type(g) + " " + (g.spec->spot ? "spot" : "on-demand") + "\n";
  }
  bundle.close();
  for (const std::string_view name : {"resume.sh", "suspend.sh"}) {
    bundle.open("slurm/power/" + std::string(name), "slurm", 0755);
    std::string& out = bundle.text();
    out += "#!/bin/sh\n" + made_by(in, "");
    ShellWriter w(out);
    w.assign("region", *power.spec->region);
    if (name == "resume.sh") w.assign("template", *power.spec->launch_template);
    w.assign("cluster", c.spec.name.value_or("cluster"));
    out += template_text("slurm/" + std::string(name));
    bundle.close();
  }
}

}  // namespace clusterc
