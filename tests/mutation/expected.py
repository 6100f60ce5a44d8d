"""Mismatches that are no faults of either side, with the reason: (base or *, kind or *, cause missed or rule that spoke)."""

EXPLAINED = {
    ("*", "*", "net-module-cage-mismatched"): "the calculation knows reaches, not which plugs go into which cages: that the catalogue has no cable for two cages is true, and no part of it",
}
