#!/usr/bin/env python3
"""Rooms of different kinds, written from public data (tests/rooms/): every finding of `check` has a verdict, and none is wrong.

usage: rooms.py CLUSTERC SOURCE [--write FOLDER]
  NAME/verdicts.yaml is a list of { id, at, says, verdict, why }: the finding's rule, the path of its key, its message, and what is to be said of it:
    right     true, and of use to whoever wrote this spec; it must be found
    arguable  true, but not what an experienced planner would say, or not so loudly; it must be found
    wrong     not true of this spec or of the physical world; it must not be found
  A finding is told by its rule, its place and the numbers in its message, so better words need no new verdict.
  --write FOLDER: the findings without verdicts as NAME.txt, for somebody who is to judge them unprejudiced.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

import yaml

VERDICTS = ("right", "arguable", "wrong")
NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?")


def key(rule, at, message):
    return rule, at or "", tuple(NUMBER.findall(message))


def findings(clusterc, spec):
    done = subprocess.run([clusterc, "check", spec, "--format", "json"], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"check ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)["findings"]


def problems(found, verdicts):
    judged = collections.defaultdict(list)
    for v in verdicts:
        if v.get("verdict") not in VERDICTS or not v.get("why"):
            yield f"verdict without `verdict` or `why`: {v}"
        judged[key(v["id"], v["at"], v["says"])].append(v)
    for f in found:
        known = judged[key(f["rule"], f["path"], f["message"])]
        if not known:
            yield f"no verdict: {f['severity']} {f['message']} [{f['rule']}] at {f['path']}"
            continue
        v = known.pop()
        if v["verdict"] == "wrong":
            yield f"wrong: {f['severity']} {f['message']} [{f['rule']}] at {f['path']}: {v['why']}"
    for left in judged.values():
        for v in left:
            if v["verdict"] != "wrong":
                yield f"gone: {v['says']} [{v['id']}] at {v['at']}"


def write(folder, name, found):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
        for f in found:
            file.write(f"{f['place']['line']}: {f['severity']}[{f['rule']}] at {f['path']}: {f['message']}\n")
            for what in ("notes", "helps"):
                for text in f[what]:
                    file.write(f"    {what[:-1]}: {text if isinstance(text, str) else text.get('message', text)}\n")


def main():
    clusterc, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    rooms = sorted(glob.glob(os.path.join(source, "tests", "rooms", "*", "spec.yaml")))
    failures = 0
    for spec in rooms:
        folder = os.path.dirname(spec)
        name = os.path.basename(folder)
        found = findings(clusterc, spec)
        if sys.argv[3:4] == ["--write"]:
            write(sys.argv[4], name, found)
            continue
        with open(os.path.join(folder, "verdicts.yaml"), encoding="utf-8") as file:
            lines = list(problems(found, yaml.safe_load(file) or []))
        failures += bool(lines)
        print(("FAILED" if lines else "ok") + f": {name}, {len(found)} findings" + "".join(f"\n  {line}" for line in lines))
    print(f"{len(rooms)} rooms, {failures} failed")
    return 1 if failures or len(rooms) < 7 else 0


if __name__ == "__main__":
    sys.exit(main())
