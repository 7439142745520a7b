"""hnswlib: an index in memory, saved to a file as a whole. A filter is a call into Python for every row that is looked at."""

import os
from importlib.metadata import version as version_of

import hnswlib
import numpy as np
from side import Clock, Side


class Hnswlib(Side):
    def new(self):
        index = hnswlib.Index("ip", self.data.dims)
        index.set_num_threads(1)
        return index

    def load(self):
        clock = Clock()
        self.index = self.new()
        self.index.init_index(len(self.data), M=16, ef_construction=128, random_seed=1, allow_replace_deleted=False)
        self.index.set_num_threads(1)
        self.index.add_items(self.data.vectors, num_threads=1)
        indexed = clock.wall()
        self.save()
        return {**clock.took(), "edges_s": None, "index_s": indexed}

    def save(self):
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, "index")
        self.index.save_index(path + ".part")
        with open(path + ".part") as file:
            os.fsync(file.fileno())
        os.replace(path + ".part", path)

    def open(self):
        clock = Clock()
        self.index = self.new()
        self.index.load_index(os.path.join(self.folder, "index"))
        self.index.set_num_threads(1)
        self.index.knn_query(self.data.queries[:1], self.data.k)
        seconds = clock.wall()
        return {"seconds": seconds, "nodes": self.index.get_current_count(), "edges": None}

    def search(self, ef, below):
        self.index.set_ef(ef)
        queries, k = np.array(self.data.queries), self.data.k
        clock = Clock()
        if below is None:
            found = self.index.knn_query(queries, k, num_threads=1)[0].tolist()
            return {**clock.took(), "ids": found}
        allowed, found = self.data.below(below), []
        for query in queries:
            found.append(self.fewer(query, lambda row: bool(allowed[row])))
        return {**clock.took(), "ids": found}

    def fewer(self, query, allow):
        """It gives nothing at all if it finds fewer than were asked for."""
        for k in range(self.data.k, 0, -1):
            try:
                return self.index.knn_query(query, k, num_threads=1, filter=allow)[0][0].tolist()
            except RuntimeError:
                continue
        return []

    def churn(self):
        data, clock = self.data, Clock()
        for row in data.deleted:
            self.index.mark_deleted(row)
        self.index.add_items(data.update_vectors, data.updated, num_threads=1)
        self.save()
        return clock.took()


def version(name):
    return version_of("hnswlib")


def make(name, folder, data):
    return Hnswlib(folder, data)
