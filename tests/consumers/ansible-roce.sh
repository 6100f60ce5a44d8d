#!/usr/bin/env bash
# output ansible: systemctl 252 (Debian 12) in a copy of this system: the role of RoCE ports, a second run that changes nothing, its unit enabled; the script fails where a port cannot be lossless, and the play with it; 1 negative test
# heavy: 40 s; consumer.roce runs the same script
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook systemd-analyze ethtool dcb
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
need_play_system -n
compile_case roce
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" && cp -r "$work/case-roce/." "$root/root/tree/"
for run in first second; do
  play "$system" --limit g1 --tags base,roce > "$work/$run" 2>&1 || { grep -v '^$' "$work/$run" | tail -25 >&2; fail "the $run run"; }
done
grep -qE 'changed=0 +unreachable=0 +failed=0' "$work/second" || { grep -B3 '^changed' "$work/second" >&2; fail "the second run changes something"; }
echo "ok: first run $(grep -o 'ok=.*failed=0' "$work/first" | tr -s ' '), second $(grep -o 'ok=.*failed=0' "$work/second" | tr -s ' ')"
cmp "$work/case-roce/roce/gpu/cluster-roce" "$root/usr/local/sbin/cluster-roce" || fail "the script"
chroot "$root" systemctl is-enabled --quiet cluster-roce || fail "nothing sets the ports when the machine starts"
systemd-analyze verify --man=no --root="$root" /etc/systemd/system/cluster-roce.service > "$work/unit" 2>&1 || { cat "$work/unit" >&2; fail "the unit"; }
# A node of a group without such ports
play "$system" --limit vm1 --tags roce > "$work/others" 2>&1
grep -q 'PLAY RECAP' "$work/others" && ! grep -q '^TASK.*roce' "$work/others" || { cat "$work/others" >&2; fail "a node without RoCE ports"; }
# Where systemd runs the script does too: of this machine no port is one of the plan's, then one is and has no classes
mount -t sysfs none "$root/sys" || fail "no sysfs of its own"
booted='{"base_booted": {"stat": {"exists": true}}}'
play "$system" --limit g1 --tags roce -e "$booted" > "$work/absent" 2>&1
grep -q 'ai1: not there' "$work/absent" && grep -q 'failed=0' "$work/absent" || { tail -25 "$work/absent" >&2; fail "ports that are not there are not said"; }
echo "ok: ports that are not there are said, and no fault"
ip link add name ai1 type veth peer name other || fail "no veth"
play "$system" --limit g1 --tags roce -e "$booted" > "$work/lossy" 2>&1 && fail "a lossless port without classes passes"
grep -q 'pause frames of priority 4 are not on' "$work/lossy" || { tail -25 "$work/lossy" >&2; fail "it does not say what cannot be set"; }
echo "ok: a port that cannot be lossless ends the play"
# Broken twin: the script is not where it was compiled to
rm "$root/root/tree/roce/gpu/cluster-roce"
play "$system" --limit g1 --tags base,roce > "$work/twin" 2>&1 && fail "a tree without the script passes"
echo "ok: a tree without the script ends the play"
SCRIPT
unshare -m -u -n -p -f --propagation private bash "$work/for-real" "$src" "$work"
