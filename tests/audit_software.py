#!/usr/bin/env python3
"""`clusterc audit --scontrol`, `--kubectl`, `--files`, `--save`, `--from`, `--against`: what is planted is named, and nothing else is.

usage: audit_software.py CLUSTERC SOURCE WORK

The texts are made up here in the form of the programs (scontrol 24.11, the API's NodeList v1), from what `compile` gives; tests/consumers/audit-slurm.sh has real ones.
"""
import copy
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

clusterc, source, work = sys.argv[1], sys.argv[2], sys.argv[3]
DIFFERS, UNREAD, FILE = "audit-scheduler-differs", "audit-scheduler-unread", "audit-file-differs"


def demand(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def write(name, text):
    path = os.path.join(work, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def audit(example, *arguments):
    done = subprocess.run([clusterc, "audit", os.path.join(source, "examples", example + ".yaml"), *arguments, "--format", "json"], capture_output=True, text=True, timeout=300, check=False)
    told = json.loads(done.stdout) if done.stdout.startswith("{") else {"findings": [], "error": done.stderr}
    return done.returncode, [(f["rule"], f["message"], f["objects"]) for f in told["findings"] if not f["in_baseline"]], told


def compare(what, example, arguments, wanted, status):
    got_status, got, told = audit(example, *arguments)
    left = list(got)
    for rule, *words in wanted:
        hit = next((f for f in left if f[0] == rule and all(w in f[1] for w in words)), None)
        demand(hit, f"{what}: no {rule} with {words} in\n" + "\n".join(map(str, got)) + told.get("error", ""))
        left.remove(hit)
    demand(not left, f"{what}: nobody planted\n" + "\n".join(map(str, left)))
    demand(got_status == status, f"{what}: exit status {got_status}, not {status}: {told.get('error')}")
    return told


def compiled(example):
    folder = os.path.join(work, example)
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([clusterc, "compile", os.path.join(source, "examples", example + ".yaml"), "-o", folder], capture_output=True, check=True)
    return pathlib.Path(folder)


def slurm():
    tree = compiled("superpod")
    topology = []
    for line in (tree / "slurm/topology.conf").read_text(encoding="utf-8").splitlines():
        if line.startswith("SwitchName="):
            topology.append(line.replace(" Nodes", " Level=0 LinkSpeed=1 Nodes").replace(" Switches", " Level=1 LinkSpeed=1 Nodes=gpu[001-127] Switches"))

    def node(name, **more):
        facts = {"Gres": "gpu:h100:8(S:0-1)", "Version": "24.11.1", "RealMemory": 2031616, "State": "IDLE", "CPUTot": 224, "features": "gpu,h100", **more}
        return (f"NodeName={name} Arch=x86_64 CoresPerSocket=56 \n   CPUAlloc=0 CPUEfctv=224 CPUTot={facts['CPUTot']} CPULoad=0.10\n   AvailableFeatures={facts['features']}\n"
                f"   ActiveFeatures=gpu,h100\n   Gres={facts['Gres']}\n   NodeAddr={name} NodeHostName={name} Version={facts['Version']}\n   OS=Linux 5.15.0 #64-Ubuntu SMP \n"
                f"   RealMemory={facts['RealMemory']} AllocMem=0 FreeMem=N/A Sockets=2 Boards=1\n   State={facts['State']} ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n\n")

    names = [f"gpu{n:03}" for n in range(1, 128)]

    def nodes(**changed):
        return write("nodes", "".join(node(n, **changed.get(n, {})) for n in names if changed.get(n, {}) is not None))

    top = write("topology", "\n".join(topology) + "\n")
    config = write("config", "Configuration data as of 2026-11-28T10:00:00\nClusterName             = aurora\nSLURM_VERSION           = 24.11.1\n"
                             "SlurmctldHost[0]        = head1\nSlurmctldHost[1]        = head2(10.10.0.9)\n")
    every = ["--scontrol", top, "--scontrol", config, "--scontrol"]
    told = compare("Slurm as planned", "superpod", [*every, nodes()], [], 0)
    demand(told["scheduler_nodes"]["as_planned"] == 127, told["scheduler_nodes"])
    cases = {
        "a GPU fewer": ({"gpu009": {"Gres": "gpu:h100:7"}}, [(DIFFERS, "'gpu009' has Gres gpu:h100:7 in Slurm, planned gpu:h100:8")]),
        "less memory": ({"gpu009": {"RealMemory": 1900000}}, [(DIFFERS, "'gpu009' has RealMemory 1900000 in Slurm, planned 2031616")]),
        "fewer CPUs": ({"gpu009": {"CPUTot": 112}}, [(DIFFERS, "'gpu009' has CPUTot 112 in Slurm, planned 224")]),
        "a node that is down": ({"gpu009": {"State": "DOWN*"}}, [(DIFFERS, "'gpu009' is DOWN* in Slurm")]),
        "another slurmd": ({"gpu009": {"Version": "23.11.4"}}, [(DIFFERS, "'gpu009' runs slurmd 23.11.4, planned 24.11")]),
        "another patch": ({"gpu009": {"Version": "24.11.0"}}, [("audit-node-unequal", "the release of slurmd of 'gpu009' is '24.11.0', of 126 other nodes")]),
        "a node less": ({"gpu009": None}, [(DIFFERS, "'gpu009' is missing in Slurm")]),
        "another feature": ({"gpu009": {"features": "gpu"}}, [(DIFFERS, "'gpu009' has Features gpu in Slurm, planned gpu,h100")]),
    }
    for what, (changed, wanted) in cases.items():
        compare(what, "superpod", ["--scontrol", nodes(**changed)], wanted, 1)
    text = "\n".join(topology)
    compare("a node below another switch", "superpod", ["--scontrol", write("topology.b", text.replace("gpu[001-032]", "gpu[001-031]").replace("gpu[033-064]", "gpu[032-064]"))],
            [(DIFFERS, "'compute-su1' has the nodes 'gpu[001-031]'", "planned 'gpu[001-032]'"), (DIFFERS, "'compute-su2'")], 1)
    compare("a switch less", "superpod", ["--scontrol", write("topology.c", "\n".join(line for line in topology if "su3" not in line))], [(DIFFERS, "lacks 'compute-su3'")], 1)
    compare("a switch more", "superpod", ["--scontrol", write("topology.d", text + "\nSwitchName=odd Level=0 LinkSpeed=1 Nodes=x[1-2]\n")], [(DIFFERS, "has 'odd'")], 1)
    compare("another controller", "superpod", ["--scontrol", write("config.b", pathlib.Path(config).read_text(encoding="utf-8").replace("= head1", "= head9"))],
            [(DIFFERS, "controllers of Slurm are head9, head2, planned head1, head2")], 1)
    compare("a config without keys", "superpod", ["--scontrol", write("config.c", "Configuration data as of x\n")], [(UNREAD, "the release"), (UNREAD, "ClusterName"), (UNREAD, "SlurmctldHost")], 2)
    compare("a node twice", "superpod", ["--scontrol", nodes(), "--scontrol", nodes()], [(UNREAD, "127 nodes 'gpu[001-127]' were not compared")], 2)
    for what, broken in {"an empty file": "", "another text": "slurm_load_node: Unable to contact slurm controller\n", "binary": "\x01\x02" * 1000}.items():
        compare(what, "superpod", ["--scontrol", write("broken", broken)], [(UNREAD, "was not compared")], 2)
    compare("hostile", "superpod", ["--scontrol", write("hostile", "NodeName=\x1b[2J::error::x State==== Gres=" + "(" * 100000 + "\nNodeName=" + "a," * 50000 + "\n" + "=" * 100000 + "\n")],
            [(DIFFERS, "127 nodes"), (DIFFERS, "that the plan does not have"), (UNREAD, "line 3")], 1)
    # The parts of one file
    whole = [pathlib.Path(p).read_text(encoding="utf-8") for p in (config, top, nodes())]
    down = pathlib.Path(nodes(**{n: {"State": "DOWN*"} for n in names[:50]})).read_text(encoding="utf-8")
    told = compare("three parts in one file", "superpod", ["--scontrol", write("parts", "".join(whole))], [], 0)
    demand(told["scheduler_nodes"]["as_planned"] == 127, told["scheduler_nodes"])
    compare("a good config and 50 nodes down", "superpod", ["--scontrol", write("parts", whole[0] + down)], [(DIFFERS, "50 nodes 'gpu[001-050]' are DOWN*")], 1)
    compare("nodes and another topology", "superpod", ["--scontrol", write("parts", whole[2] + whole[1] + "SwitchName=odd Level=0 LinkSpeed=1 Nodes=x1\n")], [(DIFFERS, "has 'odd'")], 1)
    compare("a line of nobody", "superpod", ["--scontrol", write("parts", whole[2] + "slurm_load_node error: Zero Bytes were transmitted or received\n")], [(UNREAD, "no such line")], 2)
    compare("bare CR", "superpod", ["--scontrol", write("parts", whole[2].replace("\n", "\r"))], [(UNREAD, "save it with LF line ends")], 2)
    # Powered down is no fault; drained, failed and not yet there are.
    compare("powered down", "superpod", ["--scontrol", nodes(gpu009={"State": "IDLE+POWERED_DOWN"}, gpu010={"State": "DOWN+POWERED_DOWN+NOT_RESPONDING"})], [], 0)
    for state in ("DOWN+DRAIN+POWERED_DOWN+NOT_RESPONDING", "IDLE+FAIL+POWERING_UP", "INVAL+POWERING_UP", "FUTURE", "IDLE*", "IDLE+NOT_RESPONDING"):
        compare(state, "superpod", ["--scontrol", nodes(gpu009={"State": state})], [(DIFFERS, f"'gpu009' is {state} in Slurm")], 1)
    status, _, told = audit("superpod", "--kubectl", nodes())
    demand(status == 2, told)
    # Saved, and compared again
    save = os.path.join(work, "save.json")
    bad = nodes(gpu009={"State": "DOWN*"}, gpu010={"State": "DOWN*"})
    first = audit("superpod", "--scontrol", bad, "--save", save)
    demand(os.stat(save).st_mode & 0o77 == 0, "others can read what was saved")
    again = audit("superpod", "--from", save)
    demand(first[:2] == again[:2] and first[0] == 1, f"--from: {again}")
    told = compare("one node more is down", "superpod", ["--scontrol", nodes(gpu009={"State": "DOWN*"}, gpu010={"State": "DOWN*"}, gpu011={"State": "DOWN*"}), "--against", save],
                   [(DIFFERS, "3 nodes 'gpu[009-011]'")], 1)
    demand((told["against"]["new"], told["against"]["unchanged"], told["against"]["gone"]) == (1, 2, []), told["against"])
    told = compare("one of two is up again", "superpod", ["--scontrol", nodes(gpu009={"State": "DOWN*"}), "--against", save], [], 0)
    demand([g["object"] for g in told["against"]["gone"]] == ["node/gpu/010"] and told["against"]["unchanged"] == 1, told["against"])
    report = write("report.json", json.dumps(first[2]))
    compare("against a report", "superpod", ["--scontrol", bad, "--against", report], [], 0)
    whole = pathlib.Path(save).read_text(encoding="utf-8")
    for what, broken in {"cut": whole[:500], "another version": whole.replace('"version": 1', '"version": 9', 1), "no object": "[]", "another kind": whole.replace('"scontrol"', '"odd"'),
                         "empty": "", "deep": "[" * 100000, "captures of nothing": '{"format":"clusterc-audit-captures","version":1,"captures":[1]}'}.items():
        for option in ("--from", "--against"):
            more = [] if option == "--from" else ["--scontrol", bad]
            status, _, told = audit("superpod", option, write("broken.json", broken), *more)
            demand(status == 2 and told.get("error"), f"{option} of a file that is {what}: {status} {told}")
    status, _, told = audit("superpod", "--from", write("broken.json", '{"format":"clusterc-audit-captures","version":1,"captures":[]}'))
    demand(status == 2 and "no capture" in told.get("error", ""), f"--from of no capture: {status} {told}")
    stranger = {"format": "clusterc-audit-captures", "version": 1, "captures": [{"kind": "node-unread", "name": "odd1", "text": "no answer"}]}
    compare("hosts that the spec lacks, none read", "superpod", ["--from", write("strangers.json", json.dumps(stranger))], [("audit-node-unread", "no node 'odd1'")], 2)
    for wrong in (["--from", save, "--scontrol", bad], ["--save", save, "--fabric", bad], []):
        demand(audit("superpod", *wrong)[0] == 2, f"{wrong} is taken")
    return len(cases) + 4


def kubernetes():
    tree = compiled("kubernetes")
    items = []
    for text in (tree / "kubernetes/objects/nodes.yaml").read_text(encoding="utf-8").split("---\n"):
        name = re.search(r"^  name: (\S+)$", text, re.M)[1]
        labels = dict(re.findall(r"^    (\S+): (\S+)$", text, re.M))
        gpu = name.startswith("g")
        items.append({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {**labels, "kubernetes.io/hostname": name}},
                      "spec": {"podCIDR": "10.244.0.0/24"},
                      "status": {"capacity": {"cpu": "192" if not gpu else "128", "memory": "1056000000Ki", "pods": "110", **({"nvidia.com/gpu": "8"} if gpu else {})},
                                 "conditions": [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}],
                                 "nodeInfo": {"kubeletVersion": "v1.36.4", "kernelVersion": "6.8.0-60-generic", "osImage": "Ubuntu 24.04.2 LTS", "containerRuntimeVersion": "containerd://1.7.27"}}})

    def listing(change=lambda items: None):
        changed = copy.deepcopy(items)
        change(changed)
        return ["--kubectl", write("nodes.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": changed}))]

    def at(name, *path, value):
        def change(items):
            place = next(i for i in items if i["metadata"]["name"] == name)
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
        return change

    # What the spec says of processors is the plan's business: take it from the first answer.
    for _, message, objects in audit("kubernetes", *listing())[1]:
        cpus = re.search(r"cpu \d+ in Kubernetes, planned (\d+)", message)
        for item in items:
            if cpus and any(o.endswith("/" + item["metadata"]["name"].lstrip("gck")) and o.startswith({"g": "node/gpu", "c": "node/cpu", "k": "node/ctl"}[item["metadata"]["name"][0]]) for o in objects):
                item["status"]["capacity"]["cpu"] = cpus[1]
    known = [i["metadata"]["name"] for i in items]
    lost = [f for f in audit("kubernetes", *listing())[1]]
    for _, message, objects in lost:
        demand("missing in Kubernetes" in message, f"as planned: {message}")
        for name in objects:
            items.append({"kind": "Node", "metadata": {"name": "k" + name.rsplit("/", 1)[1], "labels": {}}, "status": copy.deepcopy(items[0]["status"])})
    compare("Kubernetes as planned", "kubernetes", listing(), [], 0)
    one = known[2]
    cases = {
        "not Ready": (at(one, "status", "conditions", 1, value={"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting node status."}),
                      [(DIFFERS, f"'{one}' is not Ready in Kubernetes: Kubelet stopped posting node status.")]),
        "a GPU fewer": (at(one, "status", "capacity", "nvidia.com/gpu", value="7"), [(DIFFERS, f"'{one}' has nvidia.com/gpu 7 in Kubernetes, planned 8")]),
        "another kubelet": (at(one, "status", "nodeInfo", "kubeletVersion", value="v1.36.2"), [("audit-node-unequal", f"the release of the kubelet of '{one}' is 'v1.36.2'")]),
        "another kernel": (at(one, "status", "nodeInfo", "kernelVersion", value="6.8.0-55-generic"), [("audit-node-unequal", f"the kernel of '{one}'")]),
        "another label": (at(one, "metadata", "labels", "topology.clusterc/rack", value="r99"), [(DIFFERS, "the label 'topology.clusterc/rack' with 'r99'")]),
        "a node less": (lambda items: items.pop(2) and None, [(DIFFERS, f"'{one}' is missing in Kubernetes")]),
        "a node more": (lambda items: items.append({"kind": "Node", "metadata": {"name": "odd1"}}), [(DIFFERS, "has a node that the plan does not have: 'odd1'")]),
        "two cordoned, one spare": (lambda items: [i.setdefault("spec", {}).update(unschedulable=True) for i in items[:2]] and None, [(DIFFERS, "'g2' is Ready, cordoned in Kubernetes")]),
    }
    for what, (change, wanted) in cases.items():
        compare(what, "kubernetes", listing(change), wanted, 1)
    compare("the spare is cordoned", "kubernetes", listing(lambda items: items[0]["spec"].update(unschedulable=True)), [], 0)
    for what, broken in {"cut": '{"items":[', "no list": "{}", "deep": '{"items":' + "[" * 100000}.items():
        compare(what, "kubernetes", ["--kubectl", write("broken.json", broken)], [(UNREAD, "was not compared")], 2)
    return len(cases)


def files():
    tree = compiled("superpod")

    def digest(path):
        return hashlib.sha256((tree / path).read_bytes()).hexdigest()

    conf, hosts = digest("slurm/slurm.conf"), digest("hosts/hosts")
    right = f"{conf}  /etc/slurm/slurm.conf\n{hosts}  /etc/hosts\n"
    folder = os.path.join(work, "sums")
    shutil.rmtree(folder, ignore_errors=True)
    names = [f"gpu{n:03}" for n in range(1, 128)] + [f"head{n}" for n in (1, 2)] + [f"login{n}" for n in (1, 2)] + [f"fm{n}" for n in range(1, 5)]
    for name in names:
        write(f"sums/{name}", right)
    told = compare("files as compiled", "superpod", ["--files", folder], [], 0)
    demand(told["files"] == {"nodes": 135, "compared": 270, "same": 270}, told["files"])
    write("sums/gpu003", right.replace(conf, "0" * 64))
    compare("a changed file", "superpod", ["--files", folder], [(FILE, "'gpu003' has a '/etc/slurm/slurm.conf' that is not as compiled: 'slurm/slurm.conf'")], 1)
    every = "".join(f"{name}: {line}\n" for name in names for line in right.splitlines())
    compare("one file for all", "superpod", ["--files", write("lines", every)], [], 0)
    # A path before the nodes is none of them: another file that is not compiled is new.
    kept, other = os.path.join(work, "kept.json"), write("lines.c", every + "gpu001: " + "0" * 64 + "  /etc/shadow\n")
    audit("superpod", "--files", write("lines.d", every + "gpu001: " + "0" * 64 + "  /etc/passwd\n"), "--save", kept)
    told = compare("another path against an earlier one", "superpod", ["--files", other, "--against", kept], [(UNREAD, "'/etc/shadow'")], 2)
    demand((told["against"]["new"], told["against"]["unchanged"], len(told["against"]["gone"])) == (1, 0, 1), told["against"])
    two = write("lines.d", every + "".join(f"gpu00{n}: " + "0" * 64 + "  /etc/shadow\n" for n in (1, 2)))
    told = compare("one node more with the same path", "superpod", ["--files", two, "--against", write("other.json", json.dumps(audit("superpod", "--files", other)[2]))], [(UNREAD, "'/etc/shadow'")], 2)
    demand((told["against"]["new"], told["against"]["unchanged"]) == (1, 1), told["against"])
    # Nodes without sums are said; a part is what --nodes names, whether they answer or not.
    one = write("lines.b", "".join(f"gpu001: {line}\n" for line in right.splitlines()))
    missing = [(UNREAD, "126 nodes 'gpu[002-127]' were not compared: no checksums were collected"), (UNREAD, "'head[1-2]'"), (UNREAD, "'login[1-2]'"), (UNREAD, "'fm[1-4]'")]
    compare("134 of 135 nodes without sums", "superpod", ["--files", one], missing, 2)
    kept = os.path.join(work, "part.json")
    audit("superpod", "--files", one, "--save", kept)
    captures = json.loads(pathlib.Path(kept).read_text(encoding="utf-8"))
    captures["captures"].append({**captures["captures"][0], "kind": "node-unread", "name": "gpu001", "text": "no answer"})
    compare("sums of a part", "superpod", ["--from", write("part.json", json.dumps(captures))], [("audit-node-unread", "gpu001")], 2)
    others = [line for line in every.splitlines(True) if not line.startswith("gpu001: ")]
    for what, (text, words) in {"another program's words": ("gpu001: sha256sum: /etc/hosts: No such file or directory\n" + f"gpu001: {right}", "2 of its lines"), "no line": ("", "no line of sha256sum"),
                                "no node": (right, "no line of sha256sum"), "a stranger": (f"odd: {right}", "no node 'odd'")}.items():
        got = audit("superpod", "--files", write("broken", text))
        demand(got[0] == 2 and any(f[0] == UNREAD and words in f[1] for f in got[1]), f"{what}: {got[:2]}")
    rest = "".join(others)
    compare("a file that is not compiled", "superpod", ["--files", write("broken", rest + f"gpu001: {conf}  /etc/passwd\n")], [(UNREAD, "'/etc/passwd', of which no compiled file has the name")], 2)
    compare("two sums of a file", "superpod", ["--files", write("broken", rest + f"gpu001: {conf}  /etc/hosts\ngpu001: {hosts}  /etc/hosts\n")], [(UNREAD, "two checksums"), (FILE, "/etc/hosts")], 1)
    return 1


def files_of_groups():
    """A file that groups have of their own: that of another group is none of the node's."""
    tree = compiled("campus")
    found = sorted(p for p in tree.rglob("containerd.toml"))
    sums = {p.relative_to(tree).parts: hashlib.sha256(p.read_bytes()).hexdigest() for p in found}

    def of(group):
        return next((digest for parts, digest in sums.items() if group in parts), None)

    demand(of("cpu") and of("h100") and of("cpu") != of("h100"), f"campus has no file of each group: {list(sums)}")
    path = "/etc/containerd/containerd.toml"
    _, got, told = audit("campus", "--files", write("groups", f"c01: {of('cpu')}  {path}\nh01: {of('h100')}  {path}\n"))
    demand(told["files"]["same"] == 2, f"files of their groups: {told['files']}")
    _, got, told = audit("campus", "--files", write("groups", f"c01: {of('h100')}  {path}\nh01: {of('h100')}  {path}\n"))
    demand(any(f[0] == FILE and "'c01' has a" in f[1] for f in got) and told["files"]["same"] == 1, f"the file of another group: {got}")
    return 1


def many_files():
    """16,384 nodes, each with a file of its own that all others have under the same name: hardly more than compiling."""
    lines = [f"gpu{n:05}: {n:064x}  /var/lib/cloud/seed/nocloud/meta-data\n" for n in range(1, 16385)]
    begun = time.monotonic()
    audit("roce-16384", "--files", write("many", lines[0]))
    one = time.monotonic() - begun
    begun = time.monotonic()
    _, _, told = audit("roce-16384", "--files", write("many", "".join(lines)))
    all_of_them = time.monotonic() - begun
    demand(told["files"] == {"nodes": 16384, "compared": 16384, "same": 0}, f"{told.get('files')}")
    demand(all_of_them < one + 4, f"{len(lines)} sums took {all_of_them:.1f} s, one {one:.1f} s")
    print(f"   {len(lines)} sums took {all_of_them:.1f} s, one {one:.1f} s")
    return 1


def netbox():
    """The files for NetBox's import that `plan` writes agree with the plan; so do the tables that NetBox exports, which have other titles."""
    example = "superpod"
    folder = pathlib.Path(work, "plan-netbox")
    subprocess.run([clusterc, "plan", os.path.join(source, "examples", example + ".yaml"), "-o", folder, "--force"], capture_output=True, check=True)
    devices = (folder / "netbox/06-devices.csv").read_text(encoding="utf-8")
    cables = (folder / "netbox/08-cables.csv").read_text(encoding="utf-8")
    exported = "\ufeff" + devices.replace("name,role,manufacturer,device_type,status,site,rack,position,face", "Name,Role,Manufacturer,Type,Status,Site,Rack,Position,Rack Face", 1)
    exported = re.sub(r",(\d+),front$", r",\1.0,Front", exported, flags=re.M)
    shown = cables.replace("side_a_device", "Device A", 1).replace("side_b_device", "Device B", 1)
    for a, b in ((devices, cables), (exported, shown)):
        told = compare("as planned", example, ["--netbox", write("devices.csv", a), "--netbox", write("cables.csv", b)],
                       [("audit-netbox-differs", "planned node, switch or storage system")] if "pdu" in a else [], 0)
        counts = told["netbox"]
        demand(counts["devices"] == counts["same_devices"] > 100 and counts["cables"] == counts["same_cables"] > 500, counts)
    rows = exported.split("\n")
    at = next(i for i, row in enumerate(rows) if ",node," in row and row.rstrip().endswith(",Front"))
    name, rack = rows[at].split(",")[0], rows[at].split(",")[6]
    moved = rows[:at] + [rows[at].replace("," + rack + ",", ",elsewhere,")] + rows[at + 2:]
    gone = rows[at + 1].split(",")[0]
    some = shown.split("\n")
    _, got, _ = audit(example, "--netbox", write("devices.csv", "\n".join(moved)), "--netbox", write("cables.csv", "\n".join(some[:1] + some[2:])))
    told = [m for rule, m, _ in got if "planned node, switch" not in m]
    demand(len(told) == 3 and f"NetBox has '{name}' in rack elsewhere" in "".join(told) and f"the plan in rack {rack}" in "".join(told), told)
    demand(any(f"lacks 1 planned device: '{gone}'" in m for m in told) and any(m.startswith("NetBox has ") and " between " in m for m in told), told)
    saved = os.path.join(work, "netbox.json")
    first = audit(example, "--netbox", write("devices.csv", "\n".join(moved)), "--save", saved)
    demand(audit(example, "--from", saved)[:2] == first[:2], "what --save kept of NetBox is compared otherwise")
    demand(audit(example, "--netbox", os.path.join(folder, "netbox/05-racks.csv"))[0] == 2, "a table of racks is taken")
    return 3


os.makedirs(work, exist_ok=True)
print(f"ok: {netbox() + slurm() + kubernetes() + files() + files_of_groups() + many_files()} planted differences")
