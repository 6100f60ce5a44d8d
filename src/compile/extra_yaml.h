// `extra:` lines of YAML files. Each is one entry, "key: value", whatever its value is made of (a list or a mapping may
// follow on indented lines); it is parsed before it is taken over, so that no line of a user breaks the file that it is
// put into.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "compile/common.h"
#include "yaml/document.h"

namespace clusterc {

struct Refusal {
  std::string why;           // empty: none
  bool contradicts = false;  // the spec says otherwise; else the reader of the file would not take it
};
struct YamlEntry {
  std::string key;
  std::string text;  // as the user wrote it, from the first column, with a line end
};

// The entries of `file` that can stand in it. `example` is shown where one cannot. Keys of `ours` follow from the spec:
// naming one is a finding, as is one key twice. `look`, where given, may refuse an entry by what is inside.
std::vector<YamlEntry> yaml_entries(
    const CompileInput&, std::string_view file, const std::vector<std::string_view>& ours, std::string_view example,
    Findings&, const std::function<Refusal(const Document&, NodeId value, std::string_view key)>& look = {});

// Below a key at this depth: every line that is not empty gets so many blanks in front.
void append_indented(std::string& out, std::string_view text, unsigned indent);

}  // namespace clusterc
