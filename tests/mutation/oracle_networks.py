"""Ports, rates, kinds, tiers, addresses, RoCE, BGP, cables."""
import collections
import math

from oracle_cables import plugs
from oracle_nodes import group_places
from oracle_power import switch_counts
from verdict import EPS, Verdict, judge, wrong
from world import number


def net_places(name, who=()):
    return [("networks", name), *[("networks", name, k) for k in ("switch", "rate", "kind", "subnet", "vlan", "mtu", "topology", "oversubscription", "rails", "breakout", "connects", "asn", "roce", "media", "racks", "bond", "planes", "uplink_rate", "spines", "links_per_spine")],
            *[("networks", name, "roce", k) for k in ("priority", "dscp", "pfc", "ecn", "headroom")], *[("networks", name, "connects", x) for x in who],
            *[("networks", name, "connects", x, k) for x in who for k in ("ports", "count")]]


def spines(net, part, radix, everything, here):
    """A leaf has a port for each link to each spine, beside one for a node at least; how many spines there can be beyond that is the planner's."""
    asked = [int(number(net.get(key, 1)) or 1) for key in ("spines", "links_per_spine")]
    if "spines" not in net and "links_per_spine" not in net:
        return
    if "shares_switches_with" in net or part.get("uplinks") or everything or net.get("topology") == "single":
        yield Verdict("spines", "undecided", here, "switches that are another's, of management, or one alone")
        return
    yield from judge("spines", asked[0] * asked[1] + 1, math.inf, radix, here, "ports of a leaf")


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
            asked_ways = int(number(net.get("breakout", 1)) or 1)
            split_too_far = bool(asked_ways > 1 and part.get("port_rate") and rate and asked_ways * rate > part["port_rate"] * (1 + EPS))
            if split_too_far:
                yield from wrong("breakout", here, f"{asked_ways} links of {rate} on a port of {part['port_rate']}")
            if part.get("port_rate") and rate and rate > part["port_rate"] * (1 + EPS):
                yield from wrong("link-rate", here, f"{rate} on switch ports of {part['port_rate']}")
                yield Verdict("switch-ports", "undecided", here, "ports that are too slow")
                yield Verdict("reach", "undecided", here, "plugs of ports that are too slow")
                continue
            if part.get("port_rate") and rate and part["port_rate"] / rate % 1 > 1e-6 and rate < part["port_rate"]:
                yield Verdict("link-rate", "undecided", here, "a rate that does not divide the port's")
            if part.get("link") and net.get("kind") and part["link"] != net["kind"] and net["kind"] in ("infiniband", "ethernet"):
                yield from wrong("link-kind", here, f"{net['kind']} on a switch for {part['link']}")
            between = number(net.get("uplink_rate", ""))
            if between and rate and "shares_switches_with" not in net:
                if between < rate * (1 - EPS) or part.get("port_rate") and between > part["port_rate"] * (1 + EPS):
                    yield from wrong("uplink-rate", here, f"{between} between switches, {rate} of nodes, ports of {part.get('port_rate')}")
            planes, bond = int(number(net.get("planes", 1)) or 1), int(number(net.get("bond", 1)) or 1)
            for who, how in net["connects"].items() if bond > 1 and isinstance(net.get("connects"), dict) else ():
                # A member with fewer ports than the bond has links stays single, where others have enough.
                if isinstance(how, str) and how.isdigit() and int(how) % bond and (int(how) > bond or max((p for _, _, p, _ in ends), default=0) < bond):
                    yield from wrong("whole-bonds", here + [("networks", name, "connects", who)], f"{how} ports of '{who}' in bonds of {bond}")
            ways = int(part["port_rate"] / rate + 1e-9) if part.get("port_rate") and rate else 1
            ways = min(ways, int(number(net["breakout"]))) if "breakout" in net else ways
            ways = max(1, min(ways, int(part.get("breakout") or 1)))
            radix = part["ports"] * ways
            if "breakout" in net and not part.get("breakout"):
                radix = part["ports"] * int(number(net["breakout"]))
            # Switches whose height is not known, and ports that cannot be split so, get no place, and no cables are sought for them.
            placeless = not w.cloud and not part.get("units")
            if placeless:
                yield Verdict("rack-units", "undecided", here, "a switch of unknown height")
            if placeless or split_too_far:
                yield Verdict("reach", "undecided", here, "a network without places or ports")
            elif "shares_switches_with" not in net:
                yield from plugs(w, name, net, part, radix // part["ports"], ends, here)
            total = w.managed() if everything else sum(m * p for _, m, p, _ in ends)
            built = w.managed() if everything else sum(max(m, int(number(net.get("built_for", {}).get(who, 0)) or 0)) * p for who, m, p, _ in ends)
            per_plane = math.ceil(total / planes)
            for who, n in net.get("built_for", {}).items():
                if who in w.groups and int(number(n) or 0) < w.groups[who].count:
                    yield from wrong("built-for", here + [("networks", name, "built_for"), ("networks", name, "built_for", who), ("nodes", who, "names"), ("nodes", who)], f"built for {n} of {w.groups[who].count}")
            yield from spines(net, part, radix, everything, here)
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
        yield from wrong("reach", here, f"no {media} of {rate} bit/s")
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
                    yield from wrong("reach", here, f"at least {way:.1f} m, {media} reach {longest:g} m")
                    return
    yield Verdict("reach", "undecided", here, f"longest {longest:g} m")


def all_cables(w):
    for name, path in w.catalogue.files.items():
        if "/cables/" in path:
            yield w.part(name)
