#!/usr/bin/env bash
# tested syslog-ng: syslog-ng 3.38
# output syslog-ng: syslog-ng --syntax-only 3.38 (Debian 12): the files of every example with Loki and Elasticsearch, and of the golden case; syslog-ng itself with them in a network namespace: what is logged before the other end is there, while it answers 503, 500, 504, 502 and 429, and what Slurm's file says, arrives once, as the documented requests of Loki's and of Elasticsearch's interface; neither of the two is in Debian: a reader of these requests; 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need syslog-ng python3 unshare ip logger
ls /usr/lib/syslog-ng/*/libhttp.so > /dev/null 2>&1 || missing "syslog-ng-mod-http not installed"
cd "$work" || exit 1

# takes FILE: no error, and no warning but that the file is written for older releases as well
takes() {
  syslog-ng --syntax-only --no-caps -f "$1" > said 2>&1 || return 1
  ! grep -vE "Configuration file format is too old|internal_queue_length stat counter has been renamed|truncation of the disk-buffer files is changed" said | grep -q .
}
files=0
for spec in "${examples[@]}"; do
  example=$(basename "$spec" .yaml)
  [ "$example" != broken ] || continue
  python3 "$src/tests/consumers/lib/software.py" "$spec" monitoring "[loki, elasticsearch]" replace > "$example.yaml"
  "$bin" compile "$example.yaml" -o "$example" --only syslog-ng > "$example.log" 2>&1 || { cat "$example.log" >&2; fail "compile $example"; }
  watcher=$(sed -n 's|.*url("http://\([^:]*\):3100.*|\1|p' "$example"/syslog-ng/*.conf | sort -u)
  if [ -z "$watcher" ]; then grep -q output-logs-unreceived "$example.log" || fail "$example: nobody receives, and nobody says so"; fi
  for f in "$example"/syslog-ng/*.conf; do
    takes "$f" || { cat said >&2; fail "$f: syslog-ng does not take it"; }
    files=$((files + 1))
  done
done
say "syslog-ng takes $files files of the examples"
compile_case syslog-ng
for f in "$out"/syslog-ng/*.conf; do takes "$f" || { cat said >&2; fail "$f: syslog-ng does not take it"; }; done
sed 's/batch-lines(1000)/batch-lines(many)/' "$out/syslog-ng/gpu.conf" > broken.conf
if takes broken.conf; then fail "syslog-ng takes batch-lines(many)"; fi
say "a count that is no number is refused: $(grep -m1 -o 'Error parsing.*expecting [A-Z_]*' said)"
sed '0,/flow-control/s//flow-kontrol/' "$out/syslog-ng/gpu.conf" > broken.conf
if takes broken.conf; then fail "syslog-ng takes flow-kontrol"; fi
say "an unknown flag is refused: $(grep -m1 -o 'Unknown.*\|Error parsing.*' said | head -1)"

unshare -n -m true 2> /dev/null || { say "no namespaces here: nothing was sent"; exit 0; }
cat > server.py <<'PY'
"""server.py PORT OUT CODE...: answers the first requests with CODEs, all others as Loki and Elasticsearch do; keeps what it took"""
import http.server, json, sys
port, out, codes = int(sys.argv[1]), sys.argv[2], [int(c) for c in sys.argv[3:]]
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        code = codes.pop(0) if codes else 204 if port == 3100 else 200
        with open(out, "a", encoding="utf-8") as f:
            f.write(json.dumps({"code": code, "path": self.path, "type": self.headers["Content-Type"], "body": body}) + "\n")
        self.send_response(code)
        if code != 204: self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
PY
cat > read.py <<'PY'
"""read.py loki|elasticsearch FILE GROUP: every request that was taken, by what the interface documents; a line for each message"""
import datetime, json, sys
kind, path, group = sys.argv[1:]
for request in map(json.loads, open(path, encoding="utf-8")):
    if request["code"] >= 300: continue
    if kind == "loki":
        assert request["path"] == "/loki/api/v1/push" and request["type"] == "application/json", request
        streams = json.loads(request["body"])["streams"]
        for s in streams:
            assert set(s) == {"stream", "values"} and set(s["stream"]) == {"cluster", "group", "host"} and s["stream"]["group"] == group, s
            for time, line, metadata in s["values"]:
                assert len(time) == 19 and time.isdigit() and all(isinstance(v, str) for v in metadata.values()), s
                print(s["stream"]["cluster"], metadata["program"], metadata["level"], line, sep="|")
    else:
        assert request["path"] == "/logs-syslog-logged_1/_bulk" and request["type"] == "application/x-ndjson" and request["body"].endswith("\n"), request
        lines = request["body"][:-1].split("\n")
        assert len(lines) % 2 == 0 and all(json.loads(action) == {"create": {}} for action in lines[::2]), lines
        for d in map(json.loads, lines[1::2]):
            assert d["labels"]["group"] == group and d["host"]["name"], d
            datetime.datetime.strptime(d["@timestamp"], "%Y-%m-%dT%H:%M:%S.%fZ")
            print(d["labels"]["cluster"], d["process"]["name"], d["log"]["level"], d["message"], sep="|")
PY
cat > run.sh <<'SH'
# run.sh CONF PORT OUT CODE...: a machine on which syslog-ng runs and something is logged; the other end comes later, and is busy at first
ip link set lo up
mount -t tmpfs none /var/log && mkdir /var/log/slurm
# a /dev of its own: /dev/log is not this system's
mkdir -p dev && mount -t tmpfs none dev && for d in null zero random urandom; do touch dev/$d && mount --bind /dev/$d dev/$d; done && mount --rbind dev /dev || exit 9
echo "127.0.0.1 localhost ctl" > hosts && mount --bind hosts /etc/hosts
mount --bind /dev/null /proc/kmsg
conf=$1; shift
sed 's/time-reopen(10)/time-reopen(1)/' "$conf" > run.conf
mount -t tmpfs none /var/lib/syslog-ng && mkdir -p /run/systemd && mount -t tmpfs none /run
syslog-ng -F --no-caps -f run.conf -R run.persist -c run.ctl -p run.pid > run.log 2>&1 & daemon=$!
for _ in $(seq 100); do [ -S /dev/log ] && break; sleep 0.1; done
logger -t planned -p daemon.err 'before "it" \ was there, {{ x }} $(id) '"$(printf '\303\251')"
sleep 2
python3 server.py "$@" & server=$!
sleep 1
echo '[2026-11-23T00:00:00] error: node in a rack' >> /var/log/slurm/slurmd.log
for _ in $(seq 150); do grep -q 'node in a rack' "$2" 2> /dev/null && tail -1 "$2" | grep -qE '"code": 20[04]' && break; sleep 0.2; done
logger -t planned last
for _ in $(seq 50); do grep -qF '\"last\"' "$2" && break; sleep 0.2; done
kill $daemon $server; wait
SH
# sent CONF PORT OUT CODE...: what arrived, in $got
sent() { rm -rf "$3" run.persist*; unshare -n -m --propagation private bash run.sh "$@" || fail "syslog-ng with $1"; }
once() { equal "$1: $2" "$(grep -cFx "$2" got)" 1; }
sent "$out/syslog-ng/gpu.conf" 3100 loki 503 500 504 502 429
python3 read.py loki loki gpu > got || fail "Loki would not take it"
equal "answers of Loki before it took anything" "$(grep -oE '"code": [0-9]+' loki | head -5 | grep -o '[0-9]*$' | tr '\n' ' ')" "503 500 504 502 429 "
accented=$(printf 'Logged-1|planned|err|before "it" \\ was there, {{ x }} $(id) \303\251')
for line in "$accented" 'Logged-1|slurmd|notice|[2026-11-23T00:00:00] error: node in a rack' 'Logged-1|planned|notice|last'; do once Loki "$line"; done
sed '/^  syslog-ng:/,$d; /^outputs:/d' "$src/tests/golden/compile/syslog-ng/spec.yaml" > plain.yaml
"$bin" compile plain.yaml -o plain --only syslog-ng > plain.log 2>&1 || { cat plain.log >&2; fail "compile without extra lines"; }
grep -v 'destination(d_loki)' plain/syslog-ng/head.conf > elastic.conf
sed -i 's/slurmctld/slurmd/g' elastic.conf
sent elastic.conf 9200 elastic 503 429
python3 read.py elasticsearch elastic head > got || fail "Elasticsearch would not take it"
for line in "$accented" 'Logged-1|slurmd|notice|[2026-11-23T00:00:00] error: node in a rack' 'Logged-1|planned|notice|last'; do once Elasticsearch "$line"; done
# Broken twins: without its patience syslog-ng loses what Loki was too busy for; a line that is pasted in is no JSON
sed '/response-action/d' "$out/syslog-ng/gpu.conf" > twin.conf
sent twin.conf 3100 loki 504 504 504 504 504
python3 read.py loki loki gpu > got
grep -qF 'before "it"' got && fail "a batch that was answered 504 five times arrives although nothing keeps it"
say "without response-action what was answered 504 five times is lost, and the test sees it"
sed 's/\$(substr .* 5 -1)/"$MSG"/' "$out/syslog-ng/gpu.conf" > twin.conf
sent twin.conf 3100 loki
if python3 read.py loki loki gpu > got 2>&1; then fail "a message between quotes is read as JSON"; fi
say "a message that is pasted in is refused: $(tail -1 got)"
