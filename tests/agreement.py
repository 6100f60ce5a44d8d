#!/usr/bin/env python3
"""What one spec compiles to, read back by parsers of this program alone, says the same everywhere: names, addresses, GPUs, cores, memory, links and limits
agree between the outputs, and with plan.json and cables.csv. And twins with one thing wrong, which have to be found.

usage: agreement.py PROGRAM SOURCE WORK [SPEC…]
"""
import collections
import csv
import glob
import ipaddress
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib

import yaml

import network_files
import node_lists

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def lines_of(*path):
    return [line for line in text_of(*path).splitlines() if line.strip() and not line.lstrip().startswith("#")]


def expand(pattern):
    """a[1-3,07]b,c: names, with the zeros of the first number."""
    out = []
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\][^,\[]*)*", pattern):
        found = re.search(r"\[([^\]]*)\]", part)
        if not found:
            out.append(part)
            continue
        for piece in re.split(",", found[1]):
            first, _, last = piece.replace(":", "-").partition("-")
            for n in range(int(first), int(last or first) + 1):
                out += expand(part[:found.start()] + str(n).zfill(len(first)) + part[found.end():])
    return out


class Disagree(Exception):
    pass


def same(what, a, b):
    if a != b:
        if isinstance(a, (set, frozenset)) and isinstance(b, (set, frozenset)):
            raise Disagree(f"{what}: only here {sorted(map(str, a - b))[:3]}, only there {sorted(map(str, b - a))[:3]}")
        raise Disagree(f"{what}: {str(a)[:120]} and {str(b)[:120]}")


class Tree:
    """One compiled tree and the plan of the same spec."""

    def __init__(self, tree, book):
        self.tree, self.book, self.checked = tree, book, collections.Counter()
        self.plan = json.loads(text_of(book, "plan.json"))
        self.groups = {g["name"]: expand(g["names"]) for g in self.plan["node_groups"] if g["count"]}
        self.group = {g["name"]: g for g in self.plan["node_groups"]}
        self.node_group = {n: g for g, names in self.groups.items() for n in names}
        # network -> nodes' number of cables; leaf -> nodes
        self.cables, self.leaf = collections.defaultdict(collections.Counter), collections.defaultdict(set)
        numbers = {f"node/{g}/{part}": n for g, names in self.groups.items() for n in names for part in (n, re.search("[0-9]*$", n)[0])}   # docs/names.md
        for line in text_of(book, "cables.csv").splitlines()[1:]:
            cell = line.split(",")
            if not cell[1].startswith("node/"):
                continue
            self.cables[cell[0]][numbers[cell[1]]] += 1
            self.leaf[cell[3]].add(numbers[cell[1]])
        self.addresses = {}                              # network -> {node: its first address}
        self.subnets = {}
        self.pairs = {a["network"] for a in self.plan["addresses"] if any(b.get("per_link") for b in a["blocks"])}
        for a in self.plan["addresses"]:
            self.subnets[a["network"]] = ipaddress.ip_network(a["subnet"])
            of = self.addresses[a["network"]] = {}
            for b in a["blocks"]:
                if b["members_of"] in self.groups and b.get("first"):
                    first = ipaddress.ip_address(b["first"])
                    for i, node in enumerate(self.groups[b["members_of"]][:b["members"]]):
                        of.setdefault(node, first + i * b["stride"])
        self.oob = {f["network"] for f in self.plan["fabrics"] if f["carries"] == ["oob"]}

    def has(self, *path):
        return os.path.exists(os.path.join(self.tree, *path))

    def count(self, what, n):
        self.checked[what] += n

    # ---- names and addresses ---------------------------------------------------------------------------------------------------------
    def hosts(self):
        """{address: names}; every address of the plan under its node's name."""
        out = {}
        for line in lines_of(self.tree, "hosts", "hosts"):
            address, *names = line.split()
            ip = ipaddress.ip_address(address)
            if not ip.is_loopback:
                if ip in out:
                    raise Disagree(f"hosts: {ip} stands twice")
                out[ip] = names
        for network, nodes in self.addresses.items():
            for node, ip in nodes.items():
                if ip not in self.subnets[network]:
                    raise Disagree(f"{ip} of {node} lies outside {self.subnets[network]}")
                if not any(name == node or name.startswith(node + "-") for name in out.get(ip, [])):
                    raise Disagree(f"hosts: {node} of network {network} has {ip} in the plan, hosts has {out.get(ip)}")
            self.count("addresses: plan = hosts", len(nodes))
        return out

    def of_node(self, hosts):
        """{node: {network: addresses}} as hosts has them."""
        longest = sorted(self.node_group, key=len, reverse=True)
        known, out = set(longest), collections.defaultdict(lambda: collections.defaultdict(set))
        for ip, names in hosts.items():
            network = next((n for n, s in self.subnets.items() if ip in s), None)
            for name in names:
                node = name if name in known else next((n for n in (name[:i] for i, c in enumerate(name) if c == "-") if n in known), None)
                if node:
                    out[node][network].add(ip)
        return out

    def is_of_plan(self, interface):
        """With the prefix of its network; where leaves route with that of a pair of addresses, of which it is the second."""
        network = next((n for n, s in self.subnets.items() if interface.ip in s), None)
        if network in self.pairs:
            return interface.network.prefixlen == 31 and int(interface.ip) % 2 == 1
        return interface.network in self.subnets.values()

    def networks_of_nodes(self, hosts):
        of_node, seen = self.of_node(hosts), set()
        files = glob.glob(os.path.join(self.tree, "netplan", "*", "*.yaml")) + glob.glob(os.path.join(self.tree, "cloud-init", "*", "*", "network-config"))
        self.interfaces = {}
        for path in files:
            node = os.path.basename(path)[:-5] if path.endswith(".yaml") else os.path.basename(os.path.dirname(path))
            config = yaml.load(text_of(path), Loader)["network"]
            got, names = set(), set()
            for kind in ("ethernets", "bonds", "vlans", "bridges"):
                for name, device in (config.get(kind) or {}).items():
                    names.add(name)
                    got |= {ipaddress.ip_interface(a) for a in device.get("addresses", [])}
            wanted = {ip for network, ips in of_node[node].items() if network not in self.oob for ip in ips}
            managed = {ip for network, ips in of_node[node].items() if network in self.oob for ip in ips}   # of a BMC; of a virtual machine they are its own
            same(f"addresses of {node}: network configuration and hosts", {i.ip for i in got} - managed, wanted)
            for i in got:
                if not self.is_of_plan(i):
                    raise Disagree(f"{node}: {i} is in no subnet of the plan")
            seen.add(node)
            self.interfaces[node] = names
        for output in ("networkd", "networkmanager"):
            for path in glob.glob(os.path.join(self.tree, output, "*-[0-9]*", "*")):
                node, group = os.path.basename(path), os.path.join(self.tree, output, "group", os.path.basename(os.path.dirname(path)).rpartition("-")[0])
                devices = network_files.read([path, group])
                got = {ipaddress.ip_interface(a) for d in devices.values() for a in d["addresses"]}
                managed = {ip for network, ips in of_node[node].items() if network in self.oob for ip in ips}
                same(f"addresses of {node}: {output} and hosts", {i.ip for i in got} - managed, {ip for network, ips in of_node[node].items() if network not in self.oob for ip in ips})
                if not all(map(self.is_of_plan, got)):
                    raise Disagree(f"{node}: an address of {output} is in no subnet of the plan")
                if node in self.interfaces:                 # cloud-init's too
                    same(f"devices of {node}: {output} and network-config", set(devices), self.interfaces[node])
                seen.add(node)
                self.interfaces[node] = set(devices)
                self.count(f"addresses: {output} = hosts", len(got))
        if seen:
            wanted = {n for n in self.node_group if any(ips for network, ips in of_node[n].items() if network not in self.oob)}
            same("nodes with a network configuration", seen, wanted | seen & set(self.node_group))
            self.count("addresses: network configuration = hosts", len(seen))
        folders = {os.path.basename(p) for p in glob.glob(os.path.join(self.tree, "cloud-init", "*", "*"))}
        for path in glob.glob(os.path.join(self.tree, "cloud-init", "*", "*", "meta-data")):
            node = os.path.basename(os.path.dirname(path))
            name = yaml.load(text_of(path), Loader)["local-hostname"]
            same(f"cloud-init of {node}: its name", name, next((n for names in hosts.values() if node in names for n in names if n.startswith(node + ".")), node))
            same(f"cloud-init of {node}: its user data", os.path.realpath(os.path.join(os.path.dirname(path), "user-data")),
                 os.path.realpath(os.path.join(self.tree, "cloud-init", self.node_group[node] + ".user-data")))
        if not folders <= set(self.node_group):
            raise Disagree(f"cloud-init: {sorted(folders - set(self.node_group))[:3]} are no nodes")
        self.count("names: cloud-init = plan", len(folders))

    def given_out(self, hosts):
        if self.has("dnsmasq", "dhcp-hosts"):
            for line in lines_of(self.tree, "dnsmasq", "dhcp-hosts"):
                fields = [f for f in line.split(",") if not f.startswith(("set:", "id:"))]
                ip = next(ipaddress.ip_address(f) for f in fields if re.fullmatch(r"[\d.]+", f))
                names = [f for f in fields if not re.fullmatch(r"[\d.]+|([0-9a-f]{2}:)+[0-9a-f]{2}|\d+[hms]|infinite", f)]
                if names and not set(names) & set(hosts.get(ip, [])):
                    raise Disagree(f"dnsmasq gives {ip} to {names}, hosts has {hosts.get(ip)}")
                self.count("addresses: dnsmasq = hosts", 1)
        for path in glob.glob(os.path.join(self.tree, "kea", "*.conf")):
            for subnet in json.loads(text_of(path))["Dhcp4"]["subnet4"]:
                if ipaddress.ip_network(subnet["subnet"]) not in self.subnets.values():
                    raise Disagree(f"kea: {subnet['subnet']} is no subnet of the plan")
                for r in subnet["reservations"]:
                    if r["hostname"] not in hosts.get(ipaddress.ip_address(r["ip-address"]), []):
                        raise Disagree(f"kea gives {r['ip-address']} to {r['hostname']}")
                for pool in subnet["pools"]:
                    ip = ipaddress.ip_address(pool["pool"].split("-")[0])
                    if pool["client-class"].removeprefix("name-") not in hosts.get(ip, []):
                        raise Disagree(f"kea gives {ip} to {pool['client-class']}")
                self.count("addresses: kea = hosts", len(subnet["reservations"]) + len(subnet["pools"]))
        found = {}
        for path in glob.glob(os.path.join(self.tree, "dns", "db.*")):
            for line in lines_of(path):
                cell = re.split(r"\s+", line.split(";")[0].strip())
                if "A" in cell and "PTR" not in cell and "SOA" not in cell:
                    at = cell.index("A")
                    found.setdefault(ipaddress.ip_address(cell[at + 1]), set()).add(cell[0].split(".")[0])
        for ip, names in found.items():
            if ip not in hosts and not any(ip in nodes.values() for nodes in self.addresses.values()):
                continue                                 # a line of the spec's own
            if not names <= set(hosts.get(ip, [])) | {"ns", "@"}:
                raise Disagree(f"dns has {sorted(names)} at {ip}, hosts {hosts.get(ip)}")
            self.count("addresses: dns = hosts", len(names))
        for path in glob.glob(os.path.join(self.tree, "nfs", "*", "exports")):
            for line in lines_of(path):
                for client in re.findall(r"([\d.]+/\d+)\(", line):
                    if ipaddress.ip_network(client) not in self.subnets.values():
                        raise Disagree(f"nfs: {client} is no subnet of the plan")
                    self.count("subnets: nfs = plan", 1)

    def lustre(self):
        """The management servers that targets name are those that clients mount from; each NID is an address of the plan."""
        nids = re.compile(r"--(mgsnode|servicenode)=(\S+)")
        addresses = {str(a) for nodes in self.addresses.values() for a in nodes.values()}
        for path in glob.glob(os.path.join(self.tree, "lustre", "*", "format.sh")):
            managers = set()
            for line in lines_of(path):
                if not line.startswith("target "):
                    continue
                found = nids.findall(line)
                managers.add(":".join(v for k, v in found if k == "mgsnode"))
                for nid in (n for _, v in found for n in v.split(",")):
                    if nid.split("@")[0] not in addresses:
                        raise Disagree(f"lustre: {nid} is no address of the plan")
            managers.discard("")
            mounted = {m["source"].rsplit(":/", 1)[0] for p in glob.glob(os.path.join(self.tree, "ansible", "group_vars", "*.yaml"))
                       for m in yaml.load(text_of(p), Loader).get("cluster_mounts", []) if m["type"] == "lustre"}
            same("lustre: management servers of targets, of mounts", managers, mounted & managers or mounted)
            self.count("NIDs: targets = mounts", len(managers))

    def beegfs(self, hosts):
        """Services and mounts name one management server, which prepare.sh prepares; services go to subnets of the plan only."""
        told = set()
        for path in glob.glob(os.path.join(self.tree, "beegfs", "*", "beegfs-*.conf")):
            told |= set(re.findall(r"^sysMgmtdHost = (\S+)$", text_of(path), re.M))
        if not told:
            return
        mounted = {re.search(r"sysMgmtdHost=([^,]+)", m["options"])[1] for p in glob.glob(os.path.join(self.tree, "ansible", "group_vars", "*.yaml"))
                   for m in yaml.load(text_of(p), Loader).get("cluster_mounts", []) if m["type"] == "beegfs"}
        same("beegfs: management server of services, of mounts", told, mounted)
        prepared = {m for p in glob.glob(os.path.join(self.tree, "beegfs", "*", "prepare.sh")) for m in re.findall(r"^target (\S+) mgmtd ", text_of(p), re.M)}
        for host in told:
            addresses = {ip for ip, names in hosts.items() if host in names or host == str(ip)}
            same("beegfs: machine of the management service, of its name", prepared,
                 {node for node, networks in self.of_node(hosts).items() if any(addresses & found for found in networks.values())})
        for path in glob.glob(os.path.join(self.tree, "beegfs", "*", "cluster-net-filter")):
            for line in lines_of(path):
                if ipaddress.ip_network(line) not in self.subnets.values():
                    raise Disagree(f"beegfs: {line} is no subnet of the plan")
        self.count("management servers: beegfs = mounts = hosts", len(told))

    def notebooks(self, hosts):
        """Sessions fit the nodes of their partition, and the hub listens at the address of its node."""
        if not self.has("jupyterhub", "cluster.json"):
            return
        cluster = json.loads(text_of(self.tree, "jupyterhub", "cluster.json"))
        node = re.fullmatch(r"http://([^:/]+):8081", cluster["hub_connect_url"])
        address = re.fullmatch(r"http://([0-9.]+):8081", cluster["hub_bind_url"])
        if not node or not address or node[1] not in hosts.get(ipaddress.ip_address(address[1]), []):
            raise Disagree(f"jupyterhub: {cluster['hub_connect_url']} is not {cluster['hub_bind_url']} in hosts")
        conf = lines_of(self.tree, "slurm", "slurm.conf")
        of_nodes = {}
        for line in conf:
            if line.startswith("NodeName="):
                of_nodes[re.search("NodeName=([^ ]*)", line)[1]] = (int(re.search(" CPUs=([0-9]+)", line)[1]), int(re.search(" RealMemory=([0-9]+)", line)[1]), re.search(r" Gres=(gpu:[^: ]+:[0-9]+)", line))
        nodes_of = {re.search("PartitionName=([^ ]*)", line)[1]: re.search(" Nodes=([^ ]*)", line)[1] for line in conf if line.startswith("PartitionName=")}
        for name, size in cluster["profiles"].items():
            if size["partition"] not in nodes_of:
                raise Disagree(f"jupyterhub: size {name} is for the partition {size['partition']}, which slurm.conf does not have")
            cpus, memory, gres = of_nodes[nodes_of[size["partition"]]]
            kind, _, count = size["gres"].rpartition(":")
            has, _, most = gres[1].rpartition(":") if gres else ("", "", 0)
            if size["cpus"] > cpus or size["memory_mib"] > memory or size["gres"] and (kind != has or int(count) > int(most)):
                raise Disagree(f"jupyterhub: no node of {size['partition']} has what size {name} asks for")
            self.count("sizes: jupyterhub = Slurm", 1)

    def power(self, hosts):
        """The instances that slurmctld starts have the addresses that hosts has, and are the ones that slurm.conf calls CLOUD."""
        if not self.has("slurm", "power", "nodes"):
            return
        started = set()
        for line in lines_of(self.tree, "slurm", "power", "nodes"):
            node, group, address, *_ = line.split()
            if node not in hosts.get(ipaddress.ip_address(address), []):
                raise Disagree(f"power: {node} has {address} in its table, not in hosts")
            same(f"power: group of {node}", group, self.node_group.get(node))
            started.add(node)
        cloud = {n for line in lines_of(self.tree, "slurm", "slurm.conf") if line.startswith("NodeName=") and line.endswith(" State=CLOUD") for n in expand(re.search("NodeName=([^ ]*)", line)[1])}
        same("power: nodes of the table, of slurm.conf", started, cloud)
        self.count("addresses: power = hosts", len(started))

    def aws_cluster(self):
        """Queues have as many instances as their group has nodes in the plan."""
        if not self.has("parallelcluster", "cluster.yaml"):
            return
        cluster = yaml.load(text_of(self.tree, "parallelcluster", "cluster.yaml"), Loader)
        for queue in cluster["Scheduling"]["SlurmQueues"]:
            same(f"parallelcluster: nodes of {queue['Name']}", sum(r["MaxCount"] for r in queue["ComputeResources"]), len(self.groups[queue["Name"]]))
            self.count("instances: parallelcluster = plan", 1)

    def answering(self, hosts):
        """One program has port 53 of a machine, and whom nodes ask for names is the machine that the zones name, or dnsmasq's."""
        zones = self.has("dns", "named.conf.cluster")
        if zones and self.has("dnsmasq", "dnsmasq.conf") and "port=0" not in lines_of(self.tree, "dnsmasq", "dnsmasq.conf"):
            raise Disagree("BIND and dnsmasq both have port 53")
        if not zones:
            return
        soa = next(line for path in glob.glob(os.path.join(self.tree, "dns", "db.*")) for line in lines_of(path) if " SOA " in line)
        server = soa.split(" SOA ")[1].split(".")[0]
        for path in glob.glob(os.path.join(self.tree, "netplan", "*", "*.yaml")):
            for device in (d for kind in ("ethernets", "bonds", "vlans") for d in (yaml.load(text_of(path), Loader)["network"].get(kind) or {}).values()):
                for ip in map(ipaddress.ip_address, device.get("nameservers", {}).get("addresses", [])):
                    if ip in hosts and server not in hosts[ip]:
                        raise Disagree(f"{os.path.basename(path)} asks {ip} for names, the zones are {server}'s")
                    self.count("name servers: netplan = dns", ip in hosts)

    def listed(self, hosts):
        of_node = self.of_node(hosts)
        for kind, path in (("warewulf", "nodes.yaml"), ("openchami", "nodes.yaml"), ("xcat", "nodes.stanza")):
            if not self.has(kind, path):
                continue
            try:
                nodes = node_lists.READERS[kind](os.path.join(self.tree, kind, path))
            except node_lists.Bad as wrong:
                raise Disagree(f"{kind}: {wrong}") from None
            for name, n in nodes.items():
                if name not in self.node_group:
                    raise Disagree(f"{kind}: '{name}' is no node")
                addresses = {str(ip) for ips in of_node[name].values() for ip in ips}
                managed = {str(ip) for network, ips in of_node[name].items() if network in self.oob for ip in ips}
                if n["ip"] and name not in hosts.get(ipaddress.ip_address(n["ip"]), []):
                    raise Disagree(f"{kind}: {name} has {n['ip']}, hosts {hosts.get(ipaddress.ip_address(n['ip']))}")
                if n["bmc"] and n["bmc"] not in addresses:
                    raise Disagree(f"{kind}: the BMC of {name} has {n['bmc']}, hosts {sorted(managed)}")
                if not n["addresses"] <= addresses:
                    raise Disagree(f"{kind}: {name} has {sorted(n['addresses'] - addresses)}, hosts does not")
            self.count(f"addresses: {kind} = hosts", len(nodes))

    # ---- Ansible -----------------------------------------------------------------------------------------------------------------------
    def ansible(self):
        if not self.has("ansible", "inventory.yaml"):
            return
        groups = yaml.load(text_of(self.tree, "ansible", "inventory.yaml"), Loader)["all"]["children"]
        listed = set()
        for name, group in groups.items():
            if group and group.get("hosts"):
                listed |= {n for pattern in group["hosts"] for n in expand(pattern)}
        same("nodes: Ansible's inventory and the plan", listed, set(self.node_group))
        self.count("names: inventory = plan", len(listed))
        self.variables = {}
        for path in glob.glob(os.path.join(self.tree, "ansible", "group_vars", "group_*.yaml")):
            v = yaml.load(text_of(path), Loader)
            group = self.group[v["cluster_group"]]
            self.variables[group["name"]] = v
            if group["gpus_each"] or "cluster_gpu_count" in v:
                same(f"GPUs of {group['name']}: group_vars and plan", v.get("cluster_gpu_count"), group["gpus_each"])
                same(f"GPU of {group['name']}: group_vars and plan", v.get("cluster_gpu_model"), group["gpu"])
            if "cluster_cores" in v:
                same(f"cores of {group['name']}: group_vars and plan", v["cluster_cores"], group["cores_each"])
            for node in self.groups.get(group["name"], []):
                ports = set(v.get("cluster_ports", []))
                if ports and node in getattr(self, "interfaces", {}) and not ports <= self.interfaces[node]:
                    raise Disagree(f"ports of {node}: {sorted(ports - self.interfaces[node])[:3]} are not in its network configuration")
            for path in glob.glob(os.path.join(self.tree, "cloud-init", "*", self.groups.get(group["name"], ["?"])[0], "user-data")):
                for f in yaml.load(text_of(path), Loader).get("write_files", []):
                    if f["path"].endswith("limits.d/90-cluster.conf"):
                        same(f"limits of {group['name']}: group_vars and cloud-init", v.get("cluster_limits"), f["content"])
                        self.count("limits: group_vars = cloud-init", 1)
            self.count("group_vars = plan", 1)

    def file_systems(self, hosts):
        """What a health check asks for is mounted by somebody; what comes over the network, over one that client and server are in, and over the one for storage where there is one."""
        of_node, by_name = self.of_node(hosts), {name: ip for ip, names in hosts.items() for name in names}
        storage = {f["network"] for f in self.plan["fabrics"] if f["carries"] == ["storage"]}
        for name, v in getattr(self, "variables", {}).items():
            made = {d["mount"] for d in v.get("cluster_drives", [])} | {m["path"] for m in v.get("cluster_mounts", [])}
            path = os.path.join(self.tree, "slurm", "nodes", name + ".sh")
            for line in lines_of(path) if os.path.exists(path) else []:
                words = shlex.split(line)
                if words[0] in ("mounted", "scratch"):
                    if words[1] not in made:
                        raise Disagree(f"the health check of {name} asks for {words[1]}, which nobody mounts")
                    self.count("file systems: health check = group_vars", 1)
            for m in v.get("cluster_mounts", []):
                if m["type"] != "nfs":
                    continue                             # by addresses that the spec writes
                server = m["source"].split(":")[0]
                if server not in by_name:
                    continue                             # a host outside
                over = next((n for n, s in self.subnets.items() if by_name[server] in s), None)
                owner = next(n for n in (server, *(server[:i] for i, c in enumerate(server) if c == "-")) if n in self.node_group or n in by_name)
                for client in self.groups[name]:
                    common = {n for n, ips in of_node[client].items() if ips} & {n for n, ips in of_node.get(owner, {}).items() if ips}
                    if not of_node[client][over]:
                        raise Disagree(f"{client} mounts {m['source']}, and is not in {over}")
                    if common & storage and over not in storage:
                        raise Disagree(f"{client} mounts {m['source']} over {over}, both are in {sorted(common & storage)}")
                    self.count("mounts: a network that both are in", 1)

    # ---- Slurm -------------------------------------------------------------------------------------------------------------------------
    def slurm(self):
        if not self.has("slurm", "slurm.conf"):
            return
        nodes = {}
        for line in lines_of(self.tree, "slurm", "slurm.conf"):
            if line.startswith("NodeName="):
                keys = dict(word.split("=", 1) for word in line.split())
                for n in expand(keys["NodeName"]):
                    nodes[n] = keys
        if not set(nodes) <= set(self.node_group):
            raise Disagree(f"Slurm: {sorted(set(nodes) - set(self.node_group))[:3]} are no nodes of the plan")
        devices, files = collections.Counter(), collections.defaultdict(set)
        least = int(re.search(r"\bnode_reg_mem_percent=(\d+)", text_of(self.tree, "slurm", "slurm.conf"))[1])
        if self.has("slurm", "gres.conf"):
            for line in lines_of(self.tree, "slurm", "gres.conf"):
                keys = dict(word.split("=", 1) for word in line.split())
                if "NodeName" in keys and "File" in keys:
                    for n in expand(keys["NodeName"]):
                        devices[n] += len(expand(keys["File"]))
                        files[n] |= set(expand(keys["File"]))
        for n, keys in nodes.items():
            group = self.group[self.node_group[n]]
            gres = sum(int(g.split(":")[-1]) for g in keys.get("Gres", "").split(",") if g.startswith("gpu"))
            same(f"GPUs of {n}: Slurm and plan", gres, group["gpus_each"])
            if devices:
                same(f"GPUs of {n}: gres.conf and plan", devices[n], group["gpus_each"])
            same(f"cores of {n}: Slurm and plan", int(keys["Sockets"]) * int(keys["CoresPerSocket"]), group["cores_each"])
            v = getattr(self, "variables", {}).get(group["name"], {})
            if "cluster_health_memory_mib" in v:
                # what slurmctld takes at least (node_reg_mem_percent) is what the check takes of machines whose hypervisor keeps some
                if v["cluster_health_memory_mib"] != int(keys["RealMemory"]) * least // 100:
                    same(f"memory of {n}: Slurm and the health check", int(keys["RealMemory"]), v["cluster_health_memory_mib"])
            path = os.path.join(self.tree, "slurm", "nodes", self.node_group[n] + ".sh")
            if devices and os.path.exists(path):
                same(f"devices of {n}: gres.conf and health check", files[n], {line.split()[1] for line in lines_of(path) if line.startswith("gpu_device ")})
        scheduled = {self.node_group[n] for n in nodes}
        same("nodes of the scheduled groups", set(nodes), {n for g in scheduled for n in self.groups[g]})
        self.count("nodes, GPUs, cores: Slurm = plan", len(nodes))
        if nodes and (self.has("slurm", "topology.conf") or self.has("slurm", "topology.yaml")):
            placed = set()
            for keys in self.slurm_switches():
                if "SwitchName" not in keys or "Nodes" not in keys:
                    continue
                members = set(expand(keys["Nodes"]))
                placed |= members
                wired = set()
                for leaf, at in self.leaf.items():       # "leaf/compute/u1/r3", "leaf/lan/02" and "switch/lan/01" are called "compute-su1", "leaf-lan-02" …
                    tier, network, *rest = leaf.split("/")
                    unit = next((r[1:] for r in rest if re.fullmatch(r"u\d+", r)), None)
                    if keys["SwitchName"] in ("-".join([tier, network, *rest]), "-".join([network, *rest]), f"{network}-su{unit}"):
                        wired |= at
                if wired:
                    same(f"nodes of {keys['SwitchName']}: Slurm's tree and the cables", members, wired & set(nodes))
                    self.count("leaves: Slurm = cables", 1)
            if placed:
                same("nodes of Slurm's tree", placed, set(nodes))

    def slurm_switches(self):
        """The switches of Slurm's tree, as lines of topology.conf have them."""
        if self.has("slurm", "topology.conf"):
            return [dict(word.split("=", 1) for word in line.split()) for line in lines_of(self.tree, "slurm", "topology.conf")]
        topologies = yaml.load(text_of(os.path.join(self.tree, "slurm", "topology.yaml")), Loader)
        names = {"switch": "SwitchName", "nodes": "Nodes", "children": "Switches"}
        return [{names[k]: v for k, v in s.items()} for t in topologies for s in t.get("tree", {}).get("switches", [])]

    # ---- monitoring and fabric -----------------------------------------------------------------------------------------------------------
    def prometheus(self):
        for path in glob.glob(os.path.join(self.tree, "prometheus", "targets", "*.yml")):
            kind, seen = os.path.basename(path)[:-4], set()
            for entry in yaml.load(text_of(path), Loader) or []:
                for target in entry["targets"]:
                    name = target.rsplit(":", 1)[0]
                    if name in self.node_group:
                        seen.add(name)
                        if "group" in entry.get("labels", {}):
                            same(f"group of {name}: Prometheus and plan", entry["labels"]["group"], self.node_group[name])
                        if "rack" in entry.get("labels", {}):
                            racks = {d["name"]: r["name"] for r in self.plan["racks"] for d in r["devices"]} if not hasattr(self, "racks") else self.racks
                            self.racks = racks
                            same(f"rack of {name}: Prometheus and plan", entry["labels"]["rack"], racks.get(name))
            if kind == "node":
                same("nodes with an exporter", seen, set(self.node_group))
            if kind == "dcgm":
                same("nodes with DCGM's exporter", seen, {n for n, g in self.node_group.items() if self.group[g]["gpus_each"] and self.group[g]["gpu"].startswith("nvidia")})
            self.count("targets: Prometheus = plan", len(seen))
        if not self.has("prometheus", "rules", "alerts.yml"):
            return
        rules = [r for g in yaml.load(text_of(self.tree, "prometheus", "rules", "alerts.yml"), Loader)["groups"] for r in g["rules"]]
        for r in rules:
            expr = str(r["expr"])
            if found := re.match(r'count by .*group="([^"]+)".*\) < (\d+)$', expr):
                same(f"GPUs of {found[1]}: alert and plan", int(found[2]), self.group[found[1]]["gpus_each"])
                self.count("limits: alerts = plan", 1)
            if found := re.match(r'cluster:feed_apparent:va\{feed="([^"]+)"\} > ([\d.e+]+)$', expr):
                feed = next(f for f in self.plan["feeds"] if f["name"] == found[1])
                if "capacity_va" in feed and not 0.5 * feed["capacity_va"] < float(found[2]) <= feed["capacity_va"] + 1:
                    raise Disagree(f"alert of feed {found[1]}: {found[2]} VA, the plan's feed carries {feed['capacity_va']}")
                self.count("limits: alerts = plan", 1)
            if found := re.match(r'node_memory_MemTotal_bytes\{.*group="([^"]+)"\} < (\d+)$', expr):
                v = getattr(self, "variables", {}).get(found[1], {})
                if "cluster_memory_mib" in v and not 0.9 * v["cluster_memory_mib"] * 2**20 < int(found[2]) <= v["cluster_memory_mib"] * 2**20:
                    raise Disagree(f"alert on memory of {found[1]}: {found[2]} bytes, fitted are {v['cluster_memory_mib']} MiB")
                self.count("limits: alerts = group_vars", 1)
            if found := re.search(r'group="([^"]+)",device=~"([^"]+)"', expr):
                for node in self.groups[found[1]][:1]:
                    if node in getattr(self, "interfaces", {}) and not set(found[2].split("|")) <= self.interfaces[node]:
                        raise Disagree(f"alert on ports of {found[1]}: {found[2]}, the node has {sorted(self.interfaces[node])}")

    def fabric_env(self):
        for path in glob.glob(os.path.join(self.tree, "fabric-env", "*", "apply.sh")):
            group = os.path.basename(os.path.dirname(path))
            nodes = self.groups[group]
            interfaces = []
            for line in text_of(path).splitlines():
                words = shlex.split(line, comments=True) if line.startswith(("roce ", "expect ")) else []
                if words[:1] == ["roce"]:
                    interfaces += words[1:]
                    for n in nodes:
                        if n in getattr(self, "interfaces", {}) and not set(words[1:]) <= self.interfaces[n]:
                            raise Disagree(f"fabric-env: {words[1:]} are not all interfaces of {n}")
                if words[:1] == ["expect"]:
                    count, network = int(words[1]), words[2]
                    if self.cables[network]:
                        for n in nodes:
                            if not (count <= self.cables[network][n] and self.cables[network][n] % count == 0):
                                raise Disagree(f"fabric-env expects {count} ports of {n} in {network}, {self.cables[network][n]} are cabled")
                    self.count("ports: fabric-env = cables", len(nodes))

    def roce(self):
        """What a port is told of its class is what libraries are told of it (fabric-env), four times a code point of the spec; its interfaces are the node's; the role is played where there is a script."""
        spec = yaml.load(text_of(self.book, "spec.yaml"), Loader)
        classes = {(int(r.get("priority", 3)), int(r.get("dscp", 26))) for r in ((n or {}).get("roce") for n in (spec.get("networks") or {}).values()) if r is not None}
        played = {h for play in yaml.load(text_of(self.tree, "ansible", "site.yml"), Loader) if any(r["role"] == "roce" for r in play.get("roles", [])) for h in play["hosts"].split(":")} if self.has("ansible", "site.yml") else set()
        scripts = glob.glob(os.path.join(self.tree, "roce", "*", "cluster-roce"))
        if scripts and "all" not in played:
            same("groups that play the role roce", played, {"group_" + re.sub(r"\W", "_", os.path.basename(os.path.dirname(p))) for p in scripts})
        for path in scripts:
            group = os.path.basename(os.path.dirname(path))
            ports = {w[1]: w[2:] for w in (shlex.split(line) for line in text_of(path).splitlines() if line.startswith("port "))}
            for n in self.groups[group]:
                if n in getattr(self, "interfaces", {}) and not set(ports) <= self.interfaces[n]:
                    raise Disagree(f"roce: {sorted(ports)} are not all interfaces of {n}")
            for name, (priority, tos, _, _, *dscps) in ports.items():
                if int(tos) != 4 * int(dscps[0]) or not {(int(priority), int(d)) for d in dscps} <= classes:
                    raise Disagree(f"roce: {name} of {group} has priority {priority}, traffic class {tos} and DSCP {dscps}, the spec {sorted(classes)}")
                self.count("classes: roce = spec", 1)
            if not self.has("fabric-env", group, "apply.sh"):
                continue
            asked = [w[1:] for w in (shlex.split(line) for line in text_of(self.tree, "fabric-env", group, "apply.sh").splitlines() if line.startswith("roce ")) if w[1] in ports]
            for file, key in (("nccl.conf", "NCCL_IB_TC"), ("rccl.conf", "NCCL_IB_TC"), ("ucx.conf", "UCX_IB_TRAFFIC_CLASS")):
                found = re.search(rf"^{key}=(\d+)$", text_of(self.tree, "fabric-env", group, file), re.M) if self.has("fabric-env", group, file) else None
                if found and asked:
                    same(f"traffic class of {asked[0]} on the ports and in {file} of {group}", {ports[i][1] for i in asked[0]}, {found[1]})
                    self.count("traffic class: roce = fabric-env", 1)

    def sonic(self, hosts):
        """A switch and what is plugged into it agree: the other end's address and prefix, MTU, lossless class, and who stands there; each link between switches is
        told alike at both ends."""
        configs = {os.path.basename(os.path.dirname(p)): json.loads(text_of(p)) for p in glob.glob(os.path.join(self.tree, "sonic", "*", "*", "config_db.json"))}
        if not configs:
            return
        spec = yaml.load(text_of(self.book, "spec.yaml"), Loader)
        points = {str(r.get("dscp", 26)) for r in ((n or {}).get("roce") for n in (spec.get("networks") or {}).values()) if r is not None}
        mtus, ends = self.mtus(), {}
        classes = {}                                     # node: {port: (priority, DSCPs, pause frames, marking)}
        for path in glob.glob(os.path.join(self.tree, "roce", "*", "cluster-roce")):
            ports = {w[1]: (w[2], frozenset(w[6:]), w[4] == "on", w[5] == "1") for w in (shlex.split(line) for line in text_of(path).splitlines() if line.startswith("port "))}
            for n in self.groups[os.path.basename(os.path.dirname(path))]:
                classes[n] = ports
        of_node = self.of_node(hosts)
        for switch, c in configs.items():
            aliases = {p: v["alias"] for p, v in c["PORT"].items()}
            used = {p for p, v in c["PORT"].items() if v["admin_status"] == "up"}
            same(f"sonic: ports of {switch} with a neighbour and those that are up", set(c["DEVICE_NEIGHBOR"]), used)
            told = {r["port"]: (r["neighbour"], r["neighbour_port"]) for r in csv.DictReader(open(glob.glob(os.path.join(self.tree, "sonic", "*", switch, "neighbours.csv"))[0], encoding="utf-8"))}
            same(f"sonic: neighbours of {switch} in both files", told, {p: (v["name"], v.get("port", "")) for p, v in c["DEVICE_NEIGHBOR"].items()})
            for port, far in c["DEVICE_NEIGHBOR"].items():
                ends[switch, aliases[port]] = (far["name"], far.get("port"))
                addresses = [ipaddress.ip_interface(k.split("|")[1]) for k in c.get("INTERFACE", {}) if k.startswith(port + "|")]
                if far["name"] in self.node_group:
                    node, interface = far["name"], far.get("port")
                    for a in addresses:
                        there = [i for i in a.network if i != a.ip]
                        if a.network.prefixlen != 31 or not any(there[0] in ips for ips in of_node[node].values()):
                            raise Disagree(f"sonic: {port} of {switch} has {a}, {node} has not the other end of it")
                        self.count("addresses: sonic = hosts", 1)
                    if interface in mtus.get(node, {}):
                        same(f"sonic: MTU of {port} of {switch} and of {interface} of {node}", int(c["PORT"][port]["mtu"]), mtus[node][interface])
                        self.count("MTU: sonic = network configuration", 1)
                    if interface in classes.get(node, {}):
                        same(f"sonic: the lossless class of {port} of {switch} and that of {interface} of {node}", self.switch_class(c, port, classes[node][interface], points), classes[node][interface])
                        self.count("classes: sonic = roce", 1)
                elif far["name"] in configs and addresses:
                    raise Disagree(f"sonic: {port} of {switch} has an address, its neighbour is a switch")
        for (switch, front), (other, there) in ends.items():
            if other in configs:
                same(f"sonic: the far end of {front} of {switch}", ends.get((other, there)), (switch, front))
                self.count("links: sonic = sonic", 1)
        for path in glob.glob(os.path.join(self.tree, "sonic", "*", "*", "frr.conf")):
            c = configs.get(os.path.basename(os.path.dirname(path)))
            if c:
                sessions = set(re.findall(r"^ neighbor (\S+) interface ", text_of(path), re.M))
                same(f"sonic: ports with a session and those without an address of {path[-60:]}", sessions, {p for p, v in c["INTERFACE"].items() if v.get("ipv6_use_link_local_only") == "enable"})
                same("sonic: number and address of the router", (c["DEVICE_METADATA"]["localhost"]["bgp_asn"], c["DEVICE_METADATA"]["localhost"]["bgp_router_id"]),
                     (re.search(r"^router bgp (\d+)", text_of(path), re.M)[1], re.search(r"bgp router-id (\S+)", text_of(path))[1]))
                self.count("sessions: frr.conf = sonic", len(sessions))

    def mtus(self):
        """{node: {port: MTU}} as netplan and cloud-init's network-config have it; of a port of a bond that of the bond."""
        out = {}
        for path in glob.glob(os.path.join(self.tree, "netplan", "*", "*.yaml")) + glob.glob(os.path.join(self.tree, "cloud-init", "*", "*", "network-config")):
            node = os.path.basename(path)[:-5] if path.endswith(".yaml") else os.path.basename(os.path.dirname(path))
            config = yaml.load(text_of(path), Loader)["network"]
            of = out.setdefault(node, {})
            for name, device in (config.get("ethernets") or {}).items():
                if "mtu" in device:
                    of[name] = int(device["mtu"])
        return out

    @staticmethod
    def switch_class(c, port, expected, points):
        """The class of a port as the node would say it: priority, code points (of those of the spec only the node's: others' networks may share the switch), pause
        frames, marking."""
        maps = c.get("PORT_QOS_MAP", {}).get(port, {})
        priority = next((t for d, t in c.get("DSCP_TO_TC_MAP", {}).get(maps.get("dscp_to_tc_map"), {}).items() if d in expected[1]), None)
        queue = c.get("TC_TO_QUEUE_MAP", {}).get(maps.get("tc_to_queue_map"), {}).get(priority)
        dscps = frozenset(d for d, t in c.get("DSCP_TO_TC_MAP", {}).get(maps.get("dscp_to_tc_map"), {}).items() if t == priority and (d in expected[1] or d not in points))
        pause = priority in maps.get("pfc_enable", "").split(",") and c["MAP_PFC_PRIORITY_TO_QUEUE"][maps["pfc_to_queue_map"]].get(priority) == queue
        profile = c.get("WRED_PROFILE", {}).get(c.get("QUEUE", {}).get(f"{port}|{queue}", {}).get("wred_profile"), {})
        return priority, dscps, pause, profile.get("ecn") == "ecn_all"

    def opensm(self):
        for path in glob.glob(os.path.join(self.tree, "opensm", "*", "opensm.conf")):
            prefix = re.search(r"^subnet_prefix (0x[0-9a-f]+)", text_of(path), re.M)
            if not prefix:
                continue
            network = os.path.basename(os.path.dirname(path)).split(".")[0]
            shown = format(int(prefix[1], 16), "016x")
            wanted = ":".join(shown[i:i + 4] for i in range(0, 16, 4))
            for script in glob.glob(os.path.join(self.tree, "fabric-env", "*", "apply.sh")):
                text = text_of(script)
                if re.search(rf"^expect \d+ {re.escape(network)}$", text, re.M) and "infiniband " in text:
                    if wanted not in text:
                        raise Disagree(f"fabric-env of {network} has not the prefix of opensm.conf, {wanted}")
                    self.count("prefix: fabric-env = OpenSM", 1)

    # ---- installation, containers, dashboards ------------------------------------------------------------------------------------------------
    def installed(self, hosts):
        """Whoever is sent anywhere while it is installed is sent to one machine, which provisions; its web server lets in the nodes that are installed."""
        files = [p for kind in ("ipxe", "preseed", "autoinstall", "kickstart", "kea", "dnsmasq") for p in glob.glob(os.path.join(self.tree, kind, "**", "*"), recursive=True) if os.path.isfile(p)]
        sent = {found for path in files for found in re.findall(r"http://([\d.]+)/cluster\b", text_of(path))}
        if not sent:
            return
        same("servers that installations are sent to", len(sent), 1)
        server = next(iter(sent))
        node = next((n for n in hosts.get(ipaddress.ip_address(server), []) if n in self.node_group), None)
        if node is None or "provisioning" not in self.group[self.node_group[node]]["roles"]:
            raise Disagree(f"installations are sent to {server}, which hosts gives to {hosts.get(ipaddress.ip_address(server))}")
        groups = {os.path.basename(p)[:-5] for p in glob.glob(os.path.join(self.tree, "ipxe", "*.ipxe"))}
        of_node = self.of_node(hosts)
        for group in groups:
            if group not in self.groups:
                raise Disagree(f"ipxe: '{group}' is no group of the plan")
            answers = [p for p in ((self.tree, "preseed", group + ".cfg"), (self.tree, "autoinstall", group, "user-data"), (self.tree, "kickstart", group + ".ks")) if os.path.exists(os.path.join(*p))]
            same(f"installers of {group}", len(answers), 1)
            answer = text_of(*answers[0])
            folders = len(glob.glob(os.path.join(self.tree, "cloud-init", glob.escape(group) + "-*")))
            scripts = [p for p in files if re.search(r"^folders=", text_of(p), re.M) and re.search(rf"^group='?{re.escape(group)}'?$", text_of(p), re.M)]
            for path in scripts:
                same(f"folders of cloud-init that {os.path.relpath(path, self.tree)} looks into", int(re.search(r"^folders=(\d+)", text_of(path), re.M)[1]), folders)
            zone = re.search(r"^timezone (\S+)|^d-i time/zone string (\S+)|^  timezone: (\S+)", answer, re.M)
            for path in glob.glob(os.path.join(self.tree, "cloud-init", "*", self.groups[group][0], "user-data"))[:1]:
                later = yaml.load(text_of(path), Loader).get("timezone")
                if zone and later:
                    same(f"time zone of {group}: its installer and cloud-init", next(z for z in zone.groups() if z).strip('"'), later)
                    self.count("time zones: installers = cloud-init", 1)
            self.count("installers = groups of the plan", 1)
        if self.has("nginx", "cluster.conf"):
            text = text_of(self.tree, "nginx", "cluster.conf")
            same("the web server of installations", re.search(r"server_name ([\d.]+);", text)[1], server)
            allowed = [ipaddress.ip_network(a) for a in re.findall(r"allow ([\d./]+);", text)]
            for group in groups:
                for n in self.groups[group]:
                    mine = {ip for network, ips in of_node[n].items() if network not in self.oob for ip in ips}
                    if not any(ip in net for ip in mine for net in allowed):
                        raise Disagree(f"the web server lets in {allowed[:3]}: {n} has {sorted(map(str, mine))}")
            if not set(allowed) <= set(self.subnets.values()):
                raise Disagree(f"the web server lets in {allowed[:3]}, which is no subnet of the plan")
            self.count("clients: nginx = nodes that are installed", sum(len(self.groups[g]) for g in groups))

    def limits(self):
        """{group: {"nofile": …, "memlock": …}} as cloud-init writes them for processes of users."""
        out = {}
        for group, nodes in self.groups.items():
            for path in glob.glob(os.path.join(self.tree, "cloud-init", "*", nodes[0], "user-data"))[:1]:
                for f in yaml.load(text_of(path), Loader).get("write_files", []):
                    if f["path"].endswith("limits.d/90-cluster.conf"):
                        out[group] = {words[2]: words[3] for words in (line.split() for line in f["content"].splitlines()) if words[:2] == ["*", "-"]}
        return out

    def containers(self):
        limits = self.limits()
        for path in glob.glob(os.path.join(self.tree, "containers", "*", "*")):
            group, name = os.path.basename(os.path.dirname(path)), os.path.basename(path)
            found = {}
            if name == "daemon.json":
                for kind, limit in json.loads(text_of(path)).get("default-ulimits", {}).items():
                    same(f"{kind} of {group} in daemon.json: soft and hard", limit["Soft"], limit["Hard"])
                    found[kind] = limit["Hard"]
            elif name in ("containers.conf", "crio.conf"):
                toml = tomllib.loads(text_of(path))
                for limit in toml.get("containers", {}).get("default_ulimits", []) + toml.get("crio", {}).get("runtime", {}).get("default_ulimits", []):
                    kind, _, range_of = limit.partition("=")
                    found[kind] = int(range_of.split(":")[-1])
            elif name == "containerd-limits.conf":
                for kind, limit in re.findall(r"^Limit([A-Z]+)=(\S+)$", text_of(path), re.M):
                    found[kind.lower()] = -1 if limit == "infinity" else int(limit)
            for kind, value in found.items():
                wanted = limits.get(group, {}).get(kind)
                same(f"{kind} of {group}: {name} and cloud-init", "unlimited" if value == -1 else str(value), wanted)
                self.count("limits: containers = cloud-init", 1)

    def grafana(self):
        if not self.has("grafana", "dashboards", "limits.json"):
            return
        rules = {}
        for r in (r for g in yaml.load(text_of(self.tree, "prometheus", "rules", "alerts.yml"), Loader)["groups"] for r in g["rules"]):
            rules.setdefault(r["alert"], []).append(str(r["expr"]))
        for panel in json.loads(text_of(self.tree, "grafana", "dashboards", "limits.json"))["panels"]:
            found = re.fullmatch(r"(\w+) \(([^/()]+)[^()]*\)", panel["title"])
            steps = panel.get("fieldConfig", {}).get("defaults", {}).get("thresholds", {}).get("steps", [])
            values = [s["value"] for s in steps if s["value"] is not None]
            if not found or not values:
                continue
            if found[2] in self.group:
                mine = [e for e in rules.get(found[1], []) if f'group="{found[2]}"' in e]
                numbers = {float(n) for e in mine for n in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])", e)}
                if not set(map(float, values)) <= numbers:
                    raise Disagree(f"dashboard '{panel['title']}' draws {values}, its alert has {sorted(numbers)[:6]}")
                self.count("limits: dashboards = alerts", 1)

    def logs(self):
        """Where the logs go is the watching node, on whose loopback address Prometheus has its Alertmanager; each group has a file."""
        files = glob.glob(os.path.join(self.tree, "syslog-ng", "*.conf"))
        if not files:
            return
        same("groups of syslog-ng and of Ansible", {os.path.basename(f)[:-5] for f in files}, set(self.group))
        for path in files:
            text = text_of(path)
            for host in re.findall(r'url\("http://([^:"]+):', text):
                if self.has("prometheus", "alertmanager.yml"):
                    watcher = yaml.load(text_of(self.tree, "prometheus", "prometheus.yml"), Loader)["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"]
                    same("where Prometheus asks for its Alertmanager", watcher, ["localhost:9093"])
                    same("who keeps logs and who watches", host, next(self.groups[g["name"]][0] for g in self.plan["node_groups"] if "monitoring" in g["roles"]))
                    self.count("the watching node: syslog-ng = prometheus", 1)
            slurmd = self.has("slurm", "slurm.conf") and "slurmd" in text
            if slurmd and "SlurmdLogFile=/var/log/slurm/slurmd.log" not in text_of(self.tree, "slurm", "slurm.conf"):
                raise Disagree(f"{path} reads slurmd's log where slurm.conf does not have it")

    def all(self):
        hosts = self.hosts() if self.has("hosts", "hosts") else {}
        self.networks_of_nodes(hosts)
        self.given_out(hosts)
        self.lustre()
        self.beegfs(hosts)

        self.notebooks(hosts)
        self.power(hosts)
        self.aws_cluster()
        self.answering(hosts)
        self.listed(hosts)
        self.ansible()
        self.file_systems(hosts)
        self.slurm()
        self.prometheus()
        self.fabric_env()
        self.roce()
        self.sonic(hosts)
        self.opensm()
        self.installed(hosts)
        self.containers()
        self.grafana()
        self.logs()


def main():
    program, source, work, *chosen = sys.argv[1:]
    program, source = os.path.abspath(program), os.path.abspath(source)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    specs = chosen or [p for p in sorted(glob.glob(os.path.join(source, "examples", "*.yaml"))) if os.path.basename(p) not in ("broken.yaml", "roce-16384.yaml")]
    if not chosen:
        specs += [os.path.join(source, "tests", "golden", "compile", c, "spec.yaml") for c in ("dns", "kea", "nfs", "nfs-storage-network", "dnsmasq-beside-dns", "opensm", "prometheus", "fabric-env", "slurm", "netplan", "networkd", "networkmanager", "chrony", "warewulf", "openchami", "xcat", "nginx", "containers", "grafana", "syslog-ng", "roce", "sonic", "lustre", "beegfs", "beegfs-seven")]

        specs += [os.path.join(source, "tests", "golden", "compile", c, "spec.yaml") for c in ("dns", "kea", "nfs", "nfs-storage-network", "dnsmasq-beside-dns", "opensm", "prometheus", "fabric-env", "slurm", "netplan", "networkd", "networkmanager", "chrony", "warewulf", "openchami", "xcat", "nginx", "containers", "grafana", "syslog-ng", "roce", "sonic", "lustre", "jupyterhub", "jupyterhub-oidc", "slurm-power", "parallelcluster", "fabric-env-efa", "fabric-env-iwarp")]
        specs += [os.path.join(source, "tests", "consumers", "specs", s) for s in ("plays.yaml", "plays-gpu.yaml", "slurm-teams.yaml", "drives.yaml")]
    failed, sums = 0, collections.Counter()
    trees = {}
    for spec in specs:
        name = os.path.basename(spec)[:-5] if os.path.basename(spec) != "spec.yaml" else os.path.basename(os.path.dirname(spec))
        tree, book = os.path.join(work, name + ".tree"), os.path.join(work, name + ".book")
        for arguments in (["compile", spec, "-o", tree], ["plan", spec, "-o", book, "--exports", "book"]):
            said = subprocess.run([program, *arguments, "--today", "2026-11-21"], capture_output=True, text=True, cwd=os.path.dirname(spec))
            if said.returncode > 1 or not os.path.isdir(arguments[3]):
                print(f"FAILED: {name}: clusterc {arguments[0]} ended with {said.returncode}:\n{said.stderr[-600:]}")
                failed += 1
                break
        else:
            shutil.copy(spec, os.path.join(book, "spec.yaml"))
            t = Tree(tree, book)
            try:
                t.all()
                print(f"ok: {name}: {sum(t.checked.values())} agreements")
                trees[name] = (tree, book)
            except Disagree as wrong:
                print(f"FAILED: {name}: {wrong}")
                failed += 1
            sums.update(t.checked)
    for what, n in sorted(sums.items()):
        print(f"  {n:6} {what}")   # how many were compared
    if not chosen:
        failed += twins(trees, work)
        missing = {"addresses: plan = hosts", "addresses: network configuration = hosts", "addresses: networkd = hosts", "addresses: networkmanager = hosts", "addresses: warewulf = hosts", "addresses: openchami = hosts", "addresses: xcat = hosts", "names: cloud-init = plan", "addresses: dnsmasq = hosts", "addresses: kea = hosts", "addresses: dns = hosts",
                   "subnets: nfs = plan", "names: inventory = plan", "group_vars = plan", "limits: group_vars = cloud-init", "nodes, GPUs, cores: Slurm = plan", "leaves: Slurm = cables",
                   "targets: Prometheus = plan", "limits: alerts = plan", "limits: alerts = group_vars", "ports: fabric-env = cables", "prefix: fabric-env = OpenSM", "classes: roce = spec", "addresses: sonic = hosts", "MTU: sonic = network configuration", "classes: sonic = roce", "links: sonic = sonic", "sessions: frr.conf = sonic", "traffic class: roce = fabric-env", "installers = groups of the plan",
                   "time zones: installers = cloud-init", "clients: nginx = nodes that are installed", "limits: containers = cloud-init", "limits: dashboards = alerts", "file systems: health check = group_vars", "mounts: a network that both are in", "name servers: netplan = dns", "sizes: jupyterhub = Slurm", "addresses: power = hosts", "instances: parallelcluster = plan"} - set(sums)
        if missing:
            print(f"FAILED: nothing was compared for: {sorted(missing)}")
            failed += 1
    return 1 if failed else 0


def twins(trees, work):
    """One thing changed in one file of a tree: found."""
    failed = 0
    for number, (what, base, path, was, becomes) in enumerate((
            ("an address in hosts", "superpod", "hosts/hosts", "10.10.16.5 gpu005", "10.10.16.205 gpu005"),
            ("an address in netplan", "superpod", "netplan/gpu-0/gpu003.yaml", "10.10.16.3/16", "10.10.16.33/16"),
            ("an address in networkd", "networkd", "networkd/cpu-0/n2/10-rail1.network", "Address=10.3.0.20/24", "Address=10.3.0.22/24"),
            ("an address in networkmanager", "networkmanager", "networkmanager/cpu-0/n2/bond0.77.nmconnection", "10.2.0.18/24", "10.2.0.17/24"),
            ("an address in warewulf", "warewulf", "warewulf/nodes.yaml", '"10.3.0.18"', '"10.3.0.81"'),
            ("a BMC in openchami", "openchami", "openchami/nodes.yaml", "10.2.0.18", "10.2.0.81"),
            ("a node in xcat", "xcat", "xcat/nodes.stanza", "n3:", "n4:"),
            ("a name in cloud-init", "superpod", "cloud-init/gpu-0/gpu002/meta-data", 'hostname: "gpu002', 'hostname: "gpu020'),
            ("an address that dnsmasq gives", "superpod", "dnsmasq/dhcp-hosts", "gpu001,10.10.16.1", "gpu001,10.10.16.2"),
            ("a node that the inventory lacks", "superpod", "ansible/inventory.yaml", "gpu[001:127]", "gpu[001:126]"),
            ("GPUs in group_vars", "superpod", "ansible/group_vars/group_gpu.yaml", "cluster_gpu_count: 8", "cluster_gpu_count: 4"),
            ("a limit in group_vars", "superpod", "ansible/group_vars/group_gpu.yaml", "memlock unlimited", "memlock 65536"),
            ("GPUs in slurm.conf", "superpod", "slurm/slurm.conf", "Gres=gpu:h100:8", "Gres=gpu:h100:4"),
            ("devices in gres.conf", "superpod", "slurm/gres.conf", "nvidia[0-3]", "nvidia[0-2]"),
            ("a device of the health check", "superpod", "slurm/nodes/gpu.sh", "/dev/nvidia7", "/dev/nvidia8"),
            ("memory in slurm.conf", "superpod", "slurm/slurm.conf", "RealMemory=2031616", "RealMemory=2031617"),
            ("a node under another leaf", "superpod", "slurm/topology.conf", "gpu[001-032]", "gpu[001-031,064]"),
            ("a target that is missing", "superpod", "prometheus/targets/node.yml", '"gpu001:9100", ', ""),
            ("a rack in the targets", "superpod", "prometheus/targets/dcgm.yml", "rack: r02", "rack: r03"),
            ("ports in fabric-env", "superpod", "fabric-env/gpu/apply.sh", "expect 8 compute", "expect 7 compute"),
            ("the prefix in fabric-env", "superpod", "fabric-env/gpu/apply.sh", "infiniband fe80", "infiniband fec0"),
            ("a port's traffic class", "roce", "roce/gpu/cluster-roce", "port ai1 4 136", "port ai1 4 104"),
            ("a traffic class in fabric-env", "roce", "fabric-env/gpu/nccl.conf", "NCCL_IB_TC=136", "NCCL_IB_TC=152"),
            ("an address of a switch", "sonic", "sonic/ai-0/leaf-ai-u1-r1/config_db.json", "Ethernet4|10.1.0.", "Ethernet4|10.1.1."),
            ("the MTU of a switch", "sonic", "sonic/ai-0/leaf-ai-u1-r1/config_db.json", '"speed": "400000", "mtu": "9000"', '"speed": "400000", "mtu": "1500"'),
            ("a code point on a switch", "sonic", "sonic/ai-0/leaf-ai-u1-r1/config_db.json", '"34": "4"', '"34": "3"'),
            ("one more code point on a switch", "sonic", "sonic/ai-0/leaf-ai-u1-r1/config_db.json", '"35": "0"', '"35": "4"'),
            ("pause frames of a switch", "sonic", "sonic/ai-0/leaf-ai-u1-r1/config_db.json", '"pfc_enable": "4"', '"pfc_enable": "3"'),
            ("marking on a switch", "sonic", "sonic/ai-0/leaf-ai-u1-r1/config_db.json", '"ecn": "ecn_all"', '"ecn": "ecn_none"'),
            ("the far end of a link", "sonic", "sonic/ai-0/spine-ai-01/config_db.json", '"name": "leaf-ai-u1-r1"', '"name": "leaf-ai-u1-r2"'),
            ("a session on another port", "sonic", "sonic/ai-0/spine-ai-01/frr.conf", "neighbor Ethernet8 interface", "neighbor Ethernet16 interface"),
            ("a lossless class", "roce", "roce/cpu/cluster-roce", "port data1 3 104", "port data1 4 104"),
            ("ports of another machine", "roce", "roce/gpu/cluster-roce", "port ai1 ", "port ai7 "),
            ("a group without the role", "roce", "ansible/site.yml", "role: roce", "role: rdma"),
            ("another server of an installation", "nginx", "preseed/cpu.cfg", "http://10.1.0.65/", "http://10.1.0.66/"),
            ("the web server's name", "nginx", "nginx/cluster.conf", "server_name 10.1.0.65", "server_name 10.1.0.66"),
            ("who may be installed", "nginx", "nginx/cluster.conf", "allow 10.1.0.0/24", "allow 10.2.0.0/24"),
            ("folders of cloud-init", "nginx", "preseed/cpu-finish.sh", "folders=1", "folders=2"),
            ("a time zone", "nginx", "kickstart/old.ks", "timezone Europe/Berlin", "timezone Europe/Rome"),
            ("a limit of containers", "containers", "containers/cpu/daemon.json", '"Hard": 65536', '"Hard": 65537'),
            ("a limit of containerd's service", "containers", "containers/gpu/containerd-limits.conf", "LimitNOFILE=1048576", "LimitNOFILE=65536"),
            ("another limit of containers", "containers", "containers/cpu/containers.conf", "65536:65536", "65536:1024"),
            ("two for one port", "dnsmasq-beside-dns", "dnsmasq/dnsmasq.conf", "port=0\n", ""),
            ("a name server that has no names", "dnsmasq-beside-dns", "netplan/cpu-0/n1.yaml", '- "10.1.0.33"', '- "10.1.0.18"'),
            ("a mount that nobody makes", "drives", "slurm/nodes/cpu.sh", "scratch_folder /local/cache", "scratch /local/cache"),
            ("a mount past the storage network", "nfs-storage-network", "ansible/group_vars/group_cpu.yaml", "nas1-stor:/home", "nas1:/home"),
            ("a mount over a network of others", "nfs-storage-network", "ansible/group_vars/group_login.yaml", "nas1:/home", "nas1-stor:/home"),
            ("another host for logs", "syslog-ng", "syslog-ng/gpu.conf", "http://ctl:3100", "http://g1:3100"),
            ("another log of slurmd", "syslog-ng", "slurm/slurm.conf", "SlurmdLogFile=/var/log/slurm/slurmd.log", "SlurmdLogFile=/var/log/slurmd.log"),
            ("another management server of Lustre", "lustre", "lustre/scratch/format.sh", "--mgsnode=10.1.0.34@o2ib", "--mgsnode=10.1.0.35@o2ib"),
            ("a fail-over NID that nobody has", "lustre", "lustre/scratch/format.sh", "--servicenode=10.1.0.50@o2ib", "--servicenode=10.1.0.250@o2ib"),
            ("another management server of BeeGFS", "beegfs", "beegfs/bulk/beegfs-storage.conf", "= bm1-fast", "= bm2-fast"),
            ("a management service elsewhere", "beegfs", "beegfs/work/prepare.sh", "target bm1 mgmtd", "target bm2 mgmtd"),
            ("a subnet that nobody has", "beegfs", "beegfs/cpu/cluster-net-filter", "10.3.0.0/24", "10.9.0.0/24"),

            ("a session larger than a node", "jupyterhub", "jupyterhub/cluster.json", '"partition": "gpu",\n      "cpus": ', '"partition": "gpu",\n      "cpus": 99'),
            ("a hub at another address", "jupyterhub", "jupyterhub/cluster.json", '"hub_bind_url": "http://10.1.0.', '"hub_bind_url": "http://10.1.1.'),
            ("an instance with the address of another", "slurm-power", "slurm/power/nodes", "10.79.0.", "10.79.1."),
            ("an instance that always runs", "slurm-power", "slurm/slurm.conf", "Feature=burst,h100 State=CLOUD", "Feature=burst,h100"),
            ("more instances than nodes", "parallelcluster", "parallelcluster/cluster.yaml", "MaxCount: 16", "MaxCount: 17"),
            ("a limit in a dashboard", "grafana", "grafana/dashboards/limits.json", '"value": 85', '"value": 95'))):
        if base not in trees:
            continue
        tree = os.path.join(work, f"twin-{number}")
        shutil.copytree(trees[base][0], tree, symlinks=True)
        text = text_of(tree, path)
        with open(os.path.join(tree, path), "w", encoding="utf-8") as f:
            f.write(text.replace(was, becomes, 1))
        try:
            if text.replace(was, becomes, 1) == text:
                raise RuntimeError(f"'{was}' does not stand in {path}")
            Tree(tree, trees[base][1]).all()
            print(f"FAILED: twin '{what}' was not found")
            failed += 1
        except RuntimeError as wrong:
            print(f"FAILED: twin '{what}': {wrong}")
            failed += 1
        except Disagree as found:
            print(f"ok: twin '{what}': {found}")
        shutil.rmtree(tree)
    return failed


if __name__ == "__main__":
    sys.exit(main())
