#!/usr/bin/env python3
"""For tests/soak/launchers.sh: DeepSpeed takes its compiled configuration, and trains one step with the ranks and the batch of the plan."""
import argparse
import os
import sys

import deepspeed
import deepspeed.comm.torch
import torch
from torch import nn

options = argparse.ArgumentParser()
options.add_argument("--local_rank", type=int)
deepspeed.add_config_arguments(options)
options = options.parse_args()
plan = {k[5:].lower(): v for k, v in os.environ.items() if k.startswith("PLAN_")}
sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None   # an extension to be compiled, for processors alone
deepspeed.init_distributed("gloo")
model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32)).bfloat16()
engine, _, _, _ = deepspeed.initialize(args=options, model=model, optimizer=torch.optim.AdamW(model.parameters()), dist_init_required=False)
world = torch.distributed.get_world_size()
found = {"world": world, "data": engine.dp_world_size, "micro_batch": engine.train_micro_batch_size_per_gpu(),
         "accumulation": engine.gradient_accumulation_steps(), "batch": engine.train_batch_size()}
for key, value in found.items():
    assert value == int(plan[key]), (key, value, plan[key])
assert engine.zero_optimization_stage() == ["none", "optimizer", "gradients", "all"].index(plan["sharded"])
assert torch.distributed.get_rank() == int(os.environ["SLURM_NODEID"]) * int(plan["processes"]) + options.local_rank
for _ in range(int(plan["accumulation"])):
    loss = engine(torch.randn(int(plan["micro_batch"]), 32).bfloat16()).float().pow(2).mean()
    engine.backward(loss)
    engine.step()
assert engine.global_steps == 1
print(f"ok: DeepSpeed {deepspeed.__version__}: rank {torch.distributed.get_rank()} of {world}, ZeRO {engine.zero_optimization_stage()}, batch {found['batch']}", flush=True)
