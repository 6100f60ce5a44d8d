// Any bytes at all as the answers of a BMC: the first resource is the text up to a zero byte, the next one the text
// behind it, and so on, again and again. The walk ends, asks for paths below /redfish/ alone and for none twice, and
// counts no more parts than it read resources.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "audit/redfish_walk.h"
#include "broken.h"

using namespace clusterc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> answers;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    answers.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  RedfishLimits limits;
  limits.resources = 200;
  limits.answer_bytes = 1 << 16;
  limits.depth = 16;
  RedfishParser parser(limits);
  RedfishWalk walk(parser, limits);
  std::set<std::string> asked;
  std::size_t n = 0;
  while (const auto path = walk.next()) {
    if (redfish_path(*path) != (*path == "/redfish/v1/" ? "/redfish/v1" : *path))
      broken("a path that may not be asked for", *path);
    if (!asked.insert(*path).second) broken("a resource is read twice", *path);
    if (n > limits.resources + 1) broken("the walk does not end", text);
    if (n % 7 == 6)
      walk.failed("is missing");
    else
      walk.answer(answers[n % answers.size()]);
    ++n;
  }
  const HardwareSeen seen = walk.take();
  for (const SeenParts* parts : {&seen.cpus, &seen.gpus, &seen.dimms, &seen.drives, &seen.nics})
    if (parts->count() > seen.resources) broken("more parts than resources", text);
  if (seen.unread.size() > 4) broken("too many reasons are kept", text);
  return 0;
}

#include "fuzz_main.h"
