"""What a spec means, worked out from its text and from catalog/*.yaml alone: units, parts, servers as fitted, ports, addresses.

Nothing here comes from the program under test. Figures are plain floats in W, VA, V, A, m, kg, C, CFM, L/min, bytes, bit/s, byte/s, s, FLOP/s.
"""
import glob
import ipaddress
import os
import re

import yaml

KILO = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3, "in": 0.0254, "ft": 0.3048, "g": 1e-3, "kg": 1.0, "t": 1e3, "lb": 0.45359237, "C": 1.0, "K": 1.0,
         "CFM": 1.0, "L/min": 1.0, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "kg/m2": 1.0, "MT/s": 1e6, "GT/s": 1e9,
         "m3/h": 35.3146667 / 60, "mW": 1e-3, "mV": 1e-3, "mA": 1e-3, "tokens": 1.0, "tok": 1.0, "u": 1.0}
for unit in ("W", "VA", "V", "A", "Hz", "B", "B/s", "b/s", "bit/s", "FLOP/s", "FLOPS", "IOPS"):
    UNITS.update({prefix + unit: factor for prefix, factor in KILO.items()})
for prefix, power in (("Ki", 1), ("Mi", 2), ("Gi", 3), ("Ti", 4), ("Pi", 5)):
    UNITS[prefix + "B"] = UNITS[prefix + "B/s"] = 1024.0 ** power


def number(text):
    """"10.2 kW" -> 10200.0; "4/3", "60 %"; None for what is no number."""
    text = str(text).strip()
    match = re.fullmatch(r"([-+0-9.eE]+)\s*(%|[A-Za-z][A-Za-z0-9/]*)?", text)
    if match:
        try:
            value = float(match.group(1))
        except ValueError:
            return None
        unit = match.group(2)
        return value if not unit else value / 100 if unit == "%" else value * UNITS[unit] if unit in UNITS else None
    match = re.fullmatch(r"([0-9.]+)\s*/\s*([0-9.]+)", text)
    return float(match.group(1)) / float(match.group(2)) if match else None


def names(pattern):
    """Host names of "a[01-03,7],b2"."""
    def parts(text):
        depth, at = 0, ""
        for c in text:
            depth += (c == "[") - (c == "]")
            if c == "," and depth == 0:
                yield at
                at = ""
            else:
                at += c
        yield at

    def expand(text):
        match = re.match(r"([^\[]*)\[([^\]]*)\](.*)", text)
        if not match:
            return [text]
        found = []
        rest = expand(match.group(3))
        for item in match.group(2).split(","):
            low, _, high = item.partition("-")
            for i in range(int(low), int(high or low) + 1):
                found += [match.group(1) + str(i).zfill(len(low)) + r for r in rest]
        return found
    return [name for part in parts(str(pattern)) for name in expand(part)]


def count_names(pattern):
    """As len(names()), without the names: a group can have 16,384."""
    total = 0
    for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", str(pattern)):
        product = 1
        for inside in re.findall(r"\[([^\]]*)\]", part):
            product *= sum(int(high or low) - int(low) + 1 for low, _, high in (item.partition("-") for item in inside.split(",")))
        total += product
    return total


def count_of(spec):
    """Members of a group, by its `names`."""
    return count_names(spec.get("names", ""))


def unwrap(fact):
    """{ value: 10200, unit: W, source: … } -> 10200.0, through the whole tree."""
    if isinstance(fact, dict):
        if "value" in fact:
            value = fact["value"]
            return value * UNITS[fact["unit"]] if "unit" in fact and isinstance(value, (int, float)) else value
        if "unknown" in fact:
            return None
        return {k: unwrap(v) for k, v in fact.items()}
    return [unwrap(v) for v in fact] if isinstance(fact, list) else fact


class Catalogue:
    def __init__(self, source):
        self.files = {os.path.basename(f)[:-5]: f for f in sorted(glob.glob(os.path.join(source, "catalog", "*", "*.yaml")))}
        self.read = {}
        self.loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def raw(self, name):
        with open(self.files[name], encoding="utf-8") as file:
            return yaml.load(file, Loader=self.loader)

    def part(self, name, own=None):
        """Facts of a part, {} where there is none; `own` are parts that the spec brings: {id: facts}."""
        if own and name in own:
            return own[name]
        if name not in self.files:
            return {}
        if name not in self.read:
            self.read[name] = {"kind": None, **unwrap(self.raw(name).get("facts", {})), "part": self.raw(name).get("part")}
        return self.read[name]

    def table(self, name):
        return self.raw(name)["rows"]


def part_count(value):
    """"8 x cx7-400" or { count, model } -> (8, "cx7-400")."""
    if isinstance(value, dict):
        return int(number(value.get("count", 1)) or 0), value.get("model")
    match = re.fullmatch(r"(\d+)\s*x\s*(\S+)", str(value))
    return (int(match.group(1)), match.group(2)) if match else (1, str(value))


def modules(value):
    """"24 x 32 GiB" -> (24, bytes of one)."""
    if isinstance(value, dict):
        return int(number(value.get("count", 1)) or 0), quantity(value.get("size"))
    match = re.fullmatch(r"(?:(\d+)\s*x\s*)?([0-9.]+ ?[A-Za-z]+)(?:\s+\w+)?", str(value))
    return (int(match.group(1) or 1), number(match.group(2))) if match else (0, None)


def quantity(value):
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else number(value) if isinstance(value, str) else None


FITTINGS = ("cpus", "memory", "gpus", "nics", "drives", "psus", "pcie", "nvlink_bridge")


def devices_of(slot):
    return [slot] if isinstance(slot, str) else [d for d in [slot.get("device"), *(slot.get("devices") or [])] if d] if isinstance(slot, dict) else []


def lay_sockets_over(below, above):
    """Slots stand beside those of the part; with `switches` or nothing in it a socket is described anew; a device that is placed leaves its old slot."""
    placed = {d for socket in above.values() if isinstance(socket, dict) for name, slot in socket.items() if name != "switches" for d in devices_of(slot)}
    out = {socket: {n: s for n, s in inside.items() if n == "switches" or not (set(devices_of(s)) & placed) or n in (above.get(socket) or {})} for socket, inside in below.items()}
    for socket, inside in above.items():
        out[socket] = {**out.get(socket, {}), **inside} if inside and "switches" not in inside else inside
    return out


def lay_over(below, above):
    """Entries of maps by key; what names a part and its count is replaced whole."""
    for key, value in above.items():
        if key == "pcie" and isinstance(below.get(key), dict) and isinstance(value, dict):
            below[key] = lay_sockets_over(below[key], value)
        elif key in ("nics", "drives", "ports") and isinstance(below.get(key), dict) and isinstance(value, dict):
            below[key] = {**below[key], **value}
        elif key == "psus" and isinstance(below.get(key), dict):
            below[key] = {**below[key], **value}
        else:
            below[key] = value


class Group:
    """A node group with its server as fitted."""

    def __init__(self, world, name, spec):
        self.world, self.name, self.spec = world, name, spec
        self.count = count_names(spec.get("names", ""))
        self.racks, self.per_rack = spec.get("racks"), int(number(spec.get("per_rack", 0)) or 0)
        self.roles = spec.get("roles", [])
        self.roles = [self.roles] if isinstance(self.roles, str) else self.roles
        self.virtual, self.assembly = "virtual_machine" in spec, None
        facts = {}
        self.model = spec.get("model") or spec.get("instance")
        if "from" in spec:
            group, _, tray = spec["from"].partition(".")
            self.assembly = group
            assembly = world.part(world.data.get("assemblies", {}).get(group, {}).get("model"))
            facts = dict(assembly.get("trays", {}).get(tray, {}).get("server", {}))
        elif self.model:
            facts = dict(world.part(self.model))
        if isinstance(spec.get("server"), dict):
            if "like" in spec["server"]:
                facts = dict(world.part(spec["server"]["like"]))
            stated_for = dict(facts)
            lay_over(facts, {k: v for k, v in spec["server"].items() if k != "like"})
        if not isinstance(spec.get("server"), dict) or "power" in spec["server"]:
            stated_for = dict(facts)
        self.stated_for = stated_for                                           # what the power was stated for
        lay_over(facts, {k: spec[k] for k in FITTINGS if k in spec})
        self.facts = facts
        self.gpu_count, self.gpu_model = part_count(facts["gpus"]) if facts.get("gpus") else (0, None)
        self.gpu = world.part(self.gpu_model)
        self.cpu_count, self.cpu_model = part_count(facts["cpus"]) if facts.get("cpus") else (0, None)
        self.cpu = world.part(self.cpu_model)
        self.nics = {k: part_count(v) for k, v in (facts.get("nics") or {}).items()}
        self.nics = {k: v for k, v in self.nics.items() if v[0] > 0}

    def get(self, key):
        return quantity(self.facts.get(key))

    def ports(self, name):
        """(ports of a node in this set, rate of one) or (0, None)."""
        sets = self.facts.get("ports") or {}
        if name in sets:
            count, model = self.nics.get(sets[name].get("nics"), (0, None))
            on_card = int(self.world.part(model).get("ports") or 1)
            return (count * (1 if sets[name].get("port") else on_card), quantity(sets[name].get("rate")) or self.world.part(model).get("port_rate"))
        count, model = self.nics.get(name, (0, None))
        return count * int(self.world.part(model).get("ports") or 1), self.world.part(model).get("port_rate")

    def ports_of_all(self):
        return sum(count * int(self.world.part(model).get("ports") or 1) for count, model in self.nics.values())

    def limit(self):
        return number(self.spec.get("gpu_power_limit", "")) if "gpu_power_limit" in self.spec else None

    def stated_sum(self):
        """GPUs, processors and adapters at their limits: what no fitting can be below."""
        tdp = self.gpu.get("tdp") or 0
        limit = self.limit()
        watts = self.gpu_count * (min(tdp, limit) if limit else tdp) + self.cpu_count * (self.cpu.get("tdp") or 0)
        return watts + sum(n * (self.world.part(m).get("power") or 0) for n, m in self.nics.values())

    def refitted(self):
        """(least, most) watts at the wall that the parts fitted take beyond those that the stated power is of: between bare parts, and parts with fans of 15 % behind
        supplies of 90 %. Of a kind that the catalogue does not list (but GPUs) nothing is known to differ."""
        def drives(facts):
            return sum(modules(v)[0] for v in (facts.get("drives") or {}).values())

        def of(part, key):
            return [(self.world.part(part[1]).get(key) or 0) * part[0]] * 2

        now, then = self.facts, self.stated_for
        if any(part_count(facts[key])[1] and not self.world.part(part_count(facts[key])[1]).get("tdp") for key in ("cpus", "gpus") for facts in (now, then) if now.get(key) != then.get(key) and facts.get(key)):
            return -1e9, 1e9                                                   # nobody knows what one of them takes
        changes = [(of(part_count(now["gpus"]), "tdp") if now.get("gpus") else [0, 0], of(part_count(then["gpus"]), "tdp") if then.get("gpus") else [0, 0])]
        if then.get("cpus") and now.get("cpus"):
            changes.append((of(part_count(now["cpus"]), "tdp"), of(part_count(then["cpus"]), "tdp")))
        if then.get("memory") and now.get("memory"):
            changes.append(([modules(now["memory"])[0] * 10] * 2, [modules(then["memory"])[0] * 10] * 2))
        if then.get("drives"):
            more = drives(now) - drives(then)
            changes.append((sorted([more * 10, more * 25]), [0, 0]))
        if then.get("nics"):
            for name in {*then["nics"], *(now.get("nics") or {})}:
                a, b = part_count(now["nics"][name]) if name in (now.get("nics") or {}) else (0, None), part_count(then["nics"][name]) if name in then["nics"] else (0, None)
                if a != b:
                    changes.append(([sum((self.world.part(m).get("power") or k) * n for n, m in [a]) for k in (0, 75)], [sum((self.world.part(m).get("power") or k) * n for n, m in [b]) for k in (75, 0)]))
        low = high = 0.0
        for fitted, stated in changes:
            least, most = fitted[0] - stated[0], fitted[1] - stated[1]
            low += least * (1 if least > 0 else 1.15 / 0.90)
            high += most * (1 if most < 0 else 1.15 / 0.90)
        return low, high

    def air(self):
        """(least, most) airflow at sea level, (0, 0) where none is stated: that of other parts follows their power."""
        stated, power = self.get("airflow"), self.get("power")
        more = self.refitted() if stated and power else (0.0, 0.0)
        return ((stated or 0) * max(0.0, 1 + min(0.0, more[0]) / (power or 1)), (stated or 0) * (1 + max(0.0, more[1]) / (power or 1)))

    def power(self):
        """(lowest, highest) that the node may be taken to draw at the wall; the two are one where a figure is stated for what is fitted."""
        if self.virtual:
            return 0.0, 0.0
        stated, parts = self.get("power"), self.stated_sum()
        more = self.refitted() if stated is not None else (0.0, 0.0)
        if stated is not None and (stated + more[1] >= parts or isinstance(self.spec.get("server"), dict) and "power" in self.spec["server"]):
            low, high = stated + more[0], stated + more[1]
            tdp, limit = self.gpu.get("tdp") or 0, self.limit()
            if limit and limit < tdp:
                low, high = low - self.gpu_count * (tdp - limit) * 1.15 / 0.90, high - self.gpu_count * (tdp - limit)
            low = max(low, min(parts, high), 0.0) if more != (0.0, 0.0) else low
        else:
            # Modules at 10 W, drives at 10 to 25 W, fans up to 15 %, supplies of 90 % and better: what a fitting may come to.
            extra = modules(self.facts["memory"])[0] * 10 if self.facts.get("memory") else 0
            drives = sum(modules(v)[0] for v in (self.facts.get("drives") or {}).values())
            low, high = parts + extra + 10 * drives, (parts + extra + 25 * drives) * 1.15 / 0.90
        cap = number(self.spec.get("power_cap", ""))
        return (min(low, cap), min(high, cap)) if cap else (low, high)


class World:
    def __init__(self, data, catalogue, own=None):
        self.data, self.catalogue, self.own = data, catalogue, own or {}
        self.site = data.get("site", {})
        self.region = self.site.get("region")
        self.factor = {"na": 0.8, "iec": 1.0}.get(self.region, 1.0)    # NFPA 70 (NEC) 210.20(A); IEC breakers carry their rating
        supply = self.site.get("supply", {})
        self.phases, self.voltage = int(number(supply.get("phases", 3)) or 3), number(supply.get("voltage", "")) or 0
        self.pf = number(supply.get("power_factor", "")) or 0.96
        self.groups = {name: Group(self, name, spec) for name, spec in data.get("nodes", {}).items()}
        self.racks = data.get("racks", {})
        self.networks = data.get("networks", {})
        self.storage = data.get("storage", {})
        self.feeds = self.site.get("feeds", {})
        self.cloud = self.site.get("kind") == "cloud"

    def part(self, name):
        return self.catalogue.part(name, self.own) if name else {}

    def software(self, group):
        return {**self.data.get("software", {}), **group.spec.get("software", {})}

    def load_voltage(self):
        """Across one supply: a line voltage up to 250 V is used between lines, a higher one to neutral (C13/C19 are rated 250 V)."""
        return self.voltage / 3 ** 0.5 if self.phases == 3 and self.voltage > 250 else self.voltage

    def pdu_rating(self, part):
        if part.get("apparent"):
            return part["apparent"]
        amps = part.get("continuous") or (part.get("breaker") or 0) * self.factor
        return (3 ** 0.5 if part.get("phases") == 3 else 1) * (part.get("voltage") or 0) * amps

    def feed_capacity(self, name):
        feed = self.feeds[name]
        found = [number(feed["capacity"])] if "capacity" in feed else []
        if "breaker" in feed:
            found.append((3 ** 0.5 if self.phases == 3 else 1) * self.voltage * number(feed["breaker"]) * self.factor)
        return min(found) if found else None

    def feed_of(self, pdu):
        return pdu.get("feed") or self.site.get("panels", {}).get(pdu.get("panel"), {}).get("feed")

    def rack_count(self, name):
        return count_names(self.racks.get(name, {}).get("names", "")) if name in self.racks else 0

    def ends(self, network):
        """[(what, members, ports of each, rate of the port or None)] that a network connects; [] for `everything`."""
        connects, found = network.get("connects", {}), []
        if not isinstance(connects, dict):
            return found
        for who, how in connects.items():
            if who in self.groups:
                group = self.groups[who]
                if isinstance(how, dict) and "ports" in how:
                    ports, rate = group.ports(how["ports"])
                    ports = int(number(how["count"])) if "count" in how else ports
                elif str(how) == "all":
                    ports, rate = group.ports_of_all(), None
                else:
                    ports, rate = int(number(how.get("count", 0) if isinstance(how, dict) else how) or 0), None
                found.append((who, group.count, ports, rate))
            elif who in self.storage:
                servers = self.storage[who].get("servers", {})
                part = self.part(servers.get("model"))
                count = int(number(servers.get("count", 1)) or 1)
                each = sum(part_count(v)[0] * int(self.part(part_count(v)[1]).get("ports") or 1) for v in (part.get("nics") or {}).values())
                if isinstance(how, dict) and "count" in how:
                    each = int(number(how["count"]))
                elif str(how) != "all" and not isinstance(how, dict):
                    each = int(number(how) or 0)
                found.append((who, count, each, None))
        return found

    def managed(self):
        """Management ports of nodes, PDUs, shelves and trays; without switches, whose number is the planner's."""
        total = sum(g.count for g in self.groups.values() if not g.virtual and g.facts.get("bmc") not in (False, "false", None))
        total += sum(self.rack_count(r) * len(spec.get("pdus", [])) for r, spec in self.racks.items())
        for spec in self.data.get("assemblies", {}).values():
            part = self.part(spec.get("model"))
            trays = sum(t.get("count") or 0 for t in (part.get("trays") or {}).values() if not t.get("server"))
            total += count_names(spec.get("names", "")) * ((part.get("power_shelves") or 0) + trays)
        return total

    def subnet(self, network):
        try:
            return ipaddress.ip_network(network["subnet"], strict=True) if "subnet" in network else None
        except ValueError:
            return None
