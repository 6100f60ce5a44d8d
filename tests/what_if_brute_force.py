#!/usr/bin/env python3
"""Cuts every component of a plan in turn, from `clusterc plan --format json` alone, and compares with `clusterc plan --what-if each`.

usage: what_if_brute_force.py CLUSTERC SPEC [PAIRS]

Nothing here is shared with the program: loads, trips, cooling and wiring are worked out again from the plan's data and the documents
(docs/what-if.md, docs/names.md). Then PAIRS combinations of two components, taken by a fixed rule, are compared with
`--what-if one,other`. Exit status 1: a difference, which is printed.
"""
import cmath
import itertools
import json
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict

EPS = 1e-9
RHO_CP = 1.20 * 1005          # J/(m3 K): dry air at sea level


def above(value, limit):
    return value > limit * (1 + EPS) + EPS


# ---- names ----------------------------------------------------------------------------------------------------------------

def top_level(text, mark):
    """Splits at `mark` outside of brackets and braces."""
    out, depth, last = [], 0, 0
    for i, ch in enumerate(text):
        depth += (ch in "[{") - (ch in "]}")
        if ch == mark and depth == 0:
            out.append(text[last:i])
            last = i + 1
    return out + [text[last:]]


def expand(text):
    """'pdu/r[01-02]/{a,b}' -> every name; several patterns with commas between."""
    out = []
    for term in top_level(text, ","):
        if not term:
            continue
        parts, i = [[""]], 0
        while i < len(term):
            if term[i] in "[{":
                end, depth = i, 0
                while True:
                    depth += (term[end] in "[{") - (term[end] in "]}")
                    if depth == 0:
                        break
                    end += 1
                inside = term[i + 1:end]
                if term[i] == "{":
                    parts.append(expand(inside))
                else:
                    values = []
                    for piece in inside.split(","):
                        low, _, high = piece.partition("-")
                        width = len(low) if low.startswith("0") else 1
                        values += [str(v).zfill(width) for v in range(int(low), int(high or low) + 1)]
                    parts.append(values)
                i = end + 1
            else:
                end = i
                while end < len(term) and term[end] not in "[{":
                    end += 1
                parts.append([term[i:end]])
                i = end
        out += ["".join(p) for p in itertools.product(*parts)]
    return out


def suffix(pattern, name):
    """The digits that the brackets of the pattern made; the whole name where there are none."""
    for term in top_level(pattern, ","):
        if "[" not in term:
            if term == name:
                return name
            continue
        regex = "".join(r"(\d+)" if p.startswith("[") else re.escape(p) for p in re.split(r"(\[[^\]]*\])", term))
        match = re.fullmatch(regex, name)
        if match:
            return "-".join(match.groups())
    raise SystemExit(f"{name} is not of {pattern}")


def two(n):
    return f"{n:02d}"


class Watts(list):
    """By source; `fullest`: the balanced load that would fill every line as much as the fullest is."""
    fullest = ()


# ---- the plan -------------------------------------------------------------------------------------------------------------

class World:
    def __init__(self, plan):
        self.plan = plan
        self.pf = plan["site"]["power_factor"]
        self.loads = plan["loads"]
        self.exchanged = {}
        self.groups = {g["name"]: g for g in plan["node_groups"]}
        self.group_of, self.object_of, self.host_of = {}, {}, {}
        for g in plan["node_groups"]:
            for host in expand(g["names"]):
                self.group_of[host] = g["name"]
                self.object_of[host] = f"node/{g['name']}/{suffix(g['names'], host)}"
                self.host_of[self.object_of[host]] = host
        self.hosts = {name: expand(g["names"]) for name, g in self.groups.items()}
        self.computing = {h for name, g in self.groups.items() if g["computes"] for h in self.hosts[name]}
        self.feeds = {f["name"]: f for f in plan["feeds"]}
        self.panels = {p["name"]: p for p in plan["panels"]}
        self.transfers = {t["name"]: t for t in plan.get("transfer_switches", [])}
        self.generators = {g["name"]: g for g in plan.get("generators", [])}
        self.zones = {z["name"]: z for z in plan["cooling_zones"]}
        self.outside = defaultdict(list)                     # (heat, idle power) of nodes on wall circuits, by zone
        for g in plan["node_groups"]:
            if g.get("wall", {}).get("cooling"):
                self.outside[g["wall"]["cooling"]].append((g["wall"]["heat_w"], g["wall"]["idle_w"]))
        self.storage = {s["name"]: s for s in plan["storage"]}
        pdus = defaultdict(list)
        for p in plan["pdus"]:
            pdus[p["name"].split("/")[1]].append(p)
        self.racks = {}
        for r in plan["racks"]:
            rack = {"name": r["name"], "group": r["group"], "air": r["cooling"], "loop": r["liquid"], "devices": [], "frame": "frame_load" in r}
            liquid = r["liquid_heat_w"] / r["power_w"] if r["power_w"] else 0
            rack["shares"] = defaultdict(float)
            if r["cooling"]:
                rack["shares"][r["cooling"]] += 1 - liquid
            if r["liquid"]:
                rack["shares"][r["liquid"]] += liquid
            if rack["frame"]:
                names = list(dict.fromkeys(r["shelf_feeds"]))
                rack["sources"] = [{"feed": f, "panel": None, "trip": None, "continuous": None} for f in names]
                for d in r["devices"]:
                    rack["devices"].append({"kind": "tray", "name": d["name"], "load": None, "cords": []})
                rack["devices"].append({"kind": "frame", "name": r["name"], "load": self.loads[r["frame_load"]], "cords": [names.index(f) for f in r["shelf_feeds"]]})
            else:
                rack["sources"] = [{"feed": p["feed"] or None, "panel": p.get("panel"), "trip": p["breaker_va"], "continuous": p["continuous_va"], "phases": p.get("phases", 1), "between": p.get("between_lines"), "banks": p.get("banks", 0), "feed_line": p.get("feed_line"), "pdu": True, "transfer": p.get("transfer"), "other_feed": p.get("other_feed"), "other_panel": p.get("other_panel")} for p in pdus[r["name"]]]
                for d in r["devices"]:
                    on_busbar = d.get("busbar_w")
                    rack["devices"].append({"kind": d["kind"], "name": d["name"], "load": self.loads[d["load"]] if on_busbar is None else None, "busbar_w": on_busbar, "cords": [ord(ch) - 97 for ch in d.get("cords", "")]})
                if r.get("standing_on_busbar"):
                    rack["devices"].append({"kind": "standing", "name": "", "load": None, "busbar_w": r["standing_w"], "cords": []})
                elif "standing_w" in r:
                    rack["devices"].append({"kind": "standing", "name": "", "load": {"power_w": r["standing_w"], "idle_w": None, "throttles": False, "supplies": 0, "spare": None, "supply_w": None, "efficiency": 0.94}, "cords": []})
            if "busbar_load" in r:
                names, first = list(dict.fromkeys(r["shelf_feeds"])), len(rack["sources"])
                rack["sources"] += [{"feed": f, "panel": None, "trip": None, "continuous": None} for f in names]
                rack["devices"].append({"kind": "busbar", "name": "", "load": self.loads[r["busbar_load"]], "cords": [first + names.index(f) for f in r["shelf_feeds"]]})
            rack["to_come"] = r.get("to_come", [])
            self.wire(rack)
            self.racks[r["name"]] = rack
        self.rack_of = {d["name"]: (r, i) for r in self.racks.values() for i, d in enumerate(r["devices"]) if d["name"] and d["kind"] != "frame"}
        self.deal_lines()
        self.compute = next((f["network"] for f in plan["fabrics"] if "compute" in f["carries"]), None)
        self.fabrics = {f["network"]: Wires(self, f) for f in plan["fabrics"] if f["tiers"]}
        self.base = None
        self.memo = {}
        self.settle_base()

    def deal_lines(self):
        """Single-phase PDUs hang on the lines of their panel, else of their feed, in turn; a panel begins one line further than the one before it on its feed."""
        turn = defaultdict(int)
        for p in self.plan["panels"]:
            turn["panel", p["name"]] = turn["feed", p["feed"]]
            turn["feed", p["feed"]] += 1
        self.singles = []                                    # (rack, source number, line, between lines)
        for p in self.plan["pdus"]:
            if "feed_line" not in p:
                continue
            key = ("panel", p["panel"]) if p.get("panel") else ("feed", p["feed"])
            way, between = turn[key] % 3, "-" in p["feed_line"]
            turn[key] += 1
            names = ("L1-L2", "L2-L3", "L3-L1") if between else ("L1", "L2", "L3")
            if names[way] != p["feed_line"]:
                raise SystemExit(f"{p['name']}: on {names[way]}, clusterc: {p['feed_line']}")
            _, rack, letter = p["name"].split("/")
            self.singles.append((rack, ord(letter) - 97, way, between))

    def source(self, s, state):
        """(feed, panel, dead) of what supplies a PDU now: its first source, or where that is dead the one that a transfer switch has besides."""
        def dead(feed, panel):
            return feed in state["feeds"] or (panel is not None and panel in state["panels"])

        def switch_dead(panel):
            return panel is not None and self.panels[panel].get("transfer") in state["transfers"]

        first, other = (s["feed"], s["panel"]), (s.get("other_feed"), s.get("other_panel"))
        own = s.get("transfer") is not None and s["transfer"] in state["transfers"]
        gone = dead(*first) or own or switch_dead(first[1])
        if not gone or other[0] is None or own or switch_dead(other[1]) or dead(*other):
            return *first, gone
        return *other, False

    def fullest_lines(self, racks, feeds, panels, state):
        """By feed and panel: three times (sqrt 3 V) the current of the fullest line, as complex phasors of three voltages 120 degrees apart."""
        phase = [cmath.exp(-2j * math.pi * n / 3) for n in range(3)]
        out = {}
        for kind, loads in (("feed", feeds), ("panel", panels)):
            for name, total in loads.items():
                single = [0j] * 3
                rest = total
                for rack, number, way, between in self.singles:
                    if self.source(self.racks[rack]["sources"][number], state)[0 if kind == "feed" else 1] != name or (kind == "feed" and self.feeds[name].get("ups")):
                        continue
                    va = racks[rack][0][number] / self.pf
                    rest -= va
                    if not between:
                        single[way] += va * phase[way]       # current = VA over the voltage to neutral, in phase with it
                    else:                                    # over sqrt(3) of it, in phase with the difference of two
                        other = (way + 1) % 3
                        direction = (phase[way] - phase[other]) / abs(phase[way] - phase[other])
                        single[way] += va / 3 ** 0.5 * direction
                        single[other] -= va / 3 ** 0.5 * direction
                out[kind, name] = max([total] + [3 * abs(s + rest / 3 * p) for s, p in zip(single, phase)]) if self.singles else total
        return out

    # ---- one rack

    def wire(self, rack):
        """Which of the three lines, or pairs of lines, each cord is on: the bank, else the pair, that carries least so far; the largest cords first.
        Then, without banks, one is moved or two are exchanged while the fullest line of all states has less, or as much and the squares are less."""
        devices = []                                         # (place, its load, its cords), those to come among them: they keep their lines
        for i, d in enumerate(rack["devices"] + [{"cords": []}]):
            devices += [(None, self.loads[t["load"]], [ord(ch) - 97 for ch in t["cords"]]) for t in rack["to_come"] if t["below"] == i]
            devices += [(i, d["load"], d["cords"])] if d["cords"] else []
        dies = lambda s, feed: s["feed"] == feed and s.get("other_feed") in (None, feed)
        losses = [None] + [f for f in dict.fromkeys(s["feed"] for s in rack["sources"]) if f and 0 < sum(dies(s, f) for s in rack["sources"]) < len(rack["sources"])]
        cords = []                                           # (place, supply, source, watts by state)
        for i, load, at in devices:
            for k, source in enumerate(at):
                by_state = []
                for lost in losses:
                    alive = [s for s in at if lost is None or not dies(rack["sources"][s], lost)]
                    by_state.append(self.on_supplies(load, len(alive))[1] / len(alive) if source in alive else 0.0)
                cords.append((i, k, source, by_state))
        cords.sort(key=lambda c: -c[3][0])                   # stable: from the bottom up
        rack["way"] = {}
        for number, source in enumerate(rack["sources"]):
            here = [c for c in cords if c[2] == number]
            ways = 3 if source.get("phases", 1) >= 3 else 1
            banks = [0.0] * max(1, source.get("banks", 0))
            pairs = [0.0] * ways
            by_banks = source.get("banks", 0) > 0 and source["banks"] % ways == 0
            way = []
            for _, _, _, watts in here:
                bank = banks.index(min(banks))
                way.append(bank % ways if by_banks else pairs.index(min(pairs)))
                banks[bank] += watts[0]
                pairs[way[-1]] += watts[0]
            if ways == 3 and not by_banks and len(here) <= 96:
                watts = tuple(tuple(float(math.floor(w * 1000 + 0.5)) for w in c[3]) for c in here)
                alike = tuple(way), watts, source["between"]         # thousands of racks are
                if alike not in self.exchanged:
                    self.exchange(way, watts, source["between"])
                    self.exchanged[alike] = list(way)
                way = self.exchanged[alike]
            for (i, k, _, _), w in zip(here, way):
                if i is not None:
                    rack["way"][i, k] = w

    @staticmethod
    def exchange(way, watts, between):
        def fullness(ways):
            squares = []
            for state in range(len(watts[0]) if watts else 0):
                p = [sum(w[state] for w, at in zip(watts, ways) if at == n) for n in range(3)]
                squares += [p[a] * p[a] + p[b] * p[b] + p[a] * p[b] if between else p[a] * p[a] for a, b in ((0, 1), (1, 2), (2, 0))]
            return max(squares, default=0.0), sum(squares)

        def first_better():
            now = fullness(way)
            for i, from_ in enumerate(way):
                changes = [{i: to} for to in range(3) if to != from_] + [{i: to, j: from_} for j, to in enumerate(way) if j > i and to != from_]
                for change in changes:
                    then = fullness([change.get(k, w) for k, w in enumerate(way)])
                    if then < now:                           # of whole milliwatts, exactly
                        return change
            return None

        for _ in range(16 * len(way)):
            change = first_better()
            if not change:
                return
            for k, w in change.items():
                way[k] = w

    @staticmethod
    def fullest(rack, sources, pairs):
        """pairs: watts on the pairs (A-B, B-C, C-A) or lines of each source. The sum of two phasors 60 degrees apart is sqrt(a2 + b2 + ab)."""
        out = []
        for source, watts, p in zip(rack["sources"], sources, pairs):
            if source.get("phases", 1) < 3:
                out.append(watts)
            elif source["between"]:
                out.append(max(watts, max(3 * (p[a] ** 2 + p[b] ** 2 + p[a] * p[b]) for a, b in ((0, 2), (0, 1), (1, 2))) ** 0.5))
            else:
                out.append(max(watts, 3 * max(p)))
        return out

    @staticmethod
    def form(x):
        low, full = 90 / 94, 91 / 94
        if x <= 0.2:
            return low
        if x <= 0.5:
            return low + (1 - low) * (x - 0.2) / 0.3
        return 1 + (full - 1) * (min(x, 1) - 0.5) / 0.5

    def on_supplies(self, load, alive):
        """(state, watts at the wall) with that many supplies."""
        watts, n, spare, each = load["power_w"], load["supplies"], load["spare"], load["supply_w"]
        if alive == 0:
            return "dead", 0.0
        if alive == n:
            return "runs", watts
        if each is None:
            return ("runs" if spare is not None and n - alive <= spare else "unjudged"), watts
        need, given = watts * load["efficiency"], alive * each
        if given * (1 + EPS) + EPS >= need:
            now = watts * max(1.0, self.form(need / (n * each)) / self.form(need / given))
            if spare is None or n - alive <= spare:
                return "runs", now
            return ("throttled" if load["throttles"] else "unjudged"), now
        if not load["throttles"]:
            return "dead", 0.0
        most = given / (load["efficiency"] * 91 / 94)
        if load["idle_w"] is None:
            return "unjudged", most
        return ("throttled", most) if given * (1 + EPS) + EPS >= load["idle_w"] * load["efficiency"] else ("dead", 0.0)

    def rack_state(self, rack, out):
        """out: {'sources': set, 'cords': set of (device, supply), 'devices': set} -> (watts by source, [(state, watts)])"""
        key = (id(rack), frozenset(out["sources"]), frozenset(out["cords"]), frozenset(out["devices"]))
        if key in self.memo:
            return self.memo[key]
        sources = Watts([0.0] * len(rack["sources"]))
        pairs = [[0.0] * 3 for _ in sources]
        busbar = rack["devices"][-1]["kind"] == "busbar" if rack["devices"] else False
        alive_sources = [i for i in range(len(sources)) if i not in out["sources"] and (not busbar or rack["sources"][i].get("pdu"))]
        states = []
        for i, d in enumerate(rack["devices"]):
            load = d["load"]
            if d["kind"] == "busbar":                        # without what failed: its idle power falls by the same share
                gone = sum(o["busbar_w"] for k, o in enumerate(rack["devices"]) if o.get("busbar_w") is not None and k in out["devices"])
                left = max(0.0, load["power_w"] - gone)
                if gone > 0 and load["power_w"] > 0:
                    load = {**load, "power_w": left, "idle_w": None if load["idle_w"] is None else load["idle_w"] * left / load["power_w"]}
            if i in out["devices"]:
                states.append(("dead", 0.0))
            elif load is None or not sources or (not load["supplies"] and load["power_w"] <= 0):
                states.append(("runs", load["power_w"] if load else 0.0))
            elif not d["cords"]:
                states.append(("runs", load["power_w"]) if alive_sources else ("dead", 0.0))
                for s in alive_sources:
                    sources[s] += load["power_w"] / len(alive_sources)
                    for w in range(3):
                        pairs[s][w] += load["power_w"] / len(alive_sources) / 3
            else:
                living = [s for k, s in enumerate(d["cords"]) if s not in out["sources"] and (i, k) not in out["cords"]]
                state = self.on_supplies(load, len(living))
                states.append(state)
                for s in living:
                    sources[s] += state[1] / len(living)
                for k, s in enumerate(d["cords"]):
                    if s not in out["sources"] and (i, k) not in out["cords"]:
                        pairs[s][rack["way"][i, k]] += state[1] / len(living)
        if busbar:
            states = [(states[-1][0], w) if d.get("busbar_w") is not None and i not in out["devices"] else (s, w) for i, (d, (s, w)) in enumerate(zip(rack["devices"], states))]
        sources.fullest = self.fullest(rack, sources, pairs)
        self.memo[key] = (sources, states)
        return sources, states

    # ---- the whole chain, to the fixed point

    def start(self):
        return {"feeds": set(), "panels": set(), "transfers": set(), "ups": defaultdict(int), "pumps": {}, "racks": {}, "trips": []}

    def out_of(self, state, name):
        """What is out in a rack, with what is dead above it."""
        rack = self.racks[name]
        own = state["racks"].get(name)
        sources = set(own["sources"]) if own else set()
        for i, s in enumerate(rack["sources"]):
            if self.source(s, state)[2]:
                sources.add(i)
        return {"sources": sources, "cords": own["cords"] if own else set(), "devices": own["devices"] if own else set()}

    def sums(self, state, racks):
        feeds, panels = defaultdict(float), defaultdict(float)
        for name, (watts, _) in racks.items():
            for s, w in zip(self.racks[name]["sources"], watts):
                feed, panel, _ = self.source(s, state)
                if feed:
                    feeds[feed] += w / self.pf
                if panel:
                    panels[panel] += w / self.pf
        self.add_rest(state, feeds)
        return feeds, panels

    def add_rest(self, state, feeds):
        for name, f in self.feeds.items():
            if name not in state["feeds"]:
                feeds[name] += f["in_use_w"] / self.pf
        for name, z in self.zones.items():
            if z["cdus"] and z["unit_power_w"]:
                living = [f for f in z["feeds"] if f not in state["feeds"]]
                for f in living:                             # pumps that failed, or of a loop that did, draw nothing
                    feeds[f] += z["unit_power_w"] * max(0, z["units"] - state["pumps"].get(name, 0)) / self.pf / len(living)

    def settle(self, state, base=None):
        """Trips until nothing more does. base: the settled state before; only racks that differ are worked out again while no feed or panel is dead."""
        whole = base is None or any(state[k] != base["state"][k] for k in ("feeds", "panels", "transfers"))
        round_ = 1
        current = None
        while True:
            if whole:
                racks = {name: self.rack_state(r, self.out_of(state, name)) for name, r in self.racks.items()}
                feeds, panels = self.sums(state, racks)
                look = racks
            else:
                look = {name: self.rack_state(self.racks[name], self.out_of(state, name)) for name in state["racks"]}
                feeds, panels = defaultdict(float, base["feeds"]), dict(base["panels"])
                if state["pumps"]:
                    was, now = defaultdict(float), defaultdict(float)
                    self.add_rest(base["state"], was)
                    self.add_rest(state, now)
                    for f in was:
                        feeds[f] += now[f] - was[f]
                for name, (watts, _) in look.items():
                    for s, w, was in zip(self.racks[name]["sources"], watts, base["racks"][name][0]):
                        feed, panel, _ = self.source(s, state)
                        if feed:
                            feeds[feed] += (w - was) / self.pf
                        if panel:
                            panels[panel] += (w - was) / self.pf
                racks = None
            current = (racks, look, feeds, panels)
            tripped = []
            for name in look:
                rack = self.racks[name]
                gone = self.out_of(state, name)["sources"]
                for i, s in enumerate(rack["sources"]):
                    if i not in gone and s["trip"] is not None and above(look[name][0].fullest[i] / self.pf, s["trip"]):
                        tripped.append((name, i, look[name][0].fullest[i] / self.pf))
            if tripped:
                for name, i, _ in tripped:
                    self.own(state, name)["sources"].add(i)
                for place in sorted({(self.racks[n]["group"], i) for n, i, _ in tripped}):
                    of = [t for t in tripped if (self.racks[t[0]]["group"], t[1]) == place]
                    state["trips"].append((round_, "pdu", frozenset(f"pdu/{n}/{chr(97 + i)}" for n, i, _ in of), max(v for _, _, v in of)))
                round_ += 1
                continue
            lines = self.fullest_lines(racks if whole else {**base["racks"], **look}, feeds, panels, state)
            over = [p for p in self.panels if p not in state["panels"] and self.panels[p]["breaker_va"] is not None and above(lines.get(("panel", p), 0.0), self.panels[p]["breaker_va"])]
            if over:
                for p in over:
                    state["panels"].add(p)
                    state["trips"].append((round_, "panel", frozenset([f"panel/{p}"]), lines["panel", p]))
                round_ += 1
                whole = True
                continue
            dead = []
            for name, f in self.feeds.items():
                if name in state["feeds"]:
                    continue
                va, ups = feeds.get(name, 0.0), f.get("ups")
                drawn = va * ups["drawn_over_load"] if ups else lines.get(("feed", name), 0.0)      # the breaker carries what the UPS loses, too; a UPS draws evenly
                if f["breaker_va"] is not None and above(drawn, f["breaker_va"]):
                    dead.append((name, "feed", drawn))
                elif ups:
                    left = max(0, ups["modules"] - state["ups"][name])
                    if ups["module_w"] is not None and above(va * self.pf, ups["module_w"] * left):
                        dead.append((name, "ups", va * self.pf))
                    elif (ups["module_va"] is not None and above(va, ups["module_va"] * left)) or left == 0:
                        dead.append((name, "ups", va))
            if not dead:
                return {"state": state, "racks": current[0], "look": current[1], "feeds": current[2], "panels": current[3], "lines": lines, "whole": whole}
            for name, kind, load in dead:
                state["feeds"].add(name)
                state["trips"].append((round_, kind, frozenset([f"{kind}/{name}"]), load))
            round_ += 1
            whole = True

    def own(self, state, name):
        return state["racks"].setdefault(name, {"sources": set(), "cords": set(), "devices": set()})

    def settle_base(self):
        self.base = self.settle(self.start())
        self.base_heat = {z: sum(heat for heat, _ in self.outside[z]) for z in self.zones}
        for name, (_, states) in self.base["racks"].items():
            for z, share in self.racks[name]["shares"].items():
                self.base_heat[z] += sum(w for _, w in states) * share

    # ---- a failure

    def cut(self, names):
        base = self.base["state"]
        state = {"feeds": set(base["feeds"]), "panels": set(base["panels"]), "transfers": set(), "ups": defaultdict(int),
                 "pumps": {}, "racks": {}, "trips": []}
        if base["racks"]:                 # what had tripped in the normal state
            state["racks"] = {n: {k: set(v) for k, v in r.items()} for n, r in base["racks"].items()}
        dead_nodes, dead_switches, dead_storage = set(), set(), set()
        units, loops, end_links, up_links = defaultdict(int), set(), [], []
        for name in names:
            kind, _, rest = name.partition("/")
            if kind == "feed":
                state["feeds"].add(rest)
            elif kind == "transfer":
                state["transfers"].add(rest)
            elif kind == "ups":
                state["ups"][rest.rsplit("/", 1)[0]] += 1
            elif kind == "panel":
                state["panels"].add(rest)
            elif kind == "pdu":
                rack, letter = rest.split("/")
                self.own(state, rack)["sources"].add(ord(letter) - 97)
            elif kind == "shelf":
                rack, number = rest.split("/")
                self.own(state, rack)["cords"].add((len(self.racks[rack]["devices"]) - 1, int(number) - 1))
            elif kind == "psu":
                thing, number = rest.rsplit("/", 1)
                rack, i = self.rack_of[self.host_of.get(thing, thing)]
                self.own(state, rack["name"])["cords"].add((i, int(number) - 1))
            elif kind in ("cooling", "cdu"):
                units[rest.rsplit("/", 1)[0]] += 1
                if kind == "cdu":
                    state["pumps"][rest.rsplit("/", 1)[0]] = state["pumps"].get(rest.rsplit("/", 1)[0], 0) + 1
            elif kind == "loop":
                loops.add(rest)
                state["pumps"][rest] = self.zones[rest]["units"]
            elif kind in ("leaf", "spine", "core", "switch"):
                dead_switches.add(name)
                if name in self.rack_of:
                    rack, i = self.rack_of[name]
                    self.own(state, rack["name"])["devices"].add(i)
            elif kind == "link":
                far, fabric, switch = self.link(rest)
                if far in ("spine", "core"):
                    up_links.append((fabric, switch))
                else:
                    end_links.append((fabric, switch, far))
            elif kind == "node":
                host = self.host_of[name]
                dead_nodes.add(host)
                if host in self.rack_of:
                    rack, i = self.rack_of[host]
                    self.own(state, rack["name"])["devices"].add(i)
            elif kind == "storage":
                dead_storage.add(name)
                if name in self.rack_of:
                    rack, i = self.rack_of[name]
                    self.own(state, rack["name"])["devices"].add(i)
        mains = self.lose_mains(state, {n.partition("/")[2] for n in names if n.startswith("generator/")}) if "mains" in names else ({}, [])
        end = self.settle(state, self.base)
        throttled, unjudged, odd_switches = set(), set(), set()
        for name, (_, states) in end["look"].items():
            rack, before = self.racks[name], self.base["racks"][name][1]
            for i, d in enumerate(rack["devices"]):
                now, was = states[i][0], before[i][0]
                if d["kind"] == "tray" and now != "dead":
                    now, was = states[-1][0], before[-1][0]
                if now == "runs" or now == was:
                    continue
                if d["kind"] in ("node", "tray"):
                    {"dead": dead_nodes, "throttled": throttled, "unjudged": unjudged}[now].add(d["name"])
                elif d["kind"] == "switch":
                    (dead_switches if now == "dead" else odd_switches).add(d["name"])
                elif d["kind"] == "storage" and now == "dead":
                    dead_storage.add(d["name"])
        limits = mains[1] + self.power_limits(end, bool(mains[0]))
        zones = self.cool(end, units, loops, dead_nodes, throttled, unjudged, dead_switches, dead_storage, limits)
        throttled -= dead_nodes
        unjudged -= dead_nodes | throttled
        networks, cut_off = self.network(dead_switches, end_links, up_links, dead_nodes, dead_storage)
        throttled -= cut_off                                 # a node is lost once
        unjudged -= cut_off
        gpus = lambda hosts: sum(self.groups[self.group_of[h]]["gpus_each"] for h in hosts)
        return {
            "dead": dead_nodes, "throttled": throttled, "unjudged": unjudged, "cut_off": cut_off, "gpus": (gpus(dead_nodes), gpus(throttled), gpus(cut_off)),
            "switches": dead_switches, "odd_switches": odd_switches, "storage": dead_storage, "networks": networks, "limits": limits, "zones": zones, "mains": mains[0],
            "trips": state["trips"], "feeds": {name: end["feeds"].get(name, 0.0) * (f["ups"]["drawn_over_load"] if f.get("ups") else 1) for name, f in self.feeds.items()}, "services": self.services(dead_nodes, dead_storage, networks)}

    def lose_mains(self, state, stopped):
        """What becomes of each feed; the load of a generator is that of the normal state."""
        states, limits, stops = {}, [], set(stopped)
        for name, g in self.generators.items():
            watts = sum(self.base["feeds"].get(f, 0.0) * (d["ups"]["drawn_over_load"] if d.get("ups") else 1) * self.pf for f, d in self.feeds.items() if d.get("generator") == name and f not in self.base["state"]["feeds"])
            if name not in stops and g["rating_w"] is not None and above(watts, g["rating_w"]):
                stops.add(name)
                limits.append(("power-generator-overloaded", "generator", frozenset([f"generator/{name}"]), watts))
        for name, f in self.feeds.items():
            generator, ups = f.get("generator"), f.get("ups")
            if generator is None or generator in stops:
                states[name] = "lost"
            elif not ups or ups["modules"] <= state["ups"][name]:
                states[name] = "restarts"
            elif self.generators[generator]["start_s"] is None or ups.get("runtime_s") is None:
                states[name] = "unjudged"
            else:
                states[name] = "restarts" if above(self.generators[generator]["start_s"], ups["runtime_s"]) else "bridged"
            if states[name] in ("lost", "restarts"):
                state["feeds"].add(name)
        return states, limits

    def power_limits(self, end, mains=False):
        state = end["state"]
        fed = mains or len(state["feeds"] - self.base["state"]["feeds"]) > 0 or any(t[1] in ("feed", "ups") for t in state["trips"])
        rule = "power-feed-loss-overloads-survivor" if any(t[1] in ("feed", "ups") for t in state["trips"]) or fed else "power-branch-over-continuous-rating"
        out = []
        pdus = defaultdict(list)
        for name, (watts, _) in end["look"].items():
            for i, s in enumerate(self.racks[name]["sources"]):
                if s["continuous"] is not None and above(watts.fullest[i] / self.pf, s["continuous"]):
                    pdus[self.racks[name]["group"], i, above(watts[i] / self.pf, s["continuous"])].append((name, watts.fullest[i] / self.pf))
        for (_, i, all_lines), of in pdus.items():
            out.append((rule if all_lines else "power-phase-overloaded-or-unbalanced", "pdu", frozenset(f"pdu/{n}/{chr(97 + i)}" for n, _ in of), max(v for _, v in of)))
        for p, data in self.panels.items():
            va, limit = end["lines"].get(("panel", p), 0.0), data["continuous_va"]
            if p not in state["panels"] and limit is not None and above(va, limit):
                out.append((rule if above(end["panels"].get(p, 0.0), limit) else "power-phase-overloaded-or-unbalanced", "panel", frozenset([f"panel/{p}"]), va))
        for name, f in self.feeds.items():
            if name in state["feeds"]:
                continue
            va, ups = end["feeds"].get(name, 0.0), f.get("ups")
            drawn, all_lines = (va * ups["drawn_over_load"],) * 2 if ups else (end["lines"].get(("feed", name), 0.0), va)
            if f.get("capacity_va") is not None and above(drawn, f["capacity_va"]):
                out.append((rule if above(all_lines, f["capacity_va"]) else "power-phase-overloaded-or-unbalanced", "feed", frozenset([f"feed/{name}"]), drawn))
            if ups:
                left = ups["modules"] - max(ups["spare"], state["ups"][name])
                if ups["module_w"] is not None and above(va * self.pf, ups["module_w"] * left):
                    out.append(("power-ups-over-kw-rating", "ups", frozenset([f"ups/{name}"]), va * self.pf))
                elif ups["module_va"] is not None and above(va, ups["module_va"] * left):
                    out.append(("power-ups-over-kw-rating", "ups", frozenset([f"ups/{name}"]), va))
        return out

    def cool(self, end, units, loops, dead_nodes, throttled, unjudged, dead_switches, dead_storage, limits):
        zones, off, full = {}, set(), {}
        density = (1 - 2.25577e-5 * self.plan["site"]["altitude_m"]) ** 5.2559
        for name, z in self.zones.items():
            left = max(0, z["units"] - units.get(name, 0))
            if (z["feeds"] and all(f in end["state"]["feeds"] for f in z["feeds"])) or name in loops:
                left = 0
            if not end["look"] and left == z["units"]:
                continue
            if not end["whole"] and left == z["units"]:      # all units run: only what the racks that differ add can matter
                heat = self.base_heat[name] + sum((sum(w for _, w in states) - sum(w for _, w in self.base["racks"][r][1])) * self.racks[r]["shares"].get(name, 0) for r, (_, states) in end["look"].items())
                removes = float("inf") if z["unit_removes_w"] is None else z["unit_removes_w"] * left
                moves = float("inf") if z["unit_airflow_m3_s"] is None or z["cdus"] or z["liquid"] else z["unit_airflow_m3_s"] * left
                if not above(heat, removes) and not above(z["airflow_m3_s"] * heat / z["heat_w"] if z["heat_w"] else 0.0, moves):
                    continue
            full = {n: r for n, r in self.base["racks"].items()}
            full.update(end["racks"] or end["look"])
            heat = sum(w for w, _ in self.outside[name])
            idle = sum(w or 0.0 for _, w in self.outside[name])
            known = all(w is not None for _, w in self.outside[name])
            for rack_name, (_, states) in full.items():
                rack = self.racks[rack_name]
                share = rack["shares"].get(name, 0)
                if share <= 0:
                    continue
                heat += sum(w for _, w in states) * share
                for d, (state, _) in zip(rack["devices"], states):
                    if state == "dead" or d["load"] is None:
                        continue
                    if not d["load"]["throttles"]:
                        idle += d["load"]["power_w"] * share
                    elif d["load"]["idle_w"] is not None:
                        idle += d["load"]["idle_w"] * share
                    else:
                        known = False
            removes = 0.0 if left == 0 else (None if z["unit_removes_w"] is None else z["unit_removes_w"] * left)
            slow = stop = unsure = False
            if removes is not None and heat > 0 and above(heat, removes):
                limits.append(("cool-heat-rejection-undersized", "cooling", frozenset([f"zone/{name}"]), heat))
                stop = left == 0 or above(idle, removes)
                slow, unsure = not stop and known, not stop and not known
            rise = 0.0
            need = z["airflow_m3_s"] * heat / z["heat_w"] if z["heat_w"] else 0.0
            if not z["cdus"] and not z["liquid"] and z["unit_airflow_m3_s"] is not None and left > 0 and above(need, z["unit_airflow_m3_s"] * left):
                given = z["unit_airflow_m3_s"] * left
                rise = heat / (RHO_CP * density) * (1 / given - 1 / need)
                limits.append(("cool-airflow-below-demand", "cooling", frozenset([f"zone/{name}"]), need))
            if left < z["units"] or stop or slow or unsure or rise > 0:
                zones[name] = (left, heat, rise)
            if not (stop or slow or unsure or rise > 0):
                continue
            for rack_name, (_, states) in full.items():
                rack = self.racks[rack_name]
                if rack["shares"].get(name, 0) <= 0:
                    continue
                if stop:
                    off.add(rack_name)
                for i, d in enumerate(rack["devices"]):
                    now = states[-1][0] if d["kind"] == "tray" else states[i][0]
                    if now == "dead" or d["kind"] in ("frame", "busbar", "standing", "occupied"):
                        continue
                    node = d["kind"] in ("node", "tray")
                    limit = self.groups[self.group_of[d["name"]]].get("inlet_max_c") if d["kind"] == "node" else None
                    warm = rise > 0 and z["supply_c"] is not None and limit is not None and z["supply_c"] + rise - limit > EPS
                    if stop:
                        {"node": dead_nodes, "tray": dead_nodes, "switch": dead_switches, "storage": dead_storage}[d["kind"]].add(d["name"])
                    elif node and (slow or warm):
                        throttled.add(d["name"])
                    elif node and unsure:
                        unjudged.add(d["name"])
        # What stands in a zone that stops draws nothing any more; what stood in its racks before goes on.
        for rack_name in off:
            rack = self.racks[rack_name]
            now = full[rack_name][0]
            rest = self.rack_state(rack, {**self.out_of(end["state"], rack_name), "devices": {i for i, d in enumerate(rack["devices"]) if d["kind"] not in ("standing", "busbar")}})[0]
            for s, was, still in zip(rack["sources"], now, rest):
                if feed := self.source(s, end["state"])[0]:
                    end["feeds"][feed] = end["feeds"].get(feed, 0.0) - (was - still) / self.pf
        return zones

    # ---- network

    def link(self, rest):
        """'gpu-leaf/compute/u1/r1' -> (far end, network, switch)"""
        for at in [m.start() for m in re.finditer("-", rest)]:
            switch = rest[at + 1:]
            for network, wires in self.fabrics.items():
                if switch in wires.switches:
                    return rest[:at], network, switch
        raise SystemExit(f"no such link: {rest}")

    def network(self, dead_switches, end_links, up_links, dead_nodes, dead_storage):
        out, cut_off = {}, set()
        for network, wires in self.fabrics.items():
            dead = {s for s in dead_switches if s in wires.switches}
            ends = [(s, far) for n, s, far in end_links if n == network]
            ups = [s for n, s in up_links if n == network]
            if not dead and not ends and not ups:
                continue
            lost, bisection, links = wires.without(dead, ends, ups)
            gone, fewer, stores, slowest = set(), 0, 0, 1.0
            for (of, member), ports in lost.items():
                block = wires.blocks[of]
                everything = ports >= block["ports_each"]
                if block["of"] == "storage":
                    if f"storage/{block['name']}/{member + 1}" in dead_storage:
                        continue
                    stores += everything
                    fewer += not everything
                    continue
                host = self.hosts[block["name"]][member]
                if host in dead_nodes:
                    continue
                if everything:
                    gone.add(host)
                else:
                    fewer += 1
                    if self.groups[block["name"]]["computes"] and block["network"] == self.compute:
                        slowest = min(slowest, 1 - ports / block["ports_each"])
            share = 1.0 if wires.data["everything"] or not wires.normal else bisection / wires.normal
            if network == self.compute and len(self.computing) == len(self.computing & (set(dead_nodes) | gone)):
                slowest = 0.0
            elif network == self.compute:
                slowest = min(slowest, wires.ring_share(dead, ups, set(dead_nodes) | gone))
            out[network] = (len(dead), links, gone, stores, fewer, share, slowest if network == self.compute else None)
            if not wires.data["everything"]:
                cut_off |= gone
        return out, cut_off

    def services(self, dead_nodes, dead_storage, networks):
        gone = defaultdict(int)
        for host in dead_nodes:
            gone[self.group_of[host]] += 1
        for network, (_, _, cut, _, _, _, _) in networks.items():
            if "inband" in self.fabrics[network].data["carries"]:
                for host in cut:
                    gone[self.group_of[host]] += 1
        out, roles = set(), {}
        lost = lambda left, of, ha: left <= 0 or (ha == "quorum" and 2 * left <= of)
        for name, g in self.groups.items():
            left = g["count"] - min(g["count"], gone[name])
            for role in g["roles"]:
                if role == "compute":
                    continue
                had = roles.get(role, (0, 0, None))
                roles[role] = (had[0] + left, had[1] + g["count"], g.get("ha"))
        for role, (left, of, ha) in roles.items():
            if left < of:
                out.add((role, left, of, lost(left, of, ha)))
        cut = defaultdict(int)
        for name in dead_storage:
            cut[name.split("/")[1]] += 1
        for network, (_, _, _, stores, _, _, _) in networks.items():
            wires = self.fabrics[network]
            if stores and not wires.data["everything"]:
                for name in {b["name"] for b in wires.blocks if b["of"] == "storage"}:
                    cut[name] = min(self.storage[name]["systems"], cut[name] + stores)
        for name, s in self.storage.items():
            if s["nodes"]:
                of = self.groups[s["nodes"]]["count"]
                left = of - min(of, gone[s["nodes"]])
                if gone[s["nodes"]]:
                    out.add((f"storage/{name}", left, of, s.get("data_on_single_servers", False) or lost(left, of, s.get("ha") or self.groups[s["nodes"]].get("ha"))))
            elif name in cut:
                out.add((f"storage/{name}", s["systems"] - cut[name], s["systems"], s["systems"] - cut[name] <= 0))
        return out

    # ---- what there is to cut

    def components(self):
        out = [f"feed/{f}" for f in self.feeds]
        out += [f"ups/{n}/{i + 1}" for n, f in self.feeds.items() if f.get("ups") for i in range(f["ups"]["modules"])]
        out += ["mains"] if self.generators else []
        out += [f"transfer/{n}" for n, t in self.transfers.items() if not t["each_pdu"]]
        out += [f"panel/{p}" for p in self.panels]
        for name, rack in self.racks.items():
            if rack["frame"]:
                out += [f"shelf/{name}/{i + 1}" for i in range(len(rack["devices"][-1]["cords"]))]
                continue
            out += [f"pdu/{name}/{chr(97 + i)}" for i, s in enumerate(rack["sources"]) if s.get("pdu")]
            for d in rack["devices"]:
                if d["kind"] == "busbar":
                    out += [f"shelf/{name}/{i + 1}" for i in range(len(d["cords"]))]
                    continue
                out += [f"psu/{self.object_of.get(d['name'], d['name'])}/{i + 1}" for i in range(len(d["cords"]))]
        for name, z in self.zones.items():
            out += [f"{'cdu' if z['cdus'] else 'cooling'}/{name}/{i + 1}" for i in range(z["units"])]
            if z["liquid"]:
                out.append(f"loop/{name}")
        for wires in self.fabrics.values():
            out += wires.switches
            out += wires.links()
        out += [self.object_of[h] for n, g in self.groups.items() if not g["computes"] for h in self.hosts[n]]
        out += [f"storage/{n}/{i + 1}" for n, s in self.storage.items() for i in range(s["systems"])]
        return out


class Wires:
    """One fabric as explicit cables: what is on each leaf, and the far end of each uplink (docs/names.md)."""

    def __init__(self, world, data):
        self.data = data
        self.speed = data["uplink_bit_s"] / data["link_bit_s"] if data["link_bit_s"] else 1   # of a link between switches, in end ports
        self.blocks = data["members"]
        tiers = data["tiers"]
        self.tiers = tiers
        net, per_unit = data["network"], data["leaves_per_unit"]
        own, self.own_of = data.get("own_leaves", []), {}       # leaf of its own for some members: its group
        common, rail_pods = data["units"] * per_unit, data.get("pods_of") == "rails"
        for group in own:
            group["first"] = common + sum(g["count"] for g in own[:own.index(group)])
            self.own_of.update({group["first"] + i: group for i in range(group["count"])})
        leaf_at = (lambda unit, rail: rail * data["units"] + unit) if rail_pods else (lambda unit, rail: unit * per_unit + rail)
        unit_of = (lambda i: (i % data["units"], i // data["units"])) if rail_pods else (lambda i: divmod(i, per_unit))
        self.names = []
        for t, tier in enumerate(tiers):
            names = []
            for i in range(tier["count"]):
                if t == 0 and i in self.own_of:
                    group, each = self.own_of[i], self.own_of[i]["leaves_per_unit"]
                    number = i - group["first"]
                    tail = f"{group['name']}/" + (two(number + 1) if each == 1 else f"u{number // each + 1}/{chr(97 + number % each)}")
                elif t == 0 and per_unit == 1:
                    tail = two(i + 1)
                elif t == 0:
                    unit, rail = unit_of(i)
                    tail = "" if tier["tier"] == "switch" else f"u{unit + 1}/"
                    tail += f"r{rail + 1}" if data["rail_optimised"] else chr(97 + rail)
                elif t == 1:
                    tail = f"pod{i // data['spines_per_pod'] + 1}/{two(i % data['spines_per_pod'] + 1)}" if len(tiers) > 2 else two(i + 1)
                else:
                    tail = f"p{i // data['cores_per_group'] + 1}/{two(i % data['cores_per_group'] + 1)}"
                names.append(f"{tier['tier']}/{net}/{tail}")
            self.names.append(names)
        self.switches = {n: (t, i) for t, names in enumerate(self.names) for i, n in enumerate(names)}
        leaves, down = tiers[0]["count"], tiers[0]["down"]
        self.world, self.ring_normal, self.all_rings, self.all_links = world, None, None, None
        self.on_leaf = [[] for _ in range(leaves)]            # (block, member), once a port
        self.port_on_leaf = [[] for _ in range(leaves)]       # which port of the member
        for b, block in enumerate(self.blocks):
            for m in range(block["members"]):
                for k in range(block["ports_each"]):
                    if "own_leaves" in block:
                        group = next(g for g in own if g["name"] == block["own_leaves"])
                        each = group["leaves_per_unit"]
                        slot = block["first_slot"] + m * block["slots_each"] + k // each
                        leaf = group["first"] + slot // group["down"] * each + k % each
                        self.on_leaf[leaf].append((b, m))
                        self.port_on_leaf[leaf].append(k)
                        continue
                    if block["from_last"] and data.get("single_ports_beside"):
                        leaf = leaf_at(data["units"] - 1, (block["first_slot"] + m * block["ports_each"] + k) % per_unit)
                        self.on_leaf[leaf].append((b, m))
                        self.port_on_leaf[leaf].append(k)
                        continue
                    if block["from_last"]:
                        x = block["first_slot"] + m * block["ports_each"] + k
                        slot, rail = data["units"] * down - 1 - x // per_unit, x % per_unit
                    else:
                        slot, rail = block["first_slot"] + m * block["slots_each"] + k // per_unit, k % per_unit
                    if 0 <= slot < data["units"] * down:
                        leaf = leaf_at(slot // down, rail)
                        if leaf < leaves:
                            self.on_leaf[leaf].append((b, m))
                            self.port_on_leaf[leaf].append(k)
        self.up, self.below = [[], []], [defaultdict(set), defaultdict(set)]   # far ends of each uplink; who is below
        if len(tiers) > 1:
            pod_leaves = data["leaves_per_pod"] if len(tiers) > 2 else leaves
            for i in range(leaves):
                pod = i // pod_leaves
                kind = self.own_of.get(i, data)
                self.up[0].append([(pod * data["spines_per_pod"] if len(tiers) > 2 else 0) + k // kind["links_per_leaf_spine_pair"] for k in range(self.own_of.get(i, tiers[0])["up"])])
        if len(tiers) > 2:
            for s in range(tiers[1]["count"]):
                group = s % data["spines_per_pod"] // data["spines_per_group"]
                self.up[1].append([group * data["cores_per_group"] + k // data["links_per_spine_core_pair"] for k in range(tiers[1]["up"])])
        for t in (0, 1):
            for i, far in enumerate(self.up[t]):
                for f in far:
                    self.below[t][f].add(i)
        self.pod_of = lambda leaf: leaf // data["leaves_per_pod"] if len(tiers) > 2 else 0
        self.pod_leaves = defaultdict(list)
        for i in range(leaves):
            self.pod_leaves[self.pod_of(i)].append(i)
        self.leaf_send = [self.send(i, set(), 0, 0) for i in range(leaves)]
        self.pod_leaf_sum = {p: sum(self.leaf_send[i] for i in ls) for p, ls in self.pod_leaves.items()}
        self.spine_links = [len(far) for far in self.up[1]]
        self.normal = sum(self.pod_carries(p, self.pod_leaf_sum[p], self.pod_links(p, set(), set(), [])) for p in self.pod_leaves) / 2

    def send(self, leaf, dead_spines, cut_up, cut_ends):
        """Ports' worth that a leaf can send up, and whether it is joined to anything."""
        ends = len(self.on_leaf[leaf]) - cut_ends
        if len(self.tiers) == 1:
            return ends
        return min(ends, self.uplinks(leaf, dead_spines, cut_up) * self.speed)

    def uplinks(self, leaf, dead_spines, cut_up):
        far = self.up[0][leaf]
        if cut_up:
            far = far[cut_up:]                                # those that are cut are the first
        return sum(1 for s in far if s not in dead_spines)

    def pod_links(self, pod, dead_spines, dead_cores, cut):
        if len(self.tiers) < 3:
            return None
        n = self.data["spines_per_pod"]
        if not dead_spines and not dead_cores and not cut:
            return sum(self.spine_links[pod * n:(pod + 1) * n])
        total = 0
        for s in range(pod * n, (pod + 1) * n):
            if s in dead_spines:
                continue
            far = self.up[1][s][cut[s]:] if s in cut else self.up[1][s]
            total += sum(1 for c in far if c not in dead_cores) if dead_cores else len(far)
        return total

    def pod_carries(self, _, leaves, links):
        return leaves if links is None else min(leaves, links * self.speed)

    def without(self, dead, end_links, up_links):
        places = [self.switches[d] for d in dead]
        leaves = {i for t, i in places if t == 0}
        spines = {i for t, i in places if t == 1}
        cores = {i for t, i in places if t == 2}
        cut_up = Counter(self.switches[s][1] for s in up_links if self.switches[s][0] == 0)
        cut_core = Counter(self.switches[s][1] for s in up_links if self.switches[s][0] == 1)
        cut_ends = defaultdict(list)
        for switch, far in end_links:
            leaf = self.switches[switch][1]
            there = [e for e in self.on_leaf[leaf] if self.blocks[e[0]]["name"] == far]
            cut_ends[leaf].append(there[sum(self.blocks[e[0]]["name"] == far for e in cut_ends[leaf])])
        touched = set(leaves) | set(cut_up) | set(cut_ends)
        for s in spines:
            touched |= self.below[0][s]
        lost = defaultdict(int)
        sums = {}
        nowhere = set(leaves)
        for leaf in touched:
            pod = self.pod_of(leaf)
            now = 0 if leaf in leaves else self.send(leaf, spines, cut_up[leaf], len(cut_ends.get(leaf, [])))
            if leaf not in leaves and len(self.tiers) > 1 and self.tiers[0]["count"] > 1 and self.uplinks(leaf, spines, cut_up[leaf]) == 0:
                nowhere.add(leaf)
            sums[pod] = sums.get(pod, self.pod_leaf_sum[pod]) + now - self.leaf_send[leaf]
        pods = set(sums)
        if len(self.tiers) > 2:
            for c in cores:
                pods |= {s // self.data["spines_per_pod"] for s in self.below[1][c]}
            pods |= {s // self.data["spines_per_pod"] for s in spines | set(cut_core)}
        bisection = self.normal
        for p in pods:
            links = self.pod_links(p, spines, cores, cut_core)
            bisection += (self.pod_carries(p, sums.get(p, self.pod_leaf_sum.get(p, 0)), links) - self.pod_carries(p, self.pod_leaf_sum.get(p, 0), self.pod_links(p, set(), set(), []))) / 2
            if links == 0 and len(self.pod_leaves) > 1:
                nowhere |= set(self.pod_leaves[p])
        for leaf in nowhere:
            for e in self.on_leaf[leaf]:
                lost[e] += 1
        for leaf, entries in cut_ends.items():
            if leaf not in nowhere:
                for e in entries:
                    lost[e] += 1
        # Cables that are out: cut, or with a switch that is out at either end; each counted once.
        out = {("end", leaf, n) for leaf in leaves for n in range(len(self.on_leaf[leaf]))}
        out |= {("end", leaf, n) for leaf, cut in cut_ends.items() for n in range(len(cut))}
        for tier, low, high, cut in ((0, leaves, spines, cut_up), (1, spines, cores, cut_core)):
            if len(self.tiers) < tier + 2:
                continue
            out |= {(tier, s, k) for s in low for k in range(len(self.up[tier][s]))}
            out |= {(tier, s, k) for far in high for s in self.below[tier][far] for k, f in enumerate(self.up[tier][s]) if f == far}
            out |= {(tier, s, k) for s, n in cut.items() for k in range(n)}
        return lost, bisection, len(out)

    def rings(self):
        """Of each node that takes part its (leaf, ring); how many members a ring has in each leaf and pod; in how many leaves, and pods, it is."""
        of_host, members, areas = defaultdict(list), defaultdict(lambda: defaultdict(int)), defaultdict(int)
        for leaf, entries in enumerate(self.on_leaf):
            for (b, member), port in zip(entries, self.port_on_leaf[leaf]):
                block = self.blocks[b]
                if block["of"] != "nodes" or block["network"] != self.world.compute or not self.world.groups[block["name"]]["computes"]:
                    continue
                ring = member % self.world.groups[block["name"]].get("nvlink_domain_nodes", 1), port
                of_host[self.world.hosts[block["name"]][member]].append((leaf, ring))
                for area in (("leaf", leaf), ("pod", self.pod_of(leaf))):
                    members[area][ring] += 1
                    areas[area[0], ring] += members[area][ring] == 1
        out = {area: sum(1 for r in those if areas[area[0], r] > 1) for area, those in members.items()}
        return of_host, members, areas, out

    def area(self, tier, lower):
        return ("leaf", lower) if tier == 0 else ("pod", lower // self.data["spines_per_pod"])

    def links_up(self, dead, cut):
        """How many living links lead up from each leaf, and from each pod. Of a switch that is cut the first is."""
        if self.all_links is None:
            self.all_links = defaultdict(int)
            for tier in (0, 1):
                for lower, far in enumerate(self.up[tier]):
                    self.all_links[self.area(tier, lower)] += len(far)
            self.place = {name: (tier, number) for tier in range(len(self.tiers)) for number, name in enumerate(self.names[tier])}
        links, gone = dict(self.all_links), {self.place[name] for name in dead if name in self.place}
        lost = {(t, n, k) for t, n in gone if t < 2 and n < len(self.up[t]) for k in range(len(self.up[t][n]))}
        lost |= {(t - 1, lower, k) for t, n in gone if t > 0 for lower in self.below[t - 1][n] for k, upper in enumerate(self.up[t - 1][lower]) if upper == n}
        lost |= {(*self.place[name], k) for name, n in Counter(cut).items() for k in range(n) if name in self.place and self.place[name][0] < 2 and self.up[self.place[name][0]]}
        for tier, lower, _ in lost:
            links[self.area(tier, lower)] -= 1
        return links

    def ring_pace(self, dead, cut, nowhere, absent):
        """Rings over all nodes that take part, one for each port of a node (of an NVLink domain): those that have members in and outside of a leaf,
        or a pod, cross its border once each way, and share the links that lead up from it. Each link is looked at for itself."""
        if self.all_rings is None:
            self.all_rings = self.rings()
        of_host, members, areas, crossing = self.all_rings
        away = defaultdict(int)                              # members that are out, by area and ring
        for host in absent:
            for leaf, ring in of_host.get(host, ()):
                away["leaf", leaf, ring] += 1
                away["pod", self.pod_of(leaf), ring] += 1
        gone = {(kind, number, ring) for (kind, number, ring), n in away.items() if n == members[kind, number][ring]}
        left = dict(areas)
        for kind, number, ring in gone:
            left[kind, ring] -= 1
        fewer = {key for key in left if left[key] != areas[key]} if gone else set()
        links = self.links_up(dead, cut)
        pace = 1.0
        for (kind, number), rings in members.items():
            if len(self.tiers) < (2 if kind == "leaf" else 3) or (kind == "leaf" and number in nowhere):
                continue
            out = crossing[kind, number]
            if fewer:
                out = sum(1 for r in rings if (kind, number, r) not in gone and left[kind, r] > 1)
            if out and links.get((kind, number)):
                pace = min(pace, links[kind, number] * self.speed / out)
        return pace

    def ring_share(self, dead, cut, absent):
        if len(self.tiers) < 2:
            return 1.0
        nowhere = {i for i, name in enumerate(self.names[0]) if name in dead}
        if not (any(self.switches[d][0] > 0 for d in dead) or cut):
            return 1.0                                       # no living leaf or pod has less
        if self.ring_normal is None:
            self.ring_normal = self.ring_pace(set(), set(), set(), set())
        return min(1.0, self.ring_pace(dead, cut, nowhere, absent) / self.ring_normal)

    def links(self):
        out = []
        for leaf, entries in enumerate(self.on_leaf):
            for b, _ in entries:
                out.append(f"link/{self.blocks[b]['name']}-{self.names[0][leaf]}")
        for t in range(len(self.tiers) - 1):
            for i in range(self.tiers[t]["count"]):
                out += [f"link/{self.tiers[t + 1]['tier']}-{self.names[t][i]}"] * len(self.up[t][i])
        return out


# ---- comparison -----------------------------------------------------------------------------------------------------------

def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(abs(a), abs(b)) + 1e-6


def differences(mine, state, exact):
    """What differs between the recomputation and the program's state; `exact`: names and loads are those of this very failure."""
    out = []

    def same(what, a, b):
        if a != b:
            out.append(f"{what}: recomputed {a}, clusterc {b}")

    nodes, gpus = state["nodes"], state["gpus"]
    same("nodes dead", len(mine["dead"]), nodes["dead_count"])
    same("nodes throttled", len(mine["throttled"]), nodes["throttled_count"])
    same("nodes unjudged", len(mine["unjudged"]), nodes["unjudged_count"])
    same("nodes cut off", len(mine["cut_off"]), nodes["cut_off_count"])
    same("gpus", mine["gpus"], (gpus["dead"], gpus["throttled"], gpus["cut_off"]))
    switches = {n for p in state["switches_dead"] for n in expand(p)}
    same("switches dead", len(mine["switches"]), len(switches))
    same("switches unjudged", len(mine["odd_switches"]), sum(len(expand(p)) for p in state["switches_unjudged"]))
    same("storage dead", len(mine["storage"]), sum(len(expand(p)) for p in state["storage_dead"]))
    same("services", mine["services"], {(s["name"], s["left"], s["of"], s["lost"]) for s in state["services"]})
    theirs = {n["network"]: n for n in state["networks"]}
    same("networks", set(mine["networks"]), set(theirs))
    for name, (dead, links, gone, stores, fewer, share, reduce) in mine["networks"].items():
        n = theirs.get(name)
        if not n:
            continue
        same(f"{name}: switches, links, cut off, storage, fewer", (dead, links, len(gone), stores, fewer), (n["switches_dead"], n["links_dead"], n["cut_off_count"], n["cut_off_storage"], n["degraded"]))
        if not near(share, n["bisection_share"], 1e-9):
            out.append(f"{name}: bisection {share}, clusterc {n['bisection_share']}")
        if (reduce is None) != (n["all_reduce_share"] is None) or (reduce is not None and not near(reduce, n["all_reduce_share"], 1e-9)):
            out.append(f"{name}: all-reduce {reduce}, clusterc {n['all_reduce_share']}")
        if exact:
            same(f"{name}: who is cut off", gone, set(expand(n["cut_off"])))
    tolerance = 1e-9 if exact else 1e-3
    for what, key in (("trips", "round"), ("limits", "rule")):
        a = sorted((t[0], t[1], len(t[2]), t[3], sorted(t[2])) for t in mine[what])
        b = sorted((t[key], t["kind"], sum(len(expand(o)) for o in t["objects"]), t["load"], sorted(n for o in t["objects"] for n in expand(o))) for t in state[what])
        if [x[:3] for x in a] != [x[:3] for x in b] or any(not near(x[3], y[3], tolerance) for x, y in zip(a, b)) or (exact and [x[4] for x in a] != [x[4] for x in b]):
            out.append(f"{what}: recomputed {a}, clusterc {b}")
    same("mains", mine["mains"], {m["feed"]: m["state"] for m in state.get("mains", [])})
    zones = {z["zone"]: z for z in state["zones"]}
    same("zones", set(mine["zones"]), set(zones))
    for name, (left, heat, rise) in mine["zones"].items():
        z = zones.get(name)
        if z and (left != z["units_left"] or not near(heat, z["heat_w"], tolerance) or not near(rise, z["inlet_rise_k"], tolerance)):
            out.append(f"zone {name}: recomputed {left, heat, rise}, clusterc {z}")
    if exact:
        same("dead", mine["dead"], set(expand(nodes["dead"])))
        same("throttled", mine["throttled"], set(expand(nodes["throttled"])))
        same("switches", mine["switches"], switches)
        for feed, va in mine["feeds"].items():
            if not near(va, state["feeds_va"][feed], 1e-9):
                out.append(f"feed {feed}: recomputed {va} VA, clusterc {state['feeds_va'][feed]}")
    return out


def clusterc(program, *arguments):
    done = subprocess.run([program, *arguments, "--today", "2026-11-21"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"clusterc {' '.join(arguments)}: {done.returncode}\n{done.stderr.decode()}")
    return json.loads(done.stdout)


def main():
    program, spec = sys.argv[1:3]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    world = World(clusterc(program, "plan", spec, "--format", "json"))
    each = clusterc(program, "plan", spec, "--format", "json", "--what-if", "each")
    bad = 0

    def report(name, found):
        nonlocal bad
        if found:
            bad += 1
            if bad <= 20:
                print(f"{name}:")
                for f in found:
                    print("   " + f[:2000])

    # Each component once, and no other.
    mine = world.components()
    wanted = defaultdict(int)
    for name in mine:
        wanted[name] += 1
    row_of, counted = {}, 0
    for row in each["single_failures"]:
        counted += row["count"]
        for pattern in row["components"]:
            for name in expand(pattern):
                row_of.setdefault(name, []).append(row)
    if counted != len(mine):
        report("count", [f"recomputed {len(mine)} components, clusterc {counted}"])
    if set(row_of) != set(wanted):
        report("components", [f"only recomputed: {sorted(set(wanted) - set(row_of))[:5]}, only clusterc: {sorted(set(row_of) - set(wanted))[:5]}"])
    tried = 0
    for name, rows in row_of.items():
        if name not in wanted:
            continue
        if len(rows) > 1:
            report(name, [f"stands in {len(rows)} rows"])
        result = world.cut([name])
        example = rows[0]["example"]
        exact = name == example or (name.rsplit("/", 1)[0] == example and name.split("/")[0] in ("ups", "cooling", "cdu"))
        report(name, differences(result, rows[0]["state"], exact or rows[0]["count"] == 1))
        tried += wanted[name]
    # Combinations of two, taken by a fixed rule from all over the list.
    names = sorted(wanted)
    step = 7919                                              # a prime: it meets every kind
    for i in range(pairs):
        two_names = [names[(i * step) % len(names)], names[(i * step * 3 + len(names) // 2) % len(names)]]
        if two_names[0] == two_names[1] and two_names[0].split("/")[0] not in ("ups", "cooling", "cdu"):
            continue                                         # one thing fails once; of units there may be two
        words = [n.replace("/", ":", 1) for n in two_names]
        state = clusterc(program, "plan", spec, "--format", "json", "--what-if", ",".join(words))["state"]
        report(" + ".join(two_names), differences(world.cut(two_names), state, True))
    # Links that are alike, two and three of them, alone and beside a switch above them.
    links = [n for n in names if n.startswith("link/") and wanted[n] > 2]
    above = [n for n in names if n.startswith(("spine/", "core/"))]
    for i in range(min(pairs, len(links))):
        link = links[i * step % len(links)]
        for many in ([link] * 2, [link] * 3 + above[i * step % len(above):][:1] if above else [link] * 3):
            state = clusterc(program, "plan", spec, "--format", "json", "--what-if", ",".join(n.replace("/", ":", 1) for n in many))["state"]
            report(" + ".join(many), differences(world.cut(many), state, True))
    print(f"{spec}: {tried} components in {len(each['single_failures'])} rows, {pairs} pairs, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
