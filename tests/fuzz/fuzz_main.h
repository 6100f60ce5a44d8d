// The main of fuzz targets without libFuzzer; the last #include of each. With CLUSTERC_FUZZ_MAIN it makes a program
// that runs the files and folders named on its command line once each; `--mutants N` adds N altered copies of each, the
// same ones every time.
// `--soak SECONDS --seed N --artifacts PREFIX` alters and splices them until the time is over or SIGINT comes. What it
// was at when it crashed, when one input took more than a minute, or when memory passed 3 GiB stands in PREFIXcrash,
// PREFIXhang or PREFIXmemory.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#ifdef CLUSTERC_FUZZ_MAIN
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

// ---- what a signal handler may look at ----
std::string soak_prefix, soak_input, soak_crash, soak_hang, soak_memory;  // names of files, made before anything runs
volatile std::sig_atomic_t soak_over = 0;

void keep_input(const std::string& name) {
  const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  for (std::size_t at = 0; at < soak_input.size();) {
    const ssize_t n = ::write(fd, soak_input.data() + at, soak_input.size() - at);
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
  ::close(fd);
}
void on_fault(int number) {
  keep_input(number == SIGALRM ? soak_hang : soak_crash);
  std::signal(number, SIG_DFL);
  ::raise(number);
}
void on_end(int) { soak_over = 1; }

[[noreturn]] void usage() {
  std::fprintf(stderr, "name files or folders to run\n");
  std::exit(2);
}

// Small changes that keep most of the shape: a byte replaced, removed, doubled, or a piece put somewhere else.
std::string mutant(std::string text, std::uint64_t& random) {
  const auto draw = [&](std::size_t n) {  // xorshift64 (Marsaglia 2003)
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    return static_cast<std::size_t>(random % n);
  };
  static constexpr std::string_view kSigns = "\n :-?[]{},#&*!|>'\"%@`\t\\~<ax0";
  for (std::size_t changes = 1 + draw(3); changes-- > 0;) {
    const std::size_t at = draw(text.size() + 1);
    switch (draw(4)) {
      case 0:
        text.insert(at, 1, kSigns[draw(kSigns.size())]);
        break;
      case 1:
        if (at < text.size()) text[at] = kSigns[draw(kSigns.size())];
        break;
      case 2:
        if (at < text.size()) text.erase(at, 1 + draw(4));
        break;
      default:
        text.insert(draw(text.size() + 1), text.substr(at, 1 + draw(12)));
        break;
    }
  }
  return text;
}

constexpr unsigned kSlowest = 60;  // s for one input
constexpr long kMostKilobytes = 3L << 20;

int soak(const std::vector<std::string>& texts, std::uint64_t random, double seconds, std::size_t most_bytes) {
  soak_crash = soak_prefix + "crash", soak_hang = soak_prefix + "hang", soak_memory = soak_prefix + "memory";
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(number, on_fault);
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, on_end);
  const auto draw = [&](std::size_t n) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    return static_cast<std::size_t>(random % n);
  };
  const auto started = std::chrono::steady_clock::now();
  unsigned long long runs = 0;
  while (!soak_over && std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() < seconds) {
    std::string text = texts[draw(texts.size())];
    if (draw(4) == 0) {  // the head of one and the tail of another
      const std::string& other = texts[draw(texts.size())];
      text = text.substr(0, draw(text.size() + 1)) + other.substr(draw(other.size() + 1));
    }
    for (std::size_t rounds = 1 + draw(6); rounds-- > 0;) text = mutant(std::move(text), random);
    if (text.size() > most_bytes) text.resize(most_bytes);
    soak_input = std::move(text);
    ::alarm(kSlowest);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(soak_input.data()), soak_input.size());
    ::alarm(0);
    rusage used{};
    if (++runs % 64 == 0 && ::getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss > kMostKilobytes) {
      keep_input(soak_memory);
      std::fprintf(stderr, "broken: %ld KiB of memory after %llu inputs\n", used.ru_maxrss, runs);
      return 1;
    }
  }
  std::printf("stat::number_of_executed_units: %llu\n", runs);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  long mutants = 0;
  double seconds = 0;
  std::uint64_t seed = 1;
  std::size_t most_bytes = 65536;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option.starts_with("--") && i + 1 < argc) {
      const char* value = argv[++i];
      if (option == "--mutants")
        mutants = std::strtol(value, nullptr, 10);
      else if (option == "--soak")
        seconds = std::strtod(value, nullptr);
      else if (option == "--seed")
        seed = std::strtoull(value, nullptr, 10);
      else if (option == "--max-bytes")
        most_bytes = std::strtoull(value, nullptr, 10);
      else if (option == "--artifacts")
        soak_prefix = value;
      else
        usage();
      continue;
    }
    if (!std::filesystem::is_directory(argv[i]))
      files.emplace_back(argv[i]);
    else
      for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i]))
        if (entry.is_regular_file()) files.push_back(entry.path());
  }
  if (files.empty()) usage();
  std::ranges::sort(files);
  if (seconds > 0) {
    std::vector<std::string> texts;
    for (const auto& path : files) {
      std::ifstream in(path, std::ios::binary);
      texts.emplace_back((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    }
    return soak(texts, 88172645463325252ull ^ (seed * 0x9e3779b97f4a7c15ull), seconds,
                most_bytes);  // a start value that is not 0
  }
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    std::uint64_t random = 88172645463325252ull;  // Marsaglia's own start value
    for (long i = 0; i < mutants; ++i) {
      const std::string changed = mutant(text, random);
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(changed.data()), changed.size());
    }
  }
  std::printf("%zu files\n", files.size());
}
#endif
