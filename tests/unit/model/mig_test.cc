#include "model/mig.h"

#include "tests/unit/model/examples.h"

namespace clusterc {
namespace {

std::string layout(const char* text) {
  Software s;
  if (text) s.mig.value = text;
  const auto l = mig_layout(s);
  return l ? std::to_string(l->count) + " " + l->profile + " " + std::to_string(l->slices) + "/" +
                 std::to_string(l->gigabytes) + l->extra
           : "-";
}

// Names of profiles: NVIDIA, MIG user guide, supported MIG profiles.
TEST(Mig, Layouts) {
  EXPECT_EQ(layout("7x1g.10gb"), "7 1g.10gb 1/10");
  EXPECT_EQ(layout("1g.18gb"), "1 1g.18gb 1/18");
  EXPECT_EQ(layout("1x7g.141gb"), "1 7g.141gb 7/141");
  EXPECT_EQ(layout("1g.5gb+me"), "1 1g.5gb+me 1/5me");
  EXPECT_EQ(layout("1g.24gb+me.all"), "1 1g.24gb+me.all 1/24me.all");
  for (const char* none : {static_cast<const char*>(nullptr), "off", "no", "", "7", "0x1g.10gb", "0g.10gb", "1g.0gb",
                           "1g.10gb+ME", "7x1g.10gbx", "-1x1g.10gb", "100x1g.10gb", "7x", "x1g.10gb", "7x1g.10gb+",
                           "7x1g.10gb;reboot", "7x1g.10gb,2g.20gb", "7x1c.2g.20gb", "7x1g.10gb "})
    EXPECT_EQ(layout(none), "-");
}

// What is no layout cuts as well, in a way that nobody knows; the words for off do not.
TEST(Mig, Cut) {
  const auto cut = [](const char* text) {
    Software s;
    if (text) s.mig.value.emplace(text);
    EXPECT_EQ(why_not_all_gpus(s).empty(), cut_by_mig(s).empty());
    return std::string(cut_by_mig(s));
  };
  EXPECT_EQ(cut("7x1g.10gb"), "7x1g.10gb");
  EXPECT_EQ(cut("all-1g.10gb"), "all-1g.10gb");
  for (const char* whole : {static_cast<const char*>(nullptr), "off", "Off", "no", "false", "none"})
    EXPECT_EQ(cut(whole), "");
}

}  // namespace
}  // namespace clusterc
