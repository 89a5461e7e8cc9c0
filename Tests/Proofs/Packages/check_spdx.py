"""Checks the list of a release's contents: check_spdx.py LIST FOLDER. The fields that SPDX 2.3 requires are there, what
they refer to exists, and every file of the folder is listed with its sums."""

import hashlib
import json
import re
import sys
from pathlib import Path

list = json.loads(Path(sys.argv[1]).read_text())
folder = Path(sys.argv[2])


def require(condition, sentence):
    if not condition:
        sys.exit(sentence)


def fields(element, *names):
    for name in names:
        require(element.get(name) not in (None, "", []), f"{element.get('SPDXID')} lacks {name}")


fields(list, "spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo")
require(list["spdxVersion"] == "SPDX-2.3", "another version of SPDX")
require(list["dataLicense"] == "CC0-1.0", "the licence of the list itself must be CC0-1.0")
require(re.fullmatch(r"https://[^#]+", list["documentNamespace"]), "the namespace is no address without fragment")
require(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", list["creationInfo"]["created"]), "the date is malformed")
for creator in list["creationInfo"]["creators"]:
    require(re.match(r"(Person|Organization|Tool): ", creator), f"{creator} is no creator")

elements = [list, *list["packages"], *list["files"]]
identifiers = {element["SPDXID"] for element in elements}
require(len(identifiers) == len(elements), "an identifier is used twice")
for identifier in identifiers:
    require(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identifier), f"{identifier} is no identifier")
for package in list["packages"]:
    fields(package, "name", "versionInfo", "downloadLocation", "licenseDeclared", "copyrightText")
    require(package["filesAnalyzed"] == ("packageVerificationCode" in package), f"{package['name']}: which files?")
    isKnown = package["licenseDeclared"] != "NOASSERTION"
    require(isKnown, f"the licence of {package['name']} is not known: add it to spdx.py")
for relation in list["relationships"]:
    for end in ("spdxElementId", "relatedSpdxElement"):
        require(relation[end] in identifiers, f"{relation[end]} does not exist")
kinds = {each["relationshipType"] for each in list["relationships"]}
require(kinds == {"DESCRIBES", "CONTAINS", "STATIC_LINK", "DYNAMIC_LINK"}, f"the kinds of relations are {kinds}")
linked = {each["relatedSpdxElement"] for each in list["relationships"] if each["relationshipType"].endswith("_LINK")}
for package in list["packages"][1:]:
    require(package["SPDXID"] in linked, f"nothing is linked with {package['name']}")

listed = {file["fileName"]: file for file in list["files"]}
files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
present = {"./" + str(path.relative_to(folder)): path for path in files}
require(listed.keys() == present.keys(), f"listed or present alone: {listed.keys() ^ present.keys()}")
sums = []
for name, path in present.items():
    for checksum in listed[name]["checksums"]:
        value = hashlib.new(checksum["algorithm"].lower(), path.read_bytes()).hexdigest()
        require(value == checksum["checksumValue"], f"{name} has another {checksum['algorithm']}")
    sums.append(hashlib.sha1(path.read_bytes()).hexdigest())
code = hashlib.sha1("".join(sorted(sums)).encode()).hexdigest()
stated = list["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"]
require(code == stated, "the verification code is another")
print(f"{len(listed)} files, {len(list['packages']) - 1} libraries, {len(list['relationships'])} relations")
