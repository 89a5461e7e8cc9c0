#!/usr/bin/env python3
"""Prints the measured costs of a service at several sizes from a report of `Benchmarks scale --json FILE`.

    Benchmarks/scale-costs.py REPORT

What people do and what things cost are assumptions, all of them at the top of this file; everything else is measured.
"""

import json
import sys

USERS = [10_000, 1_000_000, 10_000_000, 100_000_000]

# Reads and writes per user on an average day, averaged over all users: stored drawings, then the
# kinds of reads. A fifth of the users are active on a day, and store two drawings each.
SUBMITS, THUMBNAILS, IMAGES, RECORDINGS, LISTS = 0.4, 12, 0.8, 0.4, 2
# The share of drawings whose image is ever read, and so rendered and stored.
IMAGE_SHARE = 0.5
# The ratio of the busiest hour to the mean of a day.
PEAK = 3
# The number of years for which drawings are kept.
YEARS = 1

# Dollars, from the public lists of AWS for us-east-1, late 2025, without discounts.
STORAGE = 0.023  # per gigabyte in the bucket and month
WRITES = 5e-6  # per PUT or LIST
READS = 0.4e-6  # per GET or HEAD
TRAFFIC = 0.09  # per gigabyte sent to the internet
MACHINE = 53  # per month, for two cores
DATABASE_CORE = 65  # per month and core of the database, with a second machine in reserve
DATABASE_STORAGE = 0.23  # per gigabyte of the database and month, stored twice

# The maximum load of a machine or a database in the busiest hour, and the maximum size of a
# database: a copy of it must be made, checked and moved in one night.
LOAD = 0.5
DATABASE_BYTES = 2e12


# The groups of figures on the page: a title, and the prefixes of the names of its figures.
MEASURED = [
    ("Batches", ["thumbnails of", "drawings, by", "pages, by"]),
    ("Spark, 10,000 drawings", ["10000 thumbnails", "16 thumbnails"]),
    ("Moving 10,000 drawings", ["10000 drawings, "]),
    ("Reading", ["thumbnails read", "processor time of a read"]),
]
PLACES = ["folder and SQLite", "one server", "two servers"]
WRITERS = [1, 4, 8, 16]


def short(number, unit=""):
    for size, letter in [(1e15, " P"), (1e12, " T"), (1e9, " G"), (1e6, " M"), (1e4, " k")]:
        if number >= size:
            return f"{number / (1e3 if letter == ' k' else size):.3g}{letter}{unit}"
    text = f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
    return f"{text} {unit}" if unit else text


def measured(report):
    """The figures of one run beside their goals."""
    figures = {figure["name"].removeprefix("scale, "): figure for figure in report["figures"]}
    print(
        f"{report['date']}, commit {report.get('commit', '?')}, {report['cores']} cores of {report['processor']}, "
        f"load {report['load']} of other programs.\n"
    )
    print("| | goal | measured |\n|---|---|---|")
    for title, starts in MEASURED:
        print(f"| **{title}** | | |")
        for name, figure in figures.items():
            if not any(name.startswith(start) for start in starts):
                continue
            value, goal, mark = figure["value"], "", ""
            for key, sign in [("atLeast", "≥"), ("atMost", "≤")]:
                if key in figure:
                    goal = f"{sign} {figure[key]:,.4g}"
                    isMet = value >= figure[key] if key == "atLeast" else value <= figure[key]
                    mark = "" if isMet else ", **missed**"
            print(f"| {name} | {goal} | {short(value)} {figure['unit']}{mark} |")
    print(
        "\n| submits a second; median · 95 of 100 in ms; **by the model** | "
        + " | ".join(f"{count} writer{'s' if count > 1 else ''}" for count in WRITERS)
        + " |\n|---|"
        + "---|" * len(WRITERS)
    )
    for place in PLACES + ["one server, bucket 20 ms away"]:
        cells = []
        for writers in WRITERS:
            name, _, distance = place.partition(", ")
            key = f"{name}, {writers} writer{'s' if writers > 1 else ''}" + (f", {distance}" if distance else "")
            rate, middle, slow = (figures.get(f"submits, {key}{end}") for end in ["", ", median", ", 95 of 100"])
            model = figures.get(f"model, {key}: predicted rate by the measured one")
            if not rate:
                cells.append("")
                continue
            miss = ", **missed**" if rate.get("atLeast", 0) > rate["value"] else ""
            cells.append(
                f"{rate['value']:,.0f}{miss}; {middle['value']:,.0f} · {slow['value']:,.0f}"
                + (f"; **{rate['value'] * model['value']:,.0f}**" if model else "")
            )
        print(f"| {place} | " + " | ".join(cells) + " |")
    errors = [
        (name.removeprefix("model, ").removesuffix(": predicted rate by the measured one"), figure["value"] - 1)
        for name, figure in figures.items()
        if name.endswith("predicted rate by the measured one")
    ]
    if errors:
        print("\nThe model is off by " + ", ".join(f"{error:+.0%} ({name})" for name, error in errors) + ".")
    print("\n| one submit, 16 writers | ms of a core |\n|---|---|")
    for name, figure in figures.items():
        start = "processor time of a submit, 16 writers, "
        if name.startswith(start):
            print(f"| {name[len(start) :]} | {figure['value']:.2g} |")
    requests = {
        name.rsplit(", ", 1)[1]: figure["value"]
        for name, figure in figures.items()
        if name.startswith("requests to the bucket")
    }
    print(
        "\nRequests to the bucket for one: "
        + ", ".join(f"{round(count)} {name}" for name, count in sorted(requests.items()))
        + "."
    )


def costs(report):
    """What one drawing and many users cost."""
    figures = {figure["name"]: figure["value"] for figure in report["figures"]}

    def first(*parts):
        found = [value for name, value in figures.items() if all(part in name for part in parts)]
        if not found:
            sys.exit(f"the report has no figure of {' '.join(parts)}")
        return found[0]

    recording, image, thumbnail = (first(f"mean of {name}") for name in ("recording.pkd", "image.png", "thumbnail.png"))
    rows, indexes, log = first("rows of a drawing"), first("indexes of a drawing"), first("log of PostgreSQL")
    submit = first("processor time of a submit, 16 writers, the server") / 1e3
    stored = first("processor time of a submit, 16 writers, PostgreSQL") / 1e3
    read = first("processor time of a read") / 1e3
    limit = first("model, 16 servers of 2 cores")
    objects = recording + thumbnail + IMAGE_SHARE * image

    print("| one drawing | bytes |\n|---|---|")
    for name, size in [
        ("`recording.pkd`", recording),
        ("`thumbnail.png`", thumbnail),
        (f"`image.png`, once it is read; {IMAGE_SHARE:.0%} are", image),
        ("row of PostgreSQL", rows),
        ("its indexes", indexes),
        ("log of PostgreSQL for it", log),
    ]:
        print(f"| {name} | {size:,.0f} |")
    print(f"| **in the bucket · in the database** | **{objects:,.0f} · {rows + indexes:,.0f}** |\n")

    lines = {}

    def line(name, value):
        lines.setdefault(name, []).append(value)

    for users in USERS:
        submits, reads = (
            users * SUBMITS / 86_400 * PEAK,
            users * (THUMBNAILS + IMAGES + RECORDINGS + LISTS) / 86_400 * PEAK,
        )
        drawings = users * SUBMITS * 365 * YEARS
        size = drawings * (rows + indexes)
        by_rate, by_size = submits / (limit * LOAD), size / DATABASE_BYTES
        databases = max(1, -(-by_rate // 1), -(-by_size // 1))
        cores = (submits * submit + reads * read) / LOAD
        machines = max(2, -(-cores // 2))
        month = users * 30
        writes = month * SUBMITS * (2 + 1 + IMAGE_SHARE)
        gets = month * (THUMBNAILS + IMAGES + RECORDINGS + SUBMITS * 4)
        traffic = month * (THUMBNAILS * thumbnail + IMAGES * image + RECORDINGS * recording)
        database_cores = max(2, -(-submits * stored / LOAD // 1))
        dollars = {
            "objects kept": drawings * objects / 1e9 * STORAGE,
            "requests to the bucket": writes * WRITES + gets * READS,
            "traffic to clients": traffic / 1e9 * TRAFFIC,
            "servers": machines * MACHINE,
            "databases": databases * max(2, database_cores / databases) * DATABASE_CORE + size / 1e9 * DATABASE_STORAGE,
        }
        line("submits a second, mean · busiest hour", f"{short(submits / PEAK)} · {short(submits)}")
        line("reads a second, busiest hour", short(reads))
        line("machines of two cores", f"{machines:,.0f}")
        line(
            f"objects after {YEARS} year · bytes",
            f"{short(drawings * (2 + IMAGE_SHARE))} · {short(drawings * objects, 'B')}",
        )
        line("database after it · its log, busiest hour", f"{short(size, 'B')} · {short(submits * log, 'B/s')}")
        line("databases needed for the rate · for the size", f"{by_rate:.2g} · {by_size:.2g}")
        line("requests to the bucket in a month, writing · reading", f"{short(writes)} · {short(gets)}")
        for name, cost in dollars.items():
            line(f"$ a month: {name}", short(cost))
        line("**$ a month**", f"**{short(sum(dollars.values()))}**")
        line("$ a month for a thousand users", f"{sum(dollars.values()) / users * 1e3:.2f}")
    print("| users | " + " | ".join(short(users).strip() for users in USERS) + " |\n|---|" + "---|" * len(USERS))
    for name, values in lines.items():
        print(f"| {name} | " + " | ".join(values) + " |")
    rate = DATABASE_BYTES / (SUBMITS * 365 * YEARS * (rows + indexes))
    busy = limit * LOAD / (SUBMITS / 86_400 * PEAK)
    print(
        f"\nOne database is full at {short(rate)} users, and busy at {short(busy)} "
        f"({limit:,.0f} submits a second at most, {LOAD:.0%} of it used)."
    )
    print("\n| by the model, 32 writers for each server | submits a second |\n|---|---|")
    for name, figure in figures_of(report, "model, ", " server"):
        if "predicted" not in name:
            print(f"| {name.removeprefix('model, ')} | {figure['value']:,.0f} |")


def figures_of(report, *parts):
    named = ((figure["name"].removeprefix("scale, "), figure) for figure in report["figures"])
    return [(name, figure) for name, figure in named if all(part in name for part in parts)]


def main():
    report = json.load(open(sys.argv[1]))
    measured(report)
    print()
    costs(report)


if __name__ == "__main__":
    main()
