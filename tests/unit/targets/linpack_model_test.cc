// The model of clusterc-hpl on GPUs, and what goes into HPL.dat: by hand.
#include "targets/linpack_model.h"

#include <gtest/gtest.h>

#include "targets/hpl_dat.h"
#include "unit/model/examples.h"

namespace clusterc {
namespace {

constexpr const char* kNode =
    "clusterc: 1\nrules: 2026.11\nname: h\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes: { gpu: "
    "{ names: n1, model: nvidia-dgx-h100 } }\n";

// N 1,024 in two steps of 512. First: the update is 2 x 1024^2 x 512 / 1e12 = 1.0737 ms; the panel 1024 x 512^2 / 1e10
// = 26.84 ms and its copies 2 x 1024 x 512 x 8 B / 1e9 = 8.39 ms. Second: half of the panel, a quarter of the update.
TEST(LinpackModel, APanelThatIsSlowerThanTheUpdateDecides) {
  LinpackMachine m{.order = 1024, .block = 512, .update = 1e12, .panel = 1e10, .copy = 1e9, .messages = 1e9};
  const LinpackTime time = linpack_time(m);
  EXPECT_NEAR(time.total, 0.0268435456 + 0.008388608 + 0.0134217728 + 0.004194304, 1e-12);
  EXPECT_NEAR(time.update, 1.073741824e-3 + 0.268435456e-3, 1e-12);
  // Hidden panels: the update alone is left.
  m.panel = 1e14, m.copy = 1e14;
  EXPECT_DOUBLE_EQ(linpack_time(m).total, linpack_time(m).update);
}

// 2 x 2: half of the rows and columns each. First step: panel 512 x 512^2 / 1e10 = 13.42 ms, copies 4.19 ms; ring 512 x
// 512 x 8 B x (1/1e9 + 1/1e9) = 4.19 ms; rows 512 x 512 x 8 B x (2/1e9 + 3/1e9) = 10.49 ms: 32.30 ms. Second: half.
TEST(LinpackModel, RowsAndRingComeBeforeThePanelIsUsed) {
  const LinpackMachine m{.order = 1024,
                         .block = 512,
                         .rows = 2,
                         .columns = 2,
                         .update = 1e12,
                         .panel = 1e10,
                         .copy = 1e9,
                         .messages = 1e9};
  EXPECT_NEAR(linpack_time(m).total, 1.5 * (0.0134217728 + 0.004194304 + 0.004194304 + 0.01048576), 1e-12);
}

// A panel of 90,000 x 512 in 0.44 s, DGEMM of 58 TFLOP/s, links of 50 GB/s, messages of 10 GB/s: a script of another
// hand gives 12.66 TFLOP/s for N 94,208 on one GPU, and 57.40 TFLOP/s for N 256,000 on eight.
TEST(LinpackModel, AgreesWithAnotherProgram) {
  LinpackMachine m{.order = 94208,
                   .block = 512,
                   .update = 58e12,
                   .panel = 90000.0 * 512 * 512 / 0.44,
                   .copy = 50e9,
                   .messages = 10e9};
  EXPECT_NEAR(2.0 / 3 * 94208.0 * 94208.0 * 94208.0 / linpack_time(m).total, 12.6595e12, 1e9);
  m.order = 256000, m.rows = 2, m.columns = 4;
  EXPECT_NEAR(2.0 / 3 * 256e3 * 256e3 * 256e3 / linpack_time(m).total, 57.4039e12, 1e9);
}

TEST(LinpackModel, OfANodeBetweenOneCoreAndAllOfThem) {
  Resolved r;
  r.text(kNode);
  ASSERT_TRUE(r.cluster) << r.told();
  const auto p = predict_linpack(r.group("gpu"));
  ASSERT_TRUE(p);
  EXPECT_LT(0, p->low);
  EXPECT_LT(p->low, p->high);
  // Less than NVIDIA's program shows on eight H100, 8 x 45.7 TFLOP/s (aigatech/vpbenchmarking): it factors on the GPU.
  EXPECT_LT(p->high, 8 * 45.7e12);
  EXPECT_NE(why_linpack_unjudged(r.group("gpu")).find("a model predicts"), std::string::npos);
}

// 80 GB of each H100 are 85.52e9 B (80 GiB less what the driver keeps): 90 % of eight are 615.7e9 B, whose root of an
// eighth is 277,429; 270 blocks of 1,024 are 276,480, 541 of 512 are 276,992.
TEST(HplDat, OrderFillsWholeBlocks) {
  EXPECT_EQ(linpack_input(0.9 * 8 * 85.52e9, 1024, 8), (LinpackInput{276480, 1024, 2, 4}));
  EXPECT_EQ(linpack_input(0.9 * 8 * 85.52e9, 512, 8), (LinpackInput{276992, 512, 2, 4}));
  EXPECT_EQ(linpack_input(8.0 * 191 * 191, 192, 7), (LinpackInput{0, 192, 1, 7}));
  EXPECT_EQ(linpack_input(8.0 * 192 * 192, 192, 12), (LinpackInput{192, 192, 3, 4}));
}

// HPL 2.3, testing/ptest/HPL.dat: N is on line 6, NB on 8, P on 11, Q on 12.
TEST(HplDat, ValuesAreOnTheirLines) {
  std::istringstream in(hpl_dat({1344, 192, 1, 2}, "second"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 31u);
  EXPECT_EQ(lines[1], "second");
  EXPECT_TRUE(lines[5].starts_with("1344 ") && lines[7].starts_with("192 ") && lines[10].starts_with("1 ") &&
              lines[11].starts_with("2 ") && lines[12].starts_with("16.0 "));
}

}  // namespace
}  // namespace clusterc
