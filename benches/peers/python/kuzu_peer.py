#!/usr/bin/env python3
"""Kuzu on one database: `python kuzu_peer.py FILE`.

Requests come as JSON lines on standard input and are answered by one JSON line each; `benches/src/query/peer.rs` is the
other side. One thread. Statements are prepared once. What is timed is running them and fetching all rows; making rows
comparable is not.
"""

import json
import os
import sys
import time
import warnings

import kuzu

# Statements are prepared once here and run often, which is the fastest way that there is; a later version will have another.
warnings.simplefilter("ignore", DeprecationWarning)


# A way of asking that takes longer for all questions together is given up: there may be another.
MOST_SECONDS = 60.0


class Peer:
    def __init__(self, path):
        self.connection = kuzu.Connection(kuzu.Database(path), num_threads=1)
        self.prepared = {}

    def load(self, statements):
        began = time.perf_counter()
        for statement in statements:
            self.connection.execute(statement)
        return {"seconds": time.perf_counter() - began}

    def one(self, statement, parameters):
        """The rows of one statement. Text is put in where the peer takes no parameters."""
        if "%" in statement:
            for name, value in parameters.items():
                statement = statement.replace(f"%{name}%", json.dumps(value))
            return self.connection.execute(statement).get_all()
        used = {name: value for name, value in parameters.items() if f"${name}" in statement}
        if statement.startswith("CALL"):
            # Not to be prepared: the function is bound with the value.
            return self.connection.execute(statement, used).get_all()
        if statement not in self.prepared:
            self.prepared[statement] = self.connection.prepare(statement, used)
        return self.connection.execute(self.prepared[statement], used).get_all()

    def run(self, statements, after, parameters):
        answers, seconds = [], 0.0
        for each in parameters:
            began = time.perf_counter()
            found = [self.one(statement, each) for statement in statements]
            seconds += time.perf_counter() - began
            answers.append(found[len(found) - 1 - after])
            self.give_up(seconds, answers, parameters)
        return {"seconds": seconds, "rows": [comparable(rows) for rows in answers]}

    def levels(self, each, levels, parameters):
        answers, seconds = [], 0.0
        for values in parameters:
            began, ids, counts = time.perf_counter(), [0], []
            for level in range(1, levels + 1):
                ids = [row[0] for row in self.one(each, {**values, "ids": ids})] if ids else []
                if ids:
                    counts.append([level, len(ids)])
            seconds += time.perf_counter() - began
            answers.append(counts)
            self.give_up(seconds, answers, parameters)
        return {"seconds": seconds, "rows": [comparable(rows) for rows in answers]}

    def then(self, first, then, parameters):
        answers, seconds = [], 0.0
        for values in parameters:
            began = time.perf_counter()
            ids = [row[0] for row in self.one(first, values)]
            rows = self.one(then, {**values, "ids": ids})
            seconds += time.perf_counter() - began
            answers.append(rows)
            self.give_up(seconds, answers, parameters)
        return {"seconds": seconds, "rows": [comparable(rows) for rows in answers]}

    def give_up(self, seconds, answers, parameters):
        if seconds > MOST_SECONDS and len(answers) < len(parameters):
            raise TimeoutError(f"{seconds:.0f} s for {len(answers)} of {len(parameters)} questions")


def comparable(rows):
    lines = [(json.dumps(row, separators=(",", ":"), ensure_ascii=False), row) for row in rows]
    return [row for _, row in sorted(lines, key=lambda pair: pair[0])]


def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main():
    peer = Peer(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        what = request.pop("do")
        try:
            if what == "tell":
                answer = {"version": kuzu.__version__, "rss_mb": resident_mb()}
            else:
                answer = getattr(peer, what)(**request)
        except Exception as error:  # whatever the peer throws: the other side says it
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
