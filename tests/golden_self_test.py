#!/usr/bin/env python3
"""Holds golden.py to its word with a stand-in for clusterc: a runner that passes everything would hide every bug.

usage: golden_self_test.py WORK
"""
import os
import shutil
import stat
import subprocess
import sys

# Reports an error for each line with `bad`, a note for each with `note`; compile writes out/a; says on stdout what it did.
STAND_IN = '''#!/usr/bin/env python3
import json, os, sys
lines = open("spec.yaml").read().split("\\n")
found = [dict(file="spec.yaml", line=i, severity="error", rule="test-bad") for i, l in enumerate(lines, 1) if l.startswith("bad")]
noted = [dict(file="spec.yaml", line=i, severity="note", rule="test-note") for i, l in enumerate(lines, 1) if l.startswith("note")]
if "--format" in sys.argv:
    print(json.dumps(dict(findings=found + noted)))
else:
    print("seen", len(found))
    if sys.argv[1] == "compile" and not found:
        os.makedirs("out")
        open("out/a", "w").write("text of a\\n")
sys.exit(1 if found else 0)
'''
CASES = [  # command, files of the case, passes
    ("check", {"spec.yaml": "good\n"}, True),
    ("check", {"spec.yaml": "good\nbad  # expect: error[test-bad]\n"}, True),
    ("check", {"spec.yaml": "good\nbad\n"}, False),                                     # found, not expected
    ("check", {"spec.yaml": "good  # expect: error[test-bad]\nbad\n"}, False),          # at another line
    ("check", {"spec.yaml": "good  # expect@+1: error[test-bad]\nbad\n"}, True),
    ("check", {"spec.yaml": "bad  # expect: warning[test-bad]\n", "exit": "1\n"}, False),   # another severity
    ("check", {"spec.yaml": "bad  # expect: error[test-other]\n"}, False),
    ("check", {"spec.yaml": "bad  # expect: error[test-bad] error[test-bad]\n"}, False),    # once, not twice
    ("check", {"spec.yaml": "bad  # expect: nonsense\n"}, False),
    ("check", {"spec.yaml": "good\n", "stdout": "seen 0\n"}, True),
    ("check", {"spec.yaml": "good\n", "stdout": "seen 1\n"}, False),
    ("check", {"spec.yaml": "good\n", "exit": "1\n"}, False),
    ("compile", {"spec.yaml": "good\n", "out/a": "text of a\n"}, True),
    ("compile", {"spec.yaml": "good\n", "out/a": "text of b\n"}, False),
    ("compile", {"spec.yaml": "good\n", "out/a": "text of a\n", "out/b": "more\n"}, False),  # missing file
    ("compile", {"spec.yaml": "good\n"}, False),                                             # extra file
    ("plan", {"spec.yaml": "good\n"}, False),                                                # compares nothing
    ("plan", {"spec.yaml": "good\n", "exit": "0\n"}, True),
    ("check", {"spec.yaml": "good\nbad  # expect: error[test-bad]\n", "exit": "1\n"}, True),
    ("check", {"spec.yaml": "good\nbad  # expect: error[test-bad]\n", "exit": "2\n"}, False),
]


def main():
    work = sys.argv[1]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    stand_in = os.path.join(work, "stand-in")
    with open(stand_in, "w", encoding="utf-8") as file:
        file.write(STAND_IN)
    os.chmod(stand_in, os.stat(stand_in).st_mode | stat.S_IXUSR)
    runner = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.py")
    wrong = 0

    def run(case, **environment):
        kept = {k: v for k, v in os.environ.items() if k not in ("CI", "UPDATE_GOLDEN")}
        return subprocess.run([sys.executable, runner, stand_in, case, os.path.join(work, "run")],
                              env={**kept, **environment}, capture_output=True, text=True, check=False)

    for number, (command, files, passes) in enumerate(CASES):
        case = os.path.join(work, "golden", command, f"case-{number}")
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(case, name)), exist_ok=True)
            with open(os.path.join(case, name), "w", encoding="utf-8") as file:
                file.write(text)
        result = run(case)
        if (result.returncode == 0) != passes:
            wrong += 1
            print(f"case {number} ({command} {files}): expected to {'pass' if passes else 'fail'}\n{result.stdout}{result.stderr}")

    # A note is not demanded, but where a rule of notes alone must be silent.
    for name, text, passes in (("test-note", "note  # expect: note[test-note]\n", True), ("test-note-silent", "good\n", True), ("test-note-at-limit", "note\n", False), ("other", "note\n", True)):
        case = os.path.join(work, "golden", "check", name)
        os.makedirs(case)
        with open(os.path.join(case, "spec.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        result = run(case)
        if (result.returncode == 0) != passes:
            wrong += 1
            print(f"{name}: expected to {'pass' if passes else 'fail'}\n{result.stdout}{result.stderr}")

    # Rewriting changes nothing of a case that passes.
    def content(folder):
        return {os.path.join(at, f): open(os.path.join(at, f), encoding="utf-8").read() for at, _, files in os.walk(folder) for f in files}

    for number, (command, files, passes) in enumerate(CASES):
        case = os.path.join(work, "golden", command, f"case-{number}")
        before = content(case)
        if passes and (run(case, UPDATE_GOLDEN="1").returncode != 0 or content(case) != before):
            wrong += 1
            print(f"case {number} ({command} {files}): it passed, and UPDATE_GOLDEN=1 changed {sorted(content(case).keys() ^ before.keys())}")

    # Rewriting mends the cases of wrong text, tree and status, and refuses in CI.
    for number in (10, 13, 14, 15, 16, 19):
        case = os.path.join(work, "golden", CASES[number][0], f"case-{number}")
        if run(case, UPDATE_GOLDEN="1", CI="true").returncode == 0:
            wrong += 1
            print(f"case {number}: rewritten in CI")
        if run(case, UPDATE_GOLDEN="1").returncode != 0 or run(case).returncode != 0:
            wrong += 1
            print(f"case {number}: does not pass after UPDATE_GOLDEN=1")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
