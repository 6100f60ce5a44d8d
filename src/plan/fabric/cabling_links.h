// What the steps of the cabling share. For plan/fabric/cabling*.cc.
#pragma once
#include "plan/fabric/cabling.h"

namespace clusterc {

// What is kept of a link while cables are chosen and counted: links are worked out once.
struct Cabling::Slim {
  std::int32_t near_cage = 0, far_cage = 0;
  float length = 0;  // 0: not known
  std::int32_t near_group = 0, far_group = 0;
  std::int32_t near_port = 0, far_port = 0;  // near: of a member its link, from 1
};

// What each network allows, a bit for each Medium; by fabric.
std::vector<unsigned> media_of(const Plan&);

}  // namespace clusterc
