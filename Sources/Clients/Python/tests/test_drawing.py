import gc
import pathlib
import unittest

import numpy as np

import pentimento

_samples = pathlib.Path(__file__).parents[4] / "Samples"
_paths = sorted(_samples.glob("*.pkd"))


class DrawingTests(unittest.TestCase):
    def test_samples_open_and_are_drawn(self):
        self.assertGreater(len(_paths), 2)
        for path in _paths:
            with self.subTest(path.name), pentimento.open(path) as drawing:
                self.assertEqual(drawing.format, "pkd")
                self.assertEqual(drawing.damage, [])
                self.assertEqual(sum(map(len, drawing.strokes)), len(drawing.channel("x")))
                picture = drawing.render(size=200)
                self.assertEqual((picture.dtype, max(picture.shape[:2])), (np.uint8, 200))
                self.assertEqual(picture.shape[2], 4)
                self.assertGreater(picture.std(), 1)

    def test_channels_are_the_library_s_memory_and_keep_the_drawing(self):
        x = pentimento.open(_paths[0]).strokes[0].x
        first = x.copy()
        gc.collect()
        others = [pentimento.open(path).channel("y") for path in _paths]
        np.testing.assert_array_equal(x, first)
        self.assertFalse(x.flags.writeable or x.flags.owndata)
        self.assertEqual(len(others), len(_paths))
        with self.assertRaises(ValueError):
            x[0] = 1

    def test_facts(self):
        drawing = pentimento.open(_paths[0].read_bytes())
        stroke = drawing.strokes[0]
        self.assertEqual(len(stroke), len(stroke.force))
        self.assertEqual(stroke.points.shape, (len(stroke), 2))
        self.assertIsInstance(stroke.ink, str)
        self.assertEqual(len(stroke.color), 4)
        self.assertEqual(len(stroke.id), 16)
        self.assertGreater(stroke.start, 0)
        self.assertGreaterEqual(stroke.time[-1], stroke.time[0])
        self.assertGreater(drawing.duration, 0)
        self.assertEqual(len(drawing.inks), len(drawing.strokes))
        self.assertEqual((drawing.page, drawing.page_count), (0, 1))
        self.assertIsNone(drawing.text("no such text"))
        with self.assertRaises(KeyError):
            drawing.channel("colour")
        with self.assertRaises(AttributeError):
            _ = stroke.colour

    def test_options(self):
        drawing = pentimento.open(_paths[0])
        self.assertEqual(drawing.render(size=(120, 80)).shape, (80, 120, 4))
        light, dark = drawing.render(size=50), drawing.render(size=50, style="dark")
        self.assertGreater(light[0, 0, 0], dark[0, 0, 0])
        self.assertEqual(drawing.render(size=50, background="transparent")[0, 0, 3], 0)
        blue = drawing.render(size=50, paper="blank", background=(0, 0, 255))
        self.assertEqual(blue[0, 0].tolist(), [0, 0, 255, 255])
        self.assertTrue((drawing.render(size=300, paper="grid") != drawing.render(size=300, paper="blank")).any())
        np.testing.assert_array_equal(drawing.render(size=300, threads=1), drawing.render(size=300, threads=4))
        self.assertEqual(drawing.render(region=(0, 0, 30, 20), scale=2).shape, (40, 60, 4))
        for wrong in [
            {"style": "bright"},
            {"paper": "silk"},
            {"size": 0},
            {"size": -4},
            {"scale": float("nan")},
            {"scale": -1},
            {"threads": 0},
            {"region": (0, 0, float("nan"), 1)},
            {"background": "plaid"},
        ]:
            with self.subTest(wrong), self.assertRaises(ValueError):
                drawing.render(**wrong)
        with self.assertRaises(pentimento.TooLargeError):
            drawing.render(size=(60_000, 60_000))

    def test_frames(self):
        drawing = pentimento.open(_paths[0])
        frames = drawing.frames(fps=4, size=60, maximum_pause=0.2)
        self.assertGreater(len(frames), 2)
        pictures = list(frames)
        self.assertEqual(len(pictures), len(frames))
        np.testing.assert_array_equal(frames[0], pictures[0])
        np.testing.assert_array_equal(frames[-1], drawing.render(size=60))
        self.assertEqual(len(frames[1:3]), 2)
        with self.assertRaises(IndexError):
            frames[len(frames)]
        for wrong in [{"fps": 0}, {"fps": float("nan")}, {"speed": 0}]:
            with self.assertRaises(ValueError):
                drawing.frames(**wrong)

    def test_other_formats(self):
        drawing = pentimento.open(_paths[0])
        self.assertTrue(drawing.to_svg().startswith("<svg"))
        again = pentimento.open(drawing.to_pkd())
        np.testing.assert_array_equal(again.channel("force"), drawing.channel("force"))
        line = drawing.encode("quickdraw")
        self.assertEqual(len(pentimento.read_quickdraw(line)), 1)
        self.assertEqual(pentimento.open(line, format="quickdraw").format, "quickdraw")
        with self.assertRaises(ValueError):
            drawing.encode("tiff")

    def test_what_is_no_drawing(self):
        for data in [b"", b"no ink", b"\x89PNG\r\n\x1a\n" + bytes(30), bytes(1000)]:
            with self.assertRaises(pentimento.UnreadableError):
                pentimento.open(data)
        with self.assertRaises(FileNotFoundError):
            pentimento.open("no such file")
        for wrong in [None, 5, ["a"], {}]:
            with self.assertRaises(TypeError):
                pentimento.open(wrong)
        with self.assertRaises(ValueError):
            pentimento.open(_paths[0], page=1)
        with self.assertRaises(ValueError):
            pentimento.open(_paths[0], format="tiff")

    def test_closed(self):
        drawing = pentimento.open(_paths[0])
        x = drawing.channel("x")
        before = x.copy()
        drawing.close()
        drawing.close()
        np.testing.assert_array_equal(x, before)
        with self.assertRaises(ValueError):
            drawing.render()

    def test_everything_but_close_raises_after_close(self):
        drawing = pentimento.open(_paths[0])
        strokes, frames, inks = drawing.strokes, drawing.frames(fps=1, size=20), drawing.inks
        drawing.close()
        names = [name for name in dir(type(drawing)) if not name.startswith("_")]
        arguments = {"text": ["title"], "channel": ["x"], "encode": ["svg"]}
        for name in {*names, "__enter__"} - {"close"}:
            with self.subTest(name), self.assertRaisesRegex(pentimento.ClosedError, "was closed"):
                value = getattr(drawing, name)
                value(*arguments.get(name, []))
        for name in ["x", "points"]:
            with self.assertRaises(pentimento.ClosedError):
                getattr(strokes[0], name)
        self.assertEqual(repr(drawing), "<pentimento.Drawing: closed>")
        self.assertEqual(repr(pentimento.Drawing.__new__(pentimento.Drawing)), repr(drawing))
        # Values that were read earlier are copies, or keep the library's memory alive.
        junk = [bytearray(b"\xff" * 48) for _ in range(20_000)]
        self.assertEqual([(stroke.ink, stroke.color) for stroke in strokes], inks)
        self.assertIn(inks[0][0], repr(strokes[0]))
        self.assertEqual(frames[0].shape, frames.shape)
        self.assertEqual(len(junk), 20_000)

    def test_a_drawing_that_is_closed_during_a_call_lends_no_freed_memory(self):
        from unittest import mock

        from pentimento import _drawing

        drawing, library_call = pentimento.open(_paths[0]), _drawing.call
        expected = pentimento.open(_paths[0]).channel("x").copy()

        def call(name, *arguments):
            result = library_call(name, *arguments)
            drawing.close()
            return result

        with mock.patch.object(_drawing, "call", call):
            x = drawing.channel("x")
        junk = [bytearray(b"\xff" * x.nbytes) for _ in range(2000)]
        np.testing.assert_array_equal(x, expected)
        self.assertEqual(len(junk), 2000)
        with self.assertRaises(pentimento.ClosedError):
            drawing.channel("x")

    def test_memory_is_free_without_the_search_for_cycles(self):
        import weakref

        gc.disable()
        try:
            drawing = pentimento.open(_paths[0])
            self.assertGreater(len(drawing.strokes[0].x), 0)
            reference = weakref.ref(drawing)
            del drawing
            self.assertIsNone(reference())
        finally:
            gc.enable()


if __name__ == "__main__":
    unittest.main()
