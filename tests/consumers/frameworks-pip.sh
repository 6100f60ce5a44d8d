#!/usr/bin/env bash
# output frameworks: pip's resolver takes the lists of PyTorch from PyPI (pip install --dry-run), and refuses one whose cuDNN is of another release; 1 negative test
# heavy: metadata of some hundred wheels comes from PyPI
. "$(dirname "$0")/lib/common.bash" "$@"
need python3
compile_case frameworks
python3 -m venv "$work/venv" || cannot "no virtual environments here"
python3 -c 'import urllib.request; urllib.request.urlopen("https://pypi.org/simple/torch/", timeout=20)' > "$work/probe.log" 2>&1 || cannot "PyPI is not reached"
# Of the wheels only the metadata is wanted. JupyterLab adds nothing to what the GPU libraries agree on.
resolved() { grep -v '^jupyterlab' "$1" > "$work/list" && timeout 500 "$work/venv/bin/pip" --disable-pip-version-check install --dry-run --ignore-installed --only-binary :all: --python-version 3.12 --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux1_x86_64 --platform manylinux2014_x86_64 --target "$work/target" -r "$work/list" > "$work/pip.log" 2>&1; }
resolved "$out/frameworks/old/pytorch.txt" || { tail -5 "$work/pip.log" >&2; fail "pip does not resolve PyTorch for driver 550"; }
say "$(grep '^Would install' "$work/pip.log" | tr ' ' '\n' | grep -E '^(torch|nvidia-(cudnn|nccl|cuda-runtime))-' | tr '\n' ' ')"
sed 's/cudnn-cu12==9.10.2.21/cudnn-cu12==9.5.1.17/' "$out/frameworks/old/pytorch.txt" > "$work/twin.txt"
resolved "$work/twin.txt" && fail "a cuDNN of another release is taken"
grep -q 'ResolutionImpossible\|conflict' "$work/pip.log" || { tail -5 "$work/pip.log" >&2; fail "pip ends for another reason"; }
say "a cuDNN of another release conflicts"
