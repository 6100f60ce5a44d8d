#!/usr/bin/env python3
"""A node's network as files of systemd-networkd (.network, .netdev) or of NetworkManager (.nmconnection) have it, in one form, so that both can be held against
each other, against netplan's, and against the plan.

usage: network_files.py FOLDER…        prints what the files in all of these folders say together, one device a line
"""
import glob
import json
import os
import re
import sys


def sections(path):
    """[(section, {key: [values]})] of a file; anything that is neither section nor key=value is an error."""
    out = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith(("#", ";")):
                continue
            if re.fullmatch(r"\[[A-Za-z0-9-]+\]", line):
                out.append((line[1:-1], {}))
                continue
            key, equals, value = line.partition("=")
            if not equals or not out or not re.fullmatch(r"[A-Za-z0-9_.-]+", key):
                raise ValueError(f"{path}:{number}: {line}")
            out[-1][1].setdefault(key, []).append(value)
    return out


def device():
    return {"kind": "port", "mtu": None, "bond": None, "below": None, "vlan": None, "bonding": None, "addresses": [], "gateway": None, "routes": [], "rules": [], "dns": [], "search": []}


def networkd(folders):
    out, vlans = {}, {}
    files = [p for folder in folders for p in sorted(glob.glob(os.path.join(folder, "*.net*")))]
    for path in files:
        found = sections(path)
        if path.endswith(".netdev"):
            all_of = {k: v[0] for name, keys in found for k, v in keys.items()}
            d = out.setdefault(all_of["Name"], device())
            d["kind"] = all_of["Kind"]
            if d["kind"] == "vlan":
                d["vlan"] = int(all_of["Id"])
            else:
                d["bonding"] = [all_of["Mode"], all_of["LACPTransmitRate"], all_of["MIIMonitorSec"].replace("ms", ""), all_of["TransmitHashPolicy"]]
            continue
        if not path.endswith(".network"):
            continue
        match = next(keys for name, keys in found if name == "Match")
        d = out.setdefault(match["Name"][0], device())
        for name, keys in found:
            one = {k: v[0] for k, v in keys.items()}
            if name == "Link":
                d["mtu"] = int(one["MTUBytes"])
            elif name == "Network":
                d["bond"] = one.get("Bond")
                d["addresses"] += keys.get("Address", [])
                d["dns"] += keys.get("DNS", [])
                d["search"] += keys.get("Domains", [])
                for vlan in keys.get("VLAN", []):
                    vlans[vlan] = match["Name"][0]
            elif name == "Route":
                if "Destination" not in one:
                    d["gateway"] = one["Gateway"]
                else:
                    d["routes"].append([one["Destination"], one.get("Gateway", ""), int(one.get("Metric", 0)), int(one.get("Table", 0))])
            elif name == "RoutingPolicyRule":
                d["rules"].append([one["From"], int(one["Table"])])
            elif name != "Match":
                raise ValueError(f"{path}: section {name}")
    for vlan, below in vlans.items():
        out[vlan]["below"] = below
    return out


def networkmanager(folders):
    out = {}
    for path in [p for folder in folders for p in sorted(glob.glob(os.path.join(folder, "*.nmconnection")))]:
        found = {name: {k: v[0] for k, v in keys.items()} for name, keys in sections(path)}
        connection, ipv4 = found["connection"], found.get("ipv4", {})
        d = out.setdefault(connection["interface-name"], device())
        d["kind"] = {"ethernet": "port"}.get(connection["type"], connection["type"])
        if "mtu" in found.get("ethernet", {}):
            d["mtu"] = int(found["ethernet"]["mtu"])
        d["bond"] = connection.get("master")
        if d["kind"] == "vlan":
            d["vlan"], d["below"] = int(found["vlan"]["id"]), found["vlan"]["parent"]
        if d["kind"] == "bond":
            d["bonding"] = [found["bond"][k] for k in ("mode", "lacp_rate", "miimon", "xmit_hash_policy")]
        d["gateway"] = ipv4.get("gateway")
        for key, value in ipv4.items():
            if re.fullmatch(r"address[0-9]+", key):
                d["addresses"].append(value)
            elif re.fullmatch(r"route[0-9]+", key):
                to, via, metric = (value.split(",") + ["", ""])[:3]
                if to == "0.0.0.0/0":
                    d["gateway"] = via
                else:
                    table = re.search(r"table=([0-9]+)", ipv4.get(key + "_options", ""))
                    d["routes"].append([to, via, int(metric or 0), int(table[1]) if table else 0])
            elif key.startswith("routing-rule"):
                rule = re.fullmatch(r"priority [0-9]+ from ([0-9.]+) table ([0-9]+)", value)
                d["rules"].append([rule[1], int(rule[2])])
        d["dns"] = [s for part in ("ipv4", "ipv6") for s in found.get(part, {}).get("dns", "").split(";") if s]
        d["search"] = [s for s in ipv4.get("dns-search", "").split(";") if s]
    return out


def read(folders):
    out = networkmanager(folders) or networkd(folders)
    for d in out.values():
        for key in ("addresses", "routes", "rules", "dns"):
            d[key].sort()
    return out


if __name__ == "__main__":
    for name, d in sorted(read(sys.argv[1:]).items()):
        print(name, json.dumps({k: v for k, v in d.items() if v}, sort_keys=True))
