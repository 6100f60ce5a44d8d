"""docs/formulas.md: each formula with its unit, its source and its known error. Imported by generated_docs.py and rule_cases.py.

Rules: the section "Formula" of the explanation. It holds one fenced block, a paragraph "Unit: …", a paragraph with "Source: …", and a
paragraph "Error: …". A rule that compares no quantities says "Unit: none. …" and needs no error.
Expected figures: EXPECTED below, one entry for each metric of the table that has an origin; the figures of the examples come from
`clusterc plan`. Workloads: the tables of docs/workloads.md. What publications show is read from docs/predictions.md.
"""
import json
import os
import re
import statistics
import subprocess
import tempfile

NONE_BEYOND, NOT_KNOWN = "none beyond", "not known"


# ---------------------------------------------------------------------------------------------------------------------- rules
def parts_of(explanation):
    """The section Formula of an explanation: {formula, notes, unit, source, error}; what is absent is empty."""
    section = explanation.partition("\n## Formula\n")[2].partition("\n## ")[0]
    fences = re.findall(r"^```\n(.*?)^```\n", section, re.MULTILINE | re.DOTALL)
    parts = {"formula": fences[0] if len(fences) == 1 else "", "notes": "", "unit": "", "source": "", "error": ""}
    for paragraph in re.sub(r"^```\n.*?^```\n", "", section, flags=re.MULTILINE | re.DOTALL).strip().split("\n\n"):
        lines = paragraph.split("\n")
        at = next((i for i, line in enumerate(lines) if re.match(r"(Unit|Source|Error): ", line)), len(lines))
        parts["notes"] += "".join(line.strip() + "\n" for line in lines[:at])
        if at < len(lines):
            name, _, text = " ".join(line.strip() for line in lines[at:]).partition(": ")
            parts[name.lower()] += text
        elif parts["notes"]:
            parts["notes"] += "\n"
    return parts


def is_condition(parts):
    """Names, settings or releases are compared, and no quantities."""
    return parts["unit"].startswith("none")


def lacking(explanation):
    """What the section Formula of an explanation lacks."""
    parts = parts_of(explanation)
    if not parts["formula"]:
        yield "its formula is not one fenced block"
    if not parts["unit"]:
        yield "its formula has no line 'Unit: …' ('Unit: none. …' where no quantities are compared)"
    if not parts["source"]:
        yield "its formula has no line 'Source: …'"
    if not parts["error"] and parts["unit"] and not is_condition(parts):
        yield "its formula has a unit and no line 'Error: …'"


def links(text):
    """Links of a page in docs/rules, as a page in docs/ has them."""
    text = re.sub(r"\]\((?!https?:|\.\./)([^)]+)\)", r"](rules/\1)", text)
    return text.replace("](../", "](")


def entry(title, formula, unit, source, error, notes=""):
    out = f"\n### {title}\n\n```text\n{formula}```\n\n"
    if notes.strip():
        out += notes.strip() + "\n\n"
    return out + f"- Unit: {unit}\n- Source: {source}\n- Known error: {error}\n"


def how_known(error):
    return NONE_BEYOND if error.startswith(NONE_BEYOND) else NOT_KNOWN if error.startswith(NOT_KNOWN) else "known"


# ------------------------------------------------------------------------------------------------------------------ predictions
def plural(figures):
    return "one published figure" if figures == 1 else f"{figures} published figures"


class Predictions:
    """The tables of docs/predictions.md, which tests/predictions.py writes and compares."""

    def __init__(self, source):
        with open(os.path.join(source, "docs", "predictions.md"), encoding="utf-8") as file:
            text = file.read()
        self.kinds = {name: (int(rows), median, worst) for name, rows, median, worst in
                      re.findall(r"^\| ([^|]+) \| (\d+) \| ([\d.]+ %) \| [\d.]+ % \| \d+ \| (\d+ %) \|$", text, re.MULTILINE)}
        self.rows = {}
        for section in text.split("\n## ")[1:]:
            title, _, body = section.partition("\n")
            self.rows[title] = [(cells[0], cells[1], float(cells[5].rstrip(" %")), cells[6]) for cells in
                                ([cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines() if line.startswith("| "))
                                if len(cells) == 7 and cells[5].endswith("%")]
        self.fits = re.search(r"^The program is right about (.*)\.$", text, re.MULTILINE)[1]

    def kind(self, name):
        """Of a line of the first table, with the case that is farthest off."""
        rows, median, _ = self.kinds[name]
        title, _, how = name.partition(", ")
        of = [row for row in self.rows[title[:1].upper() + title[1:]] if row[3].startswith(how)]
        if len(of) != rows:
            raise SystemExit(f"docs/predictions.md: '{name}' has {rows} rows in the first table and {len(of)} in its own")
        record, case, error, _ = max(of, key=lambda row: abs(row[2]))
        return f"median {median}, worst {error:+.1f} % ({record}: {case}), of {plural(rows)}"

    def some(self, title, of):
        """Of the rows of a table that `of` picks by publication and case."""
        errors = [row[2] for row in self.rows[title] if of(row[0], row[1])]
        if not errors:
            raise SystemExit(f"docs/predictions.md: no such rows below '{title}'")
        size = [abs(e) for e in errors]
        return f"{size[0]:.1f} %, one published figure" if len(size) == 1 else f"median {statistics.median(size):.1f} %, worst {max(size):.1f} %, of {plural(len(size))}"


# -------------------------------------------------------------------------------------------------------------- expected figures
# Title, metrics, formula of the ceiling (and of what stands in the place of a published figure), source, and the known error where the
# examples do not give it. The unit is the table's.
EXPECTED = (
    ("Device and host memory", ("memory.copy", "memory.scale", "memory.add", "memory.triad"),
     "GPU:   ceiling = memory bandwidth of the data sheet\nhost:  ceiling = populated channels x transfer rate x 8 B\n",
     "the part's data sheet (catalogue); arithmetic. Published triads: `src/targets/published.cc`. Copy, scale and add have a ceiling only", ""),
    ("Matrix multiplication", ("gemm.fp64", "gemm.fp32", "gemm.tf32", "gemm.bf16", "gemm.fp16", "gemm.fp8"),
     "GPU:   ceiling = dense peak of the data type at the power limit as shipped\nhost:  ceiling = cores x clock x operations a cycle (FP32: twice those of FP64)\n",
     "the part's data sheet (catalogue); arithmetic. Published figures: `src/targets/published.cc`", ""),
    ("LINPACK", ("hpl.score",),
     "GPUs:  ceiling = GPUs x FP64 peak (of the tensor cores where there are any);  typical and floor = published figure of one GPU x GPUs\nhosts: ceiling = nodes x FP64 ceiling of a node;  no typical, no floor\n"
     "clusterc-hpl on GPUs: no typical, no floor. Predicted: 2/3 N^3 / sum over N/NB steps of max(update, rows + panel + ring),  m rows left, P x Q ranks\n"
     "  update  2 (m/P) (m/Q) NB / DGEMM of a GPU (0.972 x FP64 peak)\n"
     "  panel   (m/P) NB^2 / (0.646 x FP64 peak of one core, or of all cores of a GPU's share) + 2 (m/P) NB x 8 B / copy\n"
     "  ring    (m/P) NB x 8 B x (1 / messages + 1 / copy)   Q > 1;    rows    NB (m/Q) x 8 B x (2 / messages + 3 / copy)   P > 1\n",
     "the part's data sheet (catalogue); TOP500 and the publications in `src/targets/published.cc`, which are of the vendors' programs. Beyond the largest published system nothing is typical. The model: `src/targets/linpack_model.cc` (the order of work of validators/hpl; messages 9.0 GB/s and the panel's share are our own measurements, copies are published); it was never compared with a GPU", ""),
    ("LINPACK in mixed precision", ("hpl.mxp",),
     "ceiling = GPUs x FP16 peak;  typical = published figure of one GPU x GPUs;  no floor\n",
     "the part's data sheet (catalogue); one run of NVIDIA's program (`src/targets/published.cc`)", ""),
    ("All-reduce", ("nccl.all_reduce.busbw",),
     "ceiling = the largest that is available:        n ranks, k nodes, g GPUs in each, W of a GPU's links, B of a node's ports\n"
     "  NVLink term     W x (n-1)/n x g/(g-1);  with NVLink SHARP the larger of this and 2 W x (n-1)/n x g/(g+1)\n"
     "  one node        2 W x (n-1)/n x g/(g+1) with NVLink SHARP, else a ring: W\n"
     "  ring            min(W, B)\n  hierarchical    min(NVLink term, B/g x (n-1)/(k-1))\n  tree            min(NVLink term, B x (n-1)/n)        three nodes and more\n"
     "  in-network      min(NVLink term, B x 2(n-1)/n)       `sharp: true`\n"
     "typical = published figure of this node, or published share of the ceiling x ceiling\n",
     "NVIDIA/nccl-tests, doc/PERFORMANCE.md; shares and figures: `src/targets/collectives.cc`, `src/targets/published.cc`", ""),
    ("All-gather", ("nccl.all_gather.busbw",),
     "ceiling = min(W, B);  typical and floor = published shares of it\n",
     "NVIDIA/nccl-tests, doc/PERFORMANCE.md; shares: aigatech/vpbenchmarking, NVIDIA/aicr", ""),
    ("All-to-all", ("nccl.all_to_all.busbw",),
     "ceiling = B/g x (n-1)/(n-g) / load of the fullest link of the planned routing;  floor = stated share of it\n",
     "NVIDIA/nccl-tests, doc/PERFORMANCE.md and issue 267; the load is that of the plan",
     "not known: what healthy systems reach is stated in one source, without a log. The ceiling is an upper bound"),
    ("MPI all-reduce", ("mpi.allreduce.busbw",),
     "ceiling = the smallest of all computing nodes: ports x rate / 8 x payload share\n", "arithmetic; no published figure",
     "not known: no published figure is compared with it. The ceiling is an upper bound"),
    ("Storage", ("storage.write", "storage.read"),
     "ceiling = min(promised rate, else systems x data sheet rate; servers' ports; clients' ports)\nwhere ports decide: typical = published share of their payload\n",
     "the spec and the catalogue; arithmetic over RoCE v2 headers; share: gds-bench report, one node on 400 GbE",
     "not known: the share is that of one report. The ceiling is an upper bound"),
    ("Copies between host and GPU", ("pcie.copy", "pcie.copy.to_host", "pcie.copy.both"),
     "ceiling = lanes x rate of a lane x payload / (payload + headers);  the slower generation of GPU and processor\n",
     "PCI Express Base Specification 5.0, sections 2.2.1, 3.6 and 4.2; published figures: `src/targets/published.cc`, by generation, on virtual machines and bare metal", ""),
    ("Copies between GPUs over NVLink", ("nvlink.links", "nvlink.copy"),
     "ceiling = rate of all links of a GPU, one way (`gpu_link`);  nvlink.links: floor = ceiling, less rounding\n",
     "the part's data sheet (catalogue); published figures: `src/targets/published.cc`", ""),
    ("Ports of a node", ("fabric.links",),
     "ceiling = sum of ports x rate / 8;  floor = ceiling, less rounding\n", "arithmetic over the plan",
     "none beyond its inputs: a port runs at its rate, or it is absent or slower"),
    ("RDMA between two adapters", ("rdma.write", "rdma.gpu_write"),
     "ceiling = rate of a port / 8 x payload share\n", "RoCE v2 headers (IBTA annex A17); published figures: `src/targets/published.cc`, by kind and rate of the network", ""),
)
# What the examples of expected figures are computed for.
HARDWARE = (
    ("DGX A100, one node", "1", "model: nvidia-dgx-a100-640", 200),
    ("DGX H100, four nodes", "1-4", "model: nvidia-dgx-h100", 400),
    ("DGX H200, four nodes", "1-4", "model: nvidia-dgx-h200", 400),
    ("DGX B200, four nodes", "1-4", "model: nvidia-dgx-b200", 400),
)
# Where publications were compared with a typical figure: kind in docs/predictions.md.
COMPARED = {"nccl.all_reduce.busbw": "all-reduce", "hpl.score": "LINPACK"}
SPEC = """clusterc: 1
rules: 2026.11
name: formulas
site: {{ kind: cloud, provider: local }}
nodes:
  gpu: {{ names: "n[{}]", {} }}
networks:
  compute: {{ kind: infiniband, rate: {} Gb/s, connects: {{ gpu: {{ ports: compute }} }} }}
"""


def expected_figures(clusterc):
    """{metric: [(hardware, figure of plan.json)]}"""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spec.yaml")
        for name, nodes, what, rate in HARDWARE:
            with open(path, "w", encoding="utf-8") as file:
                file.write(SPEC.format(nodes, what, rate))
            done = subprocess.run([clusterc, "plan", path, "--format", "json"], capture_output=True, text=True, check=False)
            if not done.stdout:
                raise SystemExit(f"clusterc plan of {name}: {done.stderr}")
            for figure in json.loads(done.stdout)["expected"]:
                found.setdefault(figure["test"], []).append((name, figure))
    return found


def si(value, unit):
    if value is None:
        return ""
    for prefix, factor in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if value >= factor:
            return f"{value / factor:.4g} {prefix}{unit}"
    return f"{value:.4g} {unit}"


def examples(metrics, units, found):
    """A table of what the program expects of known hardware, the shares of the ceiling that are typical, and how far the
    lowest healthy publication is from the typical figure where there are several."""
    rows, shares, spreads = "", [], []
    for metric in metrics:
        for hardware, figure in found.get(metric, ()):
            ceiling, typical, floor = (figure[key]["value"] for key in ("ceiling", "typical", "floor"))
            if ceiling is None or typical is None and floor is None:
                continue
            if typical is not None:
                shares.append(typical / ceiling)
            guard = re.match(r"lowest healthy figure .* x guard ([\d.]+)$", figure["floor"]["derivation"])
            if guard and typical is not None and figure["basis"] == "measured":
                spreads.append(floor / float(guard[1]) / typical - 1)
            rows += (f"| `{metric}` | {hardware}, {figure['scope']} | {si(ceiling, units[metric])} | {si(typical, units[metric])} | {si(floor, units[metric])} | "
                     f"{'' if typical is None else f'{typical / ceiling:.2f}'} | {figure['basis']} | {figure['ceiling']['derivation']} |\n")
    table = ("\n| metric | hardware, scope | ceiling | typical | floor | typical / ceiling | basis | ceiling comes from |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n" + rows) if rows else ""
    return table, shares, spreads


def error_of(metrics, shares, spreads, predictions):
    """The known error of expected figures, as the examples and docs/predictions.md show it."""
    out = [f"typical against publications that it does not come from: {predictions.kind(COMPARED[metric])} ([predictions.md](predictions.md))" for metric in metrics if metric in COMPARED]
    if spreads:
        below = f"{max(0.0, -min(spreads)) * 100:.1f} % below"
        out.append(f"the lowest healthy publication is {'at' if below.startswith('0.0') else 'up to ' + below} the typical figure (examples with the basis *measured*)")
    if shares:
        least, most = f"{min(shares):.2f}", f"{max(shares):.2f}"
        out.append(f"the ceiling is an upper bound, of which {least if least == most else f'{least} to {most}'} is typical in the examples")
    if not spreads:
        out.append("the spread between systems is not known")
    return "; ".join(out)


# --------------------------------------------------------------------------------------------------------------------- workloads
TERM_UNITS = {"memory of a GPU at its peak": "bytes of a GPU", "term of a step": "s of a step", "micro batches in flight": "micro batches"}
TITLES = {"memory of a GPU at its peak": "Memory of a GPU at its peak", "term of a step": "Time of a training step"}


def workload_tables(source):
    """The tables of docs/workloads.md that have a column `source`: {heading of the first column: [(term, formula, source)]}"""
    with open(os.path.join(source, "docs", "workloads.md"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    tables, name = {}, None
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
        if len(cells) != 3:
            name = None
        elif cells[2] == "source":
            name = cells[0]
            tables[name] = []
        elif name and not set(cells[0]) <= {"-", " "}:
            tables[name].append(tuple(cells))
    if set(tables) != set(TITLES):
        raise SystemExit(f"docs/workloads.md: the tables with sources are {sorted(tables)}, and tests/formulas.py has titles for {sorted(TITLES)}")
    unnamed = [term for rows in tables.values() for term, _, where in rows if not where]
    if unnamed:
        raise SystemExit(f"docs/workloads.md: no source of {', '.join(unnamed)}")
    return tables


def serving_constants(source):
    """The fitted constants of src/targets/serving.h as docs/workloads.md writes them: shares, operations, ms, us."""
    with open(os.path.join(source, "src", "targets", "serving.h"), encoding="utf-8") as file:
        found = dict(re.findall(r"constexpr double (k\w+) = ([0-9.e-]+);", file.read()))
    matrix, expert, vector = found["kServingMatrixShare"], found["kServingExpertShare"], found["kVectorOperations"]
    step, start = f"{float(found['kServingHost']) * 1e3:.3g}", f"{float(found['kServingLayerStart']) * 1e6:.3g}"
    with open(os.path.join(source, "docs", "workloads.md"), encoding="utf-8") as file:
        text = file.read()
    for words in (f"({matrix} x dense peak", f"{matrix} and {expert} are fitted", f"{vector} is fitted", f"{step} ms x the square root of the sequences", f"{start} us for each layer"):
        if words not in text:
            raise SystemExit(f"docs/workloads.md: the table of the engine's step lacks '{words}', as src/targets/serving.h has it")
    return matrix, expert, vector, step, start


def workloads(predictions, tables, constants):
    """(markdown, [error of each formula])"""
    step, peaks = predictions.kind("step time"), predictions.kind("memory: peaks")
    states = predictions.some("Memory: states, weights, keys and values", lambda record, case: record == "zero-table1")
    serving = predictions.some("Memory: states, weights, keys and values", lambda record, case: record == "llama31-serving-memory")
    checkpoint = predictions.some("Memory: states, weights, keys and values", lambda record, case: "checkpoint" in record)
    power = predictions.kind("power under LINPACK")
    matrix, expert, vector, host, start = constants
    errors = []
    out = ("\n## Plans of workloads\n\n[workloads.md](workloads.md) describes them. The errors are those of [predictions.md](predictions.md), where no figure is compared with a publication that it was taken from.\n")
    by_table = {"memory of a GPU at its peak": f"sum of the terms: {peaks}; states alone: {states}. Of other single terms: not known",
                "term of a step": f"sum of the terms: {step}. Of single terms: not known, publications have the sum only"}
    for name, rows in tables.items():
        out += f"\n### {TITLES[name]}\n\n| term | formula | unit | source |\n| --- | --- | --- | --- |\n"
        out += "".join(f"| {term} | {formula} | {TERM_UNITS.get(term, TERM_UNITS[name])} | {where} |\n" for term, formula, where in rows)
        out += f"\nKnown error: {by_table[name]}.\n"
        # The sum is compared with publications, and of its terms the states of training alone.
        errors += ["known"] + ["known" if term.startswith("weights, gradients") else NOT_KNOWN for term, _, _ in rows]
        if name == "term of a step":
            out += "\n| kind of model | error of the step time |\n| --- | --- |\n"
            out += "".join(f"| {kind.removeprefix('step time, ')} | {predictions.kind(kind)} |\n" for kind in predictions.kinds if kind.startswith("step time, "))
    more = (
        ("Whether a model fits", "memory of a GPU at its peak <= 0.9 x memory of the GPU\n", "bytes of a GPU on both sides", "the terms above; 0.9 is policy", f"the program is right about {predictions.fits}"),
        ("Checkpoint", "size = 14 x parameters (fine-tuning: those that are trained);  time = size / rate of the storage\n", "bytes; s", "S. Rajbhandari et al., ZeRO, SC 2020, section 3.1",
         f"size: {checkpoint}; time: not known, a lower bound"),
        ("Interval and goodput", "M = GPU-hours between interruptions / GPUs\nYoung:   interval = sqrt(2 x save x M)\nDaly:    interval = Young x (1 + sqrt(x)/3 + x/9) - save,   x = save / (2 M)\n"
         "goodput = 1 - save/interval - (interval/2 + restart)/M\n", "s; the goodput is a share", "J. Young, 1974; J. Daly, 2006; rate of interruptions: Llama 3, arXiv 2407.21783, section 3.3.4",
         "not known for another cluster; see [work-goodput-low-at-scale](rules/work-goodput-low-at-scale.md)"),
        ("Time of a run", "time = tokens / (tokens a second x goodput)\n", "s", "arithmetic", f"that of the step time: {step}; that of the goodput is not known"),
        ("Weights, keys and values in serving", "weights of a GPU = parameters x bytes / (tensor x pipeline)\nkeys and values of a token = 2 x layers x key-value heads x head size x bytes;  on a GPU: / (min(tensor, key-value heads) x pipeline)\n",
         "bytes of a GPU", "Hugging Face, Llama 3.1 (memory tables)", serving),
        ("Step of a serving engine", f"products  = sqrt((2 x active parameters x tokens / ({matrix} x dense peak x GPUs))^2 + (weights read / memory bandwidth)^2); experts at {expert} of that rate\n"
         "cache     = sequences x (input + output/2) x bytes of a token / memory bandwidth\nattention = 2 x layers x heads x head size x input^2 x prompts / attention rate\n"
         f"vector    = numbers moved x {vector} / FP32 rate\nstart     = {start} us x layers\nengine    = {host} ms x sqrt(sequences)\n"
         "GPU       = pipeline x (products + cache + attention + vector + communication + start) + sends\nstep      = sqrt(GPU^2 + (pipeline x engine)^2)\ntokens/s  = sequences / step\n",
         "s; tokens/s", f"[workloads.md](workloads.md#the-step-of-the-engine); fitted: {matrix}, {expert}, {vector}, {host} ms, {start} us", "[predictions-serving.md](predictions-serving.md): 98 published rates, each judged without the rows of its model"),
        ("Power of a node under load", "power = (parts at rated power + fans) / efficiency of the supplies\n", "W at the wall", "`src/model/power.h`: fans, memory modules and drives are planning defaults",
         f"{power}, all of DGX H100 under LINPACK"),
        ("Time of an all-reduce of one message", "time = bytes x 2(n-1)/n / plateau + latency of the size\n", "s", "published curves (`src/targets/collectives.cc`); hops: NVIDIA/nccl src/graph/tuning.cc",
         "by size: " + predictions.some("All-reduce", lambda record, case: "in-network" in case) + " on twelve nodes with in-network reduction; other sizes and systems: not known"),
    )
    for title, formula, unit, source, error in more:
        out += entry(title, formula, unit, source, error)
        errors.append(how_known(error))
    return out, errors


# -------------------------------------------------------------------------------------------------------------------------- page
def page(clusterc, source, families, explanations, metrics):
    """docs/formulas.md without its first line. families: {prefix: title}; explanations: {rule: text}; metrics: `validate --list`."""
    wrong = [f"{rule}: {lack}" for rule, text in explanations.items() for lack in lacking(text)]
    named = [metric for _, of, _, _, _ in EXPECTED for metric in of]
    with_origin = [m["name"] for m in metrics if m["origin"]]
    wrong += [f"{metric}: EXPECTED of tests/formulas.py has no formula for it" for metric in with_origin if metric not in named]
    wrong += [f"{metric}: EXPECTED of tests/formulas.py has a formula, the table of metrics has no origin" for metric in named if metric not in with_origin]
    if wrong:
        raise SystemExit("\n".join(wrong))
    parts = {rule: parts_of(text) for rule, text in explanations.items()}
    predictions, units = Predictions(source), {m["name"]: m["unit"] for m in metrics}
    body, counts = "", []        # counts: (part of the page, formulas, {how known: n}, conditions)
    for family, title in families.items():
        mine = {rule: p for rule, p in parts.items() if rule.split("-")[0] == family}
        numeric = {rule: p for rule, p in mine.items() if not is_condition(p)}
        if numeric:
            body += f"\n## {title}\n"
        for rule, p in numeric.items():
            body += entry(f"[{rule}](rules/{rule}.md)", p["formula"], p["unit"], links(p["source"]), links(p["error"]), links(p["notes"]))
        if mine:
            counts.append((title, [how_known(p["error"]) for p in numeric.values()], len(mine) - len(numeric)))
    found = expected_figures(clusterc)
    body += ("\n## Expected figures\n\nThe metrics of the validators that are judged: [metrics.md](metrics.md). Of all of them:\n\n```text\ntypical = median of the published results of healthy systems with this hardware\n"
             "floor   = the larger of: lowest published healthy result x guard;  highest published pass limit that healthy systems meet\n```\n\nA result that was seen on other hardware gives a typical figure and no floor. "
             "`clusterc plan --format json` has the derivation and the source of each figure. The examples are computed by this program; *basis* says what the typical figure and the floor rest on: *measured* (several publications), *single*, *gate* (a published pass limit), *transferred* from other hardware, *stated* without a log.\n")
    known = []
    for title, of, formula, where, error in EXPECTED:
        table, shares, spreads = examples(of, units, found)
        error = error or error_of(of, shares, spreads, predictions)
        unit = " or ".join(dict.fromkeys(units[metric] for metric in of))
        body += entry(f"{title}: {', '.join(f'`{metric}`' for metric in of)}", formula, f"{unit} on both sides", where, error) + table
        known.append(how_known(error))
    counts.append(("Expected figures", known, 0))
    text, known = workloads(predictions, workload_tables(source), serving_constants(source))
    body += text
    counts.append(("Plans of workloads", known, 0))
    body += ("\n## Conditions without a figure\n\nThese rules compare names, settings or releases, and no quantities. Their pages have the condition and its source.\n\n| rule | |\n| --- | --- |\n")
    body += "".join(f"| [{rule}](rules/{rule}.md) | {p['unit'].removeprefix('none. ')} |\n" for rule, p in parts.items() if is_condition(p))
    out = ("# Formulas\n\nHow clusterc computes each figure that it compares: the formula, the unit of both sides, the source, and how wrong the figure can be. "
           "`clusterc explain RULE` prints the same of one rule. Quantities are computed in SI units and printed with prefixes.\n\n"
           "*None beyond its inputs* is arithmetic: the figure is as right as the spec and the catalogue. *Known* means that the entry bounds the error, gives its direction, or compares it with publications. "
           "*Not known* means that no publication is compared with it. Where an entry says several of these, the table counts the first.\n\n"
           "| part | formulas | error: none beyond its inputs | known | not known | conditions without a figure |\n| --- | --- | --- | --- | --- | --- |\n")
    total = [0, 0, 0, 0, 0]
    for title, how, conditions in counts:
        row = [len(how), how.count(NONE_BEYOND), how.count("known"), how.count(NOT_KNOWN), conditions]
        total = [a + b for a, b in zip(total, row)]
        out += f"| {title} | " + " | ".join(map(str, row)) + " |\n"
    return out + "| all | " + " | ".join(map(str, total)) + " |\n" + body
