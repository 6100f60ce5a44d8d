#!/usr/bin/env python3
"""How long the language server takes from a keystroke to its findings, in a spec of 500 lines.

usage: lsp.py [--program build/release/bin/clusterc] [--keys 200] [--nodes 128] [--results NAME]

A client types into an open document, one character a change, and waits after each for the findings of that version
(textDocument/didChange to textDocument/publishDiagnostics) and then for a completion at the cursor. Printed are median, 95th percentile and
maximum of the wall time, and the CPU time of the server a keystroke, all its threads together (/proc/PID/task/*/schedstat).
Two things are typed: a sentence, after each letter of which the whole spec is resolved, planned and judged by every rule; and new keys, half
of whose states are no YAML or no spec, which is told much sooner. The goal is for the first, median and 95 %; exit status 1: it was missed.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import time

import specs

HERE = os.path.dirname(os.path.abspath(__file__))
GOAL_MS = 30.0


def long_spec(nodes):
    """The spec of specs.py with its nodes and racks in groups of 8 nodes, written out line by line: some 500 lines at 128 nodes."""
    if nodes < 32 or nodes % 32:
        raise SystemExit("lsp.py: a multiple of 32 nodes is needed")
    text = specs.spec(nodes)
    groups = 16
    each = nodes // groups
    racks, node_groups = [], []
    for g in range(groups):
        racks += ["", f"  # {each} nodes", f"  row{g:02}:", f'    names: "r{g:02}n[1-{specs.ceil_div(each, specs.NODES_PER_RACK)}]"', "    model: generic-48u-800x1200", "    per_row: 64", "    row_pitch: 3 m", "    cooling: hall", "    pdus:"]
        for feed in "ABC":
            racks += ["      - model: na-415-3ph-60", f"        feed: {feed}"]
        node_groups += ["", f"  # in row{g:02}", f"  gpu{g:02}:", f'    names: "g{g:02}n[{1:0{specs.digits(each)}d}-{each}]"', "    model: nvidia-dgx-h100", "    roles: [compute]", "    gpu_power_limit: 700 W", f"    racks: row{g:02}", f"    per_rack: {specs.NODES_PER_RACK}"]
    out, skipping = [], False
    for line in text.split("\n"):
        if line == "racks:":
            out += [line] + racks
        elif line == "  compute:" and "racks:" in out and "nodes:" not in out:
            skipping = True
        elif line.startswith("  gpu:  {"):
            out += node_groups
        elif "connects: { gpu:" in line:
            ports = "compute" if "ports: compute" in line else "inband"
            out.append("    connects:")
            for g in range(groups):
                out += [f"      gpu{g:02}:", f"        ports: {ports}"]
            if "head:" in line:
                out.append("      head: { ports: data }")
        else:
            skipping = skipping and line.startswith("    ")
            if not skipping:
                out.append(line)
    return "\n".join(out)


class Client:
    def __init__(self, program):
        self.server = subprocess.Popen([program, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "XDG_CACHE_HOME": "/dev/null"})
        self.next_id = 0
        self.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}})
        self.notify("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def receive(self):
        length = 0
        while True:
            line = self.server.stdout.readline()
            if not line:
                raise SystemExit("lsp.py: the server is gone")
            if line == b"\r\n":
                return json.loads(self.server.stdout.read(length))
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def request(self, method, params):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.next_id:
                if "error" in message:
                    raise SystemExit(f"lsp.py: {method}: {message['error']}")
                return message["result"]

    def findings(self, version):
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"].get("version") == version:
                return message["params"]["diagnostics"]

    def cpu_ms(self):
        total = 0
        for path in glob.glob(f"/proc/{self.server.pid}/task/*/schedstat"):
            with open(path, encoding="ascii") as f:
                total += int(f.read().split()[0])
        return total / 1e6


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=os.path.join(os.path.dirname(HERE), "build", "release", "bin", "clusterc"))
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=128)
    parser.add_argument("--results", metavar="NAME", help="write results/NAME.md")
    wish = parser.parse_args()
    if not os.path.exists(wish.program):
        raise SystemExit(f"lsp.py: {wish.program} is missing; build it: cmake --preset release && ninja -C build/release clusterc")
    text = long_spec(wish.nodes)
    lines = text.split("\n")
    client = Client(os.path.abspath(wish.program))
    uri = "file:///dev/null/bench.yaml"
    client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
    errors = [d for d in client.findings(1) if d["severity"] == 1]
    if errors:
        raise SystemExit(f"lsp.py: the spec has errors: {errors[0]['message']}")
    insert_at = lines.index("  altitude: 60 m") + 1
    name_at = next(i for i, line in enumerate(lines) if line.startswith("name:")) + 1
    typed = [("judged", name_at, "description: ", "a cluster that is typed into, letter by letter, while every rule looks at it"),
             ("keys", insert_at, "", "  utility: 1000 MW\n"), ("keys", insert_at, "", "  door: { height: 2.2 m, width: 1.1 m }\n")]
    wall, cpu, completion, findings = {"judged": [], "keys": []}, {"judged": [], "keys": []}, [], 0
    version = 1
    while sum(map(len, wall.values())) < wish.keys:
        for kind, insert_at, start, line in typed:
            version += 1
            place = {"line": insert_at, "character": 0}
            client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": {"start": place, "end": place}, "text": start + ("x\n" if start else "")}]})
            client.findings(version)
            for column, character in enumerate(line, len(start) + (1 if start else 0)):
                version += 1
                place = {"line": insert_at, "character": column}
                before_cpu, before = client.cpu_ms(), time.perf_counter()
                client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": {"start": place, "end": place}, "text": character}]})
                findings += len(client.findings(version))
                wall[kind].append((time.perf_counter() - before) * 1e3)
                cpu[kind].append(client.cpu_ms() - before_cpu)
                if character != "\n":
                    before = time.perf_counter()
                    client.request("textDocument/completion", {"textDocument": {"uri": uri}, "position": {"line": insert_at, "character": column + 1}})
                    completion.append((time.perf_counter() - before) * 1e3)
            version += 1
            client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [
                {"range": {"start": {"line": insert_at, "character": 0}, "end": {"line": insert_at + 1, "character": 0}}, "text": ""}]})
            client.findings(version)
    client.request("shutdown", None)
    client.notify("exit", None)
    if client.server.wait(10) != 0:
        raise SystemExit("lsp.py: the server did not end well")

    def row(what, values):
        return f"| {what} | {statistics.median(values):.1f} | {percentile(values, 0.95):.1f} | {max(values):.1f} |"

    met = percentile(wall["judged"], 0.95) <= GOAL_MS
    count = sum(map(len, wall.values()))
    table = "\n".join([f"{len(lines)} lines, {len(text)} bytes, {wish.nodes} nodes; {count} keystrokes, {len(wall['judged'])} of them in a sentence; {findings / count:.1f} findings after each.", "",
                       "| ms | median | 95 % | most |", "| --- | ---: | ---: | ---: |",
                       row("a letter of a sentence: didChange to publishDiagnostics, wall", wall["judged"]), row("the same, CPU of the server", cpu["judged"]),
                       row("a letter of a new key: didChange to publishDiagnostics, wall", wall["keys"]), row("the same, CPU of the server", cpu["keys"]),
                       row("completion at the cursor, wall", completion), "",
                       f"Goal: {GOAL_MS:g} ms to the findings of a judged spec, 95 % of the keystrokes: {'met' if met else 'missed'}.", ""])
    print(table, end="")
    if wish.results:
        with open(os.path.join(HERE, "results", wish.results + ".md"), "w", encoding="utf-8") as f:
            f.write(f"# {wish.results}\n\n`python3 benchmarks/lsp.py --keys {wish.keys} --nodes {wish.nodes} --results {wish.results}`\n\n{table}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
