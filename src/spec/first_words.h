// What newcomers write in a spec, and what they are told.
#pragma once
#include <span>

#include "fields/read.h"

namespace clusterc {

std::span<const FirstWords> first_words();

}  // namespace clusterc
