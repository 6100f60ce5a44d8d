// The section `cabling` of a spec: how cables are chosen and ordered.
#pragma once
#include "fields/fields.h"
#include "fields/scalars.h"

namespace clusterc {

// How cables are chosen and ordered.
struct CablingWish {
  SourceSpan span;
  Value<double> spares;
  Value<Meters> slack;
  Value<std::int64_t> bundle;
  static constexpr std::string_view type_name = "cabling";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("spares", s.spares,
      {.standard = "2 %",
       .why = "planning default: one in fifty, and one at least of every part",
       .doc = "share of each cable, module and fibre that is bought on top, rounded up",
       .least = 0,
       .most = 1});
    v("slack", s.slack,
      {.standard = "0.5 m", .why = "planning default: service loop and cable arm", .doc = "length on top at each end"});
    v("bundle", s.bundle,
      {.standard = "24",
       .why = "planning default: what a hand can tie and an arm can carry",
       .doc = "most cables of one bundle between two racks",
       .least = 1,
       .most = 1000});
  }
};

}  // namespace clusterc
