// The main of fuzz targets without libFuzzer; the last #include of each. With CLUSTERC_FUZZ_MAIN it makes a program that runs the files and
// folders named on its command line once each; `--mutants N` adds N altered copies of each, the same ones every time.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#ifdef CLUSTERC_FUZZ_MAIN
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

[[noreturn]] void usage() {
  std::fprintf(stderr, "name files or folders to run\n");
  std::exit(2);
}

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

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  long mutants = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--mutants" && i + 1 < argc) {
      mutants = std::strtol(argv[++i], nullptr, 10);
      continue;
    }
    if (!std::filesystem::is_directory(argv[i])) files.emplace_back(argv[i]);
    else
      for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i]))
        if (entry.is_regular_file()) files.push_back(entry.path());
  }
  if (files.empty()) usage();
  std::ranges::sort(files);
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    std::uint64_t random = 88172645463325252ull;   // Marsaglia's own start value
    for (long i = 0; i < mutants; ++i) {
      const std::string changed = mutant(text, random);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(changed.data()), changed.size());
    }
  }
  std::printf("%zu files\n", files.size());
}
#endif
