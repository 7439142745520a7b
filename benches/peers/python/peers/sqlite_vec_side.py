"""sqlite-vec: vectors in SQLite, all of them compared (it has no index); relationships in tables of plain SQL.

`pysqlite3`, since many builds of Python leave out what extensions are loaded with.
"""

import os

import pysqlite3 as sqlite3
import sqlite_vec
from data import parts, slices
from side import Clock, Side


class SqliteVec(Side):
    indexed_batches = False

    def connect(self):
        os.makedirs(self.folder, exist_ok=True)
        self.db = sqlite3.connect(os.path.join(self.folder, "db"), isolation_level=None)
        self.db.enable_load_extension(True)
        sqlite_vec.load(self.db)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")

    def create(self):
        self.connect()
        self.db.execute(
            f"CREATE VIRTUAL TABLE near USING vec0(id INTEGER PRIMARY KEY, bucket INTEGER,"
            f" v FLOAT[{self.data.dims}] distance_metric=cosine)"
        )
        self.db.execute("CREATE TABLE link(one INTEGER, other INTEGER)")
        self.db.execute("CREATE TABLE child(one INTEGER, other INTEGER)")

    def rows(self, numbers):
        data = self.data
        return [(row, int(data.buckets[row]), data.vectors[row].tobytes()) for row in numbers]

    def load(self):
        clock = Clock()
        self.create()
        for numbers in parts(len(self.data), 10_000):
            self.db.execute("BEGIN")
            self.db.executemany("INSERT INTO near(id, bucket, v) VALUES (?, ?, ?)", self.rows(numbers))
            self.db.execute("COMMIT")
        vectors = clock.wall()
        self.db.execute("BEGIN")
        self.db.executemany("INSERT INTO link VALUES (?, ?)", self.data.edges.tolist())
        self.db.executemany("INSERT INTO child VALUES (?, ?)", self.data.child_pairs(range(len(self.data))))
        self.db.execute("COMMIT")
        self.db.execute("CREATE INDEX link_one ON link(one, other)")
        self.db.execute("CREATE INDEX child_one ON child(one, other)")
        return {**clock.took(), "nodes_s": vectors, "edges_s": clock.wall() - vectors, "index_s": "none: all vectors are compared"}

    def counts(self):
        return [self.db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("near", "child")]

    def told(self, query):
        return query.tobytes()

    def one(self, query, below, ef):
        statement = "SELECT id FROM near WHERE v MATCH ? AND k = ?"
        values = [query, self.data.k]
        if below is not None:
            statement, values = statement + " AND bucket < ?", [*values, below]
        return [row[0] for row in self.db.execute(statement, values)]

    def reach(self, query):
        statement = (
            "SELECT DISTINCT b.other FROM (SELECT id FROM near WHERE v MATCH ? AND k = ?) AS hit"
            " JOIN link AS a ON a.one = hit.id JOIN link AS b ON b.one = a.other"
        )
        return [row[0] for row in self.db.execute(statement, (query, self.data.k))]

    def children(self, ids, query, tau):
        statement = (
            "SELECT child.other FROM child JOIN near ON near.id = child.other"
            " WHERE child.one IN (SELECT value FROM json_each(?)) AND 1 - vec_distance_cosine(near.v, ?) > ?"
        )
        return [row[0] for row in self.db.execute(statement, (str(ids), query, tau))]

    def churn(self):
        data, clock = self.data, Clock()
        for (gone,) in slices(data.deleted):
            self.db.execute("BEGIN")
            gone = [(row,) for row in gone.tolist()]
            self.db.executemany("DELETE FROM near WHERE id = ?", gone)
            self.db.executemany("DELETE FROM link WHERE one = ?", gone)
            self.db.executemany("DELETE FROM child WHERE one = ?", gone)
            self.db.execute("COMMIT")
        for changed, vectors in slices(data.updated, data.update_vectors):
            self.db.execute("BEGIN")
            rows = [(vector.tobytes(), row) for row, vector in zip(changed.tolist(), vectors)]
            self.db.executemany("UPDATE near SET v = ? WHERE id = ?", rows)
            self.db.execute("COMMIT")
        return clock.took()

    def batches(self, rows, batch, acknowledge):
        self.create()
        for numbers in parts(rows, batch):
            self.db.execute("BEGIN")
            self.db.executemany("INSERT INTO near(id, bucket, v) VALUES (?, ?, ?)", self.rows(numbers))
            self.db.executemany("INSERT INTO child VALUES (?, ?)", self.data.child_pairs(numbers))
            self.db.execute("COMMIT")
            acknowledge(numbers[-1] + 1)

    def close(self):
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.db.close()


def version(name):
    return sqlite_vec.__version__ if hasattr(sqlite_vec, "__version__") else "?"


def make(name, folder, data):
    return SqliteVec(folder, data)
