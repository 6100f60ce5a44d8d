"""Random specs that are valid, and as varied as the language lets them be: generate(seed) gives the same spec for the same seed, on every machine.

A spec is a dict; yaml_text() writes it. grown(spec, room) gives the same cluster with more nodes, within every `built_for` and the room that the plan tells of, or None.
As a program: generate.py SEED prints the spec of that seed; with --grown the one it grows into.
"""
import copy
import json
import math
import random
import re
import sys

# (adapter, what a network of such ports may be: kind, rate, switch, further keys)
FABRICS = {
    "cx7-ndr-osfp": [("infiniband", 400, "nvidia-qm9700", {}), ("ethernet", 400, "nvidia-sn5610", {"breakout": 2}), ("ethernet", 400, "nvidia-sn5600", {"breakout": 2}), ("ethernet", 400, "generic-th5", {})],
    "cx7-400-qsfp112": [("infiniband", 400, "nvidia-qm9700", {}), ("ethernet", 400, "nvidia-sn5600", {"breakout": 2}), ("ethernet", 400, "arista-7060x6-64pe", {}), ("ethernet", 200, "nvidia-sn5600", {"breakout": 4})],
    "cx6-vpi-200": [("infiniband", 200, "nvidia-qm8700", {}), ("ethernet", 200, "nvidia-sn5600", {"breakout": 4}), ("ethernet", 200, "nvidia-sn5610", {}), ("ethernet", 100, "nvidia-sn4600c", {}), ("infiniband", 100, "nvidia-qm8700", {"breakout": 2})],
    "cx8-800": [("infiniband", 800, "nvidia-q3400-ra", {}), ("ethernet", 800, "nvidia-sn5610", {"breakout": 1}), ("ethernet", 400, "nvidia-sn5600", {"planes": 2})],
    "broadcom-thor2-400": [("ethernet", 400, "nvidia-sn5610", {"breakout": 2}), ("ethernet", 400, "arista-7060x6-64pe", {})],
}
# Servers that bring their adapters, and what of them computes.
SERVERS = {"nvidia-dgx-h100": "cx7-ndr-osfp", "nvidia-dgx-h200": "cx7-ndr-osfp", "nvidia-dgx-b200": "cx7-ndr-osfp", "nvidia-dgx-b300": "cx8-800", "supermicro-821ge-tnhr": "cx7-ndr-osfp",
           "nvidia-dgx-a100-640": "cx6-vpi-200"}
SLOTTED = {"nvidia-dgx-h100", "nvidia-dgx-h200", "nvidia-dgx-b200", "nvidia-dgx-b300"}     # with ports `storage` and `inband`
PDUS = {("na", 415): ["na-415-3ph-60", "na-415-3ph-60-c13", "na-415-3ph-100", "na-415-3ph-30"], ("na", 208): ["na-208-3ph-60", "na-208-3ph-30"], ("iec", 400): ["eu-400-3ph-63", "eu-400-3ph-32", "eu-400-3ph-16"]}
RACKS = ["generic-48u-800x1200", "generic-42u-600x1070", "apc-ar3300", "apc-ar3357"]
WIDTH = 4                              # digits of a host name, so that a group may grow without a new name for anybody


def scalar(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return value if re.fullmatch(r"[A-Za-z][A-Za-z0-9_/-]*", value) and value not in ("yes", "no", "on", "off", "true", "false") else json.dumps(value)


def flow(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[ " + ", ".join(flow(v) for v in value) + " ]"
    return scalar(value)


def yaml_text(spec):
    out = []

    def block(mapping, depth):
        for key, value in mapping.items():
            if isinstance(value, dict) and depth < 2:
                out.append("  " * depth + f"{key}:")
                block(value, depth + 1)
            else:
                out.append("  " * depth + f"{key}: {flow(value)}")
    block(spec, 0)
    return "\n".join(out) + "\n"


def names(stem, count):
    return f"{stem}[{1:0{WIDTH}d}-{count:0{WIDTH}d}]"


def count_of(pattern):
    found = re.search(r"\[(\d+)-(\d+)\]", pattern)
    return int(found[2]) - int(found[1]) + 1 if found else 1


class Maker:
    def __init__(self, seed):
        self.r, self.shape = random.Random(seed), random.Random(f"shape of {seed}")
        self.spec = {"clusterc": 1, "rules": "2026.11", "name": f"random-{seed}"}
        self.subnets = 0

    def chance(self, share):
        return self.r.random() < share

    def log_uniform(self, low, high):
        return int(round(math.exp(self.r.uniform(math.log(low), math.log(high)))))

    def subnet(self, ports):
        """A prefix of its own, mostly roomy, sometimes only just large enough."""
        self.subnets += 1
        if self.chance(0.25):
            length = 32 - max(4, math.ceil(math.log2(ports + 3)))
            return f"10.{self.subnets}.0.0/{max(16, length)}"
        return f"10.{self.subnets}.0.0/{self.r.choice([16, 16, 18, 20]) if ports < 3000 else 16}"

    # ---- the room

    def site(self):
        r = self.r
        region, volts = r.choice(list(PDUS))
        self.pdus = PDUS[region, volts]
        feeds = {}
        for name in "ABC"[:r.choice([1, 2, 2, 2, 3, 3])]:
            feed = {"capacity": "60 MVA"} if self.chance(0.8) else {"breaker": "4000 A"}
            if self.chance(0.2):
                feed["ups"] = {"model": "ups-1mw", "modules": r.randint(40, 60), "spare": r.randint(0, 2)}
            if self.chance(0.2):
                feed["in_use"] = f"{r.randint(1, 90)} kW"
            feeds[name] = feed
        site = {"region": region, "altitude": f"{r.choice([0, 60, 300, 1500])} m", "supply": {"phases": 3, "voltage": f"{volts} V"}, "feeds": feeds}
        if self.chance(0.2):
            site["supply"]["power_factor"] = r.choice([0.9, 0.95, 0.98, 1])
        if self.chance(0.2):
            site["cable_route"] = "underfloor"
        self.panels = {}
        if self.chance(0.2):
            for name in feeds:
                for k in range(1, r.randint(2, 3)):
                    self.panels[f"{name}{k}"] = {"feed": name, "breaker": "1600 A"}
            site["panels"] = self.panels
        zones = {"hall": {"method": r.choice(["contained-air", "room-air", "in-row"]), "units": 400, "spare": 4, "each": {"heat": "160 kW", "airflow": "24000 CFM"}, "supply": "22 C"}}
        if self.nvl:
            zones["loop"] = {"method": "liquid", "fluid": r.choice(["pg25", "water"]), "supply": "34 C", "facility": {"supply": "28 C", "flow": "90000 L/min"},
                             "cdus": {"model": "generic-cdu-1mw", "count": 60, "spare": 1, "feeds": list(feeds)[:2]}}
        site["cooling"] = zones
        self.spec["site"] = site
        self.feeds = list(feeds)

    def pdu_list(self):
        """One to four PDUs of one or two kinds on the feeds in turn."""
        many = self.r.choice([1, 2, 2, 2, 3, 3, 4])
        models = self.r.sample(self.pdus, 1 if self.chance(0.8) or len(self.pdus) == 1 else 2)
        out = []
        for i in range(many):
            feed = self.feeds[i % len(self.feeds)]
            of_feed = [p for p, v in self.panels.items() if v["feed"] == feed]
            out.append({"model": models[i % len(models)], **({"panel": self.r.choice(of_feed)} if of_feed else {"feed": feed})})
        return out

    def rack_group(self, name, count):
        group = {"names": names(name[0] + "k", count), "model": self.r.choice(RACKS), "cooling": "hall", "per_row": self.r.choice([4, 8, 10, 16, 20]), "pdus": self.pdu_list()}
        if self.chance(0.15):
            group["occupied"] = [{"units": [f"U{self.r.randint(1, 3)}-U{self.r.randint(4, 8)}"], "power": f"{self.r.randint(1, 20) / 10} kW", "weight": f"{self.r.randint(5, 60)} kg"}]
        if self.chance(0.1):
            group["budget"] = f"{self.r.choice([12, 17, 25, 40])} kW"
        if self.chance(0.2):
            group["row_pitch"] = f"{self.r.choice([2.4, 3, 3.6])} m"
        self.spec.setdefault("racks", {})[name] = group

    # ---- who is there

    def gpu_group(self):
        r = self.r
        if self.cloud:
            self.adapter, self.ports_each = None, 32
            return {"names": names("gpu", self.n), "instance": "aws-p5-48xlarge"}
        if self.chance(0.6):
            model = r.choice(list(SERVERS))
            self.adapter, self.ports_each, self.slotted = SERVERS[model], 8, model in SLOTTED
            group = {"names": names("gpu", self.n), "model": model}
        else:
            self.adapter, self.ports_each, self.slotted = r.choice(list(FABRICS)), r.choice([1, 2, 4, 8]), False
            base = r.choice(["generic-2u", "generic-4u-pcie8", "generic-1u"])
            group = {"names": names("gpu", self.n), "server": {"like": base, "nics": {"compute": f"{self.ports_each} x {self.adapter}", "data": "cx6-vpi-200"}}}
            if self.chance(0.5):
                group["server"]["power"] = f"{r.randint(6, 60) / 10} kW"
        if self.chance(0.3):
            group["scalable_unit"] = r.choice([4, 8, 16, 32])
        return group

    def place(self, group, racks, many):
        group["racks"] = racks
        if many and self.chance(0.4):
            group["per_rack"] = self.r.choice([1, 2, 2, 4, 4, 8])

    def compute_network(self):
        r = self.r
        kind, rate, switch, more = self.fabric
        net = {"kind": kind, "rate": f"{rate} Gb/s", "switch": switch, **more}
        if kind == "ethernet":
            net.update(rdma="roce", mtu=9000)
        topology = r.choice(["", "fat-tree", "rail-optimised", "rail-optimised", "rail-optimised", "rail-only"] if self.ports_each > 1 else ["", "fat-tree"])
        if topology == "rail-only" and "planes" in net:
            topology = "rail-optimised"
        if topology:
            net["topology"] = topology
        if "planes" not in net and topology != "rail-only" and self.ports_each % 2 == 0 and self.chance(0.2):
            net["planes"] = r.choice([p for p in (2, 4, 8) if self.ports_each % p == 0])
        if self.chance(0.3):
            net["oversubscription"] = r.choice([2, 3, 1.5, 4])
        if self.chance(0.1):
            net["media"] = ["multimode", "single-mode"]
        self.wishes(net, rate, switch)
        net["connects"] = {"gpu": {"ports": "compute"}}
        if self.managers:
            net["connects"]["fm"] = {"ports": "compute"}
        if kind == "ethernet" and self.chance(0.5):
            net["asn"] = 4200000000 + 100000 * r.randint(0, 9)
        if kind == "ethernet":
            net["subnet"] = self.subnet(self.built * self.ports_each + 8)
        return net

    def wishes(self, net, rate, switch):
        """What a spec may ask of leaves and spines, drawn apart so that the other draws stay as they are."""
        r = self.shape
        if r.random() < 0.15:
            net["core_oversubscription"] = r.choice([1.5, 2, 3])
        if r.random() < 0.1:
            net["room_for_cores"] = True
        if r.random() < 0.3 and rate * 2 <= {"nvidia-qm9700": 400, "nvidia-qm8700": 200, "nvidia-sn5600": 800, "nvidia-sn5610": 800}.get(switch, 0):
            net["uplink_rate"] = f"{r.choice([rate, rate * 2])} Gb/s"
        if r.random() < 0.15:
            net["spines"] = r.randint(1, 12)
        if r.random() < 0.1:
            net["links_per_spine"] = r.randint(1, 8)
        if r.random() < 0.2 and net.get("topology") == "rail-optimised":
            net["pods"] = "rails"

    def nvl_network(self):
        net = {"kind": "infiniband", "rate": "400 Gb/s", "switch": "nvidia-qm9700", "topology": self.r.choice(["rail-optimised", "fat-tree"]), "connects": {"gpu": {"ports": "compute"}}}
        if net["topology"] == "rail-optimised":
            net["rails"] = 4
        return net

    def generators(self, r):
        """Behind some of the feeds; now and then one that is too small, or that comes after the batteries are empty."""
        if r.random() >= 0.3:
            return
        site = self.spec["site"]
        site["generators"] = {f"g{i + 1}": {"rating": r.choice(["120 MW", "120 MW", "400 kW", "90 kW"]), "start": f"{r.choice([10, 15, 30])} s"} for i in range(r.choice([1, 1, 2]))}
        for feed in site["feeds"].values():
            if r.random() < 0.85:
                feed["generator"] = r.choice(list(site["generators"]))
            if "ups" in feed:
                feed["ups"]["runtime"] = r.choice(["5 min", "5 min", "12 s"])

    def workstations(self, r):
        """Nodes without a rack, on circuits of the building."""
        na = self.spec["site"]["region"] == "na"
        volts = r.choice([120, 208] if na else [230])
        wall = {"voltage": f"{volts} V", "breaker": f"{r.choice([15, 20, 30] if na else [16, 32])} A"}
        if r.random() < 0.5:
            wall["nodes"] = r.randint(1, 4)
        if r.random() < 0.5:
            wall["cooling"] = "hall"
        return {"names": names("ws", r.randint(1, 9)), "server": {"like": "generic-2u", "power": f"{r.randint(11, 30) / 10} kW"}, "wall": wall}

    # ---- all of it

    def make(self):
        r = self.r
        self.cloud = self.chance(0.06)
        self.nvl = not self.cloud and self.chance(0.07)
        self.n = self.log_uniform(1, 160)
        if self.chance(0.04):
            self.n = r.randint(200, 420)                  # three tiers of small switches
        frames = r.randint(1, 8)
        if self.nvl:
            self.n = 18 * frames
        self.managers = 0
        self.built = self.n if self.nvl or self.chance(0.4) else self.n + r.randint(1, max(1, self.n // 2))
        nodes = {}
        extra = random.Random(f"power of {self.spec['name']}")       # drawn apart, so that the other draws stay as they are
        if self.cloud:
            self.spec["site"] = {"kind": "cloud", "provider": "aws"}
            nodes["gpu"] = self.gpu_group()
            nodes["head"] = {"names": "head", "virtual_machine": {"cpus": 8, "memory": "32 GiB"}, "roles": ["scheduler", "login"]}
            self.spec["nodes"] = nodes
            self.spec["networks"] = {"compute": {"kind": "efa", "rate": "100 Gb/s", "connects": {"gpu": {"ports": "compute"}}},
                                     "vpc": {"kind": "ethernet", "rate": "10 Gb/s", "subnet": self.subnet(self.built + 2), "carries": ["inband", "storage"], "connects": {"gpu": 1, "head": 1}, "built_for": {"gpu": self.built}}}
            return self.spec
        self.site()
        self.generators(extra)
        if self.nvl:
            feeds = self.feeds if len(self.feeds) > 1 else self.feeds * 1
            split = {1: [8], 2: [4, 4], 3: [4, 2, 2]}[len(feeds)]
            self.spec["assemblies"] = {"nvl": {"names": names("nvl", frames), "model": r.choice(["nvidia-gb200-nvl72", "nvidia-gb300-nvl72"]),
                                               "feeds": {f: {"shelves": s} for f, s in zip(feeds, split)}, "cooling": {"liquid": "loop", "air": "hall"}}}
            gpu = {"names": names("gpu", self.n), "from": "nvl.compute-trays"}
            self.slotted = self.spec["assemblies"]["nvl"]["model"] == "nvidia-gb200-nvl72"
        else:
            gpu = self.gpu_group()
            self.fabric = r.choice(FABRICS[self.adapter])
        if not self.nvl and self.adapter == "cx7-ndr-osfp" and self.fabric[0] == "infiniband" and self.chance(0.3):
            self.managers = r.choice([2, 4])
        nodes["gpu"] = gpu
        nodes["head"] = {"names": "head[1-3]", "model": "generic-2u", "nics": {"data": "2 x cx6-vpi-200"}, "roles": ["scheduler", "provisioning"], "ha": "active-passive"}
        if self.managers:
            nodes["fm"] = {"names": f"fm[1-{self.managers}]", "model": "generic-1u", "nics": {"compute": "cx7-ndr-osfp", "data": "cx6-vpi-200"}, "roles": ["fabric-manager"]}
        if self.chance(0.3):
            nodes["cpu"] = {"names": names("cpu", r.randint(1, 60)), "model": r.choice(["generic-1u", "generic-2u"]), "nics": {"data": "cx6-vpi-200"}}
        if extra.random() < 0.25:
            nodes["ws"] = self.workstations(extra)
        self.spec["nodes"] = nodes
        storage = {}
        if self.chance(0.3):
            storage["scratch"] = {"kind": "lustre", "servers": {"model": "lustre-oss-block", "count": r.randint(2, 12)}, "mount": "/scratch"}
        networks = {"compute": self.nvl_network() if self.nvl else self.compute_network()}
        inband = {"kind": "ethernet", "rate": "200 Gb/s", "switch": r.choice(["nvidia-sn5600", "nvidia-sn5610"]), "carries": ["storage", "inband"], "mtu": 9000,
                  "connects": {"gpu": {"ports": "inband"} if self.slotted else 1, "head": r.choice([1, 2])}}
        if not self.slotted and not self.nvl and gpu.get("server") is None and "model" in gpu:
            inband["connects"].pop("gpu")                 # these bring adapters for compute only
        if self.nvl and not self.slotted:
            inband["connects"].pop("gpu")
        elif isinstance(inband["connects"].get("gpu"), int):
            inband["connects"]["gpu"] = {"ports": "data"}
        for more in ("cpu", "fm"):
            if more in nodes:
                inband["connects"][more] = {"ports": "data"}
        if storage:
            inband["connects"]["scratch"] = {"all": True}
        if self.chance(0.4):
            inband["oversubscription"] = r.choice([2, 3, 4])
        if self.slotted and self.chance(0.2):
            inband["bond"] = 2
            for group in ("head", "cpu", "fm", "scratch"):
                inband["connects"].pop(group, None)
            inband["connects"]["head"] = 2
        inband["subnet"] = self.subnet(4 * (self.built + 140))
        networks["inband"] = inband
        if self.slotted and not self.nvl and self.chance(0.3):
            networks["storage"] = {"kind": "infiniband", "rate": "400 Gb/s", "switch": "nvidia-qm9700", "connects": {"gpu": {"ports": "storage"}}} if self.adapter == "cx7-ndr-osfp" and gpu["model"] != "nvidia-dgx-b200" else \
                {"shares_switches_with": "inband", "carries": ["storage"], "vlan": 20, "subnet": self.subnet(self.built * 2 + 40), "connects": {"gpu": {"ports": "inband"}}}
        if self.chance(0.75):
            networks["oob"] = {"kind": "ethernet", "rate": "1 Gb/s", "switch": "nvidia-sn2201", "subnet": self.subnet(12 * self.built + 3000), "connects": "everything"}
        if self.built > self.n:
            for name, net in networks.items():
                if net["connects"] == "everything" or "gpu" in net["connects"]:
                    net["built_for"] = {"gpu": self.built}
        self.spec["networks"] = networks
        # Racks enough for the size built for, by a rough count; what then does not fit is for the plan to say.
        if self.chance(0.93):
            shared = self.chance(0.3)
            compute_racks = 0 if self.nvl else max(1, -(-self.built // r.choice([1, 2, 3, 4])))
            if shared:
                self.rack_group("all", compute_racks + 8 + self.n // 16)
            else:
                if compute_racks:
                    self.rack_group("compute", compute_racks)
                self.rack_group("network", 6 + self.built // 4)
            home = "all" if shared else "network"
            for name, group in nodes.items():
                if "from" in group or "wall" in group:
                    continue
                self.place(group, "all" if shared else ("compute" if name == "gpu" else "network"), name == "gpu")
            for system in storage.values():
                system["servers"]["racks"] = home
            for net in networks.values():
                if "switch" in net and (not shared or self.chance(0.6)):
                    net["racks"] = home
        else:
            for system in list(storage):
                storage.pop(system)
                inband["connects"].pop(system, None)
        if "per_rack" in gpu and next(iter(inband["connects"])) == "gpu" and "racks" in inband and extra.random() < 0.5:
            inband["leaf_per_rack"] = True
        if storage:
            self.spec["storage"] = storage
        return self.spec


def generate(seed):
    return Maker(seed).make()


def grown(spec, room=None):
    """As many GPU nodes as every network that has them is built for, and as the plan says can come (`room`). None where nothing may grow."""
    limit = min([net["built_for"]["gpu"] for net in spec["networks"].values() if "built_for" in net] or [0])
    if room is not None:
        limit = min(limit, room)
    have = count_of(spec["nodes"]["gpu"]["names"])
    if limit <= have:
        return None
    more = copy.deepcopy(spec)
    more["nodes"]["gpu"]["names"] = names("gpu", limit)
    return more


if __name__ == "__main__":
    number = int(sys.argv[1])
    made = generate(number)
    print(yaml_text(grown(made) if "--grown" in sys.argv else made), end="")
