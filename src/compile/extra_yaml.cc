#include "compile/extra_yaml.h"

#include <algorithm>

#include "base/text.h"

namespace clusterc {
namespace {

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::vector<YamlEntry> yaml_entries(const CompileInput& in, std::string_view file,
                                    const std::vector<std::string_view>& ours, std::string_view example,
                                    Findings& findings,
                                    const std::function<Refusal(const Document&, NodeId, std::string_view)>& look) {
  std::vector<YamlEntry> out;
  const auto* extra = extra_of(in, file);
  if (!extra) return out;
  for (const auto& line : *extra) {
    if (!line) continue;
    const std::string_view text = *line;
    const std::string key(text.substr(0, text.find(':')));
    const auto malformed = [&](std::string why) {
      findings
          .error("output-extra-malformed", line.span,
                 "'" + one_line(text.substr(0, 60)) + "' is not a valid entry of " + std::string(file))
          .label(std::move(why))
          .help("write one key in each entry, for example " + std::string(example));
    };
    if (key.empty() || key.size() == text.size() || !std::all_of(key.begin(), key.end(), is_key_character)) {
      malformed("it does not begin with a key and ':'");
      continue;
    }
    // Readers of YAML 1.1 take these for line ends, for nothing, or for a merge; none of them says what was meant.
    const auto odd = std::find_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    });
    if (odd != text.end() || text.find("\xc2\x85") != std::string_view::npos ||
        text.find("\xe2\x80\xa8") != std::string_view::npos || text.find("\xe2\x80\xa9") != std::string_view::npos ||
        text.find("\xef\xbb\xbf") != std::string_view::npos || text.find("<<") != std::string_view::npos) {
      malformed("it has a control character, a line break that only some YAML readers recognise, or a merge key");
      continue;
    }
    Sources sources;
    Findings said;
    const FileId id = sources.add(std::string(file), std::string(text));
    const auto document = parse_yaml(sources, id, said);
    if (!document || said.count(Severity::error)) {
      malformed(said.empty() ? "it is not valid YAML" : said.all().front().message);
      continue;
    }
    if (!document->is_mapping(document->root()) || document->size(document->root()) != 1 ||
        document->scalar(document->key(document->root(), 0)) != key) {
      malformed("it has more than one key");
      continue;
    }
    const auto contradicts = [&](std::string message) {
      findings.error("output-extra-contradicts-spec", line.span, std::move(message)).help("change the spec instead");
    };
    if (std::find(ours.begin(), ours.end(), key) != ours.end()) {
      contradicts(std::string(file) + " already has '" + key + "'");
      continue;
    }
    if (std::find_if(out.begin(), out.end(), [&](const YamlEntry& e) { return e.key == key; }) != out.end()) {
      malformed("the extra lines have '" + key + "' twice");
      continue;
    }
    if (look)
      if (const Refusal r = look(*document, document->value(document->root(), 0), key); !r.why.empty()) {
        if (r.contradicts)
          contradicts(r.why);
        else
          malformed(r.why);
        continue;
      }
    out.push_back({key, std::string(text)});
    if (!text.ends_with('\n')) out.back().text += '\n';
  }
  return out;
}

void append_indented(std::string& out, std::string_view text, unsigned indent) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) out.append(indent, ' ');
    out += line;
    out += '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace clusterc
