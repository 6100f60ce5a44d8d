// preseed/GROUP.cfg: the answers to the questions of Debian's installer, and the two scripts that it fetches: which
// disks, and what is done last. A group's nodes differ in nothing here: their names come over DHCP.

#include <algorithm>
#include <string>

#include "base/text.h"
#include "compile/common.h"
#include "compile/installer_files.h"
#include "spec/software.h"
#include "system/install.h"

namespace clusterc {
namespace {

constexpr std::string_view kFile = "preseed.cfg";

bool wants_preseed(const Cluster& c) { return installs(c, Installer::preseed); }

// OWNER QUESTION TYPE ANSWER (debconf-set-selections(1)).
bool is_answer(std::string_view text) {
  const auto words = split(text, ' ');
  const auto name = [](std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             std::string_view("-_/.+").find(c) != std::string_view::npos;
    });
  };
  constexpr std::string_view kTypes[] = {"boolean", "error",  "multiselect", "note",  "password",
                                         "select",  "string", "text",        "title", "seen"};
  return words.size() >= 3 && name(words[0]) && name(words[1]) && words[1].find('/') != std::string_view::npos &&
         std::find(std::begin(kTypes), std::end(kTypes), words[2]) != std::end(kTypes);
}

// Answers of the spec, and those that the two scripts of the installation hang on.
bool answered(std::string_view text) {
  const std::string_view question = split(text, ' ')[1];
  // Included answers may be any of them; choose_bootdev is asked where grub-installer is not content with bootdev.
  constexpr std::string_view kOurs[] = {"preseed/late_command",
                                        "passwd/make-user",
                                        "passwd/root-login",
                                        "time/zone",
                                        "netcfg/get_domain",
                                        "grub-installer/bootdev",
                                        "grub-installer/choose_bootdev",
                                        "preseed/include",
                                        "preseed/include_command"};
  return question.starts_with("partman") || question.starts_with("mirror/") ||
         std::find(std::begin(kOurs), std::end(kOurs), question) != std::end(kOurs);
}

std::string answers(const CompileInput& in, int group, const InstallPlan& plan, const std::string& extra) {
  const Software& s = in.cluster.nodes[static_cast<std::size_t>(group)].software;
  const std::string& name = in.cluster.nodes[static_cast<std::size_t>(group)].name;
  std::string out = install_header(in, "preseed");
  const auto answer = [&](std::string_view question, std::string_view type, std::string_view text) {
    out += "d-i ", out += question, out += ' ', out += type, out += ' ', out += text, out += '\n';
  };
  answer("debian-installer/locale", "string", "en_US.UTF-8");
  answer("keyboard-configuration/xkb-keymap", "select", "us");
  out += "# the network that the node booted from; DHCP gives the host name\n";
  answer("netcfg/choose_interface", "select", "auto");
  answer("netcfg/get_hostname", "string", "unassigned");
  answer("netcfg/get_domain", "string", s.domain.value_or("unassigned"));
  answer("hw-detect/load_firmware", "boolean", "true");
  const std::string_view rest = std::string_view(plan.mirror).substr(plan.mirror.find("//") + 2);
  answer("mirror/country", "string", "manual");
  answer("mirror/protocol", "string", "http");
  answer("mirror/http/hostname", "string", rest.substr(0, rest.find('/')));
  answer("mirror/http/directory", "string", rest.substr(rest.find('/')));
  answer("mirror/http/proxy", "string", "");
  answer("mirror/suite", "string", plan.release.codename);
  out += "# no passwords: administrators log in by key (" + name + "-finish.sh), root cannot log in\n";
  // "!" or "*" disables an account; the installer's own way of making one lays it below /home, and keeps some names for
  // itself.
  answer("passwd/root-login", "boolean", "true");
  // From Debian 13 on the installer asks again where it is "!" (user-setup 1.107, user-setup-ask).
  answer("passwd/root-password-crypted", "password", plan.release.number == "13" ? "*" : "!");
  answer("passwd/make-user", "boolean", "false");
  answer("clock-setup/utc", "boolean", "true");
  answer("clock-setup/ntp", "boolean", "true");
  if (s.time_zone) answer("time/zone", "string", *s.time_zone);
  out += "# disks: " + name + "-disks.sh sets partman-auto/disk, its method and its recipe, or ends the installation\n";
  answer("partman/early_command", "string",
         "wget -O /tmp/disks.sh " + plan.server.url + "/preseed/" + name + "-disks.sh && sh /tmp/disks.sh");
  for (const std::string_view question :
       {"partman-partitioning/confirm_write_new_label", "partman/confirm", "partman/confirm_nooverwrite",
        "partman-md/confirm", "partman-md/confirm_nooverwrite", "partman-efi/non_efi_system"})
    answer(question, "boolean", "true");
  answer("partman-basicfilesystems/no_swap", "boolean", "false");
  answer("partman-partitioning/choose_label", "string", "gpt");
  answer("partman-partitioning/default_label", "string", "gpt");
  answer("partman/choose_partition", "select", "finish");
  answer("grub-installer/only_debian", "boolean", "true");
  // disks.sh answers it (debconf-set); a line here makes it count as seen, without which grub-installer asks all the
  // same
  answer("grub-installer/bootdev", "string", "");
  answer("apt-setup/cdrom/set-first", "boolean", "false");
  answer("apt-setup/contrib", "boolean", "true");  // NVIDIA's drivers ask for packages of it
  if (!plan.security
           .empty()) {  // security.debian.org would be asked; the archive is signed, whence it comes is all the same
    answer("apt-setup/services-select", "multiselect", "updates");
    answer("apt-setup/local0/repository", "string",
           plan.security + " " + std::string(plan.release.codename) + "-security main");
  }
  out += "tasksel tasksel/first multiselect standard\n";
  answer("pkgsel/include", "string", "openssh-server sudo curl python3 cloud-init");
  answer("pkgsel/upgrade", "select", "full-upgrade");
  out += "popularity-contest popularity-contest/participate boolean false\n";
  answer("preseed/late_command", "string",
         "wget -O /target/root/finish.sh " + plan.server.url + "/preseed/" + name +
             "-finish.sh && in-target sh /root/finish.sh");
  answer("finish-install/reboot_in_progress", "note", "");
  if (!extra.empty()) out += "# outputs.preseed.extra of the spec: the last of two answers applies\n" + extra;
  // The types of questions without an answer end in a blank.
  return replace_all(out, " \n", "\n");
}

void emit_preseed(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "preseed", {kFile}, findings);
  const std::string extra =
      install_extra(in, kFile, is_answer, "d-i apt-setup/non-free boolean true", findings, answered);
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    if (installer_of(in.cluster, static_cast<int>(g)) != Installer::preseed) continue;
    const auto plan = install_plan(in.system, static_cast<int>(g), findings);
    if (!plan) continue;
    const std::string path = "preseed/" + in.cluster.nodes[g].name,
                      shell = "#!/bin/sh\n" + install_header(in, "preseed");
    bundle.add(path + ".cfg", "preseed", answers(in, static_cast<int>(g), *plan, extra));
    bundle.add(path + "-disks.sh", "preseed", shell + disks_script(*plan, "disks-preseed.sh"));
    bundle.add(path + "-finish.sh", "preseed", shell + finish_script(in, static_cast<int>(g), *plan));
  }
}

}  // namespace

extern const Output kPreseedOutput;  // registry.cc names it
const Output kPreseedOutput{
    .id = "preseed",
    .summary = "unattended installation of Debian, for each node group: answers, choice of disks, last steps",
    .consumers = "debian-installer of Debian 11 to 13",
    .wanted = wants_preseed,
    .emit = emit_preseed,
};

}  // namespace clusterc
