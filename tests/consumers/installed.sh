#!/usr/bin/env bash
# `cmake --install` into an empty prefix, and the prefix moved into an empty Debian 12 system that has no build package: check, plan, compile, manual pages,
# completion and validate on the machine itself.
. "$(dirname "$0")/lib/common.bash" "$@"
. "$(dirname "$0")/lib/prefix.bash"
need cmake mmdebstrap chroot
[ "$(id -u)" -eq 0 ] || cannot "not root: no empty Debian system can be entered"
build=$(dirname "$(dirname "$bin")")
[ -e "$build/share/man/man1/clusterc.1" ] || fail "the build has no manual pages: cmake --build $build"
DESTDIR=$work/dest cmake --install "$build" --prefix /usr/local > "$work/install.log" 2>&1 || { cat "$work/install.log"; fail "cmake --install"; }
empty_system bookworm "$work/system"
mkdir -p "$work/system/opt" && cp -a "$work/dest/usr/local" "$work/system/opt/clusterc" || exit 1   # another prefix than it was installed for
prefix_works "$work/system" /opt/clusterc
