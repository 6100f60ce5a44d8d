// nginx/cluster.conf: the web server of the machine that others are installed from. What nodes fetch while they are installed is served to their own
// network, and nothing else of the tree that lies beside it.
#include "compile/nginx/nginx.h"

#include <algorithm>
#include <string>

#include "base/ip.h"
#include "base/text.h"
#include "compile/common.h"
#include "compile/install/install.h"

namespace clusterc {
namespace {

bool wanted(const Cluster& c) { return installs(c); }

// One directive: nothing in it opens or closes a block, begins a comment or leaves a quote open (https://nginx.org/en/docs/beginners_guide.html#conf_structure).
bool directive(std::string_view line) {
  return line.ends_with(';') && line.find_first_of("{}#\\") == line.npos && std::count(line.begin(), line.end(), '"') % 2 == 0 && std::count(line.begin(), line.end(), '\'') % 2 == 0;
}

void emit(const CompileInput& in, Bundle& bundle, Findings& findings) {
  const Cluster& c = in.cluster;
  check_extra_files(in, "nginx", {"cluster.conf"}, findings);
  const auto server = boot_server(in);
  const int primary = primary_network(c);
  if (!server || primary < 0 || !c.networks[static_cast<std::size_t>(primary)].subnet) return;
  const std::string address = ipv4_text(server->address), clients = c.networks[static_cast<std::size_t>(primary)].subnet->text();
  bundle.open("nginx/cluster.conf", "nginx");
  std::string& out = bundle.text();
  out += made_by(in, "nginx");
  out += "# for the machine with the address " + address + ": /etc/nginx/conf.d/cluster.conf; the compiled tree lies in /srv/cluster\n";
  // By its name and not its address alone, so that nginx starts on the second of two heads as well, and beside the site that a distribution brings.
  out += "server {\n    listen 80;\n    server_name " + address + ";\n    server_tokens off;\n    root /srv;\n";
  const std::string extra = install_extra(in, "cluster.conf", directive, "keepalive_timeout 20s;", findings);
  for (const std::string_view line : split(extra, '\n'))
    if (!line.empty()) out += "    ", out += line, out += '\n';
  out += "\n    location / {\n        return 404;\n    }\n\n";
  out += "    location ~ ^/cluster/(authorized_keys$|(ipxe|preseed|autoinstall|kickstart|cloud-init|media|install)/) {\n";
  out += "        allow " + clients + ";\n        deny all;\n        limit_except GET {\n            deny all;\n        }\n";
  out += "        disable_symlinks if_not_owner from=$document_root;\n        default_type text/plain;\n    }\n}\n";
  bundle.close();
}

}  // namespace

const Output kNginxOutput{
    .id = "nginx",
    .summary = "the web server that boot menus, answers and scripts of an installation come from",
    .consumers = "nginx 1.18 and newer",
    .wanted = wanted,
    .emit = emit,
};

}  // namespace clusterc
