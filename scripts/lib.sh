# shellcheck shell=bash
# What scripts/demo and scripts/test share; sourced, not run.
# Tried on Debian 12. Ubuntu 24.04 is expected to work with the same packages and is untried.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# shellcheck disable=SC2034  # used by those who source this
build_packages=(g++ cmake ninja-build ccache libyaml-cpp-dev libboost-program-options-dev libopenmpi-dev openmpi-bin
  libfmt-dev libsimdjson-dev nlohmann-json3-dev libssl-dev libopenblas-dev libcurl4-openssl-dev)

step() { printf '\n== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }
stop() { printf '\n%s\n' "$*" >&2; exit 1; }

policy=/usr/sbin/policy-rc.d
# In the background (below) sudo does not ask for a password: its question would be lost among the lines of the compiler.
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo ${in_background:+-n} "$@"; fi; }
# Only a policy-rc.d of ours is taken away.
remove_policy() { if grep -qs 'made by the scripts of clusterc' "$policy"; then as_root rm -f "$policy"; fi; }

# Installs those of the named packages that are missing, after saying which. Daemons among them are not started: a policy-rc.d
# forbids it for the time of the installation; one that is there already is left as it is.
install_missing() {
  local missing=() package
  for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
      "install ok installed") ;;
      *) missing+=("$package") ;;
    esac
  done
  if [ ${#missing[@]} -eq 0 ]; then
    note "everything that this needs is installed ($# packages)"
    return
  fi
  command -v apt-get >/dev/null || stop "These packages are needed, by their names in Debian 12; other systems are untried: ${missing[*]}"
  note "apt-get will install, with what they depend on:"
  note "${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || stop "Installing needs root: run this as root, or install sudo, or install the packages above by hand."
    note "sudo may ask for your password"
  fi
  remove_policy   # of a run that was killed
  if [ ! -e "$policy" ]; then
    trap remove_policy EXIT
    printf '#!/bin/sh\n# made by the scripts of clusterc for the time of an installation: no service is started\nexit 101\n' |
      as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  as_root apt-get update -q || stop "apt-get update failed: is this machine on line, and are its package sources right?"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" ||
    stop "apt-get could not install the packages above; its own words say why."
  remove_policy
}

# background LOG FUNCTION: runs a function beside what follows, with what it prints in LOG; `end_background` waits for it and has its exit status. Whatever ends
# this script, Ctrl-C as well, ends the function and all that it has started: it is a process group of its own, whose processes would otherwise ignore Ctrl-C.
background() {
  set -m
  { export in_background=yes; "$2"; } > "$1" 2>&1 < /dev/null &
  background_group=$!
  set +m
  trap 'kill -- "-$background_group" 2> /dev/null || true' EXIT
}
end_background() {
  local status=0
  wait "$background_group" || status=$?
  trap - EXIT
  return "$status"
}

# unpack_suite SUITE FOLDER PACKAGE...: these packages of another Debian, with what they depend on, unpacked in FOLDER.part; no script of a package is run and
# nothing is installed but mmdebstrap. The caller renames FOLDER.part when it is done with it.
unpack_suite() {
  local suite=$1 folder=$2 mirror packages
  shift 2
  packages=$(IFS=,; echo "$*")
  install_missing mmdebstrap
  # From where this machine has its own packages.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | sort -u | head -n 1)
  [ -n "$mirror" ] || stop "apt-get names no source of packages: run apt-get update, or give this machine one"
  mkdir -p "$(dirname "$folder")"
  if [ -e "$folder.part" ]; then as_root rm -rf "$folder.part"; fi   # of a run that was ended
  # A mirror that is a copy of some day has an index of sid whose date of expiry is over.
  as_root mmdebstrap --quiet --variant=extract --aptopt='Acquire::Check-Valid-Until "false"' --include="$packages" "$suite" "$folder.part" "$mirror" ||
    { as_root rm -rf "$folder.part"; stop "mmdebstrap could not unpack $suite: is this machine on line?"; }
}

# The nvcc of this machine, where cmake/cuda.cmake looks for it; fails where there is none.
system_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc)" "${CUDA_PATH:+$CUDA_PATH/bin/nvcc}" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" /usr/local/cuda/bin/nvcc; do
    if [ -n "$candidate" ] && command -v "$candidate"; then return 0; fi
  done
  return 1
}

# build PRESET [CMAKE-OPTION...]: configures and builds, with one job a core but no more than the memory carries.
build() {
  local preset=$1 jobs by_memory log
  shift
  jobs=$(nproc)
  by_memory=$(($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) / 1500000))   # a compiler takes up to 1.5 GB
  if [ "$by_memory" -lt "$jobs" ]; then jobs=$((by_memory > 0 ? by_memory : 1)); fi
  log=build/$preset-configure.log
  mkdir -p build
  # A cold build compiles the files of a room in groups; a folder that was built before stays as it is.
  [ -e "build/$preset/CMakeCache.txt" ] || set -- -DCLUSTERC_UNITY=ON "$@"
  if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
    tail -30 "$log" >&2
    stop "CMake could not configure; all that it said is in $log"
  fi
  sed -n 's/^-- clusterc: /   /p' "$log"
  note "$jobs jobs on $(nproc) cores"
  cmake --build --preset "$preset" -j "$jobs" || stop "The build failed; the first error above is the one to look at."
}
