// Writes one of several trees, for the fault tests to kill, to starve and to time.
//   fault_write_tree DIR VARIANT FILES [BYTES [made]]    FILES files, each with VARIANT in its text; one in four is the
//   same in all; made: when they are written
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
  const bool made = argc > 5;
  Bundle bundle;
  WriteResult result;
  try {
    Tree tree(argv[1], {.spec_digest = variant, .tool_version = "fault"});
    for (std::uint64_t i = 0; i < *files; ++i) {
      std::string path = "d", text = (i % 4 == 0 ? "all" : variant) + '\n';
      append_padded(path, i / 500, 3);
      path += "/f";
      append_padded(path, i, 6);
      append_uint(text, i);
      text.append(*bytes, '.');
      if (made)
        tree.put(path, "fault test", text);
      else
        bundle.add(path, "fault test", text);
    }
    if (made) result = tree.finish();
  } catch (const WriteError& failed) {
    result.error = failed.what();
  }
  if (!made) result = write_tree(bundle, argv[1], {.spec_digest = variant, .tool_version = "fault"});
  std::printf("%s written %zu unchanged %zu removed %zu\n", result.ok ? "ok" : result.error.c_str(), result.written,
              result.unchanged, result.removed);
  return result.ok ? 0 : 1;
}
