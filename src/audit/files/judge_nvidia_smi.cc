#include "audit/files/judge_nvidia_smi.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "audit/files/words.h"
#include "audit/files/xml_values.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostGpus = 4096, kMostValues = 4096;
constexpr std::string_view kGpu = "nvidia_smi_log/gpu";

struct Text {
  std::string_view text;
  SourceSpan span;
};
struct Gpu {
  std::map<std::string, Text, std::less<>> values;  // by the path below <gpu>; the first of a name
  SourceSpan span;
  const Text* find(std::string_view path) const {
    const auto found = values.find(path);
    return found == values.end() || found->second.text == "N/A" ? nullptr : &found->second;
  }
  const Text* first_of(std::initializer_list<std::string_view> paths) const {
    for (const std::string_view path : paths)
      if (const Text* v = find(path)) return v;
    return nullptr;
  }
};

// The number that a text begins with: "700.00 W", "16x", "5".
std::optional<double> number(const Text* v) {
  if (!v) return std::nullopt;
  double out = 0;
  const auto [end, bad] = std::from_chars(v->text.data(), v->text.data() + v->text.size(), out);
  if (bad != std::errc() || out < 0 || out > 1e15) return std::nullopt;
  return out;
}

class Judge {
 public:
  Judge(const std::vector<Gpu>& gpus, Findings& findings) : gpus_(gpus), findings_(findings) {}

  void each() {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      now_ = i;
      errors(gpus_[i]);
      rows(gpus_[i]);
      link(gpus_[i]);
      power(gpus_[i]);
      slowdown(gpus_[i]);
    }
  }

  // A value that all GPUs of one machine should have in common.
  void alike(std::string_view path, std::string_view what) {
    std::map<std::string_view, std::pair<std::int64_t, std::size_t>> counts;  // count, first GPU
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      if (const Text* v = gpus_[i].find(path)) {
        const auto [found, fresh] = counts.try_emplace(v->text, 0, i);
        ++found->second.first;
      }
    if (counts.size() < 2) return;
    const auto usual = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second.first; });
    const auto odd = std::ranges::find_if(counts, [&](const auto& c) { return c.first != usual->first; });
    const std::size_t gpu = odd->second.second;
    findings_
        .warning("file-smi-gpus-differ", gpus_[gpu].find(path)->span,
                 format("the GPUs of this machine differ in their {}: it is '{}' on {}, '{}' on {}", what,
                        one_line(odd->first), counted(odd->second.first, "GPU"), one_line(usual->first),
                        counted(usual->second.first, "GPU")))
        .note(gpus_[usual->second.second].find(path)->span, "the usual one")
        .note({}, "nvidia-smi(1)")
        .help(
            "make them alike: collectives run at the speed of the slowest GPU, and a fault that only one shows is "
            "hard to find")
        .object(format("gpu/{}", gpu));
  }

 private:
  std::string name() const { return format("GPU {}", now_); }

  void errors(const Gpu& g) {
    for (const std::string_view kind :
         {"sram_uncorrectable", "sram_uncorrectable_parity", "sram_uncorrectable_secded", "dram_uncorrectable"}) {
      const Text* now = g.find(format("ecc_errors/volatile/{}", kind));
      if (number(now).value_or(0) <= 0) continue;
      findings_
          .error("file-smi-memory-errors", now->span,
                 format("{} has {} uncorrectable memory errors since the driver was loaded", name(), now->text))
          .label(std::string(kind))
          .note({}, "nvidia-smi(1), ECC Errors: uncorrectable errors end the program that uses the memory")
          .help("drain the node, reset the GPU (nvidia-smi --gpu-reset) and run its diagnostic (dcgmi diag -r 3)")
          .object(format("gpu/{}", now_));
      return;
    }
    const Text* threshold = g.find("ecc_errors/aggregate/sram_threshold_exceeded");
    if (threshold && to_lower(threshold->text) == "yes")
      findings_
          .error("file-smi-memory-errors", threshold->span,
                 format("{} has had more errors of its SRAM than NVIDIA allows", name()))
          .note({}, "nvidia-smi(1), SRAM Threshold Exceeded")
          .help("have the GPU replaced")
          .object(format("gpu/{}", now_));
  }

  void rows(const Gpu& g) {
    const Text* failed = g.find("remapped_rows/remapped_row_failure");
    const Text* pending = g.first_of(
        {"remapped_rows/remapped_row_pending", "retired_pages/pending_retirement", "retired_pages/pending_blacklist"});
    if (failed && to_lower(failed->text) == "yes")
      findings_
          .error("file-smi-memory-errors", failed->span,
                 format("{} could not remap a faulty row of its memory", name()))
          .note({}, "nvidia-smi(1), Remapped Rows, Remapping Failure Occurred")
          .help("have the GPU replaced")
          .object(format("gpu/{}", now_));
    else if (pending && to_lower(pending->text) == "yes")
      findings_
          .warning("file-smi-memory-errors", pending->span,
                   format("{} has faulty memory that it remaps at its next reset", name()))
          .note({}, "nvidia-smi(1), Remapped Rows, Pending")
          .help("drain the node and reset the GPU: nvidia-smi --gpu-reset")
          .object(format("gpu/{}", now_));
  }

  void link(const Gpu& g) {
    const std::string at = "pci/pci_gpu_link_info/";
    const Text *width = g.find(at + "link_widths/current_link_width"),
               *widest = g.find(at + "link_widths/max_link_width");
    const Text *speed = g.find(at + "pcie_gen/current_link_gen"), *fastest = g.find(at + "pcie_gen/max_link_gen");
    const auto now = number(width), most = number(widest);
    if (now && most && *now < *most)
      findings_
          .error("file-smi-link-degraded", width->span,
                 format("{} has {:.0f} PCIe lanes of {:.0f}", name(), *now, *most))
          .note(widest->span, "what card and slot can do")
          .note({}, "nvidia-smi(1), GPU Link Info")
          .help("reseat the card or its riser, and look at the bifurcation that the firmware sets")
          .object(format("gpu/{}", now_));
    // A GPU that has nothing to do may lower the generation.
    const Text* idle = g.first_of({"clocks_event_reasons/clocks_event_reason_gpu_idle",
                                   "clocks_throttle_reasons/clocks_throttle_reason_gpu_idle"});
    const Text* state = g.find("performance_state");
    const auto gen = number(speed), best = number(fastest);
    if (gen && best && *gen < *best && state && state->text == "P0" && idle && idle->text != "Active")
      findings_
          .warning("file-smi-link-degraded", speed->span,
                   format("the PCIe link of {} runs as generation {:.0f} of {:.0f}", name(), *gen, *best))
          .note(fastest->span, "what card and slot can do")
          .note({}, "nvidia-smi(1), GPU Link Info: the generation may be lower while the GPU is idle; this one is not")
          .help("reseat the card or its riser, and look at the generation that the firmware sets")
          .object(format("gpu/{}", now_));
  }

  void power(const Gpu& g) {
    const Text* now = g.first_of({"gpu_power_readings/current_power_limit", "gpu_power_readings/enforced_power_limit",
                                  "power_readings/power_limit", "power_readings/enforced_power_limit"});
    const Text* usual = g.first_of({"gpu_power_readings/default_power_limit", "power_readings/default_power_limit"});
    const auto watts = number(now), wanted = number(usual);
    if (!watts || !wanted || *watts >= *wanted) return;
    findings_
        .warning("file-smi-power-capped", now->span,
                 format("the power limit of {} is {:.0f} W, below its default of {:.0f} W", name(), *watts, *wanted))
        .note(usual->span, "the default")
        .note({}, "nvidia-smi(1), Power Limit")
        .help(format("if this is not intended: nvidia-smi -i {} -pl {:.0f}", now_, *wanted))
        .object(format("gpu/{}", now_));
  }

  void slowdown(const Gpu& g) {
    for (const std::string_view group :
         {"clocks_event_reasons/clocks_event_reason_", "clocks_throttle_reasons/clocks_throttle_reason_"})
      for (const auto& [reason, text] : {std::pair{"hw_thermal_slowdown", "it is too hot"},
                                         {"sw_thermal_slowdown", "it is too hot"},
                                         {"hw_power_brake_slowdown", "the machine asserts its power brake"},
                                         {"hw_slowdown", "the hardware asks for it"}}) {
        const Text* v = g.find(format("{}{}", group, reason));
        if (!v || v->text != "Active") continue;
        findings_.error("file-smi-slowed", v->span, format("{} has lowered its clocks: {}", name(), text))
            .label(reason)
            .note({}, "nvidia-smi(1), Clocks Event Reasons")
            .help("look at fans, air flow or coolant, and at the power supplies of the machine")
            .object(format("gpu/{}", now_));
        return;
      }
  }

  const std::vector<Gpu>& gpus_;
  Findings& findings_;
  std::size_t now_ = 0;
};

}  // namespace

std::string judge_nvidia_smi_xml(const Sources& sources, FileId file, Findings& findings) {
  const std::string_view text = sources.text(file);
  std::vector<Gpu> gpus;
  Gpu next;
  std::string_view driver;
  std::uint32_t end = 0;
  const bool whole = read_xml_values(
      text, file,
      [&](std::string_view path, std::string_view value, SourceSpan span) {
        if (path == kGpu) {
          next.span = span;
          if (gpus.size() < kMostGpus) gpus.push_back(std::move(next));
          next = {};
        } else if (path.starts_with(kGpu) && path.size() > kGpu.size() && path[kGpu.size()] == '/') {
          if (!value.empty() && next.values.size() < kMostValues)
            next.values.try_emplace(std::string(path.substr(kGpu.size() + 1)), Text{value, span});
        } else if (path == "nvidia_smi_log/driver_version") {
          driver = value;
        }
      },
      end);
  if (!whole)
    findings
        .error("file-smi-unread", {file, end, end},
               format("the report breaks off behind {}", counted(static_cast<std::int64_t>(gpus.size()), "GPU")))
        .help("take it again: nvidia-smi -q -x > FILE");
  Judge judge(gpus, findings);
  judge.each();
  judge.alike("product_name", "model");
  judge.alike("vbios_version", "VBIOS");
  judge.alike("ecc_mode/current_ecc", "ECC mode");
  judge.alike("mig_mode/current_mig", "MIG mode");
  return format("{}{}{}", counted(static_cast<std::int64_t>(gpus.size()), "GPU"), driver.empty() ? "" : ", driver ",
                one_line(driver.substr(0, 40)));
}

}  // namespace clusterc
