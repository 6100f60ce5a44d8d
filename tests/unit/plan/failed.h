// What becomes of a plan when the named components fail: "feed:A", "pdu:r1/a".
#pragma once
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "plan/failures/what_if.h"

namespace clusterc::test {

inline WhatIf run(const WhatIfEngine& engine, std::initializer_list<std::string_view> words) {
  std::vector<Component> failed;
  for (const std::string_view w : words) {
    std::string error;
    const auto one = engine.find(w, error);
    EXPECT_TRUE(one) << w << ": " << error;
    if (one) failed.push_back(*one);
  }
  return engine.run(failed);
}

}  // namespace clusterc::test
