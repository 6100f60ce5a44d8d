#!/usr/bin/env bash
# `clusterc-container` with Podman 4.3 and containerd 1.6 (Debian 12) themselves: containers start, a collective among two ranks in one brings the right data, devices that Podman
# hides are named, an image that is not there and a container that lasts too long are told apart, and nothing stays behind.
. "$(dirname "$0")/lib/common.bash" "$@"
need podman runc containerd ctr python3 mpirun
validators=$(cd "$(dirname "$bin")/../libexec/clusterc" 2>/dev/null && pwd)
for v in container nccl; do [ -x "$validators/clusterc-$v" ] || missing "clusterc-$v was not built"; done
mkdir -p "$work"
# What this machine may set: an ordinary administrator's file.
printf '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n' > "$work/containers.conf"
export CONTAINERS_CONF=$work/containers.conf
podman run --rm --cgroup-manager=cgroupfs --network=host --rootfs /:O /bin/true > "$work/podman.txt" 2>&1 || cannot "podman cannot start a container here: $(tail -1 "$work/podman.txt")"
look() { # NAME STATUS, then arguments: records in NAME.jsonl
  local name=$1 status=$2 rc
  shift 2
  "$validators/clusterc-container" --iterations 3 --allow-busy "$@" > "$work/$name.jsonl" 2> "$work/$name.err"
  rc=$?
  [ $rc -eq "$status" ] || { cat "$work/$name.jsonl" "$work/$name.err" >&2; fail "$name ended with $rc, not $status"; }
}
judge() { # NAME, then Python on `m` (measurements by metric) and `end`: every line must be true
  python3 - "$work/$1.jsonl" <<PY || { cat "$work/$1.jsonl" >&2; fail "$1"; }
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
m, end = {r["metric"]: r for r in lines if r["record"] == "measurement"}, lines[-1]
$(cat)
PY
}

look podman 0 --runtimes podman
judge podman <<'PY'
start, all_reduce = m["container.start"], m["container.all_reduce"]
assert start["count"] == 3 and 0 < start["value"] < 60 and start["parameters"]["from"] == "/", start
assert all_reduce["data_verified"] and all_reduce["wrong"] == 0 and all_reduce["value"] > 0, all_reduce
PY

# A tree that lies in /dev/shm is not what the container has there: all of it is hidden.
tree=$(mktemp -d /dev/shm/clusterc-tree-XXXXXX)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/dev/infiniband" "$tree/sys/class/infiniband/mlx5_0"
touch "$tree/dev/nvidia0" "$tree/dev/infiniband/uverbs0"
look hidden 1 --runtimes podman --sysfs "$tree"
judge hidden <<'PY'
said = m["container.start"]["parameters"]["slow"]
assert m["container.start"]["wrong"] == 3 and all(d in said for d in ("nvidia0", "uverbs0", "mlx5_0")), said
PY

look absent 2 --runtimes podman --image clusterc.example/no-such-image
judge absent <<'PY'
assert end["reason"] == "system error" and "image not known" in end["detail"], end
PY
look late 2 --runtimes podman --timeout 0.02
judge late <<'PY'
assert end["reason"] == "timeout", end
PY
sleep 1
left=$(podman ps --all --noheading --filter name=clusterc- | wc -l)
[ "$left" -eq 0 ] || fail "$left containers stayed behind"

# The one that works is killed at some moments; the one that waits removes what there is.
for wait in 0.3 0.7 1.2; do
  "$validators/clusterc-container" --runtimes podman --seconds 20 --allow-busy > "$work/killed.jsonl" 2>&1 &
  parent=$!
  for _ in $(seq 200); do worker=$(cat "/proc/$parent/task/$parent/children" 2> /dev/null); [ -n "$worker" ] && break; sleep 0.05; done
  sleep 0.5   # the load of others is looked at first
  sleep "$wait"
  kill -9 "${worker%% *}"
  wait "$parent" && fail "a killed run ended well"
done
left=$(podman ps --all --noheading --filter name=clusterc- | wc -l)
[ "$left" -eq 0 ] || fail "$left containers stayed behind killed runs"

# containerd with folders of its own. The image is a folder with what the program is linked against.
mkdir -p "$work/box/proc" "$work/box/sys" "$work/box/dev" "$work/box/tmp"
ldd "$validators/clusterc-container" | grep -o '/[^ ]*' | while read -r library; do install -D "$library" "$work/box$library"; done
state=$(mktemp -d /dev/shm/clusterc-containerd-XXXXXX)
printf 'version = 2\nroot = "%s/root"\nstate = "%s/state"\n[grpc]\naddress = "%s/socket"\n' "$state" "$state" "$state" > "$work/containerd.toml"
containerd -c "$work/containerd.toml" > "$work/containerd.txt" 2>&1 &
daemon=$!
trap 'kill $daemon; wait $daemon 2> /dev/null; rm -rf "$tree" "$state"' EXIT
export CONTAINERD_ADDRESS=$state/socket
for _ in $(seq 100); do ctr version > /dev/null 2>&1 && break; sleep 0.1; done
ctr version > /dev/null 2>&1 || cannot "containerd does not start here: $(tail -1 "$work/containerd.txt")"
look containerd 0 --runtimes containerd --rootfs "$work/box"
judge containerd <<'PY'
start = m["container.start"]
assert start["count"] == 3 and start["parameters"]["program"].endswith("/ctr"), start
assert start["parameters"]["collective_left_out"] == "the image has no mpirun" and "container.all_reduce" not in m, start
PY
look containerd-late 2 --runtimes containerd --rootfs "$work/box" --timeout 0.02
left=$(ctr container list --quiet | wc -l)
[ "$left" -eq 0 ] || fail "$left containers of containerd stayed behind"
rm -rf "$work/box"
