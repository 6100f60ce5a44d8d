// Single values of a spec, set from outside: a variant of it without a second file (`clusterc plan --option`, `--fit`).
//   nodes.gpu.model=nvidia-dgx-b200     any path of keys; the value is YAML; nothing behind the '=' takes the value
//   away networks.compute.oversubscription=2 nodes.gpu=64   racks.main=16        so many of a group: its names are
//   continued, or the first ones kept
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_pattern.h"
#include "spec/spec.h"

namespace clusterc {

struct SpecOverride {
  std::string path, value;
};
constexpr std::string_view kOptionSource = "--option ";  // begins the name of the source that an override is

// "nodes.gpu=64, networks.compute.oversubscription=2": at commas outside of brackets and quotes. Nothing, with what is
// wrong in `error`.
std::optional<std::vector<SpecOverride>> parse_overrides(std::string_view, std::string& error);

// Sets them one after the other in a spec that was read; everything wrong is a finding in a source of its own, named
// after the option. Whatever else says what a node is goes when one of model, server, from, instance and
// virtual_machine is set.
void apply_overrides(const std::vector<SpecOverride>&, Sources&, Findings&, Spec&);

// A pattern of `count` names (1 or more) that begins as this one does: "gpu[001-127]" -> "gpu[001-200]". What cannot be
// continued gets further names after `group`.
std::string resized_pattern(const HostPattern&, std::int64_t count, std::string_view group);

}  // namespace clusterc
