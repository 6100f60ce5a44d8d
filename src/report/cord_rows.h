// Every cord from PDU to supply as a row for people: devices from the bottom of each rack up, supplies in their order.
// One row lives at a time.
#pragma once
#include <functional>
#include <string>

#include "plan/plan.h"

namespace clusterc {

struct CordRow {
  std::string device;  // host name
  std::string_view rack;
  std::int64_t unit = 0, supply = 0;  // the device's lowest unit; supplies from 1
  std::string_view pdu;               // "pdu/r07/b"
  std::string_view feed, socket;      // "A", "C19"; hardwired ones have no socket
  std::int64_t outlet = 0;  // of those of its kind on the PDU; 0: none is left, or nobody says how many there are
  std::string_view lines;   // "L1-L2", "L3"; empty: single phase, or not known
  std::int64_t bank = 0;    // from 1; 0: the PDU states none
  std::string_view part;    // "power-cord-c19-c20"; empty: hardwired
  Meters length{0};         // 0: no cord to order
  std::string supply_label, pdu_label;  // what is printed on the end at the supply, and at the PDU
};
void each_cord(const Cluster&, const Plan&, const std::function<void(const CordRow&)>&);

}  // namespace clusterc
