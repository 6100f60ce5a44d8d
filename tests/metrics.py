#!/usr/bin/env python3
"""The table of metrics (`clusterc validate --list`, src/targets/metrics.cc) agrees with each validator's `--list` and options, with the keys of
`targets` in the schema of specs, and with the expected figures in the plan of every example.

usage: metrics.py CLUSTERC FOLDER-OF-VALIDATORS SOURCE
"""
import json
import pathlib
import re
import subprocess
import sys

UNITS = {"byte rate": "B/s", "FLOP rate": "FLOP/s", "time": "s", "operation rate": "1/s"}
NO_METRICS = {"contain", "probe"}   # one starts programs, the other describes a node


def output(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout


def main():
    if len(sys.argv) != 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    clusterc, folder, source = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    table = json.loads(output(clusterc, "validate", "--list", "--format", "json"))["metrics"]
    wrong, names = [], [m["name"] for m in table]
    wrong += [f"{name}: it stands twice in the table" for name in sorted({n for n in names if names.count(n) > 1})]

    validators = {p.name.removeprefix("clusterc-") for p in folder.glob("clusterc-*") if p.is_file()} - NO_METRICS
    if len(validators) < 10:
        wrong.append(f"{len(validators)} validators were found in {folder}")
    wrong += [f"{m['name']}: there is no validator '{m['validator']}'" for m in table if m["validator"] not in validators]
    for validator in sorted(validators):
        listed = {}
        for line in output(folder / f"clusterc-{validator}", "--list").splitlines():
            name, unit, better = line.split()[:3]
            listed[name] = (unit, better)
        mine = {m["name"]: (m["unit"], m["better"]) for m in table if m["validator"] == validator}
        wrong += [f"{name}: clusterc-{validator} lists it, the table does not have it" for name in sorted(listed.keys() - mine.keys())]
        wrong += [f"{name}: clusterc-{validator} does not list it" for name in sorted(mine.keys() - listed.keys())]
        wrong += [f"{name}: {mine[name]} in the table, {listed[name]} in clusterc-{validator} --list" for name in sorted(mine.keys() & listed.keys()) if mine[name] != listed[name]]
        help_text = output(folder / f"clusterc-{validator}", "--help")
        for m in (m for m in table if m["validator"] == validator):
            for word in m["options"].split():
                if not re.search(rf"(?<![a-z0-9_-]){re.escape(word)}(?![a-z0-9_-])", help_text):
                    wrong.append(f"{m['name']}: clusterc-{validator} --help does not know '{word}'")

    schema = json.loads(output(clusterc, "schema"))
    keys = None
    for definition in schema["definitions"].values():
        properties = definition.get("properties", {})
        if {"memory", "gemm", "all_reduce"} <= properties.keys():
            keys = {k for k in properties if k not in ("groups", "burn_in")}
            break
    if keys is None:
        wrong.append("the schema of specs has no targets: the reader of it is broken")
    else:
        targets = {m["target"] for m in table if m["target"]}
        wrong += [f"targets.{key}: no metric of the table names it" for key in sorted(keys - targets)]
        wrong += [f"targets.{key}: the spec has no such key" for key in sorted(targets - keys)]

    by_name = {m["name"]: m for m in table}
    seen = 0
    for spec in sorted((source / "examples").glob("*.yaml")):
        ran = subprocess.run([clusterc, "plan", str(spec), "--format", "json"], capture_output=True, text=True, check=False)
        if not ran.stdout.startswith("{"):
            continue   # a spec that is broken on purpose
        for figure in json.loads(ran.stdout)["expected"]:
            seen += 1
            metric = by_name.get(figure["test"])
            if metric is None:
                wrong.append(f"{spec.name}: a figure of '{figure['test']}' is expected, which the table does not have")
            elif not metric["origin"] and (figure["floor"]["value"] or figure["ceiling"]["value"]):
                wrong.append(f"{spec.name}: a figure of '{figure['test']}' is expected, and the table says not where from")
            elif UNITS.get(figure["dimension"]) != metric["unit"]:
                wrong.append(f"{spec.name}: {figure['test']} is expected as {figure['dimension']}, the table says {metric['unit']}")
    if seen < 50:
        wrong.append(f"{seen} expected figures were found in the plans of the examples: the reader of them is broken")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
