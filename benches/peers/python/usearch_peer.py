"""usearch: on `f32`, and on codes of 8 bits with the best forty ranked again by their `f32` rows.

Its Python face has no filters.
"""

import numpy as np
from codes import Codes
from rank import RANKED_AGAIN, nearest
from usearch.index import Index


class Usearch:
    def __init__(self, vectors, coded):
        self.base, self.dims, self.coded = vectors.base, vectors.dims, coded

    def encode(self, rows):
        return self.codes.of(rows).astype(np.int8) if self.coded else rows

    def build(self, threads):
        if self.coded:
            self.codes = Codes(self.base)
            # Its own rows to rank again by, as ours has them: they count as memory.
            self.rows = self.base.copy()
        kind = "i8" if self.coded else "f32"
        self.index = Index(ndim=self.dims, metric="ip", dtype=kind, connectivity=16, expansion_add=128)
        self.index.add(np.arange(len(self.base), dtype=np.uint64), self.encode(self.base), threads=threads)

    def search(self, queries, k, ef):
        self.index.expansion_search = ef
        ranked = min(ef, RANKED_AGAIN) if self.coded else k
        found = self.index.search(self.encode(queries), max(k, ranked), threads=1).keys.astype(np.int64)
        return nearest(queries, self.rows, found, k) if self.coded else found


def make(name, vectors):
    return Usearch(vectors, coded=name == "usearch-i8")
