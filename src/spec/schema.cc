#include "spec/schema.h"

#include "fields/schema.h"
#include "spec/types.h"

namespace clusterc {

std::string spec_schema() { return json_schema(type_of<Spec>(), "spec.schema.json", "clusterc spec, language 1"); }

std::string spec_reference() {
  return reference_page(type_of<Spec>(), "Reference of the spec language, version 1",
                        "Every key of a spec. Quantities carry their unit; `unknown`, or `{ unknown: reason }`, stands "
                        "for any single value;\n"
                        "one item of a list may stand without brackets.");
}

}  // namespace clusterc
