// What container runtimes are told, by hand from the documentation of NVIDIA's container toolkit, containerd and
// kubelet.
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

using test::Compiled;
using test::kHead;

std::string cluster(std::string_view software, std::string_view instance = "nvidia-dgx-h100") {
  return kHead + "nodes:\n  gpu: { names: g1, instance: " + std::string(instance) +
         " }\n  ctl: { names: c1, virtual_machine: { cpus: 2, memory: 4 GiB }, roles: [control-plane] }\n" +
         "networks:\n  lan: { kind: ethernet, rate: 100 Gb/s, subnet: 10.1.0.0/24, carries: [compute, inband], "
         "connects: { gpu: { ports: inband, count: 1 }, ctl: 1 } }\nsoftware: { " +
         std::string(software) + " }\n";
}
std::string file(std::string_view software, std::string_view path) {
  Compiled c;
  c.spec(cluster(software), {"containers"});
  EXPECT_EQ(c.told(), "");
  return c.file(path);
}

constexpr std::string_view kToml = "containers/gpu/containerd.toml";

TEST(Containers, InKubernetesCgroupsAreSystemdsAndAHookIsTheDefaultRuntime) {
  const std::string cdi = file("containers: [containerd], scheduler: kubernetes", kToml),
                    hook = file("containers: [containerd], scheduler: kubernetes, container_gpus: hook", kToml);
  EXPECT_NE(cdi.find(".runc.options]\nSystemdCgroup = true\n"), std::string::npos) << cdi;
  EXPECT_NE(cdi.find("\nenable_cdi = true\n"), std::string::npos);
  EXPECT_EQ(cdi.find("default_runtime_name"), std::string::npos);
  EXPECT_NE(hook.find("\ndefault_runtime_name = \"nvidia\"\n"), std::string::npos) << hook;
  EXPECT_EQ(hook.find("cdi"), std::string::npos);
}

// Its toolkit container writes them; the control plane has no GPUs and the same cgroups.
TEST(Containers, TheGpuOperatorSetsTheRuntimeItself) {
  EXPECT_EQ(file("containers: [containerd], scheduler: kubernetes, gpu_operator: { toolkit: true }", kToml)
                .find("runtimes.nvidia"),
            std::string::npos);
  EXPECT_NE(file("containers: [containerd], scheduler: kubernetes, gpu_operator: { toolkit: false }", kToml)
                .find("runtimes.nvidia]"),
            std::string::npos);
  EXPECT_EQ(file("containers: [containerd], scheduler: kubernetes", "containers/ctl/containerd.toml").find("nvidia"),
            std::string::npos);
}

TEST(Containers, ReleasesThatKnowNoContainerDevicesAreToldOfNone) {
  EXPECT_EQ(file("containers: [containerd 1.6]", kToml).find("cdi"), std::string::npos);
  EXPECT_NE(file("containers: [containerd 1.10]", kToml).find("enable_cdi"),
            std::string::npos);  // 1.10 is newer than 1.7
  EXPECT_EQ(file("containers: [docker 24]", "containers/gpu/daemon.json").find("features"), std::string::npos);
}

TEST(Containers, NothingToSayIsNoFile) {
  Compiled c;
  c.spec(kHead +
             "nodes: { a: { names: n1, virtual_machine: { cpus: 2, memory: 2 GiB } } }\nsoftware: { containers: "
             "[docker, podman, cri-o, containerd, apptainer] }\n",
         {"containers"});
  EXPECT_EQ(c.uncalled, std::vector<std::string_view>{"containers"});
  EXPECT_TRUE(c.paths().empty());
}

// systemd.exec(5): containerd has no file of its own for the limits of its containers, which inherit its service's.
// Without RDMA and limits there is none.
TEST(Containers, ThoseOfContainerdHaveTheLimitsOfItsService) {
  constexpr std::string_view kLimits = "containers/gpu/containerd-limits.conf";
  const auto ends = [&](std::string_view software, std::string_view with) {
    const std::string has = file(software, kLimits);
    EXPECT_TRUE(has.ends_with(with)) << software << "\n" << has;
  };
  ends("containers: [containerd], limits: { memlock: unlimited }", "\n[Service]\nLimitMEMLOCK=infinity\n");
  ends("containers: [containerd], limits: { memlock: unlimited, nofile: 65536 }",
       "\n[Service]\nLimitMEMLOCK=infinity\nLimitNOFILE=65536\n");
  ends("containers: [containerd], limits: { memlock: 1 GiB, nofile: 65536 }",
       "\n[Service]\nLimitMEMLOCK=1073741824\nLimitNOFILE=65536\n");
  EXPECT_NE(file("containers: [podman], limits: { memlock: 1 GiB }", "containers/gpu/containers.conf")
                .find("default_ulimits = [\"memlock=1073741824:1073741824\"]\n"),
            std::string::npos);
  EXPECT_NE(
      file("containers: [docker], limits: { memlock: 64 KiB }", "containers/gpu/daemon.json").find("\"Hard\": 65536"),
      std::string::npos);
  EXPECT_EQ(file("containers: [docker], limits: { nofile: 65536 }", kLimits),
            "no file containers/gpu/containerd-limits.conf");
  EXPECT_EQ(file("containers: [containerd], scheduler: kubernetes", "containers/ctl/containerd-limits.conf"),
            "no file containers/ctl/containerd-limits.conf");
}

// A plugin that is required and not there ends srun: its line comes with its own installation.
TEST(Containers, SlurmReadsWhatPyxisBringsWhereItIsNamed) {
  const auto with = [](std::string_view containers) {
    Compiled c;
    c.spec(cluster("containers: " + std::string(containers) + ", scheduler: { kind: slurm, controllers: c1 }"),
           {"slurm"});
    return c.file("slurm/plugstack.conf");
  };
  EXPECT_NE(with("[enroot, Pyxis]").find("\ninclude /etc/slurm/plugstack.conf.d/*.conf\n"), std::string::npos)
      << with("[enroot, Pyxis]");
  EXPECT_EQ(with("[enroot, Pyxis]").find("\nrequired"), std::string::npos);
  EXPECT_EQ(with("[enroot]"), "no file slurm/plugstack.conf");
}

// A mount that a shell would take for more than a path is none that Enroot's file can hold.
TEST(Containers, EnrootIsGivenPlainPathsOnly) {
  const auto with = [](std::string_view mount) {
    Compiled c;
    c.spec(cluster("containers: [enroot]") +
               "storage: { scratch: { kind: local, on: gpu, drives: scratch, mount: " + std::string(mount) + " } }\n",
           {"containers"});
    return c.file("containers/gpu/enroot.conf");
  };
  EXPECT_NE(with("/local").find("\nENROOT_DATA_PATH /local/enroot/data-$(id -u)\n"), std::string::npos)
      << with("/local");
  EXPECT_EQ(with("\"/lo$(id)\"").find("lo$"), std::string::npos);
}

// XDG_RUNTIME_DIR is a login's, and /run/enroot root's: a job would have neither.
TEST(Containers, EnrootRunsWhereEveryUserMayWrite) {
  EXPECT_NE(file("containers: [enroot]", "containers/gpu/enroot.conf")
                .find("\nENROOT_RUNTIME_PATH /run/enroot/user-$(id -u)\n"),
            std::string::npos);
  EXPECT_NE(
      file("containers: [enroot]", "containers/gpu/enroot-tmpfiles.conf").find("\nd /run/enroot 1777 root root -\n"),
      std::string::npos);
}

}  // namespace
}  // namespace clusterc
