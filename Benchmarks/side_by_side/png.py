"""Pixels as PNG."""

import math
import shutil
import subprocess

from . import inputs
from .measuring import BENCHMARKS, PKD, Field, Job, Program, python_with, run, script

WIDTH, HEIGHT = 1024, 1366
# Repetitions in one process, for the time of encoding alone.
REPEATS = "9"


def encoders(name):
    raw, size = f"{name}.rgba", f"{WIDTH}x{HEIGHT}"

    def ours(effort):
        words = [BENCHMARKS, "png", "--effort", effort, raw, str(WIDTH), str(HEIGHT)]
        out = f"{name}-{effort}.png"
        return Program([*words, "1", out], out, inside=[*words, REPEATS, out])

    def library(module, *words):
        out = f"{name}-{'-'.join(words)}.png"
        modules = [module, "numpy"] if module else ["numpy"]
        command = script(modules, "encode", "png", *words)
        rest = [raw, str(WIDTH), str(HEIGHT)]
        return Program([*command, *rest, "1", out], out, inside=[*command, *rest, REPEATS, out], needs=tuple(modules))

    def again(tool, command, out):
        return Program(command, out, needs=(tool,))

    source = f"{name}-source.png"
    programs = {
        "ours": ours("fast"),
        "ours, small": ours("small"),
        "ours, best": ours("best"),
        "fpng": library("fpng_py", "fpng"),
        "OpenCV": library("cv2", "opencv"),
        "libpng, level 1": library(None, "libpng", "1"),
        "libpng, level 6": library(None, "libpng", "6"),
        "libpng, level 9": library(None, "libpng", "9"),
        "Pillow": library("PIL", "pillow"),
        "Skia": library("skia", "skia"),
        "pnmtopng": again("pnmtopng", f"pnmtopng {name}.ppm > {name}-pnm.png", f"{name}-pnm.png"),
        "ffmpeg": again(
            "ffmpeg",
            [
                "ffmpeg",
                "-v",
                "error",
                "-y",
                "-f",
                "rawvideo",
                "-pix_fmt",
                "rgba",
                "-s",
                size,
                "-i",
                raw,
                "-pix_fmt",
                "rgb24",
                f"{name}-ffmpeg.png",
            ],
            f"{name}-ffmpeg.png",
        ),
        "optipng": again("optipng", f"optipng -quiet -clobber -out {name}-optipng.png {source}", f"{name}-optipng.png"),
        "pngcrush": again("pngcrush", f"pngcrush -q {source} {name}-pngcrush.png", f"{name}-pngcrush.png"),
        "advpng": again("advpng", f"cp {source} {name}-adv.png && advpng -z -q {name}-adv.png", f"{name}-adv.png"),
        "oxipng": Program(
            script(["oxipng"], "encode", "oxipng", source, f"{name}-oxipng.png"),
            f"{name}-oxipng.png",
            needs=("oxipng",),
        ),
        "zopflipng": again("zopflipng", f"zopflipng -y {source} {name}-zopfli.png", f"{name}-zopfli.png"),
    }
    if name == "pen":
        # It leaves pictures in grey as they are.
        del programs["advpng"]
    return programs


def jobs(folder):
    page = inputs.handwriting(400, 60, WIDTH, HEIGHT)
    inputs.write_ink(folder, "pen", [inputs.stroke(line) for line in page])
    # Grain has more shades than a palette can hold, and little repetition.
    types = ("pencil", "marker", "crayon", "watercolor", "pen")
    inks = [
        inputs.plain_ink((0.8 * math.sin(n) ** 2, 0.5 * math.cos(n) ** 2, 0.1 * (n % 7), 1), types[n % 5])
        for n in range(60)
    ]
    sketch = [inputs.stroke(line, ink) for line, ink in zip(inputs.wanderings(60, 120, WIDTH, HEIGHT, line=9), inks)]
    inputs.write_ink(folder, "inks", sketch)
    for name in ("pen", "inks"):
        for ending in ("rgba", "ppm"):
            subprocess.run(
                [
                    PKD,
                    "render",
                    "--quiet",
                    "--background",
                    "#FFFFFF",
                    "--region",
                    f"0,0,{WIDTH},{HEIGHT}",
                    f"{name}.pkd",
                    "-o",
                    f"{name}.{ending}",
                ],
                cwd=folder,
                check=True,
            )
        if shutil.which("pnmtopng"):
            # Encoded by libpng, as input for programs that read PNG.
            with open(folder / f"{name}-source.png", "wb") as file:
                subprocess.run(["pnmtopng", folder / f"{name}.ppm"], stdout=file, check=True)
    return [
        Job(f"page in one ink, {WIDTH} x {HEIGHT}", "one ink", encoders("pen")),
        Job("page in several inks, as large", "several inks", encoders("inks")),
    ]


def check(folder):
    """Every file must hold the pixels that were given."""
    if not python_with("PIL", "numpy"):
        return {}
    for name in ("pen", "inks"):
        files = sorted(path.name for path in folder.glob(f"{name}-*.png"))
        run(script(["PIL", "numpy"], "compare", "same-pixels", f"{name}.rgba", WIDTH, HEIGHT, *files), folder)
    return {"files with other pixels": 0}


FIELD = Field(
    "png",
    "Pixels as PNG",
    "ours",
    jobs,
    mine=("ours, small", "ours, best"),
    builds="pkd and Benchmarks",
    check=check,
    note="Whole processes from pixels to a file of PNG, with the start of Python for libraries; then the encoder alone in a "
    "process that has run before. optipng, pngcrush, advpng, oxipng and zopflipng get a file by libpng instead.",
)
