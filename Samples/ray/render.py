#!/usr/bin/env python3
"""Draws records with `pkd worker` on a cluster of Ray: render.py RECORDS REPORT [options of pkd worker].

It writes the results to REPORT, and ends with 1 if anything failed. Each machine needs `pkd` in its PATH.
"""

import json
import subprocess
import sys
import threading

import ray


@ray.remote(num_cpus=1)
class Worker:
    def __init__(self, options):
        command = ["pkd", "worker", "--threads", "1", "--skip-done", *options]
        self.worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def draw(self, records):
        def feed():  # both directions at once, as a pipe holds little
            self.worker.stdin.writelines(record + "\n" for record in records)
            self.worker.stdin.flush()

        threading.Thread(target=feed).start()
        return [self.worker.stdout.readline().rstrip("\n") for _ in records]


ray.init()  # on a cluster: ray.init(address="auto")
records = [line.strip() for line in open(sys.argv[1]) if line.strip()]
blocks = [records[start : start + 500] for start in range(0, len(records), 500)]
cores = int(ray.cluster_resources()["CPU"])
workers = ray.util.ActorPool([Worker.remote(sys.argv[3:]) for _ in range(cores)])
failed = 0
with open(sys.argv[2], "w") as report:
    for results in workers.map_unordered(lambda worker, block: worker.draw.remote(block), blocks):
        report.writelines(result + "\n" for result in results)
        failed += sum("error" in json.loads(result) for result in results)
sys.exit(1 if failed else 0)
