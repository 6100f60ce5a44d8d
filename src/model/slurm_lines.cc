#include "model/slurm_lines.h"

#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::int64_t kMostNames = 1 << 20;       // of one line: more is no host list that anybody wrote

}  // namespace

std::vector<SlurmLine> extra_slurm_lines(const Cluster& c, std::string_view file) {
  std::vector<SlurmLine> out;
  const auto& scheduler = c.spec.software.scheduler;
  const auto* wish = c.spec.outputs.find("slurm");
  const auto* lines = scheduler && scheduler->kind.value == SchedulerKind::slurm && wish ? wish->value.extra.find(file) : nullptr;
  if (!lines) return out;
  for (const auto& text : lines->value) {
    if (!text || trim(*text).starts_with("#")) continue;
    SlurmLine line{text.span, {}};
    for (std::string_view word : split(trim(*text), ' ')) {
      if (word.starts_with("#")) break;            // the rest is a comment
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos || equals == 0) continue;
      std::string_view value = word.substr(equals + 1);
      if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
      line.pairs.emplace_back(to_lower(word.substr(0, equals)), value);
    }
    out.push_back(std::move(line));
  }
  return out;
}

SlurmNames slurm_names_of(const Cluster& c, std::string_view list) {
  SlurmNames out;
  HostPattern::Error error;
  const auto pattern = HostPattern::parse(list, error);
  if (!pattern || pattern->count() > kMostNames) {
    out.readable = false;
    return out;
  }
  for (std::int64_t i = 0; i < pattern->count(); ++i) {
    const std::string name = pattern->name(i);
    std::int64_t node = -1;
    for (const NodeGroupModel& g : c.nodes)
      if (const std::int64_t k = g.names.index_of(name); k >= 0) node = g.first + k;
    if (node >= 0) out.nodes.push_back(node);
    else if (!out.unknown) out.unknown = name;
  }
  return out;
}

}  // namespace clusterc
