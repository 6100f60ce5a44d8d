// The values of a simple XML file: elements that hold either elements or text. Attributes are passed over, entities are
// left as they stand, and depth, length of names and number of elements are bounded.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "diag/source.h"

namespace clusterc {

// Called at each element that ends: its path ("nvidia_smi_log/gpu/pci/…"), and its text, trimmed, with its place; an
// element that holds elements has no text.
using TakeValue = std::function<void(std::string_view path, std::string_view text, SourceSpan)>;

// True: the file ended where its first element did. False: it is broken off or no XML; `end` is where reading stopped.
bool read_xml_values(std::string_view text, FileId, const TakeValue&, std::uint32_t& end);

}  // namespace clusterc
