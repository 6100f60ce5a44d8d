#!/usr/bin/env python3
"""The planned InfiniBand fabric as ibsim reads it, and what OpenSM made of it.

usage: opensm.py net PLAN_DIR NETWORK [INVENTORY] > NET     the network of cables.csv in the format of ibnetdiscover, a record a device;
                                                 with an inventory: each device and port has the GUID that stands there
       opensm.py inventory PLAN_DIR NETWORK [WORD] > INVENTORY     a GUID for every switch and every end port; WORD: for objects that begin so
       opensm.py units TOPO                      nodes that hang on the same leaves of a fabric that ibnetdiscover found: a line for each such set, its
                                                 nodes (gpu/001) sorted
       opensm.py judge PLAN_DIR NETWORK LFTS [OWN] [shared]    LFTS: output of dump_lfts or dump_fts; OWN: opensm-lfts.dump, for what that leaves out; every pair of
                                                 end points is walked, routes are counted, and must be the plan's within one on every uplink; `shared`: or on another one of the
                                                 same leaf, which is then said
NETWORK:2 is the second plane of a network: each is a subnet of its own.

Knows nothing of clusterc but its cables.csv, its routes.csv and the counts in plan.json.
"""
import collections
import csv
import json
import re
import sys

command, folder = sys.argv[1:3]
network, _, plane = (sys.argv[3] if len(sys.argv) > 3 else "").partition(":")

if command == "units":
    # Switch records: `Switch 65 "S-…" # "leaf/compute/u1/r1" …`, then `[1] "H-…"[1](…) # "node/gpu/001 compute/1" …` for each port
    nodes_of, leaf = {}, None
    with open(folder, encoding="utf-8") as file:
        for line in file:
            if line.startswith("Switch"):
                leaf = nodes_of.setdefault(line.split('"')[1], set())
            elif line.startswith(("Ca", "Rt")) or not line.strip():
                leaf = None
            elif leaf is not None and line.startswith("[") and '"H-' in line:
                name = re.search(r'# "node/(\S+) ', line).group(1)
                leaf.add(name)
    leaves_of = collections.defaultdict(set)
    for name, nodes in nodes_of.items():
        for node in nodes:
            leaves_of[node].add(name)
    # Sets of leaves that share a node are one unit.
    root = {name: name for name, nodes in nodes_of.items() if nodes}

    def top(name):
        while root[name] != name:
            name = root[name]
        return name

    for leaves in leaves_of.values():
        first, *others = sorted(leaves)
        for other in others:
            root[top(other)] = top(first)
    units = collections.defaultdict(set)
    for node, leaves in leaves_of.items():
        units[top(min(leaves))].add(node)
    for line in sorted(" ".join(sorted(u)) for u in units.values()):
        print(line)
    sys.exit(0)


def of_plane(switch):
    return not plane or f"/plane{plane}/" in switch


def cables():
    with open(f"{folder}/cables.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["network"] == network and of_plane(row["to"]):
                yield row["from"], row["from_port"], row["to"], row["to_port"]


def is_switch(name):
    return name.split("/")[0] in ("leaf", "spine", "core", "switch")


devices = collections.defaultdict(dict)   # name -> {port: (name, port)}; an adapter's port is an adapter of its own
for near, near_port, far, far_port in cables():
    a = (near, int(near_port)) if is_switch(near) else (f"{near} {near_port}", 1)
    b = (far, int(far_port)) if is_switch(far) else (f"{far} {far_port}", 1)
    for (name, port), other in ((a, b), (b, a)):
        if port in devices[name]:
            sys.exit(f"FAILED: port {port} of {name} has two cables")
        devices[name][port] = other
if not devices:
    sys.exit(f"FAILED: no cable of network {network}")
with open(f"{folder}/plan.json", encoding="utf-8") as file:
    fabric = next(f for f in json.load(file)["fabrics"] if f["network"] == network)
ports = max(t["ports"] for t in fabric["tiers"])

if command == "inventory":
    print("serial,guid,name,port")
    for number, name in enumerate(devices):
        if name.startswith(sys.argv[4] if len(sys.argv) > 4 else ""):
            thing, _, port = name.partition(" ")
            print(f"SN{number},0x{0x946dae0300000000 + number * 16:016x},{thing},{port.replace('/', '')}")
    sys.exit(0)
guids = {}
if command == "net" and len(sys.argv) > 4:
    with open(sys.argv[4], encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            guids[row["name"] + (" " + row["port"] if row["port"] else "")] = int(row["guid"], 16)
if command == "net":
    for name, links in devices.items():   # an adapter comes first, so the subnet manager sits on one
        guid = guids.get(re.sub(r" (.*)/", r" \1", name))
        if guid is not None:
            print(f"switchguid=0x{guid:x}({guid:x})" if is_switch(name) else f"caguid=0x{guid - 1:x}")   # ibsim gives port n of an adapter its GUID + n
        print(f'{"Switch" if is_switch(name) else "Hca"}\t{ports if is_switch(name) else 1} "{name}"')
        for port, (other, other_port) in sorted(links.items()):
            print(f'[{port}]\t"{other}"[{other_port}]')
        print()
    sys.exit(0)

# judge: dump_lfts prints, for each switch, `Unicast lids [...] of switch Lid N guid G (NAME):` and lines `0xLID PORT : (TYPE portguid G: 'NAME')`
tables = {}
lids = {}
current = None
with open(sys.argv[4], encoding="utf-8") as file:
    for line in file:
        if line.startswith("Unicast lids"):
            current = tables.setdefault(re.search(r"\(([^()]*)\):", line).group(1), {})
        elif match := re.match(r"0x([0-9a-f]+)\s+(\d+)\s*:\s*\((.*?) portguid \S+: '(.*)'\)", line):
            lid = int(match.group(1), 16)
            current[lid] = int(match.group(2))
            lids[lid] = match.group(4)
if len(sys.argv) > 5 and sys.argv[5] != "shared":   # dump_fts leaves out a last LID that begins a block of 64, and the last port of a switch of 128
    with open(sys.argv[5], encoding="utf-8") as file:
        for line in file:
            if line.startswith("Unicast lids"):
                current = tables[re.search(r"\('([^']*)'\):", line).group(1)]
            elif match := re.match(r"0x([0-9A-Fa-f]+) (\d+) # .* portguid \S+: '(.*)'", line):
                lid = int(match.group(1), 16)
                current.setdefault(lid, int(match.group(2)))
                lids.setdefault(lid, match.group(3))
switches = {n for n in devices if is_switch(n)}
ends = {n for n in devices if not is_switch(n)}
if set(tables) != switches:
    sys.exit(f"FAILED: {len(tables)} switches have tables, {len(switches)} are planned")
by_name = {name: lid for lid, name in lids.items() if name in ends}
if set(by_name) != ends:
    sys.exit(f"FAILED: {len(by_name)} end points have a route, {len(ends)} are planned: {sorted(ends - set(by_name))[:3]}")

# Every end point from every leaf: what all others on that leaf do, too.
leaves = {n: {p for p, (other, _) in links.items() if other in ends} for n, links in devices.items() if n in switches}
leaves = {n: down for n, down in leaves.items() if down}
longest = 0
loads = {n: collections.Counter() for n in switches}
for target, lid in by_name.items():
    for switch in switches:
        loads[switch][tables[switch].get(lid)] += 1
    for leaf in leaves:
        at, hops = leaf, 0
        while at in switches:
            port = tables[at].get(lid)
            if port is None or port not in devices[at]:
                sys.exit(f"FAILED: {at} has no way to {target}")
            at, hops = devices[at][port][0], hops + 1
            if hops > 5:
                sys.exit(f"FAILED: the way from {leaf} to {target} does not end")
        if at != target:
            sys.exit(f"FAILED: the way from {leaf} to {target} ends at {at}")
        longest = max(longest, hops)
print(f"ok: every end point from every leaf: {len(ends)} end points, {len(leaves)} leaves, at most {longest} switches on the way")

# Uplink by uplink against the plan's own routes.
planned = {}
with open(f"{folder}/routes.csv", encoding="utf-8", newline="") as file:
    for row in csv.DictReader(file):
        if row["network"] == network and of_plane(row["leaf"]):
            if row["leaf"] not in leaves:   # nobody is plugged in yet: it sends nothing
                continue
            planned[(row["leaf"], int(row["port"]))] = int(row["routes"])
differences = collections.Counter()
compared, elsewhere = 0, 0
for leaf, down in leaves.items():
    pairs = [(loads[leaf][port], planned.pop((leaf, port))) for port in devices[leaf] if port not in down]
    compared += len(pairs)
    for found, plan in pairs:
        differences[found - plan] += 1
    # Leaf by leaf, the fullest uplink against the fullest, and so on: whether the same numbers lie on other uplinks.
    elsewhere = max([elsewhere, *(abs(a - b) for a, b in zip(sorted(a for a, _ in pairs), sorted(b for _, b in pairs)))])
if planned:
    sys.exit(f"FAILED: {len(planned)} uplinks of the plan have no cable, {next(iter(planned))} for one")
if compared:
    print(f"routes on {compared} uplinks, OpenSM's less the plan's: " + ", ".join(f"{count} x {difference:+d}" for difference, count in sorted(differences.items())))
    if max(abs(d) for d in differences) > 1:
        # Where a unit is not full and several spines of a pod share a group of cores, OpenSM begins its leaves at other spines than the first: those uplinks have the
        # routes that the plan counts on others. No link is fuller for it.
        if elsewhere > 1 or "shared" not in sys.argv:
            sys.exit(3)
        print(f"the same numbers, on other uplinks of the leaf: at most {elsewhere} apart when both are sorted")
