#include <filesystem>
#include <iostream>

#include "audit/fabric_dump.h"
#include "audit/fabric_spec.h"
#include "audit/files/slurm_spec.h"
#include "audit/machine.h"
#include "base/file.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cli/ask.h"
#include "cli/bundle.h"
#include "cli/command.h"
#include "cli/examples.h"
#include "cli/known_files.h"

namespace clusterc::cli {
namespace {

void options_of_init(po::options_description& o) {
  o.add_options()("example", po::value<std::string>()->value_name("NAME"),
                  "a spec of examples/: lab, superpod, cloud …")(
      "ask", po::bool_switch(), "ask a few questions and write the spec that follows from the answers")(
      "probe", po::bool_switch(), "describe this machine")(
      "from", po::value<std::string>()->value_name("KIND:FILE"),
      "describe a cluster that is there: fabric:FILE is what ibnetdiscover printed ('-' is standard input), slurm:FILE "
      "is a slurm.conf, or the folder of one")("bundle", po::value<std::string>()->default_value("")->value_name("DIR"),
                                               "folder of the validators")(
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

// Nothing: the input ended before the last answer, and it was said.
std::optional<std::string> asked() {
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
std::optional<std::string> from_fabric(const std::string& path) {
  FileError unreadable;
  auto text = read_file(path == "-" ? "/dev/stdin" : path, kLargestDump, unreadable);
  if (!text) throw UsageError{"--from: " + unreadable.message};
  Sources sources;
  Findings findings;
  const SeenFabric seen = read_fabric_dump(sources, sources.add(path, std::move(*text)), findings);
  if (seen.links.empty())
    throw UsageError{"--from: '" + path +
                     "' has no link: it is not what ibnetdiscover, iblinkinfo or ibdiagnet prints"};
  put_error(render_text(findings, sources, {}));
  Catalog catalog(sources, findings);
  std::string error;
  std::string spec = spec_of_fabric(seen, path, catalog, error);
  if (!spec.empty()) return spec;
  put_error("clusterc init: error: '" + printable(path) + "': " + error + "\n");
  return std::nullopt;
}

// The parts go into a folder beside the spec, so standard input and output do not do. Nothing: it was said.
std::optional<std::string> from_slurm(std::string path, const std::string& output, bool force) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (fs::is_directory(path, failed)) path = (fs::path(path) / "slurm.conf").string();
  if (output == "-")
    throw UsageError{"--from slurm: name the file of the spec with -o FILE, because parts are written beside it"};
  FileError unreadable;
  auto text = read_file(path, kLargestDump, unreadable);
  if (!text) throw UsageError{"--from: " + unreadable.message};
  Sources sources;
  Findings of_catalogue, faults;
  const FileId file = sources.add(path, std::move(*text));
  const OtherFile* known = recognise_other_file(sources.text(file));
  if (!known || known->kind != FileKind::slurm_conf)
    throw UsageError{"--from: '" + path + "' is no slurm.conf" + (known ? ", but " + std::string(known->name) : "")};
  Catalog catalog(sources, of_catalogue);
  const SlurmSpec made =
      spec_of_slurm(sources, file, printable(path), files_beside(path, sources, kLargestDump), catalog, faults);
  put_error(render_text(faults, sources, {}));
  if (!made.error.empty()) {
    put_error("clusterc init: error: '" + printable(path) + "': " + made.error + "\n");
    return std::nullopt;
  }
  const fs::path folder = fs::path(output).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, failed))
    throw UsageError{"there is no folder '" + folder.string() + "' for the spec"};
  if (FileError unwritable; !can_write_file(output, unwritable)) throw UsageError{"-o: " + unwritable.message};
  for (const SlurmSpec::Part& part : made.parts)
    if (const fs::path there = folder / part.file; fs::exists(there, failed) && !force)
      throw UsageError{"'" + there.string() + "' exists: --force overwrites it"};
  for (const SlurmSpec::Part& part : made.parts) {
    const fs::path there = folder / part.file;
    fs::create_directories(there.parent_path(), failed);
    FileError unwritable;
    if (!write_file(there.string(), part.text, unwritable)) throw std::runtime_error(unwritable.message);
    put_error("wrote " + there.string() + "\n");
  }
  if (!made.lost.empty()) {
    put_error(format("clusterc init: {} of Slurm's files {} not in the spec as written there:\n",
                     made.lost.size() == 1 ? "1 setting" : format("{} settings", made.lost.size()),
                     made.lost.size() == 1 ? "is" : "are"));
    for (const std::string& lost : made.lost) put_error("  - " + lost + "\n");
  }
  put_error(
      "clusterc init: this cluster runs. The plays set the time zone and the host name, replace files, and restart "
      "slurmctld and slurmd: show the changes first, with 'ansible-playbook site.yml --check --diff --limit "
      "ONE-NODE'\n");
  return made.spec;
}

std::optional<std::string> captured(const std::string& from, const std::string& output, bool force) {
  const std::size_t colon = from.find(':');
  const std::string kind = from.substr(0, colon), path = colon == std::string::npos ? "" : from.substr(colon + 1);
  if (kind == "fabric" && !path.empty()) return from_fabric(path);
  if (kind == "slurm" && !path.empty()) return from_slurm(path, output, force);
  throw UsageError{
      "--from: write fabric:FILE, with what ibnetdiscover printed, or slurm:FILE, with a slurm.conf, not '" + from +
      "'"};
}

int run_init(const po::variables_map& given) {
  const bool probe = given["probe"].as<bool>(), ask = given["ask"].as<bool>();
  if (probe + ask + static_cast<int>(given.count("example")) + static_cast<int>(given.count("from")) != 1)
    throw UsageError{
        "use one of --example NAME (a spec that works), --ask (questions), --probe (this machine) and --from "
        "fabric:FILE or slurm:FILE (a cluster that is there)"};
  const std::string path = given.count("output") ? given["output"].as<std::string>() : "-";
  std::error_code failed;
  if (path != "-" && std::filesystem::exists(path, failed) && !given["force"].as<bool>())
    throw UsageError{"'" + path + "' exists: --force overwrites it"};
  const auto spec = probe                 ? probed(given)
                    : ask                 ? asked()
                    : given.count("from") ? captured(given["from"].as<std::string>(), path, given["force"].as<bool>())
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
const Command kInit{"init",
                    "write a first spec: an example, from questions, of this machine, or of a cluster that is there",
                    "clusterc init --example NAME|--ask|--probe|--from KIND:FILE [-o FILE]", options_of_init, run_init};
}  // namespace clusterc::cli
