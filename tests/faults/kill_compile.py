#!/usr/bin/env python3
"""Kills a writer of trees with SIGKILL at random moments: what lies there is always the whole old tree or the whole new one.

usage: kill_compile.py PROGRAMS SOURCE WORK [ROUNDS]      (ctest: 15 of either kind; each round reads 2,000 files back)
"""
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time

FILES, SEED = 2000, 20261121


def tree_variant(out):
    """The variant that every file and the manifest agree on; raises when they do not."""
    with open(os.path.join(out, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    variant = manifest["spec"]
    listed = {entry["path"]: entry["sha256"] for entry in manifest["files"]}
    found = set()
    for at, _, names in os.walk(out):
        for name in names:
            path = os.path.relpath(os.path.join(at, name), out)
            if path == "manifest.json":
                continue
            with open(os.path.join(at, name), "rb") as file:
                data = file.read()
            found.add(path)
            assert hashlib.sha256(data).hexdigest() == listed[path], f"{path} is not as the manifest says"
            assert data.split(b"\n")[0].decode() in (variant, "all"), f"{path} is of another tree"
    assert found == set(listed), "files and manifest differ"
    assert len(found) == FILES, f"{len(found)} files"
    return variant


def main():
    programs, _, work = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 15
    # Small files held in memory, as compile has them; and those that are made one at a time, as `plan -o` does.
    for made in ([], ["100", "made"]):
        kill(programs, work, made, rounds)
    return 0


def kill(programs, work, made, rounds):
    writer = os.path.join(programs, "fault_write_tree")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    out = os.path.join(work, "out")

    def command(variant):
        return [writer, out, variant, str(FILES), *made]

    begin = time.monotonic()
    subprocess.run(command("v0"), check=True, stdout=subprocess.DEVNULL)
    whole = time.monotonic() - begin
    assert tree_variant(out) == "v0"
    dice = random.Random(SEED)
    current, killed, seen_old, seen_new, leftovers = "v0", 0, 0, 0, 0
    for i in range(1, rounds + 1):
        variant = f"v{i}"
        process = subprocess.Popen(command(variant), stdout=subprocess.DEVNULL)
        time.sleep(dice.uniform(0, 1.5 * whole))
        process.kill()
        killed += process.wait() == -9
        leftovers += len(os.listdir(work)) > 1
        now = tree_variant(out)
        assert now in (current, variant), f"round {i}: {now}, neither {current} nor {variant}"
        seen_old, seen_new = seen_old + (now == current), seen_new + (now == variant)
        current = now
    subprocess.run(command("last"), check=True, stdout=subprocess.DEVNULL)
    assert tree_variant(out) == "last"
    assert os.listdir(work) == ["out"], "a killed run left something behind"
    print(f"{rounds} runs: {killed} killed, {seen_old} left the old tree, {seen_new} the new one, {leftovers} left a half tree beside it")
    # A test that never hit the middle proves nothing.
    assert killed > rounds // 4 and leftovers > 0 and seen_old > 0, "the kills did not hit the work"
    shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
