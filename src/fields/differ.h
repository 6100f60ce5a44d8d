// What somebody changed between two described structs: values that are written in one and not, or otherwise, in the
// other. What was filled in is not looked at.
#pragma once
#include <string>
#include <vector>

#include "fields/shape.h"

namespace clusterc {

struct ValueChange {
  std::string path, before, after;
};  // "networks.compute.rate", "400 Gb/s", "800 Gb/s"; empty: not written
std::vector<ValueChange> written_changes(const Type&, const void* before,
                                         const void* after);  // in the order of the language

template <class T>
std::vector<ValueChange> written_changes(const T& before, const T& after) {
  return written_changes(type_of<T>(), &before, &after);
}

// A value as it is written; empty where nobody wrote one.
std::string written_text(const Type&, const void* value);

}  // namespace clusterc
