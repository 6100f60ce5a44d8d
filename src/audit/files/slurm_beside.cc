#include "audit/files/slurm_beside.h"

#include <algorithm>
#include <array>
#include <set>

#include "audit/files/words.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostShown = 64;  // kinds of losses of gres.conf

// cgroup.conf as clusterc writes it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kCgroup = {{{"cgroupplugin", "autodetect"},
                                                                                   {"constraincores", "yes"},
                                                                                   {"constraindevices", "yes"},
                                                                                   {"constrainramspace", "yes"},
                                                                                   {"constrainswapspace", "yes"}}};
constexpr std::string_view kOldCgroup[] = {"cgroupautomount", "cgroupreleaseagentdir", "taskaffinity",
                                           "constrainkmemspace"};
// As clusterc writes slurmdbd.conf (compile/slurm/accounting.cc).
constexpr std::string_view kCompiled[] = {"authtype=auth/munge",
                                          "slurmuser=slurm",
                                          "logfile=/var/log/slurm/slurmdbd.log",
                                          "pidfile=/run/slurmdbd.pid",
                                          "storagetype=accounting_storage/mysql",
                                          "storagehost=localhost",
                                          "storageuser=slurm",
                                          "storageloc=slurm_acct_db"};
// Of Slurm's own files; what a site's plugins read is its own business.
constexpr std::string_view kUnread[] = {"acct_gather.conf", "burst_buffer.conf",  "cli_filter.lua",
                                        "helpers.conf",     "job_container.conf", "job_submit.lua",
                                        "mpi.conf",         "oci.conf",           "plugstack.conf"};

// Text of a file in one line of a spec.
std::string clean(std::string_view text) { return printable(one_line(text)); }

bool is_compiled(std::string_view key, std::string_view value) {
  return std::ranges::find(kCompiled, format("{}={}", key, to_lower(value))) != std::end(kCompiled);
}

}  // namespace

std::vector<std::string> slurm_gres_lost(const SlurmCluster& gres) {
  std::vector<std::string> out;
  std::set<std::string> said;
  const auto once = [&](std::string text) {
    if (said.size() < kMostShown && said.insert(text).second) out.push_back(std::move(text));
  };
  for (const SlurmRecord& r : gres.text.records) {
    if (const SlurmSetting* detect = r.find("autodetect"); detect && to_lower(detect->value) != "off")
      once(format("gres.conf: AutoDetect={}. clusterc writes the device files", clean(detect->value)));
    const SlurmSetting* name = r.find("name");
    if (!name) continue;
    const std::string what = to_lower(name->value);
    if (what != "gpu" && what != "shard") {
      once(format("gres.conf: Name={}, for which the language has no word", clean(what.substr(0, 40))));
      continue;
    }
    for (const auto& [key, setting] : r.settings) {
      if (key == "cores" || key == "cpus" || key == "links")
        once(format("gres.conf: {} of GPUs. They follow from the PCIe tree of the server (`pcie`)",
                    key == "links" ? "Links" : "Cores"));
      else if (key != "nodename" && key != "name" && key != "type" && key != "file" && key != "count" &&
               key != "autodetect")
        once(format("gres.conf: {}={} of GPUs, for which the language has no word", key,
                    clean(setting.value.substr(0, 60))));
    }
  }
  return out;
}

SlurmFileSpec slurm_cgroup_spec(const SlurmCluster& cgroup, const SlurmAsWritten& as_written) {
  SlurmFileSpec out;
  for (const auto& [key, setting] : cgroup.settings) {
    std::string line = as_written(setting, key);
    const auto ours = std::ranges::find_if(kCgroup, [&](const auto& k) { return k.first == key; });
    if (ours != kCgroup.end()) {
      if (to_lower(setting.value) != ours->second)
        out.lost.push_back(format("cgroup.conf: {}. clusterc writes {}", line, ours->second));
    } else if (std::ranges::find(kOldCgroup, key) != std::end(kOldCgroup)) {
      out.lost.push_back(format("cgroup.conf: {}: of an older release", line));
    } else {
      out.extra.push_back(std::move(line));
    }
  }
  return out;
}

SlurmDatabaseSpec slurm_database_spec(const SlurmCluster& slurmdbd, const std::optional<std::string>& host,
                                      const SlurmAsWritten& as_written) {
  SlurmDatabaseSpec out;
  const auto lost = [&](std::string_view setting, std::string_view why) {
    out.lost.push_back(format("slurmdbd.conf: {}: {}", setting, why));
  };
  for (const auto& [key, setting] : slurmdbd.settings) {
    if (key.find("pass") != key.npos) {
      out.password = out.password || key == "storagepass";
      lost(key, key == "storagepass" && host
                    ? "the password is not copied. Write the line StoragePass=… into the file that "
                      "software.scheduler.accounting.password names, on the machine of slurmdbd"
                    : "it is not copied, because it can be a password");
      continue;
    }
    const std::string line = as_written(setting, key);
    if (!host && (key == "dbdhost" || is_compiled(key, setting.value))) continue;
    if (!host)
      lost(line,
           "slurmdbd is on no node of the spec. Write the line in outputs.slurm.extra when "
           "software.scheduler.accounting is set");
    else if (key == "dbdhost") {
      if (setting.value != *host && setting.value != "localhost") lost(line, format("clusterc writes {}", *host));
    } else if (key == "dbdbackuphost") {
      lost(line, "name both hosts in software.scheduler.accounting.nodes");
    } else if (key == "storagehost" && to_lower(setting.value) != "localhost") {
      out.database = setting.value;
    } else if (key == "storagetype" && !is_compiled(key, setting.value)) {
      lost(line, "clusterc writes accounting_storage/mysql");
    } else if (!is_compiled(key, setting.value)) {
      out.extra.push_back(line);
    }
  }
  return out;
}

std::vector<std::string> slurm_files_unread(const ReadBeside& read) {
  std::vector<std::string> out;
  for (const std::string_view name : kUnread)
    if (read && read(std::string(name)))
      out.push_back(
          format("{}: clusterc does not read the file. Keep it in /etc/slurm; the plays replace it only if "
                 "they write one of this name",
                 name));
  return out;
}

}  // namespace clusterc
