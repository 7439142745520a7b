//! Runs arbitrary text on a small graph: as usual, one row at a time, without the planner's rules, within a
//! transaction of the host, and stopped midway. The answers and the graphs must be the same, and what fails or is
//! stopped must have changed nothing.
//!
//! Input: the first byte says when the last run is stopped, the rest is text as `fuzz/src/lib.rs` makes it.
//! Next: `engine/src/query/exec/mod.rs`.

use crate::{busy, graph, mistake, text};
use std::cell::RefCell;
use std::time::Duration;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::{Database, Error, ErrorType, QueryOptions, Read, Value};

/// The graph once for each way to run, all alike.
struct Graphs {
    all: [Database; 4],
    dump: String,
}

fn graphs() -> Graphs {
    let all = [(); 4].map(|()| graph::database());
    let dump = dump(&all[0]);
    Graphs { all, dump }
}

thread_local!(static GRAPHS: RefCell<Option<Graphs>> = const { RefCell::new(None) });

/// The rows as text, or what is wrong.
type Answer = Result<Vec<String>, Error>;

/// One input.
pub fn input(data: &[u8]) {
    let Some((&stop, rest)) = data.split_first() else {
        return;
    };
    let text = text(rest);
    GRAPHS.with_borrow_mut(|graphs| {
        let known = graphs.take().unwrap_or_else(self::graphs);
        // A database that something was changed in is not used again.
        if check(&known, &text, stop) {
            *graphs = Some(known);
        }
    });
}

/// Whether the graphs are as they were.
fn check(graphs: &Graphs, text: &str, stop: u8) -> bool {
    let [usual, single, unruled, stopped] = &graphs.all;
    if let Err(error) = usual.prepare(text) {
        let mistake = mistake::of(&error, text);
        let again = run(usual, text, &graph::limits()).expect_err(text);
        assert_eq!(mistake::of(&again, text), mistake);
        return true;
    }
    let answer = run(usual, text, &graph::limits());
    let after = dump(usual);
    settled(usual, text, &answer, &graphs.dump, &after);

    let alone = run(single, text, &graph::limits().batch_rows(1));
    let after_alone = dump(single);
    settled(single, text, &alone, &graphs.dump, &after_alone);
    if both_answer(text, &answer, &alone, STOPS) {
        let shown = format!("{text}\none row at a time");
        assert_eq!(answer.as_ref().ok(), alone.as_ref().ok(), "{shown}");
        assert_eq!(after, after_alone, "{shown}");
    }

    let plain = run(unruled, text, &graph::limits().optimise(false));
    let after_plain = dump(unruled);
    settled(unruled, text, &plain, &graphs.dump, &after_plain);
    if both_answer(text, &answer, &plain, CONDITIONS) && !depends_on_order(text) {
        let shown = format!("{text}\nwithout rules");
        assert_eq!(sorted(&answer), sorted(&plain), "{shown}");
        assert_eq!(after, after_plain, "{shown}");
    }

    let hosted = run_hosted(stopped, text);
    if both_answer(text, &answer, &hosted, COMMITS) {
        let shown = format!("{text}\nwithin a transaction of the host");
        assert_eq!(answer.as_ref().ok(), hosted.as_ref().ok(), "{shown}");
    }

    let cut = run(stopped, text, &graph::stopped_after(u64::from(stop) / 8));
    let after_cut = dump(stopped);
    settled(stopped, text, &cut, &graphs.dump, &after_cut);
    [after, after_alone, after_plain, after_cut]
        .iter()
        .all(|after| *after == graphs.dump)
}

/// Runs it, within a second or two.
fn run(database: &Database, text: &str, options: &QueryOptions) -> Answer {
    let start = busy();
    let rows = database.query_with(text, graph::parameters(), options);
    let answer = rows.and_then(|rows| rows.map(|row| row.map(|row| shown(row.values()))).collect());
    let took = busy() - start;
    assert!(took < Duration::from_secs(3), "this took {took:?}:\n{text}");
    answer
}

/// Runs it in a transaction that is given up then.
fn run_hosted(database: &Database, text: &str) -> Answer {
    let mut txn = database.write()?;
    let rows = txn.query_with(text, graph::parameters(), &graph::limits())?;
    let answer = rows.map(|row| row.map(|row| shown(row.values()))).collect();
    txn.node_count(None)?;
    answer
}

fn shown(values: &[Value]) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    values.join(" | ")
}

/// What holds after any run.
fn settled(database: &Database, text: &str, answer: &Answer, before: &str, after: &str) {
    if let Err(error) = answer {
        mistake::of(error, text);
        let portions = text.to_ascii_uppercase().contains("TRANSACTION");
        assert!(
            portions || before == after,
            "it failed and changed something:\n{text}\n{error}"
        );
    }
    if before != after {
        let report = database.check(&mut Watch::quiet()).expect("memory");
        assert!(report.is_clean(), "{text}\n{report:?}");
    }
    let nodes = database.query("MATCH (n) RETURN count(n) AS n", ());
    let nodes = nodes.and_then(|mut rows| rows.next().expect("a row"));
    assert!(nodes.is_ok(), "it answers no more after\n{text}\n{nodes:?}");
}

/// What stops before it has seen all rows, and so may leave out those that would fail: more with smaller batches,
const STOPS: &[&str] = &["LIMIT", "EXISTS", ")-", ")<-"];
/// and whatever has conditions, which the planner's rules compute earlier or later.
const CONDITIONS: &[&str] = &["LIMIT", "EXISTS", "MATCH", "MERGE", "WHERE", ")-", ")<-"];

/// What cannot be done within a transaction.
const COMMITS: &[&str] = &["TRANSACTION", "INDEX", "CONSTRAINT", "HIERARCHY"];

/// Whether both runs have an answer that has to be the same, which an answer that depends on the time has not. They
/// both fail, if not necessarily for the same reason, unless one met a
/// limit, or `lazy` words say that one may see less.
fn both_answer(text: &str, one: &Answer, other: &Answer, lazy: &[&str]) -> bool {
    let limited = |answer: &Answer| match answer {
        Err(Error::Query(error)) => error.error_type() == ErrorType::LimitExceeded,
        _ => false,
    };
    if names_any(text, &["MILLISECONDS"]) {
        return false;
    }
    match (one, other) {
        (Ok(_), Ok(_)) => true,
        (Ok(_), Err(error)) | (Err(error), Ok(_)) => {
            let may = limited(one) || limited(other) || names_any(text, lazy);
            assert!(may, "only one of two runs fails:\n{text}\n{error}");
            false
        }
        (Err(_), Err(_)) => false,
    }
}

/// Whether the order of rows, which only ORDER BY promises, can be seen in what comes out.
fn depends_on_order(text: &str) -> bool {
    let words = [
        "LIMIT",
        "SKIP",
        "OFFSET",
        "COLLECT",
        "SHORTEST",
        "ANY ",
        "RAND",
        "ID(",
        "UUID",
        "SET",
        "MERGE",
        "SUM",
        "AVG",
        "STDEV",
        "| ",
        "EXPLAIN",
        "PROFILE",
        "PERCENTILE",
        "TRANSACTIONS",
    ];
    names_any(text, &words)
}

fn names_any(text: &str, words: &[&str]) -> bool {
    let text = text.to_ascii_uppercase();
    words.iter().any(|word| text.contains(word))
}

fn sorted(answer: &Answer) -> Option<Vec<&String>> {
    let mut rows: Vec<&String> = answer.as_ref().ok()?.iter().collect();
    rows.sort_unstable();
    Some(rows)
}

/// The graph and its declarations without ids, which differ from run to run.
fn dump(database: &Database) -> String {
    let mut bytes = Vec::new();
    let dumped = database.dump_canonical(&mut bytes, &mut Watch::quiet());
    dumped.expect("a small graph");
    String::from_utf8(bytes).expect("text")
}
