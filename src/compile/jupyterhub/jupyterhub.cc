// jupyterhub/: a hub whose sessions are jobs of Slurm. What belongs to this cluster stands in cluster.json; the
// configuration in Python, which reads it, is the same for every cluster, so that no text of a spec becomes Python.
#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/extra_json.h"
#include "compile/extra_yaml.h"
#include "compile/template_text.h"
#include "spec/nodes.h"
#include "spec/software.h"
#include "system/firewall.h"
#include "system/notebooks.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

constexpr std::string_view kFile = "jupyterhub_config.py";
constexpr std::int64_t kHubPort = 8081;      // JupyterHub's own default, hub_port
constexpr std::int64_t kStartSeconds = 600;  // that a session may wait in the queue; SlurmSpawner's default is 300
constexpr std::string_view kSecretFile = "/etc/jupyterhub/oidc-secret";  // of a secret that lies in a vault

bool wants_jupyterhub(const Cluster& c) { return makes_notebooks(c); }

std::string url_of(const NotebookFacts& facts) {
  const std::int64_t port = facts.spec->port.value_or(443);
  return "https://" + facts.name + (port == 443 ? "" : ":" + std::to_string(port));
}
std::string hub_url(const NotebookFacts& facts) { return "http://" + facts.node + ":" + std::to_string(kHubPort); }
bool by_provider(const NotebookFacts& facts) { return facts.spec->users.value_or("pam") == "oidc"; }

// A provider knows no groups of Unix: those of its users who have no account cannot start a session.
bool lets_everybody_in(const NotebookFacts& facts) {
  return by_provider(facts) ? facts.users.empty() || !facts.groups.empty()
                            : facts.users.empty() && facts.groups.empty();
}

void write_users(const NotebookFacts& facts, JsonWriter& json) {
  json.object("users").field("by", by_provider(facts) ? "oidc" : "pam");
  json.field("everybody", lets_everybody_in(facts));
  json.array("allowed");
  for (const std::string& u : facts.users) json.value(u);
  json.end_array().array("groups");
  if (!by_provider(facts))
    for (const std::string& g : facts.groups) json.value(g);
  json.end_array();
  if (by_provider(facts) && facts.spec->oidc) {
    const OpenIdConnect& o = *facts.spec->oidc;
    json.object("oidc")
        .field("issuer", o.issuer.value_or(""))
        .field("client_id", o.client_id.value_or(""))
        .field("username_claim", o.username_claim.value_or("preferred_username"))
        .object("client_secret");
    if (o.client_secret && o.client_secret->env)
      json.field("env", *o.client_secret->env);
    else
      json.field("file",
                 o.client_secret && o.client_secret->file ? std::string_view(*o.client_secret->file) : kSecretFile);
    json.end_object().end_object();
  }
  json.end_object();
}

// "Spawner: { http_timeout: 60 }": traits of one class. What follows from the spec is not set a second time.
constexpr std::string_view kOurTraits[] = {"JupyterHub.bind_url",
                                           "JupyterHub.ssl_cert",
                                           "JupyterHub.ssl_key",
                                           "JupyterHub.hub_bind_url",
                                           "JupyterHub.hub_connect_url",
                                           "JupyterHub.authenticator_class",
                                           "JupyterHub.spawner_class",
                                           "Authenticator.allow_all",
                                           "Authenticator.allowed_users",
                                           "Authenticator.allowed_groups",
                                           "Authenticator.admin_users",
                                           "Authenticator.blocked_users",
                                           "Authenticator.username_pattern",
                                           "Authenticator.client_id",
                                           "Authenticator.client_secret",
                                           "Authenticator.authorize_url",
                                           "Authenticator.token_url",
                                           "Authenticator.userdata_url",
                                           "Authenticator.username_claim",
                                           "Spawner.cmd",
                                           "Spawner.args",
                                           "Spawner.options_form",
                                           "Spawner.options_from_form",
                                           "Spawner.batch_script",
                                           "Spawner.exec_prefix",
                                           "Spawner.batchspawner_singleuser_cmd"};

// What is set for PAMAuthenticator or ClusterSpawner goes before what is set for the class that it is made from: so
// such a class is looked for under the name of its root.
std::string_view root_of(std::string_view of_class) {
  for (const std::string_view root : {"Authenticator", "Spawner"})
    if (of_class.find(root) != std::string_view::npos) return root;
  return of_class;
}

bool is_word(std::string_view word, char from, char to) {
  return !word.empty() && word.front() >= from && word.front() <= to &&
         std::all_of(word.begin(), word.end(), [](char ch) {
           return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
         });
}

Refusal refusal_of(const Document& d, NodeId traits, std::string_view of_class) {
  if (!is_word(of_class, 'A', 'Z') || !d.is_mapping(traits)) return {"it is not the name of a class with its traits"};
  // Everybody would log in as anybody.
  if (of_class == "DummyAuthenticator") return {"this class checks no password", true};
  for (NodeId key = d.first_child(traits); key != kNoNode; key = d.next_sibling(d.next_sibling(key))) {
    if (!is_word(d.scalar(key), 'a', 'z'))
      return {"'" + one_line(d.scalar(key).substr(0, 60)) + "' is not the name of a trait"};
    const std::string trait = "." + std::string(d.scalar(key));
    if (std::find(std::begin(kOurTraits), std::end(kOurTraits), std::string(root_of(of_class)) + trait) !=
        std::end(kOurTraits))
      return {"an extra line sets '" + std::string(of_class) + trait + "', which is already set from the spec", true};
  }
  return {};
}

void write_traits(const CompileInput& in, JsonWriter& json, Findings& findings) {
  json.object("traits");
  yaml_entries(in, kFile, {}, "Spawner: { http_timeout: 60 }", findings,
               [&](const Document& d, NodeId value, std::string_view key) -> Refusal {
                 Refusal no = refusal_of(d, value, key);
                 if (!no.why.empty()) return no;
                 json.key(key);
                 write_extra_value(json, d, value);
                 return {};
               });
  json.end_object();
}

void emit_cluster(const CompileInput& in, const NotebookFacts& facts, Bundle& bundle, Findings& findings) {
  const Notebooks& s = *facts.spec;
  bundle.open("jupyterhub/cluster.json", "jupyterhub");
  std::string& out = bundle.text();
  JsonWriter json(out, {.indent = 2});
  json.begin_object()
      .field("comment", trim(made_by(in, "jupyterhub", "")))
      .field("url", url_of(facts))
      .field("bind_url", "https://:" + std::to_string(s.port.value_or(443)))
      .field("certificate", s.certificate.value_or(""))
      .field("key", s.key && s.key->file ? std::string_view(*s.key->file) : std::string_view())
      .field("hub_bind_url", "http://" + facts.address + ":" + std::to_string(kHubPort))
      .field("hub_connect_url", hub_url(facts))
      .field("folder", s.folder.value_or("/opt/jupyterhub"))
      .field("start_timeout", kStartSeconds);
  json.array("arguments");
  if (s.idle) {
    const std::string seconds = std::to_string(std::max<std::int64_t>(60, static_cast<std::int64_t>(s.idle->value)));
    // The server ends when no kernel and no terminal is left, and kernels end when nothing happens in them.
    for (const std::string_view option :
         {"--ServerApp.shutdown_no_activity_timeout=", "--MappingKernelManager.cull_idle_timeout=",
          "--TerminalManager.cull_inactive_timeout="})
      json.value(std::string(option) + seconds);
    // A tab that somebody forgot holds a connection to its kernel.
    json.value("--MappingKernelManager.cull_connected=True");
  }
  json.end_array().array("admins");
  for (const auto& admin : s.admins)
    if (admin) json.value(*admin);
  json.end_array();
  write_users(facts, json);
  json.object("profiles");
  for (const NotebookSize& size : facts.sizes)
    json.object(size.name)
        .field("words", words_of(size))
        .field("partition", size.partition)
        .field("cpus", size.cpus)
        .field("memory_mib", size.memory_mib)
        .field("gres", size.gres)
        .field("minutes", size.minutes)
        .end_object();
  json.end_object();
  write_traits(in, json, findings);
  json.end_object();
  out += '\n';
  bundle.close();
}

bool is_debian(const NodeGroupModel& g) {
  const std::string os = g.software->os.value_or("");
  return os.starts_with("debian") || os.starts_with("ubuntu") || os.starts_with("dgx-os");
}

void emit_service(const CompileInput& in, const NotebookFacts& facts, Bundle& bundle) {
  std::string text(template_text("jupyterhub/jupyterhub.service"));
  // pam_unix reads /etc/shadow, which belongs to the group shadow on Debian and Ubuntu, and to root elsewhere.
  const bool shadow = !by_provider(facts) && is_debian(in.cluster.nodes[static_cast<std::size_t>(facts.group)]);
  const std::size_t at = text.find("# Passwords"), end = text.find("# Ports");
  if (!shadow) text.erase(at, end - at);
  text = replace_all(text, "@groups@", "shadow");
  text = replace_all(text, "@folder@", facts.spec->folder.value_or("/opt/jupyterhub"));
  bundle.add("jupyterhub/jupyterhub.service", "jupyterhub", made_by(in, "") + text);
}

// Whose sessions the hub may submit: those of all who may log in. Another name than one of an account cannot
// log in.
std::string sudo_users(const NotebookFacts& facts) {
  if (lets_everybody_in(facts)) return "ALL";
  std::vector<std::string> out;
  for (const std::string& user : facts.users)
    if (is_account_name(user)) out.push_back(to_lower(user));  // as the hub does; sudoers takes capitals for an alias
  for (const auto& admin : facts.spec->admins)
    if (admin && std::find(out.begin(), out.end(), *admin) == out.end()) out.push_back(*admin);
  if (!by_provider(facts))
    for (const std::string& group : facts.groups) out.push_back("%" + group);
  return out.empty() ? "!ALL" : join(out, ", ");
}

void emit_sudoers(const CompileInput& in, const NotebookFacts& facts, Bundle& bundle) {
  bundle.add(
      "jupyterhub/sudoers", "jupyterhub",
      made_by(in, "") + replace_all(std::string(template_text("jupyterhub/sudoers")), "@users@", sudo_users(facts)),
      0440);
}

// Batchspawner, JupyterLab and OAuthenticator are those that ran with it in a test.
void emit_requirements(const CompileInput& in, const NotebookFacts& facts, Bundle& bundle) {
  const std::string release = facts.spec->version ? facts.spec->version->text() : "6.1";
  const bool exact = std::count(release.begin(), release.end(), '.') > 1;
  std::string text =
      made_by(in, "") + "jupyterhub==" + release + (exact ? "" : ".*") + "\nbatchspawner==1.3.*\njupyterlab==4.*\n";
  if (by_provider(facts)) text += "oauthenticator==17.*\n";
  bundle.add("jupyterhub/requirements.txt", "jupyterhub", text);
}

void emit_guide(const CompileInput& in, const NotebookFacts& facts, Bundle& bundle) {
  std::string text(template_text("jupyterhub/guide.md"));
  const Notebooks& s = *facts.spec;
  std::string secret, users;
  if (by_provider(facts) && s.oidc && s.oidc->client_secret) {
    const SecretRef& ref = *s.oidc->client_secret;
    if (ref.env)
      secret = "   | the line `" + *ref.env + "=…` | `/etc/jupyterhub/environment` | root, 0600 |\n";
    else
      secret = std::string("   | secret of the client") +
               (ref.vault ? ", from the place in Vault that the spec names" : "") + " | `" +
               (ref.file ? one_line(*ref.file) : std::string(kSecretFile)) + "` | jupyterhub, 0400 |\n";
    users = "The provider of OpenID Connect checks who somebody is. Register the hub there with the address\n`" +
            url_of(facts) +
            "/hub/oauth_callback`. A user without a Unix account of the same name can log in and cannot start a "
            "session.\nThe claim `" +
            s.oidc->username_claim.value_or("preferred_username") +
            "` chooses the account. Users must not be able to change it at the provider: who can, works as somebody "
            "else.\n";
  } else {
    users = "Passwords are those of the accounts on `" + facts.node + "` (PAM, service `login`). ";
    users += facts.users.empty() && facts.groups.empty()
                 ? "Everybody with an account may log in.\n"
                 : "The users of the teams may log in, and members of the Unix groups of teams that name no users.\n";
    users += is_debian(in.cluster.nodes[static_cast<std::size_t>(facts.group)])
                 ? "The hub is in the group `shadow`, to check passwords of local accounts: it can read their hashes.\n"
                 : "The hub cannot read `/etc/shadow`: passwords of local accounts fail. Accounts must come from a "
                   "service that\nchecks passwords, such as SSSD.\n";
  }
  for (const auto& [mark, value] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"@url@", url_of(facts)},
           {"@node@", facts.node},
           {"@folder@", s.folder.value_or("/opt/jupyterhub")},
           {"@certificate@", s.certificate.value_or("")},
           {"@key@", s.key && s.key->file ? *s.key->file : std::string()},
           {"@port@", std::to_string(s.port.value_or(443))},
           {"@hub@", "`" + hub_url(facts) + "`"},
           {"@firewall@", std::string(firewall_file(in.cluster, facts.group))},
           {"@secret@\n", secret},
           {"@users@", users}})
    text = replace_all(text, mark, value);
  bundle.add("jupyterhub/README.md", "jupyterhub", "<!--\n" + made_by(in, "", "") + "-->\n\n" + text);
}

void emit_jupyterhub(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const NotebookFacts facts = notebook_facts(in.system, findings);
  check_extra_files(in, "jupyterhub", {kFile}, findings);
  if (facts.group < 0 || facts.sizes.empty()) {  // an error says why; those of the extra lines are said with it
    std::string unwritten;
    JsonWriter json(unwritten);
    json.begin_object();
    write_traits(in, json, findings);
    json.end_object();
    return;
  }
  emit_guide(in, facts, bundle);
  emit_cluster(in, facts, bundle, findings);
  bundle.add("jupyterhub/jupyterhub_config.py", "jupyterhub",
             made_by(in, "jupyterhub") + std::string(template_text("jupyterhub/jupyterhub_config.py")));
  emit_service(in, facts, bundle);
  emit_sudoers(in, facts, bundle);
  emit_requirements(in, facts, bundle);
}

}  // namespace

extern const Output kJupyterHubOutput;  // registry.cc names it
const Output kJupyterHubOutput{
    .id = "jupyterhub",
    .summary =
        "a hub for notebooks whose sessions are jobs of Slurm, if `software.notebooks` names it: sizes of sessions, "
        "TLS, users by PAM or OpenID Connect, unit, sudoers",
    .consumers = "JupyterHub 5 and 6, Batchspawner 1.3",
    .wanted = wants_jupyterhub,
    .emit = emit_jupyterhub,
};

}  // namespace clusterc
