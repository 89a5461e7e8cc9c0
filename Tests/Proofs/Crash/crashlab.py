#!/usr/bin/env python3
"""crashlab: which disk states can a crash leave behind, and does the program survive each of them?

A preloaded library (crashlab.c) logs every file operation of a command below one folder. From the log come the states that a
power cut could have left: of what was not synchronized all, none, each first part, each alone and each one lost, the last six
writes torn, and random mixes. CHECK is a command, whose folder is the state and whose TEST_CRASHLAB_OUTPUT names what the program
had printed before the crash, or a FILE.py with check(folder, output), which returns None or what is wrong. Streams of stdio,
shared mappings and static programs are not seen; the first two are reported.

  crashlab.py trace DIR LOG -- COMMAND…   run COMMAND, log what it does to files under DIR
  crashlab.py check LOG -- CHECK…         build every modelled post-crash state, run CHECK in each
  crashlab.py kill  DIR -- COMMAND… -- CHECK…   kill COMMAND before its 1st, 2nd, … file operation
  crashlab.py fail  DIR -- COMMAND… -- CHECK…   refuse the 1st, 2nd, … file operation instead"""

import argparse
import errno
import fnmatch
import hashlib
import importlib.util
import itertools
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

CREATE, WRITE, TRUNC, FSYNC, DIRSYNC, RENAME, LINK, UNLINK, MKDIR, RMDIR, OUT, BLIND, SYNCALL = range(1, 14)
NAMES = "? create write truncate fsync fsync-dir rename link unlink mkdir rmdir out blind sync".split()
HERE = os.path.dirname(os.path.abspath(__file__))


def run_logged(directory, log, command, kill=0, fail=0, code=0, short=0, stdout=None):
    """Runs `command` under the preload library; returns (exit status, operations seen)."""
    library = os.path.join(tempfile.gettempdir(), f"crashlab-{os.getuid()}.so")
    source = os.path.join(HERE, "crashlab.c")
    if not os.path.exists(library) or os.path.getmtime(library) < os.path.getmtime(source):
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    with tempfile.NamedTemporaryFile() as control:
        control.write(struct.pack("<QQQQQQ", 0, 0, kill, fail, code, short).ljust(4096, b"\0"))
        control.flush()
        env = dict(
            os.environ,
            LD_PRELOAD=library,
            TEST_CRASHLAB_ROOT=os.path.realpath(directory),
            TEST_CRASHLAB_LOG=os.path.abspath(log),
            TEST_CRASHLAB_CONTROL=control.name,
        )
        status = subprocess.run(
            command,
            env=env,
            start_new_session=True,
            stdout=stdout,
            stderr=subprocess.DEVNULL if kill or fail or short else None,
        ).returncode
        control.seek(0)
        return status, struct.unpack("<QQ", control.read(16))[1]


def inodes(directory):
    paths = [
        os.path.normpath(os.path.join(base, name))
        for base, folders, files in os.walk(directory)
        for name in folders + files + ["."]
    ]
    return {os.path.relpath(path, directory): os.stat(path).st_ino for path in paths}


class Node:
    """A file (bytes) or a folder (names)."""

    count = 0

    def __init__(self, folder=False):
        self.folder, self.id = folder, Node.count
        Node.count += 1


class Effect:
    """One thing that a crash may keep or lose. data: (file, offset, bytes) or (file, size, None). links: [(folder, name, node or None)]."""

    def __init__(self, index, text, data=None, links=()):
        self.index, self.text, self.data, self.links = index, text, data, links


def read_log(path, root, base, ignored):
    """The log as a list of ('effect', Effect) | ('sync', node) | ('syncdir', node) | ('syncall',) | ('out', bytes), and the starting state."""
    nodes, content, names, blind = {}, {}, {}, set()
    tree = Node(True)
    names[tree] = {}
    manifest = dict(line.rstrip("\n").rsplit("\t", 1) for line in open(os.path.join(base, "manifest")))
    for relative in sorted(manifest):
        full = os.path.join(base, "files", relative)
        node = tree if relative == "." else Node(os.path.isdir(full))
        nodes[int(manifest[relative])] = node
        if node.folder:
            names.setdefault(node, {})
        else:
            content[node] = open(full, "rb").read()
        parent, name = os.path.split(relative)
        if relative != ".":
            names[nodes[int(manifest[parent or "."])]][name] = node
    start, live = (dict(content), {f: dict(n) for f, n in names.items()}), {f: dict(n) for f, n in names.items()}

    def folder(path):
        node = tree
        for part in os.path.relpath(path, root).split("/"):
            if part != ".":
                node = live[node][part]
        return node

    def skip(path):
        return any(fnmatch.fnmatch(os.path.basename(path), p) for p in ignored)

    def slot(path):
        return folder(os.path.dirname(path)), os.path.basename(path)

    steps, blob, at, index = [], open(path, "rb").read(), 0, 0

    def effect(op, path, data=None, links=()):
        for where, name, node in links:
            live[where].pop(name, None) if node is None else live[where].__setitem__(name, node)
        extra = f" {data[1]}+{len(data[2])}" if data and data[2] is not None else f" to {data[1]}" if data else ""
        steps.append(
            ("effect", Effect(index, f"#{index} {NAMES[op]} {os.path.relpath(path, root)}{extra}", data, links))
        )

    while at < len(blob):
        magic, op, ino, off, length, n1, n2 = struct.unpack_from("<IIQQQII", blob, at)
        assert magic == 0x43524C42, "damaged log"
        p = blob[at + 40 : at + 40 + n1].decode()
        q = blob[at + 40 + n1 : at + 40 + n1 + n2]
        at += 40 + n1 + n2
        index += op != OUT
        if op == OUT:
            steps.append(("out", q))
        elif p and skip(p):
            continue
        elif op == BLIND:
            blind.add(f"{q.decode()}: {os.path.relpath(p, root)}")
        elif op == CREATE:
            nodes[ino] = node = Node()
            if p:
                effect(op, p, None, [(*slot(p), node)])
        elif op == WRITE:
            effect(op, p, (nodes[ino], off, q))
        elif op == TRUNC:
            effect(op, p, (nodes[ino], length, None))
        elif op == FSYNC:
            steps.append(("sync", nodes[ino]))
        elif op == DIRSYNC:
            steps.append(("syncdir", folder(p)))
        elif op == SYNCALL:
            steps.append(("syncall",))
        elif op == RENAME:
            (a, x), (b, y) = slot(p), slot(q.decode())
            if off == 2:
                effect(op, q.decode(), None, [(a, x, live[b][y]), (b, y, live[a][x])])  # exchange
            else:
                effect(op, q.decode(), None, [(a, x, None), (b, y, live[a][x])])
        elif op == LINK:
            effect(op, p, None, [(*slot(p), nodes[ino])])
        elif op in (UNLINK, RMDIR):
            effect(op, p, None, [(*slot(p), None)])
        elif op == MKDIR:
            nodes[ino] = node = Node(True)
            live[node] = {}
            start[1][node] = {}
            effect(op, p, None, [(*slot(p), node)])
    for line in sorted(blind):
        print("NOT SEEN (changes made this way are missing):", line)
    return steps, start, tree


def apply(state, effect, pieces=None, zero=False):
    """Adds one effect to (content, names); `pieces`: only these (start, end) ranges of a write; `zero`: the length arrives, the bytes do not."""
    content, names = state
    for folder, name, node in effect.links:
        names[folder] = dict(names[folder])
        names[folder].pop(name, None) if node is None else names[folder].__setitem__(name, node)
    if effect.data:
        node, at, data = effect.data
        old = content.get(node, b"")
        if data is None:
            content[node] = old[:at].ljust(at, b"\0")
            return
        for a, b in [(0, len(data))] if pieces is None else pieces:
            old = old.ljust(at + a, b"\0")
            old = old[: at + a] + (old[at + a : at + b].ljust(b - a, b"\0") if zero else data[a:b]) + old[at + b :]
        content[node] = old


def choices(pending, sectors, rng, limit):
    """Which of the pending effects reached the disk: yields (what it is called, {position: None whole | [pieces] | 'zero'})."""
    n, whole = len(pending), lambda keep: {i: None for i in keep}
    yield "all written", whole(range(n))
    yield "none written", {}
    for i in range(n):
        yield f"lost only {pending[i].text}", whole(j for j in range(n) if j != i)
        yield f"stopped before {pending[i].text}", whole(range(i))
        yield f"written only {pending[i].text}", whole([i])
    if n <= 6:
        for keep in itertools.product([0, 1], repeat=n):
            yield f"subset {keep}", whole(i for i in range(n) if keep[i])
    writes = [i for i in range(n) if pending[i].data and pending[i].data[2]]
    for i in writes[-6:]:
        size, at = len(pending[i].data[2]), pending[i].data[1]
        for sector in sectors:
            cuts = [c - at for c in range((at // sector + 1) * sector, at + size, sector)]
            for c in cuts if len(cuts) <= 12 else cuts[:4] + rng.sample(cuts[4:-4], 4) + cuts[-4:]:
                for title, pieces in (
                    ("head", [(0, c)]),
                    ("tail", [(c, size)]),
                    ("hole", [(0, max(0, c - sector)), (c, size)]),
                ):
                    yield f"torn ({title}, {sector}) {pending[i].text}", {**whole(range(n)), i: pieces}
                    yield f"torn ({title}, {sector}), nothing after, {pending[i].text}", {**whole(range(i)), i: pieces}
        yield f"zeros instead of {pending[i].text}", {**whole(range(n)), i: "zero"}
    for _ in range(limit if n > 1 else 0):
        picked = {}
        for i in range(n):
            if rng.random() < 0.35:
                continue
            data, sector = pending[i].data, rng.choice(sectors)
            if data and data[2] and rng.random() < 0.5:
                size, edges = (
                    len(data[2]),
                    [0]
                    + [c - data[1] for c in range((data[1] // sector + 1) * sector, data[1] + len(data[2]), sector)],
                )
                picked[i] = [(a, b) for a, b in zip(edges, edges[1:] + [size]) if rng.random() < 0.5]
            else:
                picked[i] = None
        yield "random mix", picked


def states(steps, start, model, sectors, seed, limit):
    """Every modelled state, once: yields (point, title, content, names, output so far)."""
    rng, durable, pending, output, seen = random.Random(seed), (dict(start[0]), dict(start[1])), [], b"", set()

    def settle(chosen):
        for e in pending:
            if e in chosen:
                apply(durable, e)
        pending[:] = [e for e in pending if e not in chosen]

    def links_of(node):
        """Folder changes made durable by a sync of `node`, with earlier changes of the same names."""
        chosen = {e for e in pending if any(f is node for f, _, _ in e.links)}
        slots = {(f, name) for e in chosen for f, name, _ in e.links}
        return chosen | {e for e in pending if any((f, name) in slots for f, name, _ in e.links)}

    for step in steps + [("end",)]:
        for title, picked in choices(pending, sectors, rng, limit) if step[0] != "out" else ():
            if model == "ordered":  # a journalling file system: folder changes arrive in their order
                lost = next((i for i, e in enumerate(pending) if e.links and i not in picked), len(pending))
                picked = {i: p for i, p in picked.items() if i < lost or not pending[i].links}
            state = (dict(durable[0]), dict(durable[1]))
            for i in sorted(picked):
                apply(state, pending[i], None if picked[i] in (None, "zero") else picked[i], picked[i] == "zero")
            key = hashlib.blake2b(output)
            for node, data in sorted(state[0].items(), key=lambda x: x[0].id):
                key.update(b"%d:%d:" % (node.id, len(data)) + data)
            for node, entries in sorted(state[1].items(), key=lambda x: x[0].id):
                key.update(repr((node.id, sorted((k, v.id) for k, v in entries.items()))).encode())
            if key.digest() in seen:
                continue
            seen.add(key.digest())
            yield pending[-1].index if pending else 0, title, *state, output
        if step[0] == "effect":
            pending.append(step[1])
        elif step[0] == "out":
            output += step[1]
        elif step[0] == "sync":
            settle(
                {e for e in pending if e.data and e.data[0] is step[1]}
                | ({e for e in pending if e.links} if model == "ordered" else set())
            )
        elif step[0] == "syncdir":
            settle(links_of(step[1]) if model == "strict" else {e for e in pending if e.links})
        elif step[0] == "syncall":
            settle(set(pending))


def materialise(node, content, names, path):
    os.makedirs(path, exist_ok=True)
    for name, child in names.get(node, {}).items():
        target = os.path.join(path, name)
        if child.folder:
            materialise(child, content, names, target)
        else:
            open(target, "wb").write(content.get(child, b""))


def refill(source, directory):
    for entry in os.scandir(directory):
        shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.remove(entry.path)
    shutil.copytree(source, directory, dirs_exist_ok=True)


def checker(command):
    """CHECK is a command (run in the state's folder, TEST_CRASHLAB_OUTPUT names a file with the output so far; exit 0 is good)
    or one FILE.py with `check(folder, output)`, much faster; it returns None or what is wrong."""
    if len(command) == 1 and command[0].endswith(".py"):
        spec = importlib.util.spec_from_file_location("check", command[0])
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)

        def inside(folder, output):
            try:
                return module.check(folder, output)
            except Exception as e:
                return f"{type(e).__name__}: {e}"

        return inside

    def outside(folder, output):
        with tempfile.NamedTemporaryFile() as f:
            f.write(output)
            f.flush()
            done = subprocess.run(
                command,
                cwd=folder,
                env=dict(os.environ, TEST_CRASHLAB_OUTPUT=f.name),
                capture_output=True,
                text=True,
                timeout=60,
            )
            return (
                None
                if done.returncode == 0
                else f"exit {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}"
            )

    return outside


def main():
    parts = [[]]
    for word in sys.argv[1:]:
        parts.append([]) if word == "--" else parts[-1].append(word)
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mode", choices=["trace", "check", "kill", "fail"])
    p.add_argument("paths", nargs="+")
    p.add_argument(
        "--model",
        choices=["strict", "ordered"],
        default="strict",
        help="strict: only what was synced is safe (POSIX). ordered: ext4-like, folder changes keep their order",
    )
    p.add_argument("--sectors", default="512,4096")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--random", type=int, default=8, help="random mixes per point")
    p.add_argument("--ignore", action="append", default=[], help="file name patterns left out, e.g. '*-shm'")
    p.add_argument("--show", type=int, default=8)
    p.add_argument("--keep", help="copy failing states here")
    p.add_argument("--max", type=int, default=10**9)
    p.add_argument("--errno", default="EIO,ENOSPC", help="for fail; SHORT is half a write")
    p.add_argument("--every", type=int, default=1)
    o = p.parse_args(parts[0])
    began = time.time()
    tried, bad = 0, []
    if o.mode == "trace":
        directory, log = o.paths
        base = log + ".base"
        shutil.rmtree(base, True)
        if os.path.exists(log):
            os.remove(log)
        shutil.copytree(directory, os.path.join(base, "files"))
        with open(os.path.join(base, "manifest"), "w") as f:
            f.writelines(f"{k}\t{v}\n" for k, v in inodes(directory).items())
        open(os.path.join(base, "root"), "w").write(os.path.realpath(directory))
        status, count = run_logged(directory, log, parts[1])
        print(f"exit {status}, {count} file operations logged")
        return status
    check, scratch = checker(parts[-1]), tempfile.mkdtemp(dir="/dev/shm")

    def judge(point, title, output, fill):
        nonlocal tried
        shutil.rmtree(scratch, True)
        fill(scratch)
        tried += 1
        wrong = check(scratch, output)
        if wrong:
            bad.append((point, title, wrong))
        if wrong and o.keep:
            shutil.rmtree(f"{o.keep}/{len(bad)}", True)
            fill(f"{o.keep}/{len(bad)}")

    if o.mode == "check":
        log = o.paths[0]
        root = open(log + ".base/root").read()
        steps, start, tree = read_log(log, root, log + ".base", o.ignore)
        for point, title, content, names, output in itertools.islice(
            states(steps, start, o.model, [int(s) for s in o.sectors.split(",")], o.seed, o.random), o.max
        ):
            judge(point, title, output, lambda to, content=content, names=names: materialise(tree, content, names, to))
        points = sum(s[0] != "out" for s in steps)
        what = f"{points} crash points, {tried} distinct states ({o.model})"
    else:
        directory, original = o.paths[0], tempfile.mkdtemp(dir="/dev/shm")
        shutil.copytree(directory, original, dirs_exist_ok=True)
        for code in ["KILL"] if o.mode == "kill" else o.errno.split(","):
            for k in itertools.count(1, o.every):
                refill(original, directory)
                how = (
                    dict(kill=k)
                    if code == "KILL"
                    else dict(short=k)
                    if code == "SHORT"
                    else dict(fail=k, code=getattr(errno, code))
                )
                with tempfile.TemporaryFile() as out:
                    status, count = run_logged(directory, "/dev/null", parts[1], stdout=out, **how)
                    out.seek(0)
                    output = out.read()
                judge(
                    k,
                    f"{code} at operation {k} (exit {status})",
                    output,
                    lambda to: shutil.copytree(directory, to, dirs_exist_ok=True),
                )
                if count < k:
                    break
        refill(original, directory)
        shutil.rmtree(original)
        what = f"{tried} runs ({o.mode})"
    shutil.rmtree(scratch, True)
    print(f"{what}, {len(bad)} bad, {time.time() - began:.1f} s")
    for point, title, wrong in bad[: o.show]:
        print(f"  after #{point}: {title}\n      {wrong}")
    return 1 if bad else 0


sys.exit(main())
