#!/usr/bin/env python3
"""Plants mutants in a copy of the sources and counts how many the unit tests find.

    Tests/Proofs/Mutants/run.py FOLDER [--count 50] [--seed 7] [--seconds 240] [--lanes 2] [--only AREA]

1. Small faults are planted in readers, writers, rules, storage, sync and rasterization: `plant.py`. All are in one
   build; one of them is awake in each run.
2. Each suite of tests runs once without any: how long it takes, and the mutants that it reaches.
3. For each mutant, the suites that reach it run until one fails: those of its own module first, then the short ones.
   A mutant has survived if none fails within the given seconds.

FOLDER keeps the build and all results, so that a run that was interrupted goes on. `result.json` has them all.
"""

import argparse
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import plant

ROOT = Path(__file__).resolve().parents[3]
FLAGS = [
    "--build-tests",
    "-c",
    "release",
    "-Xswiftc",
    "-enable-testing",
    "-Xswiftc",
    "-assert-config",
    "-Xswiftc",
    "Debug",
    "-Xswiftc",
    "-use-ld=lld",
]
# These compare with a core for pages that has no mutants, or hold the sources themselves to rules.
SKIPPED = re.compile(r"WebEngineTests|ArchitectureTests")
# They wait for other processes. Their failure counts when it comes twice.
WAITING = re.compile(r"DrawingServerTests|SyncProcessTests|SharedServiceTests|WebClientTests|HTTPTests|AnimationTests")


def copy_sources(tree):
    if (tree / "Sources").exists():
        return
    tree.mkdir(parents=True, exist_ok=True)
    names = ["Package.swift", "Sources", "Tests", "Samples", "Benchmarks", "docs", "README.md", "LICENSE", ".ci"]
    # Tests look for real ink beside the project.
    shared, link = ROOT.parent / "shared", tree.parent / "shared"
    if shared.exists() and not link.exists():
        link.symlink_to(shared)
    subprocess.run(["cp", "-a", *[ROOT / name for name in names if (ROOT / name).exists()], tree], check=True)


def build(folder, count, seed):
    """Plants and builds. Mutants that the compiler refuses are given up, and others take their places."""
    tree = folder / "tree"
    original = ROOT / "Sources"
    # A few more than needed, because some do not compile.
    mutants = plant.choose(original, count + count // 2, seed)
    # Known from an earlier run that was interrupted.
    file = folder / "refused.json"
    known = set(json.loads(file.read_text())) if file.exists() else set()
    mutants = [mutant for mutant in mutants if mutant.number not in known]
    copy_sources(tree)
    environment = {**os.environ, "BUILD_SHARED_RUNTIME": "1"}
    while True:
        plant.plant(mutants, original, tree / "Sources")
        result = subprocess.run(
            ["swift", "build", *FLAGS],
            cwd=tree,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if result.returncode == 0:
            break
        places = set(re.findall(r"Sources/(\S+?\.swift):(\d+):\d+: error", result.stdout))
        refused = refused_mutants(mutants, places)
        print(f"{len(refused)} mutants are refused by the compiler", flush=True)
        if not refused:
            sys.exit(result.stdout[-4000:])
        for path in {mutant.path for mutant in refused}:
            plant.write(tree / "Sources" / path, (original / path).read_text())
        known |= {mutant.number for mutant in refused}
        file.write_text(json.dumps(sorted(known)))
        mutants = [mutant for mutant in mutants if mutant not in refused]
    kept = []
    for area in plant.AREAS:
        kept += [mutant for mutant in mutants if mutant.area == area][:count]
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for file in (tree / ".build/release").resolve().iterdir():
        if file.is_file() and (os.access(file, os.X_OK) or file.suffix == ".so"):
            shutil.copy2(file, programs)
    (folder / "mutants.pickle").write_bytes(pickle.dumps(kept))
    return kept


def refused_mutants(mutants, places):
    refused = set()
    for path, line in places:
        line = int(line)
        if path.endswith("PlantedMutants.swift"):
            continue
        here = [mutant for mutant in mutants if mutant.path == path]
        # An expression of several lines is reported at its start, or at its end.
        for distance in range(12):
            near = [mutant for mutant in here if abs(mutant.line - line) <= distance]
            if near:
                refused.update(near)
                break
    return refused


class Tests:
    def __init__(self, folder):
        self.tree = folder / "tree"
        # A copy, so that the tree can be built again while this runs.
        self.program = folder / "programs/PentimentoPackageTests.xctest"

    def names(self):
        text = subprocess.run(
            [self.program, "--testing-library", "swift-testing", "--list-tests"],
            cwd=self.tree,
            text=True,
            stdout=subprocess.PIPE,
        ).stdout
        return sorted({line.split("/")[0] for line in text.splitlines() if "/" in line})

    def run(self, suite, seconds, **environment):
        """Whether a suite passes within a time, and how long it takes."""
        filter = "^" + re.escape(suite) + "/"
        start = time.monotonic()
        process = subprocess.Popen(
            [
                "prlimit",
                "--as=16000000000",
                self.program,
                "--testing-library",
                "swift-testing",
                "--quiet",
                "--filter",
                filter,
            ],
            cwd=self.tree,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **environment},
        )
        try:
            passes = process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            passes = False
        # Also the servers that it has started.
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        process.wait()
        return passes, time.monotonic() - start


def in_lanes(count, work, items):
    items, lock = list(items), threading.Lock()

    def lane():
        while True:
            with lock:
                if not items:
                    return
                item = items.pop(0)
            work(item)

    threads = [threading.Thread(target=lane) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def measure_suites(folder, tests, lanes):
    """For each suite that passes: its time, and the mutants that it reaches."""
    file = folder / "suites.json"
    suites = json.loads(file.read_text()) if file.exists() else {}
    lock = threading.Lock()

    def measure(suite):
        marks = folder / f"reached-{suite}"
        marks.write_bytes(bytes(4096))
        passes, seconds = tests.run(suite, 300, TEST_REACHED=str(marks))
        reached = [number for number, mark in enumerate(marks.read_bytes()) if mark]
        marks.unlink()
        with lock:
            suites[suite] = {"passes": passes, "seconds": round(seconds, 2), "reached": reached}
            file.write_text(json.dumps(suites))
        if not passes:
            print(f"{suite} fails without mutants: it is left out", flush=True)

    in_lanes(lanes, measure, [name for name in tests.names() if name not in suites and not SKIPPED.match(name)])
    return {name: suite for name, suite in suites.items() if suite["passes"]}


def ordered(mutant, suites):
    module = mutant.path.split("/")[1]
    reaching = [(name, suite["seconds"]) for name, suite in suites.items() if mutant.number in suite["reached"]]
    return sorted(reaching, key=lambda each: (not each[0].startswith(module + "Tests"), each[1]))


def hunt(mutant, suites, tests, budget):
    """Runs suites until one finds the mutant."""
    spent, tried = 0.0, 0
    for name, usual in ordered(mutant, suites):
        if tried and spent + usual > budget:
            continue
        tried += 1
        for _ in range(2 if WAITING.match(name) else 1):
            passes, seconds = tests.run(name, 20 + 6 * usual, TEST_MUTANT=str(mutant.number))
            spent += seconds
            if passes:
                break
        if not passes:
            return {"killed": name, "suites": tried, "seconds": round(spent, 1)}
    return {"killed": None, "suites": tried, "seconds": round(spent, 1)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--lanes", type=int, default=2)
    parser.add_argument("--only", choices=plant.AREAS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    stored = folder / "mutants.pickle"
    mutants = pickle.loads(stored.read_bytes()) if stored.exists() else build(folder, options.count, options.seed)
    tests = Tests(folder)
    suites = measure_suites(folder, tests, options.lanes)
    file = folder / "result.json"
    results = json.loads(file.read_text())["mutants"] if file.exists() else []
    done = {each["number"] for each in results}
    lock = threading.Lock()

    def work(mutant):
        result = hunt(mutant, suites, tests, options.seconds)
        with lock:
            results.append(
                {
                    "number": mutant.number,
                    "area": mutant.area,
                    "file": mutant.path,
                    "line": mutant.line,
                    "kind": mutant.kind,
                    "before": mutant.before,
                    "after": mutant.after,
                    **result,
                }
            )
            file.write_text(json.dumps(summary(results, options), indent=1))
        if not result["killed"]:
            print(
                f"survivor {mutant.number}: {mutant.path}:{mutant.line}: {mutant.before} → {mutant.after} "
                f"({result['suites']} suites)",
                flush=True,
            )

    left = [mutant for mutant in mutants if mutant.number not in done and options.only in (None, mutant.area)]
    # The areas by turns, so that a run that is stopped has some of each.
    in_lanes(
        options.lanes,
        work,
        sorted(
            left, key=lambda mutant: [each.number for each in left if each.area == mutant.area].index(mutant.number)
        ),
    )
    for area, row in summary(results, options)["areas"].items():
        print(f"{area:14} {row['killed']:4} of {row['planted']}")


def summary(results, options):
    areas = {}
    for each in sorted(results, key=lambda each: each["number"]):
        row = areas.setdefault(each["area"], {"planted": 0, "killed": 0})
        row["planted"] += 1
        row["killed"] += each["killed"] is not None
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    return {
        "commit": commit.stdout.strip(),
        "seed": options.seed,
        "seconds": options.seconds,
        "areas": areas,
        "mutants": results,
    }


main()
