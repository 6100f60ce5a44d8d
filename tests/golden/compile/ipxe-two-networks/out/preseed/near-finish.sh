#!/bin/sh
# made by clusterc from spec 'two'; do not edit: use outputs.preseed.extra
# shellcheck disable=SC2209
base=http://10.1.0.49/cluster
group=near
folders=1
networks=lan
network=0
user=admin
keys=http://10.1.0.49/cluster/authorized_keys
# The last thing of an installation, inside the new system: the administrators' account, and what cloud-init is to do at the first start; Ansible does the
# rest. $base, $group, $folders, $networks, $network, $user and $keys stand above.
set -euf
fetch() { if command -v curl > /dev/null; then curl -fsS -o "$2" "$1"; else wget -q -O "$2" "$1"; fi; } # URL FILE
# The name of this node, as the boot menu was told it by DHCP.
host=
# shellcheck disable=SC2013
for word in $(cat "${CMDLINE:-/proc/cmdline}"); do
  case $word in cluster.host=*) host=${word#*=} ;; esac
done
case $host in
  '' | *[!A-Za-z0-9._-]*) host=$(cat /etc/hostname) ;;
esac
# Not below /home, which a file system of the cluster may cover, and not with a number that a user of a directory may have (--system).
id "$user" > /dev/null 2>&1 || useradd --system --create-home --home-dir "/var/lib/$user" --shell /bin/bash "$user"
home=$(getent passwd "$user" | cut -d: -f6)
own=$(id -gn "$user")
install -d -m 0700 -o "$user" -g "$own" "$home/.ssh"
fetch "$keys" "$home/.ssh/authorized_keys"
chmod 0600 "$home/.ssh/authorized_keys"
chown "$user:$own" "$home/.ssh/authorized_keys"
if [ -e /etc/selinux/config ]; then chcon -R -t ssh_home_t "$home/.ssh" || echo "clusterc: SELinux does not know the keys of $user" >&2; fi
install -d -m 0750 /etc/sudoers.d
printf '%s ALL=(ALL) NOPASSWD:ALL\n' "$user" > /etc/sudoers.d/90-cluster
chmod 0440 /etc/sudoers.d/90-cluster
passwd --lock "$user" > /dev/null
passwd --lock root > /dev/null
# cloud-init finds its files on the disk, so that the first start waits for no network.
seed=/var/lib/cloud/seed/nocloud
# A node that was started over another of its ports has that port's name from DHCP: NODE-NETWORK, or NODE-NETWORK-2.
node_names() {
  echo "$host"
  for net in $networks; do
    case $host in
      ?*-"$net") echo "${host%-"$net"}" ;;
      ?*-"$net"-*)
        number=${host##*-}
        case $number in '' | *[!0-9]*) ;; *) case $host in ?*-"$net-$number") echo "${host%-"$net-$number"}" ;; esac ;; esac
        ;;
    esac
  done
}
for name in $(node_names); do
  n=0
  while [ "$n" -lt "$folders" ]; do
    install -d -m 0755 "$seed" /etc/cloud/cloud.cfg.d
    if fetch "$base/cloud-init/$group-$n/$name/meta-data" "$seed/meta-data" 2> /dev/null; then
      fetch "$base/cloud-init/$group-$n/$name/user-data" "$seed/user-data"
      if [ "$network" = 1 ]; then
        (umask 077 && fetch "$base/cloud-init/$group-$n/$name/network-config" "$seed/network-config")
      fi
      # `users: []`: not the distribution's own account beside admin
      printf 'datasource_list: [NoCloud, None]\nusers: []\n' > /etc/cloud/cloud.cfg.d/99-zz-cluster.cfg
      exit 0
    fi
    n=$((n + 1))
  done
done
[ "$folders" -eq 0 ] || { echo "clusterc: $base has no cloud-init files of '$host'" >&2; exit 1; }
