#!/usr/bin/env python3
"""Types into an interactive shell on a terminal of its own, presses Tab, and reads the line that comes of it.

usage: completion.py SHELL SCRIPT FOLDER      SHELL: bash or zsh; FOLDER: where it is done, with the files that the cases name
"""
import os
import pty
import re
import select
import sys
import time

CASES = [  # typed before Tab, the line afterwards
    ("clusterc valid", "clusterc validate"),
    ("clusterc check --base", "clusterc check --baseline"),
    ("clusterc check --format sar", "clusterc check --format sarif"),
    ("clusterc check --format=gith", "clusterc check --format=github"),
    ("clusterc explain power-rack-ov", "clusterc explain power-rack-over-budget"),
    ("clusterc completion fi", "clusterc completion fish"),
    ("clusterc catalog nvidia-dgx-h1", "clusterc catalog nvidia-dgx-h100"),
    ("clusterc check examples", "clusterc check examplespec.yaml"),          # examplespec.txt lies beside it
    ("clusterc check --baseline exampleb", "clusterc check --baseline examplebase.txt"),
    ("clusterc compile -o examplef", "clusterc compile -o examplefolder"),   # zsh takes the slash away again at the next key
]
STARTS = {"bash": (["bash", "--norc", "--noprofile", "-i"], "source '{script}'; PS1='> '; bind 'set bell-style none' 2>/dev/null"),
          "zsh": (["zsh", "-f", "-i"], "PS1='> '; autoload -Uz compinit; compinit -u -D; source '{script}'; unsetopt beep; setopt no_list_beep")}


class Terminal:
    def __init__(self, arguments, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", HOME=folder, HISTFILE="/dev/null", INPUTRC="/dev/null", LC_ALL="C.UTF-8", COLUMNS="200")
            os.execvp(arguments[0], arguments)
        self.seen = ""

    def send(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, pattern, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, self.seen):
                return True
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    break
        return bool(re.search(pattern, self.seen))


def main():
    shell, script, folder = sys.argv[1:]
    arguments, start = STARTS[shell]
    terminal = Terminal(arguments, folder)
    terminal.send(start.format(script=script) + "; echo re''ady\n")
    if not terminal.read_until(r"\nready", 20):
        sys.exit(f"{shell} does not start:\n{terminal.seen}")
    wrong = 0
    for number, (typed, wanted) in enumerate(CASES):
        # Tab, to the front of the line, an echo around it: what the shell then prints is the line as it stands.
        for delay in (0.4, 1.5, 4):      # a busy machine needs longer
            terminal.seen = ""
            terminal.send(typed + "\t")
            terminal.read_until(re.escape(wanted), delay)
            terminal.send(f"\x01echo 'line''{number}:'\x05\n")
            if not terminal.read_until(rf"\nline{number}:.*\n", 10):
                sys.exit(f"{shell} has hung:\n{terminal.seen}")
            got = re.search(rf"\nline{number}:\s*(.*?)\s*\n", terminal.seen).group(1)
            if got.rstrip("/") == wanted:
                break
        else:
            wrong += 1
            print(f"{shell}: '{typed}' and Tab gave '{got}', expected '{wanted}'")
    terminal.send("exit\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
