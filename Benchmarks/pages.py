"""Prints what the browser has answered to `Benchmarks pages`: the number of an answer, a name in it, and its samples."""

import json
import sys

for number, line in enumerate(sys.stdin):
    value = json.loads(line)
    # A number alone is the memory of the browser.
    if isinstance(value, float):
        value = {"memory": [value]}
    if isinstance(value, dict):
        for name, samples in value.items():
            if isinstance(samples, list):
                print(number, name, *samples)
