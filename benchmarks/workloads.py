#!/usr/bin/env python3
"""What ten workloads add to check and plan of 16,384 nodes: CPU seconds, with the workloads less without them.

usage: workloads.py [--program build/release/bin/clusterc] [--nodes 16384] [--runs 5]

The ten are dense and sparse training, with and without a split, fine-tuning with adapters, and serving with lengths and limits; each is
on all nodes, so that the search of splits has all of 131,072 GPUs. Exit status 1: more than 0.2 s.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import specs

LIMIT = 0.2   # s
PRETRAIN = "batch: 134217728 tokens, train: 1e13 tokens, checkpoint_every: 1 h"
TEN = [
    f"model: {{ preset: llama-3.1-405b, sequence: 8192 }}, precision: bf16, {PRETRAIN}",
    f"model: {{ preset: llama-3.1-405b, sequence: 8192 }}, precision: fp8, split: {{ tensor: 8, pipeline: 16 }}, {PRETRAIN}",
    f"model: {{ preset: llama-3.1-70b, sequence: 8192 }}, precision: fp8, {PRETRAIN}",
    f"model: {{ preset: llama-3.1-8b, sequence: 131072 }}, precision: bf16, {PRETRAIN}",
    f"model: {{ preset: deepseek-v3, sequence: 4096 }}, precision: fp8, {PRETRAIN}",
    f"model: {{ preset: qwen3-235b-a22b, sequence: 4096 }}, precision: bf16, imbalance: 1.2, {PRETRAIN}",
    f"model: {{ preset: gpt-oss-120b, sequence: 4096 }}, precision: bf16, split: {{ tensor: 1, expert: 64 }}, {PRETRAIN}",
    "kind: fine-tuning, model: { preset: llama-3.1-70b, sequence: 4096 }, lora: 16, weight_precision: fp4, batch: 134217728 tokens",
    "kind: inference, model: llama-3.3-70b, precision: fp8, kv_precision: fp8, requests: { input: 2000, output: 500, per_second: 200, first_token_within: 2 s, token_within: 50 ms }",
    "kind: inference, model: { preset: deepseek-v3, sequence: 8192 }, precision: fp8, split: { tensor: 1, expert: 32 }, "
    "requests: { mix: { chat: { input: 500, output: 300, share: 0.8 }, documents: { input: 6000, output: 400, share: 0.2 } } }",
]


def seconds(command):
    """CPU of the command, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if "[spec-" in done.stderr or done.returncode not in (0, 1):
        sys.exit(f"FAILED: {' '.join(command)}\n{done.stderr[:2000]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "release", "bin", "clusterc"))
    options.add_argument("--nodes", type=int, default=16384)
    options.add_argument("--runs", type=int, default=5)
    given = options.parse_args()
    plain = specs.spec(given.nodes)
    ten = plain + "workloads:\n" + "".join(f"  w{i}: {{ {w}, on: {{ gpu: {given.nodes} }} }}\n" for i, w in enumerate(TEN))
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, text in (("plain", plain), ("ten", ten)):
            paths.append(os.path.join(folder, name + ".yaml"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        for command in ("check", "plan"):
            without, with_ten = ([], [])
            for _ in range(given.runs):   # in turn, so that a busy machine slows both
                without.append(seconds([given.program, command, paths[0]]))
                with_ten.append(seconds([given.program, command, paths[1]]))
            more = statistics.median(with_ten) - statistics.median(without)
            missed |= more > LIMIT
            print(f"{given.nodes:,} nodes, {command}: {statistics.median(without):.3f} s, with ten workloads {statistics.median(with_ten):.3f} s: {more:+.3f} s (limit {LIMIT:g} s)")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
