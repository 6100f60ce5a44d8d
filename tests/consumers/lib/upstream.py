#!/usr/bin/env python3
"""What stands in the place of the internet: every repository and file that a compiled mirror/ names, at the path that it has there.

usage: upstream.py TREE/mirror OUTPUT_DIR
OUTPUT_DIR/HOST/PATH holds one package in each suite and area, which holds nothing; what is signed is so by one key, which also lies where repositories have theirs.
"""
import gzip
import hashlib
import os
import re
import subprocess
import sys

tree, out = sys.argv[1:]
home = os.path.join(out, ".gnupg")
os.makedirs(home, mode=0o700)
environment = dict(os.environ, GNUPGHOME=home)


def run(*arguments, **more):
    return subprocess.run(arguments, check=True, capture_output=True, env=environment, **more).stdout


def lines(name):
    path = os.path.join(tree, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if not line.startswith("#")]


def at(url):
    return os.path.join(out, url.split("://", 1)[1].rstrip("/"))


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def deb(name, folder):
    os.makedirs(folder, exist_ok=True)
    root = os.path.join(out, ".deb")
    write(os.path.join(root, "DEBIAN/control"), f"Package: {name}\nVersion: 1.0-1\nArchitecture: all\nMaintainer: a test <test@example.org>\nDescription: holds nothing\n".encode())
    path = os.path.join(folder, f"{name}_1.0-1_all.deb")
    run("dpkg-deb", "--root-owner-group", "-Znone", "-b", root, path)
    return path


run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "upstream@example.org", "rsa2048", "sign")
key = run("gpg", "--batch", "--armor", "--export", "upstream@example.org")

suites = {}
for line in lines("mirror.list"):
    match = re.fullmatch(r"deb \[arch=(\w+)\] (\S+) (\S+)((?: \S+)*)", line)
    if match:
        suites.setdefault((match[2], match[3]), []).extend((match[1], area) for area in match[4].split())
count = 0
for (url, suite), areas in sorted(suites.items()):
    root = at(url)
    index = root if suite == "./" else os.path.join(root, "dists", suite)
    listed = {}
    for arch, area in areas or [("amd64", "")]:
        count += 1
        path = deb(f"try-{count}", os.path.join(root, "" if suite == "./" else f"pool/{suite}/{area}"))
        with open(path, "rb") as file:
            data = file.read()
        where = ("./" if suite == "./" else "") + os.path.relpath(path, root)
        text = run("dpkg-deb", "-f", path) + f"Filename: {where}\nSize: {len(data)}\nMD5sum: {hashlib.md5(data).hexdigest()}\nSHA256: {hashlib.sha256(data).hexdigest()}\n\n".encode()
        folder = "" if suite == "./" else f"{area}/binary-{arch}/"
        listed[folder + "Packages"] = text
        listed[folder + "Packages.gz"] = gzip.compress(text, mtime=0)
    release = f"Origin: upstream\nSuite: {suite}\nCodename: {suite}\nDate: Sat, 01 Nov 2025 00:00:00 UTC\nArchitectures: amd64 all\n"
    if areas:
        release += f"Components: {' '.join(a for _, a in areas)}\n"
    release += "SHA256:\n" + "".join(f" {hashlib.sha256(d).hexdigest()} {len(d)} {n}\n" for n, d in sorted(listed.items()))
    for name, data in listed.items():
        write(os.path.join(index, name), data)
    write(os.path.join(index, "Release"), release.encode())
    for kind, name in (("--clearsign", "InRelease"), ("--armor", "Release.gpg")):
        run("gpg", "--batch", "--yes", *(["--detach-sign"] if name == "Release.gpg" else []), kind, "--output", os.path.join(index, name), os.path.join(index, "Release"))

repositories = [line.split("=", 1)[1] for line in lines("mirror.repo") if line.startswith("baseurl=")]
for number, url in enumerate(repositories):
    spec = os.path.join(out, ".spec")
    write(spec, f"Name: try-rpm-{number}\nVersion: 1\nRelease: 1\nSummary: nothing\nLicense: none\nBuildArch: noarch\n%description\nnothing\n%files\n".encode())
    run("rpmbuild", "-bb", "--define", f"_rpmdir {at(url)}", "--define", f"_topdir {out}/.rpm", "--define", "_build_name_fmt %%{NAME}-1.rpm", spec)
    run("createrepo_c", "--quiet", at(url))
files = lines("files")
for url in files:
    write(at(url), key if url.endswith((".pub", ".key", "Mellanox", "/gpg", "/gpgkey")) else f"what {url} holds\n".encode())
write(os.path.join(out, "key.asc"), key)
subprocess.run(["gpgconf", "--kill", "all"], env=environment, check=False)
hosts = sorted({url.split("/")[2] for url in [u for u, _ in suites] + repositories + files})
with open(os.path.join(out, "hosts"), "w", encoding="ascii") as file:
    file.write("\n".join(hosts) + "\n")
print(f"{count} areas of {len(suites)} suites for apt, {len(repositories)} repositories for dnf, {len(files)} files, on {len(hosts)} hosts")
