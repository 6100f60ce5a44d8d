// Findings for people and for programs that read compilers' output: one line a message, then the source line with a
// caret.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/printable.h"
#include "diag/place.h"
#include "diag/render.h"

namespace clusterc {
namespace {

constexpr std::size_t kLongestExcerpt =
    160;                             // columns shown of a longer line, so that a hostile one floods no terminal
constexpr std::size_t kLeadIn = 60;  // columns shown before the caret when the line is cut

// Columns on a terminal: two for the wide ranges of UAX 11, none for combining marks and joiners.
std::size_t columns_of(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  static constexpr std::array<Range, 5> kNone = {
      {{0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}}};
  static constexpr std::array<Range, 10> kWide = {{{0x1100, 0x115f},
                                                   {0x2e80, 0x303e},
                                                   {0x3041, 0xa4cf},
                                                   {0xac00, 0xd7a3},
                                                   {0xf900, 0xfaff},
                                                   {0xfe30, 0xfe6f},
                                                   {0xff00, 0xff60},
                                                   {0xffe0, 0xffe6},
                                                   {0x1f300, 0x1faff},
                                                   {0x20000, 0x3fffd}}};
  if (code < 0x300) return 1;
  const auto holds = [code](const Range& range) { return code >= range.first && code <= range.last; };
  if (std::ranges::any_of(kNone, holds)) return 0;
  return std::ranges::any_of(kWide, holds) ? 2 : 1;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character c = decode_utf8(text, at);
    columns += columns_of(c.code);
    at += c.length;
  }
  return columns;
}

class TextRenderer {
 public:
  TextRenderer(const Findings& findings, const Sources& sources, TextStyle style)
      : findings_(findings), sources_(sources), style_(style) {}

  void finding(const Finding& finding) {
    // Accepted: no longer an error to whoever counts them, but not gone. Why it was is what a reader wants to know.
    if (finding.accepted) {
      head(finding.span, "note",
           format("{} accepted ({}): {}", severity_name(finding.severity), *finding.accepted, finding.message),
           finding.rule);
      return;
    }
    head(finding.span, severity_name(finding.severity), finding.message, finding.rule);
    excerpt(finding.span, finding.caret);
    for (const Remark& note : finding.notes) {
      head(note.span.valid() ? note.span : finding.span, "note", note.message);
      if (note.span.valid()) excerpt(note.span, note.label);
    }
    for (const Remark& help : finding.helps) {
      head(help.span.valid() ? help.span : finding.span, "help", help.message);
      if (help.span.valid() && !help.label.empty()) excerpt(help.span, help.label);
    }
    if (finding.fix) fix(*finding.fix, finding.span);
  }

  std::string take() { return std::move(out_); }

 private:
  void color(std::string_view code) {
    if (style_.color) out_ += "\x1b[", out_ += code, out_ += 'm';
  }

  void head(SourceSpan span, std::string_view severity, std::string_view message, std::string_view rule = {}) {
    color("1");
    if (span.valid()) {
      const LineColumn at = sources_.position(span.file, span.begin);
      append_printable(out_, sources_.path(span.file));
      out_ += format(":{}:{}: ", at.line, at.column);
    }
    color(severity == "error" ? "31" : severity == "warning" ? "35" : severity == "help" ? "32" : "36");
    out_ += severity;
    out_ += ": ";
    color("0");
    if (!rule.empty()) color("1");
    append_printable(out_, message);
    if (!rule.empty()) {
      color("0");
      out_ += " [", out_ += rule, out_ += ']';
    }
    out_ += '\n';
  }

  void gutter(std::uint32_t line) {
    color("34");
    out_ += line == 0 ? "      |" : format("{:>5} |", line);
    color("0");
  }

  // `before`, `marked` and `behind` make up the line.
  void marked_line(std::uint32_t number, std::string_view before, std::string_view marked, std::string_view behind,
                   std::string_view mark, std::string_view label) {
    const std::size_t limit = style_.width == 0 ? kLongestExcerpt : std::max<std::size_t>(40, style_.width);
    bool cut_front = false, cut_behind = false;
    if (before.size() + marked.size() + behind.size() > limit) {
      const auto cut_at = [](std::string_view text, std::size_t at) {
        while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
        return at;
      };
      const std::size_t lead = std::min(kLeadIn, limit / 2);
      if (before.size() > lead) before.remove_prefix(cut_at(before, before.size() - lead)), cut_front = true;
      if (marked.size() > limit - before.size()) {
        marked = marked.substr(0, cut_at(marked, limit - before.size()));
        behind = {};
        cut_behind = true;
      }
      const std::size_t room = limit - std::min(limit, before.size() + marked.size());
      if (behind.size() > room) behind = behind.substr(0, cut_at(behind, room)), cut_behind = true;
    }
    gutter(number);
    std::string shown;
    if (cut_front) shown += "...";
    append_visible(shown, before);
    append_visible(shown, marked);
    append_visible(shown, behind);
    if (cut_behind) shown += "...";
    while (!shown.empty() && shown.back() == ' ') shown.pop_back();
    // The same length, so that the caret points where it should.
    for (std::size_t at; (at = bracket_of_command(shown)) != std::string::npos;) shown.replace(at, 1, kReplacement);
    if (!shown.empty()) out_ += ' ', out_ += shown;
    out_ += '\n';
    gutter(0);
    out_.append(1 + (cut_front ? 3 : 0) + columns_of(before), ' ');
    color("1;32");
    out_ += mark.front();
    const std::size_t width = columns_of(marked);
    if (width > 1) out_.append(width - 1, mark.back());
    if (!label.empty()) out_ += ' ', append_printable(out_, label);
    color("0");
    out_ += '\n';
  }

  void excerpt(SourceSpan span, std::string_view label) {
    if (!span.valid() || sources_.text(span.file).empty()) return;
    const std::uint32_t number = sources_.position(span.file, span.begin).line;
    if (!findings_.quotable(sources_, span.file, number)) return;
    const std::string_view line = sources_.line_text(span.file, number);
    const auto start = static_cast<std::size_t>(line.data() - sources_.text(span.file).data());
    const std::size_t from = std::min(line.size(), span.begin > start ? span.begin - start : 0);
    const std::size_t to = std::clamp<std::size_t>(span.end > start ? span.end - start : 0, from, line.size());
    marked_line(number, line.substr(0, from), line.substr(from, to - from), line.substr(to), "^~", label);
  }

  // A fix within one line is shown as the line will read.
  void fix(const Fix& fix, SourceSpan finding) {
    head(fix.edits.empty() ? finding : fix.edits.front().span, "help", fix.title);
    if (fix.edits.size() != 1 || !fix.edits[0].span.valid() || fix.edits[0].replacement.find('\n') != std::string::npos)
      return;
    const SourceSpan span = fix.edits[0].span;
    const std::uint32_t number = sources_.position(span.file, span.begin).line;
    if (sources_.position(span.file, span.end).line != number || !findings_.quotable(sources_, span.file, number))
      return;
    const std::string_view line = sources_.line_text(span.file, number);
    const auto start = static_cast<std::size_t>(line.data() - sources_.text(span.file).data());
    if (span.begin < start || span.end - start > line.size()) return;
    const std::string_view replacement = fix.edits[0].replacement;
    marked_line(number, line.substr(0, span.begin - start), replacement, line.substr(span.end - start),
                replacement.empty() ? "^" : "++", {});
  }

  const Findings& findings_;
  const Sources& sources_;
  TextStyle style_;
  std::string out_;
};

}  // namespace

std::string render_text(const Findings& findings, const Sources& sources, TextStyle style) {
  TextRenderer renderer(findings, sources, style);
  for (const Finding& finding : findings.all())
    if (!finding.in_baseline) renderer.finding(finding);  // counted in the summary: what is new shall not drown
  return renderer.take();
}

std::string render_text(const Finding& finding, const Findings& among, const Sources& sources, TextStyle style) {
  TextRenderer renderer(among, sources, style);
  renderer.finding(finding);
  return renderer.take();
}

std::string render_summary(const Findings& findings) {
  const auto accepted =
      std::ranges::count_if(findings.all(), [](const Finding& finding) { return finding.accepted.has_value(); });
  std::string out;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const std::size_t count = findings.count(severity);
    if (count == 0) continue;
    if (!out.empty()) out += ", ";
    out += format("{} {}{}", count, severity_name(severity), count == 1 ? "" : "s");
  }
  if (out.empty()) out = "no findings";
  if (accepted != 0) out += format(" ({} accepted)", accepted);
  if (const auto known =
          std::ranges::count_if(findings.all(), [](const Finding& finding) { return finding.in_baseline; });
      known != 0)
    out += format(" ({} in the baseline)", known);
  return out;
}

}  // namespace clusterc
