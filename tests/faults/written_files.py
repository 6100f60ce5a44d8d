#!/usr/bin/env python3
"""A file that a command writes is never one that it reads, nor the file of another option; what is refused is refused before anything is written.

usage: written_files.py PROGRAMS SOURCE WORK      (PROGRAMS/../../bin/clusterc is the program)
"""
import os
import shutil
import subprocess
import sys

programs, source, work = (os.path.abspath(p) for p in sys.argv[1:4])
clusterc = os.path.join(programs, "..", "..", "bin", "clusterc")
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
failed = 0
INPUTS = {"nodes.txt": "NodeName=n1 State=IDLE\n", "sums.txt": "0" * 64 + "  /etc/slurm/slurm.conf\n"}


def files():
    return {os.path.relpath(os.path.join(at, name)): open(os.path.join(at, name), "rb").read() for at, _, names in os.walk(".") for name in names}


def refused(arguments, why):
    """Wrong usage, and no file is changed or made."""
    global failed
    before = files()
    ran = subprocess.run([clusterc, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    good = ran.returncode == 2 and why in ran.stderr and files() == before
    failed += not good
    print(f"{'ok' if good else 'FAILED'}: {' '.join(arguments)}: {ran.returncode}: {ran.stderr.splitlines()[0] if ran.stderr else ''}")


shutil.copy(os.path.join(source, "examples", "lab.yaml"), "lab.yaml")
os.symlink("lab.yaml", "link.yaml")
for name, text in INPUTS.items():
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
with open("known.yaml", "w", encoding="utf-8") as file:
    file.write("clusterc-baseline: 1\nspecs: {}\n")
nodes = ["audit", "lab.yaml", "--scontrol", "nodes.txt"]
for option in ("--save", "--page"):
    refused([*nodes, option, "lab.yaml"], "is the spec")
    refused([*nodes, option, "./link.yaml"], "is the spec")
    refused([*nodes, option, "nodes.txt"], "is read by --scontrol")
    refused([*nodes, "--against", "known.yaml", option, "known.yaml"], "is read by --against")
    refused([*nodes, option, "no/folder/x"], "there is no folder")
    refused([*nodes, option, "-"], "names a file")
    refused(["audit", "lab.yaml", "--files", "sums.txt", option, "sums.txt"], "is read by --files")
refused([*nodes, "--save", "both", "--page", "both"], "is the file of --")
refused(["check", "lab.yaml", "--baseline", "known.yaml", "--page", "known.yaml"], "is read by --baseline")
refused(["check", "lab.yaml", "--page", "lab.yaml"], "is the spec")
refused(["plan", "lab.yaml", "--page", "lab.yaml"], "is the spec")
refused(["plan", "lab.yaml", "--svg", "book", "-o", "book"], "the same folder")
refused(["plan", "lab.yaml", "--svg", "book/svg", "-o", "book"], "the same folder")
refused(["plan", "lab.yaml", "--svg", "book", "-o", "book/plan"], "the same folder")
os.mkdir("book")
refused(["plan", "lab.yaml", "--page", "book/page.html", "-o", "book"], "outside of it")
refused(["init", "--from", f"slurm:{source}/tests/first_day/other/slurm.conf", "-o", "no/folder/spec.yaml"], "there is no folder")
sys.exit(failed > 0)
