"""Mismatches that are no faults of either side, with the reason: (base or *, kind or *, cause missed or rule that spoke)."""

EXPLAINED = {}
