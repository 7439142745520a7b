#!/usr/bin/env python3
"""Sets up the peers of the benchmarks: one command, nothing outside the user's cache.

    python3 benches/peers/setup.py              those of `cargo xtask bench vector` and `text`
    python3 benches/peers/setup.py documents    those of `cargo xtask bench documents`
    python3 benches/peers/setup.py query        that of `cargo xtask bench query`
    python3 benches/peers/setup.py beside       those of `cargo xtask bench peers`

Makes a virtual environment with the pinned Python peers, builds the Rust peers with the versions of their
own lock file, and writes down where both are (`peers.json`, `documents.json`, `query.json`, `beside.json`), which is how the
benchmarks find them; one whose peers are not there runs this first. Running it again changes nothing. Takes about ten minutes the first time; needs Python 3.11 or newer with its
headers, a C++ compiler, cargo, and a network. Those of documents are five minutes, 1.5 GB, and Python 3.11 to 3.13.

What is compiled here is compiled for the processor of this machine: that is what the peers' authors recommend,
and the benchmark must not be won against a build for an old one.
"""

import hashlib
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
READY_MADE = HERE / "requirements.txt"
DOCUMENTS = HERE / "requirements-documents.txt"
QUERY = HERE / "requirements-query.txt"
COMPILED = HERE / "requirements-compiled.txt"
RUST = HERE / "rust"
# Each by itself: one that does not install is named with the reason, and the others are measured.
BESIDE = {
    "kuzu": ["kuzu==0.11.3", "pyarrow==26.0.1"],
    "ladybug": ["ladybug==0.22.0", "pyarrow==26.0.1"],
    "lancedb": ["lancedb==0.40.0", "pyarrow==26.0.1"],
    "qdrant-edge": ["qdrant-edge-py==0.9.0"],
    "sqlite-vec": ["sqlite-vec==0.1.9", "pysqlite3-binary==0.5.4.post2"],
    "hnswlib": ["hnswlib==0.8.0"],
    "faiss": ["faiss-cpu==1.15.1"],
    "usearch": ["usearch==2.26.6"],
    "helix": ["helix-db==0.3.4", "helix-db-embedded==0.3.3"],
    "surrealdb": ["surrealdb==2.0.0", "surrealdb-embedded==3.0.0b10"],
    "cozo": ["cozo-embedded==0.7.6"],
    "chromadb": ["chromadb==1.5.9"],
}


def cache():
    """The same folder as `xtask/src/places.rs` names."""
    own, xdg = os.environ.get("STRATIGRAPH_CACHE"), os.environ.get("XDG_CACHE_HOME")
    if own:
        return Path(own).absolute()
    return (Path(xdg) if xdg else Path.home() / ".cache").absolute() / "stratigraph"


def run(*words, **more):
    words = [str(word) for word in words]
    print("==>", " ".join(words), flush=True)
    subprocess.run(words, check=True, **more)


def python_peers(home, ready_made, compiled=None):
    """The interpreter of an environment named after everything that decides its content."""
    content = ready_made.read_bytes() + (compiled.read_bytes() if compiled else b"") + sys.version.encode()
    folder = home / f"venv-{hashlib.sha256(content).hexdigest()[:16]}"
    python = folder / "bin" / "python"
    whole = folder / "whole"
    if not whole.exists():
        venv.create(folder, with_pip=True, clear=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # A file that has hashes is held to them by pip.
        run(*pip, "--only-binary=:all:" if compiled else "--prefer-binary", "--requirement", ready_made)
        if compiled:
            # Without isolation it is built with the tools installed above, which are pinned.
            # `--no-cache-dir`: a wheel in pip's cache may have been built on another machine.
            own = ["--no-binary=:all:", "--no-build-isolation", "--no-deps", "--no-cache-dir"]
            run(*pip, *own, "--require-hashes", "--requirement", compiled)
        whole.touch()
    return python


def rust_peers(home):
    target = home / "target"
    flags = {"RUSTFLAGS": "-Ctarget-cpu=native", "CARGO_TARGET_DIR": str(target)}
    # From its own folder, so that the settings of the product's checkout do not apply.
    run("cargo", "build", "--release", "--locked", cwd=RUST, env={**os.environ, **flags})
    return target / "release" / "stratigraph-peers"


def beside(home):
    """An environment with whatever of `BESIDE` installs, and why the others do not."""
    pins = json.dumps(BESIDE) + sys.version
    folder = home / f"venv-{hashlib.sha256(pins.encode()).hexdigest()[:16]}"
    python = folder / "bin" / "python"
    if not (folder / "whole").exists():
        venv.create(folder, with_pip=True, clear=True)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "numpy==2.4.6")
    installed, missing = [], {}
    for name, packages in BESIDE.items():
        print("==>", *packages, flush=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary", *packages]
        module = f"{name.replace('-', '_')}_side"
        probe = [python, "-c", f"import importlib.util, {module}"]
        here = {**os.environ, "PYTHONPATH": str(HERE / "python" / "peers")}
        for command in (pip, probe):
            done = subprocess.run(command, env=here, capture_output=True, text=True)
            if done.returncode:
                said = (done.stderr.strip() or "no word").splitlines()
                missing[name] = said[-1]
                break
        else:
            installed.append(name)
    (folder / "whole").touch()
    return {"python": str(python), "peers": installed, "missing": missing}


def main():
    if sys.version_info < (3, 11):
        sys.exit("the pinned versions need Python 3.11 or newer")
    home = cache() / "peers"
    home.mkdir(parents=True, exist_ok=True)
    match sys.argv[1:]:
        case []:
            python = python_peers(home, READY_MADE, COMPILED)
            write(home / "peers.json", {"python": str(python), "rust": str(rust_peers(home))})
        case ["documents"]:
            write(home / "documents.json", {"python": str(python_peers(home, DOCUMENTS))})
        case ["query"]:
            write(home / "query.json", {"python": str(python_peers(home, QUERY))})
        case ["beside"]:
            write(home / "beside.json", beside(home))
        case _:
            sys.exit(__doc__)
    print("peers are in", home)


def write(path, places):
    # Beside its place first, so that nobody ever reads half of it.
    half = path.with_suffix(".part")
    half.write_text(json.dumps(places, indent=1) + "\n")
    half.replace(path)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"setup.py: {error}")
