// Any text as a spec that is checked, mended and checked again: each edit changes its own bytes and no others, what was
// mended is gone, nothing that could be read becomes unreadable, no error is added, and a second run changes nothing.
// With clang: -fsanitize=fuzzer,address. Without libFuzzer see fuzz_main.h.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diag/apply_fixes.h"
#include "diag/mend.h"
#include "pipeline.h"

namespace {

using namespace clusterc;

constexpr std::size_t kMostChecks = 40;

[[noreturn]] void broken(const char* what, std::string_view more = {}) {
  std::fprintf(stderr, "broken: %s: %.*s\n", what, static_cast<int>(more.size()), more.data());
  std::abort();
}

CheckedText judge(const std::string& text) {
  RunOptions options;
  options.from_stdin = true;
  options.stdin_text = text;
  options.folder = "/nonexistent";  // own parts and inventories are none of this
  options.today = Date{2026, 11, 1};
  std::shared_ptr<Run> run = run_pipeline("fuzz.yaml", Stage::checked, options);
  run->findings.sort(run->sources);
  return {run, &run->findings, &run->sources, 0, run->unreadable.empty()};
}

// The edits of one fix put in by hand, from behind.
std::string edited(std::string text, const Fix& fix) {
  std::vector<const Edit*> edits;
  for (const Edit& e : fix.edits) edits.push_back(&e);
  std::ranges::stable_sort(edits, [](const Edit* a, const Edit* b) { return a->span.begin > b->span.begin; });
  for (const Edit* e : edits) text.replace(e->span.begin, e->span.end - e->span.begin, e->replacement);
  return text;
}

bool starts_character(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

std::size_t errors(const CheckedText& judged) {
  return static_cast<std::size_t>(std::ranges::count_if(
      judged.findings->all(), [](const Finding& f) { return f.severity == Severity::error && f.counts(); }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const CheckedText first = judge(text);
  bool any = false;
  for (const Finding& f : first.findings->all()) {
    if (!f.fix) continue;
    if (f.fix->title.empty() || f.fix->edits.empty()) broken("a fix without words or edits", f.message);
    any = true;
    bool ours = true;
    for (const Edit& e : f.fix->edits) {
      ours = ours && e.span.file == 0;
      if (e.span.file != 0) continue;
      if (e.span.begin > e.span.end || e.span.end > text.size()) broken("an edit outside of the text", f.message);
      if (!starts_character(text, e.span.begin) || !starts_character(text, e.span.end))
        broken("an edit that cuts a character", f.message);
    }
    if (!ours) continue;
    const Fix* one[] = {&*f.fix};
    const Patched patched = apply_fixes(text, 0, one);
    if (patched.applied[0] && patched.text != edited(text, *f.fix))
      broken("more than the edits was changed", f.message);
    if (!patched.applied[0] && patched.text != text)
      broken("a fix that was not applied has changed the text", f.message);
  }
  const Mended mended = mend(text, judge, kMostChecks);
  if (!any && mended.text != text && first.readable) broken("mended without a fix");
  if (mended.applied.empty() && mended.text != text) broken("changed without saying so");
  if (first.readable && !mended.last.readable) broken("mended until it cannot be read");
  if (first.readable && errors(mended.last) > errors(first)) broken("mending has added errors");
  // A run that ran out of checks may go on; any other is finished.
  const bool finished =
      std::ranges::none_of(mended.refused, [](const MendStep& s) { return s.why_not.starts_with("too many fixes"); });
  if (finished && !mended.applied.empty() && mend(mended.text, judge, kMostChecks).text != mended.text)
    broken("a second run changes something");
  return 0;
}

#include "fuzz_main.h"
