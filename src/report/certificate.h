// The certificate of an acceptance: one HTML file to print and to sign, without scripts and without anything from
// elsewhere. It says what was accepted, on which machines, by which figures; what failed, was left out or could not be
// judged stands in it as openly. A run that did not pass has a certificate that says so in its title.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "validate/run.h"

namespace clusterc {

struct AcceptedFinding {
  std::string rule, place, message, reason;  // place: "cluster.yaml:12:3"
};

// SHA-256 of everything that the verdict rests on, as 64 digits.
struct CertificateFacts {
  std::string spec_path, spec_sha256;
  std::string plan_sha256;          // of plan.json
  std::string journal_sha256;       // empty: no journal
  std::uint64_t journal_bytes = 0;  // of which the hash is: a later run appends to it
  std::string program_sha256;       // of the program clusterc
  std::vector<AcceptedFinding> accepted;
};

// One hash over all of them: of the lines "spec HEX", "plan HEX", "journal HEX", "program HEX", "validators HEX".
std::string certificate_digest(const CertificateFacts&, const std::string& bundle_digest);

std::string render_certificate(const Report&, const CertificateFacts&);

}  // namespace clusterc
