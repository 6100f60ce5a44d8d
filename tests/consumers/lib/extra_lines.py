"""extra_lines.py CLUSTERC SOURCE WORK: each line of extra_lines.txt, asked of the program that reads the file and of `clusterc check`.

A line that the program refuses stands in the compiled file as clusterc would write it; one that it takes is compiled by clusterc itself.
"""
import json
import os
import re
import shutil
import subprocess
import sys

import yaml

clusterc, source, work = (os.path.abspath(a) for a in sys.argv[1:4])
here = os.path.join(source, "tests", "consumers")
spec = open(os.path.join(here, "extra", "spec.yaml"), encoding="utf-8").read()
os.environ["PATH"] += ":/usr/sbin:/sbin"


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace", **{"timeout": 60, **more})
    return done.returncode, done.stdout + done.stderr


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def slurm(tree, name):
    """slurmctld up to the line by which it says that it is no controller of this cluster; slurmdbd up to its database."""
    conf = os.path.join(work, "slurm", "slurm.conf")
    text = open(os.path.join(tree, "slurm", "slurm.conf"), encoding="utf-8").read()
    own = {"StateSaveLocation": work + "/state", "SlurmUser": "root", "AuthType": "auth/none", "SlurmctldLogFile": work + "/ctld.log", "AccountingStorageType": "accounting_storage/none",
           "SlurmctldPidFile": work + "/pid"}
    for key, value in own.items():
        text = re.sub(rf"(?m)^{key}=.*$", f"{key}={value}", text)
    write(conf, text)
    os.makedirs(work + "/state", exist_ok=True)
    if name == "slurm.conf":
        _, said = run("slurmctld", "-D", "-c", "-f", conf)
        return "started on cluster bare" in said and not re.search(r"error: .*(Parsing|[Ii]nvalid (?!MailProg)|unrecognized|Bad value)|fatal:", said.replace("MailProg is invalid", "")), said
    text = open(os.path.join(tree, "slurm", "slurmdbd.conf"), encoding="utf-8").read()
    for key, value in {"SlurmUser": "SlurmUser=root", "Include": "", "LogFile": f"LogFile={work}/dbd.log", "PidFile": f"PidFile={work}/dbd.pid"}.items():
        text = re.sub(rf"(?m)^{key}\b.*$", value, text)
    write(os.path.join(work, "slurm", "slurmdbd.conf"), text, 0o600)
    child = subprocess.Popen(["slurmdbd", "-D"], env={**os.environ, "SLURM_CONF": conf}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = ""
    for line in child.stdout:      # it waits for the database for ever
        said += line
        if "The database must be up" in line or "fatal:" in line:
            break
    child.kill()
    child.wait()
    return "fatal:" not in said, said


def ask(tree, output, name):
    """Whether the program takes the file of this tree, and what it says."""
    path = os.path.join(tree, output, name)
    if output == "slurm":
        return slurm(tree, name)
    if name == "prometheus.yml":
        code, said = run("promtool", "check", "config", path)
    elif name == "alertmanager.yml":
        code, said = run("amtool", "check-config", path)
    elif output == "dns":
        code, said = run("named-checkzone", "-i", "none", "bare.example", os.path.join(tree, "dns", "db.bare.example"))
    elif output == "nginx":
        write(work + "/nginx.conf", f"user root; pid {work}/nginx.pid; error_log {work}/nginx.log; events {{}} http {{ access_log off; include {path}; }}")
        code, said = run("nginx", "-t", "-q", "-c", work + "/nginx.conf")
        code = code or bool(said)
    elif output == "nftables":
        code, said = run("unshare", "-n", "nft", "-c", "-f", path)
    elif output == "chrony":
        code, said = run("chronyd", "-p", "-f", path)
    elif output == "dnsmasq":
        text = open(path, encoding="utf-8").read().replace("/etc/dnsmasq.cluster", os.path.dirname(path))
        code, said = run("dnsmasq", "--test", "-C", write(work + "/dnsmasq.conf", text))
    elif output == "netplan":
        root = os.path.join(work, "netplan-root")
        shutil.rmtree(root, ignore_errors=True)
        node = next(os.path.join(f, n) for f, _, names in sorted(os.walk(os.path.join(tree, "netplan"))) for n in sorted(names) if n == "n1.yaml")
        write(root + "/etc/netplan/60-cluster.yaml", open(node, encoding="utf-8").read(), 0o600)
        write(root + "/etc/netplan/90-extra.yaml", open(path, encoding="utf-8").read(), 0o600)
        code, said = run("netplan", "generate", "--root-dir", root)
    elif output == "cloud-init":
        code, said = run("cloud-init", "schema", "--config-file", os.path.join(tree, "cloud-init", "cpu.user-data"))
    else:
        raise AssertionError(output)
    return code == 0, said


def put(tree, output, name, line):
    """The line where clusterc writes extra lines."""
    if output == "netplan":
        body = "".join("  " + l + "\n" for l in line.split("\n"))
        write(os.path.join(tree, "netplan", "extra.yaml"), "network:\n  version: 2\n" + body, 0o600)
        return
    path = os.path.join(tree, output, {"zone": "db.bare.example", "user-data": "cpu.user-data"}.get(name, name))
    text = open(path, encoding="utf-8").read()
    if output == "nginx":
        text = text.replace("    root /srv;\n", f"    root /srv;\n    {line}\n", 1)
    elif output == "nftables":
        text = text.replace('    iif "lo" accept\n', f'    iif "lo" accept\n    {line}\n', 1)
    elif name == "alertmanager.yml":      # in the place of the compiled key
        key = line.split(":")[0]
        kept, skip = [], False
        for l in text.split("\n"):
            skip = l.startswith(key + ":") or (skip and (l.startswith(" ") or l.startswith("-")))
            if not skip:
                kept.append(l)
        text = "\n".join(kept).rstrip("\n") + "\n" + line + "\n"
    elif name == "prometheus.yml" and line.startswith("alerting:"):
        text = re.sub(r"(?m)^alerting:\n(?: .*\n)*", "", text) + line + "\n"
    elif name == "user-data":
        key = line.split(":")[0]
        text = re.sub(rf"(?m)^{key}:.*\n(?:[ -].*\n)*", "", text) + line + "\n"
    elif output == "slurm" and not line.startswith(("NodeName", "PartitionName")):
        key = line.split("=")[0]
        text = re.sub(rf"(?mi)^{key}=.*\n", "", text) + line + "\n"
    else:
        text += line + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def with_line(output, name, line):
    text = spec + yaml.safe_dump({"outputs": {output: {"extra": {name: [line]}}}}, width=1000)
    return write(os.path.join(work, "spec.yaml"), text)


def findings(path):
    _, said = run(clusterc, "check", "--format", "json", path)
    return {f["rule"]: f["message"] for f in json.loads(said)["findings"] if f["severity"] in ("error", "warning")}


def main():
    base = os.path.join(work, "base")
    code, said = run(clusterc, "compile", write(os.path.join(work, "base.yaml"), spec), "-o", base)
    assert code == 0, said
    plain = findings(os.path.join(work, "base.yaml"))
    wrong, counts, kinds = [], {"-": 0, "+": 0}, {"-": set(), "+": set()}
    place = None
    with open(os.path.join(here, "lib", "extra_lines.txt"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    for text in lines:
        if text.startswith("== "):
            place = text.split()[1:]
        if text[:2] not in ("- ", "+ "):
            continue
        output, name = place
        sign, line = text[0], text[2:].replace("\\n", "\n")
        found = {k: v for k, v in findings(with_line(output, name, line)).items() if k not in plain}
        tree = os.path.join(work, "tree")
        shutil.rmtree(tree, ignore_errors=True)
        if sign == "+":
            if found:
                wrong.append(f"{output}/{name}: '{line}' has findings: {found}")
                continue
            code, said = run(clusterc, "compile", os.path.join(work, "spec.yaml"), "-o", tree)
            assert code == 0, said
        else:
            shutil.copytree(base, tree, symlinks=True)
            put(tree, output, name, line)
            if not found:
                wrong.append(f"{output}/{name}: '{line}' has no finding")
        taken, said = ask(tree, output, name)
        if taken != (sign == "+"):
            wrong.append(f"{output}/{name}: '{line}' is {'taken' if taken else 'refused'} by the program: {said[-300:]}")
        counts[sign] += 1
        kinds[sign].add((output, name))
    if wrong:
        print(*wrong, sep="\n")
        return 1
    assert counts["-"] >= 60 and counts["+"] >= 60 and len(kinds["-"]) >= 10 and len(kinds["+"]) >= 10, counts
    print(f"ok: {counts['-']} lines of {len(kinds['-'])} files that programs refuse are findings, {counts['+']} lines of {len(kinds['+'])} files that they take are none")
    return 0


if __name__ == "__main__":
    sys.exit(main())
