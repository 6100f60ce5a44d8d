#!/usr/bin/env bash
# tested ipxe: a reader of the documented commands; no boot ROM
# output ipxe: dnsmasq 2.90 and kea-dhcp4 2.2 (Debian 12) over a wire in network namespaces: firmware of BIOS, UEFI and Arm gets its loader, iPXE the script of its group, who has none no script; only boot ROMs read the scripts themselves: a reader of iPXE's commands, every compiled file that a script names is there, for the golden case and every example that calls for them; 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
lib=$(dirname "$0")/lib
. "$lib/install.bash"
need dnsmasq kea-dhcp4 python3 unshare ip
unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"

# reads FILE: commands that iPXE has (https://ipxe.org/cmd), labels that are there, variables that DHCP or the machine gives, a kernel and an initial file
# system before `boot`, and nothing erased that nobody asked for: the default of the menu leaves for the disk
reads() {
  python3 - "$1" > "$work/read.log" 2>&1 <<'PY'
import re, sys
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
assert lines[0] == "#!ipxe", "the first line is not #!ipxe"
commands = {"imgfetch", "imgfree", "menu", "item", "choose", "goto", "exit", "kernel", "initrd", "boot"}
labels = [l[1:] for l in lines if l.startswith(":")]
assert len(labels) == len(set(labels)), "a label stands twice"
items, targets, order, default = [], [], [], None
for line in lines[1:]:
    if not line.strip() or line[0] in "#:":
        continue
    for part in re.split(r"\s*(?:&&|\|\|)\s*", line):
        words = part.split()
        if not words:
            continue
        assert words[0] in commands, f"no command '{words[0]}'"
        order.append(words[0])
        if words[0] == "goto":
            targets.append(words[1])
        if words[0] == "item":
            items.append(words[1])
        if words[0] == "choose":
            default = words[words.index("--default") + 1]
for variable in re.findall(r"\$\{([^}]*)\}", "\n".join(lines[1:])):
    assert variable in ("hostname", "chosen", "netX/mac:hexhyp"), f"nothing sets ${{{variable}}}"
for label in items + [t for t in targets if not t.startswith("${")]:
    assert label in labels, f"no label '{label}'"
assert default == "local" and lines[lines.index(":local") + 1] == "exit", "the default does not leave for the disk"
assert order[-4:] == ["imgfree", "kernel", "initrd", "boot"], order[-4:]
PY
}
compile_case ipxe
golden=$out
compile_case preseed
dns=$out
trees_with ipxe,preseed,autoinstall,kickstart,cloud-init
for tree in $trees case-ipxe; do
  for file in "$work/$tree"/ipxe/*.ipxe; do reads "$file" || { cat "$work/read.log" >&2; fail "$file is refused"; }; done
  named "$work/$tree" "$work/$tree"/ipxe/*.ipxe
done

# on_wire SERVER-COMMAND...: a client asks the server that the command starts, in namespaces of their own; $@ of the client in $ask
on_wire() {
  ask=$ask at=${at:-} work=$work lib=$lib unshare -nm bash -c '
    mount -t tmpfs tmpfs /var/lib && mkdir /var/lib/kea && mount -t tmpfs tmpfs /run && ip link set lo up
    unshare -n sleep 30 & peer=$!
    for _ in $(seq 50); do [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ] && break; sleep 0.02; done
    ip link add va type veth peer name vb netns $peer && ip addr add ${at:-10.1.0.65}/24 dev va && ip link set va up
    nsenter --net=/proc/$peer/ns/net ip link set vb up
    rm -f "$work/run.log"
    KEA_PIDFILE_DIR=$work KEA_LOCKFILE_DIR=none "$@" > "$work/run.log" 2>&1 & server=$!
    for _ in $(seq 100); do grep -q "DHCP4_STARTED\|read .*dhcp-hosts" "$work/run.log" 2>/dev/null && break; kill -0 $server 2>/dev/null || break; sleep 0.1; done
    # shellcheck disable=SC2086
    nsenter --net=/proc/$peer/ns/net python3 "$lib/dhcp_ask.py" vb $ask
    kill $server $peer; wait 2>/dev/null' on_wire "$@" 2>> "$work/ask.err"
}
mkdir "$work/etc" && cp "$dns/dnsmasq/dhcp-hosts" "$dns/hosts/hosts" "$work/etc" && sed "s|/etc/dnsmasq.cluster/|$work/etc/|" "$dns/dnsmasq/dnsmasq.conf" > "$work/etc/dnsmasq.conf"
by_dnsmasq() { ask=$*; on_wire dnsmasq -k -C "$work/etc/dnsmasq.conf" --user=root --pid-file= --log-facility=- --port=0 --dhcp-leasefile="$work/leases"; }
by_kea() { ask=$*; on_wire kea-dhcp4 -c "$conf"; }
conf=$golden/kea/kea-dhcp4.conf
for server in by_dnsmasq by_kea; do
  equal "$server: BIOS of n1" "$($server 94:6d:ae:00:00:02 --arch 0)" "10.1.0.17 router 10.1.0.1 boot undionly.kpxe from 10.1.0.65"
  equal "$server: UEFI of n1" "$($server 94:6d:ae:00:00:02 --arch 7)" "10.1.0.17 router 10.1.0.1 boot ipxe.efi from 10.1.0.65"
  equal "$server: UEFI of n1 on Arm" "$($server 94:6d:ae:00:00:02 --arch 11)" "10.1.0.17 router 10.1.0.1 boot ipxe-arm64.efi from 10.1.0.65"
  equal "$server: iPXE of n1" "$($server 94:6d:ae:00:00:02 --arch 7 --ipxe)" "10.1.0.17 router 10.1.0.1 boot http://10.1.0.65/cluster/ipxe/cpu.ipxe from 10.1.0.65"
  equal "$server: iPXE of w1" "$($server 94:6d:ae:00:00:04 --arch 0 --ipxe)" "10.1.0.33 router 10.1.0.1 boot http://10.1.0.65/cluster/ipxe/web.ipxe from 10.1.0.65"
  equal "$server: iPXE of a stranger" "$($server 02:00:00:00:00:98 --arch 7 --ipxe)" "nothing"
done

# Two networks, in each from the server's own address there
compile_case ipxe-two-networks
conf=$work/two/kea/kea-dhcp4.conf
{ cat "$src/tests/golden/compile/ipxe-two-networks/spec.yaml"; printf 'outputs: { kea: {} }\n'; } > "$work/two.yaml" && cp "$src/tests/golden/compile/ipxe-two-networks/devices.csv" "$work"
"$bin" compile "$work/two.yaml" -o "$work/two" --only ipxe,preseed,kickstart,cloud-init,kea > "$work/two.log" 2>&1 || { cat "$work/two.log" >&2; fail "compile two networks with kea"; }
for file in "$work"/two/ipxe/*.ipxe; do reads "$file" || { cat "$work/read.log" >&2; fail "$file is refused"; }; done
named "$work/two" "$work"/two/ipxe/*.ipxe
[ ! -e "$work/two/ipxe/far.ipxe" ] || fail "f1 is installed by who is not in its network"
rm -rf "$work/etc" && mkdir "$work/etc" && cp "$out/dnsmasq/dhcp-hosts" "$work/etc" && : > "$work/etc/hosts" && sed "s|/etc/dnsmasq.cluster/|$work/etc/|" "$out/dnsmasq/dnsmasq.conf" > "$work/etc/dnsmasq.conf"
for server in by_dnsmasq by_kea; do
  at=10.1.0.49
  equal "$server: UEFI of n1, at home" "$($server 94:6d:ae:00:00:01 --arch 7)" "10.1.0.17 router 10.1.0.1 boot ipxe.efi from 10.1.0.49"
  equal "$server: iPXE of n1, at home" "$($server 94:6d:ae:00:00:01 --arch 7 --ipxe)" "10.1.0.17 router 10.1.0.1 boot http://10.1.0.49/cluster/ipxe/near.ipxe from 10.1.0.49"
  equal "$server: iPXE of b1, at home" "$($server 94:6d:ae:00:00:03 --arch 7 --ipxe)" "10.1.0.33 router 10.1.0.1 boot http://10.1.0.49/cluster/ipxe/both.ipxe from 10.1.0.49"
  at=10.2.0.49
  equal "$server: UEFI of s1, next door" "$($server 94:6d:ae:00:00:02 --arch 7)" "10.2.0.17 boot ipxe.efi from 10.2.0.49"
  equal "$server: iPXE of s1, next door" "$($server 94:6d:ae:00:00:02 --arch 7 --ipxe)" "10.2.0.17 boot http://10.2.0.49/cluster/ipxe/back.ipxe from 10.2.0.49"
  at=10.3.0.1
  equal "$server: UEFI of f1, where nobody installs" "$($server 94:6d:ae:00:00:05 --arch 7)" "nothing"
done
at=
equal "whom installers ask for packages" "$(sed -n 's/.*mirror.*hostname string *//p' "$work"/two/preseed/near.cfg "$work"/two/preseed/both.cfg | sort | uniq -c | tr -s ' ')" " 2 10.1.0.65"
grep -q 'inst.repo=http://10.2.0.65/packages/' "$work/two/ipxe/back.ipxe" || fail "s1 asks for packages where it does not reach them: $(grep -o 'inst.repo=[^ ]*' "$work/two/ipxe/back.ipxe")"
conf=$golden/kea/kea-dhcp4.conf

# Broken twins: a label that is not there, a menu that erases by default, a script that is not there; a class that Kea does not know.
refused() {   # refused WHAT SED-EXPRESSION
  sed "$2" "$golden/ipxe/cpu.ipxe" > "$work/broken.ipxe"
  cmp -s "$work/broken.ipxe" "$golden/ipxe/cpu.ipxe" && fail "the broken twin is not broken: $1"
  reads "$work/broken.ipxe" && fail "$1 is taken"
  say "refused: $(tail -1 "$work/read.log")"
}
refused "a label that is not there" 's/^:install$/:instal/'
refused "a menu that erases by default" 's/--default local/--default install/'
cp -r "$golden" "$work/broken" && rm "$work/broken/preseed/cpu.cfg"
(named "$work/broken" "$work/broken/ipxe/cpu.ipxe") 2> "$work/named.log" && fail "a file that is not there is not missed"
say "refused: $(cat "$work/named.log")"
sed "s|member('group/cpu')|member('group/cpo')|" "$conf" > "$work/broken.conf"
kea-dhcp4 -t "$work/broken.conf" > "$work/test.log" 2>&1 && fail "Kea takes a class that is not there"
say "refused: $(grep -o 'expression: .*' "$work/test.log" | tail -1 | cut -c 1-140)"
