#!/usr/bin/env python3
"""Runs check-neighbours on what a switch would see if it is cabled as planned, and on the same with one thing wrong.

    sonic_neighbours.py CHECK NEIGHBOURS.csv LLDP.json WORK

LLDP.json was printed by `lldpctl -f json0` of lldpd 1.0.16 on a machine with two ports; what other ports see is made in its form."""
import copy
import csv
import json
import os
import subprocess
import sys


def main():
    check, planned, real, work = sys.argv[1:]
    rows = list(csv.DictReader(open(planned, encoding="utf-8", newline="")))
    form = json.load(open(real, encoding="utf-8"))["lldp"][0]["interface"][0]

    def entry(port, name, far, descr=""):
        out = copy.deepcopy(form)
        out["name"], out["chassis"][0]["name"][0]["value"] = port, name
        out["port"][0]["id"][0]["value"], out["port"][0]["descr"][0]["value"] = far, descr
        return out

    good = [entry(r["port"], r["neighbour"] + (".cluster.example" if r["kind"] == "node" else ""), r["neighbour_port"] if r["kind"] == "switch" else "02:00:00:00:00:09",
                  "what the other end says of this one" if r["kind"] == "switch" else r["neighbour_port"]) for r in rows]
    failed = 0

    def run(what, interfaces, status, *words, text=None):
        nonlocal failed
        path = os.path.join(work, "lldp.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text if text is not None else json.dumps({"lldp": [{"interface": interfaces}]}))
        done = subprocess.run([check, planned, path], capture_output=True, text=True)
        if done.returncode != status or not all(w in done.stdout + done.stderr for w in words):
            print(f"{what}: ended with {done.returncode}, said {done.stdout}{done.stderr}")
            failed += 1
        else:
            print(f"ok: {what}")

    at = {r["kind"]: i for i, r in reversed(list(enumerate(rows)))}
    node, switch = rows[at["node"]], rows[at["switch"]]
    run("as planned", good, 0, f"{len(rows)} cables planned, 0 differences")
    run("a cable is missing", good[1:], 1, rows[0]["port"] + ": no neighbour, should see", rows[0]["cable"])
    swapped = copy.deepcopy(good)
    first, last = at["node"], max(i for i, r in enumerate(rows) if r["kind"] == "node" and r["neighbour"] != node["neighbour"])
    swapped[first]["name"], swapped[last]["name"] = good[last]["name"], good[first]["name"]
    run("two cables swapped", swapped, 1, f"{rows[last]['port']}: sees {node['neighbour']}", f"belongs at {node['port']}", "2 differences")
    other = copy.deepcopy(good)
    other[at["switch"]]["port"][0]["id"][0]["value"] = switch["neighbour_port"] + "9"
    run("another port of the right switch", other, 1, switch["port"] + f": sees {switch['neighbour']} at {switch['neighbour_port']}9")
    nameless = copy.deepcopy(good)
    del nameless[at["node"]]["chassis"][0]["name"]
    run("a neighbour that does not say its name", nameless, 1, "a device without a name")
    run("one too many", good + [entry("Ethernet9999", "stranger", "eth0")], 1, "Ethernet9999: sees stranger, should see no neighbour")
    run("not LLDP", [], 2, "check-neighbours: not an answer of LLDP", text="show lldp table")
    run("another JSON", [], 2, "check-neighbours: not an answer of LLDP", text='{"PORT": {}}')
    run("an answer that is cut off", [], 2, "check-neighbours: not an answer of LLDP", text='{"lldp": [{"interface": [{"name": "Ether')
    with open(os.path.join(work, "no.csv"), "w", encoding="utf-8") as f:
        f.write("port,kind,neighbour,neighbour_port,cable\n")
    done = subprocess.run([check, os.path.join(work, "no.csv"), real], capture_output=True, text=True)
    if done.returncode != 2 or "lists no cable" not in done.stderr:
        print(f"a list without cables: ended with {done.returncode}, said {done.stdout}{done.stderr}")
        failed += 1
    # As it was printed: two ports that see spine-1 at etp1 and etp2.
    done = subprocess.run([check, os.path.join(work, "two.csv"), real], capture_output=True, text=True) if write_two(work) else None
    if done.returncode or "0 differences" not in done.stderr:
        print(f"the real one: {done.stdout}{done.stderr}")
        failed += 1
    return 1 if failed else 0


def write_two(work):
    with open(os.path.join(work, "two.csv"), "w", encoding="utf-8") as f:
        f.write("port,kind,neighbour,neighbour_port,cable\nEthernet0,switch,spine-1,etp1,\nEthernet8,node,spine-1,etp2,\n")
    return True


if __name__ == "__main__":
    sys.exit(main())
