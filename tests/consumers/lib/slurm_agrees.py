#!/usr/bin/env python3
"""Whether Slurm's files, its daemons and the plan say the same, each read by a parser of its own.

usage: slurm_agrees.py BOOK TREE PART NODES TOPOLOGY
  BOOK       what `clusterc plan -o` wrote: plan.json and cables.csv
  TREE       what `clusterc compile` wrote
  PART       what `clusterc catalog SERVER` prints: sockets of the GPUs
  NODES      scontrol show nodes -o
  TOPOLOGY   scontrol show topology
For clusters whose computing nodes are of one group and have one port in a fabric of leaves and spines.
"""
import csv
import json
import os
import re
import sys

import yaml

book, tree, part, nodes_file, topology_file = sys.argv[1:]


def unfold(text):
    """n[1-2,4],m1 -> names; one bracket a name, as Slurm folds them."""
    names = []
    for term in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        stem, _, ranges = term.partition("[")
        if not ranges:
            names.append(stem)
            continue
        for piece in ranges.rstrip("]").split(","):
            low, _, high = piece.partition("-")
            names += [f"{stem}{n:0{len(low)}d}" for n in range(int(low), int(high or low) + 1)]
    return names


def lines(name):
    with open(os.path.join(tree, "slurm", name), encoding="utf-8") as text:
        return [dict(w.split("=", 1) for w in l.split() if "=" in w) for l in text if l.strip() and not l.startswith("#")]


def same(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got}, the plan says {wanted}")


with open(os.path.join(book, "plan.json"), encoding="utf-8") as text:
    plan = json.load(text)
groups = [g for g in plan["node_groups"] if g["computes"]]
(group,) = groups
names = set(unfold(group["names"]))

# what slurmctld has
served = {}
with open(nodes_file, encoding="utf-8") as text:
    for line in text:
        words = dict(w.split("=", 1) for w in line.split() if "=" in w)
        served[words["NodeName"]] = words
same("nodes that slurmctld has", set(served), names)
for name, words in served.items():
    same(f"CPUs of {name}", int(words["CPUTot"]), group["cores_each"] * int(words["ThreadsPerCore"]))
    same(f"GPUs of {name}", int(re.fullmatch(r"gpu:[^:]+:(\d+)(\(.*\))?", words["Gres"]).group(1)), group["gpus_each"])

# gres.conf: as many devices as GPUs, each with the cores of the socket that the part puts it on
with open(part, encoding="utf-8") as text:
    sockets = yaml.safe_load(text)["facts"]["pcie"]
per_socket = group["cores_each"] // len(sockets)
wanted = {}
for number, (_, slots) in enumerate(sorted(sockets.items())):
    for slot in slots.values():
        if match := re.fullmatch(r"gpus\[(\d+)\]", slot["device"]):
            wanted[f"/dev/nvidia{match.group(1)}"] = f"{number * per_socket}-{(number + 1) * per_socket - 1}"
same("GPUs of the part", len(wanted), group["gpus_each"])
cores = {}
for line in lines("gres.conf"):
    same("nodes of gres.conf", set(unfold(line["NodeName"])), names)
    cores.update({device: line["Cores"] for device in unfold(line["File"])})
same("cores of the GPUs", cores, wanted)
with open(os.path.join(tree, "slurm", "nodes", group["name"] + ".sh"), encoding="utf-8") as text:
    checked = re.findall(r"^gpu_device (\S+)$", text.read(), re.M)
same("devices that the health check looks for", set(checked), set(wanted))

# the tree: the leaf of each node is the one that its cable goes to
leaf_of = {}
with open(topology_file, encoding="utf-8") as text:
    for line in text:
        words = dict(w.split("=", 1) for w in line.split() if "=" in w)
        if words["Level"] == "0":
            leaf_of.update({node: words["SwitchName"] for node in unfold(words["Nodes"])})
cabled = {}
with open(os.path.join(book, "cables.csv"), encoding="utf-8", newline="") as text:
    for row in csv.DictReader(text):
        if match := re.fullmatch(rf"node/{group['name']}/(\d+)", row["from"]):
            cabled[re.sub(r"\[.*", "", group["names"]) + match.group(1)] = row["to"].replace("/", "-")
same("leaves of the nodes", leaf_of, cabled)
print(f"{len(names)} nodes, {group['gpus_each']} GPUs each with their cores, {len(set(cabled.values()))} leaves: as in the plan")
