"""What must hold of every plan, worked out from the spec, the catalogue's files, and what the plan says: plan.json, cables.csv and cords.csv. Shares nothing with the program.

judge(spec, folder, rules): a list of what does not hold. `rules`: the rules that reported an error. A limit of the room may be passed where
the spec asks for more than it carries; then the rule for that limit must have said so.
moved(old, new): what growth within `built_for` has moved.
"""
import collections
import csv
import functools
import ipaddress
import json
import math
import os
import re

import yaml

CATALOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "catalog")
UNITS = {"s": 1, "min": 60, "W": 1, "kW": 1e3, "MW": 1e6, "VA": 1, "kVA": 1e3, "MVA": 1e6, "Gb/s": 1, "m": 1, "mm": 1e-3, "kg": 1, "g": 1e-3, "A": 1, "V": 1, "C": 1, "ft": 0.3048}
QSFP = ["qsfp28", "qsfp56", "qsfp112"]
PLATINUM = [(0.2, 0.90), (0.5, 0.94), (1.0, 0.91)]        # 80 PLUS Platinum at 230 V


@functools.lru_cache(None)
def part(kind, name):
    with open(os.path.join(CATALOG, kind, name + ".yaml"), encoding="utf-8") as file:
        return plain(yaml.load(file, Loader=yaml.CSafeLoader)["facts"])


def plain(value):
    """A fact without its source: in W, m, kg, Gb/s."""
    if isinstance(value, dict):
        if "value" in value:
            v = value["value"]
            return v * UNITS.get(value.get("unit"), 1) if isinstance(v, (int, float)) and not isinstance(v, bool) else plain(v)
        return {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list) else value


def quantity(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def near(a, b, tolerance=1e-9):
    return abs(a - b) <= tolerance * max(abs(a), abs(b)) + 1e-6


def count_and_part(value):
    found = re.fullmatch(r"(\d+) x (\S+)", value)
    return (int(found[1]), found[2]) if found else (1, value)


def is_switch(name):
    return name.split("/")[0] in ("leaf", "spine", "core", "switch")


class Judge:
    def __init__(self, spec, folder, rules):
        self.spec, self.rules, self.wrong = spec, rules, []
        with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
            self.plan = json.load(file)
        with open(os.path.join(folder, "cables.csv"), encoding="utf-8", newline="") as file:
            self.cables = list(csv.DictReader(file))
        with open(os.path.join(folder, "cords.csv"), encoding="utf-8", newline="") as file:
            self.plugged = list(csv.DictReader(file))
        self.fabrics = {f["network"]: f for f in self.plan["fabrics"]}
        self.own_site = spec["site"].get("kind") != "cloud"
        # Of this plan, and gone with it: a cache of functools would hold every plan that was ever judged.
        self.known_groups, self.known_tiers = {}, {}

    def say(self, text):
        self.wrong.append(text)

    def hold(self, what, text):
        if not what:
            self.say(text)

    # ---- ports

    def group(self, name):
        """(adapters by set: (count, part), ports by set: (set, only this port, cages)) of a node group, as the catalogue and the spec have it."""
        if name not in self.known_groups:
            self.known_groups[name] = self.read_group(name)
        return self.known_groups[name]

    def read_group(self, name):
        g = self.spec["nodes"][name]
        if "from" in g:
            frame, tray = g["from"].split(".")
            server = part("assemblies", self.spec["assemblies"][frame]["model"])["trays"][tray]["server"]
        elif "virtual_machine" in g:
            server = part("servers", "generic-vm")
        else:
            server = part("servers", g.get("model") or g.get("instance") or g["server"]["like"])
        nics = {k: (v.get("count", 1), v["model"]) if isinstance(v, dict) else count_and_part(v) for k, v in (server.get("nics") or {}).items()}
        changes = {**(g.get("server", {}).get("nics") or {}), **(g.get("nics") or {})}
        nics.update({k: count_and_part(v) for k, v in changes.items()})
        ports = {k: (v["nics"], v.get("port"), v.get("cages")) for k, v in (server.get("ports") or {}).items()}
        for k in nics:
            if k not in [n for n, _, _ in ports.values()] and k not in ports:
                ports[k] = (k, None, None)
        return nics, ports, server

    def port_count(self, group, ports):
        nics, sets, _ = self.group(group)
        set_, only, _ = sets[ports]
        count, model = nics[set_]
        return count * (1 if only else part("nics", model).get("ports", 1))

    def tier(self, network, word):
        """(part, ports at the rate in use, links a cage) of the switches of a tier."""
        if (network, word) not in self.known_tiers:
            self.known_tiers[network, word] = self.read_tier(network, word)
        return self.known_tiers[network, word]

    def read_tier(self, network, word):
        f = self.fabrics[network]
        t = next(t for t in f["tiers"] if t["tier"] == word)
        p = part("switches", t["model"])
        wish = self.spec["networks"][network].get("breakout")
        ways = self.ways(p, f["link_bit_s" if word in ("leaf", "switch") else "uplink_bit_s"] / 1e9, wish)
        return p, p["ports"] * ways, ways * p.get("ports_per_cage", 1)

    @staticmethod
    def ways(p, rate, wish):
        ways = max(1, int(p["port_rate"] / rate + 1e-9)) if not p.get("uplinks") else 1
        return max(1, min(ways, min(wish, p.get("breakout", wish)) if wish else p.get("breakout", 1)))

    def uplink_ports(self, network):
        """Ports of a leaf, split for its nodes, that one link between switches takes."""
        f = self.fabrics[network]
        p, wish = part("switches", f["tiers"][0]["model"]), self.spec["networks"][network].get("breakout")
        return max(1, self.ways(p, f["link_bit_s"] / 1e9, wish) // self.ways(p, f["uplink_bit_s"] / 1e9, wish))

    def cage(self, row, side):
        """(connector, cage: any key, links that the cage carries) of one end."""
        name, port = row[side], row[side + "_port"]
        if port.startswith("mgmt") or port == "bmc" or self.spec["networks"][row["network"]]["connects"] == "everything" and not is_switch(name):
            return "rj45", (name, port), 1
        if is_switch(name):
            word, network = name.split("/")[:2]
            p, ports, links = self.tier(network, word)
            if int(port) > ports:
                return p.get("uplink_connector"), (name, "up", int(port)), 1
            up = next(t["up"] for t in self.fabrics[network]["tiers"] if t["tier"] == word) * self.uplink_ports(network)
            whole = self.uplink_ports(network) if word == "leaf" and int(port) > ports - up else 1
            return p.get("connector"), (name, (int(port) - 1) // links), links // whole
        kind, group = name.split("/")[:2]
        split = 1
        if "/plane" in port:
            split = self.fabrics[row["network"]]["planes"]
        number = int(port.split("/")[1])
        if kind == "storage":
            p = part("storage", self.spec["storage"][group]["servers"]["model"])
            n = next(iter(p["nics"].values()))
            return part("nics", n["model"]).get("connector"), (name, port), 1
        nics, sets, server = self.group(group)
        if port.split("/")[0] not in sets:
            return None, (name, port), 1
        set_, _, cages = sets[port.split("/")[0]]
        connector = part("nics", nics[set_][1]).get("connector")
        if cages:
            return connector, (name, set_, cages[number - 1] if number <= len(cages) else number), max(cages.count(c) for c in cages) * split
        return connector, (name, port.split("/plane")[0]), split

    def ports(self):
        used = collections.Counter()
        highest = collections.defaultdict(int)
        for row in self.cables:
            for side in ("from", "to"):
                used[row[side], row[side + "_port"]] += 1
                if is_switch(row[side]) and row[side + "_port"].isdigit():
                    highest[row[side]] = max(highest[row[side]], int(row[side + "_port"]))
        for port, times in used.items():
            self.hold(times == 1, f"port {port} has {times} cables")
        for name, port in highest.items():
            word, network = name.split("/")[:2]
            p, ports, _ = self.tier(network, word)
            t = next(t for t in self.fabrics[network]["tiers"] if t["tier"] == word)
            self.hold(t["ports"] == ports, f"{name}: {t['ports']} ports in the plan, {ports} by the catalogue")
            self.hold(port <= ports + p.get("uplinks", 0), f"{name}: port {port} of {ports}")
        for name, port in used:
            kind, _, rest = name.partition("/")
            if kind != "node" or port == "bmc":
                continue
            group, set_ = rest.split("/")[0], port.split("/")[0]
            if set_ in self.group(group)[1]:
                self.hold(int(port.split("/")[1]) <= self.port_count(group, set_), f"{name}: port {port}, it has {self.port_count(group, set_)}")

    # ---- fabrics

    def wiring(self):
        pairs = collections.defaultdict(collections.Counter)
        ends = collections.Counter()
        between = collections.Counter()
        for row in self.cables:
            a, b = row["from"], row["to"]
            if is_switch(a) and row["from_port"] != "mgmt" and is_switch(b) and a.split("/")[1] == b.split("/")[1]:
                pairs[a][b] += 1
                between[row["network"], a.split("/")[0], b.split("/")[0]] += 1
            elif not (is_switch(a) and row["from_port"] != "mgmt"):
                ends[row["network"]] += 1
        for lower, far in pairs.items():
            network = lower.split("/")[1]
            f = self.fabrics[network]
            links = f["links_per_leaf_spine_pair"] if lower.startswith("leaf/") else f["links_per_spine_core_pair"]
            self.hold(set(far.values()) == {links}, f"{lower}: links {sorted(set(far.values()))} to its upper switches, {links} to each are planned")
        for network, f in self.fabrics.items():
            word = {t["tier"]: t for t in f["tiers"]}
            self.hold(ends[network] == f["end_point_cables"], f"{network}: {ends[network]} end point cables in cables.csv, {f['end_point_cables']} in plan.json")
            self.hold(between[network, "leaf", "spine"] == f["leaf_spine_cables"], f"{network}: {between[network, 'leaf', 'spine']} cables from leaf to spine, plan.json {f['leaf_spine_cables']}")
            self.hold(between[network, "spine", "core"] == f["spine_core_cables"], f"{network}: {between[network, 'spine', 'core']} cables from spine to core, plan.json {f['spine_core_cables']}")
            if "spine" not in word:
                continue
            # Every leaf has the same uplinks; all leaves of a plane or pod end at the same spines; no spine is without leaves.
            leaves = {n: far for n, far in pairs.items() if n.startswith(f"leaf/{network}/")}
            self.hold(len(leaves) == word["leaf"]["count"], f"{network}: {len(leaves)} of {word['leaf']['count']} leaves have uplinks")
            sets = collections.Counter(frozenset(far) for far in leaves.values())
            islands = f["planes"] * (f["pods"] if "core" in word else 1)
            self.hold(len(sets) == islands and sum(len(s) for s in sets) == word["spine"]["count"] == len(frozenset().union(*sets)),
                      f"{network}: {len(sets)} sets of spines of {sorted({len(s) for s in sets})}, {islands} of {word['spine']['count']} in all are planned")
            net = self.spec["networks"][network]
            wish = net.get("oversubscription", 1)
            # Who writes both the spines and the links to each has said how many uplinks there are (wishes(), below).
            if "oversubscription" not in net and "spines" in net and "links_per_spine" in net:
                wish = math.inf
            faster = f["uplink_bit_s"] / f["link_bit_s"]
            self.hold(faster >= 1 and word["leaf"]["up"] * faster * wish * (1 + 1e-9) >= word["leaf"]["down"] or "net-leaf-oversubscribed" in self.rules,
                      f"{network}: {word['leaf']['down']} down, {word['leaf']['up']} up of {faster} times the rate, {wish} was asked for")
            if "core" in word:
                spines = {n: far for n, far in pairs.items() if n.startswith(f"spine/{network}/")}
                self.hold(len(spines) == word["spine"]["count"], f"{network}: {len(spines)} of {word['spine']['count']} spines have uplinks")
                wish = self.spec["networks"][network].get("core_oversubscription", 1)
                self.hold(word["spine"]["up"] * wish * (1 + 1e-9) >= word["spine"]["down"], f"{network}: spines have {word['spine']['down']} ports down, {word['spine']['up']} up, {wish} was asked for")
            self.wishes(network, f, word)
            self.leaves_of_racks(network, f)

    def leaves_of_racks(self, network, f):
        """With `leaf_per_rack` the nodes of the first group that are on one leaf stand in one rack, or a rule says why not."""
        net = self.spec["networks"][network]
        if not net.get("leaf_per_rack") or {"net-topology-not-followed", "net-switch-ports-exceeded", "rack-fewer-nodes-than-asked"} & self.rules or self.plan["unplaced"]:
            return
        first = next(iter(net["connects"]))
        stem = re.sub(r"\[.*|\d+$", "", self.spec["nodes"][first]["names"])
        rack_of = {d["name"]: r["name"] for r in self.plan["racks"] for d in r["devices"]}
        on = collections.defaultdict(set)
        for row in self.cables:
            ends = [row["from"], row["to"]]
            for node, switch in (ends, ends[::-1]):
                if row["network"] == network and switch.startswith("leaf/") and re.sub(r"\d+$", "", node) == stem and node in rack_of:
                    on[switch].add(rack_of[node])
        for leaf, racks in on.items():
            self.hold(len(racks) == 1, f"{leaf}: nodes of racks {sorted(racks)}, a leaf in each rack was asked for")

    def wishes(self, network, f, word):
        """What the spec asks of leaves and spines is there, or a rule says that it is not."""
        net = self.spec["networks"][network]
        spines = word["spine"]["count"] // f["planes"] // (f["pods"] if "core" in word else 1)
        for key, planned in (("spines", spines), ("links_per_spine", f["links_per_leaf_spine_pair"])):
            self.hold(net.get(key, planned) == planned or "net-topology-not-followed" in self.rules, f"{network}: {key} is {planned}, {net.get(key)} was asked for")
        if "uplink_rate" in net:
            self.hold(f["uplink_bit_s"] == quantity(net["uplink_rate"]) * 1e9, f"{network}: links between switches of {f['uplink_bit_s']}, {net['uplink_rate']} was asked for")
        if net.get("pods") == "rails" and "core" in word:
            self.hold(f["pods"] == f["rails"] or f["rails"] == 1, f"{network}: {f['pods']} pods of {f['rails']} rails")
        if net.get("room_for_cores") and "core" not in word:
            self.hold(word["spine"]["down"] * 2 <= word["spine"]["ports"], f"{network}: spines have {word['spine']['down']} of {word['spine']['ports']} ports down, half was to stay free")
        used = word["leaf"]["down"] + word["leaf"]["up"] * self.uplink_ports(network)
        self.hold(used <= word["leaf"]["ports"], f"{network}: {used} of {word['leaf']['ports']} ports of a leaf")

    # ---- cables

    def parts(self):
        by_cable, plugs, unbuilt = collections.defaultdict(list), collections.defaultdict(set), 0
        for row in self.cables:
            rate = quantity(row["rate"]) if row["rate"] else 0
            if not row["part"]:
                unbuilt += bool(row["way_m"])
                continue
            fibres, row["part"] = count_and_part(row["part"])
            p = part("cables", row["part"])
            way, length = float(row["way_m"]), float(row["length_m"])
            where = f"{row['from']}/{row['from_port']} to {row['to']}/{row['to_port']}"
            ends = [self.cage(row, "from"), self.cage(row, "to")]
            self.hold(length <= p["reach"] + 1e-6, f"{where}: {length} m of '{row['part']}' that reaches {p['reach']} m")
            self.hold(length + 0.051 >= way, f"{where}: {length} m of cable for {way} m of way")
            if p.get("lengths"):
                self.hold(any(abs(length - l) < 0.051 for l in p["lengths"]), f"{where}: '{row['part']}' is not sold in {length} m")
            media = self.spec["networks"].get(row["network"], {}).get("media")
            self.hold(not media or p["medium"] in media, f"{where}: '{row['part']}' is {p['medium']}, {media} were asked for")
            kind = self.spec["networks"][row["network"]].get("kind")
            self.hold(not p.get("links") or kind in p["links"], f"{where}: '{row['part']}' does not carry {kind}")
            by_cable[row["cable"]].append((row, ends))
            row["fibres"] = fibres
            if row["from_module"] or row["to_module"]:
                models = [part("cables", row["from_module"]), part("cables", row["to_module"])]
                for m, name, (connector, cage, links) in zip(models, (row["from_module"], row["to_module"]), ends):
                    plugs[cage].add(name)
                    self.hold(takes(connector, m["connector"]), f"{where}: module '{name}' has {m['connector']}, the cage is {connector}")
                    self.hold(m["reach"] + 1e-6 >= length, f"{where}: module '{name}' reaches {m['reach']} m, {length} m are needed")
                    self.hold(m["rate"] + 1e-6 >= rate * links, f"{where}: module '{name}' of {m['rate']} Gb/s in a cage of {links} x {rate}")
                    each = m["rate"] / m.get("ports", 1)
                    self.hold(each <= rate + 1e-6 or rate in m.get("slower", []), f"{where}: module '{name}' does not run at {rate} Gb/s")
                tips, sockets = sorted([p["connector"], p.get("far_connector", p["connector"])]), sorted(m["fibre"] for m in models)
                self.hold(tips == sockets, f"{where}: fibre has {tips}, the modules take {sockets}")
                self.hold(models[0]["optic"] == models[1]["optic"], f"{where}: {models[0]['optic']} to {models[1]['optic']}")
                self.hold(not p.get("rate"), f"{where}: '{row['part']}' between modules is no fibre")
                continue
            for (_, cage, _) in ends:
                plugs[cage].add(row["cable"])
            near_end, far_end = p["connector"], p.get("far_connector", p["connector"])
            a, b = ends[0][0], ends[1][0]
            self.hold((takes(a, near_end) and takes(b, far_end)) or (takes(b, near_end) and takes(a, far_end)), f"{where}: '{row['part']}' has {near_end} and {far_end}, the cages are {a} and {b}")
            many = p.get("ends", 1)
            widest = max(e[2] for e in ends)
            self.hold(near(p["rate"], rate * (many if many > 1 else widest)), f"{where}: '{row['part']}' of {p['rate']} Gb/s for links of {rate} Gb/s, {widest} in a cage")
        for cage, what in plugs.items():
            self.hold(len(what) == 1, f"cage {cage}: {sorted(what)} are plugged into it")
        bought = collections.Counter()
        for name, rows in by_cable.items():
            first = rows[0][0]
            self.hold(len({(r["part"], r["length_m"]) for r, _ in rows}) == 1, f"{name} is two parts")
            p = part("cables", first["part"])
            many, ends = p.get("ends", 1), rows[0][1]
            if not first["from_module"]:
                widest = max(many, *(e[2] for e in ends))
            else:                                                     # straight fibre joins ports that are split alike
                widest = max(many, min(e[2] // part("cables", first[m]).get("ports", 1) for e, m in zip(ends, ("from_module", "to_module"))))
            self.hold(len(rows) <= widest, f"{name}: {len(rows)} links of a cable with {many} tails")
            bought[first["part"], float(first["length_m"])] += first["fibres"]
        listed = collections.Counter()
        for line in self.plan["bill"]:
            if line.get("length_m"):
                listed[line["part"], round(line["length_m"], 1)] += line["count"]
        listed = collections.Counter({k: v for k, v in listed.items() if v})
        self.hold(listed == bought, f"cables in the bill {dict(listed - bought)} more, {dict(bought - listed)} fewer than in cables.csv")
        stated = sum(u["count"] for u in self.plan["unbuilt_cables"])
        self.hold(stated == unbuilt, f"{unbuilt} links have a way and no part, plan.json says {stated}")

    # ---- addresses

    def addresses(self):
        taken = {}
        for a in self.plan["addresses"]:
            net = ipaddress.ip_network(a["subnet"])
            spans = []
            if a["gateway"]:
                spans.append((int(ipaddress.ip_address(a["gateway"])), 1, "gateway"))
            blocks = a["blocks"] + a["equipment"]
            without = [b for b in blocks if not b["first"] and b["members"]]
            if without:
                self.hold("net-address-plan-collides" in self.rules and a["needed"] > a["usable"], f"{a['network']}: {a['needed']} of {a['usable']} addresses are needed, and {without[0]['members_of']} has none")
                continue
            for b in blocks:
                if b["members"]:
                    start = int(ipaddress.ip_address(b["first"])) - b.get("per_link", 1) + 1   # where leaves route, the address below is the leaf's
                    self.hold(b.get("per_link", 1) == 1 or start % 2 == 0, f"{a['network']}: the first pair of {b['members_of']} begins at an odd address")
                    spans.append((start, b["members"] * b["stride"], b["members_of"]))
            spans.sort()
            for (start, size, who), after in zip(spans, spans[1:] + [None]):
                self.hold(int(net.network_address) < start and start + size - 1 < int(net.broadcast_address), f"{a['network']}: {who} leaves {net}: {ipaddress.ip_address(start)} and {size}")
                self.hold(after is None or start + size <= after[0], f"{a['network']}: {who} and {after and after[2]} have an address in common")
            for other, with_ in taken.items():
                self.hold(not net.overlaps(with_), f"{a['network']} and {other} share addresses")
            taken[a["network"]] = net

    # ---- racks

    def racks(self):
        groups = self.spec.get("racks", {})
        seen = set()
        pf = self.plan["site"]["power_factor"]
        pdus = collections.defaultdict(list)
        for p in self.plan["pdus"]:
            pdus[p["name"].split("/")[1]].append(p)
        excess = collections.defaultdict(list)
        small = collections.Counter()
        for rack in self.plan["racks"]:
            frame = rack["group"] not in groups
            units = [0] * 200
            height = 48 if frame else part("racks", groups[rack["group"]]["model"])["units"]
            for d in rack["devices"]:
                if d["kind"] != "occupied":
                    self.hold(d["name"] not in seen, f"{d['name']} stands twice")
                    seen.add(d["name"])
                if frame:
                    continue
                self.hold(d["unit"] >= 1 and d["unit"] + d["units"] - 1 <= height, f"{rack['name']}: {d['name']} in U{d['unit']} of {height}, {d['units']} high")
                for u in range(d["unit"], d["unit"] + d["units"]):
                    units[u] += 1
                    self.hold(units[u] == 1, f"{rack['name']}: U{u} is taken twice")
            if frame:
                small["power-whip"] += len(rack["shelf_feeds"])
                small["coolant-hose"] += 2 * bool(rack["liquid"])
                continue
            group = groups[rack["group"]]
            if rack["devices"]:
                small["blanking-panel-1u"] += units[1:height + 1].count(0)
            for cords in self.cords(rack):
                small["power-cord-c13-c14"] += cords["c13"]
                small["power-cord-c19-c20"] += cords["c19"]
            p = part("racks", group["model"])
            devices = rack["weight_kg"] - p.get("weight", 0)
            if "static_load" in p and rack["devices"] and devices * 1.05 + 20 > p["static_load"] * (1 + 1e-9):
                excess["rack-static-load-exceeded"].append(f"{rack['name']} carries {devices * 1.05 + 20:.0f} kg of {p['static_load']:.0f} kg")
            if "budget" in group and rack["power_w"] > quantity(group["budget"]) * (1 + 1e-9):
                excess["power-rack-over-budget"].append(f"{rack['name']} draws {rack['power_w']} W of {group['budget']}")
            for place, load in enumerate(pdus[rack["name"]]):
                model = part("pdus", group["pdus"][place]["model"])
                if load["normal_va"] > load["continuous_va"] * (1 + 1e-9):
                    excess["power-branch-over-continuous-rating"].append(f"{load['name']} carries {load['normal_va']:.0f} VA of {load['continuous_va']:.0f} VA")
                outlets = collections.Counter()
                for o in model["outlets"]:
                    outlets[o["kind"]] += o["count"]
                cords = self.cords(rack)[place]
                self.hold((cords["c13"], cords["c19"]) == (load["cords_c13"], load["cords_c19"]), f"{load['name']}: cords {dict(cords)}, plan.json {load['cords_c13']}, {load['cords_c19']}")
                short = max(0, cords["c13"] - outlets["c13"]) + max(0, cords["c19"] - outlets["c19"]) - outlets["c13_c19"]
                if short > 0:
                    excess["outlets"].append(f"{load['name']}: {dict(cords)} for {dict(outlets)}")
        listed = collections.Counter({a["part"]: a["count"] for a in self.plan["accessories"] if a["part"] != "cable-tray"})
        self.hold(listed == +small, f"accessories {dict(listed)}, the racks need {dict(+small)}")
        for rule, what in excess.items():
            names = {"outlets": {"power-outlet-missing-or-reused", "power-plug-outlet-mismatch"},
                     "power-rack-over-budget": {rule, "power-branch-over-continuous-rating"}}.get(rule, {rule})     # where PDUs carry less than the budget, theirs is the limit
            self.hold(names & self.rules, f"{rule} is silent: {what[0]}")
        self.excess = set(excess)
        # Everybody who has a rack group stands somewhere, or is said to be left over.
        if self.own_site:
            placed = collections.Counter(d["kind"] for r in self.plan["racks"] for d in r["devices"])
            over = collections.Counter()
            for u in self.plan["unplaced"]:
                over[u["kind"]] += u["count"]
            nodes = sum(g["count"] for g in self.plan["node_groups"] if "racks" in self.spec["nodes"][g["name"]] or "from" in self.spec["nodes"][g["name"]])
            self.hold(placed["node"] + over["node"] == nodes, f"{placed['node']} nodes stand, {over['node']} are left over, {nodes} there are")
            if groups:
                switches = sum(t["count"] for f in self.plan["fabrics"] for t in f["tiers"])
                self.hold(placed["switch"] + over["switch"] == switches, f"{placed['switch']} switches stand, {over['switch']} are left over, {switches} there are")
        self.pf = pf

    def inlet(self, device):
        """c14 or c20 of a racked device, by the catalogue."""
        if device["kind"] == "node":
            return (self.node_part(device["name"]).get("psus") or {}).get("inlet")
        if device["kind"] == "storage":
            return (part("storage", self.spec["storage"][device["name"].split("/")[1]]["servers"]["model"]).get("psus") or {}).get("inlet")
        if device["kind"] == "switch":
            word, network = device["name"].split("/")[:2]
            return (self.tier(network, word)[0].get("psus") or {}).get("inlet")
        return None

    def node_part(self, host):
        if not hasattr(self, "group_of_stem"):
            self.group_of_stem = {re.sub(r"\[.*|\d+$", "", g["names"]): name for name, g in self.spec["nodes"].items()}
        return self.group(self.group_of_stem[re.sub(r"\d+$", "", host)])[2]

    def cords(self, rack):
        out = [collections.Counter() for _ in self.spec["racks"][rack["group"]]["pdus"]]
        for d in rack["devices"]:
            plug = {"c14": "c13", "c20": "c19"}.get(self.inlet(d))
            for letter in d.get("cords", "") if plug else "":
                out[ord(letter) - 97][plug] += 1
        return out

    def outlets(self):
        """cords.csv: each supply of plan.json's devices once and on its PDU, in an outlet of its kind that nobody else is in and that the PDU has; as many cords as the bill says."""
        hangs = {}
        for rack in self.plan["racks"]:
            for d in rack["devices"] if "frame_load" not in rack else []:
                for supply, letter in enumerate(d.get("cords", "")):
                    hangs[d["name"].replace("/", "-"), supply + 1] = (f"pdu/{rack['name']}/{letter}", rack["name"], d["unit"], self.inlet(d), rack["group"])
        taken, bought = set(), collections.Counter()
        for row in self.plugged:
            key = row["device"], int(row["supply"])
            self.hold(key in hangs, f"cords.csv: nothing is known of supply {key[1]} of {key[0]}, or it stands twice")
            if key not in hangs:
                continue
            pdu, rack, unit, inlet, group = hangs.pop(key)
            self.hold((row["pdu"], row["rack"], int(row["unit"])) == (pdu, rack, unit), f"cords.csv: {key} hangs on {row['pdu']} in {row['rack']} U{row['unit']}, plan.json has {pdu} in {rack} U{unit}")
            plug = {"c14": "C13", "c20": "C19"}.get(inlet)
            self.hold(row["part"] == {"C13": "power-cord-c13-c14", "C19": "power-cord-c19-c20"}.get(plug, ""), f"cords.csv: {key} with {inlet} has '{row['part']}'")
            bought[row["part"]] += 1
            model = part("pdus", self.spec["racks"][group]["pdus"][ord(pdu[-1]) - 97]["model"])
            there = collections.Counter()
            for o in model["outlets"]:
                there[{"c13": "C13", "c19": "C19", "c13_c19": "C13/C19"}.get(o["kind"], "")] += o["count"]
            if not row["outlet"]:
                self.hold(not plug or "outlets" in self.excess, f"cords.csv: {key} has no outlet on {pdu}, which has enough")
                continue
            place = pdu, row["socket"], int(row["outlet"])
            self.hold(row["socket"] in (plug, "C13/C19"), f"cords.csv: {key} with {inlet} in {row['socket']}")
            self.hold(1 <= place[2] <= there[row["socket"]], f"cords.csv: {place}, the PDU has {there[row['socket']]}")
            self.hold(place not in taken, f"cords.csv: two cords in {place}")
            taken.add(place)
            # Half a metre steps, and long enough to cross the rack beside itself.
            self.hold(float(row["length_m"]) * 2 % 1 == 0 and float(row["length_m"]) >= 1, f"cords.csv: {key} has a cord of {row['length_m']} m")
            phases = model["phases"]
            self.hold((row["lines"] != "") == (phases == 3), f"cords.csv: {key} on '{row['lines']}' of {phases} phases")
        self.hold(not hangs, f"cords.csv: {len(hangs)} supplies are missing, {next(iter(hangs), None)}")
        listed = collections.Counter({a["part"]: a["count"] for a in self.plan["accessories"] if a["part"].startswith("power-cord-c")})
        self.hold(listed == collections.Counter({k: v for k, v in bought.items() if k}), f"cords.csv has {dict(bought)}, the bill {dict(listed)}")

    # ---- power

    def power(self):
        """From the cords up: PDUs, panels, feeds and the total, each the sum of what hangs on it."""
        loads, pf = self.plan["loads"], self.plan["site"]["power_factor"]
        feeds, panels, zones = collections.Counter(), collections.Counter(), collections.Counter()
        pdus = {p["name"]: p for p in self.plan["pdus"]}
        total = 0
        for g in self.plan["node_groups"]:
            if g.get("wall", {}).get("cooling"):
                zones[g["wall"]["cooling"]] += g["power_w"] * g["count"]
        for rack in self.plan["racks"]:
            total += rack["power_w"]
            zones[rack["cooling"]] += rack["power_w"] - rack["liquid_heat_w"]
            zones[rack["liquid"]] += rack["liquid_heat_w"]
            if "frame_load" in rack:
                watts = loads[rack["frame_load"]]["power_w"]
                self.hold(near(watts, rack["power_w"]), f"{rack['name']}: {rack['power_w']} W, its frame draws {watts} W")
                for feed in rack["shelf_feeds"]:
                    feeds[feed] += watts / len(rack["shelf_feeds"]) / pf
                continue
            devices = sum(loads[d["load"]]["power_w"] for d in rack["devices"] if "load" in d) + rack.get("standing_w", 0)
            self.hold(near(devices, rack["power_w"]), f"{rack['name']}: {rack['power_w']} W, its devices draw {devices} W")
            n = len(self.spec["racks"][rack["group"]].get("pdus", []))
            on = [0.0] * n
            spread = rack.get("standing_w", 0)
            for d in rack["devices"]:
                watts = loads[d["load"]]["power_w"]
                if d.get("cords"):
                    self.hold(len(d["cords"]) == loads[d["load"]]["supplies"], f"{d['name']}: cords {d['cords']}, {loads[d['load']]['supplies']} supplies")
                    for letter in d["cords"]:
                        on[ord(letter) - 97] += watts / len(d["cords"])
                else:
                    spread += watts
            for i in range(n):
                name = f"pdu/{rack['name']}/{chr(97 + i)}"
                p = pdus[name]
                va = (on[i] + spread / n) / pf
                self.hold(near(va, p["normal_va"]), f"{name}: {p['normal_va']} VA, its cords carry {va} VA")
                wish = self.spec["racks"][rack["group"]]["pdus"][i]
                feed = wish.get("feed") or self.spec["site"]["panels"][wish["panel"]]["feed"]
                self.hold(p["feed"] == feed and p.get("panel") == wish.get("panel"), f"{name} hangs on {p['feed']} {p.get('panel')}, {wish} was asked for")
                self.hold(p["worst_va"] >= p["normal_va"] * (1 - 1e-9), f"{name}: worst is less than normal")
                feeds[feed] += va
                panels[wish.get("panel")] += va
        for z in self.plan["cooling_zones"]:
            self.hold(near(z["heat_w"], zones[z["name"]]), f"zone {z['name']}: {z['heat_w']} W, its racks give {zones[z['name']]} W")
            if z.get("cdus") and z.get("unit_power_w"):
                for feed in z["feeds"]:
                    feeds[feed] += z["unit_power_w"] * z["units"] / len(z["feeds"]) / pf
        for f in self.plan["feeds"]:
            va = feeds[f["name"]] + f["in_use_w"] / pf
            self.hold(near(va, f["normal_va"]), f"feed {f['name']}: {f['normal_va']} VA, what hangs on it draws {va} VA")
        if self.plan["racks"]:
            alone = sum(g["count"] * g.get("power_w", 0) for g in self.plan["node_groups"] if self.own_site and "racks" not in self.spec["nodes"][g["name"]] and "from" not in self.spec["nodes"][g["name"]])
            self.hold(near(total + alone, self.plan["totals"]["power_w"]), f"total {self.plan['totals']['power_w']} W, the racks draw {total} W")

    def walls(self):
        """Nodes on circuits of the building: how many circuits, what a full one carries, and the rule for it, which reports nothing else here."""
        factor, over = {"na": 0.8, "iec": 1.0}.get(self.spec["site"].get("region")), False
        for name, g in self.spec["nodes"].items():
            if "wall" not in g:
                continue
            plan = next(p for p in self.plan["node_groups"] if p["name"] == name)
            wall, said = g["wall"], plan["wall"]
            each = min(wall.get("nodes", 1), plan["count"])
            load, carries = quantity(g["server"]["power"]) * each / self.plan["site"]["power_factor"], quantity(wall["voltage"]) * quantity(wall["breaker"]) * factor
            self.hold(said["circuits"] == -(-plan["count"] // each) and said["nodes_each"] == each, f"wall circuits of {name}: {said}")
            self.hold(near(load, said["load_va"]) and near(carries, said["continuous_va"]), f"a wall circuit of {name}: {said}, it carries {load} of {carries} VA")
            over = over or load > carries * (1 + 1e-9)
        self.hold(over == ("power-wall-circuit-overloaded" in self.rules), f"power-wall-circuit-overloaded is {'silent' if over else 'reported'}")

    def generators(self):
        """What a generator supplies: all of its feeds at their breakers; of a single feed what it carries after the loss of another, where that is more."""
        pf, over = self.plan["site"]["power_factor"], False
        feeds, wishes = {f["name"]: f for f in self.plan["feeds"]}, self.spec["site"].get("feeds", {})
        for name, wish in self.spec["site"].get("generators", {}).items():
            behind = [f for f, w in wishes.items() if w.get("generator") == name]
            said = next(g for g in self.plan["generators"] if g["name"] == name)
            load = sum(feeds[f]["normal_at_breaker_va"] for f in behind) * pf
            if len(behind) == 1:
                load = max(load, feeds[behind[0]]["worst_at_breaker_va"] * pf)
            self.hold(near(load, said["load_w"]), f"generator {name}: {said['load_w']} W, its feeds draw {load} W")
            over = over or load > quantity(wish["rating"]) * (1 + 1e-9)
            for f in behind:
                runtime = wishes[f].get("ups", {}).get("runtime")
                over = over or (runtime is not None and quantity(wish["start"]) > quantity(runtime))
        self.hold(over == ("power-generator-overloaded" in self.rules), f"power-generator-overloaded is {'silent' if over else 'reported'}")

    def all(self):
        self.walls()
        self.generators()
        self.ports()
        self.wiring()
        self.parts()
        self.addresses()
        self.racks()
        self.outlets()
        self.power()
        return self.wrong


def takes(cage, plug):
    return cage == plug or (cage in QSFP and plug in QSFP and QSFP.index(plug) < QSFP.index(cage))


def judge(spec, folder, rules):
    return Judge(spec, folder, rules).all()


def room(spec, growth):
    """Everybody who is built for can come, but on a rail-optimised fabric whose scalable units are filled to the last node and which has fabric managers on it:
    they stand on the ports of the last node of the last unit (DGX SuperPOD, RA-11333-001, table 4, note 1)."""
    out = []
    for f, g in growth:
        net = spec["networks"][f["network"]]
        if g["room"] == g["built_for"]:
            continue
        unit = spec["nodes"][g["members_of"]].get("scalable_unit")
        managers = f["rail_optimised"] and isinstance(net["connects"], dict) and "fm" in net["connects"]
        if not (managers and unit and g["built_for"] % unit == 0 and g["room"] == g["built_for"] - 1):
            out.append(f"{f['network']}: {g['room']} of {g['built_for']} nodes that are built for can come")
    return out


def moved(old, new):
    """Cables, places, names and addresses of the plan in `old` that are not in `new` as they were. Places count where everybody found one in the end:
    a room that is too small for all who are to come has none kept free. Cords hang where they hung; where a PDU
    has too few outlets of a kind for all who came (the rules say so) it may be another outlet of it. What a cable is made of is not looked at: a neighbour in the
    same cage may change it (docs/names.md)."""
    out = []

    def read(folder):
        with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
            plan = json.load(file)
        with open(os.path.join(folder, "cables.csv"), encoding="utf-8", newline="") as file:
            cables = {(r["from"], r["from_port"]): (r["to"], r["to_port"]) for r in csv.DictReader(file)}
        with open(os.path.join(folder, "switches.csv"), encoding="utf-8", newline="") as file:
            numbers = {r["switch"]: (r["host"], r["management_address"], r["asn"], r["loopback"]) for r in csv.DictReader(file)}
        places = {d["name"]: (r["name"], d["unit"]) for r in plan["racks"] for d in r["devices"] if d["kind"] != "occupied"}
        with open(os.path.join(folder, "cords.csv"), encoding="utf-8", newline="") as file:
            cords = {(r["device"], r["supply"]): (r["pdu"], r["socket"], r["outlet"], r["lines"], r["bank"]) for r in csv.DictReader(file)}
        addresses = {(a["network"], b["members_of"]): (b["first"], b["stride"]) for a in plan["addresses"] for b in a["blocks"] + a["equipment"]}
        gateways = {a["network"]: a["gateway"] for a in plan["addresses"]}
        switches = {(f["network"], t["tier"]): (t["count"], t["down"], t["up"]) for f in plan["fabrics"] for t in f["tiers"]}
        return {"cable": cables, "place": places, "cord": cords, "addresses": addresses, "gateway": gateways, "switches": switches, "number": numbers}, plan["unplaced"]
    (a, _), (b, left_over) = read(old), read(new)
    short = {(pdu, socket) for pdu, socket, outlet, _, _ in b["cord"].values() if socket and not outlet}
    short |= {(pdu, "C13/C19") for pdu, _ in short}     # they are the last to be had of either kind
    for k, (pdu, socket, _, lines, _) in b["cord"].items():
        if (pdu, socket) in short:
            b["cord"][k] = (pdu, "", "", lines, "")
            if k in a["cord"]:
                a["cord"][k] = (a["cord"][k][0], "", "", a["cord"][k][3], "")
    for what in a:
        if what in ("place", "cord") and left_over:
            continue
        gone = [(k, v, b[what].get(k)) for k, v in a[what].items() if b[what].get(k) != v]
        if gone:
            out.append(f"{len(gone)} of {len(a[what])} {what}: {gone[0][0]} was {gone[0][1]}, is {gone[0][2]}")
    return out
