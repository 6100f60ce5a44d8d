#!/usr/bin/env python3
"""Names that others choose. A network's name becomes a file's name (`plan -o`), and a plan is made in spite of errors: nothing is written outside the folder.
The name of a spec's file comes from who sends a change: nothing that `check` prints of it is obeyed by a terminal or a runner, nor makes a line of its own.

usage: hostile_names.py PROGRAMS SOURCE WORK      (PROGRAMS/../../bin/clusterc is the program)
"""
import os
import re
import shutil
import subprocess
import sys

programs, source, work = (os.path.abspath(p) for p in sys.argv[1:4])
clusterc = os.path.join(programs, "..", "..", "bin", "clusterc")
shutil.rmtree(work, ignore_errors=True)
os.makedirs(os.path.join(work, "a", "b"))
os.chdir(work)
with open(os.path.join(source, "examples", "lab.yaml"), encoding="utf-8") as file:
    lab = file.read()
assert "\n  oob:" in lab
failed = 0


def wrong(text):
    global failed
    failed += 1
    print("FAILED:", text)


def run(*arguments):
    return subprocess.run([clusterc, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)


def files():
    return {os.path.relpath(os.path.join(at, name), work) for at, _, names in os.walk(work) for name in names}


# ---- a network's name ----------------------------------------------------------------------------------------------------------------------
book = os.path.join("a", "b", "book")
names = ["../evil", "../../evil", "../../../evil", os.path.join(work, "evil"), "..", ".", "sub/evil", ".git/hooks/evil", "evil\n::add-mask::x", "x" * 300, "-evil", "a.b", "\u202eevil"]
for name in names:
    shutil.rmtree(book, ignore_errors=True)
    quoted = '"' + name.replace("\n", "\\n").replace("\u202e", "\\u202e") + '"'
    with open("spec.yaml", "w", encoding="utf-8") as file:
        file.write(lab.replace("\n  oob:", f"\n  {quoted}:", 1))
    before = files()
    ran = run("plan", "spec.yaml", "-o", book)
    made = {f for f in files() - before if not re.fullmatch(r"a/b/book/(netbox/|racks/)?[a-z0-9.-]+", f)}
    if made:
        wrong(f"network {name[:40]!r}: {sorted(made)} was written")
    if os.path.exists("../evil.dot") or ran.returncode not in (1, 2):
        wrong(f"network {name[:40]!r}: status {ran.returncode}, {ran.stderr[-200:]!r}")
    if ran.returncode == 1 and not os.path.exists(os.path.join(book, "lan.dot")):
        wrong(f"network {name[:40]!r}: the other network has no drawing")
    for dot in ("lan.dot", "plan.txt"):
        if not os.path.exists(os.path.join(book, dot)):     # a name that the reader refuses: no plan
            continue
        with open(os.path.join(book, dot), encoding="utf-8") as file:
            if re.search(r"^\s*::|[\x00-\x09\x0b-\x1f\u202e]", file.read(), re.MULTILINE):
                wrong(f"network {name[:40]!r}: {dot} holds what others obey")

# A name that is a network's own in the drawing of another one: one line, and the quotes are DOT's.
hostile = 'zq\\"]; evil [label=\\"\\n::add-mask::zq'
with open("spec.yaml", "w", encoding="utf-8") as file:
    file.write(lab.replace("name: lab\n", f'name: "{hostile}"\n', 1).replace("\n  gpu:\n", f'\n  "{hostile}":\n', 1).replace("{ gpu: {", '{ "' + hostile + '": {'))
run("plan", "spec.yaml", "-o", book, "--force")
for name in ("lan.dot", "oob.dot"):
    with open(os.path.join(book, name), encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if "\x1b" in line or line.lstrip().startswith("::"):
                wrong(f"{name}: {line[:100]!r}")
            if len(re.findall(r'(?<!\\)"', line)) % 2:
                wrong(f"{name}: quotes without an end: {line[:100]!r}")

# ---- a file's name -------------------------------------------------------------------------------------------------------------------------
shutil.rmtree("specs", ignore_errors=True)
os.makedirs("specs/d\n::add-mask::z")
good = "clusterc: 1\nrules: 2026.11\nname: x\nsite: { kind: cloud, provider: local }\nnodes: { m: { names: n1, virtual_machine: { cpus: 2, memory: 4 GiB } } }\n"
mendable = good.replace("memory: 4 GiB }", "memory: 4 GiB }, rolez: compute")
here = ["specs/good\x1b[2J\n::error::y.yaml", "specs/d\n::add-mask::z/mend\u202e\x07.yaml"]
formats = [["--format", f] for f in ("text", "json", "sarif", "junit", "github", "gitlab")]
for arguments in ([], ["--diff"], ["--fix"], ["--baseline", "specs/b\x1b[2J\n::x.json", "--write-baseline"], *formats):
    for name, text in zip(here, (good, mendable)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    for paths in (["specs"], [here[0]], [here[1]], ["specs/none\x1b[2J\n::error::x.yaml"]):
        ran = run("check", *arguments, *paths)
        for line in (ran.stdout + b"\n" + ran.stderr).decode().split("\n"):
            if re.search(r"[\x00-\x1f\x7f-\x9f\u202e]", line) or line.lstrip().startswith(("::add-mask", "\\::", "::x", "::error::")):
                wrong(f"check {arguments} {paths}: {line[:120]!r}")

print(f"{len(names)} names of networks, {len(here)} of files: {failed} faults")
sys.exit(1 if failed else 0)
