// Any bytes at all: the loader must end, within its limits, with a document whose places lie in the text or with a finding,
// and its short way for simple text must come to the same as the parser.
// With clang: -fsanitize=fuzzer,address. Without libFuzzer, CLUSTERC_FUZZ_MAIN makes a program that runs the files and
// folders named on its command line once each; `--mutants N` adds N altered copies of each, the same ones every time.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "diag/render.h"
#include "yaml/document.h"
#include "yaml/scan.h"

namespace {

[[noreturn]] void broken(const char* what) {
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

void check_node(const clusterc::Document& document, clusterc::NodeId node, std::size_t text_size, std::uint32_t depth, std::size_t& budget) {
  using namespace clusterc;
  if (node >= document.node_count()) broken("a node that does not exist");
  if (depth > 64 && document.size(node) != 0) broken("deeper than the limit");
  const SourceSpan span = document.span(node);
  if (span.begin > span.end || span.end > text_size) broken("a place outside of the text");
  (void)document.scalar(node);
  std::size_t children = 0;
  bool key = document.is_mapping(node);
  for (NodeId child = document.first_child(node); child != kNoNode; child = document.next_sibling(child)) {
    if (budget-- == 0) return;   // aliases may make far more of it than there are nodes
    if (key && !document.is_scalar(child)) broken("a key that is no text");
    if (document.is_mapping(node)) key = !key;
    check_node(document, child, text_size, depth + 1, budget);
    ++children;
  }
  if (budget != 0 && children != document.size(node) * (document.is_mapping(node) ? 2 : 1)) broken("a wrong number of children");
}

void compare(const clusterc::Document& a, clusterc::NodeId x, const clusterc::Document& b, clusterc::NodeId y) {
  using namespace clusterc;
  if (a.kind(x) != b.kind(y) || a.span(x) != b.span(y) || a.scalar(x) != b.scalar(y) || a.quoted(x) != b.quoted(y) || a.size(x) != b.size(y))
    broken("the short way reads something else");
  NodeId i = a.first_child(x), j = b.first_child(y);
  for (; i != kNoNode && j != kNoNode; i = a.next_sibling(i), j = b.next_sibling(j)) compare(a, i, b, j);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clusterc;
  Sources sources;
  const FileId file = sources.add("fuzz.yaml", std::string(reinterpret_cast<const char*>(data), size));
  Findings findings;
  const auto document = parse_yaml(sources, file, findings);
  if (!document && findings.empty()) broken("neither a document nor a finding");
  if (document) {
    std::size_t budget = 100000;
    check_node(*document, document->root(), size, 1, budget);
  }
  Findings full_findings;
  if (const ScanResult scan = scan_yaml(sources, file, full_findings, {}); scan.ok && scan.simple && !scan.empty) {
    const auto full = parse_yaml_in_full(sources, file, full_findings, {}, scan);
    if (document.has_value() != full.has_value()) broken(full ? "the short way refuses" : "the short way accepts too much");
    if (findings.all().size() != full_findings.all().size()) broken("the short way has other findings");
    if (full) compare(*document, document->root(), *full, full->root());
  }
  findings.sort(sources);
  (void)render_text(findings, sources);
  (void)render_json(findings, sources);
  (void)render_sarif(findings, sources, {});
  (void)render_junit(findings, sources);
  return 0;
}

#ifdef CLUSTERC_FUZZ_MAIN
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

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
  if (files.empty()) broken("no file to run");
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
