// Text that others wrote (specs, parts, other machines, programs that we start), made harmless to whoever reads our
// output line by line: terminals, CI runners, editors. Every renderer takes foreign text through here and nowhere else.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace clusterc {

// One line that shows what the text says:
// * line ends and tabs become blanks;
// * control characters (C0, DEL, C1: with them ESC and its sequences), characters that turn the direction of writing,
//   other characters that nobody sees, and bytes that are no UTF-8 become U+FFFD;
// * a colon at its beginning gets a backslash in front, and so does the bracket of "##[" and "##vso[": runners of
//   GitHub and Azure obey a line that begins, behind blanks, with "::", and "##[" wherever it stands in a line
//   (actions/runner: src/Runner.Common/ActionCommand.cs; microsoft/azure-pipelines-agent: docs on logging commands).
// What came out of here comes out of it unchanged.
std::string printable(std::string_view text);
void append_printable(std::string& out, std::string_view text);

// The same without the backslashes: each character keeps its place, for excerpts that a caret points into. Such a line
// has to begin with something of ours.
void append_visible(std::string& out, std::string_view text);

// A whole text of ours, several lines of it, in which foreign text may stand: no line begins with "::", none holds
// "##[". For what is put together from pieces; nothing changes where every piece came through printable().
std::string without_commands(std::string text);

// Would a bracket behind this text make "##[" or "##vso[" of it?
bool begins_command(std::string_view before);
// The bracket of "##[" or "##vso[" at or behind `from`; npos: there is none.
std::size_t bracket_of_command(std::string_view text, std::size_t from = 0);

inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// Would a reader of text obey this character, or not see it? C0, DEL, C1 and characters without a form of their own
// (Unicode 15.1: general category Cf, line and paragraph separators, fillers of Hangul, variation selectors beyond the
// first sixteen, non-characters).
bool is_hidden(char32_t code);

// Does the line begin, behind blanks, with "::"?
bool is_command(std::string_view line);

struct Character {
  char32_t code = 0;
  std::size_t length = 1;  // bytes
};
// The character at `at`; what is not UTF-8 is taken byte by byte as U+FFFD (Unicode 15, table 3-7).
Character decode_utf8(std::string_view text, std::size_t at);

}  // namespace clusterc
