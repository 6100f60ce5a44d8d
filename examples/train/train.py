#!/usr/bin/env python3
"""A small training script for the compiled jobs (jobs/workload/NAME, launcher torchrun). It trains a few layers on made-up tokens and saves
checkpoints. At SIGUSR1 it saves and ends; the next start resumes from the newest checkpoint. Use it to try a new cluster, or as a pattern.

usage: TRAIN=/PATH/train.py sbatch job.sbatch [--steps N] [--every N] [--pause SECONDS]

The copies divide the batch alone (DistributedDataParallel); with PLAN_SHARDED=all and GPUs they divide the model's states too (FSDP2). It runs
on GPUs where there are any, else on processors. PyTorch 2.6 or newer.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh

WORDS, WIDTH = 256, 64   # of the vocabulary; of the layers
DIMENSIONS = ("pipeline", "data", "context", "tensor")


def planned(name, default):
    return int(os.environ.get("PLAN_" + name, default))


class Stop:
    """Becomes true on all ranks after the same step once any of them got the signal."""

    def __init__(self, device):
        self.told = torch.zeros((), device=device)
        signal.signal(signal.SIGUSR1, lambda *_: self.told.fill_(1))

    def __bool__(self):
        flag = self.told.clone()
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item())


class Checkpoints:
    """Folders step-00000010 with a part of each rank; one that is being written ends in .part."""

    def __init__(self, folder, keep):
        self.folder, self.keep = pathlib.Path(folder), keep

    def complete(self):
        return sorted(p for p in self.folder.glob("step-*") if p.suffix != ".part")

    def state(self, model, optimizer):
        weights, moments = get_state_dict(model, optimizer)
        return {"model": weights, "optimizer": moments}

    def save(self, step, model, optimizer, world):
        name = f"step-{step:08d}"
        part = self.folder / (name + ".part")
        if dist.get_rank() == 0:
            shutil.rmtree(part, ignore_errors=True)   # of a start that was killed
        dist.barrier()
        dcp.save(self.state(model, optimizer), checkpoint_id=part)
        dist.barrier()
        if dist.get_rank() == 0:
            (part / "world.json").write_text(json.dumps({"step": step, "ranks": world}))
            if not (self.folder / name).exists():
                part.rename(self.folder / name)
            for old in self.complete()[:-self.keep]:
                shutil.rmtree(old)
        dist.barrier()

    def load(self, model, optimizer):
        found = self.complete()
        if not found:
            return 0
        state = self.state(model, optimizer)
        dcp.load(state, checkpoint_id=found[-1])
        set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
        return json.loads((found[-1] / "world.json").read_text())["step"]


def layers():
    torch.manual_seed(1)
    return nn.Sequential(nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WORDS))


def digest(model):
    """Of all weights: two runs that did the same have the same."""
    sums = hashlib.sha256()
    for weight in model.parameters():
        full = weight.full_tensor() if hasattr(weight, "full_tensor") else weight
        sums.update(full.detach().cpu().numpy().tobytes())
    return sums.hexdigest()[:16]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--steps", type=int, default=planned("STEPS", 100), help="of the whole training")
    options.add_argument("--every", type=int, default=planned("CHECKPOINT_STEPS", 10), help="steps between checkpoints")
    options.add_argument("--pause", type=float, default=0, help="seconds that each step takes longer")
    options = options.parse_args()

    gpus = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if gpus else torch.device("cpu")
    if gpus:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if gpus else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    sizes = [planned("PIPELINE", 1), planned("DATA", world), planned("CONTEXT", 1), planned("TENSOR", 1)]
    mesh = init_device_mesh(device.type, sizes, mesh_dim_names=DIMENSIONS)
    if sizes[1] != world:
        raise SystemExit("this script divides the batch alone: plan it with `split: { tensor: 1, pipeline: 1, context: 1 }`")
    who = [None] * world
    dist.all_gather_object(who, {"rank": rank, "host": socket.gethostname(), "device": local, "mesh": mesh.get_coordinate()})

    model = layers().to(device)
    if os.environ.get("PLAN_SHARDED") == "all" and gpus:
        from torch.distributed.fsdp import fully_shard
        model = fully_shard(model, mesh=mesh["data"])
    else:
        model = nn.parallel.DistributedDataParallel(model, device_ids=[local] if gpus else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    checkpoints = Checkpoints(os.environ["CHECKPOINTS"], planned("KEEP_CHECKPOINTS", 2))
    step = checkpoints.load(model, optimizer)
    if rank == 0:
        print(f"begin at step {step} of {options.steps}, {world} ranks", flush=True)
    micro, accumulation, sequence = planned("MICRO_BATCH", 1), planned("ACCUMULATION", 1), planned("SEQUENCE", 32)

    stop = Stop(device)
    stopped = False
    while step < options.steps and not stopped:
        total = 0.0
        for part in range(accumulation):
            made = torch.Generator().manual_seed((step * accumulation + part) * world + rank)
            tokens = torch.randint(WORDS, (micro, sequence + 1), generator=made).to(device)
            loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten()) / accumulation
            loss.backward()
            total += loss.item()
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        time.sleep(options.pause)
        stopped = bool(stop)
        if rank == 0:
            print(f"step {step} loss {total:.6f}", flush=True)
        if stopped or step % options.every == 0 or step == options.steps:
            checkpoints.save(step, model, optimizer, who)
    result = digest(model)
    if rank == 0:
        print(f"{'stopped' if stopped and step < options.steps else 'done'} at step {step}, weights {result}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
