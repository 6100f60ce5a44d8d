// Files that a command writes beside its text: each apart from what it reads and from the others, and writable before
// the work begins.
#pragma once
#include <boost/program_options.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clusterc::cli {

// What a command reads or keeps: path and what it is ("is the spec"). Paths that lead nowhere are passed over.
using ReadFiles = std::vector<std::pair<std::string, std::string>>;

// Adds the files that these options name, of one value or several, with and without NAME= before the path.
void add_read_files(ReadFiles&, const boost::program_options::variables_map&,
                    std::initializer_list<const char*> options);

// UsageError if a file of these options cannot be written, or is one of those that are read or of another option.
// /dev/null and pipes take more than one. `what` it is: "the report".
void require_written_apart(const boost::program_options::variables_map&, const ReadFiles&,
                           std::initializer_list<const char*> options, std::string_view what = "the file");

}  // namespace clusterc::cli
