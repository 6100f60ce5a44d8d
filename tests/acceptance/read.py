#!/usr/bin/env python3
"""The files that one validation wrote, read by the programs of others and held against its report: read.py FOLDER NAME SCHEMA."""
import json
import re
import sys

import html5lib
import jsonschema
import junitparser

folder, name, schema = sys.argv[1:]
report = json.load(open(f"{folder}/{name}.json", encoding="utf-8"))
jsonschema.validate(report, json.load(open(schema, encoding="utf-8")))
verdicts = report["verdicts"]
count = report["counts"]

suites = junitparser.JUnitXml.fromfile(f"{folder}/{name}.xml")
cases = [case for suite in suites for case in suite]
kinds = [[type(result).__name__ for result in case.result] for case in cases]
unmet = sum(not d["met"] for d in report["demands"])
assert len(cases) == 1 + len(report["demands"]) + len(verdicts), (len(cases), len(verdicts))
verdict = report["verdict"]
assert kinds[0] == {"passed": [], "nothing wrong was found": ["Skipped"], "not passed": ["Failure"]}.get(verdict, ["Error"]), (kinds[0], verdict)
assert kinds[1:].count(["Failure"]) == count["fail"] + count["degraded"] + unmet, kinds
assert kinds[1:].count(["Error"]) == count["error"], kinds
assert kinds[1:].count(["Skipped"]) == count["skipped"] + count["unjudged"], kinds
took = {d["test"]: d["seconds"] for d in report["durations"]}
# A reader that finds no duration calls it 0.
assert all(abs((suite.time or 0) - took[suite.name]) < 1e-3 and suite.time > 0 for suite in suites if suite.name in took), took
assert took and set(took) <= {v["test"] for v in verdicts}, took
for suite in suites:
    results = [type(r).__name__ for case in suite for r in case.result]
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (len(list(suite)), results.count("Failure"), results.count("Error"), results.count("Skipped")), suite.name

with open(f"{folder}/{name}.html", "rb") as page:
    document = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
assert not document.findall(".//script") and not document.findall(".//link") and not document.findall(".//img"), "the certificate is not self-contained"
text = " ".join("".join(document.itertext()).split())
assert report["passed"] == (verdict == "passed"), verdict
assert ("Certificate of acceptance" in text) == report["passed"] and ("NOT PASSED" in text) == (verdict == "not passed"), text[:200]
for of in ("spec_sha256", "bundle_sha256"):
    assert report[of] in text, of
assert len(set(re.findall(r"\b[0-9a-f]{64}\b", text))) >= 6, "hashes"

with open(f"{folder}/{name}.prom", encoding="utf-8") as metrics:
    said = dict(line.rsplit(" ", 1) for line in metrics if not line.startswith("#"))
assert float(said['clusterc_validation_passed{cluster="%s"}' % report["cluster"]]) == report["passed"], said
assert [k for k, v in said.items() if k.startswith("clusterc_validation_verdict{") and float(v) == 1] == ['clusterc_validation_verdict{cluster="%s",verdict="%s"}' % (report["cluster"], verdict)], said
samples = [line for line in open(f"{folder}/{name}.prom", encoding="utf-8") if line.startswith("clusterc_validation_figure{")]
assert len(samples) == sum(v["value"] is not None for v in verdicts), len(samples)
