#!/usr/bin/env python3
"""A planned Ethernet fabric in network namespaces: a namespace a switch, a veth pair a cable, zebra and bgpd of FRR in each.

usage: frr.py PLAN_DIR NETWORK WORK_DIR

Numbers and loopbacks come from switches.csv, cables from cables.csv, the width that is planned from plan.json; nothing else of clusterc is used.
Up: every switch has the routes that it should have, each over as many links as the plan gives it. Then one cable is cut, and the same check must
fail. Exit status: 0, 1 something is wrong, 77 this machine has no namespaces or no FRR.
"""
import collections
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from skipping import cannot, missing  # noqa: E402

FRR = "/usr/lib/frr"
folder, network, work = sys.argv[1:4]


def rows(name):
    with open(f"{folder}/{name}", encoding="utf-8", newline="") as file:
        return [r for r in csv.DictReader(file) if r["network"] == network]


switches = {r["switch"]: r for r in rows("switches.csv")}
links = [(r["from"], r["from_port"], r["to"], r["to_port"]) for r in rows("cables.csv") if r["from"] in switches and r["to"] in switches and r["from_port"] != "mgmt"]
if not switches or not links or any(not r["asn"] or not r["loopback"] for r in switches.values()):
    sys.exit(f"FAILED: network {network} has no switches with a number and a loopback, or no links between them")
with open(f"{folder}/plan.json", encoding="utf-8") as file:
    fabric = next(f for f in json.load(file)["fabrics"] if f["network"] == network)
up = {t["tier"]: t["up"] for t in fabric["tiers"]}
m, c = fabric["links_per_leaf_spine_pair"], fabric["links_per_spine_core_pair"]

space = {name: f"cf{os.getpid()}-{i}" for i, name in enumerate(switches)}
started = []


def place(name):
    """tier, plane, pod (of three tiers), number in the pod or group"""
    tier, plane, pod, number = name.split("/")[0], 0, 0, None
    for word in name.split("/")[2:]:
        if word.startswith("plane"):
            plane = int(word[5:])
        elif word.startswith("pod"):
            pod = int(word[3:])
        elif tier == "core" and word.startswith("p"):
            pod = int(word[1:])                            # the group: it serves that spine of every pod
        else:
            number = word
    return tier, plane, pod, number


three = len(fabric["tiers"]) > 2
order = {}
if three:                                                  # pods of leaves: as many in each, in order
    of_plane = collections.Counter()
    for name in switches:
        if name.startswith("leaf/"):
            plane = place(name)[1]
            order[name] = of_plane[plane] // fabric["leaves_per_pod"] + 1
            of_plane[plane] += 1


def expected(a, b):
    """Links over which `a` should reach the loopback of `b`; 0: not at all. One number for the spines of a pod and one for the cores: no switch
    takes a route that has passed its own like, so spines do not learn of each other, nor cores (RFC 7938, section 5.2.1)."""
    (ta, pa, ga, na), (tb, pb, gb, nb) = place(a), place(b)
    if pa != pb or a == b:
        return 0
    pod_a, pod_b = order.get(a, ga), order.get(b, gb)
    if ta == tb == "leaf":
        return up["leaf"]
    if {ta, tb} == {"leaf", "spine"}:
        if not three or pod_a == pod_b:
            return m
        return m if ta == "leaf" else up["spine"]          # up to the spine of that place, or over all cores of the group
    if ta == "leaf":
        return m                                           # to a core: over the one spine of its pod that serves the group
    if tb == "leaf":
        return c                                           # from a core into the pod
    if ta == tb == "spine":
        return up["spine"] if three and ga != gb and na == nb else 0
    if {ta, tb} == {"spine", "core"}:
        spine, core = (na, gb) if ta == "spine" else (nb, ga)
        return c if int(spine) == int(core) else 0
    return 0


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


def batch(lines):
    done = subprocess.run(["ip", "-batch", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    if done.returncode:
        cannot(f"network namespaces cannot be had here: {done.stderr.strip()[:200]}")


def clean():
    for pid in started:
        try:
            os.kill(pid, signal.SIGTERM)
        except OSError:
            pass
    for name in space.values():
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        shutil.rmtree(f"/var/run/frr/{name}", ignore_errors=True)


def start():
    batch([f"netns add {s}" for s in space.values()])
    lines = []
    ports = collections.defaultdict(list)
    for i, (a, pa, b, pb) in enumerate(links):
        one, two = f"swp{pa}", f"swp{pb}"
        lines.append(f"link add {one} netns {space[a]} type veth peer name {two} netns {space[b]}")
        ports[a].append(one)
        ports[b].append(two)
    batch(lines)
    for name, s in space.items():
        for key in ("net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0", "net.ipv6.conf.default.accept_dad=0", "net.ipv6.conf.all.accept_dad=0"):
            run("nsenter", f"--net=/run/netns/{s}", "sysctl", "-qw", key)
        subprocess.run(["ip", "-n", s, "-batch", "-"], input="link set lo up\n" + "".join(f"link set {p} up\n" for p in ports[name]), text=True, check=True)
    for name, s in space.items():
        r = switches[name]
        conf = f"{work}/{s}.conf"
        text = [f"hostname {r['host']}", "interface lo", f" ip address {r['loopback']}/32", "exit", f"router bgp {r['asn']}", f" bgp router-id {r['loopback']}",
                " no bgp ebgp-requires-policy", " bgp bestpath as-path multipath-relax", " neighbor FABRIC peer-group", " neighbor FABRIC remote-as external", " neighbor FABRIC timers 3 30", " neighbor FABRIC timers connect 2"]
        text += [f" neighbor {p} interface peer-group FABRIC" for p in ports[name]]
        text += [" address-family ipv4 unicast", f"  network {r['loopback']}/32", "  maximum-paths 64", " exit-address-family", "exit"]
        with open(conf, "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
        os.chmod(conf, 0o644)
        for daemon in ("zebra", "bgpd"):
            pid = f"{work}/{s}.{daemon}.pid"
            run("nsenter", f"--net=/run/netns/{s}", f"{FRR}/{daemon}", "-d", "-N", s, "-i", pid, "-f", conf, "-A", "127.0.0.1", "--log", f"file:{work}/{s}.{daemon}.log")
            with open(pid, encoding="utf-8") as file:
                started.append(int(file.read()))


def routes(name):
    """{loopback: links} of the kernel of one namespace"""
    out = {}
    for r in json.loads(run("ip", "-n", space[name], "-j", "route", "show", "proto", "bgp") or "[]"):
        out[r["dst"]] = len(r["nexthops"]) if "nexthops" in r else 1
    return out


def differences():
    wrong, compared = [], 0
    for a in switches:
        have = routes(a)
        for b, r in switches.items():
            want, got = expected(a, b), have.pop(r["loopback"], 0)
            compared += want > 0
            if want != got:
                wrong.append(f"{a} reaches {b} over {got} links, {want} are planned")
        wrong += [f"{a} has a route to {dst}, which is nobody's" for dst in have]
    return wrong, compared


def main():
    begin = time.time()
    start()
    wrong, compared = ["nothing was read"], 0
    while wrong and time.time() - begin < 240:
        time.sleep(1)
        wrong, compared = differences()
    if wrong:
        print("\n".join(wrong[:5]))
        sys.exit(f"FAILED: {len(wrong)} of {compared} routes are not as planned after {time.time() - begin:.0f} s")
    tiers = ", ".join(f"{t['count']} x {t['tier']}" for t in fabric["tiers"])
    print(f"ok: {network}: {tiers}, {len(links)} links, {compared} routes as planned, the widest over {max(expected(a, b) for a in switches for b in switches)} links; {time.time() - begin:.0f} s")
    # The broken twin: one cable less.
    a, port, _, _ = links[0]
    run("ip", "-n", space[a], "link", "del", f"swp{port}")
    begin = time.time()
    while not differences()[0] and time.time() - begin < 60:
        time.sleep(1)
    wrong = differences()[0]
    if not wrong:
        sys.exit("FAILED: a cable that is cut was not seen")
    print(f"ok: {network}: with one cable cut {len(wrong)} routes are narrower, {wrong[0]}")


if not os.path.exists(f"{FRR}/bgpd") or not os.path.exists(f"{FRR}/zebra"):
    missing("frr not installed")
if os.geteuid() != 0:
    cannot("network namespaces need root")
os.makedirs("/var/run/frr", exist_ok=True)
shutil.chown("/var/run/frr", "frr", "frr")
os.makedirs(work, exist_ok=True)
shutil.chown(work, "frr", "frr")
try:
    main()
finally:
    clean()
