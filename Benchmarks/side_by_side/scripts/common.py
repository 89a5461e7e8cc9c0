"""What all scripts need. Each is called as `FILE FUNCTION ARGUMENTS`, and imports only the library that works: a process takes
what such a script takes.
"""

import json
import sys
import time


def printed_median(body, repeats):
    """Runs a body, prints the median of its milliseconds, and gives its last result."""
    taken, start = [], time.perf_counter()
    while len(taken) < repeats and (len(taken) < 3 or time.perf_counter() - start < 1):
        began = time.perf_counter()
        result = body()
        taken.append(time.perf_counter() - began)
    print(json.dumps({"ms": sorted(taken)[len(taken) // 2] * 1000}))
    return result


def call(functions):
    """Calls the function that the command line names."""
    functions[sys.argv[1].replace("-", "_")](*sys.argv[2:])
