"""Servers: slots, lanes, affinity, GPUs, processors, memory, drives."""
import collections
import math

from verdict import Verdict, judge, wrong
from world import modules, number, quantity


LANE = {1: 0.25e9, 2: 0.5e9, 3: 0.98462e9, 4: 1.96923e9, 5: 3.93846e9, 6: 7.375e9}     # bytes a second of one lane, one way (rules.md, constants)


def slots(g):
    """(socket, slot name, slot, device or [devices]) of the tree."""
    for socket, inside in (g.facts.get("pcie") or {}).items():
        for slot, value in inside.items():
            if slot == "switches":
                continue
            row = {"device": value} if isinstance(value, str) else value
            yield socket, slot, row


def slot_paths(w, g, socket, slot):
    base = [("nodes", g.name, "pcie", socket, slot), ("nodes", g.name, "server", "pcie", socket, slot)]
    return [p for b in base for p in (b, *[(*b, k) for k in ("device", "devices", "lanes", "generation", "width", "through", "splits", "power", "numa")])]


def group_places(g):
    return [("nodes", g.name), *[("nodes", g.name, k) for k in ("model", "names", "gpus", "cpus", "memory", "nics", "drives", "psus", "server", "pcie", "software", "nvlink_bridge", "roles", "from")],
            *[("nodes", g.name, "server", k) for k in ("like", "gpus", "cpus", "memory", "nics", "drives", "pcie", "bmc", "bar_window", "gpu_slots", "gpu_forms", "arch", "dimm_slots", "sockets")],
            *[("nodes", g.name, *s, "nics", n) for s in ((), ("server",)) for n in g.nics], *[("nodes", g.name, *s, "drives", n) for s in ((), ("server",)) for n in g.facts.get("drives") or {}]]


def used_rate(w, g, nic_set):
    """(bits a second that the networks ask of one adapter, of all its ports together) at least and at most."""
    count, model = g.nics[nic_set]
    part = w.part(model)
    most = (part.get("ports") or 1) * (part.get("port_rate") or 0)
    low = 0.0
    by_number = sum(number(how) or 0 for net in w.networks.values() if isinstance(net.get("connects"), dict) for who, how in net["connects"].items() if who == g.name and isinstance(how, str) and how.isdigit())
    if by_number and len(g.nics) == 1:
        most = max(most, max((number(n.get("rate", "")) or 0) for n in w.networks.values()) * by_number / count)
    sets = g.facts.get("ports") or {}
    for net in w.networks.values():
        how = net.get("connects", {}).get(g.name) if isinstance(net.get("connects"), dict) else None
        if isinstance(how, dict) and (how.get("ports") == nic_set or sets.get(how.get("ports"), {}).get("nics") == nic_set):
            ports = int(number(how["count"])) if "count" in how else count
            low += (number(net.get("rate", "")) or 0) * ports / count
    return min(low, most), max(low, most)


def pcie(w):
    for g in w.groups.values():
        if g.virtual or w.cloud:
            continue
        per_socket = collections.defaultdict(lambda: [0, 0])
        has_tree = bool(g.facts.get("pcie"))
        place_of = {}
        for socket, slot, row in slots(g):
            devices = row.get("devices") or ([row["device"]] if row.get("device") else [])
            lanes = quantity(row.get("lanes")) or 16
            gen = quantity(row.get("generation")) or g.cpu.get("pcie_generation") or g.get("pcie_generation") or 5
            if not row.get("through"):                              # a slot behind a switch trains with the switch
                gen = min(gen, g.cpu.get("pcie_generation") or 9)
            switch = (g.facts["pcie"][socket].get("switches") or {}).get(row.get("through")) if row.get("through") else None
            if not row.get("through"):
                per_socket[socket][0] += lanes if devices else 0
                per_socket[socket][1] += lanes
            here = slot_paths(w, g, socket, slot) + group_places(g)
            if len(devices) > 1:
                splits = row.get("splits")
                wanted = f"{len(devices)}x{int(lanes // len(devices))}"
                if not splits:
                    yield Verdict("bifurcation", "undecided", here, "the board's ways to split are not stated")
                elif wanted not in splits:
                    yield from wrong("bifurcation", here, f"'{g.name}' {slot}: {wanted} of {splits}")
            for device in devices:
                place_of[device] = (socket, row.get("through"))
                kind, _, rest = device.partition(".")
                name = rest.partition("[")[0]
                if kind == "nics" and name in g.nics:
                    part = w.part(g.nics[name][1])
                    x = min(lanes // len(devices), part.get("pcie_lanes") or 16)
                    generation = min(gen, part.get("pcie_generation") or 9)
                    if switch is not None:
                        generation = min(generation, quantity(switch.get("generation")) or 9)
                    gives = LANE[int(generation)] * x * 8 * 0.9
                    low, high = used_rate(w, g, name)
                    yield from judge("nic-slot", low, high, gives, here, f"'{g.name}' {device}")
                if device.startswith("gpus"):
                    width, card = quantity(row.get("width")), g.gpu.get("slot_width")
                    if width and card and card > width:
                        yield from wrong("slot-width", here, f"'{g.name}' {device}: {card} wide in {width}")
                    power = quantity(row.get("power"))
                    if power and g.gpu.get("tdp") and min(g.gpu["tdp"], g.limit() or 1e9) > power:
                        yield from wrong("slot-width", here, f"'{g.name}' {device}: {g.gpu['tdp']} W on {power} W")
        placed = {d.partition(".")[2].partition("[")[0] for d in place_of if d.startswith("nics")}
        for name, (count, model) in g.nics.items():
            part = w.part(model)
            gen = min(g.get("pcie_generation") or 9, g.cpu.get("pcie_generation") or 9, part.get("pcie_generation") or 9)
            if name not in placed and gen in LANE and not g.assembly:
                low, high = used_rate(w, g, name)
                yield from judge("nic-slot", low, high, LANE[int(gen)] * (part.get("pcie_lanes") or 16) * 8 * 0.9, group_places(g) + [("networks", n, "connects", g.name) for n in w.networks], f"'{g.name}' nics.{name}")
        places, cards = g.get("pcie_slots"), sum(n for n, _ in g.nics.values()) + (g.gpu_count if g.gpu.get("form") == "pcie" else 0)
        if places and cards > places:
            yield from wrong("cards", group_places(g), f"{cards} cards in {places:g} slots of '{g.name}'")
        for socket, inside in (g.facts.get("pcie") or {}).items():
            for name, switch in (inside.get("switches") or {}).items():
                if not switch.get("through"):
                    up = quantity(switch.get("uplink_lanes")) or 16
                    per_socket[socket][0] += up
                    per_socket[socket][1] += up
                total = quantity(switch.get("lanes"))
                down = sum(quantity(r.get("lanes")) or 16 for s, _, r in slots(g) if s == socket and r.get("through") == name)
                if total and down + (quantity(switch.get("uplink_lanes")) or 16) > total:
                    yield from wrong("lanes", [("nodes", g.name, *p, "pcie", socket, "switches", name, *k) for p in ((), ("server",)) for k in ((), ("lanes",), ("uplink_lanes",))] + group_places(g),
                                     f"switch {name} of '{g.name}'")
        have = g.cpu.get("pcie_lanes")
        if have:
            # Two EPYC sockets spend 3 or 4 x 16 lanes each on one another (rules.md, PCIE-002).
            each = 80 if g.cpu.get("vendor") == "amd" and g.cpu_count == 2 else have
            board = g.get("pcie_lanes")
            for socket, (low, high) in per_socket.items():
                places = group_places(g) + [p for s, n, _ in slots(g) if s == socket for p in slot_paths(w, g, s, n)] + [("nodes", g.name, "server", "pcie", socket), ("nodes", g.name, "pcie", socket)]
                yield from judge("lanes", low, high, each if not board else min(each, board), places, f"lanes of {socket} of '{g.name}'")
        # A compute adapter and its GPU: the nearest GPU is across the sockets.
        for net_name, net in w.networks.items():
            carries = net.get("carries", [net_name])
            how = net.get("connects", {}).get(g.name) if isinstance(net.get("connects"), dict) else None
            if not isinstance(how, dict) or "compute" not in carries or not g.gpu_count or not has_tree:
                continue
            nic_set = (g.facts.get("ports") or {}).get(how.get("ports"), {}).get("nics") or how.get("ports")
            count = g.nics.get(nic_set, (0, None))[0]
            sockets = [place_of.get(f"nics.{nic_set}[{i}]", place_of.get(f"nics.{nic_set}") if count == 1 else None) for i in range(count)]
            gpus = [place_of.get(f"gpus[{i}]") for i in range(g.gpu_count)]
            places = group_places(g) + [p for s, n, _ in slots(g) for p in slot_paths(w, g, s, n)]
            if all(sockets) and all(gpus) and count == g.gpu_count:
                apart = [i for i in range(count) if sockets[i][0] != gpus[i][0]]
                spread = collections.Counter(s[0] for s in sockets), collections.Counter(s[0] for s in gpus)
                if spread[0] != spread[1]:
                    yield from wrong("numa-pair", places, f"'{g.name}': adapters {dict(spread[0])}, GPUs {dict(spread[1])}")
                elif apart:
                    yield Verdict("numa-pair", "undecided", places, "pairs crossed, as many on each socket")
                far = [i for i in range(count) if sockets[i] != gpus[i]]
                if far and not apart:
                    yield Verdict("numa-pair", "undecided", places, "below different switches of one socket")
            elif g.facts.get("pcie"):
                yield Verdict("numa-pair", "undecided", places, "fewer adapters than GPUs, or without a place")
            rails = number(net.get("rails", ""))
            if net.get("topology") == "rail-optimised" and count:
                per_node = g.ports(how["ports"])[0] if "count" not in how else int(number(how["count"]))
                rails = int(rails or per_node)
                on = places + [("networks", net_name, k) for k in ("rails", "topology", "connects")] + [("networks", net_name, "connects", g.name), ("networks", net_name)]
                if per_node % rails or g.gpu_count % count and count % g.gpu_count:
                    yield from wrong("rail-pairs", on, f"'{g.name}': {count} adapters, {per_node} ports, {rails} rails, {g.gpu_count} GPUs")
                elif has_tree and count != g.gpu_count or rails < per_node:
                    yield Verdict("rail-pairs", "undecided", on, "several GPUs to an adapter")
                elif all(sockets) and all(gpus) and collections.Counter(s[0] for s in sockets) != collections.Counter(s[0] for s in gpus):
                    yield Verdict("rail-pairs", "undecided", on, "adapters of the other socket")
        window, memory = g.get("bar_window"), g.gpu.get("bar") or g.gpu.get("memory")
        if window and memory and g.gpu_count:
            need = g.gpu_count * 2 ** math.ceil(math.log2(memory))
            yield from judge("bar", need, need, window, group_places(g), f"BAR space of '{g.name}'")
        software = w.software(g)
        at = [("software", k) for k in ("acs", "iommu", "gpudirect_rdma")] + [("nodes", g.name, "software", k) for k in ("acs", "iommu")] + [("nodes", g.name), ("software",)]
        if software.get("acs") == "true" and g.gpu_count:
            alone = g.gpu_count == 1 or not w.networks                    # no peers that the spec asks for
            yield Verdict("acs", "undecided" if alone else "infeasible", at, "ACS on bare metal")
        if software.get("iommu") == "translate" and g.gpu_count:       # Arm: the processor's GPUs are coherent, their SMMU translates by design
            yield Verdict("iommu", "undecided" if g.facts.get("arch") == "aarch64" else "infeasible", at, "translating IOMMU")


def fitting(w):
    for g in w.groups.values():
        here = group_places(g)
        arch, machine = w.software(g).get("arch"), g.facts.get("arch") or g.cpu.get("arch")
        if arch and machine and arch != machine:
            yield from wrong("arch", here + [("software", "arch"), ("nodes", g.name, "software", "arch")], f"{arch} on {machine}")
        for set_name, row in (g.facts.get("ports") or {}).items():
            on_card = w.part(g.nics.get(row.get("nics"), (0, None))[1]).get("ports")
            if row.get("port") and on_card and row["port"] > on_card or row.get("cages") and on_card and len(row["cages"]) != g.ports(set_name)[0]:
                yield from wrong("node-ports", here, f"ports '{set_name}' of '{g.name}'")
        if g.virtual or w.cloud:
            continue
        forms = g.facts.get("gpu_forms")
        places = g.get("gpu_slots")
        if g.gpu_count and g.gpu.get("form") and forms:
            if g.gpu["form"] not in forms:
                yield from wrong("gpu-form", here, f"{g.gpu['form']} in {forms}")
        if places is not None and g.gpu_count > places:
            yield from wrong("gpu-count", here, f"{g.gpu_count} GPUs in {places} places of '{g.name}'")
        elif g.gpu_count and places and g.gpu.get("form", "").startswith("sxm") and g.gpu_count not in (places,):
            yield from wrong("gpu-count", here, f"{g.gpu_count} GPUs on a board of {places:g}")
        sockets = g.get("sockets")
        if sockets and g.cpu_count > sockets:
            yield from wrong("cpu", here, f"{g.cpu_count} processors in {sockets} sockets")
        if g.facts.get("arch") and g.cpu.get("arch") and g.facts["arch"] != g.cpu["arch"]:
            yield from wrong("cpu", here, f"{g.cpu['arch']} in {g.facts['arch']}")
        if g.facts.get("cpu_socket") and g.cpu.get("socket") and g.facts["cpu_socket"] != g.cpu["socket"]:
            yield from wrong("cpu", here, f"{g.cpu['socket']} in {g.facts['cpu_socket']}")
        if g.get("cpu_tdp") and g.cpu.get("tdp") and g.cpu["tdp"] > g.get("cpu_tdp"):
            yield from wrong("cpu", here, f"{g.cpu['tdp']} W, cooled {g.get('cpu_tdp')} W")
        if g.facts.get("memory"):
            count, each = modules(g.facts["memory"])
            channels = (g.cpu.get("memory_channels") or 0) * g.cpu_count
            if channels and count % channels and not g.assembly:
                yield from wrong("dimms", here, f"{count} modules on {channels} channels")
            dimm_slots = g.get("dimm_slots")
            if dimm_slots and count > dimm_slots:
                yield from wrong("places", here, f"{count} modules in {dimm_slots:g} slots")
            if each and g.gpu_count and g.gpu.get("memory"):
                have, gpu = count * each, g.gpu_count * g.gpu["memory"]
                yield from judge("memory", gpu, gpu, have, here, f"host memory of '{g.name}' against its GPUs")
        if g.gpu_count and g.cpu.get("cores"):
            cores, gpus = g.cpu["cores"] * g.cpu_count, g.gpu_count * int(g.gpu.get("devices") or 1)     # a module of two dies is two GPUs to jobs
            if cores < 8 * gpus:
                yield from wrong("cores", here, f"{cores} cores, {gpus} GPUs")
        if g.facts.get("bmc") in ("false", False):
            yield from wrong("bmc", here, "no management controller")
        bays, drives = g.get("drive_bays"), sum(modules(v)[0] for k, v in (g.facts.get("drives") or {}).items() if k != "boot")
        if bays is not None and drives > bays:
            yield from wrong("places", here, f"{drives} drives in {bays:g} bays")
        boot = (g.facts.get("drives") or {}).get("boot")
        if boot and modules(boot)[0] == 1 and not g.assembly:
            yield from wrong("bmc", here, "one boot drive")
        bridge = number(g.facts.get("nvlink_bridge", "") or "")
        if bridge and g.gpu_count:
            if not g.gpu.get("gpu_link") or g.gpu.get("form") != "pcie":
                yield from wrong("bridge", here, f"bridges on {g.gpu_model}")
            else:
                yield Verdict("bridge", "undecided", here, "which bridges there are")
