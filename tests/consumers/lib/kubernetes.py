#!/usr/bin/env python3
"""Gives compiled objects to a Kubernetes API server, as `kubectl apply --server-side` does, with strict validation of fields.

usage: kubernetes.py SERVER apply FILE…            made for good; the first refusal ends it
       kubernetes.py SERVER judge [--all] FILE…    a dry run; each refusal is a line. --all: says how many were taken, too
       kubernetes.py SERVER refused FILE EDITS     each line of EDITS is WHAT<tab>KIND<tab>OLD<tab>NEW<tab>WORDS: the first document of that
                                                   kind in FILE, with NEW in the place of OLD, must be refused with WORDS in the answer
       kubernetes.py SERVER pods FILE…             the pods that controllers would make of the objects, in a dry run

SERVER is https://HOST:PORT/TOKEN. A document is sent as it stands in the file: the server's own reader of YAML reads it.
"""
import json
import re
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request

import yaml

CORE = {"Node": "nodes", "Namespace": "namespaces", "PersistentVolume": "persistentvolumes"}
OTHERS = {"ResourceQuota": "resourcequotas", "LimitRange": "limitranges", "PersistentVolumeClaim": "persistentvolumeclaims", "Pod": "pods",
          "PriorityClass": "priorityclasses", "ClusterRole": "clusterroles", "RoleBinding": "rolebindings", "StorageClass": "storageclasses",
          "CustomResourceDefinition": "customresourcedefinitions", "Topology": "topologies", "ResourceFlavor": "resourceflavors",
          "ClusterQueue": "clusterqueues", "LocalQueue": "localqueues", "MPIJob": "mpijobs", "NicClusterPolicy": "nicclusterpolicies",
          "MacvlanNetwork": "macvlannetworks", "IPoIBNetwork": "ipoibnetworks", "IPPool": "ippools", "ClusterPolicy": "clusterpolicies",
          "TrainJob": "trainjobs", "TrainingRuntime": "trainingruntimes", "ScaledObject": "scaledobjects", "JobSet": "jobsets", "RayJob": "rayjobs", "LeaderWorkerSet": "leaderworkersets", "Deployment": "deployments", "Service": "services",
          "ConfigMap": "configmaps", "PodDisruptionBudget": "poddisruptionbudgets", "HorizontalPodAutoscaler": "horizontalpodautoscalers",
          "NetworkPolicy": "networkpolicies", "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
          "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
          "MutatingWebhookConfiguration": "mutatingwebhookconfigurations", "ValidatingWebhookConfiguration": "validatingwebhookconfigurations"}
INSECURE = ssl.create_default_context()
INSECURE.check_hostname, INSECURE.verify_mode = False, ssl.CERT_NONE


def documents(path):
    """The texts of a file between lines of ---, those that are comments alone left out."""
    for text in re.split(r"^---$", open(path, encoding="utf-8").read(), flags=re.M):
        if any(line.strip() and not line.startswith("#") for line in text.splitlines()):
            yield text


class Server:
    def __init__(self, place):
        self.base, self.token = place.rsplit("/", 1)

    def send(self, method, path, body, kind):
        request = urllib.request.Request(self.base + path, body.encode(), {"Authorization": "Bearer " + self.token, "Content-Type": kind}, method=method)
        try:
            with urllib.request.urlopen(request, context=INSECURE, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as e:
            text = e.read()   # of an API group's version that is not there it is no JSON
            try:
                return e.code, json.loads(text or b"{}")
            except json.JSONDecodeError:
                return e.code, {"message": text.decode(errors="replace")}

    def apply(self, text, dry, method="PATCH", found=None):
        """None, or why the server refuses it."""
        try:
            document = found or yaml.safe_load(text)
            version, kind, meta = document["apiVersion"], document["kind"], document["metadata"]
            plural = CORE.get(kind) or OTHERS[kind]
        except (yaml.YAMLError, KeyError, TypeError) as e:
            return f"no object: {e!r}"
        path = ("/api/" if "/" not in version else "/apis/") + version
        if meta.get("namespace"):
            path += "/namespaces/" + urllib.parse.quote(meta["namespace"], safe="")
        path += "/" + plural
        query = "?fieldValidation=Strict&fieldManager=test" + ("&dryRun=All" if dry else "")
        if method == "PATCH":
            status, answer = self.send("PATCH", path + "/" + urllib.parse.quote(meta["name"], safe="") + query + "&force=true", text, "application/apply-patch+yaml")
        else:
            status, answer = self.send("POST", path + query, text, "application/yaml")
        return None if status in (200, 201) else f"{kind} {meta.get('name')}: {status}: {answer.get('message', answer)}"


def templates_of(job):
    """The templates of the pods that a controller makes of an object; of other objects none."""
    kind, spec = job["kind"], job["spec"] if "spec" in job else {}
    if kind == "MPIJob":
        yield from ((role.lower(), r["template"]) for role, r in spec["mpiReplicaSpecs"].items())
    elif kind == "JobSet":
        yield from ((r["name"], r["template"]["spec"]["template"]) for r in spec["replicatedJobs"])
    elif kind == "TrainingRuntime":
        yield from ((r["name"], r["template"]["spec"]["template"]) for r in spec["template"]["spec"]["replicatedJobs"])
    elif kind == "RayJob":
        yield "head", spec["rayClusterSpec"]["headGroupSpec"]["template"]
        yield from ((g["groupName"], g["template"]) for g in spec["rayClusterSpec"].get("workerGroupSpecs", []))
    elif kind == "Deployment":
        yield "pod", spec["template"]
    elif kind == "LeaderWorkerSet":
        yield from ((role, spec["leaderWorkerTemplate"][role + "Template"]) for role in ("leader", "worker"))


def pods_of(job):
    """Those pods: the template, and a name."""
    for role, template in templates_of(job):
        spec = dict(template["spec"])
        if job["kind"] != "Deployment" and job["kind"] != "LeaderWorkerSet":
            spec.setdefault("restartPolicy", "Never")
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": {**template.get("metadata", {}), "name": job["metadata"]["name"] + "-" + role,
                                                               "namespace": job["metadata"]["namespace"]}, "spec": spec}


def main(place, command, *arguments):
    server, bad, good = Server(place), 0, 0
    if command == "refused":
        path, edits = arguments
        texts = list(documents(path))
        for line in open(edits, encoding="utf-8"):
            if not line.strip():
                continue
            what, kind, old, new, words = line.rstrip("\n").split("\t")
            old, new = old.encode().decode("unicode_escape"), new.encode().decode("unicode_escape")
            text = next((t for t in texts if f"\nkind: {kind}\n" in t and old in t), None)
            why = server.apply(text.replace(old, new, 1), dry=True) if text else f"no {kind} has '{old}'"
            if text is None or why is None or words not in why:
                print(f"{what}: {'taken' if why is None else why}, expected a refusal with '{words}'")
                bad += 1
            else:
                print(f"ok: refused: {what}: {why[:160]}")
        return 1 if bad else 0
    show = "--all" in arguments
    for path in (a for a in arguments if a != "--all"):
        for text in documents(path):
            if command == "pods":
                reasons = [server.apply(yaml.safe_dump(p), True, "POST", p) for p in pods_of(yaml.safe_load(text))]
            else:
                reasons = [server.apply(text, command == "judge")]
            for why in reasons:
                if why:
                    print(f"{path}: {why}")
                    bad += 1
                else:
                    good += 1
            if bad and command == "apply":
                return 1
    if show:
        print(good)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
