#!/usr/bin/env python3
"""Faults that administrators met, each as the spec that shows it (tests/admin-cases/): what `check` says of it, or what the compiled files have.

usage: admin_cases.py PROGRAM SOURCE WORK
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

failures = []


def expect(case, what, holds, got=""):
    print(f"{'ok' if holds else 'FAILED'}: {case}: {what}{'' if holds else ': ' + str(got)[:400]}")
    if not holds:
        failures.append(case)


class Case:
    def __init__(self, program, cases, work, name):
        self.name = name
        spec, tree = cases / f"{name}.yaml", work / name
        done = subprocess.run([program, "check", "--verbose", str(spec)], capture_output=True, text=True, check=False)
        self.checked, self.status = done.stdout + done.stderr, done.returncode
        if self.status == 0:
            subprocess.run([program, "compile", str(spec), "-o", str(tree)], capture_output=True, check=True)
        self.tree = tree

    def file(self, path):
        return (self.tree / path).read_text(encoding="utf-8")

    def says(self, severity, finding):
        expect(self.name, f"{severity} {finding}", re.search(rf": {severity}: .*\[{finding}\]$", self.checked, re.M), self.checked[-400:])

    def refused(self, finding):
        self.says("error", finding)
        expect(self.name, "exit status 1", self.status == 1, self.status)

    def has(self, path, pattern):
        text = self.file(path) if self.status == 0 else self.checked
        expect(self.name, f"{path} has {pattern}", re.search(pattern, text, re.M), text[-400:])

    def lacks(self, path, pattern):
        text = self.file(path) if self.status == 0 else self.checked
        expect(self.name, f"{path} has no {pattern}", not re.search(pattern, text, re.M), text[-400:])


def hanging_mounts(case, cases):
    """Slurm kills the health check after 60 s: it must have drained the node before, however many mounts hang."""
    here, fakes = case.tree / "etc", case.tree / "fakes"
    here.mkdir()
    fakes.mkdir()
    text = case.file("slurm/healthcheck.sh")
    text = re.sub(r"^here=.*", f"here={here}", text, flags=re.M).replace("kept=/run/cluster-health/", f"kept={here}/run/")
    text = text.replace("PATH=$PATH:", f"PATH={fakes}:$PATH:", 1)
    (here / "healthcheck.sh").write_text(text, encoding="utf-8")
    (here / "node.sh").write_text("".join(line for line in case.file("slurm/nodes/h100.sh").splitlines(True) if line.startswith(("gpus ", "mounted "))), encoding="utf-8")
    for name, script in (("mountpoint", (cases / "03-hanging-mountpoint.sh").read_text(encoding="utf-8")), ("nvidia-smi", "#!/bin/sh\nexec sleep 1000\n"),
                         ("scontrol", f"#!/bin/sh\ncase $1 in show) echo '   State=IDLE' ;; *) echo \"$@\" >> {here}/asked ;; esac\n")):
        (fakes / name).write_text(script, encoding="utf-8")
        (fakes / name).chmod(0o755)
    begin = time.monotonic()
    try:
        subprocess.run(["sh", str(here / "healthcheck.sh")], timeout=60, capture_output=True, check=False, env=dict(os.environ, SLURMD_NODENAME="h1"))
    except subprocess.TimeoutExpired:
        pass
    asked = (here / "asked").read_text(encoding="utf-8") if (here / "asked").exists() else ""
    expect(case.name, f"the node is drained within 60 s ({time.monotonic() - begin:.0f} s)", re.search("nodename=h1 state=drain reason=health: .*does not answer", asked), asked)


def main(program, source, work):
    cases, work = pathlib.Path(source) / "tests/admin-cases", pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)

    def case(name):
        return Case(program, cases, work, name)

    # GPU i of an MI300X is renderD(128 + 8i): the seven numbers between are its partitions
    one = case("01-mi300x-render-nodes")
    for number in range(128, 192):
        devices = set(re.findall(r"\d+", re.sub(r"[^\n]*File=/dev/dri/renderD\[?([0-9,-]+)\]?[^\n]*|[^\n]*", r"\1 ", one.file("slurm/gres.conf"))))
        if (str(number) in devices) != (number % 8 == 0):
            expect(one.name, f"renderD{number}", False, sorted(devices))
    expect(one.name, "GPUs are renderD128, 136 ... 184", one.name not in failures)
    # a spare that was put into service stays there over scontrol reconfigure: no line of slurm.conf drains it
    two = case("02-spare-drained-again")
    two.lacks("slurm/slurm.conf", "^DownNodes|State=DRAIN")
    two.has("slurm/spares.sh", r"n4")
    hanging_mounts(case("03-health-check-60s"), cases)
    case("04-os-on-all-data-drives").refused("install-drives-unsaid")
    for name in ("05-slurmd-fatal-at-boot", "slurmd-before-driver"):
        early = case(name)
        early.has("slurm/nodes/gpu.conf", r"^After=.*nvidia-persistenced.service")
        early.has("slurm/nodes/gpu.conf", r"^Wants=.*nvidia-persistenced.service")
        early.has("slurm/nodes/gpu.conf", r"^Restart=on-failure")
    early.has("slurm/nodes/gpu.conf", r"^Wants=.*nvidia-fabricmanager.service")   # a board with NVSwitches
    # the addresses and leaves of a cluster that stands are taken
    case("07-inventory-address").has("hosts/hosts", r"^192\.168\.10\.201\s+.*\bn1\b")
    # a whole node of 4 GPUs is billed as much as the largest node, 384 threads
    case("08-fairshare-counts-cores").has("slurm/slurm.conf", r"^PartitionName=gpu .*TRESBillingWeights=.*GRES/gpu=96")
    case("smt-off").has("slurm/slurm.conf", r"^NodeName=gpu\S+ CPUs=112 .*ThreadsPerCore=1 ")
    memory = case("realmemory-vm")   # such a machine reported 435161 MiB
    expect(memory.name, "RealMemory is 435161 at most", int(re.search(r"^NodeName=hb\S+ .*RealMemory=(\d+)", memory.file("slurm/slurm.conf"), re.M).group(1)) <= 435161)
    memory.has("slurm/slurm.conf", "^SlurmctldParameters=.*node_reg_mem_percent=90")
    case("mig-impossible").refused("software-mig-layout-mismatched")
    case("gid-link-local").says("warning", "net-roce-gid-wrong")
    case("acs-unsaid").says("note", "pcie-acs-redirects-peer-traffic")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:4]))
