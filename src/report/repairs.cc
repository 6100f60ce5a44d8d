#include "report/repairs.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/index.h"
#include "base/ip.h"
#include "base/text.h"
#include "report/hoses.h"
#include "report/markdown.h"
#include "spec/network.h"
#include "system/interfaces.h"
#include "system/slurm.h"

namespace clusterc {
namespace {

class Repairs {
 public:
  explicit Repairs(const System& in) : in_(in), c_(in.cluster), p_(in.plan) {}

  std::string text() {
    for (std::size_t g = 0; g < c_.nodes.size(); ++g) {
      const NodeGroupModel& group = c_.nodes[g];
      if (group.count == 0) continue;
      if (group_ < 0 || (c_.nodes[at(group_)].server.gpu_count == 0 && group.server.gpu_count > 0))
        group_ = static_cast<int>(g);
    }
    if (group_ < 0) return {};
    node_ = c_.nodes[at(group_)].names.name(0);
    slurm_ = in_.makes("slurm") && runs_slurmd(c_, c_.nodes[at(group_)]);
    for (std::size_t r = 0; r < p_.racks.size(); ++r)
      liquid_ |= !hoses_of(c_, p_, static_cast<std::int64_t>(r)).empty();
    incidents();
    bmcs();
    power_down();
    gpu();
    cable();
    pdu();
    return std::move(out_);
  }

 private:
  void heading(std::string_view title) { out_ += format("{}### {}\n\n", out_.empty() ? "" : "\n", title); }
  void step(std::string_view text) { out_ += format("{}. {}\n", ++step_, text); }
  void begin(std::string_view title) { heading(title), step_ = 0; }
  static std::string code(const std::string& text) { return markdown_code(text); }
  static std::string quoted(std::string_view text) { return markdown_text(text); }

  // Jobs end before hands are laid on a machine.
  void drain(std::string_view reason) {
    step(slurm_ ? format("{}: jobs on it end first; {} prints nothing when it is free.",
                         code(format("scontrol update nodename={} state=drain reason=\"{}\"", node_, reason)),
                         code("squeue -w " + node_))
                : format("Take {} out of service: no job and no user is on it.", quoted(node_)));
  }
  void back() {
    if (in_.makes("ansible"))
      step(format("{} prints nothing that is missing.",
                  code(format("ansible {} -b -a /usr/local/sbin/cluster-health", node_))));
    step(format("{} reports no difference, and {} passes{}.", code(format("clusterc audit SPEC --nodes {}", node_)),
                code(format("clusterc validate SPEC --stage inventory,node --nodes {}", node_)),
                slurm_ ? "; then " + code(format("scontrol update nodename={} state=resume", node_)) : ""));
  }

  void incidents() {
    heading("Incidents");
    out_ +=
        "Write down time, object (docs/names.md) and what was seen, before something is changed.\n\n| seen | first "
        "look | then |\n| --- | --- | --- |\n";
    const auto row = [&](const std::string& seen, const std::string& look, const std::string& then) {
      out_ += markdown_row({seen, look, then});
    };
    row("smoke, fire, smell", "no look: leave the room, call the fire brigade",
        "the power of the room is cut at its emergency switch; nobody enters before the site's safety officer allows "
        "it");
    if (liquid_)
      row("coolant on the floor, loop loses pressure", "leak sensors, sheet of the rack (racks/NAME.html): which hose",
          "power down what the loop cools (below), close the valves of the rack, then the CDU");
    if (!c_.zones.empty())
      row("inlet air or coolant too warm", "units of the zone (table of failures: cooling, CDU)",
          "lower the load: drain nodes, the hottest rack first; power down before the limit of the devices");
    if (!c_.feeds.empty())
      row("a feed or PDU is dead", "breaker, display of the PDU; table of failures: what runs on the others",
          "an electrician finds the cause before a breaker is closed again");
    row("a node does not answer", "its BMC: power, console, event log (below)",
        "power cycle once; if it stays away, repair as below");
    if (std::ranges::any_of(c_.nodes, [](const NodeGroupModel& g) { return g.count > 0 && g.server.gpu_count > 0; }))
      row("jobs fail on one GPU", "dmesg -T (NVIDIA: lines with Xid), nvidia-smi -q -d ECC,ROW_REMAPPER",
          "reset the GPU or reboot the node once; if it returns, replace the GPU");
    if (!p_.fabrics.empty())
      row("a link is down, or counts errors",
          "both ends in point-to-point.csv: seated, clean, module and cable of the plan",
          "replace the cable (below); if it stays, the module, then the port");
    row("the cluster is slower than it was", "clusterc validate SPEC: it names node, cable or switch",
        "repair what it names, then clusterc validate SPEC --failed REPORT");
  }

  void bmcs() {
    std::vector<std::vector<std::string>> rows;
    std::string first;
    for (std::size_t n = 0; n < c_.networks.size(); ++n)
      for (std::size_t e = 0; e < c_.networks[n].ends.size(); ++e) {
        const EndPoints& ends = c_.networks[n].ends[e];
        if (ends.group < 0 || !is_management_port(c_, c_.networks[n], ends)) continue;
        const NodeGroupModel& g = c_.nodes[at(ends.group)];
        const std::uint32_t a = p_.address(static_cast<int>(n), static_cast<int>(e), 0),
                            b = p_.address(static_cast<int>(n), static_cast<int>(e), g.count - 1);
        if (g.count == 0 || a == 0) continue;
        rows.push_back({g.names.text(), c_.networks[n].name, ipv4_text(a), ipv4_text(b)});
        if (ends.group == group_ && first.empty()) first = ipv4_text(a);
      }
    if (rows.empty()) return;
    heading("BMC access");
    out_ += "| nodes | network | BMC of the first | BMC of the last |\n| --- | --- | --- | --- |\n";
    for (const auto& r : rows) out_ += markdown_row(r);
    if (first.empty()) return;
    out_ += format(
        "\nFrom a machine in that network, with the account of the BMCs ({} reads the password from the variable "
        "IPMI_PASSWORD); the web page is {}:\n\n```sh\nipmitool -I lanplus -H {} -U NAME -E chassis power status\n"
        "ipmitool -I lanplus -H {} -U NAME -E sel elist          # the event log\nipmitool -I lanplus -H {} -U NAME -E "
        "sol activate        # the console; ~. ends it\nipmitool -I lanplus -H {} -U NAME -E chassis power "
        "cycle\n```\n",
        code("-E"), code("https://" + first), first, first, first, first);
  }

  void power_down() {
    begin("Power-down of the whole cluster");
    if (slurm_)
      step(format("{}: running jobs end, or are cancelled with {}.",
                  code("scontrol update nodename=ALL state=drain reason=\"power-down\""), code("scancel")));
    else
      step("No job and no user is on the cluster.");
    std::vector<std::string> compute, serve;
    for (const NodeGroupModel& g : c_.nodes)
      if (g.count > 0) (g.computes ? compute : serve).push_back(quoted(g.names.text()));
    const auto off = [&](const std::vector<std::string>& nodes, std::string_view why) {
      if (!nodes.empty())
        step(format("Nodes {}: {}{}; the BMC says that the power is off.", join(nodes, ", "),
                    code("systemctl poweroff"), why));
    };
    off(compute, in_.makes("ansible") ? " on each, file systems are unmounted by it" : " on each");
    if (std::ranges::any_of(c_.storage, [](const StorageModel& s) { return s.count > 0; }))
      step("Storage systems: by the manual of their maker, once no client is left.");
    off(serve, ", those that others need last");
    std::vector<std::string> data, management;
    for (const Fabric& f : p_.fabrics)
      if (f.switch_count() > 0)
        (is_out_of_band(c_.networks[at(f.network)]) ? management : data).push_back(quoted(f.name));
    if (!data.empty())
      step(format("Switches of {}, then those of {}.", join(data, ", "),
                  management.empty() ? "no other network" : join(management, ", ")));
    else if (!management.empty())
      step(format("Switches of {}.", join(management, ", ")));
    if (!p_.pdus.empty())
      step(format("{} PDUs, then the breakers of the feeds, by an electrician if work follows: locked and tagged.",
                  p_.pdus.size()));
    if (liquid_) step("Coolant flows until all devices are off and cold; then the CDUs, by the manual of their maker.");
    out_ += "\nPower up in the reverse order, with the chapter \"Power on\" of runbook.md.\n";
  }

  void gpu() {
    const NodeGroupModel& g = c_.nodes[at(group_)];
    if (g.server.gpu_count == 0 || g.server.instance || g.server.virtual_machine) return;
    begin(format("Replace a GPU, with {} as the example", quoted(node_)));
    drain("GPU");
    step(
        "Note the serial numbers: BMC, or `nvidia-smi -q` / `amd-smi static`; send them to the maker with the event "
        "log.");
    step(format("{}; pull each cord, as {} lists them, and wait as long as the label of the device says.",
                code("systemctl poweroff"), code("cords.csv")));
    if (liquid_) step("Liquid: close and uncouple supply and return, caps on both; the maker's manual has the order.");
    step(
        "Take out and put in the GPU by the service manual of the maker: tools, lifting, torque, thermal interface; a "
        "baseboard of several GPUs is replaced as a whole.");
    step(
        "The new GPU has the firmware of the others: `clusterc audit SPEC --redfish plan … --firmware` names "
        "differences.");
    step("Write the new serial number into the inventory of the spec.");
    back();
  }

  void cable() {
    if (p_.fabrics.empty() || !c_.own_site) return;
    begin("Replace a cable");
    step(format("Find it by label or port: {} has part, length, modules and both ends; {} says what its loss costs.",
                code("grep LABEL point-to-point.csv"), code("clusterc plan SPEC --what-if each")));
    step(slurm_
             ? "Drain the node at its end, if it has no other port in that network. A link between switches needs no "
               "drain: routing avoids it."
             : "No job uses the node at its end, if it has no other port in that network.");
    step("Unplug both ends, inspect and clean plugs and ports. Try the old cable once more before a new one is laid.");
    step(
        "Lay the spare of the same part and length on the same way, above its smallest bend radius; put the labels of "
        "`labels.csv` on both ends. A spare of another length goes into the spec first.");
    step(
        "The link is up at its rate without new errors: `clusterc audit SPEC --fabric NETWORK=FILE` (runbook.md, "
        "chapter "
        "\"Links\") reports no difference.");
  }

  void pdu() {
    if (p_.pdus.empty()) return;
    const PduLoad& load = p_.pdus.front();
    const std::string rack = c_.rack_name(load.rack), name = format("{}/{}", rack, static_cast<char>('a' + load.pdu));
    begin(format("Replace a PDU, with pdu/{} as the example", quoted(name)));
    step(format("{} says what runs on without it; drain what does not.",
                code(format("clusterc plan SPEC --what-if pdu:{}", name))));
    step(format(
        "On its rack sheet ({}) each supply of a device with a cord in this PDU has a second one in another PDU that "
        "is live: look at the lamps of the supplies.",
        code("racks/" + rack + ".html")));
    step("An electrician opens its breaker, locks and tags it, and measures that the PDU is dead.");
    step(
        "Unplug cord by cord with the labels left on, unmount, mount the new PDU of the same model by the manual of "
        "the "
        "maker (lifting, brackets, torque, earth).");
    step(
        "The electrician connects it and closes the breaker without load: all phases are there. Plug each cord into "
        "the "
        "outlet of its label; the load of each phase is below that of the plan.");
    step(format("Network port: first login changed, firmware of the others; its MAC goes into the inventory as {}.",
                code(format("pdu/{},,MAC", name))));
  }

  const System& in_;
  const Cluster& c_;
  const Plan& p_;
  int group_ = -1, step_ = 0;  // group_: the first with GPUs, else the first; its first node is the example
  std::string node_, out_;
  bool slurm_ = false, liquid_ = false;
};

}  // namespace

std::string render_repairs(const System& in) { return Repairs(in).text(); }

}  // namespace clusterc
