// Notebooks of a spec: a hub in which users log in with a browser, and the sizes of the sessions that it starts as
// jobs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fields/fields.h"
#include "fields/scalars.h"

namespace clusterc {

struct NotebookProfile {  // what one session may ask the scheduler for
  SourceSpan span;
  Value<std::string> group;
  Value<std::int64_t> cpus, gpus;
  Value<Bytes> memory;
  Value<Seconds> time;
  static constexpr std::string_view type_name = "notebook profile";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("group", s.group, {.required = true, .doc = "node group whose nodes run these sessions"});
    v("cpus", s.cpus,
      {.doc = "hardware threads of a session; left out: those of its GPUs' share of the node, without GPUs an eighth",
       .least = 1,
       .most = 4096});
    v("gpus", s.gpus, {.doc = "GPUs of a session; left out: one where the nodes have GPUs", .least = 0, .most = 64});
    v("memory", s.memory, {.doc = "memory of a session; left out: the same share of the node as its threads"});
    v("time", s.time,
      {.doc = "longest time of a session; left out: 8 h, or `scheduler.limits.time` where that is shorter"});
  }
};

struct OpenIdConnect {
  SourceSpan span;
  Value<std::string> issuer, client_id, username_claim, groups_claim;
  std::optional<SecretRef> client_secret;
  static constexpr std::string_view type_name = "openid connect";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("issuer", s.issuer,
      {.required = true, .doc = "URL of the provider, above /.well-known: https://sso.example.org/realms/hpc"});
    v("client_id", s.client_id, {.required = true, .doc = "name under which the provider knows the hub"});
    v("client_secret", s.client_secret, {.required = true, .doc = "reference to the secret of that client"});
    v("username_claim", s.username_claim,
      {.standard = "preferred_username",
       .why = "the claim of OpenID Connect Core 1.0, section 5.1, for the name that a user goes by",
       .doc = "claim that holds the name of the Unix account"});
    v("groups_claim", s.groups_claim,
      {.doc = "claim that lists the groups of a user, under Kubernetes: a group with the name of a team is that team; "
              "left out: only the `users` of a team are in it"});
  }
};

struct Notebooks {
  SourceSpan span;
  Value<std::string> kind, node, name, certificate, folder, image, users;
  Value<Version> version;
  Value<std::int64_t> port;
  std::optional<SecretRef> key;
  std::optional<OpenIdConnect> oidc;
  std::vector<Value<std::string>> admins;
  NamedMap<NotebookProfile> profiles;
  Value<Seconds> idle;
  static constexpr std::string_view type_name = "notebooks";
  template <class Self, class V>
  static void describe(Self& s, V&& v) {
    v("kind", s.kind, {.required = true, .doc = "program that serves them", .words = "jupyterhub"});
    v("version", s.version, {.doc = "release of JupyterHub: 6.1; left out: the newest one that was tested"});
    v("node", s.node, {.doc = "node that runs the hub; left out: the first login node, else the first controller"});
    v("name", s.name, {.doc = "host name in the browser: notebooks.example.org; left out: the node's own"});
    v("port", s.port, {.standard = "443", .why = "HTTPS", .doc = "port for browsers", .least = 1, .most = 65535});
    v("certificate", s.certificate, {.required = true, .doc = "certificate of that name, a file on the node"});
    v("key", s.key, {.required = true, .doc = "reference to its private key, a file on the node"});
    v("folder", s.folder,
      {.standard = "/opt/jupyterhub",
       .why = "beside the software of the distribution",
       .doc = "where JupyterHub, Batchspawner and JupyterLab are installed, on the node and on all that run sessions"});
    v("image", s.image,
      {.doc = "container image of the sessions under Kubernetes, with JupyterHub 5 and JupyterLab: "
              "quay.io/jupyter/pytorch-notebook:cuda12-2025-12-01; left out: the small image of the chart"});
    v("users", s.users,
      {.standard = "pam",
       .why = "the accounts with which users log in to the node",
       .doc = "who checks passwords: pam (the node), oidc (a provider of OpenID Connect)",
       .words = "pam|oidc"});
    v("oidc", s.oidc, {.doc = "the provider, with `users: oidc`"});
    v("admins", s.admins, {.doc = "accounts that may stop the sessions of others"});
    v("profiles", s.profiles,
      {.doc = "sizes of sessions by name; left out: one for each group that the scheduler hands out"});
    v("idle", s.idle,
      {.doc = "a session in which nothing happens for so long ends: 1 h; left out: it runs to its end"});
  }
};

}  // namespace clusterc
