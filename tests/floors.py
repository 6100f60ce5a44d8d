#!/usr/bin/env python3
"""Each floor of the product beside what was published: gates that healthy systems meet, and the lowest healthy results.

usage: floors.py CLUSTERC [--all]
Plans 1 to 127 nodes of H100, H200, B200 and MI300X (without --all some of these sizes) and holds every floor against PUBLISHED below, which
does not come from the product's own table. A floor must be at or above every gate and at or below the lowest healthy result; where no row
is of that size the figure must be unjudged, unless the rows of other sizes bear it (BORNE). Prints the list, and the floors that were
dropped with their reasons.
"""
import json
import os
import subprocess
import sys
import tempfile

GB, TF = 1e9, 1e12
GPUS = {"H100": ("nvidia-dgx-h100", None), "H200": ("nvidia-dgx-h200", None), "B200": ("nvidia-dgx-b200", None), "MI300X": ("nvidia-dgx-h100", "amd-mi300x")}
SIZES = (1, 2, 3, 4, 5, 8, 12, 16, 34, 64, 127)
ANY = (1, 10**9)   # a figure of one GPU, port or node: the number of nodes does not matter

# (metric, scope): rows of (GPUs, nodes from, to, gate, healthy result, source); SI units. A gate is one that healthy systems meet.
PUBLISHED = {
    ("memory.triad", "gpu"): [("H100", *ANY, 1905 * GB, 2970 * GB, "DCGM diag-skus 4.6.0 (other kernel); Azure/AI-benchmarking-guide"), ("H200", *ANY, 2333 * GB, 4150 * GB, "the same")],
    ("nccl.all_reduce.busbw", "node"): [("H100", *ANY, 440 * GB, 476 * GB, "oci-hpc; Azure/AI-benchmarking-guide, NT-290"), ("H100", *ANY, 460 * GB, 478.9 * GB, "azurehpc-health-checks; Azure/AI-benchmarking-guide"), ("H200", *ANY, 440 * GB, 480 * GB, "oci-hpc; Azure/AI-benchmarking-guide"), ("H200", *ANY, 431 * GB, 482.3 * GB, "azurehpc-health-checks; stas00/ml-engineering"),
                                        ("B200", *ANY, 440 * GB, 838 * GB, "oci-hpc; stas00/ml-engineering"), ("MI300X", *ANY, 310 * GB, None, "oci-hpc; the lowest of conflicting gates (310, 330, 350), of which no healthy result decides")],
    ("nccl.all_reduce.busbw", "whole"): [("H100", 2, 2, 440 * GB, 471.2 * GB, "oci-hpc"), ("H200", 2, 2, 440 * GB, None, "oci-hpc"), ("H100", 3, 127, 300 * GB, None, "AICR, EKS, without its factor 0.9"), ("H100", 4, 4, None, 330.9 * GB, "aigatech/vpbenchmarking"), ("H200", 248, 248, None, 350 * GB, "nccl-tests issue 283"), ("B200", 4, 4, None, 381.8 * GB, "stas00/ml-engineering")],
    ("nccl.all_gather.busbw", "whole"): [("H100", 4, 4, None, 323.5 * GB, "aigatech/vpbenchmarking"), ("H100", 2, 2, None, 188 / 196 * 392 * GB, "AICR, 0.959 of the ring of 8 x 200 Gb/s")],
    ("hpl.score", "group"): [("H100", 1, 1, None, 45.7 * TF, "aigatech/vpbenchmarking, of one GPU"), ("H100", 20, 20, None, 45.4 * TF, "TOP500"), ("H100", 34, 34, None, 41.4 * TF, "TOP500"), ("H100", 128, 128, None, 44.7 * TF, "TOP500")],
    ("nvlink.copy", "gpu"): [("H100", *ANY, 335 * GB, 396.4 * GB, "azurehpc-health-checks; stas00/ml-engineering, H200 with the same links"), ("H200", *ANY, 335 * GB, 396.4 * GB, "the same")],
    ("pcie.copy", "gpu"): [(g, *ANY, 52 * GB, 55.1 * GB, "oci-hpc, bare metal; stas00/ml-engineering") for g in GPUS],
    ("rdma.write", "pair"): [(g, *ANY, 390 / 8 * GB, None, "azurehpc-health-checks, NDR, host memory") for g in GPUS],
    ("nccl.all_to_all.busbw", "whole"): [(g, 2, 127, None, None, "nccl-tests issue 267: 48 to 49 GB/s for each port of 400 Gb/s, stated without a log; below it a result is degraded, never failed") for g in GPUS],
}
# Sizes without a row of their own, and why rows of other sizes bear a floor. Ring all-reduce over 8 x 400 Gb/s is limited by the ports: 0.844 and 0.974 of them on
# 4 nodes, 0.893 on 248. So the loss for each doubling between 4 and 248 nodes is not above 0, and the floor, 0.819, is below all three. LINPACK per GPU: 45.7 on one
# node, 45.4, 41.4 and 44.7 TFLOP/s on 20, 34 and 128: no steady loss, and the floor, 40.2, is below all four.
BORNE = {
    ("nccl.all_reduce.busbw", "whole"): ("H100 H200 B200", 3, 248, (330.9 * GB, 350 * GB, 381.8 * GB), "ring, rows on 4 and 248 nodes: no loss for each doubling"),
    ("nccl.all_gather.busbw", "whole"): ("H100 H200", 2, 4, (323.5 * GB, 188 / 196 * 392 * GB), "rows of H100 on 2 and 4 nodes; H200 has its links and ports"),
    ("hpl.score", "group"): ("H100", 1, 128, (45.7 * TF, 45.4 * TF, 41.4 * TF, 44.7 * TF), "rows on 1, 20, 34 and 128 nodes: no steady loss"),
}
PER_GPU = {"hpl.score"}   # the figure is of all GPUs, the rows of one
# Floors of counted and planned things are what the spec says, not what others measured.
BY_SPEC = {"nvlink.links", "fabric.link", "fabric.links", "pcie.link.gpu", "pcie.link.nic", "pcie.link.nvme"}

DROPPED = [
    ("memory.triad", "B200", "6,863 GB/s", "0.919 of the data sheet, as GB200 reaches: transferred from other hardware"),
    ("gemm.bf16", "H100, H200", "755.2 TFLOP/s", "0.98 of the best shape of a search: how far a square matrix stays below it was seen on one part and one precision (0.76 to 0.98)"),
    ("gemm.bf16", "B200", "1,659 TFLOP/s", "the same"),
    ("gemm.fp8", "H100, H200, B200", "1,336, 1,325, 3,262 TFLOP/s", "measured with another program, library version and shape; B200 from the best shape"),
    ("hpl.score", "H200", "44.3 TFLOP/s for each GPU", "transferred from H100 on one node"),
    ("hpl.score", "H100, more than 128 nodes", "40.2 TFLOP/s for each GPU", "no published row of that size"),
    ("hpl.mxp", "H100", "307.6 TFLOP/s for each GPU", "it is of NVIDIA's program"),
    ("nccl.all_reduce.busbw", "MI300X, 2 nodes and more", "321 GB/s", "the rows are of NVIDIA's boards"),
    ("nccl.all_reduce.busbw", "B200, 2 nodes", "659.3 GB/s", "0.925 of the hierarchical ceiling was seen with 8 x 200 Gb/s on H100"),
    ("nccl.all_reduce.busbw", "more than 248 nodes, or 12 with in-network reduction", "0.819 and 0.842 of the ceiling", "no published row of that size"),
    ("nccl.all_gather.busbw", "more than 4 nodes", "314 GB/s", "no published row of that size, and one of 2 and one of 4 nodes do not bear a loss for each doubling"),
    ("nccl.all_gather.busbw", "B200, MI300X", "314 GB/s", "the rows are of H100"),
    ("nccl.broadcast.busbw", "8 x 400 Gb/s", "278 GB/s", "one row, and no validator that the suite starts measures it"),
]


def plan(clusterc, folder, gpu, nodes):
    model, other = GPUS[gpu]
    machine = f"server: {{ like: {model}, gpus: {{ count: 8, model: {other} }} }}" if other else f"model: {model}"
    path = os.path.join(folder, "spec.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"clusterc: 1\nrules: 2026.11\nname: floors\nsite: {{ kind: cloud, provider: local }}\nnodes:\n  gpu: {{ names: \"n[1-{nodes}]\", {machine} }}\nnetworks:\n  compute: {{ kind: infiniband, rate: 400 Gb/s, connects: {{ gpu: {{ ports: compute }} }} }}\n")
    done = subprocess.run([clusterc, "plan", path, "--format", "json"], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"FAILED: {gpu}, {nodes} nodes: clusterc plan ends with {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)["expected"]


def wrong_with(gpu, nodes, figure):
    """What is wrong with the floor of a figure; empty: nothing."""
    key = (figure["test"], figure["scope"])
    floor = (figure.get("floor") or {}).get("value")
    if floor is None:
        return [] if figure.get("missing") or figure.get("skip") else ["neither a floor nor a reason why there is none"]
    if figure["test"] in BY_SPEC:
        return []
    if figure["test"] in PER_GPU:
        floor /= 8 * nodes
    rows = [r for r in PUBLISHED.get(key, []) if r[0] == gpu and r[1] <= nodes <= r[2]]
    gpus, least, most, results, _ = BORNE.get(key, ("", 0, -1, (), ""))
    borne = gpu in gpus.split() and least <= nodes <= most
    bad = [] if rows or borne else ["a floor, and no published row of this hardware and size"]
    bad += [f"below the gate {r[3]:.4g} ({r[5]})" for r in rows if r[3] and floor < r[3] * (1 - 1e-9)]
    bad += [f"above the healthy result {r[4]:.4g} ({r[5]})" for r in rows if r[4] and floor > r[4] * (1 + 1e-9)]
    bad += [f"above the healthy result {x:.4g}, which bears it" for x in results if borne and not any(r[4] for r in rows) and floor > x]
    return bad


def spans(sizes):
    """[1, 2, 3, 8] -> 1-3, 8"""
    out = []
    for n in sizes:
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ", ".join(f"{a}-{b}" if a != b else str(a) for a, b in out)


def main():
    clusterc, sizes = sys.argv[1], range(1, 128) if "--all" in sys.argv else SIZES
    lines, without, bad, judged = {}, {}, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for gpu in GPUS:
            for nodes in sizes:
                for figure in plan(clusterc, folder, gpu, nodes):
                    floor = (figure.get("floor") or {}).get("value")
                    bad += [f"{gpu}, {nodes} nodes, {figure['test']} ({figure['scope']}), floor {floor}: {what}" for what in wrong_with(gpu, nodes, figure)]
                    if floor is None:
                        without.setdefault((gpu, figure["test"], figure["scope"], figure.get("skip") or figure.get("missing")), []).append(nodes)
                        continue
                    judged += 1
                    each = floor / (8 * nodes) if figure["test"] in PER_GPU else floor
                    lines.setdefault((gpu, figure["test"], figure["scope"], f"{each:.4g}", figure["basis"]), []).append(nodes)
    print(f"{judged} floors of {len(GPUS)} kinds of GPU and {len(list(sizes))} sizes from 1 to 127 nodes\n\n| GPU | metric | of | floor | basis | nodes | gates | lowest healthy |\n|---|---|---|---|---|---|---|---|")
    for (gpu, test, scope, floor, basis), nodes in lines.items():
        rows = [r for r in PUBLISHED.get((test, scope), []) if r[0] == gpu and r[1] <= nodes[-1] and r[2] >= nodes[0]]
        healthy = [r[4] for r in rows if r[4]]
        print(f"| {gpu} | {test} | {scope} | {floor} | {basis} | {spans(nodes)} | {', '.join(f'{r[3]:.4g}' for r in rows if r[3])} | {f'{min(healthy):.4g}' if healthy else BORNE[test, scope][4] if (test, scope) in BORNE and gpu in BORNE[test, scope][0].split() else ''} |")
    print("\nunjudged:")
    for (gpu, test, scope, why), nodes in without.items():
        print(f"  {gpu}, {test} ({scope}), {spans(nodes)} nodes: {why}")
    print("\ndropped floors:")
    for test, hardware, floor, why in DROPPED:
        print(f"  {test}, {hardware}: {floor}: {why}")
    for what in bad:
        print(f"FAILED: {what}", file=sys.stderr)
    return 1 if bad or not judged else 0


if __name__ == "__main__":
    sys.exit(main())
