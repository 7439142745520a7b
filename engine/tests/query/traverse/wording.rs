//! A case as a query: as the clause, as its twin, and as a quantified path.
//!
//! Next: `../main.rs`.

use super::case::{Also, Case, Keep, Own, Score};
use std::fmt::Write as _;
use stratigraph::{NodeId, NodeValue, Parameters, Value};

const COLUMNS: &str = "node, level, score, status, parent, edge, path, roots, rank";

fn ids(case: &Case, nodes: &[NodeId]) -> Vec<Value> {
    let of = |place: &usize| Value::from(i64::try_from(nodes[*place].get()).unwrap());
    case.roots.iter().map(of).collect()
}

/// How a keep of a node is written, with numbers in place.
fn keep(keep: &Keep, node: &str) -> String {
    let mut text = " KEEP".to_owned();
    if let Some(top) = keep.top {
        write!(text, " TOP {top}").unwrap();
    }
    if keep.per_parent {
        text.push_str(" PER PARENT");
    }
    let bound = keep.bound.map(|(bound, counts)| {
        let sign = if counts { ">=" } else { ">" };
        format!("score {sign} {bound:?}")
    });
    let also = keep.also.map(|also| match also {
        Also::Leaving => format!("EXISTS {{ ({node})-[:E]->() }}"),
        Also::Met => format!("COUNT {{ ({node})<-[:E]-() }} > 1"),
        Also::OnlyWay => format!("COUNT {{ (a)-[:E]->({node}) }} = 1"),
    });
    let both: Vec<String> = [bound, also].into_iter().flatten().collect();
    if !both.is_empty() {
        write!(text, " WHERE {}", both.join(" AND ")).unwrap();
    }
    text
}

fn step(case: &Case) -> &'static str {
    match (case.backwards, case.only_up) {
        (false, false) => "(a)-[e:E]->(b:N)",
        (false, true) => "(a)-[e:E WHERE e.n >= 0]->(b:N)",
        (true, false) => "(a)<-[e:BACK]-(b:N)",
        (true, true) => "(a)<-[e:BACK WHERE e.n >= 0]-(b:N)",
    }
}

pub(super) fn clause(case: &Case, nodes: &[NodeId]) -> (String, Parameters) {
    let mut text =
        "OPTIONAL MATCH (r:N) WHERE id(r) IN $roots WITH collect(r) AS rs TRAVERSE FROM rs"
            .to_owned();
    if case.unfiltered {
        text.push_str(" UNFILTERED");
    }
    write!(text, " STEP {}", step(case)).unwrap();
    let (first, last) = case.levels;
    let last = last.map_or(String::new(), |last| last.to_string());
    write!(text, " LEVELS {first}..{last}").unwrap();
    text.push_str(match case.score {
        Score::None => "",
        Score::Likeness => " SCORE vector.cosine(b.emb, $q)",
        Score::Dot => " SCORE vector.dot(b.emb, $q)",
        Score::Edge => " SCORE CASE WHEN e IS NULL THEN b.n ELSE e.n END",
        Score::NodeAndLevel => " SCORE b.n - level / 4.0",
        Score::Leaving => " SCORE COUNT { (b)-[:E]->() } / 4.0",
        Score::Between => " SCORE COUNT { (a)-[:E]->(b) } / 4.0",
        Score::IfLeading => {
            " SCORE CASE WHEN EXISTS { (b)-[:E]->(c:N) WHERE c.n > 0 } THEN b.n END"
        }
    });
    if let Some(of) = &case.keep {
        text.push_str(&keep(of, "b"));
    }
    if let Some((of, own)) = &case.recover {
        text.push_str(" RECOVER (m:N {at: level})");
        text.push_str(match own {
            None => "",
            Some(Own::Number) => " SCORE m.n",
            Some(Own::Dot) => " SCORE vector.dot(m.emb, $q)",
        });
        text.push_str(&keep(of, "m"));
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

/// `{property, query, function}`.
fn score_map(function: Option<&str>) -> Value {
    map([
        ("property", Some("emb".into())),
        ("query", Some(Value::from(vec![1.0, 0.0]))),
        ("function", function.map(Value::from)),
    ])
}

/// The twin, which scores by a function of a property and a vector, and whose KEEP has a threshold alone.
pub(super) fn twin(case: &Case, nodes: &[NodeId]) -> Option<(String, Parameters)> {
    let also = |keep: &Keep| keep.also.is_some();
    if case.keep.as_ref().is_some_and(also) {
        return None;
    }
    let score = match case.score {
        Score::None => None,
        Score::Likeness => Some(score_map(None)),
        Score::Dot => Some(score_map(Some("vector.dot"))),
        _ => return None,
    };
    let recover = match &case.recover {
        Some((_, Some(Own::Number)) | (Keep { also: Some(_), .. }, _)) => return None,
        Some((keep, own)) => Some(keep_map(
            keep,
            [
                ("match", Some("(m:N {at: level})".into())),
                ("score", own.map(|_| score_map(Some("vector.dot")))),
            ],
        )),
        None => None,
    };
    let (first, last) = case.levels;
    let budget = case.budget.map(|(limit, stops)| {
        map([
            ("nodes", Some(limit.into())),
            ("on_exceed", stops.then(|| "stop".into())),
        ])
    });
    let levels = vec![Value::from(first), last.map_or(Value::Null, Value::from)];
    let settings = map([
        ("step", Some(step(case).into())),
        ("levels", Some(Value::from(levels))),
        ("score", score),
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

/// A traversal with a threshold alone, as a quantified path: which nodes, as the design writes it.
pub(super) fn quantified(case: &Case, nodes: &[NodeId]) -> (String, Parameters) {
    let text = format!("{} RETURN DISTINCT x", paths(case));
    (text, parameters(case, nodes))
}

/// The same with levels and scores, in the order of the clause.
pub(super) fn quantified_rows(case: &Case, nodes: &[NodeId]) -> (String, Parameters) {
    let text = format!(
        "{} WITH x, min(length(p)) AS level RETURN x, level, vector.cosine(x.emb, $q) AS score \
         ORDER BY level, score DESC, id(x)",
        paths(case)
    );
    (text, parameters(case, nodes))
}

fn paths(case: &Case) -> String {
    let bound = case.keep.and_then(|keep| keep.bound);
    let (bound, counts) = bound.expect("a threshold");
    let sign = if counts { ">=" } else { ">" };
    let passes = |node: &str| format!("vector.cosine({node}.emb, $q) {sign} {bound:?}");
    let last = case.levels.1.expect("a last level");
    format!(
        "MATCH (r:N) WHERE id(r) IN $roots AND {} MATCH p = (r) ({} WHERE {}){{0,{last}}} (x)",
        passes("r"),
        step(case),
        passes("b")
    )
}

/// Every node of the first levels whose likeness passes, level by level: what the hierarchy does not matter for.
pub(super) fn flat(case: &Case, nodes: &[NodeId]) -> (String, Parameters) {
    let bound = case.keep.and_then(|keep| keep.bound);
    let (bound, counts) = bound.expect("a threshold");
    let sign = if counts { ">=" } else { ">" };
    let last = case.levels.1.expect("a last level");
    let text = format!(
        "MATCH (n:N) WHERE n.at <= {last} WITH n, n.at AS level, vector.cosine(n.emb, $q) AS score \
         WHERE score {sign} {bound:?} RETURN n, level, score ORDER BY level, score DESC, id(n)"
    );
    (text, parameters(case, nodes))
}
