// Texts that many things have in common.
#include "base/shared_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace clusterc {
namespace {

TEST(SharedText, IsATextWhoeverHasIt) {
  const SharedText none, empty(""), a("node/gpu/memory"), same(std::string("node/gpu/memory"));
  EXPECT_TRUE(none.empty() && empty.empty() && none == empty && none == "");
  EXPECT_TRUE(a == same && a == "node/gpu/memory" && !(a == none));
  EXPECT_NE(&a.str(), &same.str());
  EXPECT_EQ(a + ", x", "node/gpu/memory, x");
  EXPECT_EQ(fmt::format("{:>17}", a), "  node/gpu/memory");
  SharedText copy = a, moved = std::move(copy);
  EXPECT_EQ(&moved.str(), &a.str());
  copy = moved;
  moved = "other";
  EXPECT_EQ(copy, a);
  const SharedText& itself = copy;
  copy = itself;
  EXPECT_EQ(copy, a);
  EXPECT_LT(a, moved);
}

TEST(SharedTexts, EqualTextsAreOne) {
  SharedTexts texts;
  std::vector<SharedText> all;
  for (int i = 0; i < 100; ++i) all.push_back(texts("n" + std::to_string(i % 3)));
  EXPECT_EQ(&all[0].str(), &all[99].str());
  EXPECT_NE(&all[0].str(), &all[1].str());
}

}  // namespace
}  // namespace clusterc
