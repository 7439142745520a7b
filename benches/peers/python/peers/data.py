"""What `benches/src/peers/data.rs` has written, as arrays that are read from the file when they are looked at."""

import json
from functools import cached_property
from pathlib import Path

import numpy as np


class Data:
    def __init__(self, folder):
        self.folder = Path(folder)
        head = json.loads((self.folder / "set.json").read_text())
        self.dims, self.k, self.levels, self.descents = head["dims"], head["k"], head["levels"], head["descents"]

    def file(self, name, kind, width=None):
        array = np.memmap(self.folder / name, kind, "r")
        return array.reshape(-1, width) if width else array

    @cached_property
    def vectors(self):
        return self.file("vectors.f32", np.float32, self.dims)

    @cached_property
    def queries(self):
        return self.file("queries.f32", np.float32, self.dims)

    @cached_property
    def update_vectors(self):
        return self.file("updated.f32", np.float32, self.dims)

    @cached_property
    def buckets(self):
        return self.file("buckets.u32", np.uint32)

    @cached_property
    def edges(self):
        return self.file("edges.u32", np.uint32, 2)

    @cached_property
    def parents(self):
        return self.file("parents.u32", np.uint32)

    @cached_property
    def deleted(self):
        return self.file("deleted.u32", np.uint32)

    @cached_property
    def updated(self):
        return self.file("updated.u32", np.uint32)

    def __len__(self):
        return len(self.buckets)

    def below(self, limit):
        """Which nodes a filter allows."""
        return np.asarray(self.buckets) < limit


    def child_pairs(self, numbers):
        """The section above each of these, and it; the root has none."""
        return [(int(self.parents[row]), row) for row in numbers if row]


def parts(count, size=1000):
    """Ranges of so many at a time."""
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


def slices(*arrays, size=1000):
    """The same rows of arrays that belong together, so many at a time."""
    for numbers in parts(len(arrays[0]), size):
        yield tuple(array[numbers.start : numbers.stop] for array in arrays)
