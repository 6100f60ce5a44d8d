#!/usr/bin/env bash
# output ansible: the roles containers and mpi in copies of Debian 12, from a signed mirror with packages that hold nothing: releases of the spec installed and held against upgrades, packages without a repository with their checksum, a stand-in of Pyxis built by its sources' make for the Slurm that is installed and again for another, one of Open MPI, a second run that changes nothing; apt of Debian 12 resolves the packages of the distribution by --simulate; 4 negative tests
# heavy: three plays in a copy of this system take a minute
. "$(dirname "$0")/lib/common.bash" "$@"
need ansible-playbook python3 gpg dpkg-deb gcc make shellcheck
export LC_ALL=C.UTF-8 HOME=$work
need_debian_12
need_play_system
compile_spec plays-runtimes
shellcheck "$out"/ansible/roles/containers/files/cluster-pyxis "$out"/ansible/roles/mpi/files/cluster-openmpi || fail "shellcheck"
python3 "$src/tests/consumers/lib/mirror.py" "$out"/ansible/group_vars/group_*.yaml "$work/mirror" > "$work/mirror.log" || fail "no mirror"
say "$(cat "$work/mirror.log")"

# Packages that no repository has. enroot+caps depends on enroot: their order matters.
files=$work/mirror/files
mkdir -p "$files"
deb() {   # NAME VERSION DEPENDS
  mkdir -p "$work/deb/DEBIAN" "$work/deb/usr/share/made-up" && : > "$work/deb/usr/share/made-up/$1"
  { echo "Package: $1"; echo "Version: $2"; echo "Architecture: amd64"; echo "Maintainer: a test <test@example.org>"; [ -z "$3" ] || echo "Depends: $3"; echo "Description: a stand-in"; } > "$work/deb/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone -b "$work/deb" "$files/$4" > /dev/null && rm -rf "$work/deb"
}
deb enroot 4.1.2-1 "" enroot_4.1.2-1_amd64.deb
deb enroot+caps 4.1.2-1 "enroot (= 4.1.2-1)" enroot+caps_4.1.2-1_amd64.deb
deb apptainer 1.5.3 "" apptainer_1.5.3_amd64.deb
# Stand-ins with the targets and folders of Pyxis' Makefile and Open MPI's configure
mkdir -p "$work/pyxis-0.23.0" "$work/openmpi-5.0.8"
cat > "$work/pyxis-0.23.0/Makefile" <<'M'
prefix ?= /usr
install:
	echo '#include <slurm/slurm_version.h>' > plugin.c && echo 'int plugin = SLURM_VERSION_NUMBER;' >> plugin.c
	$(CC) -shared -fPIC -o spank_pyxis.so plugin.c
	install -d $(prefix)/lib/slurm $(prefix)/share/pyxis
	install -m 644 spank_pyxis.so $(prefix)/lib/slurm/
	echo 'required $(prefix)/lib/slurm/spank_pyxis.so' > $(prefix)/share/pyxis/pyxis.conf
M
cat > "$work/openmpi-5.0.8/configure" <<'M'
#!/bin/sh
echo "$@" > options
printf 'all:\n\ninstall:\n\tmkdir -p %s/bin && cp options %s/bin/mpirun && chmod +x %s/bin/mpirun\n' "${1#--prefix=}" "${1#--prefix=}" "${1#--prefix=}" > Makefile
M
chmod +x "$work/openmpi-5.0.8/configure"
tar -czf "$files/v0.23.0.tar.gz" -C "$work" pyxis-0.23.0 && tar -cjf "$files/openmpi-5.0.8.tar.bz2" -C "$work" openmpi-5.0.8 || fail "no stand-ins"

cat > "$work/for-real" <<'SCRIPT'
. "$1/tests/consumers/lib/play.bash"
work=$2 tags=base,repositories,containers,mpi
fresh() {
  system=$work/$1 root=$work/$1/root
  play_system "$system" || exit 9
  mkdir -p "$root/root/tree" "$root/srv/mirror" && cp -r "$work/plays-runtimes/." "$root/root/tree/" && cp -r "$work/mirror/." "$root/srv/mirror/"
  rm -rf "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/* "$root"/var/lib/apt/lists/*
}
installed() { chroot "$root" dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\n' "$@" 2> /dev/null | sed -n 's/^ii  *//p' | sort | tr '\n' ';'; }
run() { play "$system" --forks 1 --tags "$tags" --limit "$1" > "$work/$2" 2>&1 || { grep -v "^$" "$work/$2" | tail -20 >&2; fail "$2"; }; }

fresh system
run n1 first
equal "releases of the spec" "$(installed docker-ce docker-ce-cli containerd.io nvidia-container-toolkit nvidia-container-toolkit-base libnvidia-container-tools libnvidia-container1)" "containerd.io 1.7.27-1;docker-ce 5:27.3.7;docker-ce-cli 5:27.3.7;libnvidia-container-tools 1.19.1-1;libnvidia-container1 1.19.1-1;nvidia-container-toolkit 1.19.1-1;nvidia-container-toolkit-base 1.19.1-1;"
equal "without a repository" "$(installed enroot enroot+caps)" "enroot 4.1.2-1;enroot+caps 4.1.2-1;"
equal "sources" "$(sed -n 's/^URIs: //p' "$root"/etc/apt/sources.list.d/cluster-*.sources | tr '\n' ' ')" "file:///srv/mirror/docker/ file:///srv/mirror/nvidia-container-toolkit/ "
cmp "$root/root/tree/containers/named/daemon.json" "$root/etc/docker/daemon.json" || fail "daemon.json"
chroot "$root" apt-get -s dist-upgrade > "$work/upgrade" 2>&1 || { cat "$work/upgrade" >&2; fail "apt-get -s"; }
if grep -E '^Inst (docker-ce|containerd.io|nvidia-container|libnvidia-container)' "$work/upgrade"; then fail "an upgrade would change the runtimes"; fi
mv "$root/etc/apt/preferences.d/90-cluster-containers" "$root/root/held"
chroot "$root" apt-get -s dist-upgrade 2> /dev/null | grep -q '^Inst docker-ce .*999' || fail "the mirror has nothing newer: the test shows nothing"
mv "$root/root/held" "$root/etc/apt/preferences.d/90-cluster-containers"
echo "ok: an upgrade leaves the runtimes, and without the pins would take 999.0"
plugin() { chroot "$root" python3 -c 'import ctypes; print(hex(ctypes.c_int.in_dll(ctypes.CDLL("/usr/local/lib/slurm/spank_pyxis.so"), "plugin").value))'; }
equal "Pyxis is built for" "$(plugin)" 0x160508
equal "plugstack.conf.d" "$(cat "$root/etc/slurm/plugstack.conf.d/pyxis.conf" 2> /dev/null || cat "$root$(readlink "$root/etc/slurm/plugstack.conf.d/pyxis.conf")")" "required /usr/local/lib/slurm/spank_pyxis.so"
grep -q -- '--with-ucx --with-slurm' "$root/opt/openmpi-5.0.8/bin/mpirun" || fail "Open MPI was configured with $(cat "$root/opt/openmpi-5.0.8/bin/mpirun")"
equal "mpirun of a login shell" "$(chroot "$root" sh -c '. /etc/profile.d/cluster-mpi.sh; command -v mpirun')" /opt/openmpi-5.0.8/bin/mpirun
run n1 second
equal "a second run" "$(grep -o 'changed=[0-9]* *unreachable=[0-9]* *failed=[0-9]*' "$work/second" | tr -s ' ')" "changed=0 unreachable=0 failed=0"
sed -i 's/0x160508/0x170b00/' "$root/usr/include/slurm/slurm_version.h"
chroot "$root" /usr/local/sbin/cluster-pyxis /var/cache/cluster/pyxis-v0.23.0.tar.gz > "$work/newer-slurm" 2>&1 || fail "Pyxis for another Slurm"
equal "after another Slurm Pyxis is built for" "$(plugin)" 0x170b00

# Negative tests: a file that is not the one whose checksum the site has written; a Slurm without headers
printf '%s\n' 'containers_checksums: { enroot_4.1.2-1_amd64.deb: "sha256:0000000000000000000000000000000000000000000000000000000000000000" }' > "$root/root/tree/ansible/host_vars_sums.yaml"
rm -f "$root"/var/cache/cluster/enroot_*
play "$system" --forks 1 --tags "$tags" --limit n1 -e @host_vars_sums.yaml > "$work/sums" 2>&1 && fail "a file with another checksum is taken"
grep -q 'checksum' "$work/sums" || fail "the play ends for another reason"
: > "$root/usr/include/slurm/slurm_version.h"
chroot "$root" /usr/local/sbin/cluster-pyxis /var/cache/cluster/pyxis-v0.23.0.tar.gz > "$work/headless" 2>&1 && fail "Pyxis is built for an unknown Slurm"
echo "ok: $(cat "$work/headless")"
SCRIPT
unshare -m -u -p -f --propagation private bash "$work/for-real" "$src" "$work" || exit

# What Debian has: apt of this machine finds and resolves every name, in the lists of Debian 12 itself
packages=$(python3 -c 'import sys, yaml; g = yaml.safe_load(open(sys.argv[1])); print(*g["cluster_runtime_packages"], *g["cluster_mpi_packages"], "libslurm-dev")' "$out/ansible/group_vars/group_own.yaml")
apt-cache policy libslurm-dev | grep -q 'Candidate: [0-9]' || cannot "apt has no lists here: packages of Debian were not looked up"
# shellcheck disable=SC2086
apt-get -s install $packages > "$work/simulated" 2>&1 || { tail -5 "$work/simulated" >&2; fail "apt of Debian 12 does not install: $packages"; }
say "apt-get -s install $packages"
if apt-get -s install openmpi-bin=5.0.* > /dev/null 2>&1; then fail "Debian 12 has Open MPI 5.0: the sources are not needed"; fi
