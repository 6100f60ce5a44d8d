#!/usr/bin/env python3
"""Hostile values: whatever text a spec carries in one place, it is refused with a finding, or stands inert in every compiled file.

usage: hostile_values.py PROGRAM SOURCE WORK [--count N] [--seed S] [--spec FILE…]      N: places, drawn from all; 0: every one

Every scalar and every name of the golden and consumer specs is a place. There a harmless word is put, and the tree that comes of it is read by parsers of
this program's own (YAML, JSON, TOML, INI, shell, fields of lines). Then a hostile text takes the word's place: the tree must parse into the same structure, with
nothing changed but the texts that held the word. Where the harmless word is refused, so must the hostile one be, or it must leave the tree as it was.
No compiled file ever holds the value of a secret that the spec refers to.

tests/unit/compile/hostile_test.cc tries fields that were chosen, many more texts in each, and asks for the very value; this goes wherever a spec has a word.
"""
import argparse
import collections
import glob
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tomllib

import yaml

WORD = "zqword"
HOSTILE = {
    "newline": "a\nInjected=1\ninjected: 1\n[injected]\n",
    "carriage return": "a\rInjected=1\r\n",
    "quotes": "a' \" ` \\' \\\" b",
    "double quote": 'a" Injected="1',
    "single quote": "a'; injected; '",
    "command": "$(touch injected)`touch injected`${IFS}x",
    "shell operators": "a; injected | injected & injected > injected",
    "template": "{{ lookup('pipe', 'id') }}{% for i in x %}{# c #}",
    "yaml": "a: b, [c, {d: e}] # f & *g !h | > - ? %",
    "yaml begin": "- a",
    "yaml document": "---\n- a\n...\n",
    "ini": "a]\n[injected]\nk=v ; # c",
    "comment": "a # b ; c // d",
    "backslash at the end": "a\\",
    "blanks": " a  b\t",
    "percent": "%h %n %% %(x)s ${x} $x",
    "equals and comma": "a=b,c=d:e",
    "null": "a\u0000b",
    "escape": "a\u001b[31mb\u0007",
    "bidirectional": "a\u202egnp.exe\u2066b",
    "zero width": "a\u200bb\ufeff",
    "line separators": "a\u2028b\u2029c\u0085d",
    "homoglyph": "\u0430dmin",          # Cyrillic a
    "combining": "a\u0301\u0327",
    "surrogate half": "\\ud800",         # written as an escape of the spec's own
    "64 KiB": "x" * 65536,
    "path": "../../../../tmp/injected",
    "absolute path": "/tmp/injected",
    "option": "--injected -x",
    "brackets": "n[1-1000000000]",
    "angle": "<script>alert(1)</script>&amp;",
    "zone": "a ( b ) $INCLUDE /etc/passwd ; c",
    "nft": 'a" accept comment "b',
    "empty": "",
}


class Bad(Exception):
    pass


class YamlLoader(yaml.SafeLoader):
    pass


class Unsafe(str):
    """Text that Ansible takes as it is."""


YamlLoader.add_constructor("!unsafe", lambda loader, node: Unsafe(loader.construct_scalar(node)))
YamlLoader.add_constructor(None, lambda loader, node: (node.tag, loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else repr(node.value)[:200]))


class Quoted(str):
    """What flat() says of an Unsafe."""


def flat(value, path=""):
    """[(path, text)]: what a document says."""
    if isinstance(value, dict):
        return [x for k, v in value.items() for x in [(path, f"key {k}")] + flat(v, f"{path}/{k}")]
    if isinstance(value, list):
        return [x for v in value for x in flat(v, path + "/-")]
    return [(path, Quoted(f"str {value}") if isinstance(value, Unsafe) else f"{type(value).__name__} {value}")]


def shell(text):
    """The words of a script as a shell splits them; a here-document counts by its lines."""
    out, here = [], None
    lines, i = text.split("\n"), 0
    code = []
    while i < len(lines):
        line = lines[i]
        if here is not None:
            if line.strip("\t") == here:
                here = None
            else:
                out.append(("here", line))
        else:
            found = re.search(r"<<-?\s*(['\"]?)([A-Za-z_]+)\1", line) if "<<<" not in line else None
            if found:
                here = found[2]
            code.append(line)
        i += 1
    reader = shlex.shlex("\n".join(code), posix=True, punctuation_chars=True)
    reader.whitespace_split = False
    reader.wordchars += "$%+@:,!^[]{}\\="
    try:
        out += [("word", w) for w in reader]
    except ValueError as problem:
        raise Bad(f"a shell cannot read it: {problem}") from problem
    return out


def fields(line, kind):
    """A line of a file that is read line by line, split as its reader does."""
    if re.match(r"\s*(#|;|//)", line):
        return ["comment", line]
    if kind == "slurm":                       # blanks outside of quotes part the settings, '#' ends them
        return re.findall(r'(?:[^\s"#]|"[^"]*")+', re.sub(r"(?<!\\)#.*", "", line))
    if kind == "dnsmasq":
        return re.split(r"[,=]", re.sub(r"\s#.*", "", line))
    if kind == "zone":
        line = re.sub(r"(SOA .*\( )[0-9]+ ", r"\1SERIAL ", line)     # of the zone's own digest
        try:
            return shlex.split(re.sub(r";.*", "", line), posix=False)
        except ValueError as problem:
            raise Bad(f"a zone cannot hold the line {line[:80]!r}") from problem
    if kind == "ini":
        return re.split(r"=", line, maxsplit=1)
    if kind == "quoted":                      # nft, nginx, exports: words, and strings between quotes
        return re.findall(r'"(?:[^"\\]|\\.)*"|[{};]|[^\s"{};]+', line)
    return line.split()


def kind_of(path):
    name = os.path.basename(path)
    top = path.split("/")[0]
    if name.endswith((".yaml", ".yml")) or name.endswith("user-data") or name in ("meta-data", "network-config"):
        return "yaml"
    if name.endswith(".json"):
        return "json"
    if name.endswith(".toml"):
        return "toml"
    if name.endswith(".sh"):
        return "shell"
    if top == "slurm":
        return "slurm"
    if top == "dnsmasq":
        return "dnsmasq"
    if name.startswith("db."):
        return "zone"
    if name.endswith((".network", ".netdev", ".link", ".nmconnection", ".service", ".cfg", ".ini")) and top not in ("preseed",):
        return "ini"
    if name.endswith(".nft") or top in ("nginx", "nfs", "opensm"):
        return "quoted"
    return "lines"


def structure(path, text, lines=False):
    """What the reader of this file sees: a list of items, each with its texts."""
    for c in text:
        if (ord(c) < 32 and c not in "\n\t") or ord(c) in (0x7f, 0x85, 0x2028, 0x2029, 0xfeff) or 0x202a <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069:
            raise Bad(f"the sign U+{ord(c):04X} stands in it")
    kind = kind_of(path)
    try:
        if kind == "yaml":
            return [x for d in yaml.load_all(text, YamlLoader) for x in flat(d)]
        if kind == "json":
            return flat(json.loads(text))
        if kind == "toml":
            return flat(tomllib.loads(text))
    except (yaml.YAMLError, ValueError) as problem:
        raise Bad(f"is no {kind}: {str(problem)[:200]}") from problem
    if kind == "shell":
        return shell(text)
    if lines:
        text = re.sub(r"(SOA .*\( )[0-9]+ ", r"\1SERIAL ", text)
    return [("line", line) if lines else ("line", *fields(line, kind)) for line in text.split("\n")]


def read_tree(folder):
    out = {}
    for at, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(at, name)
            if os.path.islink(path) and (os.path.isabs(os.readlink(path)) or not os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)):
                raise Bad(f"{path} is a link out of the tree")
            with open(path, "rb") as f:
                raw = f.read()
            try:
                out[os.path.relpath(path, folder)] = raw.decode()
            except UnicodeDecodeError as problem:
                raise Bad(f"{os.path.relpath(path, folder)} is no UTF-8: {problem}") from problem
    out.pop("manifest.json", None)            # digests of the rest
    return out


def told(item):
    return [str(x) for x in item]


def letters(text):
    return re.sub(r"[^0-9A-Za-z]", "", text)


def compare(plain, before, hostile, lines, value, told_less=False):
    """Raises Bad where a file of `hostile` says anything else than that of `plain`, but for texts that hold the word. A value may turn an output on or off:
    no file is wanted that is not there, and one that is as it was before the word came is as good. `lines`: where a line is the user's own, it is one line.
    `value`: what stands in the word's place; of a document none of its letters may be lost (to a comment, to what a quote ends). `told_less`: a warning said that something is
    left out."""
    for other, text in hostile.items():
        structure(other, text)
        if text in (plain.get(other), before.get(other)):
            continue
        path = other
        if other not in plain:                # names of files may hold the word
            if ".." in other.split("/"):
                raise Bad(f"the name {other}")
            found = [p for p in plain if re.fullmatch(re.escape(p).replace(WORD, r"[^/\n]*"), other)]
            if len(found) != 1:
                raise Bad(f"{other} is a file of neither")
            path = found[0]
        a, b = structure(path, plain[path], lines), structure(other, text, lines)
        if len(a) != len(b) and not (told_less and len(b) < len(a)):
            raise Bad(f"{other}: {len(b)} items for {len(a)}")
        fixed = collections.Counter(tuple(told(x)) for x in a if WORD not in "".join(told(x)).lower())
        rest = []
        for x in b:
            key = tuple(told(x))
            if fixed[key]:
                fixed[key] -= 1
            else:
                rest.append(x)
        gone = [k for k, n in fixed.items() if n]
        if gone and not told_less:
            raise Bad(f"{other}: lost {gone[0]!r:.160}, has {told(rest[0]) if rest else ''!r:.160}")
        shapes = collections.Counter(shape(x) for x in a if WORD in "".join(told(x)).lower())
        for x in rest:
            found = next((s for s in shapes if shapes[s] and fits(s, x)), None)
            if found and kind_of(other) in ("yaml", "json", "toml") and letters(value)[:1000] not in letters("".join(told(x))):
                raise Bad(f"{other}: of {value[:60]!r} {told(x)!r:.300} is left")
            if found is None:
                raise Bad(f"{other}: {told(x)!r:.300} fits none of {[s for s in shapes if shapes[s]][:2]!r:.300}")
            shapes[found] -= 1


def shape(item):
    return tuple(told(item))


def fits(pattern, item):
    """Is it the same item with other text in the word's place? What an Ansible file holds must not be a template that the plain one was not."""
    texts = told(item)
    if len(pattern) != len(texts):
        return pattern[:2] == ("line", "comment") and texts[:2] == ["line", "comment"]
    for want, has in zip(pattern, texts):
        if WORD not in want.lower():
            if want != has:
                return False
            continue
        if not re.fullmatch(re.sub(WORD, lambda _: r"(?s:.*)", re.escape(want), flags=re.I), has):
            return False
    return True


def templates(tree):
    """Texts that Ansible or Jinja would work out: not those marked as unsafe."""
    out = collections.Counter()
    for path, text in tree.items():
        if not path.startswith("ansible/") or kind_of(path) != "yaml" or "/tasks/" in path or "/templates/" in path:
            continue
        for where, value in structure(path, text):
            if not isinstance(value, Quoted) and value.startswith("str") and re.search(r"\{\{|\{%|\{#", value):
                out[path, where] += 1
    return out


def places(text):
    """(begin, end, text, stands below `extra`) of every scalar that stands on one line, values and keys."""
    out = []

    def walk(node, own):
        if isinstance(node, yaml.ScalarNode):
            if node.style not in ("|", ">") and node.start_mark.line == node.end_mark.line and node.end_mark.index > node.start_mark.index:
                out.append((node.start_mark.index, node.end_mark.index, node.value, own))
        elif isinstance(node, yaml.SequenceNode):
            for child in node.value:
                walk(child, own)
        elif isinstance(node, yaml.MappingNode):
            for key, child in node.value:
                walk(key, own)
                walk(child, own or key.value == "extra")
    walk(yaml.compose(text, yaml.SafeLoader), False)
    return out


def quoted(text):
    if text == "\\ud800":
        return '"\\ud800"'
    return '"' + "".join({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(c, c if 32 <= ord(c) < 127 else f"\\u{ord(c):04x}") for c in text) + '"'


class Trial:
    def __init__(self, program, work, spec):
        self.program, self.folder = program, os.path.join(work, "spec")
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(os.path.dirname(spec), self.folder, ignore=shutil.ignore_patterns("out", "*.expected"))
        self.spec, self.out = os.path.join(self.folder, os.path.basename(spec)), os.path.join(work, "tree")
        with open(spec, encoding="utf-8") as f:
            self.text = f.read()
        self.warnings = 0
        self.environment = dict(os.environ, PLANTED="planted-secret-of-the-environment")

    def compiled(self, text):
        """The tree, or None where the spec is refused."""
        with open(self.spec, "w", encoding="utf-8") as f:
            f.write(text)
        shutil.rmtree(self.out, ignore_errors=True)
        try:
            run = subprocess.run([self.program, "compile", self.spec, "-o", self.out], capture_output=True, timeout=60, env=self.environment, check=False)
        except subprocess.TimeoutExpired as problem:
            raise Bad("the program did not end in a minute") from problem
        self.warnings = run.stderr.count(b": warning: ")
        if run.returncode not in (0, 1, 2):
            raise Bad(f"the program ended with {run.returncode}: {run.stderr[-300:]!r}")
        if os.path.exists(self.out):
            tree = read_tree(self.out)
            for path, held in tree.items():
                if "planted-secret" in held:
                    raise Bad(f"{path} holds the value of a secret")
            return tree
        if run.returncode == 0:
            raise Bad("nothing was written, and the program says that all is well")
        if b"error" not in run.stderr:
            raise Bad(f"refused without an error: {run.stderr[-200:]!r}")
        return None


# What a compiler that quotes nothing would write: each of these has to be seen.
TWINS = [("a.yaml", 'k: "zqword"\n', "quotes double_quote"), ("b/user-data", "k: zqword\n", "newline yaml comment yaml_begin yaml_document"), ("c.json", '{"k": "zqword"}', "newline quotes double_quote null"),
         ("d.toml", 'k = "zqword"\n', "newline quotes double_quote"), ("e.sh", 'echo "zqword"\n', "quotes double_quote"), ("f.sh", "echo zqword\n", "newline shell_operators blanks"),
         ("slurm/slurm.conf", "A=zqword B=1\n", "newline blanks comment option"), ("dns/db.x", 'a TXT "zqword"\n', "newline quotes zone"), ("g.service", "[A]\nk=zqword\n", "newline ini"),
         ("nftables/h.nft", 'ip saddr 10.0.0.1 comment "zqword"\n', "newline nft double_quote"), ("i.conf", "k zqword\n", "newline blanks carriage_return bidirectional zero_width line_separators escape")]


def self_test():
    bad = 0
    for path, text, names in TWINS:
        plain = {path: text}
        try:
            compare(plain, {}, {path: text.replace(WORD, "harmless")}, False, "harmless")
        except Bad as problem:
            bad += 1
            print(f"FAILED: {path}: a harmless text: {problem}")
        for name in names.split():
            try:
                compare(plain, {}, {path: text.replace(WORD, HOSTILE[name.replace("_", " ")])}, False, HOSTILE[name.replace("_", " ")])
            except Bad:
                continue
            bad += 1
            print(f"FAILED: {path}: '{name}' was not seen")
    for what, tree in (("another file", {"x.conf": "k a\n", "y.conf": "k\n"}), ("a changed line", {"x.conf": "j a\n"}), ("a path out of the tree", {"../x.conf": "k a\n"})):
        try:
            compare({"x.conf": "k zqword\n"}, {}, tree, False, "a")
        except Bad:
            continue
        bad += 1
        print(f"FAILED: {what} was not seen")
    if not templates({"ansible/a.yaml": "k: '{{ x }}'\n"}) or templates({"ansible/a.yaml": "k: !unsafe '{{ x }}'\n"}):
        bad += 1
        print("FAILED: templates")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("work")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spec", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    if self_test():
        return 1
    specs = options.spec or sorted(glob.glob(os.path.join(options.source, "tests/golden/compile/*/spec.yaml")) + glob.glob(os.path.join(options.source, "tests/consumers/specs/*.yaml")))
    chance = random.Random(options.seed)
    every = []
    for spec in specs:
        with open(spec, encoding="utf-8") as f:
            text = f.read()
        every += [(spec, place, whole) for place in places(text) for whole in (True, False)]
    chosen = sorted(every if options.count == 0 else chance.sample(every, min(options.count, len(every))))
    seen, failed = collections.Counter(), 0
    trial, before, of_spec = None, None, None
    for spec, (begin, end, value, own), whole in chosen:
        if of_spec != spec:
            trial, of_spec = Trial(options.program, options.work, spec), spec
            before = trial.compiled(trial.text)
        put = lambda new: trial.text[:begin] + quoted(new) + trial.text[end:]
        plain, name, warnings = None, "the word", 0
        try:
            plain = trial.compiled(put(WORD if whole else value + WORD))
            if plain is None and whole and value.startswith("/"):   # a place of absolute paths
                plain = trial.compiled(put("/" + WORD))
            warnings = trial.warnings
        except Bad as problem:
            failed += 1
            print(f"FAILED: {os.path.relpath(spec, options.source)}: '{value[:40]}' {name}: {problem}")
        seen["places that take any word" if plain is not None else "places that take certain words only"] += 1
        for name in HOSTILE if plain is not None else chance.sample(list(HOSTILE), 3):
            try:
                hostile = trial.compiled(put(HOSTILE[name] if whole else value + HOSTILE[name]))
                if hostile is None:
                    seen["refused"] += 1
                    continue
                # As if it were not there, or another operating system: it says something else by right, and every file can still be read.
                reference, old = plain if plain is not None else before, before or {}
                if (name == "empty" and whole) or re.search(r"\bos:\s*[\"']?$", trial.text[:begin]):
                    for path, text in hostile.items():
                        structure(path, text)
                    continue
                # With another scratch, Enroot takes the next one whose path enroot.conf can hold: so do the files that name it.
                if "enroot" in trial.text and reference and re.search(r"kind: local,[^{}]*mount:\s*[\"']?$", trial.text[:begin]):
                    names_enroot = {path for files in (reference, hostile) for path, text in files.items() if "enroot" in text}
                    for path in names_enroot & hostile.keys():
                        structure(path, hostile[path])
                    reference, old, hostile = ({path: text for path, text in files.items() if path not in names_enroot} for files in (reference, old, hostile))
                if reference is None:
                    raise Bad("taken where neither the word nor the text before is")
                compare(reference, old, hostile, own, HOSTILE[name], trial.warnings > warnings)
                more = templates(hostile) - templates(reference)
                if more:
                    raise Bad(f"a template in {next(iter(more))}")
                seen["inert"] += 1
            except Bad as problem:
                failed += 1
                line = trial.text.count("\n", 0, begin) + 1
                print(f"FAILED: {os.path.relpath(spec, options.source)}:{line}: '{value[:40]}' {'is' if whole else 'with'} {name}: {problem}")
    # Every password by reference, to what is planted where the program could read it.
    for spec in specs:
        with open(spec, encoding="utf-8") as f:
            text = f.read()
        if not re.search(r"password: *\{", text):
            continue
        trial = Trial(options.program, options.work, spec)
        file = os.path.join(trial.folder, "secret")
        with open(file, "w", encoding="utf-8") as f:
            f.write("planted-secret-of-the-file\n")
        # A server that fences reads the password from a file: Pacemaker runs without the administrator's environment.
        only_files = bool(re.search(r"fence: *\{", text))
        for reference in ("{ env: PLANTED }", "{ file: " + file + " }", '{ vault: "secret/data/x#y" }'):
            if only_files and "file:" not in reference:
                continue
            try:
                if trial.compiled(re.sub(r"password: *\{[^}]*\}", lambda _: "password: " + reference, text)) is None:
                    raise Bad("is refused")
                seen["secrets that stay where they are"] += 1
            except Bad as problem:
                failed += 1
                print(f"FAILED: {os.path.relpath(spec, options.source)}: {reference}: {problem}")
    print(f"{len(chosen):,} of {len(every):,} places in {len(specs)} specs: " + ", ".join(f"{v:,} {k}" for k, v in sorted(seen.items())) + f", {failed} not inert")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
