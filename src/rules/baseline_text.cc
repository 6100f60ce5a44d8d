#include <span>

#include "rules/baseline.h"
#include "write/writers.h"

namespace clusterc {

std::string baseline_text(const Baseline* old, std::map<std::string, std::vector<BaselineEntry>> specs) {
  if (old)
    for (const auto& known : old->specs) specs.try_emplace(known.name, known.value);
  std::string out;
  YamlWriter yaml(out);
  yaml.comment(
      "Findings that were known when this file was written; `clusterc check --baseline` ignores them, and only new "
      "findings count.\nWritten by `clusterc check --write-baseline`.");
  yaml.begin_map().field("clusterc-baseline", 1).map("specs");
  for (const auto& [name, entries] : specs) {
    if (entries.empty()) continue;
    yaml.list(name);
    for (const BaselineEntry& e : entries) {
      yaml.begin_map().field("rule", e.rule.value_or("")).field("severity", e.severity.value_or(""));
      if (e.at) yaml.field("at", *e.at);
      if (e.file) yaml.field("file", *e.file);
      if (e.objects_digest) yaml.field("objects_digest", *e.objects_digest);
      if (!e.objects.empty()) {
        std::vector<std::string> objects;
        for (const auto& o : e.objects) objects.push_back(o.value_or(""));
        yaml.key("objects").flow(std::span<const std::string>(objects));
      }
      if (e.count.value_or(1) > 1) yaml.field("count", *e.count);
      if (e.says) yaml.field("says", *e.says);
      yaml.end_map();
    }
    yaml.end_list();
  }
  yaml.end_map().end_map();
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}  // namespace clusterc
