"""Whatever comes in, Python gets an exception or a result."""

import os
import pathlib
import random
import unittest

import numpy as np

import hand
import pentimento

_samples = sorted((pathlib.Path(__file__).parents[3] / "Samples").glob("*.pkd"))
_stroke = np.array([[1, 2], [3, 4]], np.float32)


class ArrayTests(unittest.TestCase):
    def test_wrong_arrays(self):
        wrong = [
            5, None, [5], [None], [[5]], [[None]], [["ab"]], [[_stroke, [[1], [2]]]],
            [[_stroke[:, :1]]], [[_stroke[0]]], [[_stroke[None]]], [[np.zeros((2, 5))]],
            [[_stroke.astype(complex)]], [[_stroke.astype(object)]], [[_stroke.astype(str)]],
            [[[[1, 2], [3]]]], [[[[1, 2]]]], [[[["a"], ["b"]]]], [[[[1], [None]]]],
            [[_stroke, np.zeros((2, 3))]], [{"a": 1}], [[[[1, 2], [3, 4], [5]]]],
        ]
        for drawings in wrong:
            with self.subTest(repr(drawings)), self.assertRaises((TypeError, ValueError)):
                pentimento.render_batch(drawings)

    def test_places_that_are_none(self):
        for value in [np.nan, np.inf, -np.inf]:
            drawings = [[_stroke]] * 300 + [[np.array([[1, value]], np.float32)]]
            with self.assertRaisesRegex(ValueError, "drawing 300"):
                pentimento.render_batch(drawings)
        # Numbers that are too large for 32 bits are infinite there.
        with self.assertRaises(ValueError), np.errstate(over="ignore"):
            pentimento.render_batch([[np.array([[1e300, 1]])]])

    def test_a_billion_points(self):
        # Memory that exists only as addresses.
        few = np.zeros((1, 2), np.float32)
        many = np.broadcast_to(few, (1_000_000_000, 2))
        collection = pentimento.flatten([[_stroke]])
        collection.points = many
        collection.stroke_ends = np.array([1_000_000_000])
        with self.assertRaises(pentimento.TooLargeError):
            pentimento.render_batch(collection)

    def test_wrong_collections(self):
        points = np.zeros((4, 2), np.float32)
        good = ([2, 4], [2])
        pentimento.Collection(points, *good)
        for strokes, drawings in [([2, 3], [2]), ([4, 2], [2]), ([2, 4], [3]), ([2.0, 4.0], [2]),
                                  ([-1, 4], [2]), ([[2, 4]], [2]), ([], [0]), ([2, 4], [2, 1])]:
            with self.subTest((strokes, drawings)), self.assertRaises((TypeError, ValueError)):
                pentimento.Collection(points, strokes, drawings)
        for wrong in [points[:, :1], points[0], "abc", points.astype(complex)]:
            with self.assertRaises((TypeError, ValueError)):
                pentimento.Collection(wrong, *good)
        with self.assertRaises(ValueError):
            pentimento.Collection(points, *good, times=[1, 2, 3])

    def test_wrong_options(self):
        for wrong in [{"size": 0}, {"size": 4096}, {"size": (1, 2, 3)}, {"size": "a"},
                      {"line_width": 0}, {"line_width": -1}, {"line_width": float("nan")},
                      {"padding": -1}, {"frame": 0}, {"frame": (1, 2, 3)}, {"bins": 0},
                      {"bins": 1000}, {"threads": 0}, {"threads": 1000}, {"augment": 5},
                      {"augment": pentimento.Affine(rotate=500)}, {"augment": pentimento.Width(2, 1)},
                      {"augment": pentimento.Jitter(float("inf"))}, {"indices": [1, 2]},
                      {"fit": True, "padding": 14}, {"size": 1.5}]:
            with self.subTest(wrong), self.assertRaises((TypeError, ValueError)):
                pentimento.render_batch([[_stroke]], **wrong)

    def test_wrong_texts(self):
        for wrong in [5, None, [5], [None], ["<ink/>", 5]]:
            with self.subTest(wrong), self.assertRaises((TypeError, ValueError)):
                pentimento.read_inkml(wrong)
        for read in [pentimento.read_quickdraw, pentimento.read_quickdraw_binary,
                     pentimento.read_omniglot, pentimento.read_inkml]:
            with self.assertRaises(pentimento.UnreadableError):
                read(b"neither ink nor text \xff\x00")
            with self.assertRaises(ValueError):
                read(b"", damaged="maybe")


class FuzzTests(unittest.TestCase):
    """Damaged files through all calls of Python; `PENTIMENTO_FUZZ` is their number."""

    def test_damaged_files(self):
        count = int(os.environ.get("PENTIMENTO_FUZZ", 150))
        chance = random.Random(21)
        lines = b"".join(hand.line(hand.drawing(seed), word="a") for seed in range(4))
        text = hand.inkml(hand.drawing(1)).encode()
        smallest = min(_samples, key=lambda path: path.stat().st_size).read_bytes()
        for _ in range(count):
            data = bytearray(chance.choice([lines, text, smallest]))
            for _ in range(chance.randint(1, 6)):
                place = chance.randrange(len(data))
                kind = chance.randrange(4)
                if kind == 0:
                    data[place] ^= 1 << chance.randrange(8)
                elif kind == 1:
                    data[place:place + chance.randrange(20)] = b""
                elif kind == 2:
                    data[place:place] = bytes(chance.randrange(256) for _ in range(9))
                else:
                    data[place:] = data[: chance.randrange(len(data))]
                if not data:
                    data = bytearray(b"x")
            data = bytes(data)
            try:
                drawing = pentimento.open(data)
                drawing.render(size=30)
                [stroke.x for stroke in drawing.strokes]
                drawing.to_svg()
                drawing.to_pkd()
            except pentimento.Error:
                pass
            for read in [pentimento.read_quickdraw, pentimento.read_quickdraw_binary,
                         pentimento.read_omniglot, pentimento.read_inkml]:
                pentimento.render_batch(read(data, damaged="keep"), fit=True)


if __name__ == "__main__":
    unittest.main()
