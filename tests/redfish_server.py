"""Redfish services for tests: any number of BMCs behind one TLS port, told apart by the host that the client names (n1.bmc.localhost).

Each has a tree of resources, path -> object, and ways to misbehave. Sessions, tokens and connections are counted.
"""
import asyncio
import base64
import copy
import json
import os
import secrets
import ssl
import subprocess
import threading
import time

USER, PASSWORD = "auditor", 'pass "word" \\ 1'
ROOT, SESSIONS = "/redfish/v1", "/redfish/v1/SessionService/Sessions"


def load_tree(place):
    """A folder as the captures are laid out (redfish/v1/Systems/index.json), or one file with path -> object."""
    if os.path.isfile(place):
        with open(place, encoding="utf-8") as file:
            return json.load(file)
    tree = {}
    for folder, _, files in os.walk(os.path.join(place, "redfish")):
        if "index.json" in files:
            with open(os.path.join(folder, "index.json"), encoding="utf-8") as file:
                tree["/" + os.path.relpath(folder, place).replace(os.sep, "/")] = json.load(file)
    return tree


def make_certificates(folder):
    """An authority, and a certificate of it for 127.0.0.1 and *.bmc.localhost; the pin of its key. Made anew each time: nothing of it is kept."""
    os.makedirs(folder, exist_ok=True)

    def openssl(*arguments, stdin=None):
        return subprocess.run(["openssl", *arguments], cwd=folder, input=stdin, capture_output=True, check=True).stdout

    for name in ("ca", "bmc"):
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name + ".key")
    openssl("req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=test authority", "-days", "2", "-out", "ca.pem")
    openssl("req", "-new", "-key", "bmc.key", "-subj", "/CN=bmc", "-out", "bmc.csr")
    with open(os.path.join(folder, "ext"), "w", encoding="ascii") as file:
        file.write("subjectAltName=DNS:*.bmc.localhost,IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "bmc.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext", "-out", "bmc.pem")
    key = openssl("pkey", "-in", "bmc.key", "-pubout", "-outform", "der")
    return "sha256//" + base64.b64encode(openssl("dgst", "-sha256", "-binary", stdin=key)).decode()


class Bmc:
    """One BMC. "{bmc}" in its resources becomes its name, so that each has a serial number of its own. `how` misbehaves: a dictionary with some of
    delay s, hang, first (503 to so many requests), retry_after s, garbage/huge/deep/drop/redirect/status {path: …}, page n, loop, endless,
    no_sessions (basic authentication), refuse_login, forget (each token after n requests)."""

    def __init__(self, tree, changes=None, **how):
        self.tree, self.changes, self.how = tree, changes or {}, how
        self.left, self.times = {}, []
        self.tokens, self.logins, self.logouts, self.requests, self.refused = set(), 0, 0, 0, 0

    def resource(self, path):
        return self.changes[path] if path in self.changes else self.tree.get(path)

    def page(self, path, query):
        """A collection in pieces of `page` members."""
        resource = self.resource(path)
        size = self.how.get("page")
        if resource is None or not size or "Members" not in resource:
            return resource
        resource = copy.deepcopy(resource)
        skip = int(query.partition("$skip=")[2] or 0)
        members = resource["Members"]
        resource["Members"] = members[skip:skip + size]
        if self.how.get("endless"):
            resource["Members"] = [{"@odata.id": f"{path}/{skip + k}"} for k in range(size)]
            resource["Members@odata.nextLink"] = f"{path}?$skip={skip + size}"
        elif self.how.get("loop"):
            resource["Members"] = members
            resource["Members@odata.nextLink"] = f"{path}?$skip=1"
        elif skip + size < len(members):
            resource["Members@odata.nextLink"] = f"{path}?$skip={skip + size}"
        return resource


class Server:
    """`with Server(folder) as s: s.bmcs["n1"] = Bmc(tree)`; the BMC is at n1.bmc.localhost:PORT. With its address as name it is there."""

    def __init__(self, folder, host="127.0.0.1", port=0):
        self.folder, self.host, self.port, self.bmcs, self.strangers = folder, host, port, {}, 0
        self.open, self.most_open, self.accepted, self.without_token = 0, 0, 0, 0
        self.bytes_of = {}

    def __enter__(self):
        self.pin = make_certificates(self.folder)
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        self.thread = threading.Thread(target=self.serve, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)

    def serve(self, ready):
        asyncio.set_event_loop(self.loop)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(self.folder, "bmc.pem"), os.path.join(self.folder, "bmc.key"))

        async def start():
            server = await asyncio.start_server(self.client, self.host, self.port, ssl=context, backlog=4096, limit=1 << 20)
            self.port = server.sockets[0].getsockname()[1]

        self.loop.run_until_complete(start())
        self.loop.set_exception_handler(lambda *_: None)   # clients that go away in the middle are part of the tests
        ready.set()
        self.loop.run_forever()

    def address(self, name):
        return f"{name}.bmc.localhost:{self.port}"

    async def client(self, reader, writer):
        self.open += 1
        self.accepted += 1
        self.most_open = max(self.most_open, self.open)
        try:
            while await self.request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ssl.SSLError):
            pass
        finally:
            self.open -= 1
            writer.close()

    async def request(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        host = headers.get("host", "").partition(":")[0]
        name = host if host in self.bmcs else host.split(".")[0]
        bmc = self.bmcs.get(name)
        if bmc is None:
            self.strangers += 1
            return False
        bmc.requests += 1
        bmc.times.append(time.monotonic())
        how = bmc.how
        path, _, query = target.partition("?")
        path = path.rstrip("/")
        if how.get("hang") and how["hang"] in (True, path):
            await asyncio.sleep(3600)
        if how.get("delay"):
            await asyncio.sleep(how["delay"])
        if bmc.requests <= how.get("first", 0):
            return await self.send(writer, 503, b"", {"Retry-After": str(how.get("retry_after", 1))})
        for kind in ("garbage", "huge", "deep", "drop", "redirect", "status"):
            if path in how.get(kind, ()):
                return await self.misbehave(writer, kind, how[kind][path] if isinstance(how[kind], dict) else None)
        if path == SESSIONS and method == "POST":
            return await self.login(writer, bmc, body)
        if method == "DELETE" and path.startswith(SESSIONS + "/"):
            gone = path.rsplit("/", 1)[1] in bmc.tokens and headers.get("x-auth-token") in bmc.tokens
            bmc.tokens.discard(path.rsplit("/", 1)[1])
            bmc.logouts += gone
            return await self.send(writer, 204 if gone else 404, b"")
        token = headers.get("x-auth-token")
        if token in bmc.tokens and "forget" in how:
            bmc.left[token] = bmc.left.get(token, how["forget"]) - 1
            if bmc.left[token] < 0:
                bmc.tokens.discard(token)
                return await self.send(writer, 401, b"{}")
        if path != ROOT:
            basic = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
            if not (headers.get("x-auth-token") in bmc.tokens or (how.get("no_sessions") and headers.get("authorization") == basic)):
                self.without_token += 1
                return await self.send(writer, 401, b"{}")
        elif "x-auth-token" in headers or "authorization" in headers:
            self.without_token += 1000000   # the service root needs no credentials, and whoever it is has not shown who it is
        return await self.send_resource(writer, bmc, name, path, query)

    async def login(self, writer, bmc, body):
        if bmc.how.get("no_sessions"):
            return await self.send(writer, bmc.how["no_sessions"], b"{}")
        asked = json.loads(body)
        bmc.logins += 1
        if bmc.how.get("refuse_login") or asked != {"UserName": USER, "Password": PASSWORD}:
            bmc.refused += 1
            return await self.send(writer, 401, b"{}")
        token = secrets.token_hex(16)
        bmc.tokens.add(token)
        return await self.send(writer, 201, b"{}", {"X-Auth-Token": token, "Location": f"{SESSIONS}/{token}"})

    async def send_resource(self, writer, bmc, name, path, query):
        if bmc.how.get("page"):
            resource = bmc.page(path, query)
            return await self.send(writer, 404, b"{}") if resource is None else await self.send(writer, 200, json.dumps(resource).encode().replace(b"{bmc}", name.encode()))
        resource = bmc.resource(path)
        if resource is None:
            return await self.send(writer, 404, b"{}")
        if id(resource) not in self.bytes_of:   # with the resource, so that no other one gets its id
            self.bytes_of[id(resource)] = (resource, json.dumps(resource).encode())
        return await self.send(writer, 200, self.bytes_of[id(resource)][1].replace(b"{bmc}", name.encode()))

    async def misbehave(self, writer, kind, value):
        if kind == "garbage":
            return await self.send(writer, 200, b"<html><body>Welcome to \xff\xfe the BMC")
        if kind == "huge":
            return await self.send(writer, 200, b'{"a": "' + b"x" * (8 << 20) + b'"}')
        if kind == "deep":
            return await self.send(writer, 200, b"[" * 100000 + b"]" * 100000)
        if kind == "redirect":
            return await self.send(writer, 302, b"", {"Location": value.replace("PORT", str(self.port))})
        if kind == "status":
            return await self.send(writer, value, b"{}")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
        await writer.drain()
        return False

    async def send(self, writer, status, body, headers=None):
        lines = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {len(body)}"]
        if status == 204:
            lines.pop()
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await writer.drain()
        return True
