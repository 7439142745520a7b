"""What every side has, and what it says where it has nothing.

A peer overrides what it can do, most often only the small ones: `connect`, `one`, `reach`, `children`, `counts`. `seconds` is the wall
clock's time, `cpu` the processors' of all threads of the process.
"""

import os
import time

import numpy as np

# The list of searches that are not made at a recall.
LIST = 64
# A filter that allows so many of a thousand or fewer is narrow: some find these rows first and compare all of them, as their users
# would, since a walk through their index passes few of them.
NARROW = 10


class Cannot(Exception):
    """It has no such thing; the words are what the table says."""


class Clock:
    def __init__(self):
        self.wall_began, self.cpu_began = time.perf_counter(), time.process_time()

    def wall(self):
        return time.perf_counter() - self.wall_began

    def took(self):
        return {"seconds": self.wall(), "cpu": time.process_time() - self.cpu_began}


class Side:
    # Where the tree begins, as the peer names it.
    root = 0
    # Whether it waits for the disk before it says that a batch is there: `strace -f -e trace=fsync,fdatasync` tells.
    synced = True
    # Whether the rows that come in batches get into an index of vectors without being told to. Where they do not all vectors are
    # compared, and the times of it are not compared with others.
    indexed_batches = True

    def __init__(self, folder, data):
        self.folder, self.data = folder, data

    # What a peer is made of.

    def load(self):
        raise Cannot("cannot load")

    def connect(self):
        """Opens what is in the folder, or begins there."""
        raise Cannot("keeps nothing")

    def told(self, query):
        """A query as its search takes it; made before the clock begins."""
        return query.tolist()

    def one(self, query, below, ef):
        """The rows nearest to a query, of those that the filter allows."""
        raise Cannot("no search")

    def compared(self, query, below):
        """The same without an index of vectors: all that the filter allows are compared."""
        raise Cannot("no search without its index")

    def reach(self, query):
        """What is two steps from its nearest rows, each once."""
        raise Cannot("no graph")

    def children(self, ids, query, tau):
        """Those under any of these whose cosine with the query is above `tau`."""
        raise Cannot("no graph")

    def counts(self):
        """How many nodes there are, and how many relationships of the tree if it has any."""
        raise Cannot("counts nothing")

    def churn(self):
        raise Cannot("no changes")

    def batches(self, rows, batch, acknowledge):
        raise Cannot("no durability: nothing is kept until all of it is written to a file")

    def close(self):
        pass

    # What follows from it.

    def narrow(self, below):
        return below is not None and below <= NARROW

    def open(self):
        clock = Clock()
        self.connect()
        self.one(self.told(self.data.queries[0]), None, LIST)
        seconds = clock.wall()
        nodes, edges = self.counts()
        return {"seconds": seconds, "nodes": nodes, "edges": edges}

    def search(self, ef, below):
        """All queries, each by a call of its own."""
        queries, found = [self.told(query) for query in self.data.queries], []
        clock = Clock()
        for query in queries:
            found.append(self.one(query, below, ef))
        return {**clock.took(), "ids": found}

    def hops(self):
        """The hits are asked for once more afterwards, so that what was reached can be judged."""
        queries, reached = [query for query, _ in self.ways()], []
        clock = Clock()
        for query in queries:
            reached.append(self.reach(query))
        took = clock.took()
        return {**took, "hits": [self.one(query, None, LIST) for query in queries], "reached": reached}

    def descend(self):
        ways, levels = self.ways(), []
        clock = Clock()
        for query, tau in ways:
            ids, counts = [self.root], []
            for _ in range(self.data.levels - 1):
                ids = self.children(ids, query, tau) if ids else []
                counts.append(len(ids))
            levels.append(counts)
        return {**clock.took(), "levels": levels}

    def ways(self):
        """Each way down: its query, and what a cosine has to be above."""
        return [(self.told(self.data.queries[way["query"]]), way["tau"]) for way in self.data.descents]


class InFile(Side):
    """An index in memory, which a program writes to a file as a whole. It gets all queries in one call."""

    def fill(self):
        """Makes `self.index` of all vectors."""
        raise NotImplementedError

    def near(self, queries, below, ef):
        """The rows nearest to each query, as the library gives them."""
        raise NotImplementedError

    def write(self, path):
        raise NotImplementedError

    def read(self, path):
        raise NotImplementedError

    def rows(self, found):
        """What `near` has given as numbers; a place without a row is below zero."""
        return [[int(row) for row in rows if row >= 0] for rows in found]

    def path(self):
        return os.path.join(self.folder, "index")

    def load(self):
        clock = Clock()
        self.fill()
        indexed = clock.wall()
        self.save()
        return {**clock.took(), "edges_s": None, "index_s": indexed}

    def save(self):
        """Beside its place first: whoever is killed in the middle still has the file before."""
        os.makedirs(self.folder, exist_ok=True)
        part = self.path() + ".part"
        self.write(part)
        with open(part) as file:
            os.fsync(file.fileno())
        os.replace(part, self.path())

    def connect(self):
        self.read(self.path())

    def told(self, query):
        return np.array(query)

    def one(self, query, below, ef):
        return self.rows(self.near(query[None], below, ef))[0]

    def search(self, ef, below):
        queries = np.array(self.data.queries)
        clock = Clock()
        found = self.near(queries, below, ef)
        took = clock.took()
        return {**took, "ids": self.rows(found)}

    def counts(self):
        return len(self.index), None
