#!/usr/bin/env python3
"""Lays the test overlay over a compiled slurm folder, and proves that it changed nothing else.

usage: overlay.py COMPILED_DIR OUT_DIR [--devices DIR] [FILE:KEY=VALUE ...]
       overlay.py --compare COMPILED_DIR OTHER_DIR      exit 1 when another key than those below differs
       overlay.py --self-test

Several slurmd on one host cannot have what real nodes have: other users, paths, no cgroups. Those keys, and no others, may differ
from what clusterc compiled; a key outside the list is refused, and so is a compiled tree that was changed in any other place.
`--devices` puts fake GPU device files there: GRES File=/dev/nvidia[0-7] becomes File=DIR/nvidia[0-7].
"""
import os
import re
import sys
import tempfile

ALLOWED = {
    "slurm.conf": {
        # host, address and port
        "slurmctldhost", "nodeaddr", "nodehostname", "port", "slurmctldport", "slurmdport",
        # users
        "slurmuser", "slurmduser",
        # what one machine cannot give to several nodes
        "slurmdparameters", "proctracktype", "taskplugin", "jobacctgathertype", "mailprog", "returntoservice", "treewidth",
        # paths
        "slurmdspooldir", "slurmdpidfile", "slurmctldpidfile", "slurmdlogfile", "slurmctldlogfile", "statesavelocation",
    },
    "gres.conf": {"file"},
    "mpi.conf": {"pmixclitmpdirbase"},
}
PAIR = re.compile(r'(\w+)=("[^"]*"|\S+)')


def read(path):
    """The lines that say something, each as its list of (key, value)."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as text:
        lines = (line.strip() for line in text)
        return [PAIR.findall(line) for line in lines if line and not line.startswith("#")]


def stripped(lines, allowed):
    """What is left when the keys that may differ are taken out; an empty line counts as absent."""
    kept = [tuple((k.lower(), v) for k, v in line if k.lower() not in allowed) for line in lines]
    return [line for line in kept if line]


def differences(compiled, other):
    names = {n for d in (compiled, other) for n in os.listdir(d) if n.endswith(".conf")}
    for name in sorted(names):
        allowed = ALLOWED.get(name, set())
        a, b = (stripped(read(os.path.join(d, name)), allowed) for d in (compiled, other))
        if a != b:
            changed = [line for line in a if line not in b] + [line for line in b if line not in a]
            yield f"{name}: more than the overlay's keys differ: {changed[:3] or 'the order of lines'}"


def apply(compiled, out, devices, settings):
    os.makedirs(out, exist_ok=True)
    wanted = {}
    for setting in settings:
        name, _, pair = setting.partition(":")
        key, _, value = pair.partition("=")
        if key.lower() not in ALLOWED.get(name, set()):
            sys.exit(f"overlay.py: '{key}' of {name} is not in the overlay's list")
        wanted.setdefault(name, {})[key.lower()] = (key, value)
    for name in sorted(set(os.listdir(compiled)) | set(wanted)):
        if not name.endswith(".conf"):
            continue
        path, lines = os.path.join(compiled, name), []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as text:
                lines = text.read().splitlines()
        keys = wanted.get(name, {})
        lines = [l for l in lines if not (l.partition("=")[0].strip().lower() in keys)]
        if name == "gres.conf" and devices:
            lines = [re.sub(r"\bFile=/dev/(?:dri/)?", f"File={devices}/", l) if not l.startswith("#") else l for l in lines]
        if keys:
            lines += ["# test overlay"] + [f"{key}={value}" for key, value in keys.values()]
        with open(os.path.join(out, name), "w", encoding="utf-8") as text:
            text.write("\n".join(lines) + "\n")


def self_test():
    with tempfile.TemporaryDirectory() as top:
        a, b = os.path.join(top, "a"), os.path.join(top, "b")
        os.makedirs(a)
        with open(os.path.join(a, "slurm.conf"), "w", encoding="utf-8") as f:
            f.write("# made by\nSlurmUser=slurm\nSelectType=select/cons_tres\nNodeName=n[1-2] CPUs=2\n")
        with open(os.path.join(a, "gres.conf"), "w", encoding="utf-8") as f:
            f.write("NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n")
        apply(a, b, "/x", ["slurm.conf:SlurmUser=root", "slurm.conf:TreeWidth=9", "mpi.conf:PMIxCliTmpDirBase=/run/pmix"])
        assert list(differences(a, b)) == [], list(differences(a, b))
        assert read(os.path.join(b, "gres.conf")) == [[("NodeName", "n1"), ("Name", "gpu"), ("File", "/x/nvidia[0-1]")]]
        for old, new in (("cons_tres", "linear"), ("CPUs=2", "CPUs=3"), ("NodeName=n[1-2]", "NodeName=n[1-3]")):
            path = os.path.join(b, "slurm.conf")
            with open(path, encoding="utf-8") as f:
                text = f.read()
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new))
            assert len(list(differences(a, b))) == 1, (old, new)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        try:
            apply(a, b, None, ["slurm.conf:SelectType=select/linear"])
        except SystemExit as refused:
            assert "SelectType" in str(refused)
        else:
            raise AssertionError("a key outside the list was taken")
    return 0


def main():
    args = sys.argv[1:]
    if args == ["--self-test"]:
        return self_test()
    if len(args) == 3 and args[0] == "--compare":
        found = list(differences(args[1], args[2]))
        print(*found, sep="\n", end="\n" if found else "")
        return 1 if found else 0
    devices = None
    if "--devices" in args:
        at = args.index("--devices")
        devices = args[at + 1]
        del args[at:at + 2]
    if len(args) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    apply(args[0], args[1], devices, args[2:])
    found = list(differences(args[0], args[1]))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
