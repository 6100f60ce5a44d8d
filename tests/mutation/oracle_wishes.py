"""What a spec asks for besides its hardware: times, sizes, extra lines of compiled files, prices, spare nodes, sides and aisles.

Formulas from docs/rules (each page names its source); arithmetic over the spec and the catalogue only.
"""
import math

from oracle_nodes import group_places
from verdict import Verdict, wrong
from world import modules, names, number

# Llama 3 (2024), section 3.3.4: 419 interruptions in 54 days on 16,384 GPUs.
GPU_HOURS = 16384 * 54 * 24 / 419


def seconds(text):
    """A time with the long words that specs use as well."""
    amount, _, unit = str(text).partition(" ")
    long = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "year": 31536000}
    return float(amount) * long[unit.rstrip("s")] if unit.rstrip("s") in long else number(text)


def wishes(w):
    computing = [g for g in w.groups.values() if g.gpu_count and (not g.roles or "compute" in g.roles)]
    gpus = sum(g.count * g.gpu_count for g in computing)
    yield from burn_in(w, gpus)
    yield from messages(w, computing)
    yield from spares(w, computing)
    yield from sides(w)
    yield from slurm_lines(w, computing)
    yield from containers(w)
    yield from money(w)
    yield from huge_pages(w)
    yield from checkpoints(w)


def burn_in(w, gpus):
    time = w.data.get("targets", {}).get("burn_in")
    here = [("targets",), ("targets", "burn_in")]
    if time and gpus and gpus * seconds(time) / 3600 / GPU_HOURS < 3:
        yield from wrong("burn-in", here, f"{gpus} GPUs for {time}")


def messages(w, computing):
    for key in ("all_reduce", "all_gather", "all_to_all"):
        target = w.data.get("targets", {}).get(key, {})
        size = number(target.get("size", "")) if isinstance(target, dict) else None
        here = [("targets", key), ("targets", key, "size")]
        if size and "skip" not in target and computing:
            one = all(g.count * g.gpu_count < 2 for g in computing)
            if size < 2 ** 30 and not one:
                yield from wrong("message", here, f"{size:.4g} bytes")
            elif size < 8 * 2 ** 30:                            # NVLink SHARP and in-network reduction need more
                yield Verdict("message", "undecided", here, "which algorithm is taken")
        floor = number(target.get("floor", "")) if isinstance(target, dict) else None
        if key == "all_to_all" and floor and computing:
            at = [("targets", key), ("targets", key, "floor"), ("targets", key, "scope")]
            most, least, apart = 0.0, math.inf, False
            for g in computing:
                nets = [(ports, number(n.get("rate", "")) or 0) for name, n in w.networks.items() if "compute" in (n.get("carries") or [name]) for who, _, ports, _ in w.ends(n) if who == g.name]
                apart = apart or g.count > 1 and not nets         # several nodes and nothing between them: it cannot run, so no figure is right or wrong
                share = sum(p * r for p, r in nets) / 8 * 0.98 / g.gpu_count
                total = sum(x.count * x.gpu_count for x in computing)
                inside = max(g.gpu.get("gpu_link") or 0, 64e9)    # in one node: NVLink, or PCIe 5.0 x16 at the most
                pairs = share * (2 * g.gpu_count - 1) / g.gpu_count if g.count > 1 else 0   # two nodes: the highest over a network
                whole = share * (total - 1) / max(1, total - g.gpu_count) if total > g.gpu_count else 0
                most, least = max(most, pairs, inside), min(least, whole or inside, inside)
            if apart:
                yield Verdict("target-all-to-all", "undecided", at, "no network between the nodes")
            elif floor > 1.02 * most * 1.01:
                yield from wrong("target-all-to-all", at, f"{floor:.4g} of {most:.4g}")
            elif floor > least * 0.97:
                yield Verdict("target-all-to-all", "undecided", at, "how many take part")


def spares(w, computing):
    for g in computing:
        if "spares" not in g.spec or w.cloud or g.virtual:
            continue
        mean = g.count * g.gpu_count * (365 * 24 / GPU_HOURS) * 3 / 365
        wanted = math.ceil(mean + 1.64 * math.sqrt(mean) - 1e-9)
        if int(number(g.spec["spares"])) < wanted:
            yield from wrong("spares", group_places(g) + [("nodes", g.name, "spares")], f"{g.spec['spares']} of {wanted}")


def sides(w):
    aisle = number(w.site.get("aisle", ""))
    here = [("site",), ("site", "aisle")]
    deep = max([g.get("depth") or 0 for g in w.groups.values() if g.racks] or [0])
    if aisle and w.racks and (aisle < 1.2 - 1e-9 or aisle < deep - 1e-9):
        yield from wrong("aisle", here, f"{aisle} m, the deepest node {deep} m")
    for name, net in w.networks.items():
        part = w.part(net.get("switch"))
        if not part or "shares_switches_with" in net or w.cloud:
            continue
        side = net.get("ports_face", "rear")
        at = [("networks", name)] + [("networks", name, k) for k in ("ports_face", "airflow", "switch", "connects")] + [("networks", name, "connects", who) for who, *_ in w.ends(net)]
        others = [w.groups[who] for who, *_ in w.ends(net) if who in w.groups and w.groups[who].facts.get("nic_side")]
        if any(g.facts["nic_side"] != side for g in others):
            mixed = any(g.facts["nic_side"] == side for g in others) or any(g.assembly for g in others)
            yield Verdict("port-side", "undecided" if mixed else "infeasible", at, f"ports at the {side}")
        way = net.get("airflow") or part.get("airflow_direction")
        right = "power-to-ports" if side == "rear" else "ports-to-power"
        if net.get("airflow") and net["airflow"] != right:
            yield from wrong("air-way", at, f"{way}, ports at the {side}")
        elif not net.get("airflow") and "ports_face" in net:
            yield Verdict("air-way", "undecided", at, "the way of the part")


def slurm_lines(w, computing):
    scheduler = w.data.get("software", {}).get("scheduler", {})
    slurm = scheduler.get("kind") == "slurm"
    extra = w.data.get("outputs", {}).get("slurm", {}).get("extra", {})
    every = None
    for file, lines in extra.items():
        for i, line in enumerate(lines if isinstance(lines, list) else [lines]):
            here = [("outputs",), ("outputs", "slurm"), ("outputs", "slurm", "extra"), ("outputs", "slurm", "extra", file), ("outputs", "slurm", "extra", file, i)]
            pairs = {k.lower(): v for k, _, v in (word.partition("=") for word in str(line).split())}
            if not slurm:
                continue
            whole = [g for g in computing if w.software(g).get("mig", "off") in ("off", "no")]
            if file == "gres.conf" and (pairs.get("autodetect", "off").lower() != "off" or pairs.get("name") == "gpu" and "nodename" not in pairs) and whole:
                yield from wrong("gres-line", here, line)
            if every is None:
                every = {n for g in w.groups.values() for n in (names(g.spec.get("names", "")) if g.count < 20000 else ())}
            if file == "slurm.conf" and "nodename" in pairs and set(names(pairs["nodename"])) & every:
                yield from wrong("node-line", here, line)
            if file == "cgroup.conf" and pairs.get("constraindevices", "yes").lower() == "no" and computing:
                yield from wrong("confined", here, line)
            if file == "slurm.conf" and ("taskplugin" in pairs and "task/cgroup" not in pairs["taskplugin"] or pairs.get("proctracktype", "proctrack/cgroup") != "proctrack/cgroup") and computing:
                yield from wrong("confined", here, line)
            if file == "topology.conf" and "nodes" in pairs:
                inside = set(names(pairs["nodes"]))
                # A node that is there is in a compiled leaf already, if a tree is compiled at all.
                yield Verdict("topology-line", "infeasible" if inside - every else "undecided", here, line)
    version = str(scheduler.get("version", ""))
    if slurm and version and tuple(int(x) for x in version.split(".")[:2] if x.isdigit()) < (22, 5):
        here = [("software", "scheduler"), ("software", "scheduler", "version"), ("software", "os")]
        unified = {"ubuntu": 21.10, "debian": 11, "rhel": 9, "rocky": 9, "almalinux": 9}
        for g in w.groups.values():
            system, _, release = str(w.software(g).get("os", "")).rpartition("-")
            arguments = w.software(g).get("kernel_arguments") or []
            if system in unified and float(".".join(release.split(".")[:2])) >= unified[system] and (not g.roles or "compute" in g.roles) and not arguments:
                yield from wrong("old-slurm", here, f"Slurm {version} on {system}-{release}")
                break
        else:
            yield Verdict("old-slurm", "undecided", here, "how control groups are mounted")


def containers(w):
    for g in w.groups.values():
        s = w.software(g)
        here = [("software",), ("software", "container_gpus"), ("software", "containers"), ("software", "gpu_operator"), ("software", "gpu_driver"), ("software", "os"), ("nodes", g.name), ("nodes", g.name, "software")]
        listed = s.get("containers", [])
        kinds = {str(c.get("kind") if isinstance(c, dict) else c).split(" ")[0] for c in (listed if isinstance(listed, list) else [listed])}
        if s.get("container_gpus") == "hook" and g.gpu_count:
            yield Verdict("hook", "infeasible" if kinds & {"docker", "containerd", "cri-o"} and str(g.gpu_model).startswith("nvidia") else "undecided", here, f"hook with {sorted(kinds)}")
        operator = s.get("gpu_operator")
        if isinstance(operator, dict) and g.gpu_count and s.get("gpu_driver") and str(g.gpu_model).startswith("nvidia"):
            runs = w.data.get("software", {}).get("scheduler", {}).get("kind") == "kubernetes"
            if str(operator.get("driver", "true")) == "true":
                yield Verdict("operator", "infeasible" if runs else "undecided", here, "two that install the driver")
        if any(word in str(s.get("os", "")).split("-") for word in ("latest", "nightly", "rolling", "edge")):
            yield from wrong("moving-tag", here, s["os"])


def money(w):
    prices = w.data.get("prices", {})
    here = [("prices",)] + [("prices", k) for k in ("budget", "nodes", "parts")]
    budget = number(str(prices.get("budget", "")).split(" ")[0]) if "budget" in prices else None
    if budget is not None:
        known = 0.0
        for group, price in prices.get("nodes", {}).items():
            if group in w.groups and not w.cloud and not w.groups[group].virtual:
                known += w.groups[group].count * float(str(price).split(" ")[0])
        if known > budget * (1 + 1e-12):
            yield from wrong("money", here, f"{known:.6g} of {budget:.6g}")
        elif len(prices.get("parts", {})) or len(prices.get("kinds", {})):
            yield Verdict("money", "undecided", here, "parts that the planner counts")
    for part, row in prices.get("parts", {}).items():
        at = here + [("prices", "parts", part), ("prices", "parts", part, "quoted")]
        if isinstance(row, dict) and "quoted" in row:
            needed = sum(g.count for g in w.groups.values() if g.model == part and not g.virtual and "instance" not in g.spec)
            if needed and int(number(row["quoted"])) < needed:
                yield from wrong("offer", at, f"{row['quoted']} of {needed}")
            elif not needed:
                yield Verdict("offer", "undecided", at, "what the planner counts")


def huge_pages(w):
    for g in w.groups.values():
        pages = number(w.software(g).get("huge_pages", ""))
        here = group_places(g) + [("software",), ("software", "huge_pages"), ("nodes", g.name, "software", "huge_pages")]
        if not pages or g.virtual or w.data.get("software", {}).get("scheduler", {}).get("kind") != "slurm" or (g.roles and "compute" not in g.roles):
            continue
        if not g.facts.get("memory"):
            yield Verdict("huge-pages", "undecided", here, "the memory is not known")
            continue
        count, size = modules(g.facts["memory"])
        left = max(count * size / 32, 256 * 2 ** 20)
        if pages * 2 ** 21 > left:
            yield from wrong("huge-pages", here, f"{pages * 2 ** 21:.4g} of {left:.4g}")


def checkpoints(w):
    for name, work in w.data.get("workloads", {}).items():
        params = number(work.get("model", {}).get("parameters", ""))
        here = [("workloads", name)] + [("workloads", name, k) for k in ("checkpoint_every", "checkpoint_within", "checkpoint_to", "resume_within", "within", "model", "on")]
        if work.get("kind", "training") not in ("training", "fine-tuning"):
            continue
        every, within, resume = (seconds(work[k]) if k in work else None for k in ("checkpoint_every", "checkpoint_within", "resume_within"))
        target = w.storage.get(work.get("checkpoint_to", ""))
        for way, cause, limits in (("write", "checkpoint", (every, within)), ("read", "restart", (resume,))):
            limits = [x for x in limits if x]
            if not limits or not params:
                continue
            if work.get("kind") == "fine-tuning" or not target:
                yield Verdict(cause, "undecided", here, "where it goes, or what of it is kept")
                continue
            servers = target.get("servers", {})
            sheet = w.part(servers.get("model")).get(way)
            rate = number(target.get("demand", {}).get(way, "")) or (sheet * (number(servers.get("count", 1)) or 1) if sheet else None)
            if rate and 14 * params / rate > min(limits) * (1 + 1e-9):
                yield from wrong(cause, here, f"{14 * params / rate:.4g} s of {min(limits):.4g} s")
            else:                                               # ports of servers and clients may carry less
                yield Verdict(cause, "undecided", here, "the path to the storage")
        if work.get("kind", "training") == "training" and not every:
            long = seconds(work["within"]) if "within" in work else None
            yield Verdict("long-run", "infeasible" if long and long > 4 * 3600 else "undecided", here, "nothing is saved")
