#!/usr/bin/env python3
"""The language server as a process: a typing session over stdio, and what an editor can do wrong. usage: lsp_session.py CLUSTERC EXAMPLES WORK"""
import os
import stat
import subprocess
import sys
import time

from lsp_client import Client

program, examples, work = sys.argv[1:4]
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": os.path.join(work, "cache")}


def check(condition, text, what=""):
    if not condition:
        sys.exit(f"FAILED: {text}: {what}")
    print("ok: " + text)


def start():
    client = Client([program, "lsp", "--stdio"], environment=ENVIRONMENT)
    client.result("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {"textDocument": {"codeAction": {"codeActionLiteralSupport": {}}}}})
    client.notify("initialized", {})
    return client


def open_text(client, uri, text):
    client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}})


def place(uri, text, what, behind=0):
    before = text[:text.index(what) + behind]
    return {"textDocument": {"uri": uri}, "position": {"line": before.count("\n"), "character": len(before) - (before.rfind("\n") + 1)}}


def resident_mb(client):
    with open(f"/proc/{client.server.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1000


# a spec typed letter by letter: it ends without an error, as check says of the file
with open(os.path.join(examples, "four-virtual.yaml"), encoding="utf-8") as file:
    whole = file.read()
checked = subprocess.run([program, "check", os.path.join(examples, "four-virtual.yaml"), "--format", "json"], capture_output=True, text=True, check=False).stdout
client = start()
uri = "file://" + os.path.join(work, "typed.yaml")
open_text(client, uri, "")
version, line, column = 1, 0, 0
for letter in whole:
    version += 1
    here = {"line": line, "character": column}
    client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": {"start": here, "end": here}, "text": letter}]})
    if letter == "\n":
        line, column = line + 1, 0
    else:
        column += 2 if ord(letter) > 0xffff else 1
    if version % 40 == 0:
        client.result("textDocument/completion", {"textDocument": {"uri": uri}, "position": {"line": line, "character": column}})
typed = client.findings(uri, version, 60)
check(len(typed) == checked.count('"severity"'), f"{version - 1} keystrokes: at the end the findings of check", f"{len(typed)} findings, check has {checked.count(chr(34) + 'severity' + chr(34))}")
outline = client.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
open_text(client, uri + "2", whole)
check(outline and [s["name"] for s in outline] == [s["name"] for s in client.result("textDocument/documentSymbol", {"textDocument": {"uri": uri + "2"}})], "and the outline of the file")

# the catalogue part as a file
with open(os.path.join(examples, "superpod.yaml"), encoding="utf-8") as file:
    pod = file.read()
uri = "file://" + os.path.join(work, "pod.yaml")
open_text(client, uri, pod)
target = client.result("textDocument/definition", place(uri, pod, "nvidia-dgx-h100", 3))
path = target["uri"][len("file://"):]
with open(path, encoding="utf-8") as file:
    kept = file.read()
text = subprocess.run([program, "catalog", "nvidia-dgx-h100"], capture_output=True, text=True, check=True).stdout
check(kept == text and path.startswith(work) and not os.stat(path).st_mode & stat.S_IWUSR, "a part is a read-only file with the text of the catalogue")
with open(path, "rb"):
    os.chmod(path, 0o644)
with open(path, "w", encoding="utf-8") as file:
    file.write("changed by somebody")
client.result("textDocument/definition", place(uri, pod, "nvidia-dgx-h100", 3))
with open(path, encoding="utf-8") as file:
    check(file.read() == text, "and is put right when somebody has changed it")

# wrong input, and on
client.findings(uri, 1)
client.raw(b"Content-Length: 9000000\r\n\r\n" + b" " * 9000000)
message = client.receive()
while "error" not in message:
    message = client.receive()
check(message["error"]["code"] == -32600 and message["id"] is None, "a message over the limit is refused", message)
client.raw(b"Content-Length: 5\r\n\r\n{\"a\":")
message = client.receive()
while "error" not in message:
    message = client.receive()
check(message["error"]["code"] == -32700, "bad JSON is refused", message)
check("error" in client.request("no/such", {}), "an unknown method is refused")
client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": pod.replace("altitude", "altitud")}]})
check(any(d["code"] == "spec-unknown-key" for d in client.findings(uri, 2)), "and the conversation goes on")

# no growth
before, version = None, 2
for i in range(400):
    version += 1
    client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": pod + f"# {i}\n"}]})
    client.findings(uri, version)
    if i == 100:
        before = resident_mb(client)
check(resident_mb(client) < before + 8, "300 more states of a document take no more memory", f"{before} MB, then {resident_mb(client)} MB")
check(client.end() == 0, "shutdown and exit: status 0")

# other ends
client = start()
client.server.stdin.close()
check(client.server.wait(10) == 1, "an editor that is gone: status 1")
client = start()
big = "clusterc: 1\nname: x\nsite: cloud\nnodes:\n" + "".join(f'  g{i}: {{ names: "n{i}x[1-4]", instance: aws-p5-48xlarge }}\n' for i in range(15000))
uri = "file://" + os.path.join(work, "big.yaml")
open_text(client, uri, big)
client.result("textDocument/hover", place(uri, big, "site"))
begun = time.monotonic()
client.result("textDocument/hover", place(uri, big, "g14999"))
check(time.monotonic() - begun < 2, "a hover while 15,000 groups are analysed")
begun = time.monotonic()
check(client.end() == 0 and time.monotonic() - begun < 2, "an end while they are analysed")
run = subprocess.run([program, "lsp"], input=b"nonsense\r\n\r\n", capture_output=True, check=False)
check(run.returncode == 1, "a stream that is no protocol: status 1")
