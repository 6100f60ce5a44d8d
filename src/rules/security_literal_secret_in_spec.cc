#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "rules/rules.h"
#include "rules/say.h"
#include "rules/security_say.h"

namespace clusterc {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// "ldap://reader:hunter2@host": a password between the first ':' behind the scheme and the '@' before the host.
bool password_in_url(std::string_view text) {
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 3)) {
    const std::string_view rest = text.substr(at + 3), authority = rest.substr(0, rest.find_first_of("/?# \t\"'"));
    const std::size_t host = authority.rfind('@'), colon = authority.find(':');
    if (host == std::string_view::npos || colon == std::string_view::npos || colon > host) continue;
    const std::string_view password = authority.substr(colon + 1, host - colon - 1);
    if (!password.empty() && password.front() != '$' && password.front() != '{' && password.front() != '<') return true;
  }
  return false;
}

// Beginnings that issuers give their tokens so that they are found, and how many characters follow at least.
struct TokenKind { std::string_view begins; std::size_t more; std::string_view name; };
constexpr std::array kTokens = {
    TokenKind{"ghp_", 30, "a token of GitHub"},  TokenKind{"github_pat_", 30, "a token of GitHub"}, TokenKind{"glpat-", 20, "a token of GitLab"},
    TokenKind{"AKIA", 16, "an access key of AWS"}, TokenKind{"hf_", 30, "a token of Hugging Face"},   TokenKind{"nvapi-", 40, "a key of NVIDIA NGC"},
    TokenKind{"xoxb-", 20, "a token of Slack"},
};
bool word_character(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

std::optional<std::string_view> token_in(std::string_view text) {
  for (const TokenKind& t : kTokens)
    for (std::size_t at = text.find(t.begins); at != std::string_view::npos; at = text.find(t.begins, at + 1)) {
      if (at > 0 && word_character(text[at - 1])) continue;
      std::size_t end = at + t.begins.size();
      while (end < text.size() && word_character(text[end])) ++end;
      if (end - at - t.begins.size() >= t.more) return t.name;
    }
  return std::nullopt;
}

// "StoragePass=hunter2", "password: hunter2" in a line that goes into a compiled file; a path or a reference is none.
std::optional<std::string> named_secret(std::string_view text) {
  static constexpr std::string_view kWords[] = {"password", "passwd", "passphrase", "storagepass", "secret", "private_key", "privatekey", "psk", "community", "token"};
  const std::string low = lower(text);
  for (const std::string_view word : kWords)
    for (std::size_t at = low.find(word); at != std::string::npos; at = low.find(word, at + 1)) {
      std::size_t i = at + word.size();
      while (i < text.size() && (text[i] == ' ' || text[i] == '"' || text[i] == '\'')) ++i;
      if (i >= text.size() || (text[i] != '=' && text[i] != ':')) continue;
      ++i;
      while (i < text.size() && (text[i] == ' ' || text[i] == '"' || text[i] == '\'')) ++i;
      const std::string_view value = text.substr(i);
      if (value.empty() || value.front() == '/' || value.front() == '$' || value.front() == '{' || value.front() == '<' || value.front() == '*') continue;
      const std::string first = lower(value.substr(0, value.find_first_of(" ,;\"'")));
      if (first == "yes" || first == "no" || first == "true" || first == "false" || first == "none" || first.starts_with("file:") || first.starts_with("env:") || first.starts_with("vault:")) continue;
      return std::string(word);
    }
  return std::nullopt;
}

void check(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_written_text(in.cluster.spec, [&](const std::string& path, const Value<std::string>& v) {
    const std::string_view text = *v;
    std::string what;
    if (text.find("-----BEGIN") != std::string_view::npos && text.find("PRIVATE KEY-----") != std::string_view::npos) what = "a private key";
    else if (password_in_url(text)) what = "a password in a URL";
    else if (const auto token = token_in(text)) what = *token;
    else if (const auto word = named_secret(text)) what = format("a value for '{}'", *word);
    if (what.empty()) return;
    findings.error(rule.id, v.span, format("{} stands at '{}' (the value is not shown); a secret is only referred to", what, path))
        .help("take it out, and change it: it may have been seen; compiled files get secrets from { file: … }, { env: … } or { vault: … }, or from a file on the node that the line names");
    findings.withhold(v.span);
  });
}

}  // namespace

constexpr std::string_view kExplanation = R"(## What it checks

No text of the spec is a secret: a password in a URL, a private key, a token in the form that its issuer gives it, or a value for a word such as `password` or `secret` in a line that goes into a compiled file.

## Why it matters

A spec is kept in version control, sent to vendors and pasted into issues. What stood in it once has to be changed everywhere.

## Formula

```
scheme://user:password@host          -----BEGIN … PRIVATE KEY-----
ghp_… glpat-… hf_… nvapi-… AKIA… xoxb-…          StoragePass=…  password: …  secret=…  community=…
none: a value that begins with / $ { < *, and { file: … }, { env: … }, { vault: … }
```

Source: RFC 3986 section 3.2.1 (a password in a URL is deprecated, "should not be rendered"); the forms of tokens are their issuers'. Keys that take secrets only are checked when the spec is read.

## Example

`server: "ldaps://reader:hunter2@ldap.example.org"`.

## How to fix

Write a reference, `bind_password: { vault: kv/ldap#bind }`, and change the secret.

## When to accept

Where the text only looks like one: an example in a description.
)";

const Rule kSecurityLiteralSecretInSpec = {
    .id = "security-literal-secret-in-spec",
    .code = "SEC-001",
    .severity = Severity::error,
    .physics = false,
    .summary = "a secret stands in the spec",
    .explanation = kExplanation,
    .check = check,
};

}  // namespace clusterc
