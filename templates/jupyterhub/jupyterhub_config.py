"""JupyterHub: everything that belongs to this cluster stands in cluster.json beside this file."""
import html
import json
import os
import pwd
import urllib.request

import batchspawner  # also adds the handler by which a session tells the hub its port
from tornado import web

c = get_config()  # noqa: F821  (JupyterHub defines it)

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cluster.json"), encoding="utf-8") as file:
    CLUSTER = json.load(file)
PROFILES = CLUSTER["profiles"]
FOLDER = CLUSTER["folder"]


def least_uid():
    """The first number of users' accounts, login.defs(5): UID_MIN. Those below belong to the system."""
    try:
        with open("/etc/login.defs", encoding="utf-8") as lines:
            for line in lines:
                words = line.split()
                if len(words) > 1 and words[0] == "UID_MIN":
                    return max(1, int(words[1]))
    except (OSError, ValueError):
        pass
    return 1000


LEAST_UID = least_uid()


class ClusterSpawner(batchspawner.SlurmSpawner):
    """A session is a job of Slurm in one of the planned sizes. A user chooses a size; nothing else that a browser or a
    token sends reaches the job."""

    def profile(self):
        name = (self.user_options or {}).get("profile", next(iter(PROFILES)))
        if not isinstance(name, str) or name not in PROFILES:
            raise web.HTTPError(400, "there is no such size of a session")
        return name

    async def start(self):
        name = self.profile()
        # Who runs jobs as munge reads its key, and with it is root on every node.
        if pwd.getpwnam(self.user.name).pw_uid < LEAST_UID:
            raise web.HTTPError(403, "accounts of the system have no sessions")
        size = PROFILES[name]
        self.user_options = {"profile": name}
        self.req_partition = size["partition"]
        self.req_nprocs = str(size["cpus"])
        self.req_memory = str(size["memory_mib"]) + "M"
        self.req_gres = size["gres"]
        self.req_runtime = str(size["minutes"])
        return await super().start()


def options_form(spawner):
    rows = "".join(
        f'<option value="{html.escape(name)}">{html.escape(name)}: {html.escape(size["words"])}</option>'
        for name, size in PROFILES.items()
    )
    return f'<label for="profile">Size</label> <select class="form-control" name="profile" id="profile">{rows}</select>'


def options_from_form(form):
    return {"profile": form.get("profile", [next(iter(PROFILES))])[0]}


def secret(reference):
    """The text that a reference leads to: a file on this machine, or a variable of the hub's unit. The variable is
    removed: Batchspawner hands the hub's environment to squeue and scancel, which run as users."""
    if "env" in reference:
        return os.environ.pop(reference["env"])
    with open(reference["file"], encoding="utf-8") as lines:
        return lines.read().strip()


# Browsers come to the proxy, sessions to the hub.
c.JupyterHub.bind_url = CLUSTER["bind_url"]
c.JupyterHub.ssl_cert = CLUSTER["certificate"]
c.JupyterHub.ssl_key = CLUSTER["key"]
c.JupyterHub.hub_bind_url = CLUSTER["hub_bind_url"]
c.JupyterHub.hub_connect_url = CLUSTER["hub_connect_url"]
c.ConfigurableHTTPProxy.command = [FOLDER + "/bin/configurable-http-proxy"]
# Sessions are jobs: they go on when the hub is started again, which finds them in its database.
c.JupyterHub.cleanup_servers = False
c.JupyterHub.db_url = "sqlite:////var/lib/jupyterhub/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = "/var/lib/jupyterhub/cookie_secret"

# The name of a user stands in commands (sudo -u NAME): only names as useradd takes them.
c.Authenticator.username_pattern = r"^[a-z_][a-z0-9_.-]{0,31}\Z"
c.Authenticator.blocked_users = {"root", "nobody"} | {a.pw_name for a in pwd.getpwall() if a.pw_uid < LEAST_UID}
c.Authenticator.admin_users = set(CLUSTER["admins"])
c.Authenticator.allow_all = CLUSTER["users"]["everybody"]
c.Authenticator.allowed_users = set(CLUSTER["users"]["allowed"])
if CLUSTER["users"]["by"] == "pam":
    c.JupyterHub.authenticator_class = "pam"
    c.PAMAuthenticator.service = "login"
    c.PAMAuthenticator.open_sessions = False
    c.PAMAuthenticator.allowed_groups = set(CLUSTER["users"]["groups"])
else:
    oidc = CLUSTER["users"]["oidc"]
    with urllib.request.urlopen(oidc["issuer"].rstrip("/") + "/.well-known/openid-configuration", timeout=30) as answer:
        provider = json.load(answer)
    if provider["issuer"] != oidc["issuer"]:  # OpenID Connect Discovery 1.0, section 4.3
        raise ValueError(f"the provider calls itself {provider['issuer']!r}, expected {oidc['issuer']!r}")
    c.JupyterHub.authenticator_class = "generic-oauth"
    c.GenericOAuthenticator.client_id = oidc["client_id"]
    c.GenericOAuthenticator.client_secret = secret(oidc["client_secret"])
    c.GenericOAuthenticator.oauth_callback_url = CLUSTER["url"] + "/hub/oauth_callback"
    c.GenericOAuthenticator.authorize_url = provider["authorization_endpoint"]
    c.GenericOAuthenticator.token_url = provider["token_endpoint"]
    c.GenericOAuthenticator.userdata_url = provider["userinfo_endpoint"]
    c.GenericOAuthenticator.scope = ["openid", "profile"]
    c.GenericOAuthenticator.username_claim = oidc["username_claim"]

c.JupyterHub.spawner_class = ClusterSpawner
c.Spawner.options_form = options_form
c.Spawner.options_from_form = options_from_form
c.Spawner.cmd = [FOLDER + "/bin/jupyterhub-singleuser"]
c.Spawner.args = CLUSTER["arguments"]
c.Spawner.default_url = "/lab"
c.BatchSpawnerBase.batchspawner_singleuser_cmd = FOLDER + "/bin/batchspawner-singleuser"
c.BatchSpawnerBase.exec_prefix = "sudo -n -E -u {username}"
c.BatchSpawnerBase.start_timeout = CLUSTER["start_timeout"]
# -l: the environment of a login, with modules. No step: the batch script runs on the only node of the job.
c.SlurmSpawner.req_srun = ""
c.SlurmSpawner.batch_script = """#!/bin/bash -l
#SBATCH --job-name=jupyterhub
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --chdir={{homedir}}
#SBATCH --output={{homedir}}/.jupyterhub-%j.log
#SBATCH --export={{keepvars}}
#SBATCH --partition={{partition}}
#SBATCH --cpus-per-task={{nprocs}}
#SBATCH --mem={{memory}}
#SBATCH --time={{runtime}}
#SBATCH --no-requeue
{% if gres %}#SBATCH --gres={{gres}}
{% endif %}
set -eu
exec {{cmd}}
"""

# outputs.jupyterhub.extra of the spec
for owner, traits in CLUSTER["traits"].items():
    for trait, value in traits.items():
        setattr(c[owner], trait, value)
