#!/usr/bin/env python3
"""Judges the startup.yaml of every switch below a folder by the schema of NVUE, and the ends of their links by each other.

usage: nvue.py FOLDER               exit 1 with what is wrong
       nvue.py FOLDER --mistakes    plants one mistake after another in memory; each must be found

The schema is that of nvueschema: models of Python, made of NVIDIA's OpenAPI documents release by release. As they come they pass over keys
that they do not know; here they refuse them. Addresses are keys of mappings there, which no model looks at: they are read here.
"""
import copy
import glob
import importlib
import ipaddress
import os
import re
import sys

import pydantic
import yaml

RELEASES = ("5_9", "5_14")
pydantic.BaseModel.model_config = pydantic.ConfigDict(extra="forbid")   # inherited by the models, which are imported below


def load(folder):
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*", "*", "startup.yaml"))):
        with open(path, encoding="utf-8") as text:
            found[os.path.basename(os.path.dirname(path))] = yaml.safe_load(text)
    return found


def by_schema(models, name, document):
    if not isinstance(document, list) or [list(part) for part in document] != [["set"]]:
        yield f"{name}: it is no list of one `set`"
        return
    for release, model in models.items():
        try:
            model.model_validate(document[0]["set"])
        except pydantic.ValidationError as wrong:
            yield from (f"{name}: NVUE {release.replace('_', '.')}: {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in wrong.errors()[:3])


def by_each_other(switches):
    """What no schema knows: who stands at the other end, addresses, names of parts of cages."""
    numbers = {s["system"]["hostname"]: s.get("router", {}).get("bgp", {}).get("autonomous-system") for s in switches.values()}
    for name, s in switches.items():
        if s["system"]["hostname"] != name:
            yield f"{name}: its host name is {s['system']['hostname']}"
        ports = s["interface"]
        sessions = s.get("vrf", {}).get("default", {}).get("router", {}).get("bgp", {}).get("neighbor", {})
        for port, p in ports.items():
            for address in p.get("ip", {}).get("address", {}):
                try:
                    if address != "dhcp":
                        ipaddress.ip_interface(address)
                except ValueError:
                    yield f"{name}: {port} has the address {address}"
            part = re.fullmatch(r"(swp\d+)s(\d+)", port)
            if part:
                cage, number = part.groups()
                ways = next(iter(ports.get(cage, {}).get("link", {}).get("breakout", {"0x": None})))
                if int(number) >= int(ways[:-1]):
                    yield f"{name}: {port} is part {number} of a cage that is split into {ways}"
            if p["type"] == "swp" and "description" in p and "up" not in p["link"]["state"]:
                yield f"{name}: {port} has a cable and is not up"
            far, there = (p.get("description", "").split() + ["", ""])[:2]
            if far in switches:
                back = switches[far]["interface"].get(there, {}).get("description", "").split()
                if back[:2] != [name, port] or back[2:] != p["description"].split()[2:]:
                    yield f"{name}: {port} leads to {far} {there}, which says {back}"
                if sessions.get(port, {}).get("remote-as") != numbers[far]:
                    yield f"{name}: the session on {port} is with {sessions.get(port)}, {far} has {numbers[far]}"
        for port in sessions:
            if ports.get(port, {}).get("description", "").split()[:1] == [] or ports[port].get("ip"):
                yield f"{name}: a session on {port}, which leads to no switch"


def judge(models, documents):
    wrong = [w for name, document in documents.items() for w in by_schema(models, name, document)]
    return wrong or list(by_each_other({name: document[0]["set"] for name, document in documents.items()}))


def planted(documents):
    """(what is wrong, the documents with it)"""
    leaf = next(n for n in documents if n.startswith("leaf"))
    spine = next(n for n in documents if n.startswith("spine"))
    flat = next(n for n, d in documents.items() if "bridge" in d[0]["set"])
    up = next(p for p, v in documents[spine][0]["set"]["interface"].items() if v.get("description", "").startswith("leaf"))
    member = next(p for p, v in documents[leaf][0]["set"]["interface"].items() if p.startswith("swp") and "ip" in v)

    def twin(switch, change):
        other = copy.deepcopy(documents)
        change(other[switch][0]["set"])
        return other

    yield "a key that NVUE does not have", twin(leaf, lambda s: s["interface"][member]["link"].update({"mtus": 9000}))
    yield "an MTU beyond 9216", twin(leaf, lambda s: s["interface"][member]["link"].update({"mtu": 9600}))
    yield "a rate that no port has", twin(spine, lambda s: s["interface"][up]["link"].update({"speed": "300G"}))
    yield "a mode of RoCE that is none", twin(leaf, lambda s: s["qos"]["roce"].update({"mode": "without-loss"}))
    yield "an untagged VLAN beyond 4094", twin(flat, lambda s: next(
        p for p in s["interface"].values() if "bridge" in p)["bridge"]["domain"]["br_default"].update({"untagged": 4095}))
    yield "the number of another neighbour", twin(spine, lambda s: s["vrf"]["default"]["router"]["bgp"]["neighbor"][up].update({"remote-as": 64999}))
    yield "the cable of another port", twin(spine, lambda s: s["interface"][up].update({"description": "leaf-ai-u1-r2 swp64 cable/x"}))
    yield "an address that is none", twin(leaf, lambda s: s["interface"][member]["ip"].update({"address": {"10.1.0.300/31": {}}}))


def main(folder, mistakes):
    models = {r: importlib.import_module(f"nvueschema.models.v{r}").NvueConfig for r in RELEASES}
    documents = load(folder)
    if not documents:
        print(f"FAILED: no startup.yaml below {folder}")
        return 1
    if not mistakes:
        wrong = judge(models, documents)
        print("\n".join(f"FAILED: {w}" for w in wrong) or f"ok: {len(documents)} switches as NVUE {' and '.join(models)} has them; both ends of each link agree".replace("_", "."))
        return 1 if wrong else 0
    bad = 0
    for what, twin in planted(documents):
        wrong = judge(models, twin)
        print(f"ok: {what}: {wrong[0]}" if wrong else f"FAILED: {what} is not found")
        bad += not wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--mistakes" in sys.argv))
