"""Changes of device code that no test finds, and why: each is the same program, or differs where the emulation cannot look."""

# file, the line after the change (or a part of both lines, as "old -> new"), reason
EXPLAINED = []


def why(file, old, new):
    """The reason, or ''."""
    for where, change, reason in EXPLAINED:
        if where == file and change in f"{old} -> {new}":
            return reason
    return ""
