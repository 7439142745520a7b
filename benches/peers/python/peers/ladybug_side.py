"""Ladybug, which goes on from Kuzu and has its interface.

Its vector index is an extension that it downloads when it is asked for. Where that fails all vectors are compared, and the table says so.
"""

import importlib

from kuzu_side import Kuzu, version
from side import Side

__all__ = ["make", "version"]


class Ladybug(Kuzu):
    # Known once it is connected.
    indexed = True

    @property
    def indexed_batches(self):
        return self.indexed

    def extend(self):
        try:
            self.connection.execute("LOAD vector")
        except RuntimeError:
            self.indexed = False

    def download(self):
        self.connect()
        try:
            self.connection.execute("INSTALL vector")
            self.indexed = True
        except RuntimeError:
            pass
        self.close()

    def index(self):
        if self.indexed:
            super().index()

    def load(self):
        # Before the clock begins.
        self.download()
        said = super().load()
        return said if self.indexed else {**said, "index_s": "could not be downloaded: all vectors are compared"}

    def replace(self, ids, vectors):
        if self.indexed:
            return super().replace(ids, vectors)
        rows = [{"id": row, "v": vector} for row, vector in zip(ids.tolist(), vectors.tolist())]
        statement = f"UNWIND $rows AS r MATCH (n:Node {{id: r.id}}) SET n.v = CAST(r.v AS FLOAT[{self.data.dims}])"
        return self.rows(statement, {"rows": rows})

    def one(self, query, below, ef):
        return super().one(query, below, ef) if self.indexed else self.compared(query, below)

    def search(self, ef, below):
        # Without an index nothing is made for all queries at once.
        return super().search(ef, below) if self.indexed else Side.search(self, ef, below)


def make(name, folder, data):
    return Ladybug(importlib.import_module(name), folder, data)
