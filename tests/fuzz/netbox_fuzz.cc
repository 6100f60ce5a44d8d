// Any bytes at all as a type of NetBox's library: the importer's findings lie inside its text, and a part that is made
// of it reads back as a file of `parts:` without an error. With clang: -fsanitize=fuzzer,address. Without libFuzzer see
// fuzz_main.h.
#include <cstdint>
#include <string>
#include <string_view>

#include "broken.h"
#include "catalog/facts.h"
#include "catalog/netbox.h"

using namespace clusterc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sources sources;
  Findings findings;
  const FileId file = sources.add("type.yaml", text);
  const auto document = parse_yaml(sources, file, findings);
  const auto type = document ? read_netbox(*document, findings) : std::nullopt;
  if (!type && findings.empty()) broken("refused without a reason", text);
  if (type) {
    lint_netbox(*type, findings);
    const auto part = part_of(*type, "library: type.yaml", supply_of(*type), findings);
    if (part) {
      Sources own;
      Findings read;
      Catalog catalog(own, read);
      catalog.add_own_file(own.add("part.yaml", part->text));
      if (read.count(Severity::error) > 0) broken(read.all().front().message.c_str(), text);
      if (!part_record(catalog, part->kind, part->id).record)
        broken("a part that its own catalogue does not know", text);
    }
  }
  for (const Finding& f : findings.all())
    if (f.rule.starts_with("netbox-") && (f.span.file != file || f.span.begin > f.span.end ||
                                          f.span.end > sources.text(file).size() || f.message.empty()))
      broken("a finding without a place in the text", text);
  return 0;
}

#include "fuzz_main.h"
