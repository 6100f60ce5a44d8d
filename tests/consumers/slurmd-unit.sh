#!/usr/bin/env bash
# output slurm: systemd-analyze verify 252 and systemd 252 itself in its test mode (Debian 12) with the settings of slurmd's unit beside that of Debian 12 and of Debian 13: NVIDIA with and without NVSwitches, NVL72, AMD, no GPU; the same text in Slurm's folder, for Ansible and for cloud-init; 2 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need systemd-analyze setpriv slurmd python3
[ -x /lib/systemd/systemd ] || missing "systemd not installed"
compile nvl72
for name in slurmd-nvidia slurmd-amd health-check; do compile_spec "$name"; done

shared=$(mktemp -d /dev/shm/clusterc-slurmd-XXXXXX) && chmod 755 "$shared"
trap 'rm -rf "$shared"' EXIT
units=$shared/units
# lay UNIT SETTINGS: slurmd's unit of a release with the settings beside it, and services of drivers that are not here
lay() {
  rm -rf "$units" && mkdir -p "$units/slurmd.service.d"
  cp "$1" "$units/slurmd.service" && sed -i '/^ConditionPathExists/d' "$units/slurmd.service"
  [ -z "${2:-}" ] || cp "$2" "$units/slurmd.service.d/90-cluster.conf"
  for name in nvidia-persistenced nvidia-fabricmanager nvidia-imex openibd munge; do printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n' > "$units/$name.service"; done
  printf '[Unit]\n' > "$units/rdma-hw.target"
  chmod -R a+rX "$shared"
}
# What systemd makes of it: test mode, which is nobody's, starts nothing and shows each unit as it would
shown() {
  timeout 60 setpriv --reuid 65534 --regid 65534 --clear-groups env -i SYSTEMD_UNIT_PATH="$units:/lib/systemd/system" /lib/systemd/systemd --test --system --unit=slurmd.service > "$shared/shown" 2>&1
  sed -n '/-> Unit slurmd.service:/,/-> Unit /p' "$shared/shown"
}
verify() { SYSTEMD_UNIT_PATH=$units:/lib/systemd/system systemd-analyze verify --man=no slurmd.service > "$work/said" 2>&1 && [ ! -s "$work/said" ]; }
starts_behind() {   # WHAT TREE GROUP WANTED-AFTER WANTED-WANTS
  local unit text
  for unit in /lib/systemd/system/slurmd.service "$src/build/newer-slurm/trixie/usr/lib/systemd/system/slurmd.service"; do
    [ -e "$unit" ] || continue
    lay "$unit" "$2/slurm/nodes/$3.conf"
    verify || { cat "$work/said" >&2; fail "systemd-analyze verify: $1"; }
    text=$(shown)
    equal "$1 starts after" "$(echo "$text" | sed -n 's/^[[:space:]]*After: \([^ ]*\).*/\1/p' | grep -E 'nvidia|amdgpu|openibd|rdma' | sort | tr '\n' ' ')" "$4"
    equal "$1 starts" "$(echo "$text" | sed -n 's/^[[:space:]]*Wants: \([^ ]*\).*/\1/p' | grep -E 'nvidia|amdgpu' | sort | tr '\n' ' ')" "$5"
    equal "$1 starts again" "$(echo "$text" | sed -n 's/^[[:space:]]*\(Restart\|RestartSec\): /\1=/p' | sort | tr '\n' ' ')" "Restart=on-failure RestartSec=10s "
    # its test mode does not show the limit of starts: 5 in 10 s unless the unit says otherwise (systemd.unit(5))
    equal "$1: starts that are too many" "$(sed -n '/^\[Unit\]/,/^\[Service\]/s/^StartLimitIntervalSec=//p' "$2/slurm/nodes/$3.conf")" 0
  done
}
starts_behind "slurmd of DGX H100" "$work/slurmd-nvidia" gpu "nvidia-fabricmanager.service nvidia-persistenced.service openibd.service rdma-hw.target " "nvidia-fabricmanager.service nvidia-persistenced.service "
starts_behind "slurmd of L40S cards" "$work/health-check" l40s "nvidia-persistenced.service " "nvidia-persistenced.service "
starts_behind "slurmd without GPUs" "$work/health-check" cpu "" ""
starts_behind "slurmd of MI300X" "$work/slurmd-amd" mi "modprobe@amdgpu.service openibd.service rdma-hw.target " "modprobe@amdgpu.service "
group=$(basename "$(grep -l nvidia-imex "$work"/nvl72/slurm/nodes/*.conf | head -1)" .conf)
starts_behind "slurmd of an NVL72 tray" "$work/nvl72" "$group" "nvidia-imex.service nvidia-persistenced.service openibd.service rdma-hw.target " "nvidia-imex.service nvidia-persistenced.service "

# ---- the same text wherever it is written ---------------------------------------------------------------------------------------------------
python3 - "$work/slurmd-nvidia" gpu "$work/health-check" l40s "$work/slurmd-amd" mi <<'PY' || fail "another text than Slurm's folder has"
import glob, sys, yaml
told = 0
for tree, group in zip(sys.argv[1::2], sys.argv[2::2]):
    want = "".join(line for line in open(f"{tree}/slurm/nodes/{group}.conf") if not line.startswith("#"))
    vars_ = yaml.safe_load(open(f"{tree}/ansible/group_vars/group_{group}.yaml"))
    assert vars_["cluster_slurmd_settings"] == want, group
    for path in glob.glob(f"{tree}/cloud-init/{group}.user-data"):
        texts = [f["content"] for f in yaml.safe_load(open(path))["write_files"] if f["path"].endswith("slurmd.service.d/90-cluster.conf")]
        assert texts == [want], (path, texts)
        told += 1
assert told == 3, told
PY
say "the plays and cloud-init write the same settings"

# ---- broken twins: a section and a key that systemd does not know --------------------------------------------------------------------------------
for twin in 's/^Restart=/Restarts=/' 's/^\[Unit\]/[Units]/'; do
  sed "$twin" "$work/slurmd-nvidia/slurm/nodes/gpu.conf" > "$work/twin.conf"
  lay /lib/systemd/system/slurmd.service "$work/twin.conf"
  if verify; then fail "systemd takes $twin"; fi
  say "systemd refuses $twin: $(head -1 "$work/said" | sed "s|$shared||")"
done
# without the settings, as Debian's package has it: nothing of the drivers, and no second start
lay /lib/systemd/system/slurmd.service
equal "slurmd as packaged starts again" "$(shown | sed -n 's/^[[:space:]]*Restart: //p'), after $(shown | grep -c 'After: nvidia')" "no, after 0"
