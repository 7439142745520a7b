"""faiss: HNSW in memory, written to a file as a whole. A filter is made by the program itself: a bitmap for the graph; where
few are allowed their numbers, and the vectors under the graph are compared, since a walk through it passes few of them."""

import faiss
import numpy as np
from side import Cannot, InFile


class Faiss(InFile):
    def fill(self):
        faiss.omp_set_num_threads(1)
        self.index = faiss.IndexHNSWFlat(self.data.dims, 16, faiss.METRIC_INNER_PRODUCT)
        self.index.hnsw.efConstruction = 128
        self.index.add(np.ascontiguousarray(self.data.vectors))

    def write(self, path):
        faiss.write_index(self.index, path)

    def read(self, path):
        faiss.omp_set_num_threads(1)
        self.index = faiss.read_index(path)

    def near(self, queries, below, ef):
        selector = None
        if self.narrow(below):
            rows = faiss.IDSelectorArray(np.flatnonzero(self.data.below(below)))
            return self.index.storage.search(queries, self.data.k, params=faiss.SearchParameters(sel=rows))[1]
        if below is not None:
            bits = np.packbits(self.data.below(below), bitorder="little")
            selector = faiss.IDSelectorBitmap(bits)
        how = faiss.SearchParametersHNSW(efSearch=ef, sel=selector)
        return self.index.search(queries, self.data.k, params=how)[1]

    def counts(self):
        return self.index.ntotal, None

    def churn(self):
        raise Cannot("its HNSW index deletes nothing")


def version(name):
    return faiss.__version__


def make(name, folder, data):
    return Faiss(folder, data)
