// Writes one of several trees, for the fault tests to kill, to starve and to time.
//   fault_write_tree DIR VARIANT FILES [BYTES [made]]    FILES files, each with VARIANT in its text; one in four is the same in all; made: when they are written
// Exit status 0: written, or nothing to do; 1: refused, with the reason on standard output.
#include <cstdio>
#include <string>

#include "base/text.h"
#include "write/tree.h"

int main(int argc, char** argv) {
  using namespace clusterc;
  if (argc < 4) return 2;
  const std::string variant = argv[2];
  const auto files = parse_uint(argv[3]), bytes = parse_uint(argc > 4 ? argv[4] : "100");
  if (!files || !bytes) return 2;
  Bundle bundle;
  for (std::uint64_t i = 0; i < *files; ++i) {
    std::string path = "d";
    append_padded(path, i / 500, 3);
    path += "/f";
    append_padded(path, i, 6);
    const auto make = [=] {
      std::string text = (i % 4 == 0 ? "all" : variant) + '\n';
      append_uint(text, i);
      text.append(*bytes, '.');
      return text;
    };
    if (argc > 5) bundle.add_made(path, "fault test", make);
    else bundle.add(path, "fault test", make());
  }
  const WriteResult result = write_tree(bundle, argv[1], {.spec_digest = variant, .tool_version = "fault"});
  std::printf("%s written %zu unchanged %zu removed %zu\n", result.ok ? "ok" : result.error.c_str(), result.written, result.unchanged, result.removed);
  return result.ok ? 0 : 1;
}
