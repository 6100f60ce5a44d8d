#!/usr/bin/env python3
"""Every C++ and CUDA file is laid out as .clang-format says, by clang-format 14 (the version of Debian 12).

usage: format.py SOURCE | format.py --self-test
Prints each file that it would change as `FILE:LINE: error: …`; exit status 1 when one is, 2 when clang-format 14 is not installed.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDERS = ("src", "validators", "tests", "benchmarks", "cmake")
SUFFIXES = (".cc", ".h", ".cu", ".cuh")


def program():
    """clang-format of version 14, or None: other versions lay out differently."""
    for name in ("clang-format-14", "clang-format"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, text=True, check=False).stdout
            if re.search(r"version 14\.", version):
                return name
    return None


def unformatted(formatter, files):
    said = subprocess.run([formatter, "-n", *map(str, files)], capture_output=True, text=True, check=False).stderr
    found = {}
    for path, line in re.findall(r"^(.+?):(\d+):\d+: warning: code should be clang-formatted", said, re.M):
        found.setdefault(path, line)
    return [f"{path}:{line}: error: not laid out as .clang-format says: clang-format-14 -i {path}" for path, line in found.items()]


def main():
    formatter = program()
    if formatter is None:
        print("clang-format 14 is not installed (Debian's package clang-format-14)", file=sys.stderr)
        return 2
    if sys.argv[1:] == ["--self-test"]:
        with tempfile.TemporaryDirectory() as folder:
            good, bad = pathlib.Path(folder, "good.cc"), pathlib.Path(folder, "bad.cc")
            good.write_text("int f() { return 1; }\n")
            bad.write_text("int f() {\n\n  return   1; }\n")
            found = unformatted(formatter, [good, bad])
            assert len(found) == 1 and found[0].startswith(str(bad)), found
        return 0
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    source = pathlib.Path(sys.argv[1])
    files = sorted(p for folder in FOLDERS for p in (source / folder).rglob("*") if p.suffix in SUFFIXES)
    if len(files) < 500:
        print(f"{len(files)} files were found: the search for them is broken")
        return 1
    lines = unformatted(formatter, files)
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


sys.exit(main())
