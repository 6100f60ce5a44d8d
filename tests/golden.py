#!/usr/bin/env python3
"""Runs one golden case and compares all that comes out.

usage: golden.py CLUSTERC CASE WORK
  CASE/cmd        arguments, one line ('#' begins a comment line); default: `<command> spec.yaml`, for compile `-o out` with it, and
                  `--only OUTPUT` where the case is called as an output.
                  $SOURCE is the source directory; where it shows in stdout or stderr it stands as $SOURCE again.
  CASE/stdout     the complete text; absent: not compared
  CASE/stderr     the complete text; absent: not compared
  CASE/exit       the exit status; absent: 1 when a marker expects an error, else 0
  CASE/out/       the tree that the run leaves in out/, compared both ways; absent: there must be none that CASE did not bring
  `# expect: error[some-rule] warning[other-rule]` in a .yaml or .csv file: these findings are reported at this line
  (`# expect@+2:` is two lines below). In a case of `check`, and wherever there is a marker, every error and warning that
  is found must be expected, unless stdout or stderr holds the complete text and there is no marker at all. In RULE-at-limit
  and RULE-silent so must every note of a rule of which the case RULE expects notes alone.
A case of another command than check that has nothing of these (marker, stdout, stderr, exit, out/) compares nothing, and fails where the run prints something.
UPDATE_GOLDEN=1 rewrites stdout, stderr (those that exist; a case that compares nothing gets a stdout), exit (where another status came) and out/;
it refuses when CI is set. Read the diff.
"""
import collections
import difflib
import filecmp
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys

MARKER = re.compile(r"#\s*expect(?:@([+-]\d+))?:\s*(.*?)\s*$")
EXPECTED = re.compile(r"(error|warning|note)\[([a-z0-9-]+)\]")
TEXTS = ("stdout", "stderr")


class Broken(Exception):
    """The case itself cannot be judged."""


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def markers(case):
    """{(file, line, severity, rule): count} of every marker in the case's inputs."""
    wanted = collections.Counter()
    for folder, folders, files in os.walk(case):
        folders[:] = sorted(f for f in folders if not (folder == case and f == "out"))
        for file in sorted(files):
            if not file.endswith((".yaml", ".yml", ".csv")):
                continue
            path = os.path.join(folder, file)
            for number, line in enumerate(read(path).split("\n"), 1):
                match = MARKER.search(line)
                if not match:
                    continue
                items = EXPECTED.findall(match.group(2))
                if not items or EXPECTED.sub("", match.group(2)).strip(" ,"):
                    raise Broken(f"{path}:{number}: write `# expect: error[some-rule]`, not '{match.group(0)}'")
                for severity, rule in items:
                    wanted[(os.path.relpath(path, case), number + int(match.group(1) or 0), severity, rule)] += 1
    return wanted


def environment():
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH") or k.endswith("SAN_OPTIONS")}
    return {**kept, "LC_ALL": "C", "TZ": "UTC", "TERM": "dumb"}


def run(clusterc, arguments, work):
    return subprocess.run([clusterc, *arguments], cwd=work, env=environment(), stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)


def found_findings(clusterc, command, arguments, work):
    """{(file, line, severity, rule): count}, read from the same run with --format json."""
    if command != "check":
        arguments = ["check", *[a for a in arguments[1:] if a.endswith((".yaml", ".yml"))]]
    result = run(clusterc, [*arguments, "--format", "json"], work)
    try:
        document = json.loads(result.stdout)
        found = collections.Counter()
        for finding in document["findings"]:
            if finding.get("accepted") is None or finding.get("accepted") is False:
                place = finding.get("place") or finding
                found[(os.path.normpath(place.get("file") or ""), place.get("line") or 0,
                       finding["severity"], finding["rule"])] += 1
        return found
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Broken(f"`{shlex.join(arguments)} --format json` gave no findings ({error!r}); it said:\n"
                     + (result.stdout + result.stderr).decode("utf-8", "replace")[:2000]) from error


def show(key):
    file, line, severity, rule = key
    return f"{file}:{line}: {severity}[{rule}]"


def note_of_twin(case):
    """The rule that a case shows to be silent (RULE-at-limit, RULE-silent), where the case RULE expects notes of it alone; else None."""
    rule = re.sub(r"-(at-limit|silent)$", "", os.path.basename(case))
    twin = os.path.join(os.path.dirname(case), rule)
    if twin == case or not os.path.isdir(twin):
        return None
    severities = {severity for (_, _, severity, of) in markers(twin) if of == rule}
    return rule if severities == {"note"} else None


def compare_findings(wanted, found, note=None):
    missing = wanted - found
    unexpected = collections.Counter({k: n for k, n in (found - wanted).items() if k[2] != "note" or k[3] == note})
    return ([f"expected, not found: {show(k)}" + (f" (x{n})" if n > 1 else "") for k, n in sorted(missing.items())]
            + [f"found, not expected: {show(k)}" + (f" (x{n})" if n > 1 else "") for k, n in sorted(unexpected.items())])


def tree(folder):
    """{relative path: is executable} of the files below a folder."""
    files = {}
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            path = os.path.join(at, name)
            files[os.path.relpath(path, folder)] = bool(os.lstat(path).st_mode & stat.S_IXUSR)
    return files


def difference(name, expected, actual):
    lines = difflib.unified_diff(expected.split("\n"), actual.split("\n"), f"{name} (expected)", f"{name} (found)", lineterm="")
    return "\n".join(list(lines)[:200])


def compare_trees(expected, actual):
    problems = []
    want, have = tree(expected), tree(actual)
    problems += [f"out/{p}: expected, not written" for p in sorted(want.keys() - have.keys())]
    problems += [f"out/{p}: written, not expected" for p in sorted(have.keys() - want.keys())]
    for path in sorted(want.keys() & have.keys()):
        a, b = os.path.join(expected, path), os.path.join(actual, path)
        links = [os.readlink(p) if os.path.islink(p) else None for p in (a, b)]
        if links[0] != links[1]:
            problems.append(f"out/{path}: a link to {links[1]}, expected {links[0]}")
        elif not filecmp.cmp(a, b, shallow=False):
            problems.append(difference(f"out/{path}", read(a), read(b)))
        if want[path] != have[path]:
            problems.append(f"out/{path}: {'not ' if want[path] else ''}executable")
    return problems


def main():
    if len(sys.argv) != 4:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    clusterc, case, work = (os.path.abspath(a) for a in sys.argv[1:])
    update = os.environ.get("UPDATE_GOLDEN", "") not in ("", "0")
    if update and os.environ.get("CI", "") not in ("", "0", "false"):
        print("UPDATE_GOLDEN is set in CI: golden files are rewritten by people, who read the diff", file=sys.stderr)
        return 1
    command = os.path.basename(os.path.dirname(case))
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

    arguments = [command, "spec.yaml"]
    if command == "compile":
        outputs = subprocess.run([clusterc, "compile", "--list"], capture_output=True, text=True)
        name = os.path.basename(case)
        is_output = outputs.returncode == 0 and re.search(rf"^{re.escape(name)}\s", outputs.stdout, re.M)
        arguments += ["-o", "out"] + (["--only", name] if is_output else [])
    if os.path.exists(os.path.join(case, "cmd")):
        lines = [l for l in read(os.path.join(case, "cmd")).split("\n") if l.strip() and not l.startswith("#")]
        if len(lines) != 1:
            raise Broken(f"{case}/cmd: one line of arguments, not {len(lines)}")
        arguments = [a.replace("$SOURCE", source) for a in shlex.split(lines[0])]

    shutil.rmtree(work, ignore_errors=True)
    left_behind = ("cmd", "stdout", "stderr", "exit", "out")
    shutil.copytree(case, work, symlinks=True, ignore=lambda folder, names: left_behind if folder == case else ())

    wanted = markers(case)
    result = run(clusterc, arguments, work)
    texts = {name: getattr(result, name).decode("utf-8", "surrogateescape").replace(source, "$SOURCE") for name in TEXTS}
    held = {name: os.path.join(case, name) for name in TEXTS}
    out, expected_out = os.path.join(work, "out"), os.path.join(case, "out")
    usual_exit = 1 if any(key[2] == "error" for key in wanted) else 0
    exit_file = os.path.join(case, "exit")
    expected_exit = int(read(exit_file)) if os.path.exists(exit_file) else usual_exit
    bare = command != "check" and not wanted and not any(os.path.exists(path) for path in (*held.values(), exit_file, expected_out))

    if update:
        for name in TEXTS:
            if os.path.exists(held[name]) or (name == "stdout" and bare and texts[name]):
                write(held[name], texts[name])
        if result.returncode != expected_exit:
            expected_exit = result.returncode
            if expected_exit != usual_exit:
                write(exit_file, f"{expected_exit}\n")
            else:
                os.remove(exit_file)
        if os.path.isdir(out):
            shutil.rmtree(expected_out, ignore_errors=True)
            shutil.copytree(out, expected_out, symlinks=True)
        else:
            shutil.rmtree(expected_out, ignore_errors=True)

    problems = []
    for name in TEXTS:
        if os.path.exists(held[name]) and read(held[name]) != texts[name]:
            problems.append(difference(name, read(held[name]), texts[name]))
    if bare and not update and texts["stdout"]:
        problems.append("the case compares nothing: UPDATE_GOLDEN=1 writes its stdout")
    if result.returncode != expected_exit:
        problems.append(f"exit status {result.returncode}, expected {expected_exit}")
    if os.path.isdir(expected_out) or os.path.isdir(out):
        problems += compare_trees(expected_out, out)
    complete_text = any(os.path.exists(path) for path in held.values())
    if wanted or (command == "check" and not complete_text):
        problems += compare_findings(wanted, found_findings(clusterc, command, arguments, work), note_of_twin(case))
    if problems:
        print(f"golden case {os.path.relpath(case, source)}: clusterc {shlex.join(arguments)}")
        print(*problems, sep="\n")
        if not os.path.exists(held["stdout"]):
            print("--- it printed:", texts["stdout"] + texts["stderr"], sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as error:
        print(error)
        sys.exit(1)
