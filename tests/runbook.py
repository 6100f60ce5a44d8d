#!/usr/bin/env python3
"""The runbook against plan.json and bundles.csv, read by this program alone: every device once, in its rack and at its unit, the sums of every rack,
every bundle, every switch and node; the handbook: groups, addresses, failures, spares. And twins with one thing wrong, which have to be found.

usage: runbook.py PROGRAM SOURCE WORK
"""
import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys

UNITS = {"W": 1, "kW": 1e3, "MW": 1e6, "GW": 1e9}


def cells(line):
    return [re.sub(r"\\(.)", r"\1", c.strip()).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("&#64;", "@") for c in re.split(r"(?<!\\)\|", line)[1:-1]]


def read(text):
    """{section: lines}, and the racks: {name: lines}."""
    sections, racks, at, rack = collections.OrderedDict(), collections.OrderedDict(), None, None
    for line in text.splitlines():
        if found := re.fullmatch(r"## (\d+)\. (.*)", line):
            at, rack = found[2], None
            assert int(found[1]) == len(sections) + 1, f"section {line}"
            sections[at] = []
        elif line.startswith("### "):
            rack = cells(f"|{line[4:]}|")[0]
            assert at == "Racks, one after the other" and rack not in racks, f"rack {rack} stands twice"
            racks[rack] = []
        elif at:
            (racks[rack] if rack else sections[at]).append(line)
    return sections, racks


def number(pattern, lines, what):
    found = [m for m in (re.match(pattern, line) for line in lines) if m]
    assert len(found) == 1, f"{what}: {len(found)} lines"
    return found[0]


def differences(plan, bundles, text):
    """What the runbook says otherwise than the plan; the first thing, or None."""
    try:
        sections, racks = read(text)
        wanted = {r["name"]: r for r in plan["racks"] if r["devices"]}
        assert list(racks) == list(wanted), f"racks {list(racks)[:3]}… of {list(wanted)[:3]}…"
        inside = {b["from_rack"]: int(b["cables"]) for b in bundles if b["from_rack"] == b["to_rack"]}
        cords = collections.Counter()
        for p in plan["pdus"]:
            cords[p["name"].split("/")[1]] += p["cords_c13"] + p["cords_c19"]
        for name, rack in wanted.items():
            lines = racks[name]
            rows = [cells(line) for line in lines if line.startswith("|")][2:]
            ours = [d for d in rack["devices"] if d["kind"] != "occupied"]
            assert [r[1] for r in rows] == [d["name"] for d in rack["devices"]], f"devices of {name}"
            for row, d in zip(rows, rack["devices"]):
                units = "-" if d["unit"] <= 0 else str(d["unit"]) if d["units"] == 1 else f"{d['unit']}-{d['unit'] + d['units'] - 1}"
                assert row[0] == units, f"{d['name']} at {row[0]}, the plan has {units}"
            if ours:
                got = number(r"- \[ \] (\d+) devices? in place, (?:more than )?([\d.]+) kg with the rack$", lines, f"devices of {name}")
                assert int(got[1]) == len(ours), f"{name}: {got[1]} devices of {len(ours)}"
                assert abs(float(got[2]) - rack["weight_kg"]) <= 0.0005 * rack["weight_kg"], f"{name}: {got[2]} kg of {rack['weight_kg']}"
            if name in cords:
                got = number(r"- \[ \] (\d+) cords? in their outlets .* draw (?:more than )?([\d.]+) (\w+) at most$", lines, f"cords of {name}")
                assert int(got[1]) == cords[name], f"{name}: {got[1]} cords of {cords[name]}"
                assert abs(float(got[2]) * UNITS[got[3]] - rack["power_w"]) <= 0.0005 * rack["power_w"], f"{name}: {got[2]} {got[3]} of {rack['power_w']} W"
            if name in inside:
                assert int(number(r"- \[ \] (\d+) cables? that stay", lines, f"cables in {name}")[1]) == inside[name], f"cables in {name}"
        between = [(b["from_rack"], b["to_rack"], b["cables"], b["bundles"]) for b in bundles if b["from_rack"] != b["to_rack"]]
        rows = [cells(line) for line in sections.get("Cables between racks", []) if line.startswith("|")][2:]
        assert [tuple(r[1:5]) for r in rows] == between, "cables between racks"
        on = sections["Power on"]
        if between:
            got = number(r"(\d+) cables? in (\d+) bundles?, from rack", sections["Cables between racks"], "sum of cables")
            assert int(got[1]) == sum(int(b[2]) for b in between) and int(got[2]) == sum(int(b[3]) for b in between), "sum of cables"
        for g in plan["node_groups"]:
            if g["count"]:
                assert int(number(rf"- \[ \] {re.escape(g['name'])}: (\d+) nodes? (?:is|are) up", [cells(f"|{x}|")[0] for x in on], g["name"])[1]) == g["count"], g["name"]
        for f in plan["fabrics"]:
            switches = sum(t["count"] for t in f["tiers"])
            if switches:
                said = number(rf"- \[ \] network {re.escape(f['network'])}: the switches answer: (.*)", [cells(f"|{x}|")[0] for x in on], f["network"])[1]
                assert sum(int(n) for n in re.findall(r"(?:^|, )(\d+) ", said)) == switches, f"switches of {f['network']}: {said}"
        # Management before data, services before those that use them: by the names of the examples.
        words = [re.sub(r"- \[ \] ", "", x) for x in on]
        def place(start): return next((i for i, w in enumerate(words) if w.startswith(start)), None)
        for first, then in (("network oob: the", "network compute: the"), ("network inband: the", "network compute: the"), ("head:", "gpu:"), ("network compute: the", "gpu:")):
            if place(first) is not None and place(then) is not None:
                assert place(first) < place(then), f"'{first}' after '{then}'"
    except AssertionError as wrong:
        return str(wrong)
    return None


def handbook_differences(plan, what_if, text):
    sections, at = {}, None
    for line in text.splitlines():
        if found := re.fullmatch(r"## \d+\. (.*)", line):
            at = found[1]
            sections[at] = []
        elif at:
            sections[at].append(line)
    def rows(section): return [cells(line) for line in sections.get(section, []) if line.startswith("|")][2:]
    try:
        wanted = [[g["name"], str(g["count"]), g["names"], g["server"], f"{g['gpus_each']} x {g['gpu']}" if g["gpus_each"] else "-"] for g in plan["node_groups"] if g["count"]]
        assert [r[:5] for r in rows("Nodes")][:len(wanted)] == wanted, "node groups"
        cut = rows("Nodes")[len(wanted) + 2:]      # behind the head of their own table
        assert [r[:2] for r in cut] == [[g["name"], g["mig"]] for g in plan["node_groups"] if g["count"] and "mig" in g], "groups that MIG cuts"
        for name, mig, each, of_node, asked, again in cut:
            group = next(g for g in plan["node_groups"] if g["name"] == name)
            count, profile = re.fullmatch(r"(?:(\d+)x)?(\S+)", mig).groups()
            assert each == (count or "1") and int(of_node) == int(each) * group["gpus_each"] == group["gpu_instances_each"], f"instances of {name}"
            assert asked in (f"--gres=gpu:{profile}:1", "-") and again in (f"/usr/local/sbin/cluster-mig {each} {profile}", "-"), f"how to ask for instances of {name}, and to cut again"
        assert all(f["missing"] and f["ceiling"]["value"] is None for f in plan["expected"] if f["test"].startswith(("nccl.", "nvlink.", "memory.")) and f["group"] in [r[0] for r in cut]), "figures of whole GPUs"
        for g in plan["node_groups"]:
            for role in g["roles"] if g["count"] else []:
                if role != "compute":
                    assert any(r[0] == role and g["names"] in r[1] for r in rows("Services")), f"{role} on {g['name']}"
        for a in plan["addresses"]:
            said = next((r for r in rows("Networks") if r[0] == a["network"]), None)
            assert said and said[4] == a["subnet"], f"subnet of {a['network']}"
            for b in a["blocks"]:
                assert f"{b['members_of']} {b['first']}" in said[6].split("; "), f"addresses of {b['members_of']} in {a['network']}"
        block = "\n".join(sections["When something fails"])
        assert re.search(r"```text\n(.*)```", block, re.S)[1] == what_if, "failures"
        assert sum(int(r[0]) for r in rows("Spares")) == sum(line.get("spares", 0) for line in plan["bill"]), "spares"
        for name in re.findall(r"nodename=(\S+)", text):
            assert any(re.fullmatch(g["names"].split("[")[0] + r"[\w-]*", name) for g in plan["node_groups"]), f"node {name}"
    except AssertionError as wrong:
        return str(wrong)
    return None


def main():
    program, source, work = sys.argv[1:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    specs = [os.path.join(source, "examples", n) for n in sorted(os.listdir(os.path.join(source, "examples"))) if n.endswith(".yaml") and n not in ("broken.yaml", "roce-16384.yaml")]
    # The same SuperPOD with its GPUs cut: no example is.
    with open(os.path.join(source, "examples", "superpod.yaml"), encoding="utf-8") as f:
        whole = f.read()
    specs.append(os.path.join(work, "superpod-mig.yaml"))
    with open(specs[-1], "w", encoding="utf-8") as f:
        f.write(whole.replace("\n  gpu_driver: 570\n", "\n  gpu_driver: 570\n  mig: 7x1g.10gb\n", 1))
    failed = read_ones = 0
    for spec in specs:
        out = os.path.join(work, os.path.basename(spec)[:-5])
        said = subprocess.run([program, "plan", spec, "-o", out, "--exports", "book,documents,sheets", "--today", "2026-11-21"], capture_output=True, text=True)
        if not os.path.exists(os.path.join(out, "runbook.md")):
            print(f"{spec}: no runbook:\n{said.stderr[:400]}")
            failed += 1
            continue
        with open(os.path.join(out, "plan.json"), encoding="utf-8") as f:
            plan = json.load(f)
        with open(os.path.join(out, "bundles.csv"), encoding="utf-8", newline="") as f:
            bundles = list(csv.DictReader(f))
        with open(os.path.join(out, "runbook.md"), encoding="utf-8") as f:
            text = f.read()
        wrong = differences(plan, bundles, text)
        print(f"{'FAILED' if wrong else 'ok'}: {os.path.basename(spec)}: {len([r for r in plan['racks'] if r['devices']])} racks, {text.count('- [ ]') + text.count('| [ ]')} boxes{': ' + wrong if wrong else ''}")
        failed += bool(wrong)
        read_ones += 1
        with open(os.path.join(out, "handbook.md"), encoding="utf-8") as f:
            handbook = f.read()
        what_if = subprocess.run([program, "plan", spec, "--what-if", "each"], capture_output=True, text=True).stdout
        wrong = handbook_differences(plan, what_if, handbook)
        print(f"{'FAILED' if wrong else 'ok'}: {os.path.basename(spec)}: handbook{': ' + wrong if wrong else ''}")
        failed += bool(wrong)
        if os.path.basename(spec) == "superpod-mig.yaml":
            for name, was, becomes in (("handbook: instances of a node", "| 7 | 56 |", "| 7 | 55 |"), ("handbook: instances of a GPU", "| 7 | 56 |", "| 8 | 56 |"), ("handbook: another profile", "gpu:1g.10gb:1", "gpu:1g.20gb:1"),
                                       ("handbook: another cut", "cluster-mig 7 1g.10gb", "cluster-mig 3 2g.20gb"), ("handbook: no group that is cut", "| gpu | 7x1g.10gb |", "| gpu | 1g.10gb |")):
                found = handbook_differences(plan, what_if, handbook.replace(was, becomes, 1)) if was in handbook else None
                print(f"{'ok' if found else 'FAILED'}: twin '{name}': {found or 'not found'}")
                failed += not found
        if os.path.basename(spec) == "superpod.yaml":
            twins = {"a device at another unit": ("| 9-16 | gpu002 |", "| 10-17 | gpu002 |"), "a device in no rack": ("| 17-24 | gpu003 | nvidia-dgx-h100 |\n", ""),
                     "a node too many": ("gpu: 127 nodes", "gpu: 128 nodes"), "a cord too few": ("- [ ] 26 cords", "- [ ] 25 cords"), "a spine too few": ("16 spine", "15 spine")}
            weight = re.search(r"([\d.]+) kg with the rack", text)
            twins["another weight"] = (weight[0], f"{float(weight[1]) - 10:.1f} kg with the rack") if weight else ("", "")
            for name, (was, becomes) in twins.items():
                broken = text.replace(was, becomes, 1)
                found = differences(plan, bundles, broken) if broken != text else None
                print(f"{'ok' if found else 'FAILED'}: twin '{name}': {found or 'not found'}")
                failed += not found
            for name, was, becomes in (("handbook: a group", "| gpu | 127 |", "| gpu | 128 |"), ("handbook: an address", "head 10.10.32.1", "head 10.10.32.2"), ("handbook: a service", "| scheduler |", "| monitoring |"),
                                       ("handbook: a failure", "spine/storage/[01-04]", "spine/storage/[01-03]")):
                found = handbook_differences(plan, what_if, handbook.replace(was, becomes, 1)) if was in handbook else None
                print(f"{'ok' if found else 'FAILED'}: twin '{name}': {found or 'not found'}")
                failed += not found
    if read_ones < 6:
        print(f"FAILED: {read_ones} examples")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
