#include "audit/files/judge_lstopo.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "audit/files/words.h"
#include "base/format.h"
#include "base/text.h"

namespace clusterc {
namespace {

constexpr std::size_t kDeepest = 256;

// One tag of hwloc's XML (hwloc2.dtd): its text between the brackets.
std::string_view attribute(std::string_view tag, std::string_view name) {
  for (std::size_t at = tag.find(name); at != tag.npos; at = tag.find(name, at + 1)) {
    std::string_view rest = tag.substr(at + name.size());
    if (at == 0 || tag[at - 1] != ' ' || !rest.starts_with("=\"")) continue;
    rest.remove_prefix(2);
    return rest.substr(0, rest.find('"'));
  }
  return {};
}

struct Device {
  std::string_view address, kind, speed;  // "0302 [10de:2330] …"; speed: GB/s of its link, empty: not told
  std::string_view name;                  // of its first device of OpenFabrics
  int package = -1;                       // -1: above all of them
  SourceSpan span;
};

// Display controllers are GPUs only of those who build accelerators: a board's own VGA is of another vendor.
bool is_gpu(const Device& d) {
  const bool accelerator = d.kind.starts_with("0302") || d.kind.starts_with("0300") || d.kind.starts_with("0380") ||
                           d.kind.starts_with("1200");
  return accelerator && (d.kind.find("[10de:") != d.kind.npos || d.kind.find("[1002:") != d.kind.npos);
}

class Judge {
 public:
  Judge(const Sources& sources, FileId file, Findings& findings)
      : text_(sources.text(file)), file_(file), findings_(findings) {}

  std::string judge() {
    const bool whole = read();
    std::vector<const Device*> gpus, adapters;
    for (const Device& d : devices_) {
      if (is_gpu(d)) gpus.push_back(&d);
      if (!d.name.empty()) adapters.push_back(&d);
    }
    if (!whole) {
      findings_
          .error("file-lstopo-unread",
                 {file_, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text_.size())},
                 "the file ends inside its first element: it was cut")
          .help("take it again: lstopo FILE.xml");
    } else if (devices_.empty()) {
      findings_.error("file-lstopo-unread", {file_, 0, 0}, "the file has no PCI devices: none were looked for")
          .help("take it on the machine itself, with its devices: lstopo --whole-io FILE.xml");
    } else {
      places(gpus, adapters);
      numbers(gpus);
      links(gpus);
    }
    return format("{}, {}, {}", counted(packages_, "socket"), counted(static_cast<std::int64_t>(gpus.size()), "GPU"),
                  counted(static_cast<std::int64_t>(adapters.size()), "RDMA adapter"));
  }

 private:
  // The sockets and the devices below them. False: the file was cut.
  bool read() {
    std::vector<std::string_view> open;  // types of objects; empty for other elements
    std::vector<int> device_of;          // number in devices_ of each open object, -1: none
    int package = -1;
    std::size_t package_depth = 0;
    bool root_closed = false;
    for (std::size_t at = text_.find('<'); at != text_.npos; at = text_.find('<', at)) {
      const std::size_t end = text_.find('>', at);
      if (end == text_.npos) return false;
      const std::string_view tag = text_.substr(at + 1, end - at - 1);
      const auto begin = static_cast<std::uint32_t>(at);
      at = end + 1;
      if (tag.starts_with('?') || tag.starts_with('!')) continue;
      if (tag.starts_with('/')) {
        if (open.empty()) return false;
        open.pop_back(), device_of.pop_back();
        if (open.size() < package_depth) package = -1, package_depth = 0;
        root_closed = open.empty();
        continue;
      }
      const bool alone = tag.ends_with('/');
      const std::string_view type = tag.starts_with("object ") ? attribute(tag, "type") : std::string_view();
      int device = device_of.empty() ? -1 : device_of.back();
      if (type == "Package") {
        package = packages_++;
        package_depth = open.size() + 1;
      } else if (type == "PCIDev") {
        device = static_cast<int>(devices_.size());
        devices_.push_back({attribute(tag, "pci_busid"),
                            attribute(tag, "pci_type"),
                            attribute(tag, "pci_link_speed"),
                            {},
                            package,
                            {file_, begin, static_cast<std::uint32_t>(end + 1)}});
      } else if (type == "OSDev" && device >= 0 && devices_[static_cast<std::size_t>(device)].name.empty()) {
        const std::string_view kind = attribute(tag, "osdev_type");
        if (kind == "3" || kind == "OpenFabrics")
          devices_[static_cast<std::size_t>(device)].name = attribute(tag, "name");
      }
      if (alone) continue;
      if (open.size() >= kDeepest) return false;
      open.push_back(type), device_of.push_back(device);
    }
    return root_closed;
  }

  static std::string called(const Device& d) {
    return d.name.empty() ? format("GPU {}", one_line(d.address)) : one_line(d.name);
  }

  void places(const std::vector<const Device*>& gpus, const std::vector<const Device*>& adapters) {
    if (packages_ < 2 || gpus.empty() || adapters.empty()) return;
    std::set<int> of_gpus, of_adapters;
    for (const Device* d : gpus) of_gpus.insert(d->package);
    for (const Device* d : adapters) of_adapters.insert(d->package);
    if (of_gpus.contains(-1) || of_adapters.contains(-1)) {
      const auto lost = [](const Device* d) { return d->package < 0; };
      const auto one = std::ranges::find_if(gpus, lost);
      findings_
          .error("file-lstopo-unread", one != gpus.end() ? (*one)->span : (*std::ranges::find_if(adapters, lost))->span,
                 "the firmware does not say which socket this device belongs to: places were not compared")
          .help("update the firmware of the board, and take the file again");
      return;
    }
    for (const Device* d : adapters)
      if (!of_gpus.contains(d->package))
        findings_
            .warning("file-lstopo-adapter-far", d->span,
                     format("{} is on another socket than every GPU: all of its GPU traffic crosses between sockets",
                            called(*d)))
            .help("if it serves the GPUs, move it to a slot of the socket that has them");
    std::vector<std::string> lone;
    const Device* first = nullptr;
    for (const Device* d : gpus)
      if (!of_adapters.contains(d->package)) {
        if (!first) first = d;
        lone.push_back(called(*d));
      }
    if (first && lone.size() < gpus.size())
      findings_
          .warning("file-lstopo-adapter-far", first->span,
                   format("{} {} no RDMA adapter on {} own socket, though other GPUs have one", join(lone, ", "),
                          lone.size() == 1 ? "has" : "have", lone.size() == 1 ? "its" : "their"))
          .help("move an adapter to a slot of that socket");
  }

  // Boards with GPUs on several sockets have as many on each.
  void numbers(const std::vector<const Device*>& gpus) {
    std::map<int, std::int64_t> each;
    for (const Device* d : gpus)
      if (d->package >= 0) ++each[d->package];
    if (each.size() < 2) return;
    const auto [few, many] = std::ranges::minmax_element(each, {}, &std::pair<const int, std::int64_t>::second);
    if (few->second == many->second) return;
    const auto at = std::ranges::find(gpus, few->first, &Device::package);
    findings_
        .warning("file-lstopo-gpus-differ", (*at)->span,
                 format("socket {} has {}, socket {} has {}", few->first, counted(few->second, "GPU"), many->first,
                        counted(many->second, "GPU")))
        .help("if the board is built for as many on each socket, a GPU is missing: look at nvidia-smi and at lspci");
  }

  void links(const std::vector<const Device*>& gpus) {
    std::map<std::string_view, std::int64_t> speeds;
    for (const Device* d : gpus)
      if (!d->speed.empty()) ++speeds[d->speed];
    if (speeds.size() < 2) return;
    const auto usual = std::ranges::max_element(speeds, {}, &std::pair<const std::string_view, std::int64_t>::second);
    for (const Device* d : gpus)
      if (!d->speed.empty() && d->speed != usual->first)
        findings_
            .warning("file-lstopo-gpus-differ", d->span,
                     format("the PCIe link of {} runs at {} GB/s, that of {} at {} GB/s", called(*d),
                            one_line(d->speed), counted(usual->second, "other GPU"), one_line(usual->first)))
            .help(
                "an idle GPU lowers its rate: take the file again while the GPUs work; lspci -vvv shows lanes and "
                "generation");
  }

  std::string_view text_;
  FileId file_;
  Findings& findings_;
  std::vector<Device> devices_;
  int packages_ = 0;
};

}  // namespace

std::string judge_lstopo(const Sources& sources, FileId file, Findings& findings) {
  return Judge(sources, file, findings).judge();
}

}  // namespace clusterc
