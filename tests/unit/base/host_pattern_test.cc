#include "base/host_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace clusterc {
namespace {

HostPattern pattern(std::string_view text) {
  HostPattern::Error error;
  const auto p = HostPattern::parse(text, error);
  EXPECT_TRUE(p) << text << " at " << error.offset << ": " << error.message;
  return p.value_or(HostPattern{});
}

std::vector<std::string> names(const HostPattern& p) {
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < p.count(); ++i) out.push_back(p.name(i));
  return out;
}

HostPattern::Error refused(std::string_view text) {
  HostPattern::Error error;
  EXPECT_FALSE(HostPattern::parse(text, error)) << text;
  return error;
}

TEST(HostPattern, Names) {
  EXPECT_EQ(names(pattern("head")), (std::vector<std::string>{"head"}));
  EXPECT_EQ(names(pattern("n[8-11]")), (std::vector<std::string>{"n8", "n9", "n10", "n11"}));
  EXPECT_EQ(names(pattern("n[08-11]")), (std::vector<std::string>{"n08", "n09", "n10", "n11"}));
  EXPECT_EQ(names(pattern("c[1,3,5-7]")), (std::vector<std::string>{"c1", "c3", "c5", "c6", "c7"}));
  EXPECT_EQ(names(pattern("h[1-2]n[1-2]-ib")), (std::vector<std::string>{"h1n1-ib", "h1n2-ib", "h2n1-ib", "h2n2-ib"}));
  EXPECT_EQ(names(pattern("head,login[1-2]")), (std::vector<std::string>{"head", "login1", "login2"}));
  EXPECT_EQ(names(pattern("n[98-101]")), (std::vector<std::string>{"n98", "n99", "n100", "n101"}));
}

TEST(HostPattern, CountsWithoutExpanding) {
  const HostPattern gpu = pattern("gpu[001-127]");
  EXPECT_EQ(gpu.count(), 127);
  EXPECT_EQ(gpu.name(126), "gpu127");
  EXPECT_EQ(gpu.index_of("gpu017"), 16);
  EXPECT_EQ(gpu.index_of("gpu17"), -1);
  EXPECT_EQ(gpu.index_of("gpu128"), -1);
  EXPECT_EQ(gpu.index_of("gpu0017"), -1);
  EXPECT_EQ(gpu.index_of("xgpu017"), -1);
  EXPECT_EQ(gpu.index_of("gpu017x"), -1);
  EXPECT_EQ(pattern("h[1-2]n[01-16]").count(), 32);
  EXPECT_EQ(pattern("h[1-2]n[01-16]").index_of("h2n16"), 31);
  EXPECT_EQ(pattern("n[0-16777215]").count(), 1 << 24);
  EXPECT_EQ(pattern("n[1-9]").index_of("n"), -1);
}

TEST(HostPattern, Suffixes) {
  EXPECT_EQ(pattern("gpu[001-127]").suffix(16), "017");
  EXPECT_EQ(pattern("h[1-2]n[01-16]").suffix(17), "2-02");
  EXPECT_EQ(pattern("head").suffix(0), "head");
}

TEST(HostPattern, IndexIsTheInverseOfName) {
  for (const char* text :
       {"n[1-130]", "n[001-130]", "a[1-3]b[08-12]c[1,5]", "x[1-3][01-12]", "x[1-3][1-9]", "head,login[1-2],n[2-4]z"}) {
    const HostPattern p = pattern(text);
    for (std::int64_t i = 0; i < p.count(); ++i) EXPECT_EQ(p.index_of(p.name(i)), i) << text << ' ' << p.name(i);
  }
}

TEST(HostPattern, Errors) {
  EXPECT_EQ(refused("").message, "a name is missing");
  EXPECT_EQ(refused("n[1-3").offset, 1u);
  EXPECT_EQ(refused("n1-3]").offset, 4u);
  EXPECT_EQ(refused("n[3-1]").offset, 2u);
  EXPECT_EQ(refused("n[]").message, "a range in brackets must have numbers, such as [1-4]");
  EXPECT_EQ(refused("n[1-]").offset, 4u);
  EXPECT_EQ(refused("n[a-b]").offset, 2u);
  EXPECT_EQ(refused("n 1").offset, 1u);
  EXPECT_EQ(refused("a,,b").offset, 2u);
  EXPECT_EQ(refused("a,").offset, 2u);
  EXPECT_EQ(refused("..").message, "a name begins with a letter or a digit");
  EXPECT_EQ(refused("a,-[1-2]").offset, 2u);
  EXPECT_EQ(refused("a..b").offset, 1u);
  EXPECT_EQ(refused("n[1-2].").message, "a name ends with a letter or a digit");
  EXPECT_EQ(refused(std::string(61, 'a') + "[1-1000]").message,
            "a name of 65 characters, but Linux accepts at most 64");
  EXPECT_EQ(pattern(std::string(61, 'a') + "[1-999]").count(), 999);
  EXPECT_EQ(refused("n[01-9]").offset, 5u);
  EXPECT_EQ(refused("n[1-010]").offset, 4u);
  EXPECT_EQ(refused("n[1-3,2]").message, "the number 2 stands twice");
  EXPECT_EQ(refused("n[1-3],n2").message, "the name n2 stands twice");
  EXPECT_EQ(refused("a[1-11][1-11]").message, "the name a111 stands twice");  // 1,11 and 11,1
  EXPECT_EQ(refused("a[1-2000][0001-2000]").message, "more than 1048576 names in a list or in brackets side by side");
  EXPECT_EQ(refused("n[1-16777217]").message, "more than 16777216 names");
  EXPECT_EQ(refused("n[1-99999][1-99999]").offset, 10u);
  EXPECT_EQ(refused("n[1-9999999999999999]").message, "a number of more than 15 digits");
  EXPECT_EQ(refused("a[1][1][1][1][1][1][1][1][1]").message, "more than 8 brackets in one name");
}

TEST(HostPattern, Folds) {
  EXPECT_EQ(fold_names({}), "");
  EXPECT_EQ(fold_names({"n10", "n9", "n8", "n9"}), "n[8-10]");
  EXPECT_EQ(fold_names({"n08", "n09", "n10", "n12"}), "n[08-10,12]");
  EXPECT_EQ(fold_names({"n1", "n01", "n2", "n02"}), "n[1,01,2,02]");
  EXPECT_EQ(fold_names({"login1", "head", "n3"}), "head,login1,n3");
  EXPECT_EQ(fold_names({"n1-ib", "n2-ib", "n2"}), "n2,n1-ib,n2-ib");  // scontrol show hostlist folds neither
  EXPECT_EQ(fold_names({"h1n01", "h1n02", "h2n01"}), "h1n[01-02],h2n01");
  EXPECT_EQ(fold_names(names(pattern("gpu[001-127]"))), "gpu[001-127]");
}

TEST(HostPattern, FoldReadsBack) {
  for (const char* text :
       {"n[1-130]", "n[001-130]", "a[1-3]b[08-12]", "n[1,3,5-9],head", "n[098-101]", "x[1-2]y[1-2]-z"}) {
    const std::vector<std::string> before = names(pattern(text));
    std::vector<std::string> after = names(pattern(fold_names(before)));
    std::vector<std::string> sorted = before;
    std::sort(sorted.begin(), sorted.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(after, sorted) << text;
  }
}

// What is said to share nothing shares nothing: held against every name of both.
TEST(HostPattern, MayShare) {
  const char* const texts[] = {"n[1-30]",  "n1[0-9]",      "n12", "gpu[001-012]", "g",
                               "a,n[7-9]", "x[1-2]y[1-2]", "x1",  "x1y2",         "n"};
  for (const char* a : texts)
    for (const char* b : texts) {
      const std::vector<std::string> of_a = names(pattern(a)), of_b = names(pattern(b));
      const bool shares = std::find_first_of(of_a.begin(), of_a.end(), of_b.begin(), of_b.end()) != of_a.end();
      if (shares) {
        EXPECT_TRUE(pattern(a).may_share(pattern(b))) << a << " and " << b;
      }
    }
  EXPECT_FALSE(pattern("n[1-30]").may_share(pattern("gpu[1-30],x")));
  EXPECT_FALSE(pattern("g").may_share(pattern("h[1-2]")));
  EXPECT_TRUE(pattern("n[1-30]").may_share(pattern("n[40-50]")));  // begin alike
}

}  // namespace
}  // namespace clusterc
