// One file in Slurm's own syntax: lines of Key=Value, quoted by construction, and the user's extra lines behind them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "compile/common.h"

namespace clusterc {

struct SlurmLine;

class SlurmFile {
 public:
  using Pairs = std::vector<std::pair<std::string_view, std::string>>;

  SlurmFile(const CompileInput&, std::string name, std::uint32_t mode = 0644);

  void blank() { entries_.push_back({}); }
  void comment(std::string_view text) { entries_.push_back({{}, "# " + one_line(text), false}); }
  // A line on its own. An extra line with the same key takes its place, unless the value follows from the spec.
  // `why` is a comment above it, and goes with it.
  void set(std::string_view key, std::string_view value, std::string_view why = {}) { keep(key, value, false, why); }
  // The same of a program: who puts another in its place is told what it `does`. `patterns`: Slurm runs all programs
  // whose names a pattern has, as of Prolog and Epilog.
  void program(std::string_view key, std::string_view path, std::string_view does, bool patterns = true);
  // The same of one option of a key that takes several, Key=option=value: an extra line with the same key keeps it,
  // unless it sets the option itself.
  // `further`: options behind it, which an extra line that sets the first one has to repeat.
  void option(std::string_view key, std::string_view option, std::string_view value, std::string_view why,
              std::string_view further = {});
  void derived(std::string_view key, std::string_view value) { keep(key, value, true, {}); }
  void line(const Pairs&);  // NodeName=… CPUs=…: several keys; empty values are left out; the first key may come again,
                            // with another value

  void include(std::string_view path);  // "Include /etc/…": what is not to stand here, such as a password
  // "slurm/<name>" with the header, and the extra lines behind the others; those of them that begin with
  // NodeName=DEFAULT or PartitionName=DEFAULT stand before the lines that they are for.
  void finish(Bundle&, Findings&);

 private:
  struct Entry {
    std::string key, text;
    bool derived = false;
    std::string named = {}, path = {}, does = {}, option = {};
    bool patterns = true;
  };             // named: "PartitionName=cpu" of a line of several keys; path, does: of a program; option: "name=value"
  struct Extra;  // an extra line
  struct Extras;  // the extra lines that stand in the file
  void keep(std::string_view key, std::string_view value, bool derived, std::string_view why);
  // A step of reading an extra line: false where the line cannot stand; the finding says why.
  bool is_line(const Extra&, Findings&) const;
  std::vector<Extra> settings_of(Extra) const;
  bool is_own_program(const Extra&, Findings&) const;
  bool takes_place(const Extra&, Extras&, Findings&) const;
  bool has_own_name(const Extra&, Extras&, Findings&) const;
  void check_keys(const Extra&, Findings&) const;
  bool is_known_to_slurm(const Extra&, Findings&) const;
  std::string with_compiled_option(const Extra&) const;
  Extras read_extras(Findings&) const;
  Extras split_defaults(Extras) const;
  void write(const Extras&, std::string& out) const;

  const CompileInput& in_;
  std::string name_;
  std::uint32_t mode_;
  std::vector<Entry> entries_;
  std::string error_;  // what the format could not hold, if anything
};

// Whether a line that begins with `first` can stand in slurm.conf: its keys and values, as Slurm reads them; the
// finding says why not.
bool check_slurm_line(const SlurmLine&, std::string_view first, Findings&);

}  // namespace clusterc
