// What one BMC said, as a text: `audit --save` keeps it, `audit --from` compares it again.
#pragma once
#include <string>

#include "audit/redfish_client.h"

namespace clusterc {

std::string bmc_answer_text(const BmcAnswer&, const std::string& address);
// False: it is no text of bmc_answer_text().
bool read_bmc_answer(const std::string& text, BmcAnswer&, std::string& address);

}  // namespace clusterc
