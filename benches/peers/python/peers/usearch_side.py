"""usearch: an index in memory, saved to a file as a whole. Its Python has no filter."""

import os

import numpy as np
import usearch
from side import Cannot, Clock, Side
from usearch.index import Index


class Usearch(Side):
    def new(self):
        return Index(ndim=self.data.dims, metric="ip", dtype="f32", connectivity=16, expansion_add=128)

    def load(self):
        clock = Clock()
        self.index = self.new()
        self.index.add(np.arange(len(self.data), dtype=np.uint64), np.array(self.data.vectors), threads=1)
        indexed = clock.wall()
        self.save()
        return {**clock.took(), "edges_s": None, "index_s": indexed}

    def save(self):
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, "index")
        self.index.save(path)
        with open(path) as file:
            os.fsync(file.fileno())

    def open(self):
        clock = Clock()
        self.index = self.new()
        self.index.load(os.path.join(self.folder, "index"))
        self.index.search(self.data.queries[0], self.data.k)
        return {"seconds": clock.wall(), "nodes": len(self.index), "edges": None}

    def search(self, ef, below):
        if below is not None:
            raise Cannot("no filter in its Python")
        queries = np.array(self.data.queries)
        self.index.expansion_search = ef
        clock = Clock()
        found = self.index.search(queries, self.data.k, threads=1)
        took = clock.took()
        ids = [keys[:count].tolist() for keys, count in zip(found.keys, found.counts)]
        return {**took, "ids": ids}

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
