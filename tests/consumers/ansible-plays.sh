#!/usr/bin/env bash
# output ansible: ansible-lint 6.13 at its production profile and ansible-playbook --syntax-check 2.14 (Debian 12): the plays of every example, no finding, no warning; 2 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-lint ansible-playbook python3
export LC_ALL=C.UTF-8 HOME=$work ANSIBLE_LOCAL_TEMP=$work/tmp ANSIBLE_HOME=$work/home ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED=1

# ---- what they look like: every example, and machines with every role
trees_with ansible
for name in plays plays-gpu; do
  "$bin" compile "$src/tests/consumers/specs/$name.yaml" -o "$work/$name" > "$work/$name.log" 2>&1 || { cat "$work/$name.log" >&2; fail "clusterc compile $name.yaml"; }
done
compile_case networkd
compile_case ansible
compile_case syslog-ng
compile_case mirror
compile_case nfs-failover
cd "$work" || exit 1
sites=
for name in $trees plays plays-gpu case-networkd case-ansible case-syslog-ng case-mirror case-nfs-failover; do sites="$sites $name/ansible/site.yml"; if [ -e "$name/ansible/update.yml" ]; then sites="$sites $name/ansible/update.yml"; fi; done
lint() { ansible-lint --offline --profile production --nocolor "$@" > "$work/lint" 2>&1; }
lint $sites || { tail -40 "$work/lint" >&2; fail "ansible-lint finds something"; }
grep -q '^Passed with production profile: 0 failure(s), 0 warning(s)' "$work/lint" || { tail -5 "$work/lint" >&2; fail "ansible-lint did not say that all is well"; }
say "ansible-lint: $(grep ^Passed "$work/lint") ($(wc -w <<< "$sites") plays)"
# every role is one that some spec of these uses: none is left unlinted
equal "roles that nobody plays" "$(cd "$src/templates/ansible/roles" && for r in *; do grep -q "role: $r\$" $(printf "$work/%s " $sites) || printf '%s ' "$r"; done)" ""
for name in superpod campus nvl72 plays; do   # with their own settings and inventory; ansible-lint did the same without
  (cd "$name/ansible" && ansible-playbook --syntax-check site.yml $(ls update.yml 2> /dev/null) > "$work/syntax" 2>&1) || { cat "$work/syntax" >&2; fail "$name: ansible-playbook refuses the plays"; }
  grep -q WARNING "$work/syntax" && { cat "$work/syntax" >&2; fail "$name: ansible-playbook warns of the plays"; }
done
say "ansible-playbook --syntax-check takes them without a warning"
# Broken twins: a task without a name and a short module name (lint), a module's misspelt argument and a task of no module (Ansible)
rm -rf twin && cp -r plays/ansible twin && sed -i '0,/- name: Install chrony/s//- name: install chrony/; s/ansible.builtin.package/package/' twin/roles/chrony/tasks/main.yml
lint twin/site.yml && fail "ansible-lint takes a short module name"
grep -q 'fqcn' lint && grep -q 'name\[casing\]' lint || { cat lint >&2; fail "ansible-lint finds something else in the twin"; }
rm -rf twin && cp -r plays/ansible twin && sed -i 's/ansible.builtin.package:/ansible.builtin.pakage:/' twin/roles/chrony/tasks/main.yml
(cd twin && ansible-playbook --syntax-check site.yml > "$work/syntax" 2>&1) && fail "ansible-playbook takes a module that does not exist"
say "refused: $(grep -m1 ERROR "$work/syntax")"
