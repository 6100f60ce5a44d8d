#!/usr/bin/env python3
"""Puts faults of real clusters (public.yaml) into clean specs and looks for what `clusterc check` says of them.

usage: public.py CLUSTERC SOURCE WORK [--only ID,…] [--list]

found        a finding of the rules in `found_by`, which the clean spec did not have, at a key of the edit or of `at`: error or warning, or a note where the fault says so
false alarm  any other error or warning that the clean spec did not have, unless `follows` names its rule, with the reason why it follows from the edit
The exit status is 1 where a fault is missed that is not marked `still_missed`, where one is found that is, or where there is a false alarm.
--list prints every new finding, notes too.
"""
import argparse
import collections
import json
import os
import shutil
import subprocess
import sys

import yaml

from text import Spec

COUNTS = ("error", "warning")


def steps_of(path):
    return tuple(int(step) if step.isdigit() else step for step in path.split("."))


def check(clusterc, folder, text):
    os.makedirs(folder)
    with open(os.path.join(folder, "spec.yaml"), "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([clusterc, "check", "spec.yaml", "--format", "json"], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"{folder}: exit {done.returncode}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)["findings"]


def edited(spec, steps):
    """The spec with its edits, and the paths that they touch; of a key that is taken out, the one above it."""
    paths = []
    for step in steps:
        path = steps_of(step["set"] if "set" in step else step["remove"])
        spec = spec.set(path, str(step["to"])) if "set" in step else spec.remove(path)
        paths.append(path if "set" in step else path[:-1])
    return spec, paths


def key_of(finding):
    return finding["rule"], finding["severity"], finding["path"]


def place_of(finding):
    place = finding.get("place") or {}
    return f"line {place.get('line')}, {finding['path'] or 'no key'}"


def stands_at(finding, lines):
    place = finding.get("place") or {}
    return place.get("file") == "spec.yaml" and place.get("line") in lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clusterc")
    parser.add_argument("source")
    parser.add_argument("work")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    clusterc = os.path.abspath(options.clusterc)
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "public.yaml"), encoding="utf-8") as file:
        faults = yaml.safe_load(file)
    only = set(filter(None, options.only.split(",")))

    bases, wrong, counted = {}, 0, collections.Counter()
    for fault in faults:
        if only and fault["id"] not in only:
            continue
        if fault["base"] not in bases:
            with open(os.path.join(options.source, fault["base"]), encoding="utf-8") as file:
                spec = Spec(file.read())
            bases[fault["base"]] = spec, check(clusterc, os.path.join(options.work, f"base-{len(bases)}"), spec.text)
        spec, before = bases[fault["base"]]
        spec, paths = edited(spec, fault["edit"])
        after = check(clusterc, os.path.join(options.work, fault["id"]), spec.text)
        lines = set()
        for path in paths + [steps_of(p) for p in fault["at"]]:
            lines |= spec.lines(path)

        known = collections.Counter(key_of(f) for f in before)
        said = {(*key_of(f), f["message"]) for f in before}
        new = []
        for f in after:
            known[key_of(f)] -= 1
            if known[key_of(f)] < 0:
                new.append(f)
        if options.list:
            print(f"== {fault['id']}: {fault['says']}")
            for f in new:
                print(f"   {'at the place' if stands_at(f, lines) else 'ELSEWHERE'}: {f['severity']}: {f['message']} [{f['rule']}] ({place_of(f)})")

        rules = fault.get("found_by", [])
        rules = [rules] if isinstance(rules, str) else rules
        severities = COUNTS + ("note",) if fault.get("note") else COUNTS
        # A finding that the clean spec had, and that says something else now, is an answer too, but no alarm.
        spoken = [f for f in after if f["rule"] in rules and f["severity"] in severities and (f in new or (*key_of(f), f["message"]) not in said)]
        hit = [f for f in spoken if stands_at(f, lines)]
        state = "found" if hit else "elsewhere" if spoken else "missed"
        counted[state] += 1
        if (state == "found") == bool(fault.get("still_missed")):
            wrong += 1
            print(f"{state.upper()}: {fault['id']}: {fault['says']}" + "".join(f"\n   said at {place_of(f)}: {f['message']} [{f['rule']}]" for f in spoken if not hit))
        for f in new:
            if f["severity"] in COUNTS and f["rule"] not in rules and f["rule"] not in fault.get("follows", {}):
                wrong += 1
                counted["alarms"] += 1
                print(f"ALARM: {fault['id']}: {f['severity']}: {f['message']} [{f['rule']}] ({place_of(f)})")
    print(f"{counted['found'] + counted['elsewhere'] + counted['missed']} faults from public reports: {counted['found']} found, {counted['elsewhere']} named elsewhere, "
          f"{counted['missed']} missed; {counted['alarms']} false alarms")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
