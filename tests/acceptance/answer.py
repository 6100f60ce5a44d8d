#!/usr/bin/env python3
"""What a healthy validator prints, in figures that are the same in each run: answer.py PROGRAM stands in the validator's place on one node; bin/srun uses lines()."""
import json
import math
import os
import re
import sys
import time

METRICS = {
    "memory": [("memory." + m, "B/s", 2e10) for m in ("copy", "scale", "add", "triad")],
    "gemm": [("gemm.fp64", "FLOP/s", 1e11), ("gemm.fp32", "FLOP/s", 2e11)],
    "hpl": [("hpl.score", "FLOP/s", 9e11)],
    "mpi": [("mpi.allreduce.busbw", "B/s", 1e9), ("mpi.allreduce.time", "s", 2e-5)],
}


def nodes_of(hosts):
    """n[1-3,5],m7 as a list of names."""
    nodes = []
    for prefix, ranges, plain in re.findall(r"([a-z]+)\[([^]]*)\]|([a-z]+[0-9]+)", hosts):
        if plain:
            nodes.append(plain)
        for part in filter(None, ranges.split(",")):
            low, _, high = part.partition("-")
            nodes += [f"{prefix}{i}" for i in range(int(low), int(high or low) + 1)]
    return nodes


def lines(program, node, world, scenario):
    """`world`: the nodes of an MPI world; None: the program runs on this node alone. `scenario`: see bin/sinfo."""
    put = lambda **what: json.dumps(what, separators=(",", ":"))
    number = int(re.sub(r"[^0-9]", "", node) or 0)
    yield put(record="header", format="clusterc-result", version=1, validator=program, program_version="0.1.0", host=node, started="2026-01-01T00:00:00Z",
              backend="host", seed=1, arguments=[])
    if program == "probe":
        yield put(record="probe", host=node, time="2026-01-01T00:00:00Z", os={"name": "Debian GNU/Linux 12"}, kernel={"release": "6.1.0"},
                  cpu={"model": "EPYC"}, memory={"total_bytes": 4e9},
                  platform={"sys_vendor": scenario.get("vendor", "Vendor"), "product_name": "Server", "product_serial": f"S-{number:04}", "bios_version": "1.2"},
                  nvidia={"driver": "580.65.06", "cuda": "13.0"},
                  gpus=[{"index": 0, "name": "NVIDIA H100", "serial": f"G-{number:04}", "uuid": f"GPU-{number}", "vbios": "96.00", "pci_address": "0000:01:00.0"}],
                  rdma=[{"name": "mlx5_0", "hca_type": "MT4129", "firmware": "28.39", "node_guid": f"0000:0000:0000:{number:04}"}], nics=[])
    figures = METRICS.get(program, [])
    for metric, unit, value in figures:
        rate = 1 + 0.002 * math.sin(7 * number + len(metric))
        rate *= min(scenario.get("rate", {}).get(n, 1) for n in world or [node]) * scenario.get("all", 1)
        value = value / rate if unit == "s" else value * rate
        yield put(record="measurement", metric=metric, unit=unit, host=node, device={"label": "ranks" if world else "host", "backend": "host"}, value=value,
                  count=9, warmup=1, quantiles={"p05": value * 0.995, "p50": value, "p95": value * 1.005}, size=1000, wrong=0, checked=10, data_verified=True,
                  busy=False, better="lower" if unit == "s" else "higher", parameters={"nodes": len(world)} if world else {})
    yield put(record="end", status="done", measurements=len(figures), wrong=0, data_verified=True)


if __name__ == "__main__":
    time.sleep(float(os.environ.get("ANSWER_SECONDS", "0.2")))
    of_world = sys.argv[1] in ("mpi", "hpl")
    if not of_world or os.environ.get("SLURM_PROCID", "0") == "0":
        hosts = nodes_of(os.environ.get("SLURM_JOB_NODELIST", "")) if of_world else None
        print("\n".join(lines(sys.argv[1], os.environ.get("SLURMD_NODENAME", os.uname().nodename), hosts, {})))
