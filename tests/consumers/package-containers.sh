#!/usr/bin/env bash
# The images of packages/container: podman builds both on an empty Debian 12, as no registry of images is needed for that, and runs the compiler and a validator.
# heavy: two images are built, a minute and a half of two cores
. "$(dirname "$0")/lib/common.bash" "$@"
need mmdebstrap podman runc
[ "$(id -u)" -eq 0 ] || cannot "not root: podman is tried as root"
made=$src/build/package
[ -e "$made/SHA256SUMS" ] || missing "no packages in build/package: run scripts/package"
storage=(--root "$work/storage" --runroot "$work/run" --storage-driver vfs --cgroup-manager cgroupfs)
trap 'rm -rf "$work/storage" "$work/run"' EXIT
# Limits that a machine which is itself a container may set.
run() { podman "${storage[@]}" run --rm --network=host --ulimit nofile=1024:1024 --ulimit nproc=10000:10000 "$@"; }
mmdebstrap --quiet --variant=apt bookworm "$work/base.tar" > "$work/mmdebstrap.log" 2>&1 || missing "no empty Debian 12 can be made here ($(tail -1 "$work/mmdebstrap.log"))"
podman "${storage[@]}" import --quiet "$work/base.tar" localhost/debian:12 > "$work/import.log" 2>&1 || cannot "podman cannot keep an image here: $(tail -1 "$work/import.log")"
rm "$work/base.tar"
run localhost/debian:12 /bin/true > "$work/true.log" 2>&1 || cannot "podman cannot start a container here: $(tail -1 "$work/true.log")"
for image in "" .validators; do
  podman "${storage[@]}" build --layers=false --isolation chroot --build-arg BASE=localhost/debian:12 -f "$src/packages/container/Containerfile$image" -t "localhost/clusterc$image" "$made" > "$work/build$image.log" 2>&1 ||
    { tail -5 "$work/build$image.log"; fail "podman build of Containerfile$image"; }
done
run -v "$src/examples:/work:ro" localhost/clusterc check broken.yaml > "$work/check.log" 2>&1
equal "exit status of check in the container" "$?" 1
grep -q 'power-feed-loss-overloads-survivor' "$work/check.log" || { cat "$work/check.log"; fail "check found nothing"; }
equal "the user in the container" "$(run --entrypoint /usr/bin/id localhost/clusterc -u)" 65534
run localhost/clusterc.validators clusterc-memory --seconds 0.05 --allow-busy --size 8MiB --json > "$work/memory.jsonl" 2>&1
equal "exit status of clusterc-memory in the container" "$?" 0
grep -q '"memory.triad"' "$work/memory.jsonl" || { cat "$work/memory.jsonl"; fail "clusterc-memory measured nothing"; }
run localhost/clusterc.validators mpirun --allow-run-as-root --oversubscribe -n 2 clusterc-mpi --list > "$work/mpi.log" 2>&1 || { cat "$work/mpi.log"; fail "clusterc-mpi under the image's Open MPI"; }
say "the images run check, a validator, and Open MPI with one"
