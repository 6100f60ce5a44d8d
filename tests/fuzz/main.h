// Behind the code of a fuzz target. With libFuzzer it is nothing. Without, CLUSTERC_FUZZ_MAIN makes a program that runs the files and
// folders named on its command line once each; `--mutants N` adds N altered copies of each, the same ones every time, `--seconds N` goes on
// with others until the time is over.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>

[[noreturn]] inline void broken(const char* what) {
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

#ifdef CLUSTERC_FUZZ_MAIN
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

// Small changes that keep most of the shape: a byte replaced, removed, doubled, or a piece put somewhere else.
std::string mutant(std::string text, std::uint64_t& random) {
  const auto draw = [&](std::size_t n) {   // xorshift64 (Marsaglia 2003)
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    return static_cast<std::size_t>(random % n);
  };
  static constexpr std::string_view kSigns = "\n :-?[]{},#&*!|>'\"%@`\t\\~<ax0";
  for (std::size_t changes = 1 + draw(3); changes-- > 0;) {
    const std::size_t at = draw(text.size() + 1);
    switch (draw(4)) {
      case 0: text.insert(at, 1, kSigns[draw(kSigns.size())]); break;
      case 1: if (at < text.size()) text[at] = kSigns[draw(kSigns.size())]; break;
      case 2: if (at < text.size()) text.erase(at, 1 + draw(4)); break;
      default: text.insert(draw(text.size() + 1), text.substr(at, 1 + draw(12))); break;
    }
  }
  return text;
}

// What was tried last lies in a file, so that a crash leaves its cause.
void try_one(const std::string& text, const char* keep) {
  if (keep) std::ofstream(keep, std::ios::binary) << text;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  long mutants = 0;
  double seconds = 0;
  const char* keep = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--mutants" && i + 1 < argc) mutants = std::strtol(argv[++i], nullptr, 10);
    else if (word == "--seconds" && i + 1 < argc) seconds = std::strtod(argv[++i], nullptr);
    else if (word == "--keep" && i + 1 < argc) keep = argv[++i];
    else if (!std::filesystem::is_directory(word)) files.emplace_back(word);
    else
      for (const auto& entry : std::filesystem::recursive_directory_iterator(word))
        if (entry.is_regular_file()) files.push_back(entry.path());
  }
  if (files.empty()) broken("no file to run");
  std::ranges::sort(files);
  std::vector<std::string> texts;
  std::size_t tried = 0;
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    try_one(texts.back(), keep), ++tried;
    std::uint64_t random = 88172645463325252ull;   // Marsaglia's own start value
    for (long i = 0; i < mutants; ++i) try_one(mutant(texts.back(), random), keep), ++tried;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::uint64_t random = 0x9e3779b97f4a7c15ull;
  while (seconds > 0 && std::chrono::steady_clock::now() < end)
    for (const std::string& text : texts) try_one(mutant(mutant(text, random), random), keep), ++tried;
  std::printf("%zu files, %zu texts\n", files.size(), tried);
}
#endif
