"""Heat, air and coolant."""
import collections

from oracle_power import asked_beyond_units, pdu_places, power_sums
from verdict import Verdict, judge, wrong
from world import count_of, number


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
                need_low += g.air()[0] / density * g.count
                need_high += g.air()[1] / density * g.count
                stated += g.power()[0] * g.count
        zone[2] += need_low + air(max(0.0, low - stated)) * 0.9
        zone[3] += need_high + air(max(0.0, high - stated)) * 1.1
    for spec in w.data.get("assemblies", {}).values():
        part, n = w.part(spec.get("model")), count_of(spec)
        watts, share = (part.get("power") or 0) * n, part.get("liquid_share") or 0
        cooling = spec.get("cooling", {})
        for zone, heat in ((found[cooling.get("liquid")], watts * share), (found[cooling.get("air")], watts * (1 - share))):
            zone[0] += heat
            zone[1] += heat
        found[cooling.get("air")][2] += air(watts * (1 - share)) * 0.9
        found[cooling.get("air")][3] += air(watts * (1 - share)) * 1.1
    return found


METHOD_LIMIT = {"room-air": (15e3, 15e3), "contained-air": (58e3, 30e3), "in-row": (58e3, 58e3), "rear-door": (70e3, 70e3)}   # rules.md, COOL-002


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
            doors = zone.get("method") == "rear-door"
            if heat and high and not (doors and running == number(zone.get("units", 1))):
                yield from judge("heat", low, high, running * heat, here, f"heat of zone '{name}'")
            if doors:
                mine = [(rack, spec) for rack, spec in w.racks.items() if spec.get("cooling") == name and rack in sums and not spec.get("liquid")]
                if "units" in zone and number(zone["units"]) < sum(count_of(spec) for _, spec in mine):
                    yield from wrong("rear-door", here, f"fewer doors than racks in '{name}'")
                for rack, _ in mine:
                    if heat and asked_beyond_units(w, rack):
                        yield Verdict("rear-door", "undecided", here + pdu_places(w, rack), f"what stands in a rack of '{rack}' of what is asked for")
                    elif heat:
                        yield from judge("rear-door", sums[rack][0], sums[rack][1], heat, here + pdu_places(w, rack), f"a rack of '{rack}' behind a door")
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
