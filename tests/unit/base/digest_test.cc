#include "base/digest.h"

#include <gtest/gtest.h>

namespace clusterc {
namespace {

// FIPS 180-2, appendix B, and the digest of the empty text.
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kMillionA = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, PublishedValues) {
  EXPECT_EQ(sha256_hex("abc"), kAbc);
  EXPECT_EQ(sha256_hex(""), kEmpty);
}

TEST(Sha256, OneObjectForMany) {
  Sha256 sha;
  EXPECT_EQ(to_hex(sha("abc")), kAbc);
  EXPECT_EQ(to_hex(sha.finish()), kEmpty);
  const std::string part(1000, 'a');
  for (int i = 0; i < 1000; ++i) sha.update(part);
  EXPECT_EQ(to_hex(sha.finish()), kMillionA);
}

}  // namespace
}  // namespace clusterc
