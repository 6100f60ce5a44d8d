"""A small client of the Language Server Protocol over stdio, for tests and benchmarks; the standard library and nothing else."""
import json
import select
import subprocess
import time


class Client:
    def __init__(self, command, settings=None, environment=None):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        self.settings = settings or {}
        self.buffer = b""
        self.notes = []          # notifications, in the order they came
        self.next_id = 0

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def raw(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self, seconds=20):
        """The next message that is not a request of the server's; those are answered here. None: the stream ended."""
        until = time.monotonic() + seconds
        while True:
            head, blank, rest = self.buffer.partition(b"\r\n\r\n")
            if blank:
                length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    message = json.loads(rest[:length])
                    if "method" in message and "id" in message:
                        self.answer(message)
                        continue
                    return message
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.server.stdout], [], [], left)[0]:
                raise TimeoutError("no message")
            data = self.server.stdout.read1(1 << 20)
            if not data:
                return None
            self.buffer += data

    def answer(self, request):
        result = None
        if request["method"] == "workspace/configuration":
            result = [self.settings.get(item.get("section"), {}) for item in request["params"]["items"]]
        self.send({"id": request["id"], "result": result})

    def request(self, method, params, seconds=20):
        """The whole answer, with `result` or `error`."""
        self.next_id += 1
        wanted = self.next_id
        self.send({"id": wanted, "method": method, "params": params})
        while True:
            message = self.receive(seconds)
            if message is None:
                raise EOFError(f"the server ended before it answered {method}")
            if message.get("id") == wanted:
                return message
            self.notes.append(message)

    def result(self, method, params, seconds=20):
        answer = self.request(method, params, seconds)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def findings(self, uri, version=None, seconds=20):
        """The diagnostics that were published for a document (of that version); waits for them."""
        while True:
            for i, note in enumerate(self.notes):
                if note.get("method") == "textDocument/publishDiagnostics" and note["params"]["uri"] == uri and version in (None, note["params"].get("version")):
                    del self.notes[:i + 1]
                    return note["params"]["diagnostics"]
            message = self.receive(seconds)
            if message is None:
                raise EOFError("the server ended before it published")
            self.notes.append(message)

    def end(self):
        """shutdown and exit; the exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        self.server.stdin.close()
        return self.server.wait(20)
