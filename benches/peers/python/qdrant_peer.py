"""qdrant-edge: HNSW on codes of 8 bits, ranked again by `f32` rows; filters by an indexed number in the payload,
which its graph knows while it is built. It plans itself when to leave the graph and look at all allowed rows.
"""

import shutil
import tempfile

import numpy as np
import qdrant_edge as edge
from rank import RANKED_AGAIN

ALL = 10**9


class Qdrant:
    def __init__(self, vectors):
        self.vectors = vectors
        self.folder = tempfile.mkdtemp(prefix="qdrant-", dir=vectors.folder)
        self.filter = None

    def build(self, threads):
        graph = edge.HnswIndexConfig(
            m=16, ef_construct=128, full_scan_threshold=10_000, max_indexing_threads=threads, payload_m=16
        )
        codes = edge.ScalarQuantizationConfig(edge.ScalarType.Int8, quantile=0.9995, always_ram=True)
        config = edge.EdgeConfig(
            vectors=edge.EdgeVectorParams(self.vectors.dims, edge.Distance.Dot, on_disk=False),
            hnsw_config=graph,
            quantization_config=codes,
            # One segment, as the others have one graph.
            optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, max_segment_size=ALL, indexing_threshold=1),
            max_search_threads=1,
            wal_enabled=False,
        )
        self.shard = edge.EdgeShard.create(self.folder, config)
        numbers = self.payloads()
        if self.vectors.cases:
            self.shard.update(
                edge.UpdateOperation.create_field_index("sets", edge.IntegerIndexParams(lookup=True, range=False))
            )
        base = self.vectors.base
        for start in range(0, len(base), 5000):
            rows = range(start, min(start + 5000, len(base)))
            points = [edge.Point(row, base[row].tolist(), {"sets": numbers[row]} if numbers else None) for row in rows]
            self.shard.update(edge.UpdateOperation.upsert_points(points))
        while self.shard.optimize():
            pass

    def payloads(self):
        """Which sets each row is in, by number."""
        if not self.vectors.cases:
            return None
        numbers = [[] for _ in self.vectors.base]
        self.first, number = {}, 0
        for case in self.vectors.cases:
            self.first[case.name] = number
            for _, bits in case.groups:
                for row in case.allowed(bits):
                    numbers[row].append(number)
                number += 1
        return numbers

    def search(self, queries, k, ef):
        ranked = max(1.0, min(ef, RANKED_AGAIN) / k)
        how = edge.SearchParams(
            hnsw_ef=ef, quantization=edge.QuantizationSearchParams(rescore=True, oversampling=ranked)
        )
        requests = [
            edge.QueryRequest(limit=k, query=edge.Query.Nearest(query), filter=self.filter, params=how)
            for query in queries.tolist()
        ]
        found = np.full((len(queries), k), -1, np.int64)
        for number, points in enumerate(self.shard.query_batch(edge.QueryBatchRequest(requests))):
            found[number, : len(points)] = [point.id for point in points]
        return found

    def allow(self, case, group, bits):
        match = edge.MatchValue(self.first[case.name] + group)
        self.filter = edge.Filter(must=[edge.FieldCondition("sets", match=match)])

    def search_allowed(self, queries, k, ef):
        return self.search(queries, k, ef)

    def allow_all(self):
        self.filter = None

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def make(name, vectors):
    return Qdrant(vectors)
