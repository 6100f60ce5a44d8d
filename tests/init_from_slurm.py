#!/usr/bin/env python3
"""`clusterc init --from slurm:DIR`: the spec of a cluster whose slurm.conf is there compiles to files of Slurm that agree with the given ones, but for what is
listed here, and names the faults of the given ones. Files that nobody wrote in good faith end in time.

usage: init_from_slurm.py CLUSTERC WORK
"""
import os
import pathlib
import shutil
import subprocess
import sys
import time

FAULTY = {
    "slurm.conf": """ClusterName=small
SlurmctldHost=n0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ProctrackType=proctrack/pgid
TaskPlugin=task/affinity
GresTypes=gpu
NodeName=n[1-4] CPUs=64 Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=1048576 Gres=gpu:a100:8
PartitionName=gpu Nodes=n[1-4] Default=YES State=UP
""",
    "gres.conf": "NodeName=n[1-4] Name=gpu Type=a100 File=/dev/nvidia[0-6]\n",
}

# The shape of the Slurm of a public university group: one machine that is its own controller, a GPU that the catalogue does not have, MPS, settings of
# older releases.
WORKSTATION = {
    "slurm.conf": """ClusterName=compute-cluster
ControlMachine=alone
AuthType=auth/munge
SlurmctldPort=6817
StateSaveLocation=/var/spool/slurm/ctld
MpiDefault=none
TaskPlugin=task/cgroup
ProctrackType=proctrack/cgroup
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory,CR_ONE_TASK_PER_CORE
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePass=/var/run/munge/munge.socket.2
GresTypes=gpu,mps
DefMemPerGPU=30000
NodeName=alone Gres=gpu:nvidia_geforce_rtx_3090:8,mps:192 CPUs=24 Boards=1 SocketsPerBoard=1 CoresPerSocket=24 ThreadsPerCore=1 RealMemory=257626
PartitionName=PAL1 Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""",
    "gres.conf": """AutoDetect=nvml
NodeName=alone Name=gpu Type=nvidia_geforce_rtx_3090 File=/dev/nvidia[0-7]
NodeName=alone Name=mps Count=24 File=/dev/nvidia0
""",
    "cgroup.conf": "ConstrainCores=yes\nConstrainDevices=yes\nConstrainRAMSpace=no\nAllowedRAMSpace=95\n",
}

MIXED = {
    "slurm.conf": """ClusterName=Mixed_2
SlurmctldHost=ctl1(10.0.0.1)
SlurmctldHost=n03
Include /etc/slurm/nodes.conf
JobRequeue=0
GresTypes=gpu,shard
TopologyPlugin=topology/tree
RoutePlugin=route/topology
JobCompPass=secret
PartitionName=DEFAULT MaxTime=2-00:00:00
PartitionName=all Nodes=ALL
PartitionName=big Nodes=n0[1-4] Default=YES PriorityTier=10
PartitionName=cpu Nodes=c[01-16]
""",
    "nodes.conf": """NodeName=DEFAULT Sockets=2 CoresPerSocket=64 ThreadsPerCore=2 State=UNKNOWN
NodeName=n01 NodeAddr=10.1.0.1 RealMemory=2063205 Gres=gpu:h100:8 Weight=20
NodeName=n02 NodeAddr=10.1.0.2 RealMemory=2063205 Gres=gpu:h100:8
NodeName=n0[3-4] RealMemory=2063205 Gres=gpu:h100:8
NodeName=c[01-16] \\
  RealMemory=500000
NodeName=l[1-2] CPUs=64 RealMemory=515000 Gres=gpu:l40s:4,shard:16
""",
    "topology.conf": "SwitchName=leaf1 Nodes=n0[1-4]\nSwitchName=leaf2 Nodes=c[01-16],l[1-2]\nSwitchName=top Switches=leaf[1-2]\n",
}


# A cluster that has run for years: two controllers of which the second is a node, slurmdbd on the second, limits of partitions, a node that is down.
RUNNING = {
    "slurm.conf": """ClusterName=hydra
SlurmctldHost=head1(10.20.3.5)
SlurmctldHost=cn01
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=cn01
AccountingStorageEnforce=associations,limits,qos,safe
AccountingStorageTRES=gres/gpu,license/matlab
StateSaveLocation=/var/lib/slurm/slurmctld
GresTypes=gpu
NodeName=gn[01-08] NodeAddr=10.20.3.[11-18] CPUs=64 Boards=1 SocketsPerBoard=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=505000 Gres=gpu:a100:4 Weight=50 Feature=ib,amd,a&b
NodeName=cn[01-04] CPUs=64 Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=505000 MemSpecLimit=8192 Weight=10 Feature=ib,amd
DownNodes=gn08 State=DOWN Reason="broken riser"
PartitionName=gpu Nodes=gn[01-08] Default=YES MaxTime=3-00:00:00 DefaultTime=04:00:00 State=UP DefMemPerCPU=7800 OverSubscribe=NO AllowGroups=gpuusers QOS=part_gpu
PartitionName=cpu Nodes=cn[01-04] MaxTime=1-00:00:00 DefaultTime=01:00:00 State=DRAIN AllowAccounts=bio,physics PriorityTier=2 TRESBillingWeights=CPU=1
PartitionName=some Nodes=cn[03-04] MaxTime=08:00:00 OverSubscribe=EXCLUSIVE PriorityJobFactor=7
""",
}


# DEFAULT lines that follow each other; settings of nodes and partitions for which the language has no word.
DEFAULTS = {
    "slurm.conf": """ClusterName=inherit
SlurmctldHost=ctl1
SelectType=select/cons_tres
JobRequeue=2
SuspendExcNodes=n1
ResumeTimeout=900
GresTypes=gpu,lustre
NodeName=DEFAULT TmpDisk=1700000 Sockets=2 CoresPerSocket=32 Feature=ib Weight=5
NodeName=DEFAULT MemSpecLimit=4096 State=UNKNOWN
NodeName=n[1-4] RealMemory=500000 CoreSpecCount=2
NodeName=n[5-6] RealMemory=500000 CoreSpecCount=4 NodeAddr=10.0.0.[5-6] NodeHostname=n[5-6] State=FUTURE Gres=lustre:no_consume:1
PartitionName=DEFAULT MaxTime=60 MaxMemPerCPU=4000 AllowAccounts=bio QOS=normal
PartitionName=DEFAULT MaxNodes=2 PriorityTier=3 ExclusiveUser=YES
PartitionName=a Nodes=n[1-4] Default=YES
PartitionName=DEFAULT MaxNodes=4 MaxMemPerCPU=UNLIMITED OverSubscribe=NO
PartitionName=b Nodes=n[1-6] TRESBillingWeights=CPU=2 AllowAccounts=ALL
""",
    "topology.conf": "SwitchName=leaf1 Nodes=n[1-6]\n",
}


def pairs(line):
    return {k.lower(): v for k, _, v in (word.partition("=") for word in line.split())}


def conf(path):
    """Settings, and lines by the key and name that they begin with."""
    settings, lines = {}, {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        key = line.split("=")[0].lower()
        if key in ("nodename", "partitionname"):
            lines[(key, pairs(line)[key])] = pairs(line)
        else:
            settings.setdefault(key, line.partition("=")[2].strip())
    return settings, lines


class Test:
    def __init__(self, clusterc, work):
        self.clusterc, self.work, self.wrong = clusterc, pathlib.Path(work), 0

    def demand(self, good, what):
        if not good:
            self.wrong += 1
            print("FAILED:", what)

    def call(self, *arguments):
        return subprocess.run([self.clusterc, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=120, check=False)

    def given(self, name, files):
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "given").mkdir(parents=True)
        for file, text in files.items():
            (folder / "given" / file).write_bytes(text.encode("utf-8", "surrogateescape"))
        return folder

    def compiled(self, name, files, warned=()):
        """The spec of these files, and what is compiled from it."""
        folder = self.given(name, files)
        spec = folder / "cluster.yaml"
        made = self.call("init", "--from", f"slurm:{folder / 'given'}", "-o", spec)
        self.demand(made.returncode == 0, f"{name}: {made.stderr}")
        checked = self.call("check", spec)
        unexpected = [line for line in checked.stdout.splitlines() if "warning:" in line and not any(w in line for w in warned)]
        self.demand(checked.returncode == 0 and not unexpected, f"{name}: check: {checked.stdout}")
        done = self.call("compile", spec, "--only", "slurm", "-o", folder / "out")
        self.demand(done.returncode == 0, f"{name}: compile: {done.stdout} {done.stderr}")
        return spec.read_text(encoding="utf-8"), made.stderr, folder / "out/slurm"

    def differences(self, name, ours):
        """Keys of the given slurm.conf whose value is another one, or missing, in the compiled one."""
        settings, lines = conf(self.work / name / "given/slurm.conf")
        our_settings, our_lines = conf(ours / "slurm.conf")
        out = {k for k, v in settings.items() if our_settings.get(k) != v}
        for key, line in lines.items():
            for k, v in line.items():
                if our_lines.get(key, {}).get(k) != v:
                    out.add(f"{key[1]} {k}")
        return out

    def faulty(self):
        spec, told, ours = self.compiled("faulty", FAULTY, warned=("slurm-time-unlimited",))
        self.demand(self.differences("faulty", ours) == {"proctracktype", "taskplugin", "n[1-4] realmemory"},
                    f"faulty: {self.differences('faulty', ours)}")
        for rule in ("file-slurm-gpus-unconfined", "file-slurm-memory-overstated", "file-slurm-gres-differs"):
            self.demand(rule in told, f"faulty: {rule} is not reported")
        for words in ("can use all 8 GPUs", "RealMemory promises all 1024 GiB", "gres.conf has 7 devices"):
            self.demand(words in spec, f"faulty: the spec does not name the fault '{words}'")
        self.demand("File=/dev/nvidia[0-7]" in (ours / "gres.conf").read_text(), "faulty: gres.conf has not all devices")
        _, lines = conf(ours / "slurm.conf")
        self.demand(lines[("nodename", "n[1-4]")]["realmemory"] == "1015808", "faulty: RealMemory")

    def workstation(self):
        spec, _, ours = self.compiled("workstation", WORKSTATION, warned=("node-few-cores-per-gpu", "slurm-time-unlimited"))
        self.demand(self.differences("workstation", ours) == {"controlmachine", "taskplugin", "accountingstoragehost", "accountingstoragepass", "grestypes",
                                                              "alone gres", "alone boards", "alone socketsperboard",
                                                              "PAL1 nodes", "PAL1 maxtime"}, f"workstation: {self.differences('workstation', ours)}")
        self.demand("munge.socket" not in spec, "workstation: what can be a password was copied")
        self.demand("Gres=gpu:nvidia_geforce_rtx_3090:8 " in (ours / "slurm.conf").read_text(), "workstation: the GPUs")
        self.demand("AllowedRAMSpace=95" in (ours / "cgroup.conf").read_text(), "workstation: cgroup.conf")
        self.demand("ConstrainRAMSpace=no. clusterc writes yes" in spec and "'mps'" in spec, "workstation: what is not compiled is not listed")

    def mixed(self):
        spec, _, ours = self.compiled("mixed", MIXED, warned=("slurm-state-not-shared",))
        _, lines = conf(ours / "slurm.conf")
        nodes = lines.get(("nodename", "n[02-04]"), {})
        self.demand(nodes.get("gres") == "gpu:h100:8" and nodes.get("cpus") == "256" and nodes.get("realmemory") == "2063205", f"mixed: {nodes}")
        self.demand(lines.get(("nodename", "n01"), {}).get("weight") == "20" and "weight" not in nodes, f"mixed: weight: {lines}")
        self.demand(lines.get(("nodename", "c[01-16]"), {}).get("realmemory") == "500000", f"mixed: {lines}")
        self.demand(lines.get(("nodename", "l[1-2]"), {}).get("gres") == "gpu:l40s:4,shard:16", f"mixed: {lines}")
        for partition, list_ in (("big", "n[01-04]"), ("cpu", "c[01-16]")):
            self.demand(lines.get(("partitionname", partition), {}).get("nodes") == list_, f"mixed: partition {partition}")
            self.demand(lines.get(("partitionname", partition), {}).get("maxtime") == "2880", f"mixed: limit of {partition}")
        self.demand(lines.get(("partitionname", "all"), {}).get("nodes") == "c[01-16],l[1-2],n[01-04]", "mixed: partition all")
        self.demand(lines.get(("partitionname", "big"), {}).get("prioritytier") == "10", "mixed: PriorityTier")
        settings, _ = conf(ours / "slurm.conf")
        self.demand(settings["jobrequeue"] == "0", "mixed: JobRequeue")
        for words in ("SwitchName=top Switches=leaf[1-2]", "SlurmctldHost=ctl1(10.0.0.1): the address is not kept", "ClusterName=Mixed_2", "CPUs=64",
                      "# - TopologyPlugin=topology/tree: ", "# - RoutePlugin=route/topology: slurmctld does not start"):
            self.demand(words in spec, f"mixed: the spec does not say '{words}'")
        self.demand("routeplugin" not in settings, "mixed: RoutePlugin without a topology")
        self.demand("secret" not in spec, "mixed: a password was copied")

    def running(self):
        spec, _, ours = self.compiled("running", RUNNING, warned=("slurm-state-not-shared",))
        _, lines = conf(ours / "slurm.conf")
        text = (ours / "slurm.conf").read_text(encoding="utf-8")
        hosts = [line for line in text.splitlines() if line.startswith("SlurmctldHost=")]
        self.demand(hosts == ["SlurmctldHost=head1", "SlurmctldHost=cn01"], f"running: {hosts}")
        # Addresses and MemSpecLimit are listed in the spec; times are written in minutes
        told = {"slurmctldhost", "accountingstoragetres", "gn[01-08] nodeaddr", "gn[01-08] boards", "gn[01-08] socketsperboard", "gn[01-08] feature", "cn[01-04] feature",
                "cn[01-04] memspeclimit", "cpu tresbillingweights"}
        times = {f"{p} {k}" for p in ("gpu", "cpu", "some") for k in ("maxtime", "defaulttime")} - {"some defaulttime"}
        self.demand(self.differences("running", ours) == told | times, f"running: {self.differences('running', ours) ^ (told | times)}")
        for partition, maximum, usual in (("gpu", "4320", "240"), ("cpu", "1440", "60"), ("some", "480", None)):
            line = lines[("partitionname", partition)]
            self.demand((line["maxtime"], line.get("defaulttime")) == (maximum, usual), f"running: times of {partition}: {line}")
        for names in ("gn[01-08]", "cn[01-04]"):
            self.demand({"ib", "amd"} <= set(lines[("nodename", names)]["feature"].split(",")), f"running: features of {names}")
        for words in ("SlurmctldHost=head1(10.20.3.5): the address", "has 'license/matlab'", "feature=a&b", "MemSpecLimit=8192 of cn[01-04]", "cannot have TRESBillingWeights=CPU=1"):
            self.demand(words in spec, f"running: the spec does not say '{words}'")
        elsewhere = {"slurm.conf": RUNNING["slurm.conf"].replace("AccountingStorageHost=cn01", "AccountingStorageHost=db7")}
        spec, _, ours = self.compiled("elsewhere", elsewhere, warned=("slurm-state-not-shared",))
        self.demand("slurmdbd runs on 'db7', which is no node here" in spec and "AccountingStorageEnforce=associations,limits,qos,safe: it needs" in spec,
                    "elsewhere: the spec does not say that slurmdbd runs elsewhere")
        self.demand("AccountingStorage" not in (ours / "slurm.conf").read_text(encoding="utf-8"), "elsewhere: accounting")

    def database(self):
        """slurmdbd.conf: extra lines, a reference to the password, and a word where the spec has no slurmdbd."""
        slurmdbd = ("AuthType=auth/munge\nDbdHost=cn01\nStorageType=accounting_storage/mysql\nStorageHost=db3\nStoragePort=3307\nStorageUser=slurm\nStorageLoc=acct\n"
                    "StoragePass=hunter2\nPurgeJobAfter=24months\nArchiveJobs=yes\nArchiveDir=/var/spool/archive\nPrivateData=jobs,usage\n")
        files = {"slurm.conf": RUNNING["slurm.conf"].replace("StateSave", "AccountingStoragePort=6820\nStateSave"), "slurmdbd.conf": slurmdbd,
                 "job_container.conf": "AutoBasePath=true\n"}
        spec, told, ours = self.compiled("database", files, warned=("slurm-state-not-shared",))
        settings, _ = conf(ours / "slurmdbd.conf")
        for line in slurmdbd.splitlines():
            key, _, value = line.partition("=")
            self.demand(key == "StoragePass" or settings.get(key.lower()) == value, f"database: {key} is {settings.get(key.lower())}, not {value}")
        self.demand("Include /etc/slurm/slurmdbd.password.conf" in (ours / "slurmdbd.conf").read_text(encoding="utf-8"), "database: no reference to the password")
        self.demand("hunter2" not in spec + told and "slurmdbd.conf: storagepass: " in told, "database: the password")
        self.demand(conf(ours / "slurm.conf")[0].get("accountingstorageport") == "6820", "database: AccountingStoragePort")
        self.demand("job_container.conf: clusterc does not read the file" in told, f"database: {told}")
        files["slurm.conf"] = files["slurm.conf"].replace("AccountingStorageHost=cn01", "AccountingStorageHost=db7")
        spec, told, _ = self.compiled("no-database", files, warned=("slurm-state-not-shared",))
        for words in ("PurgeJobAfter=24months", "ArchiveDir=/var/spool/archive", "StorageLoc=acct", "AccountingStoragePort=6820", "AccountingStorageEnforce="):
            self.demand(words in told and words in spec, f"no-database: the user is not told of {words}: {told}")
        self.demand("StorageType" not in told, "no-database: what clusterc writes alike is no loss")
        self.demand("hunter2" not in spec + told, "no-database: the password")

    def programs(self):
        """Programs of the site keep running; those under the names of compiled ones move."""
        site = {"Prolog": "/etc/slurm/prolog.sh", "Epilog": "/etc/slurm/epilog.d/*", "TaskProlog": "/etc/slurm/taskprolog.sh", "HealthCheckProgram": "/usr/sbin/nhc",
                "HealthCheckInterval": "600", "PrologSlurmctld": "/etc/slurm/prologslurmctld.sh"}
        lines = "".join(f"{key}={path}\n" for key, path in site.items())
        spec, told, ours = self.compiled("programs", {"slurm.conf": FAULTY["slurm.conf"] + lines}, warned=("slurm-time-unlimited", "slurm-program-replaced"))
        settings, _ = conf(ours / "slurm.conf")
        moved = {"Prolog": "/etc/slurm/prolog.*sh", "TaskProlog": "/etc/slurm/taskprolog.site.sh"}
        for key, path in (site | moved).items():
            self.demand(settings.get(key.lower()) == path, f"programs: {key}={settings.get(key.lower())}, not {path}")
        for name in ("prolog", "taskprolog"):
            words = f"Copy yours to /etc/slurm/{name}.site.sh on each machine first"
            self.demand(words in told and words in spec, f"programs: the user is not told to copy {name}: {told}")

    def nothing_lost(self, name, told):
        """Each setting of the given slurm.conf is compiled alike, is a line's name, or is named to the user."""
        settings, lines = conf(self.work / name / "given/slurm.conf")
        for k in sorted(self.differences(name, self.work / name / "out/slurm")):
            of, _, key = k.rpartition(" ")
            if of == "DEFAULT" or k == "grestypes" or key == "nodehostname":   # the lines that follow have it; each other type is named; it is the name
                continue
            value = settings[key] if not of else next(line[key] for (_, n), line in lines.items() if n == of)
            self.demand(f"{key}={value}".lower() in told.lower(), f"{name}: nobody is told of {k}={value}")

    def defaults(self):
        spec, told, ours = self.compiled("defaults", DEFAULTS)
        _, lines = conf(ours / "slurm.conf")
        shared = {"maxtime": "60", "qos": "normal", "prioritytier": "3", "exclusiveuser": "YES"}
        a, b = lines.get(("partitionname", "a"), {}), lines.get(("partitionname", "b"), {})
        for line, own in ((a, {"maxmempercpu": "4000", "defmempercpu": "4000", "maxnodes": "2", "allowaccounts": "bio"}),
                          (b, {"maxmempercpu": "UNLIMITED", "maxnodes": "4", "allowaccounts": "ALL", "oversubscribe": "NO"})):
            self.demand((shared | own).items() <= line.items(), f"defaults: {line}")
        text = (ours / "slurm.conf").read_text(encoding="utf-8")
        self.demand("\nResumeTimeout=900\n" in text and "NodeHostname" not in told, f"defaults: ResumeTimeout, or a host name that is the node's: {told}")
        self.demand("\nNodeName=DEFAULT MemSpecLimit=4096 TmpDisk=1700000\n" in text, f"defaults: no DEFAULT line of the nodes: {text}")
        self.demand(text.count("Weight=5") >= 1 and text.count("Feature=") >= 1, f"defaults: {text}")
        for words in ("CoreSpecCount=2 of n[1-4]", "CoreSpecCount=4 of n[5-6]", "NodeAddr=10.0.0.[5-6] of n[5-6]", "State=FUTURE of n[5-6]", "Gres=lustre:no_consume:1 of n[5-6]",
                      "partition 'b' cannot have TRESBillingWeights=CPU=2", "JobRequeue=2", "SuspendExcNodes=n1", "the switches of topology.conf"):
            self.demand(words in spec and f"  - {words}" in told, f"defaults: the user is not told '{words}': {told}")
        self.demand(" settings of Slurm's files are not in the spec as written there:\n" in told, f"defaults: {told}")
        for text in (spec, told):
            self.demand("--check --diff" in text, "defaults: the user is not told what the plays change")
        self.nothing_lost("defaults", told)

    def hostile(self):
        loop = {"slurm.conf": "ClusterName=x\nSlurmctldHost=a\nNodeName=a CPUs=4 RealMemory=8000\nInclude slurm.conf\nInclude b.conf\n", "b.conf": "Include b.conf\n" * 500}
        cases = {
            "loop": (loop, {0}),
            "range": ({"slurm.conf": "ClusterName=x\nNodeName=node[1-999999999] CPUs=4\nPartitionName=p Nodes=node[1-999999999]\n"}, {2}),
            "ranges": ({"slurm.conf": "ClusterName=x\n" + "NodeName=n[1-1000]r[1-1000] CPUs=4\nNodeName=m[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9] CPUs=2\n" * 50}, {0, 2}),
            "long": ({"slurm.conf": "ClusterName=x\nNodeName=a CPUs=4 " + "Feature=" + "x" * 4_000_000 + "\nPartitionName=p Nodes=" + "a," * 1_000_000 + "a\n"}, {0}),
            "many": ({"slurm.conf": "ClusterName=x\n" + "".join(f"NodeName=n{i} CPUs={i}\nPartitionName=p{i} Nodes=ALL\n" for i in range(1, 3000))}, {2}),
            "partitions": ({"slurm.conf": "ClusterName=x\nNodeName=n[1-10000] CPUs=4\n" + "".join(f"PartitionName=p{i} Nodes=n[1-10000]\n" for i in range(300))}, {0}),
            "quotes": ({"slurm.conf": "ClusterName=\"a'b: [c]\"\nSlurmctldHost=$(x),`y`\nNodeName=n1 CPUs=2 RealMemory=9999 Gres=gpu:a:b:-:4,gpu:\"x\ty\":2 Feature='{}'\n"
                                      "PartitionName=../p Nodes=n1\nPartitionName=default2 Nodes=n1 AllowGroups=\"a b\"\nSlurmctldDebug=\x01\x02\xff\n"}, {0}),
            "bytes": ({"slurm.conf": "ClusterName=\udcff\udcfe\nNodeName=n1 CPUs=2 Gres=gpu:\udc80\udc80:2 Weight=\udcff\nPartitionName=\udcff Nodes=n1\nSlurmctldDebug=\udcc0\n"}, {0}),
            "numbers": ({"slurm.conf": "ClusterName=x\nNodeName=n1 CPUs=99999999999999999999 Sockets=0 CoresPerSocket=9223372036854775807 ThreadsPerCore=0 "
                                       "RealMemory=9223372036854775807 Gres=gpu:h100:9223372036854775807,shard:18446744073709551615\n"}, {0}),
            "folder": ({"slurm.conf": "clusterc: 1\n"}, {2}),
        }
        for name, (files, statuses) in cases.items():
            folder = self.given("hostile-" + name, files)
            start = time.monotonic()
            done = self.call("init", "--from", f"slurm:{folder / 'given'}", "-o", folder / "cluster.yaml")
            self.demand(done.returncode in statuses, f"{name}: status {done.returncode}: {done.stderr[:600]}")
            self.demand(time.monotonic() - start < 30, f"{name}: {time.monotonic() - start:.0f} s")
            self.demand(len(done.stderr) < 200_000, f"{name}: {len(done.stderr)} characters")
            if done.returncode == 0:   # what is written can be read again
                checked = self.call("check", folder / "cluster.yaml")
                self.demand(checked.returncode in (0, 1) and "yaml-" not in checked.stdout, f"{name}: {checked.stdout[:600]}")
                files = {os.path.relpath(path, folder) for path in folder.rglob("*") if path.is_file() and "given" not in path.parts}
                self.demand(all(f == "cluster.yaml" or f.startswith("slurm-parts/") for f in files), f"{name}: wrote {files}")

    def arguments(self):
        folder = self.given("arguments", FAULTY)
        spec = folder / "cluster.yaml"
        for arguments in (["--from", f"slurm:{folder / 'given'}"], ["--from", "slurm:"], ["--from", f"slurm:{folder / 'none'}", "-o", spec],
                          ["--from", f"slurm:{folder / 'given/gres.conf'}", "-o", spec], ["--from", "other:x", "-o", spec]):
            done = self.call("init", *arguments)
            self.demand(done.returncode == 2 and not spec.exists(), f"{arguments}: {done.returncode} {done.stderr}")
        (folder / "slurm-parts").mkdir()
        mine = folder / "slurm-parts/a100.yaml"
        mine.write_text("mine")
        done = self.call("init", "--from", f"slurm:{folder / 'given'}", "-o", spec)
        self.demand(done.returncode == 2 and mine.read_text() == "mine" and not spec.exists(), "a part was overwritten")
        done = self.call("init", "--from", f"slurm:{folder / 'given'}", "-o", spec, "--force")
        self.demand(done.returncode == 0 and mine.read_text() != "mine", "--force did not overwrite a part")


def main():
    test = Test(*sys.argv[1:3])
    for case in (test.faulty, test.workstation, test.mixed, test.running, test.defaults, test.database, test.programs, test.hostile, test.arguments):
        case()
    print(f"{test.wrong} wrong" if test.wrong else "specs of nine slurm.conf compile to files that agree with them")
    return test.wrong > 0


if __name__ == "__main__":
    sys.exit(main())
