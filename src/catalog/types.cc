#include "catalog/types.h"

namespace clusterc {
#define CLUSTERC_TYPE(T) template const Type& type_of<T>();
CLUSTERC_PART_TYPES(CLUSTERC_TYPE)
#undef CLUSTERC_TYPE
}  // namespace clusterc
