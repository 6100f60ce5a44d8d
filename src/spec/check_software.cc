#include "spec/check_software.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "diag/near.h"
#include "fields/scalar_text.h"
#include "spec/time_zones.h"

namespace clusterc {
namespace {

// REGISTRY/PATH:TAG or REGISTRY/PATH@sha256:… (github.com/distribution/reference, grammar of references). The
// registry has a dot, and no port: on the mirror its name is the first part of a path, which holds no colon.
bool is_image(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (text.size() > 400 || slash == text.npos) return false;
  const std::string_view registry = text.substr(0, slash);
  std::string_view path = text.substr(slash + 1);
  const auto lower = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (!is_domain(registry) || registry.find('.') == registry.npos ||
      !std::all_of(registry.begin(), registry.end(), [&](char c) { return lower(c) || c == '.' || c == '-'; }))
    return false;
  if (const std::size_t at = path.find("@sha256:"); at != path.npos) {
    const std::string_view digest = path.substr(at + 8);
    if (digest.size() != 64 || !std::all_of(digest.begin(), digest.end(),
                                            [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }))
      return false;
    path = path.substr(0, at);
  } else {
    const std::size_t colon = path.find(':');
    if (colon == path.npos) return false;
    const std::string_view tag = path.substr(colon + 1);
    if (tag.empty() || tag.size() > 128 || tag.front() == '.' || tag.front() == '-' ||
        !std::all_of(tag.begin(), tag.end(),
                     [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; }))
      return false;
    path = path.substr(0, colon);
  }
  for (const std::string_view part : split(path, '/'))
    if (part.empty() || !lower(part.front()) || !lower(part.back()) || part.find("..") != part.npos ||
        !std::all_of(part.begin(), part.end(), [&](char c) { return lower(c) || c == '.' || c == '_' || c == '-'; }))
      return false;
  return true;
}

// As useradd of Debian and of RHEL take it (shadow, lib/chkname.c), with the points that directories have.
bool is_account(std::string_view name) {
  return !name.empty() && name.size() <= 32 && ((name.front() >= 'a' && name.front() <= 'z') || name.front() == '_') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
         });
}

// Folders of the File System Hierarchy Standard 3.0 (chapters 3 to 5) that hold what is not the mirror's: all that lies
// below the first, and the second themselves. /srv/cluster is the compiled tree (output nginx). apt-mirror keeps its
// mirror in /var/spool/apt-mirror.
bool is_folder_of_system(std::string_view path) {
  constexpr std::string_view kWhole[] = {
      "/bin",      "/boot",     "/dev",       "/etc",         "/lib",         "/lib32", "/lib64",   "/libx32",
      "/proc",     "/root",     "/run",       "/sbin",        "/sys",         "/usr",   "/var/db",  "/var/log",
      "/var/lock", "/var/mail", "/var/run",   "/var/tmp",     "/var/backups", "/tmp",   "/selinux", "/snap",
      "/afs",      "/srv/tftp", "/var/crash", "/srv/cluster", "/lost+found"};
  constexpr std::string_view kThemselves[] = {"/home",    "/media",   "/mnt",     "/opt",       "/srv",      "/var",
                                              "/var/lib", "/var/opt", "/var/www", "/var/cache", "/var/spool"};
  // What the system and the daemons of compute clusters keep below these.
  struct Holder {
    std::string_view folder;
    std::initializer_list<std::string_view> names;
  };
  const Holder kHolders[] = {
      {"/var/spool/", {"abrt", "anacron", "at", "cron", "cups", "lpd", "mail", "mqueue", "postfix", "rsyslog"}},
      {"/var/cache/", {"apt", "debconf", "dnf", "fontconfig", "ldconfig", "libdnf5", "man", "private", "yum"}},
      {"/var/lib/",
       {"AccountsService",
        "NetworkManager",
        "alertmanager",
        "apt",
        "bind",
        "chrony",
        "cloud",
        "cni",
        "containerd",
        "containers",
        "corosync",
        "dbus",
        "dhcp",
        "dhcpcd",
        "dkms",
        "dnf",
        "dnsmasq",
        "docker",
        "dpkg",
        "etcd",
        "grafana",
        "initramfs-tools",
        "kea",
        "kubelet",
        "mlocate",
        "munge",
        "mysql",
        "nfs",
        "pacemaker",
        "pam",
        "pcs",
        "pcsd",
        "plocate",
        "polkit-1",
        "private",
        "prometheus",
        "python",
        "rpm",
        "selinux",
        "slurm",
        "sss",
        "sudo",
        "syslog-ng",
        "systemd",
        "tftpboot",
        "ubuntu-advantage",
        "ucf",
        "yum"}}};
  const auto below = [&](std::string_view folder) {
    return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
  };
  if (std::ranges::any_of(kWhole, below) || std::ranges::find(kThemselves, path) != std::end(kThemselves)) return true;
  if (path.starts_with("/var/spool/slurm")) return true;  // slurmd, slurmctld, and as sites call it
  return std::ranges::any_of(kHolders, [&](const Holder& h) {
    if (!path.starts_with(h.folder)) return false;
    const std::string_view rest = path.substr(h.folder.size());
    return std::ranges::find(h.names, rest.substr(0, rest.find('/'))) != h.names.end();
  });
}

// us-east-1, ap-southeast-2, us-gov-west-1
bool is_region(std::string_view name) {
  const auto parts = split(name, '-');
  return name.size() <= 30 && parts.size() >= 3 && parts.back().size() == 1 && parts.back()[0] >= '1' &&
         parts.back()[0] <= '9' && std::all_of(parts.begin(), parts.end() - 1, [](std::string_view part) {
           return part.size() >= 2 &&
                  std::all_of(part.begin(), part.end(), [](char c) { return c >= 'a' && c <= 'z'; });
         });
}

}  // namespace

void SoftwareChecks::software(const Software& s) {
  if (s.domain && !is_domain(*s.domain))
    findings_.error("spec-bad-name", s.domain.span, format("'{}' is no DNS domain", *s.domain))
        .help("write it as cluster.example.org");
  for (const auto& server : s.name_servers)
    if (server && !is_address(*server))
      findings_.error("spec-bad-address", server.span, format("name server '{}' is no IP address", *server))
          .help("a name server is asked for names, so it cannot be named itself: write its address");
  for (const auto& server : s.time_servers)
    if (server && !is_address(*server) && (!is_domain(*server) || is_numbers(*server)))
      findings_.error("spec-bad-address", server.span,
                      format("time server '{}' is neither an IP address nor a host name", *server));
  word("os", s.os);
  distribution(s.os);
  time_zone(s.time_zone);
  word("mig", s.mig);
  for (const auto* list : {&s.containers, &s.monitoring, &s.frameworks})
    for (const NamedVersion& named : *list) word("kind", named.kind);
  if (s.scheduler) pattern(s.scheduler->controllers);
  if (s.scheduler && s.scheduler->accounting) {
    pattern(s.scheduler->accounting->nodes);
    word("database", s.scheduler->accounting->database);
    if (s.scheduler->accounting->password) secret("password", *s.scheduler->accounting->password);
  }
  if (s.scheduler) {
    endpoint(s.scheduler->endpoint);
    prefix("pod_network", s.scheduler->pod_network);
    prefix("service_network", s.scheduler->service_network);
    group_names("partition", s.scheduler->partitions);
    for (const auto& [name, at, partition] : s.scheduler->partitions) {
      pattern(partition.nodes);
      qos_name(partition.qos);
      for (const Value<std::string>& qos : partition.allow_qos) qos_name(qos);
      positive("time", partition.time);
      positive("default_time", partition.default_time);
    }
    group_names("reservation", s.scheduler->reservations);
    for (const auto& [name, at, reservation] : s.scheduler->reservations) {
      pattern(reservation.nodes);
      positive("length", reservation.length);
    }
  }
  if (s.identity && s.identity->bind_password) secret("bind_password", *s.identity->bind_password);
  if (s.identity) directory(s.identity->server);
  if (s.mirror) mirror(*s.mirror);
  if (s.notebooks) notebooks(*s.notebooks);
  if (s.scheduler && s.scheduler->power_saving) power_saving(*s.scheduler->power_saving);
}

void SoftwareChecks::distribution(const Value<std::string>& os) {
  if (!os) return;
  static const std::vector<std::string_view> kKnown = {
      "almalinux", "amazon-linux",  "azure-linux",  "centos-stream", "cos",   "debian", "dgx-os", "fedora", "flatcar",
      "opensuse",  "opensuse-leap", "oracle-linux", "rhel",          "rocky", "sles",   "talos",  "ubuntu"};
  const std::string_view name = std::string_view(*os).substr(0, os->find_last_of('-'));
  for (const std::string_view known : kKnown)
    if (*os == known || name == known) return;
  std::string hyphens = to_lower(*os);
  std::ranges::replace(hyphens, ' ', '-');
  Finding& f = findings_.warning("spec-unknown-value", os.span,
                                 format("'{}' is not a distribution that clusterc knows: outputs that depend on it, "
                                        "such as netplan, are not compiled",
                                        *os));
  if (const std::string_view bare = std::string_view(hyphens).substr(0, hyphens.find_last_of('-'));
      std::find(kKnown.begin(), kKnown.end(), bare) != kKnown.end()) {
    f.fixed_by(format("write '{}'", hyphens), {{os.span, hyphens}});
    return;
  }
  std::vector<std::string> with_release;
  for (const std::string_view known : kKnown) with_release.push_back(std::string(known).append(*os, name.size()));
  if (!offer_names(f, *os, {with_release.begin(), with_release.end()}))
    f.help("written as name-release: ubuntu-24.04, rocky-9, debian-12");
}

void SoftwareChecks::time_zone(const Value<std::string>& zone) {
  if (!zone) return;
  bool good = zone->size() <= 64;
  for (const std::string_view part : split(*zone, '/'))
    good = good && !part.empty() && (part.front() < '0' || part.front() > '9') && part.front() != '-' &&
           part.front() != '+' && std::all_of(part.begin(), part.end(), [](char c) {
             return is_letter_or_digit(c) || c == '_' || c == '+' || c == '-';
           });
  constexpr std::string_view kHow = "write a name of the IANA database, such as Europe/Berlin or UTC";
  if (!good) {
    findings_.error("spec-bad-name", zone.span, format("'{}' is not a time zone", *zone)).help(std::string(kHow));
  } else if (!is_time_zone(*zone)) {  // a warning: a later release may have it
    Finding& f =
        findings_.warning("spec-unknown-value", zone.span,
                          format("'{}' is not a time zone of the IANA database ({})", *zone, kTimeZoneRelease));
    if (!offer_names(f, *zone, {time_zones().begin(), time_zones().end()})) f.help(std::string(kHow));
  }
}

void SoftwareChecks::directory(const Value<std::string>& servers) {
  if (!servers) return;
  for (std::string_view server : split(*servers, ',')) {
    server = trim(server);
    if (server.starts_with("ldapi://")) continue;  // a socket, and no host
    for (const std::string_view scheme : {"ldaps://", "ldap://"})
      if (server.starts_with(scheme)) server.remove_prefix(scheme.size());
    server = server.substr(0, server.find('/'));
    if (const std::size_t at = server.rfind('@'); at != server.npos)
      server.remove_prefix(at + 1);  // who asks; a password there has a finding of its own
    bool good = is_address(std::string(server));
    if (!good) {
      const std::size_t bracket = server.starts_with('[') ? server.find(']') : server.npos,
                        colon = server.find(':', bracket == server.npos ? 0 : bracket);
      const std::string host(server.substr(0, colon));
      NumberProblem problem;
      const auto port =
          colon == server.npos ? std::optional<std::int64_t>(389) : parse_whole(server.substr(colon + 1), problem);
      good = (bracket == server.npos ? is_domain(host)
                                     : bracket + 1 == host.size() && is_address(host.substr(1, bracket - 1))) &&
             port && *port >= 1 && *port <= 65535;
    }
    if (good) continue;
    const bool hidden = servers->find('@') != std::string::npos;  // a password may stand before it
    findings_
        .error("spec-bad-address", servers.span,
               format("{} is neither an IP address nor a host name",
                      hidden ? std::string("'server' of identity") : format("'{}'", server)))
        .help("write the LDAP server as ldaps://ldap.example.org");
    if (hidden) findings_.withhold(servers.span);
  }
}

void SoftwareChecks::plain_path(std::string_view key, const Value<std::string>& path) {
  if (!path) return;
  const bool plain = path->starts_with('/') && path->size() > 1 && path->size() <= 200 && path->back() != '/' &&
                     path->find("//") == path->npos && path->find("/.") == path->npos &&
                     std::all_of(path->begin(), path->end(), [](char c) {
                       return is_letter_or_digit(c) || std::string_view("/._-").find(c) != std::string_view::npos;
                     });
  if (!plain)
    findings_.error("spec-bad-path", path.span,
                    format("'{}' is '{}', but must be an absolute path of letters, digits and / . _ -", key, *path));
}

void SoftwareChecks::mirror(const Mirror& m) {
  if (m.server && (!is_domain(*m.server) ||
                   (is_numbers(*m.server) &&
                    !is_address(*m.server))))  // IPv4 addresses too, as digits and points; in URLs others have brackets
    findings_
        .error("spec-bad-address", m.server.span,
               format("mirror '{}' is neither a host name nor an IPv4 address", *m.server))
        .help("write the name without https:// and port: mirror.example.org");
  // apt-mirror, nginx and shells all read these paths.
  plain_path("folder", m.folder);
  if (m.folder && is_folder_of_system(*m.folder))
    findings_
        .error("spec-bad-path", m.folder.span,
               format("'folder' of the mirror is '{}', a folder of the operating system: the web server would publish "
                      "its files, and downloads would overwrite them",
                      *m.folder))
        .help("give the mirror a folder of its own: `folder: /srv/mirror`");
  plain_path("ca", m.ca);
  for (const auto& image : m.images)
    if (image && !is_image(*image))
      findings_
          .error(
              "spec-bad-name", image.span,
              format("'{}' is not the full name of an image: REGISTRY/PATH:TAG or REGISTRY/PATH@sha256:DIGEST", *image))
          .help(
              "write it as docker.io/library/debian:12 or nvcr.io/nvidia/pytorch:25.09-py3; registries with a port "
              "cannot be "
              "mirrored");
}

void SoftwareChecks::notebooks(const Notebooks& n) {
  for (const auto& [key, host] :
       {std::pair<std::string_view, const Value<std::string>&>{"node", n.node}, {"name", n.name}})
    if (host && (!is_domain(*host) || is_numbers(*host)))
      findings_
          .error("spec-bad-address", host.span, format("'{}' of notebooks is '{}', which is no host name", key, *host))
          .help("write the name without https:// and port: notebooks.example.org");
  if (n.image && !is_image(*n.image))
    findings_
        .error(
            "spec-bad-name", n.image.span,
            format("'{}' is not the full name of an image: REGISTRY/PATH:TAG or REGISTRY/PATH@sha256:DIGEST", *n.image))
        .help("write it as quay.io/jupyter/pytorch-notebook:cuda12-2025-12-01");
  plain_path("certificate", n.certificate);
  plain_path("folder", n.folder);
  if (n.key) {
    secret("key", *n.key);
    plain_path("file", n.key->file);
    if (n.key->env || n.key->vault)
      findings_.error("spec-secret-reference", n.key->span, "the proxy of the hub reads its private key from a file")
          .help("write `key: { file: /etc/jupyterhub/tls.key }`");
  }
  for (const auto& admin : n.admins)
    if (admin && !is_account(*admin))
      findings_.error("spec-bad-name", admin.span, format("'{}' is not the name of an account", *admin))
          .help("a name has lower-case letters, digits and _ - . and begins with a letter");
  group_names("size of sessions", n.profiles);
  for (const auto& [name, at, profile] : n.profiles) positive("time", profile.time);
  positive("idle", n.idle);
  const bool provider = n.users.value_or("pam") == "oidc";
  if (provider && !n.oidc)
    findings_.error("spec-missing-key", n.users.span, "`users: oidc` needs the provider, and 'oidc' is missing")
        .help("add `oidc: { issuer: …, client_id: …, client_secret: { file: … } }`");
  if (!provider && n.oidc)
    findings_.error("spec-unknown-key", n.oidc->span, "'oidc' is used only with `users: oidc`")
        .help("write `users: oidc`, or remove 'oidc'");
  if (!n.oidc) return;
  const OpenIdConnect& o = *n.oidc;
  if (o.client_secret) secret("client_secret", *o.client_secret);
  if (o.client_secret) plain_path("file", o.client_secret->file);
  const auto plain = [](std::string_view text) {
    return !text.empty() && text.size() <= 200 && std::all_of(text.begin(), text.end(), [](char c) {
      return is_letter_or_digit(c) || std::string_view("-._~:/").find(c) != std::string_view::npos;
    });
  };
  if (o.issuer && (!o.issuer->starts_with("https://") || !plain(*o.issuer) || o.issuer->size() < 10))
    findings_
        .error("spec-bad-address", o.issuer.span, format("issuer '{}' is no URL that begins with https://", *o.issuer))
        .help("write it as the provider has it in its configuration: https://sso.example.org/realms/hpc");
  word("client_id", o.client_id);
  if (o.username_claim && !plain(*o.username_claim))
    findings_
        .error("spec-bad-name", o.username_claim.span, format("'{}' is not the name of a claim", *o.username_claim))
        .help("write `username_claim: preferred_username`");
  word("groups_claim", o.groups_claim);
}

// "physics.gpu": commas and blanks would end it in slurm.conf.
void SoftwareChecks::qos_name(const Value<std::string>& v) {
  if (v && !is_domain(*v))
    findings_.error(
        "spec-bad-name", v.span,
        format("'{}' cannot name a QOS: only letters, digits, inner hyphens, underscores and dots are allowed", *v));
}

void SoftwareChecks::power_saving(const PowerSaving& p) {
  positive("idle", p.idle);
  positive("start", p.start);
  positive("stop", p.stop);
  plain_path("resume", p.resume);
  plain_path("suspend", p.suspend);
  if (p.resume.value.has_value() != p.suspend.value.has_value())
    findings_.error("spec-missing-key", p.span, "'power_saving' has only one of 'resume' and 'suspend'")
        .help("write both programs, or none: then programs for AWS are compiled");
  // EC2 API, CreateLaunchTemplate, LaunchTemplateName: 3 to 128 of these characters.
  if (p.launch_template && (p.launch_template->size() < 3 || p.launch_template->size() > 128 ||
                            !std::all_of(p.launch_template->begin(), p.launch_template->end(), [](char c) {
                              return is_letter_or_digit(c) ||
                                     std::string_view("().-/_").find(c) != std::string_view::npos;
                            })))
    findings_
        .error("spec-bad-name", p.launch_template.span,
               format("'{}' is not the name of a launch template", *p.launch_template))
        .help("a name has 3 to 128 letters, digits and ( ) . - / _");
  if (p.region && !is_region(*p.region))
    findings_.error("spec-bad-name", p.region.span, format("'{}' is not the name of a region of AWS", *p.region))
        .help("write it as us-east-1");
}

void SoftwareChecks::secret(std::string_view key, const SecretRef& s) {
  if (!s.span.valid()) return;  // no mapping: told by the reader
  const int said = int{s.file.value.has_value()} + int{s.env.value.has_value()} + int{s.vault.value.has_value()};
  if (said != 1)
    findings_
        .error("spec-secret-reference", s.span,
               format("'{}' has {} references: write only one, which says where the secret is", key, said))
        .help("one of { file: … }, { env: … } and { vault: … }");
  if (s.vault && (s.vault->find('#') == std::string::npos || s.vault->front() == '#' || s.vault->back() == '#'))
    findings_
        .error("spec-secret-reference", s.vault.span,
               format("'vault' of '{}' names no key: write a path, '#' and the key of the value", key))
        .help("for example kv/ldap#bind");
  // A name as shells and programs take it (POSIX.1, Base Definitions, "Name"). Who wrote the secret itself does not
  // see it printed.
  const bool name =
      !s.env || (!s.env->empty() && s.env->size() <= 200 && (s.env->front() < '0' || s.env->front() > '9') &&
                 std::all_of(s.env->begin(), s.env->end(), [](char c) { return is_letter_or_digit(c) || c == '_'; }));
  if (name) return;
  findings_
      .error("spec-bad-name", s.env.span,
             format("'env' of '{}' is not the name of an environment variable (the value is not shown): a name has "
                    "letters, digits and _, and does not begin with a digit",
                    key))
      .help("write the name of a variable, not the password: { env: LDAP_PASSWORD }");
  findings_.withhold(s.env.span);
}

}  // namespace clusterc
