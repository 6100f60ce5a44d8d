#!/usr/bin/env python3
"""Every name of a finding that stands in the sources is known to `clusterc explain`, and every name that it knows beside the rules stands there.

usage: finding_names.py CLUSTERC SOURCE | finding_names.py --self-test

A name is a text that begins with a family ("spec-", "slurm-", …) in the place of a finding's name: the first argument of a function that makes one
(error, warning, note, add, or a helper that hands it on), or a constant that is called k…Rule. Names that a helper is handed stand as texts of their own: any
text of that form counts that explain knows; one in a finding's place counts always.
"""
import pathlib
import re
import subprocess
import sys

NAME = r'"([a-z][a-z0-9]*(?:-[a-z0-9]+)+)"'
PLACE = re.compile(r"\b(?:error|warning|note|fail|told|report|refuse|complain|tell|say)\((?:findings_?,\s*)?(?:[a-z_]+,\s*)?" + NAME)
LOADER = re.compile(r'"((?:spec|baseline|inventory|output)-[a-z0-9-]+)"')   # families that nothing else is called by
NO_FINDING = {"spec-digest"}


def names_in(text):
    """(names in a finding's place, all texts of that form)"""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    return set(PLACE.findall(text)) | set(LOADER.findall(text)), set(re.findall(NAME, text))


def known(clusterc, name):
    return subprocess.run([clusterc, "explain", name], capture_output=True, check=False).returncode == 0


def self_test():
    placed, every = names_in('f.error("slurm-x", at, "…"); told(findings, "output-y", s); // "spec-comment"\n  // error("spec-gone")\n std::string p = "slurm-client"; return fail_("spec-z");')
    assert placed == {"slurm-x", "output-y", "spec-z", "spec-comment"}, placed
    assert "slurm-client" in every and "spec-gone" not in every
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    clusterc, source = sys.argv[1], pathlib.Path(sys.argv[2])
    table = source / "src/rules/other_findings.cc"
    placed, every = {}, set()
    for path in sorted((source / "src").rglob("*")):
        if path.suffix not in (".cc", ".h") or path == table:
            continue
        found, texts = names_in(path.read_text(encoding="utf-8"))
        for name in found - NO_FINDING:
            placed.setdefault(name, path.relative_to(source))
        every |= texts
    lines = [f"{path}: '{name}' can be found, and `clusterc explain {name}` does not know it: src/rules/other_findings.cc" for name, path in sorted(placed.items()) if not known(clusterc, name)]
    listed = re.findall(r'^    \{' + NAME + ",", table.read_text(encoding="utf-8"), re.M)
    lines += [f"{table.relative_to(source)}: '{name}' stands nowhere else" for name in listed if name not in every]
    lines += [f"{table.relative_to(source)}: `clusterc explain {name}` does not know it: names stand in order" for name in listed if not known(clusterc, name)]
    if len(placed) < 100:
        lines.append(f"{len(placed)} names were found in the sources: the reader of them is broken")
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
