#!/usr/bin/env python3
"""`clusterc diff` of a spec and a compiled tree, held against git and patch: what it prints, applied to the tree, makes the files that compiling makes; with the spec first, the other way
round. Hand edits, random texts in files of the folder of templates, links, new and gone outputs; no more lines change than diff itself finds. Status, JSON against its schema, Markdown.

usage: tree_diff.py PROGRAM SOURCE WORK [--seed N] [--rounds N]
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys

SPEC = """clusterc: 1
rules: 2026.11
name: forms
%s
site: { kind: cloud, provider: local }
nodes:
  head: { names: "ctl", virtual_machine: { cpus: 2, memory: 2 GiB }, roles: [scheduler, login] }
  cpu:  { names: "%s", virtual_machine: { cpus: 4, memory: 8 GiB } }
networks:
  inband: { kind: ethernet, rate: 10 Gb/s, subnet: 10.77.0.0/24, carries: [compute, storage, inband], connects: { cpu: 1, head: 1 } }
software: { os: debian-12%s, scheduler: { kind: slurm, version: 22.05 } }
"""


def call(*command, expect=0, cwd=None, text=True, feed=None):
    env = dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(os.path.abspath(cwd or ".")), GIT_CONFIG_NOSYSTEM="1", HOME="/nonexistent")
    done = subprocess.run(command, capture_output=True, text=text, cwd=cwd, input=feed, env=env)
    if done.returncode != expect:
        sys.exit(f"{' '.join(command)}: status {done.returncode}, not {expect}\n{done.stderr[-3000:]}\n{done.stdout[-3000:]}")
    return done


def tree(folder):
    out = {}
    for at, folders, files in os.walk(folder):
        for f in files:
            path = os.path.join(at, f)
            name = os.path.relpath(path, folder)
            if name == "manifest.json":
                continue
            if os.path.islink(path):
                out[name] = ("link", os.readlink(path))
            else:
                with open(path, "rb") as file:
                    out[name] = (bool(os.stat(path).st_mode & 0o100), file.read())
    return out


def differences(a, b):
    return sorted(n for n in set(a) | set(b) if a.get(n) != b.get(n))


def random_text(rng):
    words = [b"a", b"b", b"c", b"same", b"", b"  x", b"-- y", b"++ z", b"@@ -1 +1 @@", b"\\ No newline", "ü".encode(), b"cr\r"]
    lines = [rng.choice(words) for _ in range(rng.choice([0, 1, 2, 5, 40, 300]))]
    return b"\n".join(lines) + rng.choice([b"\n", b"\n", b""])


def changed_lines(patch):
    body = [l for l in patch.split(b"\n") if l[:1] in (b"+", b"-") and not re.match(rb"(--- (a/|/dev/null)|\+\+\+ (b/|/dev/null))", l)]
    return len(body)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=12)
    a = parser.parse_args()
    program, a.source = os.path.abspath(a.program), os.path.abspath(a.source)
    work = os.path.abspath(a.work)
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    os.chdir(work)
    schema = None
    try:
        import jsonschema
        with open(os.path.join(a.source, "schemas", "tree-diff.schema.json")) as f:
            schema = jsonschema.Draft7Validator(json.load(f))
    except ImportError:
        print("jsonschema is not installed: the JSON is read without its schema")
    seen = set()
    for number in range(a.rounds):
        rng = random.Random(a.seed * 1000 + number)
        for name in ("site", "old", "new", "applied"):
            shutil.rmtree(name, ignore_errors=True)

        def write_spec(change):
            os.makedirs("site/hosts", exist_ok=True)
            os.makedirs("site/slurm", exist_ok=True)
            for path in ("site/hosts/hosts", "site/slurm/prolog.sh"):
                if rng.random() < 0.7:
                    if os.path.exists(path) and rng.random() < 0.5:      # some lines of it otherwise
                        with open(path, "rb") as f:
                            lines = f.read().split(b"\n")
                        for _ in range(rng.randrange(5)):
                            at = rng.randrange(len(lines))
                            lines[at:at + rng.randrange(3)] = [b"new %d" % rng.randrange(9)] * rng.randrange(3)
                        text = b"\n".join(lines)
                    else:
                        text = random_text(rng)
                    with open(path, "wb") as f:
                        f.write(text)
            with open("cluster.yaml", "w") as f:
                f.write(SPEC % ("templates: site", rng.choice(["n[1-3]", "n[1-5]", "m[1-3]"]), rng.choice(["", ", time_servers: [ntp.example.org]", ", domain: a.example"])))

        write_spec(0)
        call(program, "compile", "cluster.yaml", "-o", "old")
        call(program, "diff", "old", "cluster.yaml")                     # nothing changes
        write_spec(1)
        edited = []
        for path in sorted(tree("old")):                                 # by hand
            if rng.random() < 0.1 and not os.path.islink("old/" + path):
                edited.append(path)
                roll = rng.random()
                if roll < 0.3:
                    os.remove("old/" + path)
                    edited.pop()                                         # what is gone is written again
                elif roll < 0.5:
                    os.remove("old/" + path)
                    os.symlink("elsewhere", "old/" + path)
                else:
                    with open("old/" + path, "r+b") as f:
                        text = f.read()
                        f.seek(0)
                        other = rng.choice([b"by hand\n" + text, text + b"by hand", text.replace(b"a", b"A"), b""])
                        f.write(other if other != text else text + b"by hand")   # a file without an "a", or an empty one
                        f.truncate()
        before = tree("old")
        shutil.copytree("old", "new", symlinks=True)
        call(program, "compile", "cluster.yaml", "-o", "new", "--force")
        wanted = tree("new")
        differ = differences(before, wanted)
        status = 1 if differ else 0
        seen.add(status)

        forth = call(program, "diff", "old", "cluster.yaml", expect=status, text=False)
        shutil.copytree("old", "applied", symlinks=True)
        if differ:
            call("git", "apply", "--whitespace=nowarn", "-", cwd="applied", text=False, feed=forth.stdout)
        found = differences(tree("applied"), wanted)
        if found:
            sys.exit(f"round {number}: applied, the patch leaves {found[:3]} otherwise than compile")
        back = call(program, "diff", "cluster.yaml", "old", expect=status, text=False)
        if differ:
            call("git", "apply", "--whitespace=nowarn", "-", cwd="applied", text=False, feed=back.stdout)
        found = differences(tree("applied"), before)
        if found:
            sys.exit(f"round {number}: the patch the other way leaves {found[:3]} otherwise than they were")
        said = re.search(rb": (\d+) files? changed, (\d+) new, (\d+) gone", forth.stderr)
        if differ and sum(map(int, said.groups())) != len(differ):
            sys.exit(f"round {number}: {len(differ)} files differ, and it says {said[0]}")
        data = json.loads(call(program, "diff", "old", "cluster.yaml", "--format", "json", expect=status).stdout)
        if schema:
            schema.validate(data)
        if [f["path"] for f in data["files"]] != differ or data["same"] != (not differ):
            sys.exit(f"round {number}: JSON lists {[f['path'] for f in data['files']]}, and {differ} differ")
        by_hand = [f["path"] for f in data["files"] if f["edited"]]
        if sorted(by_hand) != sorted(p for p in edited if p in differ):
            sys.exit(f"round {number}: edited by hand are {edited}, and it says {by_hand}")
        call(program, "diff", "old", "cluster.yaml", "--format", "markdown", expect=status)
        # No more lines than diff itself needs, for each text.
        for f in data["files"]:
            b, n = before.get(f["path"]), wanted.get(f["path"])
            if not b or not n or "link" in (b[0], n[0]):
                continue
            for name, (_, text) in (("x", b), ("y", n)):
                with open(name, "wb") as file:
                    file.write(text)
            least = changed_lines(subprocess.run(["diff", "--minimal", "-u", "--label", "a/x", "--label", "b/y", "x", "y"], capture_output=True).stdout)
            # A line of context that CI runners would obey ("::1 localhost") is shown as taken out and put back.
            patch = f["patch"].splitlines()
            put_back = sum(2 for line in patch if line.startswith("-") and line[1:].lstrip().startswith("::") and "+" + line[1:] in patch)
            ours = changed_lines(f["patch"].encode()) - put_back
            if ours > least:
                sys.exit(f"round {number}: {f['path']}: {ours} lines change, diff needs {least}")
        # The twin: a patch with a line lost is not taken, or leaves other files.
        if differ and number < 10:
            lines = forth.stdout.split(b"\n")
            at = [i for i, l in enumerate(lines) if l[:1] in (b"+", b"-") and l[:3] not in (b"+++", b"---")]
            if at:
                del lines[rng.choice(at)]
                broken = subprocess.run(["git", "apply", "-"], cwd="old", input=b"\n".join(lines), capture_output=True, env=dict(os.environ, GIT_CEILING_DIRECTORIES=work))
                if broken.returncode == 0 and not differences(tree("old"), wanted):
                    sys.exit("a broken patch gives the same files: this test could not fail")
    if seen != {0, 1} and a.rounds >= 10:
        print("every round had differences")
    # What cannot be compared.
    for arguments, word in ((["old", "new"], "both are folders"), (["site", "cluster.yaml"], "not a compiled tree"), (["old", "missing.yaml"], "missing.yaml")):
        done = call(program, "diff", *arguments, expect=2)
        if word not in done.stderr:
            sys.exit(f"diff {arguments}: {done.stderr}")
    # What a clone in git keeps of a mode is whether the file is a program.
    shutil.rmtree("old", ignore_errors=True)
    call(program, "compile", "cluster.yaml", "-o", "old")
    private = [p for p in tree("old") if not os.path.islink("old/" + p) and os.stat("old/" + p).st_mode & 0o777 == 0o600]
    if not private:
        sys.exit("no file is private: this test could not fail")
    for path in private:
        os.chmod("old/" + path, 0o644)
    call(program, "diff", "old", "cluster.yaml")
    call(program, "compile", "cluster.yaml", "-o", "old", "--check")
    call(program, "compile", "cluster.yaml", "-o", "old")
    if any(os.stat("old/" + p).st_mode & 0o777 != 0o600 for p in private):
        sys.exit("compile does not make files private again")
    os.chmod("old/" + private[0], 0o700)
    if "old mode 100755\nnew mode 100644\n" not in call(program, "diff", "old", "cluster.yaml", expect=1).stdout:
        sys.exit("a file that became a program is not shown")
    os.remove("old/" + private[0])
    os.mkfifo("old/" + private[0])
    if "is neither a file nor a link" not in call(program, "diff", "old", "cluster.yaml", expect=2).stderr:
        sys.exit("a pipe in a file's place is not said")
    # Texts with nothing in common, and large ones: in a time that grows with them.
    os.makedirs("site/hosts", exist_ok=True)
    for rounds, line in (("disjoint", "%d old"), ("shuffled", "%d")):
        lines = list(range(200_000))
        with open("site/hosts/hosts", "w") as f:
            f.write("\n".join(line % i for i in lines) + "\n")
        shutil.rmtree("old", ignore_errors=True)
        call(program, "compile", "cluster.yaml", "-o", "old", "--only", "hosts")
        random.Random(3).shuffle(lines)
        with open("site/hosts/hosts", "w") as f:
            f.write("\n".join("%d" % i for i in lines) + "\n")
        patch = call(program, "diff", "old", "cluster.yaml", "--only", "hosts", expect=1, text=False).stdout
        call("git", "apply", "-", cwd="old", text=False, feed=patch)
        if tree("old")["hosts/hosts"][1] != open("site/hosts/hosts", "rb").read():
            sys.exit(f"{rounds}: the patch of a large file is wrong")
    print(f"{a.rounds} trees: git makes of them what compile makes, and back")


main()
