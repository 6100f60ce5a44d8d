#!/usr/bin/env python3
"""Holds the validators against what people trust today, on this machine, in turn: A B A B ..., medians over the pairs.

  hpl     clusterc-hpl      against the HPL inside hpcc (hpl.py): at least 1.05 times it at each order, 0.85 of the paired DGEMM
  triad   clusterc-memory   against the STREAM inside hpcc, the same arrays and the best of as many repetitions: at least 1. hpcc adds up the best of each rank,
                            whenever that was; so do two processes of ours with a thread each. One process with two threads, whose repetition
                            ends with the slower one, is shown beside them
  mpi     clusterc-mpi      against the same pattern written bare (bare_mpi.cc), 4 MiB and above: no slower

usage: validators.py [--build build/release] [--parts hpl,triad,mpi] [--pairs 5] [--orders 8000,12000] [--results NAME]

Two programs that are equally fast are each ahead in half of the pairs; so `no slower` is missed where ours is behind in every pair (with five
pairs that happens to equals once in 32). All run two ranks or threads, one a core. With --results NAME the raw figures go to results/NAME.json and the
tables to results/NAME.md. Exit status 1: a goal was missed, 2: could not run.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import hpl

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
THREADS = hpl.RANKS
REPETITIONS, WARMUP = 9, 1      # STREAM's of hpcc: ten, the first not counted
MPI_REPETITIONS, MPI_WARMUP = 20, 3
MIB = 1 << 20


def run(command, what):
    done = subprocess.run(command, env=hpl.environment(), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def measurements(text):
    records = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    if records[-1].get("status") != "done" or not records[-1]["data_verified"]:
        raise RuntimeError(f"no verified end: {records[-1]}")
    return [r for r in records if r["record"] == "measurement"]


def stream(program, order):
    """{triad in GB/s of all ranks, elements of one rank's array}: hpcc is ended as soon as it has printed them."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "hpccinf.txt"), "w") as file:
            file.write(hpl.INPUT.format(count=1, orders=order, block=192, ranks=THREADS))
        process = subprocess.Popen(["mpirun", "-n", str(THREADS), program], cwd=folder, env=hpl.environment(), stdout=subprocess.DEVNULL)
        try:
            output = os.path.join(folder, "hpccoutf.txt")
            text = ""
            while "End of StarSTREAM section" not in text:
                if process.poll() is not None and not os.path.exists(output):
                    raise RuntimeError(f"hpcc ended with status {process.returncode}")
                time.sleep(0.2)
                if os.path.exists(output):
                    with open(output) as file:
                        text = file.read()
                if process.poll() is not None and "End of StarSTREAM section" not in text:
                    raise RuntimeError(f"hpcc ended with status {process.returncode}")
        finally:
            process.terminate()
            process.wait()
    section = text[text.index("Begin of StarSTREAM section"):]
    if "Node(s) with error 0" not in section:
        raise RuntimeError("hpcc's STREAM found wrong data")
    return float(re.search(r"^Average Triad GB/s ([\d.]+)", section, re.M)[1]) * THREADS, int(re.search(r"^Array size = (\d+)", section, re.M)[1])


def triad(args, programs, hpcc):
    def memory(elements, threads, cpus):
        return subprocess.Popen([programs["memory"], "--size", f"{elements * 8}B", "--threads", str(threads), "--iterations", str(REPETITIONS), "--warmup", str(WARMUP), "--allow-busy"],
                                env=hpl.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus))

    def record(process):
        out, err = process.communicate()
        if process.returncode != 0:
            raise RuntimeError(f"clusterc-memory: status {process.returncode}\n{out}{err}")
        return next(r for r in measurements(out) if r["metric"] == "memory.triad" and r["device"]["label"] == "host")

    pairs, cpus = [], sorted(os.sched_getaffinity(0))[:THREADS]
    elements = 0
    for turn in range(args.pairs):
        # Who is first changes: a machine that has just done nothing is not the one of a second later.
        if turn % 2 == 0:
            theirs, elements = stream(hpcc, args.stream_order)
        ranks = [record(p) for p in [memory(elements, 1, {cpu}) for cpu in cpus]]
        threads = record(memory(elements * THREADS, THREADS, set(cpus)))
        if turn % 2 == 1:
            theirs, elements = stream(hpcc, args.stream_order)
        pairs.append({"ours": sum(r["max"] for r in ranks) / 1e9, "threads": threads["max"] / 1e9, "theirs": theirs, "elements": elements, "records": [*ranks, threads]})
        print(f"triad: ours {pairs[-1]['ours']:.2f}, in one process {pairs[-1]['threads']:.2f}, hpcc {theirs:.2f} GB/s", file=sys.stderr)
    return pairs


def triad_table(pairs):
    ratio = [p["ours"] / p["theirs"] for p in pairs]
    size = pairs[0]["elements"] * THREADS * 8 / MIB
    rows = [f"Triad of clusterc-memory beside the STREAM of hpcc: {THREADS} processes or ranks, arrays of {size:.0f} MiB in all, the best of {REPETITIONS} repetitions of each, added up; "
            f"{len(pairs)} pairs. Medians, in brackets smallest and largest.", "",
            "| ours, GB/s | hpcc, GB/s | ours / hpcc | goal | ours in one process of as many threads |", "|---|---|---|---|---|",
            f"| {spread([p['ours'] for p in pairs], 1)} | {spread([p['theirs'] for p in pairs], 1)} | {spread(ratio, 3)} | 1 | {spread([p['threads'] for p in pairs], 1)} |"]
    return "\n".join(rows) + "\n", statistics.median(ratio) < 1


PATTERNS = (("pingpong", "mpi.pingpong.time"), ("bandwidth", "mpi.bandwidth"), ("allreduce", "mpi.allreduce.time"))


def mpi(args, programs, bare):
    pairs = []
    for turn in range(args.pairs):
        for pattern, metric in PATTERNS:
            for size in args.sizes:
                command = ["mpirun", "-n", str(THREADS)]
                text, ours = None, None
                for first in (turn % 2 == 0, turn % 2 == 1):   # who is first changes, as above
                    if first:
                        text = run([*command, bare, pattern, str(size), str(MPI_REPETITIONS), str(MPI_WARMUP)], "bare_mpi").split()
                    else:
                        ours = measurements(run([*command, programs["mpi"], "--tests", pattern, "--size", f"{size}B", "--types", "int32", "--placements", "out-of-place",
                                                 "--iterations", str(MPI_REPETITIONS), "--warmup", str(MPI_WARMUP), "--allow-busy"], "clusterc-mpi"))
                median = statistics.median(float(s) for s in text[:-1])
                theirs = median / 2 if pattern == "pingpong" else int(text[-1]) * size / median if pattern == "bandwidth" else median
                ours = next(r for r in ours if r["metric"] == metric)
                ratio = theirs / ours["value"] if ours["better"] == "lower" else ours["value"] / theirs
                pairs.append({"pattern": pattern, "size": size, "ours": ours["value"], "theirs": theirs, "speed": ratio, "record": ours})
                print(f"{turn + 1}: {pattern} {size // MIB} MiB: {ratio:.3f} of the speed of the bare one", file=sys.stderr)
    return pairs


def mpi_table(pairs, args):
    rows = [f"clusterc-mpi beside the same pattern written bare: {THREADS} ranks, {MPI_REPETITIONS} repetitions, {args.pairs} pairs. The speed of ours over that of the bare one: "
            "median, in brackets smallest and largest.", "",
            "| pattern | size | ours | bare | speed, ours / bare | no slower |", "|---|---|---|---|---|---|"]
    missed = False
    for pattern, metric in PATTERNS:
        for size in args.sizes:
            mine = [p for p in pairs if p["pattern"] == pattern and p["size"] == size]
            speed = [p["speed"] for p in mine]
            behind = max(speed) < 1
            missed |= behind
            scale, unit = (1e-9, "GB/s") if metric == "mpi.bandwidth" else (1e3, "ms")
            rows.append(f"| {pattern} | {size // MIB} MiB | {spread([p['ours'] * scale for p in mine], 2)} {unit} | {spread([p['theirs'] * scale for p in mine], 2)} {unit} | "
                        f"{spread(speed, 3)} | {'missed' if behind else 'yes'} |")
    return "\n".join(rows) + "\n", missed


def spread(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    parser.add_argument("--parts", default="hpl,triad,mpi")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--orders", default="8000,12000", help="of HPL")
    parser.add_argument("--stream-order", type=int, default=8000, help="of hpcc's matrix, whose memory its STREAM uses: 8000 makes arrays of 163 MiB")
    parser.add_argument("--sizes", default="4,16,64", help="of messages, in MiB")
    parser.add_argument("--hpcc", default="hpcc")
    parser.add_argument("--block", type=int, default=192, help="NB of our HPL")
    parser.add_argument("--hpcc-block", type=int, default=192, help="NB of hpcc's")
    parser.add_argument("--results", help="keep the figures as results/NAME.json and .md")
    args = parser.parse_args()
    args.sizes = [int(s) * MIB for s in args.sizes.split(",")]
    parts = args.parts.split(",")
    programs = {name: os.path.abspath(os.path.join(args.build, "libexec/clusterc/clusterc-" + name)) for name in ("hpl", "memory", "mpi")}
    bare = os.path.abspath(os.path.join(args.build, "bin/bare_mpi"))
    hpcc = shutil.which(args.hpcc)
    needed = {"mpirun": shutil.which("mpirun")}
    if "hpl" in parts:
        needed |= {"hpcc": hpcc, "clusterc-hpl": shutil.which(programs["hpl"])}
    if "triad" in parts:
        needed |= {"hpcc": hpcc, "clusterc-memory": shutil.which(programs["memory"])}
    if "mpi" in parts:
        needed |= {"clusterc-mpi": shutil.which(programs["mpi"]), "bare_mpi": shutil.which(bare)}
    for what, where in needed.items():
        if not where:
            print(f"validators.py: error: no {what}", file=sys.stderr)
            return 2
    raw, text, missed = {"command": "benchmarks/validators.py " + " ".join(sys.argv[1:])}, [], False
    try:
        if "hpl" in parts:
            orders = [int(n) for n in args.orders.split(",")]
            args.hpl = programs["hpl"]
            raw["hpl"] = hpl.measure(args, orders, hpcc)
            table, wrong = hpl.table(raw["hpl"], orders, args)
            text.append(table)
            missed |= wrong
        if "triad" in parts:
            raw["triad"] = triad(args, programs, os.path.abspath(hpcc))
            table, wrong = triad_table(raw["triad"])
            text.append(table)
            missed |= wrong
        if "mpi" in parts:
            raw["mpi"] = mpi(args, programs, bare)
            table, wrong = mpi_table(raw["mpi"], args)
            text.append(table)
            missed |= wrong
    except RuntimeError as error:
        print(f"validators.py: error: {error}", file=sys.stderr)
        return 2
    print("\n".join(text), end="")
    if args.results:
        base = os.path.join(HERE, "results", args.results)
        with open(base + ".json", "w") as file:
            json.dump(raw, file, indent=1)
            file.write("\n")
        with open(base + ".md", "w") as file:
            file.write("\n".join(text))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
