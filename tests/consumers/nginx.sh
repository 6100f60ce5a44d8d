#!/usr/bin/env bash
# tested nginx: nginx 1.22
# output nginx: nginx 1.22 (Debian 12): nginx -t of every example that calls for it and of the golden case, without a word; nginx itself in a network namespace: every compiled file that boot menus and answers name is served to the nodes' network as it is, nothing else of the tree, nothing to strangers; 4 negative tests
. "$(dirname "$0")/lib/common.bash" "$@"
need nginx curl unshare ip python3
unshare -nm true 2> "$work/unshare.log" || cannot "no network namespaces here ($(head -1 "$work/unshare.log"))"

# around FILE: an nginx.conf of ours around one compiled file, in $work/nginx.conf; its "/srv" is $work/srv
around() {
  mkdir -p "$work/srv" "$work/logs"
  sed "s|root /srv;|root $work/srv;|; s|/var/log/nginx/|$work/logs/|" "$1" > "$work/cluster.conf"
  cat > "$work/nginx.conf" <<C
user root;
worker_processes 1;
daemon off;
pid $work/nginx.pid;
error_log $work/error.log;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi; uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
  include $work/cluster.conf;
  server { listen 80 default_server; location / { return 418; } }
}
C
}
accepted() { around "$1" && nginx -t -q -c "$work/nginx.conf" > "$work/said" 2>&1 && [ ! -s "$work/said" ]; }

trees_with nginx,ipxe,preseed,autoinstall,kickstart,cloud-init,hosts
"$bin" compile "$src/tests/golden/compile/nginx/spec.yaml" -o "$work/case" > "$work/case.log" 2>&1 || { cat "$work/case.log" >&2; fail "clusterc compile of the golden case"; }
for name in $trees case; do
  [ -e "$work/$name/nginx/cluster.conf" ] || fail "$name has no nginx/cluster.conf"
  accepted "$work/$name/nginx/cluster.conf" || { head -3 "$work/said" >&2; fail "$name: nginx refuses cluster.conf"; }
  say "$name: nginx takes cluster.conf"
done

# The golden case in a network of its own: the server is ctl, a node has 10.1.0.2, a stranger 10.9.0.9.
tree=$work/case
server=$(awk '{ for (i = 2; i <= NF; ++i) if ($i == "ctl") print $1 }' "$tree/hosts/hosts")
equal "ctl by hosts" "$server" "$(sed -n 's/^ *server_name \(.*\);$/\1/p' "$tree/nginx/cluster.conf")"
around "$tree/nginx/cluster.conf"
mkdir -p "$work/srv" && cp -r "$tree" "$work/srv/cluster" && mkdir -p "$work/srv/cluster/install" "$work/srv/cluster/slurm" "$work/srv/cluster/cloud-initial"
echo key > "$work/srv/cluster/authorized_keys"; : > "$work/srv/cluster/install/n1"; echo secret > "$work/srv/cluster/slurm/slurm.conf"; echo secret > "$work/srv/cluster/authorized_keys.old"
echo secret > "$work/srv/cluster/cloud-initial/x"; echo secret > "$work/srv/outside"; ln -s ../../outside "$work/srv/cluster/ipxe/link"; chown -h nobody "$work/srv/cluster/ipxe/link"
# every URL of this server in any compiled file, less what only stands on a real one
grep -rhoE "http://$server/cluster/[A-Za-z0-9._/-]+" "$tree" | sed "s|http://$server/||; s|/\$||" | sort -u | grep -vE '^cluster/(media/|install$|authorized_keys$)' > "$work/named"
while read -r path; do
  if [ -d "$work/srv/$path" ]; then find "$work/srv/$path" -type f -printf "$path/%P\n"; elif [ -e "$work/srv/$path" ]; then echo "$path"; else echo "$path" >> "$work/absent"; fi
done < "$work/named" | sort -u > "$work/wanted"
[ -s "$work/absent" ] && fail "named and not compiled: $(tr '\n' ' ' < "$work/absent")"
find "$work/srv/cluster/cloud-init" -type f -printf 'cluster/cloud-init/%P\n' >> "$work/wanted"
[ "$(wc -l < "$work/wanted")" -ge 12 ] || fail "too few files to be fetched: $(wc -l < "$work/wanted")"
cat > "$work/ask" <<'A'
ip link set lo up && ip addr add "$server/24" dev lo && ip addr add 10.1.0.2/24 dev lo && ip addr add 10.9.0.9/24 dev lo || exit 9
nginx -c "$work/nginx.conf" 2> "$work/daemon.err" & daemon=$!
trap 'kill $daemon; wait $daemon' EXIT
for _ in $(seq 100); do curl -s -o /dev/null "http://$server/" && break; sleep 0.1; done
get() { curl -s --path-as-is --interface "$1" -o "$work/got" -w '%{http_code}\n' "${@:3}" "http://$server/$2"; }
served=0
while read -r path; do
  [ "$(get 10.1.0.2 "$path")" = 200 ] && cmp -s "$work/got" "$work/srv/$path" && served=$((served + 1)) || echo "not served as it is: $path"
done < "$work/wanted"
echo "served: $served"
echo "key and request: $(get 10.1.0.2 cluster/authorized_keys) $(get 10.1.0.2 cluster/install/n1) $(get 10.1.0.2 cluster/install/n2)"
for path in cluster/slurm/slurm.conf cluster/manifest.json cluster/nginx/cluster.conf cluster/authorized_keys.old cluster/cloud-initial/x cluster/ipxe/../slurm/slurm.conf cluster/ipxe/%2e%2e/slurm/slurm.conf cluster/ipxe//../../outside outside cluster/ ''; do
  echo "closed: /$path $(get 10.1.0.2 "$path")"
done
echo "link: $(get 10.1.0.2 cluster/ipxe/link)"
echo "folder: $(get 10.1.0.2 cluster/ipxe/)"
echo "stranger: $(get 10.9.0.9 cluster/ipxe/cpu.ipxe) $(get 10.9.0.9 cluster/authorized_keys)"
echo "write: $(get 10.1.0.2 cluster/ipxe/cpu.ipxe -X PUT -d x) $(get 10.1.0.2 cluster/ipxe/cpu.ipxe -X DELETE) $(get 10.1.0.2 cluster/ipxe/cpu.ipxe -d x)"
echo "head: $(get 10.1.0.2 cluster/ipxe/cpu.ipxe -I)"
echo "another site: $(get 10.1.0.2 cluster/ipxe/cpu.ipxe -H 'Host: www.example.org')"
A
server=$server work=$work unshare -nm bash "$work/ask" > "$work/answers" 2> "$work/ask.err" || { cat "$work/ask.err" "$work/daemon.err" "$work/error.log" >&2; fail "nginx did not run"; }
grep "not served" "$work/answers" && fail "files that nodes are sent to are not served"
answer() { sed -n "s|^$1: ||p" "$work/answers"; }
equal "files fetched as they are" "$(answer served)" "$(wc -l < "$work/wanted")"
equal "keys, a node that asked, one that did not" "$(answer "key and request")" "200 200 404"
equal "the rest of the tree" "$(sed -n 's/^closed: .* //p' "$work/answers" | sort | uniq -c | tr -s ' ')" " 11 404"
equal "a link out of the tree" "$(answer link)" 403
equal "no list of a folder" "$(answer folder)" 403
equal "from another network" "$(answer stranger)" "403 403"
equal "to write" "$(answer write)" "403 403 403"
equal "to look" "$(answer head)" 200
equal "another site of the same machine" "$(answer "another site")" 418

twin() {   # WHAT SED-EXPRESSION
  sed "$2" "$tree/nginx/cluster.conf" > "$work/twin.conf"
  cmp -s "$work/twin.conf" "$tree/nginx/cluster.conf" && fail "the twin '$1' is not broken"
  if accepted "$work/twin.conf"; then fail "nginx takes $1"; fi
  say "refused, $1: $(head -1 "$work/said" | sed 's/ in .*//')"
}
twin "an unknown directive" 's/server_tokens/server_token/'
twin "no semicolon" 's/deny all;/deny all/'
twin "no network" 's|allow 10.1.0.0/24|allow 10.1.0.0/99|'
twin "an open block" '$d'
