// The files in which programs of InfiniBand describe a fabric, by what they hold.
#pragma once
#include <string_view>

#include "audit/seen_fabric.h"

namespace clusterc {

// What `iblinkinfo` prints, also with -l: a line for each port, with its peer. Without a subnet manager it has no LIDs,
// and so no links.
SeenFabric read_iblinkinfo(const Sources&, FileId, Findings&);
// ibdiagnet's list of links (ibdiagnet2.lst) and its tables (ibdiagnet2.db_csv), with error counters.
SeenFabric read_ibdiagnet_lst(const Sources&, FileId, Findings&);
SeenFabric read_ibdiagnet_csv(const Sources&, FileId, Findings&);

// Any of them, a list of counters, or else what ibnetdiscover prints.
SeenFabric read_fabric_dump(const Sources&, FileId, Findings&);

// Gives the counters to the first of these fabrics that has one of their devices. False: none has.
bool attach_counters(SeenFabric& to, const SeenFabric& counters);

}  // namespace clusterc
