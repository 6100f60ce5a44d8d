#!/usr/bin/env python3
"""Who gets into what is compiled: the roles, group variables and templates of a tree, read as Ansible reads them.

usage: compiled_access.py CLUSTERC SOURCE WORK
"""
import os
import re
import shutil
import subprocess
import sys

import jinja2
import yaml

clusterc, source, work = (os.path.abspath(a) for a in sys.argv[1:4])
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
SPEC = """clusterc: 1
rules: 2026.11
name: access
site: {{ kind: cloud, provider: local }}
nodes:
  head: {{ names: h1, virtual_machine: {{ cpus: 4, memory: 8 GiB }}, roles: [scheduler, monitoring] }}
{login}  gpu: {{ names: "n[1-2]", virtual_machine: {{ cpus: 2, memory: 4 GiB }} }}
networks: {{ lan: {{ kind: ethernet, rate: 10 Gb/s, subnet: 10.0.0.0/24, carries: [compute, storage, inband], connects: {{ head: 1, gpu: 1{more} }} }} }}
software:
  os: debian-12
  monitoring: [prometheus, grafana]
  identity: {{ kind: ldap, server: "ldaps://ldap.example.org"{admins} }}
  {scheduler}
"""
LOGIN = '  login: { names: l1, virtual_machine: { cpus: 2, memory: 4 GiB }, roles: [login] }\n'
SLURM = "scheduler: { kind: slurm, version: 22.05 }"


def tree(name, login=True, admins="", scheduler=SLURM):
    spec = os.path.join(work, name + ".yaml")
    with open(spec, "w", encoding="utf-8") as file:
        file.write(SPEC.format(login=LOGIN if login else "", more=", login: 1" if login else "", admins=admins, scheduler=scheduler))
    done = subprocess.run([clusterc, "compile", spec, "-o", os.path.join(work, name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return os.path.join(work, name, "ansible"), done.stdout + done.stderr


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def sssd(ansible, group, **more):
    """The lines of sssd.conf about who is let in, as the role's template has them."""
    variables = yaml.safe_load(read(ansible, "group_vars", f"group_{group}.yaml"))
    template = jinja2.Environment(trim_blocks=True, undefined=jinja2.StrictUndefined).from_string(read(ansible, "roles/identity/templates/sssd.conf.j2"))
    text = template.render(variables, ansible_managed="", **more)
    return re.findall(r"^(?:access_provider|simple_\w+) = .*$", text, re.M)


# Users log in to login nodes; the rest of the nodes is for administrators, or for nobody of the directory.
ansible, said = tree("closed")
assert "login-ungated" not in said, said
assert sssd(ansible, "login") == [], sssd(ansible, "login")
for group in ("head", "gpu"):
    assert sssd(ansible, group) == ["access_provider = deny"], sssd(ansible, group)
ansible, said = tree("admins", admins=', administrators: ["ops", "Domain Admins"]')
for group in ("head", "gpu"):
    assert sssd(ansible, group) == ["access_provider = simple", "simple_allow_groups = ops, Domain Admins"], sssd(ansible, group)
# Where PAM lets users in for their jobs, it closes the nodes of jobs; the directory goes on to close the others.
for said in (True, "true"):
    assert sssd(ansible, "gpu", slurm_ssh_to_jobs=said) == [] and sssd(ansible, "head", slurm_ssh_to_jobs=said) != []
# Where no node is for users, the nodes of jobs are closed and the others are a finding.
ansible, said = tree("no-login", login=False)
assert sssd(ansible, "gpu") == ["access_provider = deny"] and sssd(ansible, "head") == []
assert re.search(r"warning: every user .* can log in to 'head' by ssh.*\[login-ungated\]", said), said
# Without a scheduler users work on the nodes themselves.
ansible, said = tree("free", scheduler="")
assert sssd(ansible, "gpu") == [] and re.search(r"note: every user .*'gpu'", said), said
ansible, said = tree("free-admins", scheduler="", admins=", administrators: [ops]")
assert sssd(ansible, "gpu") == ["access_provider = simple", "simple_allow_groups = ops"] and "login-ungated" not in said
# sshd: root still comes with a key, whatever the directory says, and nobody is named who may not.
assert "PermitRootLogin prohibit-password" in read(ansible, "roles/identity/files/sshd.conf")
assert not re.search(r"^\s*(Allow|Deny)(Users|Groups)", read(ansible, "roles/identity/files/sshd.conf"), re.M)
print("ok: users of the directory log in where they work, administrators everywhere, root as before")

# A name that sssd.conf would take apart is refused.
for name in ("a,b", "", "x%u", "a{{b}}", " a"):
    with open(os.path.join(work, "bad.yaml"), "w", encoding="utf-8") as file:
        file.write(SPEC.format(login="", more="", admins=f', administrators: ["{name}"]', scheduler=SLURM))
    done = subprocess.run([clusterc, "check", os.path.join(work, "bad.yaml")], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "ansible-identity-malformed" in done.stdout, (name, done.stdout)
print("ok: names of groups that sssd.conf cannot hold are errors")

# Prometheus and Alertmanager answer their own machine, and each other there.
ansible, _ = tree("watched")
defaults = {k: v for k, v in yaml.safe_load(read(ansible, "roles/prometheus/defaults/main.yml")).items() if k.endswith("_arguments")}
assert all(re.search(r"(^| )--web\.listen-address=127\.0\.0\.1:\d+( |$)", a) for a in defaults.values()) and len(defaults) == 2, defaults
assert defaults["prometheus_alertmanager_arguments"].endswith("--cluster.listen-address=")
alerting = yaml.safe_load(read(ansible, "../prometheus/prometheus.yml"))["alerting"]["alertmanagers"]
assert alerting == [{"static_configs": [{"targets": ["localhost:9093"]}]}], alerting
tasks = yaml.safe_load(read(ansible, "roles/prometheus/tasks/serve.yml"))
set_at = next(i for i, t in enumerate(tasks) if "lineinfile" in str(list(t)))
assert set_at < next(i for i, t in enumerate(tasks) if t["name"].startswith("Watch from")), "started before it is bound"
handlers = {h["name"] for h in yaml.safe_load(read(ansible, "roles/prometheus/handlers/main.yml"))}
notified = {n for t in tasks for n in ([t["notify"]] if isinstance(t.get("notify"), str) else t.get("notify", []))}
assert notified <= handlers, notified - handlers
print("ok: Prometheus and Alertmanager answer on the loopback address only")

# Grafana has a password before its first start; it stands in no compiled file.
tasks = yaml.safe_load(read(ansible, "roles/grafana/tasks/serve.yml"))
names = [t["name"] for t in tasks]
assert names.index("Make a password for its administrator") < names.index("Say who may come in") < names.index("Show from every start on")
password = tasks[names.index("Make a password for its administrator")]
assert password["no_log"] and password["ansible.builtin.copy"]["mode"] == "0640" and password["ansible.builtin.copy"]["force"] is False
access = jinja2.Environment().from_string(read(ansible, "roles/grafana/templates/access.conf.j2")).render(grafana_password_file="/etc/grafana/admin-password", ansible_managed="")
assert 'Environment="GF_SECURITY_ADMIN_PASSWORD=$__file{/etc/grafana/admin-password}"' in access, access
assert "GF_AUTH_ANONYMOUS_ENABLED=false" in access and "GF_USERS_ALLOW_SIGN_UP=false" in access
print("ok: Grafana reads its password from a file, and lets nobody in without one")
