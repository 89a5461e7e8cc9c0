#!/usr/bin/env python3
"""Measures the builds that people wait for, in a fresh clone of the last commit, and prints a table.

usage: Benchmarks/builds.py [FILE]: also writes the figures as JSON, for Benchmarks/Results
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
STROKE = "Sources/Engine/Strokes/Drawings/PKStroke.swift"
# The cost of a change: a new declaration affects every module that imports the file's module, a
# changed body affects none of them.
DECLARATION = "extension PKStroke { package var measuredCount: Int { path.count + 7 } }"


def output(*words):
    return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def machine():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return {
        "processor": (names or ["unknown"])[0],
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "compiler": output("swift", "--version").splitlines()[0],
        "commit": output("git", "rev-parse", "--short", "HEAD"),
        "date": time.strftime("%Y-%m-%d"),
    }


def main():
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        clone = os.path.join(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), clone], check=True)

        def measure(name, command, goal):
            before, start = os.times(), time.monotonic()
            subprocess.run(command, cwd=clone, shell=True, check=True, stdout=subprocess.DEVNULL)
            seconds, after = time.monotonic() - start, os.times()
            work = after.children_user + after.children_system - before.children_user - before.children_system
            figures.append(
                {
                    "name": name,
                    "command": command,
                    "seconds": round(seconds, 1),
                    "processor": round(work, 1),
                    "goal": goal,
                }
            )
            print(
                f"{name:55} {seconds:6.0f} s  {work:6.0f} s of processor" + (f"  (goal: {goal} s)" if goal else ""),
                flush=True,
            )

        def change(old, new):
            path = pathlib.Path(clone, STROKE)
            text = path.read_text()
            path.write_text(text.replace(old, new) if old else text + new + "\n")

        build = "swift build -c release --quiet --product "
        measure("pkd from a fresh clone", build + "pkd", 120)
        measure("and then pkd-service", build + "pkd-service", 90)
        change("", DECLARATION)
        measure("a declaration more in Strokes, pkd linked", build + "pkd", 60)
        change("path.count + 7", "path.count + 8")
        measure("another body in Strokes, pkd linked", build + "pkd", 60)
        test = "ONLY=StrokesTests swift test --quiet --filter NibTests"
        measure("the first test of Strokes from nothing", test, 120)
        change("path.count + 8", "path.count + 9")
        measure("the first test of Strokes after a change", test, 60)
        measure("Samples/render from nothing to pictures", "rm -rf .build && Samples/render", 150)
        measure("the engines of pages from nothing", "rm -rf .build/web && Sources/Web/WebEngine/build", 0)
        text = output("size", os.path.join(clone, ".build/release/pkd")).splitlines()[1].split()[0]
        print(f"{'code and constants of pkd':55} {int(text) / 1e6:6.1f} MB (goal: 14 MB)")
    if len(sys.argv) > 1:
        result = {"program": "builds.py", **machine(), "textOfPkd": int(text), "builds": figures}
        pathlib.Path(sys.argv[1]).write_text(json.dumps(result, indent=1) + "\n")


main()
