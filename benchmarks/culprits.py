#!/usr/bin/env python3
"""How many rounds of pair tests it takes to name every fault: the search for culprits on simulated networks, beside other ways.

usage: culprits.py SIMULATION [--seeds N]     SIMULATION: the program culprit_simulation (ninja -C build/release culprit_simulation)
Writes benchmarks/results/culprits.json and docs/culprits.svg. Fails if a run with at most 1 % of faults takes more than 6 rounds at 1,024 nodes
or 8 at 16,384, if a fault is not named, or if one run in ten or more accuses what has no fault.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SHARES = (0, 0.005, 0.01, 0.015, 0.02)
LIMITS = {1024: 6, 16384: 8}   # rounds, up to 1 % of faults


def infiniband(spec):
    """The compute network of a large spec as InfiniBand, which routes by destination."""
    block = re.compile(r"^  compute:\n    kind: ethernet\n.*?(?=^  \w)", re.M | re.S)
    return block.sub("  compute:\n    kind: infiniband\n    rate: 400 Gb/s\n    switch: nvidia-qm9700\n    racks: network\n    topology: rail-optimised\n    connects: { gpu: { ports: compute } }\n", spec, count=1)


def run(program, nodes, seeds):
    with tempfile.TemporaryDirectory() as folder:
        spec = pathlib.Path(folder) / "spec.yaml"
        text = subprocess.run([sys.executable, HERE / "specs.py", str(nodes)], check=True, capture_output=True, text=True).stdout
        spec.write_text(infiniband(text) if nodes == 1024 else text)
        for share in SHARES:
            out = subprocess.run([program, spec, "gpu", str(share), "1", str(seeds)], check=True, capture_output=True, text=True).stdout
            for line in out.splitlines():
                yield {"share": share, **json.loads(line)}


def summary(rows):
    for nodes in LIMITS:
        for share in SHARES:
            runs = [r for r in rows if r.get("nodes") == nodes and r["share"] == share]
            faults = sum(r["faults"] for r in runs)
            bisection = [r["bisection"] for r in runs]
            yield {"nodes": nodes, "share": share, "runs": len(runs), "faults": faults, "missed": sum(r["missed"] for r in runs), "open": sum(r["open"] for r in runs), "wrong": sum(r["wrong"] for r in runs),
                   "least_rounds": min(r["rounds"] for r in runs), "most_rounds": max(r["rounds"] for r in runs), "pairs": round(sum(r["pairs"] for r in runs) / len(runs)),
                   "bisection_rounds": max(b["rounds"] for b in bisection), "bisection_wrong": sum(b["wrong"] for b in bisection)}


# ------------------------------------------------------------------------------------------------------------------ drawing
COLOURS = {1024: "#1f6fb4", 16384: "#c2571a"}


def drawing(rows, table):
    """Two panels: faults named after each round, with the rounds of the other ways; rounds by the share of faults."""
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="900" height="400" viewBox="0 0 900 400" font-family="sans-serif" font-size="12">', '<rect width="900" height="400" fill="white"/>']

    def text(x, y, words, anchor="middle", colour="#222", size=12):
        out.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">{words}</text>')

    def line(points, colour, dash=""):
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dash} points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>')

    # Left: logarithmic rounds.
    import math
    left, right, top, bottom = 60, 520, 50, 340
    x_of = lambda r: left + (right - left) * math.log10(r) / math.log10(20000)
    y_of = lambda share: bottom - (bottom - top) * share
    text((left + right) / 2, 28, "Faults named, 1 % of the nodes faulty", size=14)
    for r in (1, 2, 5, 10, 100, 1000, 10000):
        out.append(f'<line x1="{x_of(r):.1f}" x2="{x_of(r):.1f}" y1="{top}" y2="{bottom}" stroke="#ddd"/>')
        text(x_of(r), bottom + 18, f"{r:,}")
    for share in (0, 0.25, 0.5, 0.75, 1):
        out.append(f'<line x1="{left}" x2="{right}" y1="{y_of(share):.1f}" y2="{y_of(share):.1f}" stroke="#ddd"/>')
        text(left - 8, y_of(share) + 4, f"{100 * share:.0f} %", "end")
    text((left + right) / 2, bottom + 38, "rounds")
    for nodes, colour in COLOURS.items():
        runs = [r for r in rows if r.get("nodes") == nodes and r["share"] == 0.01]
        most = max(r["rounds"] for r in runs)
        mean = [sum((r["named_after"] + [r["named_after"][-1]] * most)[i] for r in runs) / sum(r["faults"] for r in runs) for i in range(most)]
        line([(x_of(i + 1), y_of(m)) for i, m in enumerate(mean)], colour)
        for i, m in enumerate(mean):
            out.append(f'<circle cx="{x_of(i + 1):.1f}" cy="{y_of(m):.1f}" r="3.5" fill="{colour}"/>')
        halves = sum(r["bisection"]["named"] for r in runs) / max(1, sum(r["bisection"]["slow_nodes"] for r in runs))
        depth = max(r["bisection"]["rounds"] for r in runs)
        out.append(f'<rect x="{x_of(depth) - 5:.1f}" y="{y_of(halves) - 5:.1f}" width="10" height="10" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<path d="M{x_of(nodes - 1) - 6:.1f} {y_of(1) + 5:.1f} l6 -11 l6 11 z" fill="none" stroke="{colour}" stroke-width="2"/>')
    out.append(f'<path d="M{x_of(1) - 5:.1f} {y_of(0) - 5:.1f} l10 10 m0 -10 l-10 10" stroke="#444" stroke-width="2"/>')
    for i, words in enumerate(("&#9679; search (this program)", "&#9633; bisection: names nodes only, and accuses healthy ones", "&#9651; every pair (n - 1 rounds)", "&#215; one large all-reduce: names nothing")):
        text(x_of(28), y_of(0.52) + 18 * i, words, "start", "#444", 11)
    for i, (nodes, colour) in enumerate(COLOURS.items()):
        text(x_of(28), y_of(0.22) + 18 * i, f"{nodes:,} nodes x 8 rails", "start", colour)
    # Right: rounds by share.
    left, right = 590, 870
    x_of = lambda share: left + (right - left) * share / 0.02
    y_of = lambda r: bottom - (bottom - top) * r / 10
    text((left + right) / 2, 28, "Rounds until every fault is confirmed", size=14)
    for r in range(0, 11, 2):
        out.append(f'<line x1="{left}" x2="{right}" y1="{y_of(r):.1f}" y2="{y_of(r):.1f}" stroke="#ddd"/>')
        text(left - 8, y_of(r) + 4, str(r), "end")
    for share in SHARES:
        text(x_of(share), bottom + 18, f"{100 * share:g} %")
    text((left + right) / 2, bottom + 38, "nodes with a fault (line: most rounds of any run)")
    for nodes, colour in COLOURS.items():
        points = [(x_of(t["share"]), y_of(t["most_rounds"])) for t in table if t["nodes"] == nodes]
        shift = 2 if nodes == 1024 else -2
        line([(x, y + shift) for x, y in points], colour)
        line([(left, y_of(LIMITS[nodes])), (x_of(0.01), y_of(LIMITS[nodes]))], colour, ' stroke-dasharray="4 4"')
        text(x_of(0.0101), y_of(LIMITS[nodes]) - 6 + (0 if nodes == 16384 else 24), f"limit {LIMITS[nodes]}", "start", colour, 11)
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("simulation")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    rows = [row for nodes in LIMITS for row in run(options.simulation, nodes, options.seeds)]
    table = list(summary(rows))
    (HERE / "results" / "culprits.json").write_text(json.dumps({"command": f"benchmarks/culprits.py culprit_simulation --seeds {options.seeds}", "links": [r for r in rows if "links" in r][:1], "summary": table,
                                                                "runs": [{k: v for k, v in r.items() if k != "seconds"} for r in rows if "seed" in r]}, indent=None, separators=(",", ":")).replace('},{', '},\n{') + "\n")
    (HERE.parent / "docs" / "culprits.svg").write_text(drawing(rows, table))
    bad = []
    print("| nodes | faulty | runs | faults | not named | accused wrongly | rounds | pairs tested | bisection: rounds, accused wrongly |\n|---|---|---|---|---|---|---|---|---|")
    for t in table:
        print(f"| {t['nodes']:,} | {100 * t['share']:g} % | {t['runs']} | {t['faults']:,} | {t['missed']} | {t['wrong']} | {t['least_rounds']} to {t['most_rounds']} | {t['pairs']:,} | {t['bisection_rounds']}, {t['bisection_wrong']:,} |")
        if t["share"] <= 0.01 and (t["most_rounds"] > LIMITS[t["nodes"]] or t["missed"] > t["open"] or t["wrong"] * 10 >= t["runs"]):
            bad.append(t)
    for t in bad:
        print(f"culprits.py: outside the limits: {t}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
