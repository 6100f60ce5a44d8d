#include "template/parse.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "diag/finding.h"
#include "template/filters.h"

namespace clusterc {
namespace {

constexpr int kDeepest = 64;  // blocks in blocks, brackets in brackets

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

const std::vector<std::string_view> kTags = {"if",     "elif",    "else", "endif", "for",
                                             "endfor", "include", "raw",  "endraw"};

class Parser {
 public:
  Parser(const Sources& sources, FileId file) : file_(file), text_(sources.text(file)) {}

  TemplateBlock all() {
    TemplateBlock block;
    fill(block, {}, {});
    return block;
  }

 private:
  struct Token {
    enum class Kind : std::uint8_t { word, text, number, sign, end } kind = Kind::end;
    std::size_t begin = 0, end = 0;
  };

  SourceSpan span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(std::max(end, begin))};
  }
  [[noreturn]] void fail(std::size_t begin, std::size_t end, std::string message, std::string help = {}) const {
    throw TemplateProblem{span(begin, std::min(end, text_.size())), std::move(message), std::move(help)};
  }
  [[noreturn]] void fail(const Token& t, std::string message, std::string help = {}) const {
    fail(t.begin, t.end, std::move(message), std::move(help));
  }

  // ---- text and tags
  // -----------------------------------------------------------------------------------------------------------------
  // Reads nodes up to a tag of `ends`, which it has then read the word of; an empty list: to the end of the text.
  // `opened`: the tag that waits for it.
  std::string_view fill(TemplateBlock& block, const std::vector<std::string_view>& ends, SourceSpan opened) {
    if (++blocks_ > kDeepest)
      throw TemplateProblem{opened, "blocks lie more than " + std::to_string(kDeepest) + " deep in each other",
                            "take inner ones out into a file of its own: {% include %}"};
    for (;;) {
      const std::size_t open = next_tag();
      const char kind = open < text_.size() ? text_[open + 1] : '\0';
      std::size_t stop = open;
      if (kind != '\0') {
        const char mark = open + 2 < text_.size() ? text_[open + 2] : '\0';
        if (mark == '-') {
          while (stop > at_ && blank(text_[stop - 1])) --stop;
        } else if (kind != '{' &&
                   mark != '+') {  // a block or a comment that begins its line: what stands before it goes
          std::size_t line = stop;
          while (line > at_ && (text_[line - 1] == ' ' || text_[line - 1] == '\t')) --line;
          if (line > at_ ? text_[line - 1] == '\n' : line_begins_) stop = line;
        }
      }
      if (stop > at_)
        block.nodes.push_back(
            {.kind = TemplateNode::Kind::text, .span = span(at_, stop), .text = text_.substr(at_, stop - at_)});
      at_ = open;
      if (kind == '\0') {
        if (!ends.empty())
          throw TemplateProblem{opened, "the block that begins here has no end",
                                "write {% " + std::string(ends.back()) + " %} at its end"};
        --blocks_;
        return {};
      }
      tag_ = at_;
      at_ += 2;
      if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
      if (kind == '#') {
        const std::size_t end = text_.find("#}", at_);
        if (end == text_.npos) fail(tag_, tag_ + 2, "the comment that begins here has no end", "write #} at its end");
        at_ = end;
        close_comment();
        continue;
      }
      if (kind == '{') {
        next();
        TemplateNode node{.kind = TemplateNode::Kind::value};
        node.expression = expression();
        node.span = node.expression->span;
        close("}}");
        block.nodes.push_back(std::move(node));
        continue;
      }
      next();
      if (token_.kind != Token::Kind::word) fail(token_, "a tag begins with its name", "one of " + join(kTags, ", "));
      const Token name = token_;
      const std::string_view word = text(name);
      next();
      if (std::find(ends.begin(), ends.end(), word) != ends.end()) {
        --blocks_;
        return word;
      }
      const SourceSpan here = span(tag_, name.end);
      if (word == "if")
        block.nodes.push_back(branch(here));
      else if (word == "for")
        block.nodes.push_back(loop(here));
      else if (word == "include")
        block.nodes.push_back(include(here));
      else if (word == "raw")
        raw(block, here);
      else if (std::find(kTags.begin(), kTags.end(), word) != kTags.end())
        fail(name, ends.empty()
                       ? "nothing is open that '" + std::string(word) + "' could belong to"
                       : "'" + std::string(word) + "' stands where the block that is open wants " + join(ends, ", "));
      else {
        const auto near = nearest_name(word, kTags);
        fail(name, "there is no tag '" + std::string(word.substr(0, 40)) + "'",
             near ? "did you mean '" + std::string(*near) + "'?" : "there are if, for, include and raw");
      }
    }
  }

  std::size_t next_tag() const {
    for (std::size_t at = at_; (at = text_.find('{', at)) != text_.npos; ++at)
      if (at + 1 < text_.size() && (text_[at + 1] == '{' || text_[at + 1] == '%' || text_[at + 1] == '#')) return at;
    return text_.size();
  }

  TemplateNode branch(SourceSpan here) {
    TemplateNode node{.kind = TemplateNode::Kind::branch, .span = here};
    node.tests.push_back(expression());
    close("%}");
    for (;;) {
      node.parts.emplace_back();
      const bool last = node.tests.size() < node.parts.size();
      const std::string_view word =
          last ? fill(node.parts.back(), {"endif"}, here) : fill(node.parts.back(), {"elif", "else", "endif"}, here);
      if (word == "elif") node.tests.push_back(expression());
      close("%}");
      if (word == "endif") return node;
    }
  }

  TemplateNode loop(SourceSpan here) {
    TemplateNode node{.kind = TemplateNode::Kind::loop, .span = here};
    const auto name = [&] {
      if (token_.kind != Token::Kind::word || reserved(text(token_)))
        fail(token_, "here stands the name of what the loop goes over",
             "{% for node in nodes %}, {% for name, group in spec.nodes | items %}");
      const std::string_view word = text(token_);
      next();
      return word;
    };
    node.first = name();
    if (is_sign(",")) next(), node.second = name();
    if (token_.kind != Token::Kind::word || text(token_) != "in")
      fail(token_, "'in' stands between the name and the list", "{% for node in nodes %}");
    next();
    node.expression = expression();
    close("%}");
    node.parts.emplace_back();
    const std::string_view word = fill(node.parts.back(), {"else", "endfor"}, here);
    close("%}");
    if (word == "else") {
      node.parts.emplace_back();
      fill(node.parts.back(), {"endfor"}, here);
      close("%}");
    }
    return node;
  }

  TemplateNode include(SourceSpan here) {
    TemplateNode node{.kind = TemplateNode::Kind::include, .span = here};
    if (token_.kind != Token::Kind::text)
      fail(token_, "the file that is included is named in quotes", "{% include \"parts/head.txt\" %}");
    node.text = text_.substr(token_.begin + 1, token_.end - token_.begin - 2);
    node.span = span(token_.begin, token_.end);
    if (node.text.find('\\') != node.text.npos) fail(token_, "a file's name has no backslash here");
    next();
    close("%}");
    return node;
  }

  void raw(TemplateBlock& block, SourceSpan here) {
    close("%}");
    for (std::size_t at = at_; (at = text_.find("{%", at)) != text_.npos; at += 2) {
      std::size_t word = at + 2;
      const bool strip = word < text_.size() && text_[word] == '-', keep = word < text_.size() && text_[word] == '+';
      word += strip || keep;
      while (word < text_.size() && blank(text_[word])) ++word;
      if (!text_.substr(word).starts_with("endraw")) continue;
      std::size_t end = word + 6;
      while (end < text_.size() && blank(text_[end])) ++end;
      if (!text_.substr(end).starts_with("%}") && !text_.substr(end).starts_with("-%}") &&
          !text_.substr(end).starts_with("+%}"))
        continue;
      std::size_t stop = at;
      if (strip) {
        while (stop > at_ && blank(text_[stop - 1])) --stop;
      } else if (!keep) {
        std::size_t line = stop;
        while (line > at_ && (text_[line - 1] == ' ' || text_[line - 1] == '\t')) --line;
        if (line > at_ ? text_[line - 1] == '\n' : line_begins_) stop = line;
      }
      if (stop > at_)
        block.nodes.push_back(
            {.kind = TemplateNode::Kind::text, .span = span(at_, stop), .text = text_.substr(at_, stop - at_)});
      at_ = end;
      next();
      close("%}");
      return;
    }
    throw TemplateProblem{here, "the block that begins here has no end", "write {% endraw %} at its end"};
  }

  // Behind a tag: -%} takes blanks and line ends away, %} one line end, +%} nothing.
  void close(std::string_view sign) {
    const bool value = sign == "}}";
    char mark = '\0';
    if ((is_sign("-") || is_sign("+")) && text_.substr(token_.end).starts_with(sign)) {
      mark = text_[token_.begin];
      if (value && mark == '+') fail(token_, "a value ends with }} or -}}");
      at_ = token_.end;
    } else if (token_.kind != Token::Kind::end && text_.substr(token_.begin).starts_with(sign)) {
      at_ = token_.begin;
    } else if (token_.begin >= text_.size()) {
      fail(tag_, tag_ + 2, "the tag that begins here has no end", "write " + std::string(sign) + " at its end");
    } else {
      fail(token_, "'" + std::string(text(token_).substr(0, 40)) + "' was not expected here",
           "a tag ends with " + std::string(sign));
    }
    at_ += sign.size();
    behind(mark, !value);
  }
  void close_comment() {
    const char mark = at_ > tag_ + 2 ? text_[at_ - 1] : '\0';
    at_ += 2;
    behind(mark == '-' || mark == '+' ? mark : '\0', true);
  }
  void behind(char mark, bool trims) {
    line_begins_ = false;
    if (mark == '-') {
      const std::size_t from = at_;
      while (at_ < text_.size() && blank(text_[at_])) ++at_;
      line_begins_ = at_ > from && text_.substr(from, at_ - from).find('\n') != text_.npos && text_[at_ - 1] == '\n';
    } else if (trims && mark != '+') {
      if (text_.substr(at_).starts_with("\r\n"))
        at_ += 2, line_begins_ = true;
      else if (text_.substr(at_).starts_with("\n"))
        at_ += 1, line_begins_ = true;
    }
  }

  // ---- words of a tag
  // ----------------------------------------------------------------------------------------------------------------
  std::string_view text(const Token& t) const { return text_.substr(t.begin, t.end - t.begin); }
  bool is_sign(std::string_view sign) const { return token_.kind == Token::Kind::sign && text(token_) == sign; }
  bool is_word(std::string_view word) const { return token_.kind == Token::Kind::word && text(token_) == word; }
  static bool reserved(std::string_view word) {
    static constexpr std::string_view kWords[] = {"and",   "or",   "not",   "in", "is",   "true",
                                                  "false", "True", "False", "if", "else", "loop"};
    return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
  }

  void next() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
    token_ = {Token::Kind::end, at_, std::min(at_ + 1, text_.size())};
    if (at_ >= text_.size()) return;
    const char c = text_[at_];
    std::size_t end = at_ + 1;
    if (letter(c)) {
      while (end < text_.size() && (letter(text_[end]) || digit(text_[end]))) ++end;
      token_.kind = Token::Kind::word;
    } else if (digit(c)) {
      while (end < text_.size() && digit(text_[end])) ++end;
      if (end + 1 < text_.size() && text_[end] == '.' && digit(text_[end + 1]))
        for (++end; end < text_.size() && digit(text_[end]);) ++end;
      token_.kind = Token::Kind::number;
    } else if (c == '"' || c == '\'') {
      while (end < text_.size() && text_[end] != c && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
      if (end >= text_.size() || text_[end] != c)
        fail(at_, std::min(end, text_.size()), "the text that begins here has no end",
             std::string("write ") + c + " at its end, on the same line; \\n is a line end");
      ++end;
      token_.kind = Token::Kind::text;
    } else {
      for (const std::string_view sign : {"==", "!=", "<=", ">="})
        if (text_.substr(at_).starts_with(sign)) end = at_ + 2;
      token_.kind = Token::Kind::sign;
    }
    token_.end = end;
    at_ = end;
  }

  // ---- expressions
  // -------------------------------------------------------------------------------------------------------------------
  using Kind = TemplateExpression::Kind;

  TemplateExpressionPtr make(Kind kind, std::size_t begin, std::vector<TemplateExpressionPtr> operands = {}) const {
    auto e = std::make_unique<TemplateExpression>();
    e->kind = kind;
    e->operands = std::move(operands);
    e->span = span(begin, last_);
    return e;
  }
  template <class... E>
  static std::vector<TemplateExpressionPtr> of(E... operands) {
    std::vector<TemplateExpressionPtr> all;
    (all.push_back(std::move(operands)), ...);
    return all;
  }
  void step() { last_ = token_.end, next(); }  // a token that belongs to the expression

  TemplateExpressionPtr expression() {
    if (++depth_ > kDeepest) fail(token_, "more than " + std::to_string(kDeepest) + " brackets lie in each other");
    TemplateExpressionPtr e = either();
    --depth_;
    return e;
  }
  TemplateExpressionPtr either() {
    const std::size_t begin = token_.begin;
    TemplateExpressionPtr left = both();
    for (int chain = 0; is_word("or"); left = make(Kind::either, begin, of(std::move(left), both())))
      check_chain(++chain), step();
    return left;
  }
  TemplateExpressionPtr both() {
    const std::size_t begin = token_.begin;
    TemplateExpressionPtr left = negation();
    for (int chain = 0; is_word("and"); left = make(Kind::both, begin, of(std::move(left), negation())))
      check_chain(++chain), step();
    return left;
  }
  void check_chain(int length) const {  // each link is a level of the tree
    if (length > 1000) fail(token_, "this expression is too long");
  }
  TemplateExpressionPtr negation() {
    if (!is_word("not")) return comparison();
    const std::size_t begin = token_.begin;
    if (++depth_ > kDeepest) fail(token_, "more than " + std::to_string(kDeepest) + " words 'not' follow each other");
    step();
    TemplateExpressionPtr e = make(Kind::negation, begin, of(negation()));
    --depth_;
    return e;
  }
  std::optional<Kind> comparison_sign() const {
    if (token_.kind == Token::Kind::sign) {
      const std::string_view sign = text(token_);
      if (sign == "==") return Kind::equal;
      if (sign == "!=") return Kind::unequal;
      if (sign == "<=") return Kind::at_most;
      if (sign == ">=") return Kind::at_least;
      if (sign == "<") return Kind::less;
      if (sign == ">") return Kind::more;
    }
    if (is_word("in")) return Kind::in;
    if (is_word("not")) return Kind::not_in;
    return std::nullopt;
  }
  TemplateExpressionPtr comparison() {
    const std::size_t begin = token_.begin;
    TemplateExpressionPtr left = postfix();
    const auto kind = comparison_sign();
    if (!kind) return left;
    if (*kind == Kind::not_in) {
      step();
      if (!is_word("in")) fail(token_, "'in' must follow this 'not'");
    }
    step();
    left = make(*kind, begin, of(std::move(left), postfix()));
    if (comparison_sign()) fail(token_, "two comparisons follow each other", "join them with 'and'");
    return left;
  }

  TemplateExpressionPtr postfix() {
    const std::size_t begin = token_.begin;
    TemplateExpressionPtr e = primary();
    for (int chain = 0;; check_chain(++chain)) {
      if (is_sign(".")) {
        step();
        if (token_.kind != Token::Kind::word)
          fail(token_, "a name must follow the dot",
               "names with other signs than letters, digits and _: spec.nodes[\"my-nodes\"]");
        const std::string_view word = text(token_);
        step();
        e = make(Kind::member, begin, of(std::move(e)));
        e->word = word;
        if (is_sign("("))
          fail(token_, "nothing can be called here",
               word == "items" ? "write it as a filter: … | items" : "filters follow |: " + filter_names());
      } else if (is_sign("[")) {
        step();
        TemplateExpressionPtr key = expression();
        if (!is_sign("]")) fail(token_, "']' is missing here");
        step();
        e = make(Kind::member, begin, of(std::move(e), std::move(key)));
      } else if (is_sign("|")) {
        step();
        e = filter(begin, std::move(e));
      } else if (is_word("is")) {
        step();
        const bool no = is_word("not");
        if (no) step();
        if (!is_word("defined")) fail(token_, "'defined' or 'not defined' must follow 'is'");
        step();
        e = make(no ? Kind::undefined : Kind::defined, begin, of(std::move(e)));
      } else {
        if (is_sign("(")) fail(token_, "nothing can be called here", "filters follow |: " + filter_names());
        return e;
      }
    }
  }

  static std::string filter_names() {
    std::vector<std::string_view> names;
    for (const TemplateFilter& f : template_filters()) names.push_back(f.name);
    return join(names, ", ");
  }

  TemplateExpressionPtr filter(std::size_t begin, TemplateExpressionPtr of_what) {
    const std::string_view word = text(token_);
    const auto& filters = template_filters();
    const auto known = std::find_if(filters.begin(), filters.end(), [&](const TemplateFilter& f) {
      return token_.kind == Token::Kind::word && f.name == word;
    });
    if (known == filters.end()) {
      std::vector<std::string_view> names;
      for (const TemplateFilter& f : filters) names.push_back(f.name);
      const auto near = nearest_name(word, names);
      fail(token_, "there is no filter '" + std::string(word.substr(0, 40)) + "'",
           near ? "did you mean '" + std::string(*near) + "'?" : "there are " + join(names, ", "));
    }
    const Token name = token_;
    step();
    std::vector<TemplateExpressionPtr> operands = of(std::move(of_what));
    if (is_sign("(")) {
      step();
      while (!is_sign(")")) {
        operands.push_back(expression());
        if (is_sign(","))
          step();
        else if (!is_sign(")"))
          fail(token_, "',' or ')' is missing here");
      }
      step();
    }
    const int arguments = static_cast<int>(operands.size()) - 1;
    if (arguments < known->least || arguments > known->most)
      fail(name, "the filter '" + std::string(word) + "' takes " +
                     (known->most == 0 ? std::string("no arguments")
                      : known->least == known->most
                          ? std::to_string(known->most) + (known->most == 1 ? " argument" : " arguments")
                          : "at most " + std::to_string(known->most)) +
                     ", not " + std::to_string(arguments));
    TemplateExpressionPtr e = make(Kind::filter, begin, std::move(operands));
    e->word = known->name;
    return e;
  }

  TemplateExpressionPtr primary() {
    const Token t = token_;
    const auto literal = [&](TemplateValue value) {
      step();
      TemplateExpressionPtr e = make(Kind::literal, t.begin);
      e->value = std::move(value);
      return e;
    };
    if (t.kind == Token::Kind::text) return literal(TemplateValue::of(unescaped(t), true));
    if (t.kind == Token::Kind::number) return literal(number(t, false));
    if (is_sign("-")) {
      step();
      if (token_.kind != Token::Kind::number) fail(token_, "a number must follow this '-'");
      const Token n = token_;
      TemplateExpressionPtr e = literal(number(n, true));
      e->span = span(t.begin, n.end);
      return e;
    }
    if (is_sign("(")) {
      step();
      TemplateExpressionPtr e = expression();
      if (!is_sign(")")) fail(token_, "')' is missing here");
      step();
      return e;
    }
    if (is_sign("[")) {
      step();
      std::vector<TemplateExpressionPtr> items;
      while (!is_sign("]")) {
        items.push_back(expression());
        if (is_sign(","))
          step();
        else if (!is_sign("]"))
          fail(token_, "',' or ']' is missing here");
      }
      step();
      return make(Kind::list, t.begin, std::move(items));
    }
    if (t.kind == Token::Kind::word) {
      const std::string_view word = text(t);
      if (word == "true" || word == "True") return literal(TemplateValue::of(true));
      if (word == "false" || word == "False") return literal(TemplateValue::of(false));
      if (!reserved(word) || word == "loop") {
        step();
        TemplateExpressionPtr e = make(Kind::name, t.begin);
        e->word = word;
        return e;
      }
    }
    if (t.begin >= text_.size()) fail(tag_, tag_ + 2, "the tag that begins here has no end");
    const char c = text_[t.begin];
    const bool not_ours = c == '$' || c == '.' || c == '*' || c == '`';
    fail(t, "a value is missing here",
         not_ours ? "braces that the file itself has stand between {% raw %} and {% endraw %}; a file without .tmpl is "
                    "taken as it is"
                  : "a name, a number, or a text in quotes");
  }

  TemplateValue number(const Token& t, bool negative) const {
    const std::string word = (negative ? "-" : "") + std::string(text(t));
    if (word.find('.') == word.npos) {
      std::int64_t integer = 0;
      if (const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), integer);
          error != std::errc())
        fail(t, "this number is too large");
      return TemplateValue::of(integer);
    }
    double real = 0;
    if (const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), real); error != std::errc())
      fail(t, "this number is too large");
    return TemplateValue::of(real);
  }

  std::string unescaped(const Token& t) const {
    std::string out;
    for (std::size_t i = t.begin + 1; i + 1 < t.end; ++i) {
      if (text_[i] != '\\') {
        out += text_[i];
        continue;
      }
      switch (text_[++i]) {
        case 'n':
          out += '\n';
          break;
        case 't':
          out += '\t';
          break;
        case '\\':
        case '"':
        case '\'':
          out += text_[i];
          break;
        default:
          fail(i - 1, i + 1, "this backslash means nothing",
               "\\n, \\t, \\\\, \\\" and \\' stand for a line end, a tab and the sign itself");
      }
    }
    return out;
  }

  FileId file_;
  std::string_view text_;
  std::size_t at_ = 0, tag_ = 0, last_ = 0;
  bool line_begins_ = true;  // nothing of the line stands before at_
  int blocks_ = 0, depth_ = 0;
  Token token_;
};

}  // namespace

TemplateBlock parse_template(const Sources& sources, FileId file) { return Parser(sources, file).all(); }

}  // namespace clusterc
