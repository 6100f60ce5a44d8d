#!/usr/bin/env python3
"""What another user of the machine, or a path that is no plain file, could do to files that are written: links, folders, locks, pipes as journals.

usage: other_users.py PROGRAMS SOURCE WORK      (PROGRAMS/../../bin/clusterc is the program)

What needs a second user runs as root alone, and says so by name where it is left out.
"""
import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

programs, source, _ = (os.path.abspath(p) for p in sys.argv[1:4])
sys.path.insert(0, os.path.join(source, "tests"))
from skipping import missing_part  # noqa: E402

build = os.path.dirname(os.path.dirname(programs))
clusterc = os.path.join(build, "bin", "clusterc")
bundle = os.path.join(build, "libexec", "clusterc")
NOBODY = 65534
root = os.geteuid() == 0
SPEC = """clusterc: 1
rules: 2026.11
name: x
site: { kind: cloud, provider: local }
nodes: { m: { names: "n[1-2]", virtual_machine: { cpus: 2, memory: 4 GiB } } }
networks: { vpc: { kind: ethernet, rate: 10 Gb/s, subnet: 10.0.0.0/24, connects: { m: 1 } } }
"""
top = tempfile.mkdtemp(prefix="clusterc-users-")   # the build folder may lie where another user gets nowhere
os.chmod(top, 0o1777)
failed = 0


def in_top(*names):
    return os.path.join(top, *names)


def run(*arguments, **more):
    return subprocess.run([clusterc, *arguments], capture_output=True, text=True, check=False, timeout=60, **more)


def as_nobody(script, *arguments, wait=True):
    start = subprocess.run if wait else subprocess.Popen
    return start(["sh", "-c", script, "sh", *arguments], user=NOBODY, group=NOBODY, extra_groups=[], **({"check": True} if wait else {}))


def expect(title, holds, seen=""):
    global failed
    print(f"{'ok' if holds else 'FAILED'}: {title}{'' if holds else f': {seen}'}")
    failed += not holds


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def put(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def folder(name, mode=0o755):
    path = in_top(name)
    os.mkdir(path)
    os.chmod(path, mode)
    return path


spec = put(os.path.join(folder("specs"), "x.yaml"), SPEC)
victim = put(os.path.join(folder("home"), "victim"), "precious\n")

# A report: a file of --write-baseline is one, and needs no validators. Another user may write to its folder, and knows the number of our process.
shared = folder("shared", 0o777)
script = f'{"setpriv --reuid=65534 --regid=65534 --clear-groups " if root else ""}ln -s "$1" "$2/known.json.part-$$"; exec "$3" check "$4" --baseline "$2/known.json" --write-baseline'
if not root or shutil.which("setpriv"):
    ran = subprocess.run(["sh", "-c", script, "sh", victim, shared, clusterc, spec], capture_output=True, text=True, check=False)
    written = os.path.join(shared, "known.json")
    expect("a link by the name of the report's temporary file", text_of(victim) == "precious\n" and ran.returncode == 0 and stat.S_ISREG(os.lstat(written).st_mode),
           f"{text_of(victim)!r}, status {ran.returncode}, {ran.stderr}")
    expect("nothing is left beside the report", sorted(n for n in os.listdir(shared) if ".part-" not in n) == ["known.json"], os.listdir(shared))

os.symlink(victim, os.path.join(shared, "linked.json"))
ran = run("check", spec, "--baseline", os.path.join(shared, "dangling.json"), "--write-baseline")
expect("a report into a folder that others may write to", ran.returncode == 0, ran.stderr)
os.remove(os.path.join(shared, "dangling.json"))
os.symlink(in_top("home", "fresh"), os.path.join(shared, "dangling.json"))
ran = run("check", spec, "--baseline", os.path.join(shared, "dangling.json"), "--write-baseline")
expect("a report is not written through a link", ran.returncode == 2 and "symbolic link" in ran.stderr and not os.path.exists(in_top("home", "fresh")), ran.stderr)

# Trees. Reading alone (`compile --check`) is nobody's danger.
tree = os.path.join(folder("mine"), "t")
for command, more in (("compile", ()), ("plan", ("--exports", "book"))):
    tree = in_top("mine", command)
    ran = run(command, spec, "-o", os.path.join(shared, command), *more)
    expect(f"{command}: a folder that others may write to", ran.returncode == 2 and "can be changed by other users" in ran.stderr and not os.path.exists(os.path.join(shared, command)), ran.stderr)
    ran = run(command, spec, "-o", tree, *more)
    expect(f"{command}: a folder of one's own", ran.returncode == 0 and os.path.exists(os.path.join(tree, "manifest.json")), ran.stderr)
    os.symlink(command, in_top("mine", command + "-link"))
    ran = run(command, spec, "-o", in_top("mine", command + "-link"), *more)
    expect(f"{command}: a link to a tree", ran.returncode == 2 and "symbolic link" in ran.stderr and os.path.islink(in_top("mine", command + "-link")), ran.stderr)
ran = run("compile", spec, "--check", "-o", in_top("mine", "compile-link"))
expect("compile --check reads through a link", ran.returncode == 0, ran.stderr)

# A lock: waited for with a word, not for ever; and a signal ends the waiting.
held = os.open(in_top("mine"), os.O_RDONLY)
fcntl.flock(held, fcntl.LOCK_EX)
begin = time.monotonic()
ran = run("compile", spec, "-o", in_top("mine", "late"))
took = time.monotonic() - begin
expect("a lock that another program keeps", ran.returncode == 2 and "waiting for the lock on" in ran.stderr and "is locked by another program" in ran.stderr and took < 30, f"{took:.1f} s, {ran.returncode}, {ran.stderr}")
waiting = subprocess.Popen([clusterc, "compile", spec, "-o", in_top("mine", "late")], stderr=subprocess.PIPE, text=True)
while "waiting for the lock" not in waiting.stderr.readline():
    assert waiting.poll() is None, "it did not wait"
waiting.send_signal(signal.SIGTERM)
expect("SIGTERM ends the waiting", waiting.wait(30) == -signal.SIGTERM, waiting.returncode)
waiting.stderr.close()
os.close(held)
expect("nothing is left beside the trees", sorted(os.listdir(in_top("mine"))) == ["compile", "compile-link", "plan", "plan-link"], os.listdir(in_top("mine")))

# Journals: regular files of one's own alone, and at once.
if os.path.exists(os.path.join(bundle, "clusterc-probe")):
    journals = folder("journals")
    machine = os.path.join(journals, "m.yaml")
    ran = run("init", "--probe", "-o", machine)
    assert ran.returncode == 0, ran.stderr
    os.mkfifo(os.path.join(journals, "pipe"))
    os.mkdir(os.path.join(journals, "folder"))
    put(os.path.join(journals, "empty"), "")
    os.symlink("empty", os.path.join(journals, "link"))
    os.symlink(victim, os.path.join(journals, "away"))
    os.link(put(os.path.join(journals, "one"), ""), os.path.join(journals, "two"))
    os.chmod(put(os.path.join(journals, "open"), ""), 0o666)
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(journals)   # the name of a socket is short
        listening.bind("socket")
        os.chdir(here)
    for name, why in (("pipe", "is a pipe (FIFO), no regular file"), ("folder", "is a folder, no regular file"), ("socket", "is a socket, no regular file"),
                      ("link", "is a symbolic link, no regular file"), ("away", "is a symbolic link, no regular file"), ("two", "has further names"),
                      ("open", "can be changed by other users"), ("/dev/null", "is a character device, no regular file")):
        ran = run("validate", machine, "--launcher", "local", "--only", "probe", "--journal", os.path.join(journals, name))
        expect(f"a journal that is '{name}'", ran.returncode == 2 and why in ran.stdout + ran.stderr, f"{ran.returncode}: {ran.stdout}{ran.stderr}")
    expect("nothing was appended through a link", text_of(victim) == "precious\n" and text_of(os.path.join(journals, "empty")) == "")
    for name in ("pipe", "link"):
        ran = run("validate", machine, "--launcher", "local", "--only", "probe", "--journal", os.path.join(journals, "j"), "-o", os.path.join(journals, name))
        expect(f"a report that is '{name}'", ran.returncode == 2 and ("symbolic link" in ran.stderr or "nobody reads" in ran.stderr), ran.stderr)
    ran = run("validate", machine, "--launcher", "local", "--only", "probe", "--journal", os.path.join(journals, "j"), "--fresh", "-o", "/dev/stdout", "--format", "json")
    expect("a report on standard output", ran.returncode == 0 and ran.stdout.count('"clusterc-validation"') == 2, ran.stderr)
else:
    missing_part("journals: clusterc-probe was not built")

if not root:
    print("skipped in part: another user's folders, links, leftovers and locks: runs as root")
else:
    # As folders-of-others does it: a leftover that is put in place, and its owner changes the plays.
    open_top = folder("top", 0o1777)
    for leftover in (".t.clusterc-old", ".t.clusterc-new"):
        as_nobody('mkdir "$1/$2"; chmod 777 "$1/$2"', open_top, leftover)
        ran = run("compile", spec, "-o", os.path.join(open_top, "t"))
        expect(f"{leftover} of another user", ran.returncode == 2 and "belongs to another user" in ran.stderr and not os.path.exists(os.path.join(open_top, "t")) and
               os.stat(os.path.join(open_top, leftover)).st_uid == NOBODY, ran.stderr)
        os.rmdir(os.path.join(open_top, leftover))
    ran = run("compile", spec, "-o", os.path.join(open_top, "t"))
    expect("without it, in a folder as /tmp is", ran.returncode == 0 and os.stat(os.path.join(open_top, "t")).st_uid == 0, ran.stderr)
    as_nobody('mkdir "$1/theirs"; ln -s "$2" "$1/their-link"', open_top, in_top("home"))
    for command in ("compile", "plan"):
        for name in ("theirs", "theirs/t"):
            ran = run(command, spec, "-o", os.path.join(open_top, name))
            expect(f"{command}: '{name}' of another user", ran.returncode == 2 and "belongs to user 65534" in ran.stderr and os.listdir(os.path.join(open_top, "theirs")) == [], ran.stderr)
        ran = run(command, spec, "-o", os.path.join(open_top, "their-link", "t"))
        expect(f"{command}: over another user's link", ran.returncode == 2 and "symbolic link 'their-link'" in ran.stderr and os.listdir(in_top("home")) == ["victim"], ran.stderr)
    ran = run("check", spec, "--baseline", os.path.join(open_top, "theirs", "known.json"), "--write-baseline")
    expect("a report into another user's folder", ran.returncode == 2 and "belongs to user 65534" in ran.stderr, ran.stderr)
    ran = run("check", spec, "--baseline", os.path.join(open_top, "their-link", "known.json"), "--write-baseline")
    expect("a report over another user's link", ran.returncode == 2 and os.listdir(in_top("home")) == ["victim"], ran.stderr)
    # An ordinary user is told the same of root's and others' things, and writes what is its own.
    own = os.path.join(open_top, "own")
    as_nobody('mkdir "$1"', own)
    ours = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    copy = os.path.join(open_top, "clusterc")
    shutil.copy(clusterc, copy)
    ran = subprocess.run([copy, "compile", spec, "-o", os.path.join(own, "t")], capture_output=True, text=True, check=False, **ours)
    expect("an ordinary user's own folder", ran.returncode == 0 and os.stat(os.path.join(own, "t")).st_uid == NOBODY, ran.stderr)
    os.chown(own, 12345, 12345)
    os.chmod(own, 0o777)
    ran = subprocess.run([copy, "compile", spec, "-o", os.path.join(own, "t")], capture_output=True, text=True, check=False, **ours)
    expect("an ordinary user in another user's folder", ran.returncode == 2 and "belongs to user 12345" in ran.stderr, ran.stderr)

shutil.rmtree(top)
sys.exit(1 if failed else 0)
