// Hostile values: every text that a spec may hold, with quotes, line ends, $(...), {{ }} and the signs of YAML, INI and
// shell in it, is refused with a finding, or the files that come of it have the structure that they have with a
// harmless word in its place, as other programs' parsers read them (PyYAML; line by line for what is no YAML).
#include <map>

#include "base/json_writer.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "skipping.h"
#include "unit/compile/compiled.h"

namespace clusterc {
namespace {

const std::vector<std::string> kHostile = {"a\"b",
                                           "a'b",
                                           "a\nb",
                                           "a\nreboot: true",
                                           "a\r\nb",
                                           "a\\",
                                           "a\\nb",
                                           "a: b",
                                           "a #b",
                                           "#a",
                                           "- a",
                                           "a, b",
                                           "{a: b}",
                                           "[a]",
                                           "a]",
                                           "*a",
                                           "&a b",
                                           "!!python/object/apply:os.system [id]",
                                           "| a",
                                           "> a",
                                           "%a",
                                           "@a",
                                           "`id`",
                                           "$(id)",
                                           "${HOME}",
                                           "a;id",
                                           "a|id",
                                           "a&id",
                                           "{{ 7*7 }}",
                                           "{% if x %}",
                                           "{# a #}",
                                           "a=b",
                                           "a b=c",
                                           "Include /etc/passwd",
                                           "../../etc/passwd",
                                           "/etc/passwd",
                                           "..",
                                           "a/../b",
                                           "no",
                                           "1e3",
                                           "0x10",
                                           "1:30",
                                           "~",
                                           "<<",
                                           "---\na: b",
                                           "...",
                                           "\xe2\x80\xa8x",
                                           "x\xc2\x85y",
                                           "\xef\xbb\xbfx",
                                           "\xe2\x80\xaegnp",
                                           "\x1b[2J",
                                           "a\tb",
                                           " a",
                                           "a ",
                                           "a\x7f",
                                           "clustercMark0Z",
                                           "clustercMark1Zb",
                                           "a\n\n\nb",
                                           "\na",
                                           "\xd0\xb0"
                                           "dmin",
                                           std::string("a\n") + std::string(65536, ' ') + "b: c"};

struct Field {
  const char* name;
  const char* before;
};  // `before` stands in front of the hostile text: what the reader asks for
const std::vector<Field> kFields = {{"name", ""},
                                    {"description", ""},
                                    {"provider", ""},
                                    {"group", ""},
                                    {"names", ""},
                                    {"nics", ""},
                                    {"network", ""},
                                    {"storage", ""},
                                    {"external", ""},
                                    {"mount", "/"},
                                    {"os", "debian-"},
                                    {"domain", ""},
                                    {"name_server", ""},
                                    {"time_server", ""},
                                    {"time_zone", ""},
                                    {"mig", ""},
                                    {"memlock", ""},
                                    {"container", ""},
                                    {"monitoring", ""},
                                    {"framework", ""},
                                    {"driver", "580."},
                                    {"cuda", "12."},
                                    {"version", "22."},
                                    {"memlock_of_group", ""},
                                    {"hosts", "10.9.9.9 "},
                                    {"slurm.conf", "LaunchParameters="},
                                    {"user-data", "locale: "},
                                    {"inventory", "site_word: "},
                                    {"networkd", "Alias="},
                                    {"networkmanager", "zone="},
                                    {"nodes.yaml", "comment: "},
                                    {"machines.sh", "zone="},
                                    {"nodes.stanza", "provmethod="},
                                    {"netplan", "wifis: { a: { b: "},
                                    {"team", ""},
                                    {"user", ""},
                                    {"database", ""},
                                    {"password", "/etc/"},
                                    {"vault", "kv#"},
                                    {"slurmdbd.conf", "ArchiveDir="},
                                    {"routing", ""},
                                    {"opensm.conf", "log_prefix "},
                                    {"partitions.conf", "p=0x1, "},
                                    {"nccl.conf", "NCCL_DEBUG="},
                                    {"ucx.conf", "UCX_TLS="},
                                    {"openmpi-mca-params.conf", "pml = "},
                                    {"served", "/"},
                                    {"dnsmasq.conf", "dhcp-boot="},
                                    {"zone", "mail TXT "},
                                    {"chrony.conf", "keyfile "},
                                    {"node.nft", "meta mark 1 ct mark "},
                                    {"recording.yml", "a = sum("},
                                    {"alerts.yml", "A = up{job=\""},
                                    {"prometheus.yml", "remote_write: [ { url: "},
                                    {"alertmanager.yml", "templates: [ "},
                                    {"ldap", "ldaps://"},
                                    {"base", "dc="},
                                    {"bind_dn", "cn="},
                                    {"install_name", ""},
                                    {"install_group", ""},
                                    {"install_domain", ""},
                                    {"install_zone", ""},
                                    {"preseed.cfg", "d-i a/b string "},
                                    {"kickstart.ks", "firewall --service="},
                                    {"autoinstall", "updates: "},
                                    {"kea-dhcp4.conf", "server-tag: "},
                                    {"password_file", "/"},
                                    {"password_env", ""},
                                    {"password_vault", "kv/a#"},
                                    {"kernel_argument", "isolcpus="},
                                    {"mirror", ""},
                                    {"mirror_folder", "/srv/"},
                                    {"mirror_ca", "/root/"},
                                    {"image_tag", "docker.io/library/a:"},
                                    {"mirror.list", "deb http://a/ b "}};
// ... and behind it.
const std::map<std::string_view, std::string_view> kAfter = {
    {"netplan", " } }"},        {"partitions.conf", " : ALL ;"}, {"node.nft", " accept"},   {"recording.yml", ")"},
    {"alerts.yml", "\"} == 0"}, {"prometheus.yml", " } ]"},      {"alertmanager.yml", " ]"}};

std::string yaml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += "\\x", append_hex(out, static_cast<unsigned char>(c), 2);
    else
      out += c;
  }
  return out + '"';
}

// What only a cluster with switches of its own has.
std::string fabric_with(std::string_view field, std::string_view text) {
  const auto at = [&](std::string_view name, std::string_view otherwise) {
    return yaml_quoted(name == field ? text : otherwise);
  };
  std::string s =
      "clusterc: 1\nrules: 2026.11\nname: case\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\nnodes: { "
      "fm: { names: \"fm[1-2]\", model: generic-1u, nics: { ib: cx7-ndr-osfp }, roles: [fabric-manager] }, gpu: { "
      "names: g1, model: nvidia-dgx-h100 } }\nsoftware: { mpi: openmpi 4.1 }\n";
  s += "networks: { ib: { kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, subnet: 10.78.0.0/24, routing: " +
       at("routing", "updn") +
       ", connects: { fm: { ports: ib } } }, ai: { kind: infiniband, rate: 400 Gb/s, switch: nvidia-qm9700, carries: "
       "[compute], connects: { gpu: { ports: compute } } } }\n";
  return s + "outputs: { opensm: { extra: { ib/opensm.conf: [ " + at("opensm.conf", "log_prefix x") +
         " ], ib/partitions.conf: [ " + at("partitions.conf", "p=0x1 : ALL ;") +
         " ] } }, fabric-env: { extra: { nccl.conf: [ " + at("nccl.conf", "NCCL_DEBUG=WARN") + " ], ucx.conf: [ " +
         at("ucx.conf", "UCX_TLS=rc") + " ], openmpi-mca-params.conf: [ " + at("openmpi-mca-params.conf", "pml = ucx") +
         " ] } } }\n";
}

// What only machines of our own have that somebody installs.
std::string install_with(std::string_view field, std::string_view text) {
  const auto at = [&](std::string_view name, std::string_view otherwise) {
    return yaml_quoted(name == field ? text : otherwise);
  };
  const std::string server = "model: generic-1u, nics: { data: cx6-vpi-200 }", port = ": { ports: data, count: 1 }";
  std::string s = "clusterc: 1\nrules: 2026.11\nname: " + at("install_name", "case") +
                  "\nsite: { region: iec, supply: { phases: 3, voltage: 400 V } }\nnodes:\n  head: { names: ctl, " +
                  server + ", roles: [provisioning] }\n  ";
  s += at("install_group", "cpu") + ": { names: n1, " + server + " }\n  web: { names: w1, " + server +
       ", software: { os: ubuntu-24.04 } }\n  old: { names: o1, " + server + ", software: { os: rocky-9 } }\n";
  s += "networks: { lan: { kind: ethernet, rate: 100 Gb/s, switch: nvidia-sn4600c, subnet: 10.78.0.0/24, carries: "
       "[inband], connects: { head" +
       port + ", " + at("install_group", "cpu") + port + ", web" + port + ", old" + port + " } } }\n";
  s += "software: { os: debian-12, domain: " + at("install_domain", "example.org") +
       ", time_zone: " + at("install_zone", "UTC") + " }\noutputs: { preseed: { extra: { preseed.cfg: [ " +
       at("preseed.cfg", "d-i a/b string x") +
       " ] } }, networkmanager: { extra: { extra.nmconnection: [ \"[connection]\", " + at("networkmanager", "zone=x") +
       " ] } }, warewulf: { extra: { nodes.yaml: [ " + at("nodes.yaml", "comment: x") +
       " ] } }, maas: { extra: { machines.sh: [ " + at("machines.sh", "zone=x") +
       " ] } }, xcat: { extra: { nodes.stanza: [ " + at("nodes.stanza", "provmethod=x") +
       " ] } }, kickstart: { extra: { kickstart.ks: [ ";
  return s + at("kickstart.ks", "repo --name=site --baseurl=http://mirror.example/el9/") +
         " ] } }, autoinstall: { extra: { user-data: [ " + at("autoinstall", "updates: all") +
         " ] } }, kea: { extra: { kea-dhcp4.conf: [ " + at("kea-dhcp4.conf", "server-tag: 900") + " ] } } }\n";
}

// The spec with `text` in one field; "Benign", or what must stand there, in all others.
std::string spec_with(std::string_view field, std::string_view text) {
  if (field == "routing" || field == "opensm.conf" || field == "partitions.conf" || field == "nccl.conf" ||
      field == "ucx.conf" || field == "openmpi-mca-params.conf")
    return fabric_with(field, text);
  if (field.starts_with("install_") || field == "preseed.cfg" || field == "kickstart.ks" || field == "autoinstall" ||
      field == "kea-dhcp4.conf" || field == "networkmanager" || field == "nodes.yaml" || field == "machines.sh" ||
      field == "nodes.stanza")
    return install_with(field, text);
  const auto at = [&](std::string_view name, std::string_view otherwise) {
    return yaml_quoted(name == field ? text : otherwise);
  };
  std::string s = "clusterc: 1\nrules: 2026.11\nname: " + at("name", "case") +
                  "\ndescription: " + at("description", "a") +
                  "\nsite: { kind: cloud, provider: " + at("provider", "local") + " }\nnodes:\n  ";
  s += at("group", "cpu") + ": { names: " + at("names", "n1") +
       ", virtual_machine: { cpus: 2, memory: 2 GiB }, software: { limits: { memlock: " +
       at("memlock_of_group", "unlimited") + " } } }\n";
  s += "  head: { names: ctl, virtual_machine: { cpus: 2, memory: 2 GiB }, roles: [scheduler, provisioning] }\n";
  s += "  hw: { names: h1, instance: generic-2u-pcie4, memory: 24 x 32 GiB, nics: { " + at("nics", "data") +
       ": 2 x cx6-vpi-200 }, pcie: { socket1: { slot5: " +
       yaml_quoted("nics." + std::string("nics" == field ? text : "data")) + " } } }\n";
  s += "networks:\n  " + at("network", "lan") +
       ": { kind: ethernet, rate: 10 Gb/s, subnet: 10.77.0.0/24, carries: [compute, storage, inband], connects: { " +
       at("group", "cpu") + ": 1, head: 1, hw: { ports: " + at("nics", "data") + ", count: 1 } } }\n";
  s += "  oob: { kind: ethernet, rate: 1 Gb/s, subnet: 10.79.0.0/24, carries: [oob], connects: { head: 1 } }\n";
  s += "storage:\n  served: { kind: nfs, servers: { nodes: head }, mount: " + at("served", "/served") + " }\n  " +
       at("storage", "home") + ": { kind: nfs, servers: { external: " + at("external", "nas") +
       " }, mount: " + at("mount", "/home") + " }\n";
  s += "software:\n  os: " + at("os", "debian-12") + "\n  domain: " + at("domain", "example.org") +
       "\n  name_servers: [ " + at("name_server", "10.0.0.1") + " ]\n  time_servers: [ " +
       at("time_server", "ntp.example.org") + " ]\n  time_zone: " + at("time_zone", "UTC");
  s += "\n  mig: " + at("mig", "off") + "\n  limits: { memlock: " + at("memlock", "unlimited") +
       " }\n  containers: [ { kind: " + at("container", "podman") +
       " } ]\n  monitoring: [ { kind: prometheus }, { kind: grafana }, { kind: dcgm }, { kind: slurm-exporter }, { "
       "kind: " +
       at("monitoring", "ipmi-exporter") + " } ]\n  frameworks: [ { kind: " + at("framework", "pytorch") + " } ]";
  s += "\n  mirror: { server: " + at("mirror", "ctl") + ", folder: " + at("mirror_folder", "/srv/mirror") +
       ", ca: " + at("mirror_ca", "/root/ca.pem") + ", images: [ docker.io/library/b:1, " +
       at("image_tag", "docker.io/library/a:1") + " ] }";
  s += "\n  kernel_arguments: [ " + at("kernel_argument", "isolcpus=1") +
       " ]\n  identity: { kind: ldap, server: " + at("ldap", "ldaps://a") + ", base: " + at("base", "dc=a") +
       ", bind_dn: " + at("bind_dn", "cn=a") + ", bind_password: { ";
  s += field == "password_env"     ? "env: " + at("password_env", "")
       : field == "password_vault" ? "vault: " + at("password_vault", "")
                                   : "file: " + at("password_file", "/etc/a");
  s += " } }\n  gpu_driver: " + at("driver", "580") + "\n  cuda: " + at("cuda", "12.8") +
       "\n  scheduler: { kind: slurm, version: " + at("version", "22.05") +
       ", accounting: { database: " + at("database", "db") + ", password: { ";
  s += (field == "vault" ? "vault: " + at("vault", "kv#a") : "file: " + at("password", "/etc/pass")) +
       " } }, limits: { submit: 9 } }\n";
  s += "teams: { " + at("team", "physics") + ": { share: 60 %, quota: { " + at("group", "cpu") +
       ": 1 nodes }, users: [ " + at("user", "ada") + " ] } }\n";
  s += "outputs:\n  mirror: { extra: { mirror.list: [ " + at("mirror.list", "deb http://a/ b c") +
       " ] } }\n  hosts: { extra: { hosts: [ " + at("hosts", "10.9.9.9 nas") +
       " ] } }\n  slurm: { extra: { slurm.conf: [ " + at("slurm.conf", "LaunchParameters=x") + " ], slurmdbd.conf: [ " +
       at("slurmdbd.conf", "ArchiveDir=/x") + " ] } }\n  cloud-init: { extra: { user-data: [ " +
       at("user-data", "locale: C") + " ] } }\n";
  if (field == "networkd")
    s += "  networkd: { extra: { 90-extra.network: [ \"[Link]\", " + at("networkd", "") + " ] } }\n";
  s += "  ansible: { extra: { inventory.yaml: [ " + at("inventory", "site_word: a") + " ] } }\n" +
       (field == "networkd" ? "" : "  netplan: { extra: { extra.yaml: [ " + at("netplan", "wifis: {}") + " ] } }\n");
  s += "  dnsmasq: { extra: { dnsmasq.conf: [ " + at("dnsmasq.conf", "log-dhcp") +
       " ] } }\n  dns: { extra: { zone: [ " + at("zone", "mail A 10.9.9.9") +
       " ] } }\n  chrony: { extra: { chrony.conf: [ " + at("chrony.conf", "keyfile /etc/k") + " ] } }\n";
  s += "  nftables: { extra: { node.nft: [ " + at("node.nft", "tcp dport 8443 accept") +
       " ] } }\n  prometheus: { extra: { recording.yml: [ " + at("recording.yml", "a = sum(up)") +
       " ], alerts.yml: [ " + at("alerts.yml", "A = up == 0") + " ], prometheus.yml: [ ";
  s += at("prometheus.yml", "remote_write: []") + " ], alertmanager.yml: [ " + at("alertmanager.yml", "templates: []") +
       " ] } }\n";
  return s;
}

// A file that is as it was with the harmless word has nothing of the field in it, and is left out where `but` is given.
void write_files(JsonWriter& json, std::string_view name, const test::Compiled& c,
                 const test::Compiled* but = nullptr) {
  json.object(name);
  for (const Bundle::File& f : c.bundle.files())
    if (!but || but->file(f.path) != c.bundle.bytes(f)) json.field(f.path, std::string(c.bundle.bytes(f)));
  json.end_object();
}

// What PyYAML and the line-wise readers make of both trees. Prints what differs.
constexpr std::string_view kCompare = R"py(
import json, re, sys, yaml
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
class Unsafe(str): pass      # what Ansible takes as it stands
Loader.add_constructor("!unsafe", lambda loader, node: Unsafe(loader.construct_scalar(node)))
def flat(s): return re.sub(r"[\x00-\x1f\x7f]", " ", s).lower()
def tree(v, fix):
    if isinstance(v, dict): return [(tree(k, fix), tree(x, fix)) for k, x in v.items()]
    if isinstance(v, list): return [tree(x, fix) for x in v]
    if isinstance(v, str):
        if v.startswith("group_"): return re.sub("[^A-Za-z0-9]", "_", fix(v)).lower()
        lines = v.count("\n") if v.endswith("\n") else 0      # contents of files: a line more is a line that somebody else wrote
        return (lines, flat(fix(v)).strip())
    return v
def lines(text):
    return [[w.strip('"') for w in flat(l.split("#")[0]).split()] for l in text.replace("\r", "\n").split("\n") if l.split("#")[0].strip()]
# Commands of a POSIX shell script, each a list of words without their quotes; what is no plain word stays as it is.
def shell(text):
    commands, words, word, quote, i = [], [], None, None, 0
    while i < len(text):
        c = text[i]
        if quote: 
            if c == quote: quote = None
            elif c == "\\" and quote == '"': i += 1; word += "\\" + text[i]
            else: word += c
        elif c in "'\"": quote = c; word = word or ""
        elif c == "\\": i += 1; word = (word or "") + text[i]
        elif c == "#" and word is None: i = text.find("\n", i) - 1
        elif c in " \t\n":
            if word is not None: words.append(word); word = None
            if c == "\n" and words: commands.append(words); words = []
        else: word = (word or "") + c
        i += 1
    return commands
def octal(s):     # exports(5): what is no plain sign in a path
    return "".join(chr(b) if re.match(rb"[A-Za-z0-9/._+@,:=-]", bytes([b])) else "\\%03o" % b for b in s.encode())
count = 0
for field, case in [(f, c) for f in json.load(sys.stdin) for c in f["cases"]]:
    name, want, new, have = field["field"], field["benign"], case["text"], case["files"]
    if name in ("driver", "cuda", "version"): new = new.strip(" ")   # versions are read without the blanks around them
    # names are compared in lower case: Slurm's features and the cluster's name are written so
    fix = lambda text: text.replace("Benign", new).replace("benign", new.lower())
    def say(what): print("%s = %.60r: %s" % (name, new, what))
    if len(want) != case["paths"] or not set(have) <= set(map(fix, want)): say("other files: %s" % sorted(have)); continue
    for path, text in want.items():
        if fix(path) not in have: continue
        count += 1
        other = have[fix(path)]
        if any(part in ("", "..") for part in fix(path).split("/")): say("leaves the tree: " + path)
        try:
            if path.startswith(("cloud-init/", "netplan/", "ansible/", "autoinstall/", "kea/", "warewulf/")) and not path.endswith((".cfg", ".j2", ".sh")) and not (path.startswith("cloud-init/") and path.endswith("/user-data")) or path.startswith("prometheus/") and path.endswith(".yml"):
                a, b = yaml.load(text, Loader), yaml.load(other, Loader)
                for d in (a, b):      # what an extra line's value is, is the user's business; all around it must stay
                    if name == "user-data": d.pop("locale", None)
                    if name == "inventory": d.get("all", {}).get("vars", {}).pop("site_word", None)
                    if name == "nodes.yaml" and path.startswith("warewulf/"): [n.pop("comment", None) for n in d.values()]
                    if name == "netplan": d.get("network", {}).pop("wifis", None)
                    if name == "prometheus.yml": d.pop("remote_write", None)
                    if name == "alertmanager.yml": d.pop("templates", None)
                    if name == "autoinstall" and path.startswith("autoinstall/") and path.endswith("user-data"): d["autoinstall"].pop("updates", None)
                    if name == "kea-dhcp4.conf" and path.startswith("kea/"): d["Dhcp4"].pop("server-tag", None)
                if tree(a, fix) != tree(b, str): say("%s reads otherwise: %.300r" % (path, b))
                if path.startswith("ansible/"):
                    def templates(v):
                        if isinstance(v, dict): return sum(templates(k) + templates(x) for k, x in v.items())
                        if isinstance(v, list): return sum(map(templates, v))
                        return isinstance(v, str) and not isinstance(v, Unsafe) and any(t in v for t in ("{{", "{%", "{#"))
                    if templates(a) != templates(b): say("Ansible would take it for a template")
            elif path.endswith(".sh"):
                a, b = [[flat(fix(w)) for w in c] for c in shell(text)], [[flat(w) for w in c] for c in shell(other)]
                if a != b: say("%s reads otherwise: %s" % (path, [y for x, y in zip(a, b) if x != y][:2]))
            else:
                if path.startswith("nfs/"): text = text.replace("Benign", octal(new))
                a, b = lines("\n".join(fix(l).replace("\n", " ").replace("\r", " ") for l in text.split("\n"))), lines(other)
                if path.startswith("dns/db."):      # the serial number follows from the rest of the zone
                    a, b = ([w[:6] + w[7:] if w[1:3] == ["in", "soa"] else w for w in z] for z in (a, b))
                if a != b: say("%s reads otherwise: %s" % (path, [y for x, y in zip(a, b) if x != y][:2]))
        except yaml.YAMLError as error:
            say("%s is no YAML: %s" % (path, error))
print("compared", count)
)py";

TEST(HostileValues, AreRefusedOrInert) {
  std::string input, refused;
  JsonWriter json(input);
  json.begin_array();
  std::size_t taken = 0, all = 0;
  std::vector<std::string> never;
  for (const Field& field : kFields) {
    test::Compiled benign;
    const auto behind = kAfter.find(field.name);
    const std::string after(behind == kAfter.end() ? std::string_view() : behind->second);
    benign.spec(spec_with(field.name, std::string(field.before) + "Benign" + after));
    std::size_t here = 0;
    json.begin_object().field("field", field.name);
    write_files(json, "benign", benign);
    json.array("cases");
    for (const std::string& text : kHostile) {
      ++all;
      test::Compiled hostile;
      hostile.spec(spec_with(field.name, field.before + text + after));
      if (hostile.findings.count(Severity::error)) continue;
      // slurmdbd.conf takes several settings in a line: this is one more, and no value of the first
      if (field.name == std::string_view("slurmdbd.conf") && text == "a b=c") continue;
      // a release of the driver by its first digits, for which other frameworks are compiled
      if (field.name == std::string_view("driver") && (text == "1e3" || text == "0x10")) continue;
      ++here;
      ASSERT_FALSE(hostile.bundle.files().empty()) << field.name << ": " << text;
      ASSERT_FALSE(benign.findings.count(Severity::error))
          << field.name << ": a harmless word is refused, and " << text << " is not: " << benign.told();
      json.begin_object().field("text", text);
      write_files(json, "files", hostile, &benign);
      json.field("paths", hostile.paths().size());
      json.end_object();
    }
    json.end_array().end_object();
    taken += here;
    refused += std::string(field.name) + " " + std::to_string(here) + "; ";
  }
  json.end_array();
  const auto result = run({.argv = {"python3", "-c", std::string(kCompare)}, .input = input});
  if (result.err.find("No module named 'yaml'") != std::string::npos) CLUSTERC_MISSING("python3-yaml is not installed");
  EXPECT_TRUE(result.ok()) << result.reason << result.err;
  EXPECT_TRUE(result.out.starts_with("compared ")) << result.out;
  EXPECT_GT(taken, all / 20) << "hardly anything was compared: " << refused;
}

}  // namespace
}  // namespace clusterc
