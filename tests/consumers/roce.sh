#!/usr/bin/env bash
# tested roce: dcb of iproute2 6.1; no adapter
# output roce: dcb of iproute2 6.1 (Debian 12) with the scripts of every example and of the golden case: against the kernel's own answer in a network namespace (veth: not supported, so a lossless port ends with 1), and against answers as an adapter gives them (a library below dcb that speaks its netlink), read back, a second run that changes nothing; ethtool where it is installed; sysfs and configfs as MLNX_OFED has them, by its documentation: no adapter was tried; shellcheck, systemd-analyze verify; 9 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need shellcheck dcb python3 systemd-analyze
cc=$(command -v "${CC:-cc}" || command -v gcc) || missing "no C compiler"
"$cc" -Wall -Wextra -Werror -shared -fPIC "$src/tests/consumers/lib/dcb_kernel.c" -o "$work/dcb_kernel.so" -ldl || fail "dcb_kernel.c does not compile"

trees_with roce
compile_case roce
scripts=0
for tree in $trees case-roce; do
  for script in "$work/$tree"/roce/*/cluster-roce; do
    shellcheck "$script" || fail "$tree: shellcheck refuses $script"
    scripts=$((scripts + 1))
  done
  cp "$work/$tree/roce/cluster-roce.service" "$work/" && sed 's|^ExecStart=.*|ExecStart=/bin/true|' -i "$work/cluster-roce.service"
  systemd-analyze verify --man=no "$work/cluster-roce.service" > "$work/unit" 2>&1 || { cat "$work/unit" >&2; fail "$tree: the unit"; }
done
say "$scripts scripts: shellcheck; systemd-analyze verify"
script=$work/case-roce/roce/gpu/cluster-roce
equal "groups that have one" "$(cd "$work/case-roce/roce" && echo *)" "cluster-roce.service cpu gpu"

# ---- the kernel's own answer: a port whose driver has no classes
if unshare -n -m true 2> /dev/null; then
  unshare -n -m sh -c 'mount -t sysfs none /sys && for i in ai1 ai2 data1 data2; do ip link add name "$i" type dummy 2> /dev/null || ip link add name "$i" type veth peer name "peer$i" || exit 9; done; PATH=$2 exec sh "$1"' sh "$script" "$PATH" > "$work/said" 2>&1
  equal "ports without classes" "$? $(grep -c 'ai[12]: pause frames of priority 4 are not on (dcb pfc: .*Operation not supported)' "$work/said")" "1 2"
  equal "what says so of the code points" "$(grep -c 'ai[12]: DSCP 3[48] has no priority 4 (dcb app: .*Operation not supported)' "$work/said") $(grep -c '^changed' "$work/said")" "4 0"
  grep -q 'data1: pause' "$work/said" && fail "a port without pause frames is told to have none, where it can have none"
  # dcb tells what it does not understand from what the kernel cannot do
  unshare -n sh -c 'ip link add name ai1 type veth peer name ai2; dcb app add dev ai1 dscp-priority 34:4; dcb app add dev ai1 dscp-prio 34:4' > "$work/words" 2>&1
  grep -q 'What is "dscp-priority"' "$work/words" && grep -q 'Operation not supported' "$work/words" || { cat "$work/words" >&2; fail "dcb takes a word that it does not have"; }
  say "dcb knows the word, the kernel not the class: $(tail -1 "$work/words")"
  if command -v ethtool > /dev/null; then
    unshare -n sh -c 'ip link add name ai1 type veth peer name ai2; ethtool -A ai1 autoneg off rx off tx off; ethtool -A ai1 autonegg off rx off tx off' > "$work/words" 2>&1
    grep -q 'not supported' "$work/words" && grep -q "unknown parameter 'autonegg'" "$work/words" || { cat "$work/words" >&2; fail "ethtool"; }
    say "ethtool: $(tail -1 "$work/words")"
  fi
else
  say "no network namespaces here: the kernel was not asked"
fi

# ---- an adapter: dcb itself, above answers as a driver gives them
real=$(command -v dcb) tools=$work/tools
mkdir -p "$tools"
printf '#!/bin/sh\nDCB_KERNEL=%s/kernel LD_PRELOAD=%s/dcb_kernel.so exec %s "$@"\n' "$work" "$work" "$real" > "$tools/dcb"
# ethtool and mlnx_qos as they print; what they are told is a line of "calls"
cat > "$tools/ethtool" <<'SH'
#!/bin/sh
at=$DEVICE/pause-$2
if [ "$1" = -a ]; then printf 'Pause parameters for %s:\nAutonegotiate:\toff\nRX:\t\t%s\nTX:\t\t%s\n\n' "$2" "$(cat "$at")" "$(cat "$at")"; exit; fi
echo "ethtool $*" >> "$DEVICE/calls"
[ -e "$DEVICE/keeps-pause" ] || echo off > "$at"
SH
cat > "$tools/mlnx_qos" <<'SH'
#!/bin/sh
if [ $# -gt 2 ]; then echo "mlnx_qos $*" >> "$DEVICE/calls"; echo "$4" > "$DEVICE/trust"; else echo "DCBX mode: OS controlled"; echo "Priority trust state: $(cat "$DEVICE/trust")"; fi
SH
chmod +x "$tools"/*
# node: the adapters of a node of the golden case's group gpu, as they come: link-level pause on, nothing lossless, code point 34 on priority 1
node() {
  rm -rf "$work/kernel" "$work/root" && mkdir -p "$work/kernel"
  local i n=0 net
  echo dscp > "$work/kernel/trust"
  for i in ai1 ai2 data1 data2; do
    python3 -c 'import sys; b = bytearray(66); b[2 + 34] = 2; sys.stdout.buffer.write(b)' > "$work/kernel/$i"
    echo on > "$work/kernel/pause-$i"
    net=$work/root/sys/class/net/$i
    mkdir -p "$net/device" "$net/ecn/roce_np/enable" "$net/ecn/roce_rp/enable"
    echo 0 > "$net/dev_port"
    for p in 0 1 2 3 4 5 6 7; do echo 0 > "$net/ecn/roce_np/enable/$p"; echo 0 > "$net/ecn/roce_rp/enable/$p"; done
    case $i in data2) : > "$net/master"; continue ;; data1) : > "$net/master" ;; esac   # a bond's RDMA device is one port's
    mkdir -p "$net/device/infiniband/mlx5_$n" "$work/root/sys/class/infiniband/mlx5_$n/tc/1" "$work/root/sys/kernel/config/rdma_cm/mlx5_$n/ports/1"
    echo "Global tclass=0" > "$work/root/sys/class/infiniband/mlx5_$n/tc/1/traffic_class"
    echo 0 > "$work/root/sys/kernel/config/rdma_cm/mlx5_$n/ports/1/default_roce_tos"
    n=$((n + 1))
  done
}
# run [SCRIPT]: exit status in $status, what it says in $work/said and $work/wrong
run() { DEVICE=$work/kernel CLUSTER_ROCE_ROOT=$work/root PATH=$tools:$PATH sh "${1:-$script}" > "$work/said" 2> "$work/wrong"; status=$?; }
# pfc, priorities of a code point, DCBX of a device
state() { python3 -c 'import sys; b = open(sys.argv[1], "rb").read(); print(bin(b[1])[2:], *("%d:%s" % (d, ",".join(str(p) for p in range(8) if b[2 + d] >> p & 1)) for d in range(64) if b[2 + d]), "host" if b[0] & 1 else "firmware")' "$work/kernel/$1"; }
at() { cat "$work/root/sys/$1"; }

node
run
equal "a node's first run" "$status $(wc -l < "$work/wrong") $(grep -c '^changed' "$work/said")" "0 0 30"
for i in ai1 ai2; do equal "$i: pause frames of class 4 (1 << 4), both code points there alone" "$(state $i)" "10000 34:4 38:4 host"; done
for i in data1 data2; do equal "$i: no pause frames" "$(state $i)" "0 26:3 34:1 host"; done
equal "traffic class of verbs: 34 x 4, 26 x 4" "$(for n in 0 1 2; do at class/infiniband/mlx5_$n/tc/1/traffic_class; done | tr '\n' ' ')" "136 136 104 "
equal "type of service of RDMA-CM" "$(for n in 0 1 2; do at kernel/config/rdma_cm/mlx5_$n/ports/1/default_roce_tos; done | tr '\n' ' ')" "136 136 104 "
equal "DCQCN of class 4 and no other" "$(for p in 3 4 5; do at class/net/ai1/ecn/roce_np/enable/$p; at class/net/ai1/ecn/roce_rp/enable/$p; done | tr '\n' ' ')" "0 0 1 1 0 0 "
equal "ethtool was told" "$(grep -c '^ethtool -A [ad].* autoneg off rx off tx off$' "$work/kernel/calls")" 4
for n in 0 1 2; do f=$work/root/sys/class/infiniband/mlx5_$n/tc/1/traffic_class; printf 'Global tclass=%s\n' "$(cat "$f")" > "$f.new" && mv "$f.new" "$f"; done   # as MLNX_OFED shows it
before=$(wc -l < "$work/kernel/calls")
run
equal "a second run" "$status, $(cat "$work/said" "$work/wrong" | wc -l) lines, $(($(wc -l < "$work/kernel/calls") - before)) calls" "0, 0 lines, 0 calls"

# ---- what a node may lack
echo pcp > "$work/kernel/trust" && run
equal "NVIDIA's tool says PCP" "$status $(grep -c 'mlnx_qos -i .* --trust dscp' "$work/kernel/calls") $(cat "$work/said")" "0 1 changed ai1: trusts DSCP"
rm -r "$work/root/sys/class/net/ai2" && run
equal "a port that is not there" "$status $(cat "$work/wrong")" "3 ai2: not there"
node && rm -r "$work"/root/sys/class/net/*/ecn "$work"/root/sys/class/infiniband/*/tc "$work/root/sys/kernel" && run
equal "the kernel's own driver: said, and no fault" "$status $(grep -c 'no switch for DCQCN' "$work/wrong") $(grep -c 'programs have to say 1[03][46] themselves' "$work/wrong") $(grep -c 'RDMA-CM cannot be told' "$work/wrong")" "0 4 3 3"

# ---- Broken twins
node && : > "$work/kernel/lying" && run
equal "a driver that forgets pause frames" "$status $(grep -c 'ai[12]: pause frames of priority 4 are not on (dcb pfc: it took what the adapter does not do)' "$work/wrong")" "1 2"
node && : > "$work/kernel/firmware" && run
equal "classes that the firmware keeps" "$status $(grep -c 'its firmware keeps the classes to itself' "$work/wrong")" "0 4"
node && : > "$work/kernel/keeps-pause" && run
equal "a link that is paused whole" "$status $(grep -c 'pauses the whole link' "$work/wrong")" "1 4"
node && rm "$work"/kernel/data[12] && run
equal "a lossy port without classes" "$status $(grep -c 'data[12]: DSCP 26 has no priority 3 (dcb app: .*No such device)' "$work/wrong")" "0 2"
node && rm "$work/kernel/ai2" && run
equal "a lossless one without" "$status" 1
mkdir -p "$work/few" && for t in sh cat tr awk head mkdir rmdir; do ln -sf "$(command -v $t)" "$work/few/$t"; done
CLUSTER_ROCE_ROOT=$work/root PATH=$work/few sh "$script" > "$work/said" 2> "$work/wrong"
equal "a node without dcb" "$? $(grep -c 'no dcb (of iproute2)' "$work/wrong")" "1 4"
for word in prio-pfc:prio-pfcs dscp-prio:dscp-priority all:off=all:none; do
  case $word in *=*) was=${word%=*} becomes=${word#*=} ;; *) was=${word%:*} becomes=${word#*:} ;; esac
  sed "s/ dev \"\$port\" $was / dev \"\$port\" $becomes /; s/prio-pfc $was /prio-pfc $becomes /" "$script" > "$work/twin.sh"
  cmp -s "$script" "$work/twin.sh" && fail "the twin of $was is no twin"
  node && run "$work/twin.sh"
  equal "dcb does not know '$becomes'" "$status $(grep -cE 'What is "|must be one of' "$work/wrong")" "1 $([ "$was" = dscp-prio ] && echo 6 || echo 2)"
done
