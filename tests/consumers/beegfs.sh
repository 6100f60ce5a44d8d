#!/usr/bin/env bash
# tested beegfs: a reader of its documented settings and commands
# output beegfs: no registry has BeeGFS: a reader of the settings that releases 7.4.6 and 8.3.1 document, and of the command line of its tools, that shares nothing with the writer: names and types of settings, one secret and one port for all, the management server by hosts and by the mounts of clients, numbers of servers and targets, folders, mirrors; shellcheck; prepare.sh with recording stand-ins of BeeGFS's programs: empty mount points, data, other numbers, no mount, a secret that others may read; mirrors, striping and quotas with recording beegfs and beegfs-ctl; 34 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need python3 shellcheck awk
bin_of() { mkdir -p "$work/bin" && printf '#!/bin/sh\n%s\n' "$2" > "$work/bin/$1" && chmod +x "$work/bin/$1"; }
reads() { python3 "$src/tests/consumers/lib/beegfs.py" "$1"; }
for release in eight seven; do
  case $release in eight) golden=beegfs ;; *) golden=beegfs-seven ;; esac
  "$bin" compile "$src/tests/golden/compile/$golden/spec.yaml" -o "$work/$release" --only beegfs,hosts,cloud-init > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "clusterc compile of $golden"; }
  reads "$work/$release" || fail "the compiled tree of $golden"
  shellcheck -s sh "$work/$release"/beegfs/work/*.sh || fail "shellcheck of $golden"
done
if grep -rqi 'BEGIN\|password' "$work/eight/beegfs"; then fail "a secret in the tree"; fi

# Broken twins: TREE FILE, what sed does to it
while read -r tree file how; do
  rm -rf "$work/twin" && cp -rL "$work/$tree" "$work/twin" && sed -i "$how" "$work/twin/$file"
  cmp -s "$work/twin/$file" "$work/$tree/$file" && fail "the twin $how is not broken"
  if reads "$work/twin" > "$work/said" 2>&1; then fail "the reader takes $file with $how"; fi
  say "refused: $(tail -1 "$work/said" | sed "s|$work/twin/||g")"
done << 'TWINS'
eight beegfs/bulk/beegfs-storage.conf s/^connStoragePort/connStoragePortTCP/
eight beegfs/bulk/beegfs-storage.conf s/^tuneNumWorkers = 24/tuneNumWorkers = many/
eight beegfs/bulk/beegfs-storage.conf s/^connAuthFile.*/connDisableAuthentication = true/
eight beegfs/bulk/beegfs-storage.conf s/FirstRunInit = false/FirstRunInit = true/
eight beegfs/bulk/beegfs-storage.conf s,/data/target1,/data/target3,
eight beegfs/meta/beegfs-meta.conf s/^sysMgmtdHost = bm1-fast/sysMgmtdHost = bm2-fast/
eight beegfs/meta/beegfs-meta.conf s/conn.auth/meta.auth/
eight beegfs/meta/beegfs-meta.conf s/8008/8009/
eight beegfs/meta/beegfs-mgmtd.toml s/^beemsg-port/beegfs-port/
eight beegfs/meta/beegfs-mgmtd.toml s/^quota-enforce.*//
eight beegfs/meta/beegfs-mgmtd.toml s/8008/"8008"/
eight beegfs/meta/beegfs-mgmtd.toml s,/var/lib/beegfs,/var/lib/bees,
eight beegfs/cpu/beegfs-client.conf s/^quotaEnabled = true/quotaEnabled = false/
eight beegfs/cpu/cluster-net-filter s/10.3.0.0/10.9.0.0/
eight beegfs/work/prepare.sh s,storage /data/target2 1 102,storage /data/target2 1 101,
eight beegfs/work/prepare.sh s,bs2 storage /data/target1 2,bs2 storage /data/target1 1,
eight beegfs/work/mirrors.sh s/^group storage 101 101 201/group storage 101 101 102/
eight beegfs/work/mirrors.sh s/^group meta.*//
seven beegfs/meta/beegfs-meta.conf s/^connMetaPortUDP.*/connMetaPort = 8005/
seven beegfs/meta/beegfs-mgmtd.conf s/^connMgmtdPortUDP = 8008/connMgmtdPortUDP = 8018/
TWINS

# prepare.sh. Mount points, programs and the secret are stand-ins; the folders are real
export RECORD=$work/record BEEGFS_PROGRAMS=$work/programs BEEGFS_SETTINGS=$work/settings
mkdir -p "$work/programs" "$work/settings" "$work/data/target1" "$work/data/target2" "$work/data/meta"
bin_of uname 'echo "$HOST_NAME.example.org"'
bin_of systemctl 'echo "systemctl $*" >> "$RECORD"'
bin_of mountpoint '[ ! -e "$RECORD.unmounted" ]'
for program in meta storage mgmtd; do
  printf '#!/bin/sh\necho "setup-%s $*" >> "$RECORD"\nwhile getopts Cp:s:i: o; do case $o in p) path=$OPTARG ;; s) echo "$OPTARG" > "$path/nodeNumID" ;; i) echo "$OPTARG" > "$path/targetNumID" ;; esac; done\necho version=3 > "$path/format.conf"\n' $program > "$work/programs/beegfs-setup-$program"
done
printf '#!/bin/sh\necho "mgmtd $*" >> "$RECORD"\n: > "%s/mgmt/mgmtd.sqlite"\n' "$work" > "$work/programs/beegfs-mgmtd"
chmod +x "$work"/programs/*
prepare() { # HOST ARGUMENT…
  : > "$RECORD"
  sed "s,^secret=.*,secret=$work/conn.auth,; s, /data/, $work/data/,; s, /var/lib/beegfs , $work/mgmt ," "$work/${tree:-eight}/beegfs/work/prepare.sh" > "$work/prepare.sh"
  HOST_NAME=$1 PATH=$work/bin:$PATH sh "$work/prepare.sh" "${@:2}" > "$work/said" 2>&1
}
refused() { # WHAT HOST
  find "$work/data" "$work/mgmt" -exec ls -ld {} + > "$work/before" 2> /dev/null
  prepare "$2" --run; equal "refused: $1" $? 1
  [ ! -s "$RECORD" ] || fail "$1: $(cat "$RECORD")"
  find "$work/data" "$work/mgmt" -exec ls -ld {} + 2> /dev/null | cmp -s - "$work/before" || fail "$1: something was written"
  say "refused: $1: $(grep refused "$work/said" | head -1 | sed "s|$work||g")"
}
refused "no secret" bs1
head -c 128 /dev/zero | tr '\0' x > "$work/conn.auth" && chmod 0644 "$work/conn.auth"
refused "a secret that others may read" bs1
chmod 0400 "$work/conn.auth"
: > "$RECORD.unmounted" && refused "a folder that is no mount point" bs1
rm "$RECORD.unmounted"
echo data > "$work/data/target2/chunk"
prepare bs1 --run; equal "refused: a folder with data" $? 1
equal "the other folder" "$(sed "s|$work||g" "$RECORD")" "setup-storage -C -p /data/target1 -s 1 -i 101"
grep -q 'holds data' "$work/said" && equal "the data" "$(cat "$work/data/target2/chunk")" data
rm "$work/data/target2/chunk" && mkdir "$work/data/target2/lost+found"
prepare bs1; equal "what would be done" "$? $(wc -l < "$RECORD")" "0 0"
prepare bs1 --run || fail "empty folders: $(cat "$work/said")"
equal "prepared" "$(sed "s|$work||g" "$RECORD" | tr '\n' ';')" "setup-storage -C -p /data/target2 -s 1 -i 102;systemctl enable beegfs-storage;"
prepare bs1 --run && equal "a second run" "$(cat "$RECORD")" "systemctl enable beegfs-storage"
refused "targets of another server" bs2
prepare bm1 --run; equal "refused: no certificate of the management service" $? 1
grep -q 'key.pem is missing' "$work/said" && ! grep -q mgmtd "$RECORD" || fail "no certificate: $(cat "$work/said" "$RECORD")"
rm -r "$work/data/meta" && mkdir "$work/data/meta"
echo x > "$work/settings/cert.pem" && echo x > "$work/settings/key.pem"
prepare bm1 --run || fail "bm1: $(cat "$work/said")"
equal "bm1" "$(sed "s|$work||g" "$RECORD" | tr '\n' ';')" "mgmtd --config-file /settings/beegfs-mgmtd.toml --init;setup-meta -C -p /data/meta -s 1;systemctl enable beegfs-mgmtd;systemctl enable beegfs-meta;"
prepare bm1 --run && equal "bm1 again" "$(grep -c -v systemctl "$RECORD")" 0
prepare n1; equal "a machine that serves nothing" $? 2
printf '# %s\n/dev/sdx %s xfs defaults 0 0\n' "$work/mgmt" "$work/mgmt" > "$work/fstab" && export CLUSTER_FSTAB=$work/fstab
: > "$RECORD.unmounted" && refused "the management service's drive is not mounted" bm1
grep -q 'mgmtd: .*fstab' "$work/said" || fail "a drive that is not mounted: $(cat "$work/said")"
rm "$RECORD.unmounted" && prepare bm1 --run || fail "bm1 with its drive: $(cat "$work/said")"
unset CLUSTER_FSTAB
rm -r "$work/mgmt" && mkdir "$work/mgmt" && echo x > "$work/mgmt/other" && rm -r "$work/data/meta" && mkdir "$work/data/meta"
tree=seven prepare bm1 --run; equal "refused: a folder of the management service with data (7.4)" $? 1
rm "$work/mgmt/other" && rm -r "$work/data/meta" && mkdir "$work/data/meta"
tree=seven prepare bm1 --run || fail "7.4: $(cat "$work/said")"
equal "7.4" "$(sed "s|$work||g" "$RECORD" | head -2 | tr '\n' ';')" "setup-mgmtd -C -p /mgmt;setup-meta -C -p /data/meta -s 1;"

# Mirrors, striping, quotas: by hand from the spec. bs1 mirrors bs2, bs3 bs4, each target that of the same number
bin_of beegfs 'echo "beegfs $*" >> "$RECORD"; case $* in *"mirror list"*) [ -e "$RECORD.mirrors" ] || exit 1; cat "$RECORD.mirrors" ;; esac'
bin_of beegfs-ctl 'echo "beegfs-ctl $*" >> "$RECORD"'
script() { : > "$RECORD"; CLUSTER_MOUNTS=$work/mounts PATH=$work/bin:$PATH sh "$@" > "$work/said" 2>&1; }
script "$work/eight/beegfs/work/mirrors.sh" || fail "mirrors.sh: $(cat "$work/said")"
equal "mirrors" "$(grep create "$RECORD" | sed 's/beegfs mirror create --node-type //; s/ --num-id [0-9]*//; s/ --primary//; s/ --secondary//' | tr '\n' ';')" "meta meta:1 meta:2 mirror-meta-1;storage storage:101 storage:201 mirror-storage-101;storage storage:102 storage:202 mirror-storage-102;storage storage:301 storage:401 mirror-storage-301;storage storage:302 storage:402 mirror-storage-302;"
printf 'ALIAS ID\nmirror-meta-1 m:1\nmirror-storage-101 s:101\nmirror-storage-102 s:102\nmirror-storage-301 s:301\nmirror-storage-302 s:302\n' > "$RECORD.mirrors"
script "$work/eight/beegfs/work/mirrors.sh" && equal "mirrors that are there" "$(grep -c create "$RECORD")" 0
script "$work/eight/beegfs/work/mirrors.sh" metadata && equal "the root folder" "$(cat "$RECORD")" "beegfs mirror init --yes"
script "$work/eight/beegfs/work/layout.sh" && equal "striping" "$(head -1 "$RECORD")" "beegfs entry set --pattern=mirrored --num-targets=4 --chunk-size=1048576 /work"
script "$work/seven/beegfs/work/layout.sh" && equal "striping (7.4)" "$(head -1 "$RECORD")" "beegfs-ctl --setpattern --pattern=raid0 --numtargets=4 --chunksize=1048576 /work"
bin_of getent 'case $2 in physics) echo physics:x:2001: ;; biology) echo biology:x:2002: ;; *) exit 2 ;; esac'
bin_of chgrp '[ ! -e "$RECORD.fails" ]'
mkdir "$work/work" && mode=$(stat -c %a "$work/settings")
for release in eight seven; do sed "s,^mount=/work,mount=$work/work," "$work/$release/beegfs/work/quotas.sh" > "$work/quotas-$release.sh"; done
: > "$work/mounts"
if script "$work/quotas-eight.sh"; then fail "quotas on what is not mounted"; fi
echo "x $work/work beegfs rw 0 0" > "$work/mounts"
ln -s "$work/settings" "$work/work/.physics.new"
if script "$work/quotas-eight.sh"; then fail "quotas.sh takes a link for a new folder"; fi
equal "what the link leads to" "$(stat -c %a "$work/settings")" "$mode"
rm "$work/work/.physics.new"
mkdir "$work/work/.physics.new" # of a run that was interrupted
touch "$RECORD.fails"
if script "$work/quotas-eight.sh"; then fail "quotas.sh goes on without the group of a folder"; fi
rm "$RECORD.fails"
# 50 TB and 1 TiB in bytes
script "$work/quotas-eight.sh" || fail "quotas.sh: $(cat "$work/said")"
equal "quotas" "$(tr '\n' ';' < "$RECORD")" "beegfs quota set-limits storage:1 --gid 2001 --space 50000000000000 --inode unlimited;beegfs quota set-limits storage:1 --gid 2002 --space 1099511627776 --inode 2000000;"
equal "folder of a team" "$(stat -c %a "$work/work/physics")" 2770
script "$work/quotas-seven.sh" && equal "quotas (7.4)" "$(cat "$RECORD")" "beegfs-ctl --setquota --gid 2001 --sizelimit=50000000000000 --inodelimit=unlimited"
