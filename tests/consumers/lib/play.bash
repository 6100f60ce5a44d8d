# Sourced inside namespaces of its own (unshare -m -u -p -f): a writable copy of this very system, in memory, and Ansible in it.
# play_system: mounts the copy at $1; play WHERE ARGUMENTS…: ansible-playbook there, from /root/tree/ansible
fail() { echo "FAILED: $*" >&2; exit 1; }
equal() { [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"; echo "ok: $1: $2"; }
play_system() {
  mkdir -p "$1" && mount -t tmpfs -o size=1g tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root" &&
    mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root" &&
    : > "$1/root/usr/bin/lsattr" && chmod -x "$1/root/usr/bin/lsattr" && # a file system in memory says its attributes, and takes none: Ansible's backups would fail
    mount --rbind /dev "$1/root/dev" && mount -t proc proc "$1/root/proc" && mount --rbind /sys "$1/root/sys" && mount -t tmpfs tmpfs "$1/root/tmp"
}
# $play_from: whence ssh came, as sshd says it. SYSTEMD_OFFLINE: systemd does not run here, and systemctl does what it does in a tree that an image is made of
play() {
  local where=$1
  shift
  chroot "$where/root" env -i PATH="$PATH" HOME=/root LC_ALL=C.UTF-8 SYSTEMD_OFFLINE=1 ANSIBLE_LOCALHOST_WARNING=0 READER=planted-secret-of-the-reader SSH_CONNECTION="${play_from:-}" \
    sh -c 'cd /root/tree/ansible && exec ansible-playbook --connection local site.yml "$@"' sh "$@"
}
