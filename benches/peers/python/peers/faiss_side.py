"""faiss: HNSW in memory, written to a file as a whole. A filter is a bitmap that the program makes itself."""

import os

import faiss
import numpy as np
from side import Cannot, Clock, Side


class Faiss(Side):
    def load(self):
        faiss.omp_set_num_threads(1)
        clock = Clock()
        self.index = faiss.IndexHNSWFlat(self.data.dims, 16, faiss.METRIC_INNER_PRODUCT)
        self.index.hnsw.efConstruction = 128
        self.index.add(np.ascontiguousarray(self.data.vectors))
        indexed = clock.wall()
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, "index")
        faiss.write_index(self.index, path)
        with open(path) as file:
            os.fsync(file.fileno())
        return {**clock.took(), "edges_s": None, "index_s": indexed}

    def open(self):
        faiss.omp_set_num_threads(1)
        clock = Clock()
        self.index = faiss.read_index(os.path.join(self.folder, "index"))
        self.index.search(np.array(self.data.queries[:1]), self.data.k)
        return {"seconds": clock.wall(), "nodes": self.index.ntotal, "edges": None}

    def search(self, ef, below):
        queries = np.array(self.data.queries)
        clock = Clock()
        selector = None
        if below is not None:
            bits = np.packbits(self.data.below(below), bitorder="little")
            selector = faiss.IDSelectorBitmap(bits)
        how = faiss.SearchParametersHNSW(efSearch=ef, sel=selector)
        found = self.index.search(queries, self.data.k, params=how)[1]
        took = clock.took()
        return {**took, "ids": [[row for row in rows if row >= 0] for rows in found.tolist()]}

    def churn(self):
        raise Cannot("its HNSW index deletes nothing")


def version(name):
    return faiss.__version__


def make(name, folder, data):
    return Faiss(folder, data)
