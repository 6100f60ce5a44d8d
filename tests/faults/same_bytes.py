#!/usr/bin/env python3
"""One spec gives the same bytes anywhere: compiled in other folders, time zones, locales and file orders the trees are identical; a second
compile writes nothing; a file changed by hand is reported and kept; a spec with errors writes nothing.

usage: same_bytes.py PROGRAMS SOURCE WORK
"""
import os
import shutil
import subprocess
import sys

programs, source, work = (os.path.abspath(p) for p in sys.argv[1:4])
clusterc = os.path.join(programs, "..", "..", "bin", "clusterc")
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)


def tree(folder):
    found = {}
    for base, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(base, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = (f.read(), os.stat(path).st_mode & 0o777)
    return found


def stamps(folder):
    return {os.path.join(b, f): (os.stat(os.path.join(b, f)).st_ino, os.stat(os.path.join(b, f)).st_mtime_ns) for b, _, fs in os.walk(folder) for f in fs}


def compile_to(folder, spec, environment=None, directory=work, status=0, more=()):
    env = dict(os.environ, **(environment or {}))
    ran = subprocess.run([clusterc, "compile", spec, "-o", folder, *more], env=env, cwd=directory, capture_output=True, text=True)
    if ran.returncode != status:
        sys.exit(f"compile of {spec} ended with {ran.returncode}, not {status}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout + ran.stderr


def expect(truth, what):
    if not truth:
        sys.exit("FAILED: " + what)
    print("ok:", what)


for example in ("superpod", "four-virtual", "nvl72", "campus", "lab", "cloud"):
    one, other = os.path.join(work, example + "-one"), os.path.join(work, "deeper", "down", example + "-other")
    os.makedirs(os.path.dirname(other), exist_ok=True)
    spec = os.path.join(source, "examples", example + ".yaml")
    copy = os.path.join(work, "deeper", example + ".yaml")
    shutil.copy(spec, copy)
    compile_to(one, spec)
    locales = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split() if shutil.which("locale") else []
    foreign = next((l for l in locales if l.lower().startswith(("de_", "tr_", "fr_"))), "C.UTF-8")
    compile_to(other, os.path.basename(copy), {"TZ": "Asia/Kathmandu", "LC_ALL": foreign, "LANG": foreign, "HOME": "/", "USER": "nobody"}, os.path.dirname(copy))
    expect(len(tree(one)) > 1 and tree(one) == tree(other), f"{example}: {len(tree(one))} files are the same from another folder, time zone and locale ({foreign})")
    before = stamps(one)
    said = compile_to(one, spec)
    expect(stamps(one) == before, f"{example}: a second compile writes nothing")

spec = os.path.join(source, "examples", "superpod.yaml")
folder = os.path.join(work, "superpod-one")
edited = os.path.join(folder, "slurm", "slurm.conf")
os.chmod(edited, 0o644)
with open(edited, "a") as f:
    f.write("# by hand\n")
said = compile_to(folder, spec, status=1)
expect("slurm/slurm.conf" in said and "by hand" in said, "a file changed by hand is reported")
expect(open(edited).read().endswith("# by hand\n"), "and kept")
compile_to(folder, spec, status=0, more=["--force"])
expect(not open(edited).read().endswith("# by hand\n"), "--force overwrites it")

broken = os.path.join(work, "broken.yaml")
with open(spec) as f:
    text = f.read()
with open(broken, "w") as f:
    f.write(text.replace("model: nvidia-dgx-h100", "model: nvidia-dgx-h10"))
nowhere = os.path.join(work, "nowhere")
compile_to(nowhere, broken, status=1)
expect(not os.path.exists(nowhere), "a spec with errors writes nothing")
shutil.rmtree(work)
