#!/usr/bin/env python3
"""For tests/soak/launchers.sh: Ray has all nodes and GPUs of the plan, and Ray Train starts its workers on them."""
import os

import ray
from ray import train
from ray.train import RunConfig, ScalingConfig
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

plan = {k[5:].lower(): int(v) for k, v in os.environ.items() if k.startswith("PLAN_") and v.isdigit()}
ray.init(address="auto")
alive = [n for n in ray.nodes() if n["Alive"]]
assert len(alive) == plan["nodes"], alive
assert int(ray.cluster_resources()["GPU"]) == plan["nodes"] * plan["gpus"], ray.cluster_resources()


def work(config):
    context = train.get_context()
    train.report({"world": context.get_world_size()})
    print(f"ok: Ray {ray.__version__}: worker {context.get_world_rank()} of {context.get_world_size()}, {context.get_local_rank()} on its node {ray.util.get_node_ip_address()}", flush=True)


trainer = DataParallelTrainer(work, scaling_config=ScalingConfig(num_workers=plan["world"], use_gpu=True),
                              run_config=RunConfig(storage_path=os.environ["CHECKPOINTS"], name="actors"))
result = trainer.fit()
assert result.error is None, result.error
print(f"ok: Ray Train on {len(alive)} nodes", flush=True)
