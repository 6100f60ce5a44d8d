"""A spec as text with the place of every key, and edits that leave the other lines where they are.

A path is a tuple of keys and indices: ("racks", "compute", "pdus", 0, "model").
"""
import yaml

Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)   # YAML 1.2 in what matters: every scalar stays a text


class Spec:
    def __init__(self, text):
        self.text = text
        self.root = yaml.compose(text, Loader=Loader)
        self.data = plain(self.root)

    def find(self, path):
        """(key node or None, value node) of a path; (None, None) where it is not there."""
        key, node = None, self.root
        for step in path:
            if isinstance(node, yaml.MappingNode):
                for k, v in node.value:
                    if k.value == str(step):
                        key, node = k, v
                        break
                else:
                    return None, None
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                key, node = None, node.value[step]
            else:
                return None, None
        return key, node

    def lines(self, path):
        """Lines, from 1, on which the key or its value begins."""
        key, node = self.find(path)
        if node is None:
            return set()
        found = {node.start_mark.line + 1}
        if key is not None:
            found.add(key.start_mark.line + 1)
        return found

    def set(self, path, text):
        _, node = self.find(path)
        if node is None:
            return self.add(path[:-1], path[-1], text)
        return Spec(self.text[:node.start_mark.index] + text + self.text[node.end_mark.index:])

    def add(self, path, key, text):
        _, node = self.find(path)
        if node is None:                                  # `software.iommu` of a spec without `software`
            return self.add(path[:-1], path[-1], f"{{ {key}: {text} }}")
        if not isinstance(node, yaml.MappingNode):
            raise ValueError(f"{path} is no mapping")
        if node.flow_style:
            end = node.end_mark.index - 1
            while self.text[end - 1] in " \n":
                end -= 1
            comma = ", " if node.value else " "
            return Spec(self.text[:end] + f"{comma}{key}: {text} " + self.text[end:].lstrip(" "))
        # Below the last line of the mapping: what stands above keeps its line.
        last = node.value[-1][1]
        end = last.end_mark.index
        while end > 0 and self.text[end - 1] in " \n":
            end -= 1
        stop = self.text.find("\n", end)
        stop = len(self.text) if stop < 0 else stop
        indent = " " * node.value[0][0].start_mark.column
        return Spec(self.text[:stop] + f"\n{indent}{key}: {text}" + self.text[stop:])

    def remove(self, path):
        key, node = self.find(path)
        _, parent = self.find(path[:-1])
        start = (key or node).start_mark.index
        end = node.end_mark.index
        if parent.flow_style:
            rest = self.text[end:]
            after = rest.lstrip(" \n")
            if after.startswith(","):
                end += len(rest) - len(after) + 1
                while self.text[end] == " ":
                    end += 1
            else:
                while self.text[start - 1] in " \n":
                    start -= 1
                if self.text[start - 1] == ",":
                    start -= 1
            return Spec(self.text[:start] + self.text[end:])
        # Block style: blank the lines, so that the others keep their numbers.
        first = self.text.rfind("\n", 0, start) + 1
        while end > first and self.text[end - 1] in " \n":
            end -= 1
        stop = self.text.find("\n", end)
        stop = len(self.text) if stop < 0 else stop
        return Spec(self.text[:first] + "\n" * self.text.count("\n", first, stop) + self.text[stop:])


def plain(node):
    if isinstance(node, yaml.MappingNode):
        return {k.value: plain(v) for k, v in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain(v) for v in node.value]
    return node.value


def walk(data, path=()):
    """Every (path, value) of a document, the mappings and lists too."""
    yield path, data
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from walk(value, (*path, key))
