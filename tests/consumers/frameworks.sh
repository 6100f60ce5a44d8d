#!/usr/bin/env bash
# tested frameworks: pip's own parser of requirements
# output frameworks: pip's parser of requirements reads every list, and no two lines of a list exclude each other; releases by hand for drivers 550 and 580; no Lmod reads the modules here; 1 negative test
. "$(dirname "$0")/lib/common.bash" "$@"
need python3
python3 -c 'import pip._vendor.packaging.requirements' 2> /dev/null || missing "pip not installed"
compile_case frameworks
# parsed FILE…: each line a requirement of pip with a release
parsed() {
  python3 - "$@" <<'PY'
import sys
from pip._vendor.packaging.requirements import Requirement
for path in sys.argv[1:]:
    lines = [l.strip() for l in open(path) if l.strip() and not l.startswith("#")]
    rows = [Requirement(l) for l in lines]
    assert len({r.name for r in rows}) == len(rows) and all(r.specifier for r in rows), path
print(sum(1 for _ in sys.argv[1:]), "lists")
PY
}
say "pip reads $(parsed "$out"/frameworks/*/*.txt)" || fail "a list is refused"
first() { sed -n '/^[^#]/{p;q}' "$out/frameworks/$1"; }
equal "PyTorch on driver 580" "$(first gpu/pytorch.txt)" torch==2.14.0
equal "PyTorch on driver 550" "$(first old/pytorch.txt)" torch==2.10.0
equal "JAX on driver 580" "$(first gpu/jax.txt)" "jax[cuda13]==0.11.1"
equal "JAX on driver 550" "$(first old/jax.txt)" "jax[cuda12]==0.11.1"
sed 's/^torch==/torch=/' "$out/frameworks/gpu/pytorch.txt" > "$work/broken.txt"
parsed "$work/broken.txt" > "$work/broken.log" 2>&1 && fail "torch=2.14.0 is taken"
equal "module" "$(sed -n 's/^prepend_path("PATH", "\(.*\)")$/\1/p' "$out/frameworks/old/modules/pytorch/2.10.0.lua")" /opt/frameworks/pytorch-2.10.0/bin
