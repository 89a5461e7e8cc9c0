"""Data sets of small drawings as arrays."""

import json

from . import inputs
from .measuring import Field, Job, Program, run, script

COUNT = 1000
REPEATS = 3


def renderers(source, kind, size):
    found = {}
    for name, module in (
        ("pentimento", "pentimento"),
        ("pycairo", "cairo"),
        ("Skia", "skia"),
        ("OpenCV", "cv2"),
        ("Pillow", "PIL"),
        ("matplotlib", "matplotlib"),
    ):
        if kind == "inkml" and module == "matplotlib":
            continue
        out = f"{kind}-{size}-{module}.npy"
        command = script([module, "numpy"], "dataset", kind, module, source, size)
        # matplotlib takes seconds for one round, and less than one to start.
        inside = None if module == "matplotlib" else [*command, str(REPEATS), out]
        found[name] = Program([*command, "1", out], inside=inside, needs=(module, "numpy"))
    return found


def inkml(drawing):
    traces = "".join(
        "<trace>" + ",".join(f"{x} {y} {t}" for t, (x, y) in enumerate(zip(*stroke))) + "</trace>" for stroke in drawing
    )
    return f'<ink xmlns="http://www.w3.org/2003/InkML">{traces}</ink>'


def jobs(folder):
    drawings = inputs.sketches(COUNT)
    (folder / "sketches.ndjson").write_text(
        "".join(
            json.dumps(
                {
                    "word": "cat",
                    "countrycode": "AT",
                    "timestamp": "2017-03-01 00:00:00 UTC",
                    "recognized": True,
                    "key_id": str(number),
                    "drawing": drawing,
                }
            )
            + "\n"
            for number, drawing in enumerate(drawings)
        )
    )
    (folder / "sketches.inkml.json").write_text(json.dumps([inkml(drawing) for drawing in drawings]))
    return [
        Job(
            f"{COUNT} drawings of quick, draw! as 28 x 28",
            "28×28",
            renderers("sketches.ndjson", "quickdraw", 28),
            COUNT,
        ),
        Job("the same as 256 x 256", "256×256", renderers("sketches.ndjson", "quickdraw", 256), COUNT),
        Job(
            f"{COUNT} texts of inkml as 256 x 256",
            "InkML, 256×256",
            renderers("sketches.inkml.json", "inkml", 256),
            COUNT,
        ),
    ]


def check(folder):
    """The mean differences of the pictures to those of pycairo, of 255."""
    found = {}
    for size in (28, 256):
        if (folder / f"quickdraw-{size}-cairo.npy").exists():
            files = [folder / f"quickdraw-{size}-{module}.npy" for module in ("pentimento", "cairo")]
            _, printed = run(script(["numpy"], "compare", "mean-difference", *files), folder)
            found[f"mean difference of pentimento to pycairo, {size}"] = float(printed)
    return found


FIELD = Field(
    "researchers",
    "Small drawings as arrays",
    "pentimento",
    jobs,
    builds="pkd; pip install ./Sources/Clients/Python",
    check=check,
    note=f"{COUNT} generated drawings of 2 to 8 strokes in the form of Quick, Draw!. Whole processes of Python from the file of "
    "text to a file of an array; then drawings a second of drawing alone, without start and reading (for InkML with reading it). "
    "pycairo and Skia draw the recipe that goes around for the data set; OpenCV has whole pixel widths, Pillow no soft edges but "
    "by drawing 256 pixels wide first. `Benchmarks/researchers.py` measures the real data set.",
)
