//! Thresholds lie in the database that they are of: one node for each pipeline, embedder and judge.
//!
//! They are no part of what documents say: two databases of the same documents differ in them if only one was calibrated.

use stratigraph::{Database, NodeId, Read, Value};

use super::Calibration;
use crate::build::hash;
use crate::retrieve::{Operator, Pipeline};

/// The label of thresholds.
const CALIBRATION: &str = "Calibration";

/// What a threshold is kept under: everything that decides what confidences a pipeline gives. What it packs first does, as a
/// confidence is of the first that is packed. What it is called and how a model writes from it is no part of it, nor is its
/// budget: a confidence is of what the usual one holds, whatever is packed. A larger one holds more, and so is trusted as much
/// or more; `most` cuts off what is not looked at then, and is trusted as much or less.
pub(crate) fn key(
    pipeline: &Pipeline,
    embedder: &str,
    (reranker, model): (Option<&str>, Option<&str>),
) -> String {
    // Numbers and names: there is nothing in it that JSON has not.
    let stages = serde_json::to_string(&pipeline.stages).unwrap_or_default();
    let has = |wanted: fn(&Operator) -> bool| pipeline.stages.iter().any(|one| wanted(&one.run));
    let reranks = has(|operator| matches!(operator, Operator::Rerank(_)));
    let judges = has(|operator| match operator {
        Operator::Judge(_) | Operator::MultiQuery(_) | Operator::ExtractTriples(_) => true,
        // It asks one if there is one, unless it goes by the rule alone.
        Operator::Route(route) => *route != route.clone().by_rule(),
        Operator::Descend(descend) => descend.is_judged(),
        _ => false,
    });
    let reranker = reranker.filter(|_| reranks).unwrap_or_default();
    let model = model.filter(|_| judges).unwrap_or_default();
    // A pipeline that packs nothing first has the key that it had before there was such a setting.
    let first = pipeline.pack_first.iter().map(String::as_str);
    hash(
        [stages.as_str(), embedder, reranker, model]
            .into_iter()
            .chain(first),
    )
}

/// The threshold of this key.
pub(super) fn get<R: Read>(read: &R, key: &str) -> Result<Option<Calibration>, stratigraph::Error> {
    match node(read, key)? {
        Some(node) => calibration(read, node),
        None => Ok(None),
    }
}

/// All thresholds that a database keeps, by the names of their pipelines; also where nothing else of it can be opened, as its
/// embedder is not here.
///
/// # Errors
/// What the database says.
pub fn calibrations<R: Read>(read: &R) -> Result<Vec<Calibration>, stratigraph::Error> {
    let mut all = Vec::new();
    for node in read.nodes_with_label(CALIBRATION)? {
        all.extend(calibration(read, NodeId::new(node))?);
    }
    all.sort_by(|one, other| one.pipeline.cmp(&other.pipeline));
    Ok(all)
}

/// Keeps one in the place of what was there.
pub(super) fn put(
    db: &Database,
    key: &str,
    calibration: &Calibration,
) -> Result<(), stratigraph::Error> {
    // Numbers and names: there is nothing in it that JSON has not.
    let told = serde_json::to_string(calibration).unwrap_or_default();
    let mut txn = db.write()?;
    match node(&txn, key)? {
        Some(node) => txn.set_property(node, "verdict", told)?,
        None => {
            let properties: [(&str, Value); 2] = [("key", key.into()), ("verdict", told.into())];
            txn.create_node([CALIBRATION], properties)?;
        }
    }
    txn.commit()?;
    Ok(())
}

/// There are as many as somebody has calibrated pipelines: a few.
fn node<R: Read>(read: &R, key: &str) -> Result<Option<NodeId>, stratigraph::Error> {
    for node in read.nodes_with_label(CALIBRATION)? {
        let node = NodeId::new(node);
        if read.property(node, "key")?.as_str() == Some(key) {
            return Ok(Some(node));
        }
    }
    Ok(None)
}

/// What a node says; nothing if that is in words that this version does not know: it is calibrated again then.
fn calibration<R: Read>(read: &R, node: NodeId) -> Result<Option<Calibration>, stratigraph::Error> {
    let told = read.property(node, "verdict")?;
    let calibration = told
        .as_str()
        .and_then(|told| serde_json::from_str(told).ok());
    Ok(calibration.filter(|known: &Calibration| known.threshold.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_part_of_the_key_where_it_decides_what_is_found() {
        let of = |run: &str, model: &str| {
            let text = format!("name = 'p'\n[[stage]]\nname = 'a'\nrun.{run}");
            let pipeline = Pipeline::parse(&text).unwrap();
            key(&pipeline, "embedder", (None, Some(model)))
        };
        for (run, is_part) in [
            ("vector = { of = 'chunks', k = 5 }", false),
            ("multi_query = { search.bm25 = { k = 5 } }", true),
            ("extract_triples = { of = 'facts', k = 5 }", true),
            ("descend = { keep = 5 }", false),
            ("descend = { keep = 5, judged = true }", true),
            ("route = {}", true),
            ("route = { model = false }", false),
        ] {
            assert_eq!(of(run, "one") != of(run, "other"), is_part, "{run}");
        }
    }

    #[test]
    fn what_is_packed_first_is_part_of_the_key_and_nothing_is_none() {
        let of = |first: &str| {
            let text =
                format!("name = 'p'\n{first}\n[[stage]]\nname = 'a'\nrun.bm25 = {{ k = 5 }}");
            let pipeline = Pipeline::parse(&text).unwrap();
            let stages = serde_json::to_string(&pipeline.stages).unwrap();
            (key(&pipeline, "embedder", (None, None)), stages)
        };
        let (plain, stages) = of("");
        // As it was before there was such a setting: what is kept under it stays.
        assert_eq!(plain, hash([stages.as_str(), "embedder", "", ""]));
        assert_eq!(of("pack_first = []").0, plain);
        assert_eq!(of("answer = { temperature = 0.7 }").0, plain);
        let [one, both, turned] = [
            "pack_first = ['Chunk']",
            "pack_first = ['Chunk', 'FACT']",
            "pack_first = ['FACT', 'Chunk']",
        ]
        .map(|first| of(first).0);
        assert!(plain != one && one != both && both != turned);
    }
}
