#!/usr/bin/env python3
"""What a newcomer types on the first day, as a whole.

usage: commands.py CLUSTERC SOURCE PART, with PART one of init, folder, other, fix, documents, accept, fmt
  init       `init --example` prints the files of examples/, `init --ask` writes specs without an error from many answers
  folder     a folder, `check` without arguments, near misses, what is passed over
  other      files of other programs are named
  fix        what --fix writes of the first mistakes brings up no error, and leaves a text that can be read or as it was
  documents  plan, runbook and handbook begin with the verdict, tables mark what exceeds its limit
  accept     what `check --accept` prints sets the findings aside when it is pasted, over all golden specs
  fmt        over all specs of the repository: the same plan before and after, twice is once, comments stay
Exit status 1 with what is wrong.
"""
import glob
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TODAY = "2026-11-26"
problems = []


def run(*words, cwd=None, stdin=None):
    return subprocess.run([CLUSTERC, *words], cwd=cwd, input=stdin, capture_output=True, text=True)


def expect(what, good, *shown):
    if not good:
        problems.append(what + "".join("\n    " + str(s)[:1500] for s in shown))


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def errors_of(text, *options):
    result = run("check", "--today", TODAY, "--format", "json", *options, "-", stdin=text)
    return [f for f in json.loads(result.stdout)["findings"] if f["severity"] == "error" and f["accepted"] is None]


# ---- init

def init():
    names = sorted(os.path.basename(p)[:-5] for p in glob.glob(SOURCE + "/examples/*.yaml"))
    for name in names:
        got = run("init", "--example", name)
        if name == "broken":
            expect("broken.yaml is given as an example to begin from", got.returncode == 2)
        else:
            expect(f"init --example {name} is not the file", got.stdout == read(f"{SOURCE}/examples/{name}.yaml"), got.stderr)
            if os.path.getsize(f"{SOURCE}/examples/{name}.yaml") and name != "roce-16384":
                expect(f"example {name} has errors", not errors_of(got.stdout))
    got = run("init", "--example", "labb")
    expect("a slip in the name of an example", got.returncode == 2 and "did you mean 'lab'" in got.stderr, got.stderr)
    for words in ([], ["--ask", "--probe"], ["--example", "lab", "--ask"]):
        expect(f"init {words} is no mistake", run("init", *words, stdin="").returncode == 2)
    with tempfile.TemporaryDirectory() as folder:
        expect("init -o", run("init", "--example", "lab", "-o", "a.yaml", cwd=folder).returncode == 0)
        expect("init -o overwrites", run("init", "--example", "lab", "-o", "a.yaml", cwd=folder).returncode == 2)
    # A script whose input is missing must not get a cluster that nobody chose.
    with tempfile.TemporaryDirectory() as folder:
        for answers, question in (("", "What is the name of the cluster?"), ("mine\niec\n", "Which GPU server?"), ("\n" * 6, "Which scheduler?")):
            ended = run("init", "--ask", "-o", "a.yaml", stdin=answers, cwd=folder)
            expect(f"init --ask with {answers!r} alone", ended.returncode == 2 and not ended.stdout and not os.listdir(folder) and
                   f"the input ended at the question '{question}'" in ended.stderr and ended.stderr.count("? (") == answers.count("\n") + 1, ended.stderr)
    default = run("init", "--ask", stdin="\n" * 7)
    expect("init --ask without answers has errors", default.stdout and not errors_of(default.stdout), errors_of(default.stdout))
    prompt = default.stderr
    servers = re.search(r"GPU server\? \(([^)]*)\)", prompt)[1].split(", ")
    expect("no server to choose from", len(servers) > 2, servers)
    tried = 0
    for region, server, nodes, fabric, scheduler in itertools.product(["na", "iec"], servers, [(1, 1), (12, 2), (96, 4)], ["infiniband", "ethernet"], ["slurm", "kubernetes", "none"]):
        if (tried := tried + 1) % 3:  # a third of them, in turn
            continue
        answers = f"mine\n{region}\n{server}\n{nodes[0]}\n{nodes[1]}\n{fabric}\n{scheduler}\n"
        spec = run("init", "--ask", stdin=answers).stdout
        errors = errors_of(spec)
        expect(f"init --ask with {answers.split()} has errors", not errors, *[f["message"] for f in errors])
    again = run("init", "--ask", stdin="my cluster\nmine\nmars\niec\nnvidia-dgx-h20\nnvidia-dgx-h200\n0\nmany\n3\n1\n\n\n")
    expect("a wrong answer is not asked again", again.stderr.count("Where is the site") == 2 and again.stderr.count("How many of them") == 3 and
           "did you mean 'nvidia-dgx-h200'" in again.stderr, again.stderr)
    expect("the answers do not stand in the spec", "gpu[1-3]" in again.stdout and "name: mine" in again.stdout, again.stdout)


# ---- folders

def folder():
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(HERE + "/folder", work + "/clusters")
        write(work + "/clusters/values.yaml", "replicas: 3\n")
        write(work + "/clusters/kubeconfig.yaml", "apiVersion: v1\nclusters:\n  - name: a\ncluster: main\n")
        write(work + "/clusters/.hidden.yaml", "clusterc: 1\n")
        write(work + "/clusters/known.yaml", "# known\nclusterc-baseline: 1\nspecs: {}\n")
        write(work + "/clusters/note.txt", "clusterc: 1\n")
        good = read(work + "/clusters/good.yaml")
        for name in ("no-key.yml", "my specs/odd name.yaml"):
            write(work + "/clusters/" + name, good.replace("clusterc: 1\n", "") if name == "no-key.yml" else good)
        named = run("check", "clusters/typo-in-clusterc-key.yaml", cwd=work)
        got = run("check", "--strict", "clusters", cwd=work)
        expect("a folder with a near miss ends with 0", got.returncode == 1, got.stdout, got.stderr)
        for line in named.stdout.splitlines():
            expect("the folder does not say what the file alone brings", line in got.stdout, line, got.stdout)
        expect("a spec without its first key is passed over", "clusters/no-key.yml" in got.stdout and "'clusterc' is missing" in got.stdout, got.stdout)
        expect("what is passed over is not listed", "3 YAML files skipped: clusters/.hidden.yaml (hidden), clusters/kubeconfig.yaml (no `clusterc:` key), "
               "clusters/values.yaml (no `clusterc:` key)" in got.stderr, got.stderr)
        expect("other files are told", "note.txt" not in got.stderr and "known.yaml" not in got.stderr, got.stderr)
        expect("specs of any name are checked", "odd name.yaml: " in got.stderr, got.stderr)
        here = run("check", "--strict", cwd=work + "/clusters")
        expect("check without arguments is not the folder", here.returncode == 1 and here.stdout == got.stdout.replace("clusters/", ""), here.stdout, here.stderr)
        os.makedirs(work + "/empty")
        none = run("check", cwd=work + "/empty")
        expect("a folder without a spec", none.returncode == 2 and "init --example" in none.stderr, none.stderr)
        only = run("check", "--specs-only", "clusters/values.yaml", "clusters/good.yaml", "clusters/note.txt", cwd=work)
        expect("--specs-only reads what is no spec", only.returncode == 0 and "skipped: clusters/values.yaml" in only.stderr, only.stderr, only.stdout)
        expect("--specs-only of nothing", run("check", "--specs-only", "clusters/values.yaml", cwd=work).returncode == 0)
        empty = run("check", "-", stdin="")
        expect("an empty file has no way out", "init --example" in empty.stdout, empty.stdout)


# ---- files of other programs

OTHERS = {"slurm.conf": "a slurm.conf", "ibnetdiscover.txt": "a dump of ibnetdiscover", "topo.txt": "the matrix of `nvidia-smi topo -m`",
          "device-type.yaml": "a device type of NetBox", "HPL.dat": "an HPL.dat"}


JUDGED = {"slurm.conf", "ibnetdiscover.txt", "topo.txt", "HPL.dat"}   # by check


def other():
    for name, called in OTHERS.items():
        if name in JUDGED:
            got = run("check", f"{HERE}/other/{name}")
            expect(f"check {name} does not judge it", "spec-other-file" not in got.stdout and got.returncode in (0, 1)
                   and ("[file-" in got.stdout or "[audit-" in got.stdout or f"no findings: {called}" in got.stderr), got.stdout, got.stderr)
        for command in ("plan", "show") if name in JUDGED else ("check", "plan", "show"):
            got = run(command, f"{HERE}/other/{name}")
            expect(f"{command} {name} is not named", got.returncode == 2 and f"this is {called}, not a cluster spec [spec-other-file]" in got.stdout + got.stderr,
                   got.stdout, got.stderr)
        expect(f"{name} has no way out", re.search(r"help: .*`", run("show", f"{HERE}/other/{name}").stderr))
    for path in glob.glob(SOURCE + "/examples/*.yaml") + glob.glob(SOURCE + "/tests/golden/show/*/spec.yaml"):
        expect(f"{path} is taken for another file", "spec-other-file" not in run("show", path).stderr)
    with_comment = "# NodeName=x\n" + read(HERE + "/base.yaml")
    expect("a comment with such a word makes a spec a slurm.conf", not errors_of(with_comment), errors_of(with_comment))


# ---- mending

def fix():
    import run as mistakes
    import yaml
    base = read(HERE + "/base.yaml")
    mended = 0
    for case in yaml.safe_load(read(HERE + "/mistakes.yaml")):
        text = mistakes.text_of(case, base)
        before = mistakes.findings(CLUSTERC, text.encode())
        after_text = run("check", "--today", TODAY, "--fix", "-", stdin=text).stdout
        after = mistakes.findings(CLUSTERC, after_text.encode())
        fresh = mistakes.errors(after) - mistakes.errors(before)
        expect(f"{case['name']}: --fix brings up {sorted(fresh)}", not fresh, after_text)
        mended += after_text != text
        if case["name"] == "a brace that is not closed":
            expect("the brace is not closed", "connects: { gpu: { ports: compute } }\n  inband:" in after_text, after_text)
        if any(f["fix"] for f in before if f["rule"] == case["finding"]):
            expect(f"{case['name']}: what has a fix is not mended", after_text != text)
    expect("too few are mended", mended >= 8, mended)
    # A comma in the place of the brace would only move the mistake: what no edit mends as a whole is left.
    text = "clusterc: 1\nnetworks:\n  a: { b: 1 c: {\n  d: [1, 2\n"
    expect("a text that stays unreadable is changed", run("check", "--fix", "-", stdin=text).stdout == text, run("check", "--fix", "-", stdin=text).stdout)


# ---- documents

def documents():
    with tempfile.TemporaryDirectory() as work:
        shutil.copy(HERE + "/cases/plan-without-verdict.yaml", work + "/bad.yaml")
        shutil.copy(HERE + "/base.yaml", work + "/good.yaml")
        for name, verdict in (("bad", "NOT BUILDABLE: "), ("good", "BUILDABLE: ")):
            got = run("plan", "--today", TODAY, f"{name}.yaml", "-o", name, cwd=work)
            errors = [f for f in json.loads(run("check", "--today", TODAY, "--format", "json", f"{name}.yaml", cwd=work).stdout)["findings"] if f["severity"] == "error"]
            text = read(f"{work}/{name}/plan.txt")
            expect(f"plan.txt of {name}", text.startswith(verdict), text[:200])
            expect(f"plan on standard output of {name}", got.stdout.startswith(verdict), got.stdout[:200])
            data = json.loads(read(f"{work}/{name}/plan.json"))
            expect(f"plan.json of {name}", data["verdict"]["buildable"] == (name == "good") and data["verdict"]["errors"] == len(errors), data["verdict"])
            for document in ("runbook.md", "handbook.md"):
                lines = read(f"{work}/{name}/{document}").split("\n")
                expect(f"{document} of {name}", lines[2].startswith("**" + verdict), lines[:5])
            runbook = read(f"{work}/{name}/runbook.md")
            for f in errors:
                place = f"line {f['place']['line']}: {f['message']} [{f['rule']}]"
                expect(f"plan.txt does not have {place}", "  error: " + place in text.split("\n\n")[0], text.split("\n\n")[0])
                expect(f"the runbook does not begin with {f['rule']}", f"(`{f['rule']}`)" in runbook.split("\n## ")[0])
            if name == "bad":
                expect("the case has no error", errors)
                expect("the feed that carries too much is not marked", re.search(r"^  A .*! \d", text, re.M) and "! above the rating" in text, text)
                expect("the runbook does not mark it", "**! above what it supplies**" in runbook, runbook[:1500])
            else:
                expect("a plan without errors has marks", "! " not in text, text)
    hot = read(HERE + "/base.yaml").replace("units: 4, spare: 1", "units: 2, spare: 1").replace("10.66.0.0/16", "10.66.0.0/29")
    got = run("plan", "--today", TODAY, "-", stdin=hot).stdout
    expect("heat above what is removed has no mark", "! above the limit of the zone" in got, got)
    expect("addresses above what there are have no mark", "! more addresses than the subnet has" in got, got)


# ---- accept

def accept():
    pasted = findings = 0
    for path in sorted(glob.glob(SOURCE + "/tests/golden/check/*/spec.yaml")) + sorted(glob.glob(SOURCE + "/examples/*.yaml")):
        text = read(path)
        if os.path.exists(os.path.dirname(path) + "/cmd") or "roce-16384" in path or re.search(r"^accept:", text, re.M):
            continue
        folder = os.path.dirname(path)
        with tempfile.TemporaryDirectory() as work:
            if "golden" in path:
                shutil.copytree(folder, work, dirs_exist_ok=True)
            spec = work + "/spec.yaml"
            write(spec, text)
            got = run("check", "--today", TODAY, "--accept", "spec.yaml", cwd=work)
            block = re.search(r"^accept:\n(  - .*\n)+", got.stdout, re.M)
            if not block:
                continue
            before = json.loads(run("check", "--today", TODAY, "--format", "json", "spec.yaml", cwd=work).stdout)["findings"]
            write(spec, text + ("" if text.endswith("\n") else "\n") + block[0])
            after = json.loads(run("check", "--today", TODAY, "--format", "json", "spec.yaml", cwd=work).stdout)["findings"]
        rules = {re.search(r"rule: ([\w-]+)", line)[1] for line in block[0].splitlines()[1:]}
        never = {(f["rule"], f["message"]) for f in before if f["physics"]}
        left = [(f["rule"], f["message"]) for f in after if f["rule"] in rules and f["accepted"] is None and f["severity"] != "note"
                and (f["rule"], f["message"]) not in never and (f["rule"], f["message"]) in {(b["rule"], b["message"]) for b in before}]
        wrong = [f["message"] for f in after if f["rule"] in ("spec-physics-accepted", "spec-acceptance-unused", "spec-unknown-rule") or
                 (f["rule"].startswith("spec-") and f["severity"] == "error" and f["rule"] not in {b["rule"] for b in before})]
        pasted += 1
        findings += len(block[0].splitlines()) - 1
        expect(f"{path}: what was pasted does not accept", not left, *left, block[0])
        expect(f"{path}: what was pasted is wrong", not wrong, *wrong, block[0])
    expect("too few specs with something to accept", pasted > 50, pasted)
    print(f"{findings} entries of {pasted} specs pasted")
    # An accepted finding takes one line.
    text = read(SOURCE + "/examples/lab.yaml")
    got = run("check", "--today", TODAY, "--accept", "-", stdin=text)
    block = re.search(r"^accept:\n(  - .*\n)+", got.stdout, re.M)[0].replace("say why", "the lab has one adapter")
    got = run("check", "--today", TODAY, "-", stdin=text + block).stdout
    lines = [l for l in got.splitlines() if "accepted (the lab has one adapter)" in l]
    expect("accepted findings do not take one line", len(lines) == block.count("\n") - 1 and lines[0].count(": note: warning accepted") == 1, got)


# ---- fmt

def specs():
    found = set()
    for pattern in ("examples/**/*.yaml", "tests/**/*.yaml", "benchmarks/**/*.yaml"):
        for path in glob.glob(f"{SOURCE}/{pattern}", recursive=True):
            if "/out/" not in path and re.search(r"^clusterc: 1", open(path, encoding="utf-8", errors="replace").read(), re.M):
                found.add(path)
    return sorted(found)


def comments(text):
    return [l.strip() for l in text.splitlines() if l.strip().startswith("#")]


def fmt():
    count = changed = 0
    for path in specs():
        try:
            text = read(path)
        except UnicodeDecodeError:
            continue
        once = run("fmt", "-", stdin=text)
        if once.returncode == 2:
            expect(f"{path}: fmt ends with 2 without a finding", "error:" in once.stderr, once.stderr)
            continue
        count += 1
        expect(f"{path}: twice is not once", run("fmt", "-", stdin=once.stdout).stdout == once.stdout)
        expect(f"{path}: comments are lost", comments(once.stdout) == comments(text), once.stdout)
        expect(f"{path}: blanks at a line's end", not re.search(r"[ \t]+$", once.stdout, re.M) or "|" in text or ">" in text or '"' in text)
        if once.stdout == text:
            continue
        changed += 1
        if "16384" in path:
            continue
        folder = os.path.dirname(path)
        plans = []
        for one in (text, once.stdout):
            with tempfile.TemporaryDirectory() as work:
                shutil.copytree(folder, work, dirs_exist_ok=True, ignore=shutil.ignore_patterns("published", "out"))
                write(work + "/fmt-spec.yaml", one)
                got = run("plan", "--today", TODAY, "--format", "json", "fmt-spec.yaml", cwd=work).stdout
                plans.append(re.sub(r'"spec_sha256": "[0-9a-f]+"|"line": \d+', "", got))
        expect(f"{path}: another plan", plans[0] == plans[1])
    messy = [("nodes:\n   a:\n       names: x\n       roles: [ login,compute ]\n\n\n\n   b: {names: y,per_rack: 2}   \n", "nodes:\n  a:\n    names: x\n    roles: [ login, compute ]\n\n  b: { names: y, per_rack: 2 }\n"),
             ("# c\na:\n- b: 1\n  c: 2\n-   d: 3\n    e:\n      - 4\n", "# c\na:\n  - b: 1\n    c: 2\n  - d: 3\n    e:\n      - 4\n"),
             ("a:\n    # about b\n    b: |\n        text\n          more\n\n\n        end\n    c: 1", "a:\n  # about b\n  b: |\n      text\n        more\n\n\n      end\n  c: 1\n"),
             ("a: \"x,y\"\nb: 'p{q,r}s'\nc: [1,2]   # d,e\n", "a: \"x,y\"\nb: 'p{q,r}s'\nc: [1, 2]   # d,e\n")]
    for before, after in messy:
        got = run("fmt", "-", stdin=before).stdout
        expect("laid out otherwise", got == after, repr(before), repr(got), repr(after))
    print(f"{count} specs, {changed} of them laid out anew")
    expect("too few specs", count > 500 and changed > 0, count, changed)
    for path in glob.glob(SOURCE + "/examples/*.yaml"):
        expect(f"{path} is not laid out", run("fmt", "--check", path).returncode == 0, run("fmt", "--diff", path).stdout)
    with tempfile.TemporaryDirectory() as work:
        write(work + "/a.yaml", "clusterc:   1\nname: x\nsite:\n    region: iec\n")
        expect("--check of a spec that would change", run("fmt", "--check", "a.yaml", cwd=work).returncode == 1)
        expect("--diff of a spec that would change", "+  region: iec" in run("fmt", "--diff", "a.yaml", cwd=work).stdout)
        got = run("fmt", cwd=work)
        expect("fmt of the folder", got.returncode == 0 and read(work + "/a.yaml").endswith("site:\n  region: iec\n"), got.stderr)


CLUSTERC, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
{"init": init, "folder": folder, "other": other, "fix": fix, "documents": documents, "accept": accept, "fmt": fmt}[sys.argv[3]]()
for problem in problems[:20]:
    print(problem)
if problems:
    print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
