"""Which systems a shared library runs on: reads what it needs from its dynamic section (ELF, 64 bits)."""

import platform
import struct

# Libraries on every Linux with glibc, as the manylinux policies list them.
_everywhere = {
    "libc.so.6",
    "libm.so.6",
    "libpthread.so.0",
    "libdl.so.2",
    "librt.so.1",
    "libgcc_s.so.1",
    "libstdc++.so.6",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
}


def platform_tag(path):
    """The wheel's platform: manylinux with the glibc that is needed, or linux if other libraries are."""
    machine = platform.machine()
    libraries, versions = needs(path)
    glibc = [version for name, version in versions if name == "GLIBC"]
    if libraries <= _everywhere and glibc and not any(name == "GLIBCXX" for name, _ in versions):
        return f"manylinux_{'_'.join(map(str, max(glibc)[:2]))}_{machine}"
    return f"linux_{machine}"


def needs(path):
    """The libraries that a library needs, and the versions of symbols as (name, numbers)."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:5] != b"\x7fELF\x02":
        raise ValueError(f"{path} is no shared library of 64 bits")
    (offset,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments = [struct.unpack_from("<IIQQQQ", data, offset + size * i) for i in range(count)]

    def place(address):
        """The place in the file of an address in memory."""
        for kind, _, start, memory, _, length in segments:
            if kind == 1 and memory <= address < memory + length:
                return address - memory + start
        raise ValueError(f"{path} has no bytes at {address:#x}")

    dynamic = next(segment for segment in segments if segment[0] == 2)
    entries = [struct.unpack_from("<qQ", data, dynamic[2] + 16 * i) for i in range(dynamic[5] // 16)]
    values = dict(entries)
    strings = place(values[5])

    def text(index):
        start = strings + index
        return data[start : data.index(b"\0", start)].decode()

    libraries = {text(value) for tag, value in entries if tag == 1}
    versions = set()
    # The table of required versions: for each library, a chain of its symbol versions.
    library = place(values[0x6FFFFFFE]) if 0x6FFFFFFE in values else None
    for _ in range(values.get(0x6FFFFFFF, 0)):
        _, count, _, first, following = struct.unpack_from("<HHIII", data, library)
        symbol = library + first
        for _ in range(count):
            _, _, _, name, step = struct.unpack_from("<IHHII", data, symbol)
            prefix, _, numbers = text(name).partition("_")
            if numbers.replace(".", "").isdigit():
                versions.add((prefix, tuple(map(int, numbers.split(".")))))
            symbol += step
        library += following
    return libraries, versions
