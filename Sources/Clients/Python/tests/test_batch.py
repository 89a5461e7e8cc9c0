import base64
import json
import pathlib
import unittest
import zlib

import numpy as np

import hand
import pentimento
from pentimento import Affine, Jitter, Width

_drawings = [hand.drawing(seed) for seed in range(200)]
_arrays = [hand.arrays(drawing) for drawing in _drawings]


class RecipeTests(unittest.TestCase):
    def assert_near(self, ours, theirs):
        difference = np.abs(ours.astype(int) - theirs).mean()
        self.assertLessEqual(difference, 2)

    def test_stored_pictures(self):
        stored = json.loads((pathlib.Path(__file__).parent / "recipe.json").read_text())
        theirs = np.frombuffer(zlib.decompress(base64.b64decode(stored["pictures"])), np.uint8)
        theirs = theirs.reshape(-1, 28, 28)
        self.assertGreater(theirs.mean(), 10)
        self.assert_near(pentimento.render_batch(stored["drawings"]), theirs)

    def test_pycairo_if_it_is_there(self):
        try:
            import cairo  # noqa: F401
        except ImportError:
            self.skipTest("pycairo is not installed")
        for size, line, padding in [(28, 16, 16), (64, 10, 0), (256, 6, 4)]:
            theirs = np.stack([hand.cairo_recipe(d, size, line, padding) for d in _drawings])
            self.assert_near(pentimento.render_batch(_arrays, size, line_width=line, padding=padding), theirs)


class InputTests(unittest.TestCase):
    expected = pentimento.render_batch(_arrays)

    def test_all_forms_of_drawings_give_the_same_pictures(self):
        forms = {
            "lists": _drawings,
            "tuples": [[tuple(map(tuple, stroke)) for stroke in d] for d in _drawings],
            "doubles": [[stroke.astype(np.float64) for stroke in d] for d in _arrays],
            "whole numbers": [[stroke.astype(np.int16) for stroke in d] for d in _arrays],
            "strides": [[np.repeat(stroke, 2, 0)[::2] for stroke in d] for d in _arrays],
            "columns first": [[np.asfortranarray(stroke) for stroke in d] for d in _arrays],
            "big endian": [[stroke.astype(">f4") for stroke in d] for d in _arrays],
            "times": [[np.c_[stroke, np.arange(len(stroke))] for stroke in d] for d in _arrays],
            "lines": b"".join(map(hand.line, _drawings)),
            "a view of bytes": memoryview(b"".join(map(hand.line, _drawings))),
            "a generator": (drawing for drawing in _arrays),
            "a collection": pentimento.flatten(_arrays),
            "a collection's drawings": list(pentimento.flatten(_arrays)),
            "masked arrays with times": [[np.ma.masked_array(np.c_[s, np.arange(len(s))]) for s in d] for d in _arrays],
            "bytes that can be written": bytearray(b"".join(map(hand.line, _drawings))),
        }
        for name, drawings in forms.items():
            with self.subTest(name):
                np.testing.assert_array_equal(pentimento.render_batch(drawings), self.expected)

    def test_out_is_filled(self):
        out = np.full((200, 28, 28), 9, np.uint8)
        self.assertIs(pentimento.render_batch(_arrays, out=out), out)
        np.testing.assert_array_equal(out, self.expected)
        for wrong in [
            np.empty((200, 28, 27), np.uint8),
            np.empty((200, 28, 28), np.int8),
            np.empty((200, 28, 56), np.uint8)[:, :, ::2],
        ]:
            with self.assertRaises(ValueError):
                pentimento.render_batch(_arrays, out=wrong)

    def test_what_cannot_be_written_stays_as_it_is(self):
        data = bytes(200 * 28 * 28)
        with self.assertRaisesRegex(ValueError, "out"):
            pentimento.render_batch(_arrays, out=np.frombuffer(data, np.uint8).reshape(200, 28, 28))
        self.assertFalse(any(data))

    def test_blocks_do_not_change_pictures(self):
        from pentimento import _batch

        before = _batch._block_bytes
        try:
            for size in [1, 100_000]:
                _batch._block_bytes = size
                pictures = pentimento.render_batch(_arrays, augment=Jitter(3), seed=4)
                _batch._block_bytes = before
                np.testing.assert_array_equal(pictures, pentimento.render_batch(_arrays, augment=Jitter(3), seed=4))
                _batch._block_bytes = size
                bad = [*_arrays[:150], [np.array([[0, np.nan]], np.float32)]]
                with self.assertRaisesRegex(ValueError, "^drawing 150 has .* not a number$"):
                    pentimento.render_batch(bad)
        finally:
            _batch._block_bytes = before

    def test_no_drawings(self):
        self.assertEqual(pentimento.render_batch([]).shape, (0, 28, 28))
        self.assertEqual(pentimento.render_batch(b"", size=(3, 5)).shape, (0, 3, 5))
        self.assertEqual(pentimento.render_batch([], bins=4).shape, (0, 4, 28, 28))
        self.assertEqual(pentimento.render_batch([[], []]).sum(), 0)
        self.assertEqual(pentimento.render_batch([[np.empty((0, 2), np.float32)]]).sum(), 0)

    def test_sizes(self):
        self.assertEqual(pentimento.render_batch(_arrays[:2], size=(20, 50)).shape, (2, 20, 50))
        self.assertEqual(pentimento.render_batch(_arrays[:1], size=2048).shape, (1, 2048, 2048))
        inverted = pentimento.render_batch(_arrays, inverted=True)
        np.testing.assert_array_equal(inverted, 255 - self.expected)

    def test_fit_fills_pictures(self):
        pictures = pentimento.render_batch(
            [[stroke * 1000 - 7 for stroke in d] for d in _arrays], 40, fit=True, line_width=2, padding=3
        )
        for picture in pictures:
            rows, columns = np.flatnonzero(picture.max(1)), np.flatnonzero(picture.max(0))
            longer = max(np.ptp(rows), np.ptp(columns))
            self.assertIn(longer, [32, 33, 34])

    def test_frame(self):
        [picture] = pentimento.render_batch(
            [[np.array([[10, 10], [10, 20]], np.float32)]], 20, frame=(0, 0, 20, 20), line_width=2, padding=0
        )
        self.assertEqual(picture[15].tolist(), [0] * 9 + [255] * 2 + [0] * 9)


class BinTests(unittest.TestCase):
    def test_bins_make_up_the_whole(self):
        timed = [[np.c_[s, np.arange(len(s)) + 100 * i] for i, s in enumerate(d)] for d in _arrays]
        whole = pentimento.render_batch(timed, 96)
        for drawings in [timed, _arrays]:
            parts = pentimento.render_batch(drawings, 96, bins=4)
            self.assertEqual(parts.shape, (200, 4, 96, 96))
            # If two parts meet in a pixel, each covers some of its samples.
            self.assertLess(np.abs(parts.max(1).astype(int) - whole).mean(), 0.2)
        self.assertEqual(pentimento.render_batch(timed, bins=1).shape, (200, 1, 28, 28))

    def test_times_decide(self):
        stroke = np.array([[0, 0, 0], [100, 0, 1], [200, 0, 9]], np.float32)
        [[first, second]] = pentimento.render_batch([[stroke]], 304, bins=2)
        self.assertEqual((first[152, 60], second[152, 60]), (255, 0))
        self.assertEqual((first[152, 170], second[152, 240]), (0 if first[152, 170] == 0 else 255, 255))


class AugmentTests(unittest.TestCase):
    changes = [Affine(rotate=20, scale=(0.7, 1.3), shear=10, translate=0.1), Jitter(3), Width(0.5, 2)]

    def test_threads_do_not_matter_and_seeds_do(self):
        one = pentimento.render_batch(_arrays, augment=self.changes, seed=1, threads=1)
        np.testing.assert_array_equal(one, pentimento.render_batch(_arrays, augment=self.changes, seed=1, threads=5))
        other = pentimento.render_batch(_arrays, augment=self.changes, seed=2)
        self.assertGreater(np.abs(one.astype(int) - other).mean(), 5)

    def test_indices_name_drawings(self):
        all_pictures = pentimento.render_batch(_arrays, augment=self.changes, seed=1)
        indices = [5, 199, 0, 5]
        some = pentimento.render_batch([_arrays[i] for i in indices], augment=self.changes, seed=1, indices=indices)
        np.testing.assert_array_equal(some, all_pictures[indices])
        mask = np.arange(200) % 3 == 0
        some = pentimento.render_batch(
            pentimento.flatten(_arrays).take(mask), augment=self.changes, seed=1, indices=mask
        )
        np.testing.assert_array_equal(some, all_pictures[mask])

    def test_seeds_of_all_types(self):
        for seed, same in [(np.int32(3), 3), (np.uint64(3), 3), (np.uint8(3), 3), (-1, 2**64 - 1)]:
            np.testing.assert_array_equal(
                pentimento.render_batch(_arrays[:9], augment=Jitter(3), seed=seed),
                pentimento.render_batch(_arrays[:9], augment=Jitter(3), seed=same),
            )

    def test_a_change_that_is_there_twice_is_refused(self):
        for change in [Affine(), Jitter(1), Width(1, 2)]:
            with self.assertRaisesRegex(ValueError, f"{type(change).__name__} is there twice"):
                pentimento.render_batch(_arrays, augment=[change, change])

    def test_each_change_does_what_it_says(self):
        line = [[np.array([[78, 128], [178, 128]], np.float32)]] * 300

        def pictures(change):
            return pentimento.render_batch(
                line, 304, frame=(0, 0, 256, 256), line_width=16, padding=24, augment=change, seed=3
            )

        widths = pictures(Width(0.5, 2))[:, :, 152].astype(float).sum(1) / 255
        self.assertTrue(7.9 < widths.min() < 9 and 30 < widths.max() < 32.1)
        moved = pictures(Affine(translate=0.1))
        rows = moved.max(2).argmax(1)
        self.assertTrue(rows.min() >= 113 and rows.max() <= 176 and np.ptp(rows) > 50)
        scaled = pictures(Affine(scale=(0.5, 1.5)))[:, 152].astype(float).sum(1) / 255
        self.assertTrue(66 <= scaled.min() < 70 and 160 < scaled.max() <= 166.1)
        turned = pictures(Affine(rotate=30))
        heights = (turned.max(2) > 0).sum(1)
        self.assertTrue(heights.min() < 20 and 60 < heights.max() <= 68)
        # The left edge is the line's end minus half of its width, so only the noise varies it.
        jittered = pictures(Jitter(4))
        left = (jittered.max(1) > 127).argmax(1)
        self.assertTrue(3 < left.std() < 5, left.std())
        with self.assertRaises(TypeError):
            pictures("rotate")


if __name__ == "__main__":
    unittest.main()
