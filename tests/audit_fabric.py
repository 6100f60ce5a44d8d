#!/usr/bin/env python3
"""`clusterc audit --fabric` on the dump of a live InfiniBand fabric (NVIDIA/topograph): what differs from a spec written by hand is exactly what the dump lacks
and one swap that is really there, and after random swaps of cable ends it asks for the fewest moves, as a minimum-cost assignment (Kuhn and Munkres, here)
counts them. And `clusterc init --from fabric:FILE`, on fabrics that are made here and on the live one: the plan of the spec has the same leaves, spines and
rails, and `audit` finds nothing but what is absent.

usage: audit_fabric.py CLUSTERC SOURCE WORK [SEEDS]

The dump is not part of the sources: without it (../shared/data/fabric) this is skipped.
"""
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import skipping

LINK = re.compile(r'^\[(\d+)\](\(\w+\))?\s*"([SH])-(\w+)"\[(\d+)\](\(\w+\))?')


def read(text):
    """Links as (end, end), each end (device, port); names of devices; the lines of each end."""
    links, names, where, here = {}, {}, {}, None
    for number, line in enumerate(text):
        head = re.match(r'^(Switch|Ca)\s+\d+\s+"([SH])-(\w+)"\s*#\s*"([^"]*)"', line)
        if head:
            here = head[2] + head[3]
            names[here] = head[4]
            continue
        found = LINK.match(line)
        if found and here:
            near, far = (here, int(found[1])), (found[3] + found[4], int(found[5]))
            links[near] = far
            where[near] = number
    return links, names, where


def minimum(cost):
    """Kuhn and Munkres: the least sum of one entry in each row, no two in a column; rows <= columns."""
    n, m = len(cost), len(cost[0]) if cost else 0
    u, v, match = [0] * (n + 1), [0] * (m + 1), [0] * (m + 1)
    for i in range(1, n + 1):
        match[0], j0 = i, 0
        least, used, way = [float("inf")] * (m + 1), [False] * (m + 1), [0] * (m + 1)
        while True:
            used[j0] = True
            i0, delta, j1 = match[j0], float("inf"), 0
            for j in range(1, m + 1):
                if not used[j]:
                    current = cost[i0 - 1][j - 1] - u[i0] - v[j]
                    if current < least[j]:
                        least[j], way[j] = current, j0
                    if least[j] < delta:
                        delta, j1 = least[j], j
            for j in range(m + 1):
                if used[j]:
                    u[match[j]] += delta
                    v[j] -= delta
                else:
                    least[j] -= delta
            j0 = j1
            if match[j0] == 0:
                break
        while j0:
            match[j0] = match[way[j0]]
            j0 = way[j0]
    return sum(cost[match[j] - 1][j - 1] for j in range(1, m + 1) if match[j])


def edges(links, names):
    """Cables as pairs of places, sorted: a switch, or a port of an adapter; without the processors inside switches."""
    out = collections.Counter()
    for near, far in links.items():
        if near[0][0] != "S" or "Aggregation" in names.get(far[0], ""):
            continue
        if far[0][0] == "S" and near > far:
            continue   # each cable between switches once
        out[tuple(sorted((near[0], far[0] if far[0][0] == "S" else far[0] + "/" + str(far[1]))))] += 1
    return out


def swap(text, links, where, a, b):
    """The two ends at the switches of cables a and b (ends at the other side) change places."""
    sa, sb = links[a], links[b]
    links[a], links[b], links[sa], links[sb] = sb, sa, b, a
    # The lines of the switches name what is plugged in; the lines of the other ends, where they are plugged in.
    text[where[sa]], text[where[sb]] = redone(text[where[sa]], text[where[sb]]), redone(text[where[sb]], text[where[sa]])
    text[where[a]], text[where[b]] = redone(text[where[a]], text[where[b]]), redone(text[where[b]], text[where[a]])


def redone(own, other):
    """The line of `own` port with what stands behind the port of `other`."""
    return re.match(r"^\[\d+\](\(\w+\))?", own)[0] + re.sub(r"^\[\d+\](\(\w+\))?", "", other)


def run(clusterc, spec, dump):
    done = subprocess.run([clusterc, "audit", spec, "--fabric", dump], capture_output=True, text=True, timeout=120, check=False)
    moves = re.search(r"; (\d+) moves? of cable ends", done.stdout)
    return done.returncode, int(moves[1]) if moves else 0, done.stdout + done.stderr


def dump(units, each, ports, rails, spines, uplinks):
    """What ibnetdiscover prints of units of hosts with so many ports, on leaves of their own (`rails`) or all on one, and spines."""
    names, cables = {}, []   # cables: (device, port, device, port)
    leaves = [[f"S{u:03}{r:03}" for r in range(ports if rails else 1)] for u in range(len(units))]
    for u, hosts in enumerate(units):
        for r, leaf in enumerate(leaves[u]):
            names[leaf] = f"MF0;l{u + 1}-{r + 1}:MQM9700/U1"
        for n in range(hosts):
            for p in range(ports):
                adapter = f"H{u:03}{n:03}{p:03}"
                names[adapter] = f"h{u * each + n + 1:03} mlx5_{p}"
                cables.append((leaves[u][p if rails else 0], n + 1 if rails else n * ports + p + 1, adapter, 1))
    for s in range(spines):
        spine = f"S9{s:03}"
        names[spine] = f"MF0;s{s + 1}:MQM9700/U1"
        for k, leaf in enumerate(leaf for of_unit in leaves for leaf in of_unit):
            for i in range(uplinks):
                cables.append((spine, k * uplinks + i + 1, leaf, 33 + s * uplinks + i))
    ends = collections.defaultdict(list)
    for a, pa, b, pb in cables:
        ends[a].append((pa, b, pb))
        ends[b].append((pb, a, pa))
    guid = {name: f"{name[0]}-{0xa000000000000000 + i:016x}" for i, name in enumerate(sorted(names))}
    out = []
    for device in sorted(names, key=lambda d: d[0] == "H"):
        out.append(f'{"Switch" if device[0] == "S" else "Ca"} 65 "{guid[device]}" # "{names[device]}" lid 1 lmc 0')
        out += [f'[{port}] "{guid[far]}"[{far_port}] # "{names[far]}" lid 1 4xNDR' for port, far, far_port in sorted(ends[device])]
        out.append("")
    return "\n".join(out)


def other_words(text):
    """The same fabric as ibdiagnet writes it: its list of links, and its tables with a port that has errors."""
    links, names, _ = read(text.split("\n"))

    def end(device, port):
        kind, guid = "SW" if device[0] == "S" else "CA", device[1:]
        return f"{{ {kind} Ports:41 SystemGUID:{guid} NodeGUID:{guid} PortGUID:{guid} VenID:000002c9 DevID:d2f2 Rev:000000a0 {{{names[device]}}} LID:0001 PN:{port:02x} }}"

    once = [(near, far) for near, far in links.items() if near < far]
    yield "".join(f"{end(*near)} {end(*far)} PHY=4x LOG=ACT SPD=100\n" for near, far in once)
    nodes = "".join(f'"{name}",{2 if device[0] == "S" else 1},0x{device[1:]}\n' for device, name in names.items())
    ports = "".join(f"0x{device[1:]},0x{device[1:]},{port},2,2048\n" for device, port in links)
    joined = "".join(f"0x{a[1:]},{p},0x{b[1:]},{q}\n" for (a, p), (b, q) in once)
    device, port = next(near for near, _ in once if near[0][0] == "H")
    yield (f"START_NODES\nNodeDesc,NodeType,NodeGUID\n{nodes}END_NODES\nSTART_PORTS\nNodeGuid,PortGuid,PortNum,LinkWidthActv,LinkSpeedActv\n{ports}END_PORTS\n"
           f"START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n{joined}END_LINKS\n"
           f"START_PM_INFO\nNodeGUID,PortNumber,SymbolErrorCounter\n0x{device[1:]},{port},77\nEND_PM_INFO\n")


def round_trip(clusterc, path, work, demand):
    """The spec of a fabric, audited against the fabric that it was written from."""
    spec = os.path.join(work, "from-fabric.yaml")
    made = subprocess.run([clusterc, "init", "--from", "fabric:" + str(path), "-o", spec, "--force"], capture_output=True, text=True, timeout=120, check=False)
    demand(made.returncode == 0, "init --from: " + made.stderr)
    checked = subprocess.run([clusterc, "check", spec], capture_output=True, text=True, timeout=120, check=False)
    demand(checked.returncode == 0 and "warning:" not in checked.stdout, "check of the spec of a fabric:\n" + checked.stdout + checked.stderr)
    planned = subprocess.run([clusterc, "plan", spec, "--format", "json"], capture_output=True, text=True, timeout=120, check=False)
    return json.loads(planned.stdout), run(clusterc, spec, str(path))


def main():
    clusterc, source, work = sys.argv[1:4]
    seeds = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    pathlib.Path(work).mkdir(parents=True, exist_ok=True)
    wrong = 0

    def demand(good, what):
        nonlocal wrong
        if not good:
            wrong += 1
            print("FAILED:", what)

    shapes = 0
    for units in ([4], [4, 4], [3, 3, 3], [8, 8, 8, 8], [16, 15, 16], [2, 2], [18, 17, 18, 16]):
        for ports, rails in ((1, False), (2, True), (4, True), (8, True), (4, False)):
            for spines, uplinks in ((0, 0), (2, 2), (4, 1)):
                if (spines == 0) != (len(units) == 1 and not rails) or (len(units) > 1 and not rails):
                    continue   # more than one leaf needs spines; without rails, the plan fills leaf after leaf
                path = os.path.join(work, "made.txt")
                pathlib.Path(path).write_text(dump(units, max(units), ports, rails, spines, uplinks), encoding="utf-8")
                _, (status, moves, told) = round_trip(clusterc, path, work, demand)
                demand(status == 0 and moves == 0, f"units {units}, {ports} ports, {spines} spines: status {status}\n{told[:1500]}")
                shapes += 1
    print(f"{shapes} made fabrics: the spec that is written from each agrees with it" if not wrong else f"{wrong} wrong")
    # `check` of a dump: 0 if all cables are as most of them say; 2 if records are missing, as `audit` has it.
    whole = "#\n# Topology file: generated on Mon Nov  2 10:00:00 2026\n#\n" + dump([8, 8], 8, 2, True, 2, 2)
    for text, status in ((whole, 0), (whole.rstrip().rpartition("\n\n")[0] + "\n", 2)):
        path = pathlib.Path(work) / "cut.txt"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([clusterc, "check", str(path)], capture_output=True, text=True, timeout=60, check=False)
        demand(done.returncode == status, f"check of a dump: status {done.returncode}, wanted {status}\n{done.stdout}{done.stderr}")
    # A spec or a dump is not overwritten by the list of names; an earlier list is.
    spec, names = os.path.join(work, "from-fabric.yaml"), os.path.join(work, "names.csv")
    before = pathlib.Path(spec).read_bytes()
    for file, status in ((spec, 2), (os.path.join(work, "made.txt"), 2), (names, 0), (names, 0)):
        done = subprocess.run([clusterc, "audit", spec, "--fabric", os.path.join(work, "made.txt"), "--names", file], capture_output=True, text=True, timeout=60, check=False)
        demand(done.returncode == status, f"--names {file}: status {done.returncode}, {done.stderr}")
    demand(pathlib.Path(spec).read_bytes() == before, "--names wrote over the spec")
    # What --save kept of a dump is compared again, at the same lines.
    saved, made = os.path.join(work, "saved.json"), os.path.join(work, "cut.txt")
    first = [subprocess.run([clusterc, "audit", spec, *how], capture_output=True, text=True, timeout=60, check=False) for how in (["--fabric", made, "--save", saved], ["--from", saved])]
    demand(first[0].returncode == first[1].returncode and first[0].stdout == first[1].stdout and "cable" in first[0].stdout, f"--save and --from of a dump: {first}")
    whole = pathlib.Path(work, "made.txt").read_text(encoding="utf-8")
    right = re.search(r"network 'compute': .*", run(clusterc, spec, os.path.join(work, "made.txt"))[2])[0]
    for name, text in zip(("made.lst", "made.db_csv"), other_words(whole)):
        pathlib.Path(work, name).write_text(text, encoding="utf-8")
        status, _, told = run(clusterc, spec, os.path.join(work, name))
        demand("planned cables" in right and right in told and status == (name == "made.db_csv"), f"{name}: {status}, not '{right}':\n{told[:1500]}")
        demand((name == "made.db_csv") == ("has counted 77 symbol errors" in told and "cable/" in told), f"{name}: {told[:1500]}")
    graph = pathlib.Path(source) / "../shared/data/fabric/netq-topologyGraph.json"
    if graph.exists():
        # By hand, from the graph: 28 links between one leaf and the spine, 19 between the other and it, four of each of eight hosts.
        status, moves, told = run(clusterc, os.path.join(source, "tests/audit/live-ethernet.yaml"), graph)
        demand(status == 1 and moves == 0 and "of 88 planned cables, 79 right, 9 missing" in told and "'net-unit-l2' (planned as 'leaf-compute-02') has 19 links to 'net-unit-s1'" in told
               and told.count(": error:") == 1 and "rates were not compared" in told, "the graph of NetQ:\n" + told)
    live = pathlib.Path(source) / "../shared/data/fabric/ibnetdiscover-dgx-h100.out"
    if not live.exists():
        if wrong:
            return 1
        skipping.cannot("the dump of a live fabric is not here (../shared/data/fabric)")
    spec = os.path.join(source, "tests/audit/live-fabric.yaml")
    text = live.read_text(encoding="utf-8").split("\n")
    status, moves, told = run(clusterc, spec, live)
    plan, (_, from_moves, from_told) = round_trip(clusterc, live, work, demand)
    # By hand, from the dump: 40 switches, 9 of them spines, and one leaf of eight times four is not there.
    fabric = plan["fabrics"][0]
    demand([t["count"] for t in fabric["tiers"]] == [32, 9] and fabric["rails"] == 4 and fabric["units"] == 8, "the plan of the spec of the live fabric: " + json.dumps(fabric)[:600])
    demand(len(pathlib.Path(work, "from-fabric.yaml").read_text(encoding="utf-8").split("\n")) < 120, "the spec of the live fabric is long")
    rest = collections.Counter(re.findall(r"\[(audit-[a-z-]+)\]$", from_told, re.M))
    demand(from_moves == 2 and rest["audit-cable-misplaced"] == 1 and rest["audit-device-missing"] == 1 and "a planned leaf: 'leaf-compute-u1-r3'" in from_told, "the spec of the live fabric against it: " + str(rest) + from_told[-1500:])
    # By hand, from the dump: the adapters 5 and 6 of one host are swapped; a leaf and 13 pairs of a leaf and a spine lack links.
    demand(status == 1 and moves == 2 and "'b08-p1-dgx-08-c01' adapter 5 port 1 and 'b08-p1-dgx-08-c01' adapter 6 port 1 are swapped" in told, "the swap that is there:\n" + told[-3000:])
    demand(told.count("[audit-cable-misplaced]") == 1, f"{told.count('[audit-cable-misplaced]')} cables are called misplaced")
    links, names, where = read(text)
    # What the plan has: the dump with that swap undone, and two links from each leaf to each spine.
    planned_links, planned_text = dict(links), list(text)
    five, six = (next(end for end in links if names.get(end[0]) == f"b08-p1-dgx-08-c01 HCA-{n}") for n in (5, 6))
    swap(planned_text, planned_links, where, five, six)
    planned = edges(planned_links, names)
    leaves = {d for d in names if "IBLEAF" in names[d]}
    for leaf in leaves:
        for spine in {d for d in names if "IBSPINE" in names[d]}:
            planned[tuple(sorted((leaf, spine)))] = 2
    # Ends that say where they are from: cables between switches, and adapters that name their host.
    named = [end for end in links if end[0][0] == "H" and re.search(r"-dgx-.* (HCA-|mlx5_)", names[end[0]]) and end not in (five, six)]
    between = [end for end in links if end[0] in leaves and links[end][0][0] == "S"]
    fewer = 0
    for seed in range(seeds):
        chance = random.Random(seed)
        some, now = list(text), dict(links)
        swaps = 1 + seed % 20
        for _ in range(swaps):
            a, b = chance.sample(named if chance.random() < 0.6 else between, 2)
            swap(some, now, where, a, b)
        path = os.path.join(work, "swapped.txt")
        pathlib.Path(path).write_text("\n".join(some), encoding="utf-8")
        have = edges(now, names)
        extra = list((have - planned).elements())
        missing = list((planned - have).elements())
        switches = {d for d in names if d[0] == "S"}

        def price(e, m, switches=switches):
            if (set(e) <= switches) != (set(m) <= switches):
                return 100
            return 2 - len(set(e) & set(m))

        fewest = minimum([[price(e, m) for m in missing] for e in extra]) if extra else 0
        _, moves, told = run(clusterc, spec, path)
        # Fewer where a host whose adapters are mostly elsewhere can be the host that belongs there.
        demand(moves <= fewest, f"seed {seed}: {swaps} swaps need {fewest} moves, the audit has {moves}")
        fewer += moves < fewest
    demand(fewer * 100 <= seeds, f"in {fewer} of {seeds} sets hosts were taken for others")
    print(f"{seeds} random sets of 1 to 20 swaps on {len(links)} ends: {'as few moves as can be' if not wrong else f'{wrong} wrong'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
