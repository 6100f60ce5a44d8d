#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "plan/plan.h"
#include "rules/rule.h"
#include "rules/say.h"
#include "rules/security_say.h"
#include "spec/judgement.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/output.h"
#include "spec/prices.h"
#include "spec/site.h"
#include "spec/storage.h"
#include "spec/team.h"
#include "spec/workload.h"

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
struct TokenKind {
  std::string_view begins;
  std::size_t more;
  std::string_view name;
};
constexpr std::array kTokens = {
    TokenKind{"ghp_", 30, "a GitHub token"},      TokenKind{"github_pat_", 30, "a GitHub token"},
    TokenKind{"glpat-", 20, "a GitLab token"},    TokenKind{"AKIA", 16, "an AWS access key"},
    TokenKind{"hf_", 30, "a Hugging Face token"}, TokenKind{"nvapi-", 40, "an NVIDIA NGC key"},
    TokenKind{"xoxb-", 20, "a Slack token"},
};
bool word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

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

// "$6$salt$hash", "$y$…", "$2b$…": what crypt(5) makes of a password. It is guessed offline by whoever reads it.
bool is_hash(std::string_view value) {
  if (!value.starts_with('$')) return false;
  const std::size_t end = value.find('$', 1);
  return end != std::string_view::npos && end > 1 && end <= 9 &&
         std::all_of(value.begin() + 1, value.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

// In place of a secret: a path, a variable, a template's or a shell's expression, what Ansible Vault encrypted, a lock,
// or a word that is none.
bool is_none(std::string_view value) {
  if (value.empty() || (std::string_view("/${<*`").find(value.front()) != std::string_view::npos && !is_hash(value)) ||
      value.starts_with("!vault"))
    return true;
  const std::string first = lower(value.substr(0, value.find_first_of(" ,;\"'})]\n")));
  for (const std::string_view none : {"", "!", "yes", "no", "true", "false", "none", "null", "~"})
    if (first == none) return true;
  return first.starts_with("file:") || first.starts_with("env:") || first.starts_with("vault:");
}

// "StoragePass=hunter2", "password: hunter2", a block of YAML in the next line; for syslog-ng password("hunter2"), for
// a kickstart file --password hunter2.
std::optional<std::string> named_secret(std::string_view text, std::string_view output) {
  struct Word {
    std::string_view ends, output = {};
  };  // what a key ends with; the output whose lines mean a secret by it: empty, all
  static constexpr Word kWords[] = {
      {"password"},
      {"passwd"},
      {"passphrase"},
      {"storagepass"},
      {"_pass"},
      {"secret"},
      {"private_key"},
      {"privatekey"},
      {"secret_key"},
      {"api_key"},
      {"psk"},
      {"community"},
      {"token"},
      {"credentials"},
      // <secret> in the reference of Alertmanager's configuration (prometheus.io/docs/alerting/latest/configuration)
      {"service_key", "prometheus"},
      {"routing_key", "prometheus"},
      {"user_key", "prometheus"},
      {"slack_api_url", "prometheus"},
      {"webhook_url", "prometheus"},
  };
  std::string low = lower(text);
  std::replace(low.begin(), low.end(), '-', '_');
  const auto look = [&](std::string_view word) {
    for (std::size_t at = low.find(word); at != std::string::npos; at = low.find(word, at + 1)) {
      std::size_t i = at + word.size();
      if (word == "passwd" && at >= 2 && low.compare(at - 2, 2, "ch") == 0)
        continue;  // a program, and a mapping of cloud-init
      const auto skip = [&](std::string_view what) {
        while (i < text.size() && what.find(text[i]) != std::string_view::npos) ++i;
      };
      const bool option =
          output == "kickstart" && i < text.size() && text[i] == ' ' && at >= 2 && low.compare(at - 2, 2, "__") == 0;
      if (!option) {
        skip(" \"'");
        if (i >= text.size() || (text[i] != '=' && text[i] != ':' && !(text[i] == '(' && output == "syslog-ng")))
          continue;
        ++i;
      }
      skip(" \t\n");
      if (i < text.size() && (text[i] == '|' || text[i] == '>')) ++i, skip("+-0123456789"), skip(" \t\n");
      skip(" \"'");
      if (!is_none(text.substr(i))) return true;
    }
    return false;
  };
  for (const Word& w : kWords)
    if ((w.output.empty() || w.output == output) && look(w.ends)) return std::string(w.ends);
  if (low.find("slack_configs") != std::string::npos && look("api_url")) return "api_url";
  return std::nullopt;
}

// Addresses that whoever knows them may write to, by what begins them.
bool webhook_in(std::string_view text) {
  for (const std::string_view begins :
       {"//hooks.slack.com/services/", "//hooks.slack.com/workflows/", "//hooks.slack.com/triggers/",
        "//discord.com/api/webhooks/", "//discordapp.com/api/webhooks/", ".webhook.office.com/webhook",
        "//outlook.office.com/webhook", "//api.telegram.org/bot"})
    if (const std::size_t at = text.find(begins);
        at != std::string_view::npos && at + begins.size() < text.size() && word_character(text[at + begins.size()]))
      return true;
  return false;
}

// "root:hunter2", as chpasswd(8) reads it; R and RANDOM are cloud-init's words for one that it makes up.
bool account_with_password(std::string_view text) {
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    if (at == 0 || !word_character(text[at - 1]) || at + 1 >= text.size()) continue;
    const std::string_view value = text.substr(at + 1), word = value.substr(0, value.find_first_of(" ,;\"'})]\\\n"));
    if (std::string_view(" \t\n\"'%/:").find(value.front()) == std::string_view::npos && !is_none(value) &&
        word != "R" && word != "RANDOM")
      return true;
  }
  return false;
}

// A password that a command line gives to chpasswd or `passwd --stdin`, and the list of cloud-init's `chpasswd`.
bool given_password(std::string_view text) {
  constexpr std::string_view kProgram = "chpasswd", kStdin = "passwd --stdin";
  const auto piped = [&](std::size_t at) {  // what is printed into the program at this place; "| in-target chpasswd",
                                            // "| sudo /usr/sbin/chpasswd"
    const std::size_t pipe = text.rfind('|', at);
    if (pipe == std::string_view::npos || !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(pipe) + 1,
                                                       text.begin() + static_cast<std::ptrdiff_t>(at), [](char c) {
                                                         return word_character(c) || c == ' ' || c == '/';
                                                       }))
      return std::string_view();
    const std::string_view left = text.substr(0, pipe);
    const std::size_t echo = left.rfind("echo "), print = left.rfind("printf ");
    if (echo == std::string_view::npos && print == std::string_view::npos) return std::string_view();
    return echo != std::string_view::npos && (print == std::string_view::npos || echo > print) ? left.substr(echo + 5)
                                                                                               : left.substr(print + 7);
  };
  for (std::size_t at = text.find(kProgram); at != std::string_view::npos; at = text.find(kProgram, at + 1)) {
    const std::string_view rest = text.substr(at + kProgram.size());
    if (account_with_password(piped(at))) return true;
    if (const std::size_t here = rest.find("<<");
        here != std::string_view::npos && account_with_password(rest.substr(here + 2)))
      return true;
    const std::size_t colon = rest.find_first_not_of(" \"'");
    if (colon == std::string_view::npos || rest[colon] != ':') continue;
    if (const std::size_t list = rest.find("list");
        list != std::string_view::npos && account_with_password(rest.substr(list + 4)))
      return true;
  }
  for (std::size_t at = text.find(kStdin); at != std::string_view::npos; at = text.find(kStdin, at + 1)) {
    std::string_view said = piped(at);
    while (!said.empty() && std::string_view(" \"'\\").find(said.front()) != std::string_view::npos)
      said.remove_prefix(1);
    while (said.starts_with("-n ") || said.starts_with("-e ")) said.remove_prefix(3);
    if (!is_none(said)) return true;
  }
  return false;
}

// "d-i passwd/root-password password hunter2": owner, question, type, value. There are no references; '!' and '*' lock
// an account.
std::optional<std::string> preseeded(const std::vector<std::string_view>& words) {
  if (words.size() < 4 || (words[2] != "password" && words[2] != "string") || words[3] == "!" || words[3] == "*")
    return std::nullopt;
  const std::string_view question = words[1];
  for (const std::string_view part : {"password", "passphrase", "wireless_wpa", "wireless_wep"})
    if (words[2] == "password" || question.find(part) != std::string_view::npos) return std::string(question);
  return std::nullopt;
}

// "rootpw --plaintext hunter2", "sshpw --username=root hunter2 --plaintext": the word that is no option.
std::optional<std::string> kickstarted(const std::vector<std::string_view>& words) {
  if (words.empty() || (words[0] != "rootpw" && words[0] != "sshpw")) return std::nullopt;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--username")
      ++i;
    else if (!words[i].starts_with("--") && words[i] != "!" && words[i] != "*" && words[i] != "!!")
      return std::string(words[0]);
  }
  return std::nullopt;
}

// What stands in an extra line of an output, and for every other text what stands in any.
std::string secret_in(std::string_view path, std::string_view text) {
  constexpr std::string_view kOutputs = "outputs.";
  std::string_view output;
  if (path.starts_with(kOutputs)) output = path.substr(kOutputs.size()), output = output.substr(0, output.find('.'));
  if (text.find("-----BEGIN") != std::string_view::npos && text.find("PRIVATE KEY-----") != std::string_view::npos)
    return "a private key";
  if (password_in_url(text)) return "a password in a URL";
  if (const auto token = token_in(text)) return std::string(*token);
  if (webhook_in(text)) return "the URL of a webhook, with which anybody can post there,";
  std::optional<std::string> word;
  if (output == "preseed" || output == "kickstart") {
    std::vector<std::string_view> words;
    const std::string spaced = replace_all(text, "\t", " ");
    for (const std::string_view w : split(spaced, ' '))
      if (!w.empty()) words.push_back(w);
    word = output == "preseed" ? preseeded(words) : kickstarted(words);
  }
  if (!word) word = named_secret(text, output);
  if (word) return format("a value for '{}'", *word);
  return given_password(text) ? "a password for chpasswd or passwd" : std::string();
}

void security_literal_secret_in_spec(const Rule& rule, const RuleInput& in, Findings& findings) {
  each_written_text(in.cluster.spec, [&](const std::string& path, const Value<std::string>& v) {
    const std::string what = secret_in(path, *v);
    if (what.empty()) return;
    findings
        .error(rule.id, v.span,
               format("{} is written at '{}' (the value is not shown); a spec may only contain references to secrets",
                      what, path))
        .help(
            "remove it, and change the secret, because others may have read it; write { file: … }, { env: … } or "
            "{ vault: … } instead, or the path of a file on the node");
    findings.withhold(v.span);
  });
}

}  // namespace

extern const Rule kSecurityLiteralSecretInSpec;  // registry.cc names it
const Rule kSecurityLiteralSecretInSpec = {
    .id = "security-literal-secret-in-spec",
    .code = "SEC-001",
    .severity = Severity::error,
    .physics = false,
    .summary = "a secret is written in the spec",
    .explanation = R"(## What it checks

No text of the spec is a secret: a password in a URL, a private key, a token in its issuer's format, or a value for a
word such as `password` or `secret` in a line of a compiled file, in the syntax of the program that reads the file.

## Why it matters

A spec is kept in version control, sent to vendors and pasted into issues. Every secret that was written in it must be
changed.

## Formula

```
scheme://user:password@host          -----BEGIN … PRIVATE KEY-----
ghp_… glpat-… hf_… nvapi-… AKIA… xoxb-…          StoragePass=…  password: …  secret=…  community=…
ansible_become_pass: …  x_api_key: …             credentials: …  https://hooks.slack.com/services/…
d-i passwd/root-password password …              rootpw …        password("…") of syslog-ng
chpasswd: { list: "root:…" }                     echo root:… | chpasswd
none: a value that begins with / $ { < * ` or !vault, R and RANDOM of cloud-init, and { file: … }, { env: … }, { vault: … };
but what crypt(5) makes of a password, $6$…, is one: it is guessed offline. In preseed.cfg only ! and * are none
```

Unit: none. Forms of text are compared.

Source: RFC 3986 section 3.2.1 (a password in a URL is deprecated, "should not be rendered"); the forms of tokens are their issuers'; keys and questions are those of the manuals of debian-installer, kickstart, cloud-init, Alertmanager and syslog-ng. Keys that take secrets only are checked when the spec is read.

## Example

`server: "ldaps://reader:hunter2@ldap.example.org"`.

## How to fix

Write a reference, `bind_password: { vault: kv/ldap#bind }`, and change the secret.

## When to accept

Where the text only looks like a secret: an example in a description.
)",
    .check = security_literal_secret_in_spec,
};

}  // namespace clusterc
