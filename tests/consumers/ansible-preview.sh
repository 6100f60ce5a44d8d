#!/usr/bin/env bash
# output ansible: ansible-playbook 2.14 (Debian 12) in a copy of a Debian 12 system, for machines that stand: site.yml first shows what it would change, changes nothing where check mode fails, and keeps the file that it replaces; check mode has the options that were typed; 3 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3
export LC_ALL=C.UTF-8 HOME=$work
mkdir -p "$work/spec" && cat > "$work/spec/devices.csv" <<'END'
name,port,address,switch
one,eth0,10.77.0.41,sw1
END
cat > "$work/spec/spec.yaml" <<'END'
clusterc: 1
rules: 2026.11
name: stands
inventory: devices.csv
site: { kind: cloud, provider: local }
nodes: { box: { names: one, virtual_machine: { cpus: 2, memory: 4 GiB }, roles: [scheduler, compute] } }
networks: { lan: { kind: ethernet, rate: 10 Gb/s, subnet: 10.77.0.0/24, carries: [compute, inband], connects: { box: 1 } } }
software: { os: debian-12 }
outputs: { ansible: { extra: { inventory.yaml: [ "ansible_connection: local" ] } } }
END
"$bin" compile "$work/spec/spec.yaml" -o "$work/tree" > "$work/compile.log" 2>&1 || { cat "$work/compile.log" >&2; fail "clusterc compile"; }
sed '/^inventory:/d' "$work/spec/spec.yaml" > "$work/spec/new.yaml"
"$bin" compile "$work/spec/new.yaml" -o "$work/new" > "$work/new.log" 2>&1 || fail "clusterc compile of a new cluster"
grep -q 'Show what would be changed' "$work/new/ansible/site.yml" && fail "a new cluster has a preview"
(cd "$work/tree/ansible" && ansible-playbook --syntax-check site.yml) > "$work/syntax" 2>&1 || { cat "$work/syntax" >&2; fail "syntax"; }
need_play_system
need_debian_12
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" && cp -r "$work/tree/." "$root/root/tree/"
echo "10.0.0.9 somebody" > "$root/etc/hosts" && cp "$root/etc/hosts" "$work/before"
at_end() { sed -n '/Show what would be changed\]/,$p' "$1"; }
# Broken twin: an operating system that the spec does not have. Check mode fails, and nothing is changed.
sed -i 's/^cluster_distribution_version: .*/cluster_distribution_version: "11"/' "$root/root/tree/ansible/group_vars/group_box.yaml"
play "$system" --tags base < /dev/null > "$work/refused" 2>&1 && fail "goes on where check mode fails"
cmp -s "$work/before" "$root/etc/hosts" || fail "something was changed where check mode failed"
grep -q 'The spec has debian-12 here' "$work/refused" || { tail -5 "$work/refused" >&2; fail "refused for another reason"; }
echo "ok: where check mode fails, nothing is changed"
# What was typed is what is played in check mode, from the folder where it was typed
echo 'cluster_distribution_version: "12"' > "$root/root/tree/ansible/typed.yml"
play "$system" --tags base -e @typed.yml --become-password-file typed.yml < /dev/null > "$work/typed" 2>&1 || { tail -20 "$work/typed" >&2; fail "the preview has no -e"; }
cp "$work/before" "$root/etc/hosts" && rm "$root"/etc/hosts.*~
(export -f play; echo secret | setsid -w bash -c 'play "$0" --tags base -bK' "$system") > "$work/asks" 2>&1 && fail "the preview has a password that it cannot have"
tr -s ' \n' ' ' < "$work/asks" | grep -q 'cannot ask for a password again (-bK). Write --become-password-file' || { tail -5 "$work/asks" >&2; fail "nothing is said of the password"; }
echo "ok: the preview has the options that were typed, and says what it cannot ask"
sed -i 's/^cluster_distribution_version: .*/cluster_distribution_version: "12"/' "$root/root/tree/ansible/group_vars/group_box.yaml"
play "$system" --limit one --tags base < /dev/null > "$work/run" 2>&1 || { tail -20 "$work/run" >&2; fail "the run"; }
at_end "$work/run" | grep -qF -- '-10.0.0.9 somebody' && at_end "$work/run" | grep -qF '+10.77.0.41 one' || { cat "$work/run" >&2; fail "the preview does not show the hosts file"; }
shown=$(grep -nF -- '-10.0.0.9 somebody' "$work/run" | head -1 | cut -d: -f1) changed=$(grep -n 'Know everybody' "$work/run" | tail -1 | cut -d: -f1)
[ "$shown" -lt "$changed" ] || fail "the file was replaced before it was shown"
cmp "$work/tree/hosts/hosts" "$root/etc/hosts" || fail "the hosts file was not written"
equal "the file that it replaced" "$(cat "$root"/etc/hosts.*~)" "10.0.0.9 somebody"
play "$system" --limit one --tags base -e cluster_preview=false > "$work/plain" 2>&1 || { tail -20 "$work/plain" >&2; fail "without the preview"; }
grep -q '"cluster_preview_shown.stdout_lines"' "$work/plain" && fail "-e cluster_preview=false shows it"
grep -qE 'changed=0 .*failed=0' "$work/plain" || fail "a second run changes something"
echo "ok: a second run: $(grep -o 'ok=.*failed=0' "$work/plain")"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work"
