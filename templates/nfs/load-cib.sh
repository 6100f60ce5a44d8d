# Has Pacemaker run what cib.xml beside this script says, and reads back that it does. Run it on one of the servers while both are members: what a server that
# joins later brings along could replace it. Which file Pacemaker has is written in its own configuration, so that a copy of the file alone does not count.
# Exit status: 0 Pacemaker has it (it was loaded if "loaded" is printed); 1 not, or not yet: run it again.
fail() {
  echo "load-cib: $*" >&2
  exit 1
}
here=$(cd "$(dirname "$0")" && pwd)
file=$here/cib.xml
[ -r "$file" ] || fail "there is no $file"
wanted=$(sha256sum < "$file" | cut -d' ' -f1)
members=$(crm_node --partition) || fail "Pacemaker does not run here, or has not started yet"
for server in $first $second; do
  case " $members " in *" $server "*) ;; *) fail "$server is no member yet; the members are: $members" ;; esac
done
# has: whether Pacemaker has this file, and fences both servers: the mark alone could have come into another configuration, of a server that has just joined
has() {
  [ "$(crm_attribute --node "$first" --name "$mark" --query --quiet 2> /dev/null)" = "$wanted" ] || return 1
  for server in $first $second; do
    cibadmin --query --xpath "//primitive[@id='fence-$server']" > /dev/null 2>&1 || return 1
  done
}
if has; then exit 0; fi
# What an administrator has set stays: a server in standby or maintenance, the whole cluster in maintenance, a resource that is stopped, unmanaged or in maintenance,
# a resource that `crm_resource --ban` or `--move` keeps off or on a server. It comes with the file, in one step: Pacemaker would start what is to rest in between.
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
cibadmin --query > "$new/cib.xml" || fail "Pacemaker does not say what it has"
cp "$new/cib.xml" "$new/before.xml"
in_new() { CIB_file=$new/cib.xml "$@"; }
before() { CIB_file=$new/before.xml cibadmin --query --xpath "$1" 2> /dev/null; }
in_new cibadmin --replace --scope=configuration --xml-file="$file" || fail "Pacemaker does not take $file"
for server in $first $second; do
  for name in standby maintenance; do
    value=$(crm_attribute --node "$server" --name "$name" --query --quiet 2> /dev/null) || continue
    [ -z "$value" ] || in_new crm_attribute --node "$server" --name "$name" --update "$value" || fail "$name of $server would be lost"
  done
done
value=$(crm_attribute --type crm_config --name maintenance-mode --query --quiet 2> /dev/null) || value=
[ -z "$value" ] || in_new crm_attribute --type crm_config --name maintenance-mode --update "$value" || fail "maintenance-mode would be lost"
# --force: without it, Pacemaker may set the attribute of the group in place of that of its member.
resources=$(sed -n -E 's/^ *<(primitive|group) id="([^"]*)".*/\2/p' "$file")
for resource in $resources; do
  for name in target-role is-managed maintenance; do
    value=$(before "//*[self::primitive or self::group][@id='$resource']/meta_attributes/nvpair[@name='$name']" | sed -n 's/.* value="\([A-Za-z]*\)".*/\1/p' | tail -n 1)
    [ -z "$value" ] || in_new crm_resource --resource "$resource" --meta --set-parameter "$name" --parameter-value "$value" --force > /dev/null ||
      fail "$name of $resource would be lost"
  done
done
bans=$(before "//rsc_location[starts-with(@id,'cli-')]" | grep -v 'xpath-query>') || bans=
[ -z "$bans" ] || in_new cibadmin --modify --allow-create --scope=constraints --xml-text "<constraints>$bans</constraints>" ||
  fail "bans and moves would be lost: carry them over, or remove them with crm_resource --resource NAME --clear"
in_new cibadmin --query --scope=configuration > "$new/configuration.xml"
cibadmin --replace --scope=configuration --xml-file="$new/configuration.xml" || fail "Pacemaker did not take $file"
crm_attribute --node "$first" --name "$mark" --update "$wanted" || fail "Pacemaker did not take the mark of $file"
has || fail "Pacemaker has another configuration again, or does not fence both servers"
echo loaded
