#!/usr/bin/env python3
"""Specs with 16,000 of one thing are judged within a guard of CPU time that what grows with their square exceeds; a compile of them ends when a signal comes.

usage: many_of_one_thing.py PROGRAMS SOURCE WORK      (PROGRAMS/../../bin/clusterc is the program)

The figures themselves are benchmarks/many.py's. The guard is ten times the goal, so that no slow machine fails.
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

programs, source, work = (os.path.abspath(p) for p in sys.argv[1:4])
clusterc = os.path.join(programs, "..", "..", "bin", "clusterc")
sys.path.insert(0, os.path.join(source, "benchmarks"))
import many  # noqa: E402  (found by the line above)
sys.path.insert(0, os.path.join(source, "tests"))
from skipping import cannot  # noqa: E402

COUNT, GUARD = 16000, 10
with open(clusterc, "rb") as program:
    if b"__asan_init" in program.read():
        cannot("sanitizers multiply the time")
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
failed = 0


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (GUARD, GUARD + 1))


for kind in many.KINDS:
    spec = many.write(kind, COUNT, os.path.join(work, kind))
    assert os.path.getsize(spec) < 64 << 20
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([clusterc, "check", spec], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limited, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    good = ran.returncode in (0, 1)
    failed += not good
    last = ran.stdout.decode(errors="replace").strip().splitlines()[-1:]
    print(f"{'ok' if good else 'FAILED'}: check of {COUNT} {kind}: {seconds:.2f} s of CPU, status {ran.returncode}: {last[0][-80:] if last else ''}", flush=True)

# A signal ends a compile of them, whatever it does then: nothing is left beside.
spec = os.path.join(work, "scheduled", "spec.yaml")
folder = os.path.join(work, "trees")
os.makedirs(folder)
for number, after in ((signal.SIGTERM, 0.5), (signal.SIGINT, 1.0), (signal.SIGTERM, 1.5)):
    process = subprocess.Popen([clusterc, "compile", spec, "-o", os.path.join(folder, "t")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(number)
    begin = time.monotonic()
    try:
        status = process.wait(GUARD)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    took = time.monotonic() - begin
    while any(name.startswith(".") for name in os.listdir(folder)) and time.monotonic() - begin < 12 * GUARD:
        time.sleep(0.1)  # a child removes what takes a busy disk longer than half a second
    left = os.listdir(folder)
    good = (status == -number and left == []) or (status == 0 and left == ["t"])
    failed += not good
    print(f"{'ok' if good else 'FAILED'}: signal {number} after {after} s: ended with {status} {took:.2f} s later, left: {left}", flush=True)
    shutil.rmtree(folder)
    os.makedirs(folder)
shutil.rmtree(work)
sys.exit(1 if failed else 0)
