#!/usr/bin/env python3
"""`plan -o` writes its folder whole or not at all: killed at any moment the old plan or the new one lies there; what is made no more goes; what was
changed by hand is kept and told; a folder that holds something else is refused.

usage: plan_folder.py PROGRAMS SOURCE WORK
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

ROUNDS, SEED = 40, 20261121
programs, source, work = (os.path.abspath(p) for p in sys.argv[1:4])
clusterc = os.path.join(programs, "..", "..", "bin", "clusterc")
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
out = os.path.join(work, "book")
with open(os.path.join(source, "examples", "lab.yaml"), encoding="utf-8") as file:
    lab = file.read()


def spec(name):
    """The lab under another name: plan.json, plan.txt and the digest in the manifest are others."""
    path = os.path.join(work, name + ".yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(lab.replace("name: lab", "name: " + name, 1))
    return path


def plan(path, *more, status=0):
    ran = subprocess.run([clusterc, "plan", path, "-o", out, *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == status, f"plan {more} ends with {ran.returncode}, not {status}: {ran.stderr}"
    return ran.stderr


def whole(folder):
    """The digest of the spec that the manifest names; every file is as it says, and there is no other."""
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(at, name), folder)
            with open(os.path.join(at, name), "rb") as f:
                found[path] = hashlib.sha256(f.read()).hexdigest()
    del found["manifest.json"]
    assert found == {e["path"]: e["sha256"] for e in manifest["files"]}, "the folder is not as its manifest says"
    return manifest["spec"]


assert "name: lab" in lab
one, two = spec("one"), spec("two")

# A second run changes nothing.
plan(one)
first = whole(out)
stamps = {n: os.stat(os.path.join(out, n)).st_mtime_ns for n in os.listdir(out)}
inode = os.stat(out).st_ino
assert " 0 files written, " in plan(one)
assert stamps == {n: os.stat(os.path.join(out, n)).st_mtime_ns for n in os.listdir(out)} and inode == os.stat(out).st_ino, "a second run wrote"

# What was changed by hand stays until it is forced; what is not ours stays.
with open(os.path.join(out, "labels.csv"), "a", encoding="utf-8") as file:
    file.write("mine\n")
with open(os.path.join(out, "notes.txt"), "w", encoding="utf-8") as file:
    file.write("mine\n")
said = plan(two, status=1)
assert "labels.csv: changed by hand since it was written; kept" in said and "notes.txt: not written by clusterc; kept" in said, said
with open(os.path.join(out, "labels.csv"), encoding="utf-8") as file:
    assert file.read().endswith("mine\n")
assert "labels.csv: changed by hand since it was written; overwritten" in plan(two, "--force")
os.remove(os.path.join(out, "notes.txt"))
second = whole(out)
assert second != first

# Of a network that is gone the drawing goes, too; another family of exports is not removed by the way.
fewer = os.path.join(work, "fewer.yaml")
with open(os.path.join(source, "examples", "superpod.yaml"), encoding="utf-8") as file:
    text = file.read()
with open(fewer, "w", encoding="utf-8") as file:
    file.write(text)
plan(fewer)
drawn = {n for n in os.listdir(out) if n.endswith(".dot")}
assert "compute.dot" in drawn
plan(two)
assert whole(out) == second and "compute.dot" not in os.listdir(out)
assert "has other exports" in plan(two, "--exports", "book", status=2)
tree = os.path.join(work, "tree")
subprocess.run([clusterc, "compile", os.path.join(source, "examples", "superpod.yaml"), "-o", tree], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
out, book = tree, out
assert "is not a plan (it has" in plan(two, status=2)
out = book

# And the other way round: a compile does not take the place of a plan.
ran = subprocess.run([clusterc, "compile", one, "-o", book], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
assert ran.returncode == 2 and "is not a compiled tree (it has 'bundles.csv')" in ran.stderr, ran.stderr
assert whole(book) == second

# Killed.
begin = time.monotonic()
plan(one)
takes = time.monotonic() - begin
dice = random.Random(SEED)
current, killed, old, new, half = first, 0, 0, 0, 0
for i in range(ROUNDS):
    path, aim = (two, second) if i % 2 == 0 else (one, first)
    process = subprocess.Popen([clusterc, "plan", path, "-o", out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(dice.uniform(0, 1.3 * takes))
    process.kill()
    killed += process.wait() == -9
    half += any(n.startswith(".book") for n in os.listdir(work))
    now = whole(out)
    assert now in (current, aim), "neither the old plan nor the new one"
    old, new = old + (now != aim), new + (now == aim)
    current = now
plan(one)
assert whole(out) == first and not any(n.startswith(".book") for n in os.listdir(work)), "a killed run left something behind"
# Interrupted: it ends by the signal, says so, and leaves nothing beside the folder.
interrupted = 0
large = os.path.join(source, "examples", "superpod.yaml")
for _ in range(ROUNDS):
    out = os.path.join(work, "large")
    beside = os.path.join(work, ".large.clusterc-new")
    process = subprocess.Popen([clusterc, "plan", large, "-o", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not os.path.exists(beside):
        pass
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    assert not os.path.exists(beside), "an interrupted run left its half folder"
    if process.returncode == -signal.SIGINT:
        # A signal behind the last step finds the folder in its place, and the program without its handler.
        if os.path.exists(out):
            assert "interrupted: " not in said and whole(out), said
        else:
            interrupted += 1
            assert "interrupted: " in said, said
    shutil.rmtree(out, ignore_errors=True)
assert interrupted > 0, "no run was interrupted while it wrote"
print(f"{ROUNDS} runs: {interrupted} interrupted, {killed} killed, {old} left the old plan, {new} the new one, {half} left a half folder beside it")
assert killed > ROUNDS // 8 and old > 0, "the kills did not hit the work"
shutil.rmtree(work)
