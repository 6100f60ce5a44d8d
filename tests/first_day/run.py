#!/usr/bin/env python3
"""First mistakes: each message prints a line to write, and the line that it prints is right.

usage: run.py CLUSTERC [NAME…] | run.py CLUSTERC --self-test
mistakes.yaml has the mistakes, each a change of base.yaml (or a file of cases/), the finding that it must bring and where the mistake comes from. Of
the finding's helps and its fix this program takes what is printed to be written:
  - the line of a fix, with its edits
  - `key: value` in backquotes: written in the place of the value of that key in the same mapping, or beside the finding's key where it is not there
  - `a` and `b`: both; `a`, `b` or `c`: each of them is tried
  - "did you mean 'x'?": the name in the place of the finding's
  - "take out `key: value`"
Each of them is written into the spec and checked: the finding must be gone, and no error must be there that was not there before. At least LEAST of
the mistakes must have a printed line, and none that is printed may be wrong. Exit status 1 with what is wrong.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST, OF = 36, 40
TODAY = "2026-11-26"
KEY = re.compile(r"^([A-Za-z_][\w-]*): (.*)$")


def check(clusterc, text, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spec.yaml")
        with open(path, "wb") as file:
            file.write(text)
        run = subprocess.run([clusterc, "check", "--today", TODAY, *options, "spec.yaml"], cwd=folder, capture_output=True)
    if run.returncode not in (0, 1, 2):
        sys.exit(f"check ended with {run.returncode}: {run.stderr.decode()}")
    return run.stdout.decode()


def findings(clusterc, text):
    return json.loads(check(clusterc, text, "--format", "json"))["findings"]


def errors(found):
    return {(f["rule"], f["message"]) for f in found if f["severity"] == "error"}


# ---- what is printed to be written

def printed(finding):
    """A list of (what, how): how is ("edits", …), ("lines", [line, …]), ("value", text), ("take out", line)."""
    out = []
    if finding["fix"]:
        out.append((finding["fix"]["title"], ("edits", finding["fix"]["edits"])))
    for remark in finding["helps"]:
        message = remark["message"]
        names = re.match(r"did you mean (.*)\?$", message)
        if names:
            if finding["fix"]:
                continue
            out += [(name, ("value", name)) for name in re.findall(r"'([^']*)'", names[1])]
            continue
        lines = [(m.group(1), m.start(), m.end()) for m in re.finditer(r"`([^`]+)`", message) if not m.group(1).startswith("clusterc ")]
        lead = re.compile(r"(write|it is called|like|take out|example|one of|,|or|and|is|quotes:?) $")
        lines = [l for l in lines if "…" not in l[0] and (lead.search(message[:l[1]]) or KEY.match(l[0].strip()))]
        kind = "take out" if message.startswith("take out") else "lines"
        at = 0
        while at < len(lines):
            group = [lines[at][0]]
            while at + 1 < len(lines) and message[lines[at][2]:lines[at + 1][1]] == " and ":
                at += 1
                group.append(lines[at][0])
            out.append((" and ".join(group), (kind, group)))
            at += 1
    return out


# ---- writing it

def end_of_value(text, at, in_brackets):
    """Behind the value that begins at `at`."""
    if text[at:at + 1] in "\"'" and text[at:at + 1]:
        return text.index(text[at], at + 1) + 1
    depth = 0
    while at < len(text) and text[at] != "\n":
        c = text[at]
        if c in "[{":
            depth += 1
        elif c in "]}":
            if depth == 0 and in_brackets:
                break
            depth -= 1
        elif c == "," and depth == 0 and in_brackets:
            break
        elif c == "#" and text[at - 1] == " " and depth == 0:
            break
        at += 1
    while text[at - 1] == " ":
        at -= 1
    return at


def bracket_depth(text, at):
    line = text[text.rfind("\n", 0, at) + 1:at]
    return line.count("{") + line.count("[") - line.count("}") - line.count("]")


def mapping_of(text, at):
    """The begin and end of the mapping, in brackets or lines, that the place stands in."""
    depth, begin = 0, at
    line_begin = text.rfind("\n", 0, at) + 1
    while begin > line_begin:
        begin -= 1
        if text[begin] in "]}":
            depth += 1
        elif text[begin] in "[{":
            if depth == 0 and text[begin] == "{":
                end, open_ = begin + 1, 0
                while end < len(text) and not (text[end] == "}" and open_ == 0):
                    open_ += (text[end] in "[{") - (text[end] in "]}")
                    end += 1
                return begin + 1, end, True
            depth -= 1
    indent = re.match(r" *", text[line_begin:])[0]
    lines = text.split("\n")
    number = text.count("\n", 0, at)
    first = last = number
    mine = lambda l: not l.strip() or l.startswith(indent)
    while first > 0 and mine(lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and mine(lines[last + 1]):
        last += 1
    start = sum(len(l) + 1 for l in lines[:first])
    return start, start + sum(len(l) + 1 for l in lines[first:last + 1]) - 1, False


def key_place(text, key, place):
    """Where the value of the key stands in the finding's mapping; None: it is not there."""
    begin, end, brackets = mapping_of(text, place)
    line_begin = text.rfind("\n", 0, place) + 1
    indent = re.match(r" *", text[line_begin:])[0]
    best = None
    for m in re.finditer(rf"(?<![\w-]){re.escape(key)}: *", text[begin:end]):
        at = begin + m.start()
        if brackets:
            if text[begin:at].count("{") != text[begin:at].count("}"):
                continue
        elif text[text.rfind("\n", 0, at) + 1:at] != indent:
            continue
        if best is None or abs(at - place) < abs(best[0] - place):
            best = (at, begin + m.end())
    return best and best[1]


def write_line(text, finding, line):
    """The text with the line written where the finding says."""
    place, end = finding["place"]["offset"], finding["place"]["end_offset"]
    line_begin = text.rfind("\n", 0, place) + 1
    line_end = text.find("\n", place)
    if line.startswith(" "):
        return text[:line_begin] + line + text[line_end:]
    pair = KEY.match(line)
    if not pair:
        return text[:place] + line + text[end:]
    key, value = pair.groups()
    at = key_place(text, key, place)
    if at is None and finding["rule"] == "spec-unknown-key":
        behind = re.compile(r": *").match(text, end)
        return text[:place] + line + text[end_of_value(text, behind.end(), bracket_depth(text, place) > 0):]
    if at is not None:
        return text[:at] + value + text[end_of_value(text, at, bracket_depth(text, at) > 0):]
    if finding["rule"] in ("spec-missing-key", "spec-missing-choice"):  # the place is the key of the mapping that lacks it
        inner = re.compile(r"[\w-]+: *\{").match(text, place)
        if inner:
            return text[:inner.end()] + f" {line}," + text[inner.end():]
        indent = re.match(r" *", text[line_begin:])[0] + "  "
        return text[:line_end + 1] + indent + line + "\n" + text[line_end + 1:]
    # Beside the finding's own key.
    begin, _, brackets = mapping_of(text, place)
    if brackets:
        return text[:begin] + f" {line}," + text[begin:]
    return text[:line_end + 1] + re.match(r" *", text[line_begin:])[0] + line + "\n" + text[line_end + 1:]


def written(text, finding, how):
    kind, what = how
    if kind == "edits":
        raw = text.encode()
        for edit in sorted(what, key=lambda e: -e["place"]["offset"]):
            raw = raw[:edit["place"]["offset"]] + edit["replacement"].encode() + raw[edit["place"]["end_offset"]:]
        return raw.decode()
    place, end = finding["place"]["offset"], finding["place"]["end_offset"]
    if kind == "value":
        old = text[place:end]
        return text[:place] + (old[:old.rfind(" ") + 1] if " " in old and not old.startswith('"') else "") + what + text[end:]
    if kind == "take out":
        at = text.index(what[0], place) if what[0] in text[place:place + 200] else text.rindex(what[0], 0, place)
        begin = text.rfind("\n", 0, at) + 1
        if text[begin:at].strip():
            return text[:at] + text[at + len(what[0]):].lstrip(", ")
        return text[:begin] + text[text.index("\n", at) + 1:]
    for line in what:
        text = write_line(text, finding, line)
    return text


# ---- the mistakes

def text_of(case, base):
    if "file" in case:
        with open(os.path.join(HERE, "cases", case["file"]), encoding="utf-8") as file:
            return file.read()
    if "text" in case:
        return case["text"]
    text = base
    for old, new in case["change"]:
        if text.count(old) < 1:
            sys.exit(f"{case['name']}: base.yaml does not hold {old!r}")
        text = text.replace(old, new, 1)
    return text


def judge(clusterc, case, base, tamper=None):
    """(has a printed line, [what is wrong])"""
    text = text_of(case, base)
    ascii_offsets = all(ord(c) < 128 for c in text)
    before = findings(clusterc, text.encode())
    mine = [f for f in before if f["rule"] == case["finding"] and case.get("says", "") in f["message"]]
    if not mine:
        return False, [f"no finding {case['finding']}: {[(f['rule'], f['message']) for f in before if f['severity'] != 'note']}"]
    finding = mine[0]
    if not ascii_offsets:  # offsets are bytes
        raw = text.encode()
        for key in ("offset", "end_offset"):
            finding["place"][key] = len(raw[:finding["place"][key]].decode())
    shown = check(clusterc, text.encode())
    wrong, lines = [], printed(finding)
    for what, how in lines:
        if tamper:
            what, how = tamper(what, how)
        if how[0] != "edits" and not tamper and not all(part in shown for part in ([how[1]] if how[0] == "value" else how[1])):
            wrong.append(f"'{what}' is not printed")
            continue
        try:
            after_text = written(text, finding, how)
        except (ValueError, IndexError, AttributeError) as error:
            wrong.append(f"'{what}' cannot be written: {error!r}")
            continue
        after = findings(clusterc, after_text.encode())
        if any(f["rule"] == finding["rule"] and f["message"] == finding["message"] for f in after):
            wrong.append(f"with '{what}' the finding stays: {finding['message']}")
        hidden = finding["rule"].startswith("spec-") and not any(f["rule"].split("-")[0] != "spec" for f in before)
        fresh = errors(after) - errors(before)
        if case.get("brings_to_light"):  # what could not be read before
            fresh = {e for e in fresh if not any(part in e[1] for part in case["brings_to_light"])}
        if fresh:
            wrong.append(f"'{what}' brings up {sorted(fresh)}")
        del hidden
    return bool(lines), wrong


def self_test(clusterc, cases, base):
    """A help that is wrong is noticed, in each of the ways it can be, and so is one that is missing."""
    by_name = {c["name"]: c for c in cases}
    failures = []
    for name, tamper, part in [
            ("region: eu", lambda w, h: (w, ("lines", ["region: mars"])), "brings up"),
            ("an unknown feed", lambda w, h: (w, ("lines", ["Z"])), "brings up"),
            ("kind: roce", lambda w, h: (w, ("lines", ["rdma: roce"])), "the finding stays"),
            ("a slip in a group's name", lambda w, h: (w, ("value", "nobody")), "brings up")]:
        _, wrong = judge(clusterc, by_name[name], base, tamper)
        if not any(part in w for w in wrong):
            failures.append(f"{name}: the wrong line passes: {wrong}")
    case = dict(by_name["region: eu"], finding="spec-unknown-name")
    if judge(clusterc, case, base)[0]:
        failures.append("a finding that is not there has a line")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


def main():
    clusterc, arguments = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with open(os.path.join(HERE, "base.yaml"), encoding="utf-8") as file:
        base = file.read()
    with open(os.path.join(HERE, "mistakes.yaml"), encoding="utf-8") as file:
        cases = yaml.safe_load(file)
    if errors(findings(clusterc, base.encode())):
        sys.exit(f"base.yaml has errors: {errors(findings(clusterc, base.encode()))}")
    if arguments == ["--self-test"]:
        return self_test(clusterc, cases, base)
    chosen = [c for c in cases if not arguments or c["name"] in arguments]
    names = [c["name"] for c in cases]
    failed = len(set(names)) != len(names) or len(cases) < OF or any(not c.get("source") for c in cases)
    with_line, silent = 0, []
    for case in chosen:
        has, wrong = judge(clusterc, case, base)
        with_line += has
        if not has:
            silent.append(case["name"])
        for w in wrong:
            print(f"{case['name']}: {w}")
            failed = True
        if arguments:
            print(json.dumps([f for f in findings(clusterc, text_of(case, base).encode()) if f["severity"] != "note"], indent=1, ensure_ascii=False)[:4000])
    print(f"{with_line} of {len(chosen)} mistakes have a line to write; without: {', '.join(silent) or 'none'}")
    if not arguments and with_line < len(cases) - (OF - LEAST):
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
