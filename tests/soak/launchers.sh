#!/usr/bin/env bash
# Compiled jobs with the real frameworks, on the processors of this machine, over a virtual Slurm of two nodes: torchrun of PyTorch 2.6 (Debian 13)
# with a killed node, a requeue at the time limit and resuming; DeepSpeed, Megatron-Core, Ray Train and JAX from PyPI: they take the compiled
# command lines and settings, and their ranks, devices and groups are those of the plan. As root; downloads 2.5 GB into WORK/software, and takes
# ten minutes. Nothing is installed.
#   tests/soak/launchers.sh CLUSTERC SOURCE WORK [JOB...]      JOB: torchrun limit zero split experts actors mesh; left out: all
# MEGATRON_LM=DIR, a checkout of NVIDIA/Megatron-LM (core_r0.16.0 was tried): its own parser judges the arguments too.
# PYTHON=PROGRAM, a Python 3.11 for Ray and JAX; default: python3
set -u
bin=$(realpath "${1:?usage: $0 CLUSTERC SOURCE WORK [JOB...]}") src=$(realpath "${2:?}") work=${3:?}
shift 3
[ $# -gt 0 ] || set -- torchrun limit zero split experts actors mesh
mkdir -p "$work/software" && work=$(cd "$work" && pwd) || exit 1
PATH=$PATH:/usr/sbin:/sbin
software=$work/software root=$work/software/debian-13
python=${PYTHON:-python3}
fail() { echo "FAILED: $*" >&2; exit 1; }
say() { echo "ok: $*"; }

# ---- software --------------------------------------------------------------------------------------------------------------
if [ ! -e "$root" ]; then
  mmdebstrap --quiet --variant=extract --include=base-files,dash,bash,coreutils,python3-torch,python3-numpy,libc-bin,hostname trixie "$root.part" || fail "mmdebstrap"
  mv "$root.part" "$root"
fi
wheels() {   # FOLDER PYTHON PACKAGE...
  local folder=$software/$1 version=$2
  shift 2
  [ -e "$folder" ] && return
  "$python" -m pip install --quiet --no-cache-dir --only-binary=:all: --python-version "$version" --target "$folder.part" "$@" && mv "$folder.part" "$folder"
}
wheels for-torch 3.13 pydantic hjson psutil py-cpuinfo msgpack einops tqdm packaging pyyaml setuptools six regex || fail "packages"
if [ ! -e "$software/megatron-core" ]; then
  "$python" -m pip install --quiet --no-cache-dir --only-binary=:all: --no-deps --python-version 3.13 --target "$software/megatron-core.part" megatron-core && mv "$software/megatron-core.part" "$software/megatron-core" || fail megatron-core
fi
if [ ! -e "$software/deepspeed" ]; then
  "$python" -m venv "$software/venv" && "$software/venv/bin/pip" install --quiet wheel setuptools packaging ninja || fail venv
  "$software/venv/bin/pip" download --quiet --no-deps --no-binary=:all: --no-build-isolation -d "$software/sdist" deepspeed || fail deepspeed
  mkdir -p "$software/deepspeed" && tar xf "$software"/sdist/deepspeed-*.tar.gz -C "$software/deepspeed" --strip-components=1 || fail deepspeed
fi
own=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
wheels ray "$own" 'ray[train]' || fail ray
wheels jax "$own" jax jaxlib || fail jax

# ---- programs, as nodes have them --------------------------------------------------------------------------------------------
mkdir -p "$work/bin"
# in_debian NAME PYTHONPATH PROGRAM...: WORK/bin/NAME runs the program in the unpacked Debian 13; the process stays the same one
in_debian() {
  local name=$1 path=$2
  shift 2
  cat > "$work/bin/$name" <<EOF
#!/bin/bash
exec unshare -m --propagation private bash -c '
  root="$root"
  mkdir -p "\$root/proc" && mount -t proc proc "\$root/proc" || exit 1    # that of the virtual node has a memory of its own
  for at in /sys /dev "$work" "$src" ${MEGATRON_LM:+"$MEGATRON_LM"}; do mkdir -p "\$root\$at" && mount --rbind "\$at" "\$root\$at" || exit 1; done
  touch "\$root/etc/hosts" && mount --bind /etc/hosts "\$root/etc/hosts" || exit 1
  export PYTHONPATH="$src/tests/soak/launchers/shim:$path" LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack
  export PATH=/usr/bin:/bin:/usr/sbin USE_LIBUV=0 GLOO_SOCKET_IFNAME=eth0 DS_ACCELERATOR=cpu HOME=/tmp USER=root PYTHONWARNINGS=ignore
  exec chroot "\$root" "\$@"' bash $* "\$@"
EOF
  chmod +x "$work/bin/$name"
}
in_debian torchrun "${MEGATRON_LM:-$software/megatron-core}:$software/for-torch" torchrun
in_debian deepspeed "$software/deepspeed:$software/for-torch" python3 "$software/deepspeed/bin/deepspeed"
printf '#!/bin/bash\nexport PYTHONPATH=%q RAY_TMPDIR=/tmp/ray-$(hostname) RAY_DEDUP_LOGS=0\nmkdir -p "$RAY_TMPDIR"\nexec unshare -m sh -c "umount /proc/meminfo 2> /dev/null; exec \\"\\$@\\"" sh %q -m ray.scripts.scripts "$@"\n' "$software/ray" "$(command -v "$python")" > "$work/bin/ray"
printf '#!/bin/bash\nexport PYTHONPATH=%q JAX_PLATFORMS=cpu\nexec %q "$@"\n' "$software/jax" "$(command -v "$python")" > "$work/bin/python-jax"
printf '#!/bin/bash\nexport PYTHONPATH=%q\nexec %q "$@"\n' "$software/ray" "$(command -v "$python")" > "$work/bin/python-ray"
chmod +x "$work"/bin/*

# ---- torchrun: a killed node ---------------------------------------------------------------------------------------------------
case " $* " in *" torchrun "*)
  TORCH=$work/bin/torchrun TRAIN=$src/examples/train/train.py PAUSE=1 bash "$src/tests/consumers/jobs.sh" "$bin" "$src" "$work/consumer" > "$work/torchrun.log" 2>&1
  rc=$?
  grep -v '^step ' "$work/torchrun.log"
  [ $rc = 0 ] || fail "tests/consumers/jobs.sh with the real torchrun"
esac

# ---- the others ------------------------------------------------------------------------------------------------------------------
run=$work/run out=$work/tree
rm -rf "$run" "$out" "$work/checkpoints" "$work"/*.out
cp -r "$src/tests/consumers/specs/slurm-parts" "$src/tests/consumers/specs/jobs.yaml" "$work"
"$bin" compile "$work/jobs.yaml" -o "$out" > "$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "clusterc compile"; }
trap '"$src/tests/virtual-slurm/down" "$run"' EXIT
"$src/tests/virtual-slurm/up" "$out" "$run" --owner $$ --wait 150 || fail "the virtual Slurm did not come up"
export PATH=$work/bin:$PATH
# run_job NAME SCRIPT PYTHON LINES ARGUMENTS...: its output has so many lines that begin with "ok: "
run_job() {
  local name=$1 script=$2 with=$3 lines=$4 begin=$SECONDS
  shift 4
  export CHECKPOINTS=$work/checkpoints/$name TRAIN=$script PYTHON=$with
  (cd "$out/jobs/workload/$name" && timeout 400 "$run/enter" sbatch --wait --output="$work/$name.out" job.sbatch "$@" > "$work/$name.id") || { tail -40 "$work/$name.out" >&2; fail "job $name"; }
  grep -ho 'ok: .*' "$work/$name.out" | sort -u
  [ "$(grep -ho 'ok: .*' "$work/$name.out" | sort -u | wc -l)" = "$lines" ] || fail "job $name printed other than $lines lines: $(tail -20 "$work/$name.out")"
  say "job $name: $((SECONDS - begin)) s"
}
here=$src/tests/soak/launchers
for job; do
  case $job in
    torchrun) ;;
    limit)   # Slurm's own signal, its own limit
      export CHECKPOINTS=$work/checkpoints/limit TRAIN=$src/examples/train/train.py
      id=$(cd "$out/jobs/workload/ddp" && "$run/enter" sbatch --parsable --time=3 --output="$work/limit.out" job.sbatch --steps 100 --every 50 --pause 1) || fail "sbatch"
      for _ in $(seq 500); do
        state=$("$run/enter" scontrol show job "$id" | tr ' ' '\n' | sed -n 's/^JobState=//p')
        case $state in COMPLETED | FAILED | TIMEOUT | CANCELLED) break ;; esac
        sleep 1
      done
      grep -E '^(start|begin|stopped|done|the time limit)' "$work/limit.out"
      [ "$state" = COMPLETED ] && grep -q '^the time limit is near' "$work/limit.out" && grep -q '^done at step 100' "$work/limit.out" || fail "job limit is $state: $(tail -20 "$work/limit.out")"
      [ "$(sed -n 's/^step \([0-9]*\) .*/\1/p' "$work/limit.out" | sort -n | tr '\n' ' ')" = "$(seq 1 100 | tr '\n' ' ')" ] || fail "a step was left out or done twice"
      say "job limit: each of 100 steps once, over $(grep -c '^start' "$work/limit.out") starts" ;;
    zero) run_job zero "$here/deepspeed_step.py" python3 4 ;;
    split) run_job split "$here/megatron_groups.py" python3 4 ${MEGATRON_LM:+--with-megatron-lm} --lr 1e-4 --tokenizer-type NullTokenizer --vocab-size 1024 --mock-data --no-gradient-accumulation-fusion ;;
    experts) run_job experts "$here/megatron_groups.py" python3 4 ${MEGATRON_LM:+--with-megatron-lm} --lr 1e-4 --train-iters 10 --tokenizer-type NullTokenizer --vocab-size 1024 --mock-data --no-gradient-accumulation-fusion ;;
    actors) run_job actors "$here/ray_workers.py" "$work/bin/python-ray" 5 ;;
    mesh) run_job mesh "$here/jax_mesh.py" "$work/bin/python-jax" 4 ;;
    *) fail "no job '$job'" ;;
  esac
done
