//! The operator against the executable specification in Python, which stands outside this
//! repository: `tck/traverse_reference.py` in the folder that `STRATIGRAPH_SHARED` names, or in
//! `../shared` beside the repository. Where it is absent the test says so and proves nothing.

use super::super::*;
use super::case::{Case, Condition, Scores, Way};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const GRAPHS: u64 = 600;

/// Reads one case per line as JSON, and prints the rows of each on one line.
const DRIVER: &str = r#"
import json, sys
sys.path.insert(0, sys.argv[1])
from traverse_reference import traverse
for line in sys.stdin:
    c = json.loads(line)
    scores = {tuple(k): s for *k, s in c["scores"]}
    rscores = {tuple(k): s for *k, s in c["rscores"]}
    steps = {}
    for e, a, b in c["edges"]: steps.setdefault(a, []).append((e, b))
    above = lambda t, strict: None if t is None else (
        lambda b, s, l: None if s is None else (s > t if strict else s >= t))
    try:
        rows = traverse(c["roots"], lambda a: steps.get(a, []),
            lambda b, a, e, l: scores[(b, a, e, l)], levels=(c["lo"], c["hi"]),
            keep=above(c["tau"], c["strict"]), top=c["top"], per_parent=c["per_parent"],
            unfiltered=c["unfiltered"],
            recover=None if c["members"] is None else lambda l: c["members"].get(str(l), []),
            rscore=(lambda b, a, e, l: rscores[(b, a, e, l)]) if c["own"] else None,
            rkeep=above(c["rtau"], c["rstrict"]), rtop=c["rtop"], max_nodes=c["max_nodes"])
    except RuntimeError as error:
        print(error); continue
    print(";".join("%d %d %s %d %d %s" % (r["node"], r["level"], "null" if r["score"] is None
        else "%.1f" % (r["score"] + 0.0), r["parent"], r["edge"], r["status"]) for r in rows))
"#;

/// The case with only what the Python version knows.
fn plain_case(seed: u64) -> Option<Case> {
    let mut case = Case::random(seed);
    let odd = |condition| matches!(condition, Condition::Odd { .. });
    let odd_recover = case
        .recover
        .as_ref()
        .is_some_and(|recover| odd(recover.condition));
    if !case.single || odd(case.condition) || odd_recover || case.scores.is_none() {
        return None;
    }
    case.emit = Emit::Candidates;
    case.columns.arrivals = true;
    case.budget = case.budget.map(|budget| Budget {
        unit: BudgetUnit::Nodes,
        on_exceed: OnExceed::Error,
        ..budget
    });
    Some(case)
}

fn or_null<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| value.to_string())
}

/// A table of every score that may be asked for: node, parent, edge, level, score.
fn table(case: &Case, scores: Option<Scores>) -> String {
    let Some(scores) = scores else {
        return String::new();
    };
    let mut lines = Vec::new();
    for level in 0..40 {
        for node in 0..case.nodes {
            let score = or_null(scores.of(node, None, level));
            lines.push(format!("[{node},null,null,{level},{score}]"));
        }
        for edge in &case.edges {
            let way: Way = (edge.parent, vec![edge.relationship]);
            let score = or_null(scores.of(edge.node, Some(&way), level));
            let (node, parent, id) = (edge.node, edge.parent, edge.relationship);
            lines.push(format!("[{node},{parent},{id},{level},{score}]"));
        }
    }
    lines.join(",")
}

fn json(case: &Case) -> String {
    let tau = |condition| match condition {
        Condition::Above(tau) | Condition::AtLeast(tau) => tau.to_string(),
        _ => "null".to_owned(),
    };
    let strict = |condition| matches!(condition, Condition::Above(_));
    let edges: Vec<String> = (case.edges.iter())
        .map(|edge| format!("[{},{},{}]", edge.relationship, edge.parent, edge.node))
        .collect();
    let mut line = format!(
        r#"{{"roots":{:?},"edges":[{}],"scores":[{}],"lo":{},"hi":{},"tau":{},"strict":{},"top":{},"per_parent":{},"unfiltered":{},"max_nodes":{}"#,
        case.roots,
        edges.join(","),
        table(case, case.scores),
        case.first,
        or_null(case.last),
        tau(case.condition),
        strict(case.condition),
        or_null(case.top),
        case.per_parent,
        case.unfiltered,
        or_null(case.budget.map(|budget| budget.limit)),
    );
    match &case.recover {
        None => line.push_str(
            r#","members":null,"own":false,"rscores":[],"rtau":null,"rstrict":true,"rtop":null}"#,
        ),
        Some(recover) => {
            let members: Vec<String> = (recover.members.iter())
                .map(|(level, nodes)| format!("\"{level}\":{nodes:?}"))
                .collect();
            let _ = write!(
                line,
                r#","members":{{{}}},"own":{},"rscores":[{}],"rtau":{},"rstrict":{},"rtop":{}}}"#,
                members.join(","),
                recover.scores.is_some(),
                table(case, recover.scores),
                tau(recover.condition),
                strict(recover.condition),
                or_null(recover.top),
            );
        }
    }
    line
}

fn told(case: &Case) -> String {
    match case.run() {
        Ok(result) => (result.rows.iter())
            .map(|row| {
                let score = row.score.map(|score| format!("{:.1}", score + 0.0));
                let edge = row
                    .edge()
                    .and_then(|edge| edge.last().map(|id| id.get().to_string()));
                format!(
                    "{} {} {} {} {} {}",
                    row.node,
                    row.level,
                    or_null(score),
                    row.parent()
                        .map_or("-1".to_owned(), |parent| parent.to_string()),
                    edge.unwrap_or("-1".to_owned()),
                    row.status
                )
            })
            .collect::<Vec<_>>()
            .join(";"),
        Err(TraverseError::BudgetExceeded { level, .. }) => format!("BudgetExceeded level {level}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn rows_are_those_of_the_executable_specification() {
    let shared = std::env::var_os("STRATIGRAPH_SHARED").map_or_else(
        || {
            PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
                .join("../../shared")
        },
        PathBuf::from,
    );
    let folder = shared.join("tck");
    if !folder.join("traverse_reference.py").is_file() {
        eprintln!("SKIPPED: no traverse_reference.py in {}", folder.display());
        return;
    }
    let python = Command::new("python3")
        .arg("-B")
        .arg("-c")
        .arg(DRIVER)
        .arg(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut python = match python {
        Ok(python) => python,
        Err(error) => {
            eprintln!("SKIPPED: python3 does not start: {error}");
            return;
        }
    };
    let cases: Vec<(u64, Case)> = (0..)
        .filter_map(|seed| Some((seed, plain_case(seed)?)))
        .take(usize::try_from(GRAPHS).unwrap())
        .collect();
    let mut input = python.stdin.take().unwrap();
    let lines: Vec<String> = cases.iter().map(|(_, case)| json(case)).collect();
    let writer = std::thread::spawn(move || {
        for line in lines {
            writeln!(input, "{line}").expect("python3 reads its input");
        }
    });
    let output = python.wait_with_output().expect("python3 ends");
    writer.join().unwrap();
    assert!(output.status.success(), "python3 failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<&str> = text.lines().collect();
    assert_eq!(answers.len(), cases.len());
    for ((seed, case), answer) in cases.iter().zip(answers) {
        assert_eq!(told(case), answer, "seed {seed}: {case:#?}");
    }
    println!("{GRAPHS} random graphs agree with the executable specification");
}
