#!/usr/bin/env python3
"""What programs read of us is what schemas/ say: plans, what-ifs, diffs and variants of every example, held against their JSON Schemas.

usage: json_schemas.py CLUSTERC SOURCE      exit status 77: the Python package jsonschema is not installed
Each schema must also refuse: a document without one of its required keys, with a key that it does not know, or with another version.
"""
import copy
import json
import os
import subprocess
import sys

from skipping import missing

try:
    import jsonschema
except ImportError:
    missing("python3-jsonschema is not installed")

clusterc, source = os.path.abspath(sys.argv[1]), sys.argv[2]
TOO_LARGE = {"roce-16384.yaml"}      # the same writers, and minutes for a validator in Python
failures, checked = [], 0


def document(*arguments):
    ran = subprocess.run([clusterc, *arguments, "--format", "json", "--today", "2026-11-21"], cwd=source, capture_output=True, check=False)
    if not ran.stdout:
        failures.append(f"{' '.join(arguments)}: no document: {ran.stderr.decode()[:300]}")
        return None
    return json.loads(ran.stdout)


def validator(name):
    with open(os.path.join(source, "schemas", name), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def hold(schema, *arguments):
    global checked
    found = document(*arguments)
    if found is None:
        return
    checked += 1
    for error in list(schema.iter_errors(found))[:3]:
        failures.append(f"{' '.join(arguments)}: at {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    for key in found:
        lacking = {k: v for k, v in found.items() if k != key}
        if key not in ("cost", "files", "files_not_compared", "figures", "all_reduce", "workloads") and schema.is_valid(lacking):
            failures.append(f"{' '.join(arguments)}: valid without '{key}'")
    for change in ({"version": 2}, {"format": "another"}, {"a_key_that_nobody_knows": 1}):
        if schema.is_valid({**copy.deepcopy(found), **change}):
            failures.append(f"{' '.join(arguments)}: valid with {change}")


plan, what_if, diff, variants = (validator(n) for n in ("plan.schema.json", "what-if.schema.json", "diff.schema.json", "variants.schema.json"))
examples = sorted(e for e in os.listdir(os.path.join(source, "examples")) if e.endswith(".yaml") and e not in TOO_LARGE)
for example in examples:
    path = "examples/" + example
    hold(plan, "plan", path)
    hold(what_if, "plan", path, "--what-if", "each")
    hold(diff, "diff", "examples/lab.yaml", path)
    hold(variants, "plan", "examples/lab.yaml", "--option", path)
hold(what_if, "plan", "examples/superpod.yaml", "--what-if", "feed:A,spine:3")
hold(what_if, "plan", "tests/golden/plan/what-if-cascade/spec.yaml", "--what-if", "feed:A")
hold(variants, "plan", "examples/priced-lab.yaml", "--fit", "nodes.gpu")
hold(variants, "plan", "examples/nvl72.yaml", "--fit", "assemblies.nvl")
hold(variants, "plan", "examples/priced-lab.yaml", "--phases")
hold(variants, "plan", "examples/lab.yaml", "--option", "nodes.gpu=2", "--option", "nodes.nobody.model=x")
for line in failures:
    print(line)
if failures:
    sys.exit(1)
print(f"ok: {checked} documents")
