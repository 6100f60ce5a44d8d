#include "base/utc.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

// date -u -d @1000000000: 2001-09-09 01:46:40; 951782400 is the leap day of 2000.
TEST(Utc, WritesAndReadsTheSame) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(1'000'000'000), "2001-09-09T01:46:40Z");
  EXPECT_EQ(utc_text(951'782'400), "2000-02-29T00:00:00Z");
  for (const std::int64_t at : {0LL, 1LL, 951'782'399LL, 951'782'400LL, 4'102'444'799LL, 253'402'300'799LL})
    EXPECT_EQ(parse_utc(utc_text(at)), at);
}

TEST(Utc, RefusesWhatIsNoTime) {
  for (const char* text : {"", "t", "2001-09-09", "2001-09-09T01:46:40", "2001-09-09 01:46:40Z", "2001-02-29T00:00:00Z",
                           "2001-13-01T00:00:00Z", "2001-09-09T24:00:00Z", "2001-09-09T00:60:00Z",
                           "1969-12-31T23:59:59Z", "2001-09-09T01:46:40Z ", "+001-09-09T01:46:40Z"})
    EXPECT_FALSE(parse_utc(text)) << text;
}

TEST(Utc, AgesAreRoundedDown) {
  EXPECT_EQ(age_text(-5), "0 s");
  EXPECT_EQ(age_text(59), "59 s");
  EXPECT_EQ(age_text(60), "1 minute");
  EXPECT_EQ(age_text(7200), "2 hours");
  EXPECT_EQ(age_text(3 * 86400 + 5), "3 days");
  EXPECT_EQ(age_text(848'000'000), "26 years");
}

}  // namespace
}  // namespace clusterc
