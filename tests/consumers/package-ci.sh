#!/usr/bin/env bash
# The GitHub action and the GitLab component of packages/: their own scripts install the archive from an HTTPS server on this machine and check a spec; another
# checksum, and an address without TLS, are refused before anything is unpacked.
. "$(dirname "$0")/lib/common.bash" "$@"
need python3 openssl curl
made=$src/build/package
[ -e "$made/SHA256SUMS" ] || missing "no packages in build/package: run scripts/package"
archive=$(basename "$made"/clusterc-*-linux-*.tar.gz)
sum=$(awk -v name="$archive" '$2 == name { print $1 }' "$made/SHA256SUMS")
bin=$(readlink -f "$bin")
cd "$work" || exit 1
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2> openssl.log || fail "$(cat openssl.log)"
python3 - "$made" > port 2> server.log <<'PYTHON' &
import http.server, os, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
os.chdir(sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
PYTHON
server=$!
trap 'kill $server 2> /dev/null' EXIT
for _ in $(seq 100); do [ -s port ] && break; sleep 0.1; done
[ -s port ] || fail "the server did not start: $(cat server.log)"
address=https://localhost:$(cat port)/$archive
mkdir -p clusters && cp "$src/examples/lab.yaml" clusters/

# The scripts, as they stand in the files.
python3 - "$src/packages" <<'PYTHON' || fail "the action or the component cannot be read"
import re, sys, yaml
action = yaml.safe_load(open(sys.argv[1] + "/action/action.yml"))
steps = action["runs"]["steps"]
assert action["runs"]["using"] == "composite" and all(step["shell"] == "bash" for step in steps)
for step in steps:  # values reach the scripts as variables, never as text of the script
    assert "${{" not in step["run"], step["name"]
    for value in step["env"].values():
        assert re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value)[1] in action["inputs"], value
open("install.sh", "w").write(steps[0]["run"])
open("check.sh", "w").write(steps[1]["run"])
header, job = list(yaml.safe_load_all(open(sys.argv[1] + "/gitlab/clusterc.yml")))
inputs, job = header["spec"]["inputs"], job["cluster specs"]
for value in [job["stage"], job["image"], *job["variables"].values()]:
    assert re.fullmatch(r"\$\[\[ inputs\.(\w+) \]\]", value)[1] in inputs, value
assert all(isinstance(line, str) and "$[[" not in line for line in job["script"])
assert inputs["url"]["regex"] == "^https://" and re.fullmatch(inputs["sha256"]["regex"], "0" * 64)
open("gitlab.sh", "w").write("set -eo pipefail\n" + "\n".join(job["script"]).replace("/tmp/clusterc", "./clusterc-gitlab") + "\n")
PYTHON
install() { rm -rf runner; mkdir runner; RUNNER_TEMP=$work/runner GITHUB_PATH=$work/github-path CURL_CA_BUNDLE=$work/cert.pem URL=$1 SHA256=$2 bash install.sh > install.log 2>&1; }
install "$address" "$sum" || { cat install.log; fail "the action does not install the archive"; }
PATH=$work/runner/clusterc/bin:$PATH CHECK=clusters ARGUMENTS="--format github" bash check.sh > check.log 2>&1 || { cat check.log; fail "the action does not check"; }
equal "the program of the action" "$("$(tail -n 1 github-path)/clusterc" --version)" "$("$bin" --version)"
install "$address" "${sum//[0-9]/0}" && fail "another checksum is accepted"
[ -e runner/clusterc/bin ] && fail "an archive with another checksum was unpacked"
install "http${address#https}" "$sum" && fail "an address without TLS is accepted"
install "$address" "$sum" || { cat install.log; fail "the action does not install the archive"; }
printf 'nonsense: 1\n' >> clusters/lab.yaml
PATH=$work/runner/clusterc/bin:$PATH CHECK=clusters ARGUMENTS="--format github" bash check.sh > check.log 2>&1 && fail "the action lets a spec with an error pass"
grep -q '^::error' check.log || { cat check.log; fail "no annotation"; }
say "the action installs by checksum over TLS, and checks"
gitlab() { rm -rf clusterc-gitlab*; CURL_CA_BUNDLE=$work/cert.pem CLUSTERC_URL=$address CLUSTERC_SHA256=$1 CLUSTERC_CHECK=clusters CLUSTERC_ARGUMENTS='' bash gitlab.sh > gitlab.log 2>&1; }
gitlab "$sum" && fail "the component lets a spec with an error pass"
python3 -c 'import json, xml.etree.ElementTree as e; assert json.load(open("gl-code-quality-report.json")); e.parse("clusterc.xml")' || { cat gitlab.log; fail "the reports of the component"; }
cp "$src/examples/lab.yaml" clusters/
gitlab "$sum" || { cat gitlab.log; fail "the component"; }
gitlab "${sum//[0-9]/0}" && fail "another checksum is accepted by the component"
say "the component installs by checksum over TLS, checks, and writes both reports"

# The workflows of examples/ci install the same archive by their own steps.
python3 - "$src/examples/ci" <<'PYTHON' || fail "examples/ci cannot be read"
import sys, yaml
steps = yaml.safe_load(open(sys.argv[1] + "/github-workflow.yml"))["jobs"]["check"]["steps"]
open("github-step.sh", "w").write(next(s["run"] for s in steps if s.get("name") == "install clusterc"))
job = yaml.safe_load(open(sys.argv[1] + "/gitlab-ci.yml"))["cluster specs"]
open("gitlab-step.sh", "w").write("\n".join(job["before_script"]).replace("/tmp/clusterc", "./clusterc-example") + "\nclusterc --version\n")
PYTHON
rm -rf runner && mkdir runner
RUNNER_TEMP=$work/runner GITHUB_PATH=$work/example-path CURL_CA_BUNDLE=$work/cert.pem URL=$address SHA256=$sum bash -e github-step.sh > install.log 2>&1 || { cat install.log; fail "the workflow for GitHub does not install the archive"; }
equal "the program of the workflow for GitHub" "$("$(tail -n 1 example-path)/clusterc" --version)" "$("$bin" --version)"
CURL_CA_BUNDLE=$work/cert.pem CLUSTERC_URL=$address CLUSTERC_SHA256=$sum bash -eo pipefail gitlab-step.sh > install.log 2>&1 || { cat install.log; fail "the job for GitLab does not install the archive"; }
equal "the program of the job for GitLab" "$(tail -n 1 install.log)" "$("$bin" --version | tail -n 1)"
RUNNER_TEMP=$work/runner GITHUB_PATH=$work/example-path CURL_CA_BUNDLE=$work/cert.pem URL=$address SHA256=${sum//[0-9]/0} bash -e github-step.sh > install.log 2>&1 && fail "the workflow for GitHub accepts another checksum"
say "the workflows of examples/ci install by checksum over TLS"
