#!/usr/bin/env python3
"""Which drives the compiled installers write to, on machines of every kind: each layout is a folder as /sys/block is, with links to a tree of devices, nodes in a folder as /dev is,
and programs that write down what they are told. The scripts of all three installers run with dash and with BusyBox alone, whose programs Debian's installer has. Two things are held:

  no drive that is not `boot` is ever written to: not named in what is written for the installer, not cleared, not let be written to (blockdev --setro);
  where the drives are not those of the spec, the script stops with a message, and nothing is written at all.

Layouts by hand first, then as many that chance makes of the same pieces.

usage: install_drives.py PROGRAM SOURCE WORK        exit 77: a shell is not installed
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import skipping

GB, TB = 10**9, 10**12
SPEC = """clusterc: 1
rules: 2026.11
name: layouts
site: { region: na, supply: { phases: 3, voltage: 415 V } }
nodes:
%s
  head: { names: "head1", server: { like: generic-1u }, roles: [provisioning] }
networks:
  lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, subnet: 10.40.0.0/16, carries: [inband], connects: { %s head: { count: 1 } } }
inventory: devices.csv
software: { os: debian-12 }
"""
INSTALLERS = {"debian": "debian-12", "ubuntu": "ubuntu-24.04", "rocky": "rocky-9"}
# What a group's machines have. `like` of a part without drives; serial numbers are rows of the inventory for two of the nodes.
PLANS = {
    "pair": "boot: 2 x 960 GB nvme, scratch: 8 x 7.68 TB nvme",
    "alone": "boot: 2 x 960 GB nvme",
    "single": "boot: 480 GB sata, data: 2 x 3.84 TB nvme",
    "sas": "boot: 2 x 600 GB sas, bulk: 4 x 18 TB hdd",
    "disks": "boot: 2 x 1 TB hdd, fast: 2 x 1 TB nvme",
    "paths": "boot: { count: 2, size: 960 GB, kind: nvme, paths: [ \"/dev/disk/by-path/pci-0000:01:00.0-nvme-1\", \"pci-0000:02:00.0-nvme-1\" ] }, data: 2 x 960 GB nvme",
    "serials": "boot: 2 x 960 GB nvme, data: 2 x 960 GB nvme",
    "three": "boot: 480 GB sata, a: 2 x 3.84 TB nvme, b: 2 x 3.8 TB nvme, c: 2 x 480 GB sas",
    "none": "",
}
SERIALS = "name,port,serial\n" + "".join(f"{host},drives.boot[{d}],S-{d}\n" for host in ("serials-debian-1", "serials-ubuntu-1", "serials-rocky-1") for d in (0, 1))


class Drive:
    """A block device: NAME, SIZE in bytes and what of it differs from an empty drive of its kind. `role`: boot, or anything else that must not be written to."""

    def __init__(self, name, size, role="data", **more):
        self.name, self.size, self.role = name, size, role
        self.rotational, self.removable, self.wwid, self.serial, self.vendor, self.transport = 0, 0, None, None, None, None
        self.way, self.parts, self.holders, self.part_holders, self.signature, self.part_signatures, self.by_path, self.mounted, self.multipath = None, 0, [], {}, "", {}, None, False, False
        for key, value in more.items():
            assert hasattr(self, key), key
            setattr(self, key, value)

    def part(self, number):
        return f"{self.name}p{number}" if self.name[-1].isdigit() else f"{self.name}{number}"

    def folder(self):
        """Where it lies below /sys/devices, as Linux has it."""
        number = int("".join(c for c in self.name if c.isdigit())[:2] or "0") + sum(ord(c) - 96 for c in self.name if c.isalpha())
        if self.way:
            return f"{self.way}/block/{self.name}"
        if self.name.startswith("nvme") and self.multipath:
            return f"virtual/nvme-subsystem/nvme-subsys{number}/{self.name}"
        if self.name.startswith("nvme"):
            controller = re.match(r"nvme\d+", self.name)[0]
            return f"pci0000:00/0000:{int(controller[4:]) + 1:02x}:00.0/nvme/{controller}/{self.name}"
        if self.name.startswith("vd"):
            return f"pci0000:00/0000:00:{number:02x}.0/virtio{number}/block/{self.name}"
        if self.name.startswith("sd"):
            return f"{sata(number)}/block/{self.name}"
        return f"virtual/block/{self.name}"


def sata(n):
    return f"pci0000:00/0000:00:17.0/ata{n}/host{n}/target{n}:0:0/{n}:0:0:0"


def sas(n):
    return f"pci0000:18/0000:18:00.0/host0/port-0:{n}/end_device-0:{n}/target0:0:{n}/0:0:{n}:0"


def raid(n):
    return f"pci0000:18/0000:18:00.0/host0/target0:2:{n}/0:2:{n}:0"


def usb(n):
    return f"pci0000:00/0000:00:14.0/usb1/1-{n}/1-{n}:1.0/host9/target9:0:0/9:0:0:{n}"


def iscsi(n):
    return f"platform/host20/session1/target20:0:0/20:0:0:{n}"


def fibre(n):
    return f"pci0000:3a/0000:3a:00.0/host12/rport-12:0-{n}/target12:0:{n}/12:0:{n}:0"


def nvme(number, size, role="data", space=1, **more):
    return Drive(f"nvme{number}n{space}", size, role, **more)


def boots(**more):
    return [nvme(0, 960 * GB, "boot", **more), nvme(1, 960_197_124_096, "boot", **more)]


def scratch(first=2, number=8, **more):
    return [nvme(first + n, 7_681_501_126_656, **more) for n in range(number)]


def system(drive, *holders):
    drive.parts, drive.signature = 3, "PTTYPE=gpt"
    drive.part_signatures = {1: "TYPE=vfat", 2: "TYPE=ext4\nUUID=aaaa-1", 3: "TYPE=linux_raid_member\nUUID=old-system"}
    drive.part_holders = {3: list(holders)} if holders else {}
    return drive


def virtual(name, *slaves, size=960 * GB, holders=()):
    drive = Drive(name, size, "virtual", way=None)
    drive.slaves = slaves
    drive.holders = list(holders)
    return drive


# (name, plan, drives, None where it is installed on those that are `boot`, else what the message says)
def layouts():
    whole = "TYPE=xfs\nUUID=data-1"
    yield "as the spec has it", "pair", boots() + scratch(), None
    yield "boot drives behind the others", "pair", scratch(0, 8) + [nvme(8, 960 * GB, "boot"), nvme(9, 960 * GB, "boot")], None
    yield "hot-swapped: boot drives in between", "pair", scratch(0, 3) + [nvme(3, 960 * GB, "boot")] + scratch(4, 5) + [nvme(14, 960 * GB, "boot")], None
    yield "numbers of two digits", "pair", scratch(2, 8) + [nvme(10, 960 * GB, "boot"), nvme(11, 960 * GB, "boot")], None
    yield "eight data drives and no boot drive", "pair", scratch(), "2 drives .* are to hold the system, 0 are there"
    yield "one boot drive", "pair", boots()[:1] + scratch(), "2 drives .* are to hold the system, 1 are there"
    yield "three of the size of boot", "pair", boots() + [nvme(20, 960 * GB)] + scratch(), "3 are there"
    yield "one data drive is missing", "pair", boots() + scratch(number=7), "8 drives scratch .* are to be there beside nvme0n1 nvme1n1, 7 are"
    yield "one data drive too many", "pair", boots() + scratch(number=9), "9 are"
    yield "data drives of half the size", "pair", boots() + [nvme(2 + n, 3_840_755_982_336) for n in range(8)], "8 drives scratch"
    yield "boot drives of twice the size", "pair", [nvme(0, 1920 * GB), nvme(1, 1920 * GB)] + scratch(), "0 are there"
    yield "boot drives on another bus", "pair", [Drive("sda", 960 * GB), Drive("sdb", 960 * GB)] + scratch(), "0 are there"
    yield "a third on another bus", "pair", boots() + scratch() + [Drive("sda", 960 * GB)], None
    yield "no drive", "pair", [], "0 are there"
    yield "data drives with file systems", "pair", boots() + scratch(signature=whole), None
    yield "data drives with tables of partitions", "pair", boots() + scratch(parts=2, signature="PTTYPE=gpt"), None
    yield "data drives in an array", "pair", boots() + scratch(holders=["md0"], signature="TYPE=linux_raid_member\nUUID=r") + [virtual("md0", *[f"nvme{2 + n}n1" for n in range(8)])], None
    yield "an older system, mirrored", "pair", [system(d, "md127") for d in boots()] + scratch() + [virtual("md127", "nvme0n1p3", "nvme1n1p3")], None
    yield "an older system with volumes on its mirror", "pair", [system(d, "md127") for d in boots()] + scratch() + [virtual("md127", "nvme0n1p3", "nvme1n1p3", holders=["dm-0"]), virtual("dm-0", "md127")], None
    yield "an array over a boot drive's partition and a data drive", "pair", [system(boots()[0], "md5"), system(boots()[1])] + scratch() + [virtual("md5", "nvme0n1p3", "nvme4n1")], "md5 lies on nvme0n1p3.* and on nvme4n1"
    yield "volumes over the system's mirror and a data drive", "pair", [system(d, "md127") for d in boots()] + scratch() + [virtual("md127", "nvme0n1p3", "nvme1n1p3", holders=["dm-3"]), virtual("dm-3", "md127", "nvme9n1")], "dm-3 lies on md127.* and on nvme9n1"
    yield "an array that nobody has started, over both", "pair", [system(d) for d in boots()] + scratch(number=7) + [nvme(9, 7_681_501_126_656, parts=1, part_signatures={1: "TYPE=linux_raid_member\nUUID=old-system"})], "a RAID or volume lies on the boot drives .* and on nvme9n1p1"
    yield "a file system on the whole of a boot drive", "pair", [nvme(0, 960 * GB, "boot", signature=whole), boots()[1]] + scratch(), "nvme0n1 has data on it as a whole .xfs."
    yield "a member of a RAID on the whole of a boot drive", "pair", [nvme(0, 960 * GB, "boot", signature="TYPE=linux_raid_member\nUUID=r"), boots()[1]] + scratch(), "nvme0n1 has data"
    yield "a boot drive that an array holds as a whole", "pair", [nvme(0, 960 * GB, "boot", holders=["md0"]), boots()[1]] + scratch() + [virtual("md0", "nvme0n1")], "md0 holds the whole of nvme0n1"
    yield "a boot drive that is mounted", "pair", [system(boots()[0]), nvme(1, 960 * GB, "boot", parts=1, mounted=True)] + scratch(), "nvme1n1p1 is mounted"
    yield "several signatures on a boot drive", "pair", [nvme(0, 960 * GB, "boot", signature="ambivalent"), boots()[1]] + scratch(), "several signatures"
    yield "a stick, a card reader, a CD-ROM, loops, zram, ram", "pair", boots() + scratch() + [Drive("sda", 960 * GB, removable=1, way=usb(1)), Drive("sdb", 0, removable=1, way=usb(2)), Drive("sr0", 4 * GB, removable=1), Drive("loop0", 960 * GB), Drive("zram0", 960 * GB), Drive("ram0", 960 * GB), Drive("fd0", 0), Drive("nbd0", 960 * GB)], None
    yield "a disk at USB that cannot be taken out", "single", [Drive("sda", 480 * GB, "boot"), nvme(0, 3840 * GB), nvme(1, 3840 * GB), Drive("sdb", 480 * GB, way=usb(3))], None
    yield "the only drive of its size is at USB", "single", [Drive("sda", 480 * GB, way=usb(3)), nvme(0, 3840 * GB), nvme(1, 3840 * GB)], "0 are there"
    yield "eMMC with its boot partitions", "pair", boots() + scratch() + [Drive("mmcblk0", 960 * GB), Drive("mmcblk0boot0", 4 * 2**20), Drive("mmcblk0boot1", 4 * 2**20), Drive("mmcblk0rpmb", 4 * 2**20)], None
    yield "drives with several ways (native multipath)", "pair", boots(multipath=True) + [Drive("nvme0c0n1", 960 * GB, way="hidden"), Drive("nvme0c1n1", 960 * GB, way="hidden")] + scratch(multipath=True), None
    yield "two ways to one boot drive", "sas", [Drive(n, 600 * GB, way=sas(i), wwid="naa.5000c500a") for i, n in enumerate(("sda", "sdb"))] + [Drive(f"sd{c}", 18 * TB, rotational=1, way=sas(8 + i)) for i, c in enumerate("cdef")], "1 are there|several ways"
    yield "two ways to each boot drive, joined by multipath", "sas", [Drive(f"sd{c}", 600 * GB, way=sas(i), wwid=f"naa.5000c500{i % 2}", holders=[f"dm-{i % 2}"]) for i, c in enumerate("abcd")] + [Drive(f"sd{c}", 18 * TB, rotational=1, way=sas(8 + i)) for i, c in enumerate("efgh")] + [virtual("dm-0", "sda", "sdc"), virtual("dm-1", "sdb", "sdd")], "several ways"
    yield "two ways to each data drive", "sas", [Drive(f"sd{c}", 600 * GB, "boot", way=sas(i), wwid=f"naa.b{i}") for i, c in enumerate("ab")] + [Drive(f"sd{c}", 18 * TB, rotational=1, way=sas(8 + i), wwid=f"naa.{i % 4}") for i, c in enumerate("cdefghij")], None
    yield "SAS", "sas", [Drive(f"sd{c}", 600 * GB, "boot", way=sas(i)) for i, c in enumerate("ab")] + [Drive(f"sd{c}", 18 * TB, rotational=1, way=sas(8 + i)) for i, c in enumerate("cdef")], None
    yield "SATA drives behind a SAS controller where SAS is to be", "sas", [Drive(f"sd{c}", 600 * GB, way=sas(i), vendor="ATA     ") for i, c in enumerate("ab")] + [Drive(f"sd{c}", 18 * TB, rotational=1, way=sas(8 + i)) for i, c in enumerate("cdef")], "0 are there"
    yield "SATA behind a SAS controller", "single", [Drive("sda", 480 * GB, "boot", way=sas(1), vendor="ATA     "), nvme(0, 3840 * GB), nvme(1, 3840 * GB)], None
    yield "volumes of a RAID controller", "sas", [Drive(f"sd{c}", 600 * GB, "boot", way=raid(i), vendor="DELL    ") for i, c in enumerate("ab")] + [Drive(f"sd{c}", 18 * TB, rotational=1, way=sas(8 + i)) for i, c in enumerate("cdef")], None
    yield "one volume of a RAID controller for the two drives of the spec", "sas", [Drive("sda", 600 * GB, way=raid(0))] + [Drive(f"sd{c}", 18 * TB, rotational=1, way=sas(8 + i)) for i, c in enumerate("cdef")], "1 are there"
    yield "volumes of a RAID controller that may be boot or data", "three", [Drive("sda", 480 * GB, way=raid(0))] + [nvme(n, 3840 * GB) for n in range(4)] + [Drive(f"sd{c}", 480 * GB, way=sas(i)) for i, c in enumerate("bc")], "sda may be a drive of boot or of c"
    yield "SATA for the system beside SAS of its size", "three", [Drive("sda", 480 * GB, "boot")] + [nvme(n, 3840 * GB) for n in range(4)] + [Drive(f"sd{c}", 480 * GB, way=sas(i)) for i, c in enumerate("bc")], None
    yield "disks that turn for the system", "disks", [Drive("sda", TB, "boot", rotational=1), Drive("sdb", TB, "boot", rotational=1), nvme(0, TB), nvme(1, TB)], None
    yield "disks that do not turn where they should", "disks", [Drive("sda", TB), Drive("sdb", TB), nvme(0, TB), nvme(1, TB)], "0 are there"
    yield "drives of virtio", "disks", [Drive("vda", TB, "boot", rotational=1), Drive("vdb", TB, "boot", rotational=1), nvme(0, TB), nvme(1, TB)], None
    yield "two namespaces of one drive", "alone", [nvme(0, 960 * GB, space=1), nvme(0, 960 * GB, space=2)], "namespaces"
    yield "data in another namespace of a boot drive", "alone", [nvme(0, 960 * GB, "boot"), nvme(0, 400 * GB, space=2), nvme(1, 960 * GB, "boot")], None
    yield "NVMe over a network, of the size of boot", "alone", boots() + [nvme(7, 960 * GB, transport="tcp"), nvme(8, 960 * GB, transport="rdma")], None
    yield "one boot drive, another over a network", "alone", boots()[:1] + [nvme(7, 960 * GB, transport="tcp")], "1 are there"
    yield "disks over iSCSI and Fibre Channel", "single", [Drive("sda", 480 * GB, "boot"), nvme(0, 3840 * GB), nvme(1, 3840 * GB), Drive("sdb", 480 * GB, way=iscsi(0)), Drive("sdc", 480 * GB, way=fibre(1))], None
    yield "the only disk of its size is over iSCSI", "single", [nvme(0, 3840 * GB), nvme(1, 3840 * GB), Drive("sdb", 480 * GB, way=iscsi(0))], "0 are there"
    yield "alike, told by their places", "paths", [nvme(0, 960 * GB, "boot", by_path="pci-0000:01:00.0-nvme-1"), nvme(1, 960 * GB, "boot", by_path="pci-0000:02:00.0-nvme-1"), nvme(2, 960 * GB), nvme(3, 960 * GB)], None
    yield "alike, the places the other way round", "paths", [nvme(0, 960 * GB), nvme(3, 960 * GB, "boot", by_path="pci-0000:01:00.0-nvme-1"), nvme(2, 960 * GB, "boot", by_path="pci-0000:02:00.0-nvme-1"), nvme(1, 960 * GB)], None
    yield "alike, and a place is empty", "paths", [nvme(0, 960 * GB, by_path="pci-0000:01:00.0-nvme-1"), nvme(2, 960 * GB), nvme(3, 960 * GB)], "no drive is at by-path pci-0000:02:00.0-nvme-1"
    yield "alike, and at a place is a larger drive", "paths", [nvme(0, 960 * GB, by_path="pci-0000:01:00.0-nvme-1"), nvme(1, 1920 * GB, by_path="pci-0000:02:00.0-nvme-1"), nvme(2, 960 * GB), nvme(3, 960 * GB)], "not as the spec has it"
    yield "alike, and one of the others is a second way to a boot drive", "paths", [nvme(0, 960 * GB, by_path="pci-0000:01:00.0-nvme-1", wwid="eui.01"), nvme(1, 960 * GB, by_path="pci-0000:02:00.0-nvme-1", wwid="eui.02"), nvme(2, 960 * GB, wwid="eui.03"), nvme(3, 960 * GB, wwid="eui.01")], "nvme0n1 and nvme3n1 are two ways"
    yield "alike, one more than the spec has", "paths", [nvme(0, 960 * GB, by_path="pci-0000:01:00.0-nvme-1"), nvme(1, 960 * GB, by_path="pci-0000:02:00.0-nvme-1")] + [nvme(n, 960 * GB) for n in (2, 3, 4)], "2 drives data"
    yield "alike, told by serial numbers", "serials", [nvme(0, 960 * GB), nvme(1, 960 * GB, "boot", serial="S-1 "), nvme(2, 960 * GB), nvme(3, 960 * GB, "boot", serial="S-0")], None
    yield "alike, and one serial number is not there", "serials", [nvme(0, 960 * GB, serial="S-0"), nvme(1, 960 * GB), nvme(2, 960 * GB), nvme(3, 960 * GB)], "no drive is at serial S-1"
    yield "alike, on a node without serial numbers", "serials/2", [nvme(n, 960 * GB, serial=f"S-{n}") for n in range(4)], "4 are there"
    yield "sizes that are nearly alike", "three", [Drive("sda", 480 * GB, "boot")] + [nvme(n, 3840 * GB if n < 2 else 3800 * GB) for n in range(4)] + [Drive(f"sd{c}", 480 * GB, way=sas(i)) for i, c in enumerate("bc")], None
    yield "no drives in the spec, one disk", "none", [nvme(0, 500 * GB, "boot")], None
    yield "no drives in the spec, one disk and a stick", "none", [Drive("sda", 500 * GB, "boot"), Drive("sdb", 16 * GB, removable=1, way=usb(1)), Drive("sr0", 4 * GB, removable=1)], None
    yield "no drives in the spec, two disks", "none", [nvme(0, 500 * GB), nvme(1, 4 * TB)], "exactly one disk: 2 are there"
    yield "no drives in the spec, one disk and eMMC", "none", [nvme(0, 500 * GB), Drive("mmcblk0", 32 * GB)], "exactly one disk"
    yield "no drives in the spec, one disk at USB", "none", [Drive("sda", 500 * GB, way=usb(1))], "no drive that a system"
    yield "no drives in the spec, one over a network", "none", [nvme(0, 500 * GB, transport="tcp")], "no drive that a system"
    yield "no drives in the spec, one eMMC", "none", [Drive("mmcblk0", 32 * GB)], "no drive that a system"
    yield "no drives in the spec, no disk", "none", [Drive("loop0", 500 * GB)], "exactly one disk: 0"


def by_chance(seed):
    """A layout of the pieces above: what it should end with follows from how it was made."""
    r = random.Random(seed)
    names = list(range(40))
    r.shuffle(names)
    drives = [nvme(names.pop(), 960 * GB + r.randrange(-9, 9) * GB, "boot") for _ in range(2)] + [nvme(names.pop(), 7680 * GB + r.randrange(-99, 99) * GB) for _ in range(8)]
    wrong = None
    for d in drives:
        if d.role == "boot" and r.random() < 0.5:
            system(d)
    others = [d for d in drives if d.role != "boot"]
    for d in others:
        if r.random() < 0.5:
            d.signature, d.parts = r.choice([("TYPE=xfs\nUUID=x", 0), ("PTTYPE=gpt", 2), ("TYPE=LVM2_member\nUUID=y", 0), ("", 0)])
    for _ in range(r.randrange(4)):
        drives.append(r.choice([lambda: Drive("sd" + "abcdefgh"[len(drives) % 8] + "xyz"[r.randrange(3)] + "pqrstuvw"[r.randrange(8)], 960 * GB, way=r.choice([usb(1), iscsi(2), sata(5), raid(3)])),
                                lambda: nvme(names.pop(), 960 * GB, transport="tcp"), lambda: nvme(names.pop(), 1920 * GB), lambda: Drive(f"loop{len(drives)}", 960 * GB)])())
    kind = r.randrange(7)
    if kind == 0:
        drives.remove(r.choice([d for d in drives if d.role == "boot"]))
        wrong = "1 are there"
    elif kind == 1:
        drives.append(nvme(names.pop(), 960 * GB))
        wrong = "3 are there"
    elif kind == 2:
        drives.remove(r.choice(others))
        wrong = "8 drives scratch"
    elif kind == 3:
        drives.append(nvme(names.pop(), 7680 * GB))
        wrong = "8 drives scratch"
    elif kind == 4:  # one boot drive went, and a data drive of its size came
        drives.remove(next(d for d in drives if d.role == "boot"))
        drives.append(nvme(names.pop(), 960 * GB, signature=r.choice(["TYPE=xfs\nUUID=x", "TYPE=linux_raid_member\nUUID=z", "TYPE=LVM2_member\nUUID=v"])))
        wrong = "has data on it as a whole"
    r.shuffle(drives)
    return f"chance {seed}", "pair", drives, wrong


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def link(at, to):
    if not at.is_symlink():
        at.symlink_to(os.path.relpath(to, at.parent))


def build(root, drives):
    """The layout as folders: ROOT/sys/block with links to ROOT/sys/devices, ROOT/dev."""
    shutil.rmtree(root, ignore_errors=True)
    devices, block, dev = root / "sys/devices", root / "sys/block", root / "dev"
    block.mkdir(parents=True), (dev / "disk/by-path").mkdir(parents=True)
    for d in drives:
        at = devices / d.folder()
        put(at / "size", f"{d.size // 512}\n")
        put(at / "removable", f"{d.removable}\n")
        put(at / "queue/rotational", f"{d.rotational}\n")
        (block / d.name).symlink_to(os.path.relpath(at, block))
        (at / "holders").mkdir()
        for holder in d.holders:
            (at / "holders" / holder).symlink_to(f"/nowhere/{holder}")
        for slave in getattr(d, "slaves", ()):
            (at / "slaves").mkdir(exist_ok=True)
            (at / "slaves" / slave).symlink_to(f"/nowhere/{slave}")
        for number in range(1, d.parts + 1):
            part = at / d.part(number)
            put(part / "size", "2048000\n")
            (part / "holders").mkdir()
            for holder in d.part_holders.get(number, ()):
                (part / "holders" / holder).symlink_to(f"/nowhere/{holder}")
            put(dev / d.part(number), "")
        put(dev / d.name, "")
        if d.by_path:
            (dev / "disk/by-path" / d.by_path).symlink_to(f"../../{d.name}")
        if d.way == "hidden":
            continue
        device = None
        if d.name.startswith("nvme"):
            device = at.parent
            put(device / "serial", (d.serial or f"N{d.name}").ljust(20) + "\n")
            if d.wwid:
                put(at / "wwid", d.wwid + "\n")
            if d.multipath:
                for controller in (0, 1):
                    put(device / f"nvme{controller}/transport", "pcie\n")
            else:
                pci = device.parent.parent
                put(device / "transport", (d.transport or "pcie") + "\n")
                put(root / f"drivers/{pci.name}/unbind", "")
                link(pci / "driver", root / f"drivers/{pci.name}")
                link(device / "device", pci)
        elif d.name.startswith("sd"):
            device = at.parent.parent
            put(device / "delete", "")
            serial = (d.serial or f"C{d.name}").encode()
            (device / "vpd_pg80").write_bytes(bytes([0, 0x80, 0, len(serial)]) + serial)
            if d.vendor:
                put(device / "vendor", d.vendor + "\n")
            if d.wwid:
                put(device / "wwid", d.wwid + "\n")
        elif d.name.startswith("vd"):
            device = at.parent.parent
            put(root / f"drivers/{device.name}/unbind", "")
            link(device / "driver", root / f"drivers/{device.name}")
        if device:
            link(at / "device", device)
    put(root / "mounts", "proc /proc proc rw 0 0\n" + "".join(f"/dev/{d.part(1)} /media ext4 rw 0 0\n" for d in drives if d.mounted))
    signs = {d.name: d.signature for d in drives} | {d.part(n): s for d in drives for n, s in d.part_signatures.items()}
    for name, text in signs.items():
        put(root / "signs" / name, text + "\n" if text else "")


# What the scripts call, as functions of the shell (BusyBox prefers its own programs to those of PATH): those that look at or change a device write down what they are told.
PROGRAMS = r"""
for program in blockdev wipefs mdadm logger sleep pvs udevadm parted sfdisk; do eval "$program() { echo \"$program \$*\" >> \"\$ROOT/told\"; }"; done
dd() { case $* in *if=/dev/zero*) echo "dd $*" >> "$ROOT/told" ;; *) command dd "$@" ;; esac; }
blkid() {
  for last; do :; done
  if [ ! -s "$ROOT/signs/${last##*/}" ]; then return 2; fi
  if grep -qx ambivalent "$ROOT/signs/${last##*/}"; then return 8; fi
  cat "$ROOT/signs/${last##*/}"
}
"""


def programs(folder, busybox):
    folder.mkdir(parents=True)
    if busybox:
        for name in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
            (folder / name).symlink_to(busybox)
    put(folder / "debconf-set", '#!/bin/sh\necho "debconf-set $*" >> "$ROOT/told"\n')
    (folder / "debconf-set").chmod(0o755)


def written(root, before):
    """{what: text} of all that a script has written for its installer or a device."""
    out = {}
    for name in ("disks.ks", "autoinstall.yaml", "told"):
        file = root / name
        if file.exists() and file.read_text() != before.get(name, ""):
            out[name] = file.read_text()
    for file in list(root.glob("sys/devices/**/delete")) + list(root.glob("drivers/*/unbind")):
        if file.read_text():
            out[str(file.relative_to(root))] = file.read_text()
    return out


def names_in(text, drives):
    """The drives of the machine that a text names, by themselves or by a partition."""
    words = re.findall(r"[A-Za-z0-9!-]+", text)
    found = set()
    for d in drives:
        if any(w == d.name or re.fullmatch(re.escape(d.name) + (r"p\d+" if d.name[-1].isdigit() else r"\d+"), w) for w in words):
            found.add(d.name)
    return found


def scripts_of(tree, group, system):
    """The script of a group, and what it writes to."""
    if system == "debian":
        return (tree / f"preseed/{group}-disks.sh").read_text()
    if system == "ubuntu":
        return (tree / f"autoinstall/{group}/disks.sh").read_text()
    return re.search(r"^%pre .*?\n(.*?)^%end$", (tree / f"kickstart/{group}.ks").read_text(), re.M | re.S)[1]


class Run:
    """One script on one layout: its exit status, what it said and what it wrote."""

    def __init__(self, root, tree, programs_of, shell, group, system, host):
        shutil.rmtree(root / "drivers.told", ignore_errors=True)
        placeholders = "storage: { config: [ { path: /dev/cluster-disk-1 }, { path: /dev/cluster-disk-2 } ] }\n"
        put(root / "autoinstall.yaml", placeholders)
        put(root / "cmdline", f"quiet cluster.host={host}\n")
        for name in ("told", "disks.ks"):
            (root / name).unlink(missing_ok=True)
        put(root / "script.sh", PROGRAMS + scripts_of(tree, group, system))
        environment = {"PATH": str(programs_of[shell]) + ("" if shell == "busybox" else ":/usr/bin:/bin"), "SYS_BLOCK": str(root / "sys/block"), "DEV": str(root / "dev"), "ROOT": str(root),
                       "MOUNTS": str(root / "mounts"), "CMDLINE": str(root / "cmdline"), "DISKS_KS": str(root / "disks.ks"), "AUTOINSTALL": str(root / "autoinstall.yaml"), "LC_ALL": "C"}
        words = {"dash": ["/bin/dash"], "busybox": [shutil.which("busybox"), "sh"]}[shell]
        done = subprocess.run([*words, str(root / "script.sh")], env=environment, capture_output=True, text=True, timeout=120)
        self.status, self.said = done.returncode, done.stdout + done.stderr
        self.written = written(root, {"autoinstall.yaml": placeholders})
        self.told = self.written.pop("told", "").splitlines()


def judge(run, system, drives, expected):
    """What is wrong with a run; empty: nothing."""
    boot = {d.name for d in drives if d.role == "boot"}
    own = {d.name: d for d in drives}
    wrong = []
    for word in ("not found", "bad substitution", "Syntax error", "unexpected operator", "integer expression", "Illegal", "bad number", "No such file"):
        if word in run.said:
            wrong.append(f"the shell complains: {run.said}")
    protected = {line.split("/")[-1] for line in run.told if line.startswith("blockdev --setro ")}
    let_go = {name for name in run.written if name.startswith(("sys/", "drivers/"))}
    set_for = "\n".join([line for line in run.told if line.startswith("debconf-set ")] + [run.written[n] for n in ("disks.ks", "autoinstall.yaml") if n in run.written])
    cleared = {re.search(r"of=\S*/([^/ ]+)", line)[1] for line in run.told if line.startswith("dd ")}
    if expected is not None:
        if run.status == 0:
            wrong.append("it does not stop")
        if not re.search(expected, run.said):
            wrong.append(f"it says {run.said!r}")
        if set_for or cleared or protected or let_go:
            wrong.append(f"it has written {sorted(run.written)} {run.told}")
        return wrong
    if run.status != 0:
        return wrong + [f"it stops: {run.said}"]
    named = names_in(set_for, drives)
    if named != boot:
        wrong.append(f"the system goes to {sorted(named)}, boot are {sorted(boot)}")
    of_boot = {f for b in boot for f in [b] + [own[b].part(n) for n in range(1, own[b].parts + 1)]}
    if not cleared <= of_boot or (system == "debian") != bool(cleared) or (cleared and cleared != of_boot):
        wrong.append(f"cleared: {sorted(cleared)}, boot has {sorted(of_boot)}")
    kept = {f for d in drives if d.role == "data" and d.way != "hidden" and not d.removable and d.size and not re.match("loop|zram|ram|sr|fd|nbd|mmcblk.*(boot|rpmb)", d.name) for f in [d.name] + [d.part(n) for n in range(1, d.parts + 1)]}
    if protected != kept:
        wrong.append(f"kept from being written to: {sorted(protected)}, expected {sorted(kept)}")
    if any(line.split()[0] not in ("blockdev", "debconf-set", "dd", "pvs", "logger") for line in run.told):
        wrong.append(f"it called {run.told}")
    controllers = {b.folder().split("/nvme/")[0].split("/")[-1] for b in (own[n] for n in boot)}
    for path in let_go:
        if system != "debian" or any(f"/{b}/" in path for b in boot) or any(path == f"drivers/{c}/unbind" for c in controllers) or any(path == str(pathlib.PurePath("sys/devices") / pathlib.PurePath(own[b].folder()).parent.parent / "delete") for b in boot):
            wrong.append(f"a boot drive is let go of, or one by another installer: {path}")
    return wrong


def compile_tree(program, work):
    groups, nodes = {}, []
    for plan, drives in PLANS.items():
        for system, os_name in INSTALLERS.items():
            groups[plan, system] = group = f"{plan}-{system}"
            nodes.append(f'  {group}: {{ names: "{group}-[1-2]", server: {{ like: lenovo-sr680a-v3, nics: {{ data: cx6-vpi-200 }}{", drives: { " + drives + " }" if drives else ""} }}, software: {{ os: {os_name} }} }}')
    put(work / "devices.csv", SERIALS)
    put(work / "layouts.yaml", SPEC % ("\n".join(nodes), " ".join(f"{g}: {{ count: 1 }}," for g in groups.values())))
    done = subprocess.run([program, "compile", work / "layouts.yaml", "-o", work / "tree", "--only", "preseed,autoinstall,kickstart"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"FAILED: clusterc compile: {done.stdout}{done.stderr}")
    return work / "tree", groups


def main():
    program, work = sys.argv[1], pathlib.Path(sys.argv[3])
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    for shell in ("dash", "busybox"):
        if not shutil.which(shell):
            skipping.missing(f"{shell} not installed")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    work = work.resolve()
    tree, groups = compile_tree(program, work)
    programs_of = {shell: work / f"bin-{shell}" for shell in ("dash", "busybox")}
    for shell, folder in programs_of.items():
        programs(folder, shutil.which("busybox") if shell == "busybox" else None)
    failed, ran, stopped = [], 0, 0
    by_hand = list(layouts())
    pairs = [(system, shell) for system in INSTALLERS for shell in programs_of]
    for number, (name, plan, drives, expected) in enumerate(by_hand + [by_chance(seed) for seed in range(len(by_hand))]):
        if only not in name:
            continue
        # By hand: each installer, the shells in turn; by chance: one of the six.
        chosen = [(system, list(programs_of)[(number + i) % 2]) for i, system in enumerate(INSTALLERS)] if number < len(by_hand) else [pairs[number % len(pairs)]]
        plan, member = plan.split("/") if "/" in plan else (plan, "1")
        for system, shell in chosen:
            build(work / "machine", drives)
            run = Run(work / "machine", tree, programs_of, shell, groups[plan, system], system, f"{groups[plan, system]}-{member}")
            ran += 1
            stopped += expected is not None
            for wrong in judge(run, system, drives, expected):
                failed.append(f"{name} ({plan}, {system}, {shell}): {wrong}")
    for line in failed:
        print("FAILED:", line)
    if failed:
        sys.exit(1)
    print(f"ok: {len(by_hand)} layouts by hand and as many by chance, {ran} runs of the compiled scripts with dash and BusyBox: {ran - stopped} went on with the drives that are boot alone, {stopped} stopped and wrote nothing")


if __name__ == "__main__":
    main()
