#!/usr/bin/env python3
"""The JSON Schema of specs in yaml-language-server, asked over its protocol: usage: yaml_language_server.py SERVER SCHEMA EXAMPLES-DIR"""
import os
import sys

from lsp_client import Client

server, schema, examples = sys.argv[1:4]
SCHEMA = "file://" + os.path.abspath(schema)
SETTINGS = {"yaml": {"schemas": {SCHEMA: "*.yaml"}, "validate": True, "hover": True, "completion": True, "schemaStore": {"enable": False}, "schemaDownload": {"enable": False}}}
seen = 0


def say(text):
    global seen
    seen += 1
    print("ok: " + text)


def check(condition, text, what=""):
    if not condition:
        sys.exit(f"FAILED: {text} {what}")
    say(text)


client = Client([server, "--stdio"], SETTINGS)
client.result("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {
    "workspace": {"configuration": True}, "textDocument": {"hover": {"contentFormat": ["markdown"]}, "completion": {"completionItem": {"documentationFormat": ["markdown"]}}}}})
client.notify("initialized", {})
client.notify("workspace/didChangeConfiguration", {"settings": SETTINGS})
opened = 0


def open_text(text):
    global opened
    opened += 1
    uri = f"file:///dev/null/spec{opened}.yaml"
    client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
    return uri


def at(uri, text, what, behind=0):
    index = text.index(what) + behind
    before = text[:index]
    return {"textDocument": {"uri": uri}, "position": {"line": before.count("\n"), "character": index - (before.rfind("\n") + 1)}}


# no example has an error by the schema
for name in sorted(os.listdir(examples)):
    if name.endswith(".yaml") and name != "broken.yaml":
        with open(os.path.join(examples, name), encoding="utf-8") as file:
            found = client.findings(open_text(file.read()))
        check(found == [], f"examples/{name} has no error by the schema", [d["message"] for d in found])

# errors: a key that does not exist, a quantity without its unit, a word that is none of those, a number over the most
for text, line, words in (
        ("clusterc: 1\nname: x\nsite: { regoin: na }\nnodes: {}\n", 2, "regoin"),
        ("clusterc: 1\nname: x\nsite:\n  altitude: 120\nnodes: {}\n", 3, ""),
        ("clusterc: 1\nname: x\nsite:\n  region: europe\nnodes: {}\n", 3, ""),
        ("clusterc: 2\nname: x\nsite: cloud\nnodes: {}\n", 0, ""),
        ("clusterc: 1\nname: x\nsite: cloud\n", 0, "nodes")):
    found = client.findings(open_text(text))
    check(any(d["range"]["start"]["line"] == line and words in d["message"] for d in found), f"an error on line {line + 1} of {text.splitlines()[min(line, 2)].strip()!r}", found)

text = "clusterc: 1\nname: x\nsite:\n  region: na\n  altitude: 120 m\n  \nnodes: {}\n"
uri = open_text(text)
client.findings(uri)
hover = client.result("textDocument/hover", at(uri, text, "altitude", 2))
check("height above sea level" in str(hover), "hover says what a key means", hover)
items = client.result("textDocument/completion", at(uri, text, "  \nnodes", 2))
labels = {item["label"] for item in (items["items"] if isinstance(items, dict) else items)}
check({"supply", "feeds", "cooling"} <= labels and "altitude" not in labels, "completion of keys, without those that are there", sorted(labels))
items = client.result("textDocument/completion", at(uri, text, "na\n", 2))
labels = {item["label"] for item in (items["items"] if isinstance(items, dict) else items)}
check({"na", "iec"} <= labels, "completion of the words of a key", sorted(labels))
check(client.end() == 0, "shutdown and exit")
print(f"{seen} passed")
