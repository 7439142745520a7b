//! `:tree`: what a TRAVERSE found, as a tree of its levels.
//!
//! ```text
//! + Safety          0.82
//! |- + Fire         0.91
//! |  |- + Alarms    0.95
//! |  `- ~ Locks     0.6   cut
//! `- - First aid    0.44  rejected
//! * Boilers         0.93  recovered on level 2
//! ```
//! It needs the rows of the clause's own columns, and asks for them if the statement does not.

use crate::failure::Failure;
use crate::statements::{Answer, cell_text, cut_to, width_of};
use std::collections::{BTreeMap, HashMap, HashSet};
use stratigraph::Value;
use stratigraph_query_lang::parse;

/// So many candidates are drawn.
pub(super) const MOST: usize = 2000;
/// What a statement is asked for that says nothing itself.
const ROWS: &str =
    "YIELD node, level, score, status, parent RETURN node, level, score, status, parent";
/// Properties that name a node, the best first.
const NAMES: [&str; 6] = ["name", "title", "label", "heading", "key", "id"];

/// The statement as it is asked: with every candidate, if it leaves open which rows it gives.
pub(super) fn asked(statement: &str) -> String {
    let statement = statement.trim().trim_end_matches(';').trim_end();
    let with = [
        statement.to_owned(),
        format!("{statement} EMIT CANDIDATES {ROWS}"),
        format!("{statement} {ROWS}"),
    ];
    let [plain, ..] = &with;
    let plain = plain.clone();
    with.into_iter()
        .find(|text| parse(text).is_ok())
        .unwrap_or(plain)
}

/// A candidate.
struct Candidate {
    node: String,
    name: String,
    level: i64,
    score: String,
    status: String,
    parent: Option<String>,
}

/// The tree of an answer.
///
/// # Errors
/// Those of its rows; it has no columns `node` and `level`.
pub(super) fn drawn(answer: &mut dyn Answer, room: Option<usize>) -> Result<String, Failure> {
    let columns = answer.columns().to_vec();
    let place = |name: &str| columns.iter().position(|column| &**column == name);
    let (Some(node), Some(level)) = (place("node"), place("level")) else {
        return Err(Failure::Command(
            "a tree needs the columns node and level, and shows score, status and parent: leave out YIELD and \
             RETURN, or return them"
                .to_owned(),
        ));
    };
    let (score, status, parent) = (place("score"), place("status"), place("parent"));
    let (mut candidates, mut more) = (Vec::new(), false);
    while let Some(row) = answer.next() {
        let row = row?;
        if candidates.len() >= MOST {
            more = true;
            break;
        }
        let value = |place: Option<usize>| {
            place
                .and_then(|place| row.get(place))
                .unwrap_or(&Value::Null)
        };
        let score = match value(score) {
            Value::Float(number) => format!("{number:.4}")
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned(),
            Value::Null => String::new(),
            other => cell_text(other),
        };
        let of = value(parent);
        candidates.push(Candidate {
            node: identity(value(Some(node))),
            name: name(value(Some(node))),
            level: value(Some(level)).as_int().unwrap_or(0),
            score,
            status: value(status).as_str().unwrap_or("kept").to_owned(),
            parent: (!of.is_null()).then(|| identity(of)),
        });
    }
    Ok(tree(&candidates, more, room))
}

/// What tells nodes apart: the number of a node, and otherwise the value.
fn identity(value: &Value) -> String {
    match value {
        Value::Node(node) => format!("#{}", node.id().get()),
        other => other.to_string(),
    }
}

/// What people call a node.
fn name(value: &Value) -> String {
    let Value::Node(node) = value else {
        return cell_text(value);
    };
    let named = NAMES
        .iter()
        .find_map(|name| node.properties().find(|(property, _)| property == name));
    match named {
        Some((_, value)) => cell_text(value),
        None => format!(
            "({}{})",
            node.id().get(),
            node.labels()
                .map(|label| format!(":{label}"))
                .collect::<String>()
        ),
    }
}

fn mark(status: &str) -> char {
    match status {
        "kept" => '+',
        "recovered" => '*',
        "cut" => '~',
        "rejected" => '-',
        _ => '?',
    }
}

/// A line of the tree: the name with what leads to it, the score, and what became of it.
type Line = (String, String, String);

fn tree(candidates: &[Candidate], more: bool, room: Option<usize>) -> String {
    let mut text = aligned(&arranged(candidates), room);
    text.push_str(&counted(candidates));
    text.push('\n');
    if more {
        text.push_str(&format!("the first {MOST} candidates: there are more\n"));
    }
    text
}

/// Each candidate under the one that it was reached from.
fn arranged(candidates: &[Candidate]) -> Vec<Line> {
    let known: HashSet<&str> = candidates.iter().map(|one| one.node.as_str()).collect();
    let mut below: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut tops = Vec::new();
    for (at, one) in candidates.iter().enumerate() {
        match one.parent.as_deref() {
            Some(parent) if known.contains(parent) && parent != one.node => {
                below.entry(parent).or_default().push(at);
            }
            _ => tops.push(at),
        }
    }
    let mut lines = Vec::new();
    let mut drawn = HashSet::new();
    let mut waiting: Vec<(usize, String, Option<bool>)> = tops
        .iter()
        .rev()
        .map(|at| (*at, String::new(), None))
        .collect();
    while let Some((at, before, last)) = waiting.pop() {
        let one = &candidates[at];
        if !drawn.insert(at) {
            continue;
        }
        let (branch, further) = match last {
            None => ("", ""),
            Some(true) => ("└─ ", "   "),
            Some(false) => ("├─ ", "│  "),
        };
        let far = if last.is_none() && one.level > 0 {
            format!(" on level {}", one.level)
        } else {
            String::new()
        };
        let status = match one.status.as_str() {
            "kept" => far.trim_start().to_owned(),
            other => format!("{other}{far}"),
        };
        let text = format!("{before}{branch}{} {}", mark(&one.status), one.name);
        lines.push((text, one.score.clone(), status));
        // A node may be a candidate on several levels; what was reached from it is drawn where it stayed.
        let stayed = matches!(one.status.as_str(), "kept" | "recovered");
        if stayed && let Some(children) = below.get(one.node.as_str()) {
            let children: Vec<usize> = children
                .iter()
                .copied()
                .filter(|child| candidates[*child].level > one.level)
                .collect();
            let count = children.len();
            for (place, child) in children.into_iter().enumerate().rev() {
                waiting.push((
                    child,
                    format!("{before}{further}"),
                    Some(place + 1 == count),
                ));
            }
        }
    }
    // What hangs on a parent that did not stay is not forgotten.
    for (at, one) in candidates.iter().enumerate() {
        if !drawn.contains(&at) {
            let text = format!("{} {}", mark(&one.status), one.name);
            lines.push((
                text,
                one.score.clone(),
                format!("{} on level {}", one.status, one.level),
            ));
        }
    }
    lines
}

/// The lines in columns; names are cut where there is no room for them.
fn aligned(lines: &[Line], room: Option<usize>) -> String {
    let widest = |of: fn(&Line) -> &String| {
        let widths = lines.iter().map(|line| width_of(of(line)));
        widths.max().unwrap_or(0)
    };
    let (scores, statuses) = (widest(|line| &line.1), widest(|line| &line.2));
    let mut names = widest(|line| &line.0);
    if let Some(room) = room {
        names = names.min(room.saturating_sub(scores + statuses + 4).max(12));
    }
    let mut text = String::new();
    for (name, score, status) in lines {
        let name = cut_to(name, names);
        let blanks = " ".repeat(names - width_of(&name));
        let after = " ".repeat(scores - width_of(score));
        let line = format!("{name}{blanks}  {score}{after}  {status}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// How many there are of each status.
fn counted(candidates: &[Candidate]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in candidates {
        *counts.entry(&one.status).or_default() += 1;
    }
    let order = ["kept", "recovered", "cut", "rejected", "unscored"];
    let told: Vec<String> = order
        .iter()
        .filter_map(|status| {
            counts
                .get(status)
                .map(|count| format!("{count} {status} {}", mark(status)))
        })
        .collect();
    match told.is_empty() {
        true => "nothing was reached".to_owned(),
        false => told.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_asked_for_what_it_leaves_open() {
        let traverse =
            "TRAVERSE FROM (r:Section {level: 1}) STEP (a)-[:HAS]->(b) SCORE b.fit KEEP TOP 2";
        assert_eq!(
            asked(&format!("{traverse};")),
            format!("{traverse} EMIT CANDIDATES {ROWS}")
        );
        let emits = format!("{traverse} EMIT CANDIDATES");
        assert_eq!(asked(&emits), format!("{emits} {ROWS}"));
        let whole = format!("{traverse} YIELD node, level RETURN node, level");
        assert_eq!(asked(&whole), whole);
        assert_eq!(asked("TRAVERSE nonsense"), "TRAVERSE nonsense");
    }

    #[test]
    fn levels_become_a_tree() {
        let one = |node: &str, level, score: &str, status: &str, parent: Option<&str>| Candidate {
            node: node.to_owned(),
            name: node.to_owned(),
            level,
            score: score.to_owned(),
            status: status.to_owned(),
            parent: parent.map(str::to_owned),
        };
        let all = [
            one("Safety", 0, "0.82", "kept", None),
            one("Offices", 0, "0.35", "rejected", None),
            one("Fire", 1, "0.91", "kept", Some("Safety")),
            one("First aid", 1, "0.44", "rejected", Some("Safety")),
            one("Alarms", 2, "0.95", "kept", Some("Fire")),
            one("Locks", 2, "0.6", "cut", Some("Fire")),
            one("Boilers", 2, "0.93", "recovered", None),
        ];
        let expected = "\
+ Safety           0.82
├─ + Fire          0.91
│  ├─ + Alarms     0.95
│  └─ ~ Locks      0.6   cut
└─ - First aid     0.44  rejected
- Offices          0.35  rejected
* Boilers          0.93  recovered on level 2
3 kept +, 1 recovered *, 1 cut ~, 2 rejected -
";
        let drawn = tree(&all, false, None);
        // The widest name decides.
        let expected = expected.replace("           0.82", "         0.82");
        assert_eq!(
            drawn.split_whitespace().collect::<Vec<_>>(),
            expected.split_whitespace().collect::<Vec<_>>(),
            "{drawn}"
        );
        assert_eq!(
            tree(&[], true, None).lines().next(),
            Some("nothing was reached")
        );
        // A circle, and a node that is its own parent, come to an end.
        let round = [
            one("a", 0, "", "kept", Some("b")),
            one("b", 1, "", "kept", Some("a")),
            one("c", 1, "", "kept", Some("c")),
        ];
        assert_eq!(tree(&round, false, None).lines().count(), 4);
    }
}
