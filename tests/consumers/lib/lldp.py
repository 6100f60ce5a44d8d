"""A real lldpd on each device of a planned Ethernet fabric, in network namespaces cabled as cables.csv says; what each sees in FOLDER/DEVICE.json.

usage: lldp.py CABLES_CSV FOLDER 'HOST:PORT HOST:PORT'   (the far ends of these two cables are swapped; empty: none)
"""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../.."))
import skipping

PATIENCE = 120   # seconds


def host(name):
    return "-".join(name.split("/")) if not name.startswith("node/") else name.split("/")[1][0] + name.split("/")[2]


def main():
    table, folder, swap = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3].split()
    folder.mkdir(parents=True)
    cables = []
    with open(table, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            near, far = host(row["from"]), host(row["to"])
            cables.append([(near, "eth" + row["from_port"].split("/")[1] if "/" in row["from_port"] else "swp" + row["from_port"]), (far, "swp" + row["to_port"])])
    if swap:
        ends = [next(c for c in cables if c[0] == (name.split(":")[0], "eth" + name.split(":")[1])) for name in swap]
        ends[0][1], ends[1][1] = ends[1][1], ends[0][1]
    devices = sorted({end[0] for c in cables for end in c})
    tag = f"ll{zlib.crc32(str(folder).encode()) & 0xffffff:x}-"
    started = []
    try:
        for d in devices:
            if subprocess.run(["ip", "netns", "add", tag + d], stderr=subprocess.DEVNULL, check=False).returncode:
                skipping.cannot("network namespaces are not permitted here")
            # A host with containers routes, too: all do.
            subprocess.run(["nsenter", f"--net=/run/netns/{tag}{d}", "sysctl", "-qw", "net.ipv4.ip_forward=1"], check=True)
        for (a, a_port), (b, b_port) in cables:
            subprocess.run(["ip", "link", "add", a_port, "netns", tag + a, "type", "veth", "peer", "name", b_port, "netns", tag + b], check=True)
            for d, port in ((a, a_port), (b, b_port)):
                subprocess.run(["ip", "-n", tag + d, "link", "set", port, "up"], check=True)
        # Before the first announcement: a neighbour whose identity changes at its start would stand twice until the first one ends.
        settings = folder / "lldpd.conf"
        settings.write_text("configure lldp tx-interval 1\nconfigure lldp tx-hold 10\n", encoding="utf-8")
        expected = {d: sum(end[0] == d for c in cables for end in c) for d in devices}
        for d in devices:
            (folder / d).mkdir()
            log = open(folder / d / "log", "wb")
            started.append(subprocess.Popen(["nsenter", f"--net=/run/netns/{tag}{d}", "unshare", "-u", "sh", "-c", 'hostname "$0" && exec lldpd -d -u "$1/sock" -p "$1/pid" -O "$2"', d,
                                             str(folder / d), str(settings)], stdout=log, stderr=log))
        ask = {d: ["lldpcli", "-u", str(folder / d / "sock")] for d in devices}
        until = time.monotonic() + PATIENCE
        waiting = list(devices)
        while waiting and time.monotonic() < until:
            time.sleep(1)
            for d in list(waiting):
                shown = subprocess.run(ask[d] + ["-f", "json", "show", "neighbors"], capture_output=True, text=True, check=False).stdout
                try:
                    seen = json.loads(shown)["lldp"]["interface"]
                except (ValueError, KeyError):
                    continue
                if (len(seen) if isinstance(seen, list) else 1) == expected[d]:
                    (folder / (d + ".json")).write_text(shown, encoding="utf-8")
                    waiting.remove(d)
        if waiting:
            print(f"after {PATIENCE} s these devices do not see all of their neighbours: {', '.join(waiting)}", file=sys.stderr)
            return 1
        print(f"ok: {len(devices)} lldpd see each other over {len(cables)} cables")
        return 0
    finally:
        for p in started:
            p.send_signal(signal.SIGTERM)
        for p in started:
            try:
                p.wait(10)
            except subprocess.TimeoutExpired:
                p.kill()
        for d in devices:
            subprocess.run(["ip", "netns", "delete", tag + d], stderr=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    sys.exit(main())
