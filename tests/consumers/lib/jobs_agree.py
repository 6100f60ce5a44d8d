#!/usr/bin/env python3
"""The compiled jobs have the figures of the plan.

usage: jobs_agree.py PLAN.json JOBS/workload       the workloads of `clusterc plan --format json`
"""
import json
import pathlib
import re
import sys


def settings(folder):
    found = re.findall(r"^export (PLAN_[A-Z_]+)='?([^'\n]*)'?$", (folder / "settings.sh").read_text(), re.M)
    return {k[5:].lower(): v for k, v in found}


def requested(folder):
    return dict(re.findall(r"^#SBATCH --([a-z-]+)=(\S+)$", (folder / "job.sbatch").read_text(), re.M))


def megatron(folder):
    words = [w for w in (folder / "megatron.args").read_text().split("\n") if w and not w.startswith("#")]
    return {w: words[i + 1] for i, w in enumerate(words[:-1]) if w.startswith("--")}


def main(plan, jobs):
    checked = 0
    for workload in json.load(open(plan))["workloads"]:
        folder = pathlib.Path(jobs) / workload["name"]
        if not folder.is_dir():
            continue
        s, r = settings(folder), requested(folder)
        if "reckoned_with" not in workload:
            assert "tensor" not in s, (workload["name"], s)
            assert int(s["world"]) == workload["gpus"], (workload["name"], s)
            continue
        layout = workload[workload["reckoned_with"]]["split"]
        for ours, planned in (("tensor", "tensor"), ("pipeline", "pipeline"), ("data", "data"), ("context", "context"), ("expert", "expert"),
                              ("interleave", "interleave"), ("micro_batch", "micro_batch"), ("sharded", "sharded"), ("recompute", "recompute")):
            assert s[ours] == str(layout[planned]), (workload["name"], ours, s[ours], layout[planned])
            checked += 1
        processes = int(s["tensor"]) * int(s["pipeline"]) * int(s["context"]) * int(s["data"])
        assert processes == int(s["world"]) == int(s["nodes"]) * int(s["processes"]), (workload["name"], s)
        assert int(r["nodes"]) == int(s["nodes"]), r
        assert int(s["batch"]) == workload["sequences"], (workload["name"], s)
        assert int(s["batch"]) == int(s["data"]) * int(s["micro_batch"]) * int(s["accumulation"]), (workload["name"], s)
        if (folder / "ds_config.json").exists():
            d = json.loads((folder / "ds_config.json").read_text())
            assert d["train_batch_size"] == int(s["batch"]) and d["train_micro_batch_size_per_gpu"] == int(s["micro_batch"]), d
            assert d["zero_optimization"]["stage"] == ["none", "optimizer", "gradients", "all"].index(s["sharded"]), d
        if (folder / "megatron.args").exists():
            a = megatron(folder)
            for option, key in (("tensor-model-parallel-size", "tensor"), ("pipeline-model-parallel-size", "pipeline"), ("context-parallel-size", "context"),
                                ("micro-batch-size", "micro_batch"), ("global-batch-size", "batch"), ("seq-length", "sequence")):
                assert a["--" + option] == s[key], (option, a, s)
    assert checked > 0, "the plan has no layout"
    print(f"ok: {checked} figures of the splits equal the plan")


main(*sys.argv[1:])
