"""Programs that do the same job, their times in turns, and what is known about them and the machine."""

import datetime
import functools
import json
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = pathlib.Path(__file__).resolve().parent / "scripts"


def built(name):
    """The path of a program of ours, from this tree or the search path; None if it was not built."""
    return shutil.which(name, path=f"{ROOT / '.build/release'}:{os.environ['PATH']}")


# The pkd to measure is that of TEST_PKD, if it is set.
PKD = os.path.abspath(os.environ["TEST_PKD"]) if "TEST_PKD" in os.environ else built("pkd")
BENCHMARKS = built("Benchmarks")

# The packages of Debian and of PyPI that contain a program or a module.
TOOLS = {
    "rsvg-convert": "librsvg2-bin",
    "mutool": "mupdf-tools",
    "xournalpp": "xournalpp",
    "inkscape": "inkscape",
    "xz": "xz-utils",
    "zstd": "zstd",
    "gzip": "gzip",
    "brotli": "brotli",
    "ffmpeg": "ffmpeg",
    "pnmtopng": "netpbm",
    "optipng": "optipng",
    "pngcrush": "pngcrush",
    "zopflipng": "zopfli",
    "advpng": "advancecomp",
    "g++": "g++",
    "libagg": "libagg-dev",
    "libdeflate": "libdeflate-dev",
}
# Programs in packages of PyPI.
WHEELS = {"resvg": "resvg-cli"}
MODULES = {
    "cairo": "pycairo",
    "skia": "skia-python",
    "blend2d": "blend2d-python",
    "PIL": "pillow",
    "cv2": "opencv-python-headless",
    "oxipng": "pyoxipng",
    "fpng_py": "fpng-py",
    "pcodec": "pcodec",
    "matplotlib": "matplotlib",
    "numpy": "numpy",
    "pentimento": "pentimento",
}


def install(need):
    """The command that installs a tool or module."""
    if need == "pentimento":
        return "pip install ./Sources/Clients/Python"
    return f"apt install {TOOLS[need]}" if need in TOOLS else f"pip install {WHEELS.get(need) or MODULES[need]}"


@functools.cache
def named_python():
    """The path in `TEST_PYTHON`, which jobs in other folders can call, too; None if there is none."""
    path = os.environ.get("TEST_PYTHON")
    return os.path.abspath(path) if path and os.path.dirname(path) else path


def found(need):
    """The path of a tool, also of one beside the interpreter with the modules, or the flags for a library of C."""
    if need.startswith("lib"):
        if not shutil.which("pkg-config"):
            return None
        asked = subprocess.run(["pkg-config", "--cflags", "--libs", need], capture_output=True, text=True)
        return asked.stdout.split() if asked.returncode == 0 else None
    python = named_python() or sys.executable
    return shutil.which(need, path=f"{os.environ['PATH']}:{os.path.dirname(python)}")


@functools.cache
def python_with(*modules):
    """An interpreter with all of these modules: `TEST_PYTHON`, this one, or the system's; None if there is none."""
    for python in (named_python(), sys.executable, "/usr/bin/python3"):
        if python and os.path.exists(python):
            check = subprocess.run([python, "-c", "import " + ", ".join(modules or ("json",))], capture_output=True)
            if check.returncode == 0:
                return python
    return None


@dataclass
class Program:
    """A command that does a job from file to file: words, or a text for the shell."""

    command: list | str | None
    # The output file, if its size is a figure. Without a command, the size is the only figure.
    output: str | None = None
    # A command that repeats the work in one process, and prints JSON with its `ms`, which exclude
    # starting, reading and writing.
    inside: list | None = None
    # The tools of `TOOLS` and `WHEELS` and the modules of `MODULES` that it needs; it is skipped if
    # one is missing.
    needs: tuple = ()

    def missing(self):
        modules = tuple(need for need in self.needs if need in MODULES)
        lacks = [need for need in self.needs if need not in MODULES and not found(need)]
        if modules and not python_with(*modules):
            lacks += [module for module in modules if not python_with(module)] or list(modules)
        return lacks


def script(modules, file, *words):
    """The command that runs a function of a file in `scripts/` in an interpreter with these modules."""
    return [python_with(*modules) or "python3", str(SCRIPTS / f"{file}.py"), *(str(word) for word in words)]


@dataclass
class Job:
    title: str
    # The heading of its columns in tables.
    short: str
    programs: dict
    # The number of items that one run of `inside` processes; if it is given, the time is shown as a
    # rate.
    count: int | None = None


@dataclass
class Field:
    """Jobs in which the program `ours` is compared with all others; `mine` are more of ours."""

    name: str
    title: str
    ours: str
    # A function that takes a folder for files and returns jobs.
    jobs: object
    mine: tuple = ()
    note: str = ""
    # The product that must be built first.
    builds: str = "pkd"
    # A function that takes the folder and returns figures about whether all programs did the same
    # work; it stops the run if they did not.
    check: object = None
    # A function that takes the folder and a job, and returns more figures of its programs.
    compare: object = None
    # The program that somebody wrote for these jobs alone.
    expert: str | None = None


@dataclass
class Times:
    """What one program took."""

    seconds: list = field(default_factory=list)
    # Of the processor, with its threads and processes: they vary less on a busy machine.
    cpu: list = field(default_factory=list)
    inside: list = field(default_factory=list)
    bytes: int | None = None


def run(command, folder):
    """The seconds of a command, and what it prints."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, shell=isinstance(command, str))
    taken = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stderr.decode(errors='replace')[-500:]}")
    return taken, done.stdout


def measure(job, folder, runs, budget):
    """The times of all programs, which take turns.

    The first run is not counted, except of programs that take more than half of the budget of seconds: what they find warm is
    nothing beside that. They run three times, and once if one run takes more than twice the budget.
    """
    found = {name: Times() for name in job.programs}
    wanted = {}
    for number in range(runs + 1):
        for name, program in job.programs.items():
            if program.command is not None and number <= wanted.get(name, 0):
                if program.output:
                    # To replace a file takes some file systems longer than to write a new one.
                    (pathlib.Path(folder) / program.output).unlink(missing_ok=True)
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                taken, _ = run(program.command, folder)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                if number == 0:
                    wanted[name] = 0 if taken > 2 * budget else min(runs, max(2, int(budget / taken)))
                if number > 0 or taken > budget / 2:
                    found[name].seconds.append(taken)
                    found[name].cpu.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
            # Each value is already the median of several repetitions.
            if program.inside and 0 < number <= 3:
                _, printed = run(program.inside, folder)
                found[name].inside.append(json.loads(printed.splitlines()[-1])["ms"] / 1000)
    for name, program in job.programs.items():
        if program.output:
            found[name].bytes = (pathlib.Path(folder) / program.output).stat().st_size
    return found


def report(job, times, ours):
    """The figures of a job, with ratios to ours: above 1 where the other takes longer, or writes more."""
    base = times.get(ours, Times())
    figures = []
    for name, taken in times.items():
        figure = {"program": name}
        for key in ("seconds", "cpu", "inside"):
            samples, reference = getattr(taken, key), getattr(base, key)
            if samples:
                figure[key] = statistics.median(samples)
                figure[key + "Minimum"] = min(samples)
                figure[key + "Samples"] = samples
                if reference:
                    figure[key + "Ratio"] = figure[key] / statistics.median(reference)
                    figure[key + "MinimumRatio"] = min(samples) / min(reference)
        if taken.bytes is not None:
            figure["bytes"] = taken.bytes
            if base.bytes:
                figure["bytesRatio"] = taken.bytes / base.bytes
        figures.append(figure)
    return {"job": job.title, "short": job.short, "count": job.count, "programs": figures}


# MARK: - What is known


def version(need):
    """The version of a tool or module; None if it is not known."""
    if need in WHEELS:
        command = [found(need), "--version"]
    elif need in MODULES:
        ask = f"import importlib.metadata as m; print(m.version({MODULES[need]!r}))"
        command = [python_with(need), "-c", ask]
    else:
        command = ["dpkg-query", "-W", "-f", "${Version}", TOOLS[need]]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def machine():
    """Processor, system and commit of a run."""
    processor = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            processor = line.split(":", 1)[1].strip()
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return {
        "processor": processor,
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
        "commit": commit.stdout.strip(),
        "pkd": subprocess.run([PKD, "--version"], capture_output=True, text=True).stdout.strip(),
        "date": datetime.date.today().isoformat(),
    }
