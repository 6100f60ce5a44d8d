#include "rules/other_findings.h"

#include <algorithm>

namespace clusterc {
namespace {

// By name. tests/finding_names.py walks the sources: none that can be printed is missing here, and none here that cannot.
constexpr OtherFinding kOthers[] = {
    {"ansible-groups-collide", "two node groups have names that Ansible, which takes letters, digits and '_' only, would call the same"},
    {"ansible-identity-malformed", "a text of `identity` that sssd.conf cannot hold: it has a line end, or a blank at an end"},
    {"ansible-kernel-argument-malformed", "a kernel argument that is not one word, or has quotes or signs of a shell"},
    {"ansible-os-unsupported", "an operating system for which no repositories of GPU software are known: the plays install none"},
    {"ansible-release-malformed", "a release of a package that holds other signs than a release has"},
    {"baseline-entry-unmet", "the baseline sets a finding aside that is not found any more: the entry can go"},
    {"dns-no-server", "the cluster has a domain, and no node that could answer for it"},
    {"enroot-scratch-not-plain", "the scratch of a group is mounted at a path that enroot.conf cannot hold"},
    {"hosts-name-twice", "two machines would have the same name in hosts and DNS"},
    {"install-drives-alike", "two entries of drives of the same size and kind: the installer cannot tell them apart, and erases none"},
    {"install-drives-unsaid", "no entry of the drives is called boot: a node with several disks is not installed"},
    {"inventory-malformed", "the inventory is no CSV with the columns that it needs"},
    {"inventory-row-twice", "a port of a device stands in two rows of the inventory"},
    {"inventory-serial-twice", "two devices of the inventory have the same serial number"},
    {"inventory-unknown-device", "a row of the inventory names a device that the cluster does not have: what it says goes into no file"},
    {"inventory-unknown-port", "a row of the inventory names a port that the node does not have: what it says goes into no file"},
    {"inventory-value", "a cell of the inventory is not what its column holds: a MAC address, a GUID"},
    {"inventory-value-twice", "two devices of the inventory have the same MAC address or GUID"},
    {"kea-without-macs", "more machines without a MAC than Kea starts with in seconds"},
    {"netplan-interface-name-too-long", "an interface whose name is longer than the 15 characters that Linux takes"},
    {"network-names-unmade", "ports whose MAC addresses no row of the inventory has: the image has to give them the names that their network configuration has"},
    {"nfs-no-clients", "an NFS server exports to nobody: no node that mounts it shares a network with it"},
    {"opensm-guids-incomplete", "the inventory has the GUIDs of some devices and not of others: partitions cannot name them all"},
    {"opensm-routing-unknown", "a routing engine that OpenSM does not have"},
    {"opensm-value-unwritable", "a text of the spec that opensm.conf cannot hold"},
    {"output-address-missing", "a network has a subnet and no addresses to give: its machines do not fit"},
    {"output-extra-contradicts-spec", "an extra line says again what follows from the spec"},
    {"output-extra-malformed", "an extra line that the program which reads the file would not take"},
    {"output-extra-unknown-file", "extra lines for a file that the output does not have"},
    {"output-extra-unused", "extra lines for an output that is not compiled"},
    {"output-nodes-left-out", "nodes that a list of machines leaves out, as their MAC is not known"},
    {"slurm-account-name", "a team or a user whose name is no account's name"},
    {"slurm-accounting-nodes", "nodes of accounting that slurmdbd cannot run on: too many, or each with a database of its own"},
    {"slurm-controller-missing", "no node runs the Slurm controller"},
    {"slurm-controller-unknown", "a controller that is none of the cluster's nodes"},
    {"slurm-limits-without-teams", "limits count the jobs of a user in a team, and there are no teams"},
    {"slurm-node-facts-missing", "cores or memory of a node group are not known, and slurm.conf needs them"},
    {"slurm-node-in-no-block", "nodes outside of every NVLink domain, with block topology: jobs are never placed there together"},
    {"slurm-pyxis-unbuilt", "the spec names Pyxis, which nobody packs for each release of Slurm: nothing compiled installs it"},
    {"slurm-quota-unused", "a quota on nodes that Slurm does not hand out"},
    {"slurm-state-not-shared", "two controllers without a shared file system for their state: the second cannot take over"},
    {"slurm-topology-without-domains", "block topology, and no NVLink domain that spans nodes"},
    {"slurm-value-unwritable", "a text of the spec that Slurm's files cannot hold"},
    {"slurm-version-unsupported", "a release of Slurm that does not read what is written for it"},
    {"slurm-version-untried", "a release of Slurm newer than those that the files were tried with"},
    {"spec-acceptance-expired", "an accepted finding whose day is over"},
    {"spec-acceptance-unused", "a finding is accepted that is not found there"},
    {"spec-alias-loop", "a YAML alias inside what it names"},
    {"spec-bad-address", "a text that is no IPv4 address"},
    {"spec-bad-indentation", "YAML: a line that stands deeper or less deep than its neighbours"},
    {"spec-bad-name", "a name with other signs than names have where it stands"},
    {"spec-bad-path", "a path that does not stay in the folder of the spec"},
    {"spec-bad-pattern", "a name pattern that cannot be read: \"gpu[001-127]\" is one"},
    {"spec-bad-prefix", "a subnet that cannot be read: 10.10.0.0/16 is one"},
    {"spec-bracket-not-closed", "YAML: a bracket that nothing closes, or that closes nothing"},
    {"spec-control-character", "an invisible character in the text"},
    {"spec-count-mismatch", "two places of the spec that count the same, and differ"},
    {"spec-currency-differs", "a price in another currency than the sums, and no rate of exchange"},
    {"spec-duplicate-key", "a key that stands twice in one mapping"},
    {"spec-duplicate-name", "a name that two things have"},
    {"spec-duplicate-part", "a part that is written twice among your own"},
    {"spec-electricity-dear", "a price of electricity that nobody pays"},
    {"spec-empty", "a file without a document"},
    {"spec-empty-item", "YAML: nothing between two commas"},
    {"spec-everything-and-more", "a network that connects everything, and names groups beside it"},
    {"spec-everything-twice", "two networks that connect every management port"},
    {"spec-feed-contradicts-panel", "a PDU that names another feed than the panel that it hangs on"},
    {"spec-file-unreadable", "a file that cannot be read"},
    {"spec-gateway-outside-subnet", "a gateway that is not in the subnet of its network"},
    {"spec-key-not-text", "YAML: a key that is no plain text"},
    {"spec-merge-not-mapping", "YAML: '<<' with something that is no mapping"},
    {"spec-missing-blank", "YAML: no blank behind a ':'"},
    {"spec-missing-choice", "a choice among several that only you can make"},
    {"spec-missing-comma", "YAML: no ',' between two entries"},
    {"spec-missing-key", "a key that must be there and is not"},
    {"spec-missing-unit", "a number without its unit"},
    {"spec-more-findings", "so many findings that the rest is counted only"},
    {"spec-mounted-twice", "two file systems at one path: one hides the other"},
    {"spec-nested-too-deep", "nested deeper than anything that people write"},
    {"spec-network-shares-in-a-chain", "a network that shares the switches of one that shares them itself"},
    {"spec-newer-language", "a spec in a language that this program is too old for"},
    {"spec-no-fitting-port", "a group that has no adapter for the kind of a network"},
    {"spec-no-such-place", "a socket or a slot that the server does not have, or a socket without its processor"},
    {"spec-no-threshold", "a threshold for a rule that has none"},
    {"spec-node-machine-missing", "a node group that does not say what its nodes are"},
    {"spec-node-machine-twice", "a node group that says in two ways what its nodes are"},
    {"spec-not-enough-ports", "more ports are asked for than there are"},
    {"spec-not-used-yet", "a key that is read and changes nothing so far"},
    {"spec-not-utf8", "a text that is not UTF-8"},
    {"spec-option", "an option of the command line that changes a value the spec cannot have"},
    {"spec-out-of-range", "a number outside of what it may be"},
    {"spec-part-like-itself", "a part that is like itself"},
    {"spec-part-misplaced", "a file of the catalogue in another place than it says"},
    {"spec-part-replaces-built-in", "a part of yours with the name of a built-in one, which it replaces"},
    {"spec-path-outside", "a file that lies outside of the folder of the spec"},
    {"spec-physics-accepted", "a finding is accepted that is against physics or the rating of a part"},
    {"spec-place-taken", "one device in two slots, or two devices in one"},
    {"spec-planes-not-reached", "a member with fewer ports than the network has planes"},
    {"spec-port-used-twice", "one port in two networks that do not share switches"},
    {"spec-public-subnet", "a subnet of addresses that the internet routes"},
    {"spec-quote-not-closed", "YAML: a quote that is not closed"},
    {"spec-second-document", "YAML: a second document in the file"},
    {"spec-secret-reference", "a secret with no reference, or more than one"},
    {"spec-secret-written", "a secret that is written into the spec"},
    {"spec-severity-lowered", "a severity below that of the rule"},
    {"spec-shares-above-whole", "shares of teams that add up to more than the cluster"},
    {"spec-storage-servers-twice", "servers of a storage system that are named in two ways"},
    {"spec-tab-in-indentation", "YAML: a tab in front of a line"},
    {"spec-too-large", "more than the reader takes: length, depth, number of entries"},
    {"spec-unheard-release", "a release that was never published"},
    {"spec-unknown-alias", "YAML: an alias without an anchor above it"},
    {"spec-unknown-device", "a slot holds a device that the group does not have"},
    {"spec-unknown-key", "a key that nothing reads; a finding names the nearest that is read"},
    {"spec-unknown-name", "a name that nothing in the spec has"},
    {"spec-unknown-part", "a part that the catalogue does not have"},
    {"spec-unknown-rule", "a rule that the rule book does not have"},
    {"spec-unknown-tag", "YAML: a tag that means nothing here"},
    {"spec-unknown-value", "a word that is none of those possible here"},
    {"spec-wrong-type", "a list, a mapping or a text where another of them belongs"},
    {"spec-wrong-unit", "a unit of another quantity"},
    {"spec-yaml-syntax", "a text that is no YAML"},
    {"spec-zone-kind", "a zone for another kind of cooling than is asked of it"},
    {"storage-drives-unsaid", "the spec does not say on which drives a file system of the nodes' own lies: none is made, and no health check asks for it"},
    {"storage-homes-unmade", "homes on an NFS file system of users who come from a directory: their first login cannot make one there, and nobody else does"},
    {"storage-not-mounted", "a file system that nothing compiled mounts on some node: it has a client of its own, or no network with a subnet joins the two"},
    {"storage-takeover-unmade", "several nodes serve an NFS file system: it is mounted from the first, and nothing compiled lets the others take over"},
    {"warewulf-second-address", "a port with several addresses, of which Warewulf's files hold the first"},
};

}  // namespace

std::string OtherFinding::source() const {
  const std::string_view family = name.substr(0, name.find('-'));
  if (family == "spec") return "the reader of specs";
  if (family == "inventory") return "the reader of the inventory";
  if (family == "baseline") return "`check --baseline`";
  if (family == "output") return "the outputs that `compile` makes";
  if (family == "install") return "the outputs that install nodes";
  if (family == "netplan") return "the outputs that configure the network of nodes";
  return "the output '" + std::string(family == "enroot" ? "containers" : family) + "'";
}

std::span<const OtherFinding> other_findings() { return kOthers; }

const OtherFinding* find_other_finding(std::string_view name) {
  const auto at = std::ranges::lower_bound(kOthers, name, {}, &OtherFinding::name);
  return at != std::end(kOthers) && at->name == name ? at : nullptr;
}

}  // namespace clusterc
