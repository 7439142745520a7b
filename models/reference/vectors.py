"""Makes vectors.f32 from texts.json: what sentence-transformers says, to compare ours with.

    python vectors.py MODEL_FOLDER

One row for each text, little-endian f32, no header. It was run once, with sentence-transformers 6.2.0 and
torch 2.15.0; run it again only when texts.json changes.
"""

import json
import pathlib
import sys

from sentence_transformers import SentenceTransformer

here = pathlib.Path(__file__).parent
texts = json.loads((here / "texts.json").read_text(encoding="utf-8"))
model = SentenceTransformer(sys.argv[1], device="cpu")
# One at a time, so that nothing depends on padding.
rows = model.encode(texts, batch_size=1, normalize_embeddings=True)
rows.astype("<f4").tofile(here / "vectors.f32")
print(f"{rows.shape[0]} rows of {rows.shape[1]}; {model.max_seq_length} tokens at most")
