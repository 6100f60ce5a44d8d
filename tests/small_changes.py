#!/usr/bin/env python3
"""A small change of a spec changes few files of its compiled tree: a comment none, one node less only its own files and those of its group.

usage: small_changes.py PROGRAM SOURCE WORK
"""
import os
import re
import shutil
import subprocess
import sys


def stamps(tree):
    """Every file by its inode and time of change of content: a file that was not written keeps both."""
    return {os.path.relpath(os.path.join(at, f), tree): (os.stat(os.path.join(at, f)).st_ino, os.stat(os.path.join(at, f)).st_mtime_ns) for at, _, files in os.walk(tree) for f in files}


def main():
    program, source, work = sys.argv[1:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    with open(os.path.join(source, "examples", "superpod.yaml"), encoding="utf-8") as f:
        text = f.read()
    spec, tree = os.path.join(work, "superpod.yaml"), os.path.join(work, "tree")

    def compiled(what):
        with open(spec, "w", encoding="utf-8") as f:
            f.write(what)
        said = subprocess.run([program, "compile", spec, "-o", tree], capture_output=True, text=True)
        if said.returncode > 1 or not os.path.exists(os.path.join(tree, "manifest.json")):
            raise SystemExit(f"FAILED: compile ended with {said.returncode}:\n{said.stderr[-800:]}")
        return stamps(tree)

    failed = 0

    def check(what, holds, shown):
        nonlocal failed
        print(f"{'ok' if holds else 'FAILED'}: {what}: {shown}")
        failed += not holds

    first = compiled(text)
    second = compiled(text + "\n# a remark\n")
    changed = {p for p in first | second if first.get(p) != second.get(p)}
    check("a comment changes the manifest alone", changed == {"manifest.json"}, sorted(changed)[:4])
    less = text.replace("gpu[001-127]", "gpu[001-126]")
    assert less != text
    third = compiled(less)
    changed = {p for p in second | third if second.get(p) != third.get(p)}
    others = sorted(p for p in changed if re.search(r"(gpu0\d\d|gpu1[01]\d|gpu12[0-6]|head\d|login\d|fm\d)", p))
    check("one node less changes no other node's files", not others, others[:4])
    gone = sorted(p for p in second if p not in third)
    check("its own are gone", gone and all("gpu127" in p for p in gone), gone)
    check("and few in all", len(changed) <= 40 and len(third) > 400, f"{len(changed)} of {len(third)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
