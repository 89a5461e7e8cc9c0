"""Starts a server on the folder `store`, and lets several clients submit drawings to it at the same time, so that they
share flushes of the disk. Prints a line of JSON for each answer, as crash_check.py reads them.

usage: submit_together.py PKD RECORDING… (each is submitted four times, with other names)
"""

import hashlib
import http.client
import json
import os
import subprocess
import sys
import threading

pkd, recordings = sys.argv[1], sys.argv[2:]
server = subprocess.Popen(
    [pkd, "serve", "--root", "store", "--dev", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True
)
first = server.stdout.readline()
if "http://" not in first:
    sys.exit(server.wait())
address = first.split("http://", 1)[1].split()[0].strip("/")
together = threading.Barrier(len(recordings) * 4)


def submit(name, bytes_):
    try:
        client = http.client.HTTPConnection(address, timeout=20)
        client.connect()
        together.wait()
        client.request("PUT", f"/v1/users/dev/drawings/{name}/recording.pkd", bytes_)
        if client.getresponse().status == 201:
            report = {"id": name, "recordingSHA256": hashlib.sha256(bytes_).hexdigest()}
            os.write(1, (json.dumps(report) + "\n").encode())
    except (OSError, http.client.HTTPException, threading.BrokenBarrierError):
        together.abort()


threads = [
    threading.Thread(target=submit, args=(f"{n}-{copy}", open(path, "rb").read()))
    for n, path in enumerate(recordings)
    for copy in range(4)
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
server.terminate()
sys.exit(server.wait())
