#!/usr/bin/env python3
"""Breaks clean specs in seeded small ways and compares what `clusterc check` finds with an independent calculation.

usage: mutate.py CLUSTERC SOURCE WORK [--count N] [--seed S] [--only KIND,…] [--base NAME,…] [--jobs N] [--verbose]

Whether a mutant can be built is decided by oracle.py from the spec, catalog/*.yaml and published formulas; no rule and no output of the program is asked.
  infeasible  every cause that the calculation names is to be found by a rule that is there for it, at the key that was changed or at a place of the cause
  feasible    no rule of those is to say anything that it did not say of the clean spec
  undecided   the calculation has only bounds there (which rack a switch goes to): counted, and judged neither way
The exit status is 1 where one is missed, stands in the wrong place or is a false alarm, and expected.py does not explain it.
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import yaml

from expected import EXPLAINED
from kinds import KINDS
from oracle import judge_all
from text import Spec
from verdict import RULES
from world import Catalogue, World, unwrap

BLOCKING = ("unknown-part", "unknown-name")      # what does not resolve is passed over by the rules: nothing else is asked of such a mutant
# What does not fit in a rack stands nowhere: it draws nothing there, and is reported as what it is.
PLACED = {"rack-units": {"rack-power", "feed-capacity", "ups", "heat", "airflow", "density", "outlets", "rack-budget", "utility", "rack-weight", "floor", "rolling", "quorum", "single-service"},
          # a fabric that cannot be wired has no switches, so neither their units nor their addresses
          "gpu-count": {"cards"},
          "node-ports": {"rack-units", "subnet", "switch-ports", "asn"}, "link-rate": {"rack-units", "subnet", "switch-ports", "nic-slot"}, "gpu-form": {"bar"}, "switch-ports": {"rack-units", "subnet"}}
RULE_CAUSES = collections.defaultdict(set)
for cause, rules in RULES.items():
    for rule in rules:
        RULE_CAUSES[rule].add(cause)


def check(clusterc, folder):
    done = subprocess.run([clusterc, "check", "spec.yaml", "--format", "json"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        return None, f"exit {done.returncode}: {done.stderr.strip()[:300]}"
    return [f for f in json.loads(done.stdout)["findings"] if f["severity"] in ("error", "warning")], None


def line_of(finding):
    place = finding.get("place") or {}
    return place.get("file"), place.get("line")


class Mutant:
    def __init__(self, base, kind, edit):
        self.base, self.kind, self.edit = base, kind, edit
        spec = base.spec
        for step in edit.steps:
            spec = getattr(spec, step[0])(*step[1:])
        self.spec = spec
        self.own = {p["id"]: {**unwrap(p["facts"]), "part": p["part"]} for p in edit.parts}

    def name(self):
        return f"{self.base.name}: {self.kind}: {self.edit.what}"


class Base:
    def __init__(self, path, catalogue):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            self.spec = Spec(file.read())
        self.world = World(self.spec.data, catalogue)
        self.verdicts = judge_all(self.world)


def candidates(base):
    for name, function in KINDS.items():
        for edit in function(base.world):
            yield name, edit


def draw(bases, count, seed, only):
    """`count` mutants, every kind in turn, each kind's candidates over all bases in the order that the seed gives; the same text twice counts once."""
    pools = collections.defaultdict(list)
    for base in bases:
        for name, edit in candidates(base):
            if not only or name in only:
                pools[name].append((base, edit))
    dice = random.Random(seed)
    for name in sorted(pools):
        dice.shuffle(pools[name])
    seen, found = {base.spec.text for base in bases}, []
    while pools and len(found) < count:
        for name in sorted(pools):
            while pools[name]:
                base, edit = pools[name].pop()
                mutant = Mutant(base, name, edit)
                key = mutant.spec.text + json.dumps(edit.parts, sort_keys=True)
                if key in seen:
                    continue
                seen.add(key)
                found.append(mutant)
                break
            if not pools[name]:
                del pools[name]
            if len(found) == count:
                break
    return found


Outcome = collections.namedtuple("Outcome", "state hits misses elsewhere alarms beside spoken")


def compare(mutant, verdicts, findings, base_findings):
    """What of the mutant's causes was found, and what was said beyond them."""
    base_states = {(v.cause, v.state) for v in mutant.base.verdicts}
    infeasible, undecided = {}, set()
    for v in verdicts:
        if v.state == "infeasible" and (v.cause, v.state) not in base_states:
            infeasible.setdefault(v.cause, []).append(v)
        elif v.state == "undecided" or v.state == "infeasible":
            undecided.add(v.cause)
    blocking = [c for c in infeasible if c in BLOCKING]
    for c in list(infeasible):
        if blocking and c not in BLOCKING:
            undecided.add(c)
            del infeasible[c]
    for first, second in PLACED.items():
        for c in second & set(infeasible) if first in infeasible or first == "link-rate" and first in undecided else ():
            undecided.add(c)
            del infeasible[c]
    changed = mutant.spec.lines(mutant.edit.path) or mutant.spec.lines(mutant.edit.path[:-1])
    hits, misses, elsewhere = [], [], []
    for cause, found in infeasible.items():
        lines = set(changed)
        for v in found:
            for path in v.places:
                lines |= mutant.spec.lines(path)
        said = [f for f in findings if f["rule"] in RULES[cause]]
        if any(line_of(f)[0] == "spec.yaml" and line_of(f)[1] in lines for f in said):
            hits.append(cause)
        elif said:
            elsewhere.append((cause, found[0].why, [f"{line_of(f)} {f['rule']}" for f in said]))
        else:
            misses.append((cause, found[0].why))
    known = collections.Counter(f["rule"] for f in base_findings)
    alarms, beside = [], []
    for f in findings:
        known[f["rule"]] -= 1
        if known[f["rule"]] >= 0:
            continue
        causes = RULE_CAUSES.get(f["rule"])
        if causes is None:
            beside.append(f)
        elif not causes & (set(infeasible) | undecided):
            alarms.append(f)
    state = "infeasible" if infeasible else "undecided" if undecided - {c for c, _ in base_states} else "feasible"
    return Outcome(state, hits, misses, elsewhere, alarms, beside, findings)


def explained(mutant, what):
    """The reason that expected.py has for this mismatch, or None: (base, kind, cause or rule), `*` for any."""
    for (base, kind, item), reason in EXPLAINED.items():
        if base in ("*", mutant.base.name) and kind in ("*", mutant.kind) and item == what:
            return reason
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clusterc")
    parser.add_argument("source")
    parser.add_argument("work")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--base", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    clusterc = os.path.abspath(options.clusterc)
    catalogue = Catalogue(options.source)
    here = os.path.dirname(os.path.abspath(__file__))
    paths = [os.path.join(options.source, "examples", n + ".yaml") for n in ("superpod", "lab", "nvl72", "campus", "cloud", "roce-16384")]
    published = os.path.join(options.source, "examples", "published")
    paths += sorted(os.path.join(published, n) for n in os.listdir(published) if n.endswith(".yaml"))
    paths += sorted(os.path.join(here, "bases", n) for n in os.listdir(os.path.join(here, "bases")) if n.endswith(".yaml"))
    bases = [b for b in (Base(p, catalogue) for p in paths) if not options.base or b.name in options.base.split(",")]
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)

    def run(text, parts, name):
        folder = os.path.join(options.work, name)
        os.makedirs(os.path.join(folder, "own"))
        with open(os.path.join(folder, "spec.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        for part in parts:
            with open(os.path.join(folder, "own", part["id"] + ".yaml"), "w", encoding="utf-8") as file:
                yaml.safe_dump(part, file, sort_keys=False, allow_unicode=True)
        return check(clusterc, folder)

    wrong = 0
    base_findings = {}
    for base in bases:
        found, problem = run(base.spec.text, (), "base-" + base.name)
        if problem:
            sys.exit(f"{base.name}: {problem}")
        base_findings[base.name] = found
        for f in found:
            if f["severity"] == "error":
                wrong += 1
                print(f"base {base.name} is not clean: {f['message']} [{f['rule']}]")
        for v in base.verdicts:
            if v.state == "infeasible" and not any(f["rule"] in RULES[v.cause] for f in found):
                wrong += 1
                print(f"base {base.name}: the calculation calls it infeasible, nothing was found: {v.cause}: {v.why}")

    mutants = draw(bases, options.count, options.seed, set(filter(None, options.only.split(","))))

    def judge(numbered):
        number, mutant = numbered
        verdicts = judge_all(World(mutant.spec.data, catalogue, mutant.own))
        findings, problem = run(mutant.spec.text, mutant.edit.parts, f"{number:05}")
        if problem:
            return mutant, None, problem
        shutil.rmtree(os.path.join(options.work, f"{number:05}"))
        return mutant, compare(mutant, verdicts, findings, base_findings[mutant.base.name]), None

    total, by_kind, by_cause, notes = collections.Counter(), collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter), collections.Counter()
    beside = collections.Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for mutant, outcome, problem in pool.map(judge, enumerate(mutants)):
            if problem:
                wrong += 1
                print(f"FAILED: {mutant.name()}: {problem}")
                continue
            total[outcome.state] += 1
            by_kind[mutant.kind][outcome.state] += 1
            for cause in outcome.hits:
                by_cause[cause]["found"] += 1
            unexplained = False
            for cause, why in outcome.misses:
                reason = explained(mutant, cause)
                by_cause[cause]["explained" if reason else "missed"] += 1
                if reason:
                    notes[reason] += 1
                else:
                    unexplained = True
                    print(f"MISSED: {mutant.name()}: {cause} ({why}); said: {', '.join(sorted({f['rule'] for f in outcome.spoken})) or 'nothing'}")
            for cause, why, said in outcome.elsewhere:
                by_cause[cause]["elsewhere"] += 1
                unexplained = True
                print(f"ELSEWHERE: {mutant.name()}: {cause} ({why}): {'; '.join(said)}")
            for f in outcome.alarms:
                reason = explained(mutant, f["rule"])
                total["alarms explained" if reason else "alarms"] += 1
                if reason:
                    notes[reason] += 1
                else:
                    unexplained = True
                    print(f"ALARM: {mutant.name()}: {f['severity']}: {f['message']} [{f['rule']}]")
            beside.update(f["rule"] for f in outcome.beside)
            if outcome.state == "infeasible":
                total["found" if outcome.hits and not outcome.misses and not outcome.elsewhere else "found in part" if outcome.hits else "not found"] += 1
            wrong += unexplained
            if options.verbose:
                print(f"{outcome.state}: {mutant.name()}: found {outcome.hits}")

    print(f"{len(mutants)} mutants of {len(by_kind)} kinds from {len(bases)} specs, seed {options.seed}: "
          f"{total['infeasible']} infeasible, {total['feasible']} feasible, {total['undecided']} undecided by the calculation's bounds")
    for cause in sorted(by_cause):
        c = by_cause[cause]
        print(f"  {cause}: {c['found']} found of {sum(c.values())}" + "".join(f", {c[k]} {k}" for k in ("missed", "elsewhere", "explained") if c[k]))
    causes = sum(sum(c.values()) for c in by_cause.values())
    good = sum(c["found"] for c in by_cause.values())
    share = 100 * good / causes if causes else 100
    print(f"causes found at the right place: {good} of {causes} ({share:.1f} %); mutants with every cause found: {total['found']} of {total['infeasible']}; "
          f"with none: {total['not found']}; false alarms: {total['alarms']}, explained: {total['alarms explained']}")
    for reason, n in sorted(notes.items()):
        print(f"  explained {n} times: {reason}")
    if beside:
        print("said beside, by rules that the calculation does not judge: " + ", ".join(f"{rule} {n}" for rule, n in sorted(beside.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
