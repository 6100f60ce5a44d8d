// What programs take in a line of their files, as tables: a key and the form of its values. check_extra_files
// (compile/common.h) asks them for every extra line, so that what a program would refuse is a finding of `check`.
//
// The form of a line: its arguments, parted by blanks. An argument is a list of alternatives, parted by '|': a word
// itself, or a class that begins with '$':
//   $any  $int  $int:LEAST:MOST  $num (a decimal number)  $time (nginx: 1d 30s)  $size (8k, 1m)  $ip  $prefix
// An argument that ends in '?' may be left out, in '*' may come any number of times, in '+' once or more. "!…": not in
// this file, and why.
//
// The form of a value in YAML: map, list, bool, truth (a bool in any case, or in quotes), int, duration (30s, 1h30m),
// text, any, or words parted by '|'. A path is made of keys and "[]" for each item of a list; "*" stands for any key. A
// mapping that has rows of its own takes no other keys; a form that ends in '!' is required in its mapping.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "yaml/document.h"

namespace clusterc {

struct ExtraForm {
  std::string_view key, form;
};

struct ExtraFault {
  std::string why;                            // empty: none
  bool unknown = false;                       // the program may know the key in another release
  std::string slip;                           // the unknown key
  std::vector<std::string_view> beside = {};  // those that the program knows in its place, of YAML
};

// `arguments`: what stands behind the key, parted by blanks outside of quotes.
ExtraFault check_form(std::string_view key, std::string_view arguments, std::span<const ExtraForm> table,
                      std::string_view program);
// One key of a YAML file with its value; `path` of the rows begins with the key.
ExtraFault check_yaml_form(const Document&, NodeId mapping, std::span<const ExtraForm> table, std::string_view program);
// A line of dnsmasq as it has it once it was read: without quotes, in which '#' and ',' are signs like others, and
// before a '#' at the begin or behind a blank; one inside of a word is a sign of it (server=10.0.0.1#53). nullopt: a
// quote that does not end, quotes around a key, or a sign that no line has.
std::optional<std::string> dnsmasq_line(std::string_view line);
bool is_extra_word(std::string_view text, std::string_view alternatives);

}  // namespace clusterc
