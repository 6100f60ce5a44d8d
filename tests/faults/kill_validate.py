#!/usr/bin/env python3
"""`clusterc validate` is interrupted and killed: it ends soon, nothing keeps running, and the next run goes on where it stopped.

usage: kill_validate.py FAULT_PROGRAMS SOURCE_DIR WORK_DIR      (clusterc lies in ../../bin beside FAULT_PROGRAMS)
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from skipping import missing  # noqa: E402

programs, _, work = (os.path.abspath(a) for a in sys.argv[1:4])
build = os.path.dirname(os.path.dirname(programs))
clusterc = os.path.join(build, "bin", "clusterc")
for needed in ("probe", "memory", "gemm", "mpi"):
    if not os.path.exists(os.path.join(build, "libexec", "clusterc", "clusterc-" + needed)):
        missing(f"clusterc-{needed} was not built")
if not shutil.which("mpirun"):
    missing("mpirun not installed")

shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
MARK = f"CLUSTERC_FAULT_TEST={os.getpid()}".encode()
environment = dict(os.environ, CLUSTERC_FAULT_TEST=str(os.getpid()))
subprocess.run([clusterc, "init", "--probe", "-o", "m.yaml"], check=True, capture_output=True)
assert subprocess.run([clusterc, "init", "--probe", "-o", "-"], check=True, capture_output=True).stdout and not os.path.exists("-"), "- is standard output, no file"
COMMAND = [clusterc, "validate", "m.yaml", "--launcher", "local", "--seconds", "0.01", "--max-size", "4MiB", "--allow-busy", "--journal", "j"]


def ours():
    """Process ids that carry our mark, whoever their parent is by now."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as text:
                if MARK in text.read().split(b"\0") and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def start_until(text):
    """Starts the run, comes back when the named test has begun."""
    run = subprocess.Popen(COMMAND, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    told = ""
    while text not in told:
        line = run.stderr.readline()
        assert line, f"'{text}' was never begun: {told}{run.stdout.read()}"
        told += line
    time.sleep(0.5)
    return run, told


def gone(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not ours():
            return True
        time.sleep(0.05)
    return False


def tests():
    with open("j", encoding="utf-8") as lines:
        return [json.loads(line)["id"] for line in lines if '"record":"test"' in line]


def killed_in(text, already):
    run, told = start_until(text)
    assert told.count("taken from the journal") == already, told
    run.kill()
    run.communicate()
    assert gone(20), f"processes are left after SIGKILL in {text}: {ours()}"


killed_in("/memory", 0)
assert tests() == ["inventory/machine/probe"], tests()
with open("j", "a", encoding="utf-8") as journal:   # as if the kill had come in the middle of a write
    journal.write('{"record":"test","id":"node/machine/mem')

run, told = start_until("whole/mpi")
assert told.count("taken from the journal") == 1, told
other = subprocess.run(COMMAND, capture_output=True, text=True)
assert other.returncode == 2 and "in use by another run" in other.stdout + other.stderr, other
begin = time.monotonic()
run.send_signal(signal.SIGINT)
out, _ = run.communicate(timeout=30)
took = time.monotonic() - begin
assert run.returncode == 2 and "interrupted" in out and "continues there" in out, (run.returncode, out)
assert took < 3, f"ended {took:.2f} s after SIGINT"
assert gone(5), f"processes are left after SIGINT: {ours()}"
print(f"ok: ended {took:.2f} s after SIGINT, nothing left")
BEFORE = ["inventory/machine/probe", "node/machine/memory", "node/machine/gemm", "group/machine/hpl"]
assert tests() == BEFORE, tests()

killed_in("whole/mpi", len(BEFORE))
done = subprocess.run(COMMAND, env=environment, capture_output=True, text=True)
assert done.returncode == 0 and f"{len(BEFORE)} tests taken from the journal" in done.stdout, done
assert done.stderr.count("taken from the journal") == len(BEFORE), done.stderr
assert "mpi.allreduce.busbw" in done.stdout, done.stdout
assert gone(5), ours()
print("ok: a killed run goes on where it stopped")

# What cannot be written is said before anything is measured.
os.makedirs("folder", exist_ok=True)
for report in ("nowhere/r.json", "folder", "-"):
    done = subprocess.run([*COMMAND[:-1], "other", "-o", report], env=environment, capture_output=True, text=True)
    assert done.returncode == 2 and "[1/" not in done.stderr and not os.path.exists("other") and not os.path.exists("-"), (report, done)
for seconds in ("nan", "-1", "inf"):
    done = subprocess.run([*COMMAND[:5], "--seconds", seconds], env=environment, capture_output=True, text=True)
    assert done.returncode == 2 and "--seconds must be" in done.stderr, (seconds, done)
print("ok: a report that has no place and a length that is no number are refused first")
