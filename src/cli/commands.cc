#include <array>

#include "cli/command.h"

namespace clusterc::cli {

// In the order users see. A function-local table: no order of initialisation between files matters.
std::span<const Command> all_commands() {
  static const std::array commands{kInit,     kCheck,   kFmt,     kShow,   kPlan, kDiff,       kCompile, kAudit,
                                   kValidate, kExplain, kCatalog, kSchema, kLsp,  kCompletion, kManual};
  return commands;
}

}  // namespace clusterc::cli
