"""Whether a spec can be built: arithmetic over a World, one function a cause, each with the source of its formula.

Where the spec leaves something to the planner (which rack a switch goes to, how many spines) the load is known only within bounds, and the verdict is one of
three: `infeasible` when even the lower bound is over the limit, nothing when the upper bound is within it, `undecided` between. No rule of the program
is asked, none of its output is read.

RULES names, for every cause, the rules that are there to report it, and whether as an error or a warning: the documented side of the comparison.
"""
import collections
import math
import re

from world import count_names as count_pattern
from world import modules, names, number, part_count, quantity

Verdict = collections.namedtuple("Verdict", "cause state places why")

RULES = {
    "rack-power": {"power-branch-over-continuous-rating", "power-phase-overloaded-or-unbalanced", "power-feed-loss-overloads-survivor", "power-bank-breaker-overloaded"},
    "feed-capacity": {"power-branch-over-continuous-rating", "power-feed-loss-overloads-survivor"},
    "ups": {"power-ups-over-kw-rating"},
    "rack-budget": {"power-rack-over-budget"},
    "utility": {"power-site-over-capacity"},
    "supplies": {"power-supplies-below-node-draw"},
    "supplies-feeds": {"power-supplies-uneven-over-feeds", "power-feed-loss-overloads-survivor"},   # cords may be moved together instead
    "supply-voltage": {"power-supply-voltage-out-of-range", "power-pdu-rating-miscomputed"},
    "pdu-rating": {"power-pdu-rating-miscomputed"},
    "cards": {"pcie-card-beyond-slot-limits"},
    "ups-altitude": {"power-altitude-derating-ignored"},
    "places": {"node-parts-beyond-places"},
    "pdu-voltage": {"power-pdu-rating-miscomputed", "power-plug-outlet-mismatch"},
    "pdu-region": {"power-plug-outlet-mismatch"},
    "outlets": {"power-outlet-missing-or-reused", "power-plug-outlet-mismatch"},
    "part-sum": {"power-node-below-part-sum"},
    "gpu-limit": {"power-gpu-limit-out-of-range"},
    "shelves": {"power-shelves-below-rack-draw", "spec-count-mismatch"},
    "heat": {"cool-heat-rejection-undersized", "cool-cdu-undersized-at-approach"},
    "airflow": {"cool-airflow-below-demand"},
    "density": {"cool-density-beyond-method"},
    "inlet": {"cool-inlet-out-of-range", "cool-inlet-above-altitude-limit"},
    "coolant": {"cool-coolant-too-warm-or-condensing"},
    "coolant-flow": {"cool-coolant-flow-too-small"},
    "humidity": {"cool-humidity-out-of-range"},
    "no-air": {"cool-liquid-rack-without-air"},
    "nic-slot": {"pcie-nic-faster-than-slot"},
    "slot-width": {"pcie-card-beyond-slot-limits"},
    "bifurcation": {"pcie-bifurcation-unsupported-by-slot"},
    "lanes": {"pcie-lanes-beyond-sockets"},
    "numa-pair": {"pcie-gpu-nic-across-sockets", "pcie-gpu-rail-pairing-broken"},
    "rail-pairs": {"pcie-gpu-rail-pairing-broken"},
    "bar": {"pcie-bar-space-exhausted"},
    "acs": {"pcie-acs-redirects-peer-traffic"},
    "iommu": {"pcie-iommu-translates-on-bare-metal"},
    "gpu-form": {"node-gpu-wrong-form-factor"},
    "gpu-count": {"node-gpu-wrong-form-factor"},
    "cpu": {"node-cpu-unsupported-by-chassis"},
    "dimms": {"node-memory-channels-uneven"},
    "memory": {"node-host-memory-below-gpu"},
    "cores": {"node-few-cores-per-gpu"},
    "arch": {"node-image-wrong-architecture"},
    "bmc": {"node-boot-or-bmc-lacking"},
    "bridge": {"node-impossible-nvlink-topology"},
    "rack-units": {"rack-units-overlap-or-overflow", "power-branch-over-continuous-rating", "power-rack-over-budget"},
    "rack-depth": {"rack-device-deeper-than-rack"},
    "rack-weight": {"rack-static-load-exceeded", "rack-units-overlap-or-overflow"},
    "rolling": {"rack-rolled-above-dynamic-rating"},
    "floor": {"rack-floor-load-exceeded"},
    "door": {"rack-delivery-path-too-small"},
    "switch-ports": {"net-switch-ports-exceeded", "net-fabric-exceeds-tiers"},
    "link-rate": {"net-link-ends-mismatched", "net-switch-ports-exceeded"},
    "link-kind": {"net-link-ends-mismatched", "net-roce-lossless-plan-broken"},
    "rails": {"pcie-gpu-rail-pairing-broken"},
    "node-ports": {"spec-not-enough-ports", "spec-missing-choice"},
    "subnet": {"net-address-plan-collides"},
    "overlap": {"net-address-plan-collides"},
    "vlan": {"net-address-plan-collides"},
    "mtu": {"net-mtu-differs-along-path"},
    "roce": {"net-roce-lossless-plan-broken"},
    "headroom": {"net-pfc-headroom-too-small"},
    "asn": {"net-bgp-numbers-clash-or-exhausted"},
    "oversubscription": {"net-leaf-oversubscribed"},
    "oob": {"net-oob-incomplete-or-dependent", "security-management-network-reachable"},
    "reach": {"net-link-ends-mismatched"},
    "lids": {"net-subnet-manager-or-lids-short"},
    "storage-rate": {"storage-path-narrower-than-promise"},
    "storage-capacity": {"storage-usable-capacity-short"},
    "protection": {"storage-fault-tolerance-impossible"},
    "file-server": {"storage-metadata-on-single-server", "ha-service-single-instance"},
    "cuda-driver": {"software-cuda-newer-than-driver"},
    "gpu-toolkit": {"software-gpu-unknown-to-toolkit", "software-one-stack-mixed-generations"},
    "gpu-driver": {"software-gpu-unknown-to-toolkit", "software-one-stack-mixed-generations", "software-cuda-newer-than-driver"},
    "modules": {"software-wrong-kernel-module-flavour", "software-one-stack-mixed-generations"},
    "fabric-manager": {"software-fabric-manager-mismatched"},
    "memlock": {"software-memlock-limit-too-low"},
    "limits": {"software-process-limits-too-low"},
    "secure-boot": {"software-unsigned-module-secure-boot"},
    "mig": {"software-mig-layout-mismatched"},
    "blocks": {"sched-block-splits-nvlink-domain", "sched-topology-differs-from-fabric"},
    "gang": {"sched-gang-scheduling-absent"},
    "quorum": {"ha-quorum-even-or-split"},
    "single-service": {"ha-service-single-instance", "ha-quorum-even-or-split"},
    "workload-nodes": {"spec-count-mismatch"},
    "target-rdma": {"target-rdma-above-line-rate"},
    "target-memory": {"target-gemm-above-peak"},
    "target-gemm": {"target-gemm-above-peak"},
    "target-hpl": {"target-hpl-beyond-memory-or-peak"},
    "target-copy": {"target-host-copy-above-ceiling"},
    "target-all-reduce": {"target-all-reduce-above-ceiling"},
    "training-memory": {"work-training-state-exceeds-memory"},
    "run-time": {"work-run-time-claim-impossible"},
    "tensor": {"work-parallel-layout-leaves-nvlink"},
    "quota": {"sched-quota-beyond-capacity"},
    "built-for": {"spec-count-mismatch"},
    "names": {"spec-duplicate-name"},
    "unknown-name": {"spec-unknown-name"},
    "unknown-part": {"spec-unknown-part"},
    "trays": {"spec-count-mismatch"},
}

EPS = 1e-9


def judge(cause, low, high, limit, places, why):
    """Against a limit that must not be exceeded."""
    if limit is None or low is None:
        return []
    if low > limit * (1 + EPS) + EPS:
        return [Verdict(cause, "infeasible", places, f"{why}: {low:.6g} of {limit:.6g}")]
    if high is None or high > limit * (1 + EPS) + EPS:
        return [Verdict(cause, "undecided", places, f"{why}: {low:.6g} to {high if high is None else format(high, '.6g')} of {limit:.6g}")]
    return []


def wrong(cause, places, why):
    return [Verdict(cause, "infeasible", places, why)]


# ---- what stands in racks -------------------------------------------------------------------------------------------------------------------
def switch_counts(w):
    """{network: (fewest, most)} switches, from the ports alone; guests have none."""
    found = {}
    for name, net in w.networks.items():
        part = w.part(net.get("switch"))
        rate = number(net.get("rate", ""))
        if not part or not part.get("ports") or "shares_switches_with" in net:
            continue
        ports = sum(max(m, int(number(net.get("built_for", {}).get(who, 0)) or 0)) * p for who, m, p, _ in w.ends(net))
        if not isinstance(net.get("connects"), dict):
            ports = w.managed()
        ways = max(1, int((part.get("port_rate") or rate) / rate + 1e-9)) if rate else 1
        radix = part["ports"] * min(ways, int(part.get("breakout") or 1) if "breakout" not in net else int(number(net["breakout"])))
        radix = max(radix, part["ports"])
        bond = int(number(net.get("bond", 1)) or 1)
        fewest = max(bond, math.ceil(ports / radix))
        if not isinstance(net.get("connects"), dict):
            ports += 64                                            # switches of the other networks
        found[name] = (fewest, bond if ports <= radix else 4 * math.ceil(ports / (radix / 2)) + 16)
    return found


def rack_sums(w, figure_of_group, figure_of_storage, figure_of_switch, occupied):
    """{rack group: (least that its fullest rack has, most, largest single device)} of some figure: W, kg, units."""
    counts = switch_counts(w)
    found = {}
    for name, spec in w.racks.items():
        racks = w.rack_count(name)
        part = w.part(spec.get("model"))
        if not racks or not part:
            continue
        there = 0.0
        rows = spec.get("occupied", [])
        for row in [rows] if isinstance(rows, dict) else rows:
            there += occupied(row)
        asked_low = asked_high = total_low = total_high = largest = 0.0
        asked_units = 0.0
        most_hungry = 0.0
        for g in w.groups.values():
            if g.racks != name:
                continue
            low, high = figure_of_group(g)
            if low is None:
                continue
            total_low += low * g.count
            total_high += high * g.count
            largest = max(largest, high)
            if g.per_rack:
                here = min(g.per_rack, g.count, int((part.get("units") or 60) // (g.get("units") or 1)))
                asked_low += low * here
                asked_high += high * here
                asked_units += (g.get("units") or 0) * here
                most_hungry = max(most_hungry, low * here)
        for s in w.storage.values():
            servers = s.get("servers", {})
            if servers.get("racks") != name:
                continue
            count = int(number(servers.get("count", 1)) or 1)
            value = figure_of_storage(w.part(servers.get("model")))
            total_low += (value or 0) * count
            total_high += (value or 0) * count
            largest = max(largest, value or 0)
        for n, (fewest, most) in counts.items():
            net = w.networks[n]
            value = figure_of_switch(w.part(net["switch"]))
            if net.get("racks") == name:
                total_low += value[0] * fewest
                total_high += value[1] * most
                largest = max(largest, value[1])
            elif "racks" not in net:
                asked_high += value[1] * 2
                largest = max(largest, value[1])
        if asked_units > (part.get("units") or 0):
            asked_low = most_hungry
        low = max(asked_low + there, total_low / racks + there)
        high = max(asked_high + there, total_high / racks + there + largest, asked_low + there)
        found[name] = (low, high, total_low + there * racks, total_high + there * racks, largest)
    return found


def power_sums(w):
    return rack_sums(w, lambda g: g.power(), lambda p: p.get("power") or 0,
                     lambda p: ((p.get("power_typical") or 0) * 0.5, max(p.get("power") or 0, 2 * (p.get("power_typical") or 0))), lambda o: number(o.get("power", "")) or 0)


def node_places(w, rack_group):
    places = [("racks", rack_group)]
    for g in w.groups.values():
        if g.racks == rack_group:
            places += [("nodes", g.name), ("nodes", g.name, "racks"), ("nodes", g.name, "per_rack"), ("nodes", g.name, "model"), ("nodes", g.name, "names")]
    return places


def pdu_places(w, rack_group):
    return node_places(w, rack_group) + [("racks", rack_group, "pdus")] + [("racks", rack_group, "pdus", i, k) for i in range(8) for k in ("model", "feed", "panel")]


def shares_evenly(w, rack_group, pdus):
    """Each device's supplies divide by the PDUs."""
    return all(not (g.facts.get("psus") or {}).get("count") or quantity(g.facts["psus"]["count"]) % pdus == 0 for g in w.groups.values() if g.racks == rack_group)


# Rack PDUs: sqrt(3) x V x I x f (rules.md, constants); with all feeds alive and after the loss of one, cords spread evenly over what is alive.
def rack_power(w):
    for name, (low, high, *_) in power_sums(w).items():
        pdus = w.racks[name].get("pdus", [])
        parts = [w.part(p.get("model")) for p in pdus]
        if not pdus or not all(parts):
            continue
        ratings = [w.pdu_rating(p) for p in parts]
        n, feeds = len(pdus), [w.feed_of(p) for p in pdus]
        places = pdu_places(w, name)
        even = shares_evenly(w, name, n)
        slack = 1.35 if all(p.get("phases") == 3 for p in parts) else 1.1      # whole cords on three lines
        limit = min(ratings) * n if even else sum(ratings)
        yield from judge("rack-power", low / w.pf, high / w.pf * slack * (1 if even else 1.5), limit, places, f"racks '{name}', all feeds")
        for lost in sorted({f for f in feeds if f}):
            alive = [r for r, f in zip(ratings, feeds) if f != lost]
            if not alive:
                continue
            # Devices that do not live on the supplies that are left are no load.
            living_low = living_high = True
            for g in w.groups.values():
                psus = g.facts.get("psus") or {}
                if g.racks != name or not psus.get("count"):
                    continue
                count, spare, each = quantity(psus["count"]), quantity(psus.get("spare") or 0), quantity(psus.get("power"))
                left = math.floor(count * len(alive) / n)
                living_low = living_low and left >= count - spare and (not each or left * each >= g.power()[1])
            limit = min(alive) * len(alive) if even else sum(alive)
            low_after = low / w.pf if living_low else 0
            yield from judge("rack-power", low_after, high / w.pf * slack * 1.06 * (1 if even else 1.5), limit, places, f"racks '{name}', without feed '{lost}'")


def feed_loads(w):
    """{feed: (low, high) VA} in the normal state and {(lost, feed): (low, high)} after a loss; losses of supplies at higher load up to 6 %."""
    normal, after = collections.defaultdict(lambda: [0.0, 0.0]), collections.defaultdict(lambda: [0.0, 0.0])
    sums = [(total_low, total_high, [w.feed_of(p) for p in w.racks[name].get("pdus", [])]) for name, (_, _, total_low, total_high, _) in power_sums(w).items()]
    for spec in w.data.get("assemblies", {}).values():
        part = w.part(spec.get("model"))
        shelves = {f: int(number(str(v).split()[0] if not isinstance(v, dict) else v.get("shelves", 0)) or 0) for f, v in spec.get("feeds", {}).items()}
        watts = (part.get("power") or 0) * count_names(spec)
        sums.append((watts, watts, [f for f, n in shelves.items() for _ in range(n)]))
    for zone in w.site.get("cooling", {}).values():
        cdus = zone.get("cdus", {})
        watts = (w.part(cdus.get("model")).get("power") or 0) * (number(cdus.get("count", 1)) or 1)
        sums.append((0, watts, cdus.get("feeds", zone.get("feeds", []))))
    for low, high, feeds in sums:
        if not feeds:
            continue
        for f in set(feeds):
            share = feeds.count(f) / len(feeds)
            normal[f][0] += low * share / w.pf
            normal[f][1] += high * share / w.pf
        for lost in w.feeds:
            alive = [f for f in feeds if f != lost]
            for f in set(alive):
                share = alive.count(f) / len(alive)
                after[lost, f][0] += (low * feeds.count(f) / len(feeds)) / w.pf     # at least what it had
                after[lost, f][1] += high * share / w.pf * 1.06
    for name, feed in w.feeds.items():
        used = (number(feed.get("in_use", "")) or 0) / w.pf
        normal[name][0] += used
        normal[name][1] += used
        for lost in w.feeds:
            if (lost, name) in after:
                after[lost, name][0] += used
                after[lost, name][1] += used
    return normal, after


def count_names(spec):
    return count_pattern(spec.get("names", ""))


def supplies_survive(w, lost):
    """Every racked device keeps running at full power without this feed: then all of its load moves over."""
    for name, spec in w.racks.items():
        feeds = [w.feed_of(p) for p in spec.get("pdus", [])]
        if lost not in feeds:
            continue
        for g in w.groups.values():
            psus = g.facts.get("psus") or {}
            if g.racks != name or not psus.get("count"):
                continue
            count, each = quantity(psus["count"]), quantity(psus.get("power"))
            left = math.floor(count * sum(f != lost for f in feeds) / len(feeds))
            if left < count - quantity(psus.get("spare") or 0) or each and left * each < g.power()[1]:
                return False
    return True


# Feeds and their UPS: what hangs on them with all alive and after the loss of any other.
def feeds(w):
    normal, after = feed_loads(w)
    for name, feed in w.feeds.items():
        here = [("site", "feeds", name), ("site", "feeds", name, "capacity"), ("site", "feeds", name, "breaker"), ("site", "feeds", name, "in_use"), ("site", "feeds")]
        worst_low, worst_high = normal[name]
        for lost in w.feeds:
            if lost != name and (lost, name) in after:
                worst_high = max(worst_high, after[lost, name][1])
                if supplies_survive(w, lost):
                    full = full_after(w, lost, name)
                    worst_low = max(worst_low, full)
        yield from judge("feed-capacity", worst_low, worst_high, w.feed_capacity(name), here, f"feed '{name}'")
        if "ups" in feed:
            part = w.part(feed["ups"].get("model"))
            modules_left = (number(feed["ups"].get("modules", 1)) or 1) - (number(feed["ups"].get("spare", 0)) or 0)
            altitude = number(w.site.get("altitude", "")) or 0
            derate = 1 - max(0, altitude - 1000) / 100 * 0.01        # rules.md, PWR-020
            places = [("site", "feeds", name, "ups"), *[("site", "feeds", name, "ups", k) for k in ("model", "modules", "spare")], ("site", "altitude"), *here[:1]]
            if altitude > 1000:
                yield from wrong("ups-altitude", places, f"{altitude} m")
            for limit, per in ((part.get("power"), w.pf), (part.get("apparent"), 1.0)):
                if limit:
                    yield from judge("ups", worst_low * per, worst_high * per, modules_left * limit * derate, places, f"UPS of feed '{name}'")


def full_after(w, lost, name):
    """Lower bound on feed `name` when `lost` is gone and everything that had both stays at full power."""
    total = 0.0
    for rack, (_, _, total_low, _, _) in power_sums(w).items():
        feeds_here = [w.feed_of(p) for p in w.racks[rack].get("pdus", [])]
        alive = [f for f in feeds_here if f != lost]
        if alive:
            total += total_low * alive.count(name) / len(alive) / w.pf
    for spec in w.data.get("assemblies", {}).values():
        part = w.part(spec.get("model"))
        shelves = {f: int(number(str(v).split()[0] if not isinstance(v, dict) else v.get("shelves", 0)) or 0) for f, v in spec.get("feeds", {}).items()}
        alive = {f: n for f, n in shelves.items() if f != lost}
        if name in shelves:      # a shelf gives no more than its rating: what moves over may be cut
            watts = (part.get("power") or 0) * count_names(spec)
            total += watts * shelves[name] / max(1, sum(shelves.values())) / w.pf if not alive else min(watts * shelves[name] / max(1, sum(alive.values())), watts) / w.pf \
                if sum(alive.values()) * (part.get("shelf_power") or 0) >= (part.get("power") or 0) else watts * shelves[name] / max(1, sum(shelves.values())) / w.pf
    return total + (number(w.feeds[name].get("in_use", "")) or 0) / w.pf


def budgets(w):
    for name, (low, high, *_) in power_sums(w).items():
        limit = number(w.racks[name].get("budget", ""))
        yield from judge("rack-budget", low, high, limit, node_places(w, name) + [("racks", name, "budget")] + [p for n in w.networks for p in (("networks", n), ("networks", n, "racks"), ("networks", n, "switch"))]
                         + [p for n in w.storage for p in (("storage", n), ("storage", n, "servers"), ("storage", n, "servers", "racks"), ("storage", n, "servers", "model"))], f"budget of racks '{name}'")
    limit = number(w.site.get("utility", ""))
    if limit:
        low = sum(s[2] for s in power_sums(w).values()) + sum((w.part(a.get("model")).get("power") or 0) * count_names(a) for a in w.data.get("assemblies", {}).values())
        high = sum(s[3] for s in power_sums(w).values()) + sum((w.part(a.get("model")).get("power") or 0) * count_names(a) for a in w.data.get("assemblies", {}).values())
        used = sum(number(f.get("in_use", "")) or 0 for f in w.feeds.values())
        pue = number(w.site.get("pue", ""))
        yield from judge("utility", low * (pue or 1) + used, high * (pue or 1.5) + used, limit, [("site", "utility"), ("site", "pue"), ("site",)], "utility")


# Supplies of a node: output of those that may not fail against the node, DC being 90 to 97 % of the wall (80 PLUS).
def supplies(w):
    for g in w.groups.values():
        psus = g.facts.get("psus") or {}
        here = [("nodes", g.name), *[("nodes", g.name, k) for k in ("model", "psus", "power_cap", "gpus", "cpus", "server")], ("nodes", g.name, "server", "like"), ("nodes", g.name, "server", "gpus")]
        here += [("nodes", g.name, *s, "psus", k) for s in ((), ("server",)) for k in ("count", "spare", "power", "input_min", "input_max")]
        if g.virtual or g.assembly or w.cloud or not psus:
            continue
        low, high = g.power()
        count, spare, each = quantity(psus.get("count")), quantity(psus.get("spare") or 0), quantity(psus.get("power"))
        if count and each:
            efficiency = quantity(psus.get("efficiency"))
            yield from judge("supplies", low * (efficiency or 0.90), high * (efficiency or 0.97), (count - spare) * each, here, f"supplies of '{g.name}'")
        volts, least, most = w.load_voltage(), quantity(psus.get("input_min")), quantity(psus.get("input_max"))
        if volts and (least and volts < least * (1 - 1e-6) or most and volts > most * (1 + 1e-6)):
            yield from wrong("supply-voltage", here + (pdu_places(w, g.racks) if g.racks in w.racks else []) + [("site", "supply", "voltage"), ("site", "supply"), ("site", "supply", "phases")], f"{volts:.4g} V for supplies of '{g.name}', {least} to {most} V")
        if count and g.racks in w.racks:
            fed = [w.feed_of(p) for p in w.racks[g.racks].get("pdus", [])]
            if len(set(fed)) > 1:
                least_left = min(math.floor(count * sum(f != lost for f in fed) / len(fed)) if count % len(fed) == 0 else -1 for lost in set(fed))
                places = here + pdu_places(w, g.racks)
                declared_spare = "spare" in (g.spec.get("psus") or {}) or "count" not in (g.spec.get("psus") or {})
                if least_left < 0:
                    yield Verdict("supplies-feeds", "undecided", places, "supplies do not divide by the PDUs")
                elif declared_spare and least_left < count - spare:
                    yield from wrong("supplies-feeds", places, f"'{g.name}': {least_left} of {count:g} supplies left, {spare:g} spare")
                elif not declared_spare:
                    yield Verdict("supplies-feeds", "undecided", places, "spares of changed supplies")
    for name, spec in w.racks.items():
        for i, pdu in enumerate(spec.get("pdus", [])):
            part = w.part(pdu.get("model"))
            here = [("racks", name, "pdus", i), ("racks", name, "pdus", i, "model"), ("site", "supply", "voltage"), ("site", "supply"), ("site", "region"), ("site", "supply", "phases")]
            if part.get("voltage") and w.voltage and part.get("phases") == w.phases:
                off = abs(part["voltage"] / w.voltage - 1)                 # IEC 60038: nominal voltages vary by 10 %; 400 V and 415 V are neighbours
                if off > 0.10:
                    yield from wrong("pdu-voltage", here, f"PDU of {part['voltage']} V on {w.voltage} V")
                elif off > 0.02:
                    yield Verdict("pdu-voltage", "undecided", here, "nominal voltages that are neighbours")
            elif part.get("voltage") and w.voltage:
                # one phase of three: between two lines, or line and neutral
                fits = any(abs(part["voltage"] / v - 1) <= 0.10 for v in (w.voltage, w.voltage / 3 ** 0.5))
                yield Verdict("pdu-voltage", "undecided" if fits else "infeasible", here, f"PDU of {part['voltage']} V, one phase, on {w.voltage} V")
            if part.get("voltage") and w.voltage and part["voltage"] < w.voltage * 0.9:
                yield Verdict("supply-voltage", "undecided", here, "what its supplies take")
            if part.get("apparent") and part.get("voltage") and part.get("continuous"):
                holds = (3 ** 0.5 if part.get("phases") == 3 else 1) * part["voltage"] * part["continuous"]
                if abs(part["apparent"] / holds - 1) > 0.02:               # rules.md, PWR-002
                    yield from wrong("pdu-rating", here, f"{part['apparent']} VA stated, {holds:.0f} VA")
            if part.get("region") and w.region and part["region"] != w.region:
                yield from wrong("pdu-region", here, f"PDU of region {part['region']} in {w.region}")


# IEC 60320: a C20 inlet takes a C19 outlet, a C14 one a C13.
def outlets(w):
    for name, spec in w.racks.items():
        parts = [w.part(p.get("model")) for p in spec.get("pdus", [])]
        if not parts or not all(parts):
            continue
        have = collections.Counter()
        for p in parts:
            for row in p.get("outlets") or []:
                have[row["kind"]] += row["count"]
        combined = sum(n for k, n in have.items() if k not in ("c13", "c19"))
        racks = w.rack_count(name)
        for kind, inlet in (("c13", "c14"), ("c19", "c20")):
            cords = total = 0
            for g in w.groups.values():
                psus = g.facts.get("psus") or {}
                if g.racks == name and psus.get("inlet") == inlet and psus.get("count"):
                    cords += quantity(psus["count"]) * min(g.per_rack, g.count)
                    total += quantity(psus["count"]) * g.count
            low = max(cords, total / racks if racks else 0)
            devices = 8 + sum(most * 4 / racks if w.networks[n].get("racks") == name else 4 if "racks" not in w.networks[n] else 0 for n, (_, most) in switch_counts(w).items())
            if low > have[kind] + combined:
                yield from wrong("outlets", pdu_places(w, name), f"racks '{name}': {low:g} {kind} cords, {have[kind] + combined} outlets")
            elif low * 1.5 + devices > have[kind]:
                yield Verdict("outlets", "undecided", pdu_places(w, name), f"{kind} cords of '{name}'")
            elif have[kind] + combined == 0:
                yield Verdict("outlets", "undecided", pdu_places(w, name), f"no {kind} outlets in '{name}'")


def node_power(w):
    for g in w.groups.values():
        server = g.spec.get("server") if isinstance(g.spec.get("server"), dict) else {}
        here = [("nodes", g.name), ("nodes", g.name, "gpu_power_limit"), ("nodes", g.name, "server"), ("nodes", g.name, "server", "power"), ("nodes", g.name, "server", "gpus"), ("nodes", g.name, "server", "like")]
        if "power" in server and "power_cap" not in g.spec:
            stated = quantity(server["power"])
            if stated is not None and stated < g.stated_sum():
                yield from wrong("part-sum", here, f"'{g.name}': {stated} W, parts {g.stated_sum()} W")
            elif stated is not None and stated < g.stated_sum() * 1.6 + 1500:
                yield Verdict("part-sum", "undecided", here, "memory, drives and fans")
        limit = g.limit()
        if limit and g.gpu.get("tdp"):
            least = g.gpu.get("power_min") or g.gpu.get("tdp_min")
            if limit > g.gpu["tdp"] or least and limit < least:
                yield from wrong("gpu-limit", here, f"limit {limit} W, board {g.gpu['tdp']} W")
            elif not least and limit < g.gpu["tdp"] * 0.5:
                yield Verdict("gpu-limit", "undecided", here, "the board's minimum is not known")
    for name, spec in w.data.get("assemblies", {}).items():
        part = w.part(spec.get("model"))
        shelves = sum(int(number(str(v).split()[0] if not isinstance(v, dict) else v.get("shelves", 0)) or 0) for v in spec.get("feeds", {}).values())
        here = [("assemblies", name), ("assemblies", name, "feeds"), ("assemblies", name, "model"), *[("assemblies", name, "feeds", f) for f in spec.get("feeds", {})]]
        if part.get("shelf_power") and spec.get("feeds"):
            if shelves * part["shelf_power"] < part["power"]:
                yield from wrong("shelves", here, f"{shelves} shelves of {part['shelf_power']} W for {part['power']} W")
            else:
                each = [int(number(str(v).split()[0] if not isinstance(v, dict) else v.get("shelves", 0)) or 0) for v in spec["feeds"].values()]
                if (shelves - max(each)) * part["shelf_power"] < part["power"] or shelves > (part.get("power_shelves") or 0):
                    yield Verdict("shelves", "undecided", here, "after the loss of a feed, or more shelves than it has places")


# ---- cooling -------------------------------------------------------------------------------------------------------------------------------
def zone_loads(w):
    """{zone: (heat low, high, air demand low, high in CFM)}; what goes in as power comes out as heat."""
    found = collections.defaultdict(lambda: [0.0] * 4)
    density = (1 - 2.25577e-5 * (number(w.site.get("altitude", "")) or 0)) ** 5.2559

    def air(watts, kelvin=20):                                     # P / (rho cp dT): 1.7552 CFM per W and K (rules.md, constants)
        return watts / (1.20 * 1005 * kelvin) * 2118.88 / density
    sums = power_sums(w)
    for name, spec in w.racks.items():
        zone = found[spec.get("cooling")]
        if name not in sums:
            continue
        low, high = sums[name][2], sums[name][3]
        if spec.get("liquid"):
            low = 0.0
        zone[0] += low
        zone[1] += high
        need_low = need_high = 0.0
        stated = 0.0
        for g in w.groups.values():
            if g.racks == name and g.get("airflow"):
                need_low += g.get("airflow") / density * g.count
                need_high += g.get("airflow") / density * g.count
                stated += g.power()[0] * g.count
        zone[2] += need_low + air(max(0.0, low - stated)) * 0.9
        zone[3] += need_high + air(max(0.0, high - stated)) * 1.1
    for spec in w.data.get("assemblies", {}).values():
        part, n = w.part(spec.get("model")), count_names(spec)
        watts, share = (part.get("power") or 0) * n, part.get("liquid_share") or 0
        cooling = spec.get("cooling", {})
        for zone, heat in ((found[cooling.get("liquid")], watts * share), (found[cooling.get("air")], watts * (1 - share))):
            zone[0] += heat
            zone[1] += heat
        found[cooling.get("air")][2] += air(watts * (1 - share)) * 0.9
        found[cooling.get("air")][3] += air(watts * (1 - share)) * 1.1
    return found


METHOD_LIMIT = {"room-air": (15e3, 15e3), "contained-air": (50e3, 30e3), "in-row": (50e3, 50e3), "rear-door": (70e3, 70e3)}   # rules.md, COOL-002


def cooling(w):
    loads = zone_loads(w)
    sums = power_sums(w)
    altitude = number(w.site.get("altitude", "")) or 0
    for name, zone in w.site.get("cooling", {}).items():
        here = [("site", "cooling", name), *[("site", "cooling", name, k) for k in ("units", "spare", "each", "supply", "method", "airflow", "cdus", "facility", "fluid", "rise", "dew_point", "humidity", "model")],
                ("site", "cooling", name, "each", "heat"), ("site", "cooling", name, "each", "airflow"), ("site", "cooling", name, "cdus", "count"), ("site", "cooling", name, "cdus", "spare"),
                ("site", "cooling", name, "cdus", "model"), ("site", "cooling", name, "facility", "supply"), ("site", "altitude")]
        low, high, air_low, air_high = loads[name]
        part = w.part(zone.get("model"))
        supply = number(zone.get("supply", ""))
        if zone.get("method") != "liquid":
            running = (number(zone.get("units", 1)) or 1) - (number(zone.get("spare", 0)) or 0)
            heat = number(zone.get("each", {}).get("heat", "")) or part.get("heat")
            if heat and high:
                yield from judge("heat", low, high, running * heat, here, f"heat of zone '{name}'")
            flow = number(zone.get("each", {}).get("airflow", "")) or part.get("airflow")
            whole = number(zone.get("airflow", "")) if isinstance(zone.get("airflow"), str) else None
            limit = whole * running / (number(zone.get("units", 1)) or 1) if whole else flow * running if flow else None
            if limit is not None and air_high and not isinstance(zone.get("airflow"), dict):
                yield from judge("airflow", air_low, air_high, limit, here, f"air of zone '{name}'")
            if zone.get("method") in METHOD_LIMIT:
                most, least = METHOD_LIMIT[zone["method"]]
                for rack, spec in w.racks.items():
                    if spec.get("cooling") == name and rack in sums and not spec.get("liquid"):
                        low_rack, high_rack = sums[rack][0], sums[rack][1]
                        verdict = judge("density", low_rack, high_rack, most, here + pdu_places(w, rack), f"a rack of '{rack}' in {zone['method']}")
                        yield from verdict or judge("density", 0, high_rack, least, here + pdu_places(w, rack), f"a rack of '{rack}' in {zone['method']}")
            for g in w.groups.values():
                in_zone = g.racks in w.racks and w.racks[g.racks].get("cooling") == name
                if not in_zone or supply is None:
                    continue
                nodes = here + [("nodes", g.name), ("nodes", g.name, "model")]
                most, least = g.get("inlet_max"), g.get("inlet_min")
                if most is not None:
                    per = 300 if most <= 35 else 175 if most <= 40 else 125
                    if supply > most - max(0, altitude - 900) / per + 1e-9:
                        yield from wrong("inlet", nodes, f"{supply} C for '{g.name}', {most} C at {altitude} m")
                if least is not None and supply < least:
                    yield from wrong("inlet", nodes, f"{supply} C for '{g.name}', at least {least} C")
            if supply is not None and not 18 <= supply <= 27:                  # ASHRAE TC 9.9, recommended
                yield from wrong("inlet", here, f"{supply} C is outside 18 to 27 C")
            humidity, dew = number(zone.get("humidity", "")), number(zone.get("dew_point", ""))
            if humidity is not None and humidity > 0.7 or dew is not None and not -9 <= dew <= 15:
                yield from wrong("humidity", here, f"humidity {humidity}, dew point {dew}")
            elif humidity is not None:
                yield Verdict("humidity", "undecided", here, "dew point of the humidity")
        else:
            cdus, cdu = zone.get("cdus", {}), w.part(zone.get("cdus", {}).get("model"))
            running = (number(cdus.get("count", 1)) or 1) - (number(cdus.get("spare", 0)) or 0)
            facility = number(zone.get("facility", {}).get("supply", ""))
            share = 1.0
            if facility is not None and supply is not None and cdu.get("approach"):
                share = max(0.0, min(1.0, (supply - facility) / cdu["approach"]))
            if cdu.get("heat") and high:
                yield from judge("heat", low, high, running * cdu["heat"] * share, here, f"heat of loop '{name}'")
            rise = number(zone.get("rise", "")) or 10
            if cdu.get("flow") and high:
                k = 15.1 if zone.get("fluid") == "pg25" else 14.4
                yield from judge("coolant-flow", low / 1e3 * k / rise, high / 1e3 * k / rise, running * cdu["flow"], here, f"flow of loop '{name}'")
            dews = [number(z.get("dew_point", "")) for z in w.site["cooling"].values() if number(z.get("dew_point", "")) is not None]
            if dews and supply is not None and supply < max(dews) + 2:
                yield from wrong("coolant", here + [("site", "cooling", z, "dew_point") for z in w.site["cooling"]], f"coolant {supply} C, dew point {max(dews)} C")
            warmest = [g.get("coolant_max") for g in w.groups.values() if g.get("coolant_max")]
            if warmest and supply is not None and supply > min(warmest):
                yield from wrong("coolant", here, f"coolant {supply} C, parts {min(warmest)} C")
    for name, spec in w.data.get("assemblies", {}).items():
        part = w.part(spec.get("model"))
        if part.get("liquid_share") and "air" not in spec.get("cooling", {}):
            yield from wrong("no-air", [("assemblies", name), ("assemblies", name, "cooling"), ("assemblies", name, "model")], "no zone takes the rest of the heat")


# ---- nodes ---------------------------------------------------------------------------------------------------------------------------------
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
            cores = g.cpu["cores"] * g.cpu_count
            if cores < 8 * g.gpu_count:
                yield from wrong("cores", here, f"{cores} cores, {g.gpu_count} GPUs")
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


# ---- racks ---------------------------------------------------------------------------------------------------------------------------------
def racks(w):
    units = rack_sums(w, lambda g: (g.get("units"), g.get("units")), lambda p: p.get("units") or 0, lambda p: (p.get("units") or 0,) * 2, lambda o: occupied_units(o))
    kilos = rack_sums(w, lambda g: (g.get("weight") or 0, g.get("weight") or 60), lambda p: p.get("weight") or 0, lambda p: (p.get("weight") or 0, p.get("weight") or 30), lambda o: number(o.get("weight", "")) or 0)
    for name, spec in w.racks.items():
        part = w.part(spec.get("model"))
        here = node_places(w, name) + [("racks", name, k) for k in ("model", "names", "shipping", "occupied", "pdus")] + [("racks", name, "occupied", "units")] \
            + [("networks", n, "switch") for n in w.networks] + [("networks", n) for n in w.networks] + [("networks", n, "racks") for n in w.networks] \
            + [("storage", s) for s in w.storage] + [("storage", s, "servers") for s in w.storage]
        here += [("nodes", g, "at") for g in w.groups] + [p for g, x in w.groups.items() for n in x.spec.get("at", {}) for p in (("nodes", g, "at", n), ("nodes", g, "at", n, "rack"), ("nodes", g, "at", n, "unit"))]
        if name in units and part.get("units"):
            low, high, total_low, total_high, largest = units[name]
            total = w.rack_count(name) * part["units"]
            # What is asked for one rack must fit one rack; all of it must fit all of them, less what is wasted below the tallest device.
            asked = sum((g.get("units") or 0) * min(g.per_rack, g.count) for g in w.groups.values() if g.racks == name and g.per_rack)
            needs = max((g.get("units") or 0) for g in w.groups.values() if g.racks == name) if any(g.racks == name for g in w.groups.values()) else 0
            if needs > part["units"] or total_low > total or any((g.get("units") or 0) * min(g.per_rack, math.ceil(g.count / w.rack_count(name))) > part["units"] for g in w.groups.values() if g.racks == name and g.per_rack):
                yield from wrong("rack-units", here, f"racks '{name}': {max(needs, total_low):g} of {total:g} units")
            elif any(g.per_rack and g.per_rack * w.rack_count(name) < g.count for g in w.groups.values() if g.racks == name):
                yield from wrong("rack-units", here, f"racks '{name}': more nodes than places")
            elif total_high + w.rack_count(name) * largest > total or asked > part["units"]:
                yield Verdict("rack-units", "undecided", here, "how devices pack")
            where = collections.Counter()
            for g in w.groups.values():
                for place in g.spec.get("at", {}).values():
                    row = place if isinstance(place, dict) else dict(zip(("rack", "unit"), str(place).split("/")))
                    unit = int(number(str(row.get("unit", "0")).lstrip("U")) or 0)
                    if row.get("rack") in names(spec.get("names", "")) and unit:
                        where.update((row["rack"], u) for u in range(unit, unit + int(g.get("units") or 1)))
                        if unit + int(g.get("units") or 1) - 1 > part["units"]:
                            yield from wrong("rack-units", here, f"U{unit} of {part['units']}")
            if any(n > 1 for n in where.values()):
                yield from wrong("rack-units", here, "two devices in one unit")
            rows = spec.get("occupied", [])
            for o in [rows] if isinstance(rows, dict) else rows:
                if max(occupied_set(o), default=0) > part["units"]:
                    yield Verdict("rack-units", "undecided", here, "occupied above the rack")
        if part.get("mounting_depth"):
            for g in w.groups.values():
                if g.racks == name and g.get("depth") and g.get("depth") > part["mounting_depth"]:
                    yield from wrong("rack-depth", here, f"{g.get('depth')} m in {part['mounting_depth']} m")
            for other in [w.part(n.get("switch")) for n in w.networks.values()] + [w.part(s.get("servers", {}).get("model")) for s in w.storage.values()]:
                if other.get("depth") and other["depth"] > part["mounting_depth"]:
                    yield Verdict("rack-depth", "undecided", here, "a switch or storage system that may stand there")
        if name in kilos:
            low, high = kilos[name][0] * 1.05 + 20, kilos[name][1] * 1.05 + 20
            if part.get("static_load"):
                yield from judge("rack-weight", low, high, part["static_load"], here, f"weight of racks '{name}'")
            if spec.get("shipping") == "integrated" and part.get("dynamic_load"):
                yield from judge("rolling", low, high, part["dynamic_load"], here, f"rolled weight of racks '{name}'")
            floor, tile = number(w.site.get("floor_load", "")), number(w.site.get("tile_load", ""))
            at = here + [("site", "floor_load"), ("site", "tile_load"), ("site",)]
            if part.get("weight") and part.get("width") and part.get("depth"):
                area = part["width"] * part["depth"]
                if floor:
                    yield from judge("floor", (low + part["weight"]) / area, (high + part["weight"]) / area, floor, at, f"floor below racks '{name}'")
                if tile:
                    yield from judge("floor", (low + part["weight"]) / 4 * 1.25, (high + part["weight"]) / 4 * 1.25, tile, at, f"tile below racks '{name}'")
        door = w.site.get("door", {})
        clear, wide = number(door.get("height", "")), number(door.get("width", ""))
        if clear and part.get("height") and part["height"] > clear or wide and part.get("width") and min(part["width"], part["depth"]) > wide:
            yield from wrong("door", here + [("site", "door"), ("site", "door", "height"), ("site", "door", "width")], f"rack of {part['height']} m, door {clear} m")
    for name, spec in w.data.get("assemblies", {}).items():
        part, door = w.part(spec.get("model")), w.site.get("door", {})
        floor, tile = number(w.site.get("floor_load", "")), number(w.site.get("tile_load", ""))
        at = [("site", "floor_load"), ("site", "tile_load"), ("assemblies", name), ("assemblies", name, "model")]
        if floor and part.get("weight") and part.get("width"):
            yield from judge("floor", part["weight"] / (part["width"] * part["depth"]), part["weight"] * 1.1 / (part["width"] * part["depth"]), floor, at, f"floor below '{name}'")
        if tile and part.get("weight"):
            yield from judge("floor", part["weight"] / 4 * 1.25, part["weight"] * 1.1 / 4 * 1.25, tile, at, f"tile below '{name}'")
        if door:
            yield Verdict("door", "undecided", at + [("site", "door"), ("site", "door", "height"), ("site", "door", "width")], "an assembly's height is not stated")


def occupied_set(row):
    found = set()
    ranges = row.get("units", [])
    for text in [ranges] if isinstance(ranges, str) else ranges:
        low, _, high = text.replace("U", "").partition("-")
        found.update(range(int(low), int(high or low) + 1))
    return found


def occupied_units(row):
    return float(len(occupied_set(row)))


# ---- networks ------------------------------------------------------------------------------------------------------------------------------
def net_places(name, who=()):
    return [("networks", name), *[("networks", name, k) for k in ("switch", "rate", "kind", "subnet", "vlan", "mtu", "topology", "oversubscription", "rails", "breakout", "connects", "asn", "roce", "media", "racks", "bond", "planes")],
            *[("networks", name, "roce", k) for k in ("priority", "dscp", "pfc", "ecn", "headroom")], *[("networks", name, "connects", x) for x in who],
            *[("networks", name, "connects", x, k) for x in who for k in ("ports", "count")]]


def networks(w):
    asked = collections.Counter()
    for name, net in w.networks.items():
        if "shares_switches_with" not in net:
            asked.update({who: ports for who, _, ports, _ in w.ends(net) if who in w.groups})
    for who, ports in asked.items():
        group = w.groups[who]
        if not group.virtual and not w.cloud and ports > group.ports_of_all():
            yield from wrong("node-ports", group_places(group) + [p for n in w.networks for p in net_places(n, [who])], f"'{who}': {ports} of {group.ports_of_all()} ports")
    for name, net in w.networks.items():
        ends = w.ends(net)
        here = net_places(name, [e[0] for e in ends])
        part, rate = w.part(net.get("switch")), number(net.get("rate", ""))
        everything = not isinstance(net.get("connects"), dict)
        for who, _, ports, nic_rate in ends:
            how = net["connects"][who]
            if who in w.groups:
                group = w.groups[who]
                have = group.ports(how["ports"])[0] if isinstance(how, dict) and "ports" in how else group.ports_of_all()
                sets = group.facts.get("ports") or {}
                nic_set = sets.get(how.get("ports"), {}).get("nics", how.get("ports")) if isinstance(how, dict) else None
                speaks = w.part(group.nics.get(nic_set, (0, None))[1]).get("links") if nic_set else None
                if speaks and net.get("kind") and net["kind"] not in speaks:
                    yield from wrong("link-kind", here + group_places(group), f"{net['kind']} on an adapter for {speaks}")
                if not isinstance(how, dict) and str(how).isdigit() and len(sets or group.nics) > 1 and not group.virtual:
                    yield Verdict("node-ports", "undecided", here, "which ports is not said")
                if not group.virtual:
                    if not w.cloud and (ports > have or ports == 0):
                        yield from wrong("node-ports", here + group_places(group), f"'{who}': {ports} of {have} ports")
                    if nic_rate and rate and rate > nic_rate * (1 + EPS):
                        others = any(r is None or r >= rate for x, _, _, r in ends if x != who)     # a slower member slows its own switch port down
                        yield Verdict("link-rate", "undecided" if others else "infeasible", here + group_places(group), f"{rate} on adapters of {nic_rate}")
                    if nic_rate and rate and rate < nic_rate:
                        yield Verdict("link-rate", "undecided", here + group_places(group), "an adapter below its rate")
        if part.get("ports"):
            if part.get("port_rate") and rate and rate > part["port_rate"] * (1 + EPS):
                yield from wrong("link-rate", here, f"{rate} on switch ports of {part['port_rate']}")
                yield Verdict("switch-ports", "undecided", here, "ports that are too slow")
                continue
            if part.get("port_rate") and rate and part["port_rate"] / rate % 1 > 1e-6 and rate < part["port_rate"]:
                yield Verdict("link-rate", "undecided", here, "a rate that does not divide the port's")
            if part.get("link") and net.get("kind") and part["link"] != net["kind"] and net["kind"] in ("infiniband", "ethernet"):
                yield from wrong("link-kind", here, f"{net['kind']} on a switch for {part['link']}")
            planes, bond = int(number(net.get("planes", 1)) or 1), int(number(net.get("bond", 1)) or 1)
            ways = int(part["port_rate"] / rate + 1e-9) if part.get("port_rate") and rate else 1
            ways = min(ways, int(number(net["breakout"]))) if "breakout" in net else ways
            ways = max(1, min(ways, int(part.get("breakout") or 1)))
            radix = part["ports"] * ways
            if "breakout" in net and not part.get("breakout"):
                radix = part["ports"] * int(number(net["breakout"]))
            total = w.managed() if everything else sum(m * p for _, m, p, _ in ends)
            built = w.managed() if everything else sum(max(m, int(number(net.get("built_for", {}).get(who, 0)) or 0)) * p for who, m, p, _ in ends)
            per_plane = math.ceil(total / planes)
            for who, n in net.get("built_for", {}).items():
                if who in w.groups and int(number(n) or 0) < w.groups[who].count:
                    yield from wrong("built-for", here + [("networks", name, "built_for"), ("networks", name, "built_for", who), ("nodes", who, "names"), ("nodes", who)], f"built for {n} of {w.groups[who].count}")
            if net.get("topology") == "single":
                yield from judge("switch-ports", per_plane / bond, per_plane / bond, radix, here, f"one switch of '{name}'")
            elif not everything:
                # Three tiers of full bandwidth end at r^3 / 4 ports (rules.md, NET-002); an oversubscribed leaf has more of its ports below.
                o = number(net.get("oversubscription", 1)) or 1
                down = radix * o / (1 + o)
                yield from judge("switch-ports", per_plane, built / planes * 1.5, down * radix / 2 * radix, here, f"tiers of '{name}'")
            if "breakout" in net and int(number(net["breakout"])) > int(part.get("breakout") or 1):
                yield Verdict("switch-ports", "undecided", here, "more ways than the switch splits")
            if net.get("kind") == "infiniband":
                yield from judge("lids", per_plane, per_plane * 1.2, 49151, here + [("nodes", e[0], "names") for e in ends] + [("nodes", e[0]) for e in ends], f"LIDs of '{name}'")
        # An address for each port and the gateway; switches and growth are the planner's.
        subnet = w.subnet(net)
        if subnet is not None:
            total = w.managed() if everything else sum(max(m, int(number(net.get("built_for", {}).get(who, 0)) or 0)) * p for who, m, p, _ in ends)
            members = w.managed() if everything else sum(m for _, m, _, _ in ends)
            bond = int(number(net.get("bond", 1)) or 1)
            low = members if not everything else total
            size = subnet.num_addresses - 2 if subnet.prefixlen < 31 else 2
            more = sum(c[1] for c in switch_counts(w).values()) if everything else switch_counts(w).get(name, (0, 0))[1]
            extra = members_of_guests(w, name)
            yield from judge("subnet", (low if bond > 1 else max(low, total)) + 1, total * 1.3 + more + extra + 16, size, here + [("nodes", e[0], "names") for e in ends] + [("nodes", e[0]) for e in ends], f"addresses of '{name}'")
        if net.get("rdma") == "roce" and net.get("kind") not in ("ethernet", None):
            yield from wrong("link-kind", here + [("networks", name, "rdma")], f"RoCE on {net['kind']}")
        if net.get("rdma") == "roce":
            mtu = number(net.get("mtu", ""))
            if mtu is not None and mtu < 4200:
                yield from wrong("mtu", here, f"RoCE at {mtu:g}")
            plan = net.get("roce", {})
            priority, dscp = int(number(plan.get("priority", 3))), int(number(plan.get("dscp", 26)))
            if dscp // 8 != priority:
                yield from wrong("roce", here, f"DSCP {dscp} is class {dscp // 8}, {priority} is lossless")
            if plan.get("ecn") == "false":
                yield from wrong("roce", here, "pause frames without ECN" if plan.get("pfc") != "false" else "neither pause frames nor ECN")
            elif plan.get("pfc") == "false":
                yield Verdict("roce", "undecided", here, "ECN alone")
            if "headroom" in plan and rate:
                # 2 x rate x length x 5 ns/m + 2 x MTU + reaction (rules.md, NET-016); 1 m is the shortest cable, 300 m beyond any room
                need = [2 * rate / 8 * metres * 5e-9 + 2 * (mtu or 1500) + react for metres, react in ((1, 0), (300, 20e3))]
                yield from judge("headroom", need[0], need[1], number(plan["headroom"]), here, f"headroom of '{name}'")
        if "asn" in net and part.get("ports"):
            asn, switches = int(number(net["asn"])), switch_counts(w).get(name, (1, 1))
            last = 65534 if 64512 <= asn <= 65534 else 4294967294 if 4200000000 <= asn else None
            if last is None:
                yield from wrong("asn", here, f"{asn} is no private number")
            else:
                yield from judge("asn", 1, switches[1] + 8, last - asn + 1, here, f"BGP numbers of '{name}'")
        media = net.get("media")
        media = [media] if isinstance(media, str) else media
        if media and part.get("ports"):
            yield from reach(w, name, net, media, here)
        o = number(net.get("oversubscription", 1)) or 1
        if o > 1 + EPS and "compute" in (net.get("carries") or [name]):
            yield Verdict("oversubscription", "undecided", here, "a wish of the spec")
        if "oob" in (net.get("carries") or [name]) and part.get("ports"):
            if not everything:
                yield from wrong("oob", here, "management ports that nobody connects")
        if "shares_switches_with" in net and "oob" in (net.get("carries") or [name]):
            yield from wrong("oob", here + [("networks", name, "shares_switches_with")], "out-of-band on the switches that it is to repair")
    subnets = [(name, w.subnet(net)) for name, net in w.networks.items() if w.subnet(net) is not None]
    for i, (one, a) in enumerate(subnets):
        for two, b in subnets[i + 1:]:
            if a.overlaps(b):
                yield from wrong("overlap", [("networks", n, "subnet") for n in (one, two)] + [("networks", one), ("networks", two)], f"{a} and {b}")
    vlans = collections.defaultdict(list)
    for name, net in w.networks.items():
        if "vlan" in net:
            vlans[int(number(net["vlan"]))].append(name)
    for vlan, users in vlans.items():
        if len(users) > 1:
            on_same = any(w.networks[u].get("shares_switches_with") in users for u in users)
            places = [("networks", n, k) for n in users for k in ("vlan", "shares_switches_with")] + [("networks", n) for n in users]
            if on_same:
                yield from wrong("vlan", places, f"VLAN {vlan} twice on the same switches")
            else:
                yield Verdict("vlan", "undecided", places, "one VLAN on switches of their own")


def members_of_guests(w, name):
    return sum(m * p for n in w.networks.values() if n.get("shares_switches_with") == name for _, m, p, _ in w.ends(n))


def reach(w, name, net, media, here):
    """The longest part of the media that are allowed, against the way that no place of the switch can shorten."""
    rate = number(net.get("rate", ""))
    longest = 0.0
    for part in all_cables(w):
        if part.get("medium") in media and part.get("reach"):
            times = (part.get("rate") or rate) / rate                      # a cable, or one for several links of a cage
            slower = any(abs(s - rate) < 1 for s in part.get("slower") or [])
            if times >= 1 and abs(times - round(times)) < 1e-6 or slower:
                longest = max(longest, part["reach"])
    if longest == 0:
        yield Verdict("reach", "undecided", here, f"no {media} of {rate} bit/s")
        return
    radix = w.part(net.get("switch"))["ports"]
    ends = w.ends(net)
    slack = number(w.data.get("cabling", {}).get("slack", "")) or 0.5
    if sum(m * p for _, m, p, _ in ends) <= radix and int(number(net.get("bond", 1)) or 1) == 1:
        for who, members, _, _ in ends:
            g = w.groups.get(who)
            if g and g.per_rack and g.racks in w.racks:
                used = math.ceil(members / g.per_rack)
                in_row = min(used, int(number(w.racks[g.racks].get("per_row", used)) or used))
                # One switch somewhere: a rack at one end of the row is half of the row away; 0.3 m above the racks at either end.
                way = (in_row - 1) / 2 * (w.part(w.racks[g.racks]["model"]).get("width") or 0.6) + 2 * slack
                if way > longest:
                    yield Verdict("reach", "undecided", here, f"at least {way:.1f} m, {media} reach {longest:g} m")
                    return
    yield Verdict("reach", "undecided", here, f"longest {longest:g} m")


def all_cables(w):
    for name, path in w.catalogue.files.items():
        if "/cables/" in path:
            yield w.part(name)


# ---- storage, software, services ----------------------------------------------------------------------------------------------------------
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
                high = asked if k or copies else asked * (2 if servers.get("ha") else 1)
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
        rdma = any(g.name in n.get("connects", {}) and (n.get("kind") == "infiniband" or n.get("rdma") == "roce") for n in w.networks.values() if isinstance(n.get("connects"), dict))
        if "memlock" in limits and limits["memlock"] != "unlimited":
            yield (wrong("memlock", at, f"memlock {limits['memlock']}") if rdma else [Verdict("memlock", "undecided", at, "no RDMA")])[0]
        if "nofile" in limits and int(number(limits["nofile"])) < 1048576 or "shared_memory" in limits and number(limits["shared_memory"]) < 1024 ** 3:
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
                have = (tray.get("count") or 0) * count_names(s)
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
        ar = t.get("all_reduce", {})
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
            yield from judge("training-memory", need, (need + activations * 2) / 0.9, memory, here, f"state of '{name}'")
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


CHECKS = (rack_power, feeds, budgets, supplies, outlets, node_power, cooling, pcie, fitting, racks, networks, storage, software, services, targets, workloads, references)


def judge_all(world):
    found = []
    for check in CHECKS:
        found += list(check(world))
    return found

