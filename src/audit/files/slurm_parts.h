// Processors and GPUs of a slurm.conf as parts: those of the catalogue, and files of their own beside the spec.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "audit/files/slurm_groups.h"
#include "audit/files/slurm_spec.h"

namespace clusterc {

class SlurmParts {
 public:
  explicit SlurmParts(Catalog& catalog) : catalog_(catalog) {}
  std::string cpu(const SlurmHardware&);
  // A part of the catalogue where only one has the words of the type; else a part of its own.
  std::string gpu(const SlurmGres&, std::string& comment);
  bool has(std::string_view id) const { return own_.contains(id); }
  const std::vector<SlurmSpec::Part>& all() const { return parts_; }

 private:
  void add(const std::string& id, std::string text);
  Catalog& catalog_;
  std::set<std::string, std::less<>> own_;
  std::vector<SlurmSpec::Part> parts_;
};

}  // namespace clusterc
