#!/usr/bin/env python3
"""A reader of what output lustre writes, after the manual pages alone: ldev.conf(5), mkfs.lustre(8), modprobe.d(5) with the networks of lnet. It shares no
code with the writer. It compares servers with clients: NIDs of the management servers with the sources of fstab, LNets with LNets, addresses with hosts.

usage: lustre.py TREE
"""
import glob
import os
import re
import shlex
import sys

OPTIONS = {"--mgs": 0, "--mdt": 0, "--ost": 0, "--fsname": "[-_a-zA-Z0-9]{1,8}", "--index": "[0-9]{1,5}", "--mgsnode": "NIDS", "--servicenode": "NIDS"}
NID = r"(\d+\.\d+\.\d+\.\d+)@((?:tcp|o2ib)\d*)"


def fail(text):
    print(f"lustre.py: {text}", file=sys.stderr)
    sys.exit(1)


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [line.split("#")[0].strip() for line in f if line.split("#")[0].strip()]


def nids(text):
    out = []
    for nid in text.split(","):
        found = re.fullmatch(NID, nid) or fail(f"{nid} is no NID")
        out.append((found[1], found[2]))
    return out


def read_ldev(path):
    targets, partner = {}, {}
    for line in lines(path):
        fields = line.split()
        if len(fields) < 4:
            fail(f"ldev.conf: fewer than 4 fields: {line}")
        host, foreign, label, device = fields[:4]
        if not re.fullmatch(r"MGS|[-_a-zA-Z0-9]{1,8}-(OST|MDT)[0-9a-f]{4}", label):
            fail(f"ldev.conf: no label: {label}")
        if label in targets:
            fail(f"ldev.conf: label twice: {label}")
        if partner.setdefault(host, foreign) != foreign:
            fail(f"ldev.conf: {host} has two partners")
        if not device.startswith("/"):
            fail(f"ldev.conf: no path: {device}")
        targets[label] = (host, foreign, device)
    for host, foreign in partner.items():
        if foreign != "-" and partner.get(foreign, host) != host:
            fail(f"ldev.conf: {host} and {foreign} are not partners of each other")
    return targets


def read_format(path):
    """label -> (host, device, options)"""
    out = {}
    for line in lines(path):
        if not re.match(r"target\s+\S+\s+\S+\s+/", line):
            continue
        _, host, label, device, *words = shlex.split(line)
        options = {}
        for word in words:
            name, _, value = word.partition("=")
            shape = OPTIONS.get(name, "")
            if shape == "":
                fail(f"{label}: mkfs.lustre has no option {word}, or it would format over data")
            if shape == 0 and value or shape not in (0, "NIDS") and not re.fullmatch(shape, value):
                fail(f"{label}: {word}")
            if shape == "NIDS":
                options.setdefault(name, []).append(nids(value))
            elif name in options:
                fail(f"{label}: {name} twice")
            else:
                options[name] = value
        kinds = {k for k in ("--mgs", "--mdt", "--ost") if k in options}
        if kinds not in ({"--mgs"}, {"--mdt"}, {"--ost"}, {"--mgs", "--mdt"}):
            fail(f"{label}: kinds {sorted(kinds)}")
        if kinds != {"--mgs"}:
            letters = "OST" if "--ost" in kinds else "MDT"
            if label != f"{options.get('--fsname')}-{letters}{int(options.get('--index', -1)):04x}":
                fail(f"{label} has the name and index of another target")
        if ("--mgs" in kinds) == ("--mgsnode" in options):
            fail(f"{label}: a target has the management service, or names it")
        out[label] = (host, device, options)
    return out


def lnets(path):
    """LNet -> devices"""
    for line in lines(path):
        found = re.fullmatch(r'options lnet networks="((?:(?:tcp|o2ib)\d*\([a-z0-9,.]+\),?)+)"', line)
        if found:
            return {n: d.split(",") for n, d in re.findall(r"(\w+)\(([^)]*)\)", found[1])}
    fail(f"{path} has no networks of lnet")


def main(tree):
    ldev = read_ldev(f"{tree}/lustre/ldev.conf")
    hosts = {}
    for line in lines(f"{tree}/hosts/hosts"):
        address, *names = line.split()
        for name in names:
            hosts.setdefault(name, set()).add(address)
    aliases = {}
    for name, addresses in hosts.items():
        for node in {h for h, _, _ in ldev.values()}:
            if name == node or name.startswith(node + "-"):
                aliases.setdefault(node, set()).update(addresses)
    formatted = {}
    for path in sorted(glob.glob(f"{tree}/lustre/*/format.sh")):
        own = read_format(path)
        managers = [o["--servicenode"] for _, _, o in own.values() if "--mgs" in o and "--servicenode" in o]
        named = {str(o["--mgsnode"]) for _, _, o in own.values() if "--mgsnode" in o}
        if len(named) != 1 or managers and str(managers[0]) not in named:
            fail(f"{path}: targets name different management servers: {named}")
        servers = next(o["--mgsnode"] for _, _, o in own.values() if "--mgsnode" in o)
        for label, (host, device, options) in own.items():
            if ldev.get(label, ())[0:3:2] != (host, device):
                fail(f"{label}: {host} {device} is {ldev.get(label)} in ldev.conf")
            pair = [host] + [ldev[label][1]] * (ldev[label][1] != "-")
            nodes = options.get("--servicenode", [])
            if len(nodes) != (2 if len(pair) == 2 else 0):
                fail(f"{label}: {len(nodes)} service nodes for {pair}")
            for name in pair:
                if nodes and not any(all(a in aliases.get(name, ()) for a, _ in n) for n in nodes):
                    fail(f"{label}: no service node is {name} of hosts")
        # what clients mount
        fsname = next(o["--fsname"] for _, _, o in own.values() if "--fsname" in o)
        source = ":".join(",".join(f"{a}@{n}" for a, n in m) for m in servers) + f":/{fsname}"
        mounts = 0
        for folder in glob.glob(f"{tree}/cloud-init/*.user-data"):
            with open(folder, encoding="utf-8") as f:
                for found in re.findall(r'"([^"]+)"\n\s+- [^\n]*\n\s+- lustre', f.read()):
                    if found.endswith(f":/{fsname}"):
                        mounts += 1
                        if found != source:
                            fail(f"{folder} mounts {found}, the servers are {source}")
        if not mounts:
            fail(f"no client mounts {source}")
        of_source = {n for m in servers for _, n in m}
        for path_of in glob.glob(f"{tree}/lustre/*/lustre.conf"):
            if not of_source <= set(lnets(path_of)):
                fail(f"{path_of}: not all of the LNets {of_source}")
            group = path_of.split("/")[-2]
            user_data = f"{tree}/cloud-init/{group}.user-data"
            if os.path.exists(user_data):
                with open(user_data, encoding="utf-8") as f:
                    line = next(x for x in open(path_of, encoding="utf-8") if x.startswith("options lnet"))
                    if line.strip() not in f.read():
                        fail(f"cloud-init of {group} has another LNet than {path_of}")
        formatted.update(own)
        print(f"{path.split('/')[-2]}: {len(own)} targets, {mounts} groups mount {source}")
    if set(formatted) != set(ldev):
        fail("ldev.conf and the scripts have different targets")


main(sys.argv[1])
