// Error counters of the ports of an InfiniBand fabric: `ibqueryerrors` and ibdiagnet's ibdiagnet2.pm. What a counter
// means: InfiniBand Architecture Specification, volume 1, PortCounters.
#pragma once
#include <cstdint>
#include <string_view>

#include "audit/seen_fabric.h"

namespace clusterc {

// Adds the counter to those of the port if it says something of a cable and is above its threshold. `field`: as any of
// the programs spells it, "SymbolErrorCounter", "SymbolErrorCounterExt", "symbol_error_counter_extended". `value`:
// decimal, or hexadecimal with 0x. False: the counter is one of these, and the value is no number.
bool add_counter(PortCounters&, std::string_view field, std::string_view value);

// The thresholds that infiniband-diags proposes in its file error_thresholds.
inline constexpr std::int64_t kMostErrors = 10;

// Links are none of these files. Linear in the text.
SeenFabric read_counters(const Sources&, FileId, Findings&);

inline constexpr std::string_view kCountersHelp =
    "clear the counters (ibqueryerrors --clear-errors), run a load and read them again: if they rise, clean and reseat "
    "both "
    "ends of the cable, then change the cable, then the transceivers";

// Counters alone, without cables: one finding for each port.
void report_counters(const SeenFabric&, Findings&);

// "counted 12 symbol errors and was down 14 times"
std::string counters_text(const PortCounters&);

}  // namespace clusterc
