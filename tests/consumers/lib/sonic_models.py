#!/usr/bin/env python3
"""Compiles a flat network on a switch of each model of the catalogue that has facts about SONiC, and names the config_db.json of each.

    sonic_models.py CLUSTERC SOURCE WORK      one path in each line; exit status 1 where a model has no file"""
import glob
import os
import re
import subprocess
import sys

# An adapter for nodes at this rate, in Gb/s; switches of 800 Gb/s are split for adapters of 400.
ADAPTERS = {400: "cx7-1x400-qsfp112", 200: "cx6-vpi-200", 100: "cx6dx-1x100", 25: "cx6lx-2x25", 1: "cx6lx-2x25"}
SPEC = """clusterc: 1
rules: 2026.11
name: models
site: {{ region: iec, supply: {{ phases: 3, voltage: 400 V }} }}
nodes:
  gpu: {{ names: "g[1-4]", server: {{ like: generic-4u-pcie8, nics: {{ d: {adapter} }} }} }}
networks:
  oob: {{ kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, subnet: 10.9.0.0/24, gateway: 10.9.0.1, connects: everything }}
  lan: {{ kind: ethernet, rdma: roce, roce: {{}}, rate: {rate} Gb/s, switch: {model}, switch_os: sonic, subnet: 10.2.0.0/24, carries: [storage], connects: {{ gpu: {{ ports: d, count: 1 }} }} }}
"""


def main():
    program, source, work = sys.argv[1:]
    missing = 0
    for path in sorted(glob.glob(os.path.join(source, "catalog", "switches", "*.yaml"))):
        text = open(path, encoding="utf-8").read()
        if "\n  sonic:\n" not in text:
            continue
        model, rate = os.path.basename(path)[:-5], int(re.search(r"port_rate: \{ value: (\d+)", text)[1])
        rate = min(rate, 400)
        spec, tree = os.path.join(work, model + ".yaml"), os.path.join(work, model)
        with open(spec, "w", encoding="utf-8") as f:
            f.write(SPEC.format(adapter=ADAPTERS[rate], rate=rate, model=model))
        run = subprocess.run([program, "compile", spec, "-o", tree, "--only", "sonic"], capture_output=True, text=True)
        found = glob.glob(os.path.join(tree, "sonic", "*", "*", "config_db.json"))
        if run.returncode > 1 or len(found) != 1:
            print(f"{model}: {len(found)} files\n{run.stderr[-600:]}", file=sys.stderr)
            missing += 1
        print("\n".join(found))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
