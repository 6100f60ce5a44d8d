#!/usr/bin/env python3
"""The table of findings (src/rules/finding_table.cc, finding_rows*.cc) and the sources agree: every id that is reported stands in the table and is known to
`clusterc explain`, nothing else stands there, and reporter and severity are those of the sources.

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
NO_FINDING = {"spec-digest", "inventory-items"}   # the second: a key of NetBox


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
    assert severities_in('f.error("slurm-x", a); add(Severity::note, "ha-y", b); warning(\n  "ha-y", c)') == {"slurm-x": {"error"}, "ha-y": {"note", "warning"}}
    rows = rows_of('kA = "the a",\n    {"ha-x", Severity::note, kA, Standing::acceptable,\n     "s"},\n    {"ha-y",\n     Severity::error, "output dns", q')
    assert rows == [("ha-x", "note", "the a"), ("ha-y", "error", "output dns")], rows
    assert "reported as error" in wrong_row("x", "note", "output dns", {"error"}, {"compile/dns/a.cc"})
    assert "stands in compile/kea/a.cc" in wrong_row("x", "error", "output dns", {"error"}, {"compile/kea/a.cc"})
    assert "no reporter" in wrong_row("x", "error", "dns", {"error"}, set())
    assert wrong_row("x", "error", "output dns", {"error", "note"}, {"compile/dns/a.cc"}) is None
    return 0


SEVERITIES = ("note", "warning", "error")
REPORTERS = {   # of ids that are reported from the files of this room alone
    "the spec reader": ("yaml/", "spec/", "fields/", "model/", "rules/", "cli/", "lsp/", "catalog/", "pipeline.cc"), "the catalogue": ("catalog/", "model/"),
    "the reader of `accept`, `severity` and `thresholds`": ("rules/",), "`check --baseline`": ("rules/baseline",), "the inventory reader": ("system/inventory", "system/links", "system/system.cc"),
    "the reader of the site's templates": ("template/", "compile/site_templates"), "the reader of `extra` lines": ("compile/", "system/"),
    "the view of the deployed cluster": ("system/",), "`audit`": ("audit/",), "`check` of a file that is no spec": ("audit/files/",), "the outputs that install nodes": ("system/install",),
}


def severities_in(text):
    """id -> severities with which it is reported by a call that names both: error("x", Severity::note, "x"."""
    found = {}
    for severity, name in re.findall(r"\b(?:Severity::)?(error|warning|note)(?:\(|,)\s*(?:findings_?,\s*)?" + NAME, text):
        found.setdefault(name, set()).add(severity)
    return found


def rows_of(text):
    """Rows of the table: (id, severity, reporter)."""
    text = text.replace("kAuditReporter", '"`audit`"').replace("kFileReporter", '"`check` of a file that is no spec"').replace("kSystemReporter", '"the view of the deployed cluster"')
    constants = dict(re.findall(r'\b(k[A-Z][A-Za-z]*) = "([^"]*)"', text))
    rows = re.findall(r'^    \{"([a-z0-9-]+)",\s*Severity::(\w+),\s*("[^"]*"|k\w+),', text, re.M)
    return [(name, severity, constants.get(reporter, reporter.strip('"'))) for name, severity, reporter in rows]


def wrong_row(name, severity, reporter, severities, files):
    """What is wrong with a row, or None; `files`: where its id stands, below src/."""
    gravest = max(severities, key=SEVERITIES.index, default=None)
    if gravest and SEVERITIES.index(gravest) > SEVERITIES.index(severity):
        return f"'{name}' is reported as {gravest}, the table says {severity}"
    if gravest and len(severities) == 1 and gravest != severity:
        return f"'{name}' is reported as {gravest} alone, the table says {severity}"
    if reporter.startswith("output "):
        prefixes = (f"compile/{reporter[7:].replace('-', '_')}/", "system/")  # what an output rests on is decided in the system
    elif reporter in REPORTERS:
        prefixes = REPORTERS[reporter]
    else:
        return f"'{name}': no reporter is called '{reporter}' (tests/finding_names.py lists them)"
    strangers = [f for f in files if not f.startswith(prefixes) and not f.startswith("rules/baseline")]
    if files and strangers:
        return f"'{name}': the table says that {reporter} reports it, it stands in {', '.join(sorted(strangers))}"
    return None


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    clusterc, source = sys.argv[1], pathlib.Path(sys.argv[2])
    table = source / "src/rules/finding_table.cc"
    placed, every, severities, files = {}, set(), {}, {}
    for path in sorted((source / "src").rglob("*")):
        if path.suffix not in (".cc", ".h") or path.name.startswith(("finding_table.", "finding_rows")):
            continue
        text = path.read_text(encoding="utf-8")
        found, texts = names_in(text)
        for name in found - NO_FINDING:
            placed.setdefault(name, path.relative_to(source))
        for name, said in severities_in(re.sub(r"^\s*//.*$", "", text, flags=re.M)).items():
            severities.setdefault(name, set()).update(said)
        for name in texts:
            files.setdefault(name, set()).add(str(path.relative_to(source / "src")))
        every |= texts
    where = table.relative_to(source)
    lines = [f"{path}: '{name}' can be found, and `clusterc explain {name}` does not know it: {where}" for name, path in sorted(placed.items()) if not known(clusterc, name)]
    parts = [rows_of(part.read_text(encoding="utf-8")) for part in (table, *sorted(table.parent.glob("finding_rows*.cc")))]
    rows = [row for part in parts for row in part]
    lines += [f"{where}: '{name}' stands nowhere else" for name, _, _ in rows if name not in every]
    lines += [f"{where}: `clusterc explain {name}` does not know it" for name, _, _ in rows if not known(clusterc, name)]
    lines += [f"{where}: '{after[0]}' stands behind '{before[0]}'" for part in parts for before, after in zip(part, part[1:]) if after[0] <= before[0]]
    lines += [f"{where}: {wrong}" for name, severity, reporter in rows if (wrong := wrong_row(name, severity, reporter, severities.get(name, set()), files.get(name, set())))]
    if len(rows) < 150:
        lines.append(f"{where}: {len(rows)} rows were found: the reader of the table is broken")
    if len(placed) < 100:
        lines.append(f"{len(placed)} names were found in the sources: the reader of them is broken")
    print(*lines, sep="\n", end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
