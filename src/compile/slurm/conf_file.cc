#include "compile/slurm/conf_file.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "compile/slurm/conf_keys.h"
#include "compile/slurm/conf_values.h"
#include "diag/near.h"
#include "model/slurm_lines.h"
#include "spec/output.h"
#include "spec/software.h"
#include "system/slurm.h"
#include "write/writers.h"

namespace clusterc {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_key_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

// The key of an extra line: "SchedulerParameters" of "SchedulerParameters=bf_continue"; "Include" of an Include line;
// empty for none.
std::string_view key_of(std::string_view line) {
  std::size_t n = 0;
  while (n < line.size() && is_key_character(line[n])) ++n;
  if (n == 0 || !is_letter(line[0])) return {};
  const std::string_view key = line.substr(0, n);
  if (to_lower(key) == "include" && n < line.size() && line[n] == ' ') return key;
  std::string_view rest = trim(line.substr(n));
  if (rest.starts_with("+") || rest.starts_with("-")) rest.remove_prefix(1);  // SlurmctldParameters+=…
  return rest.starts_with("=") && rest.size() > 1 ? key : std::string_view();
}

// Keys that Slurm reads more than once (slurm.conf(5), topology.conf(5), gres.conf(5)).
bool may_repeat(std::string_view lower) {
  for (std::string_view k : {"nodename", "nodeset", "partitionname", "downnodes", "switchname", "blockname", "name",
                             "include", "frontendname"})
    if (lower == k) return true;
  return false;
}

// "partitionname=cpu": what a line defines by a name of which there is one. slurmctld passes over a partition that
// comes again ("duplicate entry for partition"), and ends at a switch that does ("has already been defined"). Names are
// told apart by case. Empty: no such line.
std::string named_by(std::string_view line) {
  const SlurmLine read = read_slurm_line(line, {});
  if (read.pairs.empty()) return {};
  const auto& [key, name] = read.pairs[0];
  if (key != "partitionname" && key != "nodeset" && key != "switchname" && key != "blockname") return {};
  return key == "partitionname" && to_lower(name) == "default"
             ? std::string()
             : key + "=" + name;  // no partition: what those that follow have
}

// The value of a line, without quotes.
std::string_view value_of(std::string_view line) {
  std::string_view value = trim(line.substr(line.find('=') + 1));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

// Whether the value of a line is this program, or a pattern that it is among (slurm.conf(5), Prolog: glob(7)).
bool runs(std::string_view line, const std::string& path) {
  return fnmatch(std::string(value_of(line)).c_str(), path.c_str(), FNM_PATHNAME) == 0;
}

// What holds for compiled lines too says nothing that they say otherwise, and Slurm refuses addresses in it; false
// where it does.
bool check_default(const SlurmLine& line, bool memory_by_cpu, Findings& findings) {
  const std::string& kind = line.pairs[0].first;
  for (const auto& [key, value] : line.pairs) {
    const bool addresses = kind == "nodename" && (key == "nodeaddr" || key == "nodehostname" ||
                                                  (key == "port" && value.find('[') != std::string::npos));
    if (addresses)
      findings
          .error("output-extra-malformed", line.span,
                 "slurmctld does not start if a DEFAULT line has " +
                     (key == "port" ? "a list of ports: such a list has one port for each node"
                                    : "'" + key + "': each node needs its own value"))
          .help("write it in the NodeName line of the node");
    const bool boards = kind == "nodename" && (key == "boards" || key == "socketsperboard"),
               memory = kind == "partitionname" && key == "defmempernode" && memory_by_cpu;
    if (boards)
      findings
          .error("output-extra-contradicts-spec", line.span,
                 "'" + key + "' in the DEFAULT line overrides Sockets of the compiled node lines")
          .help("change the spec instead");
    if (memory)
      findings
          .error("output-extra-contradicts-spec", line.span,
                 "compiled partitions have DefMemPerCPU, which Slurm ignores if the DEFAULT line has 'defmempernode'")
          .help("write DefMemPerNode in a partition of your own");
    if (addresses || boards || memory) return false;
  }
  return true;
}

// The values, and what stands behind the first key: false where the line cannot stand. `memory_by_cpu`: some compiled
// partition has DefMemPerCPU.
bool check_line(const SlurmLine& line, std::string_view first, bool memory_by_cpu, Findings& findings) {
  const std::span<const std::string_view> known = slurm_line_keys(first);
  if (to_lower(first) == "frontendname") {  // has keys of its own, which are not looked at
    findings
        .warning("output-extra-unknown-key", line.span,
                 "slurmctld does not start with FrontendName unless it was built with --enable-front-end, which no "
                 "distribution does")
        .help("if your slurmctld was built with this option, accept the finding");
    return true;
  }
  for (const auto& [key, value] : line.pairs)
    if (const std::string why = slurm_value_refused(first, key, value); !why.empty()) {
      findings.error("output-extra-malformed", line.span, "slurmctld does not start with this '" + key + "': " + why)
          .help("see slurm.conf(5) for its values");
      return false;
    }
  if (!known.empty() && to_lower(line.pairs[0].second) == "default" && !check_default(line, memory_by_cpu, findings))
    return false;
  if (known.empty()) {
    if (line.pairs.size() > 1)
      findings
          .error("output-extra-malformed", line.span,
                 "a line of slurm.conf that begins with '" + std::string(first) +
                     "' can have only that setting, but '" + line.pairs[1].first + "' follows it")
          .help("write each setting in a line of its own");
    return line.pairs.size() <= 1;
  }
  for (std::size_t i = 1; i < line.pairs.size(); ++i) {
    const std::string& key = line.pairs[i].first;
    if (std::any_of(known.begin(), known.end(), [&](std::string_view k) { return to_lower(k) == key; })) continue;
    Finding& f = findings.warning("output-extra-unknown-key", line.span,
                                  "a line of slurm.conf that begins with '" + std::string(first) + "' has no key '" +
                                      key + "' in Slurm 22.05 and 24.11: slurmctld does not start with an unknown key");
    if (!offer_names(f, key, {known.begin(), known.end()}))
      f.help("look it up in slurm.conf(5) of your release; a key of a newer release can stay");
    break;
  }
  return true;
}

// auth/none and cred/none take every identity for true (slurm.conf(5), AuthType and CredType).
void check_identity(std::string_view key, std::string_view text, SourceSpan at, Findings& findings) {
  const std::string lower = to_lower(key);
  const std::string value = to_lower(trim(text.substr(text.find('=') + 1)));
  if ((lower != "authtype" && lower != "credtype") || value.find("/none") == std::string::npos) return;
  findings
      .error("slurm-authentication-off", at,
             format("'{}={}' disables authentication: every user can act as any other user, including root", key,
                    one_line(value)))
      .help(lower == "authtype" ? "remove the line: `AuthType=auth/munge` is compiled"
                                : "remove the line: Slurm signs credentials with munge");
}

// Whether the spec names a release whose keys are all known.
bool is_before(const CompileInput& in, std::string_view release) {
  const auto& scheduler = in.cluster.spec.software->scheduler;
  const Value<Version>* v = in.wish && in.wish->version ? &in.wish->version : scheduler ? &scheduler->version : nullptr;
  std::string error;
  return v && *v && **v < *Version::parse(release, error);
}
bool has_known_release(const CompileInput& in) { return is_before(in, "24.12"); }

}  // namespace

bool check_slurm_line(const SlurmLine& line, std::string_view first, Findings& findings) {
  return check_line(line, first, false, findings);
}

SlurmFile::SlurmFile(const CompileInput& in, std::string name, std::uint32_t mode)
    : in_(in), name_(std::move(name)), mode_(mode) {}

void SlurmFile::keep(std::string_view key, std::string_view value, bool derived, std::string_view why) {
  Entry e{std::string(key), {}, derived};
  KeyValueWriter w(e.text);
  w.pair(key, value);
  if (error_.empty()) error_ = w.error();
  if (!why.empty()) e.text = "# " + one_line(why) + "\n" + e.text;
  entries_.push_back(std::move(e));
}

void SlurmFile::program(std::string_view key, std::string_view path, std::string_view does, bool patterns) {
  set(key, path);
  entries_.back().path = path;
  entries_.back().does = does;
  entries_.back().patterns = patterns;
}

void SlurmFile::option(std::string_view key, std::string_view option, std::string_view value, std::string_view why,
                       std::string_view further) {
  const std::string whole =
      std::string(option) + "=" + std::string(value) + (further.empty() ? "" : ",") + std::string(further);
  set(key, whole, why);
  entries_.back().option = whole;
}

void SlurmFile::line(const Pairs& pairs) {
  Entry e;
  if (!pairs.empty()) e.named = named_by(std::string(pairs.front().first) + "=" + pairs.front().second);
  KeyValueWriter w(e.text);
  for (const auto& [key, value] : pairs)
    if (!value.empty()) w.pair(key, value);
  if (error_.empty()) error_ = w.error();
  entries_.push_back(std::move(e));
}

// Slurm takes the rest of an Include line for a path, blanks and all, and has no quotes there.
void SlurmFile::include(std::string_view path) {
  const bool plain = path.starts_with("/") && std::all_of(path.begin(), path.end(), [](char c) {
                       return is_key_character(c) || std::string_view("/.-+@,").find(c) != std::string_view::npos;
                     });
  if (!plain && error_.empty())
    error_ = "'" + one_line(path) + "' is not an absolute path of letters, digits and _ . - + @ ,";
  entries_.push_back({"Include", "Include " + std::string(path), true});
}

struct SlurmFile::Extra {
  std::string text;
  std::string key;    // "#" of a comment, empty where there is none
  std::string lower;  // the key in lower case
  SourceSpan span;
  bool is_comment() const { return key == "#"; }
  bool has_settings() const { return !is_comment() && lower != "include"; }
};

struct SlurmFile::Extras {
  std::vector<std::string> lines;     // to be written behind the compiled ones
  std::vector<std::string> defaults;  // to be written before the compiled ones that they are for
  std::vector<std::string> replaced;  // keys in lower case: their compiled lines are left out
  std::vector<std::string> named;     // as named_by() has them
};

bool SlurmFile::is_line(const Extra& extra, Findings& findings) const {
  if (extra.key.empty() || extra.text.find_first_of("\n\r") != std::string::npos) {
    findings
        .error("output-extra-malformed", extra.span, "'" + one_line(extra.text) + "' is not a valid line of " + name_)
        .help("write one Key=Value in each line, for example SchedulerParameters=bf_continue");
    return false;
  }
  if (!extra.has_settings()) return true;
  const SlurmLine line = read_slurm_line(extra.text, extra.span);
  const auto twice = std::find_if(line.pairs.begin(), line.pairs.end(),
                                  [&](const auto& p) { return line.value(p.first) != &p.second; });
  if (!line.rest.empty())
    findings
        .error("output-extra-malformed", extra.span,
               "'" + one_line(line.rest.substr(0, 60)) + "' is not Key=Value: Slurm stops reading " + name_ + " there")
        .help("put a value with spaces in quotes; an empty value needs quotes, too");
  else if (twice != line.pairs.end())
    findings
        .error("output-extra-malformed", extra.span,
               "one line of " + name_ + " has '" + twice->first + "' twice: Slurm uses the last")
        .help("keep one of them");
  return line.rest.empty() && twice == line.pairs.end();
}

// A program of the site under the name of a compiled one: the plays would write over it.
bool SlurmFile::is_own_program(const Extra& extra, Findings& findings) const {
  const std::string_view value = value_of(extra.text);
  const auto ours = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return e.path == value && e.path.starts_with(std::string(kSlurmFolder) + "/");
  });
  if (ours == entries_.end()) return true;
  const std::string stem = ours->path.substr(0, ours->path.rfind('.'));
  Finding& f =
      findings.error("slurm-program-overwritten", extra.span,
                     format("'{}={}' is the path of a compiled program: the plays overwrite a program of yours at "
                            "this path. The compiled program {}",
                            extra.key, ours->path, ours->does));
  f.help(format("if you have no program there, remove the line: {} is compiled with this path", ours->key));
  if (ours->patterns && to_lower(ours->key) == extra.lower)
    f.help(format("copy your program to {0}.site.sh on each machine, and write {1}={0}.*sh: Slurm runs both", stem,
                  extra.key));
  else
    f.help(format("copy your program to {0}.site.sh on each machine, and write {1}={0}.site.sh", stem, extra.key));
  return false;
}

// The place of the compiled line with the same key.
bool SlurmFile::takes_place(const Extra& extra, Extras& extras, Findings& findings) const {
  if (extra.is_comment() || may_repeat(extra.lower)) return true;
  if (!is_own_program(extra, findings)) return false;
  const auto ours =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return to_lower(e.key) == extra.lower; });
  if (ours != entries_.end() && ours->derived) {
    findings
        .error("output-extra-contradicts-spec", extra.span,
               "an extra line sets '" + extra.key + "' of " + name_ +
                   ", which is already set from the spec: " + ours->text)
        .help("change the spec instead");
    return false;
  }
  if (std::find(extras.replaced.begin(), extras.replaced.end(), extra.lower) != extras.replaced.end()) {
    findings
        .error("output-extra-malformed", extra.span, "the extra lines of " + name_ + " have '" + extra.key + "' twice")
        .help("keep one of them");
    return false;
  }
  if (ours != entries_.end() && !ours->path.empty() && !runs(extra.text, ours->path)) {
    const std::string pattern = ours->path.substr(0, ours->path.rfind('.')) + "*";
    findings
        .warning("slurm-program-replaced", extra.span,
                 "'" + extra.key + "' replaces " + ours->path + ", which " + ours->does)
        .help(ours->patterns ? "`" + extra.key + "=" + pattern + "` runs " + ours->path +
                                   " and every other program of that pattern; if your program calls " + ours->path +
                                   ", accept the finding"
                             : "if your program calls it, accept the finding");
  }
  extras.replaced.push_back(extra.lower);
  return true;
}

// What it defines has a name that no other line defines.
bool SlurmFile::has_own_name(const Extra& extra, Extras& extras, Findings& findings) const {
  const std::string what = named_by(extra.text);
  if (what.empty()) return true;
  const std::string as_written = extra.key + "=" + what.substr(what.find('=') + 1);
  if (std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.named == what; })) {
    findings.error("output-extra-contradicts-spec", extra.span, name_ + " already has '" + as_written + "'")
        .help("give it another name");
    return false;
  }
  if (std::find(extras.named.begin(), extras.named.end(), what) != extras.named.end()) {
    findings
        .error("output-extra-malformed", extra.span, "the extra lines of " + name_ + " have '" + as_written + "' twice")
        .help("keep one of them");
    return false;
  }
  extras.named.push_back(what);
  return true;
}

// Slurm ends at a key that its release does not have in the files beside slurm.conf, too.
void SlurmFile::check_keys(const Extra& extra, Findings& findings) const {
  const SlurmFileKeys known = slurm_file_keys(name_);
  if (known.first.empty()) return;
  const auto among = [](std::span<const std::string_view> keys, const std::string& lower) {
    return std::ranges::any_of(keys, [&](std::string_view k) { return to_lower(k) == lower; });
  };
  const SlurmLine line = read_slurm_line(extra.text, extra.span);
  for (std::size_t i = 0; i < line.pairs.size(); ++i) {
    const std::string& key = line.pairs[i].first;
    if (among(known.first, key)) continue;
    const bool added = among(known.added, key), old = is_before(in_, "23.02");
    if (added && !old) continue;
    std::string why = format("{} of Slurm {} has no key '{}': slurmd does not start with an unknown key", name_,
                             added ? "22.05" : "22.05 to 25.05", extra.text.substr(line.places[i].begin, key.size()));
    Finding& f = added || has_known_release(in_)
                     ? findings.error("output-extra-unknown-key", extra.span, std::move(why))
                     : findings.warning("output-extra-unknown-key", extra.span, std::move(why));
    std::vector<std::string_view> names(known.first.begin(), known.first.end());
    if (!old) names.insert(names.end(), known.added.begin(), known.added.end());
    if (added)
      f.help("remove the line, or use a newer release of Slurm");
    else if (!offer_names(f, key, names))
      f.help(format("look it up in {}(5) of your release; a key of a newer release can stay", name_));
  }
}

// Keys and values of slurm.conf; an unknown key is a warning, and stands.
bool SlurmFile::is_known_to_slurm(const Extra& extra, Findings& findings) const {
  if (!extra.has_settings()) return true;
  if (name_ != "slurm.conf") return check_keys(extra, findings), true;
  if (!is_slurm_conf_key(extra.key)) {
    // The table has the keys of Slurm 22.05 and 24.11. A newer release may have more: an unknown key is an error only
    // where the spec names an older one.
    std::string why = "slurm.conf of Slurm 22.05 and 24.11 has no key '" + extra.key +
                      "': slurmctld does not start with an unknown key";
    Finding& f = has_known_release(in_) ? findings.error("output-extra-unknown-key", extra.span, std::move(why))
                                        : findings.warning("output-extra-unknown-key", extra.span, std::move(why));
    const std::span<const std::string_view> known = slurm_conf_keys();
    if (!offer_names(f, extra.key, {known.begin(), known.end()}))
      f.help("look it up in slurm.conf(5) of your release; a key of a newer release can stay");
  }
  const bool memory_by_cpu = std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) {
    return e.text.find(" DefMemPerCPU=") != std::string::npos;
  });
  return check_line(read_slurm_line(extra.text, extra.span), extra.key, memory_by_cpu, findings);
}

// Of several options in one key the compiled one stays, unless the line sets it.
std::string SlurmFile::with_compiled_option(const Extra& extra) const {
  const auto ours = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const Entry& e) { return !e.option.empty() && to_lower(e.key) == extra.lower; });
  if (ours == entries_.end() ||
      to_lower(extra.text).find(ours->option.substr(0, ours->option.find('='))) != std::string::npos)
    return extra.text;
  if (extra.text.ends_with('"')) return extra.text.substr(0, extra.text.size() - 1) + "," + ours->option + "\"";
  return extra.text + "," + ours->option;
}

// slurmdbd.conf takes several settings in a line: each has a place of its own. Slurm ends a line at its comment, and so
// does what the compiler puts behind it.
std::vector<SlurmFile::Extra> SlurmFile::settings_of(Extra extra) const {
  const SlurmLine read = read_slurm_line(extra.text, extra.span);
  if (!extra.has_settings() || !read.rest.empty() || read.places.empty()) return {std::move(extra)};
  const bool apart = name_ == "slurmdbd.conf";
  std::vector<Extra> out;
  for (std::size_t i = 0; i < (apart ? read.places.size() : 1); ++i) {
    const std::size_t begin = apart ? read.places[i].begin : 0, end = (apart ? read.places[i] : read.places.back()).end;
    Extra one{extra.text.substr(begin, end - begin), {}, {}, extra.span};
    one.key = key_of(one.text), one.lower = to_lower(one.key);
    out.push_back(std::move(one));
  }
  return out;
}

SlurmFile::Extras SlurmFile::read_extras(Findings& findings) const {
  Extras extras;
  const auto* wishes = extra_of(in_, name_);
  if (!wishes) return extras;
  for (const auto& wish : *wishes) {
    if (!wish) continue;
    Extra extra{std::string(trim(*wish)), {}, {}, wish.span};
    extra.key = extra.text.starts_with("#") ? "#" : std::string(key_of(extra.text));
    extra.lower = to_lower(extra.key);
    if (!is_line(extra, findings)) continue;
    for (const Extra& one : settings_of(std::move(extra))) {
      if (!takes_place(one, extras, findings) || !has_own_name(one, extras, findings)) continue;
      check_identity(one.key, one.text, one.span, findings);
      if (is_known_to_slurm(one, findings)) extras.lines.push_back(with_compiled_option(one));
    }
  }
  return extras;
}

// What holds for the lines that follow it, and for compiled ones too: of those that stand before any other extra line
// of their kind. A file without such lines keeps it where it was.
SlurmFile::Extras SlurmFile::split_defaults(Extras extras) const {
  std::vector<std::string> behind;
  std::set<std::string> begun;
  for (std::string& l : extras.lines) {
    const SlurmLine read = read_slurm_line(l, {});
    const std::string key = read.pairs.empty() ? std::string() : read.pairs[0].first;
    const bool kind = key == "nodename" || key == "partitionname",
               is_default = kind && to_lower(read.pairs[0].second) == "default";
    if (kind && !is_default) begun.insert(key);
    const bool ours = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) {
      return to_lower(e.text.substr(0, key.size() + 1)) == key + "=";
    });
    (is_default && ours && !begun.contains(key) ? extras.defaults : behind).push_back(std::move(l));
  }
  extras.lines = std::move(behind);
  return extras;
}

void SlurmFile::write(const Extras& extras, std::string& out) const {
  std::set<std::string> placed;
  for (const Entry& e : entries_) {
    for (const std::string_view kind : {"NodeName=", "PartitionName="})
      if (e.text.starts_with(kind) && placed.emplace(kind).second)
        for (const std::string& l : extras.defaults)
          if (to_lower(l).starts_with(to_lower(kind.substr(0, kind.size() - 1))))
            out += "# outputs.slurm.extra of the spec\n" + l + "\n";
    if (!e.key.empty() &&
        std::find(extras.replaced.begin(), extras.replaced.end(), to_lower(e.key)) != extras.replaced.end())
      continue;
    out += e.text;
    out += '\n';
  }
  if (!extras.lines.empty()) out += "\n# outputs.slurm.extra of the spec\n";
  for (const std::string& l : extras.lines) out += l, out += '\n';
}

void SlurmFile::finish(Bundle& bundle, Findings& findings) {
  const Extras extras = split_defaults(read_extras(findings));
  if (!error_.empty()) {
    findings.error("slurm-value-unwritable", in_.cluster.spec.name.span,
                   name_ + " cannot hold a value of the spec: " + error_);
    return;
  }
  bundle.open("slurm/" + name_, "slurm", mode_);
  bundle.text() += made_by(in_, "slurm");
  write(extras, bundle.text());
  bundle.close();
}

}  // namespace clusterc
