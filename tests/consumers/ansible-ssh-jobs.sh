#!/usr/bin/env bash
# output ansible: PAM 1.5 and pam_slurm_adopt of Slurm 22.05 (Debian 12) in a copy of this system, as the role slurm sets them up: root, administrators and whoever plays the roles come in, a user without a job does not; with Slurm down or the module gone administrators still do, a second run changes nothing; 4 negative tests
# heavy: 30 s of CPU time, most of it apt
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3 apt-get
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
sed 's/roles: \[scheduler, compute, login, storage\]/roles: [scheduler, compute, storage]/; s/identity: { kind: ldap,/identity: { kind: ldap, administrators: [cluster-admins],/' "$src/tests/consumers/specs/plays.yaml" > "$work/ssh.yaml"
printf '%s\n' 'outputs:' '  slurm: { extra: { slurm.conf: [ "PrologFlags=Alloc,Contain" ] } }' '  ansible: { extra: { inventory.yaml: [ "slurm_ssh_to_jobs: true" ] } }' >> "$work/ssh.yaml"
"$bin" compile "$work/ssh.yaml" -o "$work/ssh" > "$work/ssh.log" 2>&1 || { cat "$work/ssh.log" >&2; fail "clusterc compile"; }
grep -q '^PrologFlags=Alloc,Contain' "$work/ssh/slurm/slurm.conf" || fail "slurm.conf has no Contain"
grep -q '^slurm_adopts_ssh' "$work/ssh/ansible/roles/slurm/vars/main.yml" || fail "the role asks nothing of PAM"
need_play_system
apt-get install --simulate --no-install-recommends libpam-slurm-adopt > "$work/apt" 2>&1 || missing "libpam-slurm-adopt is not to be had: PAM was not asked"
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
src=$1 work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" "$root/etc/slurm" && cp -r "$work/ssh/." "$root/root/tree/" && cp "$work"/ssh/slurm/*.conf "$root/etc/slurm/" && cp "$src/tests/consumers/lib/pam_account.py" "$root/root/"
in_root() { chroot "$root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 "$@"; }
[ -e "$root/etc/pam.d/sshd" ] || fail "no /etc/pam.d/sshd here"
in_root groupadd cluster-admins && in_root groupadd -f sudo
for user in ada grace local-admin player; do in_root useradd --no-create-home "$user" || exit 9; done
in_root usermod -aG cluster-admins grace && in_root usermod -aG sudo local-admin || exit 9
cat > "$root/root/tree/ansible/ssh.yml" <<'END'
- name: Whom a node of jobs lets in
  hosts: one
  vars: { base_booted: { stat: { exists: false } } }
  tasks:
    - name: Let users in where a job of theirs runs
      ansible.builtin.include_role: { name: slurm, tasks_from: ssh.yml }
END
run() { in_root SYSTEMD_OFFLINE=1 sh -c 'cd /root/tree/ansible && exec ansible-playbook --connection local ssh.yml "$@"' sh "${@:2}" > "$work/$1" 2>&1; }
asked() { in_root python3 /root/pam_account.py sshd "$1" 2>&1; }
is() { local said; said=$(asked "$2"); case $said in $3) echo "ok: $1: $2 $said" ;; *) fail "$1: PAM says of $2 '$said'" ;; esac; }
equal "a user without a job, before the role" "$(asked ada)" 0
sed -i 's/^PrologFlags=/#&/' "$root/root/tree/slurm/slurm.conf"
run uncontained && fail "jobs that take nobody in are taken"
tr -s ' \n' ' ' < "$work/uncontained" | grep -qF 'write the line \"PrologFlags=Alloc,Contain\" into outputs.slurm.extra' || { tail -5 "$work/uncontained" >&2; fail "refused for another reason"; }
sed -i 's/^#PrologFlags=/PrologFlags=/' "$root/root/tree/slurm/slurm.conf"
cp "$root/etc/ssh/sshd_config" "$work/sshd_config"
{ echo "UsePAM no"; cat "$work/sshd_config"; } > "$root/etc/ssh/sshd_config"
run without && fail "an sshd that does not ask PAM is taken"
tr -s ' \n' ' ' < "$work/without" | grep -q "write 'UsePAM yes' into its sshd_config" || { tail -5 "$work/without" >&2; fail "refused for another reason"; }
cp "$work/sshd_config" "$root/etc/ssh/sshd_config"
cp "$root/etc/pam.d/sshd" "$work/sshd-before"
run first -e ansible_user=player || { tail -20 "$work/first" >&2; fail "the role"; }
run second -e ansible_user=player && grep -qE 'changed=0 .*failed=0' "$work/second" || { grep -B3 '^changed' "$work/second" >&2; fail "the second run changes something"; }
equal "the account stack of sshd" "$(grep -E '^(@include common-account|-?account)' "$root/etc/pam.d/sshd" | tr -s ' ' | tr '\n' ';')" \
  "account required pam_nologin.so;@include common-account;-account sufficient pam_slurm_adopt.so;account required pam_access.so accessfile=/etc/security/cluster-access.conf;"
equal "logind" "$(readlink "$root/etc/systemd/system/systemd-logind.service")" /dev/null
for user in root grace local-admin player; do is "without a job, and Slurm down" "$user" 0; done
is "without a job" ada '[67] *'
find "$root/usr/lib" "$root/lib" -name pam_slurm_adopt.so -delete
is "without the module" ada '[67] *'
is "without the module" grace 0
# The broken twin: the placement of another manual, `required` before pam_access, keeps administrators out
cp "$root/etc/pam.d/sshd" "$work/placed"
sed -i 's/^-account *sufficient *pam_slurm_adopt.so/account required pam_deny.so/' "$root/etc/pam.d/sshd"
is "the twin" grace '[67] *'
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
