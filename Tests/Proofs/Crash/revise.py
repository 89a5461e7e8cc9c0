"""Starts a server on the folder `store`, and replaces the recording of a drawing by others, one after the other, as a page
does that saves while somebody draws. Prints a line of JSON for each answer, as crash_check.py reads them, and one before
each request.

usage: revise.py PKD ID RECORDING…
"""

import hashlib
import http.client
import json
import os
import subprocess
import sys

pkd, name, recordings = sys.argv[1], sys.argv[2], sys.argv[3:]
server = subprocess.Popen(
    [pkd, "serve", "--root", "store", "--dev", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True
)
first = server.stdout.readline()
if "http://" not in first:
    sys.exit(server.wait())
address = first.split("http://", 1)[1].split()[0].strip("/")


def report(key, bytes_):
    line = {key: name, "recordingSHA256": hashlib.sha256(bytes_).hexdigest()}
    os.write(1, (json.dumps(line) + "\n").encode())


def request(method, bytes_=None, fields=None):
    client = http.client.HTTPConnection(address, timeout=20)
    client.request(method, f"/v1/users/dev/drawings/{name}/recording.pkd", bytes_, fields or {})
    answer = client.getresponse()
    return answer.status, answer.getheader("ETag"), answer.read()


try:
    status, tag, stored = request("GET")
    if status == 200:
        report("id", stored)
    for path in recordings:
        bytes_ = open(path, "rb").read()
        report("revising", bytes_)
        status, after, _ = request("PUT", bytes_, {"If-Match": tag or "*"})
        if status == 200:
            report("id", bytes_)
            tag = after
except (OSError, http.client.HTTPException):
    pass
server.terminate()
sys.exit(server.wait())
