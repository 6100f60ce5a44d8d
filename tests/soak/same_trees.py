#!/usr/bin/env python3
"""Compiles every example and every golden case with two programs and compares the trees, but for comments and the digest of the spec.

    same_trees.py CLUSTERC_BEFORE CLUSTERC_AFTER [SPEC...]

Shows that a change of the structure changes nothing for users. Comments are lines that begin with '#', ';' or '//' behind blanks, and what stands behind ' # '
in files of Slurm, YAML and shell. Prints each file that differs with its first differing line, and how many specs were compared. Exit status: 0 all are alike,
1 not. Specs that one of them refuses are compared by their exit status; what they print is not compared (messages may be reworded).
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMENT = re.compile(rb"^\s*(#|;|//)(?!!).*$")
TAIL = re.compile(rb"\s# .*$")


def lines(path):
    """The lines of a file without comments; of the manifest, without digests."""
    out = []
    for line in path.read_bytes().split(b"\n"):
        if COMMENT.match(line):
            continue
        line = TAIL.sub(b"", line)
        if path.name == "manifest.json":
            line = re.sub(rb'"(sha256|spec_sha256|size|bytes)": *("[0-9a-f]*"|\d+)', b"", line)
        out.append(line)
    return out


def difference(a, b):
    """What differs between two trees: a line of text for each file."""
    names = sorted({p.relative_to(t) for t in (a, b) for p in t.rglob("*") if p.is_file() or p.is_symlink()})
    for name in names:
        one, other = a / name, b / name
        if not os.path.lexists(one) or not os.path.lexists(other):
            yield f"{name}: only {'before' if os.path.lexists(one) else 'after'}"
            continue
        if one.lstat().st_mode != other.lstat().st_mode:
            yield f"{name}: another mode"
        if one.is_symlink() and other.is_symlink():
            if os.readlink(one) != os.readlink(other):
                yield f"{name}: leads to {os.readlink(one)}, then to {os.readlink(other)}"
            continue
        x, y = lines(one), lines(other)
        if x != y:
            at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            yield f"{name}: {(x[at:] or [b'(end)'])[0][:90]!r} became {(y[at:] or [b'(end)'])[0][:90]!r}"


def main():
    if len(sys.argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    programs = [pathlib.Path(p).resolve() for p in sys.argv[1:3]]
    specs = [pathlib.Path(p) for p in sys.argv[3:]] or sorted((ROOT / "examples").rglob("*.yaml")) + sorted((ROOT / "tests/golden/compile").glob("*/spec.yaml"))
    compared, different = 0, 0
    for spec in specs:
        with tempfile.TemporaryDirectory() as work:
            trees = [pathlib.Path(work) / n for n in ("before", "after")]
            status = [subprocess.run([p, "compile", spec, "-o", t], capture_output=True).returncode for p, t in zip(programs, trees)]
            said = [f"exit status {status[0]} became {status[1]}"] if status[0] != status[1] else []
            if all(t.exists() for t in trees):
                compared += 1
                said += difference(*trees)
            different += bool(said)
            for text in said:
                print(f"{spec}: {text}")
    print(f"{len(specs)} specs, {compared} of them compiled by both; different: {different}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
