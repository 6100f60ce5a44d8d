#!/usr/bin/env python3
"""Measures check, plan and compile of the specs that specs.py makes, and compares them with the goals.

usage: run.py [--program build/release/bin/clusterc] [--runs 5] [--sizes 32,128,2048,16384] [--results NAME]

CPU time is user + system of the whole process, start included, and peak memory is its largest resident set: getrusage of the
child. The figures are medians over the runs. Specs, standard output and trees lie in a memory file system (/dev/shm; --scratch).
With --results NAME the raw figures go to results/NAME.json and the table to results/NAME.md. Exit status 1: a goal was missed.
"""
import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

import specs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
MB = 1e6

# What is measured, in this order; {spec} and {tree} are filled in. The first `compile` finds no tree, the second an identical one; the goals of
# both are stated for the outputs of FIVE, that of all outputs for bytes a second of CPU.
FIVE = "hosts,slurm,cloud-init,netplan,ansible"
COMMANDS = [
    ("check", ["check", "{spec}"]),
    ("plan", ["plan", "{spec}"]),
    ("plan -o", ["plan", "{spec}", "-o", "{plan}", "--exports", "book"]),
    ("plan -o, sheets", ["plan", "{spec}", "-o", "{plan}-sheets", "--exports", "sheets"]),
    ("plan -o, dot", ["plan", "{spec}", "-o", "{plan}-dot", "--exports", "dot"]),
    ("plan -o, netbox", ["plan", "{spec}", "-o", "{plan}-netbox", "--exports", "netbox"]),
    ("what-if each", ["plan", "{spec}", "--what-if", "each"]),
    ("compile", ["compile", "{spec}", "-o", "{tree}", "--only", FIVE]),
    ("compile again", ["compile", "{spec}", "-o", "{tree}", "--only", FIVE]),
    ("compile, all outputs", ["compile", "{spec}", "-o", "{tree}-all"]),
]
OF_TOPOLOGY = [("compile, Slurm alone", ["compile", "{spec}", "-o", "{tree}-slurm", "--only", "slurm"])]


MILLION = 131072                                   # nodes: what is measured of them, files of gigabytes and trees of 400,000 files left out
OF_A_MILLION = ("check", "plan", "plan -o")
TOPOLOGY = 65536                                   # nodes: Slurm's tree of them alone
BARE = ("write", "read")
SMALL, OF_SMALL = 128, 5                           # nodes; so many times the runs: a few milliseconds are half noise


def commands(size):
    if size == TOPOLOGY:
        return OF_TOPOLOGY
    return [(name, words) for name, words in COMMANDS if size < MILLION or name in OF_A_MILLION]


def goals(median, written):
    """(goal, limit, measured, unit) of every goal whose sizes were measured; written: bytes of each export."""
    out = []
    def at(size, command): return median.get((size, command))
    def add(what, limit, value, unit): out.append((what, limit, value, unit))
    if at(16384, "check"):
        add("16,384 nodes: check, CPU", 0.15, at(16384, "check")["cpu_s"], "s")
        add("16,384 nodes: check, peak memory", 100, at(16384, "check")["peak_mb"], "MB")
        three = [at(16384, c) for c in ("check", "plan", "compile")]
        add("16,384 nodes: compile, which loads, checks, plans and writes, CPU (one run)", 1.0, at(16384, "compile")["cpu_s"], "s")
        add("16,384 nodes: check + plan + compile, CPU (sum of one run of each)", 1.0, sum(m["cpu_s"] for m in three), "s")
        add("16,384 nodes: check, plan, compile, peak memory (largest of the three)", 256, max(m["peak_mb"] for m in three), "MB")
        if at(16384, "what-if each"):
            add("16,384 nodes: plan --what-if each, CPU", 10.0, at(16384, "what-if each")["cpu_s"], "s")
        add("16,384 nodes: compile with nothing changed, CPU", 0.6, at(16384, "compile again")["cpu_s"], "s")
        add("16,384 nodes: plan -o with plan.json and cables.csv, CPU", 1.0, at(16384, "plan -o")["cpu_s"], "s")
        add("16,384 nodes: plan -o with plan.json and cables.csv, peak memory", 400, at(16384, "plan -o")["peak_mb"], "MB")
        every = at(16384, "compile, all outputs")
        add("16,384 nodes: compile, all outputs, CPU of 100 MB", 1.0, every["cpu_s"] / (written[16384, "compile, all outputs"] / MB) * 100, "s")
        add("16,384 nodes: compile, all outputs, peak memory", 512, every["peak_mb"], "MB")
        for family in ("sheets", "dot", "netbox"):    # what the family takes more than the plan alone; 100 MB/s is 10 ns a byte
            more = at(16384, "plan -o, " + family)["cpu_s"] - at(16384, "plan")["cpu_s"]
            add(f"16,384 nodes: export of {family}, CPU of a byte", 10, more / written[16384, "plan -o, " + family] * 1e9, "ns")
    if at(MILLION, "plan"):
        add("131,072 nodes: plan, CPU", 10.0, at(MILLION, "plan")["cpu_s"], "s")
        add("131,072 nodes: plan, peak memory", 3000, at(MILLION, "plan")["peak_mb"], "MB")
        add("131,072 nodes: plan -o with plan.json and cables.csv, peak memory", 3000, at(MILLION, "plan -o")["peak_mb"], "MB")
    if at(32, "check"):
        add("32 nodes: check, CPU", 0.015, at(32, "check")["cpu_s"], "s")
        add("32 nodes: check, peak memory", 15, at(32, "check")["peak_mb"], "MB")
    if at(TOPOLOGY, "compile, Slurm alone"):
        add("65,536 nodes: Slurm's files, topology.conf among them, CPU", 1.0, at(TOPOLOGY, "compile, Slurm alone")["cpu_s"], "s")
    if at(2048, "check") and at(16384, "check"):
        for command, _ in COMMANDS:
            if command == "what-if each":       # 74,875 and 611,673 components: 8.2 times as many, one run each
                continue
            # Exports grow with what they write: a node of the larger one has more cables, since its fabrics have a tier more.
            bytes_grow = written[16384, command] / written[2048, command] if command.startswith("plan -o") else 8.0
            add(f"2,048 to 16,384 nodes (x {max(8.0, bytes_grow):.3g}): CPU of {command} grows by at most", max(8.0, bytes_grow), at(16384, command)["cpu_s"] / at(2048, command)["cpu_s"], "x")
    return out


def stamps(tree):
    """Every file and folder with what would betray a write: inode, time of change, size."""
    found = {}
    for folder, folders, files in os.walk(tree):
        for name in [""] + files:
            path = os.path.join(folder, name) if name else folder
            s = os.lstat(path)
            found[path] = (s.st_ino, s.st_mtime_ns, s.st_ctime_ns, s.st_size)
    return found


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def helper(name, scratch):
    """The one of a build, or compiled now: each is one file."""
    for folder in ("release", "dev"):
        path = os.path.join(ROOT, "build", folder, "bin", name)
        if os.path.exists(path):
            return path
    path = os.path.join(scratch, name)
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O2", os.path.join(HERE, name + ".cc"), "-o", path], check=True)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "bin", "clusterc"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", default=",".join(map(str, specs.SIZES)))
    parser.add_argument("--scratch", default="/dev/shm" if os.path.isdir("/dev/shm") else None, help="folder in a memory file system")
    parser.add_argument("--results", metavar="NAME", help="write results/NAME.json and results/NAME.md")
    wish = parser.parse_args()
    program = os.path.abspath(wish.program)
    if not os.path.exists(program):
        raise SystemExit(f"run.py: {wish.program} is missing; build it: cmake --preset release && ninja -C build/release clusterc")
    sizes = [int(s) for s in wish.sizes.split(",")]
    scratch = tempfile.mkdtemp(prefix="clusterc-bench-", dir=wish.scratch)
    raw, median, facts, written, bare_runs = [], {}, {}, {}, {}
    try:
        measure, bare = helper("measure", scratch), helper("bare_tree", scratch)
        for size in sizes:
            place = {k: f"{size}.{v}" for k, v in (("spec", "yaml"), ("tree", "tree"), ("plan", "plan"))}
            with open(os.path.join(scratch, place["spec"]), "w", encoding="utf-8") as f:
                f.write(specs.spec(size))
            runs = {name: [] for name, _ in commands(size)}
            for _ in range(wish.runs * (OF_SMALL if size <= SMALL else 1)):
                for tree in (place["tree"], place["tree"] + "-all", place["tree"] + "-slurm"):
                    shutil.rmtree(os.path.join(scratch, tree), ignore_errors=True)
                for name, words in commands(size):
                    arguments = [w.format(**place) for w in words]
                    before = stamps(os.path.join(scratch, place["tree"])) if name == "compile again" else None
                    with open(os.path.join(scratch, "stdout"), "wb") as out, open(os.path.join(scratch, "stderr"), "wb") as err:
                        subprocess.run([measure, "used.json", program, *arguments], cwd=scratch, stdout=out, stderr=err, stdin=subprocess.DEVNULL, check=True)
                    with open(os.path.join(scratch, "used.json"), encoding="utf-8") as f:
                        used = json.load(f)
                    with open(os.path.join(scratch, "stderr"), encoding="utf-8") as f:
                        said = f.read()
                    if used["status"] != 0 or " error: " in said or " warning: " in said:
                        raise SystemExit(f"run.py: clusterc {' '.join(arguments)} ended with {used['status']}:\n{said[:4000]}")
                    if before is not None and before != stamps(os.path.join(scratch, place["tree"])):
                        raise SystemExit(f"run.py: {size} nodes: a second compile touched the tree")
                    runs[name].append(used)
                    if name == "compile again":            # in turn with it: the machine is as fast as it is now
                        copy = os.path.join(scratch, "bare")
                        kernel = json.loads(subprocess.run([bare, os.path.join(scratch, place["tree"]), copy], stdout=subprocess.PIPE, check=True).stdout)
                        shutil.rmtree(copy)
                        for what in BARE:
                            bare_runs.setdefault((size, what), []).append(kernel[what + "_us"] / 1e6)
            if size < MILLION and size != TOPOLOGY:
                tree = stamps(os.path.join(scratch, place["tree"]))
            else:
                tree = {}
            files = [p for p in tree if not os.path.isdir(p)]
            facts[size] = {"files": len(files), "bytes": sum(tree[p][3] for p in files)}
            for name, words in commands(size):
                if name.startswith("plan -o") or name == "compile, all outputs":
                    folder = os.path.join(scratch, words[3].format(**place))
                    written[size, name] = sum(os.lstat(os.path.join(at, f)).st_size for at, _, files in os.walk(folder) for f in files)
                m = {"cpu_s": statistics.median((r["user_us"] + r["system_us"]) / 1e6 for r in runs[name]),
                     "user_s": statistics.median(r["user_us"] / 1e6 for r in runs[name]),
                     "wall_s": statistics.median(r["wall_us"] / 1e6 for r in runs[name]),
                     "peak_mb": statistics.median(r["peak_kib"] * 1024 / MB for r in runs[name])}
                median[size, name] = m
                raw.append({"nodes": size, "case": name, "command": "clusterc " + " ".join(w.format(**place) for w in words), "median": m, "runs": runs[name]})
            for name in os.listdir(scratch):           # the next size needs the room
                if name.startswith(f"{size}."):
                    path = os.path.join(scratch, name)
                    shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

    lines = ["| nodes | case | CPU s | of it user | wall s | peak MB | tree |", "| ---: | --- | ---: | ---: | ---: | ---: | --- |"]
    for (size, name), m in median.items():
        tree = f"{facts[size]['files']:,} files, {facts[size]['bytes'] / MB:.1f} MB" if name == "compile" else f"{written[size, name] / MB:.1f} MB" if (size, name) in written else ""
        if name == "compile, all outputs":
            tree += f", {written[size, name] / MB / m['cpu_s']:.0f} MB per CPU second"
        lines.append(f"| {size:,} | {name} | {m['cpu_s']:.4f} | {m['user_s']:.4f} | {m['wall_s']:.4f} | {m['peak_mb']:.1f} | {tree} |")
    lines += ["", "What the kernel takes for the same files and folders alone (`bare_tree`, in turn with the runs above):", "",
              "| nodes | written bare, CPU s | compile / bare | read bare, CPU s | compile again / bare |", "| ---: | ---: | ---: | ---: | ---: |"]
    floor = {key: statistics.median(values) for key, values in bare_runs.items()}
    for size in sizes:
        if (size, "write") in floor:
            w, r = floor[size, "write"], floor[size, "read"]
            lines.append(f"| {size:,} | {w:.4f} | {median[size, 'compile']['cpu_s'] / w:.2f} | {r:.4f} | {median[size, 'compile again']['cpu_s'] / r:.2f} |")
    lines += ["", "| goal | limit | measured | |", "| --- | ---: | ---: | --- |"]
    missed = 0
    for what, limit, value, unit in goals(median, written):
        met = value <= limit
        missed += not met
        lines.append(f"| {what} | {limit:g} {unit} | {value:.3g} {unit} | {'met' if met else 'missed'} |")
    table = "\n".join(lines) + "\n"
    print(table, end="")
    if wish.results:
        os.makedirs(os.path.join(HERE, "results"), exist_ok=True)
        name = os.path.join(HERE, "results", wish.results)
        about = {"machine": cpu_name(), "cpus": os.cpu_count(), "system": f"{platform.system()} {platform.release()}",
                 "runs": wish.runs, "measured_with": "benchmarks/run.py: wait4 of each process; files in a memory file system"}
        with open(name + ".json", "w", encoding="utf-8") as f:
            json.dump({"about": about, "trees": facts, "cases": raw,
                       "bare": [{"nodes": size, "what": what, "cpu_s": values} for (size, what), values in bare_runs.items()]}, f, indent=1)
            f.write("\n")
        with open(name + ".md", "w", encoding="utf-8") as f:
            f.write(f"# {wish.results}\n\n{about['machine']}, {about['cpus']} cores, {about['system']}; medians of {wish.runs} runs, up to {SMALL} nodes of {wish.runs * OF_SMALL}. "
                    f"`python3 benchmarks/run.py --runs {wish.runs} --results {wish.results}`; the raw figures are in `{wish.results}.json`.\n\n{table}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
