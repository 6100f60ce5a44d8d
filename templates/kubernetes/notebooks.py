# Run by the hub, behind the settings of the chart: endpoints of the provider, and who may start which sessions.
import json
import urllib.request

from tornado import web

CLUSTER = get_config("custom.cluster")  # noqa: F821  (the chart imports it)

with urllib.request.urlopen(CLUSTER["issuer"].rstrip("/") + "/.well-known/openid-configuration", timeout=30) as answer:
    provider = json.load(answer)
if provider["issuer"] != CLUSTER["issuer"]:  # OpenID Connect Discovery 1.0, section 4.3
    raise ValueError(f"the provider calls itself {provider['issuer']!r}, expected {CLUSTER['issuer']!r}")
c.GenericOAuthenticator.authorize_url = provider["authorization_endpoint"]  # noqa: F821
c.GenericOAuthenticator.token_url = provider["token_endpoint"]  # noqa: F821
c.GenericOAuthenticator.userdata_url = provider["userinfo_endpoint"]  # noqa: F821

ALL_SIZES = get_config("singleuser.profileList")  # noqa: F821


def sizes_of(spawner):
    """Sizes in the namespaces of the user's teams. The spawner takes no other size, whatever a browser or a token sends."""
    groups = {group.name for group in spawner.user.groups} if CLUSTER["groups"] else set()
    teams = {
        team
        for team, users in CLUSTER["teams"].items()
        if CLUSTER["everybody"] or spawner.user.name in users or team in groups
    }
    sizes = [size for size in ALL_SIZES if size["kubespawner_override"]["namespace"] in teams]
    if not sizes:  # without a size the session would run in the namespace of the hub
        raise web.HTTPError(403, "you are in no team of this cluster")
    return sizes


c.KubeSpawner.profile_list = sizes_of  # noqa: F821
