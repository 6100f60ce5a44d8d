#!/usr/bin/env python3
"""An MPI job is killed in every way there is: no rank, no file of its own and no shared memory is left.

usage: job_leftovers.py FAULT_PROGRAMS SOURCE_DIR WORK_DIR      (the validators lie in ../../libexec/clusterc beside FAULT_PROGRAMS)

What counts as left: a process with our mark in its environment, and any entry of /dev/shm or /tmp that such a process had mapped or that
names Open MPI or our job folders and was not there before. Other jobs of this machine are not ours: what they have open is left out.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from skipping import missing  # noqa: E402

programs = os.path.abspath(sys.argv[1])
libexec = os.path.join(os.path.dirname(os.path.dirname(programs)), "libexec", "clusterc")
contain, job = os.path.join(libexec, "clusterc-contain"), os.path.join(libexec, "clusterc-mpi")
if not os.path.exists(job) or not shutil.which("mpirun"):
    missing("clusterc-mpi was not built, or mpirun is not installed")
MARK = f"CLUSTERC_LEFTOVERS={os.getpid()}"
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", CLUSTERC_LEFTOVERS=str(os.getpid()))


def processes(name=""):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as text:
                if MARK.encode() not in text.read().split(b"\0") or int(pid) == os.getpid():
                    continue
            with open(f"/proc/{pid}/comm", encoding="utf-8") as text:
                if name in text.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def files():
    """The files in shared memory and session folders that our processes have mapped, and the job's folder."""
    out = set()
    for pid in processes():
        try:
            with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as text:
                for line in text:
                    path = line.rstrip("\n").split(" ", 5)[-1].strip()
                    if path.startswith(("/dev/shm/", "/tmp/ompi.")):
                        out.add(path)
        except OSError:
            pass
    return out


def wait(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def running():
    """A job that measures, with the files that it has."""
    run = subprocess.Popen([contain, "mpirun", "--oversubscribe", "-n", "3", job, "--size", "1MiB", "--seconds", "60", "--allow-busy", "--timeout", "30"],
                           env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    assert wait(lambda: len(processes("clusterc-mpi")) == 3 and files(), 30), "the job did not start"
    time.sleep(1)
    seen = files()
    assert any("vader_segment" in f or "sm_segment" in f for f in seen), f"no shared memory between the ranks was seen: {seen}"
    return run, seen


def check(how, run, seen):
    begin = time.monotonic()
    assert wait(lambda: not processes(), 25), f"after {how} processes are left: {processes()}"
    took = time.monotonic() - begin
    run.wait(timeout=10)
    left = [f for f in seen if os.path.exists(f)] + [d for d in {os.path.dirname(f) for f in seen} if "clusterc-job-" in d and os.path.exists(d)]
    assert not left, f"after {how} there is left: {left}"
    print(f"ok: {how}: nothing left after {took:.1f} s")


def newest(name):
    return max(processes(name))


for how, victim, number in (("SIGTERM to clusterc-contain", None, signal.SIGTERM), ("SIGINT to clusterc-contain", None, signal.SIGINT),
                            ("SIGKILL to mpirun", "mpirun", signal.SIGKILL), ("SIGKILL to a rank", "clusterc-mpi", signal.SIGKILL),
                            ("SIGTERM to mpirun", "mpirun", signal.SIGTERM)):
    run, seen = running()
    if victim:
        os.kill(newest(victim), number)
    else:
        run.send_signal(number)
    check(how, run, seen)

# A stopped rank does not hear SIGTERM: mpirun or we must kill it.
run, seen = running()
os.kill(newest("clusterc-mpi"), signal.SIGSTOP)
run.send_signal(signal.SIGTERM)
check("SIGTERM while a rank is stopped", run, seen)

# Killed itself it can remove nothing: mpirun is asked to end, and the folder goes when the next job starts.
run, seen = running()
run.kill()
run.wait()
assert wait(lambda: not processes(), 15), f"after SIGKILL to clusterc-contain processes are left: {processes()}"
folders = {os.path.join("/dev/shm", f.split("/")[3]) for f in seen if f.startswith("/dev/shm/clusterc-job-")}
assert folders, seen
for folder in folders:
    if os.path.exists(folder):
        os.utime(folder, (time.time() - 60, time.time() - 60))   # as if it had been a minute ago
subprocess.run([contain, "true"], check=True)
left = [f for f in folders if os.path.exists(f)]
assert not left, left
print("ok: SIGKILL to clusterc-contain: no process left, and its folder gone with the next start")
