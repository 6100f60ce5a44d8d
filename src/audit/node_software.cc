// System, drivers, kernel arguments and limits of a node.
#include <algorithm>
#include <set>

#include "audit/node_view.h"
#include "base/format.h"
#include "base/text.h"
#include "spec/software.h"

namespace clusterc {
namespace {

// Arguments that are each node's own: where it starts from, and addresses.
bool is_own_argument(std::string_view word) {
  constexpr std::string_view kKeys[] = {
      "BOOT_IMAGE", "initrd",           "root",         "resume",    "ip",         "BOOTIF",
      "hostname",   "systemd.hostname", "rd.luks.uuid", "rd.lvm.lv", "rd.md.uuid", "nfsroot",
      "ds",         "autoinstall",      "inst.ks",      "rootflags", "ro",         "quiet"};
  const std::string_view key = word.substr(0, word.find('='));
  return std::ranges::find(kKeys, key) != std::end(kKeys);
}

class NodeSoftware {
 public:
  explicit NodeSoftware(const NodeView& view) : view_(view) {}

  void software() {
    const GroupSettings& settings = view_.settings;
    const NodeRecord& s = view_.seen;
    if (!settings.kernel_arguments.empty() && !s.arguments) view_.unread("the kernel arguments");
    if (s.arguments)
      for (const std::string& argument : settings.kernel_arguments)
        if (!view_.has_argument(argument))
          view_.differs("arguments", "lacks", "the kernel argument " + quoted(argument));
    release("kernel", "the kernel", view_.wanted().kernel, s.kernel);
    operating_system();
    if (view_.planned().gpu_count > 0) {
      release("driver", "the GPU driver", view_.wanted().gpu_driver, s.driver);
      release("nccl", "NCCL", view_.wanted().nccl, s.nccl);
      release("toolkit", "the CUDA toolkit", view_.wanted().cuda, s.toolkit);
      // Every driver of a major runs the toolkits of that major and of older ones.
      if (const Value<Version>& cuda = view_.wanted().cuda;
          cuda && !s.cuda.empty() && !view_.to.has_difference(view_.node, "driver"))
        if (std::string error; const auto able = Version::parse(s.cuda, error))
          if (able->major() < cuda->major()) view_.differs("cuda", "has", "a driver for CUDA " + s.cuda, cuda->text());
    }
    if (const auto& fabric = view_.wanted().fabric;
        fabric && fabric->kind && *fabric->kind != "inbox" && fabric->version && !view_.planned().nics.empty()) {
      const auto module = s.modules.find("mlx5_core");
      release("rdma", "the RDMA stack", fabric->version, module == s.modules.end() ? std::string() : module->second);
    }
    if (!settings.memlock.empty())
      limit("memlock_bytes", "locked memory",
            settings.memlock == "unlimited"
                ? settings.memlock
                : std::to_string(1024 * static_cast<std::int64_t>(parse_uint(settings.memlock).value_or(0))));
    if (view_.wanted().limits && view_.wanted().limits->nofile)
      limit("nofile", "open files", std::to_string(*view_.wanted().limits->nofile));
    if (view_.wanted().limits && view_.wanted().limits->nproc)
      limit("nproc", "processes", std::to_string(*view_.wanted().limits->nproc));
  }

  void release(std::string_view fact, std::string_view what, const Value<Version>& planned_release,
               const std::string& seen) {
    if (!planned_release) return;
    if (seen.empty()) return view_.unread(format("the release of {}", what));
    if (!is_release(planned_release->text(), seen))
      view_.differs(fact, "runs", format("{} {}", what, seen), planned_release->text());
  }

  void operating_system() {
    const std::string os = view_.wanted().os.value_or("");
    const auto dash = os.rfind('-');
    if (os.empty() || dash == os.npos) return;
    if (view_.seen.os_id.empty()) return view_.unread("the operating system");
    if (view_.seen.os_id != os.substr(0, dash) || !is_release(os.substr(dash + 1), view_.seen.os_version))
      view_.differs("os", "runs", format("the system {}-{}", view_.seen.os_id, view_.seen.os_version), os);
  }

  void limit(std::string_view fact, std::string_view what, const std::string& planned_limit) {
    const auto at = view_.seen.limits.find(fact);
    if (at == view_.seen.limits.end() || at->second.soft.empty())
      return view_.unread("the limit of " + std::string(what));
    if (at->second.soft == planned_limit) return;
    const std::string_view unit = fact == "memlock_bytes" ? " bytes" : "";
    const auto text = [&](const std::string& v) { return v + (v == "unlimited" ? "" : std::string(unit)); };
    view_.differs(fact, "has", format("the limit of {} {}", what, text(at->second.soft)), text(planned_limit));
  }

  void common_software() {
    const NodeRecord& s = view_.seen;
    view_.common("os", "the operating system", s.os_id.empty() ? "" : s.os_id + "-" + s.os_version);
    view_.common("kernel", "the kernel", s.kernel);
    view_.common("driver", "the GPU driver", s.driver);
    view_.common("toolkit", "the CUDA toolkit", s.toolkit);
    view_.common("nccl", "NCCL", s.nccl);
    if (s.has_modules) {
      const auto module = s.modules.find("mlx5_core");
      if (module != s.modules.end())
        view_.common("rdma", "the RDMA stack", module->second.empty() ? "of the kernel" : module->second);
      std::set<std::string> loaded;
      for (const auto& [name, version] : s.modules) loaded.insert(name);
      view_.common("modules", "the list of kernel modules", loaded.empty() ? "none" : join(loaded, ", "));
    }
    for (const auto& [fact, what] :
         {std::pair{"memlock_bytes", "the limit of locked memory"}, {"nofile", "the limit of open files"}})
      if (const auto at = s.limits.find(std::string_view(fact)); at != s.limits.end())
        view_.common(fact, what, at->second.soft);
    if (!s.arguments) return;
    std::vector<std::string> rest;  // in their order, which counts
    for (const std::string_view word : words_of(*s.arguments)) {
      const auto& planned_ones = view_.settings.kernel_arguments;
      if (!is_own_argument(word) && std::ranges::find(planned_ones, word) == planned_ones.end())
        rest.emplace_back(word);
    }
    if (!view_.to.has_difference(view_.node, "arguments"))
      view_.common("arguments", "the list of further kernel arguments", rest.empty() ? "none" : join(rest, " "));
  }

  const NodeView& view_;
};

}  // namespace

void compare_software(const NodeView& view) {
  NodeSoftware node(view);
  node.software();
  node.common_software();
}

}  // namespace clusterc
