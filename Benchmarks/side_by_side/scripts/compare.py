"""Whether all programs have done the same."""

import json
import sys

from common import call


def pictures(first, *files):
    """The differences of pictures to the first, of 255: the mean of all pixels, and the mean and the 99th percentile of those
    with ink in one of the two.
    """
    import numpy
    from PIL import Image

    def grey(path):
        return numpy.asarray(Image.open(path).convert("L"), int)

    reference, found = grey(first), []
    for other in map(grey, files):
        if other.shape != reference.shape:
            sys.exit(f"{files[len(found)]} has {other.shape} pixels, {first} {reference.shape}")
        apart = abs(other - reference)
        inked = apart[(other < 255) | (reference < 255)]
        found.append([apart.mean(), inked.mean(), numpy.percentile(inked, 99)])
    print(json.dumps(found))


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
