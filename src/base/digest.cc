#include "base/digest.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace clusterc {

struct Sha256::State {
  EVP_MD* algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  bool begun = false;
  ~State() {
    EVP_MD_CTX_free(context);
    EVP_MD_free(algorithm);
  }
};

namespace {
void demand(bool worked) {
  if (!worked) throw std::runtime_error("OpenSSL gives no SHA-256");
}
}  // namespace

Sha256::Sha256() : state_(std::make_unique<State>()) { demand(state_->algorithm && state_->context); }
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  if (!state_->begun) demand(EVP_DigestInit_ex2(state_->context, state_->algorithm, nullptr) == 1);
  state_->begun = true;
  demand(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

Digest Sha256::finish() {
  if (!state_->begun) update({});
  Digest digest;
  demand(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1);
  state_->begun = false;
  return digest;
}

std::string to_hex(const Digest& digest) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(64);
  for (const std::uint8_t byte : digest) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) { return to_hex(Sha256()(bytes)); }

}  // namespace clusterc
