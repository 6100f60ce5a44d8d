#!/usr/bin/env python3
"""The assembly sheets of racks against plan.json, cords.csv and point-to-point.csv, read by this program alone: every device once, in its rack and at its units;
every cord once, every end of every cable on the sheet of its rack, with the labels, modules and lengths of the lists; sheets, bundles.csv, labels.csv and
point-to-point.csv count the same cables. And twins with one thing wrong, which have to be found.

usage: rack_sheets.py PROGRAM SOURCE WORK
"""
import collections
import csv
import glob
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys


class Sheet(html.parser.HTMLParser):
    """The rows of each table, as cells of text, and all element names."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tables, self.cell, self.elements, self.headings, self.heading, self.text = [], None, collections.Counter(), [], None, text
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements[tag] += 1
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""
        elif tag in ("h1", "h2"):
            self.heading = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None
        elif tag in ("h1", "h2"):
            self.headings.append(self.heading)
            self.heading = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
        elif self.heading is not None:
            self.heading += data


def table(sheet, column):
    """The rows of the table that has this column, as {column: text}; of two columns of one name the second has a 2 behind it."""
    for rows in sheet.tables:
        names = []
        for name in rows[0]:
            names.append(name + "2" if name in names else name)
        if column in names:
            return [dict(zip(names, row)) for row in rows[1:]]
    return []


def host(name):
    return name if "/" not in name else "".join("-" if c in "/_." else c for c in name)


def differences(plan, cords, cables, sheets):
    try:
        racks = {r["name"]: r for r in plan["racks"] if r["devices"]}
        assert set(sheets) == set(racks), f"sheets {sorted(sheets)[:3]}…, racks {sorted(racks)[:3]}…"
        wanted_cords, wanted_inside, wanted_leaving = (collections.defaultdict(collections.Counter) for _ in range(3))
        for c in cords:
            wanted_cords[c["rack"]][(c["device"], c["supply"], c["unit"], c["length_m"], c["supply_label"], c["pdu_label"])] += 1
        # A cable that carries the links of both ports of its cages has one pair of labels, and one line.
        for c in {(c["Cable"], c["A-Label"], c["Z-Label"]): c for c in cables}.values():
            a, z = (c["A-Rack"], c["A-Label"], c["A-Module"]), (c["Z-Rack"], c["Z-Label"], c["Z-Module"])
            if a[0] and a[0] == z[0]:
                wanted_inside[a[0]][(c["Network"], frozenset([a[1:], z[1:]]), c["Length m"])] += 1
            else:
                for here, there in ((a, z), (z, a)):
                    if here[0]:
                        wanted_leaving[here[0]][(there[0] or "not planned", c["Network"], here[1:], there[1:], c["Length m"])] += 1
        for name, sheet in sheets.items():
            assert sheet.headings[0] == f"Rack {name}", sheet.headings[0]
            assert not sheet.elements["script"] and not sheet.elements["img"] and sheet.elements["svg"] == 1
            rows = table(sheet, "serial number")
            devices = [(d["unit"], d["units"], host(d["name"])) for d in racks[name]["devices"] if d["kind"] != "occupied"]
            found = []
            for row in rows:
                if row["device"] == "stands here already":
                    continue
                first, _, last = row["units"].partition("-")
                found.append((int(first or 0), int(last or first or 0) - int(first or 0) + 1 if row["units"] != "-" else None, row["device"]))
            assert [f[2] for f in found] == [d[2] for d in devices], f"{name}: devices {found[:3]}…, {devices[:3]}… in the plan"
            for f, d in zip(found, devices):
                assert f[1] is None or f[:2] == d[:2], f"{name}: {f}, {d} in the plan"
            have = collections.Counter((r["device"], r["supply"], r["unit"].replace("-", ""), r["m"], r["label at the supply"], r["label at the PDU"]) for r in table(sheet, "supply"))
            assert have == wanted_cords[name], f"{name}: cords {list((have - wanted_cords[name]) or (wanted_cords[name] - have))[:2]}"
            have = collections.Counter((r["network"], frozenset([(r["label"], r["module"]), (r["label2"], r["module2"])]), r["m"]) for r in table(sheet, "from unit"))
            assert have == wanted_inside[name], f"{name}: inside {list((have - wanted_inside[name]) or (wanted_inside[name] - have))[:2]}"
            have = collections.Counter((r["to rack"], r["network"], (r["label here"], r["module here"]), (r["label there"], r["module there"]), r["m"]) for r in table(sheet, "to rack"))
            assert have == wanted_leaving[name], f"{name}: leaving {list((have - wanted_leaving[name]) or (wanted_leaving[name] - have))[:2]}"
    except AssertionError as error:
        return str(error)
    return None


def bought(cables, pairs=True):
    """Cables of point-to-point.csv, each once (for each pair of racks that it runs between); a link of two fibres is two."""
    return {(c["Cable"], *((frozenset([c["A-Rack"], c["Z-Rack"]]),) if pairs else ()), f) for c in cables for f in range(int(re.match(r"(?:(\d+) x )?", c["Part"])[1] or 1))}


def miscounted(cables, bundles, labels, sheets):
    """Where sheets, bundles.csv and labels.csv count other cables than point-to-point.csv; the first difference, or None."""
    inside, leaving, between = collections.Counter(), collections.Counter(), collections.Counter()
    for _, racks, _ in bought(cables):
        if all(racks):
            between[racks] += 1
        if len(racks) == 1:
            inside.update(racks)
        else:
            leaving.update(racks)
    have = {frozenset([b["from_rack"], b["to_rack"]]): int(b["cables"]) for b in bundles}
    if have != dict(between):
        return f"bundles.csv: {sorted(map(str, have.items() ^ between.items()))[:2]}"
    if len({row["cable"] for row in labels}) != len(bought(cables, False)):
        return f"labels.csv: {len({row['cable'] for row in labels})} cables, {len(bought(cables, False))} in point-to-point.csv"
    # The labels of a cable between two cages name all ports that its plugs cover: "30/1+30/2".
    links = collections.defaultdict(list)
    for c in cables:
        links[c["Cable"]].append(c)
    for name, of in links.items():
        if len(of) > 1 and len({(c["A-Label"], c["Z-Label"]) for c in of}) == 1:
            for label, host, port in (("A-Label", "A-Node Name", "A-Port"), ("Z-Label", "Z-Node Name", "Z-Port")):
                want = f"{of[0][host]}:{'+'.join(c[port] for c in of)} > "
                if not of[0][label].startswith(want):
                    return f"{name}: label {of[0][label]}, not {want}"
    for name, sheet in sheets.items():
        count = re.search(r"(\d+) cables? within the rack and (\d+) to other racks", sheet.text)
        if (int(count[1]), int(count[2])) != (inside[name], leaving[name]):
            return f"{name}: {count[0]}; {inside[name]} and {leaving[name]} in point-to-point.csv"
        modules = {(h, p) for c in cables for r, h, p, m in ((c["A-Rack"], c["A-Node Name"], c["A-Port"], c["A-Module"]), (c["Z-Rack"], c["Z-Node Name"], c["Z-Port"], c["Z-Module"])) if r == name and m}
        said = re.search(r"(\d+) modules? (?:is|are) plugged", sheet.text)
        if bool(said) != bool(modules) or (said and int(said[1]) > len(modules)):
            return f"{name}: {said[0] if said else 'no modules'}; {len(modules)} ports with modules"
    return None


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def main():
    program, source, work = sys.argv[1:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    twins = 0
    examples = sorted(os.path.relpath(path, f"{source}/examples")[:-5] for path in glob.glob(f"{source}/examples/**/*.yaml", recursive=True))
    for spec in examples:
        if spec in ("roce-16384", "published/dgx-h100-superpod-16su", "published/dgx-b200-superpod-4su") or spec.startswith(("ci/", "parts/")):  # many more of the same; no specs
            continue
        out = os.path.join(work, spec.replace("/", "-"))
        subprocess.run([program, "plan", f"{source}/examples/{spec}.yaml", "-o", out, "--exports", "book,sheets,racks"], capture_output=True, check=False)
        if not os.path.exists(os.path.join(out, "plan.json")):
            continue  # no spec: parts and inventories of examples
        plan = json.load(open(os.path.join(out, "plan.json"), encoding="utf-8"))
        cords, cables = rows(os.path.join(out, "cords.csv")), rows(os.path.join(out, "point-to-point.csv"))
        texts = {os.path.basename(path)[:-5]: open(path, encoding="utf-8").read() for path in glob.glob(os.path.join(out, "racks", "*.html"))}
        found = differences(plan, cords, cables, {name: Sheet(text) for name, text in texts.items()})
        assert found is None, f"{spec}: {found}"
        bundles, labels = rows(os.path.join(out, "bundles.csv")), rows(os.path.join(out, "labels.csv"))
        sheets = {name: Sheet(text) for name, text in texts.items()}
        found = miscounted(cables, bundles, labels, sheets)
        assert found is None, f"{spec}: {found}"
        # Devices without cords are named where the bill only counts them.
        bare = sum(a.get("unknown_for", 0) for a in plan["accessories"] if a["part"] == "power-cord")
        hoses = {name: [r["hose, label at both ends"] for r in table(sheet, "hose, label at both ends")] for name, sheet in sheets.items()}
        frames = sum(a["count"] for a in plan["accessories"] if a["part"] == "coolant-hose")
        assert sum(len(labels) for labels in hoses.values() if len(labels) == 2) == frames, f"{spec}: hoses {hoses}, {frames} of frames in the bill"
        nodes = sum(a.get("unknown_for", 0) for a in plan["accessories"] if a["part"] == "coolant-hose")
        assert sum(len(labels) - 2 for labels in hoses.values() if len(labels) > 2) == 2 * nodes, f"{spec}: {nodes} liquid-cooled nodes, hoses {hoses}"
        assert all(len(set(labels)) == len(labels) for labels in hoses.values()), f"{spec}: hoses with one label: {hoses}"
        for sheet in sheets.values():
            for row in table(sheet, "serial number"):
                assert row["device"] == "stands here already" or row["weight"] == "with the rack" or row["lifted by"] in ("one person", "two people", "a lift, two people") or \
                    (row["weight"] == "not stated" and row["lifted by"] == "maker's documents"), f"{spec}: {row}"
        named = [n for sheet in sheets.values() for found in re.findall(r"No cord and no outlet is planned for ([^:]*):", sheet.text) for n in found.split(", ")]
        assert len(named) == bare, f"{spec}: no cords for {named}, {bare} in the bill"
        assert not cables or miscounted([c for c in cables if c["Cable"] != cables[0]["Cable"]], bundles, labels, sheets), f"{spec}: a cable less, and nothing found it"
        print(f"{spec}: {len(texts)} sheets, {len(cords)} cords, {len(cables)} links, {len(bought(cables, False))} cables")
        # Twins: a word of one sheet is another one.
        if spec in ("lab", "superpod"):
            name, text = sorted(texts.items())[0]
            for old in (cords[0]["supply_label"], "<td>" + cords[0]["device"] + "<", "<td class=\"n\">2</td>", cables[0]["A-Label"], cables[-1]["Z-Label"]):
                old = old.replace(" > ", " &gt; ")
                sheet = next((n for n, t in texts.items() if old in t), None)
                assert sheet, f"{spec}: {old} stands on no sheet"
                wrong = dict(texts, **{sheet: texts[sheet].replace(old, old.replace("2", "3").replace(":", ";") if "class" in old or ":" in old else old + "x", 1)})
                assert differences(plan, cords, cables, {n: Sheet(t) for n, t in wrong.items()}), f"{spec}: '{old}' was changed on {sheet}, and nothing found it"
                twins += 1
    print(f"{twins} twins with one thing wrong are found")


if __name__ == "__main__":
    main()
