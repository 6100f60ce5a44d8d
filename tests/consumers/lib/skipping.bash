# Why a test does not run. Sourced by lib/common.bash, by tests/faults and by tests/virtual-slurm/up; tests/skipping.py and tests/skipping.h say the same in Python and C++.
# cannot REASON: this machine cannot do it, whatever is installed: no GPU, no feature of the kernel, another system. A skip everywhere.
cannot() { echo "skipped: $*"; exit 77; }
in_ci() { case ${CI:-} in '' | 0 | false) return 1 ;; esac; }
# missing REASON: a program, package or part of the build that scripts/test brings. A skip on a user's machine, a failure where CI is set.
missing() {
  in_ci || cannot "$@"
  echo "FAILED: $*; CI is set, and scripts/test brings all that can be had" >&2
  exit 1
}
# missing_part REASON: the same for a part of a test; outside CI the rest of it runs.
missing_part() { if in_ci; then missing "$@"; else echo "skipped in part: $*"; fi; }
