#!/usr/bin/env python3
"""`clusterc catalog import`: what it makes of files of NetBox's library stands in specs that are checked and planned.

usage: netbox_import.py CLUSTERC SOURCE WORK
Imports tests/netbox and, where it is there, ../shared/data/netbox beside the source (exit 77 without it: then 50 parts are not to be had).
Each imported server, switch, strip and cabinet is named in a spec: no reference may be unknown, no fact malformed, and the plan must have 50 of them.
"""
import glob
import json
import os
import shutil
import subprocess
import sys

import yaml

from skipping import cannot

clusterc, source, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
everything = os.path.join(source, "..", "shared", "data", "netbox")
PLANNED = 50


def run(*arguments):
    return subprocess.run([clusterc, *arguments], capture_output=True, text=True, check=False)


def imported(folder, name):
    """The parts that come of a folder: id -> kind. A crash, a file that is passed over in silence or another status than 0 or 1 fails."""
    out = os.path.join(work, name, "parts")
    shutil.rmtree(out, ignore_errors=True)
    files = [f for f in glob.glob(os.path.join(folder, "**"), recursive=True) if f.endswith((".yaml", ".yml"))]
    done = run("catalog", "import", folder, "-o", out, "--format", "json")
    if done.returncode not in (0, 1):
        sys.exit(f"FAILED: import of {folder} ends with {done.returncode}\n{done.stderr}")
    findings = json.loads(done.stdout)["findings"]
    none = {f["place"]["file"] for f in findings if f["rule"] == "netbox-no-part"} | {f["place"]["file"] for f in findings if f["rule"] == "netbox-part-again"}
    parts = {}
    for path in sorted(glob.glob(os.path.join(out, "*.yaml"))):
        with open(path, encoding="utf-8") as file:
            part = yaml.safe_load(file)
        parts[part["id"]] = part["part"] if part["facts"].get("link") != "infiniband" else "infiniband"
        for fact in facts(part["facts"]):
            if fact["confirmed"] or fact["source"] != "netbox":
                sys.exit(f"FAILED: {path}: an imported figure counts as confirmed, or has no source: {fact}")
    if len(parts) + len(none) != len(files):
        sys.exit(f"FAILED: {len(files)} files, {len(parts)} parts, {len(none)} said to be none")
    print(f"{name}: {len(files)} files, {len(parts)} parts, {len(findings)} findings")
    return parts


def facts(node):
    if isinstance(node, dict):
        if "confirmed" in node:
            yield node
        else:
            for value in node.values():
                yield from facts(value)
    elif isinstance(node, list):
        for value in node:
            yield from facts(value)


def spec_of(parts):
    """A spec that names every part: a group of one node for each server, a network for each switch, a row of cabinets for each cabinet or strip."""
    of = {kind: [i for i, k in parts.items() if k == kind] for kind in set(parts.values())}
    racks = of.get("rack", []) or ["generic-48u-800x1200"]
    strips = of.get("pdu", []) or ["eu-400-3ph-32"]
    servers = of.get("server", [])
    spec = {"clusterc": 1, "rules": "2026.11", "name": "imported", "parts": ["parts"], "site": {"region": "iec", "supply": {"phases": 3, "voltage": "400 V"}, "feeds": {"a": {"breaker": "63 A"}}},
            "racks": {}, "nodes": {}, "networks": {}}
    for n in range(max(len(strips), len(racks), len(servers) // 4 + 1)):
        spec["racks"][f"row{n}"] = {"names": f"r{n}", "model": racks[n % len(racks)], "pdus": [{"model": strips[n % len(strips)], "feed": "a"}]}
    for n, server in enumerate(servers):
        spec["nodes"][f"g{n}"] = {"names": f"g{n}n1", "racks": f"row{n // 4}", "model": server}
    for n, switch in enumerate(of.get("switch", []) + of.get("infiniband", [])):
        kind = "infiniband" if parts[switch] == "infiniband" else "ethernet"
        spec["racks"][f"net{n}"] = {"names": f"s{n}", "model": "generic-48u-800x1200", "pdus": [{"model": "eu-400-3ph-32", "feed": "a"}]}
        spec["nodes"][f"net{n}"] = {"names": f"net{n}n[1-2]", "racks": f"net{n}", "server": {"like": "generic-2u", "nics": {"data": "cx6-vpi-200"}}}
        spec["networks"][f"net{n}"] = {"kind": kind, "switch": switch, "racks": f"net{n}", "connects": {f"net{n}": {"ports": "data", "count": 1}}}
    return spec


def planned(parts, name):
    folder = os.path.join(work, name)
    path = os.path.join(folder, "spec.yaml")
    with open(path, "w", encoding="utf-8") as file:
        yaml.safe_dump(spec_of(parts), file, sort_keys=False)
    for verb in ("check", "plan"):
        done = run(verb, path, "--format", "json")
        if done.returncode not in (0, 1) or not done.stdout:
            sys.exit(f"FAILED: {verb} of {path} ends with {done.returncode}\n{done.stderr}")
    unread = [f for f in json.loads(run("check", path, "--format", "json").stdout)["findings"]
              if f["rule"].startswith("spec-") and f["severity"] == "error"]
    if unread:
        sys.exit(f"FAILED: {path}: " + "; ".join(f"{f['message']} [{f['rule']}]" for f in unread[:5]))
    plan = done.stdout
    named = [i for i, kind in parts.items() if kind != "nic" and kind != "ups" and f'"{i}"' in plan]
    print(f"{name}: {len(named)} imported parts stand in the plan")
    return len(named)


os.makedirs(work, exist_ok=True)
planned(imported(os.path.join(source, "tests", "netbox"), "ours"), "ours")
if not os.path.exists(everything):
    cannot(f"{everything} is not there")
if planned(imported(everything, "everything"), "everything") < PLANNED:
    sys.exit(f"FAILED: fewer than {PLANNED}")
