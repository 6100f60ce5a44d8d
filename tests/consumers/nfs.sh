#!/usr/bin/env bash
# tested nfs: exportfs 2.6, mounts
# output nfs: exportfs 2.6 (Debian 12) in namespaces of its own: takes the exports of every example that serves NFS and of the golden case without a word, and shows paths, clients and options as the spec has them; each client mounts what is exported; 3 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need exportfs unshare mount
[ -e /etc/exports ] && [ -d /var/lib/nfs ] || missing "nfs-kernel-server is not set up"
unshare -mn true 2> "$work/unshare.log" || cannot "no namespaces here ($(head -1 "$work/unshare.log"))"

# exported FILE: what exportfs makes of this file alone, in $work/read; false when it refuses it or says anything. The exports of this machine, if it
# has any, are those of other namespaces.
exported() {
  mkdir -p "$work/state" && : > "$work/state/etab" && : > "$work/state/rmtab"
  unshare -mn --propagation private sh -c '
    mount --bind "$1" /var/lib/nfs && mount --bind "$2" /etc/exports && mount -t tmpfs none /srv && mkdir -p /srv/home || exit 9
    if [ -d /etc/exports.d ]; then mount -t tmpfs none /etc/exports.d || exit 9; fi
    exportfs -ra && exportfs -s' sh "$work/state" "$1" > "$work/read" 2> "$work/said" || return 1
  [ ! -s "$work/said" ]
}

trees_with nfs,cloud-init
compile_case nfs
compile_case nfs-storage-network
for name in $trees case-nfs case-nfs-storage-network; do
  for file in "$work/$name"/nfs/*/exports; do
    storage=$(basename "$(dirname "$file")")
    exported "$file" || { head -3 "$work/said" >&2; fail "$name: exportfs refuses nfs/$storage/exports"; }
    [ -s "$work/read" ] || fail "$name: exportfs reads no export in nfs/$storage/exports"
    # who mounts it (user data) mounts a path that is exported
    path=$(awk '{ print $1; exit }' "$work/read")
    grep -rqE "^ +- - \"[^\":]+:$path\"\$" "$work/$name/cloud-init" || fail "$name: nobody mounts $path"
    say "$name: $storage: $(awk '{ print $1, $2 }' "$work/read" | cut -d'(' -f1 | tr '\n' ' ')"
  done
done
# By hand: home of the campus to its only network of users, the golden case to the network that server and clients share. root is nobody there.
exported "$work/campus/nfs/home/exports" || fail "campus again"
equal "campus" "$(tr -s ' ' < "$work/read")" "/home 10.30.0.0/16(sync,wdelay,hide,no_subtree_check,sec=sys,rw,root_squash,no_all_squash)"
exported "$work/case-nfs/nfs/home/exports" || fail "the golden case again"
equal "golden case" "$(tr -s ' ' < "$work/read")" "/srv/home 10.1.0.0/24(sync,wdelay,hide,no_subtree_check,sec=sys,rw,root_squash,no_all_squash)"
# Over the network for storage where both are in one, and nothing while the file system of the drives is not mounted
exported "$work/case-nfs-storage-network/nfs/home/exports" || fail "the storage network again"
equal "drives of its own" "$(grep -o 'mountpoint[^,)]*' "$work/read" | sort -u)" mountpoint
equal "who computes mounts" "$(grep -h -o '[^"]*:/home' "$work"/case-nfs-storage-network/cloud-init/cpu-0/*/user-data | sort -u)" nas1-stor:/home
equal "who shares the other network mounts" "$(grep -h -o '[^"]*:/home' "$work"/case-nfs-storage-network/cloud-init/login-0/*/user-data)" nas1:/home

# Broken twins: an option that does not exist, a blank between client and options (everybody may write then, says exports(5)), a prefix of 99 bits
for broken in 's/)$/,everything)/' 's|0/24(|0/24 (|' 's|0/24(|0/99(|'; do
  sed "/^\"/$broken" "$work/case-nfs/nfs/home/exports" > "$work/broken"
  cmp -s "$work/broken" "$work/case-nfs/nfs/home/exports" && fail "the twin $broken is not broken"
  if exported "$work/broken"; then fail "exportfs takes $broken"; fi
  say "refused: $(head -1 "$work/said")"
done

# Two servers that are to take over from one another: nothing here makes that, and it is said. One server: nothing to say.
for name in campus case-nfs-storage-network; do
  case $name in case-*) spec=$src/tests/golden/compile/${name#case-}/spec.yaml ;; *) spec=$src/examples/$name.yaml ;; esac
  "$bin" compile "$spec" -o "$work/whole-$name" > "$work/said-$name" 2>&1 || fail "clusterc compile $name"
done
equal "campus: what is said of its two servers" "$(grep -o "'home' is mounted from nfs1 only" "$work/said-campus")" "'home' is mounted from nfs1 only"
equal "one server" "$(grep -c storage-takeover-unmade "$work/said-case-nfs-storage-network")" 0
