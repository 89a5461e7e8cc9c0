"""What happens around calls: threads, forks, ends of programs, memory."""

import os
import pathlib
import resource
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import hand
import pentimento
import run_length

_sample = min((pathlib.Path(__file__).parents[4] / "Samples").glob("*.pkd"), key=lambda path: path.stat().st_size)
_arrays = [hand.arrays(hand.drawing(seed)) for seed in range(500)]


def run(program, *arguments, **environment):
    """Runs a program in a process of its own."""
    here = os.path.dirname(os.path.abspath(__file__))
    package = os.path.dirname(os.path.dirname(os.path.abspath(pentimento.__file__)))
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": f"{package}:{here}", **environment},
    )


class ThreadTests(unittest.TestCase):
    def test_other_threads_run_during_a_batch(self):
        collection = pentimento.flatten(_arrays * 10)
        ticks = [0]
        isRunning = threading.Event()
        isRunning.set()

        def tick():
            while isRunning.is_set():
                ticks[0] += 1
                time.sleep(0.0005)

        thread = threading.Thread(target=tick)
        thread.start()
        pentimento.render_batch(collection, 256, threads=1)
        isRunning.clear()
        thread.join()
        self.assertGreater(ticks[0], 10)

    def test_many_threads_get_the_same_pictures(self):
        expected = pentimento.render_batch(_arrays)
        results = [None] * 8

        def draw(index):
            results[index] = pentimento.render_batch(_arrays, threads=1 + index % 3)

        threads = [threading.Thread(target=draw, args=(index,)) for index in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, expected)

    def test_threads_that_are_ended_in_a_batch(self):
        # An exception reaches a thread when its call returns; the end of the program cuts off a
        # daemon thread's call.
        program = """
import ctypes, threading, time, hand, pentimento
collection = pentimento.flatten([hand.arrays(hand.drawing(seed)) for seed in range(300)] * 200)
def draw():
    while True:
        pentimento.render_batch(collection, 64, threads=2)
threads = [threading.Thread(target=draw, daemon=True) for _ in range(3)]
for thread in threads: thread.start()
time.sleep(0.3)
ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(threads[0].ident), ctypes.py_object(SystemExit))
threads[0].join()
assert not threads[0].is_alive()
print("ended")
"""
        result = run(program)
        self.assertEqual((result.returncode, result.stdout), (0, "ended\n"), result.stderr)

    def test_interrupts_are_noticed_between_blocks(self):
        program = """
import _thread, signal, threading, time, hand, pentimento
# Programs that a shell starts in the background ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
collection = pentimento.flatten([hand.arrays(hand.drawing(seed)) for seed in range(300)] * 2000)
threading.Timer(0.2, _thread.interrupt_main).start()
try:
    pentimento.render_batch(collection, 64)
except KeyboardInterrupt:
    print("interrupted")
"""
        result = run(program)
        self.assertEqual((result.returncode, result.stdout), (0, "interrupted\n"), result.stderr)

    def test_a_forked_process_has_threads_of_its_own(self):
        program = """
import os, sys, warnings, numpy as np, hand, pentimento
warnings.simplefilter("ignore")
drawings = [hand.arrays(hand.drawing(seed)) for seed in range(500)]
expected = pentimento.render_batch(drawings, threads=4)
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        same = (pentimento.render_batch(drawings, threads=4) == expected).all()
        same &= (pentimento.render_batch(drawings, threads=3) == expected).all()
        os._exit(0 if same else 1)
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
"""
        result = run(program)
        self.assertEqual((result.returncode, result.stdout), (0, "[0, 0, 0, 0]\n"), result.stderr)

    def test_a_process_is_forked_while_other_threads_are_in_calls(self):
        # A fork waits longest for the first calls, which compute tables.
        program = """
import itertools, os, pathlib, signal, sys, threading, warnings, hand, pentimento
warnings.simplefilter("ignore")
drawings = pentimento.flatten([hand.arrays(hand.drawing(seed)) for seed in range(100)])
data = pathlib.Path(sys.argv[1]).read_bytes()
lines = b"".join(hand.line(hand.drawing(seed)) for seed in range(50))
def use():
    drawing = pentimento.open(data)
    drawing.channel("x"), drawing.duration, drawing.render(size=30, threads=2)
    drawing.frames(fps=1, size=20)[-1]
    return pentimento.render_batch(drawings, threads=2).sum() + pentimento.read_quickdraw(lines).points.sum()
def go_on():
    while True:
        use()
for _ in range(3):
    threading.Thread(target=go_on, daemon=True).start()
expected, results = None, []
for number in range(40):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if expected is None or use() == expected else 1)
    results.append(os.waitpid(child, 0)[1])
    expected = use()
print(sum(results), flush=True)
os._exit(0)
"""
        result = run(program, str(_sample))
        self.assertEqual((result.returncode, result.stdout), (0, "0\n"), result.stderr)


class LimitTests(unittest.TestCase):
    """Processes with so few addresses left that memory or threads are refused."""

    program = """
import resource, sys, numpy as np, hand, pentimento
spare, points, size, threads = map(int, sys.argv[1:])
drawings = pentimento.flatten([hand.arrays(hand.drawing(seed)) for seed in range(1000)] if points == 0 else [
    [np.random.default_rng(1).uniform(0, 255, (points, 2)).astype(np.float32)]])
# A call before, so that tables are not what memory is missing for.
expected = pentimento.render_batch(drawings[:1], 8)
out = np.empty((len(drawings), size, size), np.uint8)
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (spare << 20),) * 2)
try:
    pentimento.render_batch(drawings, size, threads=threads, out=out)
    print("drawn")
except MemoryError as error:
    print(error)
"""

    def drawn(self, *numbers):
        result = run(self.program, *map(str, numbers), OPENBLAS_NUM_THREADS="1")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_many_threads_without_memory_become_few(self):
        for spare in [8, 64, 300]:
            self.assertEqual(self.drawn(spare, 0, 28, 256), "drawn\n")

    def test_a_picture_without_memory_is_a_memory_error(self):
        self.assertEqual(self.drawn(60, 200_000, 1024, 256), "there is no memory for a drawing of 200000 points\n")
        self.assertEqual(self.drawn(1000, 200_000, 1024, 256), "drawn\n")

    def test_results_without_memory_are_memory_errors(self):
        program = """
import pathlib, resource, sys, hand, pentimento
lines = b"".join(hand.line(hand.drawing(seed)) for seed in range(500)) * 400
drawing = pentimento.open(pathlib.Path(sys.argv[1]))
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (40 << 20),) * 2)
for call in [lambda: pentimento.read_quickdraw(lines), lambda: drawing.render(size=9000),
             lambda: drawing.frames(fps=1, size=9000)[0], lambda: pentimento.open(lines)]:
    try:
        call()
        print("done")
    except MemoryError as error:
        print("refused")
"""
        result = run(program, str(_sample))
        self.assertEqual((result.returncode, result.stdout), (0, "refused\n" * 4), result.stderr)


class ImportTests(unittest.TestCase):
    def test_a_library_that_is_missing_or_broken_is_named(self):
        result = run("import pentimento", PENTIMENTO_LIBRARY="/nowhere/libpentimento.so")
        self.assertIn("ImportError", result.stderr)
        self.assertIn("pip install ./Sources/Clients/Python", result.stderr)
        result = run("import pentimento", PENTIMENTO_LIBRARY=os.path.abspath(__file__))
        self.assertIn("ImportError", result.stderr)
        self.assertIn("cannot be loaded", result.stderr)

    def test_an_old_glibc_is_named(self):
        from pentimento import _library

        text = "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by libpentimento.so)"
        self.assertIn("needs glibc 2.99 or newer, and this system has", _library._reason("p", text))
        text = "libfoo.so.1: cannot open shared object file: No such file or directory"
        self.assertIn("libfoo.so.1", _library._reason("p", text))

    def test_names(self):
        for name in pentimento.__all__:
            self.assertIsNotNone(getattr(pentimento, name))
        self.assertEqual(dir(pentimento), sorted([*pentimento.__all__, "open"]))
        # Python's own `open` must not be hidden by `from pentimento import *`.
        self.assertNotIn("open", pentimento.__all__)
        with self.assertRaises(AttributeError):
            _ = pentimento.no_such_name

    def test_the_import_needs_no_numpy(self):
        result = run("import sys, pentimento; print('numpy' in sys.modules)")
        self.assertEqual(result.stdout, "False\n", result.stderr)


class MemoryTests(unittest.TestCase):
    """No memory is lost over many drawings."""

    def test_memory_does_not_grow(self):
        total = run_length.count(200_000, long=10_000_000)
        lines = b"".join(hand.line(hand.drawing(seed), word="a") for seed in range(500))
        texts = [hand.inkml(hand.drawing(seed)) for seed in range(50)]
        changes = [pentimento.Affine(rotate=9), pentimento.Jitter(1)]

        def round_of_calls():
            pentimento.render_batch(_arrays, augment=changes)
            pentimento.render_batch(lines, bins=2)
            pentimento.render_inkml(texts, 32)
            drawing = pentimento.open(lines)
            drawing.render(size=16)
            drawing.channel("x")
            for bad in [b"x", b"<ink>"]:
                try:
                    pentimento.open(bad)
                except ValueError:
                    pass
            return 1051

        done = 0
        while done < 20_000:
            done += round_of_calls()
        before = _memory()
        while done < total:
            done += round_of_calls()
        self.assertLess(_memory() - before, 12 << 20)


def _memory():
    """The bytes that the process has in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    unittest.main()
