// ssh as it must be for programs that nobody watches: strict host keys, no question, names of the spec.
#pragma once
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launch/hosts.h"
#include "launch/launcher.h"

namespace clusterc {

// A folder with a configuration of ssh in which each host of the spec has its name, its address and a host key under
// its name: BatchMode, StrictHostKeyChecking, and what the user's own configuration adds. Removed at the end.
class SshConfig {
 public:
  // `user_config`: read behind ours (-F of ssh); empty: ~/.ssh/config and /etc/ssh/ssh_config. nullptr with `error`.
  static std::unique_ptr<SshConfig> write(const std::vector<Host>&, const std::string& user_config, std::string& error);
  ~SshConfig();
  SshConfig(const SshConfig&) = delete;
  SshConfig& operator=(const SshConfig&) = delete;
  const std::string& folder() const { return folder_; }
  std::string path() const { return folder_ + "/config"; }

 private:
  explicit SshConfig(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

std::string ssh_config_text(const std::vector<Host>&, const std::string& user_config, const std::string& home);

// The command that ssh hands to a shell on `node`: runs argv with CLUSTERC_NODE set, and ends it when the connection is
// gone (its standard input ends). Every word is quoted.
std::string remote_command(const std::string& node, const std::vector<std::string>& argv);

}  // namespace clusterc
