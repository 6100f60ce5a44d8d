#!/usr/bin/env python3
"""Lists of nodes for Warewulf, MAAS, OpenCHAMI and xCAT, read by what their documentation says; none of these programs is packed in Debian. Anything else than
what is documented is an error.

    warewulf    Warewulf 4.6, "Importing Nodes From a File", "Network Interfaces" (bonding, VLAN), "IPMI"
    maas        MAAS CLI reference, machines: create. The commands are those of a shell: usage: node_lists.py maas RECORD, a word a line, an empty line behind each command
    openchami   ochami-discover(1), DATA STRUCTURE and XNAMES
    xcat        xcatstanzafile(5); attributes of network(7), node(7), nics(5)

usage: node_lists.py KIND FILE      prints name, address, MACs of the ports that it starts from, address and MAC of the BMC; and its other addresses
"""
import ipaddress
import re
import sys

import yaml

MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


class Bad(ValueError):
    pass


def need(good, what):
    if not good:
        raise Bad(what)


def ip(text):
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError as wrong:
        raise Bad(str(wrong)) from None


def mac(text):
    need(isinstance(text, str) and MAC.fullmatch(text), f"'{text}' is no MAC")
    return text


def keys(what, mapping, known):
    need(isinstance(mapping, dict), f"{what} is no mapping")
    need(set(mapping) <= set(known), f"{what}: unknown {sorted(set(mapping) - set(known))}")


def node():
    return {"ip": None, "macs": [], "bmc": None, "bmc_mac": None, "addresses": set()}


def one_key_each(loader, mapping):
    out = {}
    for key, value in mapping.value:
        key = loader.construct_object(key)
        need(key not in out, f"'{key}' stands twice")
        out[key] = loader.construct_object(value, deep=True)
    return out


class Loader(yaml.SafeLoader):
    pass


Loader.add_constructor("tag:yaml.org,2002:map", one_key_each)


def read_yaml(path):
    with open(path, encoding="utf-8") as f:
        return yaml.load(f, Loader)


def warewulf(path):
    out = {}
    for name, n in read_yaml(path).items():
        keys(name, n, ("profiles", "cluster name", "comment", "image name", "discoverable", "network devices", "primary network", "ipmi", "kernel", "init", "root", "ipxe template",
                       "runtime overlay", "system overlay", "tags", "resources"))
        need(all(isinstance(p, str) for p in n.get("profiles", [])), f"{name}: profiles")
        need(n.get("discoverable", True) is True, f"{name}: discoverable")
        d, devices = out.setdefault(name, node()), n.get("network devices", {})
        ports = {}
        for net, device in devices.items():
            keys(f"{name}: {net}", device, ("type", "onboot", "device", "hwaddr", "ipaddr", "netmask", "gateway", "mtu", "tags"))
            need(device["type"] in ("ethernet", "Bond", "vlan", "infiniband"), f"{name}: type {device['type']}")
            tags = device.get("tags", {})
            need(all(isinstance(v, str) for v in tags.values()), f"{name}: tags are text")
            if "ipaddr" in device:
                at = ipaddress.IPv4Interface(ip(device["ipaddr"]) + "/" + ip(device["netmask"]))
                need("gateway" not in device or ipaddress.IPv4Address(device["gateway"]) in at.network, f"{name}: the gateway of {net} lies outside {at.network}")
                d["addresses"].add(str(at.ip))
            if "master" in tags:
                need(devices.get(tags["master"], {}).get("type") == "Bond", f"{name}: {tags['master']} is no bond")
                ports.setdefault(tags["master"], []).append(device)
            if device["type"] == "vlan":
                need(1 <= int(tags["vlan_id"]) <= 4094 and tags["parent_device"] in devices, f"{name}: VLAN {net}")
            if "hwaddr" in device:
                mac(device["hwaddr"])
        if "primary network" in n:
            primary = devices.get(n["primary network"])
            need(primary is not None, f"{name}: no device is called {n['primary network']}")
            d["ip"] = ip(primary["ipaddr"])
            d["macs"] = [p["hwaddr"] for p in ports.get(n["primary network"], [primary]) if "hwaddr" in p]
            need(bool(d["macs"]) != ("discoverable" in n), f"{name}: is to be discovered where no MAC is known, and only there")
        if "ipmi" in n:
            keys(f"{name}: ipmi", n["ipmi"], ("ipaddr", "netmask", "gateway", "port", "interface", "write", "template"))
            d["bmc"] = ip(n["ipmi"]["ipaddr"])
    return out


def maas(path):
    out = {}
    with open(path, encoding="utf-8") as f:
        commands = [c.split("\n") for c in f.read().split("\n\n") if c.strip()]
    for words in commands:
        need(len(words) > 3 and words[1:2] == ["machines"], f"no command of machines: {words}")
        if words[2] == "read":
            continue
        need(words[2] == "create", f"machines {words[2]}")
        given = {}
        for word in words[3:]:
            key, equals, value = word.partition("=")
            need(equals and value, f"no keyword: {word}")
            need(key == "mac_addresses" or key not in given, f"'{key}' stands twice")
            given.setdefault(key, []).append(value)
        keys("create", given, ("hostname", "architecture", "mac_addresses", "power_type", "power_parameters_power_address", "power_parameters_power_user", "power_parameters_power_pass", "domain", "zone",
                               "pool", "commission", "deployed", "description", "min_hwe_kernel"))
        need({"hostname", "architecture", "mac_addresses", "power_type"} <= set(given), f"asked for: {sorted(given)}")
        need(re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9-]{0,62})", given["hostname"][0]), f"host name {given['hostname'][0]}")
        need(given["architecture"][0] in ("amd64/generic", "arm64/generic"), f"architecture {given['architecture'][0]}")
        name = given["hostname"][0]
        need(name not in out, f"{name} is created twice")
        d = out.setdefault(name, node())
        d["macs"] = [mac(m) for m in given["mac_addresses"]]
        need(given["power_type"][0] in ("ipmi", "manual"), f"power type {given['power_type'][0]}")
        need((given["power_type"][0] == "ipmi") == ("power_parameters_power_address" in given), f"{name}: the BMC's address")
        if "power_parameters_power_address" in given:
            d["bmc"] = ip(given["power_parameters_power_address"][0])
    return out


def openchami(path):
    out, seen = {}, {"nid": set(), "xname": set(), "mac": set()}
    document = read_yaml(path)
    keys("the file", document, ("nodes",))

    def first(kind, value):
        need(value not in seen[kind], f"{kind} {value} stands twice")
        seen[kind].add(value)
        return value

    for n in document["nodes"]:
        keys("a node", n, ("name", "nid", "xname", "bmc_mac", "bmc_ip", "group", "interfaces"))
        need(set(n) >= {"name", "nid", "xname", "bmc_mac", "bmc_ip", "interfaces"}, f"{n.get('name')}: {sorted(n)}")
        need(isinstance(n["nid"], int) and n["nid"] > 0, f"nid {n['nid']}")
        need(re.fullmatch(r"x[0-9]{1,4}c[0-7]s[0-9]+b[0-9]+n[0-9]+", n["xname"]), f"xname {n['xname']}")
        first("nid", n["nid"]), first("xname", n["xname"])
        need(n["name"] not in out, f"{n['name']} stands twice")
        d = out.setdefault(n["name"], node())
        d["bmc"], d["bmc_mac"] = ip(n["bmc_ip"]), first("mac", mac(n["bmc_mac"]))
        for i in n["interfaces"]:
            keys("an interface", i, ("mac_addr", "ip_addrs"))
            first("mac", mac(i["mac_addr"]))
            for a in i["ip_addrs"]:
                keys("an address", a, ("name", "ip_addr"))
                d["addresses"].add(ip(a["ip_addr"]))
                d.setdefault("by_mac", {})[ip(a["ip_addr"])] = i["mac_addr"]
        need(n["interfaces"], f"{n['name']}: no interface")
    return out


def xcat(path):
    objects, defaults = {}, {}
    at = None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            text = re.sub(r"[ \t]", "", line.rstrip("\n"))
            if not text or text.startswith("#"):
                continue
            if "=" not in text:
                need(text.endswith(":") and len(text) > 1, f"line {number}: neither header nor attribute: {text}")
                name = text[:-1]
                need(name.startswith("default-") or name not in objects, f"line {number}: a second stanza of {name}")
                at = defaults.setdefault(name[8:], {}) if name.startswith("default-") else objects.setdefault(name, {})
                continue
            key, _, value = text.partition("=")
            need(at is not None and re.fullmatch(r"[A-Za-z0-9._-]+", key), f"line {number}: {text}")
            need(key not in at, f"line {number}: '{key}' stands twice")
            at[key] = value
    known = {"network": ("net", "mask", "gateway", "mtu", "vlanid", "mgtifname", "domain", "nameservers"),
             "node": ("groups", "arch", "mgt", "bmc", "ip", "mac", "installnic", "primarynic", "provmethod", "netboot", "os", "postscripts", "nictypes", "nicdevices", "nicips", "nicnetworks")}
    networks, out = {}, {}
    for name, attributes in objects.items():
        need(attributes.get("objtype") in known, f"{name}: objtype {attributes.get('objtype')}")
        keys(name, {k.partition(".")[0]: v for k, v in attributes.items() if k != "objtype"}, known[attributes["objtype"]])
        if attributes["objtype"] == "network":
            networks[name] = ipaddress.IPv4Network(ip(attributes["net"]) + "/" + ip(attributes["mask"]))
    keys("default-node", {k: v for k, v in defaults.get("node", {}).items()}, known["node"])
    for name, a in objects.items():
        if a["objtype"] != "node":
            continue
        d = out.setdefault(name, node())
        need(a.get("groups"), f"{name}: in no group")
        need(a.get("arch") in ("x86_64", "aarch64"), f"{name}: arch {a.get('arch')}")
        need(("mgt" in a) == ("bmc" in a) and a.get("mgt", "ipmi") == "ipmi", f"{name}: mgt {a.get('mgt')}")
        d["bmc"] = ip(a["bmc"]) if "bmc" in a else None
        d["ip"] = ip(a["ip"]) if "ip" in a else None
        d["macs"] = [mac(a["mac"])] if "mac" in a else []
        for key, value in a.items():
            kind, _, nic = key.partition(".")
            if kind == "nictypes":
                need(value in ("ethernet", "infiniband", "bond", "vlan"), f"{name}: {key}={value}")
                need(("nicdevices." + nic in a) == (value in ("bond", "vlan")), f"{name}: devices of {nic}")
            if kind == "nicips":
                of = a["nicnetworks." + nic].split("|")
                need(len(of) == len(value.split("|")) and "nictypes." + nic in a, f"{name}: {key}")
                for address, network in zip(value.split("|"), of):
                    need(network in networks and ipaddress.IPv4Address(ip(address)) in networks[network], f"{name}: {address} is not in {network}")
                    d["addresses"].add(address)
    return out


READERS = {"warewulf": warewulf, "maas": maas, "openchami": openchami, "xcat": xcat}

if __name__ == "__main__":
    try:
        for name, d in READERS[sys.argv[1]](sys.argv[2]).items():
            print(name, d["ip"] or "-", ",".join(d["macs"]) or "-", d["bmc"] or "-", d["bmc_mac"] or "-", ",".join(sorted(d["addresses"])) or "-")
    except (Bad, KeyError, TypeError, yaml.YAMLError) as wrong:
        print(f"{sys.argv[2]}: {type(wrong).__name__}: {wrong}", file=sys.stderr)
        sys.exit(1)
