// Any bytes at all as a slurm.conf, with itself as the files beside it: the spec that is written of it is YAML with the
// sections of a spec, and parts lie in their folder.
#include <cstdint>
#include <string>
#include <string_view>

#include "audit/files/slurm_spec.h"
#include "broken.h"
#include "yaml/document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clusterc;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sources sources;
  Findings of_catalogue, faults;
  Catalog catalog(sources, of_catalogue);
  const FileId file = sources.add("slurm.conf", text);
  const auto beside = [&](const std::string& name) -> std::optional<FileId> { return sources.add(name, text); };
  const SlurmSpec made = spec_of_slurm(sources, file, "slurm.conf", beside, catalog, faults);
  if (made.error.empty() == made.spec.empty()) broken("a spec and an error, or neither", text);
  const auto readable = [&](const std::string& yaml) {
    Findings findings;
    const FileId written = sources.add("written", yaml);
    if (parse_yaml(sources, written, findings) && findings.all().empty()) return;
    const std::string why = findings.all().empty() ? "no document" : findings.all().front().message;
    broken(("YAML that cannot be read: " + why + ":\n" + yaml).c_str(), text);
  };
  if (!made.spec.empty()) readable(made.spec);
  for (const SlurmSpec::Part& part : made.parts) {
    if (!part.file.starts_with(kSlurmParts) || part.file.find("..") != part.file.npos) broken("a part elsewhere", text);
    readable(part.text);
  }
  return 0;
}

#include "fuzz_main.h"
