#!/usr/bin/env python3
"""A mirror of the repositories that compiled plays name, with packages that hold nothing but what a test looks for: the units of their daemons.

usage: mirror.py GROUP_VARS.yaml... OUTPUT_DIR
Every package that a group asks for is there in two releases, the one that is asked for and a newer one that is not to be taken; each
repository is a flat one, or has the suite and component that the plays name, and is signed by a key of its own (OUTPUT_DIR/NAME.key).
"""
import fnmatch
import hashlib
import os
import subprocess
import sys

import yaml

UNITS = {"nvidia-open": "nvidia-persistenced", "cuda-drivers": "nvidia-persistenced", "nvidia-fabricmanager": "nvidia-fabricmanager", "nvidia-imex": "nvidia-imex"}
KEYS = ["cluster_rdma_packages", "cluster_nvidia_packages", "cluster_fabric_manager_packages", "cluster_imex_packages", "cluster_cuda_packages", "cluster_rocm_packages", "cluster_runtime_packages", "cluster_mpi_packages"]
# Of what Pyxis is built with: the header that names the release of Slurm
FILES = {"libslurm-dev": {"usr/include/slurm/slurm_version.h": "#define SLURM_VERSION_NUMBER 0x160508\n"}}


def run(*arguments, **more):
    return subprocess.run(arguments, check=True, capture_output=True, **more).stdout


def package(name, version, folder):
    root = os.path.join(folder, ".build")
    run("rm", "-rf", root)
    os.makedirs(os.path.join(root, "DEBIAN"))
    with open(os.path.join(root, "DEBIAN/control"), "w", encoding="ascii") as file:
        file.write(f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: a test <test@example.org>\nDescription: holds nothing\n")
    for stem, unit in UNITS.items():
        if name.startswith(stem):
            os.makedirs(os.path.join(root, "lib/systemd/system"))
            with open(os.path.join(root, f"lib/systemd/system/{unit}.service"), "w", encoding="ascii") as file:
                file.write("[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n")
    for path, text in FILES.get(name, {}).items():
        os.makedirs(os.path.join(root, os.path.dirname(path)))
        with open(os.path.join(root, path), "w", encoding="ascii") as file:
            file.write(text)
    deb = os.path.join(folder, f"{name}_{version}_all.deb")
    run("dpkg-deb", "--root-owner-group", "-Znone", "-b", root, deb)
    run("rm", "-rf", root)
    return deb


def releases(wanted):
    """What is asked for, and what is newer: "a=580.*" -> 580.95.05-1 and 999-1."""
    name, _, pattern = wanted.partition("=")
    if not pattern:
        return name, ["1.0-1"]
    here = pattern.replace("-*", "-1").replace(".*", ".7").replace("?", "5")
    if not fnmatch.fnmatch(here, pattern):
        sys.exit(f"{wanted}: {here} does not fit")
    epoch = here[: here.index(":") + 1] if ":" in here else ""
    return name, [here, epoch + "999.0-1+cuda99.9"]


def main(arguments):
    out = arguments.pop()
    wanted, sources = {}, {}
    for path in arguments:
        with open(path, encoding="utf-8") as file:
            group = yaml.safe_load(file)
        for key in KEYS:
            for entry in group.get(key, []):
                name, versions = releases(entry)
                wanted.setdefault(name, set()).update(versions)
        if "cluster_pyxis" in group:
            wanted["libslurm-dev"] = {"22.05.8-4"}
        for source in group.get("cluster_repositories", []):
            sources[source["name"]] = source
    home = os.path.join(out, "gnupg")
    os.makedirs(home, mode=0o700)
    environment = dict(os.environ, GNUPGHOME=home)
    # all packages are in every repository: which one has what is the vendors' business
    for name, source in sorted(sources.items()):
        flat = "components" not in source
        pool = os.path.join(out, name) if flat else os.path.join(out, name, "pool")
        index = pool if flat else os.path.join(out, name, "dists", source["suite"])
        packages = index if flat else os.path.join(index, source["components"], "binary-amd64")
        for folder in (pool, packages):
            os.makedirs(folder, exist_ok=True)
        text = ""
        for one, versions in sorted(wanted.items()):
            for version in sorted(versions):
                deb = package(one, version, pool)
                with open(deb, "rb") as file:
                    data = file.read()
                where = os.path.relpath(deb, pool if flat else os.path.join(out, name))
                text += run("dpkg-deb", "-f", deb, text=True) + f"Filename: {'./' if flat else ''}{where}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n\n"
        with open(os.path.join(packages, "Packages"), "w", encoding="ascii") as file:
            file.write(text)
        listed = os.path.relpath(os.path.join(packages, "Packages"), index)
        release = f"Origin: {name}\nDate: Sat, 01 Nov 2025 00:00:00 UTC\nArchitectures: amd64 all\n"
        if not flat:
            release += f"Suite: {source['suite']}\nCodename: {source['suite']}\nComponents: {source['components']}\n"
        release += f"SHA256:\n {hashlib.sha256(text.encode()).hexdigest()} {len(text)} {listed}\n"
        with open(os.path.join(index, "Release"), "w", encoding="ascii") as file:
            file.write(release)
        run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", f"{name} <{name}@example.org>", "ed25519", "sign", env=environment)
        run("gpg", "--batch", "--yes", "--local-user", f"{name}@example.org", "--clearsign", "--output", os.path.join(index, "InRelease"), os.path.join(index, "Release"), env=environment)
        key = run("gpg", "--batch", "--armor", "--export", f"{name}@example.org", env=environment)
        with open(os.path.join(out, f"{name}.key"), "wb") as file:
            file.write(key)
    subprocess.run(["gpgconf", "--kill", "all"], env=environment, check=False)
    print(f"{len(wanted)} packages in {len(sources)} repositories: {', '.join(sorted(sources))}")


main(sys.argv[1:])
