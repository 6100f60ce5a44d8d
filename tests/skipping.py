"""Why a test does not run; tests/consumers/lib/skipping.bash and tests/skipping.h say the same in bash and C++."""
import os
import sys


def cannot(reason):
    """This machine cannot do it, whatever is installed: no GPU, no feature of the kernel, another system. A skip everywhere."""
    print(f"skipped: {reason}")
    sys.exit(77)


def in_ci():
    return os.environ.get("CI", "") not in ("", "0", "false")


def missing(reason):
    """A program, package or part of the build that scripts/test brings: a skip on a user's machine, a failure where CI is set."""
    if not in_ci():
        cannot(reason)
    sys.exit(f"FAILED: {reason}; CI is set, and scripts/test brings all that can be had")


def missing_part(reason):
    """The same for a part of a test; outside CI the rest of it runs."""
    if in_ci():
        missing(reason)
    print(f"skipped in part: {reason}")
