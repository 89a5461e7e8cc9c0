import gzip
import io
import pathlib
import tempfile
import unittest
import zipfile

import numpy as np

import hand
import pentimento

_drawings = [hand.drawing(seed) for seed in range(60)]
_arrays = [hand.arrays(drawing) for drawing in _drawings]


class CollectionTests(unittest.TestCase):
    def assert_same(self, collection, drawings=_arrays):
        self.assertEqual(len(collection), len(drawings))
        for found, expected in zip(map(collection.__getitem__, range(len(drawings))), drawings):
            self.assertEqual(len(found), len(expected))
            for a, b in zip(found, expected):
                np.testing.assert_array_equal(a, b)

    def test_lines(self):
        data = b"".join(
            hand.line(d, word=f"wört {i}", key_id=str(2**60 + i), recognized=i % 2 == 0)
            for i, d in enumerate(_drawings)
        )
        collection = pentimento.read_quickdraw(data)
        self.assert_same(collection)
        self.assertEqual(collection.labels[3], "wört 3")
        self.assertEqual(collection.keys[59], str(2**60 + 59))
        self.assertEqual(collection.recognized[:2].tolist(), [1, 0])
        self.assertIsNone(collection.times)
        self.assertIn("60 drawings", repr(collection))

    def test_records(self):
        import struct

        data = b"".join(
            struct.pack("<Q2sBIH", 7 + i, b"CH", 1, 1_488_000_000, len(d))
            + b"".join(struct.pack("<H", len(xs)) + bytes(xs) + bytes(ys) for xs, ys in d)
            for i, d in enumerate(_drawings)
        )
        collection = pentimento.read_quickdraw_binary(data)
        self.assert_same(collection)
        self.assertEqual(collection.keys[0], "7")
        with self.assertRaises(pentimento.UnreadableError):
            pentimento.read_quickdraw_binary(data[:-1])

    def test_omniglot(self):
        def text(drawing):
            rows = ["START"]
            for xs, ys in drawing:
                rows += [f"{x},{-y},{10 * i}" for i, (x, y) in enumerate(zip(xs, ys))] + ["BREAK"]
            return "\n".join(rows) + "\n"

        self.assert_same(pentimento.read_omniglot([text(d) for d in _drawings]))
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for i, d in enumerate(_drawings):
                archive.writestr(f"strokes/Greek/character{i // 20:02}/{i:04}.txt", text(d))
        collection = pentimento.read_omniglot(stream.getvalue())
        self.assert_same(collection)
        self.assertEqual(collection.labels[25], "Greek/character01")
        self.assertAlmostEqual(collection.times[1], 0.01)

    def test_inkml(self):
        texts = [hand.inkml(d, f"x_{i}") for i, d in enumerate(_drawings)]
        for form in [texts, [text.encode() for text in texts], tuple(texts)]:
            collection = pentimento.read_inkml(form)
            self.assert_same(collection)
            self.assertEqual(collection.labels[7], "x_7")
        self.assert_same(pentimento.read_inkml(texts[0]), _arrays[:1])
        pictures = pentimento.render_inkml(texts, size=100)
        np.testing.assert_array_equal(pictures, pentimento.render_batch(_arrays, 100, fit=True))
        np.testing.assert_array_equal(pictures, pentimento.render_batch(texts, 100))

    def test_damage(self):
        data = hand.line(_drawings[0]) + b"oops\n" + hand.line(_drawings[1])
        with self.assertRaisesRegex(pentimento.UnreadableError, "drawing 1: .* line 2"):
            pentimento.read_quickdraw(data)
        collection = pentimento.read_quickdraw(data, damaged="keep")
        self.assert_same(collection, [_arrays[0], [], _arrays[1]])
        self.assertEqual([drawing for drawing, _ in collection.damage], [1])

    def test_arrays_keep_the_memory(self):
        points = pentimento.read_quickdraw(hand.line(_drawings[0])).points
        expected = np.concatenate(_arrays[0])
        junk = [pentimento.read_quickdraw(b"".join(map(hand.line, _drawings))) for _ in range(20)]
        np.testing.assert_array_equal(points, expected)
        self.assertFalse(points.flags.writeable)
        self.assertEqual(len(junk), 20)

    def test_other_processes_get_copies(self):
        import copy
        import pickle

        data = b"".join(hand.line(d, word=f"w{i}") for i, d in enumerate(_drawings))
        collection = pentimento.read_quickdraw(data)
        for other in [pickle.loads(pickle.dumps(collection)), copy.deepcopy(collection)]:
            self.assert_same(other)
            self.assertEqual(other.labels[5], "w5")
            np.testing.assert_array_equal(pentimento.render_batch(other), pentimento.render_batch(collection))
        with self.assertRaises(TypeError):
            pickle.dumps(pentimento.open(data))
        self.assertEqual(collection.take([7, 2]).labels, ["w7", "w2"])

    def test_take_and_slices(self):
        timed = [[np.c_[s, np.arange(len(s))].astype(np.float32) for s in d] for d in _arrays]
        collection = pentimento.flatten(timed)
        self.assert_same(collection[10:50:7], _arrays[10:50:7])
        self.assert_same(collection[::-1], _arrays[::-1])
        self.assert_same(collection.take([3, 3, 0]), [_arrays[3], _arrays[3], _arrays[0]])
        self.assert_same(collection.take([]), [])
        self.assertEqual(collection.take([4]).times[1], 1)
        self.assertEqual(len(collection[-1]), len(_arrays[-1]))
        mask = np.arange(60) % 2 == 0
        for form in [mask, mask.tolist()]:
            self.assert_same(collection.take(form), _arrays[::2])
        for wrong in [60, -1, 2**63, 2**70]:
            with self.assertRaisesRegex(IndexError, str(wrong)):
                collection.take([0, wrong])
        for wrong in [[[1]], 5, [1.0], ["1"], [None], mask[:-1]]:
            with self.subTest(wrong), self.assertRaisesRegex(TypeError, "indices"):
                collection.take(wrong)
        for wrong in [60, -61]:
            with self.assertRaisesRegex(IndexError, str(wrong)):
                collection[wrong]
        nothing = pentimento.Collection([], [], [])
        self.assertEqual((len(nothing.take([])), len(nothing[:])), (0, 0))

    def test_a_batch_costs_no_more_in_a_large_collection(self):
        class Counted(np.ndarray):
            """An array that adds up the sizes of the results of all operations on it."""

            work = 0

            def __array_ufunc__(self, function, method, *inputs, **options):
                inputs = [np.asarray(value) for value in inputs]
                result = getattr(function, method)(*inputs, **options)
                Counted.work += np.size(result)
                return np.asarray(result).view(Counted)

            def __array_function__(self, function, types, arguments, options):
                result = super().__array_function__(function, types, arguments, options)
                Counted.work += np.size(result)
                return result

        def work(copies):
            data = b"".join(hand.line(d, word=f"w{i}") for i, d in enumerate(_drawings)) * copies
            collection = pentimento.read_quickdraw(data)
            for name in ["_points", "_stroke_ends", "_drawing_ends"]:
                setattr(collection, name, getattr(collection, name).view(Counted))
            Counted.work = 0
            taken = collection.take([7, 0, 59])
            self.assertEqual(taken.labels, ["w7", "w0", "w59"])
            self.assert_same(taken, [_arrays[7], _arrays[0], _arrays[59]])
            # The labels of the whole collection were not created for this.
            self.assertNotIn("labels", collection.__dict__)
            return Counted.work

        self.assertEqual(work(1), work(40))

    def test_taken_texts_are_those_of_the_drawings(self):
        data = b"".join(
            hand.line(d, word="ä" * (i % 4), key_id=str(i), recognized=i % 2 == 0) for i, d in enumerate(_drawings)
        )
        for asks_first in [False, True]:
            collection = pentimento.read_quickdraw(data)
            if asks_first:
                self.assertEqual(len(collection.labels), len(collection.keys))
            taken = collection.take([5, 0, 59, 5])
            self.assertEqual(taken.labels, ["ä", "", "äää", "ä"])
            self.assertEqual(taken.keys, ["5", "0", "59", "5"])
            self.assertEqual(taken.recognized.tolist(), [0, 1, 0, 0])
            self.assertEqual(taken.take([2]).keys, ["59"])
        collection.labels = [f"my {i}" for i in range(60)]
        self.assertEqual(collection.take([1]).labels, ["my 1"])
        self.assertEqual(pentimento.flatten(_arrays).take([1]).labels, [""])
        for ends in [taken.stroke_ends, taken.drawing_ends]:
            with self.assertRaises(ValueError):
                ends[0] = 1

    def test_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            data = b"".join(map(hand.line, _drawings))
            (folder / "a.ndjson").write_bytes(data)
            (folder / "a.ndjson.gz").write_bytes(gzip.compress(data))
            for name in ["a.ndjson", "a.ndjson.gz"]:
                path = folder / name
                for form in [path, str(path), [path], [str(path)], np.array([str(path)])]:
                    self.assert_same(pentimento.read_quickdraw(form))
                pictures = pentimento.render_batch(str(folder / name))
                np.testing.assert_array_equal(pictures, pentimento.render_batch(_arrays))
            texts = [hand.inkml(d, f"x_{i}") for i, d in enumerate(_drawings)]
            for i, text in enumerate(texts):
                (folder / f"{i}.inkml").write_text(text)
            paths = [folder / f"{i}.inkml" for i in range(len(texts))]
            self.assert_same(pentimento.read_inkml(paths))
            self.assert_same(pentimento.read_inkml(paths[0]), _arrays[:1])
            np.testing.assert_array_equal(pentimento.render_batch(paths, 100), pentimento.render_batch(texts, 100))

    def test_packed_lines(self):
        data = b"".join(hand.line(d, word=f"w{i}") for i, d in enumerate(_drawings))
        half = data.index(b"\n", len(data) // 2) + 1
        parts = [gzip.compress(data[:half]), gzip.compress(data[half:])]
        packed = gzip.compress(data)
        # Concatenated gzip files, also with zero padding, and beside uncompressed texts.
        for form in [
            packed,
            b"".join(parts),
            b"".join(parts) + bytes(512),
            parts,
            [data[:half], parts[1]],
            [parts[0], data[half:]],
        ]:
            collection = pentimento.read_quickdraw(form)
            self.assert_same(collection)
            self.assertEqual(collection.labels[59], "w59")
        np.testing.assert_array_equal(pentimento.render_batch(packed), pentimento.render_batch(data))
        self.assertEqual(len(pentimento.read_quickdraw(gzip.compress(b""))), 0)
        # Damage is reported, and loses the later lines.
        damaged = bytearray(packed)
        damaged[-6] ^= 1
        for wrong, text in [
            (packed[:-300], "too early"),
            (packed[:-1], "too early"),
            (packed + b"more", "damaged"),
            (bytes(damaged), "data check"),
            (b"\x1f\x8b\x08", "too early"),
        ]:
            with self.assertRaisesRegex(pentimento.UnreadableError, f"gzip .*{text}"):
                pentimento.read_quickdraw(wrong)
            collection = pentimento.read_quickdraw(wrong, damaged="keep")
            count = len(collection)
            self.assertRegex(collection.damage[0][1], text)
            self.assertEqual(collection.damage[0][0], max(count - 1, 0))
            self.assert_same(collection[: max(count - 1, 0)], _arrays[: max(count - 1, 0)])
        self.assertEqual(count, 0)
        # A few bytes cannot cause the allocation of gigabytes.
        with self.assertRaisesRegex(pentimento.TooLargeError, "gunzip"):
            pentimento.read_quickdraw(gzip.compress(b" " * (70 << 20)))

    def test_columns_cannot_be_replaced_and_ends_not_be_written(self):
        import pickle

        points, strokes, drawings = np.zeros((4, 2), np.float32), np.array([2, 4]), np.array([2])
        collection = pentimento.Collection(points, strokes, drawings)
        strokes[:], drawings[:] = 10**12, -1
        self.assertTrue(np.shares_memory(collection.points, points))
        for form in [
            collection,
            pickle.loads(pickle.dumps(collection)),
            pentimento.read_quickdraw(hand.line(_drawings[0])),
        ]:
            self.assertEqual(form.drawing_ends[-1], len(form.stroke_ends))
            for name in ["points", "times", "stroke_ends", "drawing_ends"]:
                with self.assertRaises(AttributeError):
                    setattr(form, name, getattr(form, name))
            for ends in [form.stroke_ends, form.drawing_ends]:
                with self.assertRaises(ValueError):
                    ends[0] = 1


if __name__ == "__main__":
    unittest.main()
