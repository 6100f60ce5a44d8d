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
cibadmin --replace --scope=configuration --xml-file="$file" || fail "Pacemaker did not take $file"
crm_attribute --node "$first" --name "$mark" --update "$wanted" || fail "Pacemaker did not take the mark of $file"
has || fail "Pacemaker has another configuration again, or does not fence both servers"
echo loaded
