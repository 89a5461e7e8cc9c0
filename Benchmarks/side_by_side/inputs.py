"""The ink that all programs get, in the form that each one reads."""

import gzip
import json
import math
import random
import re
import subprocess

from .measuring import PKD


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
        pages.append(
            [
                (
                    left + step * part + size * 0.5 * math.sin(2 * math.pi * turns * part),
                    middle + size * math.cos(2 * math.pi * turns * part) * chance.uniform(0.95, 1.05),
                    1.5 + 1.2 * math.sin(math.pi * part),
                )
                for part in (index / (points - 1) for index in range(points))
            ]
        )
    return [[[round(value, 2) for value in point] for point in stroke] for stroke in pages]


def wanderings(strokes, points, width, height, line=3, seed=2):
    """Lines that wander over the page, as a hand draws that does not write."""
    chance = random.Random(seed)
    pages = []
    for _ in range(strokes):
        x, y = chance.uniform(0.1, 0.9) * width, chance.uniform(0.1, 0.9) * height
        angle, bend = chance.uniform(0, 2 * math.pi), chance.uniform(-0.1, 0.1)
        stroke = []
        for _ in range(points):
            stroke.append([round(x, 2), round(y, 2), line])
            angle += bend + chance.uniform(-0.1, 0.1)
            x = min(max(x + 8 * math.cos(angle), 10), width - 10)
            y = min(max(y + 8 * math.sin(angle), 10), height - 10)
        pages.append(stroke)
    return pages


def sketches(count, seed=3):
    """Drawings as small as those of Quick, Draw! in its simplified form: whole numbers from 0 to 255."""
    chance = random.Random(seed)
    drawings = []
    for _ in range(count):
        raw = wanderings(chance.randint(2, 8), chance.randint(4, 16), 256, 256, seed=chance.random())
        xs, ys = ([point[axis] for stroke in raw for point in stroke] for axis in (0, 1))
        scale = 255 / max(max(xs) - min(xs), max(ys) - min(ys))
        drawings.append(
            [
                [[round((point[axis] - low) * scale) for point in stroke] for axis, low in ((0, min(xs)), (1, min(ys)))]
                for stroke in raw
            ]
        )
    return drawings


# MARK: - Files


def plain_ink(color=(0, 0, 0, 1), type="monoline"):
    return {"type": type, "color": list(color), "widthLaw": "plain"}


def write_ink(folder, name, strokes, endings=("pkd",)):
    """A drawing as JSON, and as files of other formats that pkd makes of it."""
    (folder / f"{name}.json").write_text(json.dumps({"strokes": strokes}))
    for ending in endings:
        subprocess.run([PKD, "convert", "--quiet", folder / f"{name}.json", folder / f"{name}.{ending}"], check=True)


def stroke(points, ink=None, **more):
    return {"ink": ink or plain_ink(), "points": [{"x": x, "y": y, "w": w} for x, y, w in points], **more}


def write_lines(folder, name, lines, width, height):
    """The same lines for pkd, as SVG, for Xournal++, and as numbers for a script."""
    write_ink(folder, name, [stroke(line) for line in lines], ("pkd", "drawing", "xopp"))
    # The drawing has no page; Xournal++ would get a page of the size of the ink.
    text = gzip.decompress((folder / f"{name}.xopp").read_bytes()).decode()
    page = f'<page width="{width}" height="{height}">'
    (folder / f"{name}.xopp").write_bytes(gzip.compress(re.sub("<page [^>]*>", page, text, count=1).encode()))
    (folder / f"{name}.lines").write_text(json.dumps([width, height, lines]))
    paths = "".join(
        f'<polyline stroke-width="{sum(w for _, _, w in line) / len(line):.2f}" points="'
        + " ".join(f"{x},{y}" for x, y, _ in line)
        + '"/>'
        for line in lines
    )
    (folder / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        '<rect width="100%" height="100%" fill="#fff"/><g fill="none" stroke="#000" '
        f'stroke-linecap="round" stroke-linejoin="round">{paths}</g></svg>'
    )
