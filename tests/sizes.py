#!/usr/bin/env python3
"""No C++ or CUDA file has more than 600 lines, no function more than 100, and every header begins with a comment.

usage: sizes.py SOURCE | --self-test
Answers as compilers do: `src/plan/diff.cc:495: error: this function has 122 lines, 100 are the most`; exit status 1 when there is one.
"""
import pathlib
import re
import sys
import tempfile

FOLDERS = ("src", "validators", "tests", "benchmarks")
HEADERS = (".h", ".cuh")
SUFFIXES = (".cc", ".cu") + HEADERS
FILE, FUNCTION = 600, 100

RAW = re.compile(r'R"([^()\\\s]{0,16})\(.*?\)\1"', re.S)


def functions(text):
    """(first line, number of lines) of each block that '}' closes alone on its line.

    clang-format gives that line the indentation of the line on which the function begins, and everything between them a
    deeper one, but for the preprocessor's lines, the labels of a class and what stands in raw strings. Blocks of `if` and
    `for` are counted as well: one that is too long stands in a function that is. Types, tables and lambdas end in '};',
    namespaces in a comment.
    """
    lines = RAW.sub(lambda raw: '""' + "\n" * raw.group().count("\n") + " " * 100, text).split("\n")
    for end, line in enumerate(lines):
        if not re.fullmatch(r" *\}", line):
            continue
        indent = len(line) - 1
        for begin in range(end - 1, -1, -1):
            above = lines[begin]
            if above.strip() and not above.startswith("#") and len(above) - len(above.lstrip()) <= indent:
                yield begin + 1, end - begin + 1
                break


def faults(source):
    for folder in FOLDERS:
        for path in sorted((source / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            text = path.read_text(encoding="utf-8")
            name, count = path.relative_to(source), text.count("\n")
            if count > FILE:
                yield f"{name}:{FILE + 1}: error: this file has {count} lines, {FILE} are the most"
            if path.suffix in HEADERS and not text.startswith(("//", "/*")):
                yield f"{name}:1: error: a header begins with a comment that says what it is for"
            for line, length in functions(text):
                if length > FUNCTION:
                    yield f"{name}:{line}: error: this function has {length} lines, {FUNCTION} are the most"


def self_test():
    statements = lambda n: "  x();\n" * n
    tree = {
        "src/plan/long.cc": "// one\n" * 601,
        "src/plan/full.cc": "// one\n" * 600,
        "src/plan/bare.h": "#pragma once\n",
        "src/plan/head.h": "// What it is for.\n#pragma once\n",
        "src/plan/at_limit.cc": "void f() {\n" + statements(98) + "}\n",
        "src/plan/over.cc": "int y;\n\nvoid f(int a,\n       int b) {\n" + statements(98) + "}\n",
        "src/plan/member.cc": "class A {\n public:\n  void g() {\n" + "  " + statements(99).replace("\n", "\n  ").rstrip() + "\n  }\n};\n",
        "src/plan/table.cc": "int table[] = {\n" + "    1,\n" * 200 + "};\n",
        "src/plan/type.cc": "struct B {\n" + "  int i;\n" * 200 + "};\n",
        "src/plan/raw.cc": 'void f() {\n  x(R"(\n' + "text {\n}\n" * 60 + ')");\n}\n',
        "src/plan/preprocessor.cc": "void f() {\n" + statements(60) + "#ifdef A\n" + statements(60) + "#endif\n}\n",
        "validators/gemm/cuda.cu": "__global__ void k() {\n  for (;;) {\n" + "    x();\n" * 97 + "  }\n}\n",
        "tests/unit/a_test.cc": "namespace a {\n" + "int i;\n" * 200 + "}  // namespace a\n",
    }
    expected = [
        "src/plan/bare.h:1: error: a header begins with a comment that says what it is for",
        "src/plan/long.cc:601: error: this file has 601 lines, 600 are the most",
        "src/plan/member.cc:3: error: this function has 101 lines, 100 are the most",
        "src/plan/over.cc:3: error: this function has 101 lines, 100 are the most",
        "src/plan/preprocessor.cc:1: error: this function has 124 lines, 100 are the most",
        "src/plan/raw.cc:1: error: this function has 124 lines, 100 are the most",
        "validators/gemm/cuda.cu:1: error: this function has 101 lines, 100 are the most",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = sorted(faults(pathlib.Path(folder)))
    if found != expected:
        print("self-test: expected", *expected, "found", *found, sep="\n")
        return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1], "src").is_dir():
        print(__doc__.strip(), file=sys.stderr)
        return 2
    found = list(faults(pathlib.Path(sys.argv[1])))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
