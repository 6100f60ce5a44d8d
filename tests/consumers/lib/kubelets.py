#!/usr/bin/env python3
"""Kubelets, played: nodes whose pods run as processes of this machine. All else of Kubernetes is real.

usage: kubelets.py SERVER FOLDER NODE…      SERVER as of kubernetes.py; FOLDER: certificate tls.crt, tls.key; logs, and what the pods have open, below it

A pod that is bound to one of the nodes gets a root of its own: this machine's folders, with /etc and /root of its own, and its volumes (emptyDir, hostPath, configMap,
secret) where they are mounted. Its command runs there, in a host name of its own. What it prints is a file that kubectl logs gets through the API server. sshd of a
worker of an MPIJob is a program that waits, and the launcher's ssh enters the worker's root: the MPI of this machine runs in both.

For tests: an image whose name has "absent" cannot be pulled; a file FOLDER/evict/NODE evicts the pods of that node; limits of capabilities are not played.
"""
import base64
import http.server
import importlib.util
import json
import os
import shlex
import signal
import ssl
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.util.spec_from_file_location("kubernetes_server", os.path.join(HERE, "kubernetes.py"))
kubernetes = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(kubernetes)
PORT = 10250

server, folder = kubernetes.Server(sys.argv[1]), sys.argv[2]
running, ending = {}, {}  # by uid: Popen; since when


def call(method, path, body=None, kind="application/json"):
    status, answer = server.send(method, path, "" if body is None else json.dumps(body), kind)
    return answer if status in (200, 201, 202) else None


class Logs(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        _, what, space, pod, container = self.path.split("?")[0].split("/")
        path = f"{folder}/logs/{space}.{pod}.{container}"
        found = what == "containerLogs" and os.path.exists(path)
        text = open(path, "rb").read() if found else b"no such container"
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def register(node):
    amounts = {"cpu": "2", "memory": "4Gi", "pods": "110"}
    call("POST", "/api/v1/nodes", {"metadata": {"name": node, "labels": {"kubernetes.io/hostname": node, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}}})
    call("PATCH", f"/api/v1/nodes/{node}/status", {"status": {
        "capacity": amounts, "allocatable": amounts, "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}], "daemonEndpoints": {"kubeletEndpoint": {"Port": PORT}},
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "played"}]}}, "application/merge-patch+json")
    # The API server taints new nodes until a controller that does not run here sees that they are ready.
    call("PATCH", f"/api/v1/nodes/{node}", {"spec": {"taints": None}}, "application/merge-patch+json")


def path_of(pod):
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def report(pod, phase, state, ready=False, **more):
    container = pod["spec"]["containers"][0]
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    status = {"phase": phase, "podIP": "127.0.0.1", "hostIP": "127.0.0.1", "startTime": now,
              "conditions": [{"type": t, "status": "True" if ready else "False"} for t in ("Ready", "ContainersReady")],
              "containerStatuses": [{"name": container["name"], "image": container["image"], "imageID": "", "ready": ready, "restartCount": 0,
                                     "containerID": "played://" + pod["metadata"]["uid"], "state": state}], **more}
    call("PATCH", path_of(pod) + "/status", {"status": status}, "application/strategic-merge-patch+json")


def source(pod, volume, name):
    """The folder on this machine that a volume is."""
    if "hostPath" in volume:
        return volume["hostPath"]["path"]
    at = f"{folder}/volumes/{pod['metadata']['uid']}/{name}"
    os.makedirs(at, exist_ok=True)
    kind = "configMap" if "configMap" in volume else "secret" if "secret" in volume else None
    if kind:
        of = volume[kind].get("name") or volume[kind].get("secretName")
        found = call("GET", f"/api/v1/namespaces/{pod['metadata']['namespace']}/{kind.lower()}s/{of}")
        for item in volume[kind].get("items") or [{"key": k, "path": k} for k in found["data"]]:
            value = found["data"][item["key"]]
            with open(f"{at}/{item['path']}", "wb") as f:
                f.write(base64.b64decode(value) if kind == "secret" else value.encode())
            os.chmod(f.name, item.get("mode", 0o644))
    return at


def expand(text, env):
    """$(NAME) and $$, as third_party/forked/golang/expansion of Kubernetes has it."""
    out, i = "", 0
    while i < len(text):
        end = text.find(")", i)
        if text[i:i + 2] == "$$":
            out, i = out + "$", i + 2
        elif text[i:i + 2] == "$(" and end > 0:
            out, i = out + env.get(text[i + 2:end], text[i:end + 1]), end + 1
        else:
            out, i = out + text[i], i + 1
    return out


def start(pod):
    meta, spec = pod["metadata"], pod["spec"]
    container = spec["containers"][0]
    env = {"PATH": os.environ["PATH"], "HOME": "/root", "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_oob_tcp_if_include": "lo",
           "OMPI_MCA_plm_rsh_agent": f"{folder}/ssh", "OMPI_MCA_mpi_yield_when_idle": "1"}
    for e in container.get("env", []):
        if not e["name"].startswith("OMPI_MCA_plm"):
            env[e["name"]] = spec["nodeName"] if "valueFrom" in e else expand(e.get("value", ""), env)
    volumes = {v["name"]: v for v in spec.get("volumes", [])}
    root = f"{folder}/root/{meta['uid']}"
    os.makedirs(root)
    lines = ["set -e", f"mount -t tmpfs tmpfs {root}", f"hostname {shlex.quote(meta['name'][:63])}"]
    for entry in sorted(os.listdir("/")):
        at = "/" + entry
        if os.path.islink(at):
            lines.append(f"ln -s {os.readlink(at)} {root}{at}")
        elif os.path.isdir(at) and entry in ("etc", "root"):
            lines.append(f"mkdir {root}{at}" + (f"; cp -a /etc/. {root}/etc" if entry == "etc" else ""))
        elif os.path.isdir(at):
            lines.append(f"mkdir {root}{at}; mount --rbind {at} {root}{at}")
    for m in container.get("volumeMounts", []):
        at = root + m["mountPath"]
        lines.append(f"mkdir -p {shlex.quote(at)}; mount --rbind {shlex.quote(source(pod, volumes[m['name']], m['name']))} {shlex.quote(at)}")
        if m.get("readOnly"):
            lines.append(f"mount -o remount,bind,ro {shlex.quote(at)}")
    lines.append(f"mount --bind {folder}/sshd {root}/usr/sbin/sshd")
    command = [expand(w, env) for w in container.get("command", []) + container.get("args", [])]
    lines.append(f"echo $$ > {folder}/pids/{shlex.quote(meta['name'])}; exec chroot {root} " + " ".join(shlex.quote(w) for w in command))
    with open(f"{folder}/logs/{meta['namespace']}.{meta['name']}.{container['name']}", "wb") as log:
        running[meta["uid"]] = subprocess.Popen(["unshare", "-m", "-u", "--propagation", "private", "/bin/sh", "-c", "\n".join(lines)], env=env, stdin=subprocess.DEVNULL,
                                                stdout=log, stderr=log, start_new_session=True)
    report(pod, "Running", {"running": {"startedAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}}, ready=True)


def end(process, sign):
    try:
        os.killpg(process.pid, sign)
    except ProcessLookupError:
        pass


def look_at(pod):
    meta, spec, phase = pod["metadata"], pod["spec"], pod["status"]["phase"]
    uid, process = meta["uid"], running.get(meta["uid"])
    ended = process is not None and process.poll() is not None
    if meta.get("deletionTimestamp"):
        since = ending.setdefault(uid, time.monotonic())
        if process is not None and not ended:
            late = time.monotonic() - since > spec.get("terminationGracePeriodSeconds", 30)
            end(process, signal.SIGKILL if late else signal.SIGTERM)
        else:
            server.send("DELETE", path_of(pod), json.dumps({"gracePeriodSeconds": 0}), "application/json")
    elif phase in ("Succeeded", "Failed"):
        return
    elif os.path.exists(f"{folder}/evict/{spec['nodeName']}"):
        if process is not None:
            end(process, signal.SIGKILL)
        report(pod, "Failed", {"terminated": {"exitCode": 137, "reason": "Error"}}, reason="Evicted", message="The node was low on resource: memory.")
    elif process is None and "absent" in spec["containers"][0]["image"]:
        report(pod, "Pending", {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}})
    elif process is None:
        start(pod)
    elif ended:
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        report(pod, "Failed" if code else "Succeeded", {"terminated": {"exitCode": code, "reason": "Error" if code else "Completed"}})


def main():
    for name in ("logs", "pids", "evict", "root", "volumes"):
        os.makedirs(f"{folder}/{name}")
    with open(f"{folder}/sshd", "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\nexec sleep 100000\n")
    with open(f"{folder}/ssh", "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do [ "$1" != -o ] || shift; shift; done\nhost=${1%%.*}; shift\n'
                f'exec nsenter --target "$(cat {folder}/pids/$host)" --mount --uts --root --wd=/ /bin/sh -c "$*"\n')
    for name in ("sshd", "ssh"):
        os.chmod(f"{folder}/{name}", 0o755)
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Logs)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/tls.crt", f"{folder}/tls.key")
    listener.socket = context.wrap_socket(listener.socket, server_side=True)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    for node in sys.argv[3:]:
        register(node)
    open(f"{folder}/ready", "w", encoding="utf-8").close()
    while True:
        for pod in (call("GET", "/api/v1/pods") or {"items": []})["items"]:
            if pod["spec"].get("nodeName") in sys.argv[3:]:
                try:
                    look_at(pod)
                except (OSError, TypeError, KeyError) as e:  # the object is gone, or not there yet
                    print(pod["metadata"]["name"], repr(e), file=sys.stderr, flush=True)
        time.sleep(0.3)


main()
