#include "spec/slips.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.h"
#include "base/ip.h"
#include "base/quantity.h"
#include "base/text.h"
#include "diag/near.h"
#include "spec/judgement.h"
#include "spec/network.h"
#include "spec/nodes.h"
#include "spec/prices.h"
#include "spec/software.h"
#include "spec/team.h"

namespace clusterc {
namespace {

// "24.11" of "24.11.5"; the whole where it has no second number.
std::string_view first_two(std::string_view release) {
  const std::size_t dot = release.find('.');
  return dot == std::string_view::npos ? release : release.substr(0, release.find('.', dot + 1));
}

// Ubuntu is called by year and month of its release, April or October, with two digits each
// (https://ubuntu.com/about/release-cycle).
void ubuntu(const Value<std::string>& os, Findings& findings) {
  constexpr std::string_view kName = "ubuntu-";
  if (!os || !os->starts_with(kName)) return;
  const std::string_view release = first_two(std::string_view(*os).substr(kName.size()));
  const bool digits =
      release.size() == 5 && release[2] == '.' &&
      std::all_of(release.begin(), release.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  if (digits && (release.ends_with(".04") || release.ends_with(".10"))) return;
  findings.warning("spec-unheard-release", os.span, format("there is no Ubuntu {}", release))
      .help("the name of a release is its year and month, two digits each: ubuntu-22.04, ubuntu-24.04");
}

// Releases of Slurm (https://www.schedmd.com/slurm-support/release-announcements/ and the NEWS of each); a newer one is
// software-release-unheard-of's business.
constexpr std::array<std::string_view, 16> kSlurm = {"14.03", "14.11", "15.08", "16.05", "17.02", "17.11",
                                                     "18.08", "19.05", "20.02", "20.11", "21.08", "22.05",
                                                     "23.02", "23.11", "24.05", "24.11"};
constexpr std::string_view kSlurmToo = "25.05";

void slurm(const Value<Version>& version, Findings& findings) {
  if (!version) return;
  std::string error;
  const auto first = Version::parse(kSlurm.front(), error), last = Version::parse(kSlurmToo, error);
  const std::string text = version->text();
  const std::string_view release = first_two(text);
  if (*version < *first || !(*version < *last) || std::find(kSlurm.begin(), kSlurm.end(), release) != kSlurm.end())
    return;
  std::string near;
  for (const std::string_view known : kSlurm)
    if (known.substr(0, 2) == release.substr(0, 2)) near += (near.empty() ? "" : ", ") + std::string(known);
  findings.warning("spec-unheard-release", version.span, format("there is no Slurm {}", text))
      .help(
          near.empty()
              ? format("the name of a release is its year and month, two digits each: {}, {}", kSlurm.back(), kSlurmToo)
              : format("write `version: {}`; releases of that year: {}", near.substr(near.rfind(' ') + 1), near));
}

// Those that some output or rule knows (src/compile/containers, src/rules/software_*).
void runtimes(const Software& s, Findings& findings) {
  static const std::vector<std::string_view> kKnown = {
      "apptainer", "containerd", "cri-o",      "crio", "docker", "enroot", "nvidia-container-toolkit",
      "podman",    "pyxis",      "singularity"};
  for (const NamedVersion& runtime : s.containers) {
    if (!runtime.kind || std::find(kKnown.begin(), kKnown.end(), to_lower(*runtime.kind)) != kKnown.end()) continue;
    Finding& f = findings.warning(
        "spec-unknown-value", runtime.kind.span,
        format("'{}' is not a container runtime that clusterc knows: nothing is compiled or checked for it",
               *runtime.kind));
    if (!offer_names(f, *runtime.kind, kKnown)) f.help("known are " + join(kKnown, ", "));
  }
}

// Those that something is compiled for, and those that ship logs or keep figures beside it.
void watchers(const Software& s, Findings& findings) {
  static const std::vector<std::string_view> kKnown = {"alertmanager",
                                                       "alloy",
                                                       "amd",
                                                       "dcgm",
                                                       "dcgm-exporter",
                                                       "device-metrics-exporter",
                                                       "elasticsearch",
                                                       "elk",
                                                       "filebeat",
                                                       "fluent-bit",
                                                       "grafana",
                                                       "influxdb",
                                                       "ipmi",
                                                       "ipmi-exporter",
                                                       "logstash",
                                                       "loki",
                                                       "nagios",
                                                       "node-exporter",
                                                       "opensearch",
                                                       "prometheus",
                                                       "prometheus-slurm-exporter",
                                                       "promtail",
                                                       "rsyslog",
                                                       "slurm-exporter",
                                                       "snmp",
                                                       "snmp-exporter",
                                                       "telegraf",
                                                       "vector",
                                                       "victoriametrics",
                                                       "zabbix"};
  for (const NamedVersion& program : s.monitoring) {
    if (!program.kind || std::find(kKnown.begin(), kKnown.end(), to_lower(*program.kind)) != kKnown.end()) continue;
    Finding& f = findings.warning(
        "spec-unknown-value", program.kind.span,
        format("'{}' is not a monitoring program that clusterc knows: nothing is compiled for it", *program.kind));
    if (!offer_names(f, *program.kind, kKnown))
      f.help(
          "those that something is compiled for: prometheus, grafana, loki, elasticsearch, dcgm, "
          "device-metrics-exporter, "
          "slurm-exporter, "
          "snmp-exporter, ipmi-exporter");
  }
}

void locked_memory(const Software& s, Findings& findings) {
  if (!s.limits || !s.limits->memlock) return;
  const Value<std::string>& limit = s.limits->memlock;
  QuantityError why;
  if (*limit == "unlimited" || *limit == "infinity" || *limit == "-1") return;
  if (const auto bytes = parse_quantity(*limit, Dimension::bytes, why)) {
    // Whole pages are locked (mlock(2)); the largest that x86-64 maps are 128 PiB (Linux,
    // Documentation/arch/x86/x86_64/5level-paging.rst).
    if (*bytes < 4096 || *bytes > 128.0 * 1024 * 1024 * 1024 * 1024 * 1024)
      findings
          .error(
              "spec-out-of-range", limit.span,
              format("'{}' is out of range for locked memory: at least 4 KiB (one page) and at most 128 PiB", *limit))
          .help("write `memlock: unlimited`, or a size such as 64 GiB");
    return;
  }
  Finding& f = findings.error(
      "spec-unknown-value", limit.span,
      format("'{}' is not a limit of locked memory: it must be unlimited, or a size with its unit", *limit));
  static const std::vector<std::string_view> kKeyWords = {"unlimited"};
  if (!offer_names(f, *limit, kKeyWords)) f.help("write `memlock: unlimited`, or a size such as 64 GiB");
}

// NVIDIA SHARP is InfiniBand's: the subnet manager makes the trees, the switches add up (docs.nvidia.com/networking,
// "NVIDIA SHARP", prerequisites). NVLink's own needs no word.
void reduction(const Spec& s, Findings& findings) {
  for (const auto& n : s.networks)
    if (n.value.sharp && *n.value.sharp && n.value.kind && *n.value.kind != LinkKind::infiniband)
      findings
          .error("spec-sharp-without-infiniband", n.value.sharp.span,
                 format("network '{}' is not InfiniBand: its switches have no in-network reduction", n.name))
          .note(n.value.kind.span, "the kind of the network is given here")
          .help("leave `sharp` out; within an NVLink domain, in-network reduction needs no key");
}

// Shares are parts of one cluster. Slurm takes any numbers: the sum alone tells that one of them is meant otherwise.
void shares(const Spec& s, Findings& findings) {
  double sum = 0;
  SourceSpan last;
  for (const auto& team : s.teams)
    if (team.value.share) {
      sum += *team.value.share;
      last = team.value.share.span;
    }
  if (sum <= 1 + 1e-9) return;
  findings.warning("spec-shares-above-whole", last, format("the shares of the teams add up to {:.4g} %", sum * 100))
      .label("a cluster has 100 %")
      .help("write shares that add up to 100 %, or to less if no team has a right to the rest");
}

void reasons(const Spec& s, Findings& findings) {
  for (const Acceptance& a : s.accept)
    if (a.reason && trim(*a.reason).empty())
      findings.error("spec-missing-key", a.reason.span, "'reason' is empty")
          .help("write why the finding is accepted: the reason is shown in the report");
}

// Households in Germany paid most in the European Union in the first half of 2024, 0.395 EUR/kWh; who is no household
// at most 0.276, in Cyprus in the second half of 2023 (Eurostat, Electricity price statistics). 1 of these currencies,
// all worth between 0.8 and 1.3 EUR, is twice that and more.
constexpr double kDearest = 1;
constexpr std::string_view kLikeEuro[] = {"EUR", "USD", "GBP", "CHF"};

void electricity(const Prices& p, Findings& findings) {
  if (!p.electricity || p.electricity->amount <= kDearest ||
      std::find(std::begin(kLikeEuro), std::end(kLikeEuro), p.electricity->currency) == std::end(kLikeEuro))
    return;
  findings
      .warning(
          "spec-electricity-dear", p.electricity.span,
          format("electricity costs {}, but the highest price for households in the European Union is 0.395 EUR/kWh",
                 p.electricity->text()))
      .label(format("warned above {} {}/kWh", kDearest, p.electricity->currency))
      .help(format("write {:.4g} {}/kWh if cents were meant", p.electricity->amount / 100, p.electricity->currency));
}

// Not routed in the internet, or set aside (RFC 6890 and what it lists: 1918, 6598, 3927, 5737, 2544, 6333).
constexpr std::string_view kSetAside[] = {"10.0.0.0/8",     "172.16.0.0/12", "192.168.0.0/16",  "100.64.0.0/10",
                                          "169.254.0.0/16", "192.0.2.0/24",  "198.51.100.0/24", "203.0.113.0/24",
                                          "198.18.0.0/15",  "192.0.0.0/24"};

void subnets(const Spec& s, Findings& findings) {
  std::string error;
  for (const auto& network : s.networks) {
    const Value<std::string>& written = network.value.subnet;
    const auto subnet = written ? Ipv4Prefix::parse(*written, error) : std::nullopt;
    if (!subnet || subnet->length == 0) continue;
    const std::uint32_t first = subnet->base >> 24;
    if (first == 0 || first == 127 || first >= 224) continue;  // told: no host has them
    const bool aside = std::any_of(std::begin(kSetAside), std::end(kSetAside), [&](std::string_view text) {
      const auto known = Ipv4Prefix::parse(text, error);
      return known->length <= subnet->length && known->contains(subnet->base);
    });
    if (!aside)
      findings
          .note("spec-public-subnet", written.span,
                format("subnet '{}' of network '{}' has public addresses", *written, network.name))
          .help(
              "if the addresses are not yours, the nodes cannot reach the machines on the internet that have them; "
              "private subnets are in 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16");
  }
}

void software(const Software& s, Findings& findings) {
  ubuntu(s.os, findings);
  runtimes(s, findings);
  watchers(s, findings);
  locked_memory(s, findings);
}

}  // namespace

void help_with_orders(const Document& d, Findings& findings) {
  constexpr double kBytesOfAnElement = 8;  // FP64 (HPL's matrix of N x N, www.netlib.org/benchmark/hpl/faqs.html)
  const auto below = [&](NodeId map, std::string_view key) {
    return map != kNoNode && d.is_mapping(map) ? d.find(map, key) : kNoNode;
  };
  const auto one = [&](NodeId targets) {
    const NodeId size = below(below(targets, "hpl"), "size");
    if (size == kNoNode || !d.is_scalar(size)) return;
    const std::string_view text = d.scalar(size);
    double order = 0;
    if (const auto read = std::from_chars(text.data(), text.data() + text.size(), order);
        read.ec != std::errc() || read.ptr != text.data() + text.size() || order < 1)
      return;
    for (Finding& f : findings.all())
      if (f.rule == "spec-missing-unit" && f.span == d.span(size)) {
        f.helps.clear();
        f.help(format("write '{:.4g} GB' if {} is the order N of the matrix, which takes 8 N^2 bytes",
                      kBytesOfAnElement * order * order / 1e9, text));
      }
  };
  const NodeId targets = below(d.root(), "targets"), groups = below(targets, "groups");
  one(targets);
  if (groups == kNoNode || !d.is_mapping(groups)) return;
  for (NodeId key = d.first_child(groups); key != kNoNode; key = d.next_sibling(d.next_sibling(key)))
    one(d.next_sibling(key));
}

void check_slips(const Spec& s, Findings& findings) {
  software(s.software, findings);
  for (const auto& group : s.nodes)
    if (group.value.software) software(*group.value.software, findings);
  if (s.software->scheduler && s.software->scheduler->kind.value == SchedulerKind::slurm)
    slurm(s.software->scheduler->version, findings);
  reduction(s, findings);
  shares(s, findings);
  reasons(s, findings);
  if (s.prices) electricity(*s.prices, findings);
  subnets(s, findings);
}

}  // namespace clusterc
