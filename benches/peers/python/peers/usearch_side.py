"""usearch: an index in memory, saved to a file as a whole. Its Python has no filter."""

import numpy as np
import usearch
from side import Cannot, Clock, InFile
from usearch.index import Index


class Usearch(InFile):
    def new(self):
        return Index(ndim=self.data.dims, metric="ip", dtype="f32", connectivity=16, expansion_add=128)

    def fill(self):
        self.index = self.new()
        self.index.add(np.arange(len(self.data), dtype=np.uint64), np.array(self.data.vectors), threads=1)

    def write(self, path):
        self.index.save(path)

    def read(self, path):
        self.index = self.new()
        self.index.load(path)

    def near(self, queries, below, ef):
        if below is not None:
            raise Cannot("no filter in its Python")
        self.index.expansion_search = ef
        return self.index.search(queries, self.data.k, threads=1)

    def one(self, query, below, ef):
        # To a single query it gives something else than to many.
        return self.near(query, below, ef).keys.tolist()

    def rows(self, found):
        return [keys[:count].tolist() for keys, count in zip(found.keys, found.counts)]

    def churn(self):
        data, clock = self.data, Clock()
        self.index.remove(np.array(data.deleted, np.uint64))
        keys = np.array(data.updated, np.uint64)
        self.index.remove(keys)
        self.index.add(keys, np.array(data.update_vectors), threads=1)
        self.save()
        return clock.took()


def version(name):
    return usearch.__version__


def make(name, folder, data):
    return Usearch(folder, data)
