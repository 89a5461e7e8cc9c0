"""Pages of ink as pictures."""

from . import inputs
from .measuring import PKD, Field, Job, Program, run, python_with, script


def pictures(name, width, height, small=None):
    """Programs that draw an input; `small` is the width of a small picture, else that of the page."""
    wide = small or width
    high = round(height * wide / width)
    out = f"{name}-{wide}"

    def by_script(module):
        return Program(
            script([module], "draw", "page", module, f"{name}.lines", f"{out}-{module}.png", wide / width),
            f"{out}-{module}.png",
            needs=(module,),
        )

    return {
        "pkd": Program(
            [
                PKD,
                "render",
                "--quiet",
                "--region",
                f"0,0,{width},{height}",
                "--size",
                f"{wide}x{high}",
                f"{name}.pkd",
                "-o",
                f"{out}-pkd.png",
            ],
            f"{out}-pkd.png",
        ),
        "Skia": by_script("skia"),
        "mutool": Program(
            ["mutool", "draw", "-q", "-w", str(wide), "-o", f"{out}-mu.png", f"{name}.svg"],
            f"{out}-mu.png",
            needs=("mutool",),
        ),
        "rsvg-convert": Program(
            ["rsvg-convert", "-w", str(wide), f"{name}.svg", "-o", f"{out}-rsvg.png"],
            f"{out}-rsvg.png",
            needs=("rsvg-convert",),
        ),
        "resvg": Program(
            script(["resvg_py"], "draw", "resvg", f"{name}.svg", f"{out}-resvg.png", wide),
            f"{out}-resvg.png",
            needs=("resvg_py",),
        ),
        "pycairo": by_script("cairo"),
        "OpenCV": by_script("cv2"),
        "Xournal++": Program(
            ["xournalpp", f"{name}.xopp", "-i", f"{out}-x.png", f"--export-png-width={wide}"],
            f"{out}-x.png",
            needs=("xournalpp",),
        ),
        "Inkscape": Program(
            ["inkscape", f"{name}.svg", "-w", str(wide), "-o", f"{out}-ink.png"], f"{out}-ink.png", needs=("inkscape",)
        ),
    }


def jobs(folder):
    for name, strokes, points, width, height in (("page", 400, 60, 1024, 1366), ("sketch", 3000, 100, 2048, 2732)):
        inputs.write_lines(folder, name, inputs.handwriting(strokes, points, width, height), width, height)
    return [
        Job("page, 400 strokes of 60 points, 1024 x 1366", "page", pictures("page", 1024, 1366)),
        Job("its thumbnail, 256 wide", "thumbnail", pictures("page", 1024, 1366, small=256)),
        Job("sketch, 3000 strokes of 100 points, 2048 x 2732", "sketch", pictures("sketch", 2048, 2732)),
    ]


def check(folder):
    """How much darker or lighter than ours the page of another program is, at most."""
    if not python_with("PIL", "numpy"):
        return {}
    pages = {path.name for path in folder.glob("page-1024-*.png")}
    special = {"OpenCV": "page-1024-cv2.png", "Xournal++": "page-1024-x.png"}
    found = {}
    for program, files in {
        **{name: {file} & pages for name, file in special.items()},
        "all others at most": pages - set(special.values()),
    }.items():
        if files:
            _, printed = run(
                script(["PIL", "numpy"], "compare", "darkness", "page-1024-pkd.png", *sorted(files)), folder
            )
            found[f"difference of darkness to ours, {program}"] = float(printed)
    return found


FIELD = Field(
    "raster",
    "Pages as pictures",
    "pkd",
    jobs,
    check=check,
    note="Each program reads its own format: `pkd` reads `.pkd`; Skia, pycairo and OpenCV numbers in JSON with the start of "
    "Python; the others SVG, and Xournal++ `.xopp`. `pkd` and Xournal++ draw a width for every point, the others one for each "
    "line, as SVG has no other, and OpenCV whole pixels of width. What the others can do and `pkd` cannot – text, "
    "gradients, any path – costs them time here.",
)
