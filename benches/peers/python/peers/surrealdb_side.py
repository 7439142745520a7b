"""SurrealDB, embedded, over its own key-value store: records with a vector index, and relations."""

import os
from importlib.metadata import version as version_of

from data import parts
from side import Clock, Side
from surrealdb import RecordID, Surreal

NEAR = "HNSW DIMENSION {} DIST COSINE TYPE F32 EFC 128 M 16"


class Surrealdb(Side):
    def connect(self):
        os.makedirs(self.folder, exist_ok=True)
        # Committed means synced: without this it says so before.
        os.environ.setdefault("SURREAL_SYNC_DATA", "true")
        self.db = Surreal(f"surrealkv://{os.path.abspath(self.folder)}/db")
        self.db.use("bench", "bench")

    def index(self):
        # None on the number: with it a search that is filtered by the number finds nothing at all.
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
        for numbers in parts(len(data.edges), 10_000):
            self.relate("link", data.edges[numbers.start : numbers.stop])
        for numbers in parts(len(data), 10_000):
            self.relate("child", [(data.parents[row], row) for row in numbers if row])
        graph = clock.wall()
        self.index()
        return {**clock.took(), "nodes_s": nodes_s, "edges_s": graph - nodes_s, "index_s": clock.wall() - graph}

    def open(self):
        clock = Clock()
        self.connect()
        self.one(self.data.queries[0].tolist(), None, 64)
        seconds = clock.wall()
        counted = lambda table: self.db.query(f"SELECT count() FROM {table} GROUP ALL")  # noqa: E731
        nodes, edges = counted("node"), counted("child")
        number = lambda rows: rows[0]["count"] if rows else 0  # noqa: E731
        return {"seconds": seconds, "nodes": number(nodes), "edges": number(edges)}

    def one(self, query, below, ef):
        few = "" if below is None else f"bucket < {below} AND "
        rows = self.db.query(f"SELECT VALUE id FROM node WHERE {few}v <|{self.data.k},{ef}|> $q", {"q": query})
        return [row.id for row in rows]

    def search(self, ef, below):
        return self.searched(self.one, below, ef)

    def hops(self):
        statement = (
            f"RETURN array::distinct(array::flatten((SELECT VALUE ->link->node->link->node FROM"
            f" (SELECT VALUE id FROM node WHERE v <|{self.data.k},64|> $q))))"
        )
        queries = [self.data.queries[way["query"]].tolist() for way in self.data.descents]
        reached, clock = [], Clock()
        for query in queries:
            reached.append([row.id for row in self.db.query(statement, {"q": query})])
        took = clock.took()
        return {**took, "hits": [self.one(query, None, 64) for query in queries], "reached": reached}

    def descend(self):
        statement = (
            "SELECT VALUE id FROM array::flatten((SELECT VALUE ->child->node FROM $ids))"
            " WHERE vector::similarity::cosine(v, $q) > $tau"
        )
        levels, clock = [], Clock()
        for way in self.data.descents:
            ids, counts = [RecordID("node", 0)], []
            values = {"q": self.data.queries[way["query"]].tolist(), "tau": way["tau"]}
            for _ in range(self.data.levels - 1):
                ids = self.db.query(statement, {**values, "ids": ids}) if ids else []
                counts.append(len(ids))
            levels.append(counts)
        return {**clock.took(), "levels": levels}

    def churn(self):
        data, clock = self.data, Clock()
        for numbers in parts(len(data.deleted)):
            gone = [RecordID("node", int(row)) for row in data.deleted[numbers.start : numbers.stop]]
            self.db.query("DELETE $gone RETURN NONE", {"gone": gone})
        for numbers in parts(len(data.updated)):
            here = slice(numbers.start, numbers.stop)
            rows = [
                {"id": RecordID("node", int(row)), "v": vector.tolist()}
                for row, vector in zip(data.updated[here], data.update_vectors[here])
            ]
            self.db.query("FOR $r IN $rows { UPDATE $r.id SET v = $r.v RETURN NONE }", {"rows": rows})
        return clock.took()

    def batches(self, rows, batch, acknowledge):
        self.connect()
        self.index()
        for numbers in parts(rows, batch):
            self.create(numbers, self.data.vectors[numbers.start : numbers.stop])
            self.relate("child", [(self.data.parents[row], row) for row in numbers if row])
            acknowledge(numbers[-1] + 1)

    def close(self):
        self.db.close()


def version(name):
    return f"{version_of('surrealdb')} with surrealdb-embedded {version_of('surrealdb-embedded')}"


def make(name, folder, data):
    return Surrealdb(folder, data)
