"""faiss: HNSW on `f32`; HNSW on codes of 8 bits, and fast-scan product quantisation in inverted lists, both ranked
again by `f32` rows."""

import faiss
import numpy as np
from codes import Codes
from rank import RANKED_AGAIN, nearest

IP = faiss.METRIC_INNER_PRODUCT


class Graph:
    def __init__(self, vectors, coded):
        self.base, self.dims, self.coded = vectors.base, vectors.dims, coded
        self.selector = None

    def encode(self, rows):
        return self.codes.of(rows) if self.coded else rows

    def build(self, threads):
        faiss.omp_set_num_threads(threads)
        if self.coded:
            self.codes = Codes(self.base)
            self.rows = self.base.copy()
            # Given whole numbers it need not decode: 1.7 times as fast as QT_8bit, at the same recall.
            self.index = faiss.IndexHNSWSQ(self.dims, faiss.ScalarQuantizer.QT_8bit_direct_signed, 16, IP)
        else:
            self.index = faiss.IndexHNSWFlat(self.dims, 16, IP)
        self.index.hnsw.efConstruction = 128
        coded = self.encode(self.base)
        self.index.train(coded)
        self.index.add(coded)
        faiss.omp_set_num_threads(1)

    def search(self, queries, k, ef):
        how = faiss.SearchParametersHNSW(efSearch=ef, sel=self.selector)
        ranked = max(k, min(ef, RANKED_AGAIN)) if self.coded else k
        found = self.index.search(self.encode(queries), ranked, params=how)[1]
        return nearest(queries, self.rows, found, k) if self.coded else found

    def allow(self, case, group, bits):
        self.bits = np.ascontiguousarray(bits)
        self.selector = faiss.IDSelectorBitmap(self.bits)

    def search_allowed(self, queries, k, ef):
        return self.search(queries, k, ef)

    def allow_all(self):
        self.selector = None


class Lists:
    """`ef` is how many lists are looked through. It has no filter with fast scan."""

    def __init__(self, vectors):
        self.base, self.dims = vectors.base, vectors.dims

    def build(self, threads):
        faiss.omp_set_num_threads(threads)
        lists = int(4 * len(self.base) ** 0.5)
        self.index = faiss.index_factory(self.dims, f"IVF{lists},PQ{self.dims // 2}x4fs,RFlat", IP)
        faiss.extract_index_ivf(self.index).cp.seed = 1
        self.index.train(self.base)
        self.index.add(self.base)
        faiss.omp_set_num_threads(1)

    def search(self, queries, k, ef):
        how = faiss.SearchParametersIVF(nprobe=ef)
        # Codes of half a byte say little: a hundred are ranked again, with forty recall ends lower.
        how = faiss.IndexRefineSearchParameters(k_factor=10, base_index_params=how)
        return self.index.search(queries, k, params=how)[1]


def make(name, vectors):
    return Lists(vectors) if name == "faiss-ivfpq" else Graph(vectors, coded=name == "faiss-sq8")
