"""Drawings for tests, made up by a simple hand, and the recipe that goes around for pictures of Quick, Draw!."""

import math
import random

import numpy as np


def drawing(seed):
    """A drawing as in Quick, Draw!'s simplified files: pairs of lists with whole numbers from 0 to 255."""
    chance = random.Random(seed)
    strokes = []
    for _ in range(chance.randint(1, 7)):
        x, y = chance.uniform(20, 235), chance.uniform(20, 235)
        heading, turn = chance.uniform(0, 2 * math.pi), chance.uniform(-0.6, 0.6)
        points = [(x, y)]
        for _ in range(chance.randint(1, 14)):
            heading += turn + chance.uniform(-0.3, 0.3)
            step = chance.uniform(5, 45)
            x = min(max(x + step * math.cos(heading), 0), 255)
            y = min(max(y + step * math.sin(heading), 0), 255)
            points.append((x, y))
        strokes.append(points)
    left = min(x for stroke in strokes for x, _ in stroke)
    top = min(y for stroke in strokes for _, y in stroke)
    return [[[round(x - left) for x, _ in stroke], [round(y - top) for _, y in stroke]] for stroke in strokes]


def arrays(drawing):
    """A drawing as a list of float32[points, 2]."""
    return [np.stack(stroke, 1).astype(np.float32) for stroke in drawing]


def line(drawing, **facts):
    """A drawing as a line of a Quick, Draw! file."""
    import json

    return json.dumps({**facts, "drawing": drawing}).encode() + b"\n"


def inkml(drawing, label=""):
    """A drawing with times as a text in InkML, as MathWriting has them."""
    traces = "".join(
        f'<trace id="{number}">'
        + ",".join(f"{x} {y} {10 * index}" for index, (x, y) in enumerate(zip(*stroke[:2])))
        + "</trace>"
        for number, stroke in enumerate(drawing)
    )
    return (
        '<ink xmlns="http://www.w3.org/2003/InkML">'
        f'<annotation type="normalizedLabel">{label}</annotation>'
        '<traceFormat><channel name="X"/><channel name="Y"/><channel name="T"/></traceFormat>'
        f"{traces}</ink>"
    )


def cairo_recipe(drawing, side=28, line=16, padding=16):
    """The recipe: white round lines on black, the drawing in the middle of a square of 256 units."""
    import cairo

    surface = cairo.ImageSurface(cairo.FORMAT_ARGB32, side, side)
    context = cairo.Context(surface)
    context.set_antialias(cairo.ANTIALIAS_BEST)
    context.set_line_cap(cairo.LINE_CAP_ROUND)
    context.set_line_join(cairo.LINE_JOIN_ROUND)
    context.set_line_width(line)
    total = 256.0 + 2 * padding + line
    context.scale(side / total, side / total)
    context.translate(total / 2 - 128, total / 2 - 128)
    dx = (256 - max(max(stroke[0]) for stroke in drawing)) / 2
    dy = (256 - max(max(stroke[1]) for stroke in drawing)) / 2
    context.set_source_rgb(0, 0, 0)
    context.paint()
    context.set_source_rgb(1, 1, 1)
    for xs, ys in drawing:
        context.move_to(xs[0] + dx, ys[0] + dy)
        for x, y in zip(xs[1:], ys[1:]):
            context.line_to(x + dx, y + dy)
        context.stroke()
    pixels = np.frombuffer(surface.get_data(), np.uint8)
    return pixels.reshape(side, surface.get_stride())[:, : 4 * side : 4].copy()
