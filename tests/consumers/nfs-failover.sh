#!/usr/bin/env bash
# tested nfs: Corosync 3.1, Pacemaker 2.1, mdadm 4.2
# output nfs: two servers that fail over: Corosync 3.1, crm_verify and crm_simulate of Pacemaker 2.1, mdadm 4.2 (Debian 12): corosync reads members and links on each server; crm_verify takes the resources, and crm_simulate starts them in order on one server, and after the loss of this server fences it before anything starts on the other one; nothing starts without fencing; mdadm reads the array; clients mount the address; prepare-drives leaves drives with data alone, and takes back what it could not finish; load-cib with cibadmin on a file; 24 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need python3 corosync crm_verify crm_simulate cibadmin crm_attribute crm_resource mdadm unshare ip wipefs mkfs.xfs shellcheck
unshare -mun true 2> "$work/unshare.log" || cannot "no namespaces here ($(head -1 "$work/unshare.log"))"
compile_case nfs-failover
files=$out/nfs/home
head -c 256 /dev/zero > "$work/authkey" # corosync-keygen makes it on a server

# members SERVER FILE: corosync -t reads a file on this server, and ends
members() {
  unshare -un bash -c '
    hostname "$1" && ip link set lo up || exit 99
    for address in $3; do ip address add "$address/24" dev lo || exit 99; done
    corosync -t -f -c "$2"' sh "$1" "$2" "$(grep -A9 "name: $1\$" "$files/corosync.conf" | sed '/}/q' | sed -n 's/.*ring._addr: //p' | tr '\n' ' ')" > "$work/said" 2>&1
}
sed "s|^totem {|&\n    keyfile: $work/authkey|; s/to_stderr: no/to_stderr: yes/" "$files/corosync.conf" > "$work/corosync.conf"
for server in nfs1 nfs2; do members $server "$work/corosync.conf" || { cat "$work/said" >&2; fail "corosync of $server refuses corosync.conf"; }; done
equal "links between the servers" "$(grep -c 'ring._addr' "$files/corosync.conf")" 4
for broken in 's/transport: knet/transport: knott/' 's/crypto_cipher: aes256/crypto_cipher: aes257/' 's/nodeid: 2/nodeid: 1/' 's/link_mode: passive/link_mode: passiv/'; do
  sed "$broken" "$work/corosync.conf" > "$work/broken.conf"
  cmp -s "$work/broken.conf" "$work/corosync.conf" && fail "the twin $broken is not broken"
  if members nfs1 "$work/broken.conf"; then fail "corosync takes $broken"; fi
  say "refused: $(grep -m1 -oE '(parser error|parse error|Invalid|Nodeid).*' "$work/said" | sed "s|$work/||")"
done

# The schema, of a cluster whose two servers are there
verified() { crm_verify --xml-file="$1" -V > "$work/said" 2>&1; }
state() { echo "<node_state id=\"$1\" uname=\"nfs$1\" crmd=\"online\" join=\"member\" expected=\"member\" in_ccm=\"true\"/>"; }
sed "s|<cib |&have-quorum=\"1\" |; s|<status/>|<status>$(state 1)$(state 2)</status>|" "$files/cib.xml" > "$work/cib.xml"
verified "$work/cib.xml" || { cat "$work/said" >&2; fail "crm_verify refuses cib.xml"; }
[ ! -s "$work/said" ] || { cat "$work/said" >&2; fail "crm_verify warns of cib.xml"; }
for broken in 's/<group /<troop /;s/<.group>/<\/troop>/' 's/rsc="fence-nfs1"/rsc="fence-nfs9"/' 's/id="home-files"/id="home-array"/' 's/score="-INFINITY"/score="never"/'; do
  sed "$broken" "$work/cib.xml" > "$work/broken.xml"
  cmp -s "$work/broken.xml" "$work/cib.xml" && fail "the twin $broken is not broken"
  if verified "$work/broken.xml"; then fail "crm_verify takes $broken"; fi
  say "refused: $broken"
done

# What the scheduler makes of it: both servers there; then the one that serves is lost
simulate() { crm_simulate --xml-file="$1" --simulate --save-output="$2" "${@:3}" > "$work/said" 2>&1 || { cat "$work/said" >&2; fail "crm_simulate"; }; }
order() { grep -oE "Resource action: home-[a-z]+ +(start|stop) on nfs[12]|Fencing nfs[12] \([a-z]+\)" "$work/said" | sed -E 's/Resource action: //; s/ +/ /g'; }
simulate "$work/cib.xml" "$work/first.xml"
server=$(order | sed -n 's/^home-address start on //p')
equal "start" "$(order)" "$(printf 'home-%s start on '"$server"'\n' array files server address)"
other=$(echo "nfs1 nfs2" | sed "s/$server//; s/ //")
simulate "$work/first.xml" "$work/second.xml" --node-fail="$server"
equal "after the loss of $server" "$(order)" "$(printf 'Fencing %s (reboot)\n' "$server"; printf 'home-%s start on '"$other"'\n' array files server address)"
# Without fencing nothing may start
sed '/primitive id="fence-/,/<\/primitive>/d; /rsc_location/d' "$work/cib.xml" > "$work/broken.xml"
if verified "$work/broken.xml"; then fail "crm_verify takes a pair without fencing"; fi
say "refused: $(head -1 "$work/said" | cut -c1-140)"

# mdadm reads both files: the same array, which no server assembles by itself
uuid=$(sed -n 's/^ARRAY .*UUID=//p' "$files/mdadm.conf")
equal "the array that is ignored" "$(sed -n 's/^ARRAY <ignore> UUID=//p' "$files/mdadm-ignore.conf")" "$uuid"
for file in mdadm.conf mdadm-ignore.conf; do mdadm --assemble --scan --config="$files/$file" > "$work/said" 2>&1 || true; if grep -q 'Unknown\|unrecognised\|bad uuid' "$work/said"; then cat "$work/said" >&2; fail "mdadm and $file"; fi; done
sed 's/UUID=....../UUID=/' "$files/mdadm.conf" > "$work/broken.conf"
mdadm --assemble --scan --config="$work/broken.conf" > "$work/said" 2>&1 || true
grep -q 'bad uuid' "$work/said" || { cat "$work/said" >&2; fail "mdadm takes a short UUID"; }

# Each client mounts the address that cib.xml moves, and nothing else of the pair; the exports are for its network
address=$(sed -n 's/.*home-address-attributes-ip" name="ip" value="\([0-9.]*\)".*/\1/p' "$files/cib.xml")
equal "clients mount" "$(grep -rhoE '[^" ]+:/home' "$out/cloud-init" "$out/ansible/group_vars" | sort -u)" "$address:/home"
if grep -rq "$address " "$out/hosts/hosts"; then fail "a host has the address"; fi

# prepare-drives on two drives of 7.68 TB, which are files here; mdadm and mkfs.xfs say what they were told
shellcheck "$files/prepare-drives" "$files/load-cib" "$files/fence-password" || fail "shellcheck"
mkdir -p "$work/block" "$work/dev" "$work/bin"
for disk in sda sdb; do
  at=$work/sys/end_device-0:$disk/$disk
  mkdir -p "$at/queue" "$at/holders" && ln -s "$at" "$work/block/$disk"
  echo 15000000000 > "$at/size" && echo 0 > "$at/removable" && echo 0 > "$at/queue/rotational" && truncate -s 8M "$work/dev/$disk"
done
for program in mdadm mkfs.xfs udevadm pidof; do printf '#!/bin/sh\necho "%s $*" >> "%s/told"\n[ "%s" != pidof ] && ! grep -q "^%s " "%s/fails"\n' $program "$work" $program $program "$work" > "$work/bin/$program"; chmod +x "$work/bin/$program"; done
prepare() { # SERVER
  : > "$work/told"
  rc=0
  unshare -u sh -c 'hostname "$1" && SYS_BLOCK=$2/block DEV=$2/dev PATH=$2/bin:$PATH sh "$3"' sh "$1" "$work" "$files/prepare-drives" > "$work/said" 2>&1 || rc=$?
}
refused() { # WHAT SERVER
  md5sum "$work"/dev/* > "$work/before"
  prepare "$2"
  [ $rc = 3 ] || fail "$1: ended with $rc: $(cat "$work/said")"
  md5sum "$work"/dev/* | cmp -s - "$work/before" || fail "$1: a drive was written to"
  if grep -qE 'create|^mkfs' "$work/told"; then fail "$1: $(cat "$work/told")"; fi
  say "refused: $1: $(cut -d' ' -f2- "$work/said" | sed "s|$work/||")"
}
: > "$work/fails"
refused "another server" nfs2
mkfs.ext4 -q -F "$work/dev/sdb" && refused "a file system" nfs1
truncate -s 0 "$work/dev/sdb" && truncate -s 8M "$work/dev/sdb"
mkdir "$work/block/sda/sda1" && refused "a partition" nfs1
rmdir "$work/block/sda/sda1"
prepare nfs1
[ $rc = 0 ] || fail "empty drives: $(cat "$work/said")"
equal "empty drives" "$(grep -E 'create|^mkfs|stop' "$work/told" | sed "s|$work/||g")" "mdadm --create /dev/md/home --run --quiet --metadata=1.2 --homehost=any --name=home --uuid=$uuid --bitmap=internal --level=1 --raid-devices=2 dev/sda dev/sdb
mkfs.xfs -q -L home -m uuid=$(sed -n 's|.*/dev/disk/by-uuid/\([^"]*\)".*|\1|p' "$files/cib.xml") /dev/md/home
mdadm --quiet --stop /dev/md/home"
echo "mkfs.xfs " > "$work/fails"
prepare nfs1
[ $rc != 0 ] && grep -q -- '--zero-superblock' "$work/told" || fail "an array without a file system is left: $(cat "$work/told")"
say "an array whose file system cannot be made is taken back"
: > "$work/fails"
printf '#!/bin/sh\necho "mkfs.xfs $*" >> "%s/told"\nkill -TERM $PPID\n' "$work" > "$work/bin/mkfs.xfs"
prepare nfs1
[ $rc = 143 ] && grep -q -- '--zero-superblock' "$work/told" || fail "an array without a file system is left after TERM ($rc): $(cat "$work/told")"
say "TERM while the file system is made: the array is taken back"
# What mdadm --examine says of the members of an array; 2048 sectors before their data
printf '#!/bin/sh\necho "mdadm $*" >> "%s/told"\n[ "$1" != --examine ] || printf "          Magic : a92b4efc\\n     Array UUID : %s\\n    Data Offset : 2048 sectors\\n"\n' "$work" "$(echo "$uuid" | tr a-f A-F)" > "$work/bin/mdadm"
refused "an array without a file system (power was lost)" nfs1
grep -q -- '--zero-superblock' "$work/said" || fail "it does not say what to do"
file_system=$(sed -n 's|.*/dev/disk/by-uuid/\([^"]*\)".*|\1|p' "$files/cib.xml")
truncate -s 512M "$work/xfs"
mkfs.xfs -q -m uuid=00000000-0000-4000-8000-000000000000 "$work/xfs" && dd if="$work/xfs" of="$work/dev/sdb" bs=512 seek=2048 count=1 conv=notrunc 2> /dev/null
refused "an array with another file system" nfs1
mkfs.xfs -q -f -m uuid="$file_system" "$work/xfs" && dd if="$work/xfs" of="$work/dev/sdb" bs=512 seek=2048 count=1 conv=notrunc 2> /dev/null
printf '\1' | dd of="$work/dev/sdb" bs=1 seek=$((2048 * 512 + 126)) conv=notrunc 2> /dev/null
refused "a file system that mkfs.xfs has not finished (power was lost)" nfs1
printf '\0' | dd of="$work/dev/sdb" bs=1 seek=$((2048 * 512 + 126)) conv=notrunc 2> /dev/null
prepare nfs1
[ $rc = 0 ] && [ ! -s "$work/said" ] && ! grep -qv 'mdadm --examine' "$work/told" || fail "a file system that is there: $rc $(cat "$work/said" "$work/told")"
say "an array with its file system is left alone"

# load-cib, with Pacemaker's own cibadmin and crm_attribute on a file in place of the daemon
load() { rc=0; CIB_file=$work/live.xml PATH=$work/bin:$PATH "$files/load-cib" > "$work/said" 2>&1 || rc=$?; }
members() { printf '#!/bin/sh\necho "%s "\n' "$1" > "$work/bin/crm_node" && chmod +x "$work/bin/crm_node"; }
echo '<cib validate-with="pacemaker-3.0" admin_epoch="0" epoch="1" num_updates="0"><configuration><crm_config/><nodes/><resources/><constraints/></configuration><status/></cib>' > "$work/live.xml"
cp "$work/live.xml" "$work/empty.xml"
members nfs1 && load
[ $rc = 1 ] && grep -q 'nfs2 is no member yet' "$work/said" && cmp -s "$work/live.xml" "$work/empty.xml" || fail "load-cib with one member: $rc $(cat "$work/said")"
members "nfs1 nfs2" && load
[ $rc = 0 ] && [ "$(cat "$work/said")" = loaded ] || fail "load-cib: $rc $(cat "$work/said")"
CIB_file=$work/live.xml cibadmin --query --xpath "//primitive[@id='home-files']" > /dev/null || fail "load-cib says loaded, and Pacemaker has no home-files"
cp "$work/live.xml" "$work/once.xml" && load
[ $rc = 0 ] && [ ! -s "$work/said" ] && cmp -s "$work/live.xml" "$work/once.xml" || fail "load-cib twice: $rc $(cat "$work/said")"
cp "$work/empty.xml" "$work/live.xml" && load # a server that joined had another configuration
[ $rc = 0 ] && [ "$(cat "$work/said")" = loaded ] || fail "load-cib after the configuration was lost: $rc $(cat "$work/said")"
say "load-cib loads once, and again where the configuration was lost"
sed -i '/<primitive id="fence-nfs2"/,/<\/primitive>/d; /fence-nfs2-elsewhere/d' "$work/live.xml"
if CIB_file=$work/live.xml cibadmin --query --xpath "//primitive[@id='fence-nfs2']" > /dev/null 2>&1; then fail "the configuration without fencing has it"; fi
CIB_file=$work/live.xml crm_attribute --node nfs1 --name cluster-nfs-home --query > /dev/null 2>&1 || fail "the configuration without fencing has no mark"
load # the mark is there, fencing is not
[ $rc = 0 ] && [ "$(cat "$work/said")" = loaded ] && CIB_file=$work/live.xml cibadmin --query --xpath "//primitive[@id='fence-nfs2']" > /dev/null || fail "load-cib leaves a configuration without fencing: $rc $(cat "$work/said")"
say "load-cib loads again where the mark is there and fencing is not"
# What an administrator set outlives another file
set_live() { CIB_file=$work/live.xml crm_attribute "$@" > /dev/null 2>&1 || fail "crm_attribute $*"; }
set_live --node nfs1 --name standby --update on; set_live --node nfs2 --name maintenance --update true; set_live --type crm_config --name maintenance-mode --update true
set_resource() { CIB_file=$work/live.xml crm_resource "$@" > /dev/null 2>&1 || fail "crm_resource $*"; }
set_resource --resource home-nfs --meta --set-parameter target-role --parameter-value Stopped
set_resource --resource home-files --meta --set-parameter is-managed --parameter-value false --force
set_resource --resource home-nfs --ban --node nfs2
set_live --node nfs1 --name "$(sed -n 's/^mark=//p' "$files/load-cib")" --update another
load
[ $rc = 0 ] && [ "$(cat "$work/said")" = loaded ] || fail "load-cib of another file: $rc $(cat "$work/said")"
set_of() { CIB_file=$work/live.xml crm_attribute "$@" --query --quiet 2> /dev/null; }
equal "what the administrator set" "$(set_of --node nfs1 --name standby) $(set_of --node nfs2 --name maintenance) $(set_of --type crm_config --name maintenance-mode)" "on true true"
resource_has() { CIB_file=$work/live.xml cibadmin --query --xpath "$1" 2> /dev/null | sed -n 's/.* value="\([^"]*\)".*/\1/p'; }
equal "what the administrator set for resources" "$(resource_has "//group[@id='home-nfs']/meta_attributes/nvpair[@name='target-role']") $(resource_has "//primitive[@id='home-files']/meta_attributes/nvpair[@name='is-managed']") $(resource_has "//group[@id='home-nfs']/meta_attributes/nvpair[@name='is-managed']")" "Stopped false "
CIB_file=$work/live.xml cibadmin --query --xpath "//rsc_location[@id='cli-ban-home-nfs-on-nfs2'][@node='nfs2'][@score='-INFINITY']" > /dev/null 2>&1 || fail "the ban of an administrator is lost"
say "what an administrator set outlives another file: servers, the cluster, resources, bans"
printf '#!/bin/sh\nexit 0\n' > "$work/bin/cibadmin" && chmod +x "$work/bin/cibadmin" && cp "$work/empty.xml" "$work/live.xml"
printf '#!/bin/sh\nexit 0\n' > "$work/bin/crm_attribute" && chmod +x "$work/bin/crm_attribute" && load
[ $rc = 1 ] || fail "load-cib says loaded, and nothing was"
rm "$work/bin/cibadmin" "$work/bin/crm_attribute"
say "refused: $(cat "$work/said")"

# The password of the BMCs' account
sed "s|^file=.*|file=$work/password|" "$files/fence-password" > "$work/fence-password"
password() { sh "$work/fence-password" 2> "$work/said"; }
if password; then fail "fence-password without a file"; fi
echo "of the test" > "$work/password"
for mode in 0644 0640 0602; do
  chmod $mode "$work/password"
  if password > "$work/printed" || [ -s "$work/printed" ]; then fail "fence-password prints a file of mode $mode"; fi
  say "refused: mode $mode"
done
chmod 0600 "$work/password" && equal "the password" "$(password)" "of the test"
chown 65534 "$work/password"
if password; then fail "fence-password prints a file of another user"; fi
say "refused: $(sed "s|$work/||g" "$work/said")"
equal "the agent's script" "$(grep -c 'name="password_script" value="/etc/cluster-nfs/fence-password"' "$files/cib.xml")" 2

# The play's command for the key of Corosync: half a key is none, which the next run would take for the key
python3 -c 'import sys, yaml; print(next(t for t in yaml.safe_load(open(sys.argv[1])) if t["name"] == "Make the key of Corosync")["ansible.builtin.shell"]["cmd"])' "$out/ansible/roles/nfs_failover/tasks/cluster.yml" |
  sed "s|/etc/corosync|$work/corosync|g" > "$work/make-key"
mkdir "$work/corosync" && printf '#!/bin/sh\nhead -c 20\nexit 1\n' > "$work/bin/base64" && chmod +x "$work/bin/base64"
if PATH=$work/bin:$PATH bash "$work/make-key" || [ -e "$work/corosync/authkey" ]; then fail "half a key is left: $(ls -l "$work/corosync")"; fi
bash "$work/make-key" && equal "the key of Corosync" "$(stat -c '%a %s' "$work/corosync/authkey")" "400 256"
# Whose key is taken: of nobody, of the one that has one, of two that are the same; two that differ are refused
if command -v ansible-playbook > /dev/null; then
  cat > "$work/keys.yml" <<'END'
- name: Whose key it is
  hosts: nfs1
  gather_facts: false
  vars: { cluster_nfs_failover: { first: nfs1 } }
  tasks:
    - name: Read what follows
      ansible.builtin.include_vars: { file: "{{ role }}/vars/main.yml" }
    - name: Say it
      ansible.builtin.debug:
        msg: "keeper {{ nfs_failover_keeper }}, {{ nfs_failover_keys | map(attribute='content') | unique | length }}"
END
  keeper() { (cd "$out/ansible" && LC_ALL=C.UTF-8 ansible-playbook --connection local "$work/keys.yml" -e "role=$out/ansible/roles/nfs_failover" -e "{\"nfs_failover_found\": {\"results\": $1}}") > "$work/keeper" 2>&1 || cat "$work/keeper" >&2; grep -o 'keeper [^"]*' "$work/keeper"; }
  equal "no server has a key" "$(keeper '[{"nfs_failover_server": "nfs1"}, {"nfs_failover_server": "nfs2"}]')" "keeper nfs1, 0"
  equal "nfs1 was installed again" "$(keeper '[{"nfs_failover_server": "nfs1"}, {"nfs_failover_server": "nfs2", "content": "eA=="}]')" "keeper nfs2, 1"
  equal "two keys" "$(keeper '[{"nfs_failover_server": "nfs1", "content": "eQ=="}, {"nfs_failover_server": "nfs2", "content": "eA=="}]')" "keeper nfs1, 2"
fi
