#!/usr/bin/env python3
"""Tables of published designs, row by row, integer for integer: switches of each tier and links between them, from the node, its network and the switch alone.

usage: published_tables.py CLUSTERC WORK

A row: nodes, leaves, spines, links to nodes, links between leaves and spines.
"""
import json
import os
import subprocess
import sys

from fabric_counts import counts

TABLES = (
    # 72 nodes a unit on switches of 144 ports. 288 nodes need 2,304 / 144 = 16 spines for their ports, and have 18: 72 uplinks of a leaf are not 16 x any number.
    # (The table prints 9216 GPUs for its last row; 1,296 x 8 are 10,368, as its cables say.)
    {"title": "NVIDIA, DGX SuperPOD with DGX B300 (XDR), DGX SuperPOD Architecture, table 3",
     "url": "https://docs.nvidia.com/dgx-superpod/reference-architecture/scalable-infrastructure-b300-xdr/latest/dgx-superpod-architecture.html",
     "unit": 72, "network": "kind: infiniband, rate: 800 Gb/s, switch: nvidia-q3400-ra", "links_each": 1,
     "rows": ((72, 8, 4, 576, 576), (144, 16, 8, 1152, 1152), (288, 32, 18, 2304, 2304), (576, 64, 36, 4608, 4608), (1296, 144, 72, 10368, 10368))},
    # 64 nodes a unit; 800 Gb/s of an adapter are two ports of 400 to two planes (1,024 nodes are past what leaves of 64 ports of 800 reach in two tiers), and a cable of the
    # table is two links.
    {"title": "NVIDIA, DGX SuperPOD with DGX B300, DGX SuperPOD Architecture, table 3",
     "url": "https://docs.nvidia.com/dgx-superpod/reference-architecture/scalable-infrastructure-b300/latest/dgx-superpod-architecture.html",
     "unit": 64, "network": "kind: ethernet, rdma: roce, rate: 400 Gb/s, planes: 2, switch: nvidia-sn5600", "links_each": 2,
     "rows": ((64, 16, 8, 512, 512), (128, 32, 16, 1024, 1024), (256, 64, 32, 2048, 2048), (512, 128, 64, 4096, 4096), (1024, 256, 128, 8192, 8192))},
)


def planned(clusterc, work, table, nodes):
    path = os.path.join(work, f"published-{table['unit']}-{nodes}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"""clusterc: 1
rules: 2026.11
name: published
site: {{ region: na }}
nodes:
  gpu: {{ names: "n[1-{nodes}]", model: nvidia-dgx-b300, scalable_unit: {table['unit']} }}
networks:
  compute: {{ {table['network']}, topology: rail-optimised, connects: {{ gpu: {{ ports: compute }} }} }}
""")
    done = subprocess.run([clusterc, "plan", path, "--format", "json"], capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(f"{path}: status {done.returncode}\n{done.stderr}")
    return counts(json.loads(done.stdout))


def main():
    clusterc, work = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.makedirs(work, exist_ok=True)
    rows = failures = 0
    for table in TABLES:
        for nodes, leaf, spine, end, leaf_spine in table["rows"]:
            ours = planned(clusterc, work, table, nodes)
            wanted = {"leaf": leaf, "spine": spine, "core": 0, "end": end * table["links_each"], "leaf_spine": leaf_spine * table["links_each"], "spine_core": 0}
            differ = [f"{name}: published {value}, planned {ours[name]}" for name, value in wanted.items() if ours[name] != value]
            rows += 1
            failures += bool(differ)
            print(("FAILED" if differ else "ok") + f": {table['title']}, {nodes} nodes" + "".join(f"\n  {line}" for line in differ))
    print(f"{rows} rows, {failures} failed")
    return 1 if failures or rows != 10 else 0


if __name__ == "__main__":
    sys.exit(main())
