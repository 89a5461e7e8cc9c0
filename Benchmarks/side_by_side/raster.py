"""Pages of ink as pictures.

Vello is not among them: PyPI has none for processors, and that for graphics cards takes 7 seconds by a software driver.
"""

import json
import pathlib
import subprocess

from . import inputs
from .measuring import PKD, Field, Job, Program, found, python_with, run, script


def pictures(folder, name, lines, width, height, wide):
    """Programs that draw a part of an input, `wide` pixels wide."""
    high = round(height * wide / width)
    picture = f"{name}-{wide}"
    inputs.write_picture(folder, picture, lines, width, height, wide)

    def program(label, command, *needs):
        out = f"{picture}-{label}.png"
        return Program([out if word == "OUT" else str(word) for word in command], out, needs=needs)

    def by_script(module):
        command = script([module], "draw", "page", module, f"{picture}.lines", "OUT", wide / width)
        return program(module, command, module)

    region, size = f"0,0,{width},{height}", f"{wide}x{high}"
    return {
        "pkd": program(
            "pkd", [PKD, "render", "--quiet", "--region", region, "--size", size, f"{name}.pkd", "-o", "OUT"]
        ),
        "AGG": program(
            "agg", [folder / "agg_page", f"{picture}.lines", wide, high, "OUT"], "g++", "libagg", "libdeflate"
        ),
        "Blend2D": by_script("blend2d"),
        "Skia": by_script("skia"),
        "pycairo": by_script("cairo"),
        "OpenCV": by_script("cv2"),
        "mutool": program("mu", ["mutool", "draw", "-q", "-w", wide, "-o", "OUT", f"{picture}.svg"], "mutool"),
        "rsvg-convert": program("rsvg", ["rsvg-convert", "-w", wide, f"{picture}.svg", "-o", "OUT"], "rsvg-convert"),
        "resvg": program("resvg", [found("resvg"), "-w", wide, f"{picture}.svg", "OUT"], "resvg"),
        "Inkscape": program("ink", ["inkscape", f"{picture}.svg", "-w", wide, "-o", "OUT"], "inkscape"),
        "Xournal++": program(
            "x", ["xournalpp", f"{picture}.xopp", "-i", "OUT", f"--export-png-width={wide}"], "xournalpp"
        ),
    }


def jobs(folder):
    if found("g++") and found("libagg") and found("libdeflate"):
        source = pathlib.Path(__file__).parent / "agg_page.cpp"
        libraries = [*found("libagg"), *found("libdeflate")]
        command = ["g++", "-O3", "-march=native", "-static", source, "-o", folder / "agg_page", *libraries]
        subprocess.run(command, check=True)
    inks = {}
    for name, strokes, points, width, height in (("page", 400, 60, 1024, 1366), ("sketch", 3000, 100, 2048, 2732)):
        inks[name] = inputs.even(inputs.handwriting(strokes, points, width, height))
        inputs.write_ink(folder, name, [inputs.stroke(line) for line in inks[name]])

    def job(title, short, name, *sides):
        return Job(title, short, pictures(folder, name, inks[name], *sides))

    return [
        job("page, 400 strokes of 60 points, 1024 x 1366", "page", "page", 1024, 1366, 1024),
        # All draw a quarter of the size exactly, as the height is a multiple of four.
        job("its thumbnail, 256 wide", "thumbnail", "page", 1024, 1368, 256),
        job("sketch, 3000 strokes of 100 points, 2048 x 2732", "sketch", "sketch", 2048, 2732, 2048),
    ]


def compare(folder, job):
    """How far the pictures of other programs are from ours."""
    if not python_with("PIL", "numpy"):
        return {}
    files = [program.output for program in job.programs.values()]
    _, printed = run(script(["PIL", "numpy"], "compare", "pictures", files[0], *files), folder)
    keys = ("difference", "inkedDifference", "inkedDifference99")
    return {name: dict(zip(keys, values)) for name, values in zip(job.programs, json.loads(printed))}


FIELD = Field(
    "raster",
    "Pages as pictures",
    "pkd",
    jobs,
    compare=compare,
    expert="AGG",
    note="`pkd` reads `.pkd`. The others get the polylines that it draws: AGG as numbers; Blend2D, Skia, pycairo and OpenCV, too, "
    "with the start of Python; Xournal++ as `.xopp`; the rest as SVG. OpenCV has whole pixel widths. Most also draw text, "
    "gradients, any path.",
)
