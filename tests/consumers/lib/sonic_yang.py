#!/usr/bin/env python3
"""Judges config_db.json files of SONiC by SONiC's own YANG models.

    sonic_yang.py MODELS YANGLINT… -- FILE…      YANGLINT: the command that starts yanglint, in one or more words

A config_db.json has tables of rows, {"PORT": {"Ethernet0": {"mtu": "9216"}}}; the models have lists with keys. This translates
the one into the other (RFC 7951) and lets yanglint judge the result. What YANG never sees is judged here: tables and fields without
a model, values that are not texts, and two ports with one alias, one lane or one name. One line for each complaint; exit status 1 if there is one."""
import json
import os
import re
import subprocess
import sys
import tempfile


# ---- YANG ----------------------------------------------------------------------------------------------------------------

TOKEN = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|"((?:[^"\\]|\\.)*)"|\'([^\']*)\'|([;{}])|(\+)(?=\s)|([^\s;{}"\']+)', re.S)


class Statement:
    def __init__(self, keyword, argument, module):
        self.keyword, self.argument, self.module, self.children = keyword, argument, module, []

    def all(self, *keywords):
        return [c for c in self.children if c.keyword in keywords]

    def one(self, keyword):
        return next((c for c in self.children if c.keyword == keyword), None)

    def text(self, keyword):
        found = self.one(keyword)
        return found.argument if found else None


def tokens(text):
    place = 0
    while place < len(text):
        m = TOKEN.match(text, place)
        if not m:
            raise SystemExit(f"not YANG: {text[place:place + 40]!r}")
        place = m.end()
        double, single, mark, plus, word = m.groups()
        if double is not None:
            yield "text", double.replace('\\"', '"').replace("\\n", "\n")
        elif single is not None:
            yield "text", single
        elif mark:
            yield "mark", mark
        elif plus:
            yield "plus", "+"
        elif word:
            yield "word", word


def read_module(path):
    module = os.path.basename(path)[:-len(".yang")]
    top = Statement("", "", module)
    stack, words, joined = [top], [], False
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for kind, value in tokens(text):
        if kind == "plus":
            joined = True
        elif kind == "mark":
            if value == "}":
                stack.pop()
            else:
                s = Statement(words[0], words[1] if len(words) > 1 else "", module)
                stack[-1].children.append(s)
                if value == "{":
                    stack.append(s)
            words = []
        elif joined:
            words[-1] += value
            joined = False
        else:
            words.append(value)
    return top.children[0]


NUMBERS = {"int8", "int16", "int32", "uint8", "uint16", "uint32"}


class Models:
    def __init__(self, folder):
        self.files = sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(".yang"))
        self.modules = {m.argument: m for m in map(read_module, self.files)}
        self.tables = {}
        for module in self.modules.values():
            for container in module.all("container"):
                for table in self.nodes(container):
                    if table.keyword == "container":
                        self.tables.setdefault(table.argument, []).append((module.argument, container.argument, table))

    def module_of(self, prefix, here):
        module = self.modules[here]
        if module.text("prefix") == prefix:
            return here
        for i in module.all("import"):
            if i.text("prefix") == prefix:
                return i.argument
        return None

    def named(self, keyword, name, here):
        """The grouping or typedef of this name, as the module `here` says it; None where it is none of these models'."""
        if ":" in name:
            prefix, name = name.split(":")
            here = self.module_of(prefix, here)
        module = self.modules.get(here)
        return next((s for s in module.all(keyword) if s.argument == name), None) if module else None

    def nodes(self, statement):
        """The data nodes below a statement: those of groupings and choices among them."""
        out = []
        for c in statement.children:
            if c.keyword == "uses":
                grouping = self.named("grouping", c.argument, c.module)
                out += self.nodes(grouping) if grouping else []
            elif c.keyword in ("choice", "case"):
                out += self.nodes(c)
            elif c.keyword in ("leaf", "leaf-list", "list", "container"):
                out.append(c)
        return out

    def base(self, type_, depth=0):
        """The built-in types that a type can be, in order."""
        name = type_.argument
        if depth > 20:
            return ["string"]
        if name == "union":
            return [b for t in type_.all("type") for b in self.base(t, depth + 1)]
        if name == "leafref":
            target = self.target(type_.text("path"), type_.module)
            return self.base(target.one("type"), depth + 1) if target else ["string"]
        typedef = self.named("typedef", name, type_.module)
        if typedef:
            return self.base(typedef.one("type"), depth + 1)
        # Types of ietf-inet-types, which is yanglint's own: texts but for these.
        return [{"port-number": "uint16", "as-number": "uint32"}.get(name.split(":")[1], "string") if ":" in name else name]

    def target(self, path, here):
        steps = [s for s in path.split("/") if s]
        if not path.startswith("/"):
            return None
        prefix = steps[0].split(":")[0] if ":" in steps[0] else None
        module = self.modules.get(self.module_of(prefix, here) if prefix else here)
        at = module
        for step in steps:
            name = re.sub(r"\[.*", "", step.split(":")[-1])
            at = next((n for n in self.nodes(at) if n.argument == name), None) if at else None
        return at


# ---- rows to lists ---------------------------------------------------------------------------------------------------------

class Wrong(Exception):
    pass


def keys_of(list_):
    return (list_.text("key") or "").split()


class Translation:
    def __init__(self, models):
        self.models, self.complaints = models, []

    def value(self, leaf, value, where):
        if not isinstance(value, str):
            raise Wrong(f"{where}: {json.dumps(value)} is no text: config_db.json has texts and lists of texts")
        bases = self.models.base(leaf.one("type"))
        if "boolean" in bases and value in ("true", "false"):
            return value == "true"
        if re.fullmatch(r"-?(0|[1-9][0-9]*)", value) and any(b in NUMBERS for b in bases) and "string" not in bases[:bases.index(next(b for b in bases if b in NUMBERS))]:
            return int(value)
        return value

    def fields(self, nodes, fields, where):
        """A row's fields as members of the node that has these children."""
        leaves = {n.argument: n for n in nodes}
        out = {}
        for field, value in fields.items():
            node = leaves.get(field)
            if node is None:
                raise Wrong(f"{where}: no model has the field {field!r}")
            if node.keyword == "leaf-list":
                if not isinstance(value, list):
                    raise Wrong(f"{where}|{field}: not a list")
                out[field] = [self.value(node, v, f"{where}|{field}") for v in value]
            elif node.keyword == "leaf":
                out[field] = self.value(node, value, f"{where}|{field}")
            else:
                raise Wrong(f"{where}: {field!r} is a {node.keyword} in the model")
        return out

    def entry(self, lists, row, fields, where):
        """The list of the table that the row belongs to, and its entry there."""
        parts = row.split("|")
        fitting = [l for l in lists if len(keys_of(l)) == len(parts)]
        if not fitting:
            raise Wrong(f"{where}: no model has a key of {len(parts)} parts here")
        error = None
        for list_ in fitting:
            nodes = self.models.nodes(list_)
            leaves = {n.argument: n for n in nodes}
            try:
                entry = {k: self.value(leaves[k], v, where) for k, v in zip(keys_of(list_), parts)}
                inner = [n for n in nodes if n.keyword == "list"]
                if inner:   # a map: a row's fields are the entries of the list within
                    leaf_names = [n.argument for n in self.models.nodes(inner[0])]
                    key = keys_of(inner[0])[0]
                    other = next(n for n in leaf_names if n != key)
                    of = {n.argument: n for n in self.models.nodes(inner[0])}
                    entry[inner[0].argument] = [{key: self.value(of[key], f, where), other: self.value(of[other], v, where)} for f, v in fields.items()]
                else:
                    entry.update(self.fields(nodes, fields, where))
                return list_, entry
            except Wrong as e:
                error = error or e
        raise error

    def table(self, name, rows):
        """[(module, container, table, content)]: rows of one table can belong to two modules."""
        places = self.models.tables.get(name)
        if not places:
            raise Wrong(f"{name}: no model has this table")
        module, container, table = places[0]
        nodes = self.models.nodes(table)
        lists = [n for n in nodes if n.keyword == "list"]
        singles = {n.argument: n for n in nodes if n.keyword == "container"}
        content = {}
        for row, fields in rows.items():
            where = f"{name}|{row}"
            try:
                if not isinstance(fields, dict):
                    raise Wrong(f"{where}: not a row of fields")
                if row in singles:
                    content[row] = self.fields(self.models.nodes(singles[row]), fields, where)
                else:
                    list_, entry = self.entry(lists, row, fields, where)
                    content.setdefault(list_.argument, []).append(entry)
            except Wrong as e:
                self.complaints.append(str(e))
        return f"{module}:{container}", table.argument, content

    def document(self, config):
        out = {}
        for name, rows in config.items():
            try:
                if not isinstance(rows, dict):
                    raise Wrong(f"{name}: not a table of rows")
                container, table, content = self.table(name, rows)
                out.setdefault(container, {})[table] = content
            except Wrong as e:
                self.complaints.append(str(e))
        return out


def unlike(config):
    """What no model says: each alias and each lane is of one port; a splitted cage's ports lie apart."""
    complaints = []
    for what, several in (("alias", lambda p: [p.get("alias")]), ("lane", lambda p: p.get("lanes", "").split(","))):
        seen = {}
        for name, port in config.get("PORT", {}).items():
            for value in several(port):
                if value in seen:
                    complaints.append(f"PORT|{name}: {what} {value} is that of {seen[value]} as well")
                seen[value] = name
    return complaints


def one_of_each(pairs):
    out = {}
    for key, value in pairs:
        if key in out:
            raise Wrong(f"{key!r} stands twice")
        out[key] = value
    return out


def judge(models, command, file):
    try:
        with open(file, encoding="utf-8") as f:
            config = json.load(f, object_pairs_hook=one_of_each)
    except Wrong as e:
        return [str(e)]
    translation = Translation(models)
    document = translation.document(config)
    complaints = translation.complaints + unlike(config)
    if complaints:
        return complaints
    with tempfile.NamedTemporaryFile("w", suffix=".json") as t:
        json.dump(document, t)
        t.flush()
        # All models in one call: only then references from one to another are followed.
        run = subprocess.run([*command, "-Q", "-i", "-i", "-p", os.path.dirname(models.files[0]), "-t", "config", "-f", "json", "-o", "/dev/null", *models.files, t.name],
                             capture_output=True, text=True, timeout=60)
    if run.returncode:
        return [line for line in run.stderr.splitlines() if line.startswith("libyang err")] or [f"yanglint ends with {run.returncode}: {run.stderr[:500]}"]
    return []


def main():
    split = sys.argv.index("--")
    models, command, files = Models(sys.argv[1]), sys.argv[2:split], sys.argv[split + 1:]
    status = 0
    for file in files:
        for complaint in judge(models, command, file):
            print(f"{file}: {complaint}")
            status = 1
    if not files:
        raise SystemExit("no file to judge")
    return status


if __name__ == "__main__":
    sys.exit(main())
