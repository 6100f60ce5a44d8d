"""Whether a spec can be built: arithmetic over a World, one function a cause, each with the source of its formula.

Where the spec leaves something to the planner (which rack a switch goes to, how many spines) the load is known only within bounds, and the verdict is one of
three: `infeasible` when even the lower bound is over the limit, nothing when the upper bound is within it, `undecided` between. No rule of the program
is asked, none of its output is read.

RULES names, for every cause, the rules that are there to report it, and whether as an error or a warning: the documented side of the comparison.
"""
from oracle_cooling import cooling
from oracle_networks import networks
from oracle_nodes import fitting, pcie
from oracle_power import budgets, feeds, generators, node_power, outlets, rack_power, supplies, walls
from oracle_racks import racks
from oracle_services import references, services, software, storage, targets, workloads
from oracle_wishes import wishes


CHECKS = (rack_power, feeds, generators, walls, budgets, supplies, outlets, node_power, cooling, pcie, fitting, racks, networks, storage, software, services, targets, workloads, wishes, references)


def judge_all(world):
    found = []
    for check in CHECKS:
        found += list(check(world))
    return found
