#!/usr/bin/env python3
"""Prints the tables of docs/scale.md from a report of `Benchmarks scale --json FILE`.

    Benchmarks/scale-costs.py Benchmarks/Results/DATE-scale.json

What people do and what things cost are assumptions, all of them at the top of this file; everything else is measured.
"""
import json
import sys

USERS = [10_000, 1_000_000, 10_000_000, 100_000_000]

# Of all users on a mean day: drawings stored, and what is read. A fifth of the users come, and store two drawings.
SUBMITS, THUMBNAILS, IMAGES, RECORDINGS, LISTS = 0.4, 12, 0.8, 0.4, 2
# The share of drawings whose image is ever read, and so rendered and stored.
IMAGE_SHARE = 0.5
# The busiest hour against the mean of a day.
PEAK = 3
# Years of drawings that are kept.
YEARS = 1

# Dollars, from the public lists of AWS for us-east-1, late 2025, without discounts.
STORAGE = 0.023  # a gigabyte in the bucket and month
WRITES = 5e-6  # a PUT or LIST
READS = 0.4e-6  # a GET or HEAD
TRAFFIC = 0.09  # a gigabyte to the internet
MACHINE = 53  # a month of two cores
DATABASE_CORE = 65  # a month of a core of the database, with a second machine in reserve
DATABASE_STORAGE = 0.23  # a gigabyte of the database and month, twice

# How full a machine or a database may be in the busiest hour, and how large a database may grow: a copy of it has to be
# made, checked and moved in a night.
LOAD = 0.5
DATABASE_BYTES = 2e12


def main():
    report = json.load(open(sys.argv[1]))
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

    print(f"Measured at commit {report.get('commit', '?')}, {report['date']}.\n")
    print("| one drawing | bytes |\n|---|---|")
    for name, size in [
        ("`recording.pkd`", recording), ("`thumbnail.png`", thumbnail),
        (f"`image.png`, once it is read; {IMAGE_SHARE:.0%} are", image), ("row of PostgreSQL", rows),
        ("its indexes", indexes), ("log of PostgreSQL for it", log),
    ]:
        print(f"| {name} | {size:,.0f} |")
    print(f"| **in the bucket · in the database** | **{objects:,.0f} · {rows + indexes:,.0f}** |\n")

    def short(number):
        for size, letter in [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e4, " k")]:
            if number >= size:
                return f"{number / (1e3 if letter == ' k' else size):.3g}{letter}"
        return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"

    lines = {}

    def line(name, value):
        lines.setdefault(name, []).append(value)

    for users in USERS:
        submits, reads = users * SUBMITS / 86_400 * PEAK, users * (THUMBNAILS + IMAGES + RECORDINGS + LISTS) / 86_400 * PEAK
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
        costs = {
            "objects kept": drawings * objects / 1e9 * STORAGE,
            "requests to the bucket": writes * WRITES + gets * READS,
            "traffic to clients": traffic / 1e9 * TRAFFIC,
            "servers": machines * MACHINE,
            "databases": databases * max(2, database_cores / databases) * DATABASE_CORE + size / 1e9 * DATABASE_STORAGE,
        }
        line("submits a second, mean · busiest hour", f"{short(submits / PEAK)} · {short(submits)}")
        line("reads a second, busiest hour", short(reads))
        line("machines of two cores", f"{machines:,.0f}")
        line(f"objects after {YEARS} year · bytes", f"{short(drawings * (2 + IMAGE_SHARE))} · {short(drawings * objects)}B")
        line("database after it · its log, busiest hour", f"{short(size)}B · {short(submits * log)}B/s")
        line("databases needed for the rate · for the size", f"{by_rate:.2g} · {by_size:.2g}")
        line("requests to the bucket in a month, writing · reading", f"{short(writes)} · {short(gets)}")
        for name, cost in costs.items():
            line(f"$ a month: {name}", short(cost))
        line("**$ a month**", f"**{short(sum(costs.values()))}**")
        line("$ a month for a thousand users", f"{sum(costs.values()) / users * 1e3:.2f}")
    print("| users | " + " | ".join(short(users).strip() for users in USERS) + " |\n|---|" + "---|" * len(USERS))
    for name, values in lines.items():
        print(f"| {name} | " + " | ".join(values) + " |")
    rate = DATABASE_BYTES / (SUBMITS * 365 * YEARS * (rows + indexes))
    busy = limit * LOAD / (SUBMITS / 86_400 * PEAK)
    print(f"\nOne database is full at {short(rate)} users, and busy at {short(busy)} "
          f"({limit:,.0f} submits a second at most, {LOAD:.0%} of it used).")


if __name__ == "__main__":
    main()
