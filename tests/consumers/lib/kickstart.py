#!/usr/bin/env python3
"""Reads a kickstart file by the documented grammar. usage: kickstart.py FILE [INCLUDED]   prints what it says as JSON; exit 1 at what Anaconda would refuse

No program that reads kickstart files is packed for Debian, nor for Python's index: this is the grammar of the documentation of pykickstart ("Kickstart
Documentation", chapters 2 to 6: commands first, then sections between %name and %end), for the commands that RHEL 8, 9 and 10 all have, with the options
that stand in "Kickstart commands and options reference" of each of the three. INCLUDED is read where an %include stands.
"""
import json
import shlex
import sys

# command: (options with a value, options without, number of words besides them)
COMMANDS = {
    "text": ((), ("--non-interactive",), 0),
    "reboot": ((), ("--eject", "--kexec"), 0),
    "eula": ((), ("--agreed",), 0),
    "firstboot": ((), ("--disabled", "--enable", "--reconfig"), 0),
    "lang": (("--addsupport",), (), 1),
    "keyboard": (("--vckeymap", "--xlayouts", "--switch"), (), 0),
    "timezone": ((), ("--utc",), 1),
    "network": (("--bootproto", "--device", "--onboot", "--hostname", "--ip", "--netmask", "--gateway", "--nameserver", "--mtu"), ("--activate", "--noipv6", "--nodefroute"), 0),
    "url": (("--url", "--mirrorlist", "--metalink", "--proxy"), ("--noverifyssl",), 0),
    "repo": (("--name", "--baseurl", "--mirrorlist", "--metalink", "--cost"), ("--install",), 0),
    "rootpw": ((), ("--lock", "--iscrypted", "--plaintext"), 0),
    "user": (("--name", "--groups", "--homedir", "--shell", "--uid", "--gid", "--gecos"), ("--lock",), 0),
    "selinux": ((), ("--enforcing", "--permissive", "--disabled"), 0),
    "services": (("--enabled", "--disabled"), (), 0),
    "firewall": (("--service", "--port", "--trust"), ("--enabled", "--disabled", "--ssh"), 0),
    "ignoredisk": (("--only-use", "--drives"), (), 0),
    "zerombr": ((), (), 0),
    "clearpart": (("--drives", "--list", "--disklabel"), ("--all", "--initlabel", "--linux", "--none"), 0),
    "bootloader": (("--location", "--boot-drive", "--append", "--driveorder", "--timeout"), (), 0),
    "part": (("--fstype", "--size", "--ondisk", "--maxsize", "--label", "--fsoptions"), ("--grow", "--asprimary"), 1),
    "raid": (("--device", "--level", "--fstype", "--spares", "--label", "--fsoptions"), (), None),
}
ONCE = {"text", "reboot", "lang", "keyboard", "timezone", "url", "rootpw", "selinux", "services", "zerombr", "clearpart", "bootloader", "ignoredisk", "eula", "firstboot"}
REQUIRED = {"lang", "keyboard", "timezone", "rootpw", "url", "bootloader", "part"}          # an installation that asks nothing needs them
SECTIONS = {"%packages": ("--ignoremissing", "--excludedocs"), "%pre": ("--erroronfail", "--log=", "--interpreter="), "%post": ("--erroronfail", "--log=", "--nochroot", "--interpreter=")}


def refuse(where, why):
    print(f"{where}: {why}", file=sys.stderr)
    sys.exit(1)


def command(words, where, seen):
    name, rest = words[0], words[1:]
    if name not in COMMANDS:
        refuse(where, f"unknown command '{name}'")
    valued, plain, count = COMMANDS[name]
    options, positional = {}, []
    for word in rest:
        if word.startswith("--"):
            key, equals, value = word.partition("=")
            if key not in (valued if equals else plain) or key in options or (equals and not value):
                refuse(where, f"'{name}' has no option '{word}'")
            options[key] = value or True
        else:
            positional.append(word)
    if count is not None and len(positional) != count:
        refuse(where, f"'{name}' takes {count} words, not {positional}")
    if name in ONCE and any(c["command"] == name for c in seen):
        refuse(where, f"'{name}' stands twice")
    seen.append({"command": name, "options": options, "words": positional})


def read(path, included, seen, sections, inside=False):
    section, lines = None, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            where, text = f"{path}:{number}", line.rstrip("\n")
            if section:
                if text == "%end":
                    sections.append({"section": section, "lines": lines})
                    section = None
                else:
                    lines.append(text)
                continue
            if not text.strip() or text.startswith("#"):
                continue
            words = shlex.split(text, comments=True)
            if words[0] == "%include":
                if included and not inside:
                    read(included, None, seen, sections, True)
            elif words[0].startswith("%"):
                if words[0] not in SECTIONS:
                    refuse(where, f"unknown section '{words[0]}'")
                for option in words[1:]:
                    if not any(option == o or (o.endswith("=") and option.startswith(o)) for o in SECTIONS[words[0]]):
                        refuse(where, f"'{words[0]}' has no option '{option}'")
                section, lines = words[0], []
            elif sections:
                refuse(where, "a command behind a section")
            else:
                command(words, where, seen)
    if section:
        refuse(path, f"'{section}' has no %end")


seen, sections = [], []
read(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None, seen, sections)
missing = REQUIRED - {c["command"] for c in seen}
if len(sys.argv) > 2 and missing:
    refuse(sys.argv[1], f"nothing says {sorted(missing)}")
members = {c["words"][0] for c in seen if c["command"] == "part" and c["words"][0].startswith("raid.")}
for raid in (c for c in seen if c["command"] == "raid"):
    if not set(raid["words"][1:]) <= members or len(raid["words"]) < 3:
        refuse(sys.argv[1], f"'{raid['words'][0]}' lies on {raid['words'][1:]}, not all of which are partitions")
    members -= set(raid["words"][1:])
if members:
    refuse(sys.argv[1], f"{sorted(members)} belong to no array")
json.dump({"commands": seen, "sections": {s["section"]: "\n".join(s["lines"]) + "\n" for s in sections}}, sys.stdout)
