#!/usr/bin/env bash
# `cmake --install` into an empty prefix, and the prefix moved into an empty Debian 12 system that has no build package: check, plan, compile, manual pages,
# completion and validate on the machine itself.
. "$(dirname "$0")/lib/common.bash" "$@"
need cmake mmdebstrap chroot
[ "$(id -u)" -eq 0 ] || cannot "not root: no empty Debian system can be entered"
build=$(dirname "$(dirname "$bin")")
[ -e "$build/share/man/man1/clusterc.1" ] || fail "the build has no manual pages: cmake --build $build"
DESTDIR=$work/dest cmake --install "$build" --prefix /usr/local > "$work/install.log" 2>&1 || { cat "$work/install.log"; fail "cmake --install"; }
system=$work/system
mmdebstrap --quiet --variant=apt --include=man-db,bash-completion bookworm "$system" > "$work/mmdebstrap.log" 2>&1 ||
  missing "no empty Debian 12 can be made here ($(tail -1 "$work/mmdebstrap.log"))"
for package in g++ cmake libyaml-cpp0.7 libsimdjson14 libfmt9 libopenmpi3; do
  chroot "$system" dpkg-query -W "$package" > /dev/null 2>&1 && fail "the empty system has $package"
done
mkdir -p "$system/opt" && cp -a "$work/dest/usr/local" "$system/opt/clusterc" || exit 1   # another prefix than it was installed for
mount -t proc proc "$system/proc" 2> /dev/null || cannot "/proc cannot be mounted in the empty system: the loader finds nothing beside a program without it"
mount --bind /sys "$system/sys" || fail "/sys cannot be mounted in the empty system"
trap 'umount "$system/sys" "$system/proc"' EXIT
rm -rf "$system/root/tree"
inside() { chroot "$system" /usr/bin/env -i PATH=/opt/clusterc/bin:/usr/bin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8 "$@"; }
shipped=/opt/clusterc/share/clusterc

inside clusterc check "$shipped/examples/lab.yaml" > "$work/check.log" 2>&1 || { cat "$work/check.log"; fail "check"; }
say "check: $(tail -1 "$work/check.log")"
inside clusterc compile "$shipped/examples/lab.yaml" -o /root/tree > "$work/compile.log" 2>&1 || { cat "$work/compile.log"; fail "compile"; }
say "compile: $(tail -1 "$work/compile.log")"
equal "the shipped schema" "$(inside clusterc schema | md5sum)" "$(md5sum - < "$system$shipped/schemas/spec.schema.json")"
pages=0
for page in "$system"/opt/clusterc/share/man/man1/*.1; do
  name=$(basename "$page" .1)
  inside man --warnings -M /opt/clusterc/share/man "$name" > "$work/page.txt" 2> "$work/page.err" || { cat "$work/page.err"; fail "man $name"; }
  grep -q '^NAME' "$work/page.txt" || fail "man $name prints no page"
  pages=$((pages + 1))
done
[ "$pages" -ge 10 ] || fail "$pages manual pages"
say "man: $pages pages"
# As bash-completion loads it: by the name of the command, from the data folders.
offered=$(inside XDG_DATA_DIRS=/opt/clusterc/share bash --norc -c '
  . /usr/share/bash-completion/bash_completion
  _completion_loader clusterc
  COMP_WORDS=(clusterc valid) COMP_CWORD=1 COMP_LINE="clusterc valid" COMP_POINT=14
  read -ra spec < <(complete -p clusterc)
  for ((i = 0; i < ${#spec[@]}; i++)); do [ "${spec[i]}" = -F ] && "${spec[i + 1]}" clusterc valid clusterc; done
  printf "%s" "${COMPREPLY[*]}"' 2> "$work/completion.err")
equal "bash completes 'clusterc valid'" "${offered% }" "validate"
inside clusterc init --probe -o /root/here.yaml > "$work/init.log" 2>&1 || { cat "$work/init.log"; fail "init --probe"; }
inside clusterc validate /root/here.yaml --launcher local --only probe,memory --seconds 0.05 --allow-busy --journal /root/j > "$work/validate.log" 2>&1
status=$?
[ "$status" -le 1 ] || { cat "$work/validate.log"; fail "validate ended with $status"; }
grep -q 'memory.triad' "$work/validate.log" || { cat "$work/validate.log"; fail "validate brought no memory.triad"; }
say "validate: $(tail -1 "$work/validate.log")"
