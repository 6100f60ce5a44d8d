#!/usr/bin/env python3
"""Fixes are safe: every golden case of `check` that has a finding with a fix is mended, and looked at again.

usage: fixes.py CLUSTERC SOURCE WORK
For each of them, as it is, with CR LF at its line ends, and without a line end at its end:
  - the file afterwards is what the edits of the findings make of it: this program puts them in itself, byte by byte, from
    `check --format json`, one after the other; so nothing outside of them has changed
  - each finding that was mended is gone, and no error is there that was not there before (rule and message)
  - what --fix leaves as it is it says, with the reason
  - a second --fix changes nothing
  - --diff leaves the file alone, and patch(1) makes of it what --fix made
The cases must have at least one fix of each rule in WANTED, those in WHOLE so many in one run. Exit status 1 with what is wrong.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

import golden

# Rules that offer a fix; each needs a case here, and a rule that offers one in some case must be in this list.
WANTED = """
net-mtu-differs-along-path net-roce-lossless-plan-broken node-image-wrong-architecture pcie-iommu-translates-on-bare-metal
pcie-read-requests-untuned pcie-two-socket-lanes-doubled sched-gpus-unconfined sched-gres-file-malformed
sched-topology-differs-from-fabric software-containers-lose-gpus-on-reload software-fabric-manager-mismatched
software-memlock-limit-too-low software-node-hygiene-unset software-process-limits-too-low software-wrong-kernel-module-flavour
target-message-too-small
spec-acceptance-expired spec-acceptance-unused spec-bad-pattern spec-bracket-not-closed spec-duplicate-key spec-missing-blank spec-missing-comma spec-unknown-key
spec-unknown-name spec-unknown-part spec-unknown-rule spec-unknown-value spec-wrong-type spec-wrong-unit spec-yaml-syntax
""".split()
# Cases of which all is mended in one run: how many fixes that takes.
WHOLE = {"fix-nested-slips": 6}
STEP = re.compile(r"^(.*?):(\d+): (fixed|left as it is): (.*?) \[([a-z0-9-]+)\](?:: (.*))?$", re.MULTILINE)


class Wrong(Exception):
    pass


def arguments_of(case):
    """The arguments of the case's command, without those that choose a form of output; None when it is no plain check of spec.yaml."""
    if not os.path.exists(os.path.join(case, "cmd")):
        return ["check", "spec.yaml"]
    lines = [line for line in golden.read(os.path.join(case, "cmd")).split("\n") if line.strip() and not line.startswith("#")]
    words = lines[0].split()
    if words[:1] != ["check"] or "spec.yaml" not in words or any(w.startswith(("--format", "--fix", "--diff", "--write", "--baseline", "--watch")) for w in words):
        return None
    return words


def run(clusterc, arguments, folder):
    result = golden.run(clusterc, arguments, folder)
    if result.returncode not in (0, 1, 2):
        raise Wrong(f"{arguments} ended with {result.returncode}: {result.stderr.decode(errors='replace')[-2000:]}")
    return result


def findings(clusterc, arguments, folder):
    result = run(clusterc, [*arguments, "--format", "json"], folder)
    return json.loads(result.stdout)["findings"], result.returncode


def counts(finding):
    return finding["accepted"] is None and not finding["in_baseline"]


def errors(found):
    return collections.Counter((f["rule"], f["message"]) for f in found if f["severity"] == "error" and counts(f))


def edited(text, finding):
    """The text with the edits of the finding."""
    for edit in sorted(finding["fix"]["edits"], key=lambda e: -e["place"]["offset"]):
        text = text[:edit["place"]["offset"]] + edit["replacement"].encode() + text[edit["place"]["end_offset"]:]
    return text


def mend(clusterc, arguments, folder):
    """One case. Gives the rules whose fixes went in."""
    path = os.path.join(folder, "spec.yaml")
    with open(path, "rb") as file:
        before = file.read()
    first, _ = findings(clusterc, arguments, folder)
    fixable = [f for f in first if f["fix"] and counts(f)]
    if not fixable:
        return collections.Counter(), set()

    shown = run(clusterc, [*arguments, "--diff"], folder)
    with open(path, "rb") as file:
        if file.read() != before:
            raise Wrong("--diff has changed the file")
    told = run(clusterc, [*arguments, "--fix"], folder)
    with open(path, "rb") as file:
        after = file.read()
    words = told.stderr.decode(errors="replace")
    steps = STEP.findall(words)
    refused = {rule for _, _, what, _, rule, _ in steps if what == "left as it is"}
    if any(not why for _, _, what, _, _, why in steps if what == "left as it is"):
        raise Wrong(f"left as it is, without a reason:\n{words}")

    # The same, by this program, one after the other.
    text, mended, before_this = before, [], None
    for _, _, what, title, rule, _ in steps:
        if what != "fixed":
            continue
        with open(path, "wb") as file:
            file.write(text)
        found, _ = findings(clusterc, arguments, folder)
        chosen = [f for f in found if f["fix"] and counts(f) and (f["fix"]["title"], f["rule"]) == (title, rule)]
        if not chosen and before_this == (title, rule):
            continue                              # two findings of one place: the same edit has mended both
        if not chosen:
            raise Wrong(f"--fix says that it mended what no check says: {title} [{rule}]\n{words}")
        mended.append(min(chosen, key=lambda f: f["fix"]["edits"][0]["place"]["offset"]))
        text = edited(text, mended[-1])
        before_this = (title, rule)
    if text != after:
        raise Wrong(f"--fix has made\n{after.decode(errors='replace')}\nand the edits make\n{text.decode(errors='replace')}\n{words}")
    with open(path, "wb") as file:
        file.write(after)

    last, status = findings(clusterc, arguments, folder)
    fresh = errors(last) - errors(first)
    syntax_before = run(clusterc, arguments, folder).returncode == 2 or any(f["rule"] in ("spec-missing-comma", "spec-missing-blank") for f in first)
    if fresh and not syntax_before:
        raise Wrong(f"new errors: {sorted(fresh)}")
    for f in mended:
        if any((g["rule"], g["message"], g.get("path")) == (f["rule"], f["message"], f.get("path")) for g in last):
            raise Wrong(f"still there: {f['message']} [{f['rule']}]")
    if run(clusterc, [*arguments, "--fix"], folder).returncode != told.returncode:
        raise Wrong("a second --fix has another exit status")
    with open(path, "rb") as file:
        if file.read() != after:
            raise Wrong("a second --fix has changed the file")
    if told.returncode != (status if status else 0):
        raise Wrong(f"--fix ended with {told.returncode}, a check of what it wrote with {status}")

    if shutil.which("patch") and (after != before) and b"\r" not in before:
        with open(path, "wb") as file:
            file.write(before)
        patched = subprocess.run(["patch", "-p0", "-s", "--no-backup-if-mismatch"], cwd=folder, input=shown.stdout, capture_output=True, check=False)
        with open(path, "rb") as file:
            if patched.returncode != 0 or file.read() != after:
                raise Wrong(f"patch does not make of --diff what --fix made:\n{patched.stdout.decode()}{shown.stdout.decode(errors='replace')}")
    return collections.Counter(f["rule"] for f in mended), refused


def main():
    if len(sys.argv) != 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    clusterc, source, work = (os.path.abspath(a) for a in sys.argv[1:])
    cases = os.path.join(source, "tests", "golden", "check")
    shutil.rmtree(work, ignore_errors=True)
    total, offered, wrong, tried = collections.Counter(), set(), [], 0
    forms = {"as it is": lambda t: t, "CR LF": lambda t: t.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), "no last line end": lambda t: t.rstrip(b"\r\n")}
    for name in sorted(os.listdir(cases)):
        case = os.path.join(cases, name)
        arguments = arguments_of(case)
        if arguments is None or not os.path.exists(os.path.join(case, "spec.yaml")):
            continue
        with open(os.path.join(case, "spec.yaml"), "rb") as file:
            text = file.read()
        for form, change in forms.items():
            folder = os.path.join(work, name, form.replace(" ", "-"))
            shutil.copytree(case, folder)
            with open(os.path.join(folder, "spec.yaml"), "wb") as file:
                file.write(change(text))
            try:
                mended, refused = mend(clusterc, arguments, folder)
            except Wrong as problem:
                wrong.append(f"{name} ({form}): {problem}")
                break
            if form == "as it is":
                if name in WHOLE and sum(mended.values()) != WHOLE[name]:
                    wrong.append(f"{name}: {sum(mended.values())} fixes went in, {WHOLE[name]} are wanted")
                total += mended
                offered |= set(mended) | refused
                tried += bool(mended or refused)
            if not mended and not refused:
                break                         # nothing to mend in it
    for rule in WANTED:
        if rule not in total:
            wrong.append(f"{rule}: no golden case in which its fix goes in")
    for rule in sorted(offered - set(WANTED)):
        wrong.append(f"{rule}: it offers fixes and is not in the list of tests/fixes.py")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{sum(total.values())} fixes in {tried} cases: " + ", ".join(f"{rule} {n}" for rule, n in sorted(total.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
