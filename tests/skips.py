#!/usr/bin/env python3
"""What a run of ctest skipped, and why.

usage: skips.py build/release/Testing/Temporary/LastTest.log OUTPUT_OF_CTEST | skips.py --check TESTS | skips.py --self-test
Reads the lines that tests print (tests/skipping.py, tests/skipping.h, tests/consumers/lib/skipping.bash): `skipped: …`, `skipped in part: …`, and GoogleTest's
`Skipped` with the reason below it. LastTest.log calls a skipped test passed: the output of ctest says which tests were skipped without a reason.
--check: no script below TESTS skips by itself, so that each says whether CI may skip it.
"""
import pathlib
import re
import sys

TEST = re.compile(r"^\d+/\d+ Testing: (.*)$")
SKIPPED = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) .*\*\*\*Skipped")


def skips(log, said):
    """(test, reason), in the order of the log."""
    name, in_output, previous, found = None, False, "", {}
    for line in (text.rstrip("\n") for text in log):
        if start := TEST.match(line):
            name, in_output = start.group(1), False
        elif line == "Output:":
            in_output = True
        elif line == "<end of output>":
            in_output = False
        elif in_output:
            if plain := re.match(r"skipped(?: in part)?: (.*)", line):
                found[name, plain.group(1)] = True
            elif previous.endswith(": Skipped"):
                found[name, line] = True
        previous = line
    reasons = {test for test, _ in found}
    for line in said:
        if (skipped := SKIPPED.match(line)) and skipped.group(1) not in reasons:
            found[skipped.group(1), "it gives no reason"] = True
    return list(found)


BY_ITSELF = re.compile(r"""(?:echo|print\(f?|cat)\s*["']skipped: """)


def by_itself(lines):
    return [number for number, line in enumerate(lines, 1) if BY_ITSELF.search(line)]


def check(tests):
    bad = []
    for path in sorted(p for p in pathlib.Path(tests).rglob("*") if p.suffix in (".sh", ".bash", ".py") or p.parent.name == "virtual-slurm"):
        if path.is_file() and path.name not in ("skips.py", "skipping.py", "skipping.bash"):
            text = path.read_text(encoding="utf-8", errors="replace").splitlines()
            bad += [f"{path}:{number}: error: skips by itself: use `missing` or `cannot` (lib/skipping.bash, skipping.py)" for number in by_itself(text)]
    print("\n".join(bad) if bad else "every script skips through the helpers")
    sys.exit(1 if bad else 0)


def self_test():
    log = """1/4 Testing: consumer.a
Output:
----
skipped: a not installed
<end of output>
Test time =   0.01 sec
Test Passed.
2/4 Testing: unit.b
Output:
----
/x/b_test.cc:12: Skipped
root writes everywhere

/x/b_test.cc:15: Skipped
root writes everywhere

<end of output>
Test Passed.
3/4 Testing: house.c
Output:
----
ok: nothing is skipped: all is there
<end of output>
Test Passed.
4/4 Testing: consumer.d
Output:
----
<end of output>
Test Passed.
"""
    expected = [("consumer.a", "a not installed"), ("unit.b", "root writes everywhere"), ("consumer.d", "it gives no reason")]
    found = skips(log.splitlines(), ["1/4 Test   #1: consumer.a ...***Skipped   0.06 sec", " 3/4 Test #3: house.c ....   Passed   0.06 sec", " 4/4 Test #40: consumer.d ..***Skipped  0.06 sec"])
    if found != expected:
        sys.exit(f"found {found}, expected {expected}")
    if by_itself(['need x', '[ -e y ] || { echo "skipped: no y"; exit 77; }', 'cannot "no y"', '    print(f"skipped: {y}")']) != [2, 4]:
        sys.exit("a script that skips by itself is not found")
    print("skips.py finds the reasons, and who skips by itself")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif sys.argv[1:2] == ["--check"]:
        check(sys.argv[2])
    else:
        with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
            with open(sys.argv[2], encoding="utf-8", errors="replace") as said:
                every = skips(file, said)
        for test, reason in every:
            print(f"   {test}: {reason}")
        print(f"   {len({t for t, _ in every})} tests were skipped, wholly or in part")
