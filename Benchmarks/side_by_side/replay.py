"""Recordings as moving pictures."""

from . import inputs
from .measuring import PKD, Field, Job, Program, python_with, run, script

WIDTH, HEIGHT, FRAMES, RATE = 1024, 1366, 300, 30
STROKES, SEGMENTS = 60, 60
RAW = f"-f rawvideo -s {WIDTH}x{HEIGHT} -r {RATE}"
# The pixel layout of each library, as ffmpeg names it.
LAYOUTS = {"cairo": "bgr0", "cv2": "bgr24"}
NAMES = {"cairo": "pycairo", "skia": "Skia", "cv2": "OpenCV"}


def ours(*options):
    # One frame at the start and one at the end. A thousandth less, so that rounding adds no extra
    # frame.
    seconds = (FRAMES - 1) / RATE - 0.001
    words = [
        PKD,
        "replay",
        "--quiet",
        "--force",
        "--fps",
        str(RATE),
        "--duration",
        f"{seconds:.4f}",
        "--hold",
        "0",
        "--region",
        f"0,0,{WIDTH},{HEIGHT}",
        *options,
        "replay.pkd",
    ]
    return " ".join(words)


def modules(module):
    return (module, "numpy") if module == "cv2" else (module,)


def frames(module, *more):
    return " ".join(script(modules(module), "draw", "frames", module, "replay.lines", FRAMES, *more))


def by_ffmpeg(module, options, out):
    return Program(
        f"{frames(module)} | ffmpeg -v error {RAW} -pix_fmt {LAYOUTS[module]} -i - {options} -y {out}",
        out,
        needs=(*modules(module), "ffmpeg"),
    )


def jobs(folder):
    lines = inputs.wanderings(STROKES, SEGMENTS + 1, WIDTH, HEIGHT)
    seconds = FRAMES / RATE / STROKES
    strokes = []
    for number, line in enumerate(lines):
        stroke = inputs.stroke(line, date=number * seconds)
        for index, point in enumerate(stroke["points"]):
            point["t"] = round(index * seconds / (SEGMENTS + 1), 5)
        strokes.append(stroke)
    inputs.write_ink(folder, "replay", strokes)
    numbers = [(line[0][2], [(x, y) for x, y, _ in line]) for line in lines]
    inputs.write_lines(folder / "replay.lines", numbers, WIDTH, HEIGHT)

    apng = {"pkd": Program(ours("-o", "ours.apng"), "ours.apng")}
    film = {"pkd": Program(ours("-o", "ours.mp4"), "ours.mp4", needs=("ffmpeg",))}
    gif = {"pkd": Program(ours("-o", "ours.gif"), "ours.gif")}
    raw = {"pkd": Program(ours("--to", "rgba", "-o", "-") + " | cat > /dev/null")}
    # One library is enough, because ffmpeg takes most of the time.
    apng["pycairo, ffmpeg"] = by_ffmpeg("cairo", "-plays 0 -f apng", "cairo.apng")
    for module, name in NAMES.items():
        if module != "skia":
            film[f"{name}, ffmpeg"] = by_ffmpeg(
                module, "-c:v libx264 -preset medium -crf 18 -pix_fmt yuv420p", f"{module}.mp4"
            )
        raw[name] = Program(f"{frames(module)} | cat > /dev/null", needs=modules(module))
    for module, name in (("cv2", "OpenCV"), ("PIL", "Pillow")):
        apng[name] = Program(
            script([module, "numpy"], "draw", "animation", module, "replay.lines", FRAMES, f"{module}-own.png"),
            f"{module}-own.png",
            needs=(module, "numpy"),
        )
    gif["pycairo, ffmpeg"] = by_ffmpeg(
        "cairo", "-filter_complex 'split[a][b],[a]palettegen[p],[b][p]paletteuse=dither=none'", "cairo.gif"
    )
    gif["Pillow"] = Program(
        script(["PIL"], "draw", "animation", "PIL", "replay.lines", FRAMES, "PIL-own.gif"),
        "PIL-own.gif",
        needs=("PIL",),
    )
    raw["pycairo, whole pages"] = Program(f"{frames('cairo', 'whole')} | cat > /dev/null", needs=("cairo",))
    return [
        Job("300 frames, 1024 x 1366, as APNG", "APNG", apng),
        Job("the same as MP4", "MP4", film),
        Job("the same as GIF", "GIF", gif),
        Job("the frames alone, to a pipe", "frames", raw),
    ]


def check(folder):
    """Ours must give as many frames as the scripts, and the last one must have the ink of theirs."""
    if not python_with("cairo", "numpy"):
        return {}
    files = []
    for name, command in (("ours", ours("--to", "rgba", "-o", "-")), ("cairo", frames("cairo"))):
        size = WIDTH * HEIGHT * 4
        _, printed = run(f"{command} > all; wc -c < all; tail -c {size} all > last-{name}; rm all", folder)
        if int(printed) != FRAMES * size:
            raise SystemExit(f"{name}: {int(printed) / size} frames")
        files.append(f"last-{name}")
    _, printed = run(script(["numpy"], "compare", "raw-darkness", *files), folder)
    return {"frames": FRAMES, "difference of darkness of the last frame to pycairo": float(printed)}


FIELD = Field(
    "replay",
    "Recordings as moving pictures",
    "pkd",
    jobs,
    check=check,
    note="Whole processes from a recording of 60 strokes to 300 frames. The scripts draw what is new in each frame upon the last "
    'one, and give all pixels to ffmpeg or to their own writer; "whole pages" draws all of it for every frame. For MP4 all use '
    "ffmpeg with the same settings. OpenCV and Pillow draw whole pixel widths, and Pillow no soft edges.",
)
