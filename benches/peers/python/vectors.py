"""A set of vectors with its questions and their answers, as `benches/src/vector/set.rs` writes it."""

import json
from pathlib import Path

import numpy as np


class Case:
    """Questions that each allow only some rows. `groups`: the queries that share a set, and its bits."""

    def __init__(self, folder, head, rows, k):
        self.name = head["name"]
        bits = np.fromfile(folder / f"{head['file']}.bits", np.uint8).reshape(len(head["groups"]), -1)
        self.groups = [(np.array(numbers), bits[group]) for group, numbers in enumerate(head["groups"])]
        # Where there are fewer rows than asked for, all bits are set: -1.
        self.truth = np.fromfile(folder / f"{head['file']}.u32", np.int32).reshape(-1, k).astype(np.int64)
        self.rows = rows

    def allowed(self, bits):
        return np.flatnonzero(np.unpackbits(bits, count=self.rows, bitorder="little"))


class Vectors:
    def __init__(self, folder):
        folder = Path(folder)
        self.folder = folder
        head = json.loads((folder / "set.json").read_text())
        self.k, self.dims = head["k"], head["dims"]
        self.base = np.fromfile(folder / "base.f32", np.float32).reshape(-1, self.dims)
        self.queries = np.fromfile(folder / "queries.f32", np.float32).reshape(-1, self.dims)
        self.truth = np.fromfile(folder / "truth.u32", np.int32).reshape(-1, self.k).astype(np.int64)
        self.cases = [Case(folder, case, len(self.base), self.k) for case in head["cases"]]

    def case(self, name):
        return next(case for case in self.cases if case.name == name)
