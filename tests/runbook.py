#!/usr/bin/env python3
"""The runbook against plan.json and bundles.csv, read by this program alone: every device once, in its rack and at its unit, the sums of every rack,
every bundle, every switch and node; its steps against the tree that is compiled of the same spec: their order, each file, role, host and command that they name, each folder
named once; the handbook: groups, addresses, failures, spares. And twins with one thing wrong, which have to be found.

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


def differences(plan, bundles, cord_rows, text):
    """What the runbook says otherwise than the plan; the first thing, or None."""
    try:
        sections, racks = read(text)
        wanted = {r["name"]: r for r in plan["racks"] if r["devices"]}
        assert list(racks) == list(wanted), f"racks {list(racks)[:3]}… of {list(wanted)[:3]}…"
        inside = {b["from_rack"]: int(b["cables"]) for b in bundles if b["from_rack"] == b["to_rack"]}
        cords = collections.Counter()
        for p in plan["pdus"]:
            cords[p["name"].split("/")[1]] += p["cords_c13"] + p["cords_c19"]
        hard_wired = collections.Counter(r["rack"] for r in cord_rows if not r["part"])
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
            if name in hard_wired:
                got = number(r"- \[ \] (\d+) suppl(?:y is|ies are) hard-wired to the PDUs", lines, f"hard-wired supplies of {name}")
                assert int(got[1]) == hard_wired[name], f"{name}: {got[1]} hard-wired supplies of {hard_wired[name]}"
            assert bool(cords[name]) == any("in their outlets" in line for line in lines), f"cords of {name}"
            if cords[name]:
                got = number(r"- \[ \] (\d+) cords? in their outlets .* draw (?:more than )?([\d.]+) (\w+) at most$", lines, f"cords of {name}")
                assert int(got[1]) == cords[name], f"{name}: {got[1]} cords of {cords[name]}"
                assert abs(float(got[2]) * UNITS[got[3]] - rack["power_w"]) <= 0.0005 * rack["power_w"], f"{name}: {got[2]} {got[3]} of {rack['power_w']} W"
            if name in inside:
                assert int(number(r"- \[ \] (\d+) cables? that stay", lines, f"cables in {name}")[1]) == inside[name], f"cables in {name}"
        between = [(b["from_rack"], b["to_rack"], b["cables"], b["bundles"]) for b in bundles if b["from_rack"] != b["to_rack"]]
        rows = [cells(line) for line in sections.get("Cables between racks", []) if line.startswith("|")][2:]
        assert [tuple(r[1:5]) for r in rows] == between, "cables between racks"
        on, steps = sections.get("Power on", []), [line for lines in sections.values() for line in lines]
        if between:
            got = number(r"(\d+) cables? in (\d+) bundles?, from rack", sections["Cables between racks"], "sum of cables")
            assert int(got[1]) == sum(int(b[2]) for b in between) and int(got[2]) == sum(int(b[3]) for b in between), "sum of cables"
        for g in plan["node_groups"]:
            if g["count"]:
                assert int(number(rf"- \[ \] {re.escape(g['name'])}: (\d+) nodes? (?:is|are) up", [cells(f"|{x}|")[0] for x in steps if x.startswith("- ")], g["name"])[1]) == g["count"], g["name"]
        for f in plan["fabrics"]:
            switches = sum(t["count"] for t in f["tiers"])
            if switches:
                said = number(rf"- \[ \] network {re.escape(f['network'])}: the switches answer: (.*)", [cells(f"|{x}|")[0] for x in on], f["network"])[1]
                assert sum(int(n) for n in re.findall(r"(?:^|, )(\d+) ", said)) == switches, f"switches of {f['network']}: {said}"
        order = [name for name in ("The room", "Maker's documents", "Delivery", "Racks, one after the other", "Cables between racks", "Coolant", "Power on", "Management ports and switches", "Compiling", "Acceptance") if name in sections]
        assert order == [name for name in sections if name in order], f"chapters {list(sections)}"
        assert f"begins with `{plan['spec_sha256'][:16]}`" in text, "the digest of the spec"
        zones = [z for z in plan.get("cooling_zones", []) if z["liquid"]]
        assert bool(zones) == ("Coolant" in sections), f"{len(zones)} loops; chapters {list(sections)}"
        for z in zones:
            assert any(f"loop {z['name']}: coolant flows" in line for line in sections["Coolant"]), f"loop {z['name']}"
        delivered = {cells(line)[0]: int(cells(line)[1]) for line in sections.get("Delivery", []) if re.match(r"\| .* \| \d+ \|", line)}
        stand = collections.Counter(row[2] for lines in racks.values() for row in [cells(line) for line in lines if line.startswith("|")][2:] if row[2] != "already there")
        assert all(stand[model] == n for model, n in delivered.items()), f"delivered {delivered}, in racks {dict(stand)}"
        trays = {g["server"] for g in plan["node_groups"]}
        assert all(model in delivered or model in trays for model in stand), f"not delivered: {set(stand) - set(delivered)}"
        # How each is lifted: 23 kg x (1 - 0.3 |V - 0.75 m|), nothing above 1.75 m; two people 2/3 of the sum; V from EIA-310 units above 0.1 m.
        places = collections.defaultdict(list)
        for lines in racks.values():
            for row in [cells(line) for line in lines if line.startswith("|")][2:]:
                places[row[2]].append(int(row[0].split("-")[0] or 1))
        for line in sections.get("Delivery", []):
            if not re.match(r"\| .* \| \d+ \|", line) or cells(line)[3] == "not stated":
                continue
            model, _, _, weight, how = cells(line)
            words = collections.Counter()
            for unit in places[model]:
                hands = 0.1 + (max(unit, 1) - 0.5) * 0.04445
                one = 23 * (1 - 0.3 * abs(hands - 0.75)) if hands <= 1.75 else 0
                words["one person" if float(weight.split()[0]) <= one else "two people" if float(weight.split()[0]) <= 4 / 3 * one else "a lift, two people"] += 1
            said = {word: n for word, n in words.items() if (f"{word} for {n} of" if len(words) > 1 else word) in how}
            assert said == words, f"{model} of {weight}: '{how}', not {dict(words)}"
        # What only makers state is a field: rails for each model, couplings, plugs and pressures where there is liquid.
        asked = [cells(line) for line in sections.get("Maker's documents", []) if line.startswith("|")][2:]
        assert all(row[3] == "" and row[4] == "" and row[2] for row in asked), f"a figure of nobody: {asked}"
        for model in delivered:
            assert any(row[0] == model and row[1].startswith("rail kit") for row in asked), f"no rail kit of {model}"
        for z in zones:
            assert any(row[0] == f"loop {z['name']}" and "leak test" in row[1] for row in asked), f"no test pressure of loop {z['name']}"
        tables = [cells(line) for line in sections.get("Coolant", []) if line.startswith("|")]
        hoses = sum(int(row[2]) for row in tables if len(row) == 6 and re.match(r".* \(x [\d.]+ m, y [\d.]+ m\)$|\d+ racks and frames", row[0]) and not row[0].startswith("manifold"))
        bill = sum(a["count"] for a in plan.get("accessories", []) if a["part"] == "coolant-hose")
        assert hoses >= bill if bill and any(row[0].endswith("(sheets in racks/)") for row in tables) else hoses == bill, f"{hoses} hoses of frames, {bill} in the bill"
        assert any("clusterc validate SPEC" in line and "`passed: …`" in line for line in sections["Acceptance"]), "no line that proves acceptance"
        # Management before data, services before those that use them: by the names of the examples.
        words = [re.sub(r"- \[ \] ", "", x) for x in steps]
        def place(start): return next((i for i, w in enumerate(words) if w.startswith(start)), None)
        for first, then in (("network oob: the", "network compute: the"), ("network inband: the", "network compute: the"), ("head:", "gpu:"), ("network compute: the", "gpu:")):
            if place(first) is not None and place(then) is not None:
                assert place(first) < place(then), f"'{first}' after '{then}'"
    except AssertionError as wrong:
        return str(wrong)
    return None


COMMANDS = {"clusterc", "cd", "ansible-playbook", "ansible-galaxy", "sh", "systemctl", "dd", "skopeo", "scontrol", "sinfo", "ssh", "wwctl", "ochami", "mkdef", "BMC_USER=…", "ibnetdiscover", "lldpcli"}
LISTERS = {"warewulf", "maas", "openchami", "xcat"}


def spans(line):
    return [m[2].strip() for m in re.finditer(r"(`+)(.+?)\1(?!`)", line)]


def read_tree(tree):
    """What the compiled tree says of itself: hosts and roles of the plays, who gives out addresses, which groups are installed."""
    def text(*path):
        full = os.path.join(tree, *path)
        return open(full, encoding="utf-8").read() if os.path.isfile(full) else ""
    def folder(*path): return sorted(os.listdir(os.path.join(tree, *path))) if os.path.isdir(os.path.join(tree, *path)) else []
    groups = "".join(text("ansible", "group_vars", name) for name in folder("ansible", "group_vars"))
    return {"outputs": [name for name in folder() if os.path.isdir(os.path.join(tree, name))],
            "roles": set(re.findall(r"tags: \[(\w+)\]", text("ansible", "site.yml"))),
            "hosts": {name for line in text("hosts", "hosts").splitlines() if not line.startswith("#") for name in line.split()[1:]},
            "gives": set(re.findall(r"^cluster_(?:dhcp|web)_server: (\S+)", groups, re.M)), "mirror": set(re.findall(r"^  node: (\S+)", groups, re.M)),
            "installed": [name[:-5] for name in folder("ipxe")], "subnets": [name for name in folder("opensm") if os.path.isdir(os.path.join(tree, "opensm", name))],
            "switches": {name.rpartition("-")[0] for name in folder("sonic") if os.path.isdir(os.path.join(tree, "sonic", name))},
            "managed": set(re.findall(r"^  - (\S+)$", "".join(re.findall(r"^cluster_subnets_managed:\n((?:  - .*\n)+)", groups, re.M)), re.M)),
            "mounts": "_netdev" in groups + "".join(text("cloud-init", name) for name in folder("cloud-init") if name.endswith(".user-data")),
            "scripts": [name for name in ("accounts.sh", "reservations.sh", "spares.sh") if name in folder("slurm")], "health": text("ansible", "roles", "health_check", "tasks", "main.yml"),
            "dhcp": "".join(text("ansible", "roles", "dhcp", "tasks", name) for name in folder("ansible", "roles", "dhcp", "tasks"))}


def step_differences(program, plan, tree, text):
    """What the steps say otherwise than the compiled tree, or in another order than one rests on the other; the first thing, or None."""
    try:
        has = read_tree(tree)
        sections, _ = read(text)
        acceptance = list(sections).index("Acceptance")
        lines = [line for name in list(sections)[:acceptance] for line in sections[name]]
        rows = [cells(line)[1] for line in sections.get("Other compiled files", []) if line.startswith("| [")]
        def place(pattern, which=min):
            found = [i for i, line in enumerate(lines) if re.search(pattern, line)]
            return which(found) if found else None
        def ordered(first, then, why):
            a, b = place(first, max), place(then)
            assert a is None or b is None or a < b, f"{why}: '{lines[a][:60]}' behind '{lines[b][:60]}'"
        def there(pattern, why): assert place(pattern) is not None, f"no step {why}"
        # What they name is there.
        whole, named = collections.Counter(), set()
        for line in lines:
            for span in spans(line):
                for word in re.findall(r"(?<!\S)tree/(\S+)", span):
                    assert os.path.exists(os.path.join(tree, word)) and (not word.endswith("/") or os.path.isdir(os.path.join(tree, word))), f"there is no tree/{word}"
                    named.add(word.split("/")[0])
                    if re.fullmatch(r"[\w-]+/", word) and not span.startswith("cd "):
                        whole[word] += 1
                first = span.split()[0]
                if " " in span and re.fullmatch(r"[a-z][a-z-]*|BMC_USER=…", first) and not first.startswith("outputs"):
                    assert first in COMMANDS, f"command {span}"
                for limit in re.findall(r"--limit (\S+)", span):
                    assert limit in has["hosts"], f"host {limit}"
                for tags in re.findall(r"--tags (\S+)", span):
                    assert set(tags.split(",")) <= has["roles"], f"tags {tags} of {sorted(has['roles'])}"
                for unit in re.findall(r"systemctl is-active (\S+)", span):
                    subnet = re.fullmatch(r"cluster-opensm@(\S+)", unit)
                    assert subnet and subnet[1] in has["subnets"] and os.path.exists(os.path.join(tree, "opensm", "cluster-opensm@.service")) or re.search(rf"/system/{re.escape(unit)}\.service|'{re.escape(unit)}'[^\n]*\n *enabled", has["dhcp"]), f"unit {unit}"
                if sbin := re.search(r"/usr/local/sbin/(\S+)", span):
                    assert sbin[0] in has["health"], f"program {sbin[0]}"
                if command := re.match(r"clusterc (\w+)", span):
                    assert subprocess.run([program, command[1], "--help"], capture_output=True).returncode == 0, f"clusterc {command[1]}"
        for output in has["outputs"]:
            assert (output in named) != (f"tree/{output}" in rows), f"output {output}: {'steps and table' if output in named else 'neither a step nor the table'}"
            assert whole[output + "/"] <= 1, f"the folder {output} in two steps"
        assert {r[5:] for r in rows} <= set(has["outputs"]), f"table: {rows}"
        # What this cluster calls for, and nothing else.
        plays = r"ansible-playbook site\.yml"
        for node in has["gives"]:
            there(rf"{plays} --limit {re.escape(node)} --tags \S*(dhcp|web_server)", f"makes {node} serve")
            assert any(name == f"The first node: {node}" for name in sections), f"no section for {node}"
        assert has["gives"] or not any(name.startswith("The first node") for name in sections), "a first node that gives out nothing"
        for group in has["installed"]:
            there(rf"{re.escape(group)}: .* installed with .*tree/ipxe/{re.escape(group)}\.ipxe", f"installs {group}")
        for subnet in has["managed"]:
            there(rf"is-active cluster-opensm@{re.escape(subnet)}`", f"looks after subnet {subnet}")
        for subnet in has["subnets"]:
            there(rf"- \[ \] subnet {re.escape(subnet)}: ", f"for subnet {subnet}")
        for script in has["scripts"]:
            there(rf"tree/slurm/{re.escape(script)}`", f"runs {script}")
        if "slurm" in has["roles"]:
            there("munge's key", "puts munge's key")
        if "mirror" in has["outputs"]:
            there(r"tree/mirror/fill\.sh", "fills the mirror")
        for node in has["mirror"]:
            there(rf"{plays} --limit {re.escape(node)} --tags \S*mirror", f"makes {node} the mirror")
        for bought in (s for s in plan["storage"] if s["systems"] and not s["nodes"] and not has["mounts"]):   # its maker's client mounts it
            there(rf"by hand: storage {re.escape(bought['name'])} at `/", f"mounts {bought['name']}")
        if "sonic" in has["outputs"]:
            there(r"tree/sonic/README\.md", "configures the switches")
        for network in has["switches"]:
            assert place(rf"by hand: switches of network {re.escape(network)} ") is None, f"switches of {network} by hand, too"
        if "jobs" in has["outputs"]:
            there(r"tree/jobs/README\.md", "runs the first jobs")
        for lister in LISTERS & set(has["outputs"]):
            there(rf"knows the nodes: .*tree/{lister}/", f"for {lister}")
        # One rests on the other.
        whole_play, checked = rf"{plays}` ended with `failed", rf"{plays} --check --diff`"
        ordered("clusterc compile SPEC", rf"`[^`]*tree/", "compiled before it is used")
        ordered("munge's key", plays, "munge's key before plays")
        ordered(r"has the MAC of", "clusterc compile SPEC", "the inventory before it is compiled")
        ordered(r"tree/mirror/fill\.sh", plays, "the mirror is filled before it serves")
        ordered(rf"{plays} --limit \S+ --tags base,mirror", rf"{plays} --limit \S+ --tags \S*dhcp", "packages before whoever installs from them")
        for group in has["installed"]:
            ordered(rf"{plays} --limit \S+ --tags \S*(dhcp|web_server)", rf"- \[ \] {re.escape(group)}: .* up ", "DHCP and installation before those who are installed")
            ordered(r"/srv/(cluster/(authorized_keys|media)|tftp)", rf"- \[ \] {re.escape(group)}: .* up ", "what installers ask for before those who are installed")
        for group in plan["node_groups"]:
            ordered(rf"- \[ \] {re.escape(group['name'])}: .* up ", rf"{whole_play}|{checked}", "nodes before the plays")
        ordered(r"\d+ (?:nodes? (?:is|are) up|systems? (?:is|are) up)", r"links? to its members", "an operating system before links to it")
        ordered(checked, whole_play, "a look before the leap")
        ordered(whole_play, r"links? to its members|- \[ \] subnet |is healthy|`sinfo`|/slurm/(accounts|reservations|spares)\.sh`", "plays before what they make")
        for network in {re.sub(r"-plane\d+$", "", subnet) for subnet in has["subnets"]}:
            ordered(r"- \[ \] subnet ", rf"- \[ \] network {re.escape(network)}: .* (?:links?) ", "a subnet manager before links of InfiniBand")
        ordered(r"links? (?:between switches|to its members)", "is healthy|`sinfo`", "links before those who use them")
        ordered(r"tree/sonic/README\.md", r"links? (?:between switches|to its members)|- \[ \] \w+: \d+ nodes? (?:is|are) up", "switches before those who are plugged into them")
        ordered("`sinfo`", r"tree/jobs/README\.md", "a scheduler before jobs")
        ordered(r"/slurm/accounts\.sh`", r"/slurm/reservations\.sh`", "accounts before reservations")
    except AssertionError as wrong:
        return str(wrong)
    return None


def moved(text, what, behind):
    """The first line that has `what` behind the last that has `behind`; '' where one of them is missing."""
    lines = text.split("\n")
    a = next((i for i, line in enumerate(lines) if re.search(what, line)), None)
    b = next((i for i in range(len(lines) - 1, -1, -1) if re.search(behind, lines[i])), None)
    if a is None or b is None or a > b:
        return ""
    lines.insert(b, lines.pop(a))
    return "\n".join(lines)


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
            assert name == "ALL" or any(re.fullmatch(g["names"].split("[")[0] + r"[\w-]*", name) for g in plan["node_groups"]), f"node {name}"
        # Repairs: BMCs at planned addresses, a PDU of the plan, switches of management last, PDUs behind all that they power.
        repairs = sections.get("Incidents and repairs", [])
        blocks = {(a["network"], b["first"]) for a in plan["addresses"] for b in a["blocks"]}
        for names, network, first, _ in (r for r in rows("Incidents and repairs") if len(r) == 4 and r[1] not in ("network", "---")):
            assert (network, first) in blocks, f"BMC of {names} at {first} in {network}"
        whole = "\n".join(repairs)
        assert bool(plan["pdus"]) == ("### Replace a PDU" in whole) and all(f"pdu/{name}" in {p["name"] for p in plan["pdus"]} for name in re.findall(r"--what-if pdu:(\S+?)`", whole)), "the PDU"
        down = [line for line in whole.partition("### Power-down")[2].partition("Power up")[0].splitlines() if re.match(r"\d+\. ", line)]
        off = [next((i for i, line in enumerate(down) if word in line), None) for word in ("Nodes ", "Switches of", " PDUs, then")]
        assert down and [i for i in off if i is not None] == sorted(i for i in off if i is not None), f"power-down {down}"
    except AssertionError as wrong:
        return str(wrong)
    return None


def compiled(program, spec, tree):
    said = subprocess.run([program, "compile", spec, "-o", tree], capture_output=True, text=True)
    return said.stderr[:200] if said.returncode else None


def superpod_twins(text):
    return {"links before an operating system": moved(text, "gpu: 127 nodes are up", "network inband: .* to its members"), "nodes before DHCP": moved(text, "--limit head1", "gpu: 127 nodes are up"),
            "links before a subnet manager": moved(text, r"- \[ \] subnet compute", "network compute: .* to its members"), "plays before munge's key": moved(text, "munge's key", "ansible-playbook"),
            "nodes before their loaders": moved(text, "/srv/tftp", "gpu: 127 nodes are up"), "a leap before the look": moved(text, "--check --diff` names", "ended with `failed"),
            "links of switches before a manager": text.replace("network compute: the switches answer", "network compute: 1024 links between switches are up\n- [ ] network compute: the switches answer", 1),
            "a file that is not there": text.replace("tree/ipxe/gpu.ipxe", "tree/ipxe/gpus.ipxe", 1), "a folder that nobody uses": text.replace("`tree/containers/`, ", "", 1),
            "a folder in two steps": text.replace("`tree/containers/`, ", "`tree/containers/`, `tree/dnsmasq/`, ", 1), "a role that does not run": text.replace("--tags base,", "--tags base,cuda,", 1),
            "a host that is not there": text.replace("--limit head1", "--limit head3", 1), "a unit that is not there": text.replace("is-active cluster-dnsmasq", "is-active dnsmasq", 1),
            "a subnet that is not there": text.replace("cluster-opensm@compute", "cluster-opensm@storage-2", 1), "a program that is not there": text.replace("sbin/cluster-health`", "sbin/cluster-healthy`", 1),
            "another command": text.replace("`clusterc compile", "`clusterc build", 1), "a command of nobody": text.replace("`cd tree/ansible/ && ansible all -m ping`", "`pingall -r tree/ansible/`", 1),
            "a subnet without a step": re.sub(r"- \[ \] subnet storage.*\n", "", text), "storage that nobody mounts": re.sub(r"- \[ \] by hand: storage scratch.*\n", "", text), "a group that nobody installs": text.replace("tree/ipxe/login.ipxe", "tree/ipxe/gpu.ipxe", 1)}


# Of small specs, by the name of their folder.
TWINS = {
    "with-slurm-shared": lambda text: {"reservations before accounts": moved(text, r"slurm/accounts\.sh", r"slurm/reservations\.sh"), "no accounts": re.sub(r".*slurm/accounts\.sh.*\n", "", text), "no munge": re.sub(".*munge's key.*\n", "", text)},
    "mirror": lambda text: {"a mirror that is filled too late": moved(text, r"fill\.sh", "ansible-playbook"), "no mirror": re.sub(r".*fill\.sh.*\n", "", text)},
    "sonic": lambda text: {"nobody configures the switches": re.sub(r".*tree/sonic/README.*\n", "", text), "switches by hand as well": text.replace("## ", "- [ ] by hand: switches of network ai have the lossless class\n\n## ", 2).replace("- [ ] by hand: switches of network ai have the lossless class\n\n## ", "## ", 1)},
    "warewulf": lambda text: {"nobody tells Warewulf": re.sub(".*knows the nodes.*\n", "", text)},
}


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
        f.write(whole.replace("\n  gpu_driver: 580\n", "\n  gpu_driver: 580\n  mig: 7x1g.10gb\n", 1))
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
        with open(os.path.join(out, "cords.csv"), encoding="utf-8", newline="") as f:
            cord_rows = list(csv.DictReader(f))
        with open(os.path.join(out, "runbook.md"), encoding="utf-8") as f:
            text = f.read()
        wrong = differences(plan, bundles, cord_rows, text)
        print(f"{'FAILED' if wrong else 'ok'}: {os.path.basename(spec)}: {len([r for r in plan['racks'] if r['devices']])} racks, {text.count('- [ ]') + text.count('| [ ]')} boxes{': ' + wrong if wrong else ''}")
        failed += bool(wrong)
        read_ones += 1
        with open(os.path.join(out, "handbook.md"), encoding="utf-8") as f:
            handbook = f.read()
        tree = out + "-tree"
        wrong = compiled(program, spec, tree) or step_differences(program, plan, tree, text)
        print(f"{'FAILED' if wrong else 'ok'}: {os.path.basename(spec)}: steps{': ' + wrong if wrong else ''}")
        failed += bool(wrong)
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
                     "a node too many": ("gpu: 127 nodes", "gpu: 128 nodes"), "a cord too few": ("- [ ] 26 cords", "- [ ] 25 cords"), "a spine too few": ("16 spine", "15 spine"),
                     "a server on one person": ("130.4 kg | a lift, two people", "130.4 kg | one person"), "a torque of nobody": ("guide of the rail kit |  |", "guide of the rail kit | 2 Nm |"),
                     "rails of no document": ("| nvidia-dgx-h100 | rail kit:", "| nvidia-dgx-h100 | rails:")}
            weight = re.search(r"([\d.]+) kg with the rack", text)
            twins["another weight"] = (weight[0], f"{float(weight[1]) - 10:.1f} kg with the rack") if weight else ("", "")
            for name, broken in superpod_twins(text).items():
                found = step_differences(program, plan, tree, broken) if broken and broken != text else None
                print(f"{'ok' if found else 'FAILED'}: twin 'steps: {name}': {found or 'not found'}")
                failed += not found
            for name, (was, becomes) in twins.items():
                broken = text.replace(was, becomes, 1)
                found = differences(plan, bundles, cord_rows, broken) if broken != text else None
                print(f"{'ok' if found else 'FAILED'}: twin '{name}': {found or 'not found'}")
                failed += not found
            for name, was, becomes in (("handbook: a group", "| gpu | 127 |", "| gpu | 128 |"), ("handbook: an address", "head 10.10.32.1", "head 10.10.32.2"), ("handbook: a service", "| scheduler |", "| monitoring |"),
                                       ("handbook: a failure", "spine/storage/[01-04]", "spine/storage/[01-03]"), ("handbook: a PDU", "--what-if pdu:r01/a", "--what-if pdu:r01/x"),
                                       ("handbook: a BMC", "| oob | 10.11.", "| oob | 10.12."), ("handbook: PDUs first", "1. `scontrol update nodename=ALL", "1. 3 PDUs, then: `scontrol update nodename=ALL")):
                found = handbook_differences(plan, what_if, handbook.replace(was, becomes, 1)) if was in handbook else None
                print(f"{'ok' if found else 'FAILED'}: twin '{name}': {found or 'not found'}")
                failed += not found
    # A fabric manager without a port in InfiniBand manages nothing, and the handbook must not promise it.
    with open(os.path.join(source, "examples", "roce-fabric.yaml"), encoding="utf-8") as f:
        idle = f.read().replace("roles: [scheduler,", "roles: [fabric-manager, scheduler,", 1)
    with open(os.path.join(work, "idle.yaml"), "w", encoding="utf-8") as f:
        f.write(idle)
    subprocess.run([program, "plan", os.path.join(work, "idle.yaml"), "-o", os.path.join(work, "idle"), "--exports", "documents"], capture_output=True)
    with open(os.path.join(work, "idle", "handbook.md"), encoding="utf-8") as f:
        sound = "| fabric-manager | head1 | head1: no port in an InfiniBand network" in f.read()
    print(f"{'ok' if sound else 'FAILED'}: a fabric manager without a port in InfiniBand")
    failed += not sound
    # Nothing is compiled of a spec with errors
    broken, out = os.path.join(source, "examples", "broken.yaml"), os.path.join(work, "broken")
    subprocess.run([program, "plan", broken, "-o", out, "--exports", "documents"], capture_output=True)
    with open(os.path.join(out, "runbook.md"), encoding="utf-8") as f:
        text = f.read()
    sound = "tree" not in text and "errors" in text
    print(f"{'ok' if sound else 'FAILED'}: a spec with errors has no steps that rest on what is compiled")
    failed += not sound
    # The small specs of compile's own tests and of those with consumers have what no example has: mirrors, other installers, teams, lists of nodes
    steps, seen = 0, set()
    golden, consumers = os.path.join(source, "tests", "golden", "compile"), os.path.join(source, "tests", "consumers", "specs")
    small = [(name, os.path.join(golden, name, "spec.yaml")) for name in sorted(os.listdir(golden))] + [("with-" + name[:-5], os.path.join(consumers, name)) for name in sorted(os.listdir(consumers)) if name.endswith(".yaml")]
    for name, spec in small:
        out = os.path.join(work, "steps-" + name)
        if not os.path.exists(spec) or compiled(program, spec, out + "-tree"):
            continue
        subprocess.run([program, "plan", spec, "-o", out, "--exports", "book,documents"], capture_output=True)
        with open(os.path.join(out, "plan.json"), encoding="utf-8") as f:
            plan = json.load(f)
        with open(os.path.join(out, "runbook.md"), encoding="utf-8") as f:
            text = f.read()
        wrong = step_differences(program, plan, out + "-tree", text)
        if wrong:
            print(f"FAILED: {name}: steps: {wrong}")
        failed += bool(wrong)
        steps += 1
        seen.add(name)
        for twin, broken in TWINS.get(name, lambda _: {})(text).items():
            found = step_differences(program, plan, out + "-tree", broken) if broken and broken != text else None
            print(f"{'ok' if found else 'FAILED'}: twin '{name}: {twin}': {found or 'not found'}")
            failed += not found
    print(f"{'ok' if steps >= 30 else 'FAILED'}: steps of {steps} small specs")
    failed += steps < 30
    twins_left = set(TWINS) - seen
    print(f"{'FAILED' if twins_left else 'ok'}: every spec of a twin was read {twins_left or ''}")
    failed += bool(twins_left)
    if read_ones < 6:
        print(f"FAILED: {read_ones} examples")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
