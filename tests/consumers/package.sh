#!/usr/bin/env bash
# What scripts/package makes (scripts/test runs it after the build): the archive in an empty Debian 11, whose glibc is the oldest one promised; the package in
# an empty Debian 12, and lintian; checksums, SBOM and the CMake package.
# heavy: two and a half minutes; consumer.installed and consumer.package-ci use what is installed and packed in fewer systems
# packages: lintian
. "$(dirname "$0")/lib/common.bash" "$@"
. "$(dirname "$0")/lib/prefix.bash"
need cmake mmdebstrap chroot lintian dpkg-deb
[ "$(id -u)" -eq 0 ] || cannot "not root: no empty Debian system can be entered"
made=$src/build/package
[ -e "$made/SHA256SUMS" ] || missing "no packages in build/package: run scripts/package"
(cd "$made" && sha256sum --quiet -c SHA256SUMS) || fail "SHA256SUMS"
archive=$(echo "$made"/clusterc-*-linux-*.tar.gz) package=$(echo "$made"/clusterc_*.deb)

# Errors fail; warnings are shown.
lintian --fail-on error --tag-display-limit 0 "$package" > "$work/lintian.log" 2>&1 || { cat "$work/lintian.log"; fail "lintian"; }
say "lintian: no error, $(grep -c '^W:' "$work/lintian.log") warnings"
equal "files with rights for others to write" "$(dpkg-deb -c "$package" | awk '$1 ~ /^[^l].......w/ || $2 != "root/root"')" ""

empty_system bullseye "$work/debian11"
mkdir -p "$work/debian11/opt"
tar -C "$work/debian11/opt" -xzf "$archive"
mv "$work"/debian11/opt/clusterc-* "$work/debian11/opt/clusterc"
prefix_works "$work/debian11" /opt/clusterc
say "the archive works in Debian 11"

python3 - "$work/debian11/opt/clusterc" <<'PYTHON' || fail "SBOM"
import glob, json, os, sys
prefix = sys.argv[1]
document = json.load(open(glob.glob(prefix + "/share/doc/clusterc/*.spdx.json")[0]))
names = {package["name"] for package in document["packages"]}
texts = set(os.listdir(prefix + "/share/doc/clusterc/third-party"))
assert texts == names - {"clusterc"}, f"licence texts of {sorted(texts)}, components {sorted(names)}"
assert all(package["versionInfo"] for package in document["packages"])
known = {package["SPDXID"] for package in document["packages"]} | {"SPDXRef-DOCUMENT"}
assert all({r["spdxElementId"], r["relatedSpdxElement"]} <= known for r in document["relationships"])
PYTHON
say "SBOM: each component has its licence"

mkdir -p "$work/cmake"
cat > "$work/cmake/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(site NONE)
enable_testing()
find_package(clusterc 0.1 REQUIRED)
clusterc_check(lab lab.yaml)
clusterc_check(broken broken.yaml)
clusterc_compile(tree lab.yaml out)
CMAKE
cp "$src/examples/lab.yaml" "$work/cmake/lab.yaml"
sed 's/^clusterc: 1/clusterc: 1\nnonsense: 1/' "$src/examples/lab.yaml" > "$work/cmake/broken.yaml"
cmake -S "$work/cmake" -B "$work/cmake/build" -Dclusterc_ROOT="$work/debian11/opt/clusterc" > "$work/cmake.log" 2>&1 &&
  cmake --build "$work/cmake/build" --target tree >> "$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; fail "find_package(clusterc)"; }
[ -e "$work/cmake/build/out/site.yml" ] || [ -e "$work/cmake/build/out/ansible/site.yml" ] || fail "clusterc_compile wrote no tree"
(cd "$work/cmake/build" && ctest > "$work/ctest.log" 2>&1) && fail "clusterc_check let a broken spec pass"
grep -q '50% tests passed, 1 tests failed out of 2' "$work/ctest.log" || { cat "$work/ctest.log"; fail "clusterc_check"; }
say "find_package(clusterc): a test and a target"

empty_system bookworm "$work/debian12"
cp "$package" "$work/debian12/root/clusterc.deb"
chroot "$work/debian12" dpkg -i /root/clusterc.deb > "$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; fail "dpkg -i"; }
prefix_works "$work/debian12" /usr
chroot "$work/debian12" dpkg --purge clusterc > "$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; fail "dpkg --purge"; }
equal "files left after dpkg --purge" "$(find "$work/debian12/usr" -name '*clusterc*' -not -path '*/info/*')" ""
say "the package works in Debian 12, and goes without a trace"
