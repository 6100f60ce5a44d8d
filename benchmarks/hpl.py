#!/usr/bin/env python3
"""Holds clusterc-hpl against the HPL inside hpcc (Debian package hpcc): same order, grid, ranks and BLAS, in turn.

usage: hpl.py [--hpl build/release/libexec/clusterc/clusterc-hpl] [--hpcc hpcc] [--orders 8000,12000] [--pairs 5] [--results NAME]

One hpcc runs all of its solutions in one process; between two of them its ranks are stopped (SIGSTOP, while it makes the next matrix,
which it does not time) and clusterc-hpl runs. So the two take turns: A B A B ... Both have two ranks, 1 x 2, one BLAS thread each.
Each pair says how much of the processors' time was other work's: `other` of ours is clusterc-hpl's own figure, that of hpcc
is taken from /proc/stat and the times of its ranks. With --results NAME the raw lines go to results/NAME.json, the table to
results/NAME.md. Exit status 1: a goal was missed (1.05 times hpcc at each order, 0.85 of the paired DGEMM), 2: could not run.
"""
import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
RANKS = 2
FASTER, SHARE = 1.05, 0.85

# hpcc's input is positional: one value a line, in this order (hpcc's README). Panel and broadcast variants as the package's example has them.
INPUT = """HPLinpack benchmark input file
clusterc
HPL.out
8 device
{count} problems
{orders} N
1 blocks
{block} NB
0 row-major mapping
1 grids
1 P
{ranks} Q
16.0 threshold
1
2 PFACT right
1
4 NBMIN
1
2 NDIV
1
1 RFACT Crout
1
1 BCAST 1rM
1
1 DEPTH
2 SWAP mix
64 threshold
0 L1 transposed
0 U transposed
1 equilibration
8 alignment
##### separator
0
0
0
0
"""


def ticks_busy():
    """Of all processors since boot: (ticks in user, nice, system and steal; all ticks), as the validators count them."""
    with open("/proc/stat") as file:
        fields = [int(x) for x in file.readline().split()[1:9]]
    return fields[0] + fields[1] + fields[2] + fields[7], sum(fields)


def ticks_of(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])  # utime, stime: fields 14 and 15 of proc_pid_stat(5)
    return total


def children(parent, name):
    out = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as file:
                head, rest = file.read().rsplit(")", 1)
        except OSError:
            continue
        if int(rest.split()[1]) == parent and head.split("(", 1)[1] == name:
            out.append(int(entry))
    return out


def environment():
    env = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    if os.geteuid() == 0:
        env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return env


class Hpcc:
    """The HPL part of one hpcc run, a solution at a time."""

    def __init__(self, program, orders, block, folder):
        self.folder = folder
        with open(os.path.join(folder, "hpccinf.txt"), "w") as file:
            file.write(INPUT.format(count=len(orders), orders=" ".join(map(str, orders)), block=block, ranks=RANKS))
        with open(os.path.join(folder, "hpccmemf.txt"), "w") as file:
            file.write("Process=8\n")  # MB for the parts that are not HPL
        self.process = subprocess.Popen(["mpirun", "-n", str(RANKS), program], cwd=folder, env=environment(), stdout=subprocess.DEVNULL)
        self.output = os.path.join(folder, "hpccoutf.txt")
        self.ranks = []
        self.seen = 0
        while "Begin of HPL section" not in self.text():
            self.alive()
            time.sleep(0.01)
        self.ranks = children(self.process.pid, os.path.basename(program))
        if len(self.ranks) != RANKS:
            raise RuntimeError(f"{len(self.ranks)} ranks of hpcc found, {RANKS} expected")
        self.stop(True)

    def text(self):
        try:
            with open(self.output) as file:
                return file.read()
        except OSError:
            return ""

    def alive(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"hpcc ended with status {self.process.returncode}")

    def stop(self, still):
        for pid in self.ranks:
            try:
                os.kill(pid, signal.SIGSTOP if still else signal.SIGCONT)
            except ProcessLookupError:
                pass

    def solve(self):
        """{gflops, seconds, other} of the next solution."""
        busy, total = ticks_busy()
        own = ticks_of(self.ranks)
        self.stop(False)
        while True:
            lines = re.findall(r"^WR\S+\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)$", self.text(), re.M)
            passed = len(re.findall(r"\.\.\.\s*PASSED", self.text()))
            if len(lines) > self.seen and passed > self.seen:
                break
            self.alive()
            time.sleep(0.01)
        self.stop(True)
        busy_after, total_after = ticks_busy()
        own = ticks_of(self.ranks) - own
        self.seen += 1
        line = lines[self.seen - 1]
        return {"n": int(line[0]), "nb": int(line[1]), "seconds": float(line[4]), "gflops": float(line[5]),
                "other": max(0.0, (busy_after - busy - own) / (total_after - total))}

    def end(self):
        self.stop(False)
        self.process.terminate()
        self.process.wait()


def ours(program, order, block):
    command = ["mpirun", "-n", str(RANKS), program, "--size", str(order), "--block", str(block), "--allow-busy"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    records = {r["metric"]: r for r in map(json.loads, done.stdout.splitlines()) if r["record"] == "measurement"}
    score = records["hpl.score"]
    if not score["data_verified"]:
        raise RuntimeError("wrong data")
    return {"gflops": score["value"] / 1e9, "share": score["parameters"]["share_of_dgemm"], "dgemm": records["hpl.dgemm"]["value"] / 1e9,
            "other": score.get("other_load"), "record": score}


def median(values):
    return statistics.median(values)


def table(pairs, orders, args):
    rows = [f"clusterc-hpl (NB {args.block}) beside the HPL of hpcc (NB {args.hpcc_block}): {RANKS} ranks, 1 x {RANKS}, one BLAS thread each, "
            f"{args.pairs} pairs in turn. Medians, in brackets smallest and largest; the ratio is taken pair by pair. *Other* is the share "
            "of the processors' time that went to other work, in the worst solution.", "",
            "| N | ours, GFLOP/s | hpcc, GFLOP/s | ours / hpcc | goal | ours / paired DGEMM | goal | other: ours | other: hpcc |", "|---|---|---|---|---|---|---|---|---|"]
    missed = False

    def spread(values, digits):
        return f"{median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"
    for n in orders:
        mine = [p for p in pairs if p["n"] == n]
        ratio = [p["ours"]["gflops"] / p["hpcc"]["gflops"] for p in mine]
        share = [p["ours"]["share"] for p in mine]
        missed |= median(ratio) < FASTER or median(share) < SHARE
        rows.append(f"| {n} | {spread([p['ours']['gflops'] for p in mine], 1)} | {spread([p['hpcc']['gflops'] for p in mine], 1)} | {spread(ratio, 3)} | {FASTER} | "
                    f"{spread(share, 3)} | {SHARE} | {max(p['ours']['other'] or 0 for p in mine):.2f} | {max(p['hpcc']['other'] for p in mine):.2f} |")
    return "\n".join(rows) + "\n", missed


def measure(args, orders, hpcc):
    """The pairs, in turn; raises RuntimeError where one of the two cannot run."""
    turns = [n for n in orders for _ in range(args.pairs)]
    if len(turns) > 20:
        raise RuntimeError("hpcc takes at most 20 problems")
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        peer = Hpcc(os.path.abspath(hpcc), turns, args.hpcc_block, folder)
        try:
            for n in turns:
                pair = {"n": n, "hpcc": peer.solve(), "ours": ours(os.path.abspath(args.hpl), n, args.block)}
                pairs.append(pair)
                print(f"N {n}: ours {pair['ours']['gflops']:.1f}, hpcc {pair['hpcc']['gflops']:.1f} GFLOP/s, ratio {pair['ours']['gflops'] / pair['hpcc']['gflops']:.3f}, "
                      f"of DGEMM {pair['ours']['share']:.3f}, other {pair['ours']['other'] or 0:.2f} and {pair['hpcc']['other']:.2f}", file=sys.stderr)
        finally:
            peer.end()
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hpl", default=os.path.join(ROOT, "build/release/libexec/clusterc/clusterc-hpl"))
    parser.add_argument("--hpcc", default="hpcc")
    parser.add_argument("--orders", default="8000,12000")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--block", type=int, default=192, help="NB of ours")
    parser.add_argument("--hpcc-block", type=int, default=192, help="NB of hpcc")
    parser.add_argument("--results", help="keep the figures as results/NAME.json and .md")
    args = parser.parse_args()
    orders = [int(n) for n in args.orders.split(",")]
    hpcc = shutil.which(args.hpcc)
    for what, where in (("mpirun", shutil.which("mpirun")), ("hpcc", hpcc), ("clusterc-hpl", shutil.which(args.hpl))):
        if not where:
            print(f"hpl.py: error: no {what}", file=sys.stderr)
            return 2
    try:
        pairs = measure(args, orders, hpcc)
    except RuntimeError as error:
        print(f"hpl.py: error: {error}", file=sys.stderr)
        return 2
    text, missed = table(pairs, orders, args)
    print(text, end="")
    if args.results:
        base = os.path.join(HERE, "results", args.results)
        with open(base + ".json", "w") as file:
            json.dump({"command": "benchmarks/hpl.py", "orders": orders, "pairs": pairs}, file, indent=1)
            file.write("\n")
        with open(base + ".md", "w") as file:
            file.write(text)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
