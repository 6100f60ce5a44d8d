#include "report/runbook.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "base/index.h"
#include "base/printable.h"
#include "base/text.h"
#include "model/mig.h"
#include "model/rounding.h"
#include "plan/fabric/cabling.h"
#include "plan/power/power.h"
#include "report/device_names.h"
#include "report/maker_facts.h"
#include "report/markdown.h"
#include "report/plan_report.h"
#include "report/rack_pairs.h"
#include "report/runbook_steps.h"
#include "report/site_steps.h"
#include "spec/judgement.h"
#include "spec/network.h"
#include "spec/site.h"
#include "spec/target.h"
#include "system/dhcp.h"
#include "system/node_settings.h"
#include "system/switches.h"

namespace clusterc {
namespace {

std::string counted(std::int64_t n, std::string_view one, std::string_view many = {}) {
  return std::to_string(n) + " " +
         (n == 1         ? std::string(one)
          : many.empty() ? std::string(one) + "s"
                         : std::string(many));
}

class Runbook {
 public:
  Runbook(const System& in, const ExpectedFigures& e, bool compiles, std::string_view spec_digest,
          const PlanVerdict* verdict)
      : in_(in),
        c_(in.cluster),
        p_(in.plan),
        expected_(e),
        verdict_(verdict),
        compiles_(compiles),
        spec_digest_(spec_digest),
        pairs_(rack_pairs(c_, p_)) {}

  std::string text() {
    out_ = "# Build runbook: " + markdown_text(*c_.spec.name) + "\n\n";
    if (verdict_) out_ += render_verdict_markdown(*verdict_);
    if (verdict_ && !verdict_->buildable())
      out_ +=
          "Do not order or build anything before these errors are fixed: the steps below are those of a plan that does "
          "not work.\n\n";
    out_ +=
        "The steps are in the order of the work. Tick a box when you have seen that its statement is true (in a copy: "
        "`clusterc` does not overwrite a file that was changed by hand). The sheets of the plan (`clusterc plan -o`) "
        "list every cord (`cords.csv`), cable (`point-to-point.csv`, `bundles.csv`) and label (`labels.csv`); "
        "`plan.txt` has the sums. `racks/` has an assembly sheet for each rack: print it, and take it to the rack.\n\n";
    out_ += format(
        "`SPEC` below is the spec file of {}, which is delivered with this book, with the files that it names: "
        "`spec_sha256`, which `clusterc plan SPEC --format json` prints, begins with `{}`. With another spec, ask for "
        "another book.\n\nIf a statement is not true, stop there: later steps rest on it. Write down the step, the "
        "rack and unit, and what you see instead, and ask the planner. Nothing is changed on the spot: a change goes "
        "into the spec first, and a new book is made of it.\n",
        markdown_text(*c_.spec.name), spec_digest_.substr(0, 16));
    room();
    steps("Maker's documents", maker_steps(c_, p_));
    steps("Delivery", delivery_steps(c_, p_));
    racks();
    cables();
    steps("Coolant", coolant_steps(c_, p_));
    power_on();
    steps("Management ports and switches", management_steps(in_));
    if (compiles_)
      out_ += render_configuration_steps(in_, section_);
    else
      section("Compiling"), box("the errors that `clusterc check SPEC` finds are fixed: until then `clusterc compile` "
                                "writes nothing, and the steps that need its files are missing here");
    acceptance();
    return without_commands(std::move(out_));
  }

 private:
  void section(std::string_view title) { out_ += format("\n## {}. {}\n\n", ++section_, title); }
  void steps(std::string_view title, const std::string& text) {
    if (text.empty()) return;
    section(title);
    out_ += text;
  }
  void box(std::string_view text) { out_ += format("- [ ] {}\n", text); }
  void heading(std::initializer_list<std::string_view> names, std::string_view rule) {
    out_ += "|";
    for (const std::string_view n : names) out_ += format(" {} |", n);
    out_ += format("\n{}\n", rule);
  }
  static std::string quoted(std::string_view name) { return markdown_text(name); }

  // ---- before anything is delivered
  // --------------------------------------------------------------------------------------------
  void room() {
    section("The room");
    const std::size_t begin = out_.size();
    for (std::size_t i = 0; i < p_.feeds.size() && i < c_.feeds.size(); ++i) {
      const FeedModel& feed = c_.feeds[i];
      const FeedLoad& load = p_.feeds[i];
      std::string line = format("feed {} ", quoted(feed.name));
      line += feed.capacity ? format("supplies {}; ", to_text(*feed.capacity))
                            : std::string("is there (its capacity is not stated); ");
      line += format("the plan loads it with {}", to_text(at_breaker(feed, load.normal)));
      if (load.worst_lost_feed >= 0)
        line += format(", with {} when feed {} is lost", to_text(at_breaker(feed, load.worst)),
                       quoted(c_.feeds[at(load.worst_lost_feed)].name));
      if (feed.capacity &&
          above(std::max(at_breaker(feed, load.normal), at_breaker(feed, load.worst)).value, feed.capacity->value))
        line += " **! above what it supplies**";
      box(line);
    }
    for (std::size_t i = 0; i < p_.zones.size() && i < c_.zones.size(); ++i) {
      const ZoneModel& zone = c_.zones[i];
      std::string line = format("cooling zone {} takes {} of heat", quoted(zone.name), to_text(p_.zones[i].heat));
      if (zone.heat) line += format("; its units remove {}", to_text(*zone.heat));
      if (p_.zones[i].airflow.value > 0) line += format("; {} of air reach the racks", to_text(p_.zones[i].airflow));
      box(line);
    }
    std::int64_t heaviest = -1;
    for (std::size_t r = 0; r < p_.racks.size(); ++r)
      if (!p_.racks[r].devices.empty() && (heaviest < 0 || p_.racks[r].weight > p_.racks[at(heaviest)].weight))
        heaviest = static_cast<std::int64_t>(r);
    if (heaviest >= 0) {
      const RackPlan& rack = p_.racks[at(heaviest)];
      box(format("the floor carries {}{} at the place of the heaviest rack ({})",
                 rack.weight_complete ? "" : "more than ", to_text(rack.weight), quoted(c_.rack_name(heaviest))));
    }
    for (const Unplaced& u : p_.unplaced)
      box(format("there is a place for {}: {}", counted(u.count, "device"), markdown_text(u.why)));
    if (out_.size() == begin) out_ += "The provider is responsible for the room.\n";
  }

  // ---- rack after rack
  // ---------------------------------------------------------------------------------------------------------
  void racks() {
    std::size_t pdu = 0, pair = 0;
    bool begun = false;
    const std::vector<std::int64_t> hard_wired = hard_wired_supplies(p_);
    for (std::size_t r = 0; r < p_.racks.size(); ++r) {
      const auto number = static_cast<std::int64_t>(r);
      const RackPlan& rack = p_.racks[r];
      while (pair < pairs_.size() && pairs_[pair].from < number) ++pair;
      const std::size_t first_pdu = pdu;
      while (pdu < p_.pdus.size() && p_.pdus[pdu].rack == number) ++pdu;
      if (rack.devices.empty()) continue;
      if (!std::exchange(begun, true)) section("Racks, one after the other"), out_ += every_rack_steps(c_, p_);
      const int group = c_.rack_group_of(number);
      out_ += format("### {}\n\nAt x {:.1f} m, y {:.1f} m.", markdown_text(c_.rack_name(number)), rack.x, rack.y);
      if (group >= 0 && !c_.racks[at(group)].model.empty())
        out_ += format(" {}.", markdown_text(c_.racks[at(group)].model));
      for (std::size_t i = first_pdu; i < pdu; ++i) {
        const PduLoad& load = p_.pdus[i];
        const PduModel& m = c_.racks[at(group)].pdus[at(load.pdu)];
        out_ += format(" PDU {}: {} on feed {}.", static_cast<char>('a' + load.pdu), markdown_text(m.model),
                       load.feed < 0 ? std::string("-") : quoted(c_.feeds[at(load.feed)].name));
      }
      out_ += "\n\n";
      heading({"U", "device", "what"}, "| ---: | --- | --- |");
      std::int64_t ours = 0;
      for (const RackedDevice& d : rack.devices) {
        ours += d.kind != DeviceKind::occupied;
        const std::string units = d.unit <= 0   ? std::string("-")
                                  : d.units > 1 ? format("{}-{}", d.unit, d.unit + d.units - 1)
                                                : std::to_string(d.unit);
        out_ += markdown_row({units, device_name(c_, p_, d), device_model(c_, p_, d)});
      }
      out_ += "\n";
      if (ours > 0)
        box(format("{} in place, {}{} with the rack", counted(ours, "device"), rack.weight_complete ? "" : "more than ",
                   to_text(rack.weight)));
      if (pdu > first_pdu) {
        std::int64_t cords = 0;
        for (std::size_t i = first_pdu; i < pdu; ++i) cords += p_.pdus[i].cords_c13 + p_.pdus[i].cords_c19;
        const std::string draws =
            format("the rack will draw {}",
                   rack.power_complete ? to_text(rack.power) + " at most" : "more than " + to_text(rack.power));
        if (cords > 0) box(format("{} in their outlets (`cords.csv`); {}", counted(cords, "cord"), draws));
        if (hard_wired[r] > 0)
          box(format("{} hard-wired to the PDUs by an electrician (`cords.csv`){}",
                     counted(hard_wired[r], "supply is", "supplies are"), cords > 0 ? "" : "; " + draws));
      }
      if (const std::vector<std::string> bare = devices_without_cords(c_, p_, number); !bare.empty())
        box(
            format("{} {} power by the maker's manual: the catalogue does not state its supplies, so no cord and no "
                   "outlet is planned",
                   quoted(join(bare, ", ")), bare.size() == 1 ? "has" : "have"));
      if (pair < pairs_.size() && pairs_[pair].from == number && pairs_[pair].to == number)
        box(format("{} that stay in the rack are plugged and labelled", counted(pairs_[pair].cables(), "cable")));
      out_ += "\n";
    }
  }

  // ---- what goes from rack to rack
  // ---------------------------------------------------------------------------------------------
  void cables() {
    std::int64_t between = 0, bundles = 0;
    for (const RackPair& p : pairs_)
      if (p.from != p.to) between += p.cables(), bundles += p.bundles;
    if (between == 0) return;
    section("Cables between racks");
    out_ += format("{} in {}, from rack to rack; lengths and parts are in `point-to-point.csv`.\n\n",
                   counted(between, "cable"), counted(bundles, "bundle"));
    heading({"done", "from", "to", "cables", "bundles", "longest way"}, "| --- | --- | --- | ---: | ---: | ---: |");
    for (const RackPair& p : pairs_) {
      if (p.from == p.to) continue;
      out_ += "| [ ] ";
      out_ += markdown_row({c_.rack_name(p.from), c_.rack_name(p.to), std::to_string(p.cables()),
                            std::to_string(p.bundles), format("{:.1f} m", p.longest.value)});
    }
  }

  // ---- power on
  // ------------------------------------------------------------------------------------------------------------------
  // What others are reached by comes up first: management before data. Nodes have no operating system yet, and
  // InfiniBand no subnet manager: their links are looked at later.
  void power_on() {
    std::vector<std::size_t> order;
    for (std::size_t f = 0; f < p_.fabrics.size(); ++f)
      if (p_.fabrics[f].switch_count() > 0) order.push_back(f);
    const auto rank = [&](std::size_t f) {
      const NetworkModel& n = c_.networks[at(p_.fabrics[f].network)];
      return n.carries_traffic(Traffic::oob)       ? 0
             : n.carries_traffic(Traffic::inband)  ? 1
             : n.carries_traffic(Traffic::storage) ? 2
                                                   : 3;
    };
    if (order.empty() && p_.pdus.empty()) return;
    section("Power on");
    out_ +=
        "Order: feeds and PDUs, switches (management first), storage, nodes with services, nodes that compute (they "
        "follow in *Nodes*). Power off in the reverse order, after jobs have ended and file systems are unmounted.\n\n";
    if (!p_.pdus.empty())
      box(
          format("{} powered, one feed after the other; each shows all phases of its feed, and no load "
                 "but its own: if a phase is missing, open the breaker and call the electrician",
                 counted(static_cast<std::int64_t>(p_.pdus.size()), "PDU")));
    if (!order.empty() && dhcp_server(c_))
      out_ += "\nAddresses come from DHCP, which does not run yet: until then, use the consoles of the switches.\n\n";
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    for (const std::size_t f : order) {
      const Fabric& fabric = p_.fabrics[f];
      std::string tiers;
      for (const FabricTier& t : fabric.tiers)
        if (t.count > 0)
          tiers += format("{}{} {} ({})", tiers.empty() ? "" : ", ", t.count, t.word, markdown_text(t.model));
      box(format("network {}: the switches answer: {}", quoted(fabric.name), tiers));
      const std::int64_t links = fabric.leaf_spine_cables + fabric.spine_core_cables;
      // Configured switches have their ports as planned once they have their files.
      const bool later = makes_switches(in_, fabric.network);
      if (links > 0 && !later && c_.networks[at(fabric.network)].kind != LinkKind::infiniband)
        box(format("network {}: {} up at {}", quoted(fabric.name),
                   counted(links, "link between switches is", "links between switches are"),
                   to_text(fabric.uplink_rate)));
    }
  }

  void acceptance() {
    section("Acceptance");
    out_ +=
        format("`clusterc validate SPEC{}` measures the cluster and judges it by these figures:\n\n{}\n",
               in_.makes("slurm") ? " --launcher slurm" : "", markdown_block("text", render_expected_text(expected_)));
    std::vector<std::string> cut;
    for (const NodeGroupModel& g : c_.nodes)
      if (g.count > 0 && g.server.gpu_count > 0 && !cut_by_mig(g.software).empty()) cut.push_back(quoted(g.name));
    box("the validators (`libexec/clusterc` beside the program, or the folder of `--bundle`) are at the same path on "
        "every node, and the user who starts them may run jobs there");
    if (!cut.empty())
      box(
          format("GPUs of {} are whole for the acceptance: set `mig: off` in a copy of the spec, compile it and run "
                 "the plays; restore the layout afterwards. Figures of MIG instances are not judged",
                 join(cut, ", ")));
    const std::string launcher = in_.makes("slurm") ? " --launcher slurm" : "";
    if (!demands_figures())
      box("the spec has `targets` with floors: without them figures that nobody has published are unjudged, and a run "
          "that ends with `nothing wrong was found` is no acceptance");
    box("the hardware of the nodes is as planned: `clusterc audit SPEC --nodes all` reports no difference");
    box(
        format("`clusterc validate SPEC{} --output report.json --certificate certificate.html` ended with status 0 and "
               "the line `passed: …`, and its report lists no test that did not run{}",
               launcher, cut.empty() ? "" : ", except those that MIG instances cannot run"));
    box(format("the soak passed, too: `clusterc validate SPEC{} --stage inventory,soak --soak '{}' --output soak.json`",
               launcher, c_.spec.targets->burn_in ? to_text(*c_.spec.targets->burn_in) : std::string("8 h")));
  }
  bool demands_figures() const {
    const auto any = [](const TestTargets& t) {
      const auto floor = [](const auto& wish) { return wish && wish->floor; };
      return floor(t.memory) || floor(t.pcie) || floor(t.nvlink) || floor(t.all_reduce) || floor(t.all_gather) ||
             floor(t.all_to_all) || floor(t.rdma) || floor(t.storage_read) || floor(t.storage_write) || floor(t.gemm) ||
             floor(t.hpl);
    };
    const Targets& targets = *c_.spec.targets;
    return any(targets) || std::any_of(targets.groups.begin(), targets.groups.end(),
                                       [&](const auto& group) { return any(group.value); });
  }

  const System& in_;
  const Cluster& c_;
  const Plan& p_;
  const ExpectedFigures& expected_;
  const PlanVerdict* verdict_;
  const bool compiles_;
  const std::string_view spec_digest_;
  std::vector<RackPair> pairs_;  // by the first of both racks
  std::string out_;
  int section_ = 0;
};

}  // namespace

std::string render_runbook(const System& system, const ExpectedFigures& expected, bool compiles,
                           std::string_view spec_digest, const PlanVerdict* verdict) {
  return Runbook(system, expected, compiles, spec_digest, verdict).text();
}

}  // namespace clusterc
