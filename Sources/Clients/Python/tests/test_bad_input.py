"""Whatever comes in, Python gets an exception or a result."""

import io
import pathlib
import random
import unittest

import numpy as np

import hand
import pentimento
import run_length

_samples = sorted((pathlib.Path(__file__).parents[4] / "Samples").glob("*.pkd"))
_stroke = np.array([[1, 2], [3, 4]], np.float32)


class ArrayTests(unittest.TestCase):
    def test_wrong_arrays(self):
        wrong = [
            5,
            None,
            [5],
            [None],
            [[5]],
            [[None]],
            [["ab"]],
            [[_stroke, [[1], [2]]]],
            [[_stroke[:, :1]]],
            [[_stroke[0]]],
            [[_stroke[None]]],
            [[np.zeros((2, 5))]],
            [[_stroke.astype(complex)]],
            [[_stroke.astype(object)]],
            [[_stroke.astype(str)]],
            [[[[1, 2], [3]]]],
            [[[[1, 2]]]],
            [[[["a"], ["b"]]]],
            [[[[1], [None]]]],
            [[_stroke, np.zeros((2, 3))]],
            [{"a": 1}],
            [[[[1, 2], [3, 4], [5]]]],
        ]
        for drawings in wrong:
            with self.subTest(repr(drawings)), self.assertRaises((TypeError, ValueError)):
                pentimento.render_batch(drawings)

    def test_places_that_are_none(self):
        for value in [np.nan, np.inf, -np.inf]:
            drawings = [[_stroke]] * 300 + [[np.array([[1, value]], np.float32)]]
            with self.assertRaisesRegex(ValueError, "drawing 300"):
                pentimento.render_batch(drawings)
        # Numbers that are too large for 32 bits become infinite.
        with self.assertRaises(ValueError), np.errstate(over="ignore"):
            pentimento.render_batch([[np.array([[1e300, 1]])]])

    def test_a_hundred_million_points(self):
        # Virtual memory alone, because nothing reads it.
        many = np.zeros((100_000_000, 2), np.float32)
        with self.assertRaises(pentimento.TooLargeError):
            pentimento.render_batch(pentimento.Collection(many, [len(many)], [1]))

    def test_wrong_collections(self):
        points = np.zeros((4, 2), np.float32)
        good = ([2, 4], [2])
        pentimento.Collection(points, *good)
        for strokes, drawings in [
            ([2, 3], [2]),
            ([4, 2], [2]),
            ([2, 4], [3]),
            ([2.0, 4.0], [2]),
            ([-1, 4], [2]),
            ([[2, 4]], [2]),
            ([], [0]),
            ([2, 4], [2, 1]),
            ([2**63 - 1, -(2**63), -1, 4], [4]),
            ([[1], [2, 3]], [2]),
        ]:
            with self.subTest((strokes, drawings)), self.assertRaises((TypeError, ValueError)):
                pentimento.Collection(points, strokes, drawings)
        for wrong in [points[:, :1], points[0], "abc", points.astype(complex)]:
            with self.assertRaises((TypeError, ValueError)):
                pentimento.Collection(wrong, *good)
        with self.assertRaises(ValueError):
            pentimento.Collection(points, *good, times=[1, 2, 3])

    def test_wrong_options(self):
        for wrong in [
            {"size": 0},
            {"size": 4096},
            {"size": (1, 2, 3)},
            {"size": "a"},
            {"line_width": 0},
            {"line_width": -1},
            {"line_width": float("nan")},
            {"padding": -1},
            {"frame": 0},
            {"frame": (1, 2, 3)},
            {"bins": 0},
            {"bins": 1000},
            {"threads": 0},
            {"threads": 1000},
            {"augment": 5},
            {"augment": pentimento.Affine(rotate=500)},
            {"augment": pentimento.Width(2, 1)},
            {"augment": pentimento.Jitter(float("inf"))},
            {"indices": [1, 2]},
            {"fit": True, "padding": 14},
        ]:
            with self.subTest(wrong), self.assertRaises((TypeError, ValueError)):
                pentimento.render_batch([[_stroke]], **wrong)

    def assert_named(self, error, name, function, *arguments, **options):
        """An exception of exactly this type, whose message has the argument's name."""
        with self.subTest(name, arguments=arguments, options=options):
            with self.assertRaises(error) as caught:
                function(*arguments, **options)
            self.assertIs(type(caught.exception), error)
            self.assertIn(name, str(caught.exception))

    def test_wrong_types_are_told_with_the_argument_s_name(self):
        drawing, render = pentimento.open(_samples[0]), pentimento.render_batch
        frames = drawing.frames(fps=1, size=20)
        for name, wrong in {
            "size": ["a", 28.0, (28.0, 28.0), None, {}],
            "bins": [2.0, "2"],
            "threads": [1.5, "a"],
            "seed": [1.5, "1", None],
            "line_width": ["5", [5]],
            "padding": [(1, 2)],
            "frame": ["abcd", None, (1, 2, 3, "4")],
            "out": [[], bytearray(784)],
            "indices": [[1.0], ["1"], [None], 1, [[1]], [[1], [2, 3]]],
        }.items():
            for value in wrong:
                self.assert_named(TypeError, name, render, [[_stroke]], **{name: value})
        for name, change in [
            ("rotate", pentimento.Affine(rotate=(-9, 9))),
            ("scale", pentimento.Affine(scale=2)),
            ("sigma", pentimento.Jitter("a")),
            ("greatest", pentimento.Width(1, None)),
        ]:
            self.assert_named(TypeError, name, render, [[_stroke]], augment=change)
        for name, wrong in {
            "size": ["a", 1.5, (9.5, 9)],
            "threads": [1.5],
            "scale": ["a", None],
            "margin": ["a"],
            "region": [5, "abcd", (1, 2, 3, None)],
            "background": [(0.5, 0, 0)],
        }.items():
            for value in wrong:
                self.assert_named(TypeError, name, drawing.render, **{name: value})
        for name in ["fps", "speed", "maximum_pause"]:
            self.assert_named(TypeError, name, drawing.frames, **{name: "a"})
        for index in [1.5, "a", None, (1, 2)]:
            self.assert_named(TypeError, "index", frames.__getitem__, index)
            self.assert_named(TypeError, "index", pentimento.flatten([[_stroke]]).__getitem__, index)
        for name, function, *arguments in [
            ("name", drawing.text, 5),
            ("format", drawing.encode, None),
            ("name", drawing.channel, []),
            ("data", pentimento.read_quickdraw, 5),
            ("data", pentimento.read_inkml, ["<ink/>", None]),
        ]:
            self.assert_named(TypeError, name, function, *arguments)
        for name, wrong in {"page": [1.5, "a", None], "format": [3, b"pkd"]}.items():
            for value in wrong:
                self.assert_named(TypeError, name, pentimento.open, b"x", **{name: value})

    def test_values_beyond_their_range_are_told_with_the_argument_s_name(self):
        drawing, render = pentimento.open(_samples[0]), pentimento.render_batch
        for name, function, options in [
            ("page", pentimento.open, {"page": 2**32}),
            ("page", pentimento.open, {"page": -1}),
            ("format", pentimento.open, {"format": "pkd\0x"}),
            ("format", pentimento.open, {"format": "\ud800"}),
        ]:
            self.assert_named(ValueError, name, function, _samples[0], **options)
        for name, function, argument in [
            ("name", drawing.text, "title\0"),
            ("name", drawing.text, "\ud800"),
            ("format", drawing.encode, "svg\0"),
            ("data", pentimento.read_inkml, ["\ud800"]),
            ("file", pentimento.open, "a\0b"),
            ("file", pentimento.open, "\ud800"),
        ]:
            self.assert_named(ValueError, name, function, argument)
        for options in [
            {"size": (28,)},
            {"size": 2**63},
            {"frame": (1, 2, 3)},
            {"bins": 10**30},
            {"line_width": 10**400},
        ]:
            self.assert_named(ValueError, *options, render, [[_stroke]], **options)
        for options in [
            {"size": 2**63},
            {"region": (1, 2)},
            {"background": (300, 0, 0)},
            {"background": (1, 2)},
            {"scale": 10**400},
        ]:
            self.assert_named(ValueError, *options, drawing.render, **options)
        self.assert_named(IndexError, str(2**70), drawing.frames(fps=1, size=20).__getitem__, 2**70)
        self.assert_named(IndexError, str(2**63), render, [[_stroke]], indices=[2**63])
        self.assert_named(IndexError, str(2**70), render, [[_stroke]], indices=[2**70])

    def test_what_is_no_list_of_drawings_is_told(self):
        line = hand.line(hand.drawing(1))
        for error, wrong in [
            (TypeError, {"drawing": hand.drawing(1)}),
            (TypeError, None),
            (TypeError, [{"drawing": hand.drawing(1)}]),
            (TypeError, [[{"x": [1], "y": [2]}]]),
            (TypeError, [np.array(5)]),
            (TypeError, [[["ab", "cd"]]]),
            (ValueError, [line]),
            (ValueError, [line.decode()]),
        ]:
            kind = "strokes" if isinstance(wrong, list) and isinstance(wrong[0], list) else "drawings"
            self.assert_named(error, kind, pentimento.render_batch, wrong)

    def test_wrong_texts(self):
        for wrong in [5, None, [5], [None], ["<ink/>", 5]]:
            with self.subTest(wrong), self.assertRaises((TypeError, ValueError)):
                pentimento.read_inkml(wrong)
        for read in [
            pentimento.read_quickdraw,
            pentimento.read_quickdraw_binary,
            pentimento.read_omniglot,
            pentimento.read_inkml,
        ]:
            with self.assertRaises(pentimento.UnreadableError):
                read(b"neither ink nor text \xff\x00")
            with self.assertRaises(ValueError):
                read(b"", damaged="maybe")

    def test_names_of_files_are_told_as_such(self):
        for name in ["none.ndjson", pathlib.Path("none.ndjson")]:
            for read in [
                pentimento.read_quickdraw,
                pentimento.read_quickdraw_binary,
                pentimento.read_omniglot,
                pentimento.read_inkml,
                pentimento.render_batch,
            ]:
                for form in [name, [name]]:
                    if form == [name] and read is pentimento.read_quickdraw_binary:
                        continue
                    with self.subTest((read, form)), self.assertRaisesRegex(OSError, "none.ndjson"):
                        read(form)
        with self.assertRaises(IsADirectoryError):
            pentimento.read_quickdraw(pathlib.Path(__file__).parent)
        self.assert_named(ValueError, "data", pentimento.read_quickdraw, "a\0b")
        # A text is not taken for a file name.
        for text in ["oops\noops", '{"drawing": 5}', ' {"drawing": 5}', "<ink"]:
            with self.subTest(text), self.assertRaises(pentimento.UnreadableError):
                pentimento.read_quickdraw(text)

    def test_an_endless_file_or_stream_is_too_large(self):
        from pentimento import _drawing

        before = _drawing._maximum_bytes
        try:
            _drawing._maximum_bytes = 5_000_000
            for buffering in [0, -1]:
                with self.assertRaisesRegex(pentimento.TooLargeError, "more than 4 MiB"):
                    pentimento.open("/dev/zero")
                with open("/dev/zero", "rb", buffering=buffering) as stream:
                    with self.assertRaisesRegex(pentimento.TooLargeError, "more than 4 MiB"):
                        pentimento.open(stream)
                    self.assertLess(stream.tell(), 7_000_000)
        finally:
            _drawing._maximum_bytes = before

    def test_streams_are_read_to_their_ends_and_must_have_bytes(self):
        data = _samples[0].read_bytes()
        expected = repr(pentimento.open(data))

        class Drops(io.RawIOBase):
            """A stream that gives a few bytes at a time, as pipes do."""

            def __init__(self):
                self.rest = data

            def read(self, count):
                part, self.rest = self.rest[:7000], self.rest[7000:]
                return memoryview(part)

        for stream in [io.BytesIO(data), Drops(), _samples[0].open("rb")]:
            with stream:
                self.assertEqual(repr(pentimento.open(stream)), expected)
        for error, name, answer in [(TypeError, "bytes", "text"), (ValueError, "waits", None), (TypeError, "bytes", 5)]:
            stream = io.RawIOBase()
            stream.read = lambda count, answer=answer: answer
            self.assert_named(error, name, pentimento.open, stream)

    def test_numbers_beyond_their_range_are_told_by_the_argument_s_name_first(self):
        drawing, render = pentimento.open(_samples[0]), pentimento.render_batch
        large = [-1, 1e30, float("nan"), float("inf")]
        for name, values in {
            "line_width": [0, *large],
            "padding": large,
            "frame": [0, *large],
            "size": [0, 1 << 40],
            "bins": [0, 257],
            "threads": [0, 257],
        }.items():
            for value in values:
                self.assert_begins(name, render, [[_stroke]], **{name: value})
        for place in range(4):
            for value in [1e30, float("nan")]:
                frame = [value if place == index else 9 for index in range(4)]
                self.assert_begins("frame", render, [[_stroke]], frame=frame)
        for name, arguments in {
            "rotate": [181, *large],
            "shear": [61, *large],
            "translate": [2, *large],
            "scale": [(0, 1), (2, 1), (1, 1e9), (float("nan"), 1)],
        }.items():
            for value in arguments:
                self.assert_begins(name, render, [[_stroke]], augment=pentimento.Affine(**{name: value}))
        for sigma in large:
            self.assert_begins("sigma", render, [[_stroke]], augment=pentimento.Jitter(sigma))
        for least, greatest in [(2, 1), (0, 1), (1, float("inf"))]:
            self.assert_begins("Width(least, greatest)", render, [[_stroke]], augment=pentimento.Width(least, greatest))
        self.assert_begins("line_width", render, [[_stroke]], fit=True, line_width=20, padding=8)
        nothing = float("nan")
        for name, values in {
            "scale": [0, *large],
            "margin": large,
            "size": [0, 1 << 40],
            "threads": [0, 257],
            "region": [(0, 0, -1, 5), (nothing, 0, 1, 1), (0, 0, float("inf"), 1), (1, 1, 0, 5)],
        }.items():
            for value in values:
                self.assert_begins(name, drawing.render, **{name: value})
                self.assert_begins(name, drawing.frames, **{name: value})
        for name, values in {"fps": [0, 2000, *large], "speed": [0, *large], "maximum_pause": [nothing]}.items():
            for value in values:
                self.assert_begins(name, drawing.frames, **{name: value})

    def assert_begins(self, name, function, *arguments, **options):
        """A `ValueError` whose message begins with the argument's name and says no name of the interface for C."""
        with self.subTest(name, arguments=arguments, options=options):
            with self.assertRaises(ValueError) as caught:
                function(*arguments, **options)
            text = str(caught.exception)
            self.assertTrue(text.removeprefix("the ").startswith(name), text)
            self.assertNotRegex(text, "[a-z]_(?!width|pause)|rotation|translation|jitter|[a-z]\\[")


class FuzzTests(unittest.TestCase):
    """Damaged files through all calls of Python."""

    def test_damaged_files(self):
        count = run_length.count(150, long=20_000)
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
                    data[place : place + chance.randrange(20)] = b""
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
            for read in [
                pentimento.read_quickdraw,
                pentimento.read_quickdraw_binary,
                pentimento.read_omniglot,
                pentimento.read_inkml,
            ]:
                pentimento.render_batch(read(data, damaged="keep"), fit=True)


if __name__ == "__main__":
    unittest.main()
