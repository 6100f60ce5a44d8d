// Scripts and lines that several installers share (preseed, autoinstall, kickstart).
#pragma once
#include <string>
#include <string_view>

#include "compile/output.h"
#include "system/install.h"

namespace clusterc {

// Headers of files whose readers join lines that end with a backslash, comments too.
std::string install_header(const CompileInput&, std::string_view output_id);
// What Ansible makes file systems of data drives with (templates/install/data-drives.sh says how it is called).
std::string data_drives_script();
// Scripts of templates/install, with the values of the plan as assignments above them.
std::string disks_script(const InstallPlan&, std::string_view tail);  // tail: disks-preseed.sh, …
std::string finish_script(const CompileInput&, int group, const InstallPlan&);

// Extra lines of an installer's file, each taken over where `good` says so. `ours`: what a line says follows from the
// spec, or holds the installation together.
std::string install_extra(const CompileInput&, std::string_view file, bool (*good)(std::string_view),
                          std::string_view example, Findings&, bool (*ours)(std::string_view) = nullptr);

}  // namespace clusterc
