#!/usr/bin/env python3
"""For tests/soak/launchers.sh: Megatron-LM's own parser and its checks take the compiled arguments (with --with-megatron-lm, where a checkout is on
PYTHONPATH), and Megatron-Core makes the groups of the plan of them."""
import importlib.abc
import importlib.machinery
import os
import sys
from unittest.mock import MagicMock

import torch
import torch._inductor.output_code
import torch.distributed as dist


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Triton, which Debian's PyTorch lacks and no parser needs."""

    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] == "triton" else None

    def create_module(self, spec):
        module = MagicMock()
        module.__spec__, module.__path__, module.__version__ = spec, [], "3.4.0"
        return module

    def exec_module(self, module):
        pass


plan = {k[5:].lower(): int(v) for k, v in os.environ.items() if k.startswith("PLAN_") and v.isdigit()}
rank = int(os.environ["RANK"])
judged = "not parsed"
if "--with-megatron-lm" in sys.argv:
    sys.argv.remove("--with-megatron-lm")
    sys.meta_path.append(Absent())
    from megatron.training import arguments
    args = arguments.parse_args()
    args.padded_vocab_size = 1024
    torch.cuda.get_device_properties = lambda *_: MagicMock(major=9, minor=0)   # the checks ask for Hopper or newer
    arguments.validate_args(args)
    judged = "parsed and validated"
    assert args.data_parallel_size == plan["data"], args.data_parallel_size
    assert args.global_batch_size == plan["batch"] and args.micro_batch_size == plan["micro_batch"]
    assert args.global_batch_size == args.data_parallel_size * args.micro_batch_size * plan["accumulation"]
    assert args.save == args.load == os.environ["CHECKPOINTS"]
    sizes = [args.tensor_model_parallel_size, args.pipeline_model_parallel_size, args.context_parallel_size, args.expert_model_parallel_size]
    interleave = args.virtual_pipeline_model_parallel_size
else:
    word = {w: v for w, v in zip(sys.argv, sys.argv[1:])}
    sizes = [int(word.get("--" + n, 1)) for n in ("tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size", "expert-model-parallel-size")]
    interleave = int(word["--num-virtual-stages-per-pipeline-rank"]) if "--num-virtual-stages-per-pipeline-rank" in word else None
assert sizes == [plan["tensor"], plan["pipeline"], plan["context"], plan["expert"]], sizes
assert (interleave or 1) == plan["interleave"], interleave

import megatron.core
from megatron.core import parallel_state as groups

dist.init_process_group("gloo")
assert dist.get_world_size() == plan["world"]
groups.initialize_model_parallel(tensor_model_parallel_size=sizes[0], pipeline_model_parallel_size=sizes[1], virtual_pipeline_model_parallel_size=interleave,
                                 context_parallel_size=sizes[2], expert_model_parallel_size=sizes[3])
# Rank = tensor + TENSOR x (context + CONTEXT x (data + DATA x pipeline)): settings.sh
at, rest = {}, rank
for name in ("tensor", "context", "data", "pipeline"):
    at[name], rest = rest % plan[name], rest // plan[name]
assert groups.get_tensor_model_parallel_rank() == at["tensor"]
assert groups.get_context_parallel_rank() == at["context"]
assert groups.get_data_parallel_rank() == at["data"]
assert groups.get_pipeline_model_parallel_rank() == at["pipeline"]
assert groups.get_data_parallel_world_size() == plan["data"]
assert groups.get_expert_model_parallel_world_size() == plan["expert"]
print(f"ok: Megatron-Core {megatron.core.__version__}, arguments {judged}: rank {rank} of {plan['world']} is {at}, expert rank {groups.get_expert_model_parallel_rank()}", flush=True)
dist.barrier()
dist.destroy_process_group()
