#!/usr/bin/env python3
"""A spec from somewhere else reads no file of its reader: links that lead out of its folder are refused, those that stay inside are followed.

usage: links.py PROGRAMS SOURCE WORK      (PROGRAMS/../../bin/clusterc is the program)
"""
import os
import shutil
import subprocess
import sys

programs, source, work = sys.argv[1:4]
clusterc = os.path.abspath(os.path.join(programs, "..", "..", "bin", "clusterc"))
shutil.rmtree(work, ignore_errors=True)
for folder in ("inside/own/parts", "elsewhere/parts"):
    os.makedirs(os.path.join(work, folder))
os.chdir(work)

PART = "switch: mine\nname: Mine\nports: 48\nport_rate: 1 Gb/s\n"
SECRET = "planted-7f3a"
with open("elsewhere/secret.csv", "w") as f:
    f.write(f"root:{SECRET}:20228\n")
with open("elsewhere/parts/mine.yaml", "w") as f:
    f.write(f"# {SECRET}\n" + PART)
with open("inside/own/inventory.csv", "w") as f:
    f.write("name,serial\n")
os.symlink("../elsewhere/secret.csv", "inside/out.csv")
os.symlink("own/inventory.csv", "inside/in.csv")
os.symlink("../elsewhere", "inside/out")
os.symlink("nowhere.csv", "inside/broken.csv")
os.symlink("../../../elsewhere/parts/mine.yaml", "inside/own/parts/mine.yaml")
os.symlink("inside", "link")          # the spec's own folder may be a link

failed = 0


def check(title, lines, wanted, path="inside/spec.yaml", forbidden=SECRET):
    global failed
    with open("inside/spec.yaml", "w") as f:
        f.write("clusterc: 1\nname: links\nsite: { kind: cloud, provider: local }\nnodes:\n  cpu: { names: n1, virtual_machine: { cpus: 2, memory: 2 GiB } }\n" + lines)
    ran = subprocess.run([clusterc, "check", path], capture_output=True, text=True)
    out = ran.stdout + ran.stderr
    refused = "spec-path-outside" in out
    wrong = "a text of elsewhere is shown" if forbidden in out else "" if refused == (wanted == "refused") else f"{'refused' if refused else 'taken'}, wanted: {wanted}\n{out}"
    print(f"{'FAILED' if wrong else 'ok'}: {title}: {wrong or wanted}")
    failed += bool(wrong)


check("a file by a link that leads out", "inventory: out.csv\n", "refused")
check("a file below a linked folder", "inventory: out/secret.csv\n", "refused")
check("a folder of parts below a linked folder", "parts: [out/parts]\n", "refused")
check("a part by a link that leads out", "parts: [own/parts]\n", "refused")
check("a link that stays inside", "inventory: in.csv\n", "taken")
check("a link that leads nowhere", "inventory: broken.csv\n", "taken")          # and is then told as unreadable
check("the spec's folder by a link", "inventory: in.csv\n", "taken", "link/spec.yaml")
check("up and in again", "inventory: ../inside/own/inventory.csv\n", "refused")
sys.exit(1 if failed else 0)
