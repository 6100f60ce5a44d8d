// `clusterc audit --save`, `--from` and `--against`: what was captured, kept in a file, and what changed since then.
#pragma once
#include <string>
#include <vector>

#include "audit/captures.h"
#include "cli/command.h"

namespace clusterc::cli {

void add_saved_options(po::options_description&);

// Writes all of it into the file that --save names.
void save_captures(const std::string& path, const std::string& spec_digest, const std::vector<Captured>&);
// Of a file that --save wrote. UsageError for another one.
std::vector<Captured> saved_captures(const char* option, const std::string& path);

// What an earlier audit found, one key for each finding and object.
struct EarlierAudit {
  std::set<std::string> keys;
  std::vector<Captured> captures;  // not judged yet: the file is one of --save
};
EarlierAudit earlier_audit(const Cluster&, const std::string& path);
void add_keys(const Cluster&, const Findings&, std::set<std::string>&);

struct ChangesAudited {
  std::string summary;
  JsonMembers members;  // "against"
};
// Findings that the earlier audit has, too, do not count; the summary names those that are gone.
ChangesAudited compare_with_earlier(const Cluster&, const std::string& path, const std::set<std::string>& earlier,
                                    Findings&);

}  // namespace clusterc::cli
