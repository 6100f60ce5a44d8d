#!/usr/bin/env bash
# tested jupyterhub: JupyterHub 6.1, Batchspawner 1.3, slurmctld 22.05
# output jupyterhub: JupyterHub 6.1 with Batchspawner 1.3, JupyterLab 4 and its proxy (PyPI, npm) on a virtual Slurm 22.05, as the user of the compiled unit and with the compiled sudoers (visudo, sudo 1.9): over TLS a user logs in, is offered the compiled sizes, gets a job with its threads, memory and time, asks JupyterLab through the proxy for its status, stops it; a size that does not exist, a name that is no account, an account of the system and a password that is wrong are refused; sudo lets the hub submit as users, never as root, munge or slurm; every trait is known to its class; discovery of OpenID Connect with a provider of another name refused; a stranger gets nothing of a session; systemd-analyze verify; 15 negative tests
# packages: sudo python3-venv
# lock: slurm-a
. "$(dirname "$0")/lib/common.bash" "$@"
need slurmctld slurmd munged setpriv python3 openssl curl node visudo sudo
hub=$src/build/jupyterhub
[ -e "$hub/complete" ] || missing "scripts/jupyterhub was not run"
hub=$(cd "$hub" && pwd)
compile_case jupyterhub-oidc
oidc=$out/jupyterhub
compile_case jupyterhub
with_teams=$out/jupyterhub
for case in "$oidc" "$with_teams"; do visudo -cqf "$case/sudoers" || fail "visudo refuses sudoers of a golden case"; done
python3 "$src/tests/consumers/lib/notebooks.py" files "$out" "$hub" || fail "the files of the golden case"
compile_spec notebooks
tree=$out/jupyterhub
visudo -cqf "$tree/sudoers" || fail "visudo refuses sudoers"
sed 's/NOPASSWD:SETENV:/NOPASSWD;/' "$tree/sudoers" > "$work/sudoers.twin"
if visudo -cqf "$work/sudoers.twin" 2> /dev/null; then fail "visudo takes a broken sudoers"; fi
mkdir "$work/unit"
sed 's,^ExecStart=.*,ExecStart=/bin/true,' "$tree/jupyterhub.service" > "$work/unit/jupyterhub.service"
if command -v systemd-analyze > /dev/null; then
  systemd-analyze verify "$work/unit/jupyterhub.service" > "$work/said" 2>&1
  if grep 'jupyterhub.service' "$work/said" | grep -v 'sssd\|munge' >&2; then fail "systemd-analyze verify"; fi
fi

run=$work/run
stopped() {   # the hub ends its proxy
  [ -z "${pid:-}" ] || { kill "$pid"; wait "$pid"; } 2> /dev/null
  "$src/tests/virtual-slurm/down" "$run"
}
trap stopped EXIT
"$src/tests/virtual-slurm/up" "$out" "$run" --users "ada eve" --owner $$
rc=$?
[ $rc -eq 77 ] && exit 77
[ $rc -eq 0 ] || fail "the virtual Slurm did not come up"
# Accounts as they are on real nodes: with a home, and the hub's own without a password
home=$work/home
mkdir -p "$home/ada" "$home/hub" "$work/etc" "$work/sudoers.d" && chmod 755 "$work" "$home"
awk -F: -v OFS=: -v home="$home" '$1 == "ada" || $1 == "eve" { $2 = "*"; $6 = home "/" $1; $7 = "/bin/bash" } { print }' "$run/passwd" > "$work/passwd"
echo "jupyterhub:*:61900:61900::/var/lib/jupyterhub:/usr/sbin/nologin" >> "$work/passwd"
cat "$work/passwd" > "$run/passwd"
chown 61001:100 "$home/ada"
chown 61900 "$home/hub"
# What an administrator does after the README: the files, a certificate of the name
cp "$tree/jupyterhub_config.py" "$tree/cluster.json" "$work/etc"
install -m 0440 "$tree/sudoers" "$work/sudoers.d/jupyterhub"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=notebooks.example.org -addext subjectAltName=DNS:notebooks.example.org \
  -keyout "$work/etc/tls.key" -out "$work/etc/tls.pem" 2> /dev/null || fail "openssl"
chown 61900 "$work/etc/tls.key"
# Places of this machine in the place of /opt, /etc and /var/lib; who logs in (a password of the test) in a file of its own
python3 - "$work/etc/cluster.json" "$hub" "$work/etc" << 'PY' || fail "cluster.json"
import json, sys
path, hub, etc = sys.argv[1:]
with open(path, encoding="utf-8") as f:
    c = json.load(f)
assert c["certificate"] == "/etc/jupyterhub/tls.pem" and c["key"] == "/etc/jupyterhub/tls.key" and c["folder"] == "/opt/jupyterhub"
c.update(certificate=etc + "/tls.pem", key=etc + "/tls.key", folder=hub)
with open(path, "w", encoding="utf-8") as f:
    json.dump(c, f)
PY
cat > "$work/etc/test_config.py" << PY
load_subconfig("$work/etc/jupyterhub_config.py")
c.JupyterHub.db_url = "sqlite:///$home/hub/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = "$home/hub/cookie_secret"
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = "of the test"
c.ConfigurableHTTPProxy.pid_file = "$home/hub/proxy.pid"
PY
sed 's/c.Spawner.default_url/c.Spawner.defualt_url/' "$work/etc/jupyterhub_config.py" > "$work/etc/twin_config.py"
cp "$oidc/jupyterhub_config.py" "$oidc/cluster.json" "$work" && mkdir "$work/oidc" && mv "$work/jupyterhub_config.py" "$work/cluster.json" "$work/oidc"
PATH=$hub/bin:$PATH python3 "$src/tests/consumers/lib/notebooks.py" traits "$hub" "$work/etc/jupyterhub_config.py" "$work/etc/twin_config.py" || fail "traits"
"$hub/bin/python" "$src/tests/consumers/lib/notebooks.py" discovery "$work/oidc" || fail "OpenID Connect"

# Whose sessions sudo lets the hub submit: those of users, and of accounts of the system never; of the golden case, those of its teams
may() {   # SUDOERS USER
  rm -f "$work/sudoers.d/jupyterhub" && install -m 0440 "$1" "$work/sudoers.d/jupyterhub"
  "$run/as" ctl1 sh -c 'mount --bind "$1" /etc/sudoers.d && exec setpriv --reuid=61900 --regid=61900 --clear-groups env -i PATH=/usr/bin:/bin sudo -n -l -u "$2" /usr/bin/sbatch --parsable' \
    sh "$work/sudoers.d" "$2" > "$work/said" 2>&1 < /dev/null
}
equal "as whom the hub may submit" "$(for user in ada eve root munge slurm nobody; do if may "$tree/sudoers" $user; then printf '%s ' $user; fi; done)" "ada eve "
equal "as whom, with teams" "$(for user in ada eve root munge slurm nobody; do if may "$with_teams/sudoers" $user; then printf '%s ' $user; fi; done)" "ada "
may "$tree/sudoers" ada || fail "sudoers"

# The hub, as its unit starts it: its user, its rights, its PATH; port 8443 needs no capability
setsid "$run/as" ctl1 sh -c 'mount --bind "$1" /etc/sudoers.d && cd "$2" && exec setpriv --reuid=61900 --regid=61900 --clear-groups env -i PATH="$3/bin:/usr/local/bin:/usr/bin:/bin" HOME="$2" jupyterhub -f "$4"' \
  sh "$work/sudoers.d" "$home/hub" "$hub" "$work/etc/test_config.py" > "$work/hub.log" 2>&1 < /dev/null &
pid=$!
for _ in $(seq 300); do
  grep -q "JupyterHub is now running at" "$work/hub.log" && break
  kill -0 "$pid" 2> /dev/null || { tail -30 "$work/hub.log" >&2; fail "the hub ended"; }
  sleep 0.2
done
grep -q "JupyterHub is now running at https://:8443" "$work/hub.log" || { tail -30 "$work/hub.log" >&2; fail "the hub does not come up"; }
if grep -E 'not recognized by|Traceback|CRITICAL' "$work/hub.log" >&2; then fail "the hub complains of its configuration"; fi
timeout 240 "$run/enter" "$hub/bin/python" "$src/tests/consumers/lib/notebooks.py" session "$work/etc/tls.pem" "$run/enter" || { tail -30 "$work/hub.log" >&2; tail -n 20 "$home"/ada/.jupyterhub-*.log >&2; fail "a session"; }
