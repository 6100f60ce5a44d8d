// The section `outputs` of a spec: wishes for compiled files.
#pragma once
#include <string>
#include <vector>

#include "fields/fields.h"
#include "fields/scalars.h"

namespace clusterc {

struct OutputWish {
  SourceSpan span;
  Value<Version> version;
  Value<bool> skip;
  NamedMap<std::vector<Value<std::string>>> extra;
  static constexpr std::string_view type_name = "output";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("version", s.version, {.doc = "release of the program that reads it"});
    v("skip", s.skip, {.doc = "true: do not write it"});
    v("extra", s.extra, {.doc = "further lines by file: { slurm.conf: [ \"SchedulerParameters=bf_continue\" ] }"});
  }
};

}  // namespace clusterc
