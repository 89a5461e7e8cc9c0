#!/usr/bin/env python3
"""Prints what `llvm-cov export` says about the readers: see `Tests/Proofs/Coverage/run`."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Modules with readers. All files are theirs but those that write, or that only the programs of writers use.
MODULES = ["PencilKitArchive", "PKDFormat", "ForeignInk", "Compression", "JSON", "XML", "PNGFormat", "HTTP"]
WRITERS = re.compile(
    "|".join(
        [
            r"PencilKitArchive/(.*Writer|.*Encoding|ArchiveLoss)",
            r"PKDFormat/(PKDWriter|PKDReader\+Words|PKDContentError|Merging/.*|EmbeddedArchive/ArchiveEncoder"
            r"|Journal/(GrowingRecording|JournalContent)|Container/ContentCheck|Strokes/BlockPlan"
            r"|Points/(PathPlan|RowChoice|GridSearch)|Coding/(PriorTraining|SegmentEncoder))",
            r"ForeignInk/(.*Writer|.*\+Writing|PictureFormat|QuickDraw/QuickDrawRecipe|MergedDrawing|Exporting/.*)",
            r"JSON/JSONWriter",
            r"XML/XMLText",
            r"PNGFormat/(?!Decoding/|PixelForms/FormDecoder|Frames/FrameControl|PNGError).*",
        ]
    )
)
# What cannot run while a process lives: the texts of its traps. And `...` of a whole range, which is compiled as a
# function that is never called.
NEVER = re.compile(r'\.\.\.|\{ preconditionFailure\(|"[^"]*"')


def is_reader(path):
    return path.split("/")[1] in MODULES and not WRITERS.fullmatch(path.removesuffix(".swift").split("/", 1)[1])


def counts(summary):
    return [summary[kind][number] for kind in ("lines", "regions") for number in ("covered", "count")]


def row(name, numbers):
    lines, all_lines, regions, all_regions = numbers
    share = lambda part, whole: f"{100 * part / whole if whole else 100:6.2f} %"
    return (
        f"{name:56} {lines:6} of {all_lines:6} lines {share(lines, all_lines)}"
        f" {regions:6} of {all_regions:6} regions {share(regions, all_regions)}"
    )


def gaps(segments, text):
    """The places that nothing reached, as lines with their columns: what has a count of 0, up to the next place."""
    for index, (line, column, count, has_count, _, is_gap) in enumerate(segments):
        if not has_count or count or is_gap:
            continue
        end_line, end_column = segments[index + 1][:2] if index + 1 < len(segments) else (len(text), 1)
        for number in range(line, end_line + 1):
            here = text[number - 1].encode()
            start = column - 1 if number == line else 0
            part = here[start : end_column - 1 if number == end_line else len(here)].decode(errors="replace").strip()
            # Braces alone say nothing.
            if part.strip("{}() ") and not NEVER.fullmatch(part):
                yield number, part, here.decode().strip()


def main():
    report = json.loads(Path(sys.argv[1]).read_text())["data"][0]
    sources = f"{ROOT}/Sources/"
    files = {
        each["filename"].removeprefix(sources): each for each in report["files"] if each["filename"].startswith(sources)
    }
    files = {path: files[path] for path in sorted(files) if is_reader(path)}
    for module in MODULES:
        rows = {path: counts(each["summary"]) for path, each in files.items() if f"/{module}/" in path}
        print(row(module, [sum(column) for column in zip(*rows.values())] or [0] * 4))
        if "--files" in sys.argv:
            for path, numbers in rows.items():
                print(row("  " + path, numbers))
    print(row("all", [sum(column) for column in zip(*(counts(each["summary"]) for each in files.values()))]))
    for path, each in files.items():
        text = (ROOT / "Sources" / path).read_text().splitlines()
        found = list(gaps(each["segments"], text))
        if found:
            print(f"\n{path}")
        for number, part, whole in found:
            print(f"{number:5}  {part}" + ("" if part == whole else f"   in   {whole}"))


main()
