#!/usr/bin/env python3
"""Measures the sources themselves: modules, edges, files, functions, doubles, tests against code.

    Benchmarks/house.py [--json FILE]

Code lines are lines that are neither empty nor comments. Tables of numbers count as data, not as code.
"""

import argparse
import collections
import json
import re
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The consecutive equal lines that count as a duplicate: shorter runs come from the language, not
# from a copied idea.
WINDOW = 8


def code_lines(path):
    """The lines of code of a file, each without space around it, and without comments."""
    text = re.sub(r"/\*[\s\S]*?\*/", "", path.read_text(errors="replace"))
    lines = (line.strip() for line in text.split("\n"))
    return [line for line in lines if line and not line.startswith("//")]


def is_data(path):
    """Base 64 and tables of numbers, made by programs."""
    lines = path.read_text(errors="replace").split("\n")
    packed = sum(1 for line in lines if re.match(r"^\s*[\w+/=\\]{60,}$|^\s*(-?[\dx.a-fA-F]+, ?){6,}", line))
    return packed > len(lines) / 2


def functions(path):
    """The length of each function, in lines of code, with its first and last line."""
    lines = path.read_text().split("\n")
    for index, line in enumerate(lines):
        match = re.match(r"^(\s*)(?:[\w@()]+ )*?(?:func|init|subscript|deinit)\b", line)
        if not match or line.lstrip().startswith("//"):
            continue
        indent, count, opened = match.group(1), 0, False
        for later in lines[index:]:
            stripped = later.strip()
            if stripped and not stripped.startswith("//"):
                count += 1
            opened = opened or later.rstrip().endswith("{")
            if re.search(r"\{.*\}$", later) and later is line:
                opened = True
                break
            if opened and later.startswith(indent + "}") and not later.startswith(indent + "} "):
                break
            # A protocol's requirement has no body.
            if not opened and later is not line and not stripped:
                break
        if opened:
            yield count, line.strip()


def doubles(files):
    """The pairs of places that share `WINDOW` lines of code or more."""
    places = collections.defaultdict(list)
    for path in files:
        lines = code_lines(path)
        for start in range(len(lines) - WINDOW + 1):
            window = tuple(lines[start : start + WINDOW])
            # Runs of closing braces and of imports are alike everywhere.
            if sum(len(line) > 12 for line in window) >= WINDOW * 3 // 4 and not window[0].startswith("import"):
                places[window].append((path, start))
    pairs = set()
    for found in places.values():
        for (first, one), (second, other) in zip(found, found[1:]):
            # Consecutive windows are one duplicate.
            pairs.add((str(first), str(second), one - other))
    return pairs


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def modules():
    """Each module of the package with the modules that it imports."""
    text = (ROOT / "Package.swift").read_text()
    table = text[text.index("let folders") : text.index("let otherFiles")]
    found = {}
    for match in re.finditer(r'Module\(\s*"(\w+)"(?:,\s*\[([^\]]*)\])?([^\n]*)', table):
        found[match.group(1)] = re.findall(r'"(\w+)"', match.group(2) or "")
    return {name: imports for name, imports in found.items() if list(ROOT.glob(f"Sources/*/{name}"))}


def measure():
    swift = [path for path in sorted((ROOT / "Sources").rglob("*.swift")) if not is_data(path)]
    lengths = {path: len(code_lines(path)) for path in swift}
    sizes = [(count, path, line) for path in swift for count, line in functions(path)]
    counts = [count for count, _, _ in sizes]
    others = {
        suffix: sum(len(code_lines(path)) for path in (ROOT / "Sources").rglob("*" + suffix) if not is_data(path))
        for suffix in (".c", ".h", ".js", ".mjs", ".py")
    }
    tests = [path for path in sorted((ROOT / "Tests").rglob("*.swift")) if not is_data(path)]
    edges = modules()
    longest = max(lengths, key=lengths.get)
    return {
        "modules": len(edges),
        "edges": sum(name in edges for imports in edges.values() for name in imports),
        "files": len(swift),
        "code": sum(lengths.values()),
        "file median": statistics.median(lengths.values()),
        "file p90": percentile(lengths.values(), 0.9),
        "file longest": f"{lengths[longest]} {longest.relative_to(ROOT)}",
        "functions": len(counts),
        "function median": statistics.median(counts),
        "function p90": percentile(counts, 0.9),
        "functions above 60 lines": sum(count > 60 for count in counts),
        "function longest": "{} {}".format(max(sizes)[0], max(sizes)[1].relative_to(ROOT)),
        "C": others[".c"] + others[".h"],
        "JavaScript": others[".js"] + others[".mjs"],
        "Python": others[".py"],
        "doubles of eight lines": len(doubles(swift)),
        "test files": len(tests),
        "test code": sum(len(code_lines(path)) for path in tests),
        "tests": sum(len(re.findall(r"@Test\b", path.read_text())) for path in tests),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = measure()
    figures["tests : code"] = round(figures["test code"] / figures["code"], 2)
    for name, value in figures.items():
        print(f"{name:26} {value}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


main()
