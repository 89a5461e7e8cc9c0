#!/usr/bin/env python3
"""Draws many recordings on a Spark cluster, through `pkd worker`.

    spark-submit render.py MANIFEST REPORT [--pkd pkd] [--partitions N] [-- OPTIONS OF pkd worker]

MANIFEST is a file of JSON lines, or a folder of such files, where Spark reads them: {"id": …, "path": …, "output": …,
"options": {…}}, with paths as each machine sees them. REPORT is a new folder: what became of each record, as JSON lines.
Pictures that are there already, drawn from the same bytes with the same options, are left out, so a run that was
interrupted goes on when it is repeated. Ends with 1 if any record failed.
"""

import argparse
import json
import os
import subprocess
import sys
import threading


def draw(records, command):
    """Hands the records of a partition to one worker, and yields its results."""
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def feed():
        try:
            with worker.stdin as pipe:
                for record in records:
                    pipe.write(record + "\n")
        except BrokenPipeError:
            pass  # its exit status gives the reason

    # Both directions at the same time, because a pipe's buffer is small.
    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    yield from (line.rstrip("\n") for line in worker.stdout)
    if worker.wait() != 0:
        raise RuntimeError(f"{command[0]} ended with {worker.returncode}")


def with_folder(record):
    """Makes the folder of a picture, which a worker expects to be there."""
    try:
        folder = os.path.dirname(json.loads(record).get("output", ""))
    except (ValueError, AttributeError):
        return record  # the worker reports the record's error
    if folder:
        os.makedirs(folder, exist_ok=True)
    return record


def count(result):
    facts = json.loads(result)
    return (
        "failed" if "error" in facts else "known" if facts.get("known") else "drawn",
        facts.get("size", 0),
    )


def main():
    words = sys.argv[1:]
    own, options = words, []
    if "--" in words:
        own, options = words[: words.index("--")], words[words.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("manifest")
    parser.add_argument("report")
    parser.add_argument("--pkd", default="pkd", help="the program, on each machine")
    parser.add_argument("--partitions", type=int, default=0, help="four for each core unless given")
    given = parser.parse_args(own)

    from pyspark.sql import SparkSession

    context = SparkSession.builder.appName("pkd worker").getOrCreate().sparkContext
    # One thread per worker: Spark runs as many workers as there are cores.
    command = [given.pkd, "worker", "--skip-done", "--threads", "1", *options]
    partitions = given.partitions or 4 * context.defaultParallelism
    records = context.textFile(given.manifest, partitions).filter(str.strip).repartition(partitions)
    # A bucket's objects need no folders.
    if not any(option.startswith("--blobs") for option in options):
        records = records.map(with_folder)
    results = records.mapPartitions(lambda part: draw(part, command)).cache()
    results.saveAsTextFile(given.report)
    totals = results.map(count).aggregateByKey(
        (0, 0), lambda sum, size: (sum[0] + 1, sum[1] + size), lambda a, b: (a[0] + b[0], a[1] + b[1])
    )
    totals = dict(totals.collect())
    print(
        json.dumps(
            {name: totals.get(name, (0, 0))[0] for name in ("drawn", "known", "failed")}
            | {"bytes": sum(size for _, size in totals.values())}
        )
    )
    for failure in results.filter(lambda result: '"error"' in result).take(20):
        print(failure, file=sys.stderr)
    return 1 if "failed" in totals else 0


if __name__ == "__main__":
    sys.exit(main())
