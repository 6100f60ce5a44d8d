#!/usr/bin/env python3
"""Reads user-data of Ubuntu's installer. usage: autoinstall.py FILE WORK   exit 1 at what Subiquity or curtin would refuse

Neither is packed for Debian: the keys and their types are those of the "Autoinstall configuration reference manual" (Ubuntu installation documentation),
the actions of storage those of curtin's documentation ("Storage"), where each may name only what stands above it. Of what is inside, the network goes to
WORK/network.yaml for netplan and the new system's user-data to WORK/inner for cloud-init.
"""
import re
import sys

import yaml

# Keys of autoinstall that are lists of commands, or a mapping with these keys.
COMMANDS = ("early-commands", "late-commands", "error-commands")
KEYS = {
    "version": int, "locale": str, "updates": str, "shutdown": str, "timezone": str, "packages": list, "user-data": dict, "network": dict, "storage": dict,
    "keyboard": {"layout": str, "variant": str, "toggle": str}, "ssh": {"install-server": bool, "authorized-keys": list, "allow-pw": bool},
    "apt": dict, "identity": {"realname": str, "username": str, "hostname": str, "password": str}, **{key: list for key in COMMANDS},
}
# Actions: keys that they must have, and those that they may have besides.
COMMON = {"type", "id", "preserve"}
ACTIONS = {
    "disk": ({"path"}, {"ptable", "wipe", "grub_device", "serial", "match", "name"}),
    "partition": ({"device", "size"}, {"number", "flag", "grub_device", "wipe", "name"}),
    "format": ({"volume", "fstype"}, {"label", "uuid"}),
    "raid": ({"name", "raidlevel", "devices"}, {"spare_devices", "metadata"}),
    "mount": ({"device", "path"}, {"options"}),
}


def refuse(why):
    print(why, file=sys.stderr)
    sys.exit(1)


def typed(where, value, kind):
    if isinstance(kind, dict):
        typed(where, value, dict)
        for key, inner in value.items():
            if key not in kind:
                refuse(f"{where} has no key '{key}'")
            typed(f"{where}.{key}", inner, kind[key])
    elif not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        refuse(f"{where} is {value!r}, no {kind.__name__}")


text = open(sys.argv[1], encoding="utf-8").read()
if not text.startswith("#cloud-config\n"):
    refuse("the first line is not #cloud-config")
document = yaml.safe_load(text)
if list(document) != ["autoinstall"]:
    refuse(f"beside autoinstall: {list(document)}")
auto = document["autoinstall"]
typed("autoinstall", auto, KEYS)
if auto.get("version") != 1:
    refuse("version is not 1")
if "identity" not in auto and "user-data" not in auto:
    refuse("neither identity nor user-data")
if auto.get("updates", "security") not in ("security", "all") or auto.get("shutdown", "reboot") not in ("reboot", "poweroff"):
    refuse("a word that is not known")
for key in COMMANDS:
    for command in auto.get(key, []):
        if not isinstance(command, str) and not (isinstance(command, list) and all(isinstance(w, str) for w in command)):
            refuse(f"{key}: {command!r} is no command")

known, used, mounts, starts = {}, set(), {}, 0
for action in auto["storage"]["config"]:
    kind, name = action.get("type"), action.get("id")
    if kind not in ACTIONS:
        refuse(f"no action '{kind}'")
    must, may = ACTIONS[kind]
    if not must <= set(action) or not set(action) <= must | may | COMMON:
        refuse(f"{kind} '{name}': keys {sorted(set(action) ^ must)}")
    if name in known:
        refuse(f"'{name}' stands twice")
    for other in [action[k] for k in ("device", "volume") if k in action] + action.get("devices", []):
        if other not in known:
            refuse(f"'{name}' is made of '{other}', which does not stand above it")
        if kind in ("format", "raid") and other in used:
            refuse(f"'{other}' is used twice")
        if kind in ("format", "raid"):
            used.add(other)
        wanted = {"partition": "disk", "format": ("partition", "raid"), "raid": "partition", "mount": "format"}[kind]
        if known[other]["type"] not in wanted:
            refuse(f"'{name}' is made of a {known[other]['type']}")
    if kind == "partition" and not (action["size"] == -1 or re.fullmatch(r"\d+[KMGT]", str(action["size"]))):
        refuse(f"size {action['size']!r}")
    if kind == "mount":
        mounts[action["path"]] = action
    starts += bool(kind == "partition" and action.get("flag") == "boot" and action.get("grub_device"))
    known[name] = action
disks = [a for a in known.values() if a["type"] == "disk"]
if sorted(mounts) != ["/", "/boot/efi"] or starts != len(disks):
    refuse(f"mounts {sorted(mounts)}, {starts} partitions to start from on {len(disks)} disks")
with open(sys.argv[2] + "/network.yaml", "w", encoding="utf-8") as file:
    yaml.safe_dump({"network": auto["network"]}, file)
with open(sys.argv[2] + "/inner", "w", encoding="utf-8") as file:
    file.write("#cloud-config\n" + yaml.safe_dump(auto["user-data"]))
print(len(disks), "raid" if any(a["type"] == "raid" for a in known.values()) else "single")
