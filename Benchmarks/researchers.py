#!/usr/bin/env python3
"""What researchers get a second from Python: the package `pentimento` beside pycairo, in one run on one core.

usage: Benchmarks/researchers.py CORPUS [--runs 5] [--json FILE]

CORPUS has the folders quickdraw-simplified/ and quickdraw-raw/ with .ndjson files of Quick, Draw!. The package and NumPy are needed;
without pycairo only its part is left out. Each rate is the median of the runs after one that is not counted.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from xml.etree import ElementTree

import numpy as np
import pentimento

# The comparison with all programs draws by pycairo in the same way.
sys.path.insert(0, str(pathlib.Path(__file__).parent / "side_by_side" / "scripts"))
from dataset import quickdraw_drawer

try:
    import cairo
except ImportError:
    cairo = None

GOALS = {"28": 100_000, "256": 20_000, "InkML": 8_000, "import": 60}


def drawings(folder, limit):
    """The strokes of the first drawings, each a list of xs, ys and, in the raw data, times."""
    found = []
    for path in sorted(folder.glob("*.ndjson")):
        for line in path.read_text().splitlines():
            if line.strip() and len(found) < limit:
                found.append(json.loads(line)["drawing"])
    return found


def rates(count, body, runs):
    body()
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        body()
        taken.append(count / (time.perf_counter() - start))
    return taken


def inkml(drawing):
    traces = (",".join(f"{x} {y} {t}" for x, y, t in zip(*stroke)) for stroke in drawing)
    return (
        '<ink xmlns="http://www.w3.org/2003/InkML">' + "".join(f"<trace>{trace}</trace>" for trace in traces) + "</ink>"
    )


def inkml_by_cairo(text, side=256, air=4, line=2):
    strokes = []
    for element in ElementTree.fromstring(text):
        places = [[float(number) for number in point.split()[:2]] for point in element.text.split(",")]
        strokes.append(np.array(places))
    every = np.vstack(strokes)
    low = every.min(axis=0)
    scale = (side - 2 * air) / max((every.max(axis=0) - low).max(), 1e-6)
    surface = cairo.ImageSurface(cairo.FORMAT_A8, side, side)
    context = cairo.Context(surface)
    context.set_line_cap(cairo.LINE_CAP_ROUND)
    context.set_line_join(cairo.LINE_JOIN_ROUND)
    context.set_line_width(line)
    for stroke in strokes:
        places = (stroke - low) * scale + air
        context.move_to(*places[0])
        for place in places[1:]:
            context.line_to(*place)
        context.stroke()


def import_times(runs):
    script = "import time; s = time.perf_counter(); import pentimento; print(time.perf_counter() - s)"
    return [1000 * float(subprocess.check_output([sys.executable, "-c", script])) for _ in range(runs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    # One core for all: the goals and the other library's figures are for one core.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

    simplified = drawings(options.corpus / "quickdraw-simplified", 1200)
    texts = [inkml(drawing) for drawing in drawings(options.corpus / "quickdraw-raw", 800)]
    if not simplified or not texts:
        sys.exit(f"{options.corpus}: no drawings in quickdraw-simplified/ and quickdraw-raw/")
    arrays = [[np.stack(stroke, 1).astype(np.float32) for stroke in drawing] for drawing in simplified]
    figures = []

    def report(name, unit, values, goal=None, is_most=False):
        value = statistics.median(values)
        figures.append({"name": name, "unit": unit, "value": value, "samples": values, "goal": goal})
        met = "" if goal is None else f"  (goal: {'at most' if is_most else 'at least'} {goal:,})"
        print(f"{name:46s} {value:12,.4g} {unit}{met}" if value < 1000 else f"{name:46s} {value:12,.0f} {unit}{met}")

    for size, line, padding in [(28, 16, 16), (256, 6, 4)]:

        def ours(size=size, line=line, padding=padding):
            return pentimento.render_batch(arrays, size=size, line_width=line, padding=padding)

        report(f"arrays to {size}×{size}", "a second", rates(len(arrays), ours, options.runs), GOALS[str(size)])
        if cairo:
            draw = quickdraw_drawer("cairo", size, line, padding)

            def theirs(draw=draw):
                return [draw(drawing) for drawing in simplified]

            report(f"the same by pycairo, {size}×{size}", "a second", rates(len(arrays), theirs, options.runs))
            difference = np.abs(ours().astype(int) - np.stack(theirs())).mean()
            report(
                f"mean difference of both, {size}×{size}",
                "of 255",
                [float(difference)],
                2 if size == 28 else None,
                is_most=True,
            )
    report(
        "InkML read and drawn, 256×256",
        "a second",
        rates(len(texts), lambda: pentimento.render_inkml(texts, size=256), options.runs),
        GOALS["InkML"],
    )
    if cairo:
        report(
            "the same by ElementTree and pycairo",
            "a second",
            rates(len(texts), lambda: [inkml_by_cairo(text) for text in texts], options.runs),
        )
    report("import pentimento", "ms", import_times(options.runs), GOALS["import"], is_most=True)

    if options.json:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        machine = {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "commit": commit,
            "date": datetime.date.today().isoformat(),
            "load": os.getloadavg()[0],
            "processor": processor(),
        }
        options.json.write_text(json.dumps({**machine, "figures": figures}, indent=1, ensure_ascii=False) + "\n")


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
