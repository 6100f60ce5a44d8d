// The defaults of the language, as the descriptors of fields have them.
#pragma once
#include "fields/shape.h"

namespace clusterc {

// Sets the field of a record to its default, where there is one and the field was not written. A record gets the
// defaults of its own fields. Throws std::logic_error where the descriptor's default is none.
void fill_standard(const Field&, void* record);

}  // namespace clusterc
