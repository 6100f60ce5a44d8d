#include "launch/ssh.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/format.h"
#include "write/writers.h"

namespace clusterc {
namespace {

// A word of ssh_config(5): double quotes keep blanks; it has no escape for a quote in them.
std::string config_word(const std::string& text) { return '"' + text + '"'; }

}  // namespace

std::string ssh_config_text(const std::vector<Host>& hosts, const std::string& user_config, const std::string& home) {
  std::string out;
  // The first value that ssh finds counts: ours stand before those of the user.
  for (const Host& host : hosts)
    out += format("Host {}\n  HostName {}\n  HostKeyAlias {}\n", host.name, host.address, host.name);
  // Ten seconds to connect: a node that takes longer is not there. A connection that says nothing for a minute is dead.
  out +=
      "Match all\n  BatchMode yes\n  StrictHostKeyChecking yes\n  ConnectTimeout 10\n  ServerAliveInterval 15\n"
      "  ServerAliveCountMax 4\n  ForwardAgent no\n  ForwardX11 no\n  ControlMaster no\n  ControlPath none\n"
      "  RequestTTY no\n";
  if (!user_config.empty())
    out += "  Include " + config_word(user_config) + "\n";
  else
    out += (home.empty() ? "" : "  Include " + config_word(home + "/.ssh/config") + "\n") +
           "  Include /etc/ssh/ssh_config\n";
  return out;
}

std::unique_ptr<SshConfig> SshConfig::write(const std::vector<Host>& hosts, const std::string& user_config,
                                            std::string& error) {
  std::error_code failed;
  const std::string config =
      user_config.empty() ? std::string() : std::filesystem::absolute(user_config, failed).string();
  if (config.find_first_of("\"\n\r*?[") != std::string::npos) {
    error = "the path of --ssh-config has a quote, a line end, or one of * ? [";
    return nullptr;
  }
  std::string folder = "/tmp/clusterc-ssh-XXXXXX";  // without blanks: mpirun splits what it hands to ssh at blanks
  if (!::mkdtemp(folder.data())) {
    error = "no folder can be made in /tmp";
    return nullptr;
  }
  std::unique_ptr<SshConfig> out(new SshConfig(folder));
  const char* const home = std::getenv("HOME");
  FileError unwritten;
  if (!write_file(out->path(), ssh_config_text(hosts, config, home ? home : ""), unwritten)) {
    error = unwritten.message;
    return nullptr;
  }
  return out;
}

SshConfig::~SshConfig() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string remote_command(const std::string& node, const std::vector<std::string>& argv) {
  // A program that is started over ssh without a terminal outlives the connection. So a shell waits at its standard
  // input, which ends with the connection, and then ends the program.
  static constexpr std::string_view kScript =
      "exec 3<&0; \"$@\" </dev/null 3<&- & p=$!; "
      "(cat <&3; kill $p; sleep 5; kill -9 $p) >/dev/null 2>&1 & w=$!; "
      "exec 3<&-; wait $p; s=$?; kill $w 2>/dev/null; exit $s";
  std::string out = "exec env ";
  append_shell_word(out, "CLUSTERC_NODE=" + node);
  out += " /bin/sh -c ";
  append_shell_word(out, kScript);
  out += " clusterc";
  for (const std::string& word : argv) {
    out += ' ';
    append_shell_word(out, word);
  }
  return out;
}

}  // namespace clusterc
