#!/usr/bin/env python3
"""What builds, tests and the CI examples fetch is known by its hash, and nothing of it runs a script while it is installed.

usage: supply_chain.py SOURCE | supply_chain.py --self-test

- actions of GitHub by commit, images by digest, hooks of pre-commit by commit; the program of a workflow comes from outside the change, with its checksum;
  the baseline comes from the target branch before anything is checked.
- `npm`: only `npm ci --ignore-scripts`, from a package-lock.json in which every package has its integrity.
- `pip install`, `pip download`: only with --require-hashes, from files in which every package has an exact version and a hash.
tests/soak runs by hand, on machines that are thrown away, and tries the newest frameworks: it is left out.
"""
import json
import pathlib
import re
import sys

import yaml

HASHED = re.compile(r"^[A-Za-z0-9._\[\]-]+==[^ ;]+( ;[^\\]*)? *\\?$")


def shell_faults(text):
    """Commands of a script that fetch what nobody holds against a hash."""
    found = []
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in joined.split("\n"):
        line = re.sub(r"(^|\s)#.*$", "", line)
        if re.search(r"(^|[\s;(!&|])npm(\s+-\S+)*\s+(install|i|add|update|exec)\b", line) or re.search(r"(^|[\s;(])npx\s", line):
            found.append(f"npm installs without a lock: {line.strip()[:80]}")
        if re.search(r"\bnpm ci\b", line) and "--ignore-scripts" not in line:
            found.append(f"npm runs install scripts: {line.strip()[:80]}")
        if re.search(r"""(\bpip3?["']?|\bpip\[@\]\}["']?)\s+(install|download)\b""", line):
            if "--require-hashes" not in line or "--only-binary=:all:" not in line:
                found.append(f"pip installs without hashes, or runs setup scripts: {line.strip()[:80]}")
        if re.search(r"\b(curl|wget)\b.*\|\s*(sudo\s+)?(ba|da|z)?sh\b", line):
            found.append(f"what is fetched runs as it comes: {line.strip()[:80]}")
    return found


def requirement_faults(text):
    found, package, hashes = [], None, 0
    for line in [*text.split("\n"), "end==0"]:
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if stripped.startswith("--hash=sha256:"):
            hashes += 1
            continue
        if package and hashes == 0:
            found.append(f"{package} has no hash")
        package, hashes = stripped.rstrip("\\ "), 0
        if not HASHED.match(stripped):
            found.append(f"{stripped} is no exact version")
    return found


def lock_faults(text):
    lock = json.loads(text)
    return [f"{name or 'package.json'} has no integrity" for name, package in lock["packages"].items()
            if name and not str(package.get("integrity", "")).startswith("sha512-")]


def workflow_faults(text):
    found, fetched, based, checked = [], False, False, False
    jobs = yaml.safe_load(text)["jobs"]
    for step in [s for job in jobs.values() for s in job["steps"]]:
        uses, run = step.get("uses", ""), step.get("run", "")
        if uses and not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", uses):
            found.append(f"action {uses} is not pinned by commit")
        fetched |= "sha256sum --check --strict" in run
        if "install" in run and "/usr/local/bin" in run and not fetched:
            found.append("the program is installed without a checksum")
        based |= bool(re.search(r'git show "?\$TARGET:clusters/known\.yaml', run)) and "base.sha" in str(step.get("env"))
        checked |= "clusterc check" in run
        if "clusterc check" in run and not (fetched and based):
            found.append("clusterc runs before its checksum and the baseline of the target branch are there")
    return found if checked else [*found, "nothing is checked"]


def gitlab_faults(text):
    found = []
    for name, job in yaml.safe_load(text).items():
        if "script" not in job:
            continue
        if not re.search(r"@sha256:[0-9a-f]{64}$", job["image"]):
            found.append(f"{name}: the image is not pinned by digest")
        lines = job["script"]
        first = next(i for i, l in enumerate(lines) if l.startswith("clusterc"))
        if not any("TARGET_BRANCH" in l for l in lines[:first]) or not any("git show" in l for l in lines[:first]):
            found.append(f"{name}: the baseline is that of the merge request")
    return found


def hook_faults(text):
    # Hooks of `local` run what is on the machine.
    return [f"{r['repo']} is not pinned by commit" for r in yaml.safe_load(text)["repos"]
            if r["repo"] != "local" and not re.fullmatch("[0-9a-f]{40}", str(r.get("rev")))]


def self_test():
    assert len(shell_faults("npm install --prefix x a@1\nnpm ci\nv/bin/pip install x==1\n\"${pip[@]}\" install y\ncurl https://x | sudo sh\nnpx a")) == 6
    assert not shell_faults("# npm install x\nnpm ci --ignore-scripts\npip install --require-hashes --only-binary=:all: \\\n  -r x.txt\ncurl -o x https://x")
    assert requirement_faults("a==1 \\\n    --hash=sha256:00\nb==2\nc>=1 \\\n  --hash=sha256:00") == ["c>=1 \\ is no exact version".replace("c>=1 \\", "c>=1 \\"), "b==2 has no hash"][::-1]
    assert lock_faults('{"packages": {"": {}, "node_modules/a": {"version": "1"}}}') == ["node_modules/a has no integrity"]
    good = ("jobs: { a: { steps: [ { uses: 'a/b@" + "0" * 40 + "' }, { run: 'sha256sum --check --strict' }, "
            "{ env: { T: 'base.sha' }, run: 'git show \"$TARGET:clusters/known.yaml\"' }, { run: clusterc check } ] } }")
    assert not workflow_faults(good), workflow_faults(good)
    assert workflow_faults(good.replace("0" * 40, "v4")) == ["action a/b@v4 is not pinned by commit"]
    assert len(workflow_faults(good.replace("--strict", ""))) == 1 and len(workflow_faults(good.replace("$TARGET", "HEAD"))) == 1
    gitlab = "a: { image: 'x@sha256:" + "0" * 64 + "', script: [ 'git fetch $TARGET_BRANCH', 'git show x', 'clusterc check' ] }"
    assert not gitlab_faults(gitlab) and len(gitlab_faults(gitlab.replace("TARGET", "SOURCE"))) == 1 and len(gitlab_faults(gitlab.replace("@sha256", ":sha256"))) == 1
    assert len(hook_faults("repos: [ { repo: a, rev: v1 } ]")) == 1
    return 0


def main():
    source = pathlib.Path(sys.argv[1])
    wrong = []

    def look(path, judge):
        wrong.extend(f"{path.relative_to(source)}: {fault}" for fault in judge(path.read_text(encoding="utf-8")))

    scripts = [p for folder in ("scripts", ".ci", "tests", "benchmarks") for p in (source / folder).rglob("*")
               if p.is_file() and not p.is_relative_to(source / "tests" / "soak") and not p.is_relative_to(source / "tests" / "golden")
               and (p.suffix in (".sh", ".bash") or p.read_bytes()[:2] == b"#!") and p.suffix != ".py"]
    assert len(scripts) > 50, scripts
    for script in scripts:
        look(script, shell_faults)
    requirements = [*(source / "scripts").glob("*.txt"), *(source / "scripts" / "python").glob("*.txt")]
    assert len(requirements) >= 5, requirements
    for file in requirements:
        look(file, requirement_faults)
    locks = list((source / "scripts").rglob("package-lock.json"))
    assert len(locks) >= 2 and len(locks) == len(list((source / "scripts").rglob("package.json")))
    for lock in locks:
        look(lock, lock_faults)
    look(source / "examples/ci/github-workflow.yml", workflow_faults)
    look(source / "examples/ci/gitlab-ci.yml", gitlab_faults)
    look(source / "examples/ci/pre-commit-config.yaml", hook_faults)
    if wrong:
        print(*wrong, sep="\n")
    else:
        print(f"ok: {len(scripts)} scripts, {len(requirements)} lists of Python packages, {len(locks)} of npm, three CI examples")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1] == "--self-test" else main())
