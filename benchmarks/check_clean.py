#!/usr/bin/env python3
"""A spec that is measured must check clean: no error and no warning but those that it accepts. usage: check_clean.py CLUSTERC NODES"""
import json
import subprocess
import sys

import specs

done = subprocess.run([sys.argv[1], "check", "--strict", "--format", "json", "-"], input=specs.spec(int(sys.argv[2])), capture_output=True, text=True)
bad = [f for f in json.loads(done.stdout)["findings"] if f["severity"] != "note" and not f.get("accepted")] if done.stdout else []
for f in bad:
    print(f"{f['severity']}: {f['message']} [{f['rule']}]")
if done.returncode != 0 or bad:
    sys.exit(f"{sys.argv[2]} nodes: exit status {done.returncode}\n{done.stderr}")
