#!/usr/bin/env python3
"""SIGINT, SIGTERM and SIGHUP at random moments of a compile and a plan: the program ends by the signal, the old tree is whole, and nothing is left beside it.

usage: interrupt_compile.py PROGRAMS SOURCE WORK [ROUNDS [NODES]]      (PROGRAMS/../../bin/clusterc is the program)
"""
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

programs, source, work = (os.path.abspath(p) for p in sys.argv[1:4])
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 30
NODES = int(sys.argv[5]) if len(sys.argv) > 5 else 2048
SEED, LIMIT = 20261125, 10      # seconds until a run that does not end is called hanging; docs/commands.md promises two
REMOVED = 120                   # seconds until the half-written tree is gone
clusterc = os.path.join(programs, "..", "..", "bin", "clusterc")
sys.path.insert(0, os.path.join(source, "benchmarks"))
import specs  # noqa: E402  (found by the line above)

shutil.rmtree(work, ignore_errors=True)
os.makedirs(os.path.join(work, "trees"))
spec = {}
for name in ("one", "two"):
    spec[name] = os.path.join(work, name + ".yaml")
    with open(spec[name], "w", encoding="utf-8") as file:
        file.write(specs.spec(NODES).replace(f"name: bench-{NODES}", f"name: {name}", 1))
out = os.path.join(work, "trees", "t")


def command(kind, name):
    return [clusterc, kind, spec[name], "-o", out, *(("--exports", "book") if kind == "plan" else ())]


def whole():
    """The digest of the spec that the manifest names; every file is as it says. None: there is no tree."""
    if not os.path.exists(out):
        return None
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    for entry in manifest["files"][:: max(1, len(manifest["files"]) // 500)]:
        path = os.path.join(out, entry["path"])
        if os.path.islink(path):
            data = os.readlink(path).encode()
        else:
            with open(path, "rb") as file:
                data = file.read()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"], path
    return manifest["spec"]


def left_there():
    """What stands in the folder: a child removes what takes a busy disk longer than half a second."""
    for _ in range(10 * REMOVED):
        names = sorted(os.listdir(os.path.join(work, "trees")))
        if not any(name.startswith(".") for name in names):
            break
        time.sleep(0.1)
    return names


dice = random.Random(SEED)
worst = interrupted = kept = 0
for kind in ("compile", "plan"):
    shutil.rmtree(out, ignore_errors=True)
    begin = time.monotonic()
    subprocess.run(command(kind, "one"), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    takes = time.monotonic() - begin
    digest = whole()
    for i in range(ROUNDS if kind == "compile" else ROUNDS // 3):
        if i % 2:      # over a tree, and where there is none
            shutil.rmtree(out, ignore_errors=True)
        before = whole()
        process = subprocess.Popen(command(kind, "two"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(dice.uniform(0, 1.1 * takes))
        number = dice.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        process.send_signal(number)
        begin = time.monotonic()
        said = process.communicate(timeout=LIMIT)[1]
        status = process.returncode
        took = time.monotonic() - begin
        now, left = whole(), left_there()
        assert left in ([], ["t"]), f"{kind}, round {i}: left beside the tree: {left}"
        if status == -number:
            interrupted += 1
            worst = max(worst, took)
            # A signal that comes when the tree is in place, and only the report is left, ends the program like any other: it says nothing of the tree then.
            assert now == before or ("as it was" not in said and now not in (None, digest)), f"{kind}, round {i}: interrupted, and the tree is another one: {said}"
            kept += "as it was" in said
        else:
            assert status == 0 and now not in (None, digest), f"{kind}, round {i}: status {status}"
            subprocess.run(command(kind, "one"), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(f"{interrupted} interrupted, {kept} with the tree as it was, the last of them {worst:.2f} s after the signal")
assert kept > ROUNDS // 4, "the signals did not hit the work"
shutil.rmtree(work)
