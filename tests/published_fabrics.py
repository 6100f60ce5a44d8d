#!/usr/bin/env python3
"""The fabric tables of published designs, integer for integer: each row written as a spec, judged by every rule, planned, its counts compared.

usage: published_fabrics.py CLUSTERC SOURCE WORK
Reads ../shared/reference/architectures.yaml beside the source; exit 77 when it is not there.

Where the plan differs from a row, EXPLAINED says which rule of the publication is outside topology, with the figure that
the plan has instead; a row that is explained and does not differ is a failure, too. What `check` says of a row is to be in SAID, with the reason why
it is true of that design; any other error or warning fails, and so does one that is explained and not said.
"""
import json
import os
import subprocess
import sys

import yaml

from fabric_counts import counts
from skipping import cannot

clusterc, source, work = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
facts = os.path.join(source, "..", "shared", "reference", "architectures.yaml")
if not os.path.exists(facts):
    cannot(f"{facts} is not there")
os.makedirs(work, exist_ok=True)

# record, what identifies the row, figure: (ours, why)
EXPLAINED = {}

# What is true of a published design: what the row's name begins with -> (severity, rule): why.
SAID = {
    "Insights into DeepSeek-V3, arXiv 2505.09343, Table 3, FT3": {("error", "net-subnet-manager-or-lids-short"): "65,536 ends and 5,120 switches are more than one InfiniBand subnet has addresses for (49,151)"},
}


def run(verb, path):
    done = subprocess.run([clusterc, verb, path, "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode > 1 or not done.stdout:
        sys.exit(f"FAILED: {path}: clusterc {verb} ends with {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def judged(name, path):
    """What `check` says and nobody explains, and what is explained and not said."""
    explained = {key for start, said in SAID.items() if name.startswith(start) for key in said}
    said = {(f["severity"], f["rule"]): f["message"] for f in run("check", path)["findings"] if f["severity"] in ("error", "warning")}
    return [f"{key[0]}: {said[key]} [{key[1]}]" for key in sorted(set(said) - explained)] + [f"explained, and not said: {key[1]}" for key in sorted(explained - set(said))]


HEAD = """clusterc: 1
rules: 2026.11
name: published

site: { region: na, supply: { phases: 3, voltage: 415 V } }
"""


def superpod(nodes, built_for, per_unit, managers):
    width = len(str(nodes))
    fm = f'  fm: {{ names: "fm[1-{managers}]", model: generic-1u, nics: {{ compute: cx7-ndr-osfp }}, roles: [fabric-manager] }}\n' if managers else ""
    ends = ", fm: { ports: compute }" if managers else ""
    return HEAD + f"""
nodes:
  gpu: {{ names: "n[{'1'.zfill(width)}-{nodes}]", model: nvidia-dgx-h100, scalable_unit: {per_unit} }}
{fm}
networks:
  compute:
    kind: infiniband
    rate: 400 Gb/s
    switch: nvidia-qm9700
    topology: rail-optimised
    oversubscription: 1
    built_for: {{ gpu: {built_for} }}
    connects: {{ gpu: {{ ports: compute }}{ends} }}
"""


def roce_rails(nodes, rails, switch):
    return HEAD + f"""
nodes:
  gpu:
    names: "n[01-{nodes}]"
    server:
      like: generic-4u-pcie8
      gpus: {rails} x nvidia-h100-pcie-80
      nics: {{ data: 0 x cx6-vpi-200, compute: {rails} x cx7-400-qsfp112 }}
      pcie:
        socket0: {{ slot1: "gpus[0]", slot2: "gpus[1]", slot3: "nics.compute[0]", slot4: "nics.compute[1]" }}
        socket1: {{ slot5: "gpus[2]", slot6: "gpus[3]", slot7: "nics.compute[2]", slot8: "nics.compute[3]" }}

networks:
  compute:
    kind: ethernet
    rdma: roce
    rate: 400 Gb/s
    switch: {switch}
    topology: rail-optimised
    rails: {rails}
    oversubscription: 1
    mtu: 9000
    subnet: 10.64.0.0/16
    roce: {{ priority: 3, dscp: 26 }}
    connects: {{ gpu: {{ ports: compute }} }}
"""


def rows_of(record):
    """(label, spec, {figure: published}) for every row of a record."""
    given = record["given"]
    for row in record.get("rows", []):
        if "fabric_manager_links" in given:
            spec = superpod(row["nodes"], row["su"] * given["nodes_per_su"], given["nodes_per_su"], given["fabric_manager_links"])
            wanted = {"leaf": row["leaf"], "spine": row["spine"], "core": row["core"], "gpus": row["gpus"],
                      "end": row["compute_plus_ufm_cables"], "leaf_spine": row["leaf_spine_cables"], "spine_core": 0}
        else:
            spec = superpod(row["nodes"], row["nodes"], given["nodes_per_su"], 0)
            wanted = {"leaf": row["leaf"], "spine": row["spine"], "core": row["core"], "gpus": row["gpus"],
                      "end": row["node_leaf"], "leaf_spine": row["leaf_spine"], "spine_core": row["spine_core"]}
        yield f"{row['su']} SU", spec, wanted
    if "expect" in record:
        expect = record["expect"]
        yield f"{given['nodes']} nodes", roce_rails(given["nodes"], given["rails"], "SWITCH"), {
            "leaf": expect["leaf"], "spine": expect["spine"], "core": expect["core"],
            "end": expect["node_leaf_links_400g"], "leaf_spine": expect["leaf_spine_links_400g"], "spine_core": 0}


def design(nodes, server, kind, rate, switch, topology, unit=0, planes=0):
    width = len(str(nodes))
    return HEAD + f"""
nodes:
  gpu: {{ names: "n[{'1'.zfill(width)}-{nodes}]", {server}{f", scalable_unit: {unit}" if unit else ""} }}

networks:
  compute:
    kind: {kind}
    rate: {rate}
    switch: {switch}
    topology: {topology}
{f"    planes: {planes}" if planes else ""}
    oversubscription: 1
    connects: {{ gpu: {{ ports: compute }} }}
"""


XDR = "model: nvidia-dgx-b300"
NDR = "model: nvidia-dgx-h100"      # eight ports of 400 Gb/s, as the H800 nodes of the paper


def fabric(leaf, spine, core, end, leaf_spine, spine_core):
    return {"leaf": leaf, "spine": spine, "core": core, "end": end, "leaf_spine": leaf_spine, "spine_core": spine_core}


# Published designs that the reference does not hold: (source, label, spec, published counts).
def others():
    # 144 ports of 800 Gb/s: units of 72 nodes, 8 rails. Table 3 of the reference architecture; its last row says 9,216 GPUs for 1,296
    # nodes, which are 10,368 as in its own count of cables.
    source = "docs.nvidia.com, DGX SuperPOD B300 XDR reference architecture, Table 3"
    for units, leaf, spine in ((1, 8, 4), (2, 16, 8), (4, 32, 18), (8, 64, 36), (18, 144, 72)):
        cables = units * 72 * 8
        yield source, f"{units} SU", design(72 * units, XDR, "infiniband", "800 Gb/s", "nvidia-q3400-ra", "rail-optimised", 72), fabric(leaf, spine, 0, cables, cables, 0)
    # 64 cages that carry 128 links of 400 Gb/s; adapters of 800 Gb/s split over two planes. The table counts cables of 800 Gb/s, two links each.
    source = "docs.nvidia.com, DGX SuperPOD B300 Ethernet reference architecture, Table 3"
    for units, leaf, spine in ((1, 16, 8), (2, 32, 16), (4, 64, 32), (8, 128, 64), (16, 256, 128)):
        links = 2 * units * 64 * 8
        yield source, f"{units} SU", design(64 * units, XDR, "ethernet", "400 Gb/s", "nvidia-sn5600", "rail-optimised", 64, 2), fabric(leaf, spine, 0, links, links, 0)
    # Zhao et al., Insights into DeepSeek-V3 (ISCA 2025), Table 3, switches of 64 ports of 400 Gb/s: two tiers 2,048 end points, 96 switches, 2,048
    # links between switches; three tiers 65,536, 5,120, 131,072; eight planes of two tiers 16,384, 768, 16,384.
    source = "Insights into DeepSeek-V3, arXiv 2505.09343, Table 3"
    yield source, "FT2", design(256, NDR, "infiniband", "400 Gb/s", "nvidia-qm9700", "fat-tree"), fabric(64, 32, 0, 2048, 2048, 0)
    yield source, "FT3", design(8192, NDR, "infiniband", "400 Gb/s", "nvidia-qm9700", "fat-tree"), fabric(2048, 2048, 1024, 65536, 65536, 65536)
    yield source, "MPFT", design(2048, NDR, "infiniband", "400 Gb/s", "nvidia-qm9700", "fat-tree", 0, 8), fabric(512, 256, 0, 16384, 16384, 0)
    yield source, "MPFT as rail-only", design(2048, NDR, "infiniband", "400 Gb/s", "nvidia-qm9700", "rail-only"), fabric(512, 256, 0, 16384, 16384, 0)


with open(facts, encoding="utf-8") as file:
    records = [r for r in yaml.safe_load(file)["records"] if r["kind"] == "fabric_table"]
cases = [(record["id"], label, spec, wanted) for record in records for label, spec, wanted in rows_of(record)]
cases += others()
failures = 0
for number, (source, label, spec, wanted) in enumerate(cases):
    # 64 ports of 800 Gb/s, each split in two: any such switch of the catalogue stands for the CX864E-N
    spec = spec.replace("SWITCH", "nvidia-sn5600")
    path = os.path.join(work, f"{number:02}-{label.replace(' ', '-')}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(spec)
    found = counts(run("plan", path))
    lines = judged(f"{source}, {label}", path)
    for figure, published in wanted.items():
        explained = EXPLAINED.get((source, label, figure))
        ours = explained[0] if explained else published
        if found[figure] != ours or (explained and ours == published):
            lines.append(f"{figure}: planned {found[figure]}, published {published}" + (f", explained as {ours}" if explained else ""))
        elif explained:
            print(f"differs: {source}, {label}: {figure} planned {ours}, published {published}: {explained[1]}")
    failures += bool(lines)
    print(("FAILED" if lines else "ok") + f": {source}, {label}: " + ("; ".join(lines) or ", ".join(f"{k} {v}" for k, v in wanted.items())))
print(f"{len(cases)} rows, {failures} differ without an explanation")
sys.exit(1 if failures or len(cases) < 30 else 0)
