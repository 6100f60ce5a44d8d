// A device has two ends of a link: its own LnkCap, and that of the port above it, whose secondary bus is the bus of the
// device. lspci(8) compares LnkSta with the LnkCap of the device alone ("downgraded"), and so calls a card degraded
// that a narrow slot holds.
#include "audit/files/judge_lspci.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "audit/files/numbers.h"
#include "audit/files/words.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kMostLines = 1u << 20, kMostDevices = 1u << 16;

enum class Kind { gpu, adapter, drive, bridge, other };

struct Link {
  double speed = 0;  // GT/s; 0: not said
  std::int64_t width = 0;
  bool down = false;  // the line says width 0
  SourceSpan span;
};
struct Device {
  std::string_view address, name;  // "0000:17:00.0", "3D controller: NVIDIA …"
  SourceSpan span;
  Kind kind = Kind::other;
  Link capable, now;
  std::string_view secondary;  // of a bridge: the bus below it
  SourceSpan acs;              // of the line ACSCtl with SrcValid+
  SourceSpan lost;             // it answers with ones alone: (rev ff), header type 7f
  bool capabilities = false, express = false;
  bool linkless = false;           // it is part of the root complex
  std::int64_t virtual_count = 0;  // of a device that is shared (SR-IOV): its virtual functions
  std::int64_t offset = 0, stride = 0;
};

bool is_address(std::string_view word) {
  const std::size_t dot = word.rfind('.');
  return word.size() >= 7 && dot == word.size() - 2 && word[dot - 3] == ':' &&
         word.find_first_not_of("0123456789abcdef:.") == word.npos;
}

// "0000:17:00.0" -> "0000:17"; "17:00.0" -> "17"
std::string_view bus_of(std::string_view address) { return address.substr(0, address.size() - 5); }

Kind kind_of(std::string_view name) {
  const std::string_view of = name.substr(0, name.find(':'));
  const auto is = [&](std::string_view word) { return of.find(word) != of.npos; };
  if (is("3D controller") || is("Processing accelerators")) return Kind::gpu;
  if (is("VGA compatible") && (name.find("NVIDIA") != name.npos || name.find("Advanced Micro Devices") != name.npos))
    return Kind::gpu;
  if (is("Infiniband controller") || is("Ethernet controller") || is("Network controller")) return Kind::adapter;
  if (is("Non-Volatile memory")) return Kind::drive;
  return is("PCI bridge") ? Kind::bridge : Kind::other;
}

double number_after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  double out = 0;
  if (at == text.npos) return 0;
  const std::string_view rest = text.substr(at + word.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), out);
  return out > 0 && out < 1000 ? out : 0;
}

Link link_of(std::string_view text, SourceSpan span) {
  const auto width = static_cast<std::int64_t>(number_after(text, "Width x"));
  return {number_after(text, "Speed "), width, width == 0 && text.find("Width x0") != text.npos, span};
}

// The number of a function in its domain: bus, device, function. -1: no address.
std::int64_t function_number(std::string_view address) {
  const std::string_view last = address.substr(address.size() - 7);  // "17:00.0"
  const auto hex = [](std::string_view digits) {
    std::int64_t out = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    return out;
  };
  const std::int64_t bus = hex(last.substr(0, 2)), device = hex(last.substr(3, 2)), function = hex(last.substr(6));
  return bus < 0 || device < 0 || function < 0 ? -1 : bus * 256 + device * 8 + function;
}
std::string_view domain_of(std::string_view address) { return address.substr(0, address.size() - 7); }

struct Machine {
  std::vector<Device> devices;
  std::map<std::string, std::size_t, std::less<>> port_of_bus;
  bool denied = false;  // "<access denied>": lspci ran without root
  SourceSpan denied_at;
};

void take_capability(std::string_view text, Device& d) {
  if (text.starts_with("Capabilities: [")) {
    d.capabilities = true;
    d.express |= text.find("] Express") != text.npos;
    d.linkless |= text.find("Root Complex Integrated Endpoint") != text.npos;
  } else if (const std::size_t at = text.find("Number of VFs: "); at != text.npos) {
    d.virtual_count = static_cast<std::int64_t>(number_after(text, "Number of VFs: "));
  } else if (text.starts_with("VF offset: ")) {
    d.offset = static_cast<std::int64_t>(number_after(text, "VF offset: "));
    d.stride = static_cast<std::int64_t>(number_after(text, "stride: "));
  }
}

// Virtual functions have no link: their LnkSta is reserved, and reads 0 (PCI Express Base Specification, SR-IOV).
std::set<std::pair<std::string_view, std::int64_t>> virtual_functions(const Machine& m) {
  std::set<std::pair<std::string_view, std::int64_t>> out;
  for (const Device& d : m.devices)
    for (std::int64_t i = 0; i < d.virtual_count && out.size() < kMostDevices; ++i)
      out.emplace(domain_of(d.address), function_number(d.address) + d.offset + i * d.stride);
  return out;
}

Machine read(const Sources& sources, FileId file) {
  Machine out;
  for (const FileLine& line : lines_of(sources.text(file), kMostLines)) {
    const auto end = line.begin + static_cast<std::uint32_t>(line.text.size());
    if (!line.text.empty() && line.text[0] != '\t' && line.text[0] != ' ') {
      const std::string_view address = line.text.substr(0, line.text.find(' '));
      if (!is_address(address) || out.devices.size() == kMostDevices) continue;
      Device d;
      d.address = address;
      d.name = trim(line.text.substr(address.size()));
      d.span = {file, line.begin, end};
      d.kind = kind_of(d.name);
      if (d.name.find("(rev ff)") != d.name.npos) d.lost = d.span;
      out.devices.push_back(d);
      continue;
    }
    if (out.devices.empty()) continue;
    Device& d = out.devices.back();
    const std::string_view text = trim(line.text);
    const auto from = line.begin + static_cast<std::uint32_t>(text.data() - line.text.data());
    const SourceSpan span{file, from, from + static_cast<std::uint32_t>(text.size())};
    take_capability(text, d);
    if (text.starts_with("!!! Unknown header type") && !d.lost.valid()) d.lost = span;
    if (text.starts_with("LnkCap:")) {
      d.capable = link_of(text, span);
    } else if (text.starts_with("LnkSta:")) {
      d.now = link_of(text, span);
    } else if (text.starts_with("Bus: primary=")) {
      const std::size_t at = text.find("secondary=");
      if (at == text.npos) continue;
      d.secondary = text.substr(at + 10, std::min(text.find(',', at), text.size()) - at - 10);
      // The domain of the bridge is that of the bus.
      const std::string_view bus = bus_of(d.address);
      const std::size_t colon = bus.rfind(':');
      const std::string below =
          (colon == bus.npos ? std::string() : std::string(bus.substr(0, colon + 1))) + std::string(d.secondary);
      out.port_of_bus.try_emplace(below, out.devices.size() - 1);
    } else if (text.starts_with("ACSCtl:") && text.find("SrcValid+") != text.npos) {
      d.acs = span;
    } else if (text.find("<access denied>") != text.npos && !out.denied) {
      out.denied = true;
      out.denied_at = span;
    }
  }
  return out;
}

std::string_view word_of(Kind kind) {
  switch (kind) {
    case Kind::gpu:
      return "GPU";
    case Kind::adapter:
      return "network adapter";
    case Kind::drive:
      return "drive";
    case Kind::bridge:
      return "PCI bridge";
    case Kind::other:
      break;
  }
  return "device";
}

class Judge {
 public:
  Judge(const Machine& m, Findings& findings) : m_(m), findings_(findings) {}

  void links() {
    const auto of_others = virtual_functions(m_);
    for (const Device& d : m_.devices) {
      if (d.lost.valid()) {
        lost(d);
        continue;
      }
      if (d.kind != Kind::gpu && d.kind != Kind::adapter && d.kind != Kind::drive) continue;
      if (d.linkless || d.name.find("Virtual Function") != d.name.npos ||
          of_others.contains({domain_of(d.address), function_number(d.address)}))
        continue;
      if (d.now.down) {
        down(d);
        continue;
      }
      if (d.capable.width == 0 || d.now.width == 0) {
        // Adapters of conventional PCI and of virtual machines have other capabilities, and no link.
        if (!ordinary_user() && !(d.kind == Kind::adapter && d.capabilities && !d.express)) silent_.push_back(&d);
        continue;
      }
      const auto port = m_.port_of_bus.find(bus_of(d.address));
      const Device* above = port == m_.port_of_bus.end() ? nullptr : &m_.devices[port->second];
      const bool known = above && above->capable.width > 0;
      width(d, known ? above : nullptr);
      speed(d, known ? above : nullptr);
    }
    if (silent_.empty()) return;
    const Device& first = *silent_.front();
    std::string text =
        format("the output of lspci shows no link (LnkSta) of {} {}", word_of(first.kind), first.address);
    if (silent_.size() > 1) text += format(" and {} more", silent_.size() - 1);
    findings_.error("file-lspci-unread", first.span, std::move(text))
        .note({}, "lspci(8): LnkCap says what a link can do, LnkSta what it does")
        .help("sudo lspci -vvv > lspci.txt");
  }

  void acs() {
    const Device* first = nullptr;
    std::int64_t count = 0;
    const bool peers = std::ranges::any_of(m_.devices, [](const Device& d) { return d.kind == Kind::gpu; });
    for (const Device& d : m_.devices)
      if (d.acs.valid() && d.kind == Kind::bridge) {
        ++count;
        if (!first) first = &d;
      }
    if (!first || !peers) return;
    findings_
        .warning("file-lspci-acs", first->acs,
                 format("{} {} PCIe access control (ACS): transfers between GPUs and network adapters go up to the "
                        "processor and back",
                        counted(count, "bridge"), count == 1 ? "has" : "have"))
        .note(first->span, "the first of them")
        .note({},
              "NCCL documentation, Troubleshooting, PCI Access Control Services: lspci shows SrcValid+ where ACS may "
              "be enabled")
        .help(
            "on a machine that passes no devices to virtual machines, switch ACS off in the firmware, or for each "
            "bridge at each start: setpci -s ADDRESS ECAP_ACS+0x6.w=0000");
  }

  void denied() {
    if (ordinary_user())
      findings_.error("file-lspci-unread", m_.denied_at, "lspci ran without the rights of root, and shows no link")
          .note({}, "lspci(8): capabilities are read by root alone")
          .help("sudo lspci -vvv > lspci.txt");
  }

 private:
  bool ordinary_user() const {
    return m_.denied && std::ranges::none_of(m_.devices, [](const Device& d) { return d.capable.width > 0; });
  }

  void lost(const Device& d) {
    Finding& f = findings_.error("file-lspci-device-lost", d.lost,
                                 format("{} {} does not answer: it is off the bus", word_of(d.kind), d.address));
    if (d.lost.begin != d.span.begin) f.note(d.span, "the device");
    f.note({}, "if a device does not answer, every bit reads as 1: revision ff, header type 7f")
        .help(
            "read the kernel log (dmesg: Xid 79, AER), switch the power of the machine off and on; exchange the card "
            "or its riser if it is lost again")
        .object(format("pci/{}", d.address));
  }

  void down(const Device& d) {
    findings_
        .error("file-lspci-link-degraded", d.now.span, format("the link of {} {} is down", word_of(d.kind), d.address))
        .note(d.span, "the device")
        .note({}, "lspci(8), LnkSta: a link with no lane carries nothing")
        .help("seat the card and its riser or cable again; if the link stays so, exchange them")
        .object(format("pci/{}", d.address));
  }

  void width(const Device& d, const Device* above) {
    if (d.now.width >= d.capable.width) return;
    const std::int64_t slot = above ? above->capable.width : 0;
    const std::string who = format("{} {}", word_of(d.kind), d.address);
    if (above && slot <= d.now.width) {
      findings_
          .warning("file-lspci-link-degraded", d.now.span,
                   format("{} can use {} lanes, its slot has {}", who, d.capable.width, slot))
          .note(above->capable.span, format("the port above it, {}", above->address))
          .note(d.span, "the device")
          .note({}, "lspci(8), LnkCap and LnkSta")
          .help("plug it into a slot with as many lanes, if the server has one")
          .object(format("pci/{}", d.address));
      return;
    }
    Finding& f = findings_.error("file-lspci-link-degraded", d.now.span,
                                 format("the link of {} runs with {} of {} lanes", who, d.now.width,
                                        above ? std::min(slot, d.capable.width) : d.capable.width));
    f.note(d.capable.span, "what the device can do");
    if (above) f.note(above->capable.span, format("what the port above it can do, {}", above->address));
    f.note(d.span, "the device")
        .note({}, "lspci(8), LnkCap and LnkSta")
        .help(
            above
                ? "seat the card and its riser or cable again; if the link stays so, exchange them"
                : "look which port is above it (lspci -t): a slot with fewer lanes, or a card that is not seated well")
        .object(format("pci/{}", d.address));
  }

  // GPUs lower the speed when they are idle; adapters and drives do not, but drives of a laptop.
  void speed(const Device& d, const Device* above) {
    if (d.now.speed <= 0 || d.capable.speed <= 0) return;
    const double most =
        above && above->capable.speed > 0 ? std::min(d.capable.speed, above->capable.speed) : d.capable.speed;
    if (d.now.speed >= most) {
      return;
    }
    const std::string text = format("the link of {} {} runs at {} GT/s, its two ends can do {} GT/s", word_of(d.kind),
                                    d.address, d.now.speed, most);
    Finding& f = d.kind == Kind::gpu ? findings_.note("file-lspci-link-degraded", d.now.span, text)
                 : above             ? findings_.error("file-lspci-link-degraded", d.now.span, text)
                                     : findings_.warning("file-lspci-link-degraded", d.now.span, text);
    f.note(d.span, "the device").note({}, "lspci(8), LnkCap and LnkSta");
    if (d.kind == Kind::gpu)
      f.help(
          "an idle GPU lowers the speed of its link: run lspci again while the GPU works (nvidia-smi -q -x shows the "
          "generation, too)");
    else
      f.help("seat the card and its riser or cable again, and look whether the firmware limits the slot");
    f.object(format("pci/{}", d.address));
  }

  const Machine& m_;
  Findings& findings_;
  std::vector<const Device*> silent_;
};

}  // namespace

std::string judge_lspci(const Sources& sources, FileId file, Findings& findings) {
  const Machine machine = read(sources, file);
  Judge judge(machine, findings);
  judge.denied();
  judge.links();
  judge.acs();
  const auto of = [&](Kind kind) { return std::ranges::count(machine.devices, kind, &Device::kind); };
  return format("{}, {}, {}", counted(of(Kind::gpu), "GPU"), counted(of(Kind::adapter), "network adapter"),
                counted(of(Kind::drive), "drive"));
}

}  // namespace clusterc
