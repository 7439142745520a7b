"""Sentences per CPU second of sentence-transformers, beside `models/examples/speed.rs`.

    python speed.py MODEL_FOLDER sentences.txt [threads] [batch size]

It needs the Python packages torch and sentence-transformers.
"""

import sys
import time

import torch
from sentence_transformers import SentenceTransformer

folder, file = sys.argv[1:3]
threads = int(sys.argv[3]) if len(sys.argv) > 3 else None
batch = int(sys.argv[4]) if len(sys.argv) > 4 else 32
if threads:
    torch.set_num_threads(threads)
with open(file, encoding="utf-8") as lines:
    texts = lines.read().splitlines()
model = SentenceTransformer(folder, device="cpu")
model.encode(texts[:100], batch_size=batch)
cpu, wall = time.process_time(), time.perf_counter()
rows = model.encode(texts, batch_size=batch)
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
print(
    f"torch {torch.__version__}, {torch.get_num_threads()} threads, batch {batch}: {len(rows)} sentences, "
    f"{cpu:.2f} CPU s, {wall:.2f} s; per CPU second {len(rows) / cpu:.1f}, per second {len(rows) / wall:.1f}"
)
