#!/usr/bin/env python3
"""Runs what the documents show: README.md, docs/, examples/README.md, validators/*/README.md.

usage: docs.py CLUSTERC SOURCE WORK      exit status 77: everything that could be tried passed, some of it could not
What a fence says after its language:
  ```yaml                     a whole spec: `check` finds the errors and warnings that its `# expect: error[rule]` lines name, and no other
  ```yaml fragment            sections of a spec: laid over tests/docs/base.yaml, entry by entry; must read and resolve: no spec-… error
                              but those that a marker names, and every finding that a marker names
  ```yaml fragment cloud      the same over tests/docs/cloud.yaml
  ```yaml excerpt FILE        these very lines stand in FILE
  ```yaml part                facts of a catalogue part: must be YAML
  ```console                  `$ command` lines are run in order, all blocks of a document in one folder that holds examples/; what they print
                              (both streams) is compared. A line `…` stands for any lines, ` …` at the end of a line for the rest of it.
  ```console machine          the same, but what is printed depends on the machine: only the exit status, 0 or 1, is looked at.
                              Needs the validators beside the program; skipped where they are not built
Links to files must lead to a file, links to headings to a heading.
UPDATE_GOLDEN=1 writes what was printed into the documents; the lines before the first `…` and after the last keep their number.
"""
import json
import os
import re
import shutil
import subprocess
import sys

import yaml

from skipping import in_ci

FENCE = re.compile(r"^```(\w*)[ \t]*(.*)$")
MARKER = re.compile(r"#\s*expect(?:@([+-]\d+))?:\s*(.*?)\s*$")
EXPECTED = re.compile(r"(error|warning|note)\[([a-z0-9-]+)\]")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MAY_RUN = {"clusterc", "cp", "mkdir", "ls", "sed", "head", "tail", "grep", "find", "wc", "cat", "diff", "rm", "echo", "sort", "uniq", "cut"}
GENERATED = "<!-- generated"


class Checker:
    def __init__(self, clusterc, source, work):
        self.clusterc, self.source, self.work = os.path.abspath(clusterc), os.path.abspath(source), os.path.abspath(work)
        self.failures, self.skipped, self.checked = [], [], 0
        self.update = bool(os.environ.get("UPDATE_GOLDEN"))
        if self.update and os.environ.get("CI"):
            sys.exit("UPDATE_GOLDEN refuses in CI: read the diff on your own machine")
        shutil.rmtree(self.work, ignore_errors=True)
        bin_folder = os.path.join(self.work, "bin")
        os.makedirs(bin_folder)
        # A wrapper, and no link: the program looks for its validators beside itself.
        with open(os.path.join(bin_folder, "clusterc"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{self.clusterc}" "$@"\n')
        os.chmod(os.path.join(bin_folder, "clusterc"), 0o755)
        kept = {k: v for k, v in os.environ.items() if k == "LD_LIBRARY_PATH" or k.endswith("SAN_OPTIONS")}
        self.environment = {**kept, "PATH": bin_folder + ":" + os.environ.get("PATH", "/usr/bin:/bin"), "HOME": self.work,
                            "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb"}
        libexec = os.path.join(os.path.dirname(os.path.dirname(self.clusterc)), "libexec", "clusterc", "clusterc-probe")
        self.validators = os.path.exists(libexec)

    def fail(self, where, what):
        self.failures.append(f"{where}: {what}")

    # --- findings -------------------------------------------------------------------------------------------------------------

    def findings(self, text, where):
        """[(line, severity, rule)] of `check` on this text, or None."""
        ran = subprocess.run([self.clusterc, "check", "--format", "json", "--today", "2026-11-21", "-"], input=text.encode(),
                             capture_output=True, cwd=self.source, env=self.environment, check=False)
        try:
            document = json.loads(ran.stdout)
        except ValueError:
            self.fail(where, f"check gave no JSON (exit status {ran.returncode}): {ran.stderr.decode(errors='replace')[:500]}")
            return None
        return [(primary_line(f), f["severity"], f["rule"], f["message"]) for f in document["findings"]]

    def whole_spec(self, text, where):
        wanted = markers(text)
        found = self.findings(text, where)
        if found is None:
            return
        got = sorted((line, severity, rule) for line, severity, rule, _ in found if severity != "note")
        missing = [w for w in wanted if w not in [(f[0], f[1], f[2]) for f in found]]
        extra = [f for f in found if f[1] != "note" and (f[0], f[1], f[2]) not in wanted]
        for line, severity, rule in missing:
            self.fail(where, f"line {line} of the block: {severity}[{rule}] is expected, and not found; found: {got}")
        for line, severity, rule, message in extra:
            self.fail(where, f"line {line} of the block: {severity}: {message} [{rule}] is not expected")

    def fragment(self, text, base, where):
        wanted = {(s, r) for _, s, r in markers(text)}
        try:
            over = yaml.compose(text)
        except yaml.YAMLError as error:
            self.fail(where, f"not YAML: {error}")
            return
        with open(os.path.join(self.source, "tests/docs", base + ".yaml"), encoding="utf-8") as file:
            under = yaml.compose(file)
        lay_over(under, over)
        found = self.findings(yaml.serialize(under, width=10000), where)
        if found is None:
            return
        for severity, rule in sorted(wanted - {(f[1], f[2]) for f in found}):
            self.fail(where, f"{severity}[{rule}] is expected, and not found")
        for _, severity, rule, message in found:
            if severity == "error" and rule.startswith("spec-") and (severity, rule) not in wanted:
                self.fail(where, f"{severity}: {message} [{rule}]")

    def excerpt(self, text, path, where):
        with open(os.path.join(self.source, path), encoding="utf-8") as file:
            if text not in file.read():
                self.fail(where, f"these lines do not stand in {path}")

    # --- commands -------------------------------------------------------------------------------------------------------------

    def run(self, command, folder):
        words = re.findall(r"(?:^|\||&&|;)\s*(\S+)", re.sub(r"'[^']*'|\"[^\"]*\"", "", command))
        strange = [w for w in words if w not in MAY_RUN]
        if strange:
            return None, f"'{strange[0]}' is not among what documents may run ({', '.join(sorted(MAY_RUN))})"
        ran = subprocess.run(["bash", "-c", command], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500, check=False)
        return ran.returncode, ran.stdout.decode(errors="replace")

    def console(self, lines, how, folder, where):
        """The block as it should be."""
        blocks, result, last = [], [], 0
        for number, line in enumerate(lines):
            if line.startswith("$ "):
                blocks.append((number, line[2:], []))
            elif blocks:
                blocks[-1][2].append(line)
            else:
                self.fail(where, "a console block begins with '$ command'")
        for number, command, shown in blocks:
            place = f"{where} + {number + 1}"
            result.append("$ " + command)
            if how == "machine":
                if not self.validators:
                    self.skipped.append(f"{place}: the validators are not built: $ {command}")
                else:
                    last, printed = self.run(command, folder)
                    if last not in (0, 1):
                        self.fail(place, f"$ {command}\n  exit status {last}, expected 0 or 1:\n{printed}")
                result += shown
                continue
            last, printed = (0, f"{last}\n") if command == "echo $?" else self.run(command, folder)
            self.checked += 1
            if last is None:
                self.fail(place, printed)
                result += shown
                continue
            actual = printed.rstrip("\n").split("\n") if printed.strip("\n") else []
            wanted = list(shown)
            while wanted and not wanted[-1].strip():
                wanted.pop()
            if self.update:
                result += renewed(wanted, [a.rstrip() for a in actual]) + [""] * (len(shown) - len(wanted))
            else:
                result += shown
                if not same(wanted, [a.rstrip() for a in actual]):
                    self.fail(place, f"$ {command}\n  prints\n" + "\n".join("    " + a for a in actual) + "\n  and not\n" + "\n".join("    " + w for w in wanted))
        return result

    # --- documents ------------------------------------------------------------------------------------------------------------

    def document(self, path):
        with open(os.path.join(self.source, path), encoding="utf-8") as file:
            text = file.read()
        if text.lower().startswith(GENERATED):
            self.links(path, text)
            return
        folder = os.path.join(self.work, path.replace("/", "-"))
        os.makedirs(folder)
        shutil.copytree(os.path.join(self.source, "examples"), os.path.join(folder, "examples"))
        out, lines, i = [], text.split("\n"), 0
        while i < len(lines):
            opening = FENCE.match(lines[i])
            out.append(lines[i])
            i += 1
            if not opening:
                continue
            language, info = opening.group(1), opening.group(2).split()
            body = []
            start = i
            while i < len(lines) and lines[i] != "```":
                body.append(lines[i])
                i += 1
            where = f"{path}:{start + 1}"
            if i == len(lines):
                self.fail(f"{path}:{start}", "the fence is not closed")
            block = "\n".join(body) + "\n"
            if language == "yaml":
                self.checked += 1
                if not info:
                    self.whole_spec(block, where)
                elif info[0] == "fragment":
                    self.fragment(block, info[1] if len(info) > 1 else "base", where)
                elif info[0] == "excerpt":
                    self.excerpt(block, info[1], where)
                elif info[0] == "part":
                    yaml.safe_load(block)
                else:
                    self.fail(where, f"a yaml block is a whole spec, a fragment, an excerpt or a part, not '{info[0]}'")
            elif language == "console":
                body = self.console(body, info[0] if info else "", folder, where)
            elif any(line.startswith("$ clusterc ") for line in body):
                self.fail(where, "a command with what it prints stands in a console block, so that it is tried")
            out += body
            if i < len(lines):
                out.append(lines[i])
                i += 1
        self.links(path, text)
        if self.update and "\n".join(out) != text:
            with open(os.path.join(self.source, path), "w", encoding="utf-8") as file:
                file.write("\n".join(out))
            print(f"{path}: rewritten")

    def links(self, path, text):
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
        prose = re.sub(r"`[^`\n]*`", "", prose)
        for target in LINK.findall(prose):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, heading = target.partition("#")
            full = os.path.normpath(os.path.join(self.source, os.path.dirname(path), file)) if file else os.path.join(self.source, path)
            if not os.path.exists(full):
                self.fail(path, f"the link '{target}' leads nowhere")
            elif heading and full.endswith(".md"):
                with open(full, encoding="utf-8") as other:
                    if heading not in anchors(other.read()):
                        self.fail(path, f"the link '{target}' leads to no heading")


def primary_line(finding):
    return (finding.get("place") or {}).get("line", 0)


def markers(text):
    wanted = []
    for number, line in enumerate(text.split("\n"), 1):
        match = MARKER.search(line)
        if match:
            wanted += [(number + int(match.group(1) or 0), s, r) for s, r in EXPECTED.findall(match.group(2))]
    return wanted


def lay_over(under, over):
    """Entries of `over` replace or join those of `under`, one level below the sections."""
    sections = {key.value: index for index, (key, _) in enumerate(under.value)}
    for key, value in over.value:
        if key.value not in sections:
            under.value.append((key, value))
            continue
        old_key, old = under.value[sections[key.value]]
        if not isinstance(old, yaml.MappingNode) or not isinstance(value, yaml.MappingNode):
            under.value[sections[key.value]] = (old_key, value)
            continue
        names = {k.value: index for index, (k, _) in enumerate(old.value)}
        for k, v in value.value:
            if k.value in names:
                old.value[names[k.value]] = (k, v)
            else:
                old.value.append((k, v))


def same_line(wanted, actual):
    if wanted.endswith(" …"):
        return actual.startswith(wanted[:-2])
    return wanted.rstrip() == actual


def same(wanted, actual):
    if not wanted:
        return not actual
    if wanted[0].strip() == "…":
        return any(same(wanted[1:], actual[k:]) for k in range(len(actual) + 1))
    return bool(actual) and same_line(wanted[0], actual[0]) and same(wanted[1:], actual[1:])


def renewed(wanted, actual):
    if same(wanted, actual):
        return wanted
    if "…" not in wanted:
        return actual
    first, last = wanted.index("…"), len(wanted) - 1 - wanted[::-1].index("…")
    after = len(wanted) - 1 - last
    middle = [w for w in wanted[first:last + 1]]
    if len(middle) > 1:  # what stands between two … is found again by its text, else shown as it was: the next run says so
        return actual[:first] + middle + (actual[len(actual) - after:] if after else [])
    return actual[:first] + ["…"] + (actual[len(actual) - after:] if after else [])


def anchors(text):
    found = set(re.findall(r'<a id="([^"]+)"', text))
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.M):
        slug = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")
        found.add(slug)
    return found


def main():
    clusterc, source, work = sys.argv[1:4]
    checker = Checker(clusterc, source, work)
    documents = ["README.md", "examples/README.md"]
    for top in ("docs", "validators"):
        for folder, folders, files in os.walk(os.path.join(source, top)):
            folders.sort()
            documents += sorted(os.path.relpath(os.path.join(folder, f), source) for f in files if f.endswith(".md"))
    for document in documents:
        checker.document(document)
    with open(os.path.join(source, "examples/broken.yaml"), encoding="utf-8") as file:
        checker.whole_spec(file.read(), "examples/broken.yaml")
    for line in checker.skipped:
        (checker.failures.append if in_ci() else print)("skipped: " + line)   # scripts/test builds the validators
    for line in checker.failures:
        print("FAILED: " + line)
    print(f"{len(documents)} documents, {checker.checked} blocks and commands tried, {len(checker.failures)} failures, {len(checker.skipped)} skipped")
    sys.exit(1 if checker.failures else 77 if checker.skipped else 0)


if __name__ == "__main__":
    main()
