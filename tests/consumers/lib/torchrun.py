#!/usr/bin/env python3
"""Stands in for torchrun and for a training script in tests/consumers/jobs.sh, where no PyTorch is; tests/soak/launchers.sh runs the real ones.

torchrun --nnodes=N --nproc-per-node=N --node-rank=N --master-addr=H --master-port=N --max-restarts=N SCRIPT ARGUMENTS…
    starts the processes of this node with the variables that torchrun gives them, and ends when all have; an option it does not know is an error
train [--steps N] [--every N] [--pause SECONDS]
    counts steps: each rank saves its step in CHECKPOINTS, ends after SIGUSR1, and goes on where all ranks have been. The ranks count together, through
    a socket of the first one.
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time


def torchrun(arguments):
    options = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("nnodes", "nproc-per-node", "node-rank", "master-port", "max-restarts"):
        options.add_argument("--" + name, type=int, required=True)
    options.add_argument("--master-addr", required=True)
    options.add_argument("script")
    options.add_argument("rest", nargs=argparse.REMAINDER)
    o = options.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    children = []
    for local in range(o.nproc_per_node):
        env = dict(os.environ, RANK=str(o.node_rank * o.nproc_per_node + local), LOCAL_RANK=str(local), WORLD_SIZE=str(o.nnodes * o.nproc_per_node),
                   MASTER_ADDR=o.master_addr, MASTER_PORT=str(o.master_port))
        # As torchrun does: in a session of its own, which no signal to the group of torchrun reaches.
        children.append(subprocess.Popen([sys.executable, o.script, *o.rest], env=env, start_new_session=True))
    try:
        status = [c.wait() for c in children]
    finally:
        for c in children:
            c.kill()
    return 1 if any(status) else 0


class Together:
    """All ranks hand over a number and get the largest: an all-reduce."""

    def __init__(self, rank, world):
        self.rank, address = rank, (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
        if rank == 0:
            server = socket.create_server(address)
            self.peers = [server.accept()[0].makefile("rw") for _ in range(world - 1)]
            return
        for _ in range(300):
            try:
                self.peers = [socket.create_connection(address).makefile("rw")]
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f"rank 0 does not answer at {address}")

    def largest(self, number):
        if self.rank == 0:
            number = max([number] + [int(p.readline()) for p in self.peers])
        for p in self.peers:
            p.write(f"{number}\n")
            p.flush()
        return number if self.rank == 0 else int(self.peers[0].readline())


def train(arguments):
    options = argparse.ArgumentParser()
    options.add_argument("--steps", type=int, default=int(os.environ.get("PLAN_STEPS", 100)))
    options.add_argument("--every", type=int, default=10)
    options.add_argument("--pause", type=float, default=0)
    o = options.parse_args(arguments)
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    told = []
    signal.signal(signal.SIGUSR1, lambda *_: told.append(1))
    together = Together(rank, world)
    folder = pathlib.Path(os.environ["CHECKPOINTS"])
    mine = folder / f"rank-{rank}.json"
    saved = json.loads(mine.read_text())["step"] if mine.exists() else 0
    step = -together.largest(-saved)   # the least of all
    if rank == 0:
        print(f"begin at step {step} of {o.steps}, {world} ranks", flush=True)
    stopped = False
    while step < o.steps and not stopped:
        time.sleep(o.pause)
        step += 1
        stopped = together.largest(len(told)) > 0
        if rank == 0:
            print(f"step {step} loss 0", flush=True)
        if stopped or step % o.every == 0 or step == o.steps:
            part = folder / f"rank-{rank}.part"
            part.write_text(json.dumps({"step": step, "rank": rank, "host": socket.gethostname(), "device": int(os.environ["LOCAL_RANK"])}))
            part.rename(mine)
            together.largest(0)
            if rank == 0:
                ranks = [json.loads((folder / f"rank-{r}.json").read_text()) for r in range(world)]
                step_folder = folder / f"step-{step:08d}"
                step_folder.mkdir(exist_ok=True)
                (step_folder / "world.json").write_text(json.dumps({"step": step, "ranks": ranks}))
    if rank == 0:
        print(f"{'stopped' if stopped and step < o.steps else 'done'} at step {step}, weights {step}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(torchrun(sys.argv[1:]) if pathlib.Path(sys.argv[0]).name.startswith("torchrun") else train(sys.argv[1:]))
