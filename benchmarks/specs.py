#!/usr/bin/env python3
"""Writes the specs that the benchmarks measure: N nodes of 8 GPUs, for any N that is a multiple of 32.

usage: specs.py NODES [OUTPUT.yaml]     (no output: standard output)

Up to 1,023 nodes the compute fabric is InfiniBand with switches of 64 ports of 400 Gb/s; from 1,024 on it is RoCE with switches that
are broken out to 128 ports of 400 Gb/s; from 65,536 on each of the eight rails is a plane of its own. Racks, feeds and cooling grow with the nodes, so that
each size checks clean.
"""
import sys

SIZES = (32, 128, 2048, 16384, 65536, 131072)   # what run.py measures

NODE_KW = 10.2                   # nvidia-dgx-h100 at most (its catalogue file)
NODES_PER_RACK = 4
FEED_KVA_PER_NODE = 7.3          # 3 feeds, one lost: 10.2 kW / 0.96 / 2 = 5.3 kVA, and a third of that again for switches and losses
COOLING_UNIT_KW = 160


def ceil_div(a, b):
    return -(-a // b)


def digits(n):
    return len(str(n))


def pattern(stem, count):
    return f'{stem}[{1:0{digits(count)}d}-{count}]'


def spec(nodes):
    if nodes < 32 or nodes % 32:
        raise SystemExit(f"specs.py: {nodes} nodes: a multiple of 32 is needed")
    large, million = nodes >= 1024, nodes >= 65536
    # Compute, in-band and management addresses. 131,072 nodes have 1,048,576 compute ports: a prefix of 2^23 for them, 2^20 and 2^21 for the others.
    subnets = ("10.128.0.0/9", "10.0.0.0/12", "10.64.0.0/11") if million else ("10.128.0.0/10", "10.0.0.0/16", "10.64.0.0/15")
    compute_racks = nodes // NODES_PER_RACK
    # At 16,384 nodes the three fabrics have 0.38 switches a node and each takes two outlets: below twelve nodes' switches to a rack,
    # which has twelve outlets of their kind on a PDU.
    network_racks = max(4, ceil_div(nodes, 12 if large else 8))
    feed_mva = max(1.0, nodes * FEED_KVA_PER_NODE / 1000)
    # Switches and their losses add less than a fifth to the nodes' heat.
    cooling_units = ceil_div(int(nodes * NODE_KW * 1.2), COOLING_UNIT_KW) + 2
    spare = max(1, cooling_units // 40)
    compute = f"""\
  compute:
    kind: {'ethernet' if large else 'infiniband'}
""" + ("    rdma: roce\n" if large else "") + f"""\
    rate: 400 Gb/s
    switch: {'nvidia-sn5610' if large else 'nvidia-qm9700'}
""" + ("    breakout: 2\n" if large else "") + """\
    racks: network
""" + f"    topology: {'rail-only' if million else 'rail-optimised'}\n" + (f"    mtu: 9000\n    subnet: {subnets[0]}\n" if large else "") + """\
    connects: { gpu: { ports: compute } }
"""
    return f"""\
# {nodes:,} nodes and {nodes * 8:,} GPUs, made by benchmarks/specs.py.
clusterc: 1
rules: 2026.11
name: bench-{nodes}

site:
  region: na
  altitude: 60 m
  supply: {{ phases: 3, voltage: 415 V }}
  feeds:
    A: {{ capacity: {feed_mva:g} MVA }}
    B: {{ capacity: {feed_mva:g} MVA }}
    C: {{ capacity: {feed_mva:g} MVA }}
  cooling:
    hall: {{ method: contained-air, units: {cooling_units}, spare: {spare}, each: {{ heat: {COOLING_UNIT_KW} kW, airflow: 24000 CFM }}, supply: 22 C }}

racks:
  compute:
    names: "{pattern('r', compute_racks)}"
    model: generic-48u-800x1200
    per_row: 64
    cooling: hall
    pdus: [ {{ model: na-415-3ph-60, feed: A }}, {{ model: na-415-3ph-60, feed: B }}, {{ model: na-415-3ph-60, feed: C }} ]
  network:
    names: "{pattern('n', network_racks)}"
    model: generic-48u-800x1200
    per_row: 64
    cooling: hall
    pdus: [ {{ model: na-415-3ph-60, feed: A }}, {{ model: na-415-3ph-60, feed: B }} ]

nodes:
  gpu:  {{ names: "{pattern('gpu', nodes)}", model: nvidia-dgx-h100, racks: compute, per_rack: {NODES_PER_RACK} }}
  head: {{ names: "head[1-3]", model: generic-2u, nics: {{ data: cx7-400-qsfp112 }}, racks: network, roles: [scheduler, provisioning], ha: active-passive }}

networks:
{compute}\
  inband:
    kind: ethernet
    rate: 400 Gb/s
    switch: nvidia-sn5610
    racks: network
    oversubscription: 3
    mtu: 9000
    subnet: {subnets[1]}
    carries: [storage, inband]
    connects: {{ gpu: {{ ports: inband }}, head: {{ ports: data }} }}
  oob: {{ kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, subnet: {subnets[2]}, connects: everything }}

storage:
  scratch: {{ kind: lustre, servers: {{ external: lustre.example.org }}, mount: /scratch }}
  home: {{ kind: nfs, servers: {{ external: nas.example.org }}, mount: /home }}

software:
  os: ubuntu-24.04
  gpu_driver: 580
  cuda: 13.0
  scheduler: {{ kind: slurm, version: 25.05, limits: {{ time: 7 days, default_time: 1 h }} }}
  containers: [enroot]

accept:
  - {{ rule: power-bank-breaker-unstated, at: racks.compute, reason: "the PDU is a planning default without banks", until: 2100-01-01 }}
""" + ("""
accept:
  - { rule: net-link-beyond-medium-reach, at: networks.compute, reason: "in one hall of this size no fibre of the catalogue is long enough; what is measured does not depend on it", until: 2099-12-31 }
""" if million else "")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not sys.argv[1].isdigit():
        raise SystemExit(__doc__.strip())
    text = spec(int(sys.argv[1]))
    if len(sys.argv) == 3:
        with open(sys.argv[2], "w", encoding="utf-8") as out:
            out.write(text)
    else:
        sys.stdout.write(text)
