// nginx/cluster.conf: the web server of the machine that others are installed from. What nodes fetch while they are
// installed is served to their own network, and nothing else of the tree that lies beside it. nginx/mirror.conf: that
// of the mirror: packages, and the registry behind it.

#include <algorithm>
#include <string>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/installer_files.h"
#include "spec/software.h"
#include "system/install.h"
#include "system/mirror.h"

namespace clusterc {
namespace {

bool wants_nginx(const Cluster& c) {
  return installs(c) || (c.spec.software->mirror && c.spec.software->mirror->server);
}

// One directive: nothing in it opens or closes a block, begins a comment or leaves a quote open
// (https://nginx.org/en/docs/beginners_guide.html#conf_structure).
bool directive(std::string_view line) {
  return line.ends_with(';') && line.find_first_of("{}#\\") == line.npos &&
         std::count(line.begin(), line.end(), '"') % 2 == 0 && std::count(line.begin(), line.end(), '\'') % 2 == 0;
}

// What nginx takes once in a server, and is written.
bool written_once(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" ;"));
  return word == "root" || word == "server_tokens" || line == "listen 80;";
}

void extra_directives(const CompileInput& in, std::string_view file, std::string& out, Findings& findings) {
  const std::string extra = install_extra(in, file, directive, "keepalive_timeout 20s;", findings, written_once);
  for (const std::string_view line : split(extra, '\n'))
    if (!line.empty()) out += "    ", out += line, out += '\n';
}

// Whom a location answers, to be read alone.
void only(const std::vector<std::string>& clients, std::string& out) {
  for (const std::string& c : clients) out += "        allow " + c + ";\n";
  if (!clients.empty()) out += "        deny all;\n";
  out += "        limit_except GET {\n            deny all;\n        }\n";
}

// The cluster's networks ask a mirror that is one of its nodes; another machine may see them from behind a router.
std::vector<std::string> mirror_clients(const Cluster& c, const MirrorServer& m) {
  std::vector<std::string> out;
  for (const NetworkModel& n : c.networks)
    if (m.group >= 0 && n.subnet) out.push_back(n.subnet->text());
  return out;
}

void packages(const Cluster& c, const MirrorServer& m, std::string& out) {
  out += "\n    location /packages/ {\n        root " + m.spec->folder.value_or("") + ";\n";
  only(mirror_clients(c, m), out);
  out += "        default_type application/octet-stream;\n    }\n";
}

bool serves_both(const MirrorServer& m, const Cluster& c) {
  return m.group >= 0 && m.group == first_provisioner(c) && m.member == 0 && installs(c);
}

// The registry behind it has images by the registry that they are from; Docker, which asks a mirror for images of
// docker.io alone, does not say so.
void registry(const Cluster& c, const MirrorServer& m, std::string& out) {
  const auto location = [&](std::string_view what, std::string_view rewrite) {
    out += "\n    location ", out += what, out += " {\n";
    only(mirror_clients(c, m), out);
    out += rewrite;
    out +=
        "        proxy_pass http://127.0.0.1:5000;\n        proxy_set_header Host $http_host;\n        "
        "proxy_set_header X-Forwarded-Proto $scheme;\n        proxy_buffering off;\n    }\n";
  };
  location("= /v2/", "");
  location("~ ^/v2/[^/]+\\.[^/]+/", "");
  location("/v2/", "        rewrite ^/v2/(.+)$ /v2/docker.io/$1 break;\n");
}

void mirror(const CompileInput& in, const MirrorServer& m, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  bundle.open("nginx/mirror.conf", "nginx");
  std::string& out = bundle.text();
  out += made_by(in, "nginx");
  out += "# for the mirror, " + m.host +
         ": /etc/nginx/conf.d/mirror.conf; install your certificate and key at the paths below\n";
  std::string names = m.host;
  if (!m.node.empty() && m.node != m.host) names += " " + m.node;
  if (!m.node.empty() && m.node == m.host && c.spec.software->domain)
    names += " " + m.node + "." + *c.spec.software->domain;
  if (m.address != 0) names += " " + ipv4_text(m.address);
  for (const BootServer& s : boot_servers(in.system))  // installers ask for it by its address beside them
    if (const int e = m.group >= 0 ? end_points_of(c, s.network, m.group) : -1; e >= 0)
      if (const std::uint32_t address = in.plan.address(s.network, e, m.member, 0); address != m.address)
        names += " " + ipv4_text(address);
  out += "server {\n    listen 443 ssl;\n    server_name " + names + ";\n    server_tokens off;\n";
  out +=
      "    ssl_certificate /etc/nginx/cluster-mirror.pem;\n    ssl_certificate_key /etc/nginx/cluster-mirror.key;\n    "
      "ssl_protocols TLSv1.2 TLSv1.3;\n";
  extra_directives(in, "mirror.conf", out, findings);
  out += "\n    location / {\n        return 404;\n    }\n";
  packages(c, m, out);
  if (has_images(c)) registry(c, m, out);
  out += "}\n";
  if (!serves_both(m, c)) {
    out +=
        "\n# installers do not know the certificate authority of the site; what they download is signed, or as trusted "
        "as their own boot files\nserver {\n    listen 80;\n    server_name " +
        names + ";\n    server_tokens off;\n";
    out += "\n    location / {\n        return 404;\n    }\n";
    packages(c, m, out);
    out += "}\n";
  }
  bundle.close();
}

void installations(const CompileInput& in, const std::optional<MirrorServer>& m, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  std::vector<std::string> addresses, clients;
  for (const BootServer& s : boot_servers(in.system))
    addresses.push_back(ipv4_text(s.address)),
        clients.push_back(c.networks[static_cast<std::size_t>(s.network)].subnet->text());
  if (addresses.empty()) return;
  bundle.open("nginx/cluster.conf", "nginx");
  std::string& out = bundle.text();
  out += made_by(in, "nginx");
  out += "# for the machine with the address " + addresses.front() +
         ": /etc/nginx/conf.d/cluster.conf; the compiled tree is in /srv/cluster\n";
  // By its name and not its address alone, so that nginx starts on the second of two heads as well, and beside the site
  // that a distribution brings.
  out += "server {\n    listen 80;\n    server_name " + join(addresses, " ") +
         ";\n    server_tokens off;\n    root /srv;\n";
  extra_directives(in, "cluster.conf", out, findings);
  out += "\n    location / {\n        return 404;\n    }\n\n";
  out +=
      "    location ~ ^/cluster/(authorized_keys$|(ipxe|preseed|autoinstall|kickstart|cloud-init|media|install)/) {\n";
  only(clients, out);
  out += "        disable_symlinks if_not_owner from=$document_root;\n        default_type text/plain;\n    }\n";
  if (m && serves_both(*m, c)) packages(c, *m, out);
  out += "}\n";
  bundle.close();
}

void emit_nginx(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "nginx", {"cluster.conf", "mirror.conf"}, findings);
  const auto m = mirror_server(in.system);
  installations(in, m, bundle, findings);
  if (m) mirror(in, *m, bundle, findings);
}

}  // namespace

extern const Output kNginxOutput;  // registry.cc names it
const Output kNginxOutput{
    .id = "nginx",
    .summary = "web server of boot menus, answer files and scripts for installations, and of a mirror",
    .consumers = "nginx 1.18 and newer",
    .wanted = wants_nginx,
    .emit = emit_nginx,
};

}  // namespace clusterc
