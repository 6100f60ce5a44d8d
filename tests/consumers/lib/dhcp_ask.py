#!/usr/bin/env python3
"""What a DHCP server offers. usage: dhcp_ask.py INTERFACE MAC [NAME] [--arch N [--ipxe]]   prints ADDRESS router A ntp A, or "nothing" after a second and a half

With --arch it asks as firmware of that architecture does (RFC 4578), or as iPXE, and prints what it is to load, too: boot FILE from SERVER.

One DHCPDISCOVER (RFC 2131) with a hardware address and a host name of one's own choice.
"""
import socket
import struct
import sys

words = sys.argv[1:]
ipxe = "--ipxe" in words
if ipxe:
    words.remove("--ipxe")
arch = int(words.pop(words.index("--arch") + 1)) if "--arch" in words else None
if arch is not None:
    words.remove("--arch")
interface, mac = words[:2]
name = words[2] if len(words) > 2 else ""
hardware = bytes.fromhex(mac.replace(":", ""))
asked = 0x636C7573
options = b"\x35\x01\x01" + (bytes([12, len(name)]) + name.encode() if name else b"") + b"\x37\x05\x01\x03\x2a\x42\x43"
if arch is not None:
    options += b"\x3c\x09PXEClient" + b"\x5d\x02" + struct.pack("!H", arch)
if ipxe:
    options += b"\x4d\x04iPXE"
options += b"\xff"
packet = struct.pack("!BBBBIHH16s16s192s", 1, 1, 6, 0, asked, 0, 0x8000, b"", hardware, b"") + b"\x63\x82\x53\x63" + options
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
link.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
link.bind(("", 68))
link.settimeout(1.5)
for _ in range(3):
    link.sendto(packet, ("255.255.255.255", 67))
    try:
        answer = link.recv(4096)
    except TimeoutError:
        continue
    if len(answer) < 240 or struct.unpack("!I", answer[4:8])[0] != asked or answer[28:34] != hardware:
        continue
    found, at = {}, 240
    while at < len(answer) and answer[at] != 255:
        if answer[at] == 0:
            at += 1
            continue
        found[answer[at]] = answer[at + 2:at + 2 + answer[at + 1]]
        at += 2 + answer[at + 1]
    if found.get(53) == b"\x02":
        words = [socket.inet_ntoa(answer[16:20])]
        words += [f"{what} {socket.inet_ntoa(found[code])}" for code, what in ((3, "router"), (42, "ntp")) if len(found.get(code, b"")) == 4]
        if arch is not None:
            file = answer[108:236].split(b"\0")[0] or found.get(67, b"").split(b"\0")[0]
            words += [f"boot {file.decode()} from {socket.inet_ntoa(answer[20:24])}"]
        print(" ".join(words))
        sys.exit(0)
print("nothing")
