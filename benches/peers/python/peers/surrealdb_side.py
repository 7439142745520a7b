"""SurrealDB, embedded, over its own key-value store: records with a vector index, and relations."""

import os
from importlib.metadata import version as version_of

from data import parts, slices
from side import LIST, Clock, Side
from surrealdb import RecordID, Surreal

NEAR = "HNSW DIMENSION {} DIST COSINE TYPE F32 EFC 128 M 16"


class Surrealdb(Side):
    root = RecordID("node", 0)

    def connect(self):
        os.makedirs(self.folder, exist_ok=True)
        # Committed means synced: without this it says so before.
        os.environ.setdefault("SURREAL_SYNC_DATA", "true")
        self.db = Surreal(f"surrealkv://{os.path.abspath(self.folder)}/db")
        self.db.use("bench", "bench")

    def index(self):
        self.db.query("DEFINE INDEX few ON node FIELDS bucket")
        self.db.query(f"DEFINE INDEX near ON node FIELDS v {NEAR.format(self.data.dims)}")

    def create(self, numbers, vectors):
        buckets = self.data.buckets
        rows = [
            {"id": RecordID("node", int(row)), "bucket": int(buckets[row]), "v": vector.tolist()}
            for row, vector in zip(numbers, vectors)
        ]
        self.db.query("INSERT INTO node $rows RETURN NONE", {"rows": rows})

    def relate(self, table, pairs):
        rows = [{"in": RecordID("node", int(one)), "out": RecordID("node", int(other))} for one, other in pairs]
        self.db.query(f"INSERT RELATION INTO {table} $rows RETURN NONE", {"rows": rows})

    def load(self):
        clock, data = Clock(), self.data
        self.connect()
        for numbers in parts(len(data), 5000):
            self.create(numbers, data.vectors[numbers.start : numbers.stop])
        nodes_s = clock.wall()
        for (pairs,) in slices(data.edges, size=10_000):
            self.relate("link", pairs)
        for numbers in parts(len(data), 10_000):
            self.relate("child", data.child_pairs(numbers))
        graph = clock.wall()
        self.index()
        return {**clock.took(), "nodes_s": nodes_s, "edges_s": graph - nodes_s, "index_s": clock.wall() - graph}

    def counts(self):
        counted = [self.db.query(f"SELECT count() FROM {table} GROUP ALL") for table in ("node", "child")]
        return [rows[0]["count"] if rows else 0 for rows in counted]

    def one(self, query, below, ef):
        if self.narrow(below):
            return self.compared(query, below)
        # Told which index to take: its own choice, that of the number, finds nothing at all for a search of vectors.
        few = "" if below is None else f"bucket < {below} AND "
        near = f"SELECT VALUE id FROM node WITH INDEX near WHERE {few}v <|{self.data.k},{ef}|> $q"
        return [row.id for row in self.db.query(near, {"q": query})]

    def compared(self, query, below):
        statement = (
            f"SELECT id, vector::similarity::cosine(v, $q) AS score FROM node WHERE bucket < {below}"
            f" ORDER BY score DESC LIMIT {self.data.k}"
        )
        return [row["id"].id for row in self.db.query(statement, {"q": query})]

    def reach(self, query):
        # A step at a time, and by the relations' own ends: three times as fast as `->link->node->link->node`.
        step = "RETURN array::distinct(array::flatten((SELECT VALUE ->link.out FROM $from)))"
        near = [RecordID("node", row) for row in self.one(query, None, LIST)]
        first = self.db.query(step, {"from": near})
        return [row.id for row in self.db.query(step, {"from": first})]

    def children(self, ids, query, tau):
        statement = (
            "SELECT VALUE id FROM array::flatten((SELECT VALUE ->child->node FROM $ids))"
            " WHERE vector::similarity::cosine(v, $q) > $tau"
        )
        return self.db.query(statement, {"q": query, "tau": tau, "ids": ids})

    def churn(self):
        data, clock = self.data, Clock()
        for (gone,) in slices(data.deleted):
            gone = [RecordID("node", row) for row in gone.tolist()]
            self.db.query("DELETE $gone RETURN NONE", {"gone": gone})
        for changed, vectors in slices(data.updated, data.update_vectors):
            rows = [{"id": RecordID("node", row), "v": v.tolist()} for row, v in zip(changed.tolist(), vectors)]
            self.db.query("FOR $r IN $rows { UPDATE $r.id SET v = $r.v RETURN NONE }", {"rows": rows})
        return clock.took()

    def batches(self, rows, batch, acknowledge):
        self.connect()
        self.index()
        for numbers in parts(rows, batch):
            self.create(numbers, self.data.vectors[numbers.start : numbers.stop])
            self.relate("child", self.data.child_pairs(numbers))
            acknowledge(numbers[-1] + 1)

    def close(self):
        self.db.close()


def version(name):
    return f"{version_of('surrealdb')} with surrealdb-embedded {version_of('surrealdb-embedded')}"


def make(name, folder, data):
    return Surrealdb(folder, data)
