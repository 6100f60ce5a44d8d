# For tests/consumers/*.sh that install clusterc into another system.
# empty_system SUITE FOLDER: a Debian with nothing but manual pages and completion, /proc and /sys mounted until the test ends.
empty_system() {
  local package
  mmdebstrap --quiet --variant=apt --include=man-db,bash-completion "$1" "$2" > "$work/mmdebstrap.log" 2>&1 ||
    missing "no empty Debian ($1) can be made here ($(tail -1 "$work/mmdebstrap.log"))"
  for package in g++ cmake libyaml-cpp0.7 libyaml-cpp0.6 libsimdjson14 libfmt9 libopenmpi3; do
    chroot "$2" dpkg-query -W "$package" > /dev/null 2>&1 && fail "the empty system has $package"
  done
  mount -t proc proc "$2/proc" 2> /dev/null || cannot "/proc cannot be mounted in the empty system: the loader finds nothing beside a program without it"
  mount --bind /sys "$2/sys" || fail "/sys cannot be mounted in the empty system"
  mounted+=("$2/sys" "$2/proc")
  trap 'umount "${mounted[@]}"' EXIT
}
mounted=()

# prefix_works SYSTEM PREFIX: check, plan, compile, schema, manual pages, completion and validate on the machine itself.
prefix_works() {
  local system=$1 prefix=$2 shipped=$2/share/clusterc pages=0 page name offered status
  inside() { chroot "$system" /usr/bin/env -i PATH="$prefix/bin:/usr/bin:/bin" HOME=/root TERM=dumb LC_ALL=C.UTF-8 "$@"; }
  rm -rf "$system/root/tree" "$system/root/plan"

  inside clusterc check "$shipped/examples/lab.yaml" > "$work/check.log" 2>&1 || { cat "$work/check.log"; fail "check"; }
  say "check: $(tail -1 "$work/check.log")"
  inside clusterc compile "$shipped/examples/lab.yaml" -o /root/tree > "$work/compile.log" 2>&1 || { cat "$work/compile.log"; fail "compile"; }
  say "compile: $(tail -1 "$work/compile.log")"
  inside clusterc plan "$shipped/examples/lab.yaml" -o /root/plan --page /root/plan.html > "$work/plan.log" 2>&1 || { cat "$work/plan.log"; fail "plan"; }
  [ -s "$system/root/plan/cables.csv" ] || fail "plan wrote no cables.csv"
  grep -q 'Content-Security-Policy' "$system/root/plan.html" || fail "plan wrote no page"
  equal "the shipped schema" "$(inside clusterc schema | md5sum)" "$(md5sum - < "$system$shipped/schemas/spec.schema.json")"
  for page in "$system$prefix"/share/man/man1/clusterc*; do
    name=$(basename "${page%.gz}" .1)
    inside man --warnings -M "$prefix/share/man" "$name" > "$work/page.txt" 2> "$work/page.err" || { cat "$work/page.err"; fail "man $name"; }
    grep -q '^NAME' "$work/page.txt" || fail "man $name prints no page"
    pages=$((pages + 1))
  done
  [ "$pages" -ge 10 ] || fail "$pages manual pages"
  say "man: $pages pages"
  # As bash-completion loads it: by the name of the command, from the data folders.
  offered=$(inside XDG_DATA_DIRS="$prefix/share" bash --norc -c '
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
}
