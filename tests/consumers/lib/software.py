#!/usr/bin/env python3
"""A spec with one more wish: usage: software.py SPEC KEY VALUE [replace] > SPEC2

`software.KEY: VALUE` is added where the spec does not say KEY; with `replace` also in the place of what it says (on one line).
"""
import re
import sys

path, key, value = sys.argv[1:4]
with open(path, encoding="utf-8") as file:
    text = file.read()
said = re.compile(rf"^  {key}: .*\n|(?<=[{{,] ){key}: (?:\[[^]]*\]|[^,}}]*),? ?", re.M)
if sys.argv[4:] == ["replace"]:
    text = said.sub("", text)
if not said.search(text):
    new, done = re.subn(r"^software:( *\{)?", lambda m: f"software: {{ {key}: {value}," if m[1] else f"software:\n  {key}: {value}", text, count=1, flags=re.M)
    text = new if done else text + f"\nsoftware: {{ {key}: {value} }}\n"
sys.stdout.write(text)
