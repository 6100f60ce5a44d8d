#!/usr/bin/env python3
"""`clusterc audit --nodes`: what is planted in the records of six nodes is named, with its node, and nothing else is.

usage: audit_nodes.py CLUSTERC SOURCE WORK PROBE

The records are made up here, with the members that clusterc-probe writes, after the DGX H100 of the catalogue; one real record of this machine is compared too.
"""
import copy
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time

clusterc, source, work, probe = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4]
spec = os.path.join(source, "tests/audit/nodes/cluster.yaml")
NODES = [f"gpu{n:03}" for n in range(1, 7)]
GEN5 = {"link_transfers_per_second": 32e9, "link_lanes": 16, "max_link_transfers_per_second": 32e9, "max_link_lanes": 16}


def demand(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def function(address, parent, vendor, device, kind, **more):
    return {"address": address, "class": kind, "vendor": vendor, "device": device, "parent": parent, **more}


def gpu_node(name):
    """A root port, a switch with two ports, a GPU and an adapter for each of eight; two cards with two ports."""
    pci, gpus, rdma = [], [], []
    for n in range(8):
        root, bus = f"pci0000:{0x10 + n:02x}", 0x20 + 0x10 * n
        port, up = f"0000:{0x10 + n:02x}:01.0", f"0000:{bus:02x}:00.0"
        downs = [f"0000:{bus + 1:02x}:00.0", f"0000:{bus + 1:02x}:01.0"]
        gpu, nic = f"0000:{bus + 2:02x}:00.0", f"0000:{bus + 3:02x}:00.0"
        pci += [function(port, root, "0x8086", "0x352a", "0x060400", acs_control=0x1d), function(up, port, "0x1000", "0xc030", "0x060400", acs_control=0)]
        pci += [function(d, up, "0x1000", "0xc030", "0x060400", acs_control=0) for d in downs]
        pci += [function(gpu, downs[0], "0x10de", "0x2330", "0x030200", driver="nvidia", **GEN5),
                function(nic, downs[1], "0x15b3", "0x1021", "0x020700", driver="mlx5_core", **GEN5)]
        gpus.append({"index": n, "source": "nvml", "name": "NVIDIA H100 80GB HBM3", "vbios": "96.00.74.00.01", "memory_bytes": 85520809984, "power_limit_watts": 700,
                     "pcie_generation": 5, "pcie_lanes": 16, "max_pcie_generation": 5, "max_pcie_lanes": 16, "nvlinks_up": 18, "nvlinks": 18, "pci_address": gpu})
        rdma.append({"name": f"mlx5_{n}", "firmware": "28.43.2026", "hca_type": "MT4129", "pci_address": nic,
                     "ports": [{"port": "1", "state": "4: ACTIVE", "rate": "400 Gb/sec (4X NDR)"}]})
    for n, bus in enumerate((0xb0, 0xc0)):
        pci.append(function(f"0000:{bus:02x}:01.0", f"pci0000:{bus:02x}", "0x8086", "0x352a", "0x060400", acs_control=0x1d))
        for port in (0, 1):
            pci.append(function(f"0000:{bus + 1:02x}:00.{port}", f"0000:{bus:02x}:01.0", "0x15b3", "0x1021", "0x020000" if port else "0x020700", driver="mlx5_core", **GEN5))
            rdma.append({"name": f"mlx5_{8 + 2 * n + port}", "firmware": "28.43.2026", "pci_address": f"0000:{bus + 1:02x}:00.{port}",
                         "ports": [{"port": "1", "state": "4: ACTIVE", "rate": "100 Gb/sec (2X HDR)"}]})
    drives = [{"name": f"nvme{n}n1", "bytes": 1920383410176 if n < 2 else 3840755982336, "nvme": True, "model": "SAMSUNG MZ" + ("1L21T9" if n < 2 else "WLR3T8")}
              for n in range(10)]
    limits = {"root": False, "memlock_bytes": {"soft": "unlimited", "hard": "unlimited"}, "nofile": {"soft": 1048576, "hard": 1048576}}
    return {"record": "probe", "host": name, "time": "2026-11-28T10:00:00Z", "os": {"id": "ubuntu", "name": "Ubuntu 22.04.5 LTS", "version": "22.04", "codename": "jammy"},
            "kernel": {"release": "5.15.0-1063-nvidia", "version": "#64-Ubuntu SMP",
                       "arguments": f"BOOT_IMAGE=/boot/vmlinuz-5.15.0-1063-nvidia root=UUID={name} ro intel_iommu=on iommu=pt numa_balancing=disable crashkernel=1G",
                       "modules": {"ib_core": "24.10-1.1.4", "mlx5_core": "24.10-1.1.4", "nvidia": "580.95.05", "nvidia_peermem": "580.95.05"}},
            "cpu": {"arch": "x86_64", "vendor": "GenuineIntel", "model": "Intel(R) Xeon(R) Platinum 8480+", "threads": 224, "cores": 112, "threads_per_core": 2, "sockets": 2,
                    "numa_nodes": [{"id": n, "cores": 56} for n in (0, 1)]},
            "memory": {"total_bytes": 2164000000000 + 4096 * int(name[-1]), "dimms": [{"slot": f"DIMM{n}", "bytes": 64 << 30} for n in range(32)]},
            "platform": {"sys_vendor": "NVIDIA", "product_name": "DGXH100", "bios_version": "1.06.07", "virtual_machine": False},
            "pci": pci, "nvidia": {"nvml": True, "kernel_module": "580.95.05", "driver": "580.95.05", "cuda": "13.0", "cuda_toolkit": "13.0.2", "nccl": "2.28.9"},
            "gpus": gpus, "nics": [], "rdma": rdma, "drives": drives, "mounts": [], "limits": limits}


def head_node():
    record = gpu_node("head1")
    record.update(gpus=[], rdma=[], pci=[], nvidia={"nvml": False}, memory={"total_bytes": 810000000000})
    record["drives"] = [{"name": f"nvme{n}n1", "bytes": 960197124096 if n < 2 else 3840755982336, "nvme": True} for n in range(10)]
    record["cpu"].update(model="AMD EPYC 9354 32-Core Processor", cores=64, threads=128)
    return record


def write(records, folder="records"):
    path = os.path.join(work, folder)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    for name, record in records.items():
        with open(os.path.join(path, name + ".json"), "w", encoding="utf-8") as file:
            file.write(record if isinstance(record, str) else json.dumps(record, separators=(",", ":")) + "\n")
    return path


def audit(*arguments, form="json"):
    done = subprocess.run([clusterc, "audit", spec, *arguments, "--format", form], capture_output=True, text=True, timeout=120, check=False)
    if form != "json" or not done.stdout.startswith("{"):
        return done.returncode, done.stdout, done.stderr
    told = json.loads(done.stdout)
    return done.returncode, [(f["rule"], f["message"], f["objects"]) for f in told["findings"]], told


def compare(what, records, wanted, status, *more):
    """Findings are those of `wanted`, in any order: (rule, node or None, words that the message has)."""
    got_status, got, told = audit("--nodes", write(records), *more)
    demand(isinstance(got, list), f"{what}: {told}")
    left = list(got)
    for rule, node, *words in wanted:
        hit = next((f for f in left if f[0] == rule and all(w in f[1] for w in words) and (node is None or f[2] == ["node/" + node])), None)
        demand(hit, f"{what}: no {rule} of {node} with {words} in\n" + "\n".join(map(str, got)))
        left.remove(hit)
    demand(not left, f"{what}: nobody planted\n" + "\n".join(map(str, left)))
    demand(got_status == status, f"{what}: exit status {got_status}, not {status}")
    return told


base = {name: gpu_node(name) for name in NODES}
base["head1"] = head_node()
DIFFERS, UNEQUAL, UNREAD = "audit-node-differs", "audit-node-unequal", "audit-node-unread"


def planted(change, node="gpu003"):
    records = copy.deepcopy(base)
    records[node] = change(records[node]) or records[node]
    return records


def pci_of(record, address):
    return next(f for f in record["pci"] if f["address"] == address)


def on_gpu(record, index, **fields):
    gpu = record["gpus"][index]
    pci_of(record, gpu["pci_address"]).update({k: v for k, v in fields.items() if "link" in k})
    gpu.update({k: v for k, v in fields.items() if "link" not in k or "nvlinks" in k})


def set_in(path, value):
    def change(record):
        at = record
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
    return change


def arguments(old, new):
    def change(record):
        record["kernel"]["arguments"] = record["kernel"]["arguments"].replace(old, new)
    return change


def every_acs(record):
    pci_of(record, "0000:21:00.0")["acs_control"] = 0x1d
    pci_of(record, "0000:31:00.0")["acs_control"] = 0x1d


def spelled_by_nvml(record):
    """NVML writes 00000000:22:00.0 and capitals where the kernel has 0000:22:00.0."""
    for gpu in record["gpus"]:
        gpu["pci_address"] = "0000" + gpu["pci_address"].upper()


def every_acs_spelled(record):
    every_acs(record)
    spelled_by_nvml(record)


def driver(record):
    record["nvidia"].update(driver="570.133.20", kernel_module="570.133.20", cuda="12.8")
    record["kernel"]["modules"].update(nvidia="570.133.20", nvidia_peermem="570.133.20")


def other_slot(record):
    """An adapter that shared a root port with a GPU is below one of its own."""
    nic = pci_of(record, "0000:23:00.0")
    record["pci"].append(function("0000:f0:00.0", "pci0000:f0", "0x8086", "0x352a", "0x060400"))
    nic["parent"] = "0000:f0:00.0"


def minor_driver(record):
    record["nvidia"].update(driver="580.65.06", kernel_module="580.65.06")


def main():
    gpu3 = "gpu/003"
    gpu = base["gpu003"]["gpus"][2]["pci_address"]
    told = compare("as planned", base, [], 0)
    demand(told["nodes"] == {"asked": 7, "read": 7, "as_planned": 7, "in_part": 0, "differing": 0, "unread": 0, "nodes_not_asked": 0}, told["nodes"])
    cases = {
        "a DIMM fewer": (lambda r: r["memory"].update(dimms=r["memory"]["dimms"][1:], total_bytes=2096000000000), [(DIFFERS, gpu3, "31 x 64 GiB", "planned 32 x 64 GiB")]),
        "a DIMM fewer, which only the sum shows": (lambda r: (r["memory"].pop("dimms"), r["memory"].update(total_bytes=2096000000000)) and None,
                                                   [(DIFFERS, gpu3, "has 1952.1 GiB of memory, planned 2048 GiB")]),
        "less memory than the others": (lambda r: (r["memory"].pop("dimms"), r["memory"].update(total_bytes=2140000000000)) and None,
                                        [(UNEQUAL, gpu3, "the memory of 'gpu003' is '1993 GiB', of 5 other nodes")]),
        "a GPU at Gen4": (lambda r: on_gpu(r, 2, link_transfers_per_second=16e9), [(DIFFERS, gpu3, f"GPU {gpu} at PCIe generation 4, planned 5")]),
        "a slot that can do Gen4": (lambda r: on_gpu(r, 2, link_transfers_per_second=16e9, max_link_transfers_per_second=16e9), [(DIFFERS, gpu3, f"GPU {gpu} at PCIe generation 4")]),
        "an idle GPU": (lambda r: on_gpu(r, 2, link_transfers_per_second=2.5e9), [(UNREAD, gpu3, f"the PCIe generation of GPU {gpu}, which is idle, of 'gpu003': not read")]),
        "half width": (lambda r: on_gpu(r, 2, link_lanes=8), [(DIFFERS, gpu3, f"GPU {gpu} with 8 PCIe lanes, planned 16")]),
        "an adapter at half width": (lambda r: pci_of(r, "0000:23:00.0").update(link_lanes=8), [(DIFFERS, gpu3, "adapter 0000:23:00.0 with 8 PCIe lanes, planned 16")]),
        "an adapter at Gen3": (lambda r: pci_of(r, "0000:23:00.0").update(link_transfers_per_second=8e9), [(DIFFERS, gpu3, "adapter 0000:23:00.0 at PCIe generation 3")]),
        "another driver": (driver, [(DIFFERS, gpu3, "runs the GPU driver 570.133.20, planned 580")]),
        "another release of the planned branch": (minor_driver, [(UNEQUAL, gpu3, "the GPU driver of 'gpu003' is '580.65.06', of 5 other nodes of the group '580.95.05'")]),
        "ACS on": (every_acs, [(DIFFERS, gpu3, "ACS on at bridges 0000:21:00.0, 0000:31:00.0, planned off")]),
        "a missing kernel argument": (arguments(" iommu=pt", ""), [(DIFFERS, gpu3, "lacks the kernel argument 'iommu=pt'")]),
        "another kernel argument": (arguments(" crashkernel=1G", " crashkernel=2G"), [(UNEQUAL, gpu3, "further kernel arguments", "crashkernel=2G")]),
        "another nofile": (set_in(("limits", "nofile", "soft"), 1024), [(DIFFERS, gpu3, "the limit of open files 1024, planned 1048576")]),
        "another memlock": (set_in(("limits", "memlock_bytes", "soft"), 8388608), [(DIFFERS, gpu3, "the limit of locked memory 8388608 bytes, planned unlimited")]),
        "a GPU fewer": (lambda r: r["gpus"].pop() and None, [(DIFFERS, gpu3, "has 7 GPUs, planned 8")]),
        "a GPU that fell off": (lambda r: r["gpus"].__setitem__(7, {"index": 7, "source": "nvml", "accessible": False}), [(DIFFERS, gpu3, "GPU with index 7, which the driver cannot open")]),
        "another GPU": (set_in(("gpus", 4, "name"), "NVIDIA H100 PCIe"), [(DIFFERS, gpu3, "'NVIDIA H100 PCIe'", "planned nvidia-h100-sxm5-80")]),
        "an NVLink down": (set_in(("gpus", 5, "nvlinks_up"), 17), [(DIFFERS, gpu3, "with 17 NVLinks up, planned 18")]),
        "another VBIOS": (lambda r: [g.update(vbios="96.00.89.00.01") for g in r["gpus"]] and None, [(UNEQUAL, gpu3, "the VBIOS of the GPUs", "96.00.89.00.01")]),
        "other firmware of adapters": (lambda r: [d.update(firmware="28.39.1002") for d in r["rdma"]] and None, [(UNEQUAL, gpu3, "the firmware of the RDMA adapters", "28.39.1002")]),
        "another RDMA stack": (set_in(("kernel", "modules", "mlx5_core"), "23.10-0.5.5"), [(DIFFERS, gpu3, "runs the RDMA stack 23.10-0.5.5, planned 24.10")]),
        "another kernel": (set_in(("kernel", "release"), "5.15.0-1052-nvidia"), [(UNEQUAL, gpu3, "the kernel of 'gpu003'")]),
        "an adapter in another slot": (other_slot, [(UNEQUAL, gpu3, "the number of GPUs without an RDMA adapter below the same PCIe root port of 'gpu003' is '1', of 5 other nodes of the group '0'")]),
        "another BIOS": (set_in(("platform", "bios_version"), "1.5.3"), [(UNEQUAL, gpu3, "the BIOS of 'gpu003' is '1.5.3'")]),
        "a socket fewer": (lambda r: r["cpu"].update(sockets=1), [(DIFFERS, gpu3, "has 1 processor, planned 2")]),
        "SMT off": (lambda r: r["cpu"].update(threads=112, threads_per_core=1), [(DIFFERS, gpu3, "1 thread a core, planned 2")]),
        "four NUMA nodes": (lambda r: r["cpu"].update(numa_nodes=[{"id": n, "cores": 28} for n in range(4)]), [(UNEQUAL, gpu3, "the number of NUMA nodes of 'gpu003' is '4'")]),
        "a drive fewer": (lambda r: r["drives"].pop() and None, [(DIFFERS, gpu3, "7 x 3.84", "planned 2 x 1.92 TB, 8 x 3.84 TB")]),
        "a port down": (set_in(("rdma", 3, "ports", 0, "state"), "1: DOWN"), [(DIFFERS, gpu3, "has 7 ports at 400 Gb/s (mlx5_3 is down", "planned 8")]),
        "a port at half the rate": (set_in(("rdma", 3, "ports", 0, "rate"), "200 Gb/sec (4X HDR)"), [(DIFFERS, gpu3, "has 7 ports at 400 Gb/s (mlx5_3 is at 200 Gb/s), planned 8")]),
        "no toolkit": (lambda r: r["nvidia"].pop("cuda_toolkit") and None, [(UNREAD, gpu3, "the CUDA toolkit of 'gpu003'")]),
        "ACS that only root reads": (lambda r: [f.pop("acs_control", None) for f in r["pci"]] and None, [(UNREAD, gpu3, "ACS of the PCIe bridges")]),
        "ACS on, and addresses as NVML spells them": (every_acs_spelled, [(DIFFERS, gpu3, "ACS on at bridges 0000:21:00.0, 0000:31:00.0, planned off")]),
        "a GPU that is no PCI function": (lambda r: r["pci"].remove(pci_of(r, "0000:22:00.0")) and None, [(UNREAD, gpu3, "ACS of the PCIe bridges above the GPUs, which the record does not name,")]),
        "functions without a parent": (lambda r: [f.pop("parent") for f in r["pci"]] and None, [(UNREAD, gpu3, "which the record does not name,")]),
        "a parent that is not there": (lambda r: r["pci"].remove(pci_of(r, "0000:20:00.0")) and None, [(UNREAD, gpu3, "which the record does not name,")]),
        "GPUs without memory": (lambda r: [g.pop("memory_bytes") for g in r["gpus"]] and None, [(UNREAD, gpu3, "the memory of the GPUs")]),
        "threads a core not said": (lambda r: r["cpu"].pop("threads_per_core") and None, [(UNREAD, gpu3, "the number of threads a core")]),
        "no limits": (lambda r: r.pop("limits") and None, [(UNREAD, gpu3, "locked memory"), (UNREAD, gpu3, "open files")]),
    }
    for what, (change, wanted) in cases.items():
        compare(what, planted(change), wanted, 2 if all(rule == UNREAD for rule, *_ in wanted) else 1)
    everywhere = {name: copy.deepcopy(r) for name, r in base.items()}
    for name in NODES[:4]:
        everywhere[name]["limits"]["nofile"]["soft"] = 1024
    _, got, _ = audit("--nodes", write(everywhere))
    demand(len(got) == 1 and "4 nodes 'gpu[001-004]' have" in got[0][1] and len(got[0][2]) == 4, f"one cause, one finding: {got}")
    # Of files
    without = {n: r for n, r in base.items() if n != "gpu002"}
    compare("addresses as NVML spells them", planted(spelled_by_nvml), [], 0)
    compare("a node without a record", without, [(UNREAD, "gpu/002", "no record was collected")], 2)
    compare("two records of a node", {**base, "again": base["gpu002"]}, [(UNREAD, "gpu/002", "2 records")], 2)
    compare("the record of another node", {**without, "gpu002": base["gpu001"]}, [(UNREAD, "gpu/002", "collected as 'gpu002' is the record of 'gpu001'")], 2)
    compare("a stranger", {**base, "login9": {**base["head1"], "host": "login9"}}, [(UNREAD, None, "no node 'login9'")], 2)
    compare("a host with its domain", {**without, "gpu002": {**base["gpu002"], "host": "GPU002.example.org".lower()}}, [], 0)
    compare("the record of a host that the spec lacks", {**without, "gpu002": {**base["gpu002"], "host": "otherhost77"}}, [(UNREAD, "gpu/002", "collected as 'gpu002' is the record of 'otherhost77'")], 2)
    compare("a host by the name of its file", {**without, "gpu002": {**base["gpu002"], "host": "localhost"}}, [], 0)
    text = json.dumps(base["gpu002"], separators=(",", ":"))
    for what, broken in {"a cut record": text[:5000], "no JSON": text.replace('"cpu":', '"cpu"', 1), "an empty file": "", "a shell's words": "bash: clusterc-probe: command not found\n",
                         "deep": '{"record":"probe","host":"gpu002","os":' + "[" * 100000 + "\n", "a large one": text[:-1] + ',"x":"' + "y" * (9 << 19) + '"}\n'}.items():
        compare(what, {**without, "gpu002": broken}, [(UNREAD, "gpu/002")], 2)
    hostile = copy.deepcopy(base["gpu002"])
    hostile["kernel"]["release"] = "\x1b[2J::error::x\n##[error]"
    hostile["gpus"][0]["name"] = "A" * 100000
    hostile["pci"] = [function("0000:00:00.0", "0000:00:00.0", "0x10de", "0x2330", "0x060400")] * 20000
    status, out, _ = audit("--nodes", write({**without, "gpu002": hostile}), form="text")
    demand(status == 1 and "\x1b" not in out and "\n::error" not in out and max(map(len, out.split("\n"))) < 6000, f"hostile texts are printed: {out[:500]}")
    # One file with a line for each node, as pdsh prints it; no difference to the folder
    lines = os.path.join(work, "pdsh.txt")
    with open(lines, "w", encoding="utf-8") as file:
        for name, record in base.items():
            file.write(f"{name}: " + '{"record":"header","host":"x"}\n' + f"{name}: " + json.dumps(record, separators=(",", ":")) + "\n")
    demand(audit("--nodes", lines)[:2] == (0, []), f"pdsh: {audit('--nodes', lines)}")
    # Live, through the launcher of this machine alone: a node that is another machine is not compared, whatever its group does
    status, got, told = audit("--nodes", "head1", "--launcher", "local", "--bundle", os.path.dirname(probe))
    demand(status == 2 and len(got) == 1 and got[0][0] == UNREAD and "not this machine" in got[0][1] and told["nodes"]["nodes_not_asked"] == 6, f"another machine: {got}")
    here = os.path.join(work, "here.yaml")
    host = os.uname().nodename.split(".")[0]
    with open(spec, encoding="utf-8") as file, open(here, "w", encoding="utf-8") as out:
        out.write(file.read().replace('"head1"', f'"{host}"'))
    done = subprocess.run([clusterc, "audit", here, "--nodes", host, "--launcher", "local", "--bundle", os.path.dirname(probe), "--format", "json"], capture_output=True, text=True, timeout=120, check=False)
    demand(done.returncode == 1 and json.loads(done.stdout)["nodes"]["read"] == 1, f"this machine: {done.stdout} {done.stderr}")
    for wrong in (["--nodes", "gpu[001-999]"], ["--nodes", "nowhere/"], ["--nodes", "all", "--launcher", "kubernetes"], ["--nodes", "gpu001", "--launcher", "local", "--hosts", "x"]):
        demand(audit(*wrong)[0] == 2, f"{wrong} is taken")
    # The formats of the other audits
    bad = write(planted(driver))
    for form, sign in {"text": "error: 'gpu003' runs the GPU driver", "sarif": '"ruleId": "audit-node-differs"', "junit": "<testsuite", "github": "::error", "gitlab": "check_name"}.items():
        status, out, _ = audit("--nodes", bad, form=form)
        demand(status == 1 and sign.replace(" ", "") in out.replace(" ", "") and "570.133.20" in out, f"{form}: {out[:400]}")
    # The probe itself: an ordinary user's, with libc alone, in well under 0.2 s
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    real = subprocess.run([probe, "--format", "json"], capture_output=True, text=True, timeout=60, check=True, user=65534 if os.geteuid() == 0 else None).stdout
    took, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    demand(used < 0.2, f"clusterc-probe used {used:.3f} s of a processor ({took:.3f} s in all)")
    if shutil.which("ldd"):
        libraries = set(re.findall(r"(\S+\.so\S*)", subprocess.run(["ldd", probe], capture_output=True, text=True, check=False).stdout))
        names = {os.path.basename(x) for x in libraries}
        demand(all(re.match(r"(libc|libm|libdl|libpthread|librt|linux-vdso|ld-linux[-\w]*)\.so", n) or n.startswith(("libasan", "libubsan", "libtsan")) for n in names), f"clusterc-probe needs {names}")
    status, got, _ = audit("--nodes", write({**without, "gpu002": real.replace(f'"host":"{os.uname().nodename.split(".")[0]}"', '"host":"gpu002"')}))
    demand(status == 1 and any("has 0 GPUs, planned 8" in f[1] and f[2] == ["node/gpu/002"] for f in got), f"the record of this machine: {status} {got}")
    print(f"ok: {len(cases)} planted differences; the probe took {took:.3f} s")


os.makedirs(work, exist_ok=True)
main()
