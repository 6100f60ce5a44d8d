choose_disks || exit 1
# The storage section names the disks cluster-disk-1, cluster-disk-2: the installer reads this file again once the early commands are through.
n=0
for disk in $chosen; do
  n=$((n + 1))
  sed -i "s|/dev/cluster-disk-$n\\b|/dev/$disk|" "${AUTOINSTALL:-/autoinstall.yaml}" || exit 1
done
