#!/usr/bin/env python3
"""Faults in device code, planted one at a time: each must be found by what runs on the emulation (docs/device-code.md).

usage: mutate.py BUILD SOURCE planted|tokens [--seed N] [--count N] [--only WORD] [--jobs N] [--write]

BUILD is a build folder in which the target `emulated_mutants` is built. A fault is a change of one file's text; the programs that are made of the file are built
again in a folder of their own and run: the kernels one by one, then whole validators, with AddressSanitizer and UndefinedBehaviorSanitizer,
then the same with ThreadSanitizer. `planted`: the faults of planted.py. `tokens`: COUNT random changes of one token in kernels (default 100,
seed 1). A change that survives must be explained in survivors.py. --write: puts the table into docs/device-code.md.
Exit status: 0 all were found or are explained, 1 otherwise.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import planted  # noqa: E402
import runs  # noqa: E402
import survivors  # noqa: E402

# What each file with device code is part of: programs, and the tests of its kernels.
PARTS = {
    "memory/cuda.cu": (["memory"], "*Stream*"),
    "memtest/cuda.cu": (["memtest"], "*Word*"),
    "gemm/fill.cu": (["gemm"], "*Operands*:*Results*"),
    "gemm/cublas.cc": (["gemm"], None),
    "harness/cuda_words.h": (["pcie", "nvlink"], "*Copies*"),
    "harness/launch.h": (["memory"], "*Stream*"),
    "nvlink/pairs_cuda.cu": (["nvlink"], "*Gpu*"),
    "pcie/copies_cuda.cu": (["pcie"], "*Host*"),
    "hpl/cuda.cu": (["hpl"], None),
    "hpl/device_work.h": (["hpl"], None),
    "hpl/device.cc": (["hpl"], None),
    "hpl/mixed_device.cc": (["hpl"], None),
    "nccl/cuda.cc": (["nccl"], None),
    "nccl/data.cu": (["nccl"], None),
}
KERNEL_FILES = [f for f in PARTS if f.endswith((".cu", "cuda_words.h", "device_work.h"))]
# The tests that link a program's objects; others are not built again for it.
IN_KERNEL_TEST = {"memory", "memtest", "gemm", "pcie", "nvlink"}


class Build:
    """The commands that ninja would run."""

    def __init__(self, folder, source):
        self.folder, self.source = os.path.abspath(folder), os.path.abspath(source)
        self.programs = os.path.join(self.folder, "tests", "cuda-on-host")
        text = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "emulated_mutants"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.compile, self.link = {}, {}
        for line in text.splitlines():
            target = re.search(r" -o (\S+)", line)
            if not target:
                continue
            if " -c " in line and ("emulated_" in target[1] or "hpl_device_test" in target[1]):
                self.compile[target[1]] = line
                if "hpl_device_test" in target[1]:
                    self.unit_test = target[1]
            elif target[1].startswith("tests/cuda-on-host/") and " -c " not in line:
                self.link[os.path.basename(target[1])] = line

    @functools.lru_cache(maxsize=None)
    def text(self, file):
        with open(os.path.join(self.source, "validators", file), encoding="utf-8") as f:
            return f.read()

    def objects_of(self, kind, program):
        return [o for o in self.compile if f"emulated_{kind}_{program}.dir/" in o]

    def compile_changed(self, scratch, kind, program, changed):
        """Compiles what a changed file is part of; (objects by those that they replace, what the compiler said)."""
        new = {}
        for o in self.objects_of(kind, program):
            source = o.split("/validators/")[-1][:-len(".o")]
            if source != changed and not self.includes(source, changed):
                continue
            out = os.path.join(scratch, f"{kind}-{program}-{source.replace('/', '-')}.o")
            command = self.compile[o].replace(" -o " + o, " -o " + out)
            command = re.sub(r" -MD| -M[TF] \S+", "", command)
            if source == changed:
                command = command.replace(f"{self.source}/validators/{source}", os.path.join(scratch, "validators", source))
            # Headers of the scratch folder first, but for the emulation's own.
            command = command.replace(" -I", f" -I{self.source}/tests/cuda_on_host/include -I{scratch}/validators -I", 1)
            error = self.do(command)
            if error:
                return {}, error
            new[o] = out
        return new, ""

    def link_changed(self, scratch, name, new):
        command = self.link[name].replace(" -o tests/cuda-on-host/" + name, " -o " + os.path.join(scratch, name))
        for old, out in new.items():
            command = command.replace(" " + old + " ", " " + out + " ")
        error = self.do(command)
        if error:
            raise RuntimeError(error)

    def includes(self, source, header):
        if not header.endswith(".h"):
            return False
        text = self.text(source)
        if f'#include "{header}"' in text:
            return True
        return any(self.includes(h, header) for h in re.findall(r'#include "(\S+\.h)"', text)
                   if os.path.exists(os.path.join(self.source, "validators", h)))

    def do(self, command):
        done = subprocess.run(command, shell=True, cwd=self.folder, env={**os.environ, "CCACHE_DISABLE": "1"}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, start_new_session=True)
        if done.returncode == 0:
            return ""
        lines = [line for line in done.stdout.splitlines() if "error" in line]
        return lines[0] if lines else "the compiler failed"


class Change:
    def __init__(self, file, at, old, new, kind=""):
        self.file, self.at, self.old, self.new, self.kind = file, at, old, new, kind

    def apply(self, text):
        assert text[self.at:self.at + len(self.old)] == self.old
        return text[:self.at] + self.new + text[self.at + len(self.old):]

    def line(self, text):
        return text.count("\n", 0, self.at) + 1

    def shown(self, text):
        """The line as it is, and as it becomes; where the change spans lines, its own text."""
        if "\n" in self.old or "\n" in self.new:
            squeeze = lambda s: re.sub(r"\s+", " ", s).strip() or "(removed)"  # noqa: E731
            return squeeze(self.old), squeeze(self.new)
        begin, end = text.rfind("\n", 0, self.at) + 1, text.find("\n", self.at)
        return text[begin:end].strip(), (text[begin:self.at] + self.new + text[self.at + len(self.old):end]).strip()


def verdict(build, change):
    """(what found it, or '' where it survived; what the compiler said where it did not compile)."""
    scratch = tempfile.mkdtemp(prefix="clusterc-mutant-")
    try:
        path = os.path.join(scratch, "validators", change.file)
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as f:
            f.write(change.apply(build.text(change.file)))
        programs, test_filter = PARTS[change.file]
        for kind in ("asan", "tsan"):
            if change.file == "hpl/device_work.h" and kind == "asan":
                found, error = unit_test_of_work(build, scratch)
                if found or error:
                    return found, error
            for program in programs:
                new, error = build.compile_changed(scratch, kind, program, change.file)
                if error:
                    return "", error
                found = runs_of(build, scratch, kind, program, test_filter, new)
                if found:
                    return f"{found}" + (" (ThreadSanitizer's build)" if kind == "tsan" and "ThreadSanitizer" not in found else ""), ""
        return "", ""
    finally:
        shutil.rmtree(scratch)


class Known:
    """What earlier runs in this build folder found, by the changed text and the tests' own; a change that survived is tried again with --again."""

    def __init__(self, build, arguments):
        self.build, self.again, self.only_known, self.path = build, arguments.again, arguments.known, os.path.join(build.programs, "mutants.jsonl")
        self.lock, self.there = threading.Lock(), {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as f:
                for line in f:
                    record = json.loads(line)
                    self.there[record["key"]] = (record["found"], record["error"])

    def verdict(self, change):
        key = hashlib.sha256((change.file + "\0" + change.apply(self.build.text(change.file))).encode()).hexdigest()
        if key in self.there and (any(self.there[key]) or not self.again):
            return self.there[key]
        if self.only_known:
            return "", "not run"
        found, error = verdict(self.build, change)
        with self.lock, open(self.path, "a", encoding="utf-8") as f:
            f.write(json.dumps({"key": key, "found": found, "error": error}) + "\n")
        return found, error


def unit_test_of_work(build, scratch):
    """hpl/device_work.h is plain C++, and has unit tests of its own."""
    out = os.path.join(scratch, "hpl_device_test")
    command = build.compile[build.unit_test].replace(" -o " + build.unit_test, f" -o {out}.o").replace(" -I", f" -I{scratch}/validators -I", 1)
    error = build.do(re.sub(r" -MD| -M[TF] \S+", "", command))
    if error:
        return "", error
    build.link_changed(scratch, "hpl_device_test", {build.unit_test: out + ".o"})
    status, text, _ = runs.run([out, "--gtest_brief=1"], dict(os.environ), 120)
    failed = re.findall(r"\[  FAILED  \] (\w+\.\w+)", text)
    return ("" if status == 0 else f"hpl_device_test: {failed[0] if failed else 'stopped'}"), ""


def runs_of(build, scratch, kind, program, test_filter, new):
    """The cheap first: a validator is linked and run where the test of the kernels has found nothing."""
    if test_filter and program in IN_KERNEL_TEST:
        build.link_changed(scratch, "device_code_test_" + kind, new)
        found = runs.kernels_problem(scratch, kind, test_filter, seconds=150, libraries=build.programs)
        if found:
            return found
    build.link_changed(scratch, f"clusterc-{program}-emulated{'-tsan' if kind == 'tsan' else ''}", new)
    for case in runs.CASES:
        if case.program != program or case.slow:
            continue
        for seed in (1, 2) if kind == "tsan" else (1, 2, 3, 4):
            found = runs.problem(scratch, case, kind, seed, seconds=200, libraries=build.programs)
            if found:
                return f"`{case.name}`: {found}"
    return ""


# --- one-token changes ---

TOKEN = re.compile(r"//[^\n]*|\"[^\"\n]*\"|0x[0-9a-fA-Fp+-]+F?|\d[\d']*(?:\.\d+)?(?:[uUlLfF]*)|[A-Za-z_]\w*|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\+\+|->|::|[-+*/%<>=!&|^~]")
SWAPS = [("x", "y"), ("a", "b"), ("from", "to"), ("rows", "columns"), ("row", "column"), ("from_ld", "to_ld"), ("blockIdx", "threadIdx"),
         ("gridDim", "blockDim"), ("true", "false"), ("words", "bits"), ("got", "want"), ("atomicAdd", "atomicExch"), ("atomicMin", "atomicMax"),
         ("atomicOr", "atomicAnd"), ("uint64_t", "uint32_t"), ("double", "float"), ("seed_x", "seed_y"), ("at", "sum"), ("kSteps", "kPlaces"),
         ("row_axis", "column_axis"), ("i", "0"), ("count", "seed"), ("local", "row"), ("part", "global"), ("size", "sum"), ("sums", "x")]
REPLACE = {"<": ["<=", ">"], "<=": ["<"], ">=": [">"], ">": [">="], "==": ["!="], "!=": ["=="], "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*", "%"],
           "%": ["/"], "+=": ["=", "-="], "&&": ["||"], "||": ["&&"], "!": [""], "^": ["&"], "kThreads": ["1"], "=": ["+="]}


def kernel_regions(text):
    """Where kernels, and what they call on the device, are."""
    out = []
    for begin in re.finditer(r"^(?:__global__|__device__|__host__ __device__)[^;{]*\{", text, re.M):
        line_end = text.find("\n", begin.start())
        end = text.find("\n}", begin.end() - 1)
        one_line = text.rfind("}", begin.end(), line_end + 1)
        out.append((begin.end(), one_line if one_line > 0 else end))
    for begin in re.finditer(r"^  CLUSTERC_BOTH [^;{]*\{", text, re.M):
        line_end = text.find("\n", begin.end())
        one_line = text.rfind("}", begin.end(), line_end)
        out.append((begin.end(), one_line if one_line > 0 else text.find("\n  }", begin.end())))
    return out


def token_changes(build, seed):
    """All one-token changes of all kernels, in an order that the seed gives."""
    all_of_them = []
    for file in KERNEL_FILES:
        text = build.text(file)
        for begin, end in kernel_regions(text):
            for token in TOKEN.finditer(text, begin, end):
                word = token[0]
                new = list(REPLACE.get(word, []))
                if re.fullmatch(r"\d+(u|ull|LL)?", word):
                    digits = re.match(r"\d+", word)[0]
                    new.append(str(int(digits) + 1) + word[len(digits):])
                new += [b if word == a else a for a, b in SWAPS if word in (a, b)]
                all_of_them += [Change(file, token.start(), word, n) for n in new]
    random.Random(seed).shuffle(all_of_them)
    return all_of_them


def planted_changes(build):
    out = []
    for kind, file, old, new in planted.FAULTS:
        text = build.text(file)
        if text.count(old) < 1:
            sys.exit(f"planted.py: '{old}' is not in {file}")
        out.append(Change(file, text.index(old), old, new, kind))
    return out


def cell(text):
    return text.replace("|", "\\|")


def code(text):
    return "`" + cell(text.replace("`", "'")) + "`"


def table(build, results):
    """Markdown: place, change, what found it."""
    rows = ["| kind | place | change | found by |", "|---|---|---|---|"]
    plain = not any(change.kind for change, _ in results)
    if plain:
        rows = ["| place | change | found by |", "|---|---|---|"]
    for change, found in results:
        old, new = change.shown(build.text(change.file))
        why = survivors.why(change.file, old, new)
        said = cell(re.sub(r" on address .*| on unknown address .*| \(pid=\d+\)", "", found))[:110] if found else f"**survives**: {cell(why)}" if why else "**survives**"
        first = "" if plain else f"| {change.kind} "
        rows.append(f"{first}| {change.file} | {code(old)} → {code(new) if new else '(removed)'} | {said} |")
    return "\n".join(rows)


def write(build, name, text):
    path = os.path.join(build.source, "docs", "device-code.md")
    with open(path, encoding="utf-8") as f:
        page = f.read()
    begin, end = f"<!-- {name}: begin, written by tests/cuda_on_host/mutate.py -->\n", f"<!-- {name}: end -->"
    page = page[:page.index(begin) + len(begin)] + text + "\n" + page[page.index(end):]
    with open(path, "w", encoding="utf-8") as f:
        f.write(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("source")
    parser.add_argument("what", choices=["planted", "tokens"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", default="", help="changes of files whose name contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="those that survived an earlier run of the same text too")
    parser.add_argument("--known", action="store_true", help="run nothing: the results that earlier runs left in the build folder")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    build = Build(arguments.build, arguments.source)
    changes = planted_changes(build) if arguments.what == "planted" else token_changes(build, arguments.seed)
    wanted = len(changes) if arguments.what == "planted" else arguments.count
    changes = [c for c in changes if arguments.only in c.file]
    known = Known(build, arguments)
    results, survived = [], 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # One in four does not compile.
        ahead = [(c, pool.submit(known.verdict, c)) for c in changes[:wanted + wanted // 3]]
        for change, future in ahead:
            if len(results) == wanted:
                future.cancel()
                continue
            found, error = future.result()
            old, new = change.shown(build.text(change.file))
            if error:
                if arguments.what == "planted" and not arguments.known:
                    print(f"{change.file}: does not compile: {error}", flush=True)
                    survived += 1
                continue
            why = survivors.why(change.file, old, new)
            results.append((change, found))
            print(f"{len(results):3} {change.file}:{change.line(build.text(change.file))}: {old} -> {new}\n    {found or 'SURVIVES: ' + (why or 'not explained')}",
                  flush=True)
            survived += not found and not why
    alive = sum(not found for _, found in results)
    print(f"{len(results)} changes: {len(results) - alive} found, {alive - survived} survive and are explained, {survived} are not explained or do not compile")
    if arguments.write:
        summary = f"{len(results)} changes: {len(results) - alive} are found" + (f", {alive} survive." if alive else ".")
        write(build, arguments.what, "\n" + summary + "\n\n" + table(build, results) + "\n")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
