"""Kuzu: a graph with a vector index, asked in Cypher. `ladybug_side.py` goes on from it."""

import importlib
import os

import numpy as np
import pyarrow as pa
from data import parts, slices
from side import LIST, Clock, Side


class Kuzu(Side):
    def __init__(self, library, folder, data):
        super().__init__(folder, data)
        self.library = library

    def connect(self):
        os.makedirs(self.folder, exist_ok=True)
        self.db = self.library.Database(os.path.join(self.folder, "db"))
        self.connection = self.library.Connection(self.db, num_threads=1)
        self.extend()

    def extend(self):
        try:
            self.connection.execute("LOAD vector")
        except RuntimeError:
            self.connection.execute("INSTALL vector")
            self.connection.execute("LOAD vector")

    def tables(self):
        run = self.connection.execute
        run(f"CREATE NODE TABLE Node(id INT64, bucket INT64, v FLOAT[{self.data.dims}], PRIMARY KEY(id))")
        run("CREATE REL TABLE LINK(FROM Node TO Node)")
        run("CREATE REL TABLE CHILD(FROM Node TO Node)")

    def index(self):
        self.connection.execute("CALL CREATE_VECTOR_INDEX('Node', 'near', 'v', metric := 'cosine', mu := 16, ml := 32, efc := 128)")

    def load(self):
        clock, data = Clock(), self.data
        self.connect()
        self.tables()
        numbers = np.arange(len(data), dtype=np.int64)
        flat = pa.array(np.asarray(data.vectors).reshape(-1))
        nodes = pa.table({
            "id": numbers,
            "bucket": data.buckets.astype(np.int64),
            "v": pa.FixedSizeListArray.from_arrays(flat, data.dims),
        })
        self.copy("Node", nodes)
        nodes_s = clock.wall()
        links = data.edges.astype(np.int64)
        self.copy("LINK", pa.table({"from": links[:, 0], "to": links[:, 1]}))
        self.copy("CHILD", pa.table({"from": data.parents[1:].astype(np.int64), "to": numbers[1:]}))
        graph = clock.wall()
        self.index()
        return {**clock.took(), "nodes_s": nodes_s, "edges_s": graph - nodes_s, "index_s": clock.wall() - graph}

    def copy(self, table, rows):
        self.connection.execute(f"COPY {table} FROM $rows", {"rows": rows})

    def counts(self):
        nodes = self.rows("MATCH (n:Node) RETURN count(*)")[0][0]
        edges = self.rows("MATCH (:Node)-[c:CHILD]->(:Node) RETURN count(*)")[0][0]
        return nodes, edges

    def rows(self, statement, values=None):
        return self.connection.execute(statement, values or {}).get_all()

    def one(self, query, below, ef):
        if self.narrow(below):
            return self.compared(query, below)
        where = "Node" if below is None else "few"
        statement = f"CALL QUERY_VECTOR_INDEX('{where}', 'near', $q, {self.data.k}, efs := {ef}) RETURN node.id"
        return [row[0] for row in self.rows(statement, {"q": query})]

    def compared(self, query, below):
        few = "" if below is None else f"WHERE n.bucket < {below} "
        statement = (
            f"MATCH (n:Node) {few}RETURN n.id ORDER BY array_cosine_similarity(n.v, CAST($q AS FLOAT[{self.data.dims}])) DESC"
            f" LIMIT {self.data.k}"
        )
        return [row[0] for row in self.rows(statement, {"q": query})]

    def search(self, ef, below):
        if below is None or self.narrow(below):
            return super().search(ef, below)
        # Its filter is a projected graph, made once for all queries that have it.
        clock = Clock()
        self.rows(f"CALL PROJECT_GRAPH_CYPHER('few', 'MATCH (n:Node) WHERE n.bucket < {below} RETURN n')")
        found = super().search(ef, below)["ids"]
        took = clock.took()
        self.rows("CALL DROP_PROJECTED_GRAPH('few')")
        return {**took, "ids": found}

    def reach(self, query):
        # Two statements are faster than one here.
        then = "MATCH (h:Node)-[:LINK]->(:Node)-[:LINK]->(m:Node) WHERE h.id IN $ids RETURN DISTINCT m.id"
        return [row[0] for row in self.rows(then, {"ids": self.one(query, None, LIST)})]

    def children(self, ids, query, tau):
        statement = (
            "MATCH (p:Node)-[:CHILD]->(c:Node) WHERE p.id IN $ids"
            f" AND array_cosine_similarity(c.v, CAST($q AS FLOAT[{self.data.dims}])) > $tau RETURN c.id"
        )
        return [row[0] for row in self.rows(statement, {"ids": ids, "q": query, "tau": tau})]

    def churn(self):
        data, clock = self.data, Clock()
        for (gone,) in slices(data.deleted):
            self.delete(gone)
        for ids, vectors in slices(data.updated, data.update_vectors):
            self.replace(ids, vectors)
        return clock.took()

    def delete(self, ids):
        self.rows("MATCH (n:Node) WHERE n.id IN $ids DETACH DELETE n", {"ids": ids.tolist()})

    def replace(self, ids, vectors):
        # An indexed vector cannot be set: the node is deleted, and made anew without its relationships.
        self.delete(ids)
        self.create(ids, vectors)

    def create(self, ids, vectors):
        buckets = self.data.buckets
        rows = [{"id": int(row), "bucket": int(buckets[row]), "v": vector.tolist()} for row, vector in zip(ids, vectors)]
        width = self.data.dims
        statement = f"UNWIND $rows AS r CREATE (:Node {{id: r.id, bucket: r.bucket, v: CAST(r.v AS FLOAT[{width}])}})"
        self.rows(statement, {"rows": rows})

    def batches(self, rows, batch, acknowledge):
        self.connect()
        self.tables()
        self.index()
        data = self.data
        for numbers in parts(rows, batch):
            self.rows("BEGIN TRANSACTION")
            self.create(numbers, data.vectors[numbers.start : numbers.stop])
            pairs = [{"one": one, "other": other} for one, other in data.child_pairs(numbers)]
            self.rows(
                "UNWIND $pairs AS p MATCH (a:Node {id: p.one}), (b:Node {id: p.other}) CREATE (a)-[:CHILD]->(b)",
                {"pairs": pairs},
            )
            self.rows("COMMIT")
            acknowledge(numbers[-1] + 1)

    def close(self):
        self.connection.close()
        self.db.close()


def version(name):
    return importlib.import_module(name).__version__


def make(name, folder, data):
    return Kuzu(importlib.import_module(name), folder, data)
