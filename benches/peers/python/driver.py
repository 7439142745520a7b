"""One Python peer on one set: `python driver.py PEER FOLDER`.

Requests come as JSON lines on standard input and are answered by JSON lines on standard output, the last of each
`{"stage": "end"}`; `benches/src/vector/driver.rs` is the other side. The index stays in memory between requests, so
that rounds of several peers can take turns.

All queries go into one call with one thread: a call per query would measure Python. That favours the peers a
little, since ours and the Rust peers take one query per call.
"""

import os

# Before numpy: its BLAS must not use threads that nobody counts.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import ctypes
import importlib
import json
import sys
import time

import numpy as np

from vectors import Vectors

PEERS = {
    "hnswlib": "hnswlib_peer",
    "usearch": "usearch_peer",
    "usearch-i8": "usearch_peer",
    "faiss-hnsw": "faiss_peer",
    "faiss-sq8": "faiss_peer",
    "faiss-ivfpq": "faiss_peer",
    "qdrant-edge": "qdrant_peer",
}
C = ctypes.CDLL(None)


def resident():
    if hasattr(C, "malloc_trim"):
        # What was freed is not what the index takes.
        C.malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def say(**line):
    print(json.dumps(line), flush=True)


class Clock:
    def __init__(self):
        self.cpu_s = self.wall_s = 0.0

    def __enter__(self):
        self.began = time.process_time(), time.perf_counter()

    def __exit__(self, *_):
        self.cpu_s += time.process_time() - self.began[0]
        self.wall_s += time.perf_counter() - self.began[1]


# A pass over the queries of a filter that takes less is made again and again for so long.
LONG_S = 0.02


def hits(found, truth):
    """How many of the found rows are right, and how many were found at all. Both may be padded with negatives."""
    right = (found[:, :, None] == truth[:, None, :]) & (found[:, :, None] >= 0)
    return int(right.sum()), int((found >= 0).sum())


class Driver:
    def __init__(self, name, vectors):
        self.name, self.vectors = name, vectors
        self.make = importlib.import_module(PEERS[name]).make
        self.peer = None

    def build(self, threads):
        self.peer = None
        peer = self.make(self.name, self.vectors)
        before, clock = resident(), Clock()
        with clock:
            peer.build(threads)
        self.peer = peer
        grown = max(0, resident() - before)
        say(peer=self.name, stage="build", threads=threads, cpu_s=clock.cpu_s, wall_s=clock.wall_s, rss_bytes=grown)

    def line(self, stage, ef, clock, queries, right, wanted, rows, **more):
        say(
            peer=self.name, stage=stage, ef=ef, recall=right / wanted, cpu_s=clock.cpu_s, wall_s=clock.wall_s,
            qps_cpu=queries / clock.cpu_s, qps_wall=queries / clock.wall_s, rows_returned=rows / queries, **more,
        )
        return right / wanted

    def search(self, efs, until):
        queries, truth, k = self.vectors.queries, self.vectors.truth, self.vectors.k
        # A round that does not count: caches are as they are in the middle of work.
        self.peer.search(queries, k, k)
        for ef in efs:
            clock = Clock()
            with clock:
                found = self.peer.search(queries, k, ef)
            right, rows = hits(found, truth)
            if self.line("search", ef, clock, len(queries), right, truth.size, rows) >= until:
                break

    def filtered(self, name, efs, until):
        case = self.vectors.case(name)
        if not hasattr(self.peer, "allow"):
            say(peer=self.name, stage="unsupported")
            return
        wanted = int((case.truth >= 0).sum())
        for ef in efs:
            clock, right, rows = self.filtered_once(case, ef)
            if clock.cpu_s < LONG_S:
                # The first pass found the processor idle and its caches empty.
                clock, passes = Clock(), 0
                while clock.cpu_s < LONG_S:
                    once, right, rows = self.filtered_once(case, ef)
                    clock.cpu_s, clock.wall_s, passes = clock.cpu_s + once.cpu_s, clock.wall_s + once.wall_s, passes + 1
                clock.cpu_s, clock.wall_s = clock.cpu_s / passes, clock.wall_s / passes
            queries = sum(len(numbers) for numbers, _ in case.groups)
            if self.line("filtered", ef, clock, queries, right, wanted, rows, case=name) >= until:
                break

    def filtered_once(self, case, ef):
        """All queries of a case: the time they took, how many right rows they got, and how many at all."""
        clock, right, rows, done = Clock(), 0, 0, 0
        for group, (numbers, bits) in enumerate(case.groups):
            # Making a set of allowed rows in the peer's own form is not measured.
            self.peer.allow(case, group, bits)
            queries = self.vectors.queries[numbers]
            with clock:
                found = self.peer.search_allowed(queries, self.vectors.k, ef)
            self.peer.allow_all()
            one, many = hits(found, case.truth[done : done + len(numbers)])
            right, rows, done = right + one, rows + many, done + len(numbers)
        return clock, right, rows


def main():
    name, folder = sys.argv[1:]
    driver = Driver(name, Vectors(folder))
    for line in sys.stdin:
        request = json.loads(line)
        what = request.pop("do")
        try:
            if what == "build":
                driver.build(request["threads"])
            elif what == "search":
                driver.search(request["ef"], request["until"])
            else:
                driver.filtered(request["case"], request["ef"], request["until"])
        except Exception as error:  # whatever a peer throws: the other side says it and goes on
            say(peer=name, stage="failed", why=f"{type(error).__name__}: {error}")
        say(stage="end")


main()
