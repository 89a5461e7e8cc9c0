"""Whether all programs have done the same."""

import sys

from common import call


def darkness(first, *files):
    """The greatest part by which a picture is darker or lighter than the first."""
    import numpy
    from PIL import Image

    def ink(path):
        return float((255 - numpy.asarray(Image.open(path).convert("L"), float)).sum())

    reference = ink(first)
    print(max(abs(ink(path) / reference - 1) for path in files))


def raw_darkness(first, second):
    """The part by which the first picture of four bytes a pixel is darker than the second. The fourth byte is no colour."""
    import numpy

    inks = [
        int((255 - numpy.fromfile(path, numpy.uint8).reshape(-1, 4)[:, :3].astype(int)).sum())
        for path in (first, second)
    ]
    print(inks[0] / inks[1] - 1)


def same_pixels(source, width, height, *files):
    import numpy
    from PIL import Image

    expected = numpy.fromfile(source, numpy.uint8).reshape(int(height), int(width), 4)[..., :3]
    for path in files:
        if not numpy.array_equal(numpy.asarray(Image.open(path).convert("RGB")), expected):
            sys.exit(f"{path} has other pixels than {source}")


def mean_difference(first, second):
    import numpy

    print(numpy.abs(numpy.load(first).astype(int) - numpy.load(second)).mean())


if __name__ == "__main__":
    call(globals())
