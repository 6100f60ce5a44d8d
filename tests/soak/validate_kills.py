#!/usr/bin/env python3
"""Kills `clusterc validate` and what it runs, with SIGKILL at random moments; the report that is there in the end says the same as that of a run that nobody disturbed.

usage: validate_kills.py CLUSTERC SOURCE_DIR WORK_DIR [--kills 200] [--seed 1] [--stand-in] [--seconds 0.2]

On a virtual Slurm of four nodes (tests/virtual-slurm; root), with validators that answer in 0.2 s and always the same. Each kill ends one of: the launcher (clusterc),
srun, a rank, the daemon of a node (slurmd), the controller (slurmctld); daemons start again after a second, as systemd would start them. A job whose srun was killed is cancelled (scancel). Then the user does what the
report says: the same command, where it was cut off (exit status 2, or killed), --failed, where something failed (1). The last report must have the same tests, nodes
and verdicts as the undisturbed one. --stand-in: without Slurm, srun is a stand-in (tests/acceptance/bin); the launcher and srun are killed. A line a kill, counts at
the end. Kills with other seeds are others: `--kills 50` with the seeds 1 to 4 make 200 in four sittings.
"""
import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from skipping import cannot, missing  # noqa: E402

options = argparse.ArgumentParser()
options.add_argument("clusterc")
options.add_argument("source")
options.add_argument("work")
options.add_argument("--kills", type=int, default=200)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--stand-in", action="store_true")
options.add_argument("--seconds", default="0.2")
given = options.parse_args()
clusterc, source, work = (os.path.abspath(a) for a in (given.clusterc, given.source, given.work))
validators = os.path.join(os.path.dirname(os.path.dirname(clusterc)), "libexec", "clusterc")
PROGRAMS = ("probe", "memory", "gemm", "hpl", "mpi")
for program in PROGRAMS:
    if given.stand_in and not os.path.exists(os.path.join(validators, "clusterc-" + program)):
        missing(f"clusterc-{program} was not built")
shutil.rmtree(work, ignore_errors=True)
bundle = os.path.join(work, "bundle")
os.makedirs(bundle)
for program in PROGRAMS:
    path = os.path.join(bundle, "clusterc-" + program)
    with open(path, "w", encoding="utf-8") as text:
        text.write(f"#!/bin/sh\nANSWER_SECONDS={given.seconds} exec python3 {source}/tests/acceptance/answer.py {program}\n")
    os.chmod(path, 0o755)
MARK = f"CLUSTERC_KILLS={os.getpid()}"
environment = dict(os.environ, CLUSTERC_KILLS=str(os.getpid()))
run = os.path.join(work, "run")
enter = []
spec = os.path.join(source, "examples", "four-virtual.yaml")
if given.stand_in:
    spec = os.path.join(source, "tests", "acceptance", "spec.yaml")
    environment["PATH"] = os.path.join(source, "tests", "acceptance", "bin") + ":" + environment["PATH"]
    environment["SCENARIO"] = os.path.join(work, "scenario.json")
    with open(environment["SCENARIO"], "w", encoding="utf-8") as text:
        json.dump({"seconds": float(given.seconds)}, text)
else:
    tree = os.path.join(work, "tree")
    subprocess.run([clusterc, "compile", spec, "-o", tree], check=True, capture_output=True)
    up = subprocess.run([os.path.join(source, "tests", "virtual-slurm", "up"), tree, run, "--owner", str(os.getpid())], capture_output=True, text=True, check=False)
    if up.returncode == 77:
        cannot(up.stdout.strip() or up.stderr.strip())
    assert up.returncode == 0, up.stderr
    enter = [os.path.join(run, "enter")]


def command(name, *more):
    at = os.path.join(work, name)
    return [*enter, clusterc, "validate", spec, "--launcher", "slurm", "--bundle", bundle, "--only", ",".join(PROGRAMS), "--journal", at + ".journal", "-o", at + ".json", *more]


def validate(name, *more):
    return subprocess.Popen(command(name, *more), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def meaning(name):
    """What a report says: its tests, nodes and verdicts; of figures that they are there."""
    with open(os.path.join(work, name + ".json"), encoding="utf-8") as text:
        report = json.load(text)
    return report["verdict"], sorted((v["test"], v["metric"], v["node"], v["device"], v["verdict"], v["value"] is not None) for v in report["verdicts"])


def marked(is_wanted):
    """Processes of ours: of the run, and of the steps that Slurm starts with the run's environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as text:
                if MARK.encode() not in text.read().split(b"\0"):
                    continue
            with open(f"/proc/{pid}/cmdline", "rb") as text:
                arguments = text.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if int(pid) != os.getpid() and is_wanted(arguments):
            found.append(int(pid))
    return found


def daemons(program):
    with open(os.path.join(run, "virtual-slurm.state"), encoding="utf-8") as text:
        return [int(line.split()[1]) for line in text if line.split()[0] == "pid" and line.split()[2] == program and os.path.exists(f"/proc/{line.split()[1]}")]


def started(program):
    return marked(lambda a: any(os.path.basename(x) == program for x in a[:2]))


CANDIDATES = {
    "launcher": lambda: started("clusterc"),
    "srun": lambda: started("srun"),
    "rank": lambda: marked(lambda a: any(x.endswith("/answer.py") for x in a)),
    "slurmd": lambda: daemons("slurmd"),
    "slurmctld": lambda: daemons("slurmctld"),
}


def kill(kind):
    """One process of that kind; False: there is none just now. A daemon starts again."""
    found = CANDIDATES[kind]()
    if not found:
        return False
    pid = chance.choice(found)
    with open(f"/proc/{pid}/cmdline", "rb") as text:
        arguments = text.read().decode().rstrip("\0").split("\0")
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    if kind in ("slurmd", "slurmctld"):
        time.sleep(1)
        with open(os.path.join(run, "virtual-slurm.state"), "a", encoding="utf-8") as state:
            where = [os.path.join(run, "as"), arguments[-1]] if kind == "slurmd" else enter   # the namespaces of that machine
            again = subprocess.Popen([*where, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            state.write(f"pid {again.pid} {kind}\n")
    return True


def idle():
    """Waits until all nodes take jobs again."""
    if given.stand_in:
        return
    for tries in range(600):
        if tries % 15 == 14:   # Slurm keeps the allocation of an srun that got SIGKILL until its limit of time
            subprocess.run([*enter, "scancel", "--name=clusterc"], capture_output=True, check=False)
        states = subprocess.run([*enter, "sinfo", "-h", "-N", "-o", "%N %T"], capture_output=True, text=True, check=False).stdout.split("\n")
        now = {line.split()[0]: line.split()[1] for line in states if line.strip()}
        if now and set(now.values()) == {"idle"}:
            return
        for node, state in now.items():
            if state.startswith(("down", "drain", "fail")):
                subprocess.run([*enter, "scontrol", "update", f"nodename={node}", "state=resume"], capture_output=True, check=False)
        time.sleep(0.2)
    raise AssertionError(f"the nodes are not idle: {now}")


def finished(name):
    """Does what the reports say until one is complete and passed; how many runs that took."""
    for runs in range(1, 12):
        idle()
        more = []
        path = os.path.join(work, name + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as text:
                report = json.load(text)
            if not report["interrupted"] and not report["error"] and report["verdict"] not in ("passed", "nothing wrong was found"):
                more = ["--failed", path]
        if validate(name, *more).wait() == 0:
            return runs
    raise AssertionError(f"{name}: no report that passed after {runs} runs")


try:
    chance = random.Random(given.seed)
    begin = time.monotonic()
    assert validate("undisturbed").wait() == 0, open(os.path.join(work, "undisturbed.json"), encoding="utf-8").read()[:2000]
    length = time.monotonic() - begin
    wanted = meaning("undisturbed")
    kinds = ("launcher", "srun") if given.stand_in else ("launcher", "launcher", "srun", "rank", "slurmd", "slurmctld")
    done = collections.Counter()
    number = 0
    while number < given.kills:
        name = f"k{number}"
        for file in (name + ".json", name + ".journal"):
            if os.path.exists(os.path.join(work, file)):
                os.remove(os.path.join(work, file))
        idle()
        process = validate(name)
        moment = chance.uniform(0, length)
        time.sleep(moment)
        kind = chance.choice(kinds)
        hit = process.poll() is None and kill(kind)
        if hit:
            print(f"{kind} killed after {moment:.2f} s of {length:.2f} …", flush=True)   # a test whose srun waits for the dead ends at its limit, after minutes
        status = process.wait()
        if not hit:
            continue   # it had ended, or there was no such process at this moment
        runs = finished(name) if status != 0 else 0
        assert meaning(name) == wanted, f"{name}: killed {kind} after {moment:.2f} s: {set(meaning(name)[1]) ^ set(wanted[1])}"
        number += 1
        done[kind] += 1
        print(f"{number}: {kind} killed: exit status {status}, {runs} more runs, the same report", flush=True)
        for file in (name + ".json", name + ".journal"):
            os.remove(os.path.join(work, file))
    print("ok: " + ", ".join(f"{n} x {kind}" for kind, n in sorted(done.items())))
finally:
    if not given.stand_in:
        subprocess.run([os.path.join(source, "tests", "virtual-slurm", "down"), run], check=False)
