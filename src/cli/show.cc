#include "fields/show.h"

#include "base/json_writer.h"
#include "cli/command.h"
#include "spec/types.h"

namespace clusterc::cli {
namespace {

void options_of_show(po::options_description& o) {
  add_positional(o, "SPEC");
  add_findings_options(o);
  o.add_options()("bare", po::bool_switch(), "without the comments on the origin of each value, and with every digit");
}

int run_show(const po::variables_map& given) {
  const std::string path = one_spec(given);
  const Format format = text_or_json(given, "a spec is");
  auto result = run_pipeline(path, Stage::resolved, run_options(given, path));
  const int status = report_findings(*result, path, given, true);
  if (!result->cluster) return status;
  if (format == Format::json) {
    std::string out;
    JsonWriter json(out, {.indent = 1});
    show_json(result->cluster->spec, json);
    put(out + "\n");
  } else {
    put(show_yaml(result->cluster->spec, {.origins = !given["bare"].as<bool>()}));
  }
  return status;
}

}  // namespace
const Command kShow{"show", "the spec with every default and derived value filled in, and the origin of each",
                    "clusterc show SPEC [--format text|json] [--bare]", options_of_show, run_show};
}  // namespace clusterc::cli
