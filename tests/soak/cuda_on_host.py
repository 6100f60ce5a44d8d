#!/usr/bin/env python3
"""The validators' device code on the emulation, for long: every case of tests/cuda_on_host/runs.py with many orders of threads, blocks and
streams, with both sanitizer builds.

usage: cuda_on_host.py BUILD SOURCE [--seeds N] [--first SEED] [--only WORD]

20 seeds (the default) take about an hour on two cores. Exit status: 0 all is well, 1 something is wrong.
"""
import os
import subprocess
import sys


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    build, source, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    if "--seeds" not in rest:
        rest += ["--seeds", "20"]
    check = os.path.join(source, "tests", "cuda_on_host", "check.py")
    status = 0
    for kind in ("asan", "tsan"):
        print(f"{kind}:", flush=True)
        status |= subprocess.run([sys.executable, check, build, source, kind, "--all"] + rest, check=False).returncode
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
