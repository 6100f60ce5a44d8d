#include "container/runtimes.h"

#include "base/format.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace clusterc::container {
namespace {

std::vector<std::string_view> candidates(Runtime r) {
  switch (r) {
    case Runtime::podman:
      return {"podman"};
    case Runtime::docker:
      return {"docker"};
    case Runtime::containerd:
      return {"nerdctl", "ctr"};
    case Runtime::enroot:
      return {"enroot"};
    case Runtime::apptainer:
      return {"apptainer", "singularity"};
  }
  return {};
}

bool is_ctr(std::string_view program) { return program.substr(program.rfind('/') + 1) == "ctr"; }
bool is_ctr(const Start& s) { return is_ctr(s.program); }
bool takes_rootfs(const Start& s) {
  return s.runtime == Runtime::podman || s.runtime == Runtime::apptainer ||
         (s.runtime == Runtime::containerd && is_ctr(s));
}

// Of NVIDIA's toolkit: which GPUs, and that CUDA's own library comes along, too (without the second word an image that
// says nothing gets NVML's alone).
constexpr const char* kToolkit[] = {"NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"};

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// podman-run(1), docker container run, nerdctl's command reference: one family of options.
std::vector<std::string> like_docker(const Start& s) {
  std::vector<std::string> out = {s.program,
                                  "run",
                                  "--rm",
                                  "--name=" + s.name,
                                  "--pull=never",
                                  "--network=host",
                                  format("--mount=type=bind,source={0},destination={0},readonly", s.bundle),
                                  "--entrypoint=" + s.command.front()};
  // Podman hands in nothing for --gpus (before 5.0), and from CDI then: the toolkit's hook of Podman goes by the
  // variable.
  if (s.nvidia && s.hook && s.runtime == Runtime::podman)
    for (const char* variable : kToolkit) out.push_back(format("--env={}", variable));
  else if (s.nvidia)
    out.emplace_back(s.hook || s.runtime == Runtime::containerd ? "--gpus=all" : "--device=nvidia.com/gpu=all");
  if (s.amd) append(out, {"--device=/dev/kfd", "--device=/dev/dri"});
  for (const std::string& node : s.verbs) out.push_back("--device=" + node);
  if (s.image.empty())
    append(out, {"--rootfs", s.rootfs + ":O"});  // O: what is written lies in an overlay and goes with the container
  else
    out.push_back(s.image);
  out.insert(out.end(), s.command.begin() + 1, s.command.end());
  return out;
}

// cmd/ctr/commands/run of containerd/containerd: options, image or folder, name, command.
std::vector<std::string> with_ctr(const Start& s) {
  std::vector<std::string> out = {s.program, "run",
                                  "--rm",    "--net-host",
                                  "--mount", format("type=bind,src={0},dst={0},options=rbind:ro", s.bundle)};
  if (s.nvidia && !s.hook) append(out, {"--device", "nvidia.com/gpu=all"});  // since 1.7
  for (std::size_t i = 0; s.nvidia && s.hook && i < s.gpus; ++i) append(out, {"--gpus", format("{}", i)});
  if (s.amd) append(out, {"--device", "/dev/kfd", "--device", "/dev/dri"});
  for (const std::string& node : s.verbs) append(out, {"--device", node});
  if (s.image.empty())
    append(out, {"--rootfs", s.rootfs});
  else
    out.push_back(s.image);
  out.push_back(s.name);
  append(out, s.command);
  return out;
}

// doc/cmd/start.md of NVIDIA/enroot; its hooks hand in what the two variables name.
std::vector<std::string> with_enroot(const Start& s) {
  std::vector<std::string> out = {s.program, "start", "--mount", format("{0}:{0}", s.bundle)};
  for (const char* variable : kToolkit)
    if (s.nvidia) append(out, {"--env", variable});
  if (!s.verbs.empty()) append(out, {"--env", "MELLANOX_VISIBLE_DEVICES=all"});
  out.push_back(s.image);
  append(out, s.command);
  return out;
}

// apptainer exec, user guide: the host's /dev is there without a word.
std::vector<std::string> with_apptainer(const Start& s) {
  std::vector<std::string> out = {s.program, "exec", format("--bind={0}:{0}:ro", s.bundle)};
  if (s.nvidia) out.emplace_back("--nv");
  if (s.amd) out.emplace_back("--rocm");
  out.push_back(s.image.empty() ? s.rootfs : s.image);
  append(out, s.command);
  return out;
}

}  // namespace

std::string_view runtime_text(Runtime r) { return split(kRuntimes, '|')[static_cast<std::size_t>(r)]; }

std::optional<Runtime> runtime_of(std::string_view text) {
  const std::vector<std::string_view> all = split(kRuntimes, '|');
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == text) return static_cast<Runtime>(i);
  return std::nullopt;
}

std::optional<std::string> program_of(Runtime r) {
  for (const std::string_view name : candidates(r))
    if (auto path = find_program(name)) return path;
  return std::nullopt;
}

std::string programs_text(Runtime r) {
  std::string out;
  for (const std::string_view name : candidates(r)) (out += out.empty() ? "" : " or ") += name;
  return out;
}

bool needs_image(const Start& s) { return s.image.empty() && (s.rootfs.empty() || !takes_rootfs(s)); }

std::string refused(const Start& s) {
  // A name that begins with '-' would be an option, and these stand between the parts of a mount.
  for (const std::string* path : {&s.bundle, &s.rootfs})
    if (path->find_first_of(",:") != path->npos)
      return format("a mount cannot name '{}': ',' and ':' stand between its parts", *path);
  for (const std::string* name : {&s.image, &s.rootfs})
    if (name->starts_with('-')) return format("'{}' begins with '-'", *name);
  if (needs_image(s))
    return format(
        "{} starts containers from {}", runtime_text(s.runtime),
        takes_rootfs(s) ? "an image or a folder: name one with --image or --rootfs" : "images: name one with --image");
  return {};
}

std::vector<std::string> start_arguments(const Start& s) {
  if (s.runtime == Runtime::enroot) return with_enroot(s);
  if (s.runtime == Runtime::apptainer) return with_apptainer(s);
  return is_ctr(s) ? with_ctr(s) : like_docker(s);
}

std::vector<std::string> list_arguments(Runtime r, const std::string& program) {
  if (r == Runtime::enroot || r == Runtime::apptainer) return {};
  if (is_ctr(program)) return {program, "containers", "list", "--quiet"};
  return {program, "ps", "--all", "--format", "{{.Names}}"};
}

std::vector<std::vector<std::string>> remove_arguments(const Start& s) {
  if (s.runtime == Runtime::enroot || s.runtime == Runtime::apptainer) return {};
  if (is_ctr(s))
    return {{s.program, "task", "kill", "--signal", "SIGKILL", "--all", s.name},
            {s.program, "task", "delete", "--force", s.name},
            {s.program, "container", "delete", s.name}};
  return {{s.program, "rm", "--force", s.name}};
}

}  // namespace clusterc::container
