"""What stands in racks, and the power that it takes: PDUs, feeds, UPS, budgets, supplies, outlets."""
import collections
import math

from verdict import Verdict, judge, wrong
from world import count_of, number, quantity


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
        asked = 0                                                  # spines, where the spec has its own number of them
        if "spines" in net:
            asked = 8 * int(number(net.get("planes", 1)) or 1) * int(number(net["spines"]) or 1)
        if "links_per_spine" in net:
            asked += radix * int(number(net.get("planes", 1)) or 1)
        found[name] = (fewest, bond if ports <= radix and not asked else 4 * math.ceil(ports / (radix / 2)) + 16 + asked)
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


def asked_beyond_units(w, rack_group):
    """More is asked for one rack than its units take, or for all of them than they all take: not all of it stands there."""
    units = w.part(w.racks[rack_group].get("model")).get("units") or 60
    here = [g for g in w.groups.values() if g.racks == rack_group and g.get("units")]
    return sum(g.get("units") * min(g.per_rack, g.count) for g in here) > units or sum(g.get("units") * g.count for g in here) > units * w.rack_count(rack_group) \
        or any(g.count > w.rack_count(rack_group) * min(g.per_rack or 60, units // g.get("units")) for g in here)


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
    for g in w.groups.values():
        if g.gpu_count and not g.gpu.get("tdp") and g.get("power") is None and not w.cloud:
            yield Verdict("rack-power", "undecided", node_places(w, g.racks), f"the power of {g.gpu_model} is not known")
    for name, (low, high, *_) in power_sums(w).items():
        pdus = w.racks[name].get("pdus", [])
        parts = [w.part(p.get("model")) for p in pdus]
        if not pdus or not all(parts):
            continue
        ratings = [w.pdu_rating(p) for p in parts]
        if not all(ratings):
            yield Verdict("rack-power", "undecided", pdu_places(w, name), "a strip whose rating the catalogue does not know")
            continue
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
            living_low = True
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
        watts = (part.get("power") or 0) * count_of(spec)
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
            watts = (part.get("power") or 0) * count_of(spec)
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
        low = sum(s[2] for s in power_sums(w).values()) + sum((w.part(a.get("model")).get("power") or 0) * count_of(a) for a in w.data.get("assemblies", {}).values())
        high = sum(s[3] for s in power_sums(w).values()) + sum((w.part(a.get("model")).get("power") or 0) * count_of(a) for a in w.data.get("assemblies", {}).values())
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
            if len(fed) > 1 and len(set(fed)) == 1 and len(w.feeds) > 1:
                yield Verdict("supplies-feeds", "undecided", here + pdu_places(w, g.racks), "all PDUs of the racks are on one feed: whether a device could stand on two is not known")
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
            # Cords of a device are dealt evenly: each PDU takes as many, and the one with the fewest outlets decides.
            own = [sum(row["count"] for row in p.get("outlets") or [] if row["kind"] not in ("c13", "c19") or row["kind"] == kind) for p in parts]
            even = all(quantity((g.facts.get("psus") or {}).get("count") or 0) % len(parts) == 0 for g in w.groups.values() if g.racks == name)
            if low > have[kind] + combined or even and len({w.feed_of(p) for p in w.racks[name]["pdus"]}) == len(parts) and low / len(parts) > min(own):
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
