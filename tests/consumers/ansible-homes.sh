#!/usr/bin/env bash
# output ansible: mkhomedir_helper and pam-auth-update of PAM 1.5 (Debian 12) in a copy of this system: the role nfs_server makes homes that are their users' own, says who is not known, and a second run changes nothing; 1 negative test
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3 mkhomedir_helper pam-auth-update
export LC_ALL=C.UTF-8 HOME=$work
compile_spec plays
need_play_system
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" "$root/home" && cp -r "$work/plays/." "$root/root/tree/"
in_root() { chroot "$root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 "$@"; }
in_root useradd --no-create-home --home-dir /home/ada ada || exit 9
cat > "$root/root/tree/ansible/homes.yml" <<'END'
- name: Homes alone
  hosts: one
  vars: { cluster_home_users: [ada, nobody-knows] }
  tasks:
    - name: Have homes
      ansible.builtin.include_role: { name: nfs_server, tasks_from: homes.yml }
END
run() { in_root sh -c 'cd /root/tree/ansible && exec ansible-playbook --connection local homes.yml "$@"' sh "${@:2}" > "$work/$1" 2>&1 || { tail -20 "$work/$1" >&2; fail "$1"; }; }
run waits -e '{"cluster_drives": [{"mount": "/home"}]}'   # its drives are not mounted
[ ! -e "$root/home/ada" ] && grep -q 'ada has no home: /home is not mounted' "$work/waits" || { tail -20 "$work/waits" >&2; fail "a home lies where drives will cover it"; }
run first
equal "a home" "$(in_root stat -c '%U %a' /home/ada)" "ada 700"
grep -q 'nobody-knows has no home: this machine does not know the user' "$work/first" || { tail -20 "$work/first" >&2; fail "nothing is said of who has no home"; }
run second
grep -qE 'changed=0 .*failed=0' "$work/second" || fail "the second run changes something"
echo "ok: second run: $(grep -o 'ok=.*failed=0' "$work/second")"
# PAM makes one at a first login: what the role identity says to pam-auth-update
grep -q 'command: pam-auth-update --enable mkhomedir$' "$root/root/tree/ansible/roles/identity/tasks/main.yml" || fail "the role says something else"
in_root grep -q pam_mkhomedir /etc/pam.d/common-session && fail "this system makes homes already"
in_root DEBIAN_FRONTEND=noninteractive pam-auth-update --enable mkhomedir && in_root grep -q '^session.*pam_mkhomedir.so' /etc/pam.d/common-session || fail "pam-auth-update does not take it"
echo "ok: $(in_root grep -m1 pam_mkhomedir.so /etc/pam.d/common-session | tr -s '\t ' ' ')"
# The broken twin: a profile that is not there
in_root DEBIAN_FRONTEND=noninteractive pam-auth-update --enable mkhomedirs; in_root grep -q mkhomedirs /etc/pam.d/common-session && fail "a profile of no module is taken"
echo "ok: a profile that is not there changes nothing"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
