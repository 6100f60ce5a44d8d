#!/usr/bin/env bash
# output ansible: ansible-playbook 2.14 (Debian 12): the role containers for real in a copy of a Debian 12 system: Enroot's folder is made on local scratch once that is mounted, and before that nothing that would keep it from being mounted; 1 negative test
# heavy: 25 s; consumer.ansible-real plays the role, too
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3
export LC_ALL=C.UTF-8 HOME=$work
compile_spec drives
need_debian_12
need_play_system
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2
system=$work/system root=$work/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" && cp -r "$work/drives/." "$root/root/tree/"
# as cluster-drives looks at it, by its own line
covers() { ! { [ -d "$root/local/scratch" ] && [ -n "$(ls -A "$root/local/scratch")" ]; }; }
play_it() { play "$system" --limit n2 --tags base,containers -e containers_install=false > "$work/$1" 2>&1 || { tail -20 "$work/$1" >&2; fail "$1"; }; }
play_it first
covers || fail "the folder of Enroot keeps local scratch from being mounted"
grep -q '/local/scratch is not mounted: Enroot gets its folder' "$work/first" || fail "nothing is said of it"
cmp "$work/drives/containers/cpu/enroot.conf" "$root/etc/enroot/enroot.conf" && cmp "$work/drives/containers/cpu/enroot-tmpfiles.conf" "$root/etc/tmpfiles.d/90-cluster-enroot.conf" || fail "Enroot's files"
echo "ok: before local scratch is mounted nothing lies where it will be"
mkdir -p "$root/local/scratch" && mount -t tmpfs tmpfs "$root/local/scratch" || exit 9
play_it second
equal "Enroot's folder on local scratch" "$(stat -c '%a %U' "$root/local/scratch/enroot")" "1777 root"
play_it third
grep -qE 'changed=0 +unreachable=0 +failed=0' "$work/third" || { grep -B3 '^changed' "$work/third" >&2; fail "the third run changes something"; }
echo "ok: third run: $(grep -o 'ok=.*failed=0' "$work/third")"
# The broken twin: who does not look whether it is mounted
umount "$root/local/scratch" && sed -i '/containers_scratch.rc | default(0) == 0/d' "$root/root/tree/ansible/roles/containers/tasks/main.yml"
play_it twin
if covers; then fail "without looking nothing lies there"; fi
echo "ok: without looking, cluster-drives would refuse for good"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
