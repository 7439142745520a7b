"""HelixDB, embedded, in a folder: nodes, edges and a vector index, asked by its own builder of queries.

Its searches have no length of a list to be told.
"""

import os
from importlib.metadata import version as version_of

from data import parts
from helixdb import Client, Disk, SourcePredicate, g, read_batch, write_batch
from helixdb.dsl import IndexSpec, PropertyValue, VectorDistanceMetric
from side import Clock, Side

# More rows than so a search among some nodes does not give,
MOST = 800
# hence of so many sections at once: each has fewer than 32 children up to a million nodes.
SECTIONS = 25


class Helix(Side):
    def connect(self):
        os.makedirs(self.folder, exist_ok=True)
        self.client = Client.embedded(Disk(os.path.abspath(self.folder), "app"))

    def create(self):
        self.connect()
        near = IndexSpec.node_vector("Node", "v", self.data.dims, VectorDistanceMetric.COSINE)
        self.write([g().create_index_if_not_exists(near)])
        self.write([g().create_index_if_not_exists(IndexSpec.node_range("Node", "bucket"))])

    def write(self, steps):
        batch = write_batch()
        for place, step in enumerate(steps):
            batch = batch.var_as(f"s{place}", step)
        return self.client.query(batch.returning(["s0"]).to_query_request())

    def read(self, steps, name="found"):
        return self.client.query(read_batch().var_as(name, steps).returning([name]).to_query_request())[name]

    def node(self, row):
        data = self.data
        vector = PropertyValue.f32_array(data.vectors[row].tolist())
        return g().add_n("Node", {"bucket": int(data.buckets[row]), "v": vector})

    def load(self):
        clock, data = Clock(), self.data
        self.create()
        for numbers in parts(len(data)):
            self.write([self.node(row) for row in numbers])
        nodes_s = clock.wall()
        for numbers in parts(len(data.edges)):
            pairs = data.edges[numbers.start : numbers.stop].tolist()
            self.write([g().n(one).add_e("LINK", other) for one, other in pairs])
        for numbers in parts(len(data)):
            self.write([g().n(int(data.parents[row])).add_e("CHILD", row) for row in numbers if row])
        return {**clock.took(), "nodes_s": nodes_s, "edges_s": clock.wall() - nodes_s, "index_s": None}

    def open(self):
        clock = Clock()
        self.connect()
        self.one(self.data.queries[0].tolist(), None, 0)
        seconds = clock.wall()
        counted = self.read(g().n_with_label("Node").count())
        edges = self.read(g().e_with_label("CHILD").count())
        number = lambda said: said if isinstance(said, int) else said[0] if isinstance(said, list) else said["count"]  # noqa: E731
        return {"seconds": seconds, "nodes": number(counted), "edges": number(edges)}

    def one(self, query, below, ef):
        if below is None:
            steps = g().vector_search_nodes("Node", "v", query, self.data.k)
        else:
            few = SourcePredicate.lt("bucket", below)
            steps = g().n_with_label_where("Node", few).vector_search("Node", "v", query, self.data.k)
        return [row["$id"] for row in self.read(steps.value_map(["$id"]))]

    def search(self, ef, below):
        return self.searched(self.one, below, ef)

    def hops(self):
        queries = [self.data.queries[way["query"]].tolist() for way in self.data.descents]
        reached, clock = [], Clock()
        for query in queries:
            steps = g().vector_search_nodes("Node", "v", query, self.data.k).out("LINK").out("LINK").dedup()
            reached.append([row["$id"] for row in self.read(steps.value_map(["$id"]))])
        took = clock.took()
        return {**took, "hits": [self.one(query, None, 0) for query in queries], "reached": reached}

    def descend(self):
        levels, clock = [], Clock()
        for way in self.data.descents:
            query, ids, counts = self.data.queries[way["query"]].tolist(), [0], []
            for _ in range(self.data.levels - 1):
                kept = []
                for numbers in parts(len(ids), SECTIONS):
                    # All children, ranked: a search among what a walk has found is exact. Its distance is half of 1 - cosine.
                    above = g().n(ids[numbers.start : numbers.stop])
                    below = above.out("CHILD").vector_search("Node", "v", query, MOST)
                    rows = self.read(below.value_map(["$id", "$distance"]))
                    kept += [row["$id"] for row in rows if 1.0 - 2.0 * row["$distance"] > way["tau"]]
                ids = kept
                counts.append(len(ids))
            levels.append(counts)
        return {**clock.took(), "levels": levels}

    def churn(self):
        data, clock = self.data, Clock()
        for numbers in parts(len(data.deleted)):
            self.write([g().n(data.deleted[numbers.start : numbers.stop].tolist()).drop()])
        for numbers in parts(len(data.updated)):
            here = slice(numbers.start, numbers.stop)
            changed = zip(data.updated[here].tolist(), data.update_vectors[here])
            self.write([g().n(row).set_property("v", PropertyValue.f32_array(v.tolist())) for row, v in changed])
        return clock.took()

    def batches(self, rows, batch, acknowledge):
        self.create()
        for numbers in parts(rows, batch):
            self.write([self.node(row) for row in numbers])
            self.write([g().n(int(self.data.parents[row])).add_e("CHILD", row) for row in numbers if row])
            acknowledge(numbers[-1] + 1)

    def close(self):
        self.client.close()


def version(name):
    return version_of("helix-db-embedded")


def make(name, folder, data):
    return Helix(folder, data)
