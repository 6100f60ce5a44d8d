#include "compile/made_outputs.h"

#include <algorithm>
#include <string>

#include "compile/output.h"

namespace clusterc {

MadeOutputs::MadeOutputs(const Cluster& c) {
  for (const Output* output : all_outputs())
    if (is_made(c, output->id)) made_.push_back(output->id);
}

bool MadeOutputs::operator()(std::string_view output_id) const {
  return std::find(made_.begin(), made_.end(), output_id) != made_.end();
}

bool is_made(const Cluster& c, std::string_view output_id) {
  return c.memo.get("made: " + std::string(output_id), [&] {
    const Output* output = find_output(output_id);
    const auto* wish = c.spec.outputs.find(output_id);
    return output && output->wanted(c) && !(wish && wish->value.skip.value_or(false));
  });
}

}  // namespace clusterc
