// A site without internet: whence installers and runtimes get what they fetch, by hand.
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::Compiled;

// ctl installs three groups; `server` is the mirror.
std::string site(std::string_view mirror, std::string_view more = "") {
  const std::string server = "model: generic-1u, nics: { data: cx6-vpi-200 }", port = ": { ports: data, count: 1 }";
  return "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } "
         "}\nnodes:\n  head: { names: ctl, " +
         server + ", roles: [provisioning] }\n  cpu: { names: \"n[1-2]\", " + server + " }\n  web: { names: w1, " +
         server + ", software: { os: ubuntu-24.04 } }\n  old: { names: o1, " + server +
         ", software: { os: rocky-9.4 } }\nnetworks: { lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, "
         "subnet: 10.78.0.0/24, carries: [inband], connects: { head" +
         port + ", cpu" + port + ", web" + port + ", old" + port +
         " } } }\nsoftware: { os: debian-12, domain: site.example" + std::string(mirror) + std::string(more) + " }\n";
}
void compile(Compiled& c, std::string_view mirror, std::string_view more = "") {
  c.spec(site(mirror, more));
  EXPECT_FALSE(c.findings.count(Severity::error)) << c.told();
}
bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

TEST(Mirror, InstallersFetchFromItsAddressAtThePathsOfTheInternet) {
  Compiled c;
  compile(c, ", mirror: { server: n1 }");
  const std::string at =
      "http://" + test::between(c.file("nginx/mirror.conf"), "server_name n1 n1.site.example ", ";").substr(30);
  const std::string base = "http://10.78.0." + at.substr(at.rfind('.') + 1) + "/packages/",
                    preseed = c.file("preseed/cpu.cfg"), user_data = c.file("autoinstall/web/user-data"),
                    kickstart = c.file("kickstart/old.ks");
  EXPECT_TRUE(has(preseed, "d-i mirror/http/hostname string " + base.substr(7, base.find("/packages") - 7) +
                               "\nd-i mirror/http/directory string /packages/deb.debian.org/debian\n"))
      << preseed;
  EXPECT_TRUE(
      has(preseed, "d-i apt-setup/services-select multiselect updates\nd-i apt-setup/local0/repository string " + base +
                       "security.debian.org/debian-security bookworm-security main\n"))
      << preseed;
  EXPECT_TRUE(has(user_data, "uri: \"" + base + "archive.ubuntu.com/ubuntu\"") &&
              has(user_data, "uri: \"" + base + "security.ubuntu.com/ubuntu\""))
      << user_data;
  EXPECT_TRUE(has(kickstart, "url --url=" + base + "download.rockylinux.org/pub/rocky/9/BaseOS/x86_64/os/\n"))
      << kickstart;
  for (const std::string_view file : {"preseed/cpu.cfg", "autoinstall/web/user-data", "kickstart/old.ks",
                                      "ipxe/cpu.ipxe", "ipxe/web.ipxe", "ipxe/old.ipxe"}) {
    const std::string text = c.file(file);
    for (const std::string_view host :
         {"deb.debian.org", "security.debian.org", "archive.ubuntu.com", "download.rockylinux.org"})
      for (std::size_t i = text.find(host); i != std::string::npos; i = text.find(host, i + 1))
        EXPECT_EQ(text.substr(i - 10, 10), "/packages/") << file << ": " << host;
  }
  EXPECT_TRUE(has(c.file("ipxe/cpu.ipxe"), "kernel " + base +
                                               "deb.debian.org/debian/dists/bookworm/main/installer-amd64/current/"
                                               "images/netboot/debian-installer/amd64/linux "))
      << c.file("ipxe/cpu.ipxe");
  // Every file that they fetch is fetched for the mirror
  const std::string files = c.file("mirror/files");
  EXPECT_TRUE(has(files,
                  "http://deb.debian.org/debian/dists/bookworm/main/installer-amd64/current/images/netboot/"
                  "debian-installer/amd64/linux\n"));
  EXPECT_TRUE(has(files, "https://download.rockylinux.org/pub/rocky/9/BaseOS/x86_64/os/images/pxeboot/vmlinuz\n"));
}

// Two sites of one address and port would hide one another (nginx, server_name): the one for installations has the
// packages too.
TEST(Mirror, OnTheMachineThatInstallsOthersOneSiteAnswersPort80) {
  Compiled both, apart, outside;
  compile(both, ", mirror: { server: ctl.site.example }");
  EXPECT_TRUE(has(both.file("nginx/cluster.conf"), "location /packages/ {\n        root /srv/mirror;\n"))
      << both.file("nginx/cluster.conf");
  EXPECT_FALSE(has(both.file("nginx/mirror.conf"), "listen 80;"));
  compile(apart, ", mirror: { server: n1, folder: /data/mirror }");
  EXPECT_FALSE(has(apart.file("nginx/cluster.conf"), "/packages/"));
  EXPECT_TRUE(has(apart.file("nginx/mirror.conf"), "listen 80;") &&
              has(apart.file("nginx/mirror.conf"), "root /data/mirror;"));
  compile(outside, ", mirror: { server: mirror.example.org }");
  EXPECT_TRUE(
      has(outside.file("kickstart/old.ks"), "url --url=http://mirror.example.org/packages/download.rockylinux.org/"));
  EXPECT_FALSE(has(outside.file("nginx/mirror.conf"), "allow ")) << "who asks from behind a router has another address";
  EXPECT_TRUE(has(outside.file("ansible/group_vars/group_cpu.yaml"), "  host: mirror.example.org\n") &&
              !has(outside.file("ansible/group_vars/group_cpu.yaml"), "  node:"));
  EXPECT_FALSE(has(outside.file("ansible/site.yml"), "role: mirror"));
}

TEST(Mirror, WithoutOneNothingOfItIsSaid) {
  Compiled c;
  compile(c, "");
  for (const std::string& path : c.paths())
    EXPECT_FALSE(path.starts_with("mirror/") || path == "nginx/mirror.conf" || has(c.file(path), "/packages/")) << path;
}

// Who provisions and installs nobody has no site for it.
TEST(Mirror, ItsSiteIsNoSiteOfInstallations) {
  Compiled c;
  c.spec(test::kHead +
         "nodes: { a: { names: n1, virtual_machine: { cpus: 2, memory: 2 GiB }, roles: [provisioning] }, m: { names: "
         "m1, virtual_machine: { cpus: 2, memory: 2 GiB } } }\nnetworks: { lan: { kind: ethernet, rate: 10 Gb/s, "
         "subnet: 10.1.0.0/24, carries: [inband], connects: { a: 1, m: 1 } } }\nsoftware: { os: debian-12, mirror: { "
         "server: m1 } }\n");
  EXPECT_EQ(c.file("nginx/cluster.conf"), "no file nginx/cluster.conf");
  EXPECT_FALSE(has(c.file("ansible/site.yml"), "role: web_server")) << c.file("ansible/site.yml");
  EXPECT_TRUE(has(c.file("ansible/site.yml"), "ternary(3600, 0) }}\"\n  roles:\n    - role: mirror\n"))
      << c.file("ansible/site.yml");
}

TEST(Mirror, DockerAsksItForImagesOfDockerIoAlone) {
  const auto daemon = [](std::string_view images) {
    Compiled c;
    compile(c, ", mirror: { server: n1, images: [ " + std::string(images) + " ] }", ", containers: [docker, podman]");
    return c.file("containers/cpu/daemon.json");
  };
  EXPECT_EQ(daemon("docker.io/library/debian:12"), "{\n  \"registry-mirrors\": [\n    \"https://n1\"\n  ]\n}\n");
  EXPECT_EQ(daemon("nvcr.io/nvidia/pytorch:25.09-py3"), "no file containers/cpu/daemon.json");
}

TEST(Mirror, WhatItCannotHaveIsSaid) {
  Compiled subscription, registry, itself, apart;
  subscription.spec(test::kHead +
                        "nodes: { a: { names: n1, virtual_machine: { cpus: 2, memory: 2 GiB }, software: { os: rhel-9 "
                        "} } }\nsoftware: { mirror: { server: m.example.org } }\n",
                    {"mirror"});
  EXPECT_TRUE(has(subscription.told(), "mirror-distribution-unknown")) << subscription.told();
  registry.spec(test::kHead +
                    "nodes: { a: { names: n1, virtual_machine: { cpus: 2, memory: 2 GiB }, software: { os: rocky-9 } } "
                    "}\nsoftware: { mirror: { server: n1, images: [ docker.io/library/debian:12 ] } }\n",
                {"mirror"});
  EXPECT_TRUE(has(registry.told(), "mirror-registry-unpacked")) << registry.told();
  // NVIDIA's driver on releases 8 and 9 of Red Hat's family asks for dkms.
  const auto epel = [](std::string_view os, std::string_view more) {
    Compiled c;
    c.spec(
        "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: na, supply: { phases: 3, voltage: 415 V } }\nnodes: "
        "{ gpu: { names: g1, model: nvidia-dgx-h100 } }\nsoftware: { os: " +
            std::string(os) + ", gpu_driver: 580, mirror: { server: m.example.org } }\n" + std::string(more),
        {"mirror"});
    return c.told().find("mirror-epel-missing") != std::string::npos;
  };
  EXPECT_TRUE(epel("rocky-9", ""));
  EXPECT_FALSE(epel("ubuntu-24.04", ""));
  EXPECT_FALSE(epel("rocky-9",
                    "outputs: { mirror: { extra: { mirror.repo: [ "
                    "\"https://dl.fedoraproject.org/pub/epel/9/Everything/x86_64/\" ] } } }\n"));
  EXPECT_TRUE(
      epel("rocky-9", "outputs: { mirror: { extra: { mirror.repo: [ \"https://other.example.org/rpms/\" ] } } }\n"));
  compile(itself, ", mirror: { server: n1 }");
  EXPECT_TRUE(has(itself.told(), "mirror-installed-from-itself")) << itself.told();
  compile(apart, ", mirror: { server: ctl }");
  EXPECT_FALSE(has(apart.told(), "mirror-")) << apart.told();
}

}  // namespace
}  // namespace clusterc
