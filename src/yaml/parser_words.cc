#include "yaml/parser_words.h"

#include <yaml-cpp/exceptions.h>

#include <algorithm>

#include "base/format.h"
#include "yaml/places.h"

namespace clusterc {
namespace {

// The rest of the line, as it would stand in quotes.
std::string in_quotes(std::string_view text, std::size_t at) {
  const std::size_t comment = text.find(" #", at);
  std::string_view rest = text.substr(at, std::min(text.find_first_of("\r\n,[]{}", at + 1), comment) - at);
  while (!rest.empty() && rest.back() == ' ') rest.remove_suffix(1);
  constexpr std::size_t kLongest = 60;
  if (rest.empty() || rest.size() > kLongest || rest.find_first_of("\"\\") != rest.npos)
    return "put the text in quotes";
  return format("put the text in quotes: `\"{}\"`", rest);
}

}  // namespace

void report_parser_error(std::string_view what, std::size_t at, FileId file, std::string_view text,
                         Findings& findings) {
  const auto error = [&](std::string_view rule, std::size_t begin, std::size_t end, std::string message) -> Finding& {
    return findings.error(rule, {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
                          std::move(message));
  };
  const std::size_t end = std::min(text.size(), at + 1);
  const std::string_view sign =
      at < text.size() && static_cast<unsigned char>(text[at]) > 0x20 && static_cast<unsigned char>(text[at]) < 0x7f
          ? text.substr(at, 1)
          : std::string_view();
  namespace Msg = YAML::ErrorMsg;
  if (what.starts_with(Msg::UNKNOWN_ANCHOR)) {
    const std::size_t name_end = yaml_property_end(text, at);
    error("spec-unknown-alias", at, name_end,
          format("alias '{}' has no anchor above it", text.substr(at, name_end - at)))
        .help("write the anchor '&name' before its alias, or put the text in quotes if no alias is meant");
  } else if (what == Msg::UNKNOWN_TOKEN) {
    error("spec-yaml-syntax", at, end,
          sign.empty() ? std::string("this cannot begin a value") : format("a text cannot begin with '{}'", sign))
        .help(in_quotes(text, at));
  } else if (what == Msg::MAP_VALUE) {
    error("spec-yaml-syntax", at, end, "a ':' where no key can stand")
        .help("a key and its ':' stand on one line; put text that contains ': ' in quotes");
  } else if (what == Msg::MAP_KEY) {
    error("spec-yaml-syntax", at, end, "a '? ' key cannot stand here");
  } else if (what == Msg::BLOCK_ENTRY) {
    error("spec-yaml-syntax", at, end, "a '- ' item cannot stand here")
        .help("begin the list on a line of its own, or write it in [ ]");
  } else if (what == Msg::END_OF_MAP) {
    error("spec-yaml-syntax", at, end, "a key was expected here");
  } else if (what == Msg::END_OF_SEQ) {
    error("spec-yaml-syntax", at, end, "a list item '- ' was expected here");
  } else if (what == Msg::END_OF_SEQ_FLOW || what == Msg::END_OF_MAP_FLOW) {
    error("spec-missing-comma", at, end,
          format("',' or '{}' was expected here", what == Msg::END_OF_SEQ_FLOW ? ']' : '}'));
  } else if (what == Msg::FLOW_END) {
    error("spec-bracket-not-closed", at, end, format("'{}' closes nothing", sign));
  } else if (what == Msg::TAB_IN_INDENTATION) {
    error("spec-tab-in-indentation", at, end, "a tab in the indentation").label("YAML allows only spaces");
  } else if (what == Msg::DOC_IN_SCALAR || what == Msg::EOF_IN_SCALAR) {
    error("spec-quote-not-closed", at, end, "a quote is not closed before this");
  } else if (what == Msg::CHAR_IN_BLOCK) {
    error("spec-yaml-syntax", at, end, "nothing but a comment may follow '|' or '>' on its line");
  } else if (what == Msg::MULTIPLE_ANCHORS || what == Msg::MULTIPLE_TAGS) {
    error("spec-yaml-syntax", at, end,
          what == Msg::MULTIPLE_TAGS ? "a second tag for one value" : "a second anchor for one value");
  } else if (what.starts_with(Msg::INVALID_ESCAPE) && at >= 2 && text[at - 2] == '\\') {
    error("spec-yaml-syntax", at - 2, at, format("'{}' is no escape", text.substr(at - 2, 2)))
        .help("inside double quotes a backslash begins an escape; write '\\\\' or use single quotes");
  } else {
    error("spec-yaml-syntax", at, end, std::string(what));
  }
}

}  // namespace clusterc
