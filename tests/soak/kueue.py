#!/usr/bin/env python3
"""Compiled queues and first jobs before Kueue, MPI Operator, kube-scheduler and the job controller; kueue.sh starts them.

usage: kueue.py definitions CONFIG FOLDER      the files of Kueue's module (its folder config) as one server without a cluster around it takes them:
                                               definitions.yaml, webhooks.yaml (by address in the place of a service), kueue.yaml (the standard configuration)
       kueue.py run SERVER ORCHARD PODS        compiled trees of examples/kubernetes.yaml and tests/consumers/specs/kueue-pods.yaml

What is played is the kubelet alone: nodes appear with the taints that they join with and with the amounts that a kubelet reports; pods that are bound run, pods that are
deleted go. All else is what the programs do. Each broken twin of a tree must fail the check that the tree passes.
"""
import base64
import glob
import importlib.util
import json
import os
import re
import sys
import threading
import time
import urllib.parse

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.util.spec_from_file_location("kubernetes_server", os.path.join(HERE, "..", "consumers", "lib", "kubernetes.py"))
kubernetes = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(kubernetes)

# Threads and MemTotal in MiB of one node. 2063205: `slurmd -C` of a published node with 8 x H100, 2 x 56 cores and 2 TiB (src/model/node_memory.cc). 768 GiB: less 1/64 for
# the kernel's page structures, and 1 GiB for the firmware.
HARDWARE = {"gpu": (224, 2063205), "cpu": (384, 768 * 1024 * 63 // 64 - 1024)}
ADAPTER_PODS = 63  # rdmaHcaMax of the compiled NicClusterPolicy
EVICTION_MIB = 100  # memory.available of the kubelet's standard evictionHard
QUEUES = "/apis/kueue.x-k8s.io/v1beta2"
JOBS = "/apis/kubeflow.org/v2beta1"
WAIT = 60.0


class Wrong(Exception):
    pass


def definitions(config, folder):
    with open(os.path.join(folder, "tls.crt"), "rb") as f:
        authority = base64.b64encode(f.read()).decode()
    with open(os.path.join(folder, "definitions.yaml"), "w", encoding="utf-8") as out:
        for path in sorted(glob.glob(os.path.join(config, "components/crd/bases/*.yaml"))):
            with open(path, encoding="utf-8") as f:
                out.write("---\n" + f.read().removeprefix("---\n"))
    with open(os.path.join(config, "components/webhook/manifests.yaml"), encoding="utf-8") as f:
        hooks = [d for d in yaml.safe_load_all(f) if d]
    for document in hooks:
        for hook in document["webhooks"]:
            where = hook["clientConfig"].pop("service")["path"]
            hook["clientConfig"].update(url="https://127.0.0.1:9443" + where, caBundle=authority)
    with open(os.path.join(folder, "webhooks.yaml"), "w", encoding="utf-8") as out:
        yaml.safe_dump_all(hooks, out)
    with open(os.path.join(config, "components/manager/controller_manager_config.yaml"), encoding="utf-8") as f:
        manager = yaml.safe_load(f)
    manager["leaderElection"]["leaderElect"] = False
    manager["internalCertManagement"] = {"enable": False}
    manager["webhook"]["certDir"] = os.path.join(folder, "hooks")
    with open(os.path.join(folder, "kueue.yaml"), "w", encoding="utf-8") as out:
        yaml.safe_dump(manager, out)


class Cluster(kubernetes.Server):
    def call(self, method, path, body=None, kind="application/json", absent=False):
        status, answer = self.send(method, path, "" if body is None else json.dumps(body), kind)
        if status == 404 and absent:
            return None
        if status not in (200, 201, 202):
            raise Wrong(f"{method} {path}: {status}: {answer.get('message', answer)}")
        return answer

    def items(self, path):
        return self.call("GET", path)["items"]

    def give(self, text):
        if why := self.apply(text, dry=False):
            raise Wrong(why)

    def wait(self, what, ready, seconds=WAIT):
        """Waits until ready() gives something; `what` is a text, or a function that gives one at the end."""
        end = time.monotonic() + seconds
        while True:
            if found := ready():
                return found
            if time.monotonic() > end:
                raise Wrong(what() if callable(what) else what)
            time.sleep(0.2)


# ---- the kubelets ------------------------------------------------------------------------------------------------------
def mib(text):
    return int(re.fullmatch(r"(\d+)Mi", text)[1])


def join(cluster, tree, documents, kept=None):
    """The nodes of a tree, as their kubelets register them; `kept`: in the place of its systemReserved."""
    for node in documents:
        name, group = node["metadata"]["name"], node["metadata"]["labels"]["clusterc/group"]
        with open(glob.glob(f"{tree}/kubeadm/{group}-*/{name}.yaml")[0], encoding="utf-8") as f:
            taints = next(yaml.safe_load_all(f))["nodeRegistration"].get("taints", [])
        with open(f"{tree}/kubeadm/patches/{group}/kubeletconfiguration+merge.yaml", encoding="utf-8") as f:
            patch = yaml.safe_load(f)
        cpus, memory = HARDWARE[group]
        reserved = kept or patch.get("systemReserved", {})
        amounts = {"pods": str(patch["maxPods"])}
        if any(t["key"] == "nvidia.com/gpu" for t in taints):
            amounts.update({"nvidia.com/gpu": "8", "rdma/rails": str(ADAPTER_PODS)})
        all_of = {**amounts, "cpu": str(cpus), "memory": f"{memory}Mi"}
        for_pods = {**amounts, "cpu": str(cpus - int(reserved.get("cpu", 0))), "memory": f"{memory - mib(reserved.get('memory', '0Mi')) - EVICTION_MIB}Mi"}
        cluster.call("POST", "/api/v1/nodes", {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}},
                                               "spec": {"taints": taints}})
        cluster.call("PATCH", f"/api/v1/nodes/{name}/status", {"status": {"capacity": all_of, "allocatable": for_pods, "conditions": [
            {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "played"}]}}, "application/merge-patch+json")
        # The API server taints new nodes until a controller that does not run here sees that they are ready.
        cluster.call("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": taints}}, "application/merge-patch+json")


class Kubelets(threading.Thread):
    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster, self.fault = cluster, None

    def run(self):
        while True:
            try:
                for pod in self.cluster.items("/api/v1/pods"):
                    self.pod(pod)
            except Wrong as e:
                if "404" not in str(e) and "409" not in str(e):
                    self.fault = e
            except OSError as e:
                self.fault = e
            time.sleep(0.3)

    def pod(self, pod):
        meta = pod["metadata"]
        path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
        if meta.get("deletionTimestamp"):
            self.cluster.call("DELETE", path, {"gracePeriodSeconds": 0}, absent=True)
        elif pod["spec"].get("nodeName") and pod["status"]["phase"] == "Pending":
            self.cluster.call("PATCH", path + "/status", {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}},
                              "application/strategic-merge-patch+json", absent=True)


# ---- a tree --------------------------------------------------------------------------------------------------------------
def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class Tree:
    """What is compiled, given to the server; `edits`: (file, old, new) of a broken twin, `kept`: as of join."""

    def __init__(self, cluster, folder, edits=(), kept=None):
        self.cluster, self.folder, self.kept = cluster, folder, kept
        self.texts = {n: read(f"{folder}/objects/{n}.yaml") for n in ("nodes", "namespaces", "priorities", "access", "limits", "queues")}
        self.jobs = {os.path.basename(p)[:-5]: read(p) for p in sorted(glob.glob(f"{folder}/jobs/*.yaml"))}
        for name, old, new in edits:
            where = self.jobs if name in self.jobs else self.texts
            if old not in where[name]:
                raise Wrong(f"a twin cannot be made: no '{old}' in {name}")
            where[name] = where[name].replace(old, new)
        self.nodes = [d for d in yaml.safe_load_all(self.texts["nodes"]) if d]
        self.labels = {n["metadata"]["name"]: n["metadata"]["labels"] for n in self.nodes}

    def install(self):
        join(self.cluster, self.folder, self.nodes, self.kept)
        for text in self.texts.values():  # in the order of README.md
            for document in re.split(r"^---$", text, flags=re.M):
                if yaml.safe_load(document):
                    self.cluster.give(document)
        for queue in self.cluster.items(QUEUES + "/clusterqueues"):
            name = queue["metadata"]["name"]

            def active(name=name):
                return condition(self.cluster.call("GET", f"{QUEUES}/clusterqueues/{name}"), "Active")
            self.cluster.wait(lambda active=active, name=name: f"queue {name} is not active: {(active() or {}).get('message')}",
                              lambda active=active: (active() or {}).get("status") == "True", 15)

    def remove(self):
        c = self.cluster
        for team in self.jobs:
            for job in c.items(f"{JOBS}/namespaces/{team}/mpijobs"):
                self.end(team, job["metadata"]["name"])
        for path in ("/api/v1/namespaces/default/pods", *(f"{QUEUES}/namespaces/{t}/localqueues" for t in self.jobs), QUEUES + "/clusterqueues", QUEUES + "/resourceflavors",
                     QUEUES + "/topologies", "/api/v1/nodes"):
            for item in c.items(path):
                c.call("DELETE", path + "/" + item["metadata"]["name"], absent=True)
            c.wait(lambda path=path: f"{path}: still there", lambda path=path: not c.items(path))

    # -- jobs
    def job(self, team, name, workers, gpus=0, priority=None, place=None, edit=None):
        """The compiled first job of a team with another size; `place`: (required or preferred, level)."""
        job = yaml.safe_load(self.jobs[team])
        job["metadata"]["name"] = name
        replicas = job["spec"]["mpiReplicaSpecs"]
        worker = replicas["Worker"]
        worker["replicas"] = workers
        pod = worker["template"]
        if gpus:
            job["spec"]["slotsPerWorker"] = gpus
            for amounts in pod["spec"]["containers"][0]["resources"].values():
                was = int(amounts["nvidia.com/gpu"])
                amounts.update({"nvidia.com/gpu": str(gpus), "cpu": str(int(amounts["cpu"]) * gpus // was), "memory": f"{mib(amounts['memory']) * gpus // was}Mi"})
        if priority:
            for role in replicas.values():
                role["template"]["spec"]["priorityClassName"] = priority
        if place:
            notes = pod["metadata"]["annotations"]
            notes.pop("kueue.x-k8s.io/podset-preferred-topology")
            notes[f"kueue.x-k8s.io/podset-{place[0]}-topology"] = place[1]
        if edit:
            edit(job)
        self.cluster.call("POST", f"{JOBS}/namespaces/{team}/mpijobs", job)

    def first(self, team):
        """The first job as the file has it: kubectl create."""
        if why := self.cluster.apply(self.jobs[team], dry=False, method="POST"):
            raise Wrong(why)

    def end(self, team, name):
        c = self.cluster
        c.call("DELETE", f"{JOBS}/namespaces/{team}/mpijobs/{name}", {"propagationPolicy": "Background"})
        c.wait(f"workload or pods of {team}/{name} are still there", lambda: not self.workload(team, name) and not self.pods(team, name))

    def workload(self, team, name):
        for w in self.cluster.items(f"{QUEUES}/namespaces/{team}/workloads"):
            if any(o["kind"] == "MPIJob" and o["name"] == name for o in w["metadata"].get("ownerReferences", [])):
                return w
        return None

    def pods(self, team, name):
        return self.cluster.items(f"/api/v1/namespaces/{team}/pods?labelSelector=" + urllib.parse.quote("training.kubeflow.org/job-name=" + name))

    def why_not(self, team, name):
        w = self.workload(team, name)
        return (condition(w, "QuotaReserved") or {}).get("message", "") if w else "no workload"

    def admitted(self, team, name, seconds=WAIT):
        c = self.cluster
        c.wait(lambda: f"{team}/{name} is not admitted: {self.why_not(team, name)}", lambda: is_true(self.workload(team, name), "Admitted"), seconds)
        return self.workload(team, name)

    def runs(self, team, name, workers, seconds=WAIT):
        """Admitted, and each pod bound where Kueue says; the names of the workers' nodes."""
        placed = sorted(hosts(self.admitted(team, name, seconds), "worker"))

        def bound():
            pods = self.pods(team, name)
            return [p for p in pods if p["spec"].get("nodeName") and p["status"]["phase"] == "Running"]
        self.cluster.wait(lambda: f"{team}/{name}: {len(bound())} of {workers + 1} pods run: {self.complaints(team, name)}", lambda: len(bound()) == workers + 1, seconds)
        there = sorted(p["spec"]["nodeName"] for p in bound() if "worker" in p["metadata"]["labels"]["training.kubeflow.org/job-role"])
        if there != placed:
            raise Wrong(f"{team}/{name}: the workers run on {there}, Kueue placed them on {placed}")
        return there

    def complaints(self, team, name):
        return "; ".join(sorted({(condition(p, "PodScheduled") or {}).get("message", "") for p in self.pods(team, name)}))

    def waits(self, team, name, words):
        """Not admitted, with these words in the reason; and so it stays."""
        c = self.cluster
        c.wait(lambda: f"{team}/{name}: expected '{words}', the reason is '{self.why_not(team, name)}'",
               lambda: not is_true(self.workload(team, name), "QuotaReserved") and words in self.why_not(team, name), 20)
        time.sleep(2)
        if is_true(self.workload(team, name), "Admitted"):
            raise Wrong(f"{team}/{name} is admitted")
        return self.why_not(team, name)

    def evicted(self, team, name):
        c = self.cluster
        c.wait(f"{team}/{name} is not preempted", lambda: is_true(self.workload(team, name), "Preempted") and not is_true(self.workload(team, name), "Admitted"))
        found = condition(self.workload(team, name), "Preempted")
        c.wait(f"{team}/{name}: pods are left", lambda: not self.pods(team, name))
        return found["reason"] + ": " + re.sub(r"\(UID: [^)]*\)", "", found["message"])

    def used(self, team, flavor="gpu", resource="nvidia.com/gpu"):
        status = self.cluster.call("GET", f"{QUEUES}/clusterqueues/{team}")["status"]
        for f in status.get("flavorsUsage", []):
            for r in f["resources"]:
                if f["name"] == flavor and r["name"] == resource:
                    return f"{r.get('total', '0')} of which {r.get('borrowed', '0')} borrowed"
        return "none"

    def uses(self, team, wanted):
        self.cluster.wait(lambda: f"GPUs of {team}: {self.used(team)}, expected {wanted}", lambda: self.used(team) == wanted, 20)
        say(f"GPUs of {team}: {wanted}")

    def places(self, names, label):
        return sorted({self.labels[n]["topology.clusterc/" + label] for n in names})


def condition(thing, kind):
    return next((c for c in ((thing or {}).get("status", {}).get("conditions") or []) if c["type"] == kind), None)


def is_true(thing, kind):
    return (condition(thing, kind) or {}).get("status") == "True"


def assignment(workload, role):
    return next(a for a in workload["status"]["admission"]["podSetAssignments"] if a["name"] == role)


def hosts(workload, role):
    """The node of each pod of a podset, from its topologyAssignment: the last level is the node."""
    out = []
    for piece in assignment(workload, role)["topologyAssignment"]["slices"]:
        count, last, pods = piece["domainCount"], piece["valuesPerLevel"][-1], piece["podCounts"]
        if "universal" in last:
            names = [last["universal"]] * count
        else:
            each = last["individual"]
            names = [each.get("prefix", "") + r + each.get("suffix", "") for r in each["roots"]]
        numbers = [pods["universal"]] * count if "universal" in pods else pods["individual"]
        for name, number in zip(names, numbers):
            out += [name] * number
    return out


def say(text):
    print("ok: " + text, flush=True)


def equal(what, got, wanted):
    if got != wanted:
        raise Wrong(f"{what}: {got}, expected {wanted}")
    say(f"{what}: {got}")


# ---- what is shown -------------------------------------------------------------------------------------------------------
def first_job_runs(tree, seconds=WAIT):
    """The compiled first job of vision: 4 nodes in one leaf, the launcher on a node without GPUs."""
    tree.first("vision")
    nodes = tree.runs("vision", "first", 4, seconds)
    work = tree.workload("vision", "first")
    return len(set(nodes)), len(tree.places(nodes, "leaf")), assignment(work, "worker")["flavors"]["nvidia.com/gpu"], assignment(work, "launcher")["flavors"]["cpu"]


def quotas(tree):
    """33 GPUs of vision, which may borrow 7; 22 of speech, which may borrow all; 1 of nobody; 8 of a spare that are nobody's to give."""
    equal("first job of vision: nodes, leaves, flavors", first_job_runs(tree), (4, 1, "gpu", "cpu"))
    tree.job("vision", "own", 1, 1)
    tree.runs("vision", "own", 1)
    tree.uses("vision", "33 of which 0 borrowed")
    tree.job("vision", "borrowed", 1, 7)
    tree.runs("vision", "borrowed", 1)
    tree.uses("vision", "40 of which 7 borrowed")
    tree.job("vision", "beyond", 1, 1)
    say("one GPU more waits: " + tree.waits("vision", "beyond", "quota for nvidia.com/gpu in flavor gpu"))
    tree.job("vision", "never", 6, 8)
    say("48 GPUs wait: " + tree.waits("vision", "never", "maximum capacity"))
    tree.end("vision", "never")

    tree.first("speech")
    equal("first job of speech beside it: nodes", len(set(tree.runs("speech", "first", 2))), 2)
    tree.uses("speech", "16 of which 0 borrowed")
    tree.uses("vision", "40 of which 7 borrowed")
    tree.job("speech", "rest", 1, 6)
    say("speech takes back what is its own: " + tree.evicted("vision", "borrowed"))
    tree.runs("speech", "rest", 1)
    tree.uses("speech", "22 of which 0 borrowed")
    tree.runs("vision", "first", 4)
    tree.runs("vision", "beyond", 1)
    tree.uses("vision", "34 of which 1 borrowed")
    say("the job of one GPU has that of nobody")
    tree.job("speech", "beyond", 1, 8)
    say("speech has no more than its own while vision uses its own: " + tree.waits("speech", "beyond", "insufficient"))
    tree.end("speech", "beyond")
    tree.end("vision", "beyond")
    tree.end("speech", "rest")
    tree.runs("vision", "borrowed", 1)
    say("what speech gives back is borrowed again")

    # Within a team: a job may take the place of a lower one, of its own team and of no other.
    tree.job("vision", "urgent", 1, 8, priority="cluster-high")
    say("a job of high priority: " + tree.evicted("vision", "borrowed"))
    tree.runs("vision", "urgent", 1)
    tree.runs("speech", "first", 2)
    tree.job("vision", "idle", 1, 1, priority="cluster-low")
    say("a job of low priority takes nobody's place: " + tree.waits("vision", "idle", "insufficient"))
    for name in ("urgent", "idle", "borrowed", "own", "first"):
        tree.end("vision", name)
    tree.end("speech", "first")

    tree.job("speech", "all", 7, 8)
    tree.runs("speech", "all", 7)
    tree.uses("speech", "56 of which 34 borrowed")
    tree.job("speech", "spare", 1, 8)
    say("the spare node is not given: " + tree.waits("speech", "spare", "insufficient"))
    tree.end("speech", "spare")
    tree.first("vision")
    say("vision takes back what is its own: " + tree.evicted("speech", "all"))
    tree.runs("vision", "first", 4)
    tree.uses("vision", "32 of which 0 borrowed")
    tree.end("vision", "first")
    tree.runs("speech", "all", 7)
    say("and speech has it again afterwards")
    tree.end("speech", "all")


def whole_node(tree, seconds=WAIT):
    """As much as quotas and the LimitRange call one node: it fits a node as the kubelet counts it."""
    limits = next(d for d in yaml.safe_load_all(tree.texts["limits"]) if d and d["kind"] == "LimitRange")
    most = mib(limits["spec"]["limits"][0]["max"]["memory"])

    def edit(job):
        for amounts in job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["resources"].values():
            amounts.update({"cpu": str(HARDWARE["gpu"][0] - 4), "memory": f"{most}Mi"})
    tree.job("vision", "whole", 1, 8, edit=edit)
    tree.runs("vision", "whole", 1, seconds)
    say(f"one pod with all that jobs may have of a node: {HARDWARE['gpu'][0] - 4} CPUs, {most} MiB, 8 GPUs")
    tree.end("vision", "whole")


def reason_of_waiting(tree):
    """A job that waits for others of its team tells what it lacks."""
    tree.job("vision", "five", 5, 8)
    tree.runs("vision", "five", 5)
    tree.job("vision", "beyond", 1, 1)
    tree.waits("vision", "beyond", "quota for nvidia.com/gpu in flavor gpu")


def without_toleration(tree):
    def edit(job):
        for role in job["spec"]["mpiReplicaSpecs"].values():
            role["template"]["spec"].pop("tolerations", None)
    tree.job("vision", "careless", 1, 8, edit=edit)
    say("without a toleration: " + tree.waits("vision", "careless", "untolerated taint"))
    tree.end("vision", "careless")


def fill(cluster, nodes):
    """Nodes that others use: a pod of no queue on each."""
    for name in nodes:
        cluster.call("POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": "fill-" + name, "namespace": "default"}, "spec": {
            "nodeName": name, "containers": [{"name": "c", "image": "none.example.org/none", "resources": {"requests": {"cpu": "380"}}}]}})
    cluster.wait("the pods that fill nodes do not run", lambda: all(p["status"]["phase"] == "Running" for p in cluster.items("/api/v1/namespaces/default/pods")))


def narrow(tree):
    """The smallest pod has room, but no leaf of it: one node of each is in use. The leaves as (pod, leaf): nodes."""
    by_leaf = {}
    for name, labels in tree.labels.items():
        by_leaf.setdefault((labels["topology.clusterc/pod"], labels["topology.clusterc/leaf"]), []).append(name)
    fill(tree.cluster, [names[0] for (pod, _), names in sorted(by_leaf.items()) if pod == "rails-pod3"])
    tree.job("one", "narrow", 4)
    equal("4 workers as the first job asks, one pod half full: leaves", len(tree.places(tree.runs("one", "narrow", 4), "leaf")), 1)
    tree.end("one", "narrow")
    return by_leaf


def places(tree):
    """35 leaves with 2 nodes each, in pods of 15, 15 and 5. A worker takes half a node: 4 fill a leaf."""
    cluster, leaf = tree.cluster, "topology.clusterc/leaf"
    tree.first("one")
    nodes = tree.runs("one", "first", 70, 180)
    say(f"first job: 70 workers on {len(set(nodes))} nodes in {len(tree.places(nodes, 'leaf'))} leaves")
    tree.end("one", "first")

    tree.job("one", "inside", 4, place=("required", leaf))
    equal("4 workers in one leaf, required: leaves", len(tree.places(tree.runs("one", "inside", 4), "leaf")), 1)
    tree.end("one", "inside")
    tree.job("one", "larger", 5, place=("required", leaf))
    say("5 workers in one leaf, required: " + tree.waits("one", "larger", "topology"))
    tree.end("one", "larger")

    by_leaf = narrow(tree)
    tree.job("one", "wide", 12)
    nodes = tree.runs("one", "wide", 12)
    equal("12 workers as the first job asks: leaves, pods", (len(tree.places(nodes, "leaf")), len(tree.places(nodes, "pod"))), (3, 1))
    tree.end("one", "wide")

    fill(cluster, [names[0] for (pod, _), names in sorted(by_leaf.items()) if pod != "rails-pod3"])
    # Here the launcher may come into the one leaf that becomes free, so the workers leave it a processor.
    tree.job("one", "inside", 4, place=("required", leaf), edit=lambda job: [
        a.update({"cpu": "189"}) for a in job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["resources"].values()])
    say("no leaf has room: " + tree.waits("one", "inside", "topology"))
    first = min(by_leaf)
    cluster.call("DELETE", f"/api/v1/namespaces/default/pods/fill-{by_leaf[first][0]}")
    equal("a leaf becomes free: leaf of the job", tree.places(tree.runs("one", "inside", 4), "leaf"), [first[1]])
    tree.end("one", "inside")


TWINS = (
    ("a flavor of nodes that are not there", [("queues", "clusterc/group: gpu\n", "clusterc/group: gpus\n")], "node affinity"),
    ("nodes without the label of their leaf", [("nodes", "    topology.clusterc/leaf: switch-rails-01\n", "")], "topology"),
    ("a topology with another level", [("queues", "nodeLabel: topology.clusterc/leaf", "nodeLabel: topology.clusterc/leav")], 'Flavor "gpu" does not contain the requested level'),
    ("a flavor without its topology", [("queues", "  topologyName: leaf\n", "")], "TopologyAwareScheduling"),
    ("a quota of 3 GPUs for 33", [("queues", 'nominalQuota: "33"', 'nominalQuota: "3"')], "insufficient quota for nvidia.com/gpu"),
    ("no quota of the adapters", [("queues", "        - rdma/rails\n", ""), ("queues", '            - name: rdma/rails\n              nominalQuota: "0"\n', ""),
                                  ("queues", '            - name: rdma/rails\n              nominalQuota: "504"\n', "")], "rdma/rails"),
    ("a queue of a flavor that is not there", [("queues", "        - name: gpu\n          resources", "        - name: gpux\n          resources")], "not active"),
    ("a queue that admits another namespace", [("queues", "kubernetes.io/metadata.name: vision", "kubernetes.io/metadata.name: visions")], "namespace"),
    ("a job of another queue", [("vision", "queue-name: vision", "queue-name: visions")], "LocalQueue"),
    ("a job without a toleration", [("vision", "operator: Exists", "operator: Equal")], "untolerated taint"),
)


def twins(cluster, orchard, pods):
    checks = [(what, Tree(cluster, orchard, edits), lambda tree: first_job_runs(tree, 5), words) for what, edits, words in TWINS]
    checks += [("a kubelet that keeps back what the kernel took already", Tree(cluster, orchard, kept={"cpu": "4", "memory": "65536Mi"}), lambda tree: whole_node(tree, 5), "memory"),
               ("a first job that asks for the widest level", Tree(cluster, pods, [("one", "preferred-topology: topology.clusterc/leaf", "preferred-topology: topology.clusterc/pod")]),
                narrow, "expected 1"),
               ("a flavor without a topology beside one with", Tree(cluster, orchard, [("queues", "  topologyName: node\n", "")]), reason_of_waiting, "supports only TopologyAwareScheduling")]
    for what, tree, check, words in checks:
        try:
            tree.install()
            raise AssertionError(f"{what}: not noticed, {check(tree)}")
        except Wrong as e:
            if words not in str(e):
                raise Wrong(f"{what}: expected '{words}', found: {e}") from e
            say(f"noticed: {what}: {str(e)[:220]}")
        tree.remove()


def run(place, orchard, pods):
    began = time.monotonic()
    cluster = Cluster(place)
    kubelets = Kubelets(Cluster(place))
    kubelets.start()
    tree = Tree(cluster, orchard)
    tree.install()
    say(f"{len(tree.nodes)} nodes, {len(cluster.items(QUEUES + '/clusterqueues'))} active queues")
    quotas(tree)
    without_toleration(tree)
    whole_node(tree)
    tree.remove()
    tree = Tree(cluster, pods)
    tree.install()
    places(tree)
    tree.remove()
    twins(cluster, orchard, pods)
    if kubelets.fault:
        raise Wrong(f"the played kubelets: {kubelets.fault}")
    say(f"{len(TWINS) + 3} broken twins are noticed; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    try:
        {"definitions": definitions, "run": run}[sys.argv[1]](*sys.argv[2:])
    except (Wrong, AssertionError) as e:
        print(f"FAILED: {e}", file=sys.stderr)
        sys.exit(1)
