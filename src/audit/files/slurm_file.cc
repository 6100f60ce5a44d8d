#include "audit/files/slurm_file.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr int kDeepest = 8;               // files that include each other
constexpr std::size_t kMostFiles = 256;   // that are included in all
constexpr std::size_t kMostReported = 5;  // lines that cannot be read
constexpr std::size_t kMostRecords = 1u << 20;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A line with those that it is continued on: read_config.c of Slurm takes the comment away, then a backslash that is
// the last but for blanks (an odd number of them), and appends the next line without a blank.
struct Joined {
  std::string text;
  std::vector<std::pair<std::size_t, std::uint32_t>> pieces;  // offset in the text, offset in the file
  std::uint32_t place(std::size_t offset) const {
    const auto behind = std::ranges::upper_bound(pieces, offset, {}, [](const auto& p) { return p.first; });
    const auto piece = behind == pieces.begin() ? behind : std::prev(behind);
    return piece->second + static_cast<std::uint32_t>(offset - piece->first);
  }
};

class Reader {
 public:
  Reader(const Sources& sources, const ReadBeside& beside, Findings& findings)
      : sources_(sources), beside_(beside), findings_(findings) {}

  void file(FileId file, int depth) {
    const std::string_view text = sources_.text(file);
    Joined line;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (append(line, text.substr(begin, end - begin), static_cast<std::uint32_t>(begin)) && end < text.size()) {
        begin = end + 1;
        continue;
      }
      take(line, file, depth);
      line = {};
      begin = end + 1;
    }
  }
  SlurmText out;

 private:
  // True: it is continued.
  static bool append(Joined& line, std::string_view piece, std::uint32_t begin) {
    bool escaped = false;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (piece[i] == '#' && !escaped) {
        piece = piece.substr(0, i);
        break;
      }
      escaped = piece[i] == '\\' && !escaped;
    }
    std::string_view rest = piece;
    while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
    std::size_t slashes = 0;
    while (slashes < rest.size() && rest[rest.size() - 1 - slashes] == '\\') ++slashes;
    const bool continued = slashes % 2 == 1;
    line.pieces.emplace_back(line.text.size(), begin);
    line.text += continued ? rest.substr(0, rest.size() - 1) : rest;
    return continued;
  }

  void unread(Severity severity, SourceSpan span, std::string message, std::string help) {
    out.whole = false;
    if (++reported_ > kMostReported) return;
    Finding& f = severity == Severity::error ? findings_.error("file-slurm-unread", span, std::move(message))
                                             : findings_.warning("file-slurm-unread", span, std::move(message));
    f.help(std::move(help));
  }

  void take(const Joined& joined, FileId file, int depth) {
    const std::string_view text = trim(joined.text);
    if (text.empty()) return;
    const auto first = static_cast<std::size_t>(text.data() - joined.text.data());
    const auto span = [&](std::size_t begin, std::size_t end) {
      const std::uint32_t from = joined.place(begin);
      return SourceSpan{file, from, std::max(from, end > begin ? joined.place(end - 1) + 1 : from)};
    };
    const SourceSpan all = span(first, first + text.size());
    const std::size_t blank = text.find_first_of(" \t");
    if (blank != text.npos && to_lower(text.substr(0, blank)) == "include")
      return include(std::string(trim(text.substr(blank))), all, depth);
    if (out.records.size() >= kMostRecords) {
      out.whole = false;
      return;
    }
    const SlurmLine line = read_slurm_line(joined.text, all);
    if (!line.rest.empty())
      unread(Severity::error, all,
             format("Slurm cannot read this line from '{}' on: it is no Key=Value", one_line(line.rest.substr(0, 40))),
             "write each setting as Key=Value, and a value with blanks in double quotes (slurm.conf(5), DESCRIPTION)");
    SlurmRecord record{all, {}};
    for (std::size_t i = 0; i < line.pairs.size(); ++i)
      record.settings.emplace_back(line.pairs[i].first,
                                   SlurmSetting{line.pairs[i].second, span(line.places[i].begin, line.places[i].end)});
    if (!record.settings.empty()) out.records.push_back(std::move(record));
  }

  // "/etc/slurm/nodes.conf" is the nodes.conf beside this file: a copy of the folder is what people check, and a file
  // from somewhere else must not read the reader's files.
  void include(std::string name, SourceSpan at, int depth) {
    if (depth >= kDeepest || ++files_ > kMostFiles)
      return unread(Severity::warning, at,
                    format("'{}' is not read: too many files include each other", one_line(name)),
                    "write the lines into one file");
    if (const std::size_t slash = name.rfind('/'); slash != name.npos) name.erase(0, slash + 1);
    const auto included = beside_ ? beside_(name) : std::nullopt;
    if (!included)
      return unread(
          Severity::warning, at,
          format("'{}' does not stand in the folder of this file, so its lines were not checked", one_line(name)),
          "put a copy of it beside this file");
    file(*included, depth + 1);
  }

  const Sources& sources_;
  const ReadBeside& beside_;
  Findings& findings_;
  std::size_t files_ = 0, reported_ = 0;
};

}  // namespace

const SlurmSetting* SlurmRecord::find(std::string_view key) const {
  for (auto s = settings.rbegin(); s != settings.rend(); ++s)
    if (s->first == key) return &s->second;
  return nullptr;
}

SlurmText read_slurm_text(const Sources& sources, FileId file, const ReadBeside& beside, Findings& findings) {
  Reader reader(sources, beside, findings);
  reader.file(file, 0);
  return std::move(reader.out);
}

}  // namespace clusterc
