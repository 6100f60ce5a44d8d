#!/usr/bin/env python3
"""Files that no spec is: each gets one clear error, exit status 2, in under a second of processor time and 200 MB.

usage: hostile_files.py PROGRAMS SOURCE WORK      (PROGRAMS/../../bin/clusterc is the program)
"""
import json
import os
import resource
import shutil
import subprocess
import sys

programs, source, work = sys.argv[1:4]
clusterc = os.path.abspath(os.path.join(programs, "..", "..", "bin", "clusterc"))
sanitized = b"__asan_init" in open(clusterc, "rb").read()   # sanitizers multiply time and memory: only the verdict counts then
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)

os.makedirs("folder")

def put(name, data):
    with open(name, "wb") as f:
        f.write(data)
    return name


def pipe():
    os.makedirs("pipes")
    os.mkfifo("pipes/b.yaml")
    return "pipes"


with open("300MB.yaml", "wb") as f:     # every byte is there: no hole that a reader could skip
    block = b"# " + b"x" * 1021 + b"\n"
    for _ in range(300 * 1024 // 64):
        f.write(block * 64)

bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
for i in range(1, 12):
    bomb += f"a{i}: &a{i} [" + ", ".join([f"*a{i-1}"] * 10) + "]\n"

cases = [
    ("300MB.yaml", "300MB.yaml", "is 3"),
    ("nested in brackets", put("brackets.yaml", b"a: " + b"[" * 100_000 + b"]" * 100_000 + b"\n"), "nested"),
    ("nested in braces", put("braces.yaml", b"{a: " * 100_000 + b"}" * 100_000 + b"\n"), "nested"),
    ("nested in lists", put("lists.yaml", b"- " * 100_000 + b"x\n"), "nested"),
    ("alias bomb", put("bomb.yaml", bomb.encode()), "alias"),
    ("invalid UTF-8", put("utf8.yaml", b"clusterc: 1\nname: \xff\xfe\n"), "UTF-8"),
    ("NUL", put("nul.yaml", b"clusterc: 1\nname: a\x00b\n"), "control"),
    ("empty", put("empty.yaml", b""), "empty"),
    ("directory", "folder", "holds no spec"),      # a folder stands for the specs below it
    ("a folder with a pipe", pipe(), "holds no spec"),   # nobody writes to it: opened it would wait for ever
    ("missing", "missing.yaml", "missing.yaml"),
    ("not YAML", put("broken.yaml", b"clusterc: 1\nname: \"no end\n"), "quote"),
    ("second document", put("second.yaml", b"clusterc: 1\n---\nclusterc: 1\n"), "document"),
    ("a list", put("list.yaml", b"- a\n- b\n"), ""),
    ("binary", put("binary.yaml", bytes(range(256)) * 1000), ""),
]
failed = 0
for title, path, words in cases:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([clusterc, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    out = process.stdout.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    errors = [line for line in out.splitlines() if ": error: " in line]
    wrong = []
    if code != 2:
        wrong.append(f"exit status {code}, not 2")
    if len(errors) != 1:
        wrong.append(f"{len(errors)} errors, not 1")
    if words and not any(words in line for line in errors):
        wrong.append(f"the error does not say '{words}'")
    if len(out) > 10_000:
        wrong.append(f"{len(out)} bytes printed")
    if not sanitized and (seconds >= 1 or megabytes >= 200):
        wrong.append(f"{seconds:.2f} s and {megabytes:.0f} MB, allowed are 1 s and 200 MB")
    print(f"{'FAILED' if wrong else 'ok':7} {title:20} {seconds:5.2f} s {megabytes:5.0f} MB  {errors[0][:150] if errors else out[:150]!r}")
    for w in wrong:
        print(f"        {w}")
    failed += bool(wrong)
# Readers of SARIF refuse a file with a result that has no place, and with it all that other specs brought.
for path in ("missing.yaml", "folder", "empty.yaml", "utf8.yaml", "no*match.yaml"):
    ran = subprocess.run([clusterc, "check", "--format", "sarif", path], capture_output=True, text=True)
    results = json.loads(ran.stdout)["runs"][0]["results"]
    places = [p["physicalLocation"] for r in results for p in r["locations"]]
    wrong = ran.returncode != 2 or len(results) != 1 or len(places) != 1 or places[0]["region"]["startLine"] < 1 or not places[0]["artifactLocation"]["uri"]
    print(f"{'FAILED' if wrong else 'ok':7} SARIF of {path}: {[(p['artifactLocation']['uri'], p['region']['startLine']) for p in places]}")
    failed += wrong
os.chdir("/")
shutil.rmtree(work)
sys.exit(1 if failed else 0)
