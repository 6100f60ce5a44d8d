// What the tables of commands and options say, as completion scripts and manual pages need it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace clusterc::cli {

// What may stand where a value belongs.
struct Takes {
  enum class Kind { nothing, anything, words, file, folder, specs };
  Kind kind = Kind::nothing;
  std::vector<std::string> words;
};

struct OptionText {
  std::string name;         // without dashes
  char letter = 0;          // -o, 0: none
  std::string placeholder;  // FILE; empty: a switch
  std::string standard;     // default, as --help shows it
  std::string description;
  Takes takes;
};

struct CommandText {
  std::string_view name, summary, usage;
  std::vector<OptionText> options;  // --help among them
  std::string positional;           // SPEC; empty: none
  Takes takes;
};

CommandText describe(const Command&);

}  // namespace clusterc::cli
