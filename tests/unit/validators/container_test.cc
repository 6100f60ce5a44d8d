// clusterc-container with a program in a runtime's place that starts what stands behind its options, and does what a
// broken one does; and with Podman itself, where it can start containers here.
#include "container/look.h"
#include "container/runtimes.h"
#include "skipping.h"
#include "unit/validators/program_run.h"

namespace {
using namespace clusterc::program_run;
using namespace clusterc::container;
using testing::Test;

class Container : public Test {
 protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "clusterc-container-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    path = getenv("PATH");
    for (const char* node : {"dev/nvidia0", "dev/nvidia1", "dev/nvidiactl", "dev/infiniband/uverbs0",
                             "dev/infiniband/rdma_cm", "sys/class/infiniband/mlx5_0/fw_ver"})
      put("outside", node);
    fs::copy(root / "outside", root / "inside", fs::copy_options::recursive);
    fs::create_directories(root / "bin");
  }
  void TearDown() override {
    setenv("PATH", path.c_str(), 1);
    fs::remove_all(root);
  }
  void put(const std::string& side, const fs::path& file) const {
    fs::create_directories((root / side / file).parent_path());
    std::ofstream(root / side / file) << "\n";
  }
  // In the place of podman: `then` runs with the program in $program and its arguments in $@, of which $3 is the tree
  // to look at.
  void stand_in(const std::string& then, const std::string& name = "podman") {
    const fs::path file = root / "bin" / name;
    std::ofstream(file) << "#!/bin/sh\necho \"$@\" >> " << (root / "log").string() << "\n[ \"$1\" = rm ] && exit 0\n"
                        << "for a; do case $a in --entrypoint=*) program=${a#--entrypoint=};; "
                           "*/clusterc-container|*/clusterc-container-faulty) program=$a;; esac; done\n"
                        << "while [ \"$1\" != inside ]; do shift; done\nshift\nset -- inside \"$1\" "
                        << (root / "inside").string() << " \"$3\" \"$4\" \"$5\"\n"
                        << then << "\n";
    fs::permissions(file, fs::perms::owner_all);
    setenv("PATH", ((root / "bin").string() + ":" + path).c_str(), 1);
  }
  std::string log() const {
    std::ifstream file(root / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Result look(std::vector<std::string> more = {}, const std::string& build = program("container")) const {
    std::vector<std::string> line = {build,          "--runtimes", "podman",      "--sysfs", root / "outside",
                                     "--iterations", "3",          "--allow-busy"};
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  }
  static bool collectives() { return fs::exists(program("nccl")) && clusterc::container::look_at("/").mpirun != ""; }
  static constexpr const char* kExec = "exec \"$program\" \"$@\"";
  fs::path root;
  std::string path;
};

TEST_F(Container, ASoundRuntimeShowsEveryDevice) {
  stand_in(kExec);
  const Result r = look();
  expect_measured(r, collectives() ? 2 : 1);
  const json& m = r.records[1];
  EXPECT_EQ(m["metric"], "container.start");
  EXPECT_EQ(m["count"], 3);
  EXPECT_EQ(m["better"], "lower");
  EXPECT_EQ(m["parameters"]["gpus_outside"], 2);
  EXPECT_EQ(m["parameters"]["gpus_inside"], 2);
  EXPECT_EQ(m["parameters"]["adapters_inside"], 1);
  EXPECT_EQ(m["parameters"]["verbs_inside"], 1);
  EXPECT_FALSE(m["parameters"].contains("slow")) << m;
  if (!collectives()) CLUSTERC_MISSING("no mpirun, or clusterc-nccl is not built: no collective ran");
  EXPECT_EQ(r.records[2]["metric"], "container.all_reduce");
  EXPECT_EQ(r.records[2]["size"], 1048576);
  EXPECT_EQ(r.records[2]["count"], 1);
  EXPECT_EQ(r.records[2]["parameters"]["ranks"], 2);
  EXPECT_EQ(r.records[2]["checked"], 2u * 2 * 1048576 / 4);  // two placements, two ranks, every float
}

TEST_F(Container, HiddenDevicesAreNamed) {
  stand_in(kExec);
  fs::remove(root / "inside/dev/nvidia1"), fs::remove_all(root / "inside/dev/infiniband");
  const Result r = look();
  ASSERT_TRUE(r.ended());
  EXPECT_EQ(r.status, 1);
  const json& m = r.records[1];
  EXPECT_EQ(m["wrong"], 2);
  EXPECT_EQ(m["parameters"]["gpus_inside"], 1);
  EXPECT_EQ(m["parameters"]["slow"], "nvidia1 is not in the container; infiniband/uverbs0 is not in the container");
}

// Seen in one container of four: the worst of all counts, not the last.
TEST_F(Container, ADeviceThatIsMissingOnceIsNamed) {
  fs::create_directories(root / "poor/dev"), fs::create_directories(root / "poor/sys");
  stand_in("echo x >> " + (root / "count").string() + "\n[ $(wc -l < " + (root / "count").string() +
           ") != 2 ] || set -- inside \"$2\" " + (root / "poor").string() + " \"$4\" \"$5\" \"$6\"\n" + kExec);
  const Result r = look();
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.records[1]["wrong"], 4);  // two GPUs, an adapter, its node
}

TEST_F(Container, ARuntimeThatIsNotThereIsMissing) {
  setenv("PATH", (root / "bin").c_str(), 1);
  Result r = look();
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "program missing");
  EXPECT_EQ(r.records.back()["detail"], "podman is not on the path");
  r = run({program("container"), "--allow-busy"});  // not asked for by name: nothing to measure
  EXPECT_EQ(r.status, 3);
}

TEST_F(Container, AnImageThatIsNotThereIsSaidInTheRuntimesWords) {
  stand_in("echo 'Error: nosuch: image not known' >&2; exit 125");
  const Result r = look({"--image", "nosuch"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["reason"], "system error");
  EXPECT_EQ(r.records.back()["detail"], "podman: Error: nosuch: image not known");
  EXPECT_NE(log().find("--pull=never"), std::string::npos);
}

class ContainerFault : public Container {};
TEST_F(ContainerFault, AContainerThatDoesNotEndIsEndedByName) {
  for (const bool answers : {false, true}) {
    stand_in((answers ? "\"$program\" \"$@\"\n" : "") + std::string("exec sleep 1000"));
    const auto begin = std::chrono::steady_clock::now();
    const Result r = look({"--timeout", "4"});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
    EXPECT_EQ(r.status, 2);
    EXPECT_EQ(r.records.back()["reason"], "timeout");
    EXPECT_EQ(r.records.back()["detail"], answers ? "podman: a container answered and did not end within 4 s"
                                                  : "podman: a container did not answer within 4 s");
    const auto name = log().rfind("--name=");
    ASSERT_NE(name, std::string::npos);
    const std::string given = log().substr(name + 7, log().find(' ', name) - name - 7);
    EXPECT_NE(log().find("rm --force " + given), std::string::npos) << log();
  }
}

// What was asked for by name and needs an image that nobody named is no success, whatever else worked; what is merely
// installed is left out.
TEST_F(Container, ARuntimeAskedForByNameThatNeedsAnImageIsNoSuccess) {
  stand_in(kExec);
  stand_in(kExec, "docker");
  Result r = run({program("container"), "--runtimes", "podman,docker", "--sysfs", root / "outside", "--iterations", "3",
                  "--allow-busy"});
  EXPECT_EQ(r.status, 2);
  ASSERT_TRUE(r.ended()) << r.text;
  EXPECT_EQ(r.records.back()["detail"], "docker starts containers from images: name one with --image");
  EXPECT_EQ(r.records[1]["metric"], "container.start");
  r = look({"--image", "-v"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["detail"], "'-v' begins with '-'");
}

// Records of a stranger, of any shape and without end: an end record comes, and nothing grows.
TEST_F(Container, WhatACollectivePrintsIsNotTrusted) {
  if (!collectives()) CLUSTERC_MISSING("no clusterc-nccl or no mpirun");
  fs::create_directories(root / "strange");
  std::ofstream(root / "strange/mpirun") << "#!/bin/sh\necho "
                                            "'{\"metric\":\"nccl.all_reduce.busbw\",\"value\":1,\"parameters\":{\"in_"
                                            "place\":\"no\"}}'\necho 'no such option' >&2\nexit 3\n";
  fs::permissions(root / "strange/mpirun", fs::perms::owner_all);
  stand_in("PATH=" + (root / "strange").string() + ":$PATH\n" + kExec);
  const Result r = look();
  EXPECT_EQ(r.status, 2);
  ASSERT_TRUE(r.ended()) << r.text;
  EXPECT_EQ(r.records.back()["reason"], "communication error");
  EXPECT_EQ(r.records.back()["detail"],
            "podman: the collective in the container: no end record came out of the container; no such option");
}

// Killed in the middle, whoever waits for it removes what is there: a list that the runtime prints, of which the names
// are ours.
TEST_F(ContainerFault, WhatAKilledRunLeftIsRemoved) {
  stand_in("exec sleep 1000");
  const std::string output = output_file();
  const pid_t child =
      start({program("container"), "--runtimes", "podman", "--sysfs", root / "outside", "--allow-busy"}, output);
  for (int turns = 0; turns < 1000 && log().find("--name=") == std::string::npos; ++turns)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::string all = log();
  const auto at = all.find("--name=");
  ASSERT_NE(at, std::string::npos);
  const std::string name = all.substr(at + 7, all.find(' ', at) - at - 7);
  std::ofstream(root / "names") << name << "\nclusterc-1-1\nsomebody\n";
  std::ofstream(root / "bin/podman") << "#!/bin/sh\necho \"$@\" >> " << (root / "log").string()
                                     << "\n[ \"$1\" = ps ] && cat " << (root / "names").string() << "\nexit 0\n";
  std::string worker;
  std::ifstream("/proc/" + std::to_string(child) + "/task/" + std::to_string(child) + "/children") >> worker;
  ASSERT_FALSE(worker.empty());
  kill(std::stoi(worker), SIGKILL);
  EXPECT_EQ(finish(child, output).status, 128 + SIGKILL);
  EXPECT_NE(log().find("rm --force " + name + "\n"), std::string::npos) << log();
  EXPECT_EQ(log().find("clusterc-1-1"), std::string::npos);
  EXPECT_EQ(log().find("somebody"), std::string::npos);
}

TEST_F(Container, AContainerThatSaysNothingIsNoContainer) {
  stand_in("exit 0");
  Result r = look();
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records.back()["detail"], "podman: the container said nothing");
  stand_in(
      "echo "
      "'{\"record\":\"inside\",\"token\":\"old\",\"gpus\":[\"nvidia0\",\"nvidia1\"],\"libraries\":[],\"adapters\":["
      "\"mlx5_0\"],\"verbs\":[\"infiniband/uverbs0\"]}'");  // somebody else's answer
  r = look();
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.records[1]["wrong"].get<int>() >= 4, true) << r.text;
}

TEST_F(Container, OneRuntimeThatFailsLeavesTheOthers) {
  stand_in("echo 'Cannot connect to the Docker daemon' >&2; exit 1", "docker");
  stand_in(kExec);
  const Result r = look({"--runtimes", "podman,docker", "--image", "any"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.records[1]["metric"], "container.start");
  EXPECT_EQ(r.records[1]["parameters"]["runtime"], "podman");
  EXPECT_EQ(r.records.back()["detail"], "docker: Cannot connect to the Docker daemon");
}

TEST_F(Container, AWrongAnswerIsFoundByTheFaultBuild) {
  stand_in(kExec);
  const Result r = look({}, kFaulty + "/clusterc-container-faulty");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.records[1]["wrong"], 4);  // the warm-up, too
}

// Podman itself, from this machine's own file system: /tmp is in the container, /dev/shm is another.
TEST_F(Container, PodmanStartsContainersHere) {
  setenv("PATH", path.c_str(), 1);
  if (!program_of(Runtime::podman)) CLUSTERC_MISSING("podman is not installed");
  std::ofstream(root / "containers.conf")
      << "[containers]\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1000:1000\"]\n";
  setenv("CONTAINERS_CONF", (root / "containers.conf").c_str(), 1);
  const Result r =
      run({program("container"), "--runtimes", "podman", "--iterations", "1", "--warmup", "1", "--allow-busy"});
  unsetenv("CONTAINERS_CONF");
  if (r.status == 2) GTEST_SKIP() << "podman cannot start containers here: " << r.text;
  expect_measured(r, collectives() ? 2 : 1);
  EXPECT_EQ(r.records[1]["parameters"]["from"], "/");
}

Start start_of(Runtime runtime, const std::string& program) {
  return {.runtime = runtime,
          .program = program,
          .name = "n",
          .image = "i",
          .bundle = "/b",
          .command = {"/b/p", "inside"},
          .nvidia = true,
          .gpus = 2,
          .verbs = {"/dev/infiniband/uverbs0"}};
}
std::string text(const std::vector<std::string>& arguments) {
  std::string out;
  for (const std::string& a : arguments) out += (out.empty() ? "" : " ") + a;
  return out;
}

TEST(ContainerRuntimes, CommandLines) {
  Start s = start_of(Runtime::podman, "/usr/bin/podman");
  EXPECT_EQ(text(start_arguments(s)),
            "/usr/bin/podman run --rm --name=n --pull=never --network=host "
            "--mount=type=bind,source=/b,destination=/b,readonly --entrypoint=/b/p --device=nvidia.com/gpu=all "
            "--device=/dev/infiniband/uverbs0 i inside");
  s.hook = true;
  EXPECT_NE(text(start_arguments(s))
                .find("--entrypoint=/b/p --env=NVIDIA_VISIBLE_DEVICES=all "
                      "--env=NVIDIA_DRIVER_CAPABILITIES=compute,utility --device=/dev/infiniband/uverbs0 i inside"),
            std::string::npos);
  s.image = "", s.rootfs = "/r", s.nvidia = false, s.verbs.clear();
  EXPECT_EQ(text(start_arguments(s)),
            "/usr/bin/podman run --rm --name=n --pull=never --network=host "
            "--mount=type=bind,source=/b,destination=/b,readonly --entrypoint=/b/p --rootfs /r:O inside");
  EXPECT_EQ(text(remove_arguments(s)[0]), "/usr/bin/podman rm --force n");
  s = start_of(Runtime::docker, "docker"), s.hook = true;
  EXPECT_NE(text(start_arguments(s)).find("--gpus=all --device=/dev/infiniband/uverbs0 i inside"), std::string::npos);
  s = start_of(Runtime::containerd, "/usr/bin/ctr");
  EXPECT_EQ(text(start_arguments(s)),
            "/usr/bin/ctr run --rm --net-host --mount type=bind,src=/b,dst=/b,options=rbind:ro --device "
            "nvidia.com/gpu=all --device /dev/infiniband/uverbs0 i n /b/p inside");
  s.hook = true;
  EXPECT_NE(text(start_arguments(s)).find("--gpus 0 --gpus 1"), std::string::npos);
  EXPECT_EQ(remove_arguments(s).size(), 3u);
  EXPECT_EQ(text(list_arguments(Runtime::containerd, "/usr/bin/ctr")), "/usr/bin/ctr containers list --quiet");
  EXPECT_EQ(text(list_arguments(Runtime::docker, "docker")), "docker ps --all --format {{.Names}}");
  EXPECT_TRUE(list_arguments(Runtime::apptainer, "apptainer").empty());
  EXPECT_NE(text(start_arguments(start_of(Runtime::containerd, "nerdctl"))).find("--gpus=all"), std::string::npos);
  s = start_of(Runtime::enroot, "enroot");
  EXPECT_EQ(text(start_arguments(s)),
            "enroot start --mount /b:/b --env NVIDIA_VISIBLE_DEVICES=all --env "
            "NVIDIA_DRIVER_CAPABILITIES=compute,utility --env MELLANOX_VISIBLE_DEVICES=all i /b/p inside");
  s = start_of(Runtime::apptainer, "apptainer");
  EXPECT_EQ(text(start_arguments(s)), "apptainer exec --bind=/b:/b:ro --nv i /b/p inside");
}

TEST(ContainerRuntimes, WhatWouldBeReadOtherwiseIsRefused) {
  Start s = start_of(Runtime::docker, "docker");
  EXPECT_EQ(refused(s), "");
  s.image = "--privileged";
  EXPECT_EQ(refused(s), "'--privileged' begins with '-'");
  s.image = "", s.rootfs = "/";
  EXPECT_EQ(refused(s), "docker starts containers from images: name one with --image");
  s.image = "i", s.bundle = "/b,readonly=false";
  EXPECT_NE(refused(s), "");
}

TEST(ContainerLook, IsReadBackAsItWasWritten) {
  const Look look{.gpus = {"nvidia0", "nvidia10"},
                  .libraries = {"libcuda.so.1"},
                  .adapters = {"mlx5_0"},
                  .verbs = {"infiniband/uverbs0"},
                  .locked_memory = "unlimited",
                  .mpirun = "/usr/bin/mpirun"};
  const auto back = parse_look(look_line(look, "t\"1"));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->token, "t\"1");
  EXPECT_EQ(back->look.gpus, look.gpus);
  EXPECT_EQ(back->look.mpirun, look.mpirun);
  EXPECT_EQ(compare(look, back->look).compared, 5u);
  EXPECT_TRUE(compare(look, back->look).found.empty());
  for (const char* other : {"", "hello", "{}", "[]", R"({"record":"inside","token":"t"})", R"({"record":1})"})
    EXPECT_FALSE(parse_look(other)) << other;
}

}  // namespace
