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
assert kinds.count(["Failure"]) == count["fail"] + count["degraded"] + unmet, kinds
assert kinds.count(["Error"]) == count["error"] + (report["interrupted"] or bool(report["error"])), kinds
assert kinds.count(["Skipped"]) == count["skipped"] + count["unjudged"], kinds
for suite in suites:
    results = [type(r).__name__ for case in suite for r in case.result]
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (len(list(suite)), results.count("Failure"), results.count("Error"), results.count("Skipped")), suite.name

with open(f"{folder}/{name}.html", "rb") as page:
    document = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)
assert not document.findall(".//script") and not document.findall(".//link") and not document.findall(".//img"), "the certificate is not self-contained"
text = " ".join("".join(document.itertext()).split())
assert ("Certificate of acceptance" in text) == report["passed"] and ("NOT PASSED" in text) == (not report["passed"]), text[:200]
for of in ("spec_sha256", "bundle_sha256"):
    assert report[of] in text, of
assert len(set(re.findall(r"\b[0-9a-f]{64}\b", text))) >= 6, "hashes"

samples = [line for line in open(f"{folder}/{name}.prom", encoding="utf-8") if line.startswith("clusterc_validation_figure{")]
assert len(samples) == sum(v["value"] is not None for v in verdicts), len(samples)
