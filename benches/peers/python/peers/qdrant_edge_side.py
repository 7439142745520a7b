"""qdrant-edge: HNSW on codes of 8 bits, ranked again by the vectors; filters by an indexed number in the payload."""

import os
from importlib.metadata import version as version_of

import qdrant_edge as edge
from data import parts, slices
from side import Clock, Side

ALL = 10**9


class Qdrant(Side):
    # Nothing is linked before `optimize`: it has no thread for that.
    indexed_batches = False

    def config(self):
        graph = edge.HnswIndexConfig(m=16, ef_construct=128, full_scan_threshold=10_000, max_indexing_threads=1, payload_m=16)
        codes = edge.ScalarQuantizationConfig(edge.ScalarType.Int8, quantile=0.9995, always_ram=True)
        return edge.EdgeConfig(
            vectors=edge.EdgeVectorParams(self.data.dims, edge.Distance.Cosine, on_disk=False),
            hnsw_config=graph,
            quantization_config=codes,
            optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, max_segment_size=ALL, indexing_threshold=1),
            max_search_threads=1,
            wal_enabled=True,
        )

    def create(self):
        os.makedirs(self.folder, exist_ok=True)
        self.shard = edge.EdgeShard.create(self.folder, self.config())
        self.shard.update(
            edge.UpdateOperation.create_field_index("bucket", edge.IntegerIndexParams(lookup=False, range=True))
        )

    def put(self, numbers, vectors):
        buckets = self.data.buckets
        points = [
            edge.Point(int(row), vector.tolist(), {"bucket": int(buckets[row])}) for row, vector in zip(numbers, vectors)
        ]
        self.shard.update(edge.UpdateOperation.upsert_points(points))

    def tend(self):
        while self.shard.optimize():
            pass

    def load(self):
        clock, data = Clock(), self.data
        self.create()
        for numbers in parts(len(data), 5000):
            self.put(numbers, data.vectors[numbers.start : numbers.stop])
        rows_s = clock.wall()
        self.tend()
        self.shard.flush()
        return {**clock.took(), "nodes_s": rows_s, "edges_s": None, "index_s": clock.wall() - rows_s}

    def connect(self):
        self.shard = edge.EdgeShard.load(self.folder)

    def counts(self):
        return self.shard.count(edge.CountRequest(exact=True)), None

    def one(self, query, below, ef):
        how = edge.SearchParams(
            hnsw_ef=ef, quantization=edge.QuantizationSearchParams(rescore=True, oversampling=max(1.0, min(ef, 40) / self.data.k))
        )
        few = None
        if below is not None:
            few = edge.Filter(must=[edge.FieldCondition("bucket", range=edge.RangeFloat(lt=below))])
        request = edge.QueryRequest(limit=self.data.k, query=edge.Query.Nearest(query), filter=few, params=how)
        return [point.id for point in self.shard.query(request)]

    def churn(self):
        data, clock = self.data, Clock()
        for (gone,) in slices(data.deleted):
            self.shard.update(edge.UpdateOperation.delete_points(gone.tolist()))
        for changed, vectors in slices(data.updated, data.update_vectors):
            self.put(changed, vectors)
        self.tend()
        self.shard.flush()
        return clock.took()

    def batches(self, rows, batch, acknowledge):
        self.create()
        data = self.data
        for numbers in parts(rows, batch):
            self.put(numbers, data.vectors[numbers.start : numbers.stop])
            self.shard.flush()
            acknowledge(numbers[-1] + 1)

    def close(self):
        self.shard.close()


def version(name):
    return version_of("qdrant-edge-py")


def make(name, folder, data):
    return Qdrant(folder, data)
