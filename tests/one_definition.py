#!/usr/bin/env python3
"""No type of src/ has two definitions in one namespace: the linker takes one of two destructors without a word, and the program crashes somewhere else.

usage: one_definition.py SOURCE_DIR | --self-test
What stands in an unnamed namespace is of its file alone. Answers as compilers do; exit status 1 when there is one.
"""
import os
import re
import sys
import tempfile

NAMESPACE = re.compile(r"^\s*(?:inline )?namespace(?: ([\w:]+))? \{")
TYPE = re.compile(r"^(?:template <[^>]*>\s*)?(?:struct|class|enum class|enum) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: : [^;{]*)? \{")


def types(path):
    """(line, namespaces, name) of every type that is defined in a namespace of a file; "" is an unnamed one. The house closes each namespace at the begin of a line, with its name."""
    inside = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if found := NAMESPACE.match(line):
                if "}" not in line:
                    inside.append(found.group(1) or "")
            elif re.match(r"^\}  // namespace", line):
                inside.pop()
            elif found := TYPE.match(line):
                yield number, tuple(inside), found.group(1)


def faults(source):
    first, out = {}, []
    for folder, folders, files in os.walk(os.path.join(source, "src")):
        folders.sort()
        for name in sorted(files):
            if not name.endswith((".h", ".cc")):
                continue
            path = os.path.join(folder, name)
            for line, inside, what in types(path):
                if "" in inside:
                    continue
                at = f"{os.path.relpath(path, source)}:{line}"
                other = first.setdefault((inside, what), at)
                if other != at:
                    out.append(f"{at}: error: {'::'.join((*inside, what))} is defined in {other}, too")
    return out, len(first)


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "src"))
        put = lambda name, text: open(os.path.join(folder, "src", name), "w", encoding="utf-8").write(text)
        put("a.h", "namespace clusterc {\n\nstruct One {\n};\nclass Two final : public One {\n};\n\n}  // namespace clusterc\n")
        put("b.cc", "namespace clusterc {\nnamespace {\nstruct One {\n};\n}  // namespace\n}  // namespace clusterc\n")
        put("c.h", "namespace clusterc::other {\nstruct One {\n};\n}  // namespace clusterc::other\n")
        assert faults(folder) == ([], 3), faults(folder)
        put("d.cc", "namespace clusterc {\nstruct Two {\n};\nenum class One : int { x };\n}  // namespace clusterc\n")
        found, _ = faults(folder)
        assert [f.split(": ")[0] for f in found] == ["src/d.cc:2", "src/d.cc:4"], found


if sys.argv[1:] == ["--self-test"]:
    self_test()
elif len(sys.argv) == 2:
    found, known = faults(sys.argv[1])
    print("\n".join(found) if found else f"{known} types, each with one definition")
    sys.exit(1 if found or known < 300 else 0)
else:
    sys.exit(__doc__)
