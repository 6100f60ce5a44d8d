#!/usr/bin/env python3
"""What is linked into the programs of a package, as SPDX 2.3 in JSON (scripts/package calls this).

package_sbom.py VERSION SECONDS STAGE OUTPUT 'DEBIAN-PACKAGE NAME LICENCE…'…      '-' as package: the last word is the version
"""
import datetime
import hashlib
import json
import os
import subprocess
import sys


def component(words):
    package, name, *licence = words.split()
    if package == "-":
        version, origin = licence.pop(), None
    else:
        version, origin = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}\n${source:Package}", package], check=True, capture_output=True, text=True
        ).stdout.split("\n")
    licence = " ".join(licence)
    entry = {
        "SPDXID": "SPDXRef-" + name.replace("+", "p"),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }
    if origin:
        entry["externalRefs"] = [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:deb/debian/{origin}@{version.replace('+', '%2B').replace(':', '%3A')}?arch=source",
            }
        ]
    return entry


def digest_of(stage):
    """Of all programs, so that another build is another document."""
    digest = hashlib.sha256()
    for folder in ("bin", "libexec/clusterc"):
        for name in sorted(os.listdir(os.path.join(stage, folder))):
            with open(os.path.join(stage, folder, name), "rb") as program:
                digest.update(hashlib.sha256(program.read()).digest())
    return digest.hexdigest()


def main():
    version, seconds, stage, output, *parts = sys.argv[1:]
    components = [component(words) for words in parts]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"clusterc-{version}",
        "documentNamespace": f"urn:clusterc:sbom:{version}:{digest_of(stage)}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: scripts/package"],
        },
        "packages": [
            {
                "SPDXID": "SPDXRef-clusterc",
                "name": "clusterc",
                "versionInfo": version,
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False,
                "licenseConcluded": "Apache-2.0",
                "licenseDeclared": "Apache-2.0",
                "copyrightText": "NOASSERTION",
                "primaryPackagePurpose": "APPLICATION",
            },
            *components,
        ],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-clusterc"},
            *(
                {"spdxElementId": "SPDXRef-clusterc", "relationshipType": "STATIC_LINK", "relatedSpdxElement": entry["SPDXID"]}
                for entry in components
            ),
        ],
    }
    if any("LicenseRef-NVIDIA-CUDA" in entry["licenseDeclared"] for entry in components):
        document["hasExtractedLicensingInfos"] = [
            {
                "licenseId": "LicenseRef-NVIDIA-CUDA",
                "name": "CUDA Toolkit End User License Agreement",
                "extractedText": "See share/doc/clusterc/third-party/CUDA-runtime.",
            }
        ]
    with open(output, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
