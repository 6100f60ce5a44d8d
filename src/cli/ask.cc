#include "cli/ask.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "diag/finding.h"
#include "fields/scalar_text.h"
#include "spec/edition.h"

namespace clusterc::cli {
namespace {

constexpr std::int64_t kMostNodes = 2000;

class Asking {
 public:
  Asking(Catalog& catalog, const Answer& answer, const Say& say) : catalog_(catalog), answer_(answer), say_(say) {}

  // One of these words.
  std::string choose(std::string_view question, const std::vector<std::string>& words, const std::string& standard) {
    std::vector<std::string_view> known(words.begin(), words.end());
    return ask(question, join(words, ", "), standard, [&](const std::string& text) {
      if (std::ranges::find(words, text) != words.end()) return std::string();
      const auto near = nearest_name(text, known);
      return format("'{}' is not one of {}{}", text, join(words, ", "),
                    near ? format("; did you mean '{}'?", *near) : "");
    });
  }
  std::int64_t number(std::string_view question, std::int64_t least, std::int64_t most, std::int64_t standard) {
    const std::string text =
        ask(question, format("{} to {}", least, most), std::to_string(standard), [&](const std::string& written) {
          NumberProblem problem;
          const auto n = parse_whole(written, problem);
          return n && *n >= least && *n <= most ? std::string()
                                                : format("'{}' is not a number from {} to {}", written, least, most);
        });
    NumberProblem problem;
    return *parse_whole(text, problem);
  }
  std::string name(std::string_view question, const std::string& standard) {
    return ask(question, "letters, digits and hyphens", standard, [](const std::string& text) {
      const bool good =
          text.size() <= 40 && text.front() != '-' && text.back() != '-' && std::ranges::all_of(text, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
          });
      return good ? std::string() : format("'{}' is not a name of letters, digits and hyphens", text);
    });
  }

  // The question at which the input ended; empty: each was answered.
  const std::string& unanswered() const { return unanswered_; }

  Catalog& catalog_;

 private:
  template <class Wrong>
  std::string ask(std::string_view question, const std::string& what, const std::string& standard, Wrong&& wrong) {
    while (unanswered_.empty()) {
      const auto text = answer_(format("{} ({}) [{}] ", question, what, standard));
      if (!text) {
        unanswered_ = question;
        break;
      }
      const std::string written(trim(*text));
      if (written.empty()) return standard;
      const std::string why = wrong(written);
      if (why.empty()) return written;
      say_(why + "\n");
    }
    return standard;
  }

  const Answer& answer_;
  const Say& say_;
  std::string unanswered_;
};

double rate_of(Catalog& catalog, const ServerPart& server) {
  const auto* set = server.nics.find("compute");
  const NicPart* nic = set && set->value.model ? catalog.nic(*set->value.model) : nullptr;
  return nic && nic->port_rate ? nic->port_rate->value / 1e9 : 400;
}

// Servers that a template of one compute and one in-band network fits.
std::vector<std::string> servers(Catalog& catalog) {
  std::vector<std::string> names;
  for (const std::string_view id : catalog.known(PartKind::server)) {
    const ServerPart* s = catalog.server(id);
    // The switches that are proposed have ports of 400 Gb/s.
    if (s && s->gpus && s->power && s->ports.find("inband") && s->nics.find("compute") && rate_of(catalog, *s) <= 400)
      names.emplace_back(id);
  }
  return names;
}

// Ratings of breakers in amperes (IEC 60898-1 and IEC 60947-2; UL 489 has their neighbours).
constexpr std::array<int, 20> kBreakers = {63,  80,  100, 125,  160,  200,  225,  250,  315,  400,
                                           500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3200, 4000};

struct Room {
  bool na = false;
  double kilowatts = 0;
  std::int64_t racks = 0;
  double volts() const { return na ? 415 : 400; }
  // Of three feeds two carry everything after a loss; in North America 80 % of a breaker all the time (NEC 210.20).
  int breaker() const {
    constexpr double kMargin = 1.05;  // what of a sum of three feeds does not divide evenly
    const double amperes = kMargin * kilowatts * 1000 / 0.96 / 2 / (std::sqrt(3.0) * volts()) / (na ? 0.8 : 1.0);
    for (const int rating : kBreakers)
      if (rating >= amperes) return rating;
    return kBreakers.back();
  }
};

}  // namespace

std::optional<std::string> spec_from_answers(Catalog& catalog, const Answer& answer, const Say& say) {
  Asking ask(catalog, answer, say);
  const std::string name = ask.name("What is the name of the cluster?", "mine");
  Room room;
  room.na = ask.choose("Where is the site: na for North America, iec for the rest of the world?", {"na", "iec"},
                       "iec") == "na";
  const std::vector<std::string> known = servers(catalog);
  const std::string model = ask.choose("Which GPU server?", known, "nvidia-dgx-h200");
  const std::int64_t nodes = ask.number("How many of them?", 1, kMostNodes, 4);
  const std::int64_t per_rack = ask.number("How many in each rack?", 1, 8, std::min<std::int64_t>(2, nodes));
  const bool infiniband =
      ask.choose("Which fabric connects them?", {"infiniband", "ethernet"}, "infiniband") == "infiniband";
  const std::string scheduler = ask.choose("Which scheduler?", {"slurm", "kubernetes", "none"}, "slurm");

  if (!ask.unanswered().empty()) {
    say(format(
        "clusterc init: error: the input ended at the question '{}': no spec is written\nhelp: an empty line takes the "
        "value in brackets; `yes '' | clusterc init --ask` takes all of them\n",
        ask.unanswered()));
    return std::nullopt;
  }
  const ServerPart& server = *catalog.server(model);
  const double each = server.power->value / 1000;
  room.racks = (nodes + per_rack - 1) / per_rack;
  constexpr double kBeside = 4;  // head nodes and switches of a rack, kW
  room.kilowatts = static_cast<double>(nodes) * each + kBeside * static_cast<double>(room.racks);
  const auto units = static_cast<std::int64_t>(std::ceil(room.kilowatts / 60)) + 1;
  const double rate = rate_of(catalog, server);
  const auto digits = std::to_string(nodes).size();
  const auto padded = [&](std::int64_t n) {
    const std::string text = std::to_string(n);
    return std::string(digits - std::min(digits, text.size()), '0') + text;
  };
  const std::string feeds =
      format("{{ A: {{ breaker: {0} A }}, B: {{ breaker: {0} A }}, C: {{ breaker: {0} A }} }}", room.breaker());
  const std::string pdu = room.na ? "na-415-3ph-60" : "eu-400-3ph-63";
  std::string out = format(
      "# {} x {}, written by `clusterc init --ask`. Values with the mark GUESS were not asked: replace them by those "
      "of your room.\nclusterc: 1\nrules: {}\nname: {}\n\nsite:\n  region: {}\n  supply: {{ phases: 3, voltage: {:.0f} "
      "V }}\n  feeds: {}   # GUESS: two of three feeds carry the full load\n  cooling:\n    hall: {{ method: "
      "contained-air, units: {}, spare: 1, each: {{ heat: 60 kW, airflow: 9000 CFM }}, supply: 22 C }}   # GUESS\n\n",
      nodes, model, kNewestEdition.text(), name, room.na ? "na" : "iec", room.volts(), feeds, units);
  out += format(
      "racks:\n  main:\n    names: \"r[1-{}]\"\n    model: generic-48u-800x1200   # GUESS\n    cooling: hall\n"
      "    pdus: [ {{ model: {}, feed: A }}, {{ model: {}, feed: B }}, {{ model: {}, feed: C }} ]   # GUESS\n\n",
      room.racks, pdu, pdu, pdu);
  const std::string_view role = scheduler == "slurm"        ? "[scheduler, login]"
                                : scheduler == "kubernetes" ? "[control-plane, etcd]"
                                                            : "[login]";
  out += format(
      "nodes:\n  gpu:  {{ names: \"gpu[{}-{}]\", model: {}, racks: main, per_rack: {} }}\n"
      "  head: {{ names: \"head1\", model: generic-2u, racks: main, roles: {} }}\n\n",
      padded(1), padded(nodes), model, per_rack, role);
  if (infiniband)
    out += format(
        "networks:\n  compute:\n    kind: infiniband\n    rate: {:.0f} Gb/s\n    switch: {}\n    racks: main\n"
        "    connects: {{ gpu: {{ ports: compute }} }}\n",
        rate, rate > 200 ? "nvidia-qm9700" : "nvidia-qm8700");
  else
    out += format(
        "networks:\n  compute:\n    kind: ethernet\n    rdma: roce\n    rate: {:.0f} Gb/s\n    switch: nvidia-sn5600\n"
        "    racks: main\n    mtu: 9000\n    subnet: 10.64.0.0/16\n    roce: {{ priority: 3, dscp: 26 }}\n"
        "    connects: {{ gpu: {{ ports: compute }} }}\n",
        rate);
  out +=
      "  inband:\n    kind: ethernet\n    rate: 100 Gb/s\n    switch: nvidia-sn4600c\n    racks: main\n"
      "    subnet: 10.65.0.0/16\n    carries: [storage, inband]\n    connects: { gpu: { ports: inband }, head: 1 }\n"
      "  oob: { kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, racks: main, subnet: 10.66.0.0/16, connects: "
      "everything }\n\n"
      "storage:\n  home: { kind: nfs, servers: { external: nas.example.org }, mount: /home }   # GUESS\n\n"
      "software:\n  os: ubuntu-24.04\n  gpu_driver: 580\n";
  if (scheduler == "slurm")
    out += "  scheduler: { kind: slurm, version: 24.11, limits: { time: 7 days, default_time: 1 h } }\n";
  if (scheduler == "kubernetes")
    out += "  containers: [containerd]\n  scheduler: { kind: kubernetes, version: 1.34 }\n";
  return out;
}

}  // namespace clusterc::cli
