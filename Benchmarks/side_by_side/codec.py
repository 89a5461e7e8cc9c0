"""Ink as files."""

import gzip
import json
import struct
import subprocess

from . import inputs
from .measuring import PKD, ROOT, Field, Job, Program, script


def packers(name):
    """Programs that store a drawing; general ones get PencilKit's archive of it."""

    def general(tool, options):
        return Program(
            f"{tool} {options} -c {name}.drawing > {name}.{tool}{options.split()[0]}",
            f"{name}.{tool}{options.split()[0]}",
            needs=(tool,),
        )

    def own(label, *options):
        return Program(
            [PKD, "convert", "--quiet", *options, f"{name}.drawing", f"{name}-{label}.pkd"], f"{name}-{label}.pkd"
        )

    return {
        "pkd": own("exact"),
        "pkd, ink only": own("ink", "--ink-only"),
        "pkd, compact": own("compact", "--profile", "compact", "--ink-only"),
        "xz -9e": general("xz", "-9e"),
        "brotli -q 11": general("brotli", "-q 11"),
        "zstd -19": general("zstd", "-19"),
        "zstd -3": general("zstd", "-3"),
        "gzip -9": general("gzip", "-9"),
        "pcodec, points alone": Program(
            script(["pcodec", "numpy"], "store", "pcodec-pack", f"{name}.columns", f"{name}.pco"),
            f"{name}.pco",
            needs=("pcodec", "numpy"),
        ),
    }


def unpackers(name):
    def general(tool, ending):
        return Program(f"{tool} -d -c < {name}.{tool}{ending} > {name}-{tool}{ending}.drawing", needs=(tool,))

    def own(label):
        return Program([PKD, "convert", "--quiet", f"{name}-{label}.pkd", f"{name}-{label}.drawing"])

    return {
        "pkd": own("exact"),
        "pkd, ink only": own("ink"),
        "pkd, compact": own("compact"),
        "xz -9e": general("xz", "-9e"),
        "brotli -q 11": general("brotli", "-q"),
        "zstd -19": general("zstd", "-19"),
        "zstd -3": general("zstd", "-3"),
        "gzip -9": general("gzip", "-9"),
        "pcodec, points alone": Program(
            script(["pcodec", "numpy"], "store", "pcodec-unpack", f"{name}.pco"), needs=("pcodec", "numpy")
        ),
    }


def forms(folder, name):
    """The sizes of files in the formats of other programs."""
    for ending in ("inkml", "xopp", "svg", "excalidraw"):
        subprocess.run([PKD, "convert", "--quiet", folder / f"{name}.pkd", folder / f"{name}.{ending}"], check=True)
    (folder / f"{name}.svgz").write_bytes(gzip.compress((folder / f"{name}.svg").read_bytes(), 9))
    labels = {
        "PencilKit's archive": "drawing",
        "SVG": "svg",
        "SVG, gzip": "svgz",
        ".xopp": "xopp",
        "InkML": "inkml",
        ".excalidraw": "excalidraw",
    }
    return {label: Program(None, f"{name}.{ending}") for label, ending in labels.items()}


def write_columns(folder, name):
    """The points alone, as columns of floats: those that vary and do not equal another one."""
    drawing = json.loads((folder / f"{name}.json").read_text())
    points = [point for stroke in drawing["strokes"] for point in stroke["points"]]
    if not isinstance(points[0], dict):
        raise SystemExit(f"{name}.json: points must have names")
    columns = []
    for key, usual in (
        ("x", 0),
        ("y", 0),
        ("t", 0),
        ("w", 4),
        ("h", None),
        ("opacity", 1),
        ("force", 1),
        ("azimuth", 0),
        ("altitude", 1.5707963),
    ):
        column = [point.get(key, point.get("w", 4) if usual is None else usual) for point in points]
        if len(set(column)) > 1 and column not in columns:
            columns.append(column)
    head = struct.pack("<II", len(columns), len(points))
    (folder / f"{name}.columns").write_bytes(head + b"".join(struct.pack(f"<{len(c)}f", *c) for c in columns))


def jobs(folder):
    inputs.write_ink(folder, "written", [inputs.stroke(line) for line in inputs.handwriting(400, 60, 1024, 1366)])
    subprocess.run([PKD, "convert", "--quiet", ROOT / "Samples/minute.pkd", folder / "recorded.pkd"], check=True)
    found = []
    for name, title in (("written", "page of 24000 points"), ("recorded", "samples/minute.pkd")):
        # All programs store the archive, so its steps apply to the columns, too.
        for source, ending in (("pkd", "drawing"), ("drawing", "json")):
            subprocess.run(
                [PKD, "convert", "--quiet", folder / f"{name}.{source}", folder / f"{name}.{ending}"], check=True
            )
        write_columns(folder, name)
        short = "page" if name == "written" else "`minute.pkd`"
        found.append(Job(f"{title}, stored", f"{short}, write", {**packers(name), **forms(folder, name)}))
        found.append(Job(f"{title}, read again", f"{short}, read", unpackers(name)))
    return found


FIELD = Field(
    "codec",
    "Ink as files",
    "pkd",
    jobs,
    mine=("pkd, ink only", "pkd, compact"),
    note="Whole processes from PencilKit's archive to a file, and back. `pkd` gives the archive again byte for byte, with "
    "`--ink-only` its ink; compact points are rounded. The general ones give back the archive's bytes "
    "without reading what is in them. pcodec gets the columns of numbers, without strokes, inks and seeds, and "
    "the start of Python. Other formats have the sizes that `pkd convert` writes.",
)
