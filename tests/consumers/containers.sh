#!/usr/bin/env bash
# tested containers: dockerd 20.10, containerd 1.6, podman 4.3
# output containers: dockerd 20.10 started with daemon.json, containerd 1.6 config dump, podman 4.3 with containers.conf and a container that gets a device by CDI (Debian 12), systemd-analyze verify, systemd 252 itself in its test mode with the limits of containerd's service, and a container of containerd that has its daemon's: every example with every runtime and the golden case; crio.conf, enroot.conf and apptainer.conf have no reader in Debian 12: TOML as Python reads it, and the documented names; systemd-tmpfiles 252 makes the folder in which every user makes Enroot's; a plugin of Pyxis' name loaded by srun 22.05, which starts without it too; 10 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need podman runc dockerd docker containerd ctr python3 systemd-analyze busybox unshare setpriv prlimit
unshare -m true 2>/dev/null || cannot "no mount namespaces here"

# Folders that something is mounted on, in a mount namespace, and that this machine may not have: they go again
made=
for d in /etc/cdi /etc/containers/containers.conf.d /var/lib/containers; do [ -d "$d" ] || made="$made $d"; done
trap '[ -z "$made" ] || rmdir $made 2> /dev/null' EXIT

# docker_reads FILE: dockerd starts with it in a mount namespace of its own; what it then says of itself is in $work/info
docker_reads() {
  : > "$work/info"
  timeout 90 unshare -m --propagation private bash -c '
    mount -t tmpfs none /run && mkdir -p /run/dk
    dockerd --config-file "$1" --iptables=false --ip6tables=false --bridge=none --data-root /run/dk/data --exec-root /run/dk/exec -H unix:///run/dk/s --pidfile /run/dk/pid > "$2/dockerd.log" 2>&1 &
    for i in $(seq 60); do
      kill -0 $! 2>/dev/null || exit 1
      if DOCKER_HOST=unix:///run/dk/s docker info --format "{{json .}}" > "$2/info" 2>/dev/null && grep -q Runtimes "$2/info"; then kill $!; wait $!; exit 0; fi
      sleep 1
    done
    kill $!; wait $!; exit 9' bash "$1" "$work"
}
# containerd_reads FILE: and has what the file says
containerd_reads() {
  containerd -c "$1" config dump > "$work/dump.toml" 2> "$work/said" && [ ! -s "$work/said" ] || return 1
  python3 - "$1" "$work/dump.toml" <<'PY'
import sys, tomllib
wrote, has = (tomllib.load(open(p, "rb")) for p in sys.argv[1:])
new = {"enable_cdi", "cdi_spec_dirs"}      # of containerd 1.7: 1.6 does not print them
def within(a, b, at):
    for k, v in a.items():
        if k in new and k not in b: continue
        if k == "imports": continue
        if k not in b: sys.exit(f"containerd does not have {at}.{k}")
        if isinstance(v, dict): within(v, b[k], f"{at}.{k}")
        elif v != b[k]: sys.exit(f"{at}.{k} is {b[k]!r}, not {v!r}")
within(wrote, has, "")
PY
}
# podman_with FILE COMMAND…: podman with this file and nothing else of this machine's
podman_with() {
  timeout 90 unshare -m --propagation private bash -c '
    mkdir -p /var/lib/containers /etc/cdi /etc/containers/containers.conf.d
    for d in /var/lib/containers /run /etc/cdi /etc/containers/containers.conf.d; do mount -t tmpfs none $d || exit 9; done
    cp "$1" /etc/containers/containers.conf.d/90-cluster.conf
    [ ! -e "$2/cdi.json" ] || cp "$2/cdi.json" /etc/cdi/
    podman import "$2/box.tar" box > /dev/null 2>&1 || podman import "$2/box.tar" box
    shift 2
    "$@"' bash "$1" "$work" "${@:2}"
}
mkdir -p "$work/box/bin" && cp "$(command -v busybox)" "$work/box/bin/" && tar -cf "$work/box.tar" -C "$work/box" .
# podman_reads FILE [MEANT]: not a word of complaint, and a new container has the limits of the file, or of the one that was meant
podman_reads() {
  podman_with "$1" bash -c 'podman create --cgroup-manager=cgroupfs --runtime runc --network=none --name c box /bin/busybox true > /dev/null && podman inspect c' > "$work/inspect" 2> "$work/said" || return 1
  grep -qiE 'fail|warn|error' "$work/said" && return 1
  python3 - "${2:-$1}" "$work/inspect" <<'PY' 2>> "$work/said"
import json, sys, tomllib
want, have = tomllib.load(open(sys.argv[1], "rb"))["containers"], json.load(open(sys.argv[2]))[0]["HostConfig"]
for limit in want.get("default_ulimits", []):
    name, value = limit.split("=")
    soft = int(value.split(":")[0])
    found = [u for u in have["Ulimits"] if u["Name"] == "RLIMIT_" + name.upper()]
    assert found and (found[0]["Soft"] == soft or soft == -1 and found[0]["Soft"] in (-1, 2**64 - 1)), (limit, have["Ulimits"])
if "shm_size" in want:
    assert have["ShmSize"] == int(want["shm_size"]), have["ShmSize"]
PY
}
# documented FOLDER: what has no reader here
documented() {
  python3 - "$1" <<'PY'
import os, re, subprocess, sys, tomllib
folder = sys.argv[1]
path = os.path.join(folder, "crio.conf")
if os.path.exists(path):           # crio.conf(5): keys of [crio.runtime] and of a runtime
    runtime = tomllib.load(open(path, "rb"))["crio"]["runtime"]
    assert set(runtime) <= {"cdi_spec_dirs", "default_runtime", "default_ulimits", "runtimes"}, runtime
    for r in runtime.get("runtimes", {}).values():
        assert set(r) <= {"runtime_path", "runtime_type"} and r["runtime_type"] == "oci", r
path = os.path.join(folder, "enroot.conf")
if os.path.exists(path):           # enroot.in: bash -n of the file, then a name and a value in each line, the value as echo prints it
    subprocess.run(["bash", "-n", path], check=True)
    for line in open(path):
        if not line.startswith("#"):
            key, value = line.rstrip("\n").split(" ", 1)
            assert key in ("ENROOT_CACHE_PATH", "ENROOT_DATA_PATH", "ENROOT_RUNTIME_PATH", "ENROOT_TEMP_PATH"), line
            said = subprocess.run(["bash", "-c", "eval echo \"$1\"", "bash", value], check=True, capture_output=True, text=True).stdout
            assert re.fullmatch(r"/[\w./-]+\n", said), said
path = os.path.join(folder, "apptainer.conf")
if os.path.exists(path):           # apptainer.conf: directive = value
    lines = [l.strip() for l in open(path) if not l.startswith("#")]
    assert lines in (["always use nv = yes"], ["always use rocm = yes"]), lines
PY
}
# service_reads FILE: beside Debian's own unit, without a word
service_reads() {
  mkdir -p "$work/units/containerd.service.d" && cp "$1" "$work/units/containerd.service.d/90-cluster.conf"
  SYSTEMD_UNIT_PATH=$work/units:/lib/systemd/system systemd-analyze verify containerd.service > "$work/said" 2>&1 && [ ! -s "$work/said" ]
}
# accepted TREE: every file by the program that reads it
docker_files=" "
accepted() {
  local folder
  for folder in "$1"/containers/*/; do
    folder=${folder%/}
    if [ -e "$folder/containerd.toml" ]; then containerd_reads "$folder/containerd.toml" || return 1; fi
    if [ -e "$folder/containerd-limits.conf" ]; then service_reads "$folder/containerd-limits.conf" || return 1; fi
    if [ -e "$folder/containers.conf" ]; then podman_reads "$folder/containers.conf" || return 1; fi
    if [ -e "$folder/cluster-cdi.service" ]; then
      sed 's|/usr/bin/nvidia-ctk cdi|/bin/true cdi|' "$folder/cluster-cdi.service" > "$work/cluster-cdi.service"   # the toolkit is not here
      systemd-analyze verify "$work/cluster-cdi.service" > "$work/said" 2>&1 && [ ! -s "$work/said" ] || return 1
    fi
    documented "$folder" || return 1
    if [ -e "$folder/daemon.json" ]; then
      local sum
      sum=$(md5sum < "$folder/daemon.json")
      case $docker_files in *"$sum"*) continue ;; esac   # many groups have the same one; a daemon takes seconds to start
      docker_reads "$folder/daemon.json" || return 1
      python3 - "$folder/daemon.json" "$work/info" <<'PY' || return 1
import json, sys
want, have = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
for name, r in want.get("runtimes", {}).items():
    assert have["Runtimes"][name]["path"] == r["path"], have["Runtimes"]
PY
      docker_files="$docker_files$sum "
    fi
  done
}
for spec in "${examples[@]}"; do
  example=$(basename "$spec" .yaml)
  [ "$example" != broken ] || continue
  python3 "$(dirname "$0")/lib/software.py" "$spec" containers "[docker, containerd, cri-o, podman, enroot, apptainer]" replace > "$work/$example.yaml"
  "$bin" compile "$work/$example.yaml" -o "$work/$example" --only containers > "$work/$example.log" 2>&1 || { cat "$work/$example.log" >&2; fail "compile $example"; }
  [ -d "$work/$example/containers" ] || continue
  accepted "$work/$example" || { cat "$work/said" "$work/dockerd.log" 2>/dev/null | tail -20 >&2; fail "$example is refused"; }
  say "$example: $(find "$work/$example/containers" -type f | wc -l) files"
done
compile_case containers
accepted "$out" || { cat "$work/said" "$work/dockerd.log" 2>/dev/null | tail -20 >&2; fail "the golden case is refused"; }
equal "files of the golden case" "$(cd "$out/containers" && find . -type f | sort | tr '\n' ' ')" "./cpu/containers.conf ./cpu/daemon.json ./gpu/apptainer.conf ./gpu/cluster-cdi.service ./gpu/containerd-limits.conf ./gpu/containerd.toml ./gpu/containers.conf ./gpu/crio.conf ./gpu/daemon.json ./gpu/enroot-tmpfiles.conf ./gpu/enroot.conf ./old/cluster-cdi.service ./old/containerd-limits.conf ./old/containerd.toml ./old/daemon.json "

# A device by CDI, as podman finds it where nvidia-ctk writes it
run() { podman_with "$out/containers/gpu/containers.conf" podman --cgroup-manager=cgroupfs --runtime runc run --rm --network=none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --ulimit memlock=65536:65536 --device "$1" box /bin/busybox ls /dev/fakegpu0; }
echo '{"cdiVersion":"0.5.0","kind":"nvidia.com/gpu","devices":[{"name":"0","containerEdits":{"deviceNodes":[{"path":"/dev/fakegpu0","hostPath":"/dev/null","type":"c","major":1,"minor":3}]}}]}' > "$work/cdi.json"
equal "a device in a container" "$(run nvidia.com/gpu=0 2> "$work/said")" /dev/fakegpu0
if run nvidia.com/gpu=7 > "$work/said" 2>&1; then fail "podman takes a device that is not there"; fi
say "a device that is not there is refused: $(grep -m1 -o 'unresolvable CDI devices.*' "$work/said")"

# What systemd itself makes of containerd's limits: its test mode, which is nobody's, shows each unit as it would start it
shared=$(mktemp -d /dev/shm/clusterc-containers-XXXXXX) && chmod 755 "$shared"
trap 'rm -rf "$shared"; [ -z "$made" ] || rmdir $made 2> /dev/null' EXIT
starts_with() {
  rm -rf "$shared/units" && mkdir -p "$shared/units/containerd.service.d" && cp "$1" "$shared/units/containerd.service.d/90-cluster.conf" && chmod -R a+rX "$shared"
  SYSTEMD_UNIT_PATH=$shared/units:/lib/systemd/system timeout 60 setpriv --reuid 65534 --regid 65534 --clear-groups env -i SYSTEMD_UNIT_PATH="$shared/units:/lib/systemd/system" /lib/systemd/systemd --test --system --unit=containerd.service 2>&1 |
    sed -n '/-> Unit containerd.service:/,/-> Unit /s/^[[:space:]]*\(Limit\(MEMLOCK\|NOFILE\)\): //p' | tr '\n' ' '
}
infinity=18446744073709551615
equal "containerd starts with open files and locked memory" "$(starts_with "$out/containers/gpu/containerd-limits.conf")" "1048576 $infinity "

# A container of containerd locks what its daemon may. Where this machine lets nobody beyond its own limit, a smaller one stands for it
box=$shared/box state=$shared/state
mkdir -p "$box/proc" "$box/sys" "$box/dev" "$box/tmp" "$box/bin" && cp "$(command -v busybox)" "$box/bin/"
printf 'version = 2\nroot = "%s/root"\nstate = "%s/state"\n[grpc]\naddress = "%s/socket"\n' "$state" "$state" "$state" > "$work/own.toml"
container_locks() {
  prlimit --memlock="$1:$1" containerd -c "$work/own.toml" > "$work/containerd.log" 2>&1 &
  daemon=$!
  for _ in $(seq 100); do ctr -a "$state/socket" version > /dev/null 2>&1 && break; sleep 0.1; done
  timeout 60 ctr -a "$state/socket" run --rm --rootfs "$box" "locks-$1" /bin/busybox sh -c 'ulimit -l' 2> "$work/said"
  kill "$daemon"; wait "$daemon" 2> /dev/null
}
if prlimit --memlock=unlimited:unlimited true 2> /dev/null; then most=unlimited means=unlimited; else most=4194304 means=4096; fi
equal "a container of a containerd with $most may lock" "$(container_locks "$most")" "$means"
equal "and of one with 64 KiB" "$(container_locks 65536)" 64

# What Enroot makes for a user as it begins (enroot.in: mkdir -p of its paths), as nobody; before the folder is there it cannot
enroot_runs() { runuser -u nobody -- bash -c 'while read -r key value; do [ "$key" != ENROOT_RUNTIME_PATH ] || { at=$(eval echo "$value"); mkdir -p "$1$at" || exit 1; }; done < "$2"' bash "$work/tmpfiles" "$out/containers/gpu/enroot.conf" > "$work/said" 2>&1; }
mkdir -p "$work/tmpfiles/run" && chmod 755 "$work" "$work/tmpfiles" && cp "$out/containers/gpu/enroot.conf" "$work/enroot.conf"
if su -s /bin/sh nobody -c "ls $work/tmpfiles" > /dev/null 2>&1; then
  if enroot_runs; then fail "nobody makes a folder in /run"; fi
  systemd-tmpfiles --create --root="$work/tmpfiles" "$out/containers/gpu/enroot-tmpfiles.conf" > "$work/said" 2>&1 || { cat "$work/said" >&2; fail "systemd-tmpfiles refuses the file"; }
  enroot_runs || { cat "$work/said" >&2; fail "a user of Enroot gets no folder"; }
  equal "a user's folder" "$(stat -c %U "$work"/tmpfiles/run/enroot/*)" nobody
fi

# Pyxis stands in Slurm's files: srun loads a plugin of that name from where plugstack.conf says, and takes no other word for `required`
if command -v srun > /dev/null && command -v "${CC:-gcc}" > /dev/null; then
  python3 "$(dirname "$0")/lib/software.py" "$src/examples/four-virtual.yaml" containers "[enroot, pyxis]" replace > "$work/pyxis.yaml"
  "$bin" compile "$work/pyxis.yaml" -o "$work/pyxis" --only slurm > "$work/pyxis.log" 2>&1 || { cat "$work/pyxis.log" >&2; fail "compile with Pyxis"; }
  release=$(SLURM_CONF=$work/pyxis/slurm/slurm.conf scontrol --version | sed 's/[^0-9.]//g')
  IFS=. read -r major minor micro <<< "$release"
  printf '%s\n' '#include <stdio.h>' 'const char plugin_name[] = "pyxis", plugin_type[] = "spank";' 'const unsigned int plugin_version = VERSION, spank_plugin_version = 1;' \
    'int slurm_spank_init(void *s, int n, char **a) { return fprintf(stderr, "a plugin is loaded\n") < 0; }' > "$work/spank.c"
  "${CC:-gcc}" -shared -fPIC "-DVERSION=(${major#0} << 16 | ${minor#0} << 8 | ${micro#0})" "$work/spank.c" -o "$work/spank_pyxis.so" 2> "$work/cc.log" || { cat "$work/cc.log" >&2; fail "the plugin cannot be built"; }
  # its own installation brings the line; before that nobody asks for a plugin that is not there
  mkdir "$work/plugins" && sed -i "s|/etc/slurm/plugstack.conf.d|$work/plugins|" "$work/pyxis/slurm/plugstack.conf"
  asks() { SLURM_CONF=$work/pyxis/slurm/slurm.conf timeout 30 srun --help > "$work/said" 2>&1 && grep -E "spank|plugin" "$work/said" > "$work/spank"; ! grep -q "error: " "$work/said"; }
  asks || { cat "$work/said" >&2; fail "srun does not start before Pyxis is there"; }
  say "srun starts where Pyxis is not installed yet"
  echo "required $work/spank_pyxis.so" > "$work/plugins/pyxis.conf"
  loads() { asks && grep -q "^a plugin is loaded" "$work/spank"; }
  loads || { cat "$work/said" >&2; fail "srun does not load what Pyxis brings"; }
  echo "require $work/spank_pyxis.so" > "$work/plugins/pyxis.conf"
  if loads; then fail "srun takes 'require'"; fi
  say "srun: $(grep -m1 -o 'Invalid option.*' "$work/said")"
  rm "$work/spank_pyxis.so" && echo "required $work/spank_pyxis.so" > "$work/plugins/pyxis.conf"
  if asks; then fail "srun starts without a plugin that is required"; fi
  say "without the plugin: $(grep -m1 -o 'error:.*' "$work/said")"
else
  missing_part "no srun or no C compiler: plugstack.conf was not tried"
fi

# Broken twins
gpu=$out/containers/gpu
sed 's/"runtimes"/"runtimez"/' "$gpu/daemon.json" > "$work/twin.json"
if docker_reads "$work/twin.json"; then fail "dockerd takes 'runtimez'"; fi
say "dockerd: $(grep -m1 -o "the following directives don't match.*" "$work/dockerd.log")"
sed 's/^version = 2/version = "two"/' "$gpu/containerd.toml" > "$work/twin.toml"
if containerd_reads "$work/twin.toml"; then fail "containerd takes version two"; fi
say "containerd: a version that is no number is refused"
sed 's/^default_ulimits = .*/default_ulimits = 5/' "$gpu/containers.conf" > "$work/twin.conf"
if podman_reads "$work/twin.conf"; then fail "podman takes a number for limits"; fi
say "podman: limits that are no list are refused: $(grep -m1 -oi 'incompatible types.*' "$work/said")"
sed 's/^default_ulimits/default_ulimit/' "$gpu/containers.conf" > "$work/twin.conf"
if podman_reads "$work/twin.conf" "$gpu/containers.conf"; then fail "podman takes default_ulimit"; fi
say "podman: a key that it does not know goes nowhere"
sed 's/^ExecStart/ExecStrat/' "$gpu/cluster-cdi.service" > "$work/cluster-cdi.service"
if systemd-analyze verify "$work/cluster-cdi.service" > "$work/said" 2>&1 && [ ! -s "$work/said" ]; then fail "systemd takes ExecStrat"; fi
say "systemd: $(grep -m1 -o "Unknown key.*" "$work/said")"
sed 's/^LimitMEMLOCK/LimitMEMLOK/' "$gpu/containerd-limits.conf" > "$work/twin.conf"
if service_reads "$work/twin.conf"; then fail "systemd takes LimitMEMLOK"; fi
say "systemd: $(grep -m1 -o "Unknown key.*" "$work/said")"
sed 's/^\[Service\]/[Unit]/' "$gpu/containerd-limits.conf" > "$work/twin.conf"
case $(starts_with "$work/twin.conf") in *" $infinity "*) fail "systemd takes limits in [Unit]" ;; esac   # the second is locked memory
say "systemd: limits in another section go nowhere"
