#!/usr/bin/env python3
"""A folder that may not be written to: one reason, no change; with nothing to do it does not matter.

usage: unwritable.py PROGRAMS SOURCE WORK
"""
import os
import shutil
import subprocess
import sys
import tempfile


def main():
    # Root may write anywhere: the program runs as nobody then, from a place that nobody can reach.
    root = os.geteuid() == 0
    work = tempfile.mkdtemp(prefix="clusterc-unwritable-")
    around = os.path.join(work, "around")
    try:
        os.chmod(work, 0o755)
        writer = shutil.copy(os.path.join(sys.argv[1], "fault_write_tree"), work)
        os.mkdir(around)
        if root:
            os.chown(around, 65534, 65534)

        def write(variant):
            return subprocess.run([writer, os.path.join(around, "out"), variant, "10"], capture_output=True, text=True, check=False,
                                  **({"user": 65534, "group": 65534, "extra_groups": []} if root else {}))

        first = write("a")
        assert first.returncode == 0, first.stdout
        os.chmod(around, 0o555)
        same = write("a")
        assert same.returncode == 0 and "unchanged 10" in same.stdout, same.stdout
        other = write("b")
        assert other.returncode == 1 and "Permission denied" in other.stdout, other.stdout
        os.chmod(around, 0o755)
        again = write("a")
        assert "written 0 unchanged 10" in again.stdout, again.stdout
        os.chmod(os.path.join(around, "out", "d000", "f000001"), 0)
        unreadable = write("b")
        assert unreadable.returncode == 1 and "cannot be read" in unreadable.stdout, unreadable.stdout
    finally:
        os.chmod(around, 0o755)
        shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
