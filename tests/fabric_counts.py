"""The counts of one fabric in plan.json, in the words of published tables."""
TIERS = ("leaf", "spine", "core")


def counts(book, network="compute"):
    fabric = next(f for f in book["fabrics"] if f["network"] == network)
    found = {tier: 0 for tier in TIERS}
    found.update({t["tier"]: t["count"] for t in fabric["tiers"]})
    found["end"] = fabric["end_point_cables"]
    found["leaf_spine"] = fabric["leaf_spine_cables"]
    found["spine_core"] = fabric["spine_core_cables"]
    found["gpus"] = book["totals"]["gpus"]
    return found
