#!/usr/bin/env bash
# output ansible: slurmdbd 22.05 with MariaDB 10.11 (Debian 12) in a copy of this system: what the role slurm does for accounts lets slurmdbd into a new database by its socket, and a second run changes nothing; it waits for slurmdbd before slurmctld is started; a user with a password that the compiled files do not have is refused; 2 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook slurmdbd mariadbd mariadb-install-db setpriv python3
"$bin" compile "$src/tests/consumers/specs/slurm-teams.yaml" -o "$work/teams" > "$work/teams.log" 2>&1 || { cat "$work/teams.log" >&2; fail "clusterc compile slurm-teams.yaml"; }
# Who is told what, and in which order
main=$work/teams/ansible/roles/slurm/tasks/main.yml
[ "$(grep -n 'accounting.yml' "$main" | cut -d: -f1)" -lt "$(grep -n 'name: slurmctld' "$main" | cut -d: -f1)" ] || fail "slurmctld is started before slurmdbd"
say "slurmdbd comes before slurmctld"
keeper=$(sed -n 's/^DbdHost=//p' "$work/teams/slurm/slurmdbd.conf")
python3 - "$work/teams" "$keeper" <<'PY' || fail "who keeps accounts gets no packages"
import glob, sys, yaml
tree, keeper = sys.argv[1:]
groups = yaml.safe_load(open(tree + "/ansible/inventory.yaml"))["all"]["children"]
of = next(n for n, g in groups.items() if n.startswith("group_") and any(h.split("[")[0] == keeper.rstrip("0123456789") or h == keeper for h in g["hosts"]))
assert yaml.safe_load(open(f"{tree}/ansible/group_vars/{of}.yaml"))["cluster_slurm_database_packages"], of
PY
need_play_system
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 keeper=$3 system=$2/system
play_system "$system" || exit 9
root=$system/root
mkdir -p "$root/root/tree" && cp -r "$work/teams/." "$root/root/tree/"
rm -rf "$root/var/lib/mysql" "$root/run/mysqld" && mkdir -p "$root/etc/slurm" "$root/run/mysqld" "$root/var/log/slurm" && chroot "$root" chown mysql: /run/mysqld
getent passwd slurm > /dev/null || fail "this system has no user slurm"
chroot "$root" chown slurm: /var/log/slurm
in_root() { chroot "$root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 "$@"; }
in_root mariadb-install-db --user=mysql --auth-root-authentication-method=socket > "$work/install.log" 2>&1 || { tail -3 "$work/install.log" >&2; fail "mariadb-install-db"; }
in_root mariadbd --user=mysql --skip-networking > "$work/mariadbd.log" 2>&1 & database=$!
for _ in $(seq 100); do in_root mariadb -e 'SELECT 1' > /dev/null 2>&1 && break; sleep 0.1; done
# systemd does not run here: who starts slurmdbd waits until the role has written its file and let it in
sed -i 's/^DbdHost=.*/DbdHost=localhost/' "$root/root/tree/slurm/slurmdbd.conf"
(for _ in $(seq 600); do [ -s "$root/etc/slurm/slurmdbd.conf" ] && break; sleep 0.1; done; sleep 1
 # a password that nobody has: the socket says who asks
 [ ! -s "$root/etc/slurm/slurmdbd.password.conf" ] || chroot "$root" chown slurm: /etc/slurm/slurmdbd.password.conf
 exec chroot "$root" setpriv --reuid=slurm --regid=slurm --init-groups env -i PATH="$PATH" slurmdbd -D > "$work/slurmdbd.log" 2>&1) & slurmdbd=$!
trap 'kill $slurmdbd $database 2> /dev/null' EXIT
cat > "$root/root/tree/ansible/accounting.yml" <<END
- name: Accounts alone
  hosts: $keeper
  vars: { base_booted: { stat: { exists: true } } }
  tasks:
    - name: Keep accounts
      ansible.builtin.include_role: { name: slurm, tasks_from: accounting.yml }
END
run() { chroot "$root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 SYSTEMD_OFFLINE=1 DBD_PASSWORD=nobody-knows sh -c 'cd /root/tree/ansible && exec ansible-playbook --connection local accounting.yml' > "$work/$1" 2>&1; }
include=$(sed -n 's/^Include *//Ip' "$root/root/tree/slurm/slurmdbd.conf")
[ -z "$include" ] || { printf 'StoragePass=nobody-knows\n' > "$root$include" && chroot "$root" chown slurm: "$include" && chmod 600 "$root$include"; }
run first || { tail -25 "$work/first" "$work/slurmdbd.log" >&2; fail "the role"; }
grep -q 'was here before and is not restarted' "$work/first" || { cat "$work/first" >&2; fail "nothing is said of the restart"; }
echo "ok: first run: $(grep -o 'ok=.*failed=0' "$work/first")"
grep -q 'slurmdbd version .* started' "$work/slurmdbd.log" || { cat "$work/slurmdbd.log" >&2; fail "slurmdbd did not start"; }
tables=$(in_root mariadb -N -e "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'slurm_acct_db'")
[ "$tables" -gt 5 ] || fail "slurmdbd made $tables tables"
echo "ok: slurmdbd is up and made $tables tables in slurm_acct_db"
run second || { tail -20 "$work/second" >&2; fail "the second run"; }
grep -qE 'changed=0 .*failed=0' "$work/second" || { grep -B3 '^changed' "$work/second" >&2; fail "the second run changes something"; }
echo "ok: second run: $(grep -o 'ok=.*failed=0' "$work/second")"
# A database that was there before: slurm@localhost has a password, which the compiled slurmdbd.conf does not have
cp "$root/etc/slurm/slurmdbd.conf" "$work/before.conf"; cp "$root/root/tree/slurm/slurmdbd.conf" "$work/compiled.conf"
sed -i '/^Include/Id' "$root/root/tree/slurm/slurmdbd.conf"
in_root mariadb -e "ALTER USER slurm@localhost IDENTIFIED BY 'of the site'"
run password && fail "slurmdbd is given settings with which it is not let in"
tr -s ' \n' ' ' < "$work/password" | grep -q 'has a user slurm@localhost that the compiled slurmdbd.conf cannot be .*1045.*IDENTIFIED VIA unix_socket' || { tail -20 "$work/password" >&2; fail "refused for another reason"; }
cmp "$work/before.conf" "$root/etc/slurm/slurmdbd.conf" || fail "slurmdbd was changed"
in_root mariadb -e "ALTER USER slurm@localhost IDENTIFIED VIA unix_socket" && run socket || { tail -20 "$work/socket" >&2; fail "by the socket"; }
echo "ok: a user with a password is refused before slurmdbd is changed"
cp "$work/compiled.conf" "$root/root/tree/slurm/slurmdbd.conf"
# Broken twin: without the account slurmdbd is not let in
kill $slurmdbd; wait $slurmdbd 2> /dev/null
in_root mariadb -e "DROP USER slurm@localhost"
timeout 8 chroot "$root" setpriv --reuid=slurm --regid=slurm --init-groups env -i PATH="$PATH" slurmdbd -D > "$work/twin.log" 2>&1
grep -q 'Access denied' "$work/twin.log" || { tail -3 "$work/twin.log" >&2; fail "slurmdbd needs no account"; }
echo "ok: without the account: $(grep -om1 'Access denied for user [^ ]*' "$work/twin.log")"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work" "$keeper"
