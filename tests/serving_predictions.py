#!/usr/bin/env python3
"""Serving rates that the program predicts, against published ones; docs/predictions-serving.md.

usage: serving_predictions.py CLUSTERC SOURCE WORK [--write | --rows]
Plans each row of tests/serving_rates.yaml. For each model the fitted constants are refitted without the rows of this model; the error
is that of the refitted constants. The terms of a step that the program prints depend on the constants one by one, so a refit needs no
new plan. tests/serving_latencies.yaml has times of few users, tests/serving_rates_other.yaml a second publication: nothing of full load
is fitted to them. --write writes the page; without it the page must be the one that stands there, and the errors within the limits.
"""
import json
import math
import os
import statistics
import subprocess
import sys

import yaml

clusterc, source, work = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
write = "--write" in sys.argv[4:]
os.makedirs(work, exist_ok=True)
MEDIAN, NINETIETH, FACTOR = 20.0, 50.0, 2.0

MODELS = {  # configuration files of the models
    "Llama 4 Scout": dict(parameters=107.8e9, active_parameters=17.2e9, layers=48, hidden=5120, heads=40, kv_heads=8, head_size=128, vocabulary=202048, experts=16, experts_per_token=1),
    "Llama 3.3 70B": dict(parameters=70.554e9, layers=80, hidden=8192, ffn=28672, heads=64, kv_heads=8, vocabulary=128256),
    "Qwen3-30B-A3B": dict(parameters=30.53e9, active_parameters=3.35e9, layers=48, hidden=2048, heads=32, kv_heads=4, head_size=128, vocabulary=151936, experts=128, experts_per_token=8),
    "Llama 3.1 8B": dict(parameters=8.0303e9, layers=32, hidden=4096, ffn=14336, heads=32, kv_heads=8, vocabulary=128256),
}
SERVERS = {
    "nvidia-a100-sxm4-80": "model: nvidia-dgx-a100-640",
    "nvidia-h100-sxm5-80": "model: nvidia-dgx-h100",
    "nvidia-h200-sxm5-141": "model: nvidia-dgx-h200",
    "nvidia-b200-sxm-180": "model: nvidia-dgx-b200",
    "nvidia-gb200-gpu": "server: { like: generic-2u, gpus: { count: 4, model: nvidia-gb200-gpu }, nics: { compute: 4 x cx7-ndr-osfp } }",
    "nvidia-h100-pcie-80": "server: { like: generic-4u-pcie8, gpus: 8 x nvidia-h100-pcie-80, nics: { compute: 1 x cx7-ndr-osfp } }",
    "nvidia-rtx-pro-6000-server": "server: { like: generic-4u-pcie8, gpus: 8 x nvidia-rtx-pro-6000-server, nics: { compute: 1 x cx7-ndr-osfp } }",
}
FITTED = {  # constant: (least, most) of the search, meaning
    "matrix_share": (0.3, 0.98, "share of the dense peak that matrix products reach (`kServingMatrixShare`)"),
    "expert_share": (0.1, 1.0, "of that, in the products of experts (`kServingExpertShare`)"),
    "vector_operations": (30, 400, "FP32 operations that the time of kernels between the products stands for, for each number that they move (`kVectorOperations`)"),
    "host_s": (0.0, 0.005, "seconds of a step on the CPU, for the square root of its sequences (`kServingHost`)"),
}
LATENCY = 15.0  # median error of the times of few users, per cent


def inline(mapping):
    return "{ " + ", ".join(f"{k}: {inline(v) if isinstance(v, dict) else v}" for k, v in mapping.items()) + " }"


def workload(row):
    """The row as its source ran it: TensorRT-LLM sets at most 4,096 sequences and 32,768 tokens a step (tensorrt_llm/bench/build/tuning.py)."""
    if "users" in row:
        return {"kind": "inference", "model": {"preset": row["model"], "sequence": 8192}, "precision": row["precision"], "weight_precision": row["weights"], "split": {"tensor": row["tp"]},
                "requests": {"input": row["input"], "output": row["output"]}, "engine": {"sequences": row["users"]}}
    if "total_tokens_per_s" in row:
        return {"kind": "inference", "model": {"preset": row["model"], "sequence": 40000}, "precision": row["precision"], "weight_precision": row["weights"], "split": {"tensor": row["tp"]},
                "requests": {"input": row["input"], "output": row["output"]}, "engine": {"sequences": row["sequences"], "prefill_chunk": row["chunk"]}}
    experts = "experts" in MODELS[row["model"]]
    split = {"pipeline": row["pp"]}
    ways = row["tp"]
    split.update({"tensor": 1, "expert": ways, "data": ways} if experts and ways > 1 else {"tensor": ways})
    data = split.get("data", 1)
    return {"kind": "inference", "model": MODELS[row["model"]], "precision": row["precision"], "kv_precision": row.get("kv", "fp8"), "split": split,
            "requests": {"input": row["input"], "output": row["output"]}, "engine": {"sequences": 4096 // data, "prefill_chunk": 32768 // data}}


def plan(rows):
    """One spec for each kind of GPU, a workload for each row."""
    found = {}
    for gpu in dict.fromkeys(r["gpu"] for r in rows):
        text = f"""clusterc: 1
rules: 2026.11
name: published
site: {{ kind: cloud, provider: local }}
nodes:
  gpu: {{ names: "n[1-8]", {SERVERS[gpu]} }}
networks:
  compute: {{ kind: infiniband, rate: 400 Gb/s, connects: {{ gpu: {{ ports: compute }} }} }}
{"nvlink: { rack: { nodes: [gpu], size: 72 } }" if "gb" in gpu else ""}
workloads:
"""
        for i, row in enumerate(rows):
            if row["gpu"] == gpu:
                text += f"  r{i}: {inline({**workload(row), 'on': {'gpu': 8}})}\n"
        path = os.path.join(work, gpu + ".yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([clusterc, "plan", path, "--format", "json"], capture_output=True, text=True, check=False)
        if not done.stdout:
            sys.exit(f"FAILED: clusterc plan {path}: {done.stderr}")
        for one in json.loads(done.stdout)["workloads"]:
            found[int(one["name"][1:])] = one.get("serving")
    return [found.get(i) for i in range(len(rows))]


def step(copy, held, constants):
    """Seconds of the step that the program would say with other constants."""
    s = copy["step_terms_s"]
    scale = {k: constants[k] / held[k] for k in held}
    products = s["dense"] / scale["matrix_share"] + s["experts"] / scale["matrix_share"] / scale["expert_share"]
    gpu = (math.hypot(products, s["weights"]) + s["vector"] * scale["vector_operations"] + s["cache"] + s["attention"] + s["communication"] + s["sends"]
           + s["start"] * scale["layer_start_s"])
    return math.hypot(gpu, s["host"] * scale["host_s"])


def rate(copy, held, constants):
    return copy["sequences"] / step(copy, held, constants)


def fit(cases, held):
    """Least mean of |x| + x^2, x: logarithm of predicted over published; each constant by turns, by halving steps."""
    def loss(c):
        errors = [math.log(rate(copy, held, c) / published) for copy, published in cases]
        return sum(min(abs(x), 1) + x * x for x in errors) / len(errors)
    best = dict(held)
    least, steps = loss(best), {k: 0.2 for k in FITTED}
    for _ in range(120):
        for k in FITTED:
            low, high, _ = FITTED[k]
            for move in (steps[k], -steps[k]):
                tried = {**best, k: min(high, max(low, best[k] + move * (high - low)))}
                value = loss(tried)
                if value < least - 1e-10:
                    best, least = tried, value
                    break
            else:
                steps[k] *= 0.6
    return best


def few_users():
    """Lines of the page and the median error: times between the tokens of few users, each with the time of starting kernels from the other publication."""
    with open(os.path.join(source, "tests", "serving_latencies.yaml"), encoding="utf-8") as file:
        rows = yaml.safe_load(file)["rows"]
    plans = plan(rows)
    held, copies = plans[0]["constants"], [p["as_written"] for p in plans]

    def ratio(i, start):
        return step(copies[i], held, {**held, "layer_start_s": start}) * 1e3 / rows[i]["token_ms"]

    def start_of(where):
        """Where the median of predicted over published is 1, of its rows of at most eight users."""
        low, high = 1e-6, 1e-3
        for _ in range(60):
            middle = (low + high) / 2
            at = statistics.median(ratio(i, middle) for i, r in enumerate(rows) if r["source"] == where and r["users"] <= 8)
            low, high = (middle, high) if at < 1 else (low, middle)
        return low

    sources = list(dict.fromkeys(r["source"] for r in rows))
    own = {s: start_of(s) for s in sources}
    other = {s: statistics.mean(own[o] for o in sources if o != s) for s in sources}
    found, errors = [], []
    for i, row in enumerate(rows):
        said = ratio(i, held["layer_start_s"]) * row["token_ms"]
        errors.append(abs(ratio(i, other[row["source"]]) - 1) * 100)
        first = f"{row['first_ms']:,.0f} | {copies[i]['first_token_s'] * 1e3:,.0f}" if "first_ms" in row else " | "
        found.append(f"| {row['source']} | {row['model']} | {row['tp']} | {row['precision']} | {row['users']} | {row['input']:,} | {row['output']:,} | {row['token_ms']:.2f} | {said:.2f} | {(ratio(i, other[row['source']]) - 1) * 100:+.0f} % | {first} |")
    mean = statistics.mean(own.values())
    text = ["", "## Few users", "",
            "Times between the tokens of few users at once, on H100 (`tests/serving_latencies.yaml`, with the sources). No rate of full load is among these rows, and no other constant comes from them than the time in which the kernels of a layer start and end "
            f"(`kServingLayerStart`, {held['layer_start_s'] * 1e6:.3g} us): {' and '.join(f'{own[s] * 1e6:.3g} us from {s}' for s in sources)}. The error is that with the value of the other publication.", "",
            f"{len(rows)} rows: median error {statistics.median(errors):.1f} %, largest {max(errors):.0f} %. Times to the first token are shown beside, where the source has them; in them is what the server does before the engine sees the request, which the program leaves out.", "",
            "| source | model | tensor | precision | users | input | output | published, ms | said, ms | error | first token, published, ms | said, ms |", "| --- " * 12 + "|", *found]
    return text, statistics.median(errors), mean, held["layer_start_s"]


def total(row, planned):
    """Prompt and output tokens a second of a row's copy."""
    return (planned or {}).get("as_written", {}).get("tokens_per_second", 0) * (row["input"] + row["output"]) / row["output"]


def other_publication():
    """Lines of the page: rows that no constant comes from, with the constants as they are built in."""
    with open(os.path.join(source, "tests", "serving_rates_other.yaml"), encoding="utf-8") as file:
        rows = yaml.safe_load(file)["rows"]
    slower = [{**r, "gpu": "nvidia-h100-pcie-80"} for r in rows if r["model"] == "qwen3-14b"]
    pcie = [total(r, p) / r["total_tokens_per_s"] for r, p in zip(slower, plan(slower))]
    found, ratios = [], []
    for row, p in zip(rows, plan(rows)):
        said = total(row, p)
        ratios.append(said / row["total_tokens_per_s"] if said else FACTOR)
        found.append(f"| {row['model']} | {row['gpu']} | {row['tp']} | {row['precision']}, weights {row['weights']} | {row['input']:,} | {row['output']:,} | {row['total_tokens_per_s']:,} | {said:,.0f} | {(ratios[-1] - 1) * 100:+.0f} % |")
    errors, factors = sorted(abs(x - 1) * 100 for x in ratios), sorted(max(x, 1 / x) for x in ratios)
    return ["", "## Another publication", "",
            "GPUStack published rates of vLLM and SGLang with other models and GPUs (`tests/serving_rates_other.yaml`), where 100 to 500 requests arrive at once. Nothing is fitted to them. The rates count prompts and answers.", "",
            f"{len(rows)} rows: median error {statistics.median(errors):.1f} %, 90th percentile {errors[math.ceil(0.9 * len(errors)) - 1]:.1f} %, largest factor {factors[-1]:.2f}.", "",
            "The rows of Qwen3-14B are the farthest off, whatever the lengths. The settings do not explain it (no prefix cache takes part with random prompts, all requests arrive at once, chunks are those of the row). The pages' own times between tokens do:", "",
            "* On the laboratory's page of Qwen3-32B (`qwen3-32b/h100.md`) one sequence at a time gets a token each 43.3 ms. Each reads 65.5 GB of weights, so the memory delivers about 1.5 TB/s; an H100 SXM has 3.35 TB/s, an H100 PCIe 2.0 TB/s. The page of latencies (Qwen3-8B, see above: 7.28 ms for 16.4 GB) fits an H100 SXM.",
            "* On the page of Qwen3-14B a step full of prompts (8,192 tokens) takes 642 ms, the 99th percentile of the time between tokens: 350 TFLOP/s, of 989 at the peak of an H100 SXM. Steps without prompts take 46 ms at 130 sequences, for 75 GB of weights, keys and values: 1.6 TB/s.",
            f"* Planned with an H100 PCIe, these rows are {(min(pcie) - 1) * 100:+.0f} to {(max(pcie) - 1) * 100:+.0f} % off. The table has the hardware that the pages state.", "",
            "| model | GPU | tensor | precision | input | output | published, tokens/s | said | error |", "| --- " * 9 + "|", *found]


def main():
    with open(os.path.join(source, "tests", "serving_rates.yaml"), encoding="utf-8") as file:
        rows = yaml.safe_load(file)["rows"]
    plans = plan(rows)
    held = next(p for p in plans if p)["constants"]
    usable = [i for i, p in enumerate(plans) if p and "as_written" in p and p["as_written"].get("tokens_per_second")]
    cases = {i: (plans[i]["as_written"], rows[i]["output_tokens_per_s"]) for i in usable}
    all_fit = fit(list(cases.values()), held)
    without = {m: fit([c for i, c in cases.items() if rows[i]["model"] != m], held) for m in MODELS}
    table = []
    for i, row in enumerate(rows):
        if i not in cases:
            table.append((row, None, None, FACTOR))
            continue
        copy, published = cases[i]
        predicted = rate(copy, held, without[row["model"]])
        table.append((row, rate(copy, held, held), predicted, predicted / published))
    ratios = [t[3] for t in table]

    def figures(of):
        errors, factors = sorted(abs(x - 1) * 100 for x in of), sorted(max(x, 1 / x) for x in of)
        return statistics.median(errors), errors[min(len(errors) - 1, math.ceil(0.9 * len(errors)) - 1)], factors[-1]

    spread = sorted(1 / r for r in ratios)
    low, high = spread[int(0.1 * len(spread))], spread[int(0.9 * len(spread))]
    median, ninetieth, factor = figures(ratios)
    out = ["# Predicted serving rates against publications", "",
           "Generated by `tests/serving_predictions.py CLUSTERC SOURCE WORK --write`. Do not edit.", "",
           "Each row of `tests/serving_rates.yaml` is a published rate at full load (NVIDIA/TensorRT-LLM, performance overview of release 1.0): output tokens per second of one copy. The test plans each row. Four constants are fitted.",
           "No row is judged by constants that were fitted to its own model: column *without* is the rate with constants that were fitted to the rows of the other models.", "",
           "| rows | median error | 90th percentile | largest factor |", "| --- | --- | --- | --- |",
           f"| all {len(rows)} | {median:.1f} % | {ninetieth:.1f} % | {factor:.2f} |"]
    groups = [(f"{m}", lambda r, m=m: r["model"] == m) for m in MODELS] + [(g, lambda r, g=g: r["gpu"] == g) for g in SERVERS if any(r["gpu"] == g for r in rows)] + [("prompts of 2,000 and more", lambda r: r["input"] >= 2000), ("prompts longer than answers", lambda r: r["input"] > r["output"])]
    for name, is_in in groups:
        of = [t[3] for t in table if is_in(t[0])]
        a, b, c = figures(of)
        out.append(f"| {name}: {len(of)} | {a:.1f} % | {b:.1f} % | {c:.2f} |")
    out += ["", f"From the tenth to the ninetieth of a hundred, published rates are {low:.2f} to {high:.2f} of the figure; the plan prints this range beside its rates.", "",
            "## Fitted constants", "", "| constant | built in | all rows | " + " | ".join(f"without {m}" for m in MODELS) + " |", "| --- " * (3 + len(MODELS)) + "|"]
    for k, (_, _, what) in FITTED.items():
        out.append(f"| {what} | {held[k]:.3g} | {all_fit[k]:.3g} | " + " | ".join(f"{without[m][k]:.3g}" for m in MODELS) + " |")
    out += ["", "All constants come from all rows. Three kinds of rows determine them: long prompts the matrix and vector constants, long answers the bandwidth, and small models the time of the CPU. The form of this time was chosen among twelve with these rows in view (a constant, shares of layers, powers and saturating curves of the sequences, each added or hidden behind the GPU): work on the CPU that the GPU's hides, sqrt(GPU^2 + CPU^2), is the only one that serves full load and few users alike.", "",
            "What limits the figure:", "",
            "* GB200 rows of Qwen3-30B-A3B are published lower than those of B200 with the same prompts. The model has the higher bandwidth and peak of GB200, and is too high by up to a factor of 1.6.",
            "* Llama 4 Scout on four H100 has little memory beside the weights. The batch that the engine really held is not published; the figure is too high by up to a factor of 1.5.",
            "* The source publishes rates at full load alone: the section on few users has latencies.", "",
            "## Rows", "", "| model | GPU | tensor x pipeline | precision | input | output | published, tokens/s | said | without | error |", "| --- " * 10 + "|"]
    for row, said, predicted, ratio in table:
        out.append(f"| {row['model']} | {row['gpu']} | {row['tp']} x {row['pp']} | {row['precision']} | {row['input']:,} | {row['output']:,} | {row['output_tokens_per_s']:,} | "
                   + (f"{said:,.0f} | {predicted:,.0f} | {(ratio - 1) * 100:+.0f} % |" if said else "not computed | | factor 2 |"))
    few, few_median, start, start_held = few_users()
    out += few
    out += other_publication()
    text = "\n".join(out) + "\n"
    failures = []
    if median > MEDIAN:
        failures.append(f"the median error is {median:.1f} %, more than {MEDIAN:g} %")
    if ninetieth > NINETIETH:
        failures.append(f"the 90th percentile is {ninetieth:.1f} %, more than {NINETIETH:g} %")
    if factor >= FACTOR:
        failures.append(f"a row is off by a factor of {factor:.2f}")
    if few_median > LATENCY:
        failures.append(f"the median error of few users is {few_median:.1f} %, more than {LATENCY:g} %")
    if abs(start_held / start - 1) > 0.05:
        failures.append(f"the program holds layer_start_s = {start_held:.4g}, the mean of the publications is {start:.4g}")
    for k in FITTED:
        if abs(held[k] / all_fit[k] - 1) > 0.05:
            failures.append(f"the program holds {k} = {held[k]:.4g}, the rows give {all_fit[k]:.4g}")
    said_low = plans[usable[0]]["tokens_per_second_low"] / plans[usable[0]]["tokens_per_second"]
    said_high = plans[usable[0]]["tokens_per_second_high"] / plans[usable[0]]["tokens_per_second"]
    if abs(said_low - low) > 0.02 or abs(said_high - high) > 0.02:
        failures.append(f"the program prints a range of {said_low:.2f} to {said_high:.2f}, the rows give {low:.2f} to {high:.2f}")
    path = os.path.join(source, "docs", "predictions-serving.md")
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        with open(path, encoding="utf-8") as file:
            if file.read() != text:
                failures.append("docs/predictions-serving.md is not what the program says: tests/serving_predictions.py … --write")
    print("\n".join(out[8:26]))
    print({k: float(f"{v:.4g}") for k, v in all_fit.items()}, f"{low:.3f} {high:.3f}")
    for f in failures:
        print("FAILED: " + f)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
