// roce/<group>/cluster-roce: sets the ports of RoCE networks on a node of the group as the plan of its networks
// (`roce:`) has them, and roce/cluster-roce.service, which does so at every start: adapters forget all of it. Groups
// without such ports, virtual machines and instances have none: their ports are the host's, or the provider's.
//
// What is set, and by what:
//   priority of the code point  dcb app … dscp-prio, read back. With its first entry mlx5 and mlxsw go from trusting
//   PCP to trusting DSCP (Linux, "net/mlx5e: Add dcbnl dscp to
//                               priority support", 2017); NVIDIA's mlnx_qos is asked where it is installed, and told
//                               where it says otherwise
//   pause frames of it          dcb pfc. Read back: a driver may take what the adapter then does not do
//   pause frames of the link    ethtool -A, off: they stop all classes, and mlx5 has either these or those
//   traffic class of verbs      sysfs tc/PORT/traffic_class of MLNX_OFED and DOCA-OFED; the kernel's own driver has
//   none, and libraries say it themselves (fabric-env) … and of RDMA-CM            configfs rdma_cm, default_roce_tos
//   (Linux 5.2, Documentation/ABI/testing/configfs-rdma_cm). Its folder holds the adapter, so it is taken away again
//   DCQCN                       sysfs ecn/roce_np, roce_rp of MLNX_OFED and DOCA-OFED; elsewhere the adapter's firmware
//   decides
// The two low bits of the traffic class stay 0: mlx5 takes its upper six alone (Linux, drivers/infiniband/hw/mlx5/qp.c,
// mlx5_set_path).

#include "model/roce.h"

#include <algorithm>

#include "compile/common.h"
#include "spec/network.h"
#include "write/writers.h"

namespace clusterc {
namespace {

struct Port {
  std::string name;
  const RocePlan* plan = nullptr;   // of the network that says the priority and the traffic class
  std::vector<std::int64_t> dscps;  // that one's first; those of others on this port
};

bool has_class(const RocePlan* p) { return p && p->priority && p->dscp; }
// Its adapters' ports are set by nobody else.
bool is_machine(const NodeGroupModel& g) { return g.count > 0 && !g.server.virtual_machine && !g.server.instance; }

// Ports in the order of the interfaces. Of several networks on one port the first that carries jobs says the class, as
// in fabric-env, else the first.
std::vector<Port> ports_of(const System& in, int group) {
  const Cluster& c = in.cluster;
  std::vector<Port> out;
  if (!is_machine(c.nodes[static_cast<std::size_t>(group)])) return out;
  std::vector<Interface> interfaces = interfaces_of(c, in.plan, group);
  const auto rank = [&](const Interface& i) {
    return std::pair(!c.networks[static_cast<std::size_t>(i.network)].carries_traffic(Traffic::compute), i.network);
  };
  std::stable_sort(interfaces.begin(), interfaces.end(),
                   [&](const Interface& a, const Interface& b) { return rank(a) < rank(b); });
  for (const Interface& i : interfaces) {
    const NetworkModel& net = c.networks[static_cast<std::size_t>(i.network)];
    const RocePlan* plan = carries_roce(c, net) ? roce_plan(c, net) : nullptr;
    if (!has_class(plan)) continue;
    for (const std::string& name : i.names) {
      auto port = std::find_if(out.begin(), out.end(), [&](const Port& p) { return p.name == name; });
      if (port == out.end()) port = out.insert(out.end(), Port{name, plan, {}});
      if (std::find(port->dscps.begin(), port->dscps.end(), *plan->dscp) == port->dscps.end())
        port->dscps.push_back(*plan->dscp);
    }
  }
  return out;
}

constexpr std::string_view kHead =
    R"sh(# Configures the RoCE ports of a node of this group. Prints what it changed, and on standard error what it
# could not change. Exit status 1: a port that must be lossless is not; 3: a port does not exist.
set -u
LC_ALL=C
export LC_ALL
root=${CLUSTER_ROCE_ROOT:-}   # folder with another /sys
status=0

say() { echo "$port: $*" >&2; }
changed() { echo "changed $port: $*"; }
# An error for a lossless port; for others only a message.
lacks() {
  say "$*"
  if [ "$pfc" = on ]; then status=1; fi
}

# shows OBJECT [PARAMETER]: what dcb says, in $said
shows() {
  object=$1
  shift
  if said=$(dcb -N "$object" show dev "$port" "$@" 2>&1); then shown=0; else shown=1; fi
  said=$(echo "$said" | tr -s ' \n' ' ')
  return "$shown"
}
# sets WORD…: of dcb; what it says is in $refused. Whether it did is read back: it ends with 0 whatever becomes of "app replace"
sets() { refused=$(dcb "$@" 2>&1 | head -n 1); }

# This machine sets the adapter's classes, not the firmware (which follows the switch).
set_owner() {
  shows dcbx || return 0
  case " $said" in *' host '*) return ;; esac
  sets dcbx set dev "$port" host ieee
  shows dcbx
  case " $said" in
    *' host '*) changed "its classes are this machine's to set" ;;
    *) say "its firmware keeps the classes to itself (dcb dcbx: $refused)" ;;
  esac
}

# has_priority DSCP PRIORITY, and no other
has_priority() {
  shows app dscp-prio || return 1
  case $said in *" $1:"*" $1:"*) return 1 ;; *" $1:$2 "*) ;; *) return 1 ;; esac
}
set_priority() {
  has_priority "$@" && return
  sets app replace dev "$port" dscp-prio "$1:$2"
  if has_priority "$@"; then changed "DSCP $1 has priority $2"; else lacks "DSCP $1 has no priority $2 (dcb app: $refused)"; fi
}

# Where NVIDIA's own tool is
set_trust() {
  command -v mlnx_qos > /dev/null || return 0
  case $(mlnx_qos -i "$port" 2> /dev/null) in *'trust state: pcp'*) ;; *) return ;; esac
  if said=$(mlnx_qos -i "$port" --trust dscp 2>&1); then changed "trusts DSCP"; else lacks "trusts PCP, not DSCP (mlnx_qos: $said)"; fi
}

pauses() { ethtool -a "$port" 2> /dev/null | awk '($1 == "RX:" || $1 == "TX:") && $2 == "on" { found = 1 } END { exit !found }'; }
set_link_pause() {
  command -v ethtool > /dev/null || { say "no ethtool: whether it pauses the whole link is not known"; return; }
  pauses || return 0
  said=$(ethtool -A "$port" autoneg off rx off tx off 2>&1)
  if pauses; then lacks "pauses the whole link (ethtool: $said)"; else changed "does not pause the whole link"; fi
}

# Only this class is lossless
set_pause() {
  wanted=prio-pfc
  for i in 0 1 2 3 4 5 6 7; do
    if [ "$i" = "$priority" ]; then wanted="$wanted $i:$pfc"; else wanted="$wanted $i:off"; fi
  done
  if shows pfc prio-pfc; then
    [ "${said% }" != "$wanted" ] || return 0
  elif [ "$pfc" = off ]; then
    return
  fi
  sets pfc set dev "$port" prio-pfc all:off "$priority:$pfc"
  if shows pfc prio-pfc && [ "${said% }" = "$wanted" ]; then
    changed "pause frames of priority $priority are $pfc"
  else
    lacks "pause frames of priority $priority are not $pfc (dcb pfc: ${refused:-it took what the adapter does not do})"
  fi
}

# put FILE VALUE SHOWN WHAT: SHOWN is how the file shows VALUE
put() {
  case $(head -n 1 "$1" 2> /dev/null) in "$2" | "$3") return ;; esac
  if (echo "$2" > "$1") 2> /dev/null; then changed "$4 is $2"; else say "$4 is not $2: $1 does not take it"; fi
}

set_congestion_control() {
  for end in np rp; do
    file=$root/sys/class/net/$port/ecn/roce_$end/enable/$priority
    [ -e "$file" ] || { say "its driver has no switch for DCQCN (ecn/roce_$end): whether it is on for priority $priority is the firmware's to say"; return; }
    put "$file" "$ecn" "$ecn" "congestion control ($end) of priority $priority"
  done
}

set_traffic_class() {
  some=
  number=$(($(cat "$root/sys/class/net/$port/dev_port" 2> /dev/null || echo 0) + 1))
  for device in "$root/sys/class/net/$port/device/infiniband"/*; do
    [ -d "$device" ] || continue
    some=${device##*/}
    file=$root/sys/class/infiniband/$some/tc/$number/traffic_class
    if [ -e "$file" ]; then put "$file" "$class" "Global tclass=$class" "traffic class of $some"
    else say "the driver of $some has no tc/$number/traffic_class: programs have to say $class themselves (NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS)"; fi
    folder=$root/sys/kernel/config/rdma_cm/$some made=
    [ -d "$folder" ] || { mkdir "$folder" 2> /dev/null && made=1; }
    file=$folder/ports/$number/default_roce_tos
    if [ -e "$file" ]; then put "$file" "$class" "$class" "type of service of RDMA-CM on $some"
    else say "RDMA-CM cannot be told its type of service, $class: no $file (configfs, module rdma_cm)"; fi
    [ -z "$made" ] || rmdir "$folder"
  done
  # a bond's RDMA device is below one of its ports
  [ -n "$some" ] || [ -e "$root/sys/class/net/$port/master" ] || say "no RDMA device below it"
}

# port NAME PRIORITY TRAFFIC-CLASS PAUSE ECN DSCP…: PAUSE on or off, ECN 1 or 0
port() {
  port=$1 priority=$2 class=$3 pfc=$4 ecn=$5
  shift 5
  if [ ! -e "$root/sys/class/net/$port" ]; then
    say "not there"
    [ "$status" != 0 ] || status=3
    return
  fi
  if command -v dcb > /dev/null; then
    set_owner
    for dscp; do set_priority "$dscp" "$priority"; done
    set_trust
    set_link_pause
    set_pause
  else
    lacks "no dcb (of iproute2): neither its classes nor their pause frames can be set"
  fi
  set_congestion_control
  set_traffic_class
}

if [ -z "$root" ]; then modprobe -q rdma_cm 2> /dev/null; fi
)sh";

void write_script(const CompileInput& in, const NodeGroupModel& g, const std::vector<Port>& ports, Bundle& bundle) {
  bundle.open("roce/" + g.name + "/cluster-roce", "roce", 0755);
  std::string& out = bundle.text();
  out += "#!/bin/sh\n";
  out += made_by(in, "");
  out += kHead;
  ShellWriter w(out);
  for (const Port& p : ports) {
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    std::vector<std::string> words{"port",
                                   p.name,
                                   number(*p.plan->priority),
                                   number(traffic_class(*p.plan->dscp)),
                                   p.plan->pfc.value_or(true) ? "on" : "off",
                                   p.plan->ecn.value_or(true) ? "1" : "0"};
    for (const std::int64_t dscp : p.dscps) words.push_back(number(dscp));
    w.command(words);
  }
  out += "exit \"$status\"\n";
  bundle.close();
}

// Before what sends over these ports: mounts, jobs.
void write_unit(const CompileInput& in, Bundle& bundle) {
  bundle.open("roce/cluster-roce.service", "roce");
  std::string& out = bundle.text();
  out += made_by(in, "");
  IniWriter w(out);
  w.section("Unit")
      .field("Description", "Lossless class and congestion control of RoCE")
      .field("Wants", "network-online.target remote-fs-pre.target")
      .field("After", "network-online.target rdma-hw.target openibd.service sys-kernel-config.mount")
      .field("Before", "remote-fs-pre.target slurmd.service");
  w.section("Service")
      .field("Type", "oneshot")
      .field("RemainAfterExit", "yes")
      .field("ExecStart", "/usr/local/sbin/cluster-roce");
  w.section("Install").field("WantedBy", "multi-user.target");
  bundle.close();
}

bool wants_roce(const Cluster& c) {
  return std::any_of(c.networks.begin(), c.networks.end(), [&](const NetworkModel& n) {
    return n.subnet && carries_roce(c, n) && has_class(roce_plan(c, n)) &&
           std::any_of(n.ends.begin(), n.ends.end(), [&](const EndPoints& e) {
             return e.group >= 0 && !is_management_port(c, n, e) &&
                    is_machine(c.nodes[static_cast<std::size_t>(e.group)]);
           });
  });
}

bool serves(const System& in, int group) { return !ports_of(in, group).empty(); }

void emit_roce(const CompileInput& in, Bundle& bundle, Findings& findings) {
  check_extra_files(in, "roce", {}, findings);
  bool some = false;
  for (std::size_t g = 0; g < in.cluster.nodes.size(); ++g) {
    const std::vector<Port> ports = ports_of(in.system, static_cast<int>(g));
    if (ports.empty()) continue;
    write_script(in, in.cluster.nodes[g], ports, bundle);
    some = true;
  }
  if (some) write_unit(in, bundle);
}

}  // namespace

extern const Output kRoceOutput;  // registry.cc names it
const Output kRoceOutput{
    .id = "roce",
    .summary =
        "settings of RoCE ports for each node group, applied at every boot: priority of the lossless class, pause "
        "frames, traffic class, congestion control",
    .consumers = "iproute2 5.11 and newer (dcb), any driver with DCB netlink; MLNX_OFED and DOCA-OFED",
    .wanted = wants_roce,
    .serves = serves,
    .emit = emit_roce,
};

}  // namespace clusterc
