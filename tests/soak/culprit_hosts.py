#!/usr/bin/env python3
"""The search for culprits on eight hosts that exist: network namespaces on two leaves and two spines, with shaped links.

usage: culprit_hosts.py DIALOGUE [--seeds N] [--first SEED] [--only FAULT]     DIALOGUE: the program culprit_dialogue
Each host is a network namespace and a CPU control group. Links are veth pairs; a token bucket (tc tbf) gives each its rate. Pairs of hosts
send to each other over TCP, all pairs of a round at once, and each host measures its CPU and memory alone. For each seed: no fault, a
link at a tenth of its rate, a host with a sixth of its CPU time, a host whose memory bandwidth others use, a stopped process. Each fault must be
named, and nobody else. Needs root, veth, tc with tbf, and the cpu controller of control groups (version 1). Exit 77: the machine has not.
"""
import argparse
import os
import random
import select
import signal
import subprocess
import sys
import time

LEAVES, PER_LEAF = 2, 4
HOSTS = LEAVES * PER_LEAF
RATE, SLOW = 40, 4        # Mbit/s of a host's link
PERIOD, QUOTA = 50_000, 6_000   # microseconds: 12 % of a core for each host
FAULTS = ("none", "slow link", "slow host", "memory", "stopped")
GROUP = "/sys/fs/cgroup/cpu"
NAME = f"cc{os.getpid()}"

AGENT = r'''
import socket, sys, time
listener = socket.socket(); listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); listener.bind(("0.0.0.0", 7000)); listener.listen(8)
block = b"x" * 16384
print("ready", flush=True)
for line in sys.stdin:
    what, *rest = line.split()
    if what == "receive":
        listener.settimeout(2.0); got = 0; start = None
        try:
            s, _ = listener.accept(); s.settimeout(1.0); skip = time.monotonic() + float(rest[0]) * 0.4
            while True:
                data = s.recv(65536)
                now = time.monotonic()
                if not data: break
                if now < skip: continue
                if start is None: start = now; continue
                got += len(data); last = now
            print(got / (last - start) if start and got else 0, flush=True)
        except OSError: print(0, flush=True)
        except NameError: print(0, flush=True)
    elif what == "send":
        try:
            s = socket.create_connection((rest[0], 7000), 1.0); s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536); s.settimeout(0.5); end = time.monotonic() + float(rest[1])
            while time.monotonic() < end: s.send(block)
            s.close()
        except OSError: pass
        print("sent", flush=True)
    elif what == "cpu":
        end = time.monotonic() + float(rest[0]); n = 0
        while time.monotonic() < end: n += sum(range(200)) > 0
        print(n, flush=True)
    elif what == "memory":
        a = bytearray(8 << 20); b = bytearray(8 << 20); end = time.monotonic() + float(rest[0]); n = 0
        while time.monotonic() < end: b[0:262144] = a[0:262144]; b[4194304:4456448] = a[4194304:4456448]; n += 1
        print(n, flush=True)
'''
EATER = "a = bytearray(16 << 20)\nb = bytearray(16 << 20)\nwhile True: b[:] = a\n"


def sh(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


def cannot(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


def address(host):
    return f"10.77.{host // PER_LEAF}.{host % PER_LEAF + 1}"


def inside(space, *words):
    return sh("ip", "netns", "exec", f"{NAME}{space}", *words)


def link(a, a_name, b, b_name, rate):
    sh("ip", "link", "add", "name", a_name, "netns", f"{NAME}{a}", "type", "veth", "peer", "name", b_name, "netns", f"{NAME}{b}")
    for space, name in ((a, a_name), (b, b_name)):
        inside(space, "ip", "link", "set", name, "up")
        shape(space, name, rate)


def shape(space, name, rate):
    inside(space, "tc", "qdisc", "replace", "dev", name, "root", "tbf", "rate", f"{rate}mbit", "burst", "16kb", "latency", "30ms")


def build():
    for space in [f"h{i}" for i in range(HOSTS)] + [f"l{i}" for i in range(LEAVES)] + ["s0", "s1"]:
        sh("ip", "netns", "add", NAME + space)
        inside(space, "ip", "link", "set", "lo", "up")
        inside(space, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
    for leaf in range(LEAVES):
        inside(f"l{leaf}", "ip", "link", "add", "name", "br0", "type", "bridge")
        inside(f"l{leaf}", "ip", "address", "add", f"10.77.{leaf}.254/24", "dev", "br0")
        inside(f"l{leaf}", "ip", "link", "set", "br0", "up")
        for spine in (0, 1):
            link(f"l{leaf}", f"up{spine}", f"s{spine}", f"down{leaf}", PER_LEAF * RATE)  # whatever spine hashing chooses for a flow
            inside(f"l{leaf}", "ip", "address", "add", f"10.78.{leaf * 2 + spine}.1/30", "dev", f"up{spine}")
            inside(f"s{spine}", "ip", "address", "add", f"10.78.{leaf * 2 + spine}.2/30", "dev", f"down{leaf}")
            inside(f"s{spine}", "ip", "route", "add", f"10.77.{leaf}.0/24", "via", f"10.78.{leaf * 2 + spine}.1")
        inside(f"l{leaf}", "sysctl", "-q", "-w", "net.ipv4.fib_multipath_hash_policy=1")
        inside(f"l{leaf}", "ip", "route", "add", f"10.77.{1 - leaf}.0/24", *[w for spine in (0, 1) for w in ("nexthop", "via", f"10.78.{leaf * 2 + spine}.2")])
    for host in range(HOSTS):
        link(f"h{host}", "eth0", f"l{host // PER_LEAF}", f"host{host}", RATE)
        inside(f"l{host // PER_LEAF}", "ip", "link", "set", f"host{host}", "master", "br0")
        inside(f"h{host}", "ip", "address", "add", f"{address(host)}/24", "dev", "eth0")
        inside(f"h{host}", "ip", "route", "add", "default", "via", f"10.77.{host // PER_LEAF}.254")
        os.makedirs(f"{GROUP}/{NAME}h{host}")
        quota(host, QUOTA)


def quota(host, microseconds):
    for key, value in (("cpu.cfs_period_us", PERIOD), ("cpu.cfs_quota_us", microseconds)):
        with open(f"{GROUP}/{NAME}h{host}/{key}", "w", encoding="ascii") as file:
            file.write(str(value))


def start(host, code):
    process = subprocess.Popen(["ip", "netns", "exec", f"{NAME}h{host}", sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1)
    with open(f"{GROUP}/{NAME}h{host}/cgroup.procs", "w", encoding="ascii") as file:
        file.write(str(process.pid))
    return process


def ask(process, line):
    try:
        process.stdin.write(line + "\n")
    except BrokenPipeError:
        pass


def answer(process, seconds):
    """The next line; empty: none came. What a silent process says later is not taken for the next answer: it is asked no more."""
    if getattr(process, "silent", False):
        return ""
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    if not ready:
        process.silent = True
        return ""
    return process.stdout.readline().strip()


def transfer(agents, pairs, seconds):
    """All pairs at once, one direction."""
    for a, b in pairs:
        ask(agents[b], f"receive {seconds}")
    time.sleep(0.03)
    for a, b in pairs:
        ask(agents[a], f"send {address(b)} {seconds}")
    out = []
    for a, b in pairs:
        answer(agents[a], seconds + 3)
        out.append((a, b, float(answer(agents[b], 3) or 0)))
    return out


def alone(agents, what, seconds):
    best = [0.0] * HOSTS
    for _ in range(3):
        for agent in agents:
            ask(agent, f"{what} {seconds}")
        for host, agent in enumerate(agents):
            best[host] = max(best[host], float(answer(agent, seconds + 3) or 0))
    return best


def search(dialogue, agents, seconds):
    program = subprocess.Popen([dialogue, str(LEAVES), str(PER_LEAF)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    found, rounds, log = [], 0, []
    for line in program.stdout:
        words = line.split()
        if words[0] == "round":
            rounds += 1
            pairs = [tuple(map(int, pair.split("-"))) for pair in words[1:]]
            values = transfer(agents, pairs, seconds) + transfer(agents, [(b, a) for a, b in pairs], seconds)
            log += [f"{a}>{b} {v * 8e-6:.1f}" for a, b, v in values]
            program.stdin.write("".join(f"{a} {b} {v:.0f}\n" for a, b, v in values) + ".\n")
        elif words[0] == "nodes":
            for what in ("cpu", "cpu", "memory", "memory"):   # who is slow twice is slow
                values = alone(agents, what, 0.25)
                log.append(f"{what} {values}")
                program.stdin.write("".join(f"{host} {v:.0f}\n" for host, v in enumerate(values)) + ".\n")
            program.stdin.write("\n")
            program.stdin.flush()
        else:
            found.append(" ".join(words))
    program.wait()
    return found, rounds, log


def run(dialogue, seed, fault, seconds):
    host = random.Random(seed).randrange(HOSTS)
    agents, others = [start(h, AGENT) for h in range(HOSTS)], []
    try:
        for agent in agents:
            if agent.stdout.readline().strip() != "ready":
                sys.exit("FAILED: a host's process did not start")
        wanted = {"none": [], "slow link": [f"culprit port {host}"]}.get(fault, [f"culprit node {host}"])
        if fault == "slow link":
            shape(f"h{host}", "eth0", SLOW)
            shape(f"l{host // PER_LEAF}", f"host{host}", SLOW)
        elif fault == "slow host":
            quota(host, QUOTA // 6)
        elif fault == "memory":
            others = [start(host, EATER) for _ in range(5)]
        elif fault == "stopped":
            agents[host].send_signal(signal.SIGSTOP)
        found, rounds, log = search(dialogue, agents, seconds)
        good = sorted(" ".join(f.split()[:3]) for f in found) == wanted
        print(f"{'ok    ' if good else 'FAILED'} seed {seed}, {fault}{'' if fault == 'none' else f' on host {host}'}: {rounds} rounds: {'; '.join(found) or 'nobody'}", flush=True)
        if not good:
            print("       " + ", ".join(log), flush=True)
        return good
    finally:
        for process in agents + others:
            process.kill()
            process.wait()
        quota(host, QUOTA)
        if fault == "slow link":
            shape(f"h{host}", "eth0", RATE)
            shape(f"l{host // PER_LEAF}", f"host{host}", RATE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dialogue")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1, help="of the seeds")
    parser.add_argument("--only", choices=FAULTS)
    parser.add_argument("--seconds", type=float, default=0.3)
    options = parser.parse_args()
    if os.geteuid() != 0 or not os.path.isdir(GROUP) or sh("ip", "netns", "add", NAME + "x", check=False).returncode:
        cannot("network namespaces and control groups need root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))   # what was made is removed
    try:
        sh("ip", "netns", "exec", NAME + "x", "ip", "link", "add", "name", "a0", "type", "veth", "peer", "name", "b0")
        if sh("ip", "netns", "exec", NAME + "x", "tc", "qdisc", "add", "dev", "a0", "root", "tbf", "rate", "1mbit", "burst", "16kb", "latency", "30ms", check=False).returncode:
            cannot("this kernel has no token bucket (sch_tbf)")
        build()
        results = [run(options.dialogue, seed, fault, options.seconds) for seed in range(options.first, options.first + options.seeds) for fault in ([options.only] if options.only else FAULTS)]
    finally:
        for space in ["x"] + [f"h{i}" for i in range(HOSTS)] + [f"l{i}" for i in range(LEAVES)] + ["s0", "s1"]:
            sh("ip", "netns", "del", NAME + space, check=False)
        for host in range(HOSTS):
            if os.path.isdir(f"{GROUP}/{NAME}h{host}"):
                os.rmdir(f"{GROUP}/{NAME}h{host}")
    print(f"{sum(results)} of {len(results)} runs as they should be")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
