#!/usr/bin/env python3
"""`clusterc audit --redfish` against BMCs on this machine, over TLS: a tree made up for tests, and captures of three servers where they are there.

usage: audit_redfish.py CLUSTERC SOURCE WORK [BMCS | --planned]

What is planted is named, and nothing else; BMCs that misbehave are named with their reason; sessions are ended; credentials go to no other host.
BMCS (1000): how many are simulated at a time, with one of a hundred bad. --planned: BMCs at their planned addresses, which takes a network of its own.
"""
import copy
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import time

import skipping
from redfish_server import PASSWORD, ROOT, USER, Bmc, Server, load_tree

clusterc, source, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
alone = sys.argv[4:] == ["--planned"]
many = int(sys.argv[4]) if len(sys.argv) > 4 and not alone else 1000
here = os.path.join(source, "tests/audit/redfish")
captures = os.path.join(source, "..", "shared/data/redfish")
S, C = ROOT + "/Systems/1", ROOT + "/Chassis/1"
server = None
UNSAID = "audit-fact-unread"


def demand(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def write(name, text, mode=0o600):
    path = os.path.join(work, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def command(spec, listing, *more, trust=("--ca",), password="password"):
    trust = ["--ca", os.path.join(server.folder, "ca.pem")] if trust == ("--ca",) else list(trust)
    return [clusterc, "audit", spec, "--redfish", listing, "--user", USER, "--password-file", os.path.join(work, password), *trust, *more]


def audit(spec, listing, *more, **how):
    """Status, findings as (rule, message, objects), and the text on standard error."""
    done = subprocess.run(command(spec, listing, *more, "--format", "json", **how), capture_output=True, text=True, timeout=300, check=False)
    if not done.stdout.startswith("{"):
        return done.returncode, [], done.stderr
    told = json.loads(done.stdout)["findings"]
    return done.returncode, [(f["rule"], f["message"], f["objects"]) for f in told], done.stderr


def listing(names):
    return write("bmcs", "# node address\n" + "".join(f"{n} {server.address(n)}\n" for n in names))


def expect(what, got, wanted):
    """Findings are those of `wanted`, in any order: (rule, words that the message has)."""
    left = list(got)
    for rule, *words in wanted:
        hit = next((f for f in left if f[0] == rule and all(w in f[1] for w in words)), None)
        demand(hit, f"{what}: no {rule} with {words} in\n" + "\n".join(map(str, got)))
        left.remove(hit)
    demand(not left, f"{what}: nobody planted\n" + "\n".join(map(str, left)))


def changed(tree, path, **fields):
    return {path: {**copy.deepcopy(tree[path]), **fields}}


def sessions_ended():
    for name, bmc in server.bmcs.items():
        demand(not bmc.tokens, f"{name}: {len(bmc.tokens)} sessions were left open")


def small(tree):
    spec, names = os.path.join(here, "small.yaml"), [f"n{k}" for k in range(1, 9)]
    server.bmcs = {n: Bmc(tree) for n in names}
    status, told, _ = audit(spec, listing(names))
    expect("as planned", told, [])
    demand(all(b.logins == 1 and b.logouts == 1 for b in server.bmcs.values()), "a BMC was not logged in to and out of once")
    demand(server.accepted == 8, f"8 BMCs had {server.accepted} connections")
    demand(status == 0, f"as planned: status {status}")
    sessions_ended()
    counts(spec, names, "8 of 8 read to the end; 8 of 8 nodes as planned\n", asked=8, read=8, as_planned=8)

    members = copy.deepcopy(tree[S + "/Memory"])
    members["Members"].pop(0)
    server.bmcs = {n: Bmc(tree) for n in names}
    server.bmcs["n1"] = Bmc(tree, {S + "/Memory": members})
    server.bmcs["n2"] = Bmc(tree, changed(tree, f"{C}/PowerSubsystem/PowerSupplies/0", PowerCapacityWatts=1600))
    server.bmcs["n3"] = Bmc(tree, changed(tree, f"{S}/Processors/GPU2", Model="NVIDIA H100 80GB HBM3"))
    server.bmcs["n4"] = Bmc(tree, changed(tree, S, BiosVersion="1.3.9"))
    server.bmcs["n5"] = Bmc(tree, changed(tree, f"{S}/Memory/D2", Status={"State": "Enabled", "Health": "Critical"}))
    server.bmcs["n6"] = Bmc(tree, changed(tree, ROOT + "/Managers/1", FirmwareVersion=None))
    server.bmcs["n7"] = Bmc(tree, changed(tree, S + "/Storage/NVMe", Drives=tree[S + "/Storage/NVMe"]["Drives"][:1]))
    server.bmcs["n8"] = Bmc(tree, changed(tree, C + "/NetworkAdapters", Members=tree[C + "/NetworkAdapters"]["Members"][1:]))
    planted = [
        ("audit-hardware-differs", "'n1' has memory modules 3 x 64 GiB, planned 4 x 64 GiB"),
        ("audit-hardware-differs", "'n2' has power supplies 1 x 1.6 kW, 1 x 2.4 kW, planned 2 x 2.4 kW"),
        ("audit-hardware-differs", "'n3' has GPUs 'NVIDIA H100 80GB HBM3', planned nvidia-h100-pcie-80"),
        ("audit-hardware-unequal", "the BIOS of 'n4' is '1.3.9', of 7 other nodes of the group '1.4.2'"),
        ("audit-health", "Systems/1/Memory/D2 of 'n5' reports health 'Critical'"),
        ("audit-fact-unread", "the BMC of 'n6' does not say the firmware of the BMC"),
        ("audit-hardware-differs", "'n7' has drives 1 x 1.92 TB, planned 2 x 1.92 TB"),
        ("audit-hardware-differs", "'n8' has 0 ConnectX-7 adapters, planned 1"),
    ]
    saved = os.path.join(work, "bmcs.json")
    status, told, _ = audit(spec, listing(names), "--save", saved)
    expect("planted", told, planted)
    replayed("planted", spec, saved, status, told)
    demand(status == 1, f"planted: status {status}")
    counts(spec, names, "8 of 8 read to the end; 0 of 8 nodes as planned, 1 as far as the BMCs say, 7 not\n", asked=8, read=8, in_part=1, differing=7)
    cpus_alone = {S + "/Processors": {"Members": tree[S + "/Processors"]["Members"][:2]}}
    second = {ROOT + "/Systems": {"Members": [{"@odata.id": S}, {"@odata.id": S[:-1] + "2"}]}, S[:-1] + "2": {**tree[S], "SerialNumber": "S2"}}
    supplies, filler = f"{C}/PowerSubsystem/PowerSupplies", {"Model": "FILLER", "PowerCapacityWatts": None}
    sum_alone = changed(tree, S, MemorySummary={"TotalSystemMemoryGiB": 192})
    del sum_alone[S]["Memory"]
    server.bmcs = {
        "n1": Bmc(tree, cpus_alone), "n2": Bmc(tree, second), "n3": Bmc(tree, sum_alone),
        "n4": Bmc(tree, changed(tree, supplies + "/1", Status={"State": "Enabled", "Health": "Warning"})),
        "n5": Bmc(tree, {k: v for n in (1, 2, 3, 4) for k, v in changed(tree, f"{S}/Memory/D{n}", PartNumber="OTHER-4800").items()}),
        "n6": Bmc(tree, changed(tree, f"{S}/Processors/GPU1", Model=None)),
        "n7": Bmc(tree, {supplies: {"Members": tree[supplies]["Members"] + [{"@odata.id": supplies + "/2"}]}, supplies + "/2": filler}),
        "n8": Bmc(tree, changed(tree, f"{S}/Processors/CPU2", Status={"State": "Absent"})),
    }
    status, told, _ = audit(spec, listing(names), "--save", saved)
    replayed("planted too", spec, saved, status, told)
    expect("planted too", told, [
        ("audit-hardware-differs", "'n1' has 0 GPUs, planned 2"), ("audit-bmc-unread", "'n2' was not read: it answers for 2 servers"),
        ("audit-hardware-differs", "'n3' has 192 GiB of memory, planned 256 GiB"), (UNSAID, "'n3' does not say the number of memory modules"),
        ("audit-health", "Chassis/1/PowerSubsystem/PowerSupplies/1 of 'n4' reports health 'Warning'"),
        ("audit-hardware-unequal", "the memory module of 'n5' is 'OTHER-4800', of 5 other nodes of the group 'EX64-4800'"),
        (UNSAID, "'n6' does not say the model of the GPUs"), (UNSAID, "'n7' does not say the rating of 1 of 3 power supplies"),
        ("audit-hardware-unequal", "the power supply model of 'n7' is 'EXPSU, FILLER'"), ("audit-hardware-differs", "'n8' has 1 processor, planned 2"),
    ])
    demand(status == 1, f"planted too: status {status}")
    write("inventory.csv", "name,port,serial\nn1,,S-n1\nn2,,LABEL2\nnode/n/3,,S-n9\nn4,bmc,S-n8\n")
    with_serials = write("serials.yaml", pathlib.Path(spec).read_text(encoding="utf-8").replace("name: small", "name: small\ninventory: inventory.csv"))
    server.bmcs = {n: Bmc(tree) for n in names}
    server.bmcs["n2"] = Bmc(tree, changed(tree, C, SerialNumber="LABEL2"))
    _, told, error = audit(with_serials, listing(names))
    demand(told, error)
    expect("inventory", told, [("audit-hardware-differs", "'n3' has the serial number 'S-n3', planned 'S-n9' in the inventory")])
    updates = ROOT + "/UpdateService"
    more = {**tree, ROOT: {**tree[ROOT], "UpdateService": {"@odata.id": updates}}, updates: {"FirmwareInventory": {"@odata.id": updates + "/FirmwareInventory"}},
            updates + "/FirmwareInventory": {"Members": [{"@odata.id": updates + "/FirmwareInventory/GPU1"}]},
            updates + "/FirmwareInventory/GPU1": {"Id": "GPU1", "Version": "96.00.5E"}}
    server.bmcs = {n: Bmc(more) for n in names}
    server.bmcs["n3"] = Bmc(more, changed(more, updates + "/FirmwareInventory/GPU1", Version="96.00.30"))
    _, told, _ = audit(spec, listing(names), "--firmware")
    expect("firmware", told, [("audit-hardware-unequal", "the firmware 'GPU1' of 'n3' is '96.00.30', of 7 other nodes of the group '96.00.5E'")])
    _, told, _ = audit(spec, listing(names))
    expect("firmware, not asked for", told, [])
    print(f"small: {len(planted) + 10} differences planted, each named")


def replayed(what, spec, saved, status, told):
    """What --save kept of the BMCs is compared again without them, and has no credentials."""
    done = subprocess.run([clusterc, "audit", spec, "--from", saved, "--format", "json"], capture_output=True, text=True, timeout=60, check=False)
    demand(done.stdout.startswith("{"), f"{what}, --from: {done.stderr}")
    again = [(f["rule"], f["message"], f["objects"]) for f in json.loads(done.stdout)["findings"]]
    demand(done.returncode == status and sorted(again) == sorted(told), f"{what}, --from: {done.returncode}, {again}")
    text = pathlib.Path(saved).read_text(encoding="utf-8")
    demand(PASSWORD not in text and USER not in text and os.stat(saved).st_mode & 0o777 == 0o600, f"{what}: --save kept credentials, or others can read it")


def counts(spec, names, summary, **wanted):
    """The line for people, and the member "bmcs" of the JSON output; what is left out is 0."""
    bmcs = listing(names)
    text = subprocess.run(command(spec, bmcs), capture_output=True, text=True, timeout=300, check=False).stdout
    demand("BMCs: " + summary in text, f"no '{summary}' in\n{text}")
    demand(f"over {min(64, len(names))} connections" in text, text)
    told = json.loads(subprocess.run(command(spec, bmcs, "--format", "json"), capture_output=True, text=True, timeout=300, check=False).stdout)["bmcs"]
    left = {k: v for k, v in told.items() if v}
    demand(left == wanted, f"{told}, not {wanted}")


def silent_ones(tree):
    """BMCs that answer and say little, or say what is not so: no agreement."""
    spec, names = os.path.join(here, "small.yaml"), ["n1", "n2", "n3"]
    cpus_alone = {S + "/Processors": {"Members": tree[S + "/Processors"]["Members"][:2]}}
    for what, changes, reason in (("empty root", {ROOT: {}}, "lists no system"), ("no systems", {ROOT + "/Systems": {"Members": []}}, "lists no system"),
                                  ("empty system", {S: {}}, "lists no processors and no memory"), ("no GPUs", cpus_alone, "lists no GPUs, planned 2")):
        server.bmcs = {n: Bmc(tree, changes) for n in names}
        status, told, _ = audit(spec, listing(names))
        expect(what, told, [("audit-bmc-unread", "3 nodes 'n[1-3]'", reason)])
        demand(status == 2, f"{what}: status {status}")
    counts(spec, names, "3 of 3 read to the end; 0 of 3 nodes as planned, 3 as far as the BMCs say\n5 planned nodes were not asked: ", asked=3, read=3, in_part=3, nodes_not_asked=5)
    server.bmcs = {n: Bmc(tree) for n in names}
    server.bmcs["n1"] = Bmc(tree, {ROOT + "/Systems": {"Members": []}})
    counts(spec, names, "2 of 3 read to the end; 2 of 3 nodes as planned, 1 not judged\n", asked=3, read=2, as_planned=2, unread=1, nodes_not_asked=5)
    server.bmcs["n1"] = Bmc(tree, changed(tree, S, BiosVersion="9", PowerState="Off"))
    status, told, _ = audit(spec, listing(names))
    expect("off", told, [("audit-health", "Systems/1 of 'n1' reports the power state 'Off'"), ("audit-hardware-unequal", "the BIOS of 'n1'")])
    server.bmcs["n1"] = Bmc(tree)
    one = write("one-address", f"n1 {server.address('n1')}\nN2 {server.address('N1').upper()}\n")
    status, told, error = audit(spec, one)
    demand(told, error)
    expect("one address", told, [("audit-bmc-unread", "one BMC answers for 'n1' and 'n2'", "address")])
    demand(status == 2, f"one address: status {status}")
    server.bmcs["n2"] = Bmc(tree, changed(tree, S, SerialNumber="S-n1"))
    status, told, _ = audit(spec, listing(names))
    expect("one serial number", told, [("audit-bmc-unread", "one BMC answers for 'n1' and 'n2'", "serial number 'S-n1'")])
    print("silent: 8 ways to say little")


def mistakes(tree):
    """Wrong files are named with their line, before a BMC is asked."""
    spec = os.path.join(here, "small.yaml")
    server.bmcs = {"n1": Bmc(tree)}
    for line, why in (("n1 10.0.0.1:70000", "bmcs:1: the port '70000' is not one of 1 to 65535"), ("n1 10.0.0.1:0", "the port '0'"),
                      ("n1 http://10.0.0.1/", "plain HTTP: BMCs are read over TLS alone; write 'n1 10.0.0.1'"), ("n1 https://10.0.0.1", "write the address alone: 'n1 10.0.0.1'"),
                      ("n1 fd00::7", "in brackets: 'n1 [fd00::7]'"), ("n9 10.0.0.1", "the spec has no node 'n9'"), ("n1 a\nN1 b", "bmcs:2: node 'N1' is listed twice")):
        status, _, error = audit(spec, write("bmcs", line + "\n"))
        demand(status == 2 and why in error, f"{line}: {status} {error}")
    status, _, error = audit(spec, listing(["n1"]), trust=("--pin", write("pins", f"n10 {server.pin}\n")))
    demand(status == 2 and "pins:1: the spec has no node 'n10'" in error, f"pin of an unknown node: {status} {error}")
    status, told, _ = audit(spec, listing(["n1"]), trust=("--pin", write("pins", f"N1 {server.pin}\n10.0.0.9 {server.pin}\n")))
    demand(status == 0, f"pin of N1: {status} {told}")
    with socket.create_server(("127.0.0.1", 0)) as plain:   # a web server without TLS
        def answer():
            for _ in range(3):
                with plain.accept()[0] as to:
                    to.recv(4096)
                    to.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        threading.Thread(target=answer, daemon=True).start()
        _, told, _ = audit(spec, write("bmcs", f"n1 127.0.0.1:{plain.getsockname()[1]}\n"))
        expect("plain HTTP", told, [("audit-bmc-unread", "answers without TLS, as for plain HTTP")])
    print("mistakes: 9 in files, plain HTTP")


def bad_ones(tree):
    """One way to misbehave for each BMC: named with its reason, and the others are compared."""
    spec = write("bad.yaml", pathlib.Path(here, "small.yaml").read_text(encoding="utf-8").replace("n[1-8]", "n[1-40]"))
    members = ROOT + "/Systems"
    ways = {
        "n2": (Bmc(tree, hang=True), "no answer within 1 s"),
        "n3": (Bmc(tree, garbage=[ROOT]), "is not a JSON object"),
        "n4": (Bmc(tree, huge=[S]), "/redfish/v1/Systems/1 is larger than 4 MiB"),
        "n5": (Bmc(tree, deep=[S]), "/redfish/v1/Systems/1 is"),
        "n6": (Bmc(tree, redirect={S: "https://evil.bmc.localhost:PORT/redfish/v1/Systems/1"}), "redirects to 'https://evil"),
        "n7": (Bmc(tree, redirect={S: "http://n7.bmc.localhost:PORT/redfish/v1/Systems/1"}), "redirects to 'http://"),
        "n8": (Bmc(tree, refuse_login=True), "refuses the login of 'auditor' (HTTP 401)"),
        "n9": (Bmc(tree, first=9, retry_after=3600), "asks to wait 3600 s"),
        "n10": (Bmc(tree, drop=[S + "/Memory"]), "(3 tries)"),
        "n11": (Bmc(tree, status={S + "/Processors": 500}), "/redfish/v1/Systems/1/Processors answers HTTP 500 (3 tries)"),
        "n12": (Bmc(tree, status={S + "/Processors/CPU1": 403}), "/Processors/CPU1 answers HTTP 403"),
        "n13": (Bmc(tree, page=2, endless=True), "more than 4000 resources"),
        "n14": (Bmc(tree, {members: {"Members": [{"@odata.id": "https://evil.bmc.localhost/redfish/v1/x"}, {"@odata.id": "//evil/redfish/v1/x"},
                                                 {"@odata.id": "/redfish/../etc/passwd"}, {"@odata.id": "/redfish/v1/%2e%2E/%2e%2e/x"}]}}), "leads out of /redfish/"),
        "n15": (Bmc(tree, redirect={S: "/redfish/v1/Systems/1"}), "again and again"),
    }
    fine = {
        "n1": Bmc(tree), "n20": Bmc(tree, first=2), "n21": Bmc(tree, page=2), "n22": Bmc(tree, page=2, loop=True), "n23": Bmc(tree, no_sessions=404),
        "n24": Bmc(tree, no_sessions=405), "n27": Bmc(tree, status={S + "/Memory/D1": 404}),
        "n28": Bmc(tree, first=1, retry_after=3), "n29": Bmc(tree, forget=10), "n25": Bmc(tree, delay=0.05), "n26": Bmc({**tree, "/redfish/v1/Other": tree[S]}, redirect={S: "/redfish/v1/Other"}),
    }
    server.bmcs = {**{n: b for n, (b, _) in ways.items()}, **fine}
    bmcs = listing(server.bmcs)
    with open(bmcs, "a", encoding="utf-8") as file:
        file.write("n16 127.0.0.1:1\nn17 no-such-host.invalid\n")
    server.strangers = server.without_token = 0
    status, told, _ = audit(spec, bmcs, "--timeout", "1")
    reasons = {**{n: why for n, (_, why) in ways.items()}, "n16": "cannot be connected to: Connection refused", "n17": "not read: "}
    for name, why in reasons.items():
        demand(any(r == "audit-bmc-unread" and f"'{name}'" in m and why in m for r, m, _ in told), f"{name} is not named with '{why}':\n" + "\n".join(m for r, m, _ in told if f"'{name}'" in m))
    extra = [m for r, m, _ in told if r == "audit-bmc-unread" and not any(f"'{n}'" in m for n in reasons)]
    demand(not extra, "others are called unread:\n" + "\n".join(extra))
    demand(not [f for f in told if f[0] in ("audit-hardware-differs", "audit-hardware-unequal")], f"what was not read is called different: {told}")
    demand([f for f in told if f[0] == UNSAID and "'n27'" in f[1] and "number of memory modules" in f[1]], f"n27 has a dangling link: {told}")
    demand(status == 2, f"nothing differs and some are unread: status {status}")
    demand(server.strangers == 0, "another host was asked")
    demand(server.without_token == 0, f"{server.without_token} requests without, or with too many, credentials")
    times = server.bmcs["n28"].times
    demand(times[1] - times[0] >= 3, f"Retry-After: 3, and the next request comes after {times[1] - times[0]:.1f} s")
    demand(server.bmcs["n29"].logins == 3, f"{server.bmcs['n29'].logins} logins where a session ends after 10 requests")
    demand(server.bmcs["n8"].logins == 1, "a refused login was tried again: BMCs lock accounts")
    sessions_ended()
    print(f"bad: {len(reasons)} ways to misbehave, each named; {len(fine)} unusual ones read")


def trust(tree):
    """Who is not verified is not given the password."""
    spec, names = os.path.join(here, "small.yaml"), ["n1", "n2"]
    bmcs = listing(names)
    for name, arguments, why in (("system's authorities", (), "certificate"),
                                 ("another key", ("--pin", write("pins", "sha256//" + "A" * 43 + "=\n")), "public key"),
                                 ("pin of another node", ("--pin", write("pins2", f"n1 {server.pin}\nn2 sha256//{'A' * 43}=\n")), "public key")):
        server.bmcs = {n: Bmc(tree) for n in names}
        status, told, _ = audit(spec, bmcs, trust=arguments)
        unread = [m for r, m, _ in told if r == "audit-bmc-unread" and why in m]
        demand(unread and status == 2, f"{name}: status {status}, {told}")
        demand(server.bmcs["n2"].logins == 0, f"{name}: the password was sent")
    for arguments, rules in ((("--pin", write("pins", server.pin + "\n")), []), (("--insecure",), ["audit-tls-unverified"])):
        server.bmcs = {n: Bmc(tree) for n in names}
        _, told, _ = audit(spec, bmcs, trust=arguments)
        demand([r for r, _, _ in told] == rules, f"{arguments}: {told}")
    write("open", PASSWORD, 0o644)
    status, _, error = audit(spec, bmcs, password="open")
    demand(status == 2 and "chmod 600" in error, f"a password that all can read: status {status}, {error}")
    print("trust: authorities, pins, --insecure, permissions of the password")


def interrupted(tree):
    names = [f"n{k}" for k in range(1, 9)]
    server.bmcs = {n: Bmc(tree, delay=0.2) for n in names}
    running = subprocess.Popen(command(os.path.join(here, "small.yaml"), listing(names)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 30
    while sum(b.logins for b in server.bmcs.values()) < 8 and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=30)
    demand(running.returncode == -signal.SIGINT and "interrupted" in error, f"interrupted: {running.returncode} {error}")
    time.sleep(0.5)
    sessions_ended()
    print("interrupted: 8 sessions ended")


def thousands(tree):
    spec = write("many.yaml", pathlib.Path(here, "small.yaml").read_text(encoding="utf-8").replace("n[1-8]", f"n[1-{many}]").replace("r[1-2]", f"r[1-{many // 4}]"))
    names = [f"n{k}" for k in range(1, many + 1)]
    bad = names[49::100]
    ways = [dict(hang=True), dict(garbage=[ROOT]), dict(refuse_login=True), dict(huge=[ROOT]), dict(status={ROOT: 500})]
    server.bmcs = {n: Bmc(tree) for n in names}
    for k, n in enumerate(bad):
        server.bmcs[n] = Bmc(tree, **ways[k % len(ways)])
    server.most_open = 0
    before = time.monotonic()
    status, told, error = audit(spec, listing(names), "--timeout", "2", "--connections", "32")
    wall = time.monotonic() - before
    named = "\n".join(m for r, m, _ in told if r == "audit-bmc-unread")
    demand(status == 2, f"status {status} {error}")
    demand({r for r, _, _ in told} == {"audit-bmc-unread"}, f"others than unread: {told[:5]}")
    demand(len(told) == min(len(bad), len(ways)), f"{len(told)} findings for {len(ways)} reasons:\n{named}")
    demand({n for f in told for n in f[2]} == {f"node/n/{n[1:]}" for n in bad}, f"others than the bad ones are named:\n{named}")
    demand(server.most_open <= 32 + 16, f"{server.most_open} connections at a time")   # the server sees late that one was closed
    sessions_ended()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    requests = sum(b.requests for b in server.bmcs.values())
    print(f"{many} BMCs, {len(bad)} of them bad: {requests} requests in {wall:.1f} s, {peak:.0f} MiB at most, {server.most_open} connections at a time")
    demand(peak < 300, f"{peak:.0f} MiB")


H = ROOT + "/Systems/HGX_Baseboard_0"
CAPTURES = {   # capture: node, what its spec has that the BMC does not say or says otherwise, what is planted and how it is named
    "dgx-h100": ("dgx1", [(UNSAID, "'dgx1'", "the model of the processors"), (UNSAID, "the models of the network adapters"), (UNSAID, "the number of drives"),
                          (UNSAID, "the rating of 6 of 6 power supplies")],
                 [(ROOT + "/Systems/DGX/Memory/DevType2_DIMM7", {"CapacityMiB": 32768}, "'dgx1' has memory modules 1 x 32 GiB, 31 x 64 GiB, planned 32 x 64 GiB"),
                  (H + "/Processors/GPU_SXM_3", {"Model": "H100 64GB HBM2"}, "'dgx1' has GPUs 'H100 64GB HBM2', planned nvidia-h100-sxm5-80"),
                  (ROOT + "/Systems/DGX/Processors/DevType1_CPU1", {"Status": {"State": "Absent"}}, "'dgx1' has 1 processor, planned 2")]),
    "lenovo": ("sr1", [("audit-hardware-differs", "'Intel(R) Xeon(R) Platinum 8362 CPU @ 2.80GHz', planned xeon-8358"), (UNSAID, "the model of the GPUs")],
               [(C + "/PowerSubsystem/PowerSupplies/PSU3", {"PowerCapacityWatts": 1800}, "'sr1' has power supplies 1 x 1.8 kW, 3 x 2.4 kW, planned 4 x 2.4 kW"),
                (S + "/Memory/1", {"Status": {"State": "Absent"}}, "'sr1' has memory modules 15 x 64 GiB, planned 16 x 64 GiB"),
                (S + "/Storage/M.2/Drives/Drive.M.2_Bay_0", {"CapacityBytes": 480000000000}, "'sr1' has drives 1 x 480 GB, 1 x 960 GB, 2 x 7.68 TB, planned 2 x 960 GB, 2 x 7.68 TB")]),
    "supermicro": ("smc1", [(UNSAID, "the rating of 2 of 8 power supplies")],
                   [(C + "/PCIeDevices/GPU3", {"Status": {"State": "Absent"}}, "'smc1' has 7 GPUs, planned 8"),
                    (C + "/NetworkAdapters/3", {"Model": "AOC-STGS-i2T", "PartNumber": None}, "'smc1' has 7 ConnectX-7 adapters, planned 8"),
                    (S + "/Processors/2", {"Model": "Intel(R) Xeon(R) Gold 6430"}, "'smc1' has processors 'Intel(R) Xeon(R) Gold 6430', planned xeon-8462y")]),
}


def captured():
    missing = [n for n in CAPTURES if not os.path.exists(os.path.join(captures, n + ".tar.xz"))]
    for name, (node, wanted, planted) in CAPTURES.items():
        if name in missing:
            continue
        with tarfile.open(os.path.join(captures, name + ".tar.xz")) as archive:
            archive.extractall(os.path.join(work, name))
        tree, spec = load_tree(os.path.join(work, name)), os.path.join(here, name + ".yaml")
        server.bmcs = {node: Bmc(tree)}
        _, told, error = audit(spec, listing([node]))
        demand(told or not error, error)
        expect(name, told, wanted)
        sessions_ended()
        requests = server.bmcs[node].requests
        changes = {}
        for path, fields, _ in planted:
            demand(path in tree, f"{name} has no {path}")
            changes.update(changed(tree, path, **fields))
        server.bmcs = {node: Bmc(tree, changes)}
        status, told, _ = audit(spec, listing([node]))
        expect(name + ", changed", told, wanted + [("audit-hardware-differs", words) for _, _, words in planted])
        demand(status == 1, f"{name}, changed: status {status}")
        print(f"{name}: {requests} requests, {len(wanted)} findings of its own, {len(planted)} planted")
    if missing:
        skipping.missing_part(f"the captures {', '.join(missing)} are not in ../shared/data/redfish")


def planned():
    """In a network namespace: each planned address is this machine's, and a BMC answers there on port 443."""
    global server
    spec = write("planned.yaml", pathlib.Path(here, "small.yaml").read_text(encoding="utf-8") + """networks:
  oob: { kind: ethernet, rate: 1 Gb/s, switch: nvidia-sn2201, racks: main, subnet: 10.99.0.0/24, connects: everything }
""")
    out = os.path.join(work, "compiled")
    subprocess.run([clusterc, "compile", spec, "--only", "hosts", "-o", out, "--force"], capture_output=True, check=True)
    hosts = pathlib.Path(out, "hosts/hosts").read_text(encoding="utf-8")
    address = {f"n{k}": next(line.split()[0] for line in hosts.splitlines() if f"n{k}-oob" in line.split()) for k in range(1, 9)}
    tree = load_tree(os.path.join(here, "small.json"))
    with Server(os.path.join(work, "tls-planned"), "0.0.0.0", 443) as server:
        server.bmcs = {at: Bmc(tree) for at in address.values()}
        server.bmcs[address["n3"]] = Bmc(tree, changed(tree, f"{S}/Processors/CPU2", Status={"State": "Absent"}))
        server.bmcs[address["n6"]] = Bmc(tree, refuse_login=True)
        status, told, error = audit(spec, "plan", trust=("--pin", write("pins", server.pin + "\n")))
        demand(told, f"{status} {error}")
        expect("planned addresses", told, [("audit-hardware-differs", "'n3' has 1 processor, planned 2"), ("audit-bmc-unread", "the BMC of 'n6' was not read: refuses the login")])
        demand(status == 1, f"planned addresses: status {status}")
        _, told, _ = audit(spec, "plan")
        expect("planned addresses, certificates for others", told, [("audit-bmc-unread", "8 nodes 'n[1-8]'", "its certificate is for another name or address")])
    print(f"planned: 8 BMCs at {address['n1']} and on")


def main():
    global server
    os.makedirs(work, exist_ok=True)
    write("password", PASSWORD + "\n")
    if alone:
        return planned()
    network = ["unshare", "--map-root-user", "--net", "sh", "-c"]
    if subprocess.run([*network, "ip link set lo up && ip route add local 10.99.0.0/24 dev lo"], capture_output=True, check=False).returncode == 0:
        done = subprocess.run([*network, 'ip link set lo up && ip route add local 10.99.0.0/24 dev lo && exec "$@"', "sh", sys.executable, *sys.argv[:4], "--planned"], check=False)
        demand(done.returncode == 0, "BMCs at planned addresses")
    else:
        skipping.missing_part("no network namespace can be made (unshare, ip): no BMC was read at its planned address")
    with Server(os.path.join(work, "tls")) as server:
        tree = load_tree(os.path.join(here, "small.json"))
        small(tree)
        silent_ones(tree)
        mistakes(tree)
        bad_ones(tree)
        trust(tree)
        interrupted(tree)
        thousands(tree)
        captured()


main()
