"""Checks the folder of a service after a crash, without the service's own code.

Reported results must be durable: programs print a line of JSON for each completed action. A drawing's
document must have its files, complete and with the hashes of the ledger; a milestone must have its event.
In some of the states the program itself sweeps and verifies the folder; a second sweep must find nothing.
"""

import hashlib
import json
import os
import sqlite3
import subprocess

PKD = os.environ["TEST_CRASH_PKD"]
EVERY = int(os.environ.get("TEST_CRASH_EVERY", "40"))
# A crash while many submits share a flush leaves more drawings without a document than a small folder explains.
SWEEP = ["sweep", "--older-than", "0"] + (["--yes"] if os.environ.get("TEST_CRASH_MANY") == "yes" else [])
SKIPS_VERIFY = os.environ.get("TEST_CRASH_SKIPS_VERIFY") == "yes"
# The files that a drawing must have; a server draws the image later.
NAMES = os.environ.get("TEST_CRASH_NAMES", "image.png recording.pkd thumbnail.png").split()
USER = os.environ.get("TEST_CRASH_USER", "ann")
# The drawing whose recording is replaced, and which had an image of its own before.
REVISES = os.environ.get("TEST_CRASH_REVISES")
judged = 0
# The lab does not record permissions, so the states that it builds get those of the owner.
os.umask(0o077)


def ledger(folder):
    """The hashes in the ledger for each file of a folder."""
    hashes = {}
    path = os.path.join(folder, ".blobs")
    if os.path.exists(path):
        for line in open(path, encoding="utf-8", errors="replace"):
            parts = line.split(" ")
            if len(parts) == 8:
                hashes.setdefault(parts[0], set()).add(parts[3])
    return hashes


def documents(root):
    """The paths of all documents; none if there is no database yet."""
    path = os.path.join(root, "pentimento.db")
    if not os.path.exists(path):
        return set()
    database = sqlite3.connect(path)
    try:
        if not database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'documents'").fetchone():
            return set()
        problem = database.execute("PRAGMA quick_check").fetchone()[0]
        if problem != "ok":
            raise ValueError("database: " + problem)
        return {
            f"{collection}/{name}"
            for collection, name in database.execute(
                "SELECT c.path, d.id FROM documents d JOIN collections c ON c.number = d.collection"
                " WHERE d.fields IS NOT NULL"
            )
        }
    finally:
        database.close()


def reports(output):
    """The JSON that the programs have printed, in order; incomplete lines are skipped."""
    for line in output.decode(errors="replace").split("\n")[:-1]:
        try:
            yield json.loads(line)
        except ValueError:
            pass


def run(root, *words):
    done = subprocess.run([PKD, "store", *words, "--root", root, "--json"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def check(folder, output):
    global judged
    judged += 1
    root = os.path.join(folder, "store")
    paths = documents(root)
    # Drawings have their files, complete and in their ledgers.
    for path in paths:
        parts = path.split("/")
        if len(parts) != 4 or parts[2] != "drawings":
            continue
        directory = os.path.join(root, path)
        known = ledger(directory)
        for name in NAMES:
            file = os.path.join(directory, name)
            if not os.path.exists(file):
                return f"{path} has no {name}"
            digest = hashlib.sha256(open(file, "rb").read()).hexdigest()
            if digest not in known.get(name, ()) and not SKIPS_VERIFY:
                return f"{path}/{name} differs from its ledger"
    # Reported results exist, unless their deletion was requested.
    kept, gone, mayBeGone = {}, set(), set(os.environ.get("TEST_CRASH_DELETES", "").split())
    first, revising = None, {}
    for report in reports(output):
        if report.get("deleted") is True:
            gone.add(report["id"])
        elif "revising" in report:
            revising.setdefault(report["revising"], set()).add(report["recordingSHA256"])
        elif "recordingSHA256" in report:
            kept[report["id"]] = report
            first = first or report["recordingSHA256"]
            revising.pop(report["id"], None)
        elif "emotion" in report:
            if report["id"] not in mayBeGone and f"users/{USER}/mood_checkins/{report['id']}" not in paths:
                return f"the reported check-in {report['id']} is lost"
        elif "adopted" in report:
            missing = [name for name in os.environ.get("TEST_CRASH_ADOPTS", "").split() if name not in paths]
            if len(missing) > report["failed"]:
                return f"{missing} were reported as adopted"
        elif "restored" in report and not paths:
            return "nothing was restored"
    for name, report in kept.items():
        path = f"users/{USER}/drawings/{name}"
        if name in gone:
            if path in paths:
                return f"{name} was deleted and is back"
        elif name in mayBeGone:
            continue
        elif path not in paths:
            return f"the reported drawing {name} is lost"
        else:
            bytes_ = open(os.path.join(root, path, "recording.pkd"), "rb").read()
            # Replacements since the last acknowledged one may have happened; that the answer was an error does not
            # tell whether they have.
            if hashlib.sha256(bytes_).hexdigest() not in {report["recordingSHA256"], *revising.get(name, ())}:
                return f"{name} has another recording"
    # A transaction is stored completely or not at all.
    milestones = {p for p in paths if p.startswith(f"users/{USER}/milestones/")}
    events = {p for p in paths if p.startswith("outbox/")}
    if os.environ.get("TEST_CRASH_EVENTS") == "kept" and len(milestones) != len(events):
        return f"{len(milestones)} milestones and {len(events)} events"
    if os.environ.get("TEST_CRASH_EVENTS") == "heard":
        # An event may only be missing after its delivery.
        heard = os.path.join(folder, "heard")
        if milestones and not events and not (os.path.exists(heard) and os.path.getsize(heard)):
            return "an event was lost and never delivered"
    if judged % EVERY == 0 and os.path.exists(os.path.join(root, "pentimento.db")):
        return settle(root) or (REVISES and mixture(root, first))
    return None


def mixture(root, first):
    """Whether a drawing, in a service that was swept, has pictures of two recordings."""
    code, text, errors = run(root, "rerender", "--all")
    if code != 0 or json.loads(text)["changed"]:
        return f"its thumbnail is that of another recording: {text[-200:]} {errors[-200:]}"
    folder = os.path.join(root, "users", USER, "drawings", REVISES)
    recording = hashlib.sha256(open(os.path.join(folder, "recording.pkd"), "rb").read()).hexdigest()
    hasImage = os.path.exists(os.path.join(folder, "image.png"))
    if hasImage != (first is None or recording == first):
        return f"its image is {'that of another recording' if hasImage else 'lost'}"
    return None


def settle(root):
    """Sweeps twice and verifies; returns what is wrong, or None."""
    code, text, errors = run(root, *SWEEP)
    if code not in (0, 65):
        return f"the sweep ended with {code}: {errors[-200:]}"
    code, text, errors = run(root, *SWEEP)
    if code != 0 and not SKIPS_VERIFY:
        return f"the second sweep ended with {code}: {text[-200:]} {errors[-200:]}"
    second = json.loads(text) if text else {}
    if any(second.get(key) for key in ("orphans", "leftovers", "thumbnails", "revisions")):
        return f"the second sweep found something: {text}"
    paths = documents(root)
    drawings = os.path.join(root, "users")
    for directory, folders, files in os.walk(drawings):
        for name in folders + files:
            if name.startswith(".new-"):
                return f"left behind: {directory}/{name}"
        relative = os.path.relpath(directory, root)
        if files and relative not in paths:
            return f"an orphan remained: {relative}"
    if SKIPS_VERIFY:
        return None
    code, text, errors = run(root, "verify")
    return None if code == 0 else f"not intact: {text[-300:]} {errors[-200:]}"
