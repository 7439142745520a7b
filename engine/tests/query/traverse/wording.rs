//! A case as a query: as the clause, as its twin, and as a quantified path.
//!
//! Next: `../main.rs`.

use super::case::{Case, Keep, Score};
use std::fmt::Write as _;
use stratigraph::{NodeId, NodeValue, Parameters, Value};

const COLUMNS: &str = "node, level, score, status, parent, edge, path, roots, rank";

fn ids(case: &Case, nodes: &[NodeId]) -> Vec<Value> {
    let of = |place: &usize| Value::from(i64::try_from(nodes[*place].get()).unwrap());
    case.roots.iter().map(of).collect()
}

/// How a keep is written, with numbers in place.
fn keep(keep: &Keep) -> String {
    let mut text = " KEEP".to_owned();
    if let Some(top) = keep.top {
        write!(text, " TOP {top}").unwrap();
    }
    if keep.per_parent {
        text.push_str(" PER PARENT");
    }
    if let Some((bound, counts)) = keep.bound {
        let sign = if counts { ">=" } else { ">" };
        write!(text, " WHERE score {sign} {bound:?}").unwrap();
    }
    text
}

pub(super) fn clause(case: &Case, nodes: &[NodeId]) -> (String, Parameters) {
    let mut text =
        "OPTIONAL MATCH (r:N) WHERE id(r) IN $roots WITH collect(r) AS rs TRAVERSE FROM rs"
            .to_owned();
    if case.unfiltered {
        text.push_str(" UNFILTERED");
    }
    text.push_str(" STEP (a)-[e:E]->(b:N)");
    let (first, last) = case.levels;
    let last = last.map_or(String::new(), |last| last.to_string());
    write!(text, " LEVELS {first}..{last}").unwrap();
    text.push_str(match case.score {
        Score::None => "",
        Score::Likeness => " SCORE vector.cosine(b.emb, $q)",
        Score::Edge => " SCORE CASE WHEN e IS NULL THEN b.n ELSE e.n END",
        Score::NodeAndLevel => " SCORE b.n - level / 4.0",
    });
    if let Some(of) = &case.keep {
        text.push_str(&keep(of));
    }
    if let Some((of, own)) = &case.recover {
        text.push_str(" RECOVER (m:N {at: level})");
        if *own {
            text.push_str(" SCORE m.n");
        }
        text.push_str(&keep(of));
    }
    if case.candidates {
        text.push_str(" EMIT CANDIDATES");
    }
    if let Some((limit, stops)) = case.budget {
        write!(text, " BUDGET {limit} NODES").unwrap();
        text.push_str(if stops { " ON EXCEED STOP" } else { "" });
    }
    write!(text, " YIELD {COLUMNS} RETURN {COLUMNS}").unwrap();
    (text, parameters(case, nodes))
}

fn parameters(case: &Case, nodes: &[NodeId]) -> Parameters {
    let q = Value::from(vec![1.0, 0.0]);
    Parameters::from([("roots", Value::from(ids(case, nodes))), ("q", q)])
}

fn map<const N: usize>(entries: [(&str, Option<Value>); N]) -> Value {
    let given = entries
        .into_iter()
        .filter_map(|(key, value)| Some((key.into(), value?)));
    Value::map(given.collect()).unwrap()
}

fn keep_map(of: &Keep, more: [(&str, Option<Value>); 2]) -> Value {
    let [one, two] = more;
    let bound = |wanted: bool| {
        of.bound
            .filter(|(_, counts)| *counts == wanted)
            .map(|(bound, _)| bound.into())
    };
    map([
        ("top", of.top.map(Value::from)),
        ("per_parent", of.per_parent.then_some(Value::Bool(true))),
        ("above", bound(false)),
        ("at_least", bound(true)),
        one,
        two,
    ])
}

/// The twin, which scores by likeness only.
pub(super) fn twin(case: &Case, nodes: &[NodeId]) -> Option<(String, Parameters)> {
    if !matches!(case.score, Score::None | Score::Likeness)
        || case.recover.is_some_and(|(_, own)| own)
    {
        return None;
    }
    let (first, last) = case.levels;
    let score = map([
        ("property", Some("emb".into())),
        ("query", Some(Value::from(vec![1.0, 0.0]))),
    ]);
    let recover = case.recover.map(|(keep, _)| {
        keep_map(
            &keep,
            [("match", Some("(m:N {at: level})".into())), ("score", None)],
        )
    });
    let budget = case.budget.map(|(limit, stops)| {
        map([
            ("nodes", Some(limit.into())),
            ("on_exceed", stops.then(|| "stop".into())),
        ])
    });
    let levels = vec![Value::from(first), last.map_or(Value::Null, Value::from)];
    let settings = map([
        ("step", Some("(a)-[e:E]->(b:N)".into())),
        ("levels", Some(Value::from(levels))),
        ("score", (case.score == Score::Likeness).then_some(score)),
        (
            "keep",
            case.keep
                .map(|keep| keep_map(&keep, [("", None), ("", None)])),
        ),
        ("recover", recover),
        ("unfiltered", Some(case.unfiltered.into())),
        ("emit", case.candidates.then(|| "candidates".into())),
        ("budget", budget),
    ]);
    let roots: Vec<Value> = case
        .roots
        .iter()
        .map(|place| Value::Node(NodeValue::of(nodes[*place])))
        .collect();
    let text = format!("CALL rag.traverse($roots, $settings) YIELD {COLUMNS} RETURN {COLUMNS}");
    Some((
        text,
        Parameters::from([("roots", Value::from(roots)), ("settings", settings)]),
    ))
}

/// A traversal with a threshold alone, as a quantified path.
pub(super) fn quantified(case: &Case, nodes: &[NodeId]) -> (String, Parameters) {
    let text = "MATCH (r:N) WHERE id(r) IN $roots AND vector.cosine(r.emb, $q) > 0.5 \
                MATCH (r) ((a)-[:E]->(b:N) WHERE vector.cosine(b.emb, $q) > 0.5){0,3} (x) RETURN DISTINCT x";
    (text.to_owned(), parameters(case, nodes))
}
