"""HelixDB, embedded, in a folder: nodes, edges and a vector index, asked by its own builder of queries.

Its searches have no length of a list to be told; where there is a filter it is how many rows are found before it.
"""

import os
from importlib.metadata import version as version_of

from data import parts, slices
from helixdb import Client, Disk, Predicate, SourcePredicate, define_params, g, param, read_batch, write_batch
from helixdb.dsl import IndexSpec, NodeRef, PropertyValue, VectorDistanceMetric
from side import Clock, Side

# More rows than so a search among some nodes does not give,
MOST = 800
# hence of so many sections at once: each has fewer than 32 children up to a million nodes.
SECTIONS = 25


class Helix(Side):
    synced = False

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
        self.client.query(batch.returning(["s0"]).to_query_request())

    def read(self, steps, name="found"):
        return self.client.query(read_batch().var_as(name, steps).returning([name]).to_query_request())[name]

    def node(self, row):
        # A statement each: as a parameter a vector would be stored with numbers of 64 bits.
        vector = PropertyValue.f32_array(self.data.vectors[row].tolist())
        return g().add_n("Node", {"bucket": int(self.data.buckets[row]), "v": vector})

    def relate(self, label, pairs):
        """One statement for all pairs: a thousand of their own its planner refuses at times."""
        given = define_params({"pairs": param.array(param.object(param.value()))})
        each = write_batch().var_as("done", g().n(NodeRef.param("one")).add_e(label, NodeRef.param("other")))
        batch = write_batch().for_each_param("pairs", each).returning([])
        rows = [{"one": one, "other": other} for one, other in pairs]
        self.client.query(batch.to_query_request(given, {"pairs": rows}))

    def load(self):
        clock, data = Clock(), self.data
        self.create()
        for numbers in parts(len(data)):
            self.write([self.node(row) for row in numbers])
        nodes_s = clock.wall()
        for (pairs,) in slices(data.edges):
            self.relate("LINK", pairs.tolist())
        for numbers in parts(len(data)):
            self.relate("CHILD", data.child_pairs(numbers))
        return {**clock.took(), "nodes_s": nodes_s, "edges_s": clock.wall() - nodes_s, "index_s": None}

    def counts(self):
        number = lambda said: said if isinstance(said, int) else said[0] if isinstance(said, list) else said["count"]  # noqa: E731
        return [number(self.read(steps.count())) for steps in (g().n_with_label("Node"), g().e_with_label("CHILD"))]

    def one(self, query, below, ef):
        if self.narrow(below):
            return self.compared(query, below)
        if below is None:
            steps = g().vector_search_nodes("Node", "v", query, self.data.k)
        else:
            # As many as the list is long, and of these the ones that the filter allows.
            near = g().vector_search_nodes("Node", "v", query, ef)
            steps = near.where(Predicate.lt("bucket", below)).limit(self.data.k)
        return [row["$id"] for row in self.read(steps.value_map(["$id"]))]

    def compared(self, query, below):
        few = g().n_with_label_where("Node", SourcePredicate.lt("bucket", below))
        steps = few.vector_search("Node", "v", query, self.data.k)
        return [row["$id"] for row in self.read(steps.value_map(["$id"]))]

    def reach(self, query):
        steps = g().vector_search_nodes("Node", "v", query, self.data.k).out("LINK").out("LINK").dedup()
        return [row["$id"] for row in self.read(steps.value_map(["$id"]))]

    def children(self, ids, query, tau):
        kept = []
        for (above,) in slices(ids, size=SECTIONS):
            # All children, ranked: a search among what a walk has found is exact. Its distance is half of 1 - cosine.
            below = g().n(above).out("CHILD").vector_search("Node", "v", query, MOST)
            rows = self.read(below.value_map(["$id", "$distance"]))
            kept += [row["$id"] for row in rows if 1.0 - 2.0 * row["$distance"] > tau]
        return kept

    def churn(self):
        data, clock = self.data, Clock()
        for (gone,) in slices(data.deleted):
            self.write([g().n(gone.tolist()).drop()])
        for changed, vectors in slices(data.updated, data.update_vectors):
            rows = zip(changed.tolist(), vectors.tolist())
            self.write([g().n(row).set_property("v", PropertyValue.f32_array(v)) for row, v in rows])
        return clock.took()

    def batches(self, rows, batch, acknowledge):
        self.create()
        for numbers in parts(rows, batch):
            self.write([self.node(row) for row in numbers])
            self.relate("CHILD", self.data.child_pairs(numbers))
            acknowledge(numbers[-1] + 1)

    def close(self):
        self.client.close()


def version(name):
    return version_of("helix-db-embedded")


def make(name, folder, data):
    return Helix(folder, data)
