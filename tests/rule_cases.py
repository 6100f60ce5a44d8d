#!/usr/bin/env python3
"""Every rule that `clusterc explain` lists has its three cases, a whole explanation and a page.

usage: rule_cases.py CLUSTERC SOURCE | --self-test
  tests/golden/check/ID             it fails: an `# expect:` marker of the rule
  tests/golden/check/ID-at-limit    exactly at the limit: no marker of the rule, and the run says nothing of it, not even a note
  tests/golden/check/ID-silent      a plain good case: likewise
  docs/rules/ID.md                  the page, which is what `explain` prints
Prints what each rule lacks as `ID: …`; exit status 1 when one does.
"""
import os
import re
import subprocess
import sys
import tempfile

import formulas
import golden

# Rules whose cases are still to be renamed or written; one that lacks nothing must leave the list.
WAITING = """
""".split()

HEADINGS = ("What it checks", "Why it matters", "Formula", "Example", "How to fix", "When to accept")
ENDINGS = ("-at-limit", "-silent")
WRITTEN_ID = re.compile(r'^\s*\.id = "([a-z0-9-]+)",', re.MULTILINE)


def output(clusterc, *arguments):
    return subprocess.run([clusterc, *arguments], check=True, capture_output=True, text=True, env=golden.environment()).stdout


def said_by(clusterc, case):
    """The severities with which each rule speaks in a run of the case: {rule: {severity, …}}."""
    command = ["check", "spec.yaml"]
    if os.path.exists(os.path.join(case, "cmd")):
        command = [line for line in golden.read(os.path.join(case, "cmd")).split("\n") if line.strip() and not line.startswith("#")][0].split()
    said = {}
    for _, _, severity, rule in golden.found_findings(clusterc, "check", command, case):
        said.setdefault(rule, set()).add(severity)
    return said


def lacking_cases(clusterc, cases, rule):
    for ending in ("",) + ENDINGS:
        name, case = rule + ending, os.path.join(cases, rule + ending)
        if not os.path.isdir(case):
            yield f"no case tests/golden/check/{name}"
            continue
        expected = {key[3] for key in golden.markers(case)}
        if not ending and rule not in expected:
            yield f"no marker of it in tests/golden/check/{name}"
        if ending and rule in expected:
            yield f"a marker of it in tests/golden/check/{name}, which is to be silent"
        elif ending:
            for severity in sorted(said_by(clusterc, case).get(rule, ())):
                yield f"it says {'an' if severity == 'error' else 'a'} {severity} in tests/golden/check/{name}, which is to be silent"


def lacking_text(explanation, page):
    rest = explanation
    for heading in HEADINGS:
        before, found, rest = rest.partition(f"\n## {heading}\n")
        if not found:
            yield f"no heading '{heading}' in its place"
            return
        if not rest.split("\n## ")[0].strip():
            yield f"nothing below '{heading}'"
    yield from formulas.lacking(explanation)
    if page is None:
        yield "no page in docs/rules"
    elif explanation not in page:
        yield "its page is not what explain prints"


def problems(clusterc, source, waiting):
    words = [line.split() for line in output(clusterc, "explain").splitlines()]
    listed = [word[0] for word in words if word[1] not in ("error", "warning", "note")]   # other findings have no code
    cases = os.path.join(source, "tests", "golden", "check")
    for file in sorted(os.listdir(os.path.join(source, "src", "rules"))):
        for written in WRITTEN_ID.findall(golden.read(os.path.join(source, "src", "rules", file))):
            if written not in listed:
                yield f"{written}: written in src/rules/{file}, and explain does not list it"
    for case in sorted(os.listdir(cases)):
        for ending in ENDINGS:
            if case.endswith(ending) and case[:-len(ending)] not in listed:
                yield f"{case[:-len(ending)]}: tests/golden/check/{case} is of no rule"
    for rule in listed:
        page = os.path.join(source, "docs", "rules", rule + ".md")
        lacks = [*lacking_cases(clusterc, cases, rule), *lacking_text(output(clusterc, "explain", rule), golden.read(page) if os.path.exists(page) else None)]
        if rule not in waiting:
            yield from (f"{rule}: {lack}" for lack in lacks)
        elif not lacks:
            yield f"{rule}: it lacks nothing, take it out of the list of tests/rule_cases.py"
    yield from (f"{rule}: in the list of tests/rule_cases.py, and no rule" for rule in waiting if rule not in listed)


# ---- self-test: a program of four lines that stands for clusterc, and rules that lack one thing each ---------------------------------------
FORMULA = "## Formula\n\n```\na <= b\n```\n\nUnit: W on both sides.\n\nSource: a book\n\nError: none beyond its inputs."
PAGE = "# {0} (X-1)\n\nerror: words\n\n" + "\n\n".join(f"## {h}\n\ntext" for h in HEADINGS).replace("## Formula\n\ntext", FORMULA) + "\n"
PROGRAM = """#!{python}
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
if sys.argv[1] == "check":
    words = [line.split()[1:] for line in open(sys.argv[2]) if line.startswith("says:")]
    print(json.dumps({{"findings": [{{"severity": s, "rule": r, "file": "spec.yaml", "line": 1}} for s, r in words]}}))
elif sys.argv[2:]:
    sys.stdout.write(open(os.path.join(here, "explain", sys.argv[2])).read())
else:
    for rule in sorted(os.listdir(os.path.join(here, "explain"))):
        print(rule, "X-1", "error", "words")
"""


def self_test():
    tree = {}

    def rule(name, fails="# expect: error[{0}]\n", limit="clusterc: 1\n", silent="clusterc: 1\n", explain=PAGE, page=PAGE):
        tree[f"src/rules/{name}.cc"] = f'const Rule k = {{\n    .id = "{name}",\n'
        tree[f"explain/{name}"] = explain.format(name)
        for path, text in ((f"tests/golden/check/{name}/spec.yaml", fails), (f"tests/golden/check/{name}-at-limit/spec.yaml", limit),
                           (f"tests/golden/check/{name}-silent/spec.yaml", silent), (f"docs/rules/{name}.md", page and "generated\n\n" + page)):
            if text is not None:
                tree[path] = text.format(name)

    rule("all-there")
    rule("another-marker", fails="# expect: error[all-there]\n")
    rule("empty-heading", explain=PAGE.replace("## Example\n\ntext", "## Example"), page=PAGE.replace("## Example\n\ntext", "## Example"))
    rule("limit-expects", limit="# expect: error[{0}]\n")
    rule("limit-speaks", limit="says: error {0}\nsays: note all-there\n")
    rule("no-cases", fails=None, limit=None, silent=None)
    rule("condition", explain=PAGE.replace("W on both sides.", "none. Names are compared.").replace("\n\nError: none beyond its inputs.", ""),
         page=PAGE.replace("W on both sides.", "none. Names are compared.").replace("\n\nError: none beyond its inputs.", ""))
    rule("no-error", explain=PAGE.replace("Error: ", "Wrong: "), page=PAGE.replace("Error: ", "Wrong: "))
    rule("no-formula", explain=PAGE.replace("```\na <= b\n```\n\n", ""), page=PAGE.replace("```\na <= b\n```\n\n", ""))
    rule("no-unit", explain=PAGE.replace("Unit: ", "In "), page=PAGE.replace("Unit: ", "In "))
    rule("no-heading", explain=PAGE.replace("## Why it matters", "## Why"), page=PAGE.replace("## Why it matters", "## Why"))
    rule("no-page", page=None)
    rule("no-source", explain=PAGE.replace("Source: a book", "a book"), page=PAGE.replace("Source: a book", "a book"))
    rule("other-page", page=PAGE.replace("a book", "another book"))
    rule("silent-notes", silent="says: note {0}\n")
    rule("waits", silent=None)
    rule("waits-for-nothing")
    tree["src/rules/not_listed.cc"] = 'const Rule k = {\n    .id = "not-listed",\n'
    tree["tests/golden/check/old-name-silent/spec.yaml"] = ""
    expected = [
        "another-marker: no marker of it in tests/golden/check/another-marker",
        "empty-heading: nothing below 'Example'",
        "gone: in the list of tests/rule_cases.py, and no rule",
        "limit-expects: a marker of it in tests/golden/check/limit-expects-at-limit, which is to be silent",
        "limit-speaks: it says an error in tests/golden/check/limit-speaks-at-limit, which is to be silent",
        "no-cases: no case tests/golden/check/no-cases",
        "no-cases: no case tests/golden/check/no-cases-at-limit",
        "no-cases: no case tests/golden/check/no-cases-silent",
        "no-error: its formula has a unit and no line 'Error: …'",
        "no-formula: its formula is not one fenced block",
        "no-heading: no heading 'Why it matters' in its place",
        "no-page: no page in docs/rules",
        "no-source: its formula has no line 'Source: …'",
        "no-unit: its formula has no line 'Unit: …' ('Unit: none. …' where no quantities are compared)",
        "not-listed: written in src/rules/not_listed.cc, and explain does not list it",
        "old-name: tests/golden/check/old-name-silent is of no rule",
        "other-page: its page is not what explain prints",
        "silent-notes: it says a note in tests/golden/check/silent-notes-silent, which is to be silent",
        "waits-for-nothing: it lacks nothing, take it out of the list of tests/rule_cases.py",
    ]
    with tempfile.TemporaryDirectory() as source:
        tree["clusterc"] = PROGRAM.format(python=sys.executable)
        for path, text in tree.items():
            full = os.path.join(source, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            golden.write(full, text)
        os.chmod(os.path.join(source, "clusterc"), 0o755)
        found = sorted(problems(os.path.join(source, "clusterc"), source, ["waits", "waits-for-nothing", "gone"]))
    if found != expected:
        print("self-test: expected", *expected, "found", *found, sep="\n")
        return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3 or not os.path.isdir(os.path.join(sys.argv[2], "src", "rules")):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = list(problems(os.path.abspath(sys.argv[1]), sys.argv[2], WAITING))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
