"""Storage, software, services, targets, workloads, references."""
import collections
import math
import re

from oracle_nodes import LANE, group_places
from verdict import Verdict, judge, wrong
from world import count_of, modules, names, number


def storage(w):
    for name, s in w.storage.items():
        servers, demand = s.get("servers", {}), s.get("demand", {})
        here = [("storage", name), *[("storage", name, k) for k in ("servers", "demand", "capacity", "protection", "on", "drives", "kind")],
                *[("storage", name, "servers", k) for k in ("model", "count", "nodes", "ha")], *[("storage", name, "demand", k) for k in ("read", "write")]]
        part, count = w.part(servers.get("model")), number(servers.get("count", 1)) or 1
        # Ports of the servers and of the clients on the networks that reach it, less headers: 4,096 of 4,178 bytes (targets.md).
        server_ports = client_ports = computing_ports = 0.0
        for net_name, net in w.networks.items():
            if not isinstance(net.get("connects"), dict) or not isinstance(net, dict):
                continue
            rate = number(net.get("rate", "")) or 0
            for who, members, ports, nic in w.ends(net):
                if who == name:
                    server_ports += members * ports * rate
                elif who in w.groups and w.groups[who].name == servers.get("nodes") and ("storage" in (net.get("carries") or [net_name])):
                    server_ports += members * ports * rate
            if name in net["connects"] or "storage" in (net.get("carries") or [net_name]):
                client_ports += sum(m * p * min(rate, nic or rate) for who, m, p, nic in w.ends(net) if who in w.groups and who != servers.get("nodes"))
                computing_ports += sum(m * p * min(rate, nic or rate) for who, m, p, nic in w.ends(net) if who in w.groups and who != servers.get("nodes") and not w.groups[who].roles)
        for way in ("read", "write"):
            asked = number(demand.get(way, ""))
            if not asked:
                continue
            limits = [part.get(way) * count if part.get(way) else None, server_ports / 8 * 0.9804 or None, client_ports / 8 * 0.9804 or None]
            known = [x for x in limits if x]
            if known and asked > min(known) * (1 + 1e-4):
                yield from wrong("storage-rate", here + [("networks", n, "connects") for n in w.networks] + [("networks", n) for n in w.networks], f"{way} {asked:.4g} of {min(known):.4g}")
            elif known and asked > min(known) * 0.97 or computing_ports and asked > computing_ports / 8 * 0.97:
                yield Verdict("storage-rate", "undecided", here, "within 3 % of the path")
        asked = number(s.get("capacity", ""))
        if asked and part.get("capacity"):
            yield from judge("storage-capacity", asked, asked, part["capacity"] * count, here, f"capacity of '{name}'")
        group = w.groups.get(servers.get("nodes"))
        if group:
            raw = sum(n * (size or 0) for k, v in (group.facts.get("drives") or {}).items() if k != "boot" for n, size in [modules(v)]) * group.count
            k, m, copies = protection(s.get("protection", ""))
            if asked and raw:
                usable = raw * (k / (k + m) if k else 1) / (copies or 1)
                # RAID is within one server: of a pair that survives the loss of one, the other's drives hold the same, or are seen by both.
                pair = (servers.get("ha") or group.spec.get("ha")) and not copies and (not k or "raid" in s.get("protection", ""))
                high = asked * (2 if pair else 1)
                yield from judge("storage-capacity", asked, high, usable, here + group_places(group), f"capacity of '{name}'")
            hosts = group.count
            if k and "raid" not in s.get("protection", "") and math.ceil((k + m) / hosts) > m:
                yield from wrong("protection", here + [("nodes", group.name, "names"), ("nodes", group.name)], f"{k}+{m} over {hosts} servers")
            if copies and copies > hosts:
                yield from wrong("protection", here + [("nodes", group.name, "names"), ("nodes", group.name)], f"{copies} copies on {hosts} servers")
            if k and "raid" in s.get("protection", ""):
                drives = sum(modules(v)[0] for n, v in (group.facts.get("drives") or {}).items() if n != "boot")
                if k + m > drives:
                    yield from wrong("protection", here + group_places(group), f"raid {k}+{m} on {drives} drives")
            if servers.get("ha") and hosts < 2:
                yield from wrong("file-server", here + [("nodes", group.name), ("nodes", group.name, "names")], "one server that is to survive its own loss")
            elif s.get("kind") == "nfs" and (hosts < 2 or "ha" not in servers and "ha" not in group.spec):
                state = "infeasible" if hosts < 2 else "undecided"
                yield Verdict("file-server", state, here + [("nodes", group.name), ("nodes", group.name, "names"), ("nodes", group.name, "ha")], "one file server")


def protection(text):
    match = re.search(r"(\d+)\+(\d+)", text or "")
    if match:
        return int(match.group(1)), int(match.group(2)), None
    match = re.search(r"replica (\d+)", text or "")
    return (0, 0, int(match.group(1))) if match else (0, 0, None)


def release(text):
    return [int(p) for p in str(text).split(".") if p.isdigit()]


def at_least(version, wanted):
    """Whether a release, or a branch that is written short, reaches another."""
    a, b = release(version), release(wanted)
    return a >= b[:len(a)] if len(a) < len(b) else a >= b


def software(w):
    architectures = {sm: row for row in w.catalogue.table("gpu-architectures") for sm in row["sm"]}
    majors = {row["cuda"]: row["driver"] for row in w.catalogue.table("cuda-major-driver")}
    toolkits = {row["gpu"]: row for row in w.catalogue.table("gpu-toolkit")}
    # Oldest branch: H100 525, B200/GB200 570, B300 580 (rules.md, SW-003); the toolkit's own driver bounds it from below.
    oldest = {"80": "450", "89": "525", "90": "525", "100": "570", "120": "570", "103": "580"}
    if len({w.software(g).get("cuda") for g in w.groups.values() if g.gpu_count} - {None}) > 1:
        yield Verdict("gpu-toolkit", "undecided", [("software", "cuda"), ("software",)], "several toolkits on one network")
    for g in w.groups.values():
        if not g.gpu_count or g.gpu.get("vendor") != "nvidia" and not str(g.gpu_model).startswith("nvidia"):
            continue
        s = w.software(g)
        keys = ("gpu_driver", "cuda", "kernel_modules", "fabric_manager", "mig", "secure_boot", "signed_modules", "limits", "os")
        here = [("software", k) for k in keys] + [("nodes", g.name, "software", k) for k in keys] + [("nodes", g.name, "software"), ("nodes", g.name), ("software",), ("nodes", g.name, "gpus"), ("nodes", g.name, "server", "gpus"), ("nodes", g.name, "model")]
        driver, cuda = s.get("gpu_driver"), s.get("cuda")
        row = architectures.get(str(g.gpu.get("sm")))
        if driver and cuda:
            need = majors.get(cuda.split(".")[0])
            if need and not at_least(driver, need):
                yield from wrong("cuda-driver", here, f"cuda {cuda} needs {need}, driver {driver}")
            elif not need:
                yield Verdict("cuda-driver", "undecided", here, "a toolkit without a row")
        if cuda and g.gpu_model in toolkits:
            t = toolkits[g.gpu_model]
            if not at_least(cuda, t["from"]) or t.get("until") and release(cuda)[:1] > release(t["until"])[:1]:
                yield from wrong("gpu-toolkit", here, f"{g.gpu_model}: cuda {t['from']} to {t.get('until')}, not {cuda}")
        if driver:
            sm = str(g.gpu.get("sm"))
            if sm in oldest and not at_least(driver, oldest[sm]):
                came = [r["driver"] for r in w.catalogue.table("cuda-toolkit-driver") if row and (r["cuda"] + ".").startswith(row["first_cuda"] + ".")]
                known = came and release(driver)[0] >= min(release(c)[0] for c in came)      # the first toolkit's own driver is a lower bound
                yield Verdict("gpu-driver", "undecided" if known else "infeasible", here, f"{g.gpu_model}: driver {oldest[sm]}, not {driver}")
            if row and row.get("last_driver") and release(driver)[:1] > release(row["last_driver"])[:1]:
                yield from wrong("gpu-driver", here, f"{g.gpu_model}: last driver {row['last_driver']}, not {driver}")
        if row and s.get("kernel_modules") and s["kernel_modules"] not in row["kernel_modules"]:
            yield from wrong("modules", here, f"{row['architecture']}: {row['kernel_modules']}, not {s['kernel_modules']}")
        elif row and not s.get("kernel_modules") and len(row["kernel_modules"]) == 1:
            yield Verdict("modules", "undecided", here, "the flavour is not written")
        switched = g.gpu.get("form", "").startswith("sxm") and g.gpu_count >= 8 or g.assembly
        if driver and s.get("fabric_manager") and switched and release(s["fabric_manager"])[:len(release(driver))] != release(driver)[:len(release(s["fabric_manager"]))]:
            yield from wrong("fabric-manager", here, f"fabric manager {s['fabric_manager']}, driver {driver}")
        elif s.get("fabric_manager"):
            yield Verdict("fabric-manager", "undecided", here, "who needs one")
        if s.get("secure_boot") == "true" and s.get("signed_modules") != "true":
            yield from wrong("secure-boot", here, "unsigned modules")
        mig = s.get("mig")
        if mig and mig != "off":
            able = str(g.gpu.get("sm")) in ("80", "90", "100", "103", "120") and not g.gpu_model.endswith("rtx-pro-6000-server")
            yield Verdict("mig", "undecided", here, "a layout") if able else wrong("mig", here, f"{g.gpu_model} has no MIG")[0]
        limits = s.get("limits", {})
        at = here + [p for k in ("memlock", "nofile", "nproc", "shared_memory") for p in (("software", "limits", k), ("nodes", g.name, "software", "limits", k))]
        rdma = any(g.name in n.get("connects", {}) and (n.get("kind") in ("infiniband", "efa") or n.get("rdma") == "roce") for n in w.networks.values() if isinstance(n.get("connects"), dict))
        if "memlock" in limits and limits["memlock"] != "unlimited":
            yield (wrong("memlock", at, f"memlock {limits['memlock']}") if rdma else [Verdict("memlock", "undecided", at, "no RDMA")])[0]
        # Open files: connections of an all-to-all over RDMA (docs/rules/software-process-limits-too-low.md); without a fabric nothing is known.
        if rdma and "nofile" in limits and int(number(limits["nofile"])) < 1048576 or "shared_memory" in limits and number(limits["shared_memory"]) < 1024 ** 3:
            inside = "nofile" not in limits and not s.get("containers")     # /dev/shm of a container, where there are none
            yield Verdict("limits", "undecided" if inside else "infeasible", at, f"{limits}")


def services(w):
    scheduler = w.data.get("software", {}).get("scheduler", {})
    big = sum(g.count for g in w.groups.values()) >= 32
    for g in w.groups.values():
        here = [("nodes", g.name), *[("nodes", g.name, k) for k in ("names", "roles", "ha", "racks", "per_rack")], ("racks", g.racks or ""), ("racks", g.racks or "", "names")]
        if "etcd" in g.roles or g.spec.get("ha") == "quorum":
            if g.count % 2 == 0:
                yield from wrong("quorum", here, f"{g.count} members")
            elif g.count == 1:
                yield Verdict("quorum", "undecided", here, "one member")
            elif g.racks and w.rack_count(g.racks) < 2:
                yield from wrong("quorum", here, "all in one rack")
            elif g.per_rack > (g.count - 1) // 2:
                state = "infeasible" if g.per_rack >= g.count else "undecided"
                yield Verdict("quorum", state, here, f"{min(g.per_rack, g.count)} members in one rack")
                yield Verdict("single-service", "undecided", here, "members in one rack")
        if "at" in g.spec and g.roles:
            yield Verdict("quorum", "undecided", here, "places of one's own")
            yield Verdict("single-service", "undecided", here, "places of one's own")
        if g.spec.get("ha") and g.count < 2:
            yield from wrong("single-service", here, f"ha with {g.count} node")
        for role in ("scheduler", "control-plane"):
            members = [x for x in w.groups.values() if role in x.roles]
            if role in g.roles and sum(x.count for x in members) == 1:
                yield (wrong("single-service", here, f"one node is {role}") if big or g.spec.get("ha") else [Verdict("single-service", "undecided", here, "a small cluster")])[0]
            elif role in g.roles and g.racks and len({x.racks for x in members}) == 1 and w.rack_count(g.racks) == 1 and (big or g.spec.get("ha")):
                yield from wrong("single-service", here, f"all nodes that are {role} in one rack")
    at = [("software", "scheduler", k) for k in ("topology", "queue", "kind", "schedules", "controllers")] + [("software", "scheduler"), ("software",)]
    if scheduler.get("kind") == "slurm" and scheduler.get("topology") == "tree" and not any(n.get("switch") and not w.cloud for n in w.networks.values()):
        yield from wrong("blocks", at, "a tree of no switches")
    if scheduler.get("topology") == "block":
        domains = {a: w.part(s.get("model")).get("nvlink_domain") for a, s in w.data.get("assemblies", {}).items()}
        spans = [g for g in w.groups.values() if g.assembly and domains.get(g.assembly)] + [w.groups[n] for d in w.data.get("nvlink", {}).values() for n in ([d["nodes"]] if isinstance(d.get("nodes"), str) else d.get("nodes", [])) if n in w.groups]
        if not spans:
            yield Verdict("blocks", "undecided", at, "blocks of something else than NVLink domains")
    for name, d in w.data.get("nvlink", {}).items():
        size = int(number(d.get("size", 0)) or 0)
        for n in [d["nodes"]] if isinstance(d.get("nodes"), str) else d.get("nodes", []):
            if n in w.groups and w.groups[n].gpu_count:
                each = w.groups[n].gpu_count
                here = at + [("nvlink", name), ("nvlink", name, "size"), ("nvlink", name, "nodes"), ("nodes", n), ("nodes", n, "names")]
                if size % each or w.groups[n].count * each % size:
                    state = "infeasible" if scheduler.get("topology") == "block" else "undecided"
                    yield Verdict("blocks", state, here, f"domains of {size} from nodes of {each}")
    for a, s in w.data.get("assemblies", {}).items():
        part = w.part(s.get("model"))
        used = collections.Counter()
        for g in w.groups.values():
            if g.assembly == a:
                used[g.spec["from"].partition(".")[2]] += g.count
                here = at + [("nodes", g.name), ("nodes", g.name, "names"), ("assemblies", a), ("assemblies", a, "names"), ("nodes", g.name, "from")]
                tray = (part.get("trays") or {}).get(g.spec["from"].partition(".")[2], {})
                have = (tray.get("count") or 0) * count_of(s)
                if tray.get("count") and g.count % tray["count"]:
                    yield Verdict("blocks", "undecided", here, "domains that are not full")
                if used[g.spec["from"].partition(".")[2]] > have:
                    yield from wrong("trays", here, f"{g.count} nodes from {have:g} trays")
    if scheduler.get("kind") == "kubernetes" and "queue" not in scheduler:
        several = any(sum(int(number(n)) for n in work.get("on", {}).values()) > 1 for work in w.data.get("workloads", {}).values() if work.get("kind", "training") == "training")
        yield Verdict("gang", "infeasible" if several else "undecided", at + [("workloads", n) for n in w.data.get("workloads", {})], "no queue that starts the pods of a job together")


def targets(w):
    for path, t in (((), w.data.get("targets", {})), *[(("groups", n), x) for n, x in w.data.get("targets", {}).get("groups", {}).items()]):
        groups = [w.groups[path[1]]] if path and path[1] in w.groups else [g for g in w.groups.values() if g.gpu_count]
        if not groups:
            continue

        def here(key):
            return [("targets", *path, key), *[("targets", *path, key, k) for k in ("floor", "size", "scope")]]
        floor = {k: number(v.get("floor", "")) for k, v in t.items() if isinstance(v, dict) and k != "groups"}
        rates = [number(n.get("rate", "")) or 0 for name, n in w.networks.items() if "compute" in (n.get("carries") or [name])]
        if floor.get("rdma") and rates:
            def fastest(g):                                # of what the jobs of the group run over, no faster than its adapters
                found = [min(number(n.get("rate", "")) or 0, nic or 1e18) for name, n in w.networks.items() if "compute" in (n.get("carries") or [name]) for who, _, _, nic in w.ends(n) if who == g.name]
                return max(found, default=0)
            slowest = min(fastest(g) for g in groups)
            yield from judge("target-rdma", floor["rdma"], floor["rdma"] * max(rates) / max(slowest, 1), 1.02 * 0.98 * max(rates) / 8, here("rdma"), "rdma")
        for key, cause, figure in (("memory", "target-memory", "memory_bandwidth"), ("gemm", "target-gemm", "bf16")):
            tops = [g.gpu[figure] for g in groups if g.gpu.get(figure)]
            if floor.get(key) and not path and any(not g.gpu_count and not g.roles for g in w.groups.values()):
                yield Verdict(cause, "undecided", here(key), "groups without GPUs have peaks of their own")
            if floor.get(key) and tops:
                yield from judge(cause, floor[key], floor[key], min(tops), here(key), key)
        for g in groups:
            if floor.get("pcie") and g.gpu.get("pcie_generation") in LANE:
                gen = min(g.gpu["pcie_generation"], g.cpu.get("pcie_generation") or 9)
                top = LANE[int(gen)] * (g.gpu.get("pcie_lanes") or 16) * 256 / 276 * 1.02
                if g.assembly:                                     # over NVLink-C2C, not PCIe
                    yield Verdict("target-copy", "undecided", here("pcie"), "a link of its own")
                    continue
                yield from judge("target-copy", floor["pcie"], floor["pcie"], top, here("pcie"), f"host copy of '{g.name}'")
            peak = (g.gpu.get("fp64_tensor") or g.gpu.get("fp64") or 0) * g.gpu_count
            if floor.get("hpl") and peak:
                yield from judge("target-hpl", floor["hpl"], floor["hpl"] * g.count, peak * g.count, here("hpl"), f"LINPACK on '{g.name}'")
        if floor.get("all_reduce"):
            tops = []
            for g in groups:
                for net_name, n in w.networks.items():
                    if "compute" in (n.get("carries") or [net_name]):
                        ports = sum(p for who, _, p, _ in w.ends(n) if who == g.name)
                        bus = ports * (number(n.get("rate", "")) or 0) / 8 * 0.98
                        nvlink = g.gpu.get("gpu_link") or 0
                        k, gpus = g.count, max(1, g.gpu_count)
                        # The higher of ring and hierarchy (targets.md 5.1 and 5.2), NVLink with NVLS at most 2 W.
                        tops.append((max(bus, bus / gpus * (k * gpus - 1) / max(1, k - 1)) if k > 1 else 2 * nvlink, 2 * max(nvlink, 64e9)))
            if tops:
                most = max(max(a, b) for a, b in tops)
                least = min(min(a, b) for a, b in tops) * 0.5
                if floor["all_reduce"] > 1.02 * most * 1.05:
                    yield from wrong("target-all-reduce", here("all_reduce"), f"above {most:.4g}")
                elif floor["all_reduce"] > least:
                    yield Verdict("target-all-reduce", "undecided", here("all_reduce"), "between the ceilings of the algorithms")


def workloads(w):
    for name, work in w.data.get("workloads", {}).items():
        model, split = work.get("model", {}), work.get("split", {})
        here = [("workloads", name), *[("workloads", name, k) for k in ("model", "split", "on", "batch", "train", "within", "precision")],
                *[("workloads", name, "model", k) for k in ("parameters", "layers", "hidden", "sequence")], *[("workloads", name, "split", k) for k in ("tensor", "pipeline", "data", "sharded")],
                *[("workloads", name, "on", g) for g in work.get("on", {})]]
        on = {g: int(number(n)) for g, n in work.get("on", {}).items() if g in w.groups}
        gpus = sum(n * w.groups[g].gpu_count for g, n in on.items())
        if not gpus or work.get("kind", "training") != "training" or not model.get("parameters"):
            continue
        for g, n in on.items():
            if n > w.groups[g].count:
                yield from wrong("workload-nodes", here + [("nodes", g, "names"), ("nodes", g)], f"{n} of {w.groups[g].count} nodes")
        params = number(model["parameters"])
        memory = min((w.groups[g].gpu.get("memory") or 0) for g in on)
        # All sharded, 16 bytes a parameter over all GPUs is the least (ZeRO, SC 2020, table 1).
        tp, pp = (int(number(split.get(k, 1)) or 1) for k in ("tensor", "pipeline"))
        data = max(1, gpus // (tp * pp))
        mp = tp * pp
        need = {"none": 16 / mp, "optimizer": 4 / mp + 12 / (mp * data), "gradients": 2 / mp + 14 / (mp * data), "all": 16 / (mp * data)}[split.get("sharded", "none" if split else "all")] * params
        if memory:
            activations = 2 * (number(model.get("sequence", 0)) or 0) * (number(model.get("hidden", 0)) or 0) * (number(model.get("layers", 0)) or 0) / tp
            # Weights that are sharded are gathered for two layers at a time, two bytes each (FSDP; ZeRO, section 5.3).
            layers = number(model.get("layers", 0)) or 1
            gathered = 2 * 2 * params / layers / tp if split.get("sharded", "none") == "all" else 0
            yield from judge("training-memory", need, (need + gathered + activations * 2) / 0.9, memory, here, f"state of '{name}'")
        domain = max(w.groups[g].gpu_count if w.groups[g].gpu.get("gpu_link") else 1 for g in on)
        if tp > domain and not any(w.groups[g].assembly for g in on):
            yield from wrong("tensor", here, f"tensor {tp} over {domain} GPUs")
        tokens = number(str(work.get("train", "")).replace("tokens", "").strip()) if work.get("train") else None
        within = number(work.get("within", ""))
        peak = sum(n * w.groups[g].gpu_count * (w.groups[g].gpu.get({"fp8": "fp8", "fp16": "bf16"}.get(work.get("precision"), "bf16")) or 0) for g, n in on.items())
        if tokens and within and peak:
            active = number(model.get("active_parameters", "")) or params
            share = 6 * active * tokens / (peak * within)
            yield from judge("run-time", share, share, 0.65, here, f"share of the peak of '{name}'")
        if tp * pp > gpus or gpus % (tp * pp):
            yield Verdict("tensor", "undecided", here, "a split that does not divide")
            yield Verdict("training-memory", "undecided", here, "a split that does not divide")


def references(w):
    racks_known, feeds_known, zones = set(w.racks), set(w.feeds), set(w.site.get("cooling", {}))
    for name, spec in w.racks.items():
        if spec.get("cooling") and spec["cooling"] not in zones:
            yield from wrong("unknown-name", [("racks", name, "cooling")], spec["cooling"])
        if not w.part(spec.get("model")):
            yield from wrong("unknown-part", [("racks", name, "model")], str(spec.get("model")))
        for i, pdu in enumerate(spec.get("pdus", [])):
            if pdu.get("feed") and pdu["feed"] not in feeds_known:
                yield from wrong("unknown-name", [("racks", name, "pdus", i, "feed"), ("racks", name, "pdus")], pdu["feed"])
            if not w.part(pdu.get("model")):
                yield from wrong("unknown-part", [("racks", name, "pdus", i, "model")], str(pdu.get("model")))
    for g in w.groups.values():
        if g.racks and g.racks not in racks_known:
            yield from wrong("unknown-name", [("nodes", g.name, "racks")], g.racks)
        if g.model and not w.part(g.model):
            yield from wrong("unknown-part", [("nodes", g.name, "model"), ("nodes", g.name, "instance")], g.model)
    for name, net in w.networks.items():
        if net.get("racks") and net["racks"] not in racks_known:
            yield from wrong("unknown-name", [("networks", name, "racks")], net["racks"])
        if net.get("switch") and not w.part(net["switch"]):
            yield from wrong("unknown-part", [("networks", name, "switch")], net["switch"])
        if isinstance(net.get("connects"), dict):
            for who in net["connects"]:
                if who not in w.groups and who not in w.storage and who != "everything":
                    yield from wrong("unknown-name", [("networks", name, "connects", who)], who)
    for name, spec in w.storage.items():
        if spec.get("servers", {}).get("racks") and spec["servers"]["racks"] not in racks_known:
            yield from wrong("unknown-name", [("storage", name, "servers", "racks")], spec["servers"]["racks"])
    groups = list(w.groups.values())
    for i, a in enumerate(groups):
        for b in groups[i + 1:]:
            if a.count + b.count < 5000 and set(names(a.spec.get("names", ""))) & set(names(b.spec.get("names", ""))):
                yield from wrong("names", [("nodes", b.name, "names"), ("nodes", a.name, "names"), ("nodes", b.name), ("nodes", a.name)], f"{a.name} and {b.name}")
    for team, spec in w.data.get("teams", {}).items():
        for group, quota in spec.get("quota", {}).items():
            here = [("teams", team, "quota", group), ("teams", team, "quota"), ("teams", team)]
            if group not in w.groups:
                yield from wrong("unknown-name", here, group)
                continue
            g = w.groups[group]
            amount, of = quota_of(quota)
            have = g.count * {"gpus": g.gpu_count, "nodes": 1, "cores": (g.cpu.get("cores") or 0) * g.cpu_count}[of]
            if amount > have:
                yield from wrong("quota", here, f"{amount} {of} of {have}")


def quota_of(text):
    if isinstance(text, dict):
        return int(number(text["amount"])), text["of"]
    amount, _, of = str(text).partition(" ")
    return int(number(amount)), of
