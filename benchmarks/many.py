#!/usr/bin/env python3
"""Specs with very many of one thing: how the CPU time of `check` grows with them.

usage: many.py [--program build/release/bin/clusterc] [--runs 3] [--kinds groups,networks] [--command check]
       many.py --write KIND COUNT FOLDER     writes FOLDER/spec.yaml (and what it names) and prints its path

CPU time is user + system of the whole process (measure.cc counts likewise), the median over the runs. Exit status 1: a goal was missed.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST, LESS = 16000, 2000
LONGEST = 1.0              # seconds of CPU for the most
GROWTH = 1.5 * MOST / LESS   # linear, and half of that again for caches that no longer hold all of it

HEAD = "clusterc: 1\nrules: 2026.11\nname: many\n"
CLOUD = HEAD + "site: { kind: cloud, provider: local }\n"
MACHINE = "virtual_machine: { cpus: 2, memory: 4 GiB }"
NETWORK = "networks: { vpc: { kind: ethernet, rate: 10 Gb/s, subnet: 10.0.0.0/8, connects: { m: 1 } } }\n"
SMALL = CLOUD + f'nodes: {{ m: {{ names: "n[1-2]", {MACHINE} }} }}\n'


def lines(count, line):
    return "".join(line.format(i=i) + "\n" for i in range(count))


def groups(n, more=""):
    return (CLOUD + "nodes:\n" + more + lines(n, '  g{i}: {{ names: "g{i}x[1-2]", ' + MACHINE.replace("{", "{{").replace("}", "}}") + " }}")
            + "networks:\n  vpc: { kind: ethernet, rate: 10 Gb/s, subnet: 10.0.0.0/8, connects: {\n" + lines(n, "    g{i}: 1,") + ("    head: 1,\n" if more else "") + "  } }\n")


def scheduled(n):
    """Slurm, plays and mounts over all of them."""
    return (groups(n, f"  head: {{ names: head1, {MACHINE}, roles: [scheduler, provisioning, monitoring] }}\n")
            + "storage: { home: { kind: nfs, servers: { external: nas.example.org }, mount: /home } }\n"
            + "software: { os: debian-12, scheduler: { kind: slurm, version: 22.05, limits: { time: 7 days, default_time: 1 h } } }\n")


def own_groups(n):
    """On a site of one's own, with switches and a network of management ports."""
    return (HEAD + "site:\n  region: iec\n  altitude: 300 m\n  supply: { phases: 3, voltage: 400 V }\n  feeds: { A: { capacity: 100 MVA } }\n"
            "  cooling: { hall: { method: contained-air, each: { heat: 100 MW, airflow: 10000000 CFM }, supply: 22 C } }\n"
            f'racks: {{ all: {{ names: "r[1-{n // 8 + 2}]", model: generic-48u-800x1200, cooling: hall, pdus: [ {{ model: eu-400-3ph-32, feed: A }} ] }} }}\n'
            "nodes:\n  head: { names: head1, model: generic-2u, nics: { data: cx6-vpi-200 }, racks: all, roles: [scheduler, provisioning] }\n"
            + lines(n, "  g{i}: {{ names: g{i}x1, model: generic-2u, nics: {{ data: cx6-vpi-200 }}, racks: all }}")
            + "networks:\n  lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: all, subnet: 10.0.0.0/9, connects: {\n" + lines(n, "    g{i}: {{ ports: data, count: 1 }},")
            + "    head: { ports: data, count: 1 },\n  } }\n  oob: { kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, racks: all, subnet: 10.128.0.0/9, connects: everything }\n"
            + "software: { os: debian-12, scheduler: { kind: slurm, version: 22.05, limits: { time: 7 days, default_time: 1 h } } }\n")


def networks(n):
    return SMALL + "networks:\n" + lines(n, "  v{i}: {{ kind: ethernet, rate: 10 Gb/s, connects: {{ m: 1 }} }}")


def subnets(n):
    rows = [f"  v{i}: {{ kind: ethernet, rate: 10 Gb/s, subnet: 10.{i >> 8 & 255}.{i & 255}.0/24, connects: {{ m: 1 }} }}\n" for i in range(n)]
    return SMALL + "networks:\n" + "".join(rows)


def racks(n):
    return own_groups(8) .replace("nodes:\n", "".join(f'  a{i}: {{ names: "a{i}", model: generic-48u-800x1200, cooling: hall, pdus: [ {{ model: eu-400-3ph-32, feed: A }} ] }}\n' for i in range(n)) + "nodes:\n", 1) \
        .replace('racks: { all:', 'racks:\n  all:', 1).replace("feed: A } ] } }\n", "feed: A } ] }\n", 1)


def storage(n):
    return SMALL + NETWORK + "storage:\n" + lines(n, "  s{i}: {{ kind: nfs, servers: {{ external: nas{i}.example.org }}, mount: /data/{i} }}") + "software: { os: debian-12 }\n"


def served_storage(n):
    """Each by a group of its own, and mounted by the next."""
    return groups(n) + "storage:\n" + "".join(f"  s{i}: {{ kind: nfs, servers: {{ nodes: g{i} }}, mount: /data/{i}, on: [g{(i + 1) % n}] }}\n" for i in range(n)) + "software: { os: debian-12 }\n"


def teams(n):
    return (scheduled(4) + "teams:\n" + lines(n, "  t{i}: {{ users: [u{i}, v{i}] }}")).replace("version: 22.05 }", "version: 22.05, accounting: { nodes: head1 } }")


def reservations(n):
    return scheduled(4).replace("version: 22.05 }", "version: 22.05, reservations: {\n" + lines(n, "    r{i}: {{ start: 2027-03-31T22:00, length: 8 h, users: [root] }},") + "  } }")


def workloads(n):
    return SMALL + NETWORK + "workloads:\n" + lines(n, "  w{i}: {{ kind: hpc, on: {{ m: 1 }} }}")


def acceptances(n):
    """None of use: a warning for each."""
    return SMALL + NETWORK + "accept:\n" + lines(n, "  - {{ rule: net-oob-incomplete-or-dependent, at: nodes.x{i}, reason: none, until: 2099-01-01 }}")


def prices(n):
    return SMALL + NETWORK + "prices:\n  currency: EUR\n  once:\n" + lines(n, "    thing{i}: 20 EUR")


def part_prices(n):
    return groups(n) + "prices:\n  currency: EUR\n  nodes:\n" + lines(n, "    g{i}: 20 EUR")


def drives(n):
    return (CLOUD + 'nodes:\n  m:\n    names: "n[1-2]"\n    server:\n      like: generic-2u\n      drives:\n' + lines(n, "        d{i}: 1 x 1.92 TB nvme") + NETWORK)


def inventory(n):
    return groups(n) + "inventory: devices.csv\n", "name,port,mac\n" + "".join(f"g{i}x1,eth0,94:6d:ae:{i >> 16 & 255:02x}:{i >> 8 & 255:02x}:{i & 255:02x}\n" for i in range(n))


def object_rows(n):
    """One group, whose rows name nodes as the plan does; each has its address, its switch and its place."""
    rows = (f"node/m/{i + 1:05},eth0,10.0.{i >> 8 & 255}.{i & 255},leaf{i // 32},r1,{i}\n" for i in range(10, n + 10))
    return (CLOUD + f'nodes: {{ m: {{ names: "n[00001-{n + 10:05}]", {MACHINE} }} }}\n' + NETWORK + "inventory: devices.csv\n",
            "name,port,address,switch,rack,position\n" + "".join(rows))


def host_rows(n):
    """A group for each row."""
    return groups(n) + "inventory: devices.csv\n", "name,port,switch\n" + "".join(f"g{i}x1,eth0,leaf{i // 32}\n" for i in range(n))


def unknown_devices(n):
    return groups(4) + "inventory: devices.csv\n", "name,serial\n" + lines(n, "nobody{i},S{i}")


def extra_lines(n):
    return scheduled(4) + "outputs:\n  slurm:\n    extra:\n      slurm.conf:\n" + lines(n, '        - "NodeName=extra{i} CPUs=1"')


def unknown_keys(n):
    return SMALL + NETWORK + lines(n, "key{i}: 1")


def unknown_names(n):
    """An error for each, and each is held against many names."""
    return (groups(n) + "storage:\n" + lines(n, "  s{i}: {{ kind: nfs, servers: {{ external: nas.example.org }}, mount: /data/{i}, on: [h{i}] }}"))


def same_names(n):
    return CLOUD + "nodes:\n" + lines(n, '  g{i}: {{ names: "x[1-2]", ' + MACHINE.replace("{", "{{").replace("}", "}}") + " }}")


def missing_values(n):
    return CLOUD + "nodes:\n" + lines(n, '  g{i}: {{ names: "g{i}x[1-2]", model: nosuch{i} }}')


KINDS = {f.__name__: f for f in (groups, scheduled, own_groups, networks, subnets, racks, storage, served_storage, teams, reservations, workloads, acceptances, prices, part_prices, drives,
                                 inventory, object_rows, host_rows, unknown_devices, extra_lines, unknown_keys, unknown_names, same_names, missing_values)}


def write(kind, count, folder):
    made = KINDS[kind](count)
    text, csv = made if isinstance(made, tuple) else (made, None)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "spec.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if csv is not None:
        with open(os.path.join(folder, "devices.csv"), "w", encoding="utf-8") as file:
            file.write(csv)
    return path


def cpu_seconds(program, command, spec):
    """The exit status and what a run took."""
    process = subprocess.Popen([program, command, spec], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "release", "bin", "clusterc"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--command", default="check", choices=("check", "plan", "show"))
    parser.add_argument("--write", nargs=3, metavar=("KIND", "COUNT", "FOLDER"))
    wish = parser.parse_args()
    if wish.write:
        print(write(wish.write[0], int(wish.write[1]), wish.write[2]))
        return 0
    missed = 0
    print(f"| kind | {LESS:,}: CPU s | {MOST:,}: CPU s | growth | goal: at most {LONGEST:g} s and x {GROWTH:g} |\n| --- | ---: | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory(prefix="clusterc-many-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        for kind in wish.kinds.split(","):
            took = {}
            for count in (LESS, MOST):
                spec = write(kind, count, os.path.join(scratch, f"{kind}-{count}"))
                runs = [cpu_seconds(wish.program, wish.command, spec) for _ in range(wish.runs)]
                if any(status not in (0, 1) for status, _ in runs):
                    raise SystemExit(f"many.py: {wish.command} of {count} {kind} ended with {runs[0][0]}")
                took[count] = statistics.median(seconds for _, seconds in runs)
            growth = took[MOST] / took[LESS]
            met = took[MOST] <= LONGEST and growth <= GROWTH
            missed += not met
            print(f"| {kind} | {took[LESS]:.3f} | {took[MOST]:.3f} | {growth:.1f} x | {'met' if met else 'missed'} |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
