#!/usr/bin/env python3
"""`background` of scripts/lib.sh: what scripts/test fetches while the compiler works ends with the script, however that ends, and sudo asks nothing there.

usage: background.py SOURCE
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

# Its child is a script of its own, as the fetching ones are; it says its number and goes on
SCRIPT = """
source "$1/scripts/lib.sh"
folder=$2
fetch() { bash -c 'echo $$ > "$0"; exec sleep 300' "$folder/child"; }
background "$2/log" fetch
"""
FINISHED = """
source "$1/scripts/lib.sh"
id() { echo 1000; }
fetch() { as_root true; bash -c 'source "$0/scripts/lib.sh"; id() { echo 1000; }; as_root true' "$root"; return 7; }
as_root true
background "$2/log" fetch
status=0
end_background || status=$?
as_root true
exit "$status"
"""


def wait_for(what, holds):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if holds():
            print(f"ok: {what}")
            return
        time.sleep(0.05)
    sys.exit(f"background.py: {what}: not within 30 s")


def lives(number):
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def ends(source, folder, what, end):
    """`end` is sent to all of the terminal's group, as Ctrl-C is; or the script ends by itself."""
    child = os.path.join(folder, "child")
    if os.path.exists(child):
        os.remove(child)
    last = "sleep 300" if end else "while [ ! -s \"$2/child\" ]; do sleep 0.05; done; stop enough"
    with subprocess.Popen(["bash", "-c", SCRIPT + last, "bash", source, folder], start_new_session=True, stderr=subprocess.DEVNULL) as script:
        wait_for("it fetches", lambda: os.path.exists(child) and os.path.getsize(child) > 0)
        with open(child, encoding="utf-8") as file:
            number = int(file.read())
        if end:
            os.killpg(script.pid, end)
        script.wait(timeout=30)
        if script.returncode == 0:
            sys.exit(f"background.py: {what}: the script ends with 0")
        try:
            wait_for(f"{what}: what it fetches ends too", lambda: not lives(number))
        except SystemExit:
            os.kill(number, signal.SIGKILL)
            raise


def main():
    source = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        ends(source, folder, "Ctrl-C", signal.SIGINT)
        ends(source, folder, "the terminal is closed", signal.SIGHUP)
        ends(source, folder, "TERM", signal.SIGTERM)
        ends(source, folder, "a build that fails", None)
        said = os.path.join(folder, "sudo-said")
        with open(os.path.join(folder, "sudo"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$*" >> {said}\n')
        os.chmod(os.path.join(folder, "sudo"), 0o755)
        done = subprocess.run(["bash", "-c", FINISHED, "bash", source, folder], env={**os.environ, "PATH": folder + ":" + os.environ["PATH"]}, check=False)
        if done.returncode != 7:
            sys.exit(f"background.py: a fetch that fails ends with 7, the script with {done.returncode}")
        with open(said, encoding="utf-8") as file:
            calls = file.read().split("\n")[:-1]
        if calls != ["true", "-n true", "-n true", "true"]:
            sys.exit(f"background.py: sudo was called with {calls}")
        print("ok: a fetch that fails; sudo asks in the foreground only")


if __name__ == "__main__":
    main()
