#!/usr/bin/env python3
"""For tests/soak/launchers.sh: JAX finds its processes in Slurm's variables; a mesh of the planned sizes has each of them at its place."""
import os

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

plan = {k[5:].lower(): int(v) for k, v in os.environ.items() if k.startswith("PLAN_") and v.isdigit()}
jax.distributed.initialize()
rank, world = jax.process_index(), jax.process_count()
assert world == plan["world"] == len(jax.devices()), (world, plan["world"], jax.devices())
assert rank == int(os.environ["SLURM_PROCID"])
names = ("pipeline", "data", "context", "tensor")
mesh = Mesh(np.array(jax.devices()).reshape([plan[n] for n in names]), names)
at, rest = {}, rank
for name in reversed(names):
    at[name], rest = rest % plan[name], rest // plan[name]
mine = mesh.devices[tuple(at[n] for n in names)]
assert mine.process_index == rank, (mine, at)
# A sum over all processes: each has its rank.
shards = NamedSharding(mesh, PartitionSpec(names))
ranks = jax.make_array_from_process_local_data(shards, np.array([float(rank)]), (world,))
total = jax.jit(lambda x: x.sum(), out_shardings=NamedSharding(mesh, PartitionSpec()))(ranks)
assert float(total) == world * (world - 1) / 2, total
print(f"ok: JAX {jax.__version__}: process {rank} of {world} is {at}, sum {float(total)}", flush=True)
