"""LanceDB: a table in columns, with HNSW over codes of 8 bits, ranked again by the vectors themselves."""

import os

import lancedb
import numpy as np
import pyarrow as pa
from data import parts, slices
from side import Clock, Side

# Four times as many rows as are asked for are ranked by the vectors themselves.
RANKED_AGAIN = 4


class Lance(Side):
    synced = False
    # An index is made of what is there: what is added to a table is in none before `optimize`.
    indexed_batches = False

    def rows(self, numbers, vectors):
        flat = pa.array(np.ascontiguousarray(vectors).reshape(-1))
        numbers = np.asarray(numbers, dtype=np.int64)
        return pa.table({
            "id": numbers,
            "bucket": self.data.buckets[numbers].astype(np.int64),
            "v": pa.FixedSizeListArray.from_arrays(flat, self.data.dims),
        })

    def index(self):
        self.table.create_index(
            metric="cosine", vector_column_name="v", index_type="IVF_HNSW_SQ", num_partitions=1, m=16, ef_construction=128
        )
        self.table.create_scalar_index("bucket")
        self.table.create_scalar_index("id")

    def load(self):
        clock, data = Clock(), self.data
        numbers = np.arange(len(data))
        self.table = lancedb.connect(self.folder).create_table("nodes", self.rows(numbers, data.vectors))
        rows_s = clock.wall()
        self.index()
        return {**clock.took(), "nodes_s": rows_s, "edges_s": None, "index_s": clock.wall() - rows_s}

    def connect(self):
        self.table = lancedb.connect(self.folder).open_table("nodes")

    def counts(self):
        return self.table.count_rows(), None

    def one(self, query, below, ef):
        search = self.table.search(query, vector_column_name="v").distance_type("cosine").limit(self.data.k)
        # It takes no list shorter than what is ranked again.
        search = search.ef(max(ef, RANKED_AGAIN * self.data.k)).refine_factor(RANKED_AGAIN).select(["id", "_distance"])
        if below is not None:
            search = search.where(f"bucket < {below}", prefilter=True)
        return search.to_arrow()["id"].to_pylist()

    def churn(self):
        data, clock = self.data, Clock()
        for (gone,) in slices(data.deleted):
            self.table.delete(f"id IN ({', '.join(map(str, gone.tolist()))})")
        for changed, vectors in slices(data.updated, data.update_vectors):
            self.table.merge_insert("id").when_matched_update_all().execute(self.rows(changed, vectors))
        # What has changed is searched without the index until this is called.
        self.table.optimize()
        return clock.took()

    def batches(self, rows, batch, acknowledge):
        os.makedirs(self.folder, exist_ok=True)
        db = lancedb.connect(self.folder)
        data = self.data
        for numbers in parts(rows, batch):
            part = self.rows(numbers, data.vectors[numbers.start : numbers.stop])
            if numbers.start == 0:
                self.table = db.create_table("nodes", part)
            else:
                self.table.add(part)
            acknowledge(numbers[-1] + 1)


def version(name):
    return lancedb.__version__


def make(name, folder, data):
    return Lance(folder, data)
