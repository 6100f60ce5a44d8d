#!/usr/bin/env bash
# tested fabric-env: ucx_info 1.13, ompi_info 4.1, fi_info 1.17
# output fabric-env: ucx_info -c 1.13 and ompi_info 4.1 (Debian 12) print every value of the files of every example and of the golden case; shellcheck, and apply.sh with a node's adapters as sysfs shows them, one of them missing, one of another subnet; sockets and subnets as netplan, hosts and opensm have them; NCCL 2.28 reads nccl.conf where it is installed, else every name is held against its user guide; fi_info 1.17 knows each variable of libfabric that a shell has after the compiled file, those of EFA, which Debian builds without, are held against fi_efa(7); sysctl and modprobe read their files; 7 negative tests
# packages: libfabric-bin kmod procps
. "$(dirname "$0")/lib/common.bash" "$@"
need shellcheck ucx_info ompi_info python3 fi_info sysctl

# sysfs FOLDER LINE…: the adapters of a node. A line is "ib DEVICE PREFIX [STATE]" or "eth INTERFACE DEVICE"
sysfs() {
  local root=$1 line kind a b c
  shift
  rm -rf "$root" && mkdir -p "$root/sys/class/infiniband"
  for line; do
    read -r kind a b c <<< "$line"
    if [ "$kind" = ib ]; then
      mkdir -p "$root/sys/class/infiniband/$a/ports/1/gids"
      echo InfiniBand > "$root/sys/class/infiniband/$a/ports/1/link_layer"
      echo "${c:-4: ACTIVE}" > "$root/sys/class/infiniband/$a/ports/1/state"
      echo "$b:a088:c203:00ab:cdef" > "$root/sys/class/infiniband/$a/ports/1/gids/0"
    else
      mkdir -p "$root/sys/class/net/$a/device/infiniband/$b" "$root/sys/class/infiniband/$b/ports/1/gids"
      echo 0 > "$root/sys/class/net/$a/dev_port"
      echo Ethernet > "$root/sys/class/infiniband/$b/ports/1/link_layer"
      echo "4: ACTIVE" > "$root/sys/class/infiniband/$b/ports/1/state"
      echo "fe80:0000:0000:0000:a088:c203:00ab:cdef" > "$root/sys/class/infiniband/$b/ports/1/gids/0"   # link-local, as every RoCE port has it
    fi
  done
}
# apply TREE/GROUP ROOT: exit status in $status, what it says in $work/said
apply() { FABRIC_ENV_ROOT=$2 sh "$1/apply.sh" > "$work/said" 2>&1; status=$?; }
value() { sed -n "s/^$2 *= *//p" "$1" | tail -1; }

# read_back ROOT: UCX and Open MPI print what the files say. Each line of a file is looked for in what the program says that it has.
read_back() {
  local key wanted got
  if [ -e "$1/etc/ucx/ucx.conf" ]; then
    UCX_CONFIG_DIR=$1/etc/ucx ucx_info -cf > "$work/ucx" 2> "$work/ucx.said" || return 1
    if grep -qiE 'error|warn|unused' "$work/ucx.said" || grep -q 'UCX *ERROR' "$work/ucx"; then return 1; fi
    while IFS='=' read -r key wanted; do
      # settings of InfiniBand are inherited by its transports, and printed there
      got=$(sed -n "s/^\(${key}\|${key/UCX_IB_/UCX_RC_VERBS_}\)=//p" "$work/ucx" | tail -1)
      [ "$got" = "$wanted" ] || { echo "$key is '$got' to UCX, not '$wanted'" >> "$work/ucx.said"; return 1; }
    done < <(grep -v '^#' "$1/etc/ucx/ucx.conf")
  fi
  for file in "$1"/etc/openmpi*/openmpi-mca-params.conf; do
    [ -e "$file" ] || continue
    OMPI_MCA_mca_base_param_files=$file ompi_info --param all all --level 9 --parsable > "$work/ompi" 2> "$work/ompi.said" || return 1
    while IFS=' ' read -r key _ wanted; do
      grep -q ":$key:value:$wanted\$" "$work/ompi" && grep -q ":$key:source:file ($file:" "$work/ompi" || { echo "Open MPI does not have $key = $wanted from the file" >> "$work/ompi.said"; return 1; }
    done < <(grep -v '^#' "$file")
  done
}

trees_with fabric-env,netplan,hosts,opensm
compile_case fabric-env-efa
compile_case fabric-env-iwarp
compile_case fabric-env
groups=0 names=$work/names
: > "$names"
for tree in $trees case-fabric-env case-fabric-env-efa case-fabric-env-iwarp; do
  for folder in "$work/$tree"/fabric-env/*/; do
    folder=${folder%/}
    shellcheck "$folder/apply.sh" || fail "$tree: shellcheck refuses $(basename "$folder")/apply.sh"
    sysfs "$work/bare"
    apply "$folder" "$work/bare"
    [ "$status" = 0 ] || [ "$status" = 3 ] || { cat "$work/said" >&2; fail "$tree: apply.sh ends with $status"; }
    read_back "$work/bare" || { tail "$work"/*.said >&2; fail "$tree, $(basename "$folder"): a library reads something else"; }
    cat "$work/bare"/etc/{nccl,rccl}.conf 2>/dev/null | grep -v '^#' >> "$names"
    # a comment with a '=' would be a setting to old releases of NCCL
    if cat "$work/bare"/etc/{nccl,rccl}.conf 2>/dev/null | grep '^#' | grep -q =; then fail "$tree: a comment that NCCL could take for a setting"; fi
    groups=$((groups + 1))
  done
done
say "$groups groups: shellcheck, UCX and Open MPI read what is written"
# NCCL's user guide, "Environment Variables": the names that are written here, and what they may be
unknown=$(grep -vE '^(NCCL_SOCKET_IFNAME==[^=, ]+(,[^=, ]+)*|NCCL_IB_GID_INDEX=[0-9]+|NCCL_IB_TC=[0-9]+|NCCL_CROSS_NIC=[01]|NCCL_IB_ADAPTIVE_ROUTING=1|NCCL_COLLNET_ENABLE=1|NCCL_IB_DISABLE=1|NCCL_DEBUG=(VERSION|WARN|INFO|TRACE))$' "$names")
[ -z "$unknown" ] || fail "NCCL's user guide does not have: $unknown"
say "NCCL: $(sort -u "$names" | grep -c .) different settings, each in its user guide"

# libfabric: what a login shell and a container of Enroot have. fi_efa(7) of libfabric 1.17 and 2.1, "RUNTIME PARAMETERS", has FI_EFA_USE_DEVICE_RDMA.
fi_info -e 2> /dev/null | sed -n 's/^# *\(FI_[A-Z_]*\): .*/\1/p' | sort -u > "$work/libfabric"
grep -qx FI_VERBS_IFACE "$work/libfabric" || fail "fi_info does not name its variables"
echo FI_EFA_USE_DEVICE_RDMA >> "$work/libfabric"
known_to_libfabric() { env -i sh -c ". '$1'; env" | sed -n 's/^\(FI_[A-Z_]*\)=.*/\1/p' | sort | grep -vxFf "$work/libfabric"; }
for case in efa iwarp; do
  for folder in "$work/case-fabric-env-$case"/fabric-env/*/; do
    root=$work/root-$case
    sysfs "$root" "eth job1 mlx5_0"
    apply "${folder%/}" "$root"
    file=$root/etc/profile.d/cluster-libfabric.sh
    shellcheck -s sh "$file" || fail "shellcheck refuses $file"
    unknown=$(known_to_libfabric "$file")
    [ -z "$unknown" ] || fail "libfabric has no $unknown"
    sed 's/export FI_PROVIDER/export FI_PROVIDR/' "$file" > "$work/twin.sh"
    [ -n "$(known_to_libfabric "$work/twin.sh")" ] || fail "a misspelt variable is not seen"
  done
done
equal "provider of EFA" "$(env -i sh -c ". '$work/root-efa/etc/profile.d/cluster-libfabric.sh'; echo \$FI_PROVIDER \$FI_EFA_USE_DEVICE_RDMA \$FI_LOG_LEVEL")" "efa 1 warn"
equal "the same for containers" "$(grep -v '^#' "$work/root-efa/etc/enroot/environ.d/90-cluster-libfabric.env" | tr '\n' ' ')" "FI_PROVIDER=efa FI_EFA_USE_DEVICE_RDMA=1 FI_LOG_LEVEL=warn "
equal "provider of iWARP" "$(env -i sh -c ". '$work/root-iwarp/etc/profile.d/cluster-libfabric.sh'; echo \"\$FI_PROVIDER\"")" "verbs;ofi_rxm"
# verbs is a provider where there is an adapter; here its variables are known, and what stands behind it is
fi_info -l > "$work/providers" 2> /dev/null
grep -q '^ofi_rxm:' "$work/providers" || fail "libfabric has no provider ofi_rxm"
equal "sysctl reads" "$(sed 's,kernel.yama.ptrace_scope,kernel.hostname,; s/= 0/= x/' "$work/root-efa/etc/sysctl.d/90-cluster-fabric.conf" | unshare -u sysctl -q -p - 2>&1; sed -n 's/^\(kernel[^ ]*\) .*/\1/p' "$work/root-efa/etc/sysctl.d/90-cluster-fabric.conf")" "kernel.yama.ptrace_scope"
# An adapter that can do both: set once, and left alone when it speaks iWARP (the second run would end the connections of jobs)
root=$work/root-both
sysfs "$root"
mkdir -p "$root/sys/class/net/data1" "$root/sys/devices/0000:16:00.0" "$work/bin" && echo DRIVER=ice > "$root/sys/devices/0000:16:00.0/uevent"
ln -s "$root/sys/devices/0000:16:00.0" "$root/sys/class/net/data1/device"
cat > "$work/bin/devlink" << SH
#!/bin/sh
echo "\$*" >> "$work/devlink"
case "\$*" in
  *show*) printf 'pci/0000:16:00.0:\n  name enable_iwarp type generic\n    values:\n      cmode runtime value %s\n' "\$(cat "$work/iwarp")" ;;
  *"name enable_iwarp value true"*) echo true > "$work/iwarp" ;;
esac
SH
chmod +x "$work/bin/devlink" && echo false > "$work/iwarp" && : > "$work/devlink"
for run in first second; do
  PATH=$work/bin:$PATH apply "$work/case-fabric-env-iwarp/fabric-env/gpu" "$root"
  equal "adapter that can do both, $run run" "$status $(grep -c ' set ' "$work/devlink")" "0 2"
done
equal "modules" "$(grep -v '^#' "$work/root-iwarp/etc/modules-load.d/cluster-fabric.conf" | tr '\n' ' ')" "rdma_cm rdma_ucm iw_cm "

# Other outputs say the same: the sockets' interface is the one that netplan gives the address that hosts has under the plain name; Open MPI's subnets hold that address.
python3 - "$work" $trees case-fabric-env <<'PY' || fail "fabric-env and the other outputs do not agree"
import glob, ipaddress, os, subprocess, sys, yaml
work, compared = sys.argv[1], 0
for tree in sys.argv[2:]:
    hosts = {}
    for line in open(f"{work}/{tree}/hosts/hosts") if os.path.exists(f"{work}/{tree}/hosts/hosts") else []:
        for name in line.split("#")[0].split()[1:]:
            hosts[name] = line.split()[0]
    for folder in glob.glob(f"{work}/{tree}/fabric-env/*"):
        nodes = glob.glob(f"{work}/{tree}/netplan/{os.path.basename(folder)}-0/*.yaml")
        if not nodes:
            continue
        node = sorted(nodes)[0]
        plan = yaml.safe_load(open(node))["network"]
        have = {a.split("/")[0]: name for kind in ("ethernets", "bonds", "vlans") for name, d in plan.get(kind, {}).items() for a in d.get("addresses", [])}
        address = hosts[os.path.basename(node)[:-5]]
        for name in ("nccl.conf", "rccl.conf", "openmpi-mca-params.conf"):
            for line in open(f"{folder}/{name}") if os.path.exists(f"{folder}/{name}") else []:
                if line.startswith("NCCL_SOCKET_IFNAME=="):
                    interfaces = line.strip().split("==")[1].split(",")
                    assert set(interfaces) <= set(have.values()), (folder, interfaces)
                    assert have[address] in interfaces or "job network" in open(f"{folder}/{name}").read(), (folder, line)
                    compared += 1
                if line.startswith("btl_tcp_if_include"):
                    assert any(ipaddress.ip_address(address) in ipaddress.ip_network(s) for s in line.split("= ")[1].strip().split(",")), (folder, line)
                    compared += 1
assert compared > 5, compared
print(f"ok: {compared} settings agree with netplan and hosts")
PY

# A DGX H100 by hand: 8 ports of compute in the subnet of opensm/compute, 2 of storage in another, 2 Ethernet ports of the same adapters, and a port that is down
prefix() { sed -n 's/^subnet_prefix 0x\(....\)\(....\)\(....\)\(....\)$/\1:\2:\3:\4/p' "$work/superpod/opensm/$1/opensm.conf"; }
dgx=() all=
for i in 0 3 4 5 6 9 10 11; do dgx+=("ib mlx5_$i $(prefix compute)"); all="$all mlx5_$i:1"; done
equal "subnets differ" "$(prefix compute) $(prefix storage)" "fe80:0000:0000:0000 fe80:0000:0000:0001"
rest=("ib mlx5_1 $(prefix storage)" "ib mlx5_7 $(prefix storage)" "eth inband1 mlx5_2" "eth inband2 mlx5_8" "ib mlx5_12 $(prefix compute) 1: DOWN")
node=$work/dgx
sysfs "$node" "${dgx[@]}" "${rest[@]}"
gpu=$work/superpod/fabric-env/gpu
apply "$gpu" "$node"
equal "apply.sh on a DGX H100" "$status" 0
equal "adapters for NCCL" "$(value "$node/etc/nccl.conf" NCCL_IB_HCA | tr -d = | tr ',' '\n' | sort -V | tr '\n' ' ')" "$(echo "$all" | tr ' ' '\n' | grep . | sort -V | tr '\n' ' ')"
case $(value "$node/etc/nccl.conf" NCCL_IB_HCA) in =*) ;; *) fail "NCCL would take mlx5_1 for the begin of mlx5_10" ;; esac
read_back "$node" || { tail "$work"/*.said >&2; fail "a library reads something else"; }
equal "adapters for UCX" "$(sed -n 's/^UCX_NET_DEVICES=//p' "$work/ucx")" "$(value "$node/etc/nccl.conf" NCCL_IB_HCA | sed 's/^=//')"
apply "$gpu" "$node"
equal "a second run" "$status, $(wc -l < "$work/said") lines" "0, 0 lines"

# RoCE by the names of interfaces
sysfs "$work/lab-node" "eth data1 rocep65s0f0" "eth data2 rocep65s0f1"
apply "$work/lab/fabric-env/gpu" "$work/lab-node"
equal "the lab's adapter" "$status $(value "$work/lab-node/etc/nccl.conf" NCCL_IB_HCA)" "0 =rocep65s0f0:1"
equal "its class: DSCP 26 x 4" "$(value "$work/lab-node/etc/nccl.conf" NCCL_IB_TC)" 104
sysfs "$work/case-node" "eth ai1 mlx5_0" "eth ai2 mlx5_3" "eth data1 mlx5_bond_0"
apply "$out/fabric-env/gpu" "$work/case-node"
equal "the golden case's adapters" "$status $(value "$work/case-node/etc/ucx/ucx.conf" UCX_NET_DEVICES)" "0 mlx5_0:1,mlx5_3:1"
read_back "$work/case-node" || { tail "$work"/*.said >&2; fail "a library reads something else"; }
equal "UCX's traffic class: DSCP 34 x 4" "$(sed -n 's/^UCX_RC_VERBS_TRAFFIC_CLASS=//p' "$work/ucx")" 136

# Broken twins
sysfs "$node" "${dgx[@]:1}" "${rest[@]}"
apply "$gpu" "$node"
equal "a node with an adapter less" "$status $(cat "$node/etc/nccl.conf" "$node/etc/ucx/ucx.conf" | grep -c '^NCCL_IB_HCA\|^UCX_NET')" "3 0"
grep -q "network compute: 7 of 8 RDMA ports are there" "$work/said" || fail "it does not say what is missing"
cp -r "$work/case-node" "$work/twin" && sed -i 's/^UCX_IB_GID_INDEX=.*/UCX_IB_GID_INDEX=three/' "$work/twin/etc/ucx/ucx.conf"
if read_back "$work/twin"; then fail "UCX takes the GID index 'three'"; fi
say "a GID index that is no number is refused: $(grep -m1 -o 'Invalid value.*' "$work/ucx.said" "$work/ucx" -h)"
rm -rf "$work/twin" && cp -r "$work/case-node" "$work/twin" && sed -i 's/^UCX_NET_DEVICES/UCX_NET_DEVICE/' "$work/twin/etc/ucx/ucx.conf"
if read_back "$work/twin"; then fail "UCX takes UCX_NET_DEVICE"; fi
say "a name that UCX does not know goes nowhere"
rm -rf "$work/twin" && cp -r "$work/case-node" "$work/twin"
sed -i 's/^btl_tcp_if_include/btl_tcp_if_includes/' "$work/twin/etc/openmpi/openmpi-mca-params.conf"
if read_back "$work/twin"; then fail "Open MPI takes btl_tcp_if_includes"; fi
say "a name that Open MPI does not know goes nowhere"

# NCCL itself, where it is: it reads the file when a first rank asks for an id, without a GPU
nccl=$(ldconfig -p | sed -n 's/.*libnccl.so.2 .*=> //p' | head -1)
[ -n "$nccl" ] || nccl=$(find "$src/build/cuda/lib" -name libnccl.so.2 2> /dev/null)   # of scripts/cuda
[ -n "$nccl" ] || { missing_part "no NCCL here: its file was held against its user guide"; exit 0; }
cat > "$work/nccl.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **a) {
  void *lib = dlopen(a[1], RTLD_NOW);
  char id[128];
  if (!lib) return 9;
  int failed = ((int (*)(void *))dlsym(lib, "ncclGetUniqueId"))(id);
  for (int i = 2; i < n; ++i) printf("%s=%s\n", a[i], getenv(a[i]) ? getenv(a[i]) : "");
  return failed != 0;
}
C
${CC:-gcc} "$work/nccl.c" -o "$work/nccl" -ldl 2> "$work/cc.log" || { missing_part "no C compiler: NCCL was not tried"; exit 0; }
unshare -n true 2>/dev/null || { echo "skipped in part: no network namespaces here: NCCL was not tried"; exit 0; }
# reads FILE INTERFACE: NCCL with this file on a machine that has this interface
reads() {
  unshare -n sh -c 'ip link set lo up; ip link add "$1" type veth peer name other && ip link set other up && ip addr add 10.10.0.9/16 dev "$1" && ip link set "$1" up
    NCCL_DEBUG=INFO NCCL_CONF_FILE=$2 timeout 60 "$3" "$4" NCCL_IB_HCA NCCL_IB_TC NCCL_IB_GID_INDEX NCCL_CROSS_NIC NCCL_SOCKET_IFNAME' sh "$2" "$1" "$work/nccl" "$nccl" > "$work/nccl.said" 2>&1
}
sysfs "$node" "${dgx[@]}" "${rest[@]}"
apply "$gpu" "$node"
reads "$node/etc/nccl.conf" "$(value "$gpu/nccl.conf" NCCL_SOCKET_IFNAME | tr -d =)" || { cat "$work/nccl.said" >&2; fail "NCCL refuses the superpod's file"; }
grep -q "Bootstrap: Using $(value "$gpu/nccl.conf" NCCL_SOCKET_IFNAME | tr -d =):10.10.0.9" "$work/nccl.said" || { cat "$work/nccl.said" >&2; fail "NCCL takes another interface"; }
reads "$work/case-node/etc/nccl.conf" bond0 || { cat "$work/nccl.said" >&2; fail "NCCL refuses the golden case's file"; }
equal "NCCL has" "$(grep '^NCCL' "$work/nccl.said" | tr '\n' ' ')" "NCCL_IB_HCA==mlx5_0:1,mlx5_3:1 NCCL_IB_TC=136 NCCL_IB_GID_INDEX=3 NCCL_CROSS_NIC=1 NCCL_SOCKET_IFNAME==bond0 "
if reads "$work/case-node/etc/nccl.conf" eth7; then fail "NCCL takes an interface that is not there"; fi
say "an interface that the machine does not have is refused: $(grep -m1 -o 'no socket interface found' "$work/nccl.said")"
