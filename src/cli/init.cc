#include <filesystem>

#include "audit/machine.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cli/bundle.h"
#include "cli/command.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) {
  o.add_options()("probe", po::bool_switch(), "describe the machine that this runs on")(
      "bundle", po::value<std::string>()->default_value("")->value_name("DIR"), "folder of the validators")(
      "force", po::bool_switch(), "overwrite the file")("output,o", po::value<std::string>()->value_name("FILE"),
                                                        "write it there (default, and `-`: standard output)");
}

int run(const po::variables_map& given) {
  if (!given["probe"].as<bool>())
    throw UsageError{"say --probe to describe this machine; for a cluster on paper, start from a file in examples/"};
  const std::string program = find_bundle(given["bundle"].as<std::string>()) + "/clusterc-probe";
  const SubprocessResult ran = clusterc::run({.argv = {program}, .timeout = std::chrono::seconds(120)});
  std::string error = ran.reason;
  std::optional<MachineFacts> machine;
  for (const std::string_view line : split(ran.out, '\n'))
    if (!machine) machine = read_probe(line, error);
  if (!ran.ok() || !machine) {
    put_error("clusterc init: error: the probe did not answer: " + printable(error + "\n" + ran.err) + "\n");
    return kUnjudged;
  }
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  const std::string spec = spec_of_machine(*machine, catalog);
  const std::string path = given.count("output") ? given["output"].as<std::string>() : "-";
  if (path == "-") {
    put(spec);
    return kOk;
  }
  std::error_code failed;
  if (std::filesystem::exists(path, failed) && !given["force"].as<bool>())
    throw UsageError{"'" + path + "' exists: say --force to overwrite it"};
  FileError unwritable;
  if (!write_file(path, spec, unwritable)) throw std::runtime_error(unwritable.message);
  put_error("wrote " + path + ": now 'clusterc check " + path + "', then 'clusterc validate " + path + "'\n");
  return kOk;
}

}  // namespace
const Command kInit{"init", "a first spec: of the machine that this runs on", "clusterc init --probe [-o FILE]",
                    options, run};
}  // namespace clusterc::cli
