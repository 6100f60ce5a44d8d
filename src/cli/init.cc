#include <filesystem>
#include <iostream>

#include "audit/fabric_spec.h"
#include "audit/machine.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cli/ask.h"
#include "cli/bundle.h"
#include "cli/command.h"
#include "cli/examples.h"

namespace clusterc::cli {
namespace {

void options(po::options_description& o) {
  o.add_options()("example", po::value<std::string>()->value_name("NAME"),
                  "a spec of examples/: lab, superpod, cloud …")(
      "ask", po::bool_switch(), "ask a few questions and write the spec that follows from the answers")(
      "probe", po::bool_switch(), "describe this machine")(
      "from", po::value<std::string>()->value_name("fabric:FILE"),
      "describe the running InfiniBand fabric that ibnetdiscover printed; '-' is standard input")(
      "bundle", po::value<std::string>()->default_value("")->value_name("DIR"), "folder of the validators")(
      "force", po::bool_switch(), "overwrite the file")("output,o", po::value<std::string>()->value_name("FILE"),
                                                        "write to this file (default, and `-`: standard output)");
}

std::string example(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Example& e : examples()) {
    if (e.name == name) return std::string(e.text);
    known.push_back(e.name);
  }
  const auto near = nearest_name(name, known);
  throw UsageError{"there is no example '" + name + "'; " +
                   (near ? "did you mean '" + std::string(*near) + "'?" : "there are " + join(known, ", "))};
}

std::string asked() {
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  const auto answer = [](const std::string& prompt) -> std::optional<std::string> {
    put_error(prompt);
    std::string line;
    if (!std::getline(std::cin, line)) {
      put_error("\n");
      return std::nullopt;
    }
    return line;
  };
  return spec_from_answers(catalog, answer, [](const std::string& text) { put_error(text); });
}

// Nothing: the probe did not answer, and it was said.
std::optional<std::string> probed(const po::variables_map& given) {
  const std::string program = find_bundle(given["bundle"].as<std::string>()) + "/clusterc-probe";
  const SubprocessResult ran = clusterc::run({.argv = {program}, .timeout = std::chrono::seconds(120)});
  std::string error = ran.reason;
  std::optional<MachineFacts> machine;
  for (const std::string_view line : split(ran.out, '\n'))
    if (!machine) machine = read_probe(line, error);
  if (!ran.ok() || !machine) {
    put_error("clusterc init: error: the probe did not answer: " + printable(error + "\n" + ran.err) + "\n");
    return std::nullopt;
  }
  Sources sources;
  Findings findings;
  Catalog catalog(sources, findings);
  return spec_of_machine(*machine, catalog);
}

// Nothing: no spec can be written from it, and it was said.
std::optional<std::string> captured(const std::string& from) {
  const std::size_t colon = from.find(':');
  if (from.substr(0, colon) != "fabric" || colon == std::string::npos || colon + 1 == from.size())
    throw UsageError{"--from: write fabric:FILE, with what ibnetdiscover printed, not '" + from + "'"};
  const std::string path = from.substr(colon + 1);
  FileError unreadable;
  auto text = read_file(path == "-" ? "/dev/stdin" : path, kLargestDump, unreadable);
  if (!text) throw UsageError{"--from: " + unreadable.message};
  Sources sources;
  Findings findings;
  const SeenFabric seen = read_ibnetdiscover(sources, sources.add(path, std::move(*text)), findings);
  if (seen.links.empty()) throw UsageError{"--from: '" + path + "' has no link: it is not what ibnetdiscover prints"};
  put_error(render_text(findings, sources, {}));
  Catalog catalog(sources, findings);
  std::string error;
  std::string spec = spec_of_fabric(seen, path, catalog, error);
  if (!spec.empty()) return spec;
  put_error("clusterc init: error: '" + printable(path) + "': " + error + "\n");
  return std::nullopt;
}

int run(const po::variables_map& given) {
  const bool probe = given["probe"].as<bool>(), ask = given["ask"].as<bool>();
  if (probe + ask + static_cast<int>(given.count("example")) + static_cast<int>(given.count("from")) != 1)
    throw UsageError{
        "use one of --example NAME (a spec that works), --ask (questions), --probe (this machine) and --from "
        "fabric:FILE (a running fabric)"};
  const std::string path = given.count("output") ? given["output"].as<std::string>() : "-";
  std::error_code failed;
  if (path != "-" && std::filesystem::exists(path, failed) && !given["force"].as<bool>())
    throw UsageError{"'" + path + "' exists: --force overwrites it"};
  const auto spec = probe                 ? probed(given)
                    : ask                 ? asked()
                    : given.count("from") ? captured(given["from"].as<std::string>())
                                          : std::optional<std::string>(example(given["example"].as<std::string>()));
  if (!spec) return kUnjudged;
  if (path == "-") {
    put(*spec);
    return kOk;
  }
  FileError unwritable;
  if (!write_file(path, *spec, unwritable)) throw std::runtime_error(unwritable.message);
  put_error("wrote " + path + ": now 'clusterc check " + path + "', then 'clusterc " + (probe ? "validate " : "plan ") +
            path + "'\n");
  return kOk;
}

}  // namespace
const Command kInit{"init", "write a first spec: an example, from questions, of this machine, or of a running fabric",
                    "clusterc init --example NAME|--ask|--probe|--from fabric:FILE [-o FILE]", options, run};
}  // namespace clusterc::cli
