"""Units, depth, weight, floor and doors."""
import collections
import math

from oracle_power import node_places, rack_sums
from verdict import Verdict, judge, wrong
from world import names, number


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
                elif g.racks == name and g.get("depth") and spec.get("pdus") and (part.get("width") or 1) < 0.8:
                    # In a cabinet of 600 mm vertical PDUs stand behind the devices: 40 to 60 mm deep (general knowledge, not read in a document).
                    yield from judge("rack-depth", g.get("depth") + 0.04, g.get("depth") + 0.06, part["mounting_depth"], here, f"depth of '{g.name}' in racks '{name}'")
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
                # A rating of a floor is of a load spread over the room: half of the aisle before and behind counts, 1 m and 0.6 m (ANSI/TIA-942).
                area = part["width"] * (part["depth"] + (number(w.site.get("aisle", "")) or 1) / 2 + 0.3)
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
