#!/usr/bin/env python3
"""`clusterc check --watch`, driven as people use it: a file is edited and the new finding comes; Ctrl-C ends it with the last status.

usage: watch.py CLUSTERC WORK
Each step waits for what the program says (no fixed pauses) and gives up after 20 seconds. Tried are: a file written in place and one put in
its place (as editors save), several writes in a row (one round), a file deleted and made again, a folder in which a spec appears and goes,
a second file that the first depends on, and SIGINT, SIGTERM and a terminal's Ctrl-C.
Exit status 1 with what was expected and what came.
"""
import os
import pty
import re
import selectors
import shutil
import signal
import subprocess
import sys
import time

GOOD = """clusterc: 1
rules: 2026.11
name: watched
site: { kind: cloud, provider: local }
nodes:
  n: { names: "n[1-2]", instance: generic-1u }
"""
BAD = GOOD.replace("generic-1u", "generic-9u")        # the catalogue has no such server
SILENCE = 20                                           # seconds without the expected word


class Wrong(Exception):
    pass


class Watched:
    """A running `check --watch`; what it prints is read as it comes."""

    def __init__(self, clusterc, folder, *arguments, terminal=False):
        self.text = ""
        self.master = None
        if terminal:
            self.master, slave = pty.openpty()
            self.child = subprocess.Popen([clusterc, "check", *arguments, "--watch"], cwd=folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                          preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
            os.close(slave)
            self.out = self.master
        else:
            self.child = subprocess.Popen([clusterc, "check", *arguments, "--watch"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.out = self.child.stdout.fileno()
        os.set_blocking(self.out, False)
        self.ready = selectors.DefaultSelector()
        self.ready.register(self.out, selectors.EVENT_READ)

    def read(self, seconds):
        """False at the end of its output."""
        if not self.ready.select(seconds):
            return True
        try:
            piece = os.read(self.out, 65536)
        except OSError:                                # a terminal whose other side is closed
            return False
        self.text += piece.decode(errors="replace")
        return bool(piece)

    def round(self, *wanted):
        """Waits for the end of a round in which all of these are said; gives its text. What was said before is forgotten."""
        end = time.monotonic() + SILENCE
        while time.monotonic() < end:
            before, found, after = self.text.partition("Ctrl-C ends it")
            if found:
                self.text = after
                if all(w in before for w in wanted):
                    return before
                continue                               # a round in between: the file was looked at while it was half written
            if not self.read(0.2):
                break
        raise Wrong(f"expected {wanted}, came {self.text!r}")

    def nothing(self, seconds):
        """No further round comes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.1)
        if "Ctrl-C" in self.text:
            raise Wrong(f"a round without a change: {self.text!r}")

    def ends(self, status):
        end = time.monotonic() + SILENCE
        while self.child.poll() is None and time.monotonic() < end:
            self.read(0.1)
        if self.child.poll() is None:
            self.child.kill()
            raise Wrong("it does not end")
        if self.child.returncode != status:
            raise Wrong(f"it ended with {self.child.returncode}, expected {status}: {self.text!r}")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def one_file(clusterc, work):
    spec = os.path.join(work, "a.yaml")
    write(spec, GOOD)
    w = Watched(clusterc, work, "a.yaml")
    w.round("watching 1 file")
    write(spec, BAD)                                               # in place
    if not re.search(r"a\.yaml:6:.*error: the catalogue has no server 'generic-9u'", w.round("generic-9u")):
        raise Wrong("the finding of the edited line")
    write(spec + "~", GOOD.replace("n[1-2]", "n[1-3"))             # beside it, then in its place
    os.replace(spec + "~", spec)
    w.round("spec-bad-pattern")
    os.remove(spec)
    w.round("'a.yaml' does not exist")
    w.nothing(0.5)
    write(spec, BAD)
    w.round("generic-9u")
    for i in range(5):                                             # a burst: the last text is the one that counts
        write(spec, BAD.replace("generic-9u", f"generic-{i}0u"))
    w.round("generic-40u")
    write(spec, GOOD)
    w.round("watching 1 file")
    w.nothing(0.5)
    os.kill(w.child.pid, signal.SIGINT)
    w.ends(INTERRUPTED)


def last_status(clusterc, work):
    """With SIGTERM, and with an error at the end."""
    write(os.path.join(work, "a.yaml"), BAD)
    w = Watched(clusterc, work, "a.yaml")
    w.round("generic-9u")
    os.kill(w.child.pid, signal.SIGTERM)
    w.ends(TERMINATED)


def terminal(clusterc, work):
    """Ctrl-C typed at a terminal reaches it as SIGINT."""
    write(os.path.join(work, "a.yaml"), GOOD)
    w = Watched(clusterc, work, "a.yaml", terminal=True)
    w.round("watching 1 file")
    os.write(w.master, b"\x03")
    w.ends(INTERRUPTED)
    os.close(w.master)


def folder(clusterc, work):
    inside = os.path.join(work, "specs")
    os.makedirs(os.path.join(inside, "deep"))
    write(os.path.join(inside, "a.yaml"), GOOD)
    w = Watched(clusterc, work, "specs")
    w.round("watching 1 file")
    write(os.path.join(inside, "deep", "b.yaml"), BAD)
    w.round("b.yaml", "generic-9u", "watching 2 files")
    os.remove(os.path.join(inside, "deep", "b.yaml"))
    w.round("watching 1 file")
    os.makedirs(os.path.join(inside, "new"))                       # a folder that was not there
    write(os.path.join(inside, "new", "c.yaml"), BAD)
    w.round("c.yaml", "generic-9u")
    os.kill(w.child.pid, signal.SIGINT)
    w.ends(INTERRUPTED)


def own_part(clusterc, work):
    """A part file of the spec is watched like the spec."""
    os.makedirs(os.path.join(work, "own"))
    part = "part: gpu\nid: mine\nsources: { all: a test }\nfacts: { name: Mine, vendor: nvidia }\n"
    write(os.path.join(work, "own", "mine.yaml"), part)
    write(os.path.join(work, "a.yaml"), GOOD + "parts: [own]\n")
    w = Watched(clusterc, work, "a.yaml")
    w.round("watching 2 files")
    write(os.path.join(work, "own", "mine.yaml"), part.replace("vendor: nvidia", "vendr: nvidia"))
    w.round("mine.yaml", "vendr")
    os.kill(w.child.pid, signal.SIGINT)
    w.ends(INTERRUPTED)


def refusals(clusterc, work):
    write(os.path.join(work, "a.yaml"), GOOD)
    for arguments in (["a.yaml", "--fix"], ["a.yaml", "--diff"], ["-"]):
        done = subprocess.run([clusterc, "check", *arguments, "--watch"], cwd=work, capture_output=True, text=True, timeout=SILENCE, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 2 or "--watch" not in done.stderr:
            raise Wrong(f"{arguments}: {done.returncode}: {done.stderr}")


INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    clusterc, work = (os.path.abspath(a) for a in sys.argv[1:])
    failed = 0
    for step in (one_file, last_status, terminal, folder, own_part, refusals):
        here = os.path.join(work, step.__name__)
        shutil.rmtree(here, ignore_errors=True)
        os.makedirs(here)
        try:
            step(clusterc, here)
        except Wrong as problem:
            failed += 1
            print(f"{step.__name__}: {problem}")
    print("6 sessions", f"{failed} failed" if failed else "good")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
