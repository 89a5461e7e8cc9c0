#!/usr/bin/env python3
"""Whole jobs, from file to file, by pkd and by the programs that people use instead, in turns in one run.

usage: Benchmarks/side_by_side.py [--runs 15] [--json FILE] [--plot FILE.png] [--quick]

pkd is taken from .build/release, or from the search path. A peer that is not installed is left out, and named:
apt install librsvg2-bin python3-cairo xournalpp inkscape mupdf-tools zstd xz-utils ffmpeg. Each time is the median of the runs
after one that is not counted, on the first processor that this process may use.
"""
import argparse
import datetime
import gzip
import json
import math
import os
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PKD = shutil.which("pkd", path=f"{ROOT / '.build/release'}:{os.environ['PATH']}")


# MARK: - Inputs


def handwriting(strokes, points, width, height, seed=1):
    """Loops like those of handwriting, line by line: lists of x, y and pen width."""
    chance = random.Random(seed)
    lines = max(1, round(math.sqrt(strokes * height / width / 4)))
    each = math.ceil(strokes / lines)
    pages = []
    for number in range(strokes):
        line, place = divmod(number, each)
        left = width * (0.06 + 0.88 * place / each)
        middle = height * (0.05 + 0.9 * (line + 0.5) / lines)
        size, turns = height * 0.3 / lines, chance.uniform(1.5, 3)
        step = width * 0.88 / each
        pages.append([
            (left + step * part + size * 0.5 * math.sin(2 * math.pi * turns * part),
             middle + size * math.cos(2 * math.pi * turns * part) * chance.uniform(0.95, 1.05),
             1.5 + 1.2 * math.sin(math.pi * part))
            for part in (index / (points - 1) for index in range(points))])
    return pages


def write_inputs(folder, name, strokes, width, height):
    """The same ink as JSON for pkd, as SVG, and as numbers for a script."""
    lines = [[[round(value, 2) for value in point] for point in stroke] for stroke in strokes]
    ink = {"strokes": [{"ink": {"type": "monoline", "color": [0, 0, 0, 1], "widthLaw": "plain"},
                        "points": [{"x": x, "y": y, "w": w} for x, y, w in line]} for line in lines]}
    (folder / f"{name}.json").write_text(json.dumps(ink))
    (folder / f"{name}.lines").write_text(json.dumps([width, height, lines]))
    paths = "".join(
        f'<polyline stroke-width="{sum(w for _, _, w in line) / len(line):.2f}" points="'
        + " ".join(f"{x},{y}" for x, y, _ in line) + '"/>' for line in lines)
    (folder / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        '<rect width="100%" height="100%" fill="#fff"/><g fill="none" stroke="#000" '
        f'stroke-linecap="round" stroke-linejoin="round">{paths}</g></svg>')
    for ending in ("pkd", "drawing", "xopp"):
        subprocess.run([PKD, "convert", "--quiet", folder / f"{name}.json", folder / f"{name}.{ending}"], check=True)


CAIRO = """
import cairo, json, sys
width, height, lines = json.load(open(sys.argv[1]))
scale = float(sys.argv[3])
surface = cairo.ImageSurface(cairo.FORMAT_RGB24, round(width * scale), round(height * scale))
context = cairo.Context(surface)
context.scale(scale, scale)
context.set_source_rgb(1, 1, 1); context.paint(); context.set_source_rgb(0, 0, 0)
context.set_line_cap(cairo.LINE_CAP_ROUND); context.set_line_join(cairo.LINE_JOIN_ROUND)
for line in lines:
    context.set_line_width(sum(w for _, _, w in line) / len(line))
    context.move_to(*line[0][:2])
    for x, y, _ in line[1:]: context.line_to(x, y)
    context.stroke()
surface.write_to_png(sys.argv[2])
"""


# MARK: - Jobs


def python_with_cairo():
    """An interpreter that has pycairo: this one, or that of the system, for which it is packaged; None if there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import cairo"], capture_output=True).returncode == 0:
            return python
    return None


def picture_jobs(folder, name, width, height, small=None):
    """Commands that draw an input; `small` is the width of a small picture, else that of the page."""
    wide = small or width
    size = f"{wide}x{round(height * wide / width)}"
    page = f"0,0,{width},{height}"
    jobs = {
        "pkd": [PKD, "render", "--quiet", "--region", page, "--size", size, f"{name}.pkd", "-o", f"{name}-pkd.png"],
        "rsvg-convert": ["rsvg-convert", "-w", str(wide), f"{name}.svg", "-o", f"{name}-rsvg.png"],
        "inkscape": ["inkscape", f"{name}.svg", "-w", str(wide), "-o", f"{name}-ink.png"],
        "mutool": ["mutool", "draw", "-q", "-w", str(wide), "-o", f"{name}-mu.png", f"{name}.svg"],
        "xournalpp": ["xournalpp", f"{name}.xopp", "-i", f"{name}-x.png", f"--export-png-width={wide}"],
    }
    if python := python_with_cairo():
        jobs["pycairo"] = [python, "-c", CAIRO, f"{name}.lines", f"{name}-cairo.png", str(wide / width)]
    return {program: command for program, command in jobs.items() if shutil.which(command[0])}


def measure(jobs, folder, runs):
    """The median seconds of each command; they take turns."""
    times = {program: [] for program in jobs}
    for number in range(runs + 1):
        for program, command in jobs.items():
            start = time.perf_counter()
            done = subprocess.run(command, cwd=folder, capture_output=True)
            taken = time.perf_counter() - start
            if done.returncode != 0:
                raise SystemExit(f"{program}: {done.stderr.decode(errors='replace')[:300]}")
            if number > 0:
                times[program].append(taken)
    return {program: statistics.median(taken) for program, taken in times.items()}


def sizes(folder, name):
    """Bytes of the same ink in files, and of PencilKit's archive in general compressors."""
    archive = (folder / f"{name}.drawing").read_bytes()
    found = {"pkd": (folder / f"{name}.pkd").stat().st_size, "archive": len(archive),
             "archive, gzip": len(gzip.compress(archive, 9)), "svg": (folder / f"{name}.svg").stat().st_size,
             "xopp": (folder / f"{name}.xopp").stat().st_size}
    for program, options in (("xz", ["-9e"]), ("zstd", ["-19"])):
        if shutil.which(program):
            packed = subprocess.run([program, *options, "-c"], input=archive, capture_output=True, check=True)
            found[f"archive, {program}"] = len(packed.stdout)
    return found


# MARK: - Plots

# Letters as lines on a grid of 4 by 6, for our own engine has no fonts.
LETTERS = {
    "a": "03 43 46 06 04 44", "b": "00 06 46 43 03", "c": "43 03 06 46", "d": "40 46 06 03 43",
    "e": "04 44 43 03 06 46", "f": "40 20 26 / 03 43", "g": "46 06 03 43 48 08", "h": "00 06 / 03 43 46",
    "i": "23 26 / 21 22", "j": "23 28 08 / 21 22", "k": "00 06 / 43 04 46", "l": "20 26", "m": "06 03 43 46 / 23 26",
    "n": "06 03 43 46", "o": "03 43 46 06 03", "p": "08 03 43 46 06", "q": "48 43 03 06 46", "r": "06 03 43",
    "s": "43 03 04 44 46 06", "t": "20 26 46 / 03 43", "u": "03 06 46 43", "v": "03 26 43", "w": "03 06 46 43 / 26 23",
    "x": "03 46 / 43 06", "y": "03 06 46 / 43 48 08", "z": "03 43 06 46", "0": "00 40 46 06 00", "1": "10 20 26 / 06 46",
    "2": "00 40 43 03 06 46", "3": "00 40 46 06 / 03 43", "4": "00 03 43 / 40 46", "5": "40 00 03 43 46 06",
    "6": "40 00 06 46 43 03", "7": "00 40 26", "8": "00 40 46 06 00 / 03 43", "9": "43 03 00 40 46 06",
    "-": "03 43", ".": "25 26", ",": "25 17", "/": "40 06", ":": "22 23 / 25 26", " ": "",
}


def letters(text, x, y, size):
    """The strokes of a text whose upper left corner is at x, y."""
    found = []
    for letter in text.lower():
        for line in LETTERS.get(letter, "").split(" / "):
            # Three times, as a spline turns a corner only where points lie on each other.
            points = [(x + int(p[0]) * size, y + int(p[1]) * size) for p in line.split() for _ in range(3)]
            if points:
                found.append(points)
        x += 6 * size
    return found


def plot(figures, output):
    """Bars of each job, drawn by pkd: the times as parts of the slowest."""
    strokes, y = [], 20.0

    def add(points, width, color):
        strokes.append({"ink": {"type": "monoline", "color": color, "widthLaw": "plain"},
                        "points": [{"x": px, "y": py, "w": width} for px, py in points]})

    dark, ours, others = [0.1, 0.1, 0.2, 1], [0.82, 0.36, 0.2, 1], [0.62, 0.62, 0.68, 1]
    for job, times in figures.items():
        for line in letters(job, 20, y, 2.2):
            add(line, 1.6, dark)
        y += 30
        slowest = max(times.values())
        for program, seconds in sorted(times.items(), key=lambda item: item[1]):
            for line in letters(program, 20, y, 1.6):
                add(line, 1.2, dark)
            length = 460 * seconds / slowest
            add([(180, y + 5), (180 + max(length, 1), y + 5)], 12, ours if program == "pkd" else others)
            for line in letters(f"{seconds * 1000:.1f} ms", 200 + length, y, 1.6):
                add(line, 1.2, dark)
            y += 24
        y += 16
    command = [PKD, "render", "--quiet", "--from", "json", "--background", "#FFFFFF", "--scale", "2",
               "--region", f"0,0,800,{math.ceil(y)}", "-", "-o", str(output)]
    subprocess.run(command, input=json.dumps({"strokes": strokes}).encode(), check=True)


# MARK: - The run


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--plot", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    if not PKD:
        raise SystemExit("there is no pkd: swift build -c release --product pkd")
    runs = 2 if given.quick else given.runs
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder, "page", handwriting(400, 60, 1024, 1366), 1024, 1366)
        write_inputs(folder, "sketch", handwriting(3000, 100, 2048, 2732), 2048, 2732)
        jobs = {
            "page, 400 strokes, 1024 x 1366": picture_jobs(folder, "page", 1024, 1366),
            "its thumbnail, 256 wide": picture_jobs(folder, "page", 1024, 1366, small=256),
            "sketch, 3000 strokes, 2048 x 2732": picture_jobs(folder, "sketch", 2048, 2732),
        }
        figures = {job: measure(commands, folder, runs) for job, commands in jobs.items()}
        bytes_of = sizes(folder, "page")
    absent = [p for p in ("rsvg-convert", "inkscape", "mutool", "xournalpp") if not shutil.which(p)]
    if not python_with_cairo():
        absent.append("pycairo")
    for job, times in figures.items():
        print(job)
        for program, seconds in sorted(times.items(), key=lambda item: item[1]):
            print(f"  {program:14} {seconds * 1000:9.1f} ms {seconds / times['pkd']:7.1f} x")
    print("the page as a file")
    for form, count in sorted(bytes_of.items(), key=lambda item: item[1]):
        print(f"  {form:14} {count:9} bytes")
    if absent:
        print("not installed:", ", ".join(absent), file=sys.stderr)
    if given.plot:
        plot(figures, given.plot)
    if given.json:
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
        report = {"program": "side_by_side.py", "commit": commit.stdout.strip(), "machine": platform.machine(),
                  "date": datetime.date.today().isoformat(), "runs": runs, "absent": absent,
                  "figures": [{"job": job, "program": program, "seconds": seconds}
                              for job, times in figures.items() for program, seconds in times.items()],
                  "bytes": bytes_of}
        given.json.write_text(json.dumps(report, indent=1) + "\n")


main()
