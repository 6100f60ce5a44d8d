#!/usr/bin/env python3
"""Holds the cable files of `clusterc plan -o` against each other and against the programs' formats.

usage: cables.py FOLDER                      the files of one plan
       cables.py --capture FILE              an ibnetdiscover capture as topology file and back: the same links
       cables.py --sheet CSV CABLES XLSX     a sheet as an office program converted it, against cables.csv
"""
import csv
import json
import os
import re
import sys
import zipfile
import xml.etree.ElementTree as xml

# Columns of NetBox's import forms: netbox/dcim/forms/bulk_import.py, netbox-community/netbox 4.2.
NETBOX = {
    "01-sites.csv": "name slug status region group tenant facility time_zone description physical_address shipping_address latitude longitude comments tags",
    "02-manufacturers.csv": "name slug description tags",
    "03-device-types.csv": "manufacturer default_platform model slug part_number u_height exclude_from_utilization is_full_depth subdevice_role airflow description weight weight_unit comments tags",
    "04-device-roles.csv": "name slug color vm_role config_template description tags",
    "05-racks.csv": "site location name facility_id tenant status role form_factor serial asset_tag width u_height desc_units outer_width outer_depth outer_unit mounting_depth airflow weight max_weight weight_unit description comments tags",
    "06-devices.csv": "name role tenant manufacturer device_type platform serial asset_tag status site location rack position face latitude longitude parent device_bay airflow virtual_chassis vc_position vc_priority cluster description config_template comments tags",
    "07-interfaces.csv": "device name label parent bridge lag type speed duplex enabled mark_connected mac_address wwn vdcs mtu mgmt_only description poe_mode poe_type mode vrf rf_role rf_channel rf_channel_frequency rf_channel_width tx_power tags",
    "08-cables.csv": "side_a_device side_a_type side_a_name side_b_device side_b_type side_b_name type status tenant label color length length_unit description comments tags",
}
REQUIRED = {
    "05-racks.csv": "site name status width", "06-devices.csv": "name role manufacturer device_type status site", "07-interfaces.csv": "device name type",
    "08-cables.csv": "side_a_device side_a_type side_a_name side_b_device side_b_type side_b_name",
}


def fail(text):
    sys.exit("FAILED: " + text)


def rows(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def host(name):
    return re.sub(r"[/_.]", "-", name)


def read_topo(path):
    """Links of a topology file, each as a frozenset of its two ends; fails on what ibdm-topo-file(1) does not have."""
    links, ends_of, section = [], {}, None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            section = None if not line else section
            continue
        words = line.split()
        if section is None:
            if len(words) != 2:
                fail(f"{path}:{number}: a section begins with a type and a name")
            section = words[1]
            continue
        if len(words) != 5 or not re.fullmatch(r"P[1-9]\d*", words[0]) or not re.fullmatch(r"-(1|2|4|8|12)x-(25|50|100|200)G->", words[1]):
            fail(f"{path}:{number}: no port line: {line}")
        near, far = (section, words[0]), (words[3], words[4])
        if near in ends_of:
            fail(f"{path}:{number}: {near} stands twice")
        ends_of[near] = far
        links.append((near, far, words[2]))
    both = {}
    for near, far, kind in links:
        if not kind.startswith("HCA") and ends_of.get(far) != near:
            fail(f"{path}: {near} leads to {far}, which leads to {ends_of.get(far)}")
        both[frozenset((near, far))] = kind
    return both


def check_plan(folder):
    cables = rows(os.path.join(folder, "cables.csv"))
    p2p = rows(os.path.join(folder, "point-to-point.csv"))
    labels = rows(os.path.join(folder, "labels.csv"))
    if not cables or len(cables) != len(p2p):
        fail(f"{len(cables)} links in cables.csv, {len(p2p)} in point-to-point.csv")
    used = set()
    for c in cables:
        for end in ((c["from"], c["from_port"]), (c["to"], c["to_port"])):
            if end in used:
                fail(f"port {end} is used twice")
            used.add(end)
    for c, p in zip(cables, p2p):
        if host(c["to"]) != p["Z-Node Name"] or c["cable"] != p["Cable"] or c["part"] != p["Part"]:
            fail(f"point-to-point sheet and cables.csv differ: {c} {p}")
        if c["part"] and c["way_m"] and float(c["length_m"]) + 0.05 < float(c["way_m"]):
            fail(f"cable shorter than its way: {c}")
    # Each cable has at least two labels, each fibre of a link that takes several; each label stands on one end only.
    of = {}
    for l in labels:
        of.setdefault(l["cable"], []).append(l["label"])
    fibres = {c["cable"]: int(c["part"].split(" x ")[0]) if " x " in c["part"] else 1 for c in cables}
    wanted = {name if n == 1 else f"{name}/fibre{i + 1}" for name, n in fibres.items() for i in range(n)}
    if wanted != set(of):
        fail(f"labels without a cable {sorted(set(of) - wanted)[:3]}, cables without a label {sorted(wanted - set(of))[:3]}")
    for name in wanted:
        if len(of[name]) < 2 or len(set(of[name])) != len(of[name]):
            fail(f"labels of {name}: {of[name]}")
    bundles = rows(os.path.join(folder, "bundles.csv"))
    # A splitter whose tails end in two racks lies on the way to each of them.
    placed = {(c["cable"], frozenset((p["A-Rack"], p["Z-Rack"]))) for c, p in zip(cables, p2p) if c["way_m"]}
    ways = sum(fibres[name] for name, _ in placed)
    if sum(int(b["cables"]) for b in bundles) != ways:
        fail(f"{sum(int(b['cables']) for b in bundles)} cables in bundles, {ways} ways of cables between racks")
    # Topology files against cables.csv: every link of the network, both ends, nothing else.
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".topo"):
            continue
        network = file[: -len(".topo")]
        topo = read_topo(os.path.join(folder, file))
        mine = [c for c in cables if c["network"] == network]
        if len(topo) != len(mine):
            fail(f"{file}: {len(topo)} links, cables.csv has {len(mine)}")
        ends = {e for link in topo for e in link}
        for c in mine:
            if (host(c["to"]), "P" + c["to_port"]) not in ends:
                fail(f"{file}: nothing at {c['to']} port {c['to_port']}")
            if not c["from"].startswith(("node/", "storage/")) and frozenset(((host(c["from"]), "P" + c["from_port"]), (host(c["to"]), "P" + c["to_port"]))) not in topo:
                fail(f"{file}: no link {c}")
        print(f"ok: {file}: {len(topo)} links, as in cables.csv")
    check_netbox(os.path.join(folder, "netbox"), cables)
    check_xlsx(os.path.join(folder, "cabling.xlsx"), cables)
    check_cords(folder)
    print(f"ok: {len(cables)} links, {len(of)} cables, {len(labels)} labels")


def check_cords(folder):
    """Each supply of plan.json has one cord, on the PDU that it names; each outlet has one; as many of each kind are bought; labels are found once; the workbook has them all."""
    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as f:
        plan = json.load(f)
    cords = rows(os.path.join(folder, "cords.csv"))
    hangs = {(d["name"].replace("/", "-").replace("_", "-").replace(".", "-"), str(k + 1)): f"pdu/{r['name']}/{letter}"
             for r in plan["racks"] if "frame_load" not in r for d in r["devices"] for k, letter in enumerate(d.get("cords", ""))}
    if len({(c["device"], c["supply"]) for c in cords}) != len(cords) or {(c["device"], c["supply"]): c["pdu"] for c in cords} != hangs:
        fail(f"cords.csv: {len(cords)} cords, plan.json has {len(hangs)} supplies on PDUs, or others")
    places = [(c["pdu"], c["socket"], c["outlet"]) for c in cords if c["outlet"]]
    if len(set(places)) != len(places):
        fail("cords.csv: an outlet is used twice")
    bought = {a["part"]: a["count"] for a in plan["accessories"] if a["part"].startswith("power-cord-")}
    listed = {p: sum(c["part"] == p for c in cords) for p in {c["part"] for c in cords} - {""}}
    if bought != listed:
        fail(f"cords.csv has {listed}, the bill {bought}")
    for end in ("supply_label", "pdu_label"):
        if len({c[end] for c in cords}) != len(cords):
            fail(f"cords.csv: a {end} stands twice")
    with zipfile.ZipFile(os.path.join(folder, "cabling.xlsx")) as z:
        sheet = xml.fromstring(z.read("xl/worksheets/sheet3.xml"))
    if len(sheet.findall(".//{http://schemas.openxmlformats.org/spreadsheetml/2006/main}row")) != len(cords) + 1:
        fail("cabling.xlsx: its cords are not those of cords.csv")
    print(f"ok: {len(cords)} cords, each in an outlet of its own")


def check_netbox(folder, cables):
    files = {name: rows(os.path.join(folder, name)) for name in NETBOX}
    for name, content in files.items():
        with open(os.path.join(folder, name), encoding="utf-8", newline="") as f:
            head = next(csv.reader(f))
        unknown = set(head) - set(NETBOX[name].split())
        if unknown:
            fail(f"netbox/{name}: NetBox has no column {sorted(unknown)}")
        for row in content:
            for key in REQUIRED.get(name, head[0]).split():
                if not row[key]:
                    fail(f"netbox/{name}: {key} is empty: {row}")
    types = {(t["manufacturer"], t["model"]) for t in files["03-device-types.csv"]}
    roles = {r["name"] for r in files["04-device-roles.csv"]}
    racks = {r["name"]: r for r in files["05-racks.csv"]}
    devices = {d["name"] for d in files["06-devices.csv"]}
    if len(devices) != len(files["06-devices.csv"]):
        fail("netbox: a device stands twice")
    for d in files["06-devices.csv"]:
        if (d["manufacturer"], d["device_type"]) not in types or d["role"] not in roles or (d["rack"] and d["rack"] not in racks):
            fail(f"netbox: type, role or rack of a device is not imported: {d}")
        if d["position"] and not 1 <= int(d["position"]) <= int(racks[d["rack"]]["u_height"]):
            fail(f"netbox: outside its rack: {d}")
    interfaces = {(i["device"], i["name"]) for i in files["07-interfaces.csv"]}
    if len(interfaces) != len(files["07-interfaces.csv"]):
        fail("netbox: an interface stands twice")
    for device, _ in interfaces:
        if device not in devices:
            fail(f"netbox: interface of unknown device {device}")
    ends = set()
    for c in files["08-cables.csv"]:
        for side in "ab":
            end = (c[f"side_{side}_device"], c[f"side_{side}_name"])
            if end not in interfaces or end in ends:
                fail(f"netbox: cable end unknown or used twice: {end}")
            ends.add(end)
    if len(files["08-cables.csv"]) != len(cables):
        fail(f"netbox: {len(files['08-cables.csv'])} cables, {len(cables)} links")
    print(f"ok: netbox: {len(devices)} devices, {len(interfaces)} interfaces, {len(files['08-cables.csv'])} cables")


def check_xlsx(path, cables):
    space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(path) as z:
        if z.testzip():
            fail("cabling.xlsx: a broken file in the archive")
        sheet = xml.fromstring(z.read("xl/worksheets/sheet2.xml"))
        xml.fromstring(z.read("xl/workbook.xml"))
    got = sheet.findall(".//m:row", space)
    if len(got) != len(cables) + 1:
        fail(f"cabling.xlsx: {len(got) - 1} rows, cables.csv has {len(cables)}")
    text = ["".join(c.itertext()) for c in got[-1].findall("m:c", space)]
    if cables[-1]["cable"] not in text:
        fail(f"cabling.xlsx: last row {text}")
    print(f"ok: cabling.xlsx: {len(got) - 1} rows")


def check_sheet(sheet, cables):
    with open(sheet, encoding="utf-8", newline="") as f:
        got = list(csv.DictReader(f))
    want = rows(cables)
    if [(g["Cable"], g["Part"], g["Z port"]) for g in got] != [(w["cable"], w["part"], w["to_port"]) for w in want]:
        fail("the sheet that the office program read differs from cables.csv")
    print(f"ok: the office program reads {len(got)} rows")


def check_capture(path):
    """A fabric that somebody captured: its links, written as a topology file and read again, are the same."""
    lines, links, names, me = open(path, encoding="utf-8", errors="replace").read().split("\n"), set(), {}, None
    for line in lines:
        head = re.match(r'(Switch|Ca)\s+\d+ "([^"]+)"\s+# "([^"]*)"', line)
        if head:
            me = head[2]
            names[me] = (head[1], re.sub(r"[^A-Za-z0-9-]", "-", head[3]) + "-" + me[-4:])
            continue
        port = re.match(r'\[(\d+)\](?:\([0-9a-f]+\))?\s+"([^"]+)"\[(\d+)\]', line)
        if port and me:
            links.add(frozenset(((me, int(port[1])), (port[2], int(port[3])))))
        elif not line.strip():
            me = None
    out = path_of_scratch = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"capture-{os.getpid()}.topo")
    ends = {}
    for link in links:
        pair = list(link)
        if len(pair) == 2:
            ends[pair[0]], ends[pair[1]] = pair[1], pair[0]
    with open(out, "w", encoding="utf-8") as f:
        for me, (kind, name) in names.items():
            if kind != "Switch":
                continue
            f.write(f"\nMQM9700 {name}\n")
            for port in sorted(p for n, p in ends if n == me):
                peer, far = ends[(me, port)]
                if peer not in names:
                    fail(f"{path}: {peer} has no record")
                f.write(f"P{port} -4x-100G-> " + (f"MQM9700 {names[peer][1]} P{far}\n" if names[peer][0] == "Switch" else f"HCA_mlx5_1 {names[peer][1]} mlx5_0/P{far}\n"))
    back = read_topo(out)
    os.remove(path_of_scratch)
    want = {frozenset((names[n][1], f"P{p}" if names[n][0] == "Switch" else f"mlx5_0/P{p}") for n, p in link) for link in links if any(names[n][0] == "Switch" for n, _ in link)}
    if set(back) != want:
        fail(f"{path}: {len(want)} links captured, {len(back)} read back, {len(set(back) ^ want)} differ")
    print(f"ok: {os.path.basename(path)}: {len(want)} captured links go through the topology file and back")


if __name__ == "__main__":
    if sys.argv[1] == "--capture":
        check_capture(sys.argv[2])
    elif sys.argv[1] == "--sheet":
        check_sheet(sys.argv[2], sys.argv[3])
    else:
        check_plan(sys.argv[1])
