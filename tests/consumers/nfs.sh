#!/usr/bin/env bash
# output nfs: no consumer here (exportfs asks the kernel's nfsd): a reader of the grammar of exports(5), and that each client of the mounts in cloud-init may mount; 2 broken twins
. "$(dirname "$0")/lib/common.bash" "$@"
need python3
compile_case nfs

# read FILE: path and clients of each line, by the manual page: quotes and \ooo in the path, then client(options) with nothing between; options that it names
reader() {
  python3 - "$1" <<'PY'
import ipaddress, re, sys
known = {"rw", "ro", "sync", "async", "no_subtree_check", "subtree_check", "root_squash", "no_root_squash", "all_squash", "secure", "insecure"}
for line in open(sys.argv[1], encoding="utf-8"):
    line = line.rstrip("\n")
    if line.startswith("#") or not line:
        continue
    match = re.fullmatch(r'"((?:[^"\\]|\\[0-7]{3})+)"((?: [^ ()]+\([^ ()]*\))+)', line)
    if not match:
        sys.exit(f"no line of exports: {line}")
    path = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), match[1])
    if not path.startswith("/"):
        sys.exit(f"no absolute path: {path}")
    for client in match[2].split():
        host, options = client.rstrip(")").split("(")
        ipaddress.ip_network(host)
        unknown = set(options.split(",")) - known
        if unknown:
            sys.exit(f"unknown options: {unknown}")
        print(path, host)
PY
}
reader "$out/nfs/home/exports" > "$work/read" || fail "exports of the golden case"
equal "exported" "$(tr '\n' ' ' < "$work/read")" "/home 10.1.0.0/24 "
whole=$work/whole
"$bin" compile "$src/tests/golden/compile/nfs/spec.yaml" -o "$whole" > "$work/whole.log" 2>&1 || { cat "$work/whole.log" >&2; fail "compile"; }
# every mount of every node's user data is a path that is exported
mounts=$(cat "$whole"/cloud-init/*/*/user-data | sed -n 's/^ *- *- *"\{0,1\}s1:\([^"]*\)"\{0,1\}$/\1/p' | sort -u | tr '\n' ' ')
equal "mounted" "$mounts" "/home "
for broken in 's/)$/,everything)/' 's/10\.1\.0\.0\/24(/10.1.0.0\/24 (/'; do
  sed "/^\"/$broken" "$out/nfs/home/exports" > "$work/broken"
  if reader "$work/broken" > /dev/null 2>&1; then fail "the reader takes $broken"; fi
done
say "an option that does not exist, and a blank before the options, are refused"
