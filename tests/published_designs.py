#!/usr/bin/env python3
"""Published designs as specs (examples/published/): no error, every warning explained in the file, the published figures in the plan.

usage: published_designs.py CLUSTERC SOURCE
Comments of a spec say what is expected of it:
  # warning[RULE]: reason         the design has it and it is true; one that is explained and not found is a failure, too
  # shows: fabric NETWORK leaf 16, spine 8, core 0, end 508, leaf_spine 512, spine_core 0; gpus 504; rack NAME power 40.8 kW, units 32, airflow 4420 CFM
"""
import glob
import json
import os
import re
import subprocess
import sys

from fabric_counts import counts

UNIT = {"kW": 1e3, "CFM": 0.3048 ** 3 / 60, None: 1}      # 1 CFM = 1 cubic foot a minute


def run(clusterc, *arguments):
    return subprocess.run([clusterc, *arguments], capture_output=True, text=True, check=False)


def rack_figures(book, name):
    rack = next(r for r in book["racks"] if r["name"] == name)
    return {"power": rack["power_w"], "units": sum(d["units"] for d in rack["devices"]), "airflow": rack["airflow_m3_s"]}


def shown(book, text):
    """(what, published, ours) of one `shows` line."""
    for item in text.split(";"):
        words = item.split()
        found = counts(book, words[1]) if words[0] == "fabric" else rack_figures(book, words[1]) if words[0] == "rack" else {"gpus": book["totals"]["gpus"]}
        for name, value, unit in re.findall(r"(\w+) ([0-9.]+)(?: (kW|CFM))?", " ".join(words[2:] if words[0] != "gpus" else words)):
            yield f"{' '.join(words[:2])} {name}", float(value) * UNIT[unit or None], found[name]


def problems(clusterc, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    done = run(clusterc, "check", path, "--format", "json")
    found = json.loads(done.stdout)["findings"]
    explained = set(re.findall(r"^# warning\[([a-z0-9-]+)\]: \S", text, re.M))
    for f in found:
        if f["severity"] == "error" or f["severity"] == "warning" and f["rule"] not in explained:
            yield f"{f['severity']}: {f['message']} [{f['rule']}]"
    for rule in sorted(explained - {f["rule"] for f in found if f["severity"] == "warning"}):
        yield f"explained, and not found: {rule}"
    book = json.loads(run(clusterc, "plan", path, "--format", "json").stdout)
    lines = re.findall(r"^# shows: (.*)$", text, re.M)
    if not lines:
        yield "no `# shows:` line"
    for line in lines:
        for what, published, ours in shown(book, line):
            if abs(ours - published) > 1e-3 * abs(published):
                yield f"{what}: published {published:g}, planned {ours:g}"


def main():
    clusterc, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    specs = sorted(glob.glob(os.path.join(source, "examples", "published", "*.yaml")))
    failures = 0
    for path in specs:
        lines = list(problems(clusterc, path))
        failures += bool(lines)
        print(("FAILED" if lines else "ok") + f": {os.path.basename(path)}" + "".join(f"\n  {line}" for line in lines))
    print(f"{len(specs)} designs, {failures} failed")
    return 1 if failures or len(specs) < 11 else 0


if __name__ == "__main__":
    sys.exit(main())
