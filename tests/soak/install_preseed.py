#!/usr/bin/env python3
"""Installs a machine with Debian's own network installer and the compiled preseed, in QEMU without KVM, and looks at every drive afterwards.

    install_preseed.py CLUSTERC WORK_DIR [--layout planned|alike|short|data-on-boot|all] [--until base|end] [--memory MIB] [--hours N]

The machine has ten drives: two for the system, eight with data (file systems, a table of partitions with swap, a volume group, members of an array, plain bytes). It is
started as the compiled boot menu starts it, from the compiled address; the packages come from the mirrors that apt of this machine is configured with, through the web
server below, as the spec's own mirror.
  planned       the drives of the spec: the system lies on the two boot drives, the eight others have every byte that they had
  short         one data drive is missing: the installer stops, and every drive has every byte that it had
  alike         a third drive of the size of the boot drives: the same
  data-on-boot  one of the boot drives holds a file system as a whole: the same
It takes an hour or more on two cores and is no part of the test suite. It needs qemu-system-x86, xz-utils, cpio, file, kmod, socat, xfsprogs, e2fsprogs, fdisk, and root for the volume group
(lvm2; left out where there are no loop devices). Exit status: 0 all as it should be, 1 not, 77 something that is needed is not here.

A mirror may lack some of the installer's own packages (udebs), above all those of the kernel of its network image after a newer one is out. What is done then is printed: the
kernel is another one of the same mirror whose modules are all there, and e2fsprogs-udeb is packed from the program's ordinary package; such an index has no signature, and the
installer is told not to ask for one.
"""
import argparse
import hashlib
import http.server
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import threading
import time
import urllib.request
import uuid

HERE = pathlib.Path(__file__).resolve().parent
SUITE, RELEASE, ARCH = "trixie", "13", "amd64"
NETBOOT = f"debian-installer-{RELEASE}-netboot-{ARCH}"
BOOT_BYTES, DATA_BYTES = 4_000_000_000, 320_000_000  # whole sectors; the spec says 4 GB and 320 MB


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, flush=True)


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, **options)


def missing(text):
    print("skipped:", text)
    sys.exit(77)


# --- packages -----------------------------------------------------------------------------------------------------------------------------------------------------------


def apt_mirrors():
    """The addresses of Debian's archives that apt of this machine reads, by the last part of their path: debian, debian-security."""
    lines = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)"], capture_output=True, text=True, check=True).stdout.split()
    found = {}
    for uri in lines:
        name = uri.rstrip("/").rsplit("/", 1)[-1]
        if name in ("debian", "debian-security"):
            found.setdefault(name, uri.rstrip("/"))
    if "debian" not in found:
        missing("apt of this machine reads no archive of Debian")
    return found


class Archive:
    """Files of the archives, kept in a folder: the second run asks for none again."""

    def __init__(self, cache):
        self.mirrors, self.cache, self.lock, self.asked, self.gone = apt_mirrors(), cache, threading.Lock(), {}, set()

    def get(self, which, path):
        """The file PATH of the archive WHICH, on disk; None: the mirror does not have it."""
        at = self.cache / which / path
        if at.exists():
            return at
        with self.lock:
            lock = self.asked.setdefault((which, path), threading.Lock())
        with lock:
            if at.exists():
                return at
            if which not in self.mirrors or (which, path) in self.gone:
                return None
            for again in range(3):
                try:
                    with urllib.request.urlopen(f"{self.mirrors[which]}/{path}", timeout=120) as answer:
                        data = answer.read()
                    break
                except urllib.error.HTTPError as error:
                    if error.code in (403, 404, 410):
                        self.gone.add((which, path))
                        return None
                except OSError:
                    pass
                time.sleep(2 + 5 * again)
            else:
                return None
            at.parent.mkdir(parents=True, exist_ok=True)
            new = at.with_name(at.name + f".{threading.get_ident()}")
            new.write_bytes(data)
            new.rename(at)
            return at

    def has(self, path):
        at = self.cache / "debian" / path
        if at.exists():
            return True
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{self.mirrors['debian']}/{path}", method="HEAD"), timeout=60):
                return True
        except OSError:
            return False

    def index(self, part):
        """The packages of a part of the archive (main/binary-amd64), by name: fields by their names; several versions of a kernel have names of their own."""
        found = {}
        for block in lzma.decompress(self.get("debian", f"dists/{SUITE}/{part}/Packages.xz").read_bytes()).decode().split("\n\n"):
            fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", block, re.M))
            if fields:
                fields["text"] = block
                found[fields["Package"]] = fields
        return found


def unpack(deb, folder):
    run("dpkg-deb", "-x", deb, folder)


class Installer:
    """Kernel and initial file system of Debian's network image, and the index of the packages that it loads, with what the mirror lacks in its place."""

    def __init__(self, archive, work):
        self.archive, self.work = archive, work
        self.index = archive.index(f"main/debian-installer/binary-{ARCH}")
        self.files = {}  # that take the place of the mirror's: none where it has everything
        packages = archive.index(f"main/binary-{ARCH}")
        image = work / "netboot"
        if not image.exists():
            unpack(archive.get("debian", packages[NETBOOT]["Filename"]), image)
        folder = image / f"usr/lib/debian-installer/images/{RELEASE}/{ARCH}/text/debian-installer/{ARCH}"
        self.kernel, self.initrd = folder / "linux", folder / "initrd.gz"
        self.kernel_of_mirror()
        self.log_to_second_port()
        self.e2fsprogs(packages)
        self.leave_out_missing()

    def log_to_second_port(self):
        """The installer's log goes to the second serial port, so that an error can be read."""
        tree = self.work / "log-to-port"
        script = tree / "usr/lib/debian-installer-startup.d/S02log-to-port"
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text("#!/bin/sh\n(while [ ! -e /var/log/syslog ]; do sleep 1; done; exec tail -n +1 -f /var/log/syslog > /dev/ttyS1) < /dev/null > /dev/null 2>&1 &\n")
        script.chmod(0o755)
        more = subprocess.run("find usr | cpio -o -H newc --quiet | gzip -1", shell=True, cwd=tree, capture_output=True, check=True).stdout
        logged = self.work / "initrd-logged.gz"
        logged.write_bytes(self.initrd.read_bytes() + more)
        self.initrd = logged

    def modules(self, release):
        return {name: p for name, p in self.index.items() if name.endswith(f"-{release}-di")}

    def kernel_of_mirror(self):
        status = subprocess.run(f"zcat {self.initrd} | cpio -i --quiet --to-stdout var/lib/dpkg/status", shell=True, capture_output=True, text=True, check=True).stdout
        self.inside = set(re.findall(r"^Package: (\S+)$", status, re.M))  # the image has these itself
        inside = re.findall(r"^Package: (\S+)-di$", status, re.M)
        own = next(name[len("kernel-image-") :] for name in inside if name.startswith("kernel-image-"))
        names = [name[: -len(own) - 1] for name in inside if name.endswith(own)]

        def whole(release):
            these = self.modules(release)
            return these and all(self.archive.has(p["Filename"]) for name, p in these.items() if name.startswith(("kernel-image", "ext4-", "md-", "sata-", "scsi-")))

        if whole(own):
            return
        others = sorted({name[len("kernel-image-") : -len("-di")] for name in self.index if name.startswith("kernel-image-")}, key=lambda r: [int(n) for n in re.findall(r"\d+", r)])
        release = next((r for r in reversed(others) if "cloud" not in r and whole(r)), None)
        if not release:
            missing(f"the mirror has no whole set of kernel modules for Debian's installer (the image has {own})")
        say(f"the mirror has no modules of the image's kernel, {own}: {release} of the same mirror is started in its place")
        tree = self.work / f"kernel-{release}"
        if not tree.exists():
            for name in names:
                package = self.index.get(f"{name}-{release}-di")
                if package and (deb := self.archive.get("debian", package["Filename"])):
                    unpack(deb, tree)
            lib = tree / "usr/lib"
            lib.mkdir(parents=True, exist_ok=True)
            if (tree / "lib").is_dir() and not (tree / "lib").is_symlink():
                shutil.copytree(tree / "lib", lib, dirs_exist_ok=True)
                shutil.rmtree(tree / "lib")
            run("ln", "-s", "usr/lib", tree / "lib")
            run("depmod", "-b", tree, release)
        self.kernel = next((tree / "boot").glob("vmlinuz*"))
        more = subprocess.run("find usr | cpio -o -H newc --quiet | gzip -1", shell=True, cwd=tree, capture_output=True, check=True).stdout
        both = self.work / "initrd.gz"
        both.write_bytes(self.initrd.read_bytes() + more)
        self.initrd = both

    def e2fsprogs(self, packages):
        package = self.index["e2fsprogs-udeb"]
        if self.archive.has(package["Filename"]):
            return
        say("the mirror has no e2fsprogs-udeb: packed from e2fsprogs of the same release")
        tree = self.work / "e2fsprogs-udeb"
        shutil.rmtree(tree, ignore_errors=True)
        for name in ("e2fsprogs", "libext2fs2t64", "libcom-err2", "libss2"):
            deb = self.archive.get("debian", packages[name]["Filename"])
            if not deb:
                missing(f"the mirror has no {name}")
            unpack(deb, tree)
        for part in ("usr/share", "usr/lib/systemd", "etc"):
            shutil.rmtree(tree / part, ignore_errors=True)
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN/control").write_text("".join(line + "\n" for line in package["text"].splitlines() if line.split(":")[0] in ("Package", "Version", "Architecture", "Maintainer", "Description", "Provides", "Source")))
        udeb = self.work / "e2fsprogs.udeb"
        run("dpkg-deb", "--build", "--root-owner-group", "-Zxz", tree, udeb, stdout=subprocess.DEVNULL)
        text = package["text"]
        # Its libraries are inside.
        text = re.sub(r"^Depends: .*$", "Depends: libc6-udeb, libblkid1-udeb, libuuid1-udeb", text, flags=re.M)
        text = re.sub(r"^Size: .*$", f"Size: {udeb.stat().st_size}", text, flags=re.M)
        text = re.sub(r"^SHA256: .*$", f"SHA256: {hashlib.sha256(udeb.read_bytes()).hexdigest()}", text, flags=re.M)
        text = re.sub(r"^(MD5sum|Description-md5): .*\n", "", text, flags=re.M)
        package["text"] = text
        self.files["debian/" + package["Filename"]] = udeb.read_bytes()

    def leave_out_missing(self):
        """The installer asks again and again for a package that stands in the index and not on the mirror: such packages are left out, of others' Depends too (partitioning asks for NTFS's)."""
        from concurrent.futures import ThreadPoolExecutor

        release = subprocess.run(["file", "-b", self.kernel], capture_output=True, text=True).stdout
        names = [n for n, p in self.index.items() if n not in self.inside and "debian/" + p["Filename"] not in self.files and (not n.endswith("-di") or re.search(r"version (\S+)", release)[1] in n)]
        with ThreadPoolExecutor(8) as pool:
            gone = {n for n, there in zip(names, pool.map(lambda n: self.archive.has(self.index[n]["Filename"]), names)) if not there}
        gone |= {n for n in self.index if n.endswith("-di") and n not in names and n not in self.inside}
        told = {n for n in gone if not n.endswith("-di")}
        if not told:
            return
        say("left out, as the mirror lacks them:", " ".join(sorted(told)))
        for name in gone:
            del self.index[name]
        for p in self.index.values():
            if "Depends" in p:
                kept = [d for d in p["Depends"].split(", ") if d.split()[0] not in told]
                p["text"] = p["text"].replace("\nDepends: " + p["Depends"] + "\n", "\nDepends: " + ", ".join(kept) + "\n" if kept else "\n")
        self.files.setdefault("", b"")

    def instead(self):
        """Files of the archive that take the place of the mirror's, by their paths."""
        if not self.files:
            return {}
        index = lzma.compress("".join(p["text"].strip("\n") + "\n\n" for p in self.index.values()).encode())
        path = f"main/debian-installer/binary-{ARCH}/Packages.xz"
        release = self.archive.get("debian", f"dists/{SUITE}/Release").read_text()
        head = release.split("\nSHA256:\n")[0].split("\nMD5Sum:\n")[0]
        release = re.sub(r"^Components: .*$", "Components: main", head, flags=re.M) + f"\nSHA256:\n {hashlib.sha256(index).hexdigest()} {len(index)} {path}\n"
        return self.files | {f"debian/dists/{SUITE}/Release": release.encode(), f"debian/dists/{SUITE}/{path}": index}


def serve(tree, archive, instead, log):
    """A web server on 127.0.0.1: /cluster is the compiled tree, /packages the mirror. What was asked for goes to LOG. Returns its port."""

    class Answers(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self.do_GET()

        def do_GET(self):
            path = urllib.request.unquote(self.path.split("?")[0]).lstrip("/")
            file, data = None, None
            if ".." in path.split("/"):
                pass
            elif path.startswith("cluster/"):
                file = tree / path[len("cluster/") :]
            elif match := re.match(r"packages/[^/]+/(debian|debian-security)/(.*)", path):
                data = instead.get(f"{match[1]}/{match[2]}")
                if data is None:
                    file = archive.get(match[1], match[2])
            if data is None and file and file.is_file():
                data = file.read_bytes()
            with open(log, "a", encoding="utf-8") as out:
                out.write(f"{time.strftime('%H:%M:%S')} {self.command} {200 if data is not None else 404} {path}\n")
            self.send_response(200 if data is not None else 404)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            if self.command == "GET" and data:
                self.wfile.write(data)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


# --- drives -------------------------------------------------------------------------------------------------------------------------------------------------------------


def md_member(path, number, array, size):
    """Makes PATH a member of a RAID 1 of two, version 1.2 (Linux, include/uapi/linux/raid/md_p.h, struct mdp_superblock_1), with an ext4 file system of its own."""
    data_offset, sectors = 2048, size // 512
    block = bytearray(512)
    struct.pack_into("<IIII16s32sQIIQIIQ", block, 0, 0xA92B4EFC, 1, 0, 0, array.bytes, b"soak:scratch", 1_700_000_000, 1, 0, sectors - data_offset, 0, 2, 0)
    struct.pack_into("<QQQQIIQ", block, 128, data_offset, sectors - data_offset, 8, 0, number, 0, 0)
    block[168:184] = uuid.uuid5(array, str(number)).bytes
    struct.pack_into("<QQQII", block, 192, 1_700_000_000, 7, 0xFFFFFFFFFFFFFFFF, 0, 128)
    roles = struct.pack("<128H", 0, 1, *([0xFFFF] * 126))
    whole = bytes(block[:256]) + roles
    total = sum(struct.unpack(f"<{len(whole) // 4}I", whole))
    struct.pack_into("<I", block, 216, (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF)
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(bytes(block[:256]) + roles)


def fill(path, size, seed):
    """A drive with plain bytes that no two drives have alike."""
    with open(path, "wb") as file:
        state, left = hashlib.sha256(str(seed).encode()).digest(), size
        block = b"".join(hashlib.sha256(state + struct.pack("<I", i)).digest() for i in range(32768))
        while left > 0:
            file.write(block[: min(left, len(block))])
            left -= len(block)


def make_drives(folder, layout):
    """The drives of the machine: [(file, bus, has data)]. The boot drives stand between the others."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    drives = []

    def drive(name, bus, size, data):
        path = folder / name
        with open(path, "wb") as file:
            file.truncate(size)
        drives.append((path, bus, data))
        return path

    def ext4(path, *options):
        run("mkfs.ext4", "-q", "-F", *options, path, stdout=subprocess.DEVNULL)

    ext4(drive("data0-ext4", "nvme", DATA_BYTES, True), "-L", "scratch", "-d", HERE)
    first = drive("boot0", "nvme", BOOT_BYTES, False)
    array = uuid.UUID("0fd1b1d4-53b5-4b7c-8f5e-0d4f6b1c5a01")
    for number in (0, 1):
        path = drive(f"data{1 + number}-raid", "nvme", DATA_BYTES, True)
        fill(path, DATA_BYTES, "raid")
        md_member(path, number, array, DATA_BYTES)
    if layout != "short":
        fill(drive("data3-bytes", "nvme", DATA_BYTES, True), DATA_BYTES, "bytes")
    drive("boot1", "nvme", BOOT_BYTES, False)
    run("mkfs.xfs", "-q", "-f", drive("bulk0-xfs", "sata", DATA_BYTES, True))
    parts = drive("bulk1-partitions", "sata", DATA_BYTES, True)
    run("sfdisk", "-q", parts, input=b"label: gpt\nstart=2048, size=204800, type=swap\nstart=206848, size=300000, type=linux\n", stdout=subprocess.DEVNULL)
    swap = folder / "swap"
    with open(swap, "wb") as file:
        file.truncate(204800 * 512)
    run("mkswap", "-U", "6f1e7a7e-0e9a-4a53-9f0f-2d5b3a1e4c01", swap, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(parts, "r+b") as file:
        file.seek(2048 * 512)
        file.write(swap.read_bytes())
    swap.unlink()
    run("mkfs.ext4", "-q", "-F", "-E", f"offset={206848 * 512}", parts, "150000k", stdout=subprocess.DEVNULL)
    volume = drive("bulk2-lvm", "sata", DATA_BYTES, True)
    made = subprocess.run(["sh", "-c", f"loop=$(losetup -f --show {volume}) && pvcreate -qq $loop && vgcreate -qq soakdata $loop; code=$?; losetup -d $loop; exit $code"], capture_output=True)
    if made.returncode:
        say("no volume group could be made here: bulk2 has plain bytes")
        fill(volume, DATA_BYTES, "volume")
    fill(drive("bulk3-bytes", "sata", DATA_BYTES, True), DATA_BYTES, "bulk")
    if layout == "alike":
        ext4(drive("third-of-its-size", "nvme", BOOT_BYTES, True), "-L", "archive")
    if layout == "data-on-boot":
        ext4(first, "-L", "archive")
    return drives


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# --- the machine --------------------------------------------------------------------------------------------------------------------------------------------------------


class Machine:
    def __init__(self, work, drives, port, address, memory, kernel=None, initrd=None, arguments="", log="console.log"):
        self.log = work / log
        for old in (self.log, self.log.with_suffix(".syslog")):
            old.unlink(missing_ok=True)
        relay = f"socat - TCP4:127.0.0.1:{port}"
        network = re.sub(r"\.\d+$", "", address)
        command = ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", str(memory), "-nodefaults", "-display", "none", "-no-reboot",
                   "-serial", f"file:{self.log}", "-serial", f"file:{self.log.with_suffix('.syslog')}", "-monitor", "none", "-device", "virtio-rng-pci",
                   "-netdev", f"user,id=lan,restrict=on,net={network}.0/24,host={network}.2,dns={network}.3,dhcpstart={network}.100,hostname=n1,guestfwd=tcp:{address}:80-cmd:{relay}",
                   "-device", "virtio-net-pci,netdev=lan"]
        port = 0
        for number, (path, bus, _) in enumerate(drives):
            command += ["-drive", f"file={path},format=raw,if=none,id=d{number},discard=unmap,detect-zeroes=unmap,cache=unsafe"]
            if bus == "nvme":
                command += ["-device", f"nvme,drive=d{number},serial=SOAK{number:04d}" + (",bootindex=1" if path.name == "boot0" else "")]
            else:
                command += ["-device", f"ide-hd,drive=d{number},bus=ide.{port},serial=SOAK{number:04d},rotation_rate=1"]
                port += 1
        if kernel:
            command += ["-kernel", str(kernel), "-initrd", str(initrd), "-append", arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def wait(self, seconds, until=None):
        """Until it has ended, or its console shows UNTIL: true; false where neither came in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if until and re.search(until, self.text()):
                return True
            if failed := re.search(r"!! ERROR: [^\r\n]*", self.text()):
                say("  the installer says:", failed[0], "- its log is in", self.log.with_suffix(".syslog"))
                return False
            if self.process.poll() is not None:
                return bool(re.search(until, self.text())) if until else self.process.returncode == 0
            time.sleep(2)
        return False

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)


def partition_kinds(path):
    return subprocess.run(["sfdisk", "--dump", str(path)], capture_output=True, text=True).stdout


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("clusterc", type=pathlib.Path)
    options.add_argument("work", type=pathlib.Path)
    options.add_argument("--layout", default="all", choices=["planned", "short", "alike", "data-on-boot", "all"])
    options.add_argument("--until", default="end", choices=["base", "end"], help="base: stop once the base system is on the drives")
    options.add_argument("--memory", type=int, default=1536)
    options.add_argument("--hours", type=float, default=4)
    asked = options.parse_args()
    for program in ("qemu-system-x86_64", "cpio", "depmod", "socat", "mkfs.xfs", "mkfs.ext4", "sfdisk", "dpkg-deb", "apt-get"):
        if not shutil.which(program):
            missing(f"{program} not installed")
    work = asked.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    archive = Archive(work / "cache")
    installer = Installer(archive, work)
    tree = work / "tree"
    run(asked.clusterc.resolve(), "compile", HERE / "install_preseed.yaml", "-o", tree, "--force", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    (tree / "authorized_keys").write_text("ssh-ed25519 AAAA somebody@example\n")
    menu = (tree / "ipxe/n.ipxe").read_text()
    arguments = re.search(r"^kernel \S+ initrd=initrd (.*)$", menu, re.M)[1].replace("${hostname}", "n1")
    address = re.search(r"url=http://([0-9.]+)/", arguments)[1]
    # No DHCP server of the cluster is here: QEMU's names no name server to a machine that reaches nothing else.
    arguments = re.sub(r" BOOTIF=\S+", "", arguments) + f" netcfg/get_nameservers={address} DEBIAN_FRONTEND=text console=ttyS0"
    instead = installer.instead()
    if instead:
        arguments += " debian-installer/allow_unauthenticated=true"
    port = serve(tree, archive, instead, work / "http.log")
    failed = []

    def check(text, good):
        say("ok:" if good else "FAILED:", text)
        if not good:
            failed.append(text)

    layouts = ["short", "alike", "data-on-boot", "planned"] if asked.layout == "all" else [asked.layout]
    for layout in layouts:
        drives = make_drives(work / "drives", layout)
        before = {path: None if layout == "planned" and not data else digest(path) for path, _, data in drives}
        say(f"{layout}: {len(drives)} drives, {sum(data for _, _, data in drives)} with data; started with: {arguments}")
        machine = Machine(work, drives, port, address, asked.memory, installer.kernel, installer.initrd, arguments, f"{layout}.log")
        try:
            if layout != "planned":
                stopped = machine.wait(asked.hours * 3600, r"clusterc: this node is not installed")
                check(f"{layout}: the installer stops with a message on the console", stopped)
                time.sleep(90)  # what goes on behind a message would write now
                check(f"{layout}: it waits", machine.process.poll() is None)
            elif asked.until == "base":
                check(f"{layout}: the base system is installed", machine.wait(asked.hours * 3600, r"Select and install software|Installing the base system.*100%"))
            else:
                check(f"{layout}: the installation ends by itself", machine.wait(asked.hours * 3600))
        finally:
            machine.stop()
        for line in sorted(set(re.findall(r"clusterc: [^\r\n\x1b]*", machine.text()))):
            say("  the console says:", line)
        for path, _, data in drives:
            if data or layout != "planned":
                check(f"{layout}: {path.name} has every byte that it had", digest(path) == before[path])
            else:
                check(f"{layout}: {path.name} has the partitions of a system", "label: gpt" in partition_kinds(path))
        if layout == "planned" and asked.until == "end" and not failed:
            say("the machine is started from its own drives")
            machine = Machine(work, drives, port, address, asked.memory, log="started.log")
            try:
                check("planned: the installed system starts from the boot drives", machine.wait(1800, r"n1 login:|GNU/Linux"))
            finally:
                machine.stop()
    say("failed: " + "; ".join(failed) if failed else "all as it should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
