"""hnswlib. A filter is made of its deletions: its Python filter is a call into Python per row that is looked at."""

import hnswlib
import numpy as np


class Hnswlib:
    def __init__(self, vectors):
        self.base, self.dims = vectors.base, vectors.dims

    def build(self, threads):
        self.index = hnswlib.Index("ip", self.dims)
        self.index.init_index(len(self.base), M=16, ef_construction=128, random_seed=1)
        self.index.set_num_threads(threads)
        self.index.add_items(self.base)
        self.index.set_num_threads(1)
        self.deleted = False

    def search(self, queries, k, ef):
        self.index.set_ef(ef)
        return self.index.knn_query(queries, k, num_threads=1)[0].astype(np.int64)

    def allow(self, case, group, bits):
        if not self.deleted:
            for row in range(len(self.base)):
                self.index.mark_deleted(row)
            self.deleted = True
        self.allowed = case.allowed(bits)
        for row in self.allowed:
            self.index.unmark_deleted(row)

    def search_allowed(self, queries, k, ef):
        k = min(k, len(self.allowed))
        try:
            return self.search(queries, k, ef)
        except RuntimeError:
            pass
        # It found fewer than were asked for, and then gives nothing at all: ask for fewer, one query at a time.
        found = np.full((len(queries), k), -1, np.int64)
        for number, query in enumerate(queries):
            for fewer in range(k, 0, -1):
                try:
                    found[number, :fewer] = self.search(query, fewer, ef)[0]
                    break
                except RuntimeError:
                    continue
        return found

    def allow_all(self):
        for row in self.allowed:
            self.index.mark_deleted(row)


def make(name, vectors):
    return Hnswlib(vectors)
