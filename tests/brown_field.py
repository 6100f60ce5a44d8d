#!/usr/bin/env python3
"""Specs of clusters that stand (tests/brown-field/*/) compile without an error or a warning that is not accepted. Given the cluster's own files of Slurm,
the compiled ones agree with them, setting by setting, but for the differences that the case lists with their reasons.

usage: brown_field.py CLUSTERC SOURCE WORK                      every case compiles, and its list of differences is well formed
       brown_field.py CLUSTERC SOURCE WORK CASE FOLDER          and is compared with slurm.conf and topology.conf in FOLDER
       brown_field.py --self-test
CASE/differences.txt has a line for each: FILE | OBJECT | KEY | value there | compiled value | reason. `-` is a setting that a file does not have.
Files are compared as Slurm reads them: node ranges in full, times in minutes, `Priority` as both of its parts, defaults as if they were not written.
No difference may concern limits, confinement, priorities or topology (PROTECTED).
"""
import pathlib
import re
import subprocess
import sys

# Settings that decide how long and how much jobs may use, what they are kept from, who comes first, and where they are placed.
PROTECTED = {
    "maxtime", "defaulttime", "maxnodes", "minnodes", "maxcpuspernode", "maxmempernode", "maxmempercpu", "qos", "allowqos", "denyqos", "allowaccounts", "denyaccounts",
    "allowgroups", "accountingstorageenforce", "enforcepartlimits", "overtimelimit", "maxjobcount", "maxarraysize", "realmemory", "cpus", "gres", "grestypes", "oversubscribe",
    "proctracktype", "taskplugin", "selecttype", "selecttypeparameters", "prologflags", "disablerootjobs", "privatedata", "usepam", "jobcontainertype", "defmempercpu",
    "prioritytype", "prioritydecayhalflife", "prioritycalcperiod", "priorityfavorsmall", "prioritymaxage", "priorityusageresetperiod", "priorityweightage",
    "priorityweightfairshare", "priorityweightjobsize", "priorityweightpartition", "priorityweightqos", "priorityflags", "priorityjobfactor", "prioritytier",
    "preempttype", "preemptmode", "weight", "topologyplugin", "nodes", "switches", "default", "state"}
DEFAULTS = {   # slurm.conf(5) of 22.05
    "": {"schedulertype": "sched/backfill", "switchtype": "switch/none", "slurmctldport": "6817", "slurmdport": "6818", "authtype": "auth/munge", "proctracktype": "proctrack/cgroup",
         "cgroupplugin": "autodetect", "slurmuser": "root", "mpidefault": "none", "preemptmode": "off", "priorityfavorsmall": "no", "priorityweightjobsize": "0", "jobrequeue": "1",
         "slurmdtimeout": "300"},
    "node": {"state": "unknown", "threadspercore": "1", "boards": "1", "weight": "1"},
    "partition": {"state": "up", "oversubscribe": "no", "allowqos": "all", "default": "no", "maxtime": "infinite"}}
TIMES = {"maxtime", "defaulttime"}


def expand(text):
    """Names of a host list, ranges in the last bracket or in the middle."""
    names, depth, word = [], 0, ""
    for c in text + ",":
        depth += (c == "[") - (c == "]")
        if c == "," and depth == 0:
            found = re.fullmatch(r"(.*?)\[([^\]]*)\](.*)", word)
            if not found:
                names.append(word)
            else:
                for part in found[2].split(","):
                    low, _, high = part.partition("-")
                    names += [f"{found[1]}{n:0{len(low)}d}{found[3]}" for n in range(int(low), int(high or low) + 1)]
            word = ""
        else:
            word += c
    return [n for n in names if n]


def minutes(text):
    if text.lower() in ("infinite", "unlimited", "-1"):
        return "infinite"
    days, _, rest = text.rpartition("-")
    parts = [int(p) for p in rest.split(":")]
    if days:
        parts = (parts + [0, 0])[:3]
        return str(int(days) * 1440 + parts[0] * 60 + parts[1] + (parts[2] > 0))
    return str(parts[0] if len(parts) == 1 else parts[0] + (parts[1] > 0) if len(parts) == 2 else parts[0] * 60 + parts[1] + (parts[2] > 0))


def plain(kind, key, value):
    """A value as Slurm has it once it was read."""
    if key in TIMES:
        return minutes(value)
    if key in ("nodes", "switches"):
        return ",".join(sorted(expand(value)))
    low = value.strip('"').lower()
    if key in ("feature", "allowqos", "schedulerparameters", "slurmctldparameters", "accountingstoragetres", "taskplugin", "prologflags", "accountingstorageenforce"):
        low = ",".join(sorted(low.split(",")))
    if key == "accountingstoragetres":   # always recorded: slurm.conf(5)
        low = ",".join(t for t in low.split(",") if t not in ("billing", "cpu", "energy", "mem", "node"))
    if (key == "priorityfavorsmall" or key == "disablerootjobs") and low in ("0", "1"):
        low = ("no", "yes")[int(low)]
    return value.strip('"') if kind == "" and key in ("interactivestepoptions",) else low


def read(path):
    """{(kind, object, key): value} of slurm.conf or topology.conf."""
    found, defaults, hosts = {}, {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        pairs = [(k.lower(), v) for k, v in re.findall(r'(\w+)\s*=\s*("[^"]*"|\S+)', line)]
        if not pairs:
            continue
        first, name = pairs[0]
        kind = {"nodename": "node", "partitionname": "partition", "switchname": "switch"}.get(first, "")
        if kind and name.lower() == "default":
            defaults.setdefault(kind, {}).update(dict(pairs[1:]))
            continue
        for target in expand(name) if kind == "node" else [name] if kind else [""]:
            settings = pairs if not kind else [*defaults.get(kind, {}).items(), *pairs[1:]]
            for key, value in settings:
                key = {"shared": "oversubscribe", "socketsperboard": "sockets", "procs": "cpus"}.get(key, key)
                if key == "slurmctldhost":
                    hosts.append(value)
                    continue
                if kind == "node" and key in ("nodeaddr", "nodehostname") and target in expand(value):
                    continue
                both = ("priorityjobfactor", "prioritytier") if kind == "partition" and key == "priority" else (key,)
                for k in both:
                    found[(kind, target, k)] = plain(kind, k, value)
            if kind in ("node", "partition", "switch"):
                found[(kind, target, "")] = "defined"
    everywhere = found.get(("", "", "defmempercpu"))   # of partitions that have none of their own
    for kind, name, key in list(found):
        if kind == "partition" and key == "" and everywhere and not any((kind, name, k) in found for k in ("defmempercpu", "defmempernode", "defmempergpu")):
            found[(kind, name, "defmempercpu")] = everywhere
    found[("", "", "slurmctldhost")] = ",".join(hosts)
    return {(kind, name, key): value for (kind, name, key), value in found.items() if DEFAULTS.get(kind, {}).get(key) != value and value != ""}


def fold(names):
    """n1,n2,n4 -> n[1-2,4]: names of one stem that follow one another."""
    out, run = [], []
    def close():
        if len(run) > 1:
            stem = re.sub(r"\d+$", "", run[0])
            out.append(f"{stem}[{run[0][len(stem):]}-{run[-1][len(stem):]}]")
        else:
            out.extend(run)
        run.clear()
    for name in names:
        at = re.fullmatch(r"(.*?)(\d+)", name)
        if not (run and at and f"{at[1]}{int(at[2]) - 1:0{len(at[2])}d}" == run[-1]):
            close()
        run.append(name)
    close()
    return ",".join(out)


def differences(theirs, ours, file):
    """Lines FILE | OBJECT | KEY | there | compiled; objects of one kind with the same difference share a line."""
    grouped = {}
    for place in sorted(set(theirs) | set(ours)):
        a, b = theirs.get(place), ours.get(place)
        if a == b:
            continue
        kind, name, key = place
        grouped.setdefault((kind, key, a or "-", b or "-"), []).append(name)
    return {(file, f"{kind} {fold(names)}".strip() or "-", key or "(itself)", a, b) for (kind, key, a, b), names in grouped.items()}


def listed(path):
    out = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [p.strip() for p in line.split(" | ")]
        if len(parts) != 6 or len(parts[5]) < 15:
            sys.exit(f"FAILED: {path}:{number}: write FILE | OBJECT | KEY | there | compiled | reason")
        if parts[2] in PROTECTED:
            sys.exit(f"FAILED: {path}:{number}: a difference of '{parts[2]}' concerns limits, confinement, priorities or topology")
        out[tuple(parts[:5])] = parts[5]
    return out


def self_test():
    assert expand("a[1-3,7],b") == ["a1", "a2", "a3", "a7", "b"] and expand("x[08-10]") == ["x08", "x09", "x10"]
    assert [minutes(t) for t in ("10", "00-00:10:00", "1-0", "2:00:00", "30:00", "INFINITE")] == ["10", "10", "1440", "120", "30", "infinite"]
    assert plain("partition", "allowqos", "b,A") == "a,b"
    assert differences({("node", "n1", "weight"): "2", ("node", "n2", "weight"): "2"}, {}, "f") == {("f", "node n[1-2]", "weight", "2", "-")}
    assert fold(["a", "n09", "n10", "n12"]) == "a,n[09-10],n12"


def main(clusterc, source, work, case=None, folder=None):
    cases, work, bad = pathlib.Path(source) / "tests/brown-field", pathlib.Path(work), 0
    work.mkdir(parents=True, exist_ok=True)
    for at in sorted(p for p in cases.iterdir() if p.is_dir() and case in (None, p.name)):
        spec, tree = at / "spec.yaml", work / at.name
        checked = subprocess.run([clusterc, "check", "--strict", str(spec)], capture_output=True, text=True, check=False)
        done = subprocess.run([clusterc, "compile", str(spec), "--only", "slurm", "-o", str(tree)], capture_output=True, text=True, check=False)
        if checked.returncode or done.returncode:
            sys.exit(f"FAILED: {at.name}: {checked.stdout}{done.stderr}")
        reasons = listed(at / "differences.txt")
        print(f"ok: {at.name}: compiles without a warning; {len(reasons)} differences with their reasons, none of limits, confinement, priorities or topology")
        if folder is None:
            continue
        compared = 0
        got = set()
        for file in ("slurm.conf", "topology.conf"):
            theirs, ours = read(pathlib.Path(folder) / file), read(tree / "slurm" / file)
            compared += len(set(theirs) | set(ours))
            got |= differences(theirs, ours, file)
        for line in sorted(got - set(reasons)):
            bad += 1
            print(f"FAILED: {at.name}: not listed: {' | '.join(line)}")
        for line in sorted(set(reasons) - got):
            bad += 1
            print(f"FAILED: {at.name}: listed, but no difference: {' | '.join(line)}")
        if not bad:
            print(f"ok: {at.name}: {compared} settings compared, {len(got)} differences, each with a reason")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else main(*sys.argv[1:]))
