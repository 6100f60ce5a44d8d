"""Which plugs go into which cages: whether the catalogue has anything that joins the adapters of a network with its switches, at its rate.

A cage has a connector and carries some links. Three things join two cages: a straight cable with all links of both; a splitter, with a tail for each link of its head; a module in each, of one
optic, with fibre between. Modules fit however the cages hang together, so where one optic has a module for every cage of the network, its links can be built as far as it reaches.
Sources: NVIDIA LinkX, overview of the 100G-PAM4 product line (which plug a cage supports), and the catalogue's own figures of plugs, rates and ports.
"""
import collections

from verdict import Verdict, wrong
from world import number

Cage = collections.namedtuple("Cage", "connector links")
QSFP = ["qsfp28", "qsfp56", "qsfp112"]          # a faster cage takes a slower plug


def takes(cage, plug):
    return cage == plug or cage in QSFP and plug in QSFP[:QSFP.index(cage)]


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))


def member_cage(w, net, who):
    """(the cage of a member's ports, the rate of one), None where it is not known."""
    how = net["connects"][who]
    if who in w.groups:
        group = w.groups[who]
        sets = group.facts.get("ports") or {}
        chosen = how.get("ports") if isinstance(how, dict) else None
        if chosen is None:
            chosen = next(iter(sets or group.nics), None) if len(sets or group.nics) == 1 else None
        nics = sets.get(chosen, {}).get("nics", chosen)
        adapter = w.part(group.nics.get(nics, (0, None))[1])
        connector = adapter.get("connector")
        cages = sets.get(chosen, {}).get("cages")
        return (Cage(connector, max(collections.Counter(cages).values()) if cages else 1) if connector else None), adapter.get("port_rate")
    return None, None                                  # storage: which of its adapters takes part is the planner's


def fits(module, cage, rate):
    """A module of this cage whose ports carry the cage's links, as they are, several ports to a link, or split."""
    if not module.get("module") or not takes(cage.connector, module.get("connector")) or not module.get("rate"):
        return False
    ports = module.get("ports") or 1
    each = module["rate"] / ports
    if close(each, rate):
        return ports == cage.links
    if each < rate:
        return close(rate / each % 1, 0) and ports == cage.links * round(rate / each)
    return any(close(s, rate) for s in module.get("slower") or []) and (ports == cage.links or ports * round(each / rate) == cage.links)


def split(module, rate):
    """Ways into which one port of the module is split at that rate."""
    return max(1, round(module["rate"] / (module.get("ports") or 1) / rate))


def all_legs(module, cage, rate):
    """Every leg of its split ports carries a link: such a module is the head of split fibre, which has one."""
    return split(module, rate) > 1 and cage.links > (module.get("ports") or 1)


def fibre_between(cables, one, two, rate):
    """Split fibre has as many tails as the port that is split into most."""
    tails = max(split(one, rate), split(two, rate))
    return any(not c.get("module") and not c.get("rate") and c.get("medium") == one["medium"] and (c.get("ends") or 1) == tails and
               sorted((c.get("connector"), c.get("far_connector") or c.get("connector"))) == sorted((one.get("fibre"), two.get("fibre"))) for c in cables)


def joins(cables, a, b, rate):
    """Anything at all that joins two such cages."""
    for c in cables:
        if c.get("module") or not c.get("rate"):
            continue
        near, far, ends = c.get("connector"), c.get("far_connector") or c.get("connector"), c.get("ends") or 1
        if ends == 1 and a.links == b.links and close(c["rate"], rate * a.links) and (takes(a.connector, near) and takes(b.connector, far) or takes(b.connector, near) and takes(a.connector, far)):
            return True
        for head, tail in ((a, b), (b, a)):
            if ends > 1 and head.links == ends and tail.links == 1 and close(c["rate"], rate * ends) and takes(head.connector, near) and takes(tail.connector, far):
                return True
    ones, twos = ([m for m in cables if fits(m, cage, rate)] for cage in (a, b))
    return any(m.get("optic") == n.get("optic") and fibre_between(cables, m, n, rate) and not (all_legs(m, a, rate) and all_legs(n, b, rate)) for m in ones for n in twos)


def straight(cables, a, b, rate):
    """Both ends split their ports alike: straight fibre from port to port joins them, where all links of one cage go to one other, which is the planner's choice."""
    ones, twos = ([m for m in cables if fits(m, cage, rate) and split(m, rate) > 1] for cage in (a, b))
    return any(m.get("optic") == n.get("optic") and split(m, rate) == split(n, rate) and all_legs(m, a, rate) == all_legs(n, b, rate) and
               any(not c.get("module") and not c.get("rate") and c.get("medium") == m["medium"] and (c.get("ends") or 1) == 1 and c.get("connector") == m.get("fibre") == n.get("fibre") for c in cables)
               for m in ones for n in twos)


def one_optic(cables, cages, rate):
    """An optic that has a module for every one of these cages, and fibre between any two."""
    for optic in {m.get("optic") for m in cables if m.get("module")}:
        chosen = [[m for m in cables if m.get("optic") == optic and fits(m, cage, rate)] for cage in cages]
        if all(chosen) and all(any(fibre_between(cables, m, n, rate) and not (all_legs(m, a, rate) and all_legs(n, b, rate)) for m in one for n in two)
                               for one, a in zip(chosen, cages) for two, b in zip(chosen, cages)):
            return True
    return False


def plugs(w, name, net, part, ways, ends, here):
    """`ways`: links of one switch port."""
    traffic = net.get("carries") or [name]
    traffic = [traffic] if isinstance(traffic, str) else traffic
    media = net.get("media")
    media = [media] if isinstance(media, str) else media
    rate, kind = number(net.get("rate", "")), net.get("kind")
    # Networks of administration are wired with whatever fits, unless they say with what.
    if w.cloud or not rate or not part.get("ports") or not (media or {"compute", "storage"} & set(traffic)):
        return
    cables = [w.part(n) for n, path in w.catalogue.files.items() if "/cables/" in path] + [p for p in w.own.values() if p.get("part") == "cable"]
    cables = [c for c in cables if (not media or c.get("medium") in media) and (not c.get("links") or not kind or kind in c["links"])]
    switch = Cage(part.get("connector"), ways * int(part.get("ports_per_cage") or 1))
    members = [(who, *member_cage(w, net, who)) for who, many, _, _ in ends if many and not (who in w.groups and w.groups[who].virtual)]
    guests = [g for g, other in w.networks.items() if other.get("shares_switches_with") == name and not isinstance(other.get("connects"), dict)]
    for guest in guests:                         # management ports are copper (RJ-45) wherever they are plugged in
        members.append((guest, Cage("rj45", 1), number(w.networks[guest].get("rate", ""))))
        here = here + [("networks", guest), ("networks", guest, "shares_switches_with")]
    if not switch.connector or "planes" in net or "tiers" in net or "uplink_rate" in net or any(cage is None for _, cage, _ in members):
        yield Verdict("reach", "undecided", here, "a cage that is not known, or ports that are split")
        return
    for who, cage, at in members:
        if at and at < rate and who in w.groups:
            yield Verdict("reach", "undecided", here, "an adapter that slows its port down")
            return
        if not joins(cables, cage, switch, min(rate, at or rate)) and straight(cables, cage, switch, min(rate, at or rate)):
            yield Verdict("reach", "undecided", here, "ports split alike, which are joined where cages hang in pairs")
            return
        if not joins(cables, cage, switch, min(rate, at or rate)):
            yield from wrong("reach", here + [("nodes", who, k) for k in ("nics", "server", "model")] + [("nodes", who, "nics", n) for n in (w.groups[who].nics if who in w.groups else ())],
                             f"nothing joins {cage} to {switch} at {min(rate, at or rate) / 1e9:g} Gb/s")
            return
    # More ports than one switch (or one for each link of a bond) has: leaves and spines, whose cages meet their like.
    many = sum(m * p for _, m, p, _ in ends) > part["ports"] * ways * int(number(net.get("bond", 1)) or 1)
    if not joins(cables, switch, switch, rate):
        if many and not straight(cables, switch, switch, rate):
            yield from wrong("reach", here, f"nothing joins {switch} to its like at {rate / 1e9:g} Gb/s")
        else:
            yield Verdict("reach", "undecided", here, "spines, where it has any")
        return
    if any(at and at < rate for _, _, at in members) or not one_optic(cables, [switch] + [cage for _, cage, _ in members], rate):
        yield Verdict("reach", "undecided", here, "cables and splitters alone, which the ports have to suit")
