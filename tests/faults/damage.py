#!/usr/bin/env python3
"""Faults that destroyed data, lost nodes or let others in, in the program of November 2026: each input, with the result that is right.

usage: damage.py PROGRAMS SOURCE WORK                        as CTest runs it (PROGRAMS/../../bin/clusterc is the program)
       damage.py --of CLUSTERC BUNDLE SOURCE WORK            the same of another build; its status is 1 where a result is wrong

With the program of before (commit b69de0de) every one of them fails: tests/soak/results/damage.md.
"""
import glob
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

if sys.argv[1] == "--of":
    clusterc, bundle, source, work = (os.path.abspath(a) for a in sys.argv[2:6])
else:
    programs, source, work = (os.path.abspath(a) for a in sys.argv[1:4])
    build = os.path.dirname(os.path.dirname(programs))
    clusterc, bundle = os.path.join(build, "bin", "clusterc"), os.path.join(build, "libexec", "clusterc")
tests = os.path.join(source, "tests")
sys.path.insert(0, tests)
from skipping import missing  # noqa: E402

NOBODY = 65534
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
for needed in ("probe", "memory"):
    if not os.path.exists(os.path.join(bundle, "clusterc-" + needed)):
        missing(f"clusterc-{needed} was not built")
CASES = []


def case(title):
    def take(function):
        CASES.append((title, function))
        return function
    return take


def run(*arguments, **more):
    more = {"capture_output": True, "text": True, "timeout": 120, "errors": "replace", **more}
    return subprocess.run([clusterc, *arguments], check=False, **more)


def tree_of(spec):
    """The compiled tree of a spec; empty where the program refuses it."""
    out = os.path.join(work, os.path.basename(spec)[:-5])
    if not os.path.isdir(out):
        run("compile", spec, "-o", out)
    return out


def text_of(*names):
    try:
        with open(os.path.join(*names), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def here(name):
    return os.path.join(tests, "faults", "damage", name)


def consumers(name):
    return os.path.join(tests, "consumers", "specs", name)


def nodes_of(slurm_conf, key):
    return [int(v) for v in re.findall(rf"\b{key}=(\d+)", slurm_conf)]


@case("1 drives that are not `boot` are never the system's")
def drives():
    spec = here("os-on-all-data-drives.yaml")
    assert run("check", spec).returncode == 1, "check finds no error"
    assert not glob.glob(os.path.join(tree_of(spec), "kickstart", "*.ks")), "a kickstart is written"


@case("2 MI300X: GPU i is renderD(128 + 8 i)")
def render_nodes():
    tree = tree_of(consumers("mi300x.yaml"))
    text = text_of(tree, "slurm", "gres.conf")
    assert text, "no gres.conf"
    named = re.findall(r"renderD\[?([0-9,-]+)\]?", text)
    numbers = {int(n) for part in named for n in re.findall(r"\d+", part)}
    assert not numbers & {129, 130, 131, 132, 133, 134, 135}, f"gres.conf names {named}"
    assert numbers == set(range(128, 185, 8)) or "AutoDetect" in text, f"gres.conf names {named}"


@case("3 nosmt: one thread for each core")
def smt():
    text = text_of(tree_of(consumers("smt-off.yaml")), "slurm", "slurm.conf")
    line = next(l for l in text.splitlines() if l.startswith("NodeName=") and "gpu" in l)
    assert nodes_of(line, "ThreadsPerCore") == [1] and nodes_of(line, "CPUs") == [112], line


@case("4 RealMemory below what such a machine registered with")
def memory():
    text = text_of(tree_of(consumers("realmemory-vm.yaml")), "slurm", "slurm.conf")
    sizes = nodes_of(text, "RealMemory")
    assert sizes and max(sizes) <= 435161, sizes      # Azure HB: github.com/Azure/az-hop/issues/686
    assert "node_reg_mem_percent" in text, "no node_reg_mem_percent"


@case("5 slurmd waits for the driver and starts again")
def late_gpu():
    tree = tree_of(consumers("slurmd-nvidia.yaml"))
    units = "".join(text_of(p) for p in glob.glob(tree + "/**/*", recursive=True) if "slurmd.service.d" in p or ("slurmd" in p and p.endswith(".conf")))
    assert re.search(r"^After=.*nvidia-persistenced", units, re.M) and re.search(r"^Restart=on-failure", units, re.M), "slurmd's unit has neither order nor restart"


@case("6 no line of slurm.conf drains a spare")
def spares():
    text = text_of(tree_of(here("spare-drained-again.yaml")), "slurm", "slurm.conf")
    assert text and not re.search(r"^DownNodes=", text, re.M), "DownNodes"


@case("7 the health check drains before Slurm kills it, though three mounts hang")
def health():
    tree = tree_of(consumers("health-check.yaml"))
    node = os.path.join(work, "node")
    os.makedirs(node + "/bin")
    os.makedirs(node + "/etc")
    for name in ("healthcheck.sh", "prolog.sh"):
        shutil.copy(os.path.join(tree, "slurm", name), node + "/etc")
    shutil.copy(os.path.join(tree, "slurm", "nodes", "h100.sh"), node + "/etc/node.sh")
    for name, body in (("mountpoint", "exec sleep 1000"), ("nvidia-smi", "exec sleep 1000"),
                       ("scontrol", f'echo "$*" >> {node}/said; [ "$1" != show ] || echo "NodeName=h1 State=IDLE"')):
        with open(f"{node}/bin/{name}", "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + body + "\n")
        os.chmod(f"{node}/bin/{name}", 0o755)
    script = f"mkdir -p /etc/slurm && mount --bind {node}/etc /etc/slurm && export SLURMD_NODENAME=h1 PATH={node}/bin:$PATH && exec timeout -s KILL 60 sh /etc/slurm/healthcheck.sh"
    with open(node + "/log", "wb") as log:
        subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", script], check=False, stdout=log, stderr=log, timeout=90)
    subprocess.run(["pkill", "-KILL", "-f", node], check=False)
    said = text_of(node, "said")
    assert re.search(r"state=drain.*reason=.?health:", said, re.I | re.S), f"scontrol was told {said!r}"


@case("8 a result counts for the node that the launcher started")
def lies():
    report = os.path.join(work, "lies.json")
    path = os.path.join(tests, "hostile", "slurm") + ":" + os.environ["PATH"]
    run("validate", os.path.join(tests, "hostile", "two-nodes.yaml"), "--bundle", bundle, "--only", "probe,memory", "--journal", os.path.join(work, "lies.journal"), "-o", report,
        env=dict(os.environ, PATH=path, LIE="claims", BUNDLE=bundle))
    with open(report, encoding="utf-8") as file:
        verdicts = {(v["node"], v["metric"]): v["verdict"] for v in json.load(file)["verdicts"]}
    assert verdicts["n2", "memory.triad"] == "error", verdicts


def machine():
    spec = os.path.join(work, "me.yaml")
    if not os.path.exists(spec):
        run("init", "--probe", "--bundle", bundle, "-o", spec)
    return spec


@case("8 a validator that prints without end: limited memory, and an error")
def flood():
    folder = os.path.join(work, "flood")
    os.makedirs(folder)
    for program in glob.glob(bundle + "/*"):
        if os.path.basename(program) != "clusterc-memory":
            os.symlink(program, os.path.join(folder, os.path.basename(program)))
    with open(folder + "/clusterc-memory", "w", encoding="ascii") as file:
        file.write("#!/bin/sh\nexec yes '" + json.dumps({"record": "measurement", "x": "a" * 80}) + "'\n")
    os.chmod(folder + "/clusterc-memory", 0o755)
    limit = 1 << 30
    child = subprocess.Popen([clusterc, "validate", machine(), "--launcher", "local", "--only", "probe,memory", "--allow-busy", "--bundle", folder, "--journal", folder + "/j", "-o", folder + "/r.json"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    try:
        child.wait(60)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGINT)
        child.wait()
    assert "the limit of a task" in text_of(folder, "r.json"), f"exit status {child.returncode} with 1 GiB of memory"


def as_nobody(script, *arguments, **more):
    return subprocess.Popen(["sh", "-c", script, "sh", *arguments], user=NOBODY, group=NOBODY, extra_groups=[], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def shared_folder():
    if os.geteuid() != 0:
        return None
    top = tempfile.mkdtemp(prefix="clusterc-damage-")
    os.chmod(top, 0o1777)
    return top


@case("9 a report is not written through the link of another user")
def report_link():
    top = shared_folder()
    if not top:
        return "not root: there is no other user to try it with"
    os.mkdir(top + "/open")
    os.chmod(top + "/open", 0o777)
    with open(top + "/victim", "w", encoding="ascii") as file:
        file.write("precious\n")
    subprocess.run(["sh", "-c", 'setpriv --reuid=65534 --regid=65534 --clear-groups ln -s "$1/victim" "$1/open/r.json.part-$$"; exec "$2" validate "$4" --launcher local --only probe --bundle "$3" '
                    '--journal "$1/j" -o "$1/open/r.json"', "sh", top, clusterc, bundle, machine()], check=False, capture_output=True, timeout=60)
    kept = text_of(top, "victim")
    shutil.rmtree(top)
    assert kept == "precious\n", "the file behind the link was overwritten"
    return None


@case("9 a tree does not take over a folder of another user")
def folder_of_others():
    top = shared_folder()
    if not top:
        return "not root: there is no other user to try it with"
    as_nobody('mkdir "$1/.t.clusterc-old"; chmod 777 "$1/.t.clusterc-old"', top).wait()
    run("compile", here("ldap-without-teams.yaml"), "-o", top + "/t")
    theirs = os.path.isdir(top + "/t") and (os.stat(top + "/t").st_uid == NOBODY or stat.S_IMODE(os.stat(top + "/t").st_mode) & 0o022)
    shutil.rmtree(top)
    assert not theirs, "the tree lies in a folder that others may change"
    return None


@case("9 a lock that another user holds is named, and the wait ends")
def lock():
    top = shared_folder()
    if not top:
        return "not root: there is no other user to try it with"
    os.mkdir(top + "/mine", 0o755)
    holder = as_nobody('exec flock "$1" sleep 60', top + "/mine")
    time.sleep(0.5)
    try:
        done = run("compile", here("ldap-without-teams.yaml"), "-o", top + "/mine/t", timeout=30)
    except subprocess.TimeoutExpired:
        done = None
    holder.kill()
    holder.wait()
    shutil.rmtree(top)
    assert done is not None, "compile waits without end"
    return None


@case("10 a journal that somebody made is not today's result")
def old_journal():
    folder = os.path.join(work, "journal")
    os.makedirs(folder)
    common = ["validate", machine(), "--launcher", "local", "--only", "probe,memory", "--seconds", "0.05", "--max-size", "4MiB", "--allow-busy", "--bundle", bundle]
    run(*common, "--journal", folder + "/j")
    lines = [l for l in text_of(folder, "j").splitlines() if '"record":"end"' not in l]
    made_up = "\n".join(re.sub(r'(\\"value\\":)[0-9.e+]+', r"\g<1>90000000000", re.sub(r'"started":"\d{4}', '"started":"1999', l)) for l in lines)
    with open(folder + "/j2", "w", encoding="utf-8") as file:
        file.write(made_up + "\n")
    run(*common, "--journal", folder + "/j2", "-o", folder + "/r.json")
    report = text_of(folder, "r.json")
    assert report and ("90000000000" not in report and "9e+10" not in report and "9e10" not in report or "taken_over" in report), "the report does not say where its figures come from"


@case("10 a journal is a regular file")
def fifo():
    pipe = os.path.join(work, "pipe")
    os.mkfifo(pipe)
    try:
        done = run("validate", machine(), "--launcher", "local", "--only", "probe", "--bundle", bundle, "--journal", pipe, timeout=15)
    except subprocess.TimeoutExpired:
        raise AssertionError("validate waits without end") from None
    assert done.returncode != 0, "a pipe was taken as journal"


@case("11 a plan has no line that a runner obeys")
def line_ends():
    spec = os.path.join(tests, "hostile", "line-ends.yaml")
    done = run("plan", spec, "-o", os.path.join(work, "plan"))
    texts = done.stdout + done.stderr + "".join(text_of(p) for p in glob.glob(work + "/plan/**/*", recursive=True))
    assert texts and not re.search(r"^::", texts, re.M), "a line begins with '::'"


@case("11 a drain reason is text")
def drain_reason():
    path = os.path.join(tests, "hostile", "slurm") + ":" + os.environ["PATH"]
    done = run("validate", os.path.join(tests, "hostile", "two-nodes.yaml"), "--bundle", bundle, "--only", "probe,memory", "--journal", os.path.join(work, "reason.journal"),
               env=dict(os.environ, PATH=path, LIE="honest", BUNDLE=bundle))
    assert done.stdout and not re.search("[\033\007]", done.stdout + done.stderr), "a terminal would obey the report"


@case("12 check of 16,000 groups, in CPU seconds (at most 10 on any machine)")
def many_groups():
    spec = os.path.join(work, "many.yaml")
    with open(spec, "w", encoding="ascii") as file:
        file.write("clusterc: 1\nrules: 2026.11\nname: x\nsite: { kind: cloud, provider: local }\nnodes:\n")
        file.writelines(f'  g{i}: {{ names: "g{i}x[1-2]", virtual_machine: {{ cpus: 2, memory: 4 GiB }} }}\n' for i in range(16000))
        file.write("networks:\n  vpc: { kind: ethernet, rate: 10 Gb/s, subnet: 10.0.0.0/8, connects: {\n")
        file.writelines(f"    g{i}: 1,\n" for i in range(16000))
        file.write("  } }\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run("check", spec, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (40, 40)))
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert used < 10, f"{used:.1f} s"


@case("directory logins that nothing limits are said")
def ungated():
    done = run("compile", here("ldap-without-teams.yaml"), "-o", os.path.join(work, "ungated"))
    assert "login-ungated" in done.stdout + done.stderr, "no finding"


@case("columns of an inventory are taken or refused")
def inventory():
    done = run("compile", here("inventory-address.yaml"), "-o", os.path.join(work, "inventory"))
    hosts = text_of(work, "inventory", "hosts", "hosts")
    assert "192.168.10.201" in hosts or "column 'address'" in done.stdout + done.stderr, "the column `address` is passed over without a word"


@case("shares of teams count GPUs")
def billing():
    text = text_of(tree_of(here("fairshare-counts-cores.yaml")), "slurm", "slurm.conf")
    assert "TRESBillingWeights" in text, "no TRESBillingWeights"


failed = 0
for title, function in CASES:
    try:
        skipped = function()
        print(f"{'not run' if skipped else 'ok'}: {title}{': ' + skipped if skipped else ''}", flush=True)
    except Exception as wrong:    # of any kind: the next case is tried all the same
        failed += 1
        print(f"WRONG: {title}: {type(wrong).__name__ if not isinstance(wrong, AssertionError) else ''}{str(wrong).splitlines()[0] if str(wrong) else ''}", flush=True)
print(f"{len(CASES) - failed} of {len(CASES)} results are right")
sys.exit(failed != 0)
