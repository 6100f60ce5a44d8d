#!/usr/bin/env python3
"""Writes a spec with very many of one thing, for the figures of how time grows with them.

usage: many.py KIND COUNT FOLDER     writes FOLDER/spec.yaml (and what it names) and prints its path
       many.py                       lists the kinds
"""
import os
import sys

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
            + "software: { os: debian-12, scheduler: { kind: slurm, version: 22.05 } }\n")


def own_groups(n):
    """On a site of one's own, with switches and a network of management ports."""
    return (HEAD + "site:\n  region: iec\n  altitude: 300 m\n  supply: { phases: 3, voltage: 400 V }\n  feeds: { A: { capacity: 100 MVA } }\n"
            "  cooling: { hall: { method: contained-air, each: { heat: 100 MW, airflow: 10000000 CFM }, supply: 22 C } }\n"
            f'racks: {{ all: {{ names: "r[1-{n // 8 + 2}]", model: generic-48u-800x1200, cooling: hall, pdus: [ {{ model: eu-400-3ph-32, feed: A }} ] }} }}\n'
            "nodes:\n  head: { names: head1, model: generic-2u, nics: { data: cx6-vpi-200 }, racks: all, roles: [scheduler, provisioning] }\n"
            + lines(n, "  g{i}: {{ names: g{i}x1, model: generic-2u, nics: {{ data: cx6-vpi-200 }}, racks: all }}")
            + "networks:\n  lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, racks: all, subnet: 10.0.0.0/9, connects: {\n" + lines(n, "    g{i}: {{ ports: data, count: 1 }},")
            + "    head: { ports: data, count: 1 },\n  } }\n  oob: { kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, racks: all, subnet: 10.128.0.0/9, connects: everything }\n"
            + "software: { os: debian-12, scheduler: { kind: slurm, version: 22.05 } }\n")


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
                                 inventory, unknown_devices, extra_lines, unknown_keys, unknown_names, same_names, missing_values)}


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


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(f"usage: many.py KIND COUNT FOLDER; kinds: {', '.join(KINDS)}")
    print(write(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
