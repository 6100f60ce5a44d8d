#!/usr/bin/env python3
"""Lays the test overlay over a compiled slurm folder, and proves that it changed nothing else.

usage: overlay.py COMPILED_DIR OUT_DIR [--devices DIR] [FILE:KEY=VALUE ...]
       overlay.py --compare COMPILED_DIR OTHER_DIR      exit 1 when another key than those below differs
       overlay.py --self-test

Several slurmd on one host cannot have what real nodes have: other users, paths, no cgroups. Those keys, and no others, may differ
from what clusterc compiled; a key outside the list is refused, and so is a compiled tree that was changed in any other place.
`--devices` puts fake GPU device files there: GRES File=/dev/nvidia[0-7] becomes File=DIR/nvidia[0-7], and so do the words of nodes/*.sh that
name a device, the program that asks the GPUs (nvidia-smi becomes DIR/nvidia-smi) or the AMD driver's list of them (DIR/nodes). Scripts are taken as they are; `up` has fakes of what they look at.
"""
import os
import re
import shutil
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
    "slurmdbd.conf": {"slurmuser", "logfile", "pidfile"},
    "slurmdbd.password.conf": {"storagepass"},   # what the spec's reference stands for, and no compiled file
    "gres.conf": {"file"},
    "mpi.conf": {"pmixclitmpdirbase"},
}
# What nodes/*.sh says of devices: the only words of a script that may differ.
NODE_WORDS = re.compile(r"^((?:gpu_device|amd_gpus) )(\S*/)|^((?:(?:gpus|gpu_instances) \d+|gpu_driver \S+|mig_off|gpu_fabric) )(\S*/)?", re.M)
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


def open_text(path):
    """The text of a file; empty where there is none."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as text:
        return text.read()


def script_names(folder):
    """Every script below the folder, as a path in it."""
    found = []
    for top, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(top, n), folder) for n in names if n.endswith(".sh")]
    return set(found)


def differences(compiled, other):
    for name in sorted(script_names(compiled)):
        texts = []
        for folder in (compiled, other):
            with open(os.path.join(folder, name), encoding="utf-8") as text:
                texts.append(text.read() if "/" not in name else NODE_WORDS.sub(lambda m: m.group(1) or m.group(3), text.read()))
        if texts[0] != texts[1]:
            yield f"{name}: a script was changed"
    if open_text(os.path.join(compiled, "topology.yaml")) != open_text(os.path.join(other, "topology.yaml")):
        yield "topology.yaml: it was changed"
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
        if name == "topology.yaml":
            shutil.copy(os.path.join(compiled, name), os.path.join(out, name))
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
        made = os.path.join(out, name)
        if os.path.exists(made):
            os.remove(made)
        mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as text:
            text.write("\n".join(lines) + "\n")
    for name in script_names(compiled):
        made = os.path.join(out, name)
        os.makedirs(os.path.dirname(made), exist_ok=True)
        shutil.copy(os.path.join(compiled, name), made)
        if "/" in name and devices:
            with open(made, encoding="utf-8") as text:
                changed = NODE_WORDS.sub(lambda m: f"{m.group(1)}{devices}/" if m.group(1) else f"{m.group(3)}{devices}/", text.read())
            with open(made, "w", encoding="utf-8") as text:
                text.write(changed)


def self_test():
    with tempfile.TemporaryDirectory() as top:
        a, b = os.path.join(top, "a"), os.path.join(top, "b")
        os.makedirs(a)
        with open(os.path.join(a, "slurm.conf"), "w", encoding="utf-8") as f:
            f.write("# made by\nSlurmUser=slurm\nSelectType=select/cons_tres\nNodeName=n[1-2] CPUs=2\n")
        with open(os.path.join(a, "gres.conf"), "w", encoding="utf-8") as f:
            f.write("NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n")
        os.makedirs(os.path.join(a, "nodes"))
        with open(os.path.join(a, "nodes", "gpu.sh"), "w", encoding="utf-8") as f:
            f.write("gpu_device /dev/nvidia0\ngpus 2 nvidia-smi\ngpu_driver 580 nvidia-smi\nmounted /home\n")
        apply(a, b, "/x", ["slurm.conf:SlurmUser=root", "slurm.conf:TreeWidth=9", "mpi.conf:PMIxCliTmpDirBase=/run/pmix"])
        assert list(differences(a, b)) == [], list(differences(a, b))
        assert read(os.path.join(b, "gres.conf")) == [[("NodeName", "n1"), ("Name", "gpu"), ("File", "/x/nvidia[0-1]")]]
        node = os.path.join(b, "nodes", "gpu.sh")
        with open(node, encoding="utf-8") as f:
            text = f.read()
        assert text == "gpu_device /x/nvidia0\ngpus 2 /x/nvidia-smi\ngpu_driver 580 /x/nvidia-smi\nmounted /home\n", text
        for old, new in (("gpus 2", "gpus 1"), ("/home", "/")):
            with open(node, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new))
            assert list(differences(a, b)) == ["nodes/gpu.sh: a script was changed"], (old, new)
        with open(node, "w", encoding="utf-8") as f:
            f.write(text)
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
