// Any bytes at all as a template: it is refused at a place inside its text, or renders within its bounds to the same
// bytes twice, and nothing that the spec says stands unquoted in what it gives unless the template says | safe. With
// clang: -fsanitize=fuzzer,address. Without libFuzzer see fuzz_main.h.
#include <cstdint>
#include <string>
#include <string_view>

#include "broken.h"
#include "template/template.h"

namespace {

using namespace clusterc;
using Value = TemplateValue;

constexpr std::string_view kMark = "\x01'\"$(evil)\n{{";  // of the spec: stands in no output as it is

TemplateMap names() {
  Value rate = Value::of(std::string("400 Gb/s"));
  rate.si = 4e11;
  auto list = Value::list(std::make_shared<TemplateList>(
      std::vector{Value::of(std::string("a")), Value::of(std::string(kMark)), Value::of(std::int64_t{3})}));
  auto node = Value::map(
      std::make_shared<TemplateMap>(std::vector<std::pair<std::string, Value>>{{"name", Value::of(std::string("n1"))},
                                                                               {"evil", Value::of(std::string(kMark))},
                                                                               {"none", Value::absent("")},
                                                                               {"list", list}},
                                    true));
  return TemplateMap({{"name", Value::of(std::string("lab"))},
                      {"count", Value::of(std::int64_t{4})},
                      {"rate", rate},
                      {"list", list},
                      {"node", node},
                      {"evil", Value::of(std::string(kMark))},
                      {"compiled", Value::of(std::string("a\nb=1\n"), true)}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string first;
  for (int time = 0; time < 2; ++time) {
    Sources sources;
    Findings findings;
    const FileId file = sources.add("x.tmpl", text);
    const auto t = Template::parse(sources, file, findings);
    if (!t != !findings.empty()) broken("refused without a reason, or taken with one", text);
    std::string out;
    if (t) {
      const bool whole = t->render(names(), [&](std::string_view name) { return name == "x" ? t.get() : nullptr; }, out,
                                   findings, {.bytes = 1 << 16, .steps = 20'000});
      if (whole != findings.empty()) broken("rendered with a finding, or not without one", text);
      if (out.size() > (1u << 16)) broken("more than the bound", text);
      if (text.find("safe") == text.npos && text.find('\x01') == text.npos && out.find(kMark) != out.npos &&
          text.find("quote") == text.npos)
        broken("a value stands unquoted", text);
    }
    for (const Finding& f : findings.all())
      if (f.span.file != file || f.span.begin > text.size() || f.span.end > text.size() || f.span.begin > f.span.end ||
          f.message.empty())
        broken("a finding without a place in the text", text);
    if (findings.all().size() > 1) broken("one cause, two findings", text);
    if (time == 0)
      first = out;
    else if (first != out)
      broken("twice, and not the same", text);
  }
  return 0;
}

#include "fuzz_main.h"
