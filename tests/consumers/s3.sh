#!/usr/bin/env bash
# packages: rclone awscli
# tested s3: rclone 1.60, AWS CLI 2.9, systemd 252
# output s3: rclone 1.60 and the AWS CLI 2.9 (Debian 12) read the compiled profiles, and copy-checkpoints copies with rclone into a running server of S3 (moto 5.2, installed by scripts/object-store): what is new, once; a file that changed is an error and stays as it is there; a file that is gone here stays there; a file that is still written to waits; verify compares sums; systemd-analyze reads the units; 12 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need python3 rclone aws shellcheck flock mountpoint
server=${CLUSTERC_OBJECT_STORE:-$src/build/object-store}
[ -x "$server/bin/python3" ] || missing "no server of S3 in build/object-store: scripts/object-store installs one"
unset AWS_CA_BUNDLE AWS_PROFILE AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
export PATH=/usr/bin:$PATH no_proxy=127.0.0.1 NO_PROXY=127.0.0.1 AWS_EC2_METADATA_DISABLED=true
compile_case s3
files=$out/s3/vault
if grep -rqiE 'secret_access|access_key' "$out/s3"; then fail "credentials in the tree"; fi
shellcheck -s sh "$files/copy-checkpoints" || fail "shellcheck"
mkdir "$work/units" && for unit in "$files"/cluster-copy-vault.*; do sed 's,/usr/local/sbin/copy-checkpoints-vault,/bin/true,' "$unit" > "$work/units/${unit##*/}"; done
if command -v systemd-analyze > /dev/null; then
  systemd-analyze verify "$work"/units/* > "$work/said" 2>&1
  if grep cluster-copy "$work/said" >&2; then fail "systemd-analyze verify"; fi
fi

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$server/bin/python3" -m moto.server -H 127.0.0.1 -p "$port" > "$work/server.log" 2>&1 &
trap 'kill %1 2> /dev/null' EXIT
for _ in $(seq 100); do (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null && break; sleep 0.2; done

# The compiled files but for the end point, the path of the credentials and that of the mount
mkdir -p "$work/settings/vault" "$work/mount/saved/models/step-1" "$work/bin"
here() { sed "s,https://s3.example.org:9000,http://127.0.0.1:$port,; s,/etc/cluster/s3-credentials,$work/credentials,; s,/scratch,$work/mount," "$1"; }
here "$files/rclone.conf" > "$work/settings/vault/rclone.conf"
here "$files/aws-config" > "$work/aws-config"
here "$files/copy-checkpoints" > "$work/copy"
printf '[vault]\naws_access_key_id = key\naws_secret_access_key = word\n' > "$work/credentials" && chmod 0600 "$work/credentials"
printf '#!/bin/sh\n[ ! -e "%s/unmounted" ]\n' "$work" > "$work/bin/mountpoint" && chmod +x "$work/bin/mountpoint"
store() { AWS_CONFIG_FILE=$work/aws-config AWS_SHARED_CREDENTIALS_FILE=$work/credentials aws --profile vault --endpoint-url "http://127.0.0.1:$port" "$@"; }
equal "AWS CLI: region" "$(AWS_CONFIG_FILE=$work/aws-config aws --profile vault configure get region)" us-east-1
equal "AWS CLI: end point" "$(AWS_CONFIG_FILE=$work/aws-config aws --profile vault configure get endpoint_url)" "http://127.0.0.1:$port"
store s3 mb s3://checkpoints > /dev/null || { tail -5 "$work/server.log" >&2; fail "the server makes no bucket"; }
copy() { CLUSTER_S3_SETTINGS=$work/settings CLUSTER_S3_LOCK=$work/lock CLUSTER_S3_AGE=${age:-0s} PATH=$work/bin:$PATH sh "$work/copy" "$@" > "$work/said" 2>&1; }
there() { store s3api list-objects-v2 --bucket checkpoints --query 'Contents[].[Key,Size]' --output text | sed 's/\t/ /' | sort | tr '\n' ';'; }
head -c 3000000 /dev/urandom > "$work/mount/saved/models/step-1/weights" && echo one > "$work/mount/saved/models/step-1/state"
copy || { cat "$work/said" >&2; fail "copy-checkpoints"; }
first="scratch/saved/models/step-1/state 4;scratch/saved/models/step-1/weights 3000000;"
equal "copied" "$(there)" "$first"
store s3api get-object --bucket checkpoints --key scratch/saved/models/step-1/weights "$work/back" > /dev/null
cmp "$work/back" "$work/mount/saved/models/step-1/weights" || fail "what comes back is something else"
copy verify || { cat "$work/said" >&2; fail "verify"; }
mkdir "$work/mount/saved/models/step-2" && echo two > "$work/mount/saved/models/step-2/state"
age=1h copy && equal "a file that may still be written to" "$(there)" "$first"
copy && equal "a new one" "$(there)" "${first}scratch/saved/models/step-2/state 4;"
rm -r "$work/mount/saved/models/step-2"
copy && equal "a file that is gone here" "$(there)" "${first}scratch/saved/models/step-2/state 4;"
echo changed >> "$work/mount/saved/models/step-1/state"
if copy; then fail "a file that changed is no error"; fi
grep -q 'immutable file modified' "$work/said" && equal "a file that changed" "$(there)" "${first}scratch/saved/models/step-2/state 4;"
if copy verify; then fail "verify takes a file that changed"; fi
say "refused: $(grep -m1 'differ' "$work/said" | cut -d' ' -f3-)"
echo one > "$work/mount/saved/models/step-1/state"

# refused WHAT: ends with 3, and rclone is not run
refused() {
  printf '#!/bin/sh\necho rclone was run\n' > "$work/bin/rclone" && chmod +x "$work/bin/rclone"
  copy; equal "refused: $1" $? 3
  rm "$work/bin/rclone"
  if grep -q 'was run' "$work/said"; then fail "$1: rclone was run"; fi
}
: > "$work/unmounted" && refused "what is copied is not mounted" && rm "$work/unmounted"
chmod 0640 "$work/credentials" && refused "credentials that others may read" && chmod 0600 "$work/credentials"
mv "$work/credentials" "$work/away" && refused "no credentials" && mv "$work/away" "$work/credentials"
mv "$work/mount/saved" "$work/mount/elsewhere" && refused "no such folder" && mv "$work/mount/elsewhere" "$work/mount/saved"
mv "$work/mount/saved/models" "$work/mount/elsewhere" && mkdir "$work/private" && ln -s "$work/private" "$work/mount/saved/models" && refused "a folder that is a link to another one"
rm "$work/mount/saved/models" && mv "$work/mount/elsewhere" "$work/mount/saved/models"
copy all; equal "refused: other words" $? 2
rm -f "$work/lock" "$work/mount/saved/models/step-1/state" && copy || { cat "$work/said" >&2; fail "a copy"; }
equal "others may not open the lock" "$(stat -c %a "$work/lock")" 600
equal "where root's lock is" "$(sed -n 's/.*-eq 0 \]; then lock=\([^;]*\);.*/\1/p' "$files/copy-checkpoints")" '/run/cluster-copy-$store.lock'
# Under an account of its own, with credentials of its own
mkdir "$work/own" && mv "$work/credentials" "$work/own/credentials" && printf '#!/bin/sh\necho 1000\n' > "$work/bin/id" && chmod +x "$work/bin/id"
CLUSTER_S3_LOCK= RCLONE_S3_SHARED_CREDENTIALS_FILE=$work/own/credentials CLUSTER_S3_SETTINGS=$work/settings CLUSTER_S3_AGE=0s HOME=$work/own PATH=$work/bin:$PATH sh "$work/copy" > "$work/said" 2>&1 || { cat "$work/said" >&2; fail "a copy under another account"; }
[ -e "$work/own/.cluster-copy-vault.lock" ] || fail "the lock of another account: $(ls -A "$work/own")"
mv "$work/own/credentials" "$work/credentials" && rm "$work/bin/id"
(exec 8> "$work/lock" && flock 8 && copy && grep -q 'another copy runs' "$work/said") || fail "two copies at a time: $(cat "$work/said")"
say "a second copy at a time does nothing"
sed -i 's/checkpoints/nowhere/' "$work/copy"
if copy; then fail "a bucket that is not there is made, or no error"; fi
equal "buckets" "$(store s3 ls | wc -l)" 1
# Broken twins of rclone.conf
for broken in 's/^type = s3/type = s4/' 's/^profile = vault/profile = nobody/' 's/^endpoint.*/endpoint = http:\/\/127.0.0.1:1/'; do
  sed "$broken" "$work/settings/vault/rclone.conf" > "$work/broken.conf"
  cmp -s "$work/broken.conf" "$work/settings/vault/rclone.conf" && fail "the twin $broken is not broken"
  if rclone --config "$work/broken.conf" --retries 1 --low-level-retries 1 copy "$work/aws-config" vault:checkpoints > "$work/said" 2>&1; then fail "rclone takes $broken"; fi
  say "refused: $(tail -1 "$work/said" | cut -d' ' -f3- | cut -c1-120)"
done
