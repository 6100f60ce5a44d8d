#!/usr/bin/env bash
# tested ansible: ansible-playbook 2.14 in copies of Debian 12
# output ansible: ansible-inventory of ansible-core 2.14 (Debian 12): hosts, groups and variables of six examples, of the golden case and of extra lines counted; 1 negative test
# ansible-inventory reads the inventory of every example; hosts and groups are counted. An inventory that does not parse is only a
# warning by default, so that is made an error.
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-inventory python3
export LC_ALL=C.UTF-8   # Ansible refuses any other encoding
export ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=1 ANSIBLE_LOCAL_TEMP=$work/tmp ANSIBLE_HOME=$work/home HOME=$work

list() { ansible-inventory -i "$1" --list > "$work/list.json" 2> "$work/list.err" && { [ ! -s "$work/list.err" ] || { cat "$work/list.err" >&2; return 1; }; }; }
# hosts GROUP, var HOST NAME: from the JSON that Ansible itself prints
hosts() { python3 -c 'import json,sys
d = json.load(open(sys.argv[1])); seen = set(); todo = [sys.argv[2]]
while todo:
    g = d.get(todo.pop(), {}); seen.update(g.get("hosts", [])); todo += g.get("children", [])
print(len(seen))' "$work/list.json" "$1"; }
var() { python3 -c 'import json,sys; print(json.dumps(json.load(open(sys.argv[1]))["_meta"]["hostvars"][sys.argv[2]].get(sys.argv[3])))' "$work/list.json" "$1" "$2"; }

compile superpod
list "$out/ansible/inventory.yaml" || fail "ansible-inventory refuses superpod: $(cat "$work/list.err")"
equal "superpod: all hosts (127 + 2 heads + 2 logins + 4 fabric managers)" "$(hosts all)" 135
equal "superpod: group_gpu" "$(hosts group_gpu)" 127
equal "superpod: role_scheduler" "$(hosts role_scheduler)" 2
equal "superpod: driver of gpu127 is text" "$(var gpu127 cluster_gpu_driver)" '"580"'
for row in "lab 4" "nvl72 149" "cloud 17" "campus 59" "four-virtual 5"; do   # by hand from the examples; campus: 40 + 8 + 6 + 3 + 2
  set -- $row
  compile "$1"
  list "$out/ansible/inventory.yaml" || fail "ansible-inventory refuses $1: $(cat "$work/list.err")"
  equal "$1: all hosts" "$(hosts all)" "$2"
done
compile four-virtual
list "$out/ansible/inventory.yaml"
equal "four-virtual: OS of n4" "$(var n4 cluster_os)" '"debian-12"'

compile_case ansible   # 16 + (7 and spare) + 2 x 16 + 2 + 1 hosts
list "$out/ansible/inventory.yaml" || fail "ansible-inventory refuses the golden case: $(cat "$work/list.err")"
equal "golden case: all hosts" "$(hosts all)" 59
equal "golden case: list and range c[1,3,5-9],spare" "$(hosts group_cpu)" 8
equal "golden case: two brackets h[1-2]n[01-16]" "$(hosts group_grid)" 32
equal "golden case: role_login" "$(hosts role_login)" 3
equal "golden case: MIG of g016" "$(var g016 cluster_mig)" '"7x1g.10gb"'
compile_case extra-lines
list "$out/ansible/inventory.yaml" || fail "ansible-inventory refuses extra lines: $(cat "$work/list.err")"
equal "extra lines: user" "$(var n2 ansible_user)" '"admin"'
equal "extra lines: a list" "$(var ctl site_paths)" '["/opt", "{{ ansible_user }}"]'

# 16,384 hosts cost Ansible 16 s: only the size of the file is looked at here
compile roce-16384
[ "$(stat -c %s "$out/ansible/inventory.yaml")" -lt 4096 ] || fail "the inventory of 16,384 nodes is larger than 4 KiB: hosts are not folded"
say "16,384 nodes take $(stat -c %s "$out/ansible/inventory.yaml") bytes"

# the broken twin: a group where the mapping of hosts should be
sed 's/^\( *\)hosts:$/\1hosts: [/' "$work/superpod/ansible/inventory.yaml" > "$work/broken.yaml"
list "$work/broken.yaml" && fail "ansible-inventory accepts a broken inventory"
say "a broken inventory is refused"
