#!/usr/bin/env python3
"""Random templates in a spec's folder, rendered by the program and by Jinja2 itself (trim_blocks, lstrip_blocks, keep_trailing_newline, StrictUndefined), with what
`clusterc show` and a compile without templates say: the same bytes, file by file. And a broken twin of this very comparison, which has to be found.

usage: templates.py PROGRAM SOURCE WORK [--seed N] [--rounds N]
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys

from skipping import missing

try:
    import jinja2
except ImportError:
    missing("python3-jinja2 is not installed")

SPEC = """clusterc: 1
rules: 2026.11
name: forms
%s
site: { kind: cloud, provider: local }
nodes:
  head: { names: "ctl", virtual_machine: { cpus: 2, memory: 2 GiB }, roles: [scheduler, login] }
  cpu:  { names: "n[001-060]", virtual_machine: { cpus: 4, memory: 8 GiB } }
  my-gpu: { names: "g[1-4]", virtual_machine: { cpus: 8, memory: 16 GiB }, roles: [compute] }
networks:
  inband: { kind: ethernet, rate: 10 Gb/s, subnet: 10.77.0.0/24, carries: [compute, storage, inband], connects: { cpu: 1, head: 1, my-gpu: 1 } }
  store: { kind: ethernet, rate: 25 Gb/s, subnet: 10.78.0.0/24, carries: [storage], connects: { my-gpu: 1 } }
software: { os: debian-12, time_zone: Europe/Zurich, time_servers: [ntp1.example.org, ntp2.example.org], scheduler: { kind: slurm, version: 22.05 } }
outputs: { slurm: { extra: { slurm.conf: [ "SchedulerParameters=bf_continue", "# it's \\"quoted\\" $(here)" ] } } }
"""


class Quantity(str):
    """A text that compares by its size."""
    def __new__(cls, text, si):
        q = super().__new__(cls, text)
        q.si = si
        return q

    def __lt__(self, o): return self.si < o.si
    def __le__(self, o): return self.si <= o.si
    def __gt__(self, o): return self.si > o.si
    def __ge__(self, o): return self.si >= o.si


def plain(shown):
    """What `show --format json` says, as Jinja sees it; a key without a value is no key."""
    if isinstance(shown, list):
        return [plain(v) for v in shown]
    if "origin" in shown and "confirmed" in shown:
        return Quantity(shown["value"], shown["si"]) if "si" in shown else shown["value"]
    return {k: plain(v) for k, v in shown.items() if not (isinstance(v, dict) and "origin" in v and "confirmed" in v and v["value"] is None)}


def shell_word(value):
    text = "true" if value is True else "false" if value is False else str(value)
    return text if re.fullmatch(r"[A-Za-z0-9_@%+=:,./-]+", text) else "'" + text.replace("'", "'\\''") + "'"


def environment(folder):
    env = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined, autoescape=False, loader=jinja2.FileSystemLoader(folder),
                             finalize=lambda v: "true" if v is True else "false" if v is False else v)
    env.filters.update(tojson=lambda v: json.dumps(v, ensure_ascii=False, separators=(",", ":")), quote=shell_word, safe=lambda v: v, lines=lambda v: v[:-1].split("\n") if v.endswith("\n") else v.split("\n") if v else [],
                       si=lambda v: int(v.si), trim=lambda v: v.strip(" \t\r\n"))
    return env


class Maker:
    """Templates that say nothing wrong: each expression knows its kind, and values are quoted where they may need it."""
    def __init__(self, rng):
        self.rng, self.depth = rng, 0

    def pick(self, *choices):
        return self.rng.choice(choices)

    def blanks(self):
        return self.pick("", "", "", " ", "\n", "\n", "  ", "\n  ", " \n", "\t", "\n\n")

    def words(self):
        return self.blanks() + self.pick("", "x", "a = b", "# c", "{ }", "}}", "%}", "{a", "-", "it's", '"q"', "ü→") + self.blanks()

    def text(self, scope):
        kinds = ["spec.name", "spec.software.time_zone", "spec.nodes.cpu.names", 'spec.nodes["my-gpu"].names', "nodes[0].name", "nodes[-1].group", "(nodes | last).name", "nodes[3].address", "nodes[-1].addresses.store",
                 "hosts[2].name", '"a, b"', "'x'", 'spec.nodes.tpu | default("none")', "spec.software.time_servers | first", "spec.software.time_servers | join('/')", "path"]
        kinds += [v for v, kind in scope if kind == "text"] * 3
        e = self.pick(*kinds)
        if self.rng.random() < 0.2:
            e = self.pick("%s | upper", "%s | lower", "%s | trim", "(%s) | safe") % e
        return e

    def number(self, scope):
        kinds = ["3", "-2", "nodes | length", "spec.networks | length", "spec.nodes.cpu.virtual_machine.cpus", "spec.networks.inband.rate | si", "spec.name | length", "spec.outputs.slurm.extra['slurm.conf'] | length"]
        return self.pick(*(kinds + [v for v, kind in scope if kind == "number"] * 3))

    def truth(self, scope, depth=0):
        roll = self.rng.random()
        if depth < 3 and roll < 0.35:
            return self.pick("%s and %s", "%s or %s", "(%s or %s)", "(%s and %s)") % (self.truth(scope, depth + 1), self.truth(scope, depth + 1))
        if depth < 3 and roll < 0.45:
            return "not %s" % self.truth(scope, depth + 1)
        sign = self.pick("==", "!=", "<", "<=", ">", ">=")
        return self.pick(
            "%s %s %s" % (self.number(scope), sign, self.number(scope)),
            "(%s) %s (%s)" % (self.text(scope), sign, self.text(scope)),
            "spec.networks.inband.rate %s spec.networks.store.rate" % sign,
            '"compute" in spec.nodes["my-gpu"].roles', "'%s' not in spec.nodes" % self.pick("cpu", "tpu"), '"login" in spec.nodes.head.roles', '"NodeName" in compiled', "3 in [1, 2, 3]",
            "spec.nodes.tpu is defined", "spec.software.cuda is not defined", "spec.software.time_zone is defined", "hosts[0].plain", "spec.name", "true", "[]", "0",
            *[v for v, kind in scope if kind == "truth"])

    def expression(self, scope):
        roll = self.rng.random()
        if roll < 0.4:
            return self.text(scope)
        if roll < 0.6:
            return self.number(scope)
        return self.pick("compiled | quote", "compiled | tojson", "spec.outputs.slurm.extra['slurm.conf'] | last | tojson", "spec.outputs.slurm.extra['slurm.conf'][1] | quote", "spec.software.time_servers | tojson",
                         "nodes[1].addresses | tojson", "spec.networks.inband.rate", "spec.networks.store.rate | tojson", "spec.nodes.head.roles | tojson", "hosts[1].plain", "compiled | replace('e', 'EE') | length",
                         "compiled | lines | length", "compiled | lines | first", "[spec.name, 3, true] | tojson", "[spec.name, 'b'] | join(', ')")

    def tag(self, inside):
        return "{%" + self.pick("", "", "", "-", "+") + " " + inside + " " + self.pick("", "", "", "-", "+") + "%}"

    def block(self, scope):
        out = ""
        for _ in range(self.rng.randrange(1, 5)):
            out += self.words()
            roll = self.rng.random()
            if roll < 0.35 or self.depth > 2:
                out += "{{" + self.pick("", "", "", "-") + " " + self.expression(scope) + " " + self.pick("", "", "", "-") + "}}"
            elif roll < 0.45:
                out += "{#" + self.pick("", "-") + " it's {{ a }} " + self.pick("", "-") + "#}"
            elif roll < 0.5:
                out += "{% raw %}x{{ y }} {% if " + self.pick("", "\n ") + self.tag("endraw")
            elif roll < 0.55:
                out += self.tag('include "%s"' % self.pick("parts/a", "parts/b"))
            elif roll < 0.8:
                self.depth += 1
                out += self.tag("if " + self.truth(scope)) + self.block(scope)
                for _ in range(self.rng.randrange(3)):
                    out += self.tag("elif " + self.truth(scope)) + self.block(scope)
                if self.rng.random() < 0.5:
                    out += self.tag("else") + self.block(scope)
                out += self.tag("endif")
                self.depth -= 1
            else:
                self.depth += 1
                loop = [("loop.index", "number"), ("loop.index0", "number"), ("loop.length", "number"), ("loop.first", "truth"), ("loop.last", "truth")]
                name = "v%d" % self.depth
                head, inner = self.pick(
                    ("%s in spec.software.time_servers" % name, [(name, "text")]),
                    ("%s in ['a', 'b', spec.name]" % name, [(name, "text")]),
                    ("k, %s in spec.nodes | items" % name, [("k", "text"), (name + ".names", "text")]),
                    ("k, %s in nodes[2].addresses | items" % name, [("k", "text"), (name, "text")]),
                    ("%s in [3, 1, 2]" % name, [(name, "number")]),
                    ("%s in []" % name, [(name, "text")]))
                out += self.tag("for " + head) + self.block([s for s in scope if not s[0].startswith("loop.")] + inner + loop)
                if self.rng.random() < 0.3:
                    out += self.tag("else") + self.block(scope)
                out += self.tag("endfor")
                self.depth -= 1
        return out + self.words()


def tree(folder):
    out = {}
    for at, _, files in os.walk(folder):
        for f in files:
            path = os.path.join(at, f)
            with open(path, encoding="utf-8", newline="") as file:
                out[os.path.relpath(path, folder)] = file.read()
    return out


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr[-3000:]}{done.stdout[-1000:]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    a = parser.parse_args()
    shutil.rmtree(a.work, ignore_errors=True)
    os.makedirs(a.work)
    spec, site = os.path.join(a.work, "cluster.yaml"), os.path.join(a.work, "site")
    with open(spec, "w") as f:
        f.write(SPEC % "")
    run(a.program, "compile", spec, "-o", os.path.join(a.work, "bare"))
    bare = tree(os.path.join(a.work, "bare"))
    shown = plain(json.loads(run(a.program, "show", spec, "--format", "json")))
    groups = {"ctl": "head", **{f"n{i:03d}": "cpu" for i in range(1, 61)}, **{f"g{i}": "my-gpu" for i in range(1, 5)}}   # the patterns of the spec above
    nodes = {}
    hosts = []
    network = None
    for line in bare["hosts/hosts"].splitlines():                     # the compiled file, read by its own grammar
        if line.startswith("# network "):
            network = line.split()[2]
        elif network and line and not line.startswith("#"):
            address, *names = line.split()
            alias = next(n for n in names if n.endswith("-" + network))
            name = alias[:-len(network) - 1]
            hosts.append({"name": name, "network": network, "address": address, "plain": name in names})
            node = nodes.setdefault(name, {"name": name, "group": groups[name], "addresses": {}})
            node["addresses"][network] = address
            if name in names:
                node["address"] = address
    order = list(groups)
    names = {"spec": shown, "nodes": [nodes[n] for n in order], "hosts": hosts}
    paths = [p for p in sorted(bare) if p != "manifest.json" and not os.path.islink(os.path.join(a.work, "bare", p))]

    count = refused = 0
    for number in range(a.rounds):
        rng = random.Random(a.seed * 1000 + number)
        shutil.rmtree(site, ignore_errors=True)
        os.makedirs(os.path.join(site, "parts"))
        for part in "a", "b":
            with open(os.path.join(site, "parts", part), "w", newline="") as f:
                f.write(rng.choice(["part {{ path }}\n", "{% if 1 %}\n{{ spec.name }}\n{% endif %}", "{{ nodes | length }}"]))
        written = {}
        for path in paths:
            target = os.path.join(site, path + ".tmpl")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            written[path] = Maker(rng).block([])
            with open(target, "w", newline="") as f:
                f.write(written[path])
        with open(spec, "w") as f:
            f.write(SPEC % "templates: site")
        run(a.program, "compile", spec, "-o", os.path.join(a.work, "tree"), "--force")
        made = tree(os.path.join(a.work, "tree"))
        shown["templates"] = "site"
        env = environment(site)
        for path in paths:
            wanted = env.from_string(written[path]).render(path=path, compiled=bare[path], **names)
            count += 1
            if made[path] != wanted:
                sys.exit(f"round {number}, {path}: the template\n{written[path]!r}\ngives\n{made[path]!r}\nand Jinja2 says\n{wanted!r}")
            if number == 0 and wanted != bare[path]:
                refused += 1                                             # the twin: without the template the file is another one
    if refused < len(paths) * 0.9:
        sys.exit("templates that change nothing: this comparison could not fail")
    # A link that leads back into the folder would be walked for ever; one that leads nowhere is no file.
    for name, target, said in ("loop", ".", "folders lie more than 16 deep"), ("lost", "nowhere", "cannot be read"):
        shutil.rmtree(site)
        os.makedirs(site)
        os.symlink(target, os.path.join(site, name))
        out = subprocess.run([a.program, "compile", spec, "-o", os.path.join(a.work, "linked")], capture_output=True, text=True, timeout=60)
        if out.returncode != 1 or "[spec-file-unreadable]" not in out.stderr or said not in out.stderr or os.path.exists(os.path.join(a.work, "linked")):
            sys.exit(f"a folder of templates with a link to '{target}': status {out.returncode}\n{out.stderr}")
    print(f"{count} templates give what Jinja2 gives")


main()
