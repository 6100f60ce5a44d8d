#include "compile/common.h"

#include <algorithm>

#include "base/text.h"
#include "compile/extra_tables.h"
#include "diag/near.h"
#include "spec/output.h"

namespace clusterc {

std::string made_by(const CompileInput& in, std::string_view output_id, std::string_view comment) {
  std::string out(comment);
  out += "made by clusterc from spec '";
  out += one_line(in.cluster.spec.name.value_or(""));
  out += "'; do not edit: ";
  if (output_id.empty())
    out += "it follows from the spec";
  else
    out += "use outputs.", out += output_id, out += ".extra";
  out += '\n';
  for (const Finding& f : in.accepted) {
    out += comment;
    out += "accepted: ";
    out += f.rule;
    for (const std::string& object : f.objects) out += ' ', out += one_line(object);
    if (f.accepted) out += ": ", out += one_line(*f.accepted);
    out += '\n';
  }
  return out;
}

const std::vector<Value<std::string>>* extra_of(const CompileInput& in, std::string_view file) {
  const auto* found = in.wish ? in.wish->extra.find(file) : nullptr;
  return found ? &found->value : nullptr;
}

void check_extra_files(const CompileInput& in, std::string_view output_id, const std::vector<std::string_view>& known,
                       Findings& findings) {
  if (!in.wish) return;
  for (const auto& entry : in.wish->extra) {
    if (std::find(known.begin(), known.end(), entry.name) != known.end()) {
      check_extra_values(output_id, entry.name, entry.value, findings);
      continue;
    }
    auto& f = findings.error(
        "output-extra-unknown-file", entry.name_span,
        "output '" + std::string(output_id) + "' has no file '" + entry.name + "' that can have extra lines");
    if (!offer_names(f, entry.name, known) && !known.empty())
      f.help("files that can have extra lines: " + join(known, ", "));
  }
}

}  // namespace clusterc
