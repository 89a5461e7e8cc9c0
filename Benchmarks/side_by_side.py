#!/usr/bin/env python3
"""The same jobs by ours and by the programs and libraries that people use instead, in turns in one run.

usage: Benchmarks/side_by_side.py [raster|png|codec|replay|researchers …] [--runs 7] [--quick] [--json FILE] [--store]
       Benchmarks/side_by_side.py --page | --check

Without names, all five fields are measured. --store writes the figures to Benchmarks/Results, their tables into
docs/performance.md, and the plots beside it, drawn by pkd; --page does that again from the newest stored figures, and
--check fails if the page has others.

Ours are taken from .build/release, or from the search path: swift build -c release --product pkd, and --product Benchmarks for
PNG; TEST_PKD=PATH measures another pkd. Data sets need the package of Sources/Clients/Python in the interpreter:
TEST_PYTHON, else this one, else the system's. A peer that is not installed is skipped, and named with its package. All of
them, on Debian:

  apt install librsvg2-bin python3-cairo xournalpp inkscape mupdf-tools zstd xz-utils brotli ffmpeg netpbm optipng pngcrush
      zopfli advancecomp g++ pkg-config libagg-dev libdeflate-dev
  python3 -m venv --system-site-packages .build/peers
  .build/peers/bin/pip install numpy pillow skia-python opencv-python-headless pyoxipng fpng-py pcodec matplotlib resvg-cli
      blend2d-python ./Sources/Clients/Python

Each time is the median of the runs after one that is not counted, on the first processor that this process may use; the
minimum and the processor's time are printed, too. A program that takes long runs less often, as --budget gives it 5
seconds for a job: all of it takes ten minutes.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

from side_by_side import codec, measuring, page, plots, png, raster, replay, researchers
from side_by_side.measuring import ROOT

FIELDS = [raster.FIELD, png.FIELD, codec.FIELD, replay.FIELD, researchers.FIELD]
PAGE = ROOT / "docs/performance.md"
RESULTS = ROOT / "Benchmarks/Results"


def measured(field, runs, budget, skipped, versions):
    """The figures of a field, or None if ours cannot take part."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        jobs = field.jobs(folder) if field.name != "png" or measuring.BENCHMARKS else []
        figures = []
        for job in jobs:
            for program, about in list(job.programs.items()):
                if lacks := about.missing():
                    # Our own program lacks something only in single jobs.
                    label = f"{program}, {job.short}" if program == field.ours else program
                    skipped[label] = ", ".join(measuring.install(need) for need in lacks)
                    del job.programs[program]
                else:
                    versions.update({need: measuring.version(need) for need in about.needs if need not in versions})
            if field.ours in job.programs:
                times = measuring.measure(job, folder, runs, budget)
                figures.append(measuring.report(job, times, field.ours))
                differences = field.compare(folder, job) if field.compare else {}
                for figure in figures[-1]["programs"]:
                    figure.update(differences.get(figure["program"], {}))
                print_job(figures[-1])
        if not figures:
            print(f"{field.name}: skipped; it needs {field.builds}", file=sys.stderr)
            return None
        return {
            "name": field.name,
            "title": field.title,
            "ours": field.ours,
            "mine": list(field.mine),
            "note": field.note,
            "expert": field.expert,
            "showsBytes": field.name in ("png", "codec", "replay"),
            "checks": field.check(folder) if field.check else {},
            "jobs": figures,
        }


def print_job(job):
    print(job["job"])
    for figure in sorted(job["programs"], key=lambda figure: figure.get("seconds", 0)):
        text = f"  {figure['program']:24}"
        for key in ("seconds", "secondsMinimum", "cpu", "inside"):
            if key in figure:
                ratio = figure.get(key + "Ratio")
                text += f"{figure[key] * 1000:11.2f} ms" + (f" {ratio:8.2f} x" if ratio else "")
        if "bytes" in figure:
            text += f"{figure['bytes']:12,} bytes"
        if "difference" in figure:
            text += "   differs by {difference:.2f}, ink by {inkedDifference:.2f}, 99 of 100 {inkedDifference99:.0f}".format(
                **figure
            )
        print(text)
    sys.stdout.flush()


def newest():
    stored = sorted(RESULTS.glob("*-side-by-side.json"))
    if not stored:
        raise SystemExit(f"nothing is stored in {RESULTS}")
    return stored[-1]


def write_page(source):
    """Writes the tables into the page, and the plots beside it."""
    report = json.loads(source.read_text())
    PAGE.write_text(page.with_section(PAGE.read_text(), report, source.relative_to(ROOT)))
    for field in report["fields"]:
        plots.plot(field, PAGE.parent / f"pictures/side-by-side-{field['name']}.png")


def main():
    names = [field.name for field in FIELDS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fields", nargs="*", metavar="FIELD", help=", ".join(names))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--budget", type=float, default=5)
    parser.add_argument("--quick", action="store_true", help="two runs, to see that everything works")
    parser.add_argument("--json", type=pathlib.Path)
    for option in ("--store", "--page", "--check"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args()
    if unknown := set(given.fields) - set(names):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if given.store and given.fields:
        parser.error("--store is for all fields")
    if given.check:
        source = newest()
        text = PAGE.read_text()
        if page.with_section(text, json.loads(source.read_text()), source.relative_to(ROOT)) != text:
            raise SystemExit(f"{PAGE} does not show {source}: Benchmarks/side_by_side.py --page")
        return
    if not measuring.PKD:
        raise SystemExit("there is no pkd: swift build -c release --product pkd")
    if given.page:
        return write_page(newest())

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    machine = measuring.machine()
    runs, budget = (2, 1) if given.quick else (given.runs, given.budget)
    skipped, versions, found = {}, {}, []
    for field in FIELDS:
        if not given.fields or field.name in given.fields:
            figures = measured(field, runs, budget, skipped, versions)
            if figures:
                found.append(figures)
    report = {
        "program": "side_by_side.py",
        "machine": machine,
        "runs": runs,
        "budget": budget,
        "versions": versions,
        "skipped": [{"program": program, "package": package} for program, package in skipped.items()],
        "fields": found,
    }
    for line in page.losses(report):
        print("ours loses:", line[2:])
    for program, package in skipped.items():
        print(f"skipped: {program} ({package})", file=sys.stderr)
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    if given.json:
        given.json.write_text(text)
    if given.store:
        if len(found) < len(FIELDS):
            raise SystemExit("nothing is stored, as a field is missing")
        source = RESULTS / f"{machine['date']}-side-by-side.json"
        source.write_text(text)
        write_page(source)


if __name__ == "__main__":
    main()
