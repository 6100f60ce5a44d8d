#include "spec/schema.h"

#include "cli/command.h"

namespace clusterc::cli {
namespace {

void options_of_schema(po::options_description& o) {
  o.add_options()("reference", po::bool_switch(), "the reference page in Markdown instead");
}

int run_schema(const po::variables_map& given) {
  put(given["reference"].as<bool>() ? spec_reference() : spec_schema());
  return kOk;
}

}  // namespace
const Command kSchema{"schema", "the JSON Schema of the spec language, for editors", "clusterc schema [--reference]",
                      options_of_schema, run_schema};
}  // namespace clusterc::cli
