// What the page shows beside plan.json: where things stand and how large they are, every link, the inside of the
// servers, and how near each limit is. Links are columns of little-endian numbers in base64, so that the size is linear
// in the links and a browser reads them without a parser.
#pragma once
#include <string>
#include <string_view>

#include "plan/plan.h"

namespace clusterc {

// One object of JSON without "<": it may stand inside <script>.
std::string render_page_data(const Cluster&, const Plan&, std::string_view spec_path);

std::string base64(std::string_view bytes);

}  // namespace clusterc
