#include "catalog/parts.h"

#include "base/format.h"

namespace clusterc {

bool PcieSlot::from_text(std::string_view text, PcieSlot& out, std::string& error) {
  if (text.empty() || text.find(' ') != text.npos) {
    error = format("a slot names its device, such as gpus[0] or nics.data; '{}' does not", text);
    return false;
  }
  out.device.value = std::string(text);
  return true;
}

bool ServerPart::from_text(std::string_view text, ServerPart& out, std::string& error) {
  if (text.empty() || text.find(' ') != text.npos) {
    error = format("a server is named by its catalogue part; '{}' is no name", text);
    return false;
  }
  out.like.value = std::string(text);
  return true;
}

}  // namespace clusterc
