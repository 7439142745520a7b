#!/usr/bin/env python3
"""How many of the mistakes that could be made in three places of the code the tests find.

    python3 -m venv V && V/bin/pip install -r tests/mutants/requirements.txt
    V/bin/python tests/mutants/mutants.py list       every mutant of the sample, with its number
    V/bin/python tests/mutants/mutants.py plant      writes them into the code; nothing there may be uncommitted
    V/bin/python tests/mutants/mutants.py run [N..]  builds once, and lets each mutant (or those named) meet its tests
    V/bin/python tests/mutants/mutants.py restore    takes them out of the code
    V/bin/python tests/mutants/mutants.py table      how it went

What is planted must never be committed. A mutant that the compiler refuses is named in `REFUSED`, and planted no
more. Results are kept in `target/mutants`; a second `run` goes on where the first ended.
What a run has found is written in docs/quality.md.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from places import File, planted

ROOT = Path(__file__).resolve().parent.parent.parent
KEPT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "mutants"
# Of each area so many are tried: every n-th, in the order of files and lines.
SAMPLE = 45
# As many times longer than without a mutant, and a minute: then it hangs.
PATIENCE = 6
# So many at once; times are taken one after the other, before.
AT_ONCE = int(os.environ.get("MUTANTS_AT_ONCE", "1"))
# Each area: its package and folder, its files, and its tests, the nearest first.
AREAS = {
    "codec": (
        "stratigraph", "engine",
        ["codec/*.rs", "value/ordered.rs", "value/read.rs", "value/write.rs", "graph/keys.rs", "graph/record.rs"],
        [("lib", ["codec::"]), ("lib", ["value::ordered::", "value::record::", "value::read::", "value::write::", "value::convert::"]),
         ("lib", ["graph::"]), ("lib", ["value::"]), ("golden", []), ("lifecycle", []), ("graph", []), ("graph_model", [])],
    ),
    "commit": (
        "stratigraph", "engine",
        ["storage/commit.rs", "storage/queue.rs", "storage/batch.rs", "storage/batch/*.rs", "storage/meta.rs", "storage/files/mark.rs",
         "keys/write.rs"],
        [("lib", ["storage::batch", "storage::commit::", "storage::meta::", "storage::queue::", "storage::files::", "keys::write::", "database::"]),
         ("transactions", []), ("lib", ["storage::"]), ("lifecycle", []), ("bulk", []), ("backup", []), ("graph_concurrency", []), ("model", [])],
    ),
    "authorization": (
        "stratigraph-server", "server",
        ["auth/*.rs", "called.rs", "caller.rs", "door.rs", "patience.rs", "transactions/table.rs", "services/databases.rs"],
        [("lib", ["auth::", "called::", "caller::", "door::", "patience::", "transactions::"]), ("e2e", ["access::", "secrets::", "transactions::", "admin::", "shutdown::"]),
         ("client", ["trust::"])],
    ),
}  # fmt: skip
# What the compiler does not take, by function and mistake.
REFUSED = {
    "WriterQueue::time_left: - is /": "a Duration is not divided by a Duration",
}
SWITCH = '''//! Which mutant is awake. Written by tests/mutants, and never committed.
#![allow(warnings, clippy::all, missing_docs)]
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

static AWAKE: LazyLock<Option<usize>> = LazyLock::new(|| std::env::var("MUTANT").ok()?.parse().ok());
static PASSED: LazyLock<Option<std::path::PathBuf>> = LazyLock::new(|| Some(std::env::var_os("MUTANTS_PASSED")?.into()));
static SEEN: [AtomicBool; 2000] = [const { AtomicBool::new(false) }; 2000];

#[inline(never)]
pub(crate) fn on(number: usize) -> bool {
    if let Some(folder) = &*PASSED {
        if !SEEN[number].swap(true, Ordering::Relaxed) {
            let _ = std::fs::write(folder.join(number.to_string()), "");
        }
    }
    *AWAKE == Some(number)
}
'''


def committed(name: str) -> bytes:
    return subprocess.run(["git", "show", f"HEAD:{name}"], cwd=ROOT, check=True, capture_output=True).stdout


def defaults(folder: str) -> set[str]:
    """Types of a crate that have a default value."""
    found = set()
    for path in (ROOT / folder / "src").rglob("*.rs"):
        text = path.read_text()
        found |= set(re.findall(r"derive\([^)]*\bDefault\b[^)]*\)\](?:\s*#\[[^\]]*\])*\s*(?:pub(?:\([a-z ]+\))? )?(?:struct|enum) (\w+)\b(?!<)", text))
        found |= set(re.findall(r"impl Default for (\w+) ", text))
    return found


def sample() -> list:
    """The mutants that are tried, each with a number and the name of its area; and how many there are in each."""
    chosen, there = [], {}
    for area, (_, folder, patterns, _) in AREAS.items():
        known, all_of_it = defaults(folder), []
        names = sorted({path for pattern in patterns for path in (ROOT / folder / "src").glob(pattern)})
        for path in names:
            if path.name == "tests.rs" or path.name == "mod.rs" and path.parent.name == "auth":
                continue
            name = str(path.relative_to(ROOT))
            all_of_it += File(name, committed(name), known).mutants
        there[area] = len(all_of_it)
        step = max(1, round(len(all_of_it) / SAMPLE))
        for mutant in all_of_it[::step]:
            mutant.number, mutant.area = len(chosen), area
            chosen.append(mutant)
    return [mutant for mutant in chosen if f"{mutant.function}: {mutant.what}" not in REFUSED], there


def plant():
    touched = subprocess.run(["git", "status", "--porcelain", "engine/src", "server/src"], cwd=ROOT, check=True, capture_output=True)
    if touched.stdout:
        sys.exit("there are changes in engine/src or server/src that are not committed: commit them, or `restore`")
    mutants, _ = sample()
    for name in {mutant.file for mutant in mutants}:
        here = [mutant for mutant in mutants if mutant.file == name]
        (ROOT / name).write_bytes(planted(committed(name), here))
    for folder in ("engine", "server"):
        (ROOT / folder / "src/mutants.rs").write_text(SWITCH)
        lib = ROOT / folder / "src/lib.rs"
        lib.write_text(lib.read_text() + "\nmod mutants;\n")


def restore():
    changed = {mutant.file for mutant in sample()[0]} | {f"{folder}/src/lib.rs" for folder in ("engine", "server")}
    subprocess.run(["git", "checkout", "--", *sorted(changed)], cwd=ROOT, check=True)
    for folder in ("engine", "server"):
        (ROOT / folder / "src/mutants.rs").unlink(missing_ok=True)
        # What failed for a mutant would be tried first from now on.
        subprocess.run(["git", "clean", "-fdq", f"{folder}/proptest-regressions"], cwd=ROOT, check=True)


def programs(areas: list[str]) -> dict[tuple[str, str], str]:
    """Builds the tests of some areas; the program of each by package and name."""
    built = {}
    for package in sorted({AREAS[area][0] for area in areas}):
        names = {name for area in areas for name, _ in AREAS[area][3] if AREAS[area][0] == package}
        targets = [part for name in sorted(names) for part in (["--lib"] if name == "lib" else ["--test", name])]
        command = ["cargo", "test", "--no-run", "--message-format=json-render-diagnostics", "-p", package, *targets, *os.environ.get("MUTANTS_CARGO", "").split()]
        said = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in said.splitlines():
            message = json.loads(line)
            if message.get("executable") and message["profile"]["test"]:
                is_lib = "lib" in message["target"]["kind"]
                built[package, "lib" if is_lib else message["target"]["name"]] = message["executable"]
    return built


def meet(program: str, folder: str, filters: list[str], patience: float, **variables):
    """Runs tests until one fails; says how they ended, which failed, and how long it took."""
    began = time.monotonic()
    process = subprocess.Popen(
        [program, *filters], cwd=ROOT / folder, start_new_session=True, text=True, errors="replace",
        env={**os.environ, "CARGO_MANIFEST_DIR": str(ROOT / folder), **variables},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    hangs = threading.Event()
    timer = threading.Timer(patience, lambda: (hangs.set(), os.killpg(process.pid, signal.SIGKILL)))
    timer.start()
    failed, last = [], "silent"
    for line in process.stdout:
        last = line.strip() or last
        if found := re.match(r"test (\S+).* \.\.\. FAILED", line):
            failed.append(found[1])
            os.killpg(process.pid, signal.SIGKILL)
            break
    process.stdout.close()
    process.wait()
    timer.cancel()
    if failed or process.returncode == 0:
        return "failed" if failed else "passed", failed, time.monotonic() - began
    return "hangs" if hangs.is_set() else "failed", [f"the process: {last}"], time.monotonic() - began


def run(only: set[int]):
    KEPT.mkdir(parents=True, exist_ok=True)
    mutants, _ = sample()
    results = read_results()
    todo = [mutant for mutant in mutants if (mutant.number in only if only else mutant.number not in results)]
    areas = [area for area in AREAS if any(mutant.area == area for mutant in todo)]
    built = programs(areas)
    for area in areas:
        package, folder, _, tests = AREAS[area]
        usual = []
        for name, filters in tests:
            # Without a mutant: that all pass, how long it takes, and which mutants it comes by.
            with tempfile.TemporaryDirectory() as passed:
                ended, failed, took = meet(built[package, name], folder, filters, 900, MUTANTS_PASSED=passed)
                usual.append((name, filters, took, {int(number) for number in os.listdir(passed)}))
            print(f"{area}: {name} {' '.join(filters)}: {ended} in {took:.1f} s, comes by {len(usual[-1][3])}", *failed, flush=True)
            if ended != "passed":
                sys.exit("the tests fail without a mutant")

        def try_one(mutant):
            result = {"area": area, "mutant": str(mutant), "ended": "not reached", "by": []}
            for name, filters, took, passed in usual:
                if mutant.number not in passed:
                    continue
                ended, failed, _ = meet(built[package, name], folder, filters, 60 + PATIENCE * AT_ONCE * took, MUTANT=str(mutant.number))
                result |= {"ended": {"passed": "survives", "failed": "found", "hangs": "hangs"}[ended], "by": failed}
                if ended != "passed":
                    break
            return mutant, result

        with ThreadPoolExecutor(AT_ONCE) as pool:
            for mutant, result in pool.map(try_one, [mutant for mutant in todo if mutant.area == area]):
                results[mutant.number] = result
                (KEPT / "results.json").write_text(json.dumps(results, indent=1))
                print(f"{mutant.number} {result['ended']}: {mutant} {result['by'][:2]}", flush=True)


def read_results() -> dict[int, dict]:
    path = KEPT / "results.json"
    return {int(number): result for number, result in json.loads(path.read_text()).items()} if path.exists() else {}


def table():
    mutants, there = sample()
    results = read_results()
    print("| area | mutants there are | tried | found | hang | survive | not reached |\n|---|--:|--:|--:|--:|--:|--:|")
    for area in AREAS:
        of_it = [results[mutant.number] for mutant in mutants if mutant.area == area and mutant.number in results]
        counts = [sum(result["ended"] == ended for result in of_it) for ended in ("found", "hangs", "survives", "not reached")]
        print(f"| {area} | {there[area]} | {len(of_it)} | {' | '.join(map(str, counts))} |")


def main():
    match sys.argv[1:]:
        case ["list"]:
            mutants, there = sample()
            for mutant in mutants:
                print(f"{mutant.number} {mutant.area} {mutant}")
            print(there)
        case ["plant"]:
            plant()
        case ["run", *numbers]:
            run({int(number) for number in numbers})
        case ["restore"]:
            restore()
        case ["table"]:
            table()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
