// SHA-256. One context for any number of digests.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace clusterc {

using Digest = std::array<std::uint8_t, 32>;
std::string to_hex(const Digest&);  // 64 lower-case digits

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::string_view bytes);
  Digest finish();  // and ready for the next
  Digest operator()(std::string_view bytes) {
    update(bytes);
    return finish();
  }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view bytes);  // for a single one

}  // namespace clusterc
