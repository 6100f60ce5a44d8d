#!/usr/bin/env python3
"""What the test of the hub for notebooks asks. It shares no code with the writer.

usage: notebooks.py files TREE HUB                  the golden case's files, by hand
       notebooks.py traits HUB CONFIG TWIN          every trait that CONFIG sets is known to its class, one of TWIN is not
       notebooks.py discovery FOLDER                the provider of OpenID Connect that cluster.json names is asked for its addresses
       notebooks.py session CERTIFICATE ENTER       a user's session, from the login to its end, through the proxy
"""
import http.client
import http.cookiejar
import http.server
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request


def fail(text):
    print(f"notebooks.py: {text}", file=sys.stderr)
    sys.exit(1)


def equal(what, got, wanted):
    if got != wanted:
        fail(f"{what} is {got!r}, expected {wanted!r}")
    print(f"ok: {what}: {got}")


def files(tree, hub):
    with open(f"{tree}/jupyterhub/cluster.json", encoding="utf-8") as f:
        cluster = json.load(f)
    conf = {}
    with open(f"{tree}/slurm/slurm.conf", encoding="utf-8") as f:
        for line in f:
            found = re.match(r"NodeName=.*CPUs=(\d+).*RealMemory=(\d+).*Feature=(\w+)", line)
            if found:
                conf[found[3]] = (int(found[1]), int(found[2]))
            found = re.match(r"PartitionName=(\w+) .*MaxTime=(\d+)", line)
            if found:
                conf[found[1] + " time"] = int(found[2])
    for name, size in cluster["profiles"].items():
        partition = size["partition"]
        if size["minutes"] > conf[partition + " time"]:
            fail(f"size {name} is longer than partition {partition} allows")
    # one of four GPUs, and the same share of threads and memory; an eighth without GPUs; 6 h is the limit of all jobs
    gpu, cpu = conf["gpu"] if "gpu" in conf else conf["a100"], conf["cpu"]
    equal("a session with a GPU", [cluster["profiles"]["gpu"][k] for k in ("cpus", "memory_mib", "gres", "minutes")],
          [gpu[0] // 4, gpu[1] // 4, cluster["profiles"]["gpu"]["gres"], 360])
    equal("a session without", [cluster["profiles"]["cpu"][k] for k in ("cpus", "memory_mib", "gres", "minutes")], [cpu[0] // 8, cpu[1] // 8, "", 360])
    equal("who may log in", (cluster["users"]["everybody"], cluster["users"]["allowed"], cluster["users"]["groups"]), (False, ["ada", "grace"], ["biology"]))
    with open(f"{tree}/hosts/hosts", encoding="utf-8") as f:
        address = next(line.split()[0] for line in f if "login1" in line.split())
    equal("the hub listens", cluster["hub_bind_url"], f"http://{address}:8081")
    equal("sessions find it", cluster["hub_connect_url"], "http://login1:8081")
    idle = [a for a in cluster["arguments"] if a.endswith("=5400")]
    equal("90 min without activity end", len(idle), 3)
    # the three classes of JupyterLab's server have these traits; an unknown option would be passed over
    script = ("import json, sys; from jupyter_server.serverapp import ServerApp; from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager, MappingKernelManager; "
              "from jupyter_server_terminals.terminalmanager import TerminalManager; assert issubclass(AsyncMappingKernelManager, MappingKernelManager); "
              "print(json.dumps([f'--{c.__name__}.{t}' for c in (ServerApp, MappingKernelManager, TerminalManager) for t in c.class_traits(config=True)]))")
    known = json.loads(subprocess.run([f"{hub}/bin/python", "-c", script], capture_output=True, text=True, check=True).stdout)
    equal("options that JupyterLab's server does not have", [o for o in idle if o.split("=")[0] not in known], [])


def traits(hub, config, twin):
    """traitlets says nothing of an unknown trait until its class is made, and of some classes not even then: so the classes are asked."""
    script = """
import json, sys
from traitlets.config.loader import PyFileConfigLoader
import jupyterhub.app, jupyterhub.auth, jupyterhub.proxy, jupyterhub.spawner, oauthenticator.generic, batchspawner
config = PyFileConfigLoader(sys.argv[1]).load_config()
classes = {}
def walk(cls):
    for sub in cls.__subclasses__():
        if sub.__name__ not in classes:
            classes[sub.__name__] = sub
            walk(sub)
from traitlets.config import Configurable
walk(Configurable)
bad = [f"{owner}.{trait}" for owner, values in config.items() for trait in values if owner not in classes or trait not in classes[owner].class_traits(config=True)]
print(json.dumps([sum(len(v) for v in config.values()), bad]))
"""
    for path, wanted in ((config, []), (twin, ["Spawner.defualt_url"])):
        ran = subprocess.run([f"{hub}/bin/python", "-c", script, path], capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            fail(f"{path}: {ran.stderr}")
        count, bad = json.loads(ran.stdout)
        equal(f"of {count} traits unknown to their class", bad, wanted)


def discovery(folder):
    """A provider on this machine: the hub takes its addresses, and refuses one that goes by another name."""
    with open(f"{folder}/cluster.json", encoding="utf-8") as f:
        cluster = json.load(f)
    oidc = cluster["users"]["oidc"]
    equal("secret of the client", oidc["client_secret"], {"file": "/etc/jupyterhub/oidc-secret"})
    named = []

    class Provider(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            here = f"http://127.0.0.1:{self.server.server_port}/realms/hpc"
            found = self.path == "/realms/hpc/.well-known/openid-configuration"
            self.send_response(200 if found else 404)
            self.end_headers()
            if found:
                self.wfile.write(json.dumps({"issuer": named[0] or here, "authorization_endpoint": here + "/auth", "token_endpoint": here + "/token",
                                             "userinfo_endpoint": here + "/userinfo"}).encode())

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    issuer = f"http://127.0.0.1:{server.server_port}/realms/hpc"
    oidc["issuer"], oidc["client_secret"] = issuer, {"file": f"{folder}/secret"}
    with open(f"{folder}/cluster.json", "w", encoding="utf-8") as f:
        json.dump(cluster, f)
    with open(f"{folder}/secret", "w", encoding="utf-8") as f:
        f.write("of the client\n")
    from traitlets.config.loader import PyFileConfigLoader
    named[:] = [None]
    config = PyFileConfigLoader(f"{folder}/jupyterhub_config.py").load_config()
    got = config.GenericOAuthenticator
    equal("addresses of the provider", [got.authorize_url, got.token_url, got.userdata_url], [issuer + "/auth", issuer + "/token", issuer + "/userinfo"])
    equal("secret, callback", [got.client_secret, got.oauth_callback_url], ["of the client", "https://ctl1:8443/hub/oauth_callback"])
    oidc["client_secret"] = {"env": "SECRET_OF_THE_CLIENT"}
    with open(f"{folder}/cluster.json", "w", encoding="utf-8") as f:
        json.dump(cluster, f)
    os.environ["SECRET_OF_THE_CLIENT"] = "of the unit"
    config = PyFileConfigLoader(f"{folder}/jupyterhub_config.py").load_config()
    equal("secret from a variable, and what squeue and scancel have of it, which run as users", (config.GenericOAuthenticator.client_secret, os.environ.get("SECRET_OF_THE_CLIENT")), ("of the unit", None))
    oidc["client_secret"] = {"file": f"{folder}/secret"}
    with open(f"{folder}/cluster.json", "w", encoding="utf-8") as f:
        json.dump(cluster, f)
    named[:] = ["https://other.example.org"]
    try:
        PyFileConfigLoader(f"{folder}/jupyterhub_config.py").load_config()
    except ValueError as refused:
        print(f"ok: refused: {refused}")
    else:
        fail("a provider with another name is taken")


class Browser:
    def __init__(self, certificate):
        context = ssl.create_default_context(cafile=certificate)
        self.jar = http.cookiejar.CookieJar()

        class Here(urllib.request.HTTPSHandler):   # the name is that of the certificate, the address that of the machine
            def https_open(self, request):
                return self.do_open(connection, request)

        def connection(host, **kwargs):
            made = http.client.HTTPSConnection(host, context=context, **{k: v for k, v in kwargs.items() if k != "context"})
            made._create_connection = lambda address, *rest, **more: socket.create_connection(("127.0.0.1", address[1]))
            return made

        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar), Here())

    def ask(self, path, data=None, headers=None, method=None):
        url = path if path.startswith("https://") else "https://notebooks.example.org:8443" + path
        request = urllib.request.Request(url, data=data, headers=headers or {}, method=method)
        try:
            with self.opener.open(request, timeout=60) as answer:
                return answer.status, answer.geturl(), answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as answer:
            return answer.code, url, answer.read().decode("utf-8", "replace")

    def xsrf(self):
        return next((c.value for c in self.jar if c.name == "_xsrf" and c.path.startswith("/hub")), "")

    def login(self, name, password):
        self.ask("/hub/login")
        data = urllib.parse.urlencode({"username": name, "password": password, "_xsrf": self.xsrf()}).encode()
        return self.ask("/hub/login", data)


def session(certificate, enter):
    def slurm(*command):
        return subprocess.run([enter, *command], capture_output=True, text=True, check=True).stdout.strip()

    # munge is an account of the system: its key makes everybody root
    for name, password in (("ada", "wrong"), ("root", "of the test"), ("munge", "of the test"), ("a;id", "of the test")):
        code, _, _ = Browser(certificate).login(name, password)
        equal(f"{name!r} with {password!r}", code in (401, 403), True)
    browser = Browser(certificate)
    code, url, _ = browser.login("ada", "of the test")
    equal("ada logs in", code, 200)
    code, url, page = browser.ask("/hub/spawn")
    sizes = re.findall(r'<option value="([^"]+)">([^<]+)</option>', page)
    equal("sizes on offer", [s[0] for s in sizes], ["tiny", "one-gpu"])
    # As a form of the browser; a size that does not exist first
    def spawn(size):
        return browser.ask("/hub/spawn", urllib.parse.urlencode({"profile": size, "_xsrf": browser.xsrf()}).encode())
    spawn("huge")
    time.sleep(2)
    equal("jobs of a size that does not exist", slurm("squeue", "-h"), "")
    code, url, page = spawn("tiny")
    job = ""
    for _ in range(60):
        job = slurm("squeue", "-h", "-o", "%i %u %T %C %m %l %P %j")
        if " RUNNING " in job:
            break
        time.sleep(1)
    number = job.split(" ")[0]
    equal("its job", job.split(" ")[1:], ["ada", "RUNNING", "2", "512M", "10:00", "gpu", "jupyterhub"])
    for _ in range(90):   # the page sends a browser to the hub and back, which makes it known to the session
        code, url, page = browser.ask("/user/ada/lab")
        if code == 200 and "/user/ada/lab" in url:
            break
        time.sleep(1)
    equal("JupyterLab's page through the proxy", (code, "JupyterLab" in page), (200, True))
    code, url, page = browser.ask("/user/ada/api/status")
    equal("its status", (code, sorted(json.loads(page)) if code == 200 else page[:200]), (200, ["connections", "kernels", "last_activity", "started"]))
    code, _, _ = Browser(certificate).ask("/user/ada/api/status")
    equal("a stranger is refused", code == 200, False)
    details = slurm("scontrol", "show", "job", number)
    equal("its end", "Requeue=0" in details, True)
    code, _, _ = browser.ask("/hub/api/users/ada/server", headers={"X-XSRFToken": browser.xsrf(), "Referer": "https://notebooks.example.org:8443/hub/home"}, method="DELETE")
    equal("ada stops it", code in (202, 204), True)
    for _ in range(30):
        if not slurm("squeue", "-h"):
            break
        time.sleep(1)
    equal("jobs left", slurm("squeue", "-h"), "")


if __name__ == "__main__":
    {"files": files, "traits": traits, "discovery": discovery, "session": session}[sys.argv[1]](*sys.argv[2:])
