// Any bytes at all: the loader must end, within its limits, with a document whose places lie in the text or with a
// finding, and its short way for simple text must come to the same as the parser. With clang:
// -fsanitize=fuzzer,address. Without libFuzzer, CLUSTERC_FUZZ_MAIN makes a program that runs the files and folders
// named on its command line once each; `--mutants N` adds N altered copies of each, the same ones every time.
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

void check_node(const clusterc::Document& document, clusterc::NodeId node, std::size_t text_size, std::uint32_t depth,
                std::size_t& budget) {
  using namespace clusterc;
  if (node >= document.node_count()) broken("a node that does not exist");
  if (depth > 64 && document.size(node) != 0) broken("deeper than the limit");
  const SourceSpan span = document.span(node);
  if (span.begin > span.end || span.end > text_size) broken("a place outside of the text");
  (void)document.scalar(node);
  std::size_t children = 0;
  bool key = document.is_mapping(node);
  for (NodeId child = document.first_child(node); child != kNoNode; child = document.next_sibling(child)) {
    if (budget-- == 0) return;  // aliases may make far more of it than there are nodes
    if (key && !document.is_scalar(child)) broken("a key that is no text");
    if (document.is_mapping(node)) key = !key;
    check_node(document, child, text_size, depth + 1, budget);
    ++children;
  }
  if (budget != 0 && children != document.size(node) * (document.is_mapping(node) ? 2 : 1))
    broken("a wrong number of children");
}

void compare(const clusterc::Document& a, clusterc::NodeId x, const clusterc::Document& b, clusterc::NodeId y) {
  using namespace clusterc;
  if (a.kind(x) != b.kind(y) || a.span(x) != b.span(y) || a.scalar(x) != b.scalar(y) || a.quoted(x) != b.quoted(y) ||
      a.size(x) != b.size(y))
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
    if (document.has_value() != full.has_value())
      broken(full ? "the short way refuses" : "the short way accepts too much");
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

#include "fuzz_main.h"
