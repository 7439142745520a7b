//! Texts and their vectors fused: both indexes of one database, asked by one call.

use super::K;
use super::set::TextSet;
use crate::measure::embedded::{DIMS, embedded};
use crate::measure::report::{Mark, Report};
use anyhow::Result;
use std::path::Path;
use stratigraph::index::text::Query;
use stratigraph::{
    Analysis, Database, Fusion, Read as _, TextIndex, TextSearch, Value, Vector, VectorIndex,
    VectorSearch,
};

/// So many are looked for on each side.
const DEPTH: usize = 100;

/// Returns nDCG@10 of both together.
pub(super) fn measure(set: &TextSet, dir: &Path, report: &mut Report) -> Result<f64> {
    let texts: Vec<String> = set
        .texts
        .iter()
        .map(|text| text.replace('\n', " "))
        .collect();
    let (rows, queries) = (
        embedded("scifact-texts", &texts)?,
        embedded("scifact-questions", &set.questions)?,
    );
    let db = Database::create(dir.join("fused"))?;
    db.create_vector_index(VectorIndex::on_nodes("Text", "meaning", DIMS).named("meaning"))?;
    let words = TextIndex::on_nodes("Text", ["words"]).analysis(Analysis::English);
    db.create_text_index(words.named("words"))?;
    let mut txn = db.write()?;
    for (text, row) in set.texts.iter().zip(rows.chunks_exact(DIMS)) {
        let meaning = Value::Vector(Vector::new(row.to_vec())?);
        let node = [("words", Value::from(text.as_str())), ("meaning", meaning)];
        txn.create_node(["Text"], node)?;
    }
    txn.commit()?;
    let read = db.read()?;
    // The numbers of a new database's nodes are the places of their texts.
    let ask = |fusion: Option<Fusion>| -> Result<Vec<Vec<u64>>> {
        let mut found = Vec::new();
        for (question, query) in set.questions.iter().zip(queries.chunks_exact(DIMS)) {
            let near = VectorSearch::new(query, DEPTH);
            let words = TextSearch::of(Query::term(question.as_str()), DEPTH);
            found.push(match fusion {
                Some(fusion) => {
                    let hits =
                        read.search_hybrid(("meaning", &near), ("words", &words), fusion, K)?;
                    hits.iter().map(|hit| hit.entity.number()).collect()
                }
                None => {
                    let hits = read.search_vectors("meaning", &near)?.hits;
                    hits.iter().take(K).map(|hit| hit.entity.number()).collect()
                }
            });
        }
        Ok(found)
    };
    let mut tell = |name: &str, fusion, mark| -> Result<f64> {
        let ndcg = set.ndcg(&ask(fusion)?).unwrap_or_default();
        report.count(format!("scifact_{name}_ndcg"), ndcg, None, "nDCG@10", mark);
        Ok(ndcg)
    };
    tell("vectors", None, None)?;
    tell("by_ranks", Some(Fusion::default()), None)?;
    let fusion = Fusion::NormalisedScore { vector_weight: 1.0 };
    tell("fused", Some(fusion), Some(Mark::AtLeast(0.70)))
}
