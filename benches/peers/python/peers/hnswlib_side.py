"""hnswlib: an index in memory, saved to a file as a whole. A filter is a call into Python for every row that is looked at."""

from importlib.metadata import version as version_of

import hnswlib
from side import Clock, InFile


class Hnswlib(InFile):
    def new(self):
        index = hnswlib.Index("ip", self.data.dims)
        index.set_num_threads(1)
        return index

    def fill(self):
        self.index = self.new()
        self.index.init_index(len(self.data), M=16, ef_construction=128, random_seed=1, allow_replace_deleted=False)
        self.index.set_num_threads(1)
        self.index.add_items(self.data.vectors, num_threads=1)

    def write(self, path):
        self.index.save_index(path)

    def read(self, path):
        self.index = self.new()
        self.index.load_index(path)
        self.index.set_num_threads(1)

    def near(self, queries, below, ef):
        self.index.set_ef(ef)
        if below is None:
            return self.index.knn_query(queries, self.data.k, num_threads=1)[0]
        allowed = self.data.below(below)
        most = min(self.data.k, int(allowed.sum()))
        return [self.fewer(query, most, lambda row: bool(allowed[row])) for query in queries]

    def fewer(self, query, most, allow):
        """It gives nothing at all if it finds fewer than were asked for."""
        for k in range(most, 0, -1):
            try:
                return self.index.knn_query(query, k, num_threads=1, filter=allow)[0][0]
            except RuntimeError:
                continue
        return []

    def counts(self):
        return self.index.get_current_count(), None

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
