#!/usr/bin/env bash
# output ansible: apt of Debian 12 in a copy of this system without lists of packages, as images of clouds are: the first package that a play installs has them read; 1 negative test
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3 dpkg-deb
export LC_ALL=C.UTF-8 HOME=$work
compile_spec plays
need_debian_12
need_play_system -n
cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 system=$2/system root=$2/system/root
play_system "$system" || exit 9
mkdir -p "$root/root/tree" "$root/srv/repo" "$work/planted/DEBIAN" && cp -r "$work/plays/." "$root/root/tree/"
printf 'Package: planted\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: nothing\n' > "$work/planted/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/planted" "$root/srv/repo/planted.deb" > /dev/null || exit 9
(cat "$work/planted/DEBIAN/control"; echo "Filename: ./planted.deb"; echo "Size: $(stat -c %s "$root/srv/repo/planted.deb")"; echo "SHA256: $(sha256sum < "$root/srv/repo/planted.deb" | cut -d' ' -f1)") > "$root/srv/repo/Packages"
rm -rf "$root"/var/lib/apt/lists/* "$root"/etc/apt/sources.list.d/* && echo 'deb [trusted=yes] file:/srv/repo ./' > "$root/etc/apt/sources.list"
touch -d '2 days ago' "$root/var/lib/apt/lists"; rm -f "$root/var/lib/apt/periodic/update-success-stamp"
printf -- '---\n- name: Install it\n  ansible.builtin.package:\n    name: planted\n    state: present\n' > "$root/root/tree/ansible/roles/limits/tasks/main.yml"
cp "$root/root/tree/ansible/site.yml" "$work/site.yml"
sed -i '/cache_valid_time/s/: .*/: 0/' "$root/root/tree/ansible/site.yml"   # the broken twin
play "$system" --limit one --tags base,limits > "$work/twin" 2>&1 && fail "the package is found without lists"
grep -q 'No package matching' "$work/twin" || { tail -5 "$work/twin" >&2; fail "it fails for another reason"; }
cp "$work/site.yml" "$root/root/tree/ansible/site.yml"
play "$system" --limit one --tags base,limits > "$work/run" 2>&1 || { tail -20 "$work/run" >&2; fail "the run"; }
chroot "$root" dpkg-query -W planted > "$work/has" || fail "the package is not there"
echo "ok: installed: $(tr '\t' ' ' < "$work/has")"
SCRIPT
unshare -m -u -p -n -f --propagation private bash "$work/for-real" "$src" "$work"
