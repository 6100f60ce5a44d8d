// The files that `validate` writes beside its text, and the earlier reports that it reads.
#pragma once
#include <boost/program_options.hpp>
#include <optional>
#include <string>

#include "base/file.h"
#include "validate/compare.h"
#include "validate/report_text.h"

namespace clusterc {
struct Run;
}

namespace clusterc::cli {

void add_report_options(boost::program_options::options_description&);

// The report of --failed; nothing: it is not given. UsageError: it cannot be used.
std::optional<EarlierReport> failed_report(const boost::program_options::variables_map&);

class ReportFiles {
 public:
  // Reads the earlier reports, and refuses what cannot be written before hours of measuring: UsageError.
  ReportFiles(const boost::program_options::variables_map&, const Run&, const std::string& spec_path);

  const EarlierReport* failed() const { return failed_ ? &*failed_ : nullptr; }  // of --failed; null: not given
  // Compares with --compare. Before write() and after the run.
  void compare(const Report&);
  const Comparison* comparison() const { return comparison_ ? &*comparison_ : nullptr; }
  bool write(const Report&, FileError&) const;  // all that were asked for

 private:
  std::string path_of(const char* option) const;
  bool write_certificate(const Report&, FileError&) const;
  bool write_page(const Report&, FileError&) const;

  const boost::program_options::variables_map& given_;
  const Run& run_;
  std::string spec_path_;
  std::optional<EarlierReport> failed_, before_;
  std::optional<Comparison> comparison_;
};

}  // namespace clusterc::cli
