"""pcodec, which packs columns of numbers."""

import struct

from common import call


def pcodec_pack(source, output):
    """Each column by the smallest of three kinds of differences, at the highest level."""
    import numpy
    from pcodec import ChunkConfig, DeltaSpec, standalone

    with open(source, "rb") as file:
        columns, points = struct.unpack("<II", file.read(8))
        values = numpy.frombuffer(file.read(), "<f4").reshape(columns, points)
    ways = (DeltaSpec.auto(), DeltaSpec.try_consecutive(1), DeltaSpec.try_consecutive(2))
    with open(output, "wb") as file:
        for column in values:
            parts = [
                standalone.simple_compress(column, ChunkConfig(compression_level=12, delta_spec=way)) for way in ways
            ]
            part = min(parts, key=len)
            file.write(struct.pack("<I", len(part)) + part)


def pcodec_unpack(source):
    from pcodec import standalone

    with open(source, "rb") as file:
        while head := file.read(4):
            standalone.simple_decompress(file.read(struct.unpack("<I", head)[0]))


if __name__ == "__main__":
    call(globals())
