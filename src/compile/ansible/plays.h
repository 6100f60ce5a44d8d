// The plays of the output ansible. `names`: of the groups in Ansible, as the settings in `all` are ordered.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compile/output.h"
#include "system/node_settings.h"

namespace clusterc {

bool runs_role(const NodeSettings&, std::string_view role);
// What update.yml brings to new releases, on nodes that Slurm takes out of service for it.
std::vector<std::string> updated_roles(const NodeSettings&);
// site.yml; for machines that stand it begins with a play that shows what the others would change.
void write_site_play(const CompileInput&, const std::vector<std::string>& names, const std::vector<NodeSettings>& all,
                     Bundle&);
// update.yml; false: no node has anything that it updates.
bool write_update_play(const CompileInput&, const std::vector<std::string>& names, const std::vector<NodeSettings>& all,
                       Bundle&);

}  // namespace clusterc
