#!/usr/bin/env python3
"""Two NFS servers that are set up from compiled files fail over, in QEMU without KVM: real kernel (MD, XFS, nfsd), Corosync, Pacemaker, fence_redfish.

    nfs_failover.py CLUSTERC WORK_DIR [--kills N] [--slow FACTOR]

nfs1 and nfs2 share two SCSI drives; a third machine mounts the address that moves, writes records and calls fsync after each one. What was acknowledged is kept on this
side. The BMCs are a Redfish service of this program: it turns a machine off by killing its QEMU, and on by starting it again from the same drives.
  drives   prepare-drives refuses a drive with data and leaves every byte of it; it works on empty drives, and does nothing when it is called again
  start    the cluster starts on one server; the other one has no array and no mount, also from its initramfs
  kill     the active server loses its power (SIGKILL), N times; every acknowledged record is there
  freeze   the active server stops without a word (SIGSTOP): it is fenced, and then the other one serves
  split    the network between the servers is cut: one of them is turned off, one serves
  bmc      fencing fails: the other server mounts nothing, for as long as the BMC refuses; it serves once it works again
  async    the negative test: with `async` exports the same kill loses acknowledged records, and this program sees it
Some minutes on two idle cores. On a machine with other work, `--slow 5` gives each step, Corosync's token and the timeouts of cib.xml five times as long: emulated
processors that wait for a real one look dead to each other. It needs root, qemu-system-x86, qemu-utils, mmdebstrap, e2fsprogs, socat, openssl, openssh-client, and an archive of Debian 12. Drives are
files of this machine: what QEMU has written survives its end, as on drives without a volatile cache.
Exit status: 0 all as it should be, 1 not, 77 something that is needed is not here.
"""
import argparse
import base64
import hashlib
import http.server
import inspect
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tarfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SPEC = HERE.parent / "golden/compile/nfs-failover/spec.yaml"
SUITE = "bookworm"
PACKAGES = ("systemd-sysv,udev,kmod,iproute2,linux-image-cloud-amd64,corosync,pacemaker,pacemaker-cli-utils,resource-agents,fence-agents,mdadm,xfsprogs,nfs-kernel-server,"
            "openssh-server,python3,psmisc,procps,ca-certificates")
DRIVE_BYTES = 512_000_000
USER, PASSWORD = "fence", "a password of the test"
SERVERS = ("nfs1", "nfs2")
MACHINES = SERVERS + ("n1",)
START = time.monotonic()
SLOW = 1


def say(*words):
    print(f"{time.monotonic() - START:7.1f} s ", *words, flush=True)


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, **options)


def skip(text):
    print("skipped:", text)
    sys.exit(77)


class Failed(Exception):
    pass


def demand(good, text):
    if not good:
        raise Failed(text)
    say("  ok:", text)


def wait_for(text, seconds, ask):
    """Asks once a second until the answer is true; the answer."""
    end = time.monotonic() + seconds * SLOW
    while time.monotonic() < end:
        answer = ask()
        if answer:
            return answer
        time.sleep(1)
    raise Failed(f"not within {seconds * SLOW} s: {text}")


# --- the compiled tree ----------------------------------------------------------------------------------------------------------------------------------------------------


class Tree:
    def __init__(self, clusterc, work):
        text = SPEC.read_text().replace("size: 7.68 TB", f"size: {DRIVE_BYTES // 1_000_000} MB")
        assert text != SPEC.read_text()
        (work / "spec.yaml").write_text(text)
        self.folder = work / "tree"
        shutil.rmtree(self.folder, ignore_errors=True)
        run(clusterc, "compile", work / "spec.yaml", "-o", self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.files = self.folder / "nfs/home"
        corosync = (self.files / "corosync.conf").read_text()
        self.rings = {name: dict(re.findall(r"(ring\d)_addr: (\S+)", block))
                      for name, block in re.findall(r"^ +name: (nfs\d)\n(.*?)\n    }", corosync, re.S | re.M)}
        cib = (self.files / "cib.xml").read_text()
        self.bmcs = {name: re.search(rf'fence-{name}-attributes-ip" name="ip" value="([\d.]+)"', cib).group(1) for name in SERVERS}
        self.address = re.search(r'home-address-attributes-ip" name="ip" value="([\d.]+)"', cib).group(1)
        hosts = dict(reversed(line.split()[:2]) for line in (self.folder / "hosts/hosts").read_text().splitlines() if line and line[0].isdigit())
        self.client = hosts["n1"]
        self.mount = re.search(r'- "(\S+:/home)", /home', (self.folder / "cloud-init/cpu.user-data").read_text()) or \
            re.search(r"([\d.]+:/home)", (self.folder / "cloud-init/cpu.user-data").read_text())
        self.mount = self.mount.group(1)
        demand(self.mount == f"{self.address}:/home", f"the clients' user data mount {self.mount}, the address of cib.xml")


# --- the machines' system -------------------------------------------------------------------------------------------------------------------------------------------------


SETUP_UNIT = """[Unit]
DefaultDependencies=no
Wants=dev-disk-by\\x2did-virtio\\x2dsettings.device
After=local-fs.target dev-disk-by\\x2did-virtio\\x2dsettings.device
Before=network-pre.target basic.target
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'tar -xf /dev/disk/by-id/virtio-settings -C / && sh /settings/setup'
[Install]
WantedBy=sysinit.target
"""


def build_image(work, tree):
    """One image for all machines, with the server's packages; kernel and initramfs beside it."""
    image, kept = work / "base.img", work / "root.tar"
    if not kept.exists():
        say("packages of Debian 12: some minutes, 550 MB")
        mirror = sorted({line for line in subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"], capture_output=True, text=True,
                                                         check=True).stdout.split() if "security" not in line})
        if not mirror:
            skip("apt-get names no source of packages")
        run("mmdebstrap", "--quiet", "--format=tar", "--variant=minbase", "--aptopt=Acquire::Check-Valid-Until \"false\"", f"--include={PACKAGES}",
            *[f"--dpkgopt=path-exclude=/usr/share/{p}/*" for p in ("doc", "man", "locale")], SUITE, f"{kept}.part", mirror[0])
        os.rename(f"{kept}.part", kept)
    key, same = work / "key", work / "base.digest"
    digest = hashlib.sha256((inspect.getsource(build_image) + SETUP_UNIT + (tree.files / "mdadm-ignore.conf").read_text()).encode()).hexdigest()
    if image.exists() and same.exists() and same.read_text() == digest:
        return
    root = work / "root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    run("tar", "-xf", kept, "-C", root)
    if not key.exists():
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    (root / "root/.ssh").mkdir(mode=0o700, exist_ok=True)
    (root / "root/.ssh/authorized_keys").write_text((work / "key.pub").read_text())
    (root / "etc/ssh/sshd_config.d/guest.conf").write_text("UseDNS no\nUsePAM no\nPermitRootLogin prohibit-password\nHostKey /etc/ssh/ssh_host_ed25519_key\n")
    (root / "etc/systemd/system/guest-setup.service").write_text(SETUP_UNIT)
    (root / "etc/fstab").write_text("LABEL=guest / ext4 errors=remount-ro 0 0\n")
    # Step 3 of the compiled README: the array is ignored, from the initramfs on.
    with open(root / "etc/mdadm/mdadm.conf", "a") as conf:
        conf.write((tree.files / "mdadm-ignore.conf").read_text())
    for unit in ("guest-setup",):
        run("chroot", root, "systemctl", "-q", "enable", unit)
    run("chroot", root, "systemctl", "-q", "disable", "nfs-server", "corosync", "pacemaker", "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer",
        "e2scrub_all.timer", "fstrim.timer", stderr=subprocess.DEVNULL)
    run("chroot", root, "systemctl", "-q", "mask", "nfs-blkmap", "e2scrub_reap", "systemd-timesyncd", "getty@tty1", "serial-getty@ttyS0", stderr=subprocess.DEVNULL)
    # An emulated machine may need longer than half a minute to see its drives.
    script = root / "usr/share/initramfs-tools/scripts/local"
    script.write_text(re.sub(r"slumber=30\b", "slumber=600", script.read_text()))
    run("chroot", root, "env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "update-initramfs", "-u", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    boot = root / "boot"
    shutil.copy(next(boot.glob("vmlinuz-*")), work / "vmlinuz")
    shutil.copy(next(boot.glob("initrd.img-*")), work / "initrd")
    image.unlink(missing_ok=True)
    run("mke2fs", "-q", "-t", "ext4", "-L", "guest", "-O", "^metadata_csum", "-d", root, image, "3G", stdout=subprocess.DEVNULL)
    shutil.rmtree(root)
    same.write_text(digest)


def settings(work, tree, name):
    """A tar with this machine's files, unpacked at each start; its last step is /settings/setup."""
    folder = work / "settings" / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "settings").mkdir(parents=True)
    addresses = list(tree.rings[name].values()) if name in SERVERS else [tree.client]
    oob = {"nfs1": "10.2.0.201", "nfs2": "10.2.0.202", "n1": "10.2.0.203"}[name]
    lines = [f"hostname {name}", f"echo {name} > /etc/hostname", "ip link set lo up"]
    for i, address in enumerate(addresses):  # the network cards in the order of their addresses
        lines += [f"d=$(grep -il 52:54:00:0{i}:00:0{MACHINES.index(name)} /sys/class/net/*/address | cut -d/ -f5)", f"ip address add {address}/24 dev $d", "ip link set $d up"]
    lines += [f"d=$(grep -il 52:54:00:0f:00:0{MACHINES.index(name)} /sys/class/net/*/address | cut -d/ -f5)", f"ip address add {oob}/24 dev $d", "ip link set $d up"]
    files = {"etc/hosts": (tree.folder / "hosts/hosts").read_text()}
    if name in SERVERS:  # the table of the compiled README
        for source, to in (("corosync.conf", "etc/corosync/corosync.conf"), ("cib.xml", "etc/cluster-nfs/cib.xml"), ("mdadm.conf", "etc/cluster-nfs/mdadm.conf"),
                           ("prepare-drives", "etc/cluster-nfs/prepare-drives"), ("load-cib", "etc/cluster-nfs/load-cib"),
                           ("fence-password", "etc/cluster-nfs/fence-password"), ("nfs-server.conf", "etc/nfs.conf.d/cluster-nfs.conf"),
                           ("exports", "etc/exports.d/home.exports")):
            files[to] = (tree.files / source).read_text()
        if SLOW > 1:
            files["etc/corosync/corosync.conf"] = files["etc/corosync/corosync.conf"].replace("totem {", f"totem {{\n    token: {3000 * SLOW}")
            files["etc/cluster-nfs/cib.xml"] = re.sub(r'((?<!failure-)(?:timeout|delay)" value|(?<!failure-)timeout)="(\d+)s"', lambda m: f'{m[1]}="{int(m[2]) * SLOW}s"', files["etc/cluster-nfs/cib.xml"])
        files["etc/cluster/bmc-password"] = PASSWORD + "\n"
        lines += ["chmod 755 /etc/cluster-nfs/prepare-drives /etc/cluster-nfs/load-cib /etc/cluster-nfs/fence-password", "chmod 600 /etc/cluster/bmc-password", "[ ! -e /settings/async ] || sed -i s/sync,/async,/ /etc/exports.d/home.exports"]
    else:
        files["writer.py"] = WRITER
    files["settings/setup"] = "\n".join(lines) + "\n"
    for path, text in files.items():
        at = folder / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)
    tar = work / f"{name}.tar"
    with tarfile.open(tar, "w") as out:
        for path in files:
            info = tarfile.TarInfo(path)
            info.size = (folder / path).stat().st_size
            info.mode = 0o644
            with open(folder / path, "rb") as data:
                out.addfile(info, data)
    with open(tar, "r+b") as out:
        out.truncate((tar.stat().st_size + 511) // 512 * 512)


# Appends records to a file under an exclusive lock; prints the number of each record once its fsync has returned. A lock that the new server did not give back makes
# the next write fail (EIO), and this program end.
WRITER = r"""
import fcntl, os, sys, time
f = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
fcntl.lockf(f, fcntl.LOCK_EX)
n = int(sys.argv[2])
while True:
    os.write(f, b"%015d\n" % n)
    os.fsync(f)
    print(n, flush=True)
    n += 1
    time.sleep(0.02)
"""


# --- the machines and their BMCs ------------------------------------------------------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Machine:
    def __init__(self, work, tree, name, lan, beat):
        self.work, self.tree, self.name, self.lan, self.beat = work, tree, name, lan, beat
        self.number = MACHINES.index(name)
        self.ssh_port, self.process, self.broken, self.lock = free_port(), None, False, threading.Lock()
        self.bmcs = {}
        self.disk = work / f"{name}.qcow2"
        self.disk.unlink(missing_ok=True)
        run("qemu-img", "create", "-q", "-f", "qcow2", "-b", work / "base.img", "-F", "raw", self.disk)
        settings(work, tree, name)

    def start(self):
        # The network of the BMCs is QEMU's own; a connection to a BMC's address is one to this program.
        forward = "".join(f",guestfwd=tcp:{self.tree.bmcs[s]}:443-cmd:socat - TCP\\:127.0.0.1\\:{port}".replace("\\:", ":") for s, port in self.bmcs.items())
        oob = {"nfs1": "10.2.0.201", "nfs2": "10.2.0.202", "n1": "10.2.0.203"}[self.name]
        command = ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "1", "-m", "768", "-nodefaults", "-display", "none",
                   "-serial", f"file:{self.work / self.name}.log", "-kernel", self.work / "vmlinuz", "-initrd", self.work / "initrd",
                   "-append", "root=LABEL=guest rw console=ttyS0 net.ifnames=0 mitigations=off fsck.mode=skip module_blacklist=kvm_amd,kvm_intel,kvm,powernow_k8",
                   "-qmp", f"unix:{self.work / self.name}.qmp,server=on,wait=off",
                   "-drive", f"file={self.disk},if=virtio,format=qcow2,cache=unsafe", "-drive", f"file={self.work / self.name}.tar,if=none,id=settings,format=raw,readonly=on",
                   "-device", "virtio-blk-pci,drive=settings,serial=settings", "-object", "rng-random,filename=/dev/urandom,id=rng", "-device", "virtio-rng-pci,rng=rng"]
        networks = [self.lan, self.beat] if self.name in SERVERS else [self.lan]
        for i, port in enumerate(networks):
            command += ["-netdev", f"socket,id=n{i},mcast=230.77.0.{i + 1}:{port},localaddr=127.0.0.1",
                        "-device", f"virtio-net-pci,netdev=n{i},id=card{i},mac=52:54:00:0{i}:00:0{self.number}"]
        command += ["-netdev", f"user,id=oob,net=10.2.0.0/24,host=10.2.0.253,dhcpstart=10.2.0.240,dns=10.2.0.252,restrict=on,hostfwd=tcp:127.0.0.1:{self.ssh_port}-{oob}:22{forward}",
                    "-device", f"virtio-net-pci,netdev=oob,mac=52:54:00:0f:00:0{self.number}"]
        if self.name in SERVERS:
            command += ["-device", "virtio-scsi-pci"]
            for i in (0, 1):
                command += ["-drive", f"file={self.work}/shared{i}.img,if=none,id=shared{i},format=raw,cache=writethrough,file.locking=off",
                            "-device", f"scsi-hd,drive=shared{i},serial=SHARED{i},share-rw=on,rotation_rate=1"]
        self.process = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=open(self.work / f"{self.name}.qemu", "a"),
                                        stderr=subprocess.STDOUT, start_new_session=True)

    def is_on(self):
        return self.process is not None and self.process.poll() is None

    def off(self):
        """No power: nothing that the machine had in its memory is written any more."""
        if self.is_on():
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def freeze(self):
        os.kill(self.process.pid, signal.SIGSTOP)

    def link(self, card, up):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(f"{self.work / self.name}.qmp")
            f = s.makefile("rw")
            f.readline()
            for command in ({"execute": "qmp_capabilities"}, {"execute": "set_link", "arguments": {"name": f"card{card}", "up": up}}):
                f.write(json.dumps(command) + "\n")
                f.flush()
                while "return" not in f.readline():
                    pass

    def ssh_command(self, command):
        return ["ssh", "-q", "-i", str(self.work / "key"), "-p", str(self.ssh_port), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                "-o", f"ConnectTimeout={10 * SLOW}", "-o", f"ServerAliveInterval={20 * SLOW}", "-o", "BatchMode=yes", "root@127.0.0.1", command]

    def ssh(self, command, check=True, timeout=120):
        try:
            done = subprocess.run(self.ssh_command(command), capture_output=True, text=True, timeout=timeout * SLOW, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess(command, 124, "", "no answer")
        if check and done.returncode:
            raise Failed(f"{self.name}: {command}: {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done if not check else done.stdout

    def wait_until_up(self):
        wait_for(f"{self.name} answers", 300, lambda: self.is_on() and self.ssh("true", check=False, timeout=20).returncode == 0)


def bmc_of(machine, work):
    """A Redfish service with one system, for the machine; its port."""

    class Bmc(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, status, what=None):
            data = json.dumps(what or {}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(data)

        def is_known(self):
            want = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
            if self.headers.get("Authorization") == want:
                return True
            say(f"  the BMC of {machine.name} refuses an account")
            self.answer(401)
            return False

        def do_GET(self):
            path = self.path.rstrip("/")
            if path == "/redfish/v1":
                return self.answer(200, {"Systems": {"@odata.id": "/redfish/v1/Systems"}})
            if not self.is_known():
                return None
            if machine.broken:
                return self.answer(500, {"error": "broken"})
            if path == "/redfish/v1/Systems":
                return self.answer(200, {"Members": [{"@odata.id": "/redfish/v1/Systems/1"}], "Members@odata.count": 1})
            return self.answer(200, {"PowerState": "On" if machine.is_on() else "Off", "Actions": {"#ComputerSystem.Reset": {
                "target": "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset", "ResetType@Redfish.AllowableValues": ["On", "ForceOff", "ForceRestart"]}}})

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            if not self.is_known():
                return None
            if machine.broken:
                return self.answer(500, {"error": "broken"})
            say(f"  the BMC of {machine.name} gets {body}")
            with machine.lock:
                if body.get("ResetType") == "ForceOff":
                    machine.off()
                elif body.get("ResetType") == "On" and not machine.is_on():
                    machine.fenced += 1  # the end of each fencing: off, then on
                    machine.start()
            return self.answer(204)

        def log_message(self, *_):
            pass

    machine.fenced = 0
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bmc)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(work / "bmc.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


# --- the client's records -------------------------------------------------------------------------------------------------------------------------------------------------


class Writer:
    """Records on the mounted file system, and those of them that the client's fsync acknowledged, on this side."""

    def __init__(self, client, path):
        self.client, self.path, self.acknowledged, self.longest, self.last = client, path, 0, 0.0, time.monotonic()
        self.process = subprocess.Popen(client.ssh_command(f"exec python3 -u /writer.py {path} 1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            now = time.monotonic()
            self.longest, self.last, self.acknowledged = max(self.longest, now - self.last), now, int(line)

    def goes_on(self, after, seconds):
        wait_for(f"the client writes again after record {after}", seconds, lambda: self.acknowledged > after + 5 or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise Failed(f"the client's program ended: {self.process.stderr.read()[-500:]}")

    def stop(self):
        self.client.ssh("pkill -f writer.py", check=False)
        self.process.wait(30 * SLOW)
        return self.acknowledged

    def missing(self):
        """Acknowledged records that the file does not have, read on the client without its cache."""
        self.client.ssh("echo 3 > /proc/sys/vm/drop_caches")
        lines = self.client.ssh(f"cat {self.path}", timeout=300).split()
        there = {int(line) for line in lines if re.fullmatch(r"\d{15}", line)}
        if len(there) < len(lines):
            say(f"  {len(lines) - len(there)} lines twice or torn")
        return sorted(set(range(1, self.acknowledged + 1)) - there)


# --- the steps ------------------------------------------------------------------------------------------------------------------------------------------------------------


class Pair:
    def __init__(self, clusterc, work):
        self.work = work
        self.tree = Tree(clusterc, work)
        build_image(work, self.tree)
        say("image of the machines built")
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=bmc", "-keyout", work / "bmc.key", "-out", work / "bmc.crt",
            stderr=subprocess.DEVNULL)
        (work / "bmc.pem").write_text((work / "bmc.key").read_text() + (work / "bmc.crt").read_text())
        lan, beat = free_port(), free_port()
        self.machines = {name: Machine(work, self.tree, name, lan, beat) for name in MACHINES}
        ports = {name: bmc_of(self.machines[name], work) for name in SERVERS}
        for name in SERVERS:
            self.machines[name].bmcs = ports
        self.client = self.machines["n1"]
        self.outages = []

    def shared(self):
        return [self.work / f"shared{i}.img" for i in (0, 1)]

    def digests(self):
        return [hashlib.sha256(p.read_bytes()).hexdigest() for p in self.shared()]

    def active(self):
        """The server with the mount; None: none. Two are the end of the data, and of this test."""
        found = []
        for name in SERVERS:
            m = self.machines[name]
            if m.is_on() and m.ssh("findmnt -n /home > /dev/null || grep -q '^md' /proc/mdstat", check=False, timeout=60).returncode == 0:
                found.append(m)
        if len(found) > 1:
            raise Failed("both servers have the array or the mount")
        return found[0] if found else None

    def other(self, machine):
        return self.machines[SERVERS[1 - SERVERS.index(machine.name)]]

    def status(self, machine):
        return machine.ssh("crm_mon -1 -r 2>&1", check=False, timeout=60).stdout

    def is_whole(self):
        """Both servers online, all five resources started."""
        for name in SERVERS:
            m = self.machines[name]
            if not m.is_on():
                return False
        text = self.status(self.machines[SERVERS[0]])
        return "Online: [ nfs1 nfs2 ]" in text and len(re.findall(r"home-(?:array|files|server|address)\s+\(ocf:\S+\s+Started", text)) == 4 and \
            len(re.findall(r"fence-nfs\d\s+\(stonith:fence_redfish\):\s+Started", text)) == 2

    def drives(self):
        with open(self.shared()[0], "wb") as out:
            out.truncate(DRIVE_BYTES)
        with open(self.shared()[1], "wb") as out:
            out.truncate(DRIVE_BYTES)
        run("mke2fs", "-q", "-F", "-t", "ext4", "-L", "precious", self.shared()[1])
        for name in MACHINES:
            self.machines[name].start()
        for name in MACHINES:
            self.machines[name].wait_until_up()
        say("three machines are up")
        first, second = (self.machines[s] for s in SERVERS)
        before = self.digests()
        done = first.ssh("/etc/cluster-nfs/prepare-drives", check=False)
        demand(done.returncode == 3 and "that nothing is on, there are 1" in done.stderr, f"a drive with a file system is refused: {done.stderr.strip()}")
        demand(self.digests() == before, "no byte of either drive changed")
        first.ssh("wipefs -qa $(blkid -L precious)")
        done = second.ssh("/etc/cluster-nfs/prepare-drives", check=False)
        demand(done.returncode == 3 and "run it on nfs1 alone" in done.stderr, "the second server refuses")
        said = first.ssh("/etc/cluster-nfs/prepare-drives")
        demand("made the file system of /home" in said, f"empty drives: {said.strip()}")
        before = self.digests()
        demand(first.ssh("/etc/cluster-nfs/prepare-drives") == "" and self.digests() == before, "the second call changes nothing")

    def start(self):
        first, second = (self.machines[s] for s in SERVERS)
        key = self.work / "authkey"
        first.ssh("corosync-keygen > /dev/null")
        key.write_text(first.ssh("base64 -w0 /etc/corosync/authkey"))
        second.ssh(f"umask 377 && echo {key.read_text()} | base64 -d > /etc/corosync/authkey")
        say("  fence_redfish --action=status:", first.ssh(
            f"fence_redfish --ip={self.tree.bmcs['nfs2']} --username={USER} --password-script=/etc/cluster-nfs/fence-password --ssl-insecure --action=status").strip())
        for m in (first, second):
            m.ssh("systemctl enable --now corosync pacemaker 2>&1", timeout=300)
        wait_for("Pacemaker answers", 180, lambda: "Online: [ nfs1 nfs2 ]" in self.status(first))
        demand(first.ssh("/etc/cluster-nfs/load-cib").strip() == "loaded", "load-cib loads")
        wait_for("the cluster is whole", 300, self.is_whole)
        demand(first.ssh("crm_verify --live-check -V 2>&1", check=False).stdout == "", "crm_verify --live-check has nothing to say")
        active = self.active()
        demand(active is not None, f"one server serves: {active.name}")
        demand("md" not in self.other(active).ssh("grep ^md /proc/mdstat || true"), "the other one has assembled no array")
        self.client.ssh("mkdir -p /home && mount -t nfs -o hard " + shlex.quote(self.tree.mount) + " /home", timeout=200)
        say("  mounted as", self.client.ssh("findmnt -n -o SOURCE,FSTYPE,OPTIONS /home").strip()[:120])
        active.ssh("mkdir -p /home/u && chown nobody /home/u")  # root of a client is nobody here
        self.client.ssh("id nobody > /dev/null && ls -ld /home/u")
        self.writer = Writer(self.client, "/home/u/records")
        self.writer.goes_on(0, 120)

    def outage(self, what, harm, seconds=300):
        active = self.active()
        other = self.other(active)
        before, fenced = self.writer.acknowledged, active.fenced
        self.writer.longest = 0
        harm(active)
        at = time.monotonic()
        self.writer.goes_on(self.writer.acknowledged, seconds)
        demand(active.fenced > fenced, f"{what}: {active.name} was fenced")
        say(f"  {what}: {active.name} → {self.active().name}; the client waited {self.writer.longest:.1f} s, writes again {time.monotonic() - at:.1f} s after it; "
            f"{self.writer.acknowledged} records acknowledged, {before} before")
        self.outages.append((what, self.writer.longest))
        return active, other

    def judge(self):
        acknowledged = self.writer.stop()
        missing = self.writer.missing()
        demand(not missing, f"each of {acknowledged} acknowledged records is in the file" + (f", but {missing[:5]}" if missing else ""))

    def kill(self, times):
        for i in range(times):
            active, other = self.outage(f"kill {i + 1}", lambda m: m.off())
            demand(self.active() is other, f"{other.name} serves")
            wait_for(f"{active.name} is a member again", 400, self.is_whole)
            demand(self.active() is other, "nothing moved back")

    def freeze(self):
        active, other = self.outage("freeze", lambda m: m.freeze())
        demand(self.active() is other, f"{other.name} serves")
        wait_for("the cluster is whole", 400, self.is_whole)

    def split(self):
        active = self.active()
        other = self.other(active)
        fenced = other.fenced + active.fenced
        before = self.writer.acknowledged
        for card in (0, 1):
            other.link(card, False)
        wait_for("one server is turned off", 200, lambda: other.fenced + active.fenced > fenced)
        self.writer.goes_on(before, 300)
        demand(other.fenced + active.fenced == fenced + 1, "one server was fenced, once")
        demand(self.active() is active, f"{active.name}, which served, still does: the shot at it waited")
        wait_for("the cluster is whole", 400, self.is_whole)

    def bmc(self):
        active = self.active()
        other = self.other(active)
        active.broken = True
        before = self.writer.acknowledged
        active.off()
        end = time.monotonic() + 75
        while time.monotonic() < end:
            if self.active() is not None:
                raise Failed(f"{other.name} mounted without fencing")
            time.sleep(3)
        demand(self.writer.acknowledged <= before + 5, f"fencing fails for 75 s: {other.name} has no array, no mount, and no record is acknowledged")
        say("  ", " / ".join(line.strip() for line in self.status(other).splitlines() if "UNCLEAN" in line or "Failed Fencing" in line or "reboot of" in line)[:300])
        active.broken = False
        self.writer.goes_on(self.writer.acknowledged, 400)
        demand(self.active() is other, f"the BMC works again: {other.name} serves")
        wait_for("the cluster is whole", 400, self.is_whole)

    def loses(self):
        for name in SERVERS:
            self.machines[name].ssh("touch /settings/async; sed -i s/sync,/async,/ /etc/exports.d/home.exports")
        self.active().ssh("exportfs -ra")
        self.client.ssh("rm -f /home/u/records", check=False)
        self.writer = Writer(self.client, "/home/u/unsafe")
        self.writer.goes_on(200, 200)
        self.active().off()
        after = self.writer.acknowledged
        self.writer.goes_on(after, 300)
        acknowledged = self.writer.stop()
        missing = self.writer.missing()
        demand(missing, f"`async`: {len(missing)} of {acknowledged} acknowledged records are lost, and this program sees it")

    def stop(self):
        for m in self.machines.values():
            m.off()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("clusterc")
    options.add_argument("work", type=pathlib.Path)
    options.add_argument("--kills", type=int, default=3)
    options.add_argument("--slow", type=int, default=1)
    given = options.parse_args()
    global SLOW
    SLOW = given.slow
    if os.geteuid() != 0:
        skip("it needs root, for the folders of the packages")
    for program in ("qemu-system-x86_64", "qemu-img", "mmdebstrap", "mke2fs", "socat", "openssl", "ssh"):
        if not shutil.which(program):
            skip(f"no {program}")
    given.work.mkdir(parents=True, exist_ok=True)
    work = given.work.resolve()
    pair = Pair(pathlib.Path(given.clusterc).resolve(), work)
    try:
        for title, step in (("drives", pair.drives), ("start", pair.start), ("kill", lambda: pair.kill(given.kills)), ("freeze", pair.freeze), ("split", pair.split),
                            ("bmc", pair.bmc), ("records", pair.judge), ("async", pair.loses)):
            say(title)
            step()
    except Failed as error:
        say("FAILED:", error)
        for name in SERVERS:
            if pair.machines[name].is_on():
                print(name, pair.status(pair.machines[name]))
        return 1
    finally:
        pair.stop()
    say("all as it should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
