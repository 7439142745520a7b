#!/usr/bin/env python3
"""LightRAG or nano-graphrag builds its graph from documents and retrieves from it, with the model and the vectors of the benchmark.

    python documents.py lightrag|nano-graphrag DOCUMENTS.jsonl QUESTIONS.json FOLDER

The model is a rule (`said`, whose twin is in `benches/src/documents/model.rs`), the vectors are made of the bytes of
a text (`vector`, likewise), tokens are words. The time that both take is measured apart, so that what is
left is the library's own: for all documents but the last, for the last alone, and for what is retrieved for all
questions, without an answer. The last line of the output says it as JSON.
"""

import asyncio
import json
import logging
import re
import resource
import sys
import time
from pathlib import Path

import numpy as np

DIMENSIONS = 384
# How a name looks in the benchmark's documents, and how many of a chunk the model tells.
NAME = re.compile(r"\b[A-Z][a-z]+[0-9]+\b")
MOST_NAMES = 12


class Spent:
    """How long something took that is not the library's."""

    def __init__(self):
        self.seconds, self.calls = 0.0, 0

    def __enter__(self):
        self.began = time.perf_counter()

    def __exit__(self, *_):
        self.seconds += time.perf_counter() - self.began
        self.calls += 1


MODEL, EMBEDDER = Spent(), Spent()

with np.errstate(over="ignore"):
    STEPS = np.arange(1, DIMENSIONS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def said(text):
    """What the model reads in a text: names with the sentence they are first in, and each with its next."""
    names = {}
    for sentence in re.split(r"(?<=\.)\s+", text):
        for name in NAME.findall(sentence):
            if len(names) < MOST_NAMES:
                names.setdefault(name, sentence.strip())
    order = list(names)
    # The lesser name first: some libraries keep directions and some do not.
    return list(names.items()), [(min(a, b), max(a, b), names[b]) for a, b in zip(order, order[1:])]


def vector(text):
    """The same bytes, the same row: a sequence that begins with their hash (FNV-1a), each number stirred by itself."""
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    numbers = (np.uint64(state) + STEPS).astype(np.uint64)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    row = ((numbers >> np.uint64(40)).astype(np.float32) / np.float32(1 << 23)) - np.float32(1)
    return row / np.linalg.norm(row)


async def embed(texts):
    with EMBEDDER:
        return np.stack([vector(text) for text in texts])


class Words:
    """A tokenizer whose tokens are words."""

    def __init__(self):
        self.numbers, self.words = {}, []

    def number(self, word):
        if word not in self.numbers:
            self.numbers[word] = len(self.words)
            self.words.append(word)
        return self.numbers[word]

    def encode(self, content, **_):
        return [self.number(word) for word in content.split()]

    def decode(self, tokens):
        return " ".join(self.words[token] for token in tokens)

    def encode_batch(self, contents, **_):
        return [self.encode(content) for content in contents]

    def decode_batch(self, lists):
        return [self.decode(tokens) for tokens in lists]


def lightrag(documents, questions, folder):
    """Yields before it begins, and after each stage."""
    from lightrag import LightRAG, QueryParam
    from lightrag.utils import EmbeddingFunc, Tokenizer

    logging.getLogger("lightrag").setLevel(logging.ERROR)
    delimiter = "<|#|>"

    async def model(prompt, system_prompt=None, history_messages=(), **_):
        with MODEL:
            if "---Real Data---" in prompt and "User Query:" in prompt:
                names = NAME.findall(prompt.rsplit("User Query:", 1)[1])
                return json.dumps({"high_level_keywords": ["what they have in common"], "low_level_keywords": names})
            if "---Input Text---" not in prompt:
                return "A summary of what was said."
            text = prompt.split("---Input Text---", 1)[1]
            names, pairs = said(text)
            lines = [delimiter.join(["entity", name, "concept", told]) for name, told in names]
            lines += [delimiter.join(["relation", a, b, "relates to", told]) for a, b, told in pairs]
            return "\n".join(lines + ["<|COMPLETE|>"])

    rag = LightRAG(
        working_dir=str(folder),
        llm_model_func=model,
        embedding_func=EmbeddingFunc(embedding_dim=DIMENSIONS, max_token_size=8192, func=embed),
        tokenizer=Tokenizer("words", Words()),
        chunk_token_size=1200,
        chunk_overlap_token_size=100,
        entity_extract_max_gleaning=0,
        enable_llm_cache_for_entity_extract=False,
        # Vectors of hashes are far from each other: what is nearest is taken, however far that is, as ours does.
        vector_db_storage_cls_kwargs={"cosine_better_than_threshold": -1.0},
    )

    async def insert(some):
        await rag.ainsert([document["text"] for document in some], ids=[document["id"] for document in some])

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(rag.initialize_storages())
    yield
    loop.run_until_complete(insert(documents[:-1]))
    yield
    loop.run_until_complete(insert(documents[-1:]))
    yield
    # What it does if nothing is said: entities, relations and chunks.
    found = QueryParam(mode="mix", only_need_context=True, enable_rerank=False)
    for question in questions:
        assert loop.run_until_complete(rag.aquery(question, param=found)), question
    yield
    loop.run_until_complete(rag.finalize_storages())


def nano_graphrag(documents, questions, folder):
    import tiktoken

    words = Words()
    # Its tokenizer is fetched from a server; a chunk is as many of these tokens as the others'.
    tiktoken.encoding_for_model = lambda *_: words
    from nano_graphrag import GraphRAG, QueryParam
    from nano_graphrag._utils import wrap_embedding_func_with_attrs

    logging.getLogger("nano-graphrag").setLevel(logging.ERROR)

    async def model(prompt, system_prompt=None, history_messages=(), **_):
        with MODEL:
            if "community" in prompt.lower() and "findings" in prompt:
                return json.dumps({"title": "A community", "summary": "What it is.", "rating": 5, "rating_explanation": "", "findings": []})
            if "Text:" not in prompt:
                return "A summary of what was said."
            text = prompt.rsplit("Text:", 1)[1]
            names, pairs = said(text)
            records = [f'("entity"<|>"{name}"<|>"concept"<|>"{told}")' for name, told in names]
            records += [f'("relationship"<|>"{a}"<|>"{b}"<|>"{told}"<|>5)' for a, b, told in pairs]
            return "##".join(records) + "<|COMPLETE|>"

    rag = GraphRAG(
        working_dir=str(folder),
        best_model_func=model,
        cheap_model_func=model,
        embedding_func=wrap_embedding_func_with_attrs(embedding_dim=DIMENSIONS, max_token_size=8192)(embed),
        entity_extract_max_gleaning=0,
        enable_llm_cache=False,
        # As above.
        query_better_than_threshold=-1.0,
    )
    yield
    rag.insert([document["text"] for document in documents[:-1]])
    yield
    rag.insert([documents[-1]["text"]])
    yield
    for question in questions:
        assert rag.query(question, param=QueryParam(mode="local", only_need_context=True)), question
    yield


PEERS = {"lightrag": lightrag, "nano-graphrag": nano_graphrag}


def main():
    peer, documents, questions, folder = sys.argv[1:]
    documents = [json.loads(line) for line in Path(documents).read_text().splitlines()]
    questions = json.loads(Path(questions).read_text())
    folder = Path(folder)
    folder.mkdir(parents=True)
    building = PEERS[peer](documents, questions, folder)
    next(building)
    stages = {}
    for stage in ("build", "one_more", "query"):
        others, began = MODEL.seconds + EMBEDDER.seconds, time.perf_counter()
        next(building)
        stages[stage] = time.perf_counter() - began - (MODEL.seconds + EMBEDDER.seconds - others)
    for _ in building:
        pass

    import networkx

    graph = networkx.read_graphml(folder / "graph_chunk_entity_relation.graphml")
    print(
        json.dumps(
            {
                "peer": peer,
                "build_s": stages["build"],
                "one_more_s": stages["one_more"],
                "query_s": stages["query"] / len(questions),
                "model_s": MODEL.seconds,
                "model_calls": MODEL.calls,
                "embed_s": EMBEDDER.seconds,
                "chunks": len(json.loads((folder / "kv_store_text_chunks.json").read_text())),
                "entities": graph.number_of_nodes(),
                "relations": graph.number_of_edges(),
                "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            }
        )
    )


main()
