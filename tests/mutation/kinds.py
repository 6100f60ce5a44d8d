"""The ways to break a spec: each kind yields Edits of one small thing, in a fixed order; the harness draws from them by seed.

An Edit is a list of steps on the text, the path that was touched, and own part files (a copy of a catalogue part with one fact changed) that it brings.
"""
import collections
import copy

from oracle_services import quota_of
from text import walk
from world import count_names, modules, number, part_count

Edit = collections.namedtuple("Edit", "what path steps parts", defaults=((),))
KINDS = {}


def kind(name):
    def register(function):
        KINDS[name] = function
        return function
    return register


def put(path, text, what=None):
    path = tuple(path)
    return Edit(what or f"{'.'.join(map(str, path))} = {text}", path, (("set", path, str(text)),))


def drop(path):
    path = tuple(path)
    return Edit(f"without {'.'.join(map(str, path))}", path, (("remove", path),))


def scaled(value, factor, whole=False):
    """"1.6 MVA" x 0.5 = "0.8 MVA"."""
    amount, _, unit = str(value).partition(" ")
    result = float(amount) * factor
    return f"{max(1, round(result)) if whole else format(result, '.6g')}{' ' + unit if unit else ''}"


def paths(w, *pattern):
    """Paths of the spec that match; None stands for any step."""
    for path, value in walk(w.data):
        if len(path) == len(pattern) and all(p is None or p == s for p, s in zip(pattern, path)):
            yield path, value


def scaling(name, factors, *patterns):
    @kind(name)
    def change(w):
        for pattern in patterns:
            for path, value in paths(w, *pattern):
                if isinstance(value, str) and number(value):
                    for factor in factors:
                        yield put(path, scaled(value, factor))
    return change


def choices(name, values, *patterns, absent=()):
    """Sets what is there to each value; `absent`: keys that are added where their parent is there."""
    @kind(name)
    def change(w):
        for pattern in patterns:
            for path, old in list(paths(w, *pattern)):
                for value in values:
                    if str(old) != str(value):
                        yield put(path, value)
        for pattern in absent:
            for path, parent in list(paths(w, *pattern[:-1])):
                if isinstance(parent, dict) and pattern[-1] not in parent:
                    for value in values:
                        yield put((*path, pattern[-1]), value)
    return change


def whole(name, deltas, *patterns):
    @kind(name)
    def change(w):
        for pattern in patterns:
            for path, value in paths(w, *pattern):
                if isinstance(value, str) and value.isdigit():
                    for delta in deltas:
                        if int(value) + delta >= 1:
                            yield put(path, int(value) + delta)
    return change


def parts_of(w, folder):
    return [name for name, path in sorted(w.catalogue.files.items()) if f"/{folder}/" in path]


def swapping(name, folder, *patterns):
    @kind(name)
    def change(w):
        for pattern in patterns:
            for path, value in paths(w, *pattern):
                if isinstance(value, str):
                    count, old = part_count(value)
                    for other in parts_of(w, folder):
                        if other != old:
                            yield put(path, value.replace(old, other))
    return change


# ---- power --------------------------------------------------------------------------------------------------------------------------------
swapping("pdu-swapped", "pdus", ("racks", None, "pdus", None, "model"))
swapping("ups-swapped", "ups", ("site", "feeds", None, "ups", "model"))
whole("ups-modules", (-1, -2, -3, 2), ("site", "feeds", None, "ups", "modules"))
choices("ups-spare", (0, 1, 2, 3), absent=(("site", "feeds", None, "ups", "spare"),))
scaling("feed-smaller", (0.9, 0.7, 0.5, 0.35, 0.2, 0.1, 1.3), ("site", "feeds", None, "capacity"), ("site", "feeds", None, "breaker"))
choices("breaker-down", ("16 A", "20 A", "32 A", "63 A", "80 A", "125 A", "160 A", "250 A", "400 A"), ("site", "feeds", None, "breaker"))
choices("supply-voltage", ("120 V", "200 V", "208 V", "230 V", "240 V", "380 V", "400 V", "415 V", "480 V", "600 V"), ("site", "supply", "voltage"))
choices("region", ("na", "iec"), ("site", "region"))
choices("altitude", ("0 m", "900 m", "1600 m", "2400 m", "3000 m", "3600 m"), ("site", "altitude"))
choices("power-factor", ("0.6", "0.8", "0.9", "0.99"), absent=(("site", "supply", "power_factor"),))
choices("utility", ("5 kW", "20 kW", "80 kW", "300 kW", "1.2 MW", "3 MW", "60 MW", "400 MW"), ("site", "utility"), absent=(("site", "utility"),))
choices("feed-in-use", ("1 kW", "20 kW", "300 kW", "1.4 MW"), absent=(("site", "feeds", None, "in_use"),))
choices("rack-budget", ("2 kW", "5 kW", "9 kW", "15 kW", "25 kW", "38 kW", "45 kW", "60 kW"), ("racks", None, "budget"), absent=(("racks", None, "budget"),))


scaling("generator-smaller", (0.9, 0.7, 0.5, 0.3, 0.1, 1.4), ("site", "generators", None, "rating"))
scaling("generator-later", (0.5, 4, 30, 200), ("site", "generators", None, "start"))
scaling("batteries-shorter", (0.02, 0.1, 0.5, 2), ("site", "feeds", None, "ups", "runtime"))
choices("wall-circuit", ("10 A", "15 A", "16 A", "20 A", "25 A", "30 A", "32 A"), ("nodes", None, "wall", "breaker"))
choices("wall-nodes", (1, 2, 3, 4, 6), ("nodes", None, "wall", "nodes"), absent=(("nodes", None, "wall", "nodes"),))
choices("wall-voltage", ("100 V", "120 V", "208 V", "230 V", "240 V"), ("nodes", None, "wall", "voltage"))
choices("leaf-per-rack", ("true", "false"), ("networks", None, "leaf_per_rack"))


@kind("feed-generator")
def feed_generator(w):
    for path, feed in paths(w, "site", "feeds", None):
        for name in w.site.get("generators", {}):
            if feed.get("generator") != name:
                yield put((*path, "generator"), name)
        if "generator" in feed:
            yield drop((*path, "generator"))


@kind("pdu-removed")
def pdu_removed(w):
    for path, pdus in paths(w, "racks", None, "pdus"):
        for i in range(len(pdus)):
            if len(pdus) > 1:
                yield Edit(f"without {'.'.join(map(str, path))}.{i}", path, (("remove", (*path, i)),))


@kind("pdu-feed")
def pdu_feed(w):
    for path, value in paths(w, "racks", None, "pdus", None, "feed"):
        for other in [*w.feeds, "Z"]:
            if other != value:
                yield put(path, other)


@kind("feed-removed")
def feed_removed(w):
    for path, _ in paths(w, "site", "feeds", None):
        steps = [("remove", path)] if len(w.feeds) > 1 else []
        hanging = [p[:-1] for p, v in paths(w, "racks", None, "pdus", None, "feed") if v == path[-1]]
        if steps and all(len(w.racks[p[1]]["pdus"]) > 1 for p in hanging):
            steps = [("remove", p) for p in sorted(hanging, key=lambda p: (p[1], -p[3]))] + steps
            if not any(path[-1] in str(v) for p, v in walk(w.data) if p and p[-1] == "feeds" and p != ("site", "feeds")):
                yield Edit(f"without feed {path[-1]} and its PDUs", ("racks", hanging[0][1], "pdus") if hanging else path[:-1], tuple(steps))


def group_key(g, key):
    """Where a fitting of a group is written, or is to be written."""
    server = g.spec.get("server")
    if isinstance(server, dict) and (key in server or key not in g.spec):
        return ("nodes", g.name, "server", key)
    return ("nodes", g.name, key)


def real_groups(w):
    return [g for g in w.groups.values() if not g.virtual and "from" not in g.spec and not w.cloud]


@kind("supplies-fewer")
def supplies_fewer(w):
    for g in real_groups(w):
        psus = g.facts.get("psus") or {}
        if psus.get("count") and "psus" not in g.spec and not (isinstance(g.spec.get("server"), dict) and "psus" in g.spec["server"]):
            count, spare = int(psus["count"]), int(psus.get("spare") or 0)
            for c in range(1, count + 1):
                for s in range(0, min(c, spare + 2)):
                    if (c, s) != (count, spare):
                        yield put(group_key(g, "psus"), f"{{ count: {c}, spare: {s} }}")


@kind("supply-output")
def supply_output(w):
    for g in real_groups(w):
        psus = g.facts.get("psus") or {}
        if psus.get("power") and "psus" not in g.spec and not (isinstance(g.spec.get("server"), dict) and "psus" in g.spec["server"]):
            for watts in (400, 800, 1200, 1600, 2000, 2700, 3200):
                if watts != psus["power"]:
                    yield put(group_key(g, "psus"), f"{{ power: {watts} W }}")
            for low, high in ((100, 127), (220, 240), (240, 277), (200, 208), (380, 420)):
                yield put(group_key(g, "psus"), f"{{ input_min: {low} V, input_max: {high} V }}")


@kind("power-stated")
def power_stated(w):
    for g in real_groups(w):
        if isinstance(g.spec.get("server"), dict):
            for watts in (300, 900, 1500, 2200, 3500, 6000, 9000):
                yield put(("nodes", g.name, "server", "power"), f"{watts} W")


@kind("gpu-limit")
def gpu_limit(w):
    for g in real_groups(w):
        if g.gpu_count and "gpu_power_limit" not in g.spec:
            for share in (0.5, 0.8, 1.0, 1.05, 1.5, 2.5):
                yield put(("nodes", g.name, "gpu_power_limit"), f"{g.gpu['tdp'] * share:g} W")


@kind("shelves-fewer")
def shelves_fewer(w):
    for path, value in paths(w, "assemblies", None, "feeds", None):
        for n in (0, 1, 2, 3, 5):
            yield put(path, f"{n} shelves")


# ---- cooling ------------------------------------------------------------------------------------------------------------------------------
whole("cooling-units", (-1, -2, -4, -8, 1), ("site", "cooling", None, "units"))
choices("cooling-spare", (1, 2, 5, 12), ("site", "cooling", None, "spare"), absent=(("site", "cooling", None, "spare"),))
scaling("cooling-heat", (0.2, 0.5, 0.7, 0.85, 1.2), ("site", "cooling", None, "each", "heat"))
scaling("cooling-airflow", (0.1, 0.3, 0.5, 0.8, 1.2), ("site", "cooling", None, "each", "airflow"))
choices("cooling-method", ("room-air", "contained-air", "in-row", "rear-door"), ("site", "cooling", "hall", "method"), ("site", "cooling", "room", "method"), ("site", "cooling", "doors", "method"))
choices("supply-temperature", ("4 C", "9 C", "14 C", "20 C", "27 C", "31 C", "36 C", "42 C"), ("site", "cooling", None, "supply"))
choices("dew-point", ("-12 C", "0 C", "14 C", "17 C", "25 C", "33 C"), ("site", "cooling", "hall", "dew_point"), ("site", "cooling", "room", "dew_point"), ("site", "cooling", "doors", "dew_point"), absent=(("site", "cooling", "hall", "dew_point"),))
choices("humidity", ("10 %", "45 %", "65 %", "75 %", "90 %"), absent=(("site", "cooling", "hall", "humidity"), ("site", "cooling", "room", "humidity"), ("site", "cooling", "doors", "humidity")))
choices("cdus", (1, 2, 3, 4), ("site", "cooling", None, "cdus", "count"), ("site", "cooling", None, "cdus", "spare"))
choices("facility-water", ("18 C", "26 C", "31 C", "33 C", "34 C"), ("site", "cooling", None, "facility", "supply"))
choices("coolant-rise", ("4 K", "7 K", "12 K", "20 K"), absent=(("site", "cooling", "loop", "rise"),))


@kind("air-path-removed")
def air_path_removed(w):
    for path, _ in paths(w, "assemblies", None, "cooling", "air"):
        yield Edit(f"without {'.'.join(path)}", path[:-1], (("remove", path),))


# ---- racks --------------------------------------------------------------------------------------------------------------------------------
swapping("rack-swapped", "racks", ("racks", None, "model"))
whole("per-rack", (-1, 1, 2, 3, 6), ("nodes", None, "per_rack"))
choices("door", ("{ height: 1.9 m }", "{ height: 2.1 m, width: 0.9 m }", "{ height: 2.4 m, width: 0.7 m }", "{ height: 2.5 m, width: 1.2 m }"), absent=(("site", "door"),))
choices("floor", ("400 kg/m2", "700 kg/m2", "1000 kg/m2", "1400 kg/m2", "2200 kg/m2"), absent=(("site", "floor_load"),))
choices("tile", ("100 kg", "200 kg", "320 kg", "450 kg", "700 kg"), absent=(("site", "tile_load"),))
choices("rolled-in", ("integrated",), absent=(("racks", None, "shipping"),))
choices("occupied", ("{ units: U1-U8, power: 2 kW, weight: 120 kg }", "{ units: U1-U20, power: 6 kW, weight: 500 kg }", "{ units: U1-U40, power: 9 kW, weight: 900 kg }"), absent=(("racks", None, "occupied"),))


@kind("racks-fewer")
def racks_fewer(w):
    for path, value in paths(w, "racks", None, "names"):
        n = count_names(value)
        prefix, _, rest = value.partition("[")
        low, _, high = rest.rstrip("]").partition("-")
        for part in (0.95, 0.7, 0.4, 0.1):
            fewer = max(1, int(n * part))
            if rest and fewer < n and high:
                yield put(path, f'"{prefix}[{low}-{str(int(low) + fewer - 1).zfill(len(low))}]"')


@kind("two-in-one-place")
def two_in_one_place(w):
    from world import names
    for g in real_groups(w):
        if g.racks in w.racks and 2 <= g.count <= 200 and "at" not in g.spec and g.get("units"):
            rack = names(w.racks[g.racks]["names"])[0]
            first, second = names(g.spec["names"])[:2]
            u = int(g.get("units"))
            for a, b in ((1, 1), (1, u), (1, 1 + u), (46, 46 + u)):
                yield put(("nodes", g.name, "at"), f"{{ {first}: {rack}/U{a}, {second}: {rack}/U{b} }}")


# ---- nodes --------------------------------------------------------------------------------------------------------------------------------
@kind("gpu-swapped")
def gpu_swapped(w):
    for g in real_groups(w):
        if g.gpu_count:
            for other in parts_of(w, "gpus"):
                if other != g.gpu_model:
                    yield put(group_key(g, "gpus"), f"{g.gpu_count} x {other}")


@kind("gpu-number")
def gpu_number(w):
    for g in real_groups(w):
        if g.gpu_count:
            for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16):
                if n != g.gpu_count:
                    yield put(group_key(g, "gpus"), f"{n} x {g.gpu_model}")


@kind("processor-swapped")
def processor_swapped(w):
    for g in real_groups(w):
        for other in parts_of(w, "cpus"):
            if other != g.cpu_model and g.cpu_count:
                yield put(group_key(g, "cpus"), f"{g.cpu_count} x {other}")


@kind("processor-number")
def processor_number(w):
    for g in real_groups(w):
        for n in (1, 3, 4):
            if g.cpu_count and n != g.cpu_count:
                yield put(group_key(g, "cpus"), f"{n} x {g.cpu_model}")


@kind("memory-modules")
def memory_modules(w):
    for g in real_groups(w):
        if g.facts.get("memory"):
            count, size = modules(g.facts["memory"])
            for n in (4, 8, 10, 12, 16, 20, 23, 24, 32, 36, 48):
                if n != count:
                    yield put(group_key(g, "memory"), f"{n} x {size / 2 ** 30:.6g} GiB")
            for gib in (4, 8, 16):
                yield put(group_key(g, "memory"), f"{count} x {gib} GiB")


@kind("adapter-swapped")
def adapter_swapped(w):
    for g in real_groups(w):
        for name, (n, model) in g.nics.items():
            for other in parts_of(w, "nics"):
                if other != model:
                    base = group_key(g, "nics")
                    yield put((*base, name) if name in (dig(w.data, base) or {}) else base, f"{n} x {other}" if name in (dig(w.data, base) or {}) else f"{{ {name}: {n} x {other} }}")


@kind("adapter-number")
def adapter_number(w):
    for g in real_groups(w):
        for name, (n, model) in g.nics.items():
            for k in (1, 2, 3, 4, 6, 7, 9, 16):
                if k != n:
                    base = group_key(g, "nics")
                    if name in (dig(w.data, base) or {}):
                        yield put((*base, name), f"{k} x {model}")


def dig(data, path):
    for step in path:
        if not isinstance(data, dict) or step not in data:
            return None
        data = data[step]
    return data


@kind("boot-drive")
def boot_drive(w):
    for g in real_groups(w):
        if (g.facts.get("drives") or {}).get("boot"):
            base = group_key(g, "drives")
            if "boot" in (dig(w.data, base) or {}):
                yield put((*base, "boot"), "1 x 960 GB nvme")
                yield put((*base, "boot"), "2 x 480 GB nvme")


@kind("management-controller")
def management_controller(w):
    for g in real_groups(w):
        if isinstance(g.spec.get("server"), dict):
            yield put(("nodes", g.name, "server", "bmc"), "false")


@kind("bridge")
def bridge(w):
    for g in real_groups(w):
        if g.gpu_count and "nvlink_bridge" not in g.spec:
            for n in (2, 3, 4):
                yield put(group_key(g, "nvlink_bridge"), n)


@kind("bar-window")
def bar_window(w):
    for g in real_groups(w):
        if g.gpu_count and isinstance(g.spec.get("server"), dict):
            for gib in (64, 128, 256, 512, 1024, 4096):
                yield put(("nodes", g.name, "server", "bar_window"), f"{gib} GiB")


@kind("card-limits")
def card_limits(w):
    for g in real_groups(w):
        if isinstance(g.spec.get("server"), dict) and g.gpu_count:
            for n in (1, 2, 4):
                yield put(("nodes", g.name, "server", "gpu_slots"), n)
            for form in ("[sxm5]", "[oam]", "[pcie]"):
                yield put(("nodes", g.name, "server", "gpu_forms"), form)
            yield put(("nodes", g.name, "server", "cpu_tdp"), "200 W")
            yield put(("nodes", g.name, "server", "cpu_socket"), "lga4677")


@kind("slot")
def slot(w):
    """Lanes, generation, width or power of one slot; and what sits in it moved to the other socket."""
    for path, value in list(walk(w.data)):
        if "pcie" in path and len(path) == path.index("pcie") + 3 and path[-1] != "switches":
            device = value if isinstance(value, str) else value.get("device")
            if not device:
                continue
            text = f'"{device}"'
            keep = "" if isinstance(value, str) else "".join(f", {k}: {v}" for k, v in value.items() if k not in ("device", "lanes", "generation", "width", "power") and isinstance(v, str))
            for change in ("lanes: 4", "lanes: 8", "generation: 3", "generation: 4", "lanes: 8, generation: 4", "lanes: 4, generation: 3", "width: 1", "width: 2", "power: 75 W", "power: 300 W", "power: 700 W"):
                yield put(path, f"{{ device: {text}{keep}, {change} }}")


@kind("device-to-other-socket")
def device_to_other_socket(w):
    for path, value in list(paths(w, "nodes", None, "server", "pcie", None)) + list(paths(w, "nodes", None, "pcie", None)):
        others = [p for p in dig(w.data, path[:-1]) if p != path[-1]]
        for slot_name, row in value.items():
            if slot_name == "switches" or not others:
                continue
            device = row if isinstance(row, str) else row.get("device")
            if not device:
                continue
            there = (*path[:-1], others[0])
            yield Edit(f"{device} of {path[1]} on {others[0]}", (*there, "moved"), (("set", (*there, "moved"), f'{{ device: "{device}" }}'), ("remove", (*path, slot_name))))


@kind("two-in-a-slot")
def two_in_a_slot(w):
    for path, value in list(paths(w, "nodes", None, "server", "pcie", None)):
        for slot_name, row in value.items():
            device = row if isinstance(row, str) else row.get("device") if isinstance(row, dict) and slot_name != "switches" else None
            for other, second in value.items():
                beside = second if isinstance(second, str) else second.get("device") if isinstance(second, dict) and other != "switches" else None
                if device and beside and slot_name < other:
                    for splits in ("", ", splits: [2x8]", ", splits: [4x4]"):
                        yield Edit(f"{device} and {beside} in {slot_name}{splits}", (*path, slot_name), (("remove", (*path, other)), ("set", (*path, slot_name), f'{{ devices: ["{device}", "{beside}"]{splits} }}')))


# ---- networks -----------------------------------------------------------------------------------------------------------------------------
swapping("switch-swapped", "switches", ("networks", None, "switch"))
choices("rate", ("1 Gb/s", "10 Gb/s", "25 Gb/s", "100 Gb/s", "200 Gb/s", "400 Gb/s", "800 Gb/s"), ("networks", None, "rate"))
choices("link-kind", ("infiniband", "ethernet"), ("networks", None, "kind"))
choices("topology", ("single", "fat-tree"), ("networks", None, "topology"), absent=(("networks", None, "topology"),))
choices("rails", (1, 2, 3, 4, 5, 6, 8, 16), ("networks", None, "rails"), absent=(("networks", "compute", "rails"),))
choices("uplink-rate", ("25 Gb/s", "100 Gb/s", "200 Gb/s", "400 Gb/s", "800 Gb/s"), absent=(("networks", None, "uplink_rate"),))
choices("spines", (2, 5, 500), absent=(("networks", None, "spines"),))
choices("links-per-spine", (1, 4, 200), absent=(("networks", None, "links_per_spine"),))
choices("mtu", (1500, 2048, 4096, 4200, 9000), ("networks", None, "mtu"))
choices("priority", (0, 2, 4, 5), ("networks", None, "roce", "priority"))
choices("code-point", (0, 24, 31, 32, 46), ("networks", None, "roce", "dscp"))
choices("congestion", ("true", "false"), absent=(("networks", None, "roce", "pfc"), ("networks", None, "roce", "ecn")))
choices("headroom", ("4 kB", "15 kB", "60 kB", "300 kB"), absent=(("networks", None, "roce", "headroom"),))
choices("bgp-number", (64512, 65530, 65534, 65535, 23456, 4200000000, 4294967290), absent=(("networks", None, "asn"),))
choices("ports-asked", (1, 2, 3, 8, 9), ("networks", None, "connects", None, "count"))
choices("cable-kind", ("[dac]", "[acc]", "[multimode]", "[single-mode]", "[dac, single-mode]"), absent=(("networks", None, "media"),))


@kind("network-without-remote-memory")
def ports_number(w):
    for path, value in paths(w, "networks", None, "connects", None):
        if isinstance(value, str) and value.isdigit():
            for n in (1, 2, 3, 4, 5, 8):
                if str(n) != value:
                    yield put(path, n)


@kind("subnet-smaller")
def subnet_smaller(w):
    for path, value in paths(w, "networks", None, "subnet"):
        base, _, bits = value.partition("/")
        for more in (1, 2, 3, 4, 6, 8, 10, 12, 14):
            if int(bits) + more <= 31:
                yield put(path, f"{base}/{int(bits) + more}")


@kind("subnet-overlaps")
def subnet_overlaps(w):
    found = dict(paths(w, "networks", None, "subnet"))
    for path in found:
        for other, value in found.items():
            if other != path:
                base, _, bits = value.partition("/")
                yield put(path, value)
                yield put(path, f"{base}/{max(8, int(bits) - 0)}")


@kind("vlan")
def vlan(w):
    nets = [n for n, s in w.networks.items() if "vlan" not in s]
    for a in nets:
        for b in nets:
            if a < b:
                for x, y in ((100, 100), (100, 101)):
                    yield Edit(f"VLAN {x} on {a}, {y} on {b}", ("networks", b, "vlan"), (("set", ("networks", a, "vlan"), str(x)), ("set", ("networks", b, "vlan"), str(y))))


@kind("management-network")
def management_network(w):
    for path, value in paths(w, "networks", None, "connects"):
        if value == "everything":
            some = list(w.groups)[0]
            yield put(path, f"{{ {some}: 1 }}")
            for other, spec in w.networks.items():
                if other != path[1] and spec.get("kind") == "ethernet":
                    yield Edit(f"{path[1]} on the switches of {other}", (*path[:2], "shares_switches_with"), (("remove", (*path[:2], "switch")), ("set", (*path[:2], "shares_switches_with"), other)))


@kind("more-nodes")
def more_nodes(w):
    for path, value in paths(w, "nodes", None, "names"):
        prefix, _, rest = value.partition("[")
        low, dash, high = rest.rstrip("]").partition("-")
        if dash and "," not in rest:
            for n in (int(high) - 1, int(high) + 1, int(high) * 2, int(high) * 8):
                if n > int(low):
                    yield put(path, f'"{prefix}[{low}-{str(n).zfill(len(high))}]"')


@kind("name-twice")
def name_twice(w):
    found = dict(paths(w, "nodes", None, "names"))
    for path in found:
        for other, value in found.items():
            if other != path and count_names(value) < 3000:
                yield put(path, f'"{value}"')


@kind("name-unknown")
def name_unknown(w):
    for path, value in list(walk(w.data)):
        if isinstance(value, str) and path and (path[-1] in ("racks", "feed") or path[-1] == "cooling" and path[0] == "racks" or path[-1] in ("model", "switch") and path[0] in ("racks", "nodes", "networks")) and "server" not in path and "gpus" not in path:
            yield put(path, value + "x")
    for path, _ in paths(w, "networks", None, "connects", None):
        yield Edit(f"{path[-1]}x in {path[1]}", (*path[:-1], path[-1] + "x"), (("remove", path), ("set", (*path[:-1], path[-1] + "x"), "1")))


# ---- storage, software, services ----------------------------------------------------------------------------------------------------------
scaling("storage-promise", (0.5, 1.02, 1.5, 2.5, 5, 12), ("storage", None, "demand", "read"), ("storage", None, "demand", "write"))
whole("storage-servers", (-1, -2, -4, -6, 2), ("storage", None, "servers", "count"))
choices("storage-capacity", ("50 TB", "190 TB", "260 TB", "900 TB", "2.1 PB", "9 PB"), ("storage", None, "capacity"), absent=(("storage", None, "capacity"),))
choices("protection", ("erasure 2+1", "erasure 4+2", "erasure 8+2", "erasure 8+3", "replica 2", "replica 3", "raid6 8+2", "raid6 6+2"), ("storage", None, "protection"), absent=(("storage", "home", "protection"), ("storage", "bulk", "protection")))
choices("driver", ("450", "470", "515", "525", "535", "550", "570", "580", "590", "595"), ("software", "gpu_driver"), ("nodes", None, "software", "gpu_driver"))
choices("toolkit", ("10.2", "11.0", "11.8", "12.4", "12.8", "12.9", "13.0"), ("software", "cuda"), ("nodes", None, "software", "cuda"), absent=(("software", "cuda"),))
choices("modules", ("open", "proprietary"), ("software", "kernel_modules"), ("nodes", None, "software", "kernel_modules"), absent=(("software", "kernel_modules"),))
choices("fabric-manager", ("535.54.03", "570", "570.124.06", "580", "580.65.06"), absent=(("software", "fabric_manager"),))
choices("architecture", ("x86_64", "aarch64"), ("software", "arch"), ("nodes", None, "software", "arch"), absent=(("software", "arch"),))
choices("mig", ("off", "7x1g.10gb", "3x2g.20gb"), absent=(("software", "mig"),))
choices("locked-memory", ("{ memlock: unlimited }", "{ memlock: 64 KiB }", "{ nofile: 1024 }", "{ nofile: 1048576 }", "{ shared_memory: 64 MiB }", "{ shared_memory: 2 GiB }"), absent=(("software", "limits"),))
choices("secure-boot", ("true", "false"), absent=(("software", "secure_boot"),))
choices("iommu", ("off", "passthrough", "translate"), absent=(("software", "iommu"),))
choices("acs", ("true", "false"), absent=(("software", "acs"),))
choices("scheduler-topology", ("block", "tree"), ("software", "scheduler", "topology"), absent=(("software", "scheduler", "topology"),))
choices("nvlink-domain", (8, 12, 16, 18, 24, 32, 64), ("nvlink", None, "size"))


@kind("queue-removed")
def queue_removed(w):
    for path, _ in paths(w, "software", "scheduler", "queue"):
        yield Edit("without a queue", path[:-1], (("remove", path),))


@kind("service-members")
def service_members(w):
    for g in w.groups.values():
        if g.roles and g.count <= 8:
            pattern = g.spec["names"]
            prefix = pattern.partition("[")[0]
            for n in (1, 2, 3, 4, 5):
                if n != g.count and "[" in pattern:
                    yield put(("nodes", g.name, "names"), f'"{prefix}[1-{n}]"')
            if "ha" in g.spec:
                yield Edit(f"without ha of {g.name}", ("nodes", g.name), (("remove", ("nodes", g.name, "ha")),))


# ---- targets, workloads, teams ------------------------------------------------------------------------------------------------------------
def floors(name, key, values, absent=True):
    choices(name, [f"{{ floor: {v} }}" for v in values], ("targets", key), absent=(("targets", key),) if absent else ())


floors("target-rdma", "rdma", ("5 GB/s", "20 GB/s", "48 GB/s", "49.5 GB/s", "52 GB/s", "100 GB/s"))
floors("target-memory", "memory", ("0.5 TB/s", "0.9 TB/s", "2.4 TB/s", "3.5 TB/s", "9 TB/s"))
floors("target-gemm", "gemm", ("100 TFLOP/s", "400 TFLOP/s", "700 TFLOP/s", "1979 TFLOP/s", "4 PFLOP/s"))
floors("target-copy", "pcie", ("10 GB/s", "25 GB/s", "31.5 GB/s", "50 GB/s", "63 GB/s"))
floors("target-hpl", "hpl", ("1 TFLOP/s", "40 TFLOP/s", "300 TFLOP/s", "900 TFLOP/s", "900 PFLOP/s"))
floors("target-all-reduce", "all_reduce", ("10 GB/s", "150 GB/s", "380 GB/s", "800 GB/s", "2 TB/s"))
scaling("model-larger", (0.2, 2, 5, 20, 100), ("workloads", None, "model", "parameters"))
choices("tensor-split", ("{ tensor: 2 }", "{ tensor: 8 }", "{ tensor: 8, pipeline: 4, sharded: optimizer }", "{ tensor: 16 }", "{ tensor: 32, sharded: all }"), ("workloads", None, "split"), absent=(("workloads", None, "split"),))
scaling("time-shorter", (0.05, 0.2, 0.5, 0.8, 2), ("workloads", None, "within"))


@kind("quota")
def quota(w):
    for path, value in paths(w, "teams", None, "quota", None):
        amount, of = quota_of(value)
        for factor in (0.5, 1, 2, 3, 10):
            if factor != 1:
                yield put(path, f"{int(amount * factor)} {of}")


# ---- parts of one's own: a copy of a catalogue part with one fact changed ---------------------------------------------------------------------
FACTS = {
    "switch-ports": (("networks", None, "switch"), "ports", lambda v: [v // 8, v // 4, v // 2, v * 2]),
    "rack-static-load": (("racks", None, "model"), "static_load", lambda v: [v * 0.2, v * 0.4, v * 0.6, v * 1.2]),
    "rack-height": (("racks", None, "model"), "units", lambda v: [v // 6, v // 3, v // 2, v - 2, v + 4]),
    "rack-mounting-depth": (("racks", None, "model"), "mounting_depth", lambda v: [v * 0.5, v * 0.75, v * 0.95]),
    "ups-power": (("site", "feeds", None, "ups", "model"), "power", lambda v: [v * 0.1, v * 0.3, v * 0.6, v * 1.5]),
    "pdu-rating": (("racks", None, "pdus", None, "model"), "apparent", lambda v: [v * 0.1, v * 0.3, v * 0.5, v * 0.8, v * 1.2]),
    "server-inlet": (("nodes", None, "model"), "inlet_max", lambda v: [15, 20, 24, 45]),
    "server-depth": (("nodes", None, "model"), "depth", lambda v: [v * 1.1, v * 1.3, v * 0.9]),
    "server-weight": (("nodes", None, "model"), "weight", lambda v: [v * 2, v * 4, v * 0.5]),
    "server-airflow": (("nodes", None, "model"), "airflow", lambda v: [v * 1.5, v * 4, v * 0.5]),
    "cooling-unit": (("site", "cooling", None, "cdus", "model"), "heat", lambda v: [v * 0.2, v * 0.5, v * 0.8, v * 1.3]),
    "storage-rate": (("storage", None, "servers", "model"), "read", lambda v: [v * 0.1, v * 0.3, v * 0.6, v * 2]),
    "shelf-power": (("assemblies", None, "model"), "shelf_power", lambda v: [v * 0.2, v * 0.4, v * 0.7]),
}


def own_part(name, pattern, fact, values):
    @kind(f"part-{name}")
    def change(w):
        for path, model in list(paths(w, *pattern)):
            if not isinstance(model, str) or model not in w.catalogue.files or "parts" in w.data:
                continue
            raw = w.catalogue.raw(model)
            old = raw.get("facts", {}).get(fact)
            amount = old.get("value") if isinstance(old, dict) else old
            if not isinstance(amount, (int, float)) or isinstance(amount, bool):
                continue
            for value in values(amount):
                part = copy.deepcopy(raw)
                part["id"] = f"{model}-changed"
                value = int(value) if isinstance(amount, int) and name in ("switch-ports", "rack-height") else round(value, 3)
                if value <= 0:
                    continue
                if isinstance(old, dict):
                    part["facts"][fact]["value"] = value
                else:
                    part["facts"][fact] = value
                yield Edit(f"{fact} of {'.'.join(map(str, path))} = {value}", path, (("set", path, f"{model}-changed"), ("add", (), "parts", "[own]")), (part,))
    return change


for _name, (_pattern, _fact, _values) in FACTS.items():
    own_part(_name, _pattern, _fact, _values)


# ---- wishes: times, sizes, lines, prices, sides ---------------------------------------------------------------------------------------------
def adding(name, path, values, when=lambda w: True):
    """A key that the spec does not have; its sections are made where they are not there."""
    @kind(name)
    def change(w):
        if when(w) and dig(w.data, path) is None:
            for value in values:
                yield put(path, value)
    return change


def has_gpus(w):
    return any(g.gpu_count for g in w.groups.values())


def is_slurm(w):
    return dig(w.data, ("software", "scheduler", "kind")) == "slurm"


adding("burn-in", ("targets", "burn_in"), ("2 h", "48 h", "2 weeks", "26 weeks", "52 weeks"), has_gpus)
for _key in ("all_reduce", "all_gather", "all_to_all"):
    adding("message-" + _key.replace("_", "-"), ("targets", _key, "size"), ("64 MiB", "512 MiB", "1023 MiB", "8 GiB", "32 GiB"), has_gpus)
adding("target-all-to-all", ("targets", "all_to_all", "floor"), ("1 GB/s", "20 GB/s", "120 GB/s", "1.9 TB/s", "3 TB/s"), has_gpus)
choices("aisle", ("0.6 m", "0.9 m", "1.19 m", "1.2 m", "1.5 m", "2.4 m"), ("site", "aisle"), absent=(("site", "aisle"),))
choices("port-side", ("front", "rear"), ("networks", None, "ports_face"), absent=(("networks", None, "ports_face"),))
choices("switch-air", ("ports-to-power", "power-to-ports"), ("networks", None, "airflow"), absent=(("networks", None, "airflow"),))
adding("gres-line", ("outputs", "slurm", "extra", "gres.conf"), ('[ "AutoDetect=nvml" ]', '[ "AutoDetect=off" ]', '[ "Name=gpu Type=h100 File=/dev/nvidia7" ]'), is_slurm)
adding("cgroup-line", ("outputs", "slurm", "extra", "cgroup.conf"), ('[ "ConstrainDevices=no" ]', '[ "ConstrainSwapSpace=yes" ]'), is_slurm)
adding("slurm-line", ("outputs", "slurm", "extra", "slurm.conf"), ('[ "ProctrackType=proctrack/linuxproc" ]', '[ "TaskPlugin=task/affinity" ]', '[ "SchedulerParameters=bf_continue" ]', '[ "NodeName=other[1-4] CPUs=8" ]'), is_slurm)
adding("topology-line", ("outputs", "slurm", "extra", "topology.conf"), ('[ "SwitchName=s9 Nodes=other[1-4]" ]',), is_slurm)
choices("container-hook", ("hook", "cdi"), ("software", "container_gpus"), absent=(("software", "container_gpus"),))
choices("operator", ("{ version: 25.3 }", "{ version: 25.3, driver: false }"), ("software", "gpu_operator"), absent=(("software", "gpu_operator"),))
choices("system-tag", ("ubuntu-latest", "rocky-rolling", "ubuntu-24.04"), ("software", "os"))
choices("huge-pages", (256, 4096, 16384, 40960, 400000), ("software", "huge_pages"), absent=(("software", "huge_pages"),))
choices("slurm-release", ("20.11", "21.08", "22.05", "23.11", "24.11"), ("software", "scheduler", "version"), absent=(("software", "scheduler", "version"),))
scaling("checkpoint-shorter", (0.001, 0.01, 0.1, 0.5, 3), ("workloads", None, "checkpoint_within"), ("workloads", None, "checkpoint_every"), ("workloads", None, "resume_within"))


@kind("node-line")
def node_line(w):
    from world import names
    if is_slurm(w) and dig(w.data, ("outputs",)) is None:
        for g in w.groups.values():
            first = names(g.spec["names"])[0] if g.count < 20000 else None
            if first:
                yield put(("outputs", "slurm", "extra", "slurm.conf"), f'[ "NodeName={first} CPUs=8" ]')


@kind("spares")
def spares(w):
    for g in real_groups(w):
        if g.gpu_count and (not g.roles or "compute" in g.roles):
            for n in (0, 1, 2, 3, 4, 8, 40):
                if n < g.count and str(n) != str(g.spec.get("spares")):
                    yield put(("nodes", g.name, "spares"), n)


@kind("checkpoints-removed")
def checkpoints_removed(w):
    for path, _ in paths(w, "workloads", None, "checkpoint_every"):
        yield drop(path)


@kind("money")
def money(w):
    if "prices" not in w.data:
        for g in real_groups(w):
            for each, budget in ((1000, 1000 * g.count), (1000, 1000 * g.count - 1), (250000, 900000), (3, 10 ** 9)):
                yield put(("prices",), f"{{ currency: EUR, nodes: {{ {g.name}: {each} EUR }}, budget: {budget} EUR }}")


@kind("offer")
def offer(w):
    if "prices" not in w.data:
        for g in real_groups(w):
            if g.model and "server" not in g.spec:
                needed = sum(x.count for x in w.groups.values() if x.model == g.model)
                for quoted in {needed, needed - 1, needed // 2, needed + 5}:
                    yield put(("prices",), f"{{ currency: EUR, parts: {{ {g.model}: {{ price: 1000 EUR, quoted: {quoted} }} }} }}")
