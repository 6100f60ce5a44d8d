#!/usr/bin/env python3
"""Reads every #include under src/ and validators/ and holds them against the rows below.

usage: include_directions.py SOURCE_DIR | --self-test
Answers as compilers do: `src/plan/heat.cc:7: error: plan may not include rules`; exit status 1 when there is one.
"""
import os
import re
import sys
import tempfile

BASE = {"base"}
FIELDS = {"base", "diag", "yaml", "write"}
CATALOG = FIELDS | {"fields"}
SPEC = CATALOG | {"catalog"}
MODEL = SPEC | {"spec"}
PLAN = MODEL | {"model"}
TARGETS = PLAN | {"plan"}
LAUNCH = TARGETS
RULES = TARGETS | {"targets"}
SYSTEM = RULES
VALIDATE = RULES | {"launch"}
AUDIT = RULES | {"launch"}
REPORT = RULES | {"rules", "system", "launch", "validate", "audit"}
EVERYTHING = REPORT | {"report", "compile", "cli", "lsp", "pipeline"}

# room: the rooms that it may include beside itself
ROWS = {
    "base": set(), "diag": BASE, "yaml": {"diag", "base"}, "write": BASE, "template": {"base", "diag", "write"}, "fields": FIELDS, "catalog": CATALOG,
    "spec": SPEC, "model": MODEL, "plan": PLAN, "targets": TARGETS, "rules": RULES, "system": SYSTEM,
    "compile": RULES | {"system", "template"},
    "launch": LAUNCH, "validate": VALIDATE, "audit": AUDIT, "report": REPORT, "cli": EVERYTHING,
    "pipeline": EVERYTHING, "lsp": REPORT | {"compile", "pipeline"}, "validators": BASE,
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
ENDINGS = (".cc", ".h", ".cu", ".cuh", ".inc")


def room_of(path):
    """The room of a path relative to the source directory; None for what is in no room."""
    parts = path.split("/")
    if parts[0] == "validators":
        return "validators"
    if parts[0] != "src" or len(parts) < 2:
        return None
    return parts[1] if len(parts) > 2 else parts[1].split(".")[0]  # src/pipeline.cc is room 'pipeline'


def output_of(path):
    """The output that a file belongs to, a folder of src/compile; None for others."""
    parts = path.split("/")
    return parts[2] if parts[:2] == ["src", "compile"] and len(parts) > 3 else None


def target_room(source, path, quote, name):
    """The room that an #include leads to; None for system headers and generated files."""
    if quote == '"':  # the compiler looks beside the including file first
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        if not beside.startswith("..") and os.path.exists(os.path.join(source, beside)):
            return room_of(beside)
    for root in ("src", "validators"):
        candidate = os.path.normpath(os.path.join(root, name))
        if os.path.isfile(os.path.join(source, candidate)):  # validators/memory is a folder, <memory> a header
            return room_of(candidate)
    return None


def violations(source):
    for top in ("src", "validators"):
        for folder, folders, files in os.walk(os.path.join(source, top)):
            folders.sort()
            for file in sorted(files):
                if not file.endswith(ENDINGS):
                    continue
                path = os.path.relpath(os.path.join(folder, file), source)
                room = room_of(path)
                if room not in ROWS:
                    yield f"{path}:1: error: no row in tests/include_directions.py for '{room}'"
                    continue
                with open(os.path.join(source, path), encoding="utf-8") as text:
                    for number, line in enumerate(text, 1):
                        match = INCLUDE.match(line)
                        if not match:
                            continue
                        other = target_room(source, path, *match.groups())
                        if other is not None and other != room and other not in ROWS[room]:
                            yield f"{path}:{number}: error: {room} may not include {other}"
                        mine, theirs = output_of(path), output_of("src/" + match[2])
                        if theirs and room == "compile" and mine != theirs:
                            yield f"{path}:{number}: error: {'output ' + mine if mine else 'what outputs share'} may not include output {theirs}"


def self_test():
    tree = {
        "src/base/text.h": "",
        "src/rules/rule.h": '#include "plan/plan.h"\n#include <vector>\n',
        "src/plan/plan.h": '// one\n#include "base/text.h"\n#  include "rules/rule.h"\n',
        "src/plan/near.cc": '#include "plan.h"\n#include "../rules/rule.h"\n',
        "src/base/angle.cc": "#include <plan/plan.h>\n",
        "src/compile/slurm/slurm.cc": '#include "rules/rule.h"\n#include "plan/plan.h"\n#include "compile/slurm/conf.h"\n#include "compile/dns/dns.h"\n',
        "src/compile/common.cc": '#include "compile/dns/dns.h"\n#include "system/system.h"\n',
        "src/system/system.h": '#include "plan/plan.h"\n#include "compile/common.h"\n',
        "src/launch/local.cc": '#include "targets/t.h"\n#include "plan/plan.h"\n',
        "src/targets/t.h": "",
        "src/compile/dns/dns.h": "",
        "src/compile/common.h": "",
        "src/pipeline.h": '#include "rules/rule.h"\n',
        "src/report/page.cc": '#include "pipeline.h"\n',
        "src/attic/old.cc": "",
        "validators/gemm/gemm.cc": '#include "base/text.h"\n#include "harness/harness.h"\n#include "plan/plan.h"\n',
        "validators/harness/harness.h": "",
    }
    expected = [
        "src/attic/old.cc:1: error: no row in tests/include_directions.py for 'attic'",
        "src/base/angle.cc:1: error: base may not include plan",
        "src/compile/common.cc:1: error: what outputs share may not include output dns",
        "src/compile/slurm/slurm.cc:1: error: compile may not include rules",
        "src/compile/slurm/slurm.cc:4: error: output slurm may not include output dns",
        "src/launch/local.cc:1: error: launch may not include targets",
        "src/plan/near.cc:2: error: plan may not include rules",
        "src/plan/plan.h:3: error: plan may not include rules",
        "src/report/page.cc:1: error: report may not include pipeline",
        "src/system/system.h:2: error: system may not include compile",
        "validators/gemm/gemm.cc:3: error: validators may not include plan",
    ]
    with tempfile.TemporaryDirectory() as source:
        for path, text in tree.items():
            full = os.path.join(source, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        found = sorted(violations(source))
    if found != expected:
        print("self-test: expected", *expected, "found", *found, sep="\n")
        return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "src")):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = list(violations(sys.argv[1]))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
