"""What is inside of a release: its files and the libraries that they are linked with, and the libraries' licences.

    spdx.py document --version V --commit C --root DIR --archives DIR FILE…   a list in SPDX 2.3, as JSON
    spdx.py notices LIST…                                                    licences of static libraries, as text
    spdx.py packages PROGRAM…                                                packages of shared libraries, by line

A LIST is what lld's --print-archive-stats wrote: how many members of each archive it took. Names and versions of
libraries are those of the packages that their files belong to.
"""

import argparse
import datetime
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

# By source package, whose name is given without its version. Debian's copyright files also list the
# licences of tests, documentation and build scripts; these are the licences of the library itself,
# taken from the same files.
LICENSES = {
    "curl": "curl",
    "expat": "MIT",
    "gcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "giflib": "MIT",
    "glibc": "LGPL-2.1-or-later",
    "libmicrohttpd": "LGPL-2.1-or-later",
    "libpng": "libpng-2.0",
    "libwebp": "BSD-3-Clause",
    "openssl": "Apache-2.0",
    "postgresql": "PostgreSQL",
    "sqlite": "blessing",
    "swift": "Apache-2.0 WITH Swift-exception",
    "zlib": "Zlib",
}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Library:
    """The source package of a library, and those of its binary packages that were linked."""

    def __init__(self, name, version, notice):
        self.name, self.version, self.notice = name, version, notice
        self.packages = set()

    @property
    def license(self):
        plain = re.sub(r"[-.0-9]+$", "", self.name)
        return LICENSES.get(plain, "NOASSERTION")

    @property
    def identifier(self):
        return "SPDXRef-Library-" + re.sub(r"[^A-Za-z0-9.]+", "-", self.name)


libraries = {}


@functools.cache
def library(path):
    """The library that a file of this machine belongs to."""
    path = os.path.realpath(path)
    if "/swift" in path:
        text = output("swift", "--version")
        version = re.search(r"Swift version (\S+)", text)[1]
        notice = Path(path[: path.index("/usr/lib")]) / "usr/share/swift/LICENSE.txt"
        return libraries.setdefault("swift", Library("swift", version, notice))
    # On some systems, the folders of / are links to those of /usr, and their package database may
    # use either name.
    other = path[4:] if path.startswith("/usr/") else "/usr" + path
    owner = None
    for name in (path, other):
        result = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if result.returncode == 0:
            owner = result.stdout.rsplit(": ", 1)[0].split(", ")[0]
            break
    if owner is None:
        sys.exit(f"No package has {path}")
    format = "${source:Package} ${source:Version} ${binary:Package}"
    name, version, package = output("dpkg-query", "-W", "-f", format, owner).split()
    plain = package.split(":")[0]
    notice = Path(f"/usr/share/doc/{plain}/copyright")
    found = libraries.setdefault(name, Library(name, version, notice))
    found.packages.add(plain)
    return found


def archives(list):
    """The archives of which a link took members."""
    for line in Path(list).read_text().splitlines()[1:]:
        taken, path = line.split("\t")[-2:]
        if int(taken) > 0:
            yield path


def static_libraries(list):
    return sorted({library(path) for path in archives(list)}, key=lambda each: each.name)


@functools.cache
def late_libraries():
    """The libraries that programs load when one of their functions is first called."""
    texts = [path.read_text() for path in Path("Sources").glob("*/*/Late*.c")]
    return [name for text in texts for name in re.findall(r'static struct LateLibrary \w+ = \{"([^"]+)"', text)]


def shared_files(program):
    """The files of the shared libraries that a program needs, also of those that it loads late."""
    dynamic = output("readelf", "-dW", str(program))
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    names += [name for name in late_libraries() if name.encode() in Path(program).read_bytes()]
    cache = output("/sbin/ldconfig", "-p")
    for name in names:
        found = re.search(rf"^\s*{re.escape(name)} \(libc6,x86-64.*=> (.*)$", cache, re.MULTILINE) or re.search(
            rf"^\s*{re.escape(name)} .*=> (.*)$", cache, re.MULTILINE
        )
        if not found:
            sys.exit(f"{program} needs {name}, which is not installed")
        yield found[1]


def shared_libraries(program):
    return sorted({library(path) for path in shared_files(program)}, key=lambda each: each.name)


def notices(arguments):
    found = {each for list in arguments.lists for each in static_libraries(list)}
    for each in sorted(found, key=lambda each: each.name):
        print(f"{'=' * 80}\n{each.name} {each.version}: {each.license}\n{'=' * 80}\n")
        print(each.notice.read_text(errors="replace").rstrip(), end="\n\n")


def packages(arguments):
    for program in arguments.programs:
        for path in shared_files(program):
            library(path)
    for name in sorted({name for each in libraries.values() for name in each.packages}):
        print(name)


def digest(path, method):
    return hashlib.new(method, path.read_bytes()).hexdigest()


def file_type(path):
    if path.read_bytes()[:4] == b"\x7fELF":
        return "BINARY"
    return "SOURCE" if path.suffix == ".h" else "TEXT"


def library_package(each, system):
    package = {
        "SPDXID": each.identifier,
        "name": each.name,
        "versionInfo": each.version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": each.license,
        "licenseDeclared": each.license,
        "copyrightText": "NOASSERTION",
        "supplier": "NOASSERTION",
    }
    if each.packages:
        identifier, version = system
        package["comment"] = "Of the packages " + ", ".join(sorted(each.packages))
        package["externalRefs"] = [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:deb/{identifier}/{each.name}@{each.version.replace(':', '%3A').replace('+', '%2B')}"
                f"?arch=source&distro={identifier}-{version}",
            }
        ]
    else:
        package["downloadLocation"] = f"git+https://github.com/swiftlang/swift@swift-{each.version}-RELEASE"
        package["supplier"] = "Organization: Swift.org"
    return package


def document(arguments):
    root = Path(arguments.root)
    relations = []

    def relate(a, kind, b):
        relations.append({"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b})

    main = "SPDXRef-Package-pentimento"
    relate("SPDXRef-DOCUMENT", "DESCRIBES", main)
    files, sums, identifiers = [], [], {}
    for path in sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink()):
        name = str(path.relative_to(root))
        identifier = "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)
        assert identifier not in identifiers.values(), name
        identifiers[name] = identifier
        sums.append(digest(path, "sha1"))
        files.append(
            {
                "SPDXID": identifier,
                "fileName": "./" + name,
                "fileTypes": [file_type(path)],
                "checksums": [
                    {"algorithm": "SHA1", "checksumValue": sums[-1]},
                    {"algorithm": "SHA256", "checksumValue": digest(path, "sha256")},
                ],
                "licenseConcluded": "NOASSERTION" if name.startswith("LICENSES") else "MIT",
                "licenseInfoInFiles": ["NOASSERTION" if name.startswith("LICENSES") else "MIT"],
                "copyrightText": "NOASSERTION",
            }
        )
        relate(main, "CONTAINS", identifier)
    for name in arguments.files:
        path = root / name if "/" in name else root / "bin" / name
        identifier = identifiers[str(path.relative_to(root))]
        # An archive's list has the name of the linker's output file.
        list = Path(arguments.archives) / (re.sub(r"\.so\.\d+$", ".so", path.name) + ".archives")
        for each in static_libraries(list):
            relate(identifier, "STATIC_LINK", each.identifier)
        for each in shared_libraries(path):
            relate(identifier, "DYNAMIC_LINK", each.identifier)

    release = dict(line.replace('"', "").strip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
    system = release["ID"], release.get("VERSION_ID", "unstable")
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    copyright = re.search(r"Copyright \(c\).*", (root / "LICENSE").read_text())[0]
    package = {
        "SPDXID": main,
        "name": "pentimento",
        "versionInfo": arguments.version,
        "downloadLocation": "NOASSERTION",
        "sourceInfo": f"built of commit {arguments.commit}",
        "filesAnalyzed": True,
        "packageVerificationCode": {
            "packageVerificationCodeValue": hashlib.sha1("".join(sorted(sums)).encode()).hexdigest()
        },
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "MIT",
        "licenseInfoFromFiles": ["MIT", "NOASSERTION"],
        "copyrightText": copyright,
        "supplier": "Organization: The Pentimento authors",
        "primaryPackagePurpose": "APPLICATION",
    }
    json.dump(
        {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"pentimento-{arguments.version}",
            # The identifier of this list, whose contents are determined by the commit and the build
            # system.
            "documentNamespace": f"https://spdx.org/spdxdocs/pentimento-{arguments.version}-{arguments.commit}-"
            + hashlib.sha256("".join(sums).encode()).hexdigest()[:16],
            "creationInfo": {
                "created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
                "creators": ["Tool: pentimento-release", "Organization: The Pentimento authors"],
            },
            "packages": [package]
            + [library_package(each, system) for each in sorted(libraries.values(), key=lambda each: each.name)],
            "files": files,
            "relationships": relations,
        },
        sys.stdout,
        indent=1,
    )
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("document")
    for option in ("version", "commit", "root", "archives"):
        verb.add_argument("--" + option, required=True)
    verb.add_argument("files", nargs="+")
    verb.set_defaults(run=document)
    verb = verbs.add_parser("notices")
    verb.add_argument("lists", nargs="+")
    verb.set_defaults(run=notices)
    verb = verbs.add_parser("packages")
    verb.add_argument("programs", nargs="+")
    verb.set_defaults(run=packages)
    arguments = parser.parse_args()
    arguments.run(arguments)


main()
