#!/usr/bin/env python3
"""A compiled routed fabric in network namespaces: one a switch and one a node, a veth pair a cable; zebra and bgpd of FRR with the compiled frr.conf.

usage: frr_fabric.py TREE PLAN_DIR NETWORK WORK_DIR

TREE is what `clusterc compile` wrote: sonic/NETWORK-N/SWITCH/frr.conf, netplan/GROUP-N/NODE.yaml, and, where it is there, config_db.json beside frr.conf.
Cables come from PLAN_DIR/cables.csv. Addresses and routes of nodes are those of their netplan files. Addresses of switches are those of config_db.json;
without it a leaf's are the next hops of the nodes at the other ends, and loopbacks the router ids.

Asserted: interfaces of frr.conf agree with the cables; vtysh takes every line; every switch has the routes that it should have, each over as many links as the
plan has; every port of a node reaches every port of every other. All that with every spine dead in turn, and with a link of each leaf cut in turn. Then twins
that are broken must be noticed: a leaf with another number, a leaf without one of its neighbours, a node with a wrong route.
Exit status: 0, 1 something is wrong, 77 this machine has no namespaces or no FRR.
"""
import collections
import csv
import ctypes
import glob
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from skipping import cannot, missing  # noqa: E402

ROOT = os.environ.get("FRR_ROOT", "/")                      # of another system with FRR in it
FRR = "/usr/lib/frr"
# Since 10 zebra has its interfaces from mgmtd.
DAEMONS = [d for d in ("mgmtd", "zebra", "bgpd") if os.path.exists(f"{ROOT.rstrip('/')}{FRR}/{d}")]
tree, plan, network, work = sys.argv[1:5]
CLONE_NEWNET = 0x40000000
ECHO_PORT = 7007


def fail(text):
    sys.exit(f"FAILED: {text}")


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, **more)
    if done.returncode:
        fail(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


class Conf:
    """What a frr.conf says of interfaces and neighbours."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.host = re.search(r"^hostname (\S+)$", self.text, re.M)[1]
        self.asn = int(re.search(r"^router bgp (\d+)$", self.text, re.M)[1])
        self.loopback = re.search(r"^ bgp router-id (\S+)$", self.text, re.M)[1]
        self.far = {m[1]: (m[2], m[3]) for m in re.finditer(r"^interface (\S+)\n description (\S+) (\S+)\n", self.text, re.M)}
        self.neighbours = set(re.findall(r"^ neighbor (\S+) interface peer-group", self.text, re.M))
        self.paths = int(re.search(r"^  maximum-paths (\d+)$", self.text, re.M)[1])


switches = {c.host: c for c in map(Conf, sorted(glob.glob(f"{tree}/sonic/{network}-*/*/frr.conf")))}
if not switches:
    fail(f"no frr.conf of network '{network}' in {tree}/sonic")
nodes, host_of = {}, {}                                     # host_of: of an object of docs/names.md
for found in sorted(glob.glob(f"{tree}/netplan/*/*.yaml")):
    with open(found, encoding="utf-8") as opened:
        name, group = os.path.basename(found)[:-5], os.path.basename(os.path.dirname(found)).rpartition("-")[0]
        nodes[name] = yaml.safe_load(opened)["network"].get("ethernets", {})
        host_of[f"node/{group}/{re.search('[0-9]*$', name)[0] or name}"] = name
with open(f"{plan}/switches.csv", encoding="utf-8", newline="") as opened:
    host_of |= {r["switch"]: r["host"] for r in csv.DictReader(opened) if r["network"] == network}
leaves = [h for h in switches if h.startswith("leaf-")]
spines = [h for h in switches if h.startswith("spine-")]
links = []                                                  # (switch, interface, node or switch, interface)
space, started = {}, {}


def agree_with_cables():
    """Interfaces of frr.conf against the cables of the plan: the same pairs of machines, in the same order of ports."""
    with open(f"{plan}/cables.csv", encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["network"] == network and r["from_port"] != "mgmt"]
    ports = collections.defaultdict(dict)                   # of a switch: number -> (far host, far port as docs/names.md has it)
    for r in rows:
        one, other = host_of[r["from"]], host_of[r["to"]]
        ports[other][int(r["to_port"])] = (one, r["from_port"])
        if one in switches:
            ports[one][int(r["from_port"])] = (other, r["to_port"])
    if set(ports) != set(switches):
        fail(f"switches with cables are {sorted(ports)}, those with a frr.conf {sorted(switches)}")
    for host, by_number in ports.items():
        conf = switches[host]
        by_lane = sorted(conf.far, key=lambda name: int(name.removeprefix("Ethernet")))
        if len(by_lane) != len(by_number):
            fail(f"{host} has {len(by_number)} cables and {len(by_lane)} interfaces in frr.conf")
        for interface, (_, (far, port)) in zip(by_lane, sorted(by_number.items())):
            told_far, told_port = conf.far[interface]
            if told_far != far or (far not in switches and told_port != port.replace("/", "")):
                fail(f"{host} {interface} is said to lead to {told_far} {told_port}, the cable leads to {far} {port}")
            if (far in switches) != (interface in conf.neighbours):
                fail(f"{host} {interface} leads to {far}, and is {'no' if far in switches else 'a'} neighbour of BGP")
            if far not in switches:
                links.append((host, interface, far, told_port))
            elif (host, interface) != switches[far].far.get(told_port):
                fail(f"{host} {interface} leads to {far} {told_port}, which leads to {switches[far].far.get(told_port)}")
            elif host < far:
                links.append((host, interface, far, told_port))
    return len(rows)


def batch(lines, *more):
    return subprocess.run(["ip", *more, "-batch", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)


def enter(name):
    if ctypes.CDLL(None, use_errno=True).setns(os.open(f"/run/netns/{space[name]}", os.O_RDONLY), CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def user_of_frr():
    with open(f"{ROOT.rstrip('/')}/etc/passwd", encoding="utf-8") as file:
        return next((int(u), int(g)) for name, _, u, g, *_ in (line.split(":") for line in file) if name == "frr")


def addresses_of(host):
    """Of a switch: [(interface, address/length)]. From config_db.json where it is compiled."""
    conf = switches[host]
    database = os.path.join(os.path.dirname(conf.path), "config_db.json")
    if os.path.exists(database):
        with open(database, encoding="utf-8") as file:
            tables = json.load(file)
        keys = [k.split("|") for t in ("INTERFACE", "LOOPBACK_INTERFACE") for k in tables.get(t, {})]
        return [("lo" if k[0].startswith("Loopback") else k[0], k[1]) for k in keys if len(k) == 2]
    out = [("lo", f"{conf.loopback}/32")]
    for interface, (far, port) in conf.far.items():
        if far in nodes:
            (via,) = {r["via"] for r in nodes[far][port]["routes"]}
            out.append((interface, f"{via}/31"))
    return out


def set_up_spaces():
    for i, name in enumerate([*switches, *sorted({b for _, _, b, _ in links if b not in switches})]):
        space[name] = f"cr{os.getpid()}-{i}"
    done = batch([f"netns add {s}" for s in space.values()])
    if done.returncode:
        cannot(f"network namespaces cannot be had here: {done.stderr.strip()[:200]}")
    done = batch([f"link add {pa} netns {space[a]} mtu 9100 type veth peer name {pb} netns {space[b]}" for a, pa, b, pb in links])
    if done.returncode:
        fail(f"veth pairs: {done.stderr.strip()[:300]}")
    for name, s in space.items():
        lines = ["link set lo up"]
        settings = ["net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0"]
        if name in switches:
            settings += ["net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1", "net.ipv4.fib_multipath_hash_policy=1"]
            lines += [f"address add {a} dev {i}" for i, a in addresses_of(name)]
            lines += [f"link set {i} up" for i in switches[name].far]
        else:
            for device, d in nodes[name].items():
                if (name, device) not in {(b, pb) for _, _, b, pb in links}:
                    continue
                lines += [f"link set {device} up mtu {d.get('mtu', 1500)}"] + [f"address add {a} dev {device}" for a in d.get("addresses", [])]
                for r in d.get("routes", []):
                    lines.append(f"route add {r['to']} dev {device}" + "".join(f" {k} {r[k]}" for k in ("via", "metric", "table", "scope") if k in r))
                lines += [f"rule add from {r['from']} table {r['table']}" for r in d.get("routing-policy", [])]
        # As the compiled sysctl of a node with several ports in one subnet has it, and for switches the kernel's own default.
        settings.append(f"net.ipv4.conf.all.rp_filter={0 if name in switches else 2}")
        run("nsenter", f"--net=/run/netns/{s}", "sysctl", "-qw", *settings)
        done = batch(lines, "-n", s)
        if done.returncode:
            fail(f"{name}: {done.stderr.strip()[:300]}")


def start(host, text=None):
    """zebra and bgpd of a switch, and its configuration, every line of which must be taken."""
    s, conf = space[host], f"{work}/{space[host]}.conf"
    with open(conf, "w", encoding="utf-8") as file:
        file.write(text or switches[host].text)
    os.chmod(conf, 0o644)
    inside = ["chroot", ROOT] if ROOT != "/" else []
    for daemon in DAEMONS:
        pid = f"/var/run/frr/{s}.{daemon}.pid"
        said = f"{work}/{s}.{daemon}.out"                   # a file: mgmtd keeps what it was given open
        with open(said, "w", encoding="utf-8") as file:
            done = subprocess.run(["nsenter", f"--net=/run/netns/{s}", *inside, f"{FRR}/{daemon}", "-d", "-N", s, "-i", pid, "-A", "127.0.0.1", *(["-f", "/dev/null"] if daemon != "mgmtd" else []),
                                   "--log", f"file:{work}/{s}.{daemon}.log"], stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False, timeout=30)
        if done.returncode:
            with open(said, encoding="utf-8") as file:
                fail(f"{daemon} of {host}: {file.read()[-400:]}")
        with open(ROOT.rstrip("/") + pid, encoding="utf-8") as file:
            started[host, daemon] = int(file.read())
    run("nsenter", f"--net=/run/netns/{s}", *inside, "vtysh", "-N", s, "-f", conf)


def stop(host):
    for daemon in reversed(DAEMONS):
        pid = started.pop((host, daemon))
        os.kill(pid, signal.SIGTERM)
        while os.path.exists(f"/proc/{pid}"):
            time.sleep(0.05)


def clean():
    for pid in started.values():
        try:
            os.kill(pid, signal.SIGTERM)
        except OSError:
            pass
    for name in space.values():
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        shutil.rmtree(f"{ROOT.rstrip('/')}/var/run/frr/{name}", ignore_errors=True)


def expected(host, alive):
    """{prefix: links} that a switch should have, from the cables that live."""
    out = {}
    width = collections.Counter(b if a == host else a for a, pa, b, pb in alive if host in (a, b))      # links to each neighbour
    pairs = {leaf: [a.rsplit("/", 1) for i, a in addresses_of(leaf) if i != "lo"] for leaf in leaves}
    behind = {leaf: [f"{switches[leaf].loopback}"] + [f"{address}/{length}" for address, length in pairs[leaf]] for leaf in leaves}
    if host in spines:
        for leaf in leaves:
            if width[leaf]:
                out |= {prefix: width[leaf] for prefix in behind[leaf]}
        return out
    for spine in spines:
        if width[spine]:
            out[switches[spine].loopback] = width[spine]
    for leaf in leaves:
        to_leaf = {s for s in spines for a, _, b, _ in alive if {a, b} == {s, leaf}}
        over = sum(n for spine, n in width.items() if spine in to_leaf)
        if leaf != host and over:
            out |= {prefix: over for prefix in behind[leaf]}
    return out


def differences(alive, hosts=None):
    wrong, compared = [], 0
    for host in hosts or switches:
        have = {}
        for r in json.loads(run("ip", "-n", space[host], "-j", "route", "show", "proto", "bgp") or "[]"):
            have[r["dst"]] = len(r["nexthops"]) if "nexthops" in r else 1
            if r.get("prefsrc") != switches[host].loopback.split("/")[0]:
                wrong.append(f"{host} sends to {r['dst']} from {r.get('prefsrc')}, not from its loopback")
        want = expected(host, alive)
        compared += len(want)
        for prefix, links_of in want.items():
            if have.pop(prefix, 0) != links_of:
                wrong.append(f"{host} has not {prefix} over {links_of} links")
        wrong += [f"{host} has a route to {prefix}, which is nobody's" for prefix in have]
    return wrong, compared


def settle(alive, what, patience=30):
    begin = time.time()
    while True:
        wrong, compared = differences(alive)
        if not wrong:
            return compared
        if time.time() - begin > patience:
            fail(f"{what}: {len(wrong)} of {compared} routes are not as planned after {patience} s: {'; '.join(wrong[:3])}")
        time.sleep(0.3)


def talk(name, own, others, seconds, pipe):
    """In a process of its own: asks everybody from each address, answers everybody, writes what did not answer."""
    enter(name)
    socks = {}
    for address in own:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.bind((address, ECHO_PORT))
        s.setblocking(False)
        socks[s] = address
    silent = {(a, b) for a in own for b in others}
    end, again = time.time() + seconds, 0
    while time.time() < end:
        if time.time() >= again:
            for s, address in socks.items():
                for other in others:
                    if (address, other) in silent:
                        try:
                            s.sendto(b"?", (other, ECHO_PORT))
                        except OSError:
                            pass
            again = time.time() + 0.7
        for s in select.select(list(socks), [], [], 0.1)[0]:
            try:
                while True:
                    data, (other, port) = s.recvfrom(16)
                    if data == b"?":
                        s.sendto(b"!", (other, port))
                    else:
                        silent.discard((socks[s], other))
            except OSError:
                pass
    os.write(pipe, json.dumps([len(silent), sorted(silent)[:5]]).encode())


def unreached(seconds=1.6):
    """(pairs of addresses that could not talk, all pairs, examples)"""
    own = {n: [a.split("/")[0] for port in sorted(pb for _, _, b, pb in links if b == n) for a in nodes[n][port]["addresses"]] for n in space if n not in switches}
    waiting, total = [], 0
    for n, addresses in own.items():
        others = [a for m, more in own.items() if m != n for a in more]
        total += len(addresses) * len(others)
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                talk(n, addresses, others, seconds, write)
                os._exit(0)
            finally:
                os._exit(1)
        os.close(write)
        waiting.append((pid, read, n))
    silent, examples = 0, []
    for pid, read, n in waiting:
        with os.fdopen(read, "rb") as pipe:
            data = pipe.read()
        if os.waitpid(pid, 0)[1]:
            fail(f"{n} could not ask the others")
        count, some = json.loads(data)
        silent, examples = silent + count, examples + some
    return silent, total, examples[:3]


def all_talk(what):
    silent, total, examples = unreached()
    if silent:
        fail(f"{what}: {silent} of {total} pairs of addresses cannot talk: {examples}")
    return total


def set_link(link, state):
    for name, interface in (link[:2], link[2:]):
        run("ip", "-n", space[name], "link", "set", interface, state)


def without(cut):
    return [x for x in links if x not in cut]


def main():
    begin = time.time()
    cables = agree_with_cables()
    set_up_spaces()
    for host in switches:
        start(host)
    compared = settle(links, "start", 60)
    widest = max(max(expected(h, links).values()) for h in leaves)
    if any(switches[h].paths != widest for h in leaves):
        fail(f"leaves reach others over {widest} links, frr.conf says {switches[leaves[0]].paths}")
    total = all_talk("start")
    print(f"ok: {network}: {len(leaves)} leaves, {len(spines)} spines, {cables} cables, {compared} routes as planned, the widest over {widest} links; {total} pairs of addresses talk; {time.time() - begin:.0f} s")
    between = [x for x in links if x[2] in switches]
    down = []

    def cut(what, now):
        """These links and no others are down: routes are as they should be without them, and all addresses talk."""
        for x in down:
            set_link(x, "up")
        down[:] = now
        for x in down:
            set_link(x, "down")
        settle(without(down), what)
        all_talk(what)

    for spine in spines:
        cut(f"{spine} dead", [x for x in between if spine in (x[0], x[2])])
    print(f"ok: {network}: each of {len(spines)} spines dead in turn, all routes over the others, all addresses talk; {time.time() - begin:.0f} s")
    each = [[x for x in between if leaf in (x[0], x[2])][i % widest] for i, leaf in enumerate(leaves)]
    for x in (each[0], each[-1]):
        cut(f"the link of {x[0]} and {x[2]} cut", [x])
    cut("a link of each leaf cut", each)
    cut("all links back", [])
    print(f"ok: {network}: a link cut, another, and one of each of {len(leaves)} leaves: the same; {time.time() - begin:.0f} s")
    broken_twins()
    print(f"ok: {network}: all done in {time.time() - begin:.0f} s")


def broken_twins():
    node, port = next((b, pb) for _, _, b, pb in links if b in nodes)
    run("ip", "-n", space[node], "route", "flush", "table", str(nodes[node][port]["routing-policy"][0]["table"]))
    run("ip", "-n", space[node], "route", "flush", "table", "main", "proto", "boot")   # in which another port would stand in
    own = nodes[node][port]["addresses"][0].split("/")[0]
    ports = sum(b not in switches for _, _, b, _ in links)
    for _ in range(4):                                      # on a busy machine a session of BGP may just have been lost and come back
        silent, total, _ = unreached()
        if silent == 2 * total // ports:
            break
        time.sleep(5)
    if silent != 2 * total // ports:                        # it reaches nobody, and nobody it
        fail(f"{node} without the routes of {port} ({own}) was not seen as that: {silent} of {total} pairs of addresses cannot talk")
    print(f"ok: {network}: {node} without the routes of {port}: {silent} of {total} pairs of addresses cannot talk")
    one, two = leaves[0], leaves[1]
    lost = sorted(switches[two].neighbours)[0]
    twins = {one: ("another number", switches[one].text.replace(f"router bgp {switches[one].asn}\n", f"router bgp {switches[one].asn + 100000}\n")),
             two: (f"no neighbour on {lost}", re.sub(rf"^ neighbor {lost} .*\n", "", switches[two].text, flags=re.M))}
    for leaf, (what, text) in twins.items():
        if text == switches[leaf].text:
            fail(f"the twin of {leaf} with {what} is the original")
        stop(leaf)
        start(leaf, text)
    time.sleep(8)                                           # the good ones are there after less
    for leaf, (what, _) in twins.items():
        wrong, compared = differences(links, [leaf])
        if not wrong:
            fail(f"{leaf} with {what} was not seen")
        print(f"ok: {network}: {leaf} with {what}: {len(wrong)} of its {compared} routes differ, {wrong[0]}")


if not os.path.exists(f"{ROOT.rstrip('/')}{FRR}/bgpd"):
    missing("frr not installed")
if os.geteuid() != 0:
    cannot("network namespaces need root")
try:
    os.makedirs(f"{ROOT.rstrip('/')}/var/run/frr", exist_ok=True)
    os.makedirs(work, exist_ok=True)
    for folder in (work, f"{ROOT.rstrip('/')}/var/run/frr"):
        os.chown(folder, *user_of_frr())
    main()
finally:
    clean()
