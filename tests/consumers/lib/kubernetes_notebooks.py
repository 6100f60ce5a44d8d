"""Compiled values of Zero to JupyterHub, as the chart's schema and KubeSpawner read them. In the environment of scripts/kubernetes.

usage: kubernetes_notebooks.py VALUES SCHEMA PODS     PODS: the pods of all sizes, as objects for the API server
"""
import asyncio
import copy
import io
import json
import os
import sys
import types
import urllib.request

import jsonschema
import kubernetes_asyncio.config
import yaml
from jupyterhub.app import JupyterHub
from jupyterhub.auth import Authenticator
from kubernetes_asyncio.client import ApiClient
from kubespawner import KubeSpawner
from oauthenticator.generic import GenericOAuthenticator
from tornado import web
from traitlets.config import Config

kubernetes_asyncio.config.load_incluster_config = lambda: None   # no cluster is asked
CLASSES = {c.__name__: c for c in (JupyterHub, Authenticator, GenericOAuthenticator, KubeSpawner)}
ISSUER = "https://sso.example.org/realms/hpc"


def refusals(values, schema):
    """What the schema refuses. Keys that the chart's own values have may be missing."""
    return [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(values) if e.validator != "required"]


def look_up(values, key, default=None):
    for word in key.split("."):
        if not isinstance(values, dict) or word not in values:
            return default
        values = values[word]
    return values


def unknown_traits(values):
    return [f"{section}.{trait}" for section, traits in values["hub"]["config"].items() for trait in traits
            if not CLASSES[section].class_traits(config=True).get(trait)]


def settings(values, issuer=ISSUER):
    """The hub's configuration, in the chart's order: from `singleuser`, from `hub.config`, then `hub.extraConfig`."""
    c, single = Config(), values["singleuser"]
    c.KubeSpawner.namespace = "cluster-notebooks"
    for trait, key in (("extra_labels", "extraLabels"), ("start_timeout", "startTimeout"), ("profile_list", "profileList")):
        setattr(c.KubeSpawner, trait, copy.deepcopy(single[key]))
    c.KubeSpawner.image = "{name}:{tag}".format(**single["image"])
    c.KubeSpawner.uid, c.KubeSpawner.fs_gid, c.KubeSpawner.allow_privilege_escalation = 1000, 100, False   # of the chart
    c.KubeSpawner.volumes = dict(single["storage"]["extraVolumes"])
    c.KubeSpawner.volume_mounts = copy.deepcopy(single["storage"]["extraVolumeMounts"])
    c.Spawner.cmd, c.Spawner.default_url = single["cmd"], single["defaultUrl"]
    for section, traits in values["hub"]["config"].items():
        c[section].update(copy.deepcopy(traits))
    answer = {"issuer": issuer, "authorization_endpoint": ISSUER + "/auth", "token_endpoint": ISSUER + "/token", "userinfo_endpoint": ISSUER + "/user"}
    asked = []

    def urlopen(url, timeout):
        asked.append(url)
        return io.BytesIO(json.dumps(answer).encode())

    urllib.request.urlopen = urlopen
    for text in values["hub"]["extraConfig"].values():
        exec(compile(text, "extraConfig", "exec"), {"c": c, "get_config": lambda key, default=None: look_up(values, key, default)})
    assert asked == [ISSUER + "/.well-known/openid-configuration"], asked
    return c


def spawner(c, user, groups, options):
    # The spawner changes what it is given: as in the hub, each session has its own.
    s = KubeSpawner(_mock=True, config=copy.deepcopy(c), user=types.SimpleNamespace(
        name=user, id=1, url="/user/" + user, groups=[types.SimpleNamespace(name=g) for g in groups], escaped_name=user, settings={}))
    s.user_options = options
    return s


async def sizes(c, user, groups):
    s = spawner(c, user, groups, {})
    return [p["slug"] for p in s.profile_list(s)]


async def pod(c, user, groups, size):
    s = spawner(c, user, groups, {"profile": size})
    await s.load_user_options()
    manifest = await s.get_pod_manifest()
    async with ApiClient() as client:
        document = client.sanitize_for_serialization(manifest)
    document["metadata"]["namespace"] = s.namespace
    document["metadata"]["name"] = (user + "-" + size).replace("_", "-").lower()
    return document


def equal(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got!r}, expected {wanted!r}")
    print(f"ok: {what}")


async def main(path, schema_path, pods_path):
    with open(path, encoding="utf-8") as f:
        values = yaml.safe_load(f)
    with open(schema_path, encoding="utf-8") as f:
        schema = yaml.safe_load(f)
    equal("what the schema of the chart refuses", refusals(values, schema), [])
    for what, edit in (("an unknown key", lambda v: v["singleuser"].update(profilelist=[])), ("a wrong type", lambda v: v["proxy"]["https"].update(enabled="yes")),
                       ("a bad word", lambda v: v["proxy"]["https"].update(type="file")), ("an unknown key at the top", lambda v: v.update(singelUser={}))):
        twin = copy.deepcopy(values)
        edit(twin)
        equal(f"refused by the schema: {what}", bool(refusals(twin, schema)), True)
    equal("traits that their classes do not have", unknown_traits(values), [])
    twin = copy.deepcopy(values)
    twin["hub"]["config"]["GenericOAuthenticator"]["username_clam"] = "x"
    equal("a trait that is misspelt", unknown_traits(twin), ["GenericOAuthenticator.username_clam"])
    c = settings(values)
    try:
        settings(values, issuer="https://other.example.org")
        sys.exit("a provider with another name is taken")
    except ValueError:
        print("ok: refused: a provider with another name")
    os.environ["OAUTH_CLIENT_SECRET"] = "of the test"
    equal("the variable of the secret", list(values["hub"]["extraEnv"]), ["OAUTH_CLIENT_SECRET"])
    authenticator = GenericOAuthenticator(config=c)
    equal("the provider's addresses, the secret", (authenticator.token_url, authenticator.client_secret), (ISSUER + "/token", "of the test"))
    equal("who is let in", [await maybe(authenticator.check_allowed(n, {"name": n, "groups": g, "admin": False})) for n, g in (("ada", []), ("eve", ["vision"]), ("eve", []), ("eve", ["other"]))],
          [True, True, False, False])
    equal("names of accounts alone", [bool(authenticator.username_regex.match(n)) for n in ("ada", "a/b", "..", "Ada", "a b")], [True, False, False, False, False])
    equal("sizes of ada", await sizes(c, "ada", []), ["speech_small", "speech_whole"])
    equal("sizes of the group vision", await sizes(c, "eve", ["vision"]), ["vision_small", "vision_whole"])
    for user, groups in (("eve", []), ("grace", [])):
        try:
            await sizes(c, user, groups)
            sys.exit(f"{user} may start a session")
        except web.HTTPError as e:
            equal(f"{user}, who is in no team", e.status_code, 403)
    try:
        await pod(c, "ada", [], "vision_small")
        sys.exit("ada gets a session of vision")
    except ValueError:
        print("ok: refused: a size of another team")
    made = [await pod(c, "ada", [], "speech_small"), await pod(c, "ada", [], "speech_whole"), await pod(c, "eve", ["vision"], "vision_small")]
    first = made[0]
    equal("namespace and queue", (first["metadata"]["namespace"], first["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]), ("speech", "speech"))
    box = first["spec"]["containers"][0]
    equal("GPUs of a small session", (box["resources"]["limits"]["nvidia.com/gpu"], box["resources"]["requests"]["nvidia.com/gpu"]), ("1", "1"))
    equal("GPUs of a whole session", made[1]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"], "8")
    equal("time", [p["spec"]["activeDeadlineSeconds"] for p in made], [14400, 86400, 14400])
    equal("groups", [p["spec"]["securityContext"]["supplementalGroups"] for p in made], [[3002], [3002], [3001]])
    equal("volumes", sorted((m["name"], m["mountPath"]) for m in box["volumeMounts"]), [("of-fast", "/fast/speech"), ("of-home", "/home/speech"), ("shm", "/dev/shm")])
    equal("where the home is", [e["value"] for e in box["env"] if e["name"] == "SESSION_HOMES"], ["/home/speech/notebooks"])
    equal("address of the hub", c.JupyterHub.hub_connect_url, "http://hub.cluster-notebooks.svc:8081")
    with open(pods_path, "w", encoding="utf-8") as f:
        f.write("---\n".join(yaml.safe_dump({"apiVersion": "v1", "kind": "Pod", **p}) for p in made))


async def maybe(value):
    return await value if asyncio.iscoroutine(value) or asyncio.isfuture(value) else value


asyncio.run(main(*sys.argv[1:]))
