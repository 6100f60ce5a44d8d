#!/usr/bin/env python3
"""What `plan` prints on a terminal, against what it prints into a pipe: no line is wider than the terminal unless it is one word, all words are there in their order, and
colours are there only where they are wanted.

usage: terminal.py PROGRAM SOURCE WORK
"""
import fcntl
import os
import re
import struct
import subprocess
import sys
import termios

ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def on_terminal(command, columns, **environment):
    """Standard output of the command on a terminal of that many columns; standard error goes nowhere."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    with open(os.devnull, "w", encoding="ascii") as nowhere:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=nowhere, env=kept | {"TERM": "xterm"} | environment)
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the last program has closed its end
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    child.wait()
    return text.decode().replace("\r\n", "\n")


def words(text):
    return text.split()


def main():
    program, source, work = sys.argv[1:4]
    os.makedirs(work, exist_ok=True)
    wrong = []
    over = os.path.join(work, "over.yaml")
    with open(f"{source}/examples/lab.yaml", encoding="utf-8") as lab, open(over, "w", encoding="utf-8") as out:
        text = lab.read()
        assert "heat: 14 kW" in text
        out.write(text.replace("heat: 14 kW", "heat: 9 kW"))
    commands = {f"plan of {name}": [program, "plan", f"{source}/examples/{name}.yaml"] for name in ("lab", "superpod", "campus", "nvl72")}
    commands["plan of too much heat"] = [program, "plan", over]
    commands["a component lost"] = [program, "plan", f"{source}/examples/superpod.yaml", "--what-if", "feed:A"]
    commands["a quiet plan"] = [program, "plan", over, "--quiet"]
    for what, command in commands.items():
        plain = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        if not plain or "\x1b" in plain:
            wrong.append(f"{what}: nothing, or colours, in a pipe")
        for columns in (80, 120, 200):
            shown = on_terminal(command, columns)
            bare = ESCAPE.sub("", shown)
            if words(bare) != words(plain):
                wrong.append(f"{what}, {columns} columns: other words than in a pipe")
            wide = [line for line in bare.split("\n") if len(line) > columns and len(words(line)) > 1]
            if wide:
                wrong.append(f"{what}, {columns} columns: {len(wide)} lines are wider: {wide[0]!r}")
            if "BUILDABLE" in bare and not ESCAPE.search(shown):
                wrong.append(f"{what}: a verdict without colour on a terminal")
        for never, environment in ((command + ["--color", "never"], {}), (command, {"NO_COLOR": "1"}), (command, {"TERM": "dumb"})):
            if ESCAPE.search(on_terminal(never, 80, **environment)):
                wrong.append(f"{what}: colours in spite of {environment or '--color never'}")
    marked = on_terminal(commands["plan of too much heat"], 100)
    if marked.count("\x1b[1;31m! 13.39 kW\x1b[0m") != 2:  # of the zone, and among the margins
        wrong.append("the heat above the limit is not marked twice in red")
    quiet = subprocess.run([program, "check", over, "--quiet"], stdout=subprocess.PIPE, text=True, check=False)
    if quiet.returncode != 1 or "error:" not in quiet.stdout or "note:" in quiet.stdout or "warning:" in quiet.stdout:
        wrong.append(f"check --quiet: {quiet.returncode}, {quiet.stdout!r}")
    asked = on_terminal([program, "plan", f"{source}/examples/lab.yaml", "--format", "json"], 60)
    piped = subprocess.run([program, "plan", f"{source}/examples/lab.yaml", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    if asked != piped:
        wrong.append("JSON on a terminal is not that of a pipe")
    for line in wrong:
        print("wrong:", line)
    print(f"{len(commands)} reports at three widths: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
