#!/usr/bin/env python3
"""Runs the validators' device code on the emulation: every kernel, every launch, and fault builds whose flipped bit must be found.

usage: check.py BUILD SOURCE [asan|tsan] [--seeds N] [--first SEED] [--all] [--only WORD]

asan (default): AddressSanitizer and UndefinedBehaviorSanitizer; tsan: ThreadSanitizer. CTest runs one seed of the quick cases; --all adds the
others, --seeds runs each with so many orders of threads, blocks and streams. Says which kernels of the product ran; one that did not is an error.
Exit status: 0 all is well, 1 something is wrong.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import runs  # noqa: E402


def symbols(path):
    """Demangled names of functions without their parameters, by their distance from the program's begin."""
    text = subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.findall(r"^([0-9a-f]+) ([tTwWrRdD]) (\S+)$", text, re.M)
    base = next((int(at, 16) for at, _, name in found if name == "__executable_start"), 0)
    functions = [(int(at, 16) - base, name) for at, kind, name in found if kind in "tTwW"]
    names = subprocess.run(["c++filt"], input="\n".join(n for _, n in functions), stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {at: without_parameters(name) for (at, _), name in zip(functions, names)}


def without_parameters(name):
    name = name.removeprefix("void ")
    depth = 0
    for i, c in enumerate(name):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0 and not name.startswith("(anonymous namespace)", i):
            return name[:i]
    return name


def kernels_of(source):
    """The names of all kernels of the validators, without their namespaces."""
    out = set()
    for path in glob.glob(os.path.join(source, "validators", "**", "*"), recursive=True):
        if path.endswith((".cu", ".h")):
            with open(path, encoding="utf-8") as f:
                out |= set(re.findall(r"__global__ void (\w+)\(", f.read()))
    return out


def kernels_and_runs(source, reports):
    """(every kernel in the programs, those that ran)."""
    names = kernels_of(source)
    there, ran = set(), set()
    for program in {p for p, _ in reports}:
        by_place = symbols(program)
        mine = {at: n for at, n in by_place.items()
                if n.startswith("clusterc::") and "::{lambda" not in n and n.split("<")[0].split("::")[-1] in names and ".cold" not in n
                and re.search(r"\(anonymous namespace\)::\w+(<|$)", n)}
        there |= set(mine.values())
        ran |= {mine[int(k)] for p, processes in reports if p == program for one in processes for k in one["kernels"] if int(k) in mine}
    missing = names - {n.split("<")[0].split("::")[-1] for n in there}
    return there | {f"{n} (in no program)" for n in missing}, ran


def wrong_users(folder, seconds=60):
    """Ranks of one job do not make each other's GPUs busy; another process does."""
    if not os.path.exists(os.path.join(folder, "clusterc-nccl-emulated")) or os.readlink("/proc/self/ns/pid") != "pid:[4026531836]":
        return ""  # built without MPI, or in a container, where the numbers of processes are others
    for user, refused in (("sibling", False), ("4711", True)):
        env = runs.environment(folder, 1, 2, os.devnull)
        env["FAKE_NVML_USER"] = user
        command = ["mpirun", "-n", "2", os.path.join(folder, "clusterc-nccl-emulated"), "--device", "cuda", "--size", "64B", "--iterations", "1",
                   "--collectives", "broadcast"]
        _, out, err = runs.run(command, env, seconds)
        if ("other processes use the GPU" in out) != refused or '"record":"end"' not in out.replace(" ", ""):
            return f"nccl with a user of a GPU, {user}: {out[-300:]} {err[-300:]}"
    return ""


def wrong_shares(folder, seconds=60):
    """Two ranks that see one GPU each share none, though each calls its own 0: transports of NCCL stay on. Two that see the same one do."""
    program = os.path.join(folder, "clusterc-nccl-emulated")
    if not os.path.exists(program):
        return ""
    one = ["-n", "1", "-x", "CUDA_VISIBLE_DEVICES={}", program] + runs.CUDA + ["--size", "64B", "--iterations", "1", "--collectives", "broadcast"]
    for second, shared in (("1", "false"), ("0", "true")):
        command = ["mpirun"] + [a.format("0") for a in one] + [":"] + [a.format(second) for a in one]
        status, out, err = runs.run(command, runs.environment(folder, 1, 2, os.devnull), seconds)
        if status != 0 or f'"gpus_shared":{shared}' not in out.replace(" ", ""):
            return f"GPUs 0 and {second}: exit status {status}, {out[-300:]} {err[-300:]}"
    return ""


def wrong_refusals(folder, seconds=60):
    """What the driver says of a machine that is not ready is said with what to look at (cudaErrorSystemNotReady, cudaErrorDevicesUnavailable).
    An array of less than what a thread loads would be a grid of no blocks: wrong use, before anything is launched."""
    command = [os.path.join(folder, "clusterc-memory-emulated")] + runs.CUDA + ["--size", "8B"]
    status, out, err = runs.run(command, runs.environment(folder, 1, 1, os.devnull), seconds)
    if status != 2 or out or "an array has at least 16 B" not in err:
        return f"--size 8B: exit status {status}, {out[-300:]} {err[-300:]}"
    for failure, words in (("cudaGetDeviceCount:1:802", "nvidia-fabricmanager"), ("cudaSetDevice:1:46", "MIG is on and has no slice")):
        env = runs.environment(folder, 1, 1, os.devnull)
        env["EMULATED_CUDA_FAIL"] = failure
        status, out, _ = runs.run([os.path.join(folder, "clusterc-memory-emulated")] + runs.CUDA + ["--size", "40KiB"], env, seconds)
        if status != 2 or words not in out:
            return f"{failure}: exit status {status}, {out[-300:]}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("source")
    parser.add_argument("kind", nargs="?", default="asan", choices=["asan", "tsan"])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    folder = os.path.join(os.path.abspath(arguments.build), "tests", "cuda-on-host")
    wrong, count, reports, begin = [], 0, [], time.monotonic()

    def tell(what, problem):
        nonlocal count
        count += 1
        if problem:
            wrong.append(what)
            print(f"{what}: {problem}", flush=True)

    if "kernels" in arguments.only or not arguments.only:
        tell("the emulation itself", runs.emulation_problem(folder, arguments.kind))
        tell("the kernels one by one", runs.kernels_problem(folder, arguments.kind, reports=reports))
    cases = [c for c in runs.CASES if (arguments.all or not c.slow) and arguments.only in c.name]
    if arguments.kind == "tsan" and not arguments.all:  # ten times as slow; the kernels of gemm have run above
        cases = [c for c in cases if c.ranks <= 1 and c.program != "gemm"]
    for case in cases:
        if not os.path.exists(os.path.join(folder, f"clusterc-{case.program}-emulated")):
            continue  # built without MPI
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            tell(f"{case.name}, seed {seed}", runs.problem(folder, case, arguments.kind, seed, reports=reports, seconds=600 if case.slow else 300))
        if arguments.kind == "asan" and case.faulty:
            tell(f"{case.name}, fault build", runs.problem(folder, case, arguments.kind, arguments.first, damaged=True, seconds=300))
    if arguments.kind == "asan" and arguments.only in "memory, refusals":
        tell("memory, refusals", wrong_refusals(folder))
    if arguments.kind == "asan" and arguments.only in "nccl, GPUs of two ranks":
        tell("nccl, GPUs of two ranks", wrong_shares(folder))
    if arguments.kind == "asan" and arguments.only in "nccl, users of GPUs":
        tell("nccl, users of GPUs", wrong_users(folder))
    all_kernels, ran = kernels_and_runs(os.path.abspath(arguments.source), reports)
    if not arguments.only and (arguments.kind == "asan" or arguments.all):
        for kernel in sorted(all_kernels - ran):
            tell(f"kernel {kernel}", "never ran")
    print(f"{count} runs in {time.monotonic() - begin:.0f} s, {len(wrong)} wrong; {len(ran & all_kernels)} of {len(all_kernels)} kernels ran")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
