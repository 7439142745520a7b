"""Chroma in the process: records in SQLite, and an HNSW index beside it. It has no relationships.

How long the list of a search is, it reads when it reads its index: it is opened anew for another one.
"""

import os

import chromadb
import numpy as np
from chromadb.config import Settings
from data import parts, slices
from side import LIST, Clock, Side


class Chroma(Side):
    listed = None

    def begin(self):
        os.makedirs(self.folder, exist_ok=True)
        self.client = chromadb.PersistentClient(self.folder, Settings(anonymized_telemetry=False))

    def create(self):
        near = {"space": "cosine", "ef_construction": 128, "max_neighbors": 16, "num_threads": 1}
        # Vectors are given: nothing makes them of texts.
        self.begin()
        self.nodes = self.client.create_collection("nodes", configuration={"hnsw": near}, embedding_function=None)

    def connect(self):
        self.begin()
        self.nodes = self.client.get_collection("nodes", embedding_function=None)

    def told(self, query):
        return np.array(query)

    def add(self, numbers, vectors):
        buckets = [{"bucket": int(self.data.buckets[row])} for row in numbers]
        self.nodes.add(ids=names(numbers), embeddings=np.array(vectors), metadatas=buckets)

    def load(self):
        clock, data = Clock(), self.data
        self.create()
        for numbers in parts(len(data), 5000):
            self.add(numbers, data.vectors[numbers.start : numbers.stop])
        self.tend()
        return {**clock.took(), "nodes_s": None, "edges_s": None, "index_s": None}

    def tend(self):
        """The next search brings into the index what has come since."""
        self.one(self.told(self.data.queries[0]), None, LIST)

    def one(self, query, below, ef):
        few = None if below is None else {"bucket": {"$lt": below}}
        found = self.nodes.query(query_embeddings=[query], n_results=self.data.k, where=few, include=[])
        return [int(name) for name in found["ids"][0]]

    def search(self, ef, below):
        if ef != self.listed:
            self.nodes.modify(configuration={"hnsw": {"ef_search": ef}})
            self.close()
            self.connect()
            # What is read when it is first needed is no part of the time: all queries once, and their time is dropped.
            super().search(ef, below)
            self.listed = ef
        return super().search(ef, below)

    def counts(self):
        return self.nodes.count(), None

    def churn(self):
        data, clock = self.data, Clock()
        for (gone,) in slices(data.deleted):
            self.nodes.delete(ids=names(gone))
        for changed, vectors in slices(data.updated, data.update_vectors):
            self.nodes.update(ids=names(changed), embeddings=np.array(vectors))
        self.tend()
        return clock.took()

    def batches(self, rows, batch, acknowledge):
        self.create()
        for numbers in parts(rows, batch):
            self.add(numbers, self.data.vectors[numbers.start : numbers.stop])
            acknowledge(numbers[-1] + 1)

    def close(self):
        self.client.close()


def names(numbers):
    """Its ids are texts."""
    return [str(row) for row in numbers]


def version(name):
    return chromadb.__version__


def make(name, folder, data):
    return Chroma(folder, data)
