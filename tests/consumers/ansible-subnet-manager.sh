#!/usr/bin/env bash
# output ansible: opensm 3.3.23 (Debian 12) in a copy of this system: the role of a subnet manager, a second run that changes nothing, its unit enabled for its subnet and the package's own masked; 1 negative test
# heavy: 30 s; consumer.opensm starts opensm with the same files
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook opensm systemd-analyze
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
need_play_system
cp -r "$src/tests/golden/compile/opensm" "$work/spec"
"$bin" compile "$work/spec/spec.yaml" -o "$work/tree" > "$work/tree.log" 2>&1 || { cat "$work/tree.log" >&2; fail "compile"; }
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" && cp -r "$work/tree/." "$root/root/tree/"
for run in first second; do
  play "$system" --limit fm1 --tags base,subnet_manager > "$work/$run" 2>&1 || { grep -v '^$' "$work/$run" | tail -25 >&2; fail "the $run run"; }
done
grep -qE 'changed=0 +unreachable=0 +failed=0' "$work/second" || { grep -B3 '^changed' "$work/second" >&2; fail "the second run changes something"; }
echo "ok: first run $(grep -o 'ok=.*failed=0' "$work/first" | tr -s ' '), second $(grep -o 'ok=.*failed=0' "$work/second" | tr -s ' ')"
for f in opensm.conf partitions.conf node-names; do cmp "$work/tree/opensm/ib/$f" "$root/etc/opensm/ib/$f" || fail "$f"; done
cmp "$work/tree/opensm/ib/port-fm1" "$root/etc/opensm/ib/port" || fail "the port of this host"
equal "files of the subnet" "$(cd "$root/etc/opensm/ib" && echo *)" "node-names opensm.conf partitions.conf port"
chroot "$root" systemctl is-enabled --quiet cluster-opensm@ib || fail "no manager starts with the machine"
equal "the package's own manager" "$(chroot "$root" systemctl is-enabled opensm)" masked
systemd-analyze verify --man=no --root="$root" /etc/systemd/system/cluster-opensm@ib.service > "$work/unit" 2>&1 || { cat "$work/unit" >&2; fail "the unit"; }
# A node without the role manages nothing
play "$system" --limit n1 --tags subnet_manager > "$work/others" 2>&1
grep -q 'PLAY RECAP' "$work/others" || { cat "$work/others" >&2; fail "a node that manages no subnet"; }
grep '^TASK.*subnet_manager' "$work/others" >&2 && fail "a node that manages no subnet plays the role"
# Broken twin: the unit is not where it was compiled to
rm "$root/root/tree/opensm/cluster-opensm@.service"
play "$system" --limit fm1 --tags base,subnet_manager > "$work/twin" 2>&1 && fail "a tree without the unit passes"
echo "ok: a tree without the unit ends the play"
SCRIPT
unshare -m -u -n -p -f --propagation private bash "$work/for-real" "$src" "$work"
