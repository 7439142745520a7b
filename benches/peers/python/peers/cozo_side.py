"""CozoDB, embedded, over RocksDB: relations with a vector index, asked in Datalog."""

import os
from importlib.metadata import version as version_of

from cozo_embedded import CozoDbPy
from data import parts, slices
from side import LIST, Clock, Side


class Cozo(Side):
    synced = False

    def connect(self):
        os.makedirs(self.folder, exist_ok=True)
        self.db = CozoDbPy("rocksdb", os.path.join(self.folder, "db"), "{}")

    def run(self, script, **values):
        return self.db.run_script(script, values, False)["rows"]

    def create(self):
        self.connect()
        self.run(f":create node {{id: Int => bucket: Int, v: <F32; {self.data.dims}>}}")
        self.run(":create link {one: Int, other: Int}")
        self.run(":create child {one: Int, other: Int}")

    def index(self):
        how = "m: 16, ef_construction: 128, dtype: F32, distance: Cosine, fields: [v]"
        self.run("::index create node:by_bucket {bucket}")
        self.run(f"::hnsw create node:near {{dim: {self.data.dims}, {how}}}")

    def put(self, numbers, vectors):
        buckets = self.data.buckets
        rows = [[int(row), int(buckets[row]), vector.tolist()] for row, vector in zip(numbers, vectors)]
        self.run("?[id, bucket, v] <- $rows :put node {id => bucket, v}", rows=rows)

    def relate(self, table, pairs):
        self.run(f"?[one, other] <- $pairs :put {table} {{one, other}}", pairs=pairs)

    def load(self):
        clock, data = Clock(), self.data
        self.create()
        for numbers in parts(len(data), 5000):
            self.put(numbers, data.vectors[numbers.start : numbers.stop])
        nodes_s = clock.wall()
        for (pairs,) in slices(data.edges, size=10_000):
            self.relate("link", pairs.tolist())
        for numbers in parts(len(data), 10_000):
            self.relate("child", data.child_pairs(numbers))
        graph = clock.wall()
        self.index()
        return {**clock.took(), "nodes_s": nodes_s, "edges_s": graph - nodes_s, "index_s": clock.wall() - graph}

    def near(self, names, ef, few=""):
        return f"~node:near{{{names} | query: q, k: {self.data.k}, ef: {ef}{few}}}, q = vec($q)"

    def one(self, query, below, ef):
        if self.narrow(below):
            return self.compared(query, below)
        # Its filter chooses among the list: it has to be longer the fewer there are.
        names, few = ("id", "") if below is None else ("id, bucket", f", filter: bucket < {below}")
        return [row[0] for row in self.run(f"?[id] := {self.near(names, ef, few)}", q=query)]

    def compared(self, query, below):
        script = (
            f"?[id, away] := *node:by_bucket{{bucket, id}}, bucket < {below}, *node{{id, v}}, q = vec($q), away = cos_dist(v, q)"
            f" :order away :limit {self.data.k}"
        )
        return [row[0] for row in self.run(script, q=query)]

    def reach(self, query):
        steps = f"hit[id] := {self.near('id', LIST)} ?[m] := hit[h], *link{{one: h, other: a}}, *link{{one: a, other: m}}"
        return [row[0] for row in self.run(steps, q=query)]

    def children(self, ids, query, tau):
        script = (
            "above[id] <- $ids"
            " ?[id] := above[p], *child{one: p, other: id}, *node{id, v}, q = vec($q), 1 - cos_dist(v, q) > $tau"
        )
        return [row[0] for row in self.run(script, ids=[[row] for row in ids], q=query, tau=tau)]

    def counts(self):
        return [self.run(f"?[count({name})] := *{table}{{{name}}}")[0][0] for table, name in (("node", "id"), ("child", "other"))]

    def churn(self):
        data, clock = self.data, Clock()
        for (gone,) in slices(data.deleted):
            self.run("?[id] <- $ids :rm node {id}", ids=[[row] for row in gone.tolist()])
        for changed, vectors in slices(data.updated, data.update_vectors):
            self.put(changed, vectors)
        return clock.took()

    def batches(self, rows, batch, acknowledge):
        self.create()
        self.index()
        for numbers in parts(rows, batch):
            self.put(numbers, self.data.vectors[numbers.start : numbers.stop])
            self.relate("child", self.data.child_pairs(numbers))
            acknowledge(numbers[-1] + 1)

    def close(self):
        self.db.close()


def version(name):
    return version_of("cozo-embedded")


def make(name, folder, data):
    return Cozo(folder, data)
