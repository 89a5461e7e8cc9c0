"""Builds the wheel (PEP 517): compiles `libpentimento.so` in the checkout and packs it with the package.

`pip install ./Sources/Clients/Python` calls it. It needs Swift 6.2 or newer, which it finds as `.ci/setup` does. The library is the
same for all versions of Python, so the wheel's tag is `py3-none-PLATFORM`; `elf.py` says for which systems it is.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import elf

_folder = pathlib.Path(__file__).resolve().parent.parent
_checkout = _folder.parents[2]


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """The metadata alone, for which nothing has to be compiled."""
    info = pathlib.Path(metadata_directory) / f"pentimento-{_version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(_metadata())
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    library = _library()
    tag = f"py3-none-{elf.platform_tag(library)}"
    files = {f"pentimento/{path.name}": path.read_bytes() for path in sorted((_folder / "pentimento").glob("*.py"))}
    files["pentimento/libpentimento.so"] = library.read_bytes()
    files["pentimento/pentimento.h"] = (_checkout / "Sources/Clients/CPentimento/include/pentimento.h").read_bytes()
    name = f"pentimento-{_version()}-{tag}.whl"
    _pack(pathlib.Path(wheel_directory) / name, files, tag)
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A package that imports the checkout's files; the library is copied beside them."""
    library = _library()
    (_folder / "pentimento/libpentimento.so").write_bytes(library.read_bytes())
    tag = f"py3-none-{elf.platform_tag(library)}"
    name = f"pentimento-{_version()}-{tag}.whl"
    _pack(pathlib.Path(wheel_directory) / name, {"pentimento.pth": f"{_folder}\n".encode()}, tag)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("The package is built from a checkout: pip install ./Sources/Clients/Python")


def _library():
    """Compiles the library, if its sources changed, and returns its path.

    `PENTIMENTO_SCRATCH` names the folder of the build; usually it is `.build` of the checkout. A library that exists can be
    packed by its path in `PENTIMENTO_LIBRARY`.
    """
    given = os.environ.get("PENTIMENTO_LIBRARY")
    if given:
        return pathlib.Path(given)
    if not (_checkout / "Package.swift").exists():
        raise SystemExit(f"{_checkout} is no checkout of Pentimento, which the library is built from")
    scratch = os.environ.get("PENTIMENTO_SCRATCH", ".build")
    # Without symbols, the library has half the size.
    build = (
        'source .ci/setup; exec swift build -c release --product pentimento --scratch-path "$1" -Xlinker --strip-all'
    )
    environment = {key: value for key, value in os.environ.items() if key != "BUILD_SHARED_RUNTIME"}
    subprocess.run(["bash", "-ec", build, "bash", scratch], cwd=_checkout, env=environment, check=True)
    return _checkout / scratch / "release/libpentimento.so"


def _version():
    """The version of the project, which its command states."""
    text = (_checkout / "Sources/Programs/Commands/Program/Version.swift").read_text()
    found = re.search(r'static let number = "([0-9.]+)"', text, re.MULTILINE)
    if not found:
        raise SystemExit("Sources/Programs/Commands/Program/Version.swift states no version")
    return found.group(1)


def _metadata():
    readme = (_folder / "README.md").read_text()
    project = (_folder / "pyproject.toml").read_text()

    def value(name):
        return re.search(rf'^{name} = "(.*)"', project, re.MULTILINE).group(1)

    needs = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]", project, re.MULTILINE)[1])
    lines = [
        "Metadata-Version: 2.1",
        "Name: pentimento",
        f"Version: {_version()}",
        f"Summary: {value('description')}",
        f"Requires-Python: {value('requires-python')}",
        *(f"Requires-Dist: {need}" for need in needs),
        "License-File: LICENSE",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + readme


def _pack(path, files, tag):
    """Writes a wheel: the files, and beside them what installers read."""
    info = f"pentimento-{_version()}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": _metadata().encode(),
        f"{info}/WHEEL": (f"Wheel-Version: 1.0\nGenerator: swift_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n").encode(),
        f"{info}/LICENSE": (_checkout / "LICENSE").read_bytes(),
    }
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}")
    record.append(f"{info}/RECORD,,")
    files[f"{info}/RECORD"] = ("\n".join(record) + "\n").encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            # A fixed date, so that the same files give the same wheel.
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, content)
