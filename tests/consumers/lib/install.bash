# For tests of the installers: source it behind common.bash.

# with_os NAME OS OUTPUTS: examples/NAME.yaml with another operating system, compiled; its tree in $out
with_os() {
  out=$work/$1-$2
  [ -e "$work/examples" ] || cp -r "$src/examples" "$work/"
  sed -i "s/^  os: .*/  os: $2/" "$work/examples/$1.yaml"
  "$bin" compile "$work/examples/$1.yaml" -o "$out" --only "$3" > "$out.log" 2>&1 || { cat "$out.log" >&2; fail "clusterc compile examples/$1.yaml with $2"; }
}
# disks NAME:SECTORS[:ROTATIONAL[:REMOVABLE]]...: a folder as /sys/block is, in $SYS_BLOCK
disks() {
  local disk name size rotational removable
  rm -rf "$work/block" && mkdir "$work/block"
  for disk; do
    IFS=: read -r name size rotational removable <<< "$disk"
    mkdir -p "$work/block/$name/queue"
    echo "$size" > "$work/block/$name/size"
    echo "${rotational:-0}" > "$work/block/$name/queue/rotational"
    echo "${removable:-0}" > "$work/block/$name/removable"
  done
  export SYS_BLOCK=$work/block
}
# The drives of the golden cases: two of 960 GB for the system, one of 3.84 TB; a stick that may be pulled, a card reader without a card, a second way to a disk.
golden_disks() { disks nvme0n1:1875385008 nvme1n1:7501476528 nvme2n1:1875385008 nvme2c0n1:1875385008 sda:1875385008:0:1 sdb:0:0:1 "$@"; }

# served TREE: a web server for /cluster in this network namespace, as the boot server has it; $server is its process
served() {
  mkdir -p "$work/www" && rm -f "$work/www/cluster" && ln -s "$1" "$work/www/cluster"
  echo "ssh-ed25519 AAAA somebody@example" > "$1/authorized_keys"
  ip link set lo up && ip addr add 10.1.0.65/32 dev lo
  (cd "$work/www" && exec python3 -m http.server 80 --bind 10.1.0.65 > "$work/www.log" 2>&1) & server=$!
  for _ in $(seq 100); do python3 -c 'import socket; socket.create_connection(("10.1.0.65", 80), 1)' 2> /dev/null && break; sleep 0.1; done
}
# finished TREE SCRIPT NAME: runs the last script of an installation on a copy of this system's accounts, with the tree served; what it left is in $work/new
finished() {
  rm -rf "$work/new" && mkdir -p "$work/new/var-lib/cloud" && cp -a /etc "$work/new/etc"
  echo "BOOT_IMAGE=linux quiet cluster.host=$3" > "$work/new/cmdline"
  export -f served
  work=$work tree=$1 script=$2 unshare -nm bash -c '
    set -e
    served "$tree"
    mount --bind "$work/new/etc" /etc && mount --bind "$work/new/var-lib" /var/lib
    status=0
    CMDLINE=$work/new/cmdline sh "$script" || status=$?
    kill $server
    exit $status' > "$work/finish.log" 2>&1
}
# as_planned TREE SCRIPT NODE [PORT]: after it ran, the account, its key and its rights are there, nobody has a password, and cloud-init has the node's own files
as_planned() {
  finished "$1" "$2" "${4:-$3}" || { cat "$work/finish.log" >&2; fail "the last script of $3 fails"; }
  local tree=$1 node=$3 seed=$work/new/var-lib/cloud/seed/nocloud
  equal "shell of admin" "$(awk -F: '$1 == "admin" { print $7 }' "$work/new/etc/passwd")" /bin/bash
  for who in admin root; do case $(awk -F: -v w=$who '$1 == w { print $2 }' "$work/new/etc/shadow") in '!'* | '*') ;; *) fail "$who has a password" ;; esac; done
  cmp -s "$work/new/var-lib/admin/.ssh/authorized_keys" "$tree/authorized_keys" || fail "admin has no key"
  equal "mode of the keys" "$(stat -c %a "$work/new/var-lib/admin/.ssh" "$work/new/var-lib/admin/.ssh/authorized_keys" | tr '\n' ' ')" "700 600 "
  equal "rights of admin" "$(cat "$work/new/etc/sudoers.d/90-cluster")" "admin ALL=(ALL) NOPASSWD:ALL"
  cmp -s "$seed/user-data" "$tree"/cloud-init/*/"$node"/user-data && cmp -s "$seed/meta-data" "$tree"/cloud-init/*/"$node"/meta-data || fail "cloud-init does not get the files of $node"
  for config in "$tree"/cloud-init/*/"$node"/network-config; do
    [ ! -e "$config" ] || { cmp -s "$config" "$seed/network-config" && equal "mode of network-config" "$(stat -c %a "$seed/network-config")" 600; } || fail "cloud-init does not get the network of $node"
  done
  equal "data source, and nobody's account beside admin" "$(cat "$work/new/etc/cloud/cloud.cfg.d/99-zz-cluster.cfg")" "datasource_list: [NoCloud, None]
users: []"
}
# named TREE FILE...: every file of the compiled tree that these name by URL is there
named() {
  local tree=$1 url files=0
  shift
  for url in $(grep -hoE 'http://[0-9.]+/cluster/[^ "\\]*' "$@" | grep -vE '/(media|install)/|authorized_keys|/cluster$' | sort -u); do
    url=${url#*/cluster/}
    [ -e "$tree/$url" ] || fail "$url is named and not there"
    files=$((files + 1))
  done
  [ $files -gt 0 ] || fail "no file is named by $*"
  say "$files files named by $(basename "$1"), all there"
}
