# For tests/consumers/*.sh: source it. Arguments of every consumer test: BIN SRCDIR WORKDIR.
# A test that cannot run never passes: it prints `skipped: REASON` and exits with 77. Where CI is set, only `cannot` does so; `missing` fails there.
set -u
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin
bin=${1:?usage: $0 CLUSTERC SOURCE_DIR WORK_DIR} src=${2:?} work=${3:?}
rm -rf "$work" && mkdir -p "$work" && work=$(cd "$work" && pwd) || exit 1

fail() { echo "FAILED: $*" >&2; exit 1; }
. "$(dirname "${BASH_SOURCE[0]}")/skipping.bash"
need() { for p in "$@"; do command -v "$p" >/dev/null || missing "$p not installed"; done; }
say() { echo "ok: $*"; }
need_debian_12() { grep -q '^ID=debian' /etc/os-release && grep -q '^VERSION_ID="12"' /etc/os-release || cannot "this is no Debian 12: the plays were not run"; }
# need_play_system [OPTIONS of unshare]: where a copy of this system can be mounted (lib/play.bash)
need_play_system() {
  unshare -m -u -p -f "$@" --propagation private sh -c ". '$src/tests/consumers/lib/play.bash'; play_system '$work/try'" 2> "$work/unshare.log" ||
    cannot "no copy of this system can be mounted here ($(head -1 "$work/unshare.log")): the plays were not run"
}
# compile EXAMPLE: the example's tree under $work/EXAMPLE, its path in $out
compile() {
  out=$work/$1
  "$bin" compile "$src/examples/$1.yaml" -o "$out" > "$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2; fail "clusterc compile examples/$1.yaml"; }
}
# compile_case CASE: the tree of tests/golden/compile/CASE/spec.yaml under $work/case-CASE, its path in $out
compile_case() {
  out=$work/case-$1
  "$bin" compile "$src/tests/golden/compile/$1/spec.yaml" -o "$out" > "$work/case-$1.log" 2>&1 || { cat "$work/case-$1.log" >&2; fail "clusterc compile of the golden case $1"; }
}
# compile_spec NAME: the tree of tests/consumers/specs/NAME.yaml under $work/NAME, its path in $out, the spec's in $spec
compile_spec() {
  out=$work/$1 spec=$src/tests/consumers/specs/$1.yaml
  "$bin" compile "$spec" -o "$out" > "$work/$1.log" 2>&1 || { cat "$work/$1.log" >&2; fail "clusterc compile tests/consumers/specs/$1.yaml"; }
}
# of_mpi COMMAND...: runs it, once more (twice at most) where Open MPI crashed in MPI_Init. With 4.1.4 and Slurm 22.05.8 on a busy machine one start of four ranks in
# fifty calls a null pointer in its TCP transport: a rank that left MPI_Init wrote to one that is still waiting in its first fence (backtrace of a core). Of standard error only the last
# lines are kept: there the crash shows by the peers that cannot connect to that rank any more. A network that is shut fails three times. No other
# crash, and no other output, is tried again; whatever comes the last time is the result.
of_mpi() {
  local try text status
  for try in 1 2 3; do
    text=$("$@" 2>&1)
    status=$?
    case $text in
      *'Failing at address: (nil)'* | *'Open MPI failed to TCP connect to a peer'*) [ "$try" = 3 ] || echo "Open MPI crashed in MPI_Init: once more" >&2 ;;
      *) break ;;
    esac
  done
  printf '%s\n' "$text"
  return $status
}
# slurm_complaints LOG…: what Slurm's daemons complain of. A first start finds no state and no cached topology of an earlier one; the other controllers are machines
# that no test starts (the primary tells them by their names, so the names were understood); an srun of 24.11 that has the end of its steps may be gone before slurmctld
# tells it that its job is complete; and how long 1000 calls of gettimeofday take is this machine's affair. slurmctld 24.11 reads node_reg_mem_percent with strtod()
# without clearing errno before (validate_node_specs): after an earlier error it says of a correct value that it is no number, and goes without it until the next
# node registers. PrologFlags=Contain wants proctrack/cgroup, which the overlay of several slurmd on one machine replaces.
slurm_complaints() {
  grep -hE "error:|fatal:" "$@" | grep -vE "Could not open .* state file|Trying backup state save file|No .* state file|_shutdown_bu_thread:send/recv (head[23]|ctl2): Connection|xcpuinfo_hwloc_topo_load: failed .load will be required|slurm_bufs_sendto\(msg_type=SRUN_JOB_COMPLETE\) failed: Connection reset by peer|High latency for [0-9]+ calls to gettimeofday|If using PrologFlags=Contain for pam_slurm_adopt, either proctrack/cgroup|Unable to convert node_reg_mem_percent=90 value to double"
}
# health_check_in FOLDER FILE: the compiled health check as FOLDER/healthcheck.sh, which reads FOLDER/node.sh and remembers what it does in FOLDER/run and nowhere else:
# a check by root writes below /run, and this machine may be a node of a cluster
health_check_in() {
  mkdir -p "$1"
  sed "s|^here=.*|here=$1|; s|^kept=/run/cluster-health/|kept=$1/run/|" "$2" > "$1/healthcheck.sh"
  grep -q "^kept=$1/run/" "$1/healthcheck.sh" && ! grep -q /run/cluster-health "$1/healthcheck.sh" || fail "$2 keeps its marks elsewhere"
}
# equal WHAT GOT WANTED
equal() { [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"; say "$1: $2"; }
# Every example; CMake's plain tests leave out the published designs (EXAMPLES=own), which consumer.NAME.published tries (label heavy).
examples=("$src"/examples/*.yaml)
[ "${EXAMPLES:-all}" = own ] || examples+=("$src"/examples/published/*.yaml)
# trees_with OUTPUT[,MORE]: every one of $examples that can be compiled, compiled with these outputs under $work; in $trees the names of those that call for the first
trees_with() {
  local spec name
  trees=
  for spec in "${examples[@]}"; do
    name=$(basename "$spec" .yaml)
    [ "$name" != broken ] || continue
    "$bin" compile "$spec" -o "$work/$name" --only "$1" > "$work/$name.log" 2>&1 || { cat "$work/$name.log" >&2; fail "clusterc compile ${spec#"$src"/}"; }
    if [ -d "$work/$name/${1%%,*}" ]; then trees="$trees $name"; fi
  done
  [ -n "$trees" ] || fail "no example calls for ${1%%,*}"
}
# small_bundle VALIDATORS FOLDER: those validators, with arrays of 64 MiB in place of four times the last-level cache (2 GiB on some servers)
small_bundle() {
  mkdir "$2" || exit 1
  for v in "$1"/*; do ln -s "$v" "$2/"; done
  rm "$2/clusterc-memory"
  printf '#!/bin/sh\ncase " $* " in *" --version "* | *" --list "*) exec %q "$@" ;; esac\nexec %q "$@" --size 64MiB\n' "$1/clusterc-memory" "$1/clusterc-memory" > "$2/clusterc-memory"
  chmod +x "$2/clusterc-memory"
}
