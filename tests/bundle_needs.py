#!/usr/bin/env python3
"""What the validators need on a node: libc, its loader and libm; MPI where they run under MPI. Nothing of the machine that built them.

usage: bundle_needs.py FOLDER         (libexec/clusterc; needs readelf; exit 77: skipped)
"""
import os
import re
import shutil
import subprocess
import sys

from skipping import cannot, missing

ALWAYS = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MPI = re.compile(r"lib(mpi|mpi_cxx|open-rte|open-pal|mpich|mpicxx|mpi_gnu\w*)\.so\.\d+")   # Open MPI and the MPICH family
UNDER_MPI = {"clusterc-mpi", "clusterc-nccl", "clusterc-hpl"}

if not shutil.which("readelf"):
    missing("readelf (binutils) is not installed")
folder, found, bad = sys.argv[1], 0, []
for name in sorted(os.listdir(folder)):
    path = os.path.join(folder, name)
    text = subprocess.run(["readelf", "--dynamic", "--wide", path], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"\(NEEDED\)\s+Shared library: \[([^\]]+)\]", text))
    if not needed:
        bad.append(f"{name}: readelf names no library: is it a program?")
        continue
    found += 1
    extra = {n for n in needed - ALWAYS if not (name in UNDER_MPI and MPI.fullmatch(n))}
    sanitized = any(n.startswith(("libasan", "libubsan", "libtsan")) for n in needed)
    if sanitized:
        cannot("a build with sanitizers is not what is shipped")
    if extra:
        bad.append(f"{name} needs {', '.join(sorted(extra))}")
    if "RUNPATH" in text or "RPATH" in text:
        paths = re.findall(r"\((?:RUNPATH|RPATH)\)\s+Library r?u?n?path: \[([^\]]+)\]", text)
        print(f"{name}: looks for libraries in {paths} first")
if found < 4:
    bad.append(f"only {found} programs in '{folder}'")
print("\n".join(bad) if bad else f"ok: {found} programs need libc, libm and MPI only")
sys.exit(1 if bad else 0)
