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
import re
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
# What each of `BESIDE` is, and all that they need, with the versions.
LOCK = HERE / "requirements-beside.txt"
# Each by itself: one that does not install is named with the reason, and the others are measured.
BESIDE = {
    "kuzu": ["kuzu", "pyarrow"],
    "ladybug": ["ladybug", "pyarrow"],
    "lancedb": ["lancedb", "pyarrow"],
    "qdrant-edge": ["qdrant-edge-py"],
    "sqlite-vec": ["sqlite-vec", "pysqlite3-binary"],
    "hnswlib": ["hnswlib"],
    "faiss": ["faiss-cpu"],
    "usearch": ["usearch"],
    "helix": ["helix-db", "helix-db-embedded"],
    "surrealdb": ["surrealdb", "surrealdb-embedded"],
    "cozo": ["cozo-embedded"],
    "chromadb": ["chromadb"],
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


def locked():
    """The packages of the lock by name, as pip compares names, and their versions."""
    lines = (line.strip() for line in LOCK.read_text().splitlines())
    pins = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {plain(name): version for name, version in pins}


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def not_locked(pip):
    """What is installed and not in the lock, or at another version; but for what came with Python."""
    told = subprocess.run([*pip, "list", "--format=json"], check=True, capture_output=True, text=True)
    there = {plain(one["name"]): one["version"] for one in json.loads(told.stdout)}
    pins = locked() | {name: there.get(name) for name in ("pip", "setuptools")}
    return {f"{name}=={version}" for name, version in there.items() if pins.get(name) != version}


def take_out_strangers(pip):
    """Uninstalls what is not locked; what that was. Otherwise the next peer would be blamed for it, or could lean on it."""
    strangers = sorted(not_locked(pip))
    if strangers:
        run(*pip, "uninstall", "--quiet", "--yes", *(one.split("==")[0] for one in strangers))
    return strangers


def beside(home):
    """An environment with whatever of `BESIDE` installs, and why the others do not."""
    content = json.dumps(BESIDE).encode() + LOCK.read_bytes() + sys.version.encode()
    folder = home / f"venv-{hashlib.sha256(content).hexdigest()[:16]}"
    python = folder / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    # By variables, so that they hold for what something is built with as well; an address, since a path may have blanks.
    held = {**os.environ, "PIP_CONSTRAINT": LOCK.as_uri(), "PIP_BUILD_CONSTRAINT": LOCK.as_uri()}
    held["PYTHONPATH"] = str(HERE / "python" / "peers")
    if not (folder / "whole").exists():
        venv.create(folder, with_pip=True, clear=True)
        run(*pip, "install", "--quiet", "numpy", env=held)
    # An older run may have left some.
    take_out_strangers(pip)
    installed, missing = [], {}
    for name, packages in BESIDE.items():
        print("==>", *packages, flush=True)
        install = [*pip, "install", "--quiet", "--prefer-binary", *packages]
        module = f"{name.replace('-', '_')}_side"
        probe = [python, "-c", f"import importlib.util, {module}"]
        why = None
        for command in (install, probe):
            done = subprocess.run(command, env=held, capture_output=True, text=True)
            if done.returncode:
                said = (done.stderr.strip() or "no word").splitlines()
                why = said[-1]
                break
        # On another system somebody may need what is not in the lock: then it would not be the same the next time.
        strangers = take_out_strangers(pip)
        if strangers and why is None:
            why = f"needs what {LOCK.name} does not pin: {', '.join(strangers)}"
        if why is None:
            installed.append(name)
        else:
            missing[name] = why
    (folder / "whole").touch()
    # With the lock, so that whoever reads this knows whether it is of the present one.
    return {"python": str(python), "peers": installed, "missing": missing, "lock": LOCK.read_text()}


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
