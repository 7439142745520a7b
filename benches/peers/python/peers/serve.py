#!/usr/bin/env python3
"""One peer over one database: `python serve.py NAME FOLDER DATA`.

Requests come as JSON lines on standard input and are answered by one JSON line each; `benches/src/peers/driver.rs` is the
other side, and `benches/src/peers/ours.rs` answers the same ones.
"""

import importlib
import importlib.util
import json
import os
import sys
import warnings

from data import Data
from side import Cannot

# What libraries print must not come between the answers.
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
warnings.simplefilter("ignore")
os.environ.setdefault("RUST_LOG", "error")


def say(line):
    print(json.dumps(line), file=ANSWERS, flush=True)


def answer(side, version, what, request):
    match what:
        case "tell":
            return {"version": version, "synced": side.synced, "indexed_batches": side.indexed_batches}
        case "batches":
            side.batches(request["rows"], request["batch"], lambda rows: say({"acknowledged": rows}))
            return {"done": True}
        case "close":
            return side.close() or {}
        case "load" | "open" | "search" | "hops" | "descend" | "churn":
            return getattr(side, what)(**request)
    raise ValueError(f"nobody can {what}")


def main():
    name, folder, data = sys.argv[1:]
    peer = importlib.import_module(f"{name.replace('-', '_')}_side")
    side = peer.make(name, folder, Data(data))
    for line in sys.stdin:
        request = json.loads(line)
        what = request.pop("do")
        try:
            said = answer(side, peer.version(name), what, request)
        except Cannot as why:
            said = {"cannot": str(why)}
        except Exception as error:  # whatever the peer throws: the other side says it
            said = {"failed": f"{type(error).__name__}: {error}"[:500]}
        say(said)
        if what == "close":
            break
    ANSWERS.flush()
    # Some peers wait for threads of theirs for ever.
    os._exit(0)


main()
