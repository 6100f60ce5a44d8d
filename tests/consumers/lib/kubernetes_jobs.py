#!/usr/bin/env python3
"""The compiled workloads of Kubernetes have the figures of the plan, and those of the same workloads under Slurm.

usage: kubernetes_jobs.py CLUSTERC SPEC WORKLOADS SCRIPTS     SCRIPTS: a folder for the scripts of the ConfigMaps
"""
import json
import pathlib
import re
import subprocess
import sys

import yaml

KINDS = {"torchrun": "JobSet", "deepspeed": "JobSet", "megatron": "JobSet", "jax": "JobSet", "horovod": "MPIJob", "mpi": "MPIJob", "ray": "RayJob"}


def settings(text):
    return dict(re.findall(r"^export (PLAN_[A-Z_]+)='?([^'\n]*)'?$", text, re.M))


def container(template):
    return template["spec"]["containers"][0]


def gpus(template):
    return int(container(template)["resources"]["limits"].get("nvidia.com/gpu", 0))


def pods(objects):
    """Numbers of pods with GPUs, and their GPUs."""
    for kind, o in objects.items():
        s = o.get("spec", {})
        if kind == "JobSet":
            job = s["replicatedJobs"][0]["template"]["spec"]
            assert job["parallelism"] == job["completions"] and job["completionMode"] == "Indexed", job
            return job["parallelism"], gpus(job["template"])
        if kind == "MPIJob":
            worker = s["mpiReplicaSpecs"]["Worker"]
            assert s["slotsPerWorker"] == gpus(worker["template"]), s
            assert "-np" in container(s["mpiReplicaSpecs"]["Launcher"]["template"])["command"], s
            return worker["replicas"], gpus(worker["template"])
        if kind == "RayJob":
            cluster = s["rayClusterSpec"]
            groups = cluster.get("workerGroupSpecs", [])
            assert all(gpus(g["template"]) == gpus(cluster["headGroupSpec"]["template"]) for g in groups), cluster
            return 1 + sum(g["replicas"] for g in groups), gpus(cluster["headGroupSpec"]["template"])
    raise AssertionError(f"no pods in {sorted(objects)}")


def option(words, name):
    return words[words.index("--" + name) + 1]


def served(name, objects, plan):
    workload = next(k for k in ("Deployment", "LeaderWorkerSet") if k in objects)
    spec = objects[workload]["spec"]
    copies = plan["serving"]
    split = next(c for c in (copies.get("as_written"), copies.get("fewest")) if c and c["fits"] and not c["tight"])
    if workload == "Deployment":
        size, templates = 1, [spec["template"]]
    else:
        lws = spec["leaderWorkerTemplate"]
        size, templates = lws["size"], [lws["leaderTemplate"], lws["workerTemplate"]]
    for number, template in enumerate(templates):
        words = container(template)["command"]
        assert words[:2] == ["vllm", "serve"], words
        tensor, pipeline = int(option(words, "tensor-parallel-size")), int(option(words, "pipeline-parallel-size"))
        assert (tensor, pipeline) == (split["tensor"], split["pipeline"]), (name, words, split)
        assert tensor * pipeline == size * gpus(template), (name, size, gpus(template))
        if size > 1:
            assert int(option(words, "nnodes")) == size and ("--headless" in words) == (number == 1), words
    scaler = objects.get("HorizontalPodAutoscaler")
    most = scaler["spec"]["maxReplicas"] if scaler else spec["replicas"]
    assert most == copies["copies"] and most * size * gpus(templates[0]) <= plan["gpus"], (name, most, copies)
    return 4


def main(clusterc, spec, folder, scripts):
    text = pathlib.Path(spec).read_text()
    slurm = pathlib.Path(scripts)
    slurm.mkdir(parents=True, exist_ok=True)
    twin = re.sub(r"scheduler: \{ kind: kubernetes.*", "scheduler: { kind: slurm, version: 24.11 }", text)
    twin = re.sub(r"^outputs:.*", "", twin, flags=re.M | re.S)
    twin = re.sub(r"containers: \[containerd\]", "containers: [enroot, pyxis]", twin)
    twin = twin.replace(", roles: [control-plane, etcd], ha: quorum", ", roles: [scheduler]").replace('names: "k[1-3]"', 'names: "k1"')
    (slurm / "slurm.yaml").write_text(twin)
    run = subprocess.run([clusterc, "compile", slurm / "slurm.yaml", "-o", slurm / "slurm", "--only", "jobs"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    plans = json.loads(subprocess.run([clusterc, "plan", spec, "--format", "json"], capture_output=True, text=True, check=False).stdout)["workloads"]
    figures = 0
    for plan in plans:
        name = plan["name"]
        path = pathlib.Path(folder) / (name + ".yaml")
        if not path.exists():
            continue
        objects = {o["kind"]: o for o in yaml.safe_load_all(path.read_text()) if o}
        for o in objects.values():
            assert o["metadata"]["namespace"] and o["metadata"]["name"].startswith(name), o["metadata"]
        if plan["kind"] == "inference":
            figures += served(name, objects, plan)
            continue
        data = objects["ConfigMap"]["data"]
        for file in ("settings.sh", "launch.sh"):
            (slurm / (name + "-" + file)).write_text(data[file])
        ours = settings(data["settings.sh"])
        theirs = settings((slurm / "slurm/jobs/workload" / name / "settings.sh").read_text())
        skipped = {"PLAN_CPUS"}   # the kubelet and pods of each node keep some
        assert {k: v for k, v in ours.items() if k not in skipped} == {k: v for k, v in theirs.items() if k not in skipped}, (name, ours, theirs)
        for file in ("ds_config.json", "megatron.args"):
            other = slurm / "slurm/jobs/workload" / name / file
            assert other.exists() == (file in data), (name, file)
            if other.exists():
                assert data[file] == re.sub(r"^# made by.*\n", "", other.read_text()), (name, file)
        number, each = pods(objects)
        assert number == int(ours["PLAN_NODES"]) and each == int(ours["PLAN_PROCESSES"]), (name, number, each, ours)
        if "reckoned_with" in plan:
            layout = plan[plan["reckoned_with"]]["split"]
            for key in ("tensor", "pipeline", "data", "context"):
                assert ours["PLAN_" + key.upper()] == str(layout[key]), (name, key)
        launcher = next(k for k in KINDS if KINDS[k] in objects)
        assert launcher, name
        queue = next(o for k, o in objects.items() if k in ("JobSet", "MPIJob", "RayJob"))["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
        assert queue == objects["ConfigMap"]["metadata"]["namespace"], (name, queue)
        figures += len(ours)
    assert figures > 50, figures
    print(f"ok: {figures} figures of the workloads equal those of the plan and of Slurm's jobs")


main(*sys.argv[1:])
