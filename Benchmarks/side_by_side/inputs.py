"""The ink that all programs get, in the form that each one reads."""

import gzip
import json
import math
import random
import struct
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


def even(lines):
    """The lines with their mean width all along, because most other programs have no other."""
    widths = [round(sum(width for _, _, width in line) / len(line), 2) for line in lines]
    return [[[x, y, width] for x, y, _ in line] for line, width in zip(lines, widths)]


def flattened(line, scale):
    """The points of the polyline that pkd draws for a line in a picture: its cubic B-spline, in equal pieces of each span
    that are at most a twentieth of a pixel away from it.
    """
    knots = [complex(x, y) for x, y, _ in line]
    knots = [2 * knots[0] - knots[1], *knots, 2 * knots[-1] - knots[-2]]
    curve = [knots[1]]
    for a, b, c, d in zip(knots, knots[1:], knots[2:], knots[3:]):
        bend = max(abs(a - 2 * b + c), abs(b - 2 * c + d))
        pieces = max(1, math.ceil(math.sqrt(bend * scale / 8 / 0.05)))
        for u in (piece / pieces for piece in range(1, pieces + 1)):
            first, last = (1 - u) ** 3, u**3
            second, third = 4 - 6 * u**2 + 3 * last, 1 + 3 * u + 3 * u**2 - 3 * last
            curve.append((first * a + second * b + third * c + last * d) / 6)
    return [(point.real, point.imag) for point in curve]


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


def write_lines(path, lines, width, height):
    """Lines of points for a script or a program of C: the sides and the count, then the count, width and points of each."""
    path.write_bytes(
        struct.pack("<3I", width, height, len(lines))
        + b"".join(
            struct.pack(f"<If{2 * len(points)}f", len(points), line, *(value for point in points for value in point))
            for line, points in lines
        )
    )


def write_picture(folder, name, lines, width, height, wide):
    """The curves of lines in a picture some pixels wide, in the forms that other programs read."""
    curves = [(line[0][2], flattened(line, wide / width)) for line in lines]
    write_lines(folder / f"{name}.lines", curves, width, height)
    texts = [(line, [f"{x:.2f} {y:.2f}" for x, y in points]) for line, points in curves]
    paths = "".join(f'<polyline stroke-width="{line}" points="{" ".join(points)}"/>' for line, points in texts)
    (folder / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        '<rect width="100%" height="100%" fill="#fff"/><g fill="none" stroke="#000" '
        f'stroke-linecap="round" stroke-linejoin="round">{paths}</g></svg>'
    )
    strokes = "".join(
        f'<stroke tool="pen" color="#000000ff" width="{line}">{" ".join(points)}</stroke>' for line, points in texts
    )
    (folder / f"{name}.xopp").write_bytes(
        gzip.compress(
            f'<xournal fileversion="4"><page width="{width}" height="{height}"><background type="solid" '
            f'color="#ffffffff" style="plain"/><layer>{strokes}</layer></page></xournal>'.encode()
        )
    )
