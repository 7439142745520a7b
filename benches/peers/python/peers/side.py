"""What every side has, and what it says where it has nothing.

A peer overrides what it can do. `seconds` is the wall clock's time, `cpu` the processors' of all threads of the process.
"""

import time


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
    def __init__(self, folder, data):
        self.folder, self.data = folder, data

    def load(self):
        raise Cannot("cannot load")

    def open(self):
        raise Cannot("keeps nothing")

    def search(self, ef, below):
        raise Cannot("no search")

    def hops(self):
        raise Cannot("no graph")

    def descend(self):
        raise Cannot("no graph")

    def churn(self):
        raise Cannot("no changes")

    def batches(self, rows, batch, acknowledge):
        raise Cannot("no durability: nothing is kept until all of it is written to a file")

    def close(self):
        pass

    def searched(self, one, below, ef):
        """All queries, each by a call of its own."""
        queries, found = [query.tolist() for query in self.data.queries], []
        clock = Clock()
        for query in queries:
            found.append(one(query, below, ef))
        return {**clock.took(), "ids": found}
