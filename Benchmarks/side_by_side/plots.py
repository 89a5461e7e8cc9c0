"""Bars, drawn by our own engine, whose letters are strokes too."""

import json
import math
import subprocess

from .measuring import PKD

# Letters as lines on a grid of 4 by 6, because our engine has no fonts.
LETTERS = {
    "a": "03 43 46 06 04 44",
    "b": "00 06 46 43 03",
    "c": "43 03 06 46",
    "d": "40 46 06 03 43",
    "e": "04 44 43 03 06 46",
    "f": "40 20 26 / 03 43",
    "g": "46 06 03 43 48 08",
    "h": "00 06 / 03 43 46",
    "i": "23 26 / 21 22",
    "j": "23 28 08 / 21 22",
    "k": "00 06 / 43 04 46",
    "l": "20 26",
    "m": "06 03 43 46 / 23 26",
    "n": "06 03 43 46",
    "o": "03 43 46 06 03",
    "p": "08 03 43 46 06",
    "q": "48 43 03 06 46",
    "r": "06 03 43",
    "s": "43 03 04 44 46 06",
    "t": "20 26 46 / 03 43",
    "u": "03 06 46 43",
    "v": "03 26 43",
    "w": "03 06 46 43 / 26 23",
    "x": "03 46 / 43 06",
    "y": "03 06 46 / 43 48 08",
    "z": "03 43 06 46",
    "0": "00 40 46 06 00",
    "1": "10 20 26 / 06 46",
    "2": "00 40 43 03 06 46",
    "3": "00 40 46 06 / 03 43",
    "4": "00 03 43 / 40 46",
    "5": "40 00 03 43 46 06",
    "6": "40 00 06 46 43 03",
    "7": "00 40 26",
    "8": "00 40 46 06 00 / 03 43",
    "9": "43 03 00 40 46 06",
    "-": "03 43",
    "+": "03 43 / 21 25",
    ".": "25 26",
    ",": "25 17",
    "/": "40 06",
    ":": "22 23 / 25 26",
    "!": "20 24 / 25 26",
    "'": "20 22",
    "(": "30 12 14 36",
    ")": "10 32 34 16",
    " ": "",
}
DARK, OURS, OTHERS, LINE = [0.1, 0.1, 0.2, 1], [0.82, 0.36, 0.2, 1], [0.62, 0.62, 0.68, 1], [0.85, 0.85, 0.88, 1]
LEFT, LENGTH = 250, 420


class Picture:
    def __init__(self):
        self.strokes = []

    def line(self, points, width, color):
        self.strokes.append(
            {
                "ink": {"type": "monoline", "color": color, "widthLaw": "plain"},
                "points": [{"x": x, "y": y, "w": width} for x, y in points],
            }
        )

    def text(self, text, x, y, size, width=1.2):
        """A text whose upper left corner is at x, y."""
        for letter in text.lower():
            for line in LETTERS.get(letter, "").split(" / "):
                # Each point is repeated three times: a spline has a corner only at coinciding
                # points.
                points = [(x + int(p[0]) * size, y + int(p[1]) * size) for p in line.split() for _ in range(3)]
                if points:
                    self.line(points, width, DARK)
            x += 6 * size

    def save(self, path, width, height):
        command = [
            PKD,
            "render",
            "--quiet",
            "--from",
            "json",
            "--background",
            "#FFFFFF",
            "--scale",
            "2",
            "--effort",
            "best",
            "--region",
            f"0,0,{width},{math.ceil(height)}",
            "-",
            "-o",
            str(path),
        ]
        subprocess.run(command, input=json.dumps({"strokes": self.strokes}).encode(), check=True)


def bars(picture, y, title, values, ours, label, is_logarithmic):
    """Bars of values, the smallest first; with logarithms, grey lines mark powers of ten."""
    picture.text(title, 20, y, 2.2, 1.6)
    y += 42 if is_logarithmic else 30
    ordered = sorted(values.items(), key=lambda item: item[1])
    high = ordered[-1][1]
    first = 10 ** math.floor(math.log10(ordered[0][1]) - 0.01)

    def length(value):
        return LENGTH * (math.log(value / first) / math.log(high / first) if is_logarithmic else value / high)

    power = first
    while is_logarithmic and power <= high:
        x = LEFT + length(power)
        picture.line([(x, y - 4), (x, y + 24 * len(ordered) - 8)], 1, LINE)
        picture.text(label(power), x, y - 14, 1, 0.8)
        power *= 10
    for program, value in ordered:
        picture.text(program, 20, y, 1.6)
        picture.line([(LEFT, y + 5), (LEFT + max(length(value), 1), y + 5)], 12, OURS if program in ours else OTHERS)
        picture.text(label(value), LEFT + 20 + length(value), y, 1.6)
        y += 24
    return y + 16


def milliseconds(seconds):
    value = seconds * 1000
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.1f} ms"


def kilobytes(count):
    return f"{count / 1000:,.1f} kb"


def plot(field, path):
    """The times of all jobs of a field, and the sizes of what they write."""
    picture, y = Picture(), 20.0
    ours = {field["ours"], *field["mine"]}
    kinds = [("seconds", "{job}", milliseconds)] + (
        [("bytes", "bytes of {short}", kilobytes)] if field["showsBytes"] else []
    )
    parts = [
        (job, kind, {figure["program"]: figure[kind[0]] for figure in job["programs"] if kind[0] in figure})
        for job in field["jobs"]
        for kind in kinds
    ]
    # One scale for all figures of a kind, so that the bars of different jobs can be compared.
    wide = {kind[0] for _, kind, values in parts if values and max(values.values()) > 60 * min(values.values())}
    for job, (key, title, label), values in parts:
        if values:
            title = title.format(job=job["job"], short=job["short"].replace("`", ""))
            y = bars(picture, y, title, values, ours, label, key in wide)
    picture.save(path, 880, y)
