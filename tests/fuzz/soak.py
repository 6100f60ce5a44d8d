#!/usr/bin/env python3
"""Runs the fuzz programs for hours, in rounds, and keeps count of the CPU time that each has had.

usage: soak.py [--build build/fuzz] [--state build/fuzz/soak] [--ledger tests/fuzz/hours.jsonl] [--jobs 2] [--round 300] [--hours 1] [--idle]
               [--pause-file FILE] [--table] [TARGET…]

Each round is one program for --round seconds of wall clock, the target with the least CPU time first: libFuzzer where it was built (preset
`fuzz`), which goes where new coverage is and keeps it in STATE/corpus/TARGET; else the program of the corpus test, which alters and splices
the corpus without looking. Crashes, hangs and growth stay in STATE/found, output in STATE/log. CPU seconds come from the kernel
(wait4), not from the clock, so a busy machine only makes it take longer. They stand in the ledger, a line a round, which is kept with the
source: the hours are over the work, and started again it goes on from there. It ends when each target has had --hours, or with SIGTERM (the rounds that run are stopped and counted).
While the pause file exists nothing runs. A target with something in STATE/found goes on from its other inputs.
--table prints, from the same file, what tests/fuzz/README.md shows.
"""
import argparse
import collections
import datetime
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = ("yaml", "units", "fix", "lsp")
MOST_BYTES = {"yaml": 65536, "units": 512, "fix": 16384, "lsp": 16384}


def rounds(ledger):
    if not os.path.exists(ledger):
        return []
    with open(ledger, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def sums(ledger, by=lambda r: r["target"]):
    out = {}
    for r in rounds(ledger):
        s = out.setdefault(by(r), {"cpu": 0.0, "runs": 0, "rss": 0, "found": 0, "first": r["day"], "last": ""})
        s["cpu"] += r["cpu_s"]
        s["runs"] += r["inputs"]
        s["rss"] = max(s["rss"], r["peak_rss_mb"])
        s["found"] += r["found"]
        s["last"] = r["day"]
    return out


def table(ledger):
    out = ["| target | by | days | CPU | inputs run | most memory of a program | stopped by a finding |", "| --- | --- | --- | ---: | ---: | ---: | ---: |"]
    for (name, engine), s in sorted(sums(ledger, lambda r: (r["target"], r["engine"])).items(), key=lambda row: (TARGETS.index(row[0][0]), row[0][1])):
        days = s["first"] if s["first"] == s["last"] else f"{s['first']} to {s['last']}"
        out.append(f"| {name} | {engine} | {days} | {s['cpu'] / 60:.1f} min | {s['runs']:,} | {s['rss']} MB | {s['found']} |")
    return "\n".join(out)


def program(options, target):
    """The program, and whether it is libFuzzer's; None where neither was built."""
    for name in (target + "_fuzz", target + "_fuzz_corpus"):
        path = os.path.join(options.build, "bin", name)
        if os.path.exists(path):
            return path, name == target + "_fuzz"
    return None


def only_idle():
    """Takes what nobody else wants of the machine."""
    os.nice(19)
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    try:   # a session shares with others as one, whatever its processes say of themselves (sched(7), autogroups)
        with open("/proc/self/autogroup", "w", encoding="ascii") as group:
            group.write("19")
    except OSError:
        pass


class Round:
    def __init__(self, options, target, seed):
        self.target, self.stopped = target, False
        folder = os.path.join(options.state, "corpus", target)
        found = os.path.join(options.state, "found")
        for path in (folder, found, os.path.join(options.state, "log")):
            os.makedirs(path, exist_ok=True)
        self.found = os.path.join(found, target + "-")
        self.log = os.path.join(options.state, "log", target + ".log")
        self.before = set(os.listdir(found))
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1", UBSAN_OPTIONS="print_stacktrace=1",
                           ASAN_SYMBOLIZER_PATH=options.symbolizer)
        path, steered = program(options, target)
        self.engine = "libFuzzer" if steered else "mutants"
        corpus = os.path.join(HERE, "corpus", target)
        if steered:
            command = [path, folder, corpus, f"-max_total_time={options.round}", f"-max_len={MOST_BYTES[target]}", "-timeout=60", "-rss_limit_mb=3072",
                       "-use_value_profile=0", "-print_final_stats=1", f"-artifact_prefix={self.found}"]
        else:
            self.found += f"{seed:06}-"
            command = [path, corpus, folder, "--soak", str(options.round), "--seed", str(seed), "--max-bytes", str(MOST_BYTES[target]), "--artifacts", self.found]
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True, preexec_fn=only_idle if options.idle else None)

    def stop(self):
        """libFuzzer ends after the input at hand and says what it did. Not by send_signal, which would take its CPU time away from wait4."""
        if not self.stopped:
            os.kill(self.child.pid, signal.SIGINT)
        self.stopped = True

    def ended(self):
        """None while it runs, else what goes into hours.jsonl."""
        pid, status, usage = os.wait4(self.child.pid, os.WNOHANG)
        if pid == 0:
            return None
        self.child.returncode = status                       # waited for here, not by subprocess
        inputs, new = 0, sorted(set(os.listdir(os.path.dirname(self.found))) - self.before)
        with open(self.log, "rb") as log:
            log.seek(max(0, os.path.getsize(self.log) - 4096))
            for line in log.read().decode(errors="replace").splitlines():
                if line.startswith("stat::number_of_executed_units:"):
                    inputs = int(line.split()[-1])
        return {"day": datetime.date.today().isoformat(), "target": self.target, "engine": self.engine, "cpu_s": round(usage.ru_utime + usage.ru_stime, 1), "inputs": inputs,
                "peak_rss_mb": usage.ru_maxrss // 1024, "found": sum(n.startswith(self.target + "-") for n in new), "status": os.waitstatus_to_exitcode(status)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default="build/fuzz")
    parser.add_argument("--state")
    parser.add_argument("--ledger", default=os.path.join(HERE, "hours.jsonl"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--round", type=int, default=300)
    parser.add_argument("--hours", type=float, default=1)
    parser.add_argument("--pause-file")
    parser.add_argument("--idle", action="store_true", help="the programs take only CPU time that nobody else wants")
    parser.add_argument("--symbolizer", default="/usr/bin/llvm-symbolizer-19")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    options = parser.parse_args()
    options.state = options.state or os.path.join(options.build, "soak")
    if options.table:
        print(table(options.ledger))
        return 0
    unknown = [t for t in options.targets if t not in TARGETS]
    if unknown:
        parser.error(f"no target '{unknown[0]}': one of {' '.join(TARGETS)}")
    os.makedirs(options.state, exist_ok=True)
    ending = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.append(True))
    running = []
    started = collections.Counter()
    while True:
        paused = bool(options.pause_file and os.path.exists(options.pause_file))
        if ending or paused:
            for r in running:
                r.stop()
        for r in list(running):
            record = r.ended()
            if record is None:
                continue
            running.remove(r)
            with open(options.ledger, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        if ending and not running:
            return 0
        if not ending and not paused:
            have = {t: 0.0 for t in TARGETS} | {t: s["cpu"] for t, s in sums(options.ledger).items()}
            left = [t for t in (options.targets or TARGETS) if have[t] < options.hours * 3600 and t not in {r.target for r in running}
                    and program(options, t)]
            if not left and not running:
                print(table(options.ledger))
                return 0
            left.sort(key=lambda t: (have[t], started[t]))
            while left and len(running) < options.jobs:
                target = left.pop(0)
                started[target] += 1
                try:
                    running.append(Round(options, target, len(rounds(options.ledger)) + len(running) + 1))
                except OSError as problem:               # it is being built: again in a while
                    print(f"{target}: {problem}", file=sys.stderr)
                    break
        time.sleep(2)


if __name__ == "__main__":
    sys.exit(main())
