"""For tests alone: Debian's PyTorch is built without libuv, and torchrun asks for it whatever USE_LIBUV says. With this folder on PYTHONPATH
every TCPStore is one without it."""
import sys

import torch.distributed
import torch.distributed.elastic.rendezvous.static_tcp_rendezvous


class TCPStore(torch.distributed.TCPStore):
    def __init__(self, *arguments, **options):
        if len(arguments) < 9:
            options["use_libuv"] = False
        else:
            arguments = arguments[:8] + (False,) + arguments[9:]
        super().__init__(*arguments, **options)


for name in ("torch.distributed", "torch.distributed.rendezvous", "torch.distributed.elastic.rendezvous.static_tcp_rendezvous"):
    sys.modules[name].TCPStore = TCPStore
