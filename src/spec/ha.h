// How a service survives the loss of a machine: `ha` of node groups and of storage servers.
#pragma once
#include "fields/fields.h"

namespace clusterc {

enum class HaMode { active_passive, active_active, quorum };
template <>
struct EnumNames<HaMode> {
  static constexpr auto names = enum_table<HaMode>({{HaMode::active_passive, "active-passive"},
                                                    {HaMode::active_active, "active-active"},
                                                    {HaMode::quorum, "quorum"}});
};

}  // namespace clusterc
