//! Scientific abstracts and questions that nobody here wrote: the order of what is found, judged by people.
//!
//! The texts lie outside the repository; without them the test says so and passes.

use super::slow::{BODY, TITLE, property};
use crate::database::Database;
use crate::index::text::{
    Analysis, OwnerId, Query, SearchOptions, TextCache, TextField, TextIndex, TextReader,
    TextSettings, TextWriter, Weight,
};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// BM25 of others reaches 0.665 to 0.68 here.
const LEAST_NDCG: f64 = 0.67;

fn shared() -> PathBuf {
    let named = std::env::var_os("STRATIGRAPH_SHARED").map(PathBuf::from);
    named.unwrap_or_else(|| {
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
            .join("../../shared")
    })
}

fn lines(path: &Path) -> Vec<Value> {
    let unpacked = Command::new("gzip")
        .arg("-dc")
        .arg(path)
        .output()
        .expect("gzip runs");
    assert!(
        unpacked.status.success(),
        "cannot unpack {}",
        path.display()
    );
    let text = String::from_utf8(unpacked.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .or_else(|| value.as_str()?.parse().ok())
        .unwrap()
}

#[test]
fn abstracts_that_people_judged_right_come_first() {
    let folder = shared().join("eval/scifact");
    if !folder.join("corpus.jsonl.gz").is_file() {
        eprintln!("SKIPPED: no corpus.jsonl.gz in {}", folder.display());
        return;
    }
    let field = |number| TextField {
        property: property(number),
        weight: Weight::ONE,
    };
    let settings = TextSettings::new(vec![field(TITLE), field(BODY)], Analysis::English).unwrap();
    let index = TextIndex::numbered(1, settings);
    let db = Database::in_memory().unwrap();
    for portion in lines(&folder.join("corpus.jsonl.gz")).chunks(1000) {
        let mut txn = db.key_write().unwrap();
        let mut writer = TextWriter::new(index.clone());
        for document in portion {
            let text = |name: &str| document[name].as_str().unwrap_or_default().to_owned();
            let (title, body) = (text("title"), text("text"));
            let texts = [
                (property(TITLE), title.as_str()),
                (property(BODY), body.as_str()),
            ];
            writer.set(OwnerId::new(number(&document["id"])), texts);
        }
        writer.settle(&mut txn).unwrap();
        txn.commit().unwrap();
    }
    let (read, cache) = (db.key_read().unwrap(), TextCache::default());
    let search = TextReader::open(&read, &index, &cache).unwrap();
    let questions = lines(&folder.join("questions.jsonl.gz"));
    let mut sum = 0.0;
    for question in &questions {
        let query = Query::term(question["question"].as_str().unwrap());
        let hits = search.search(&query, &SearchOptions::top(10)).unwrap().hits;
        let gold: HashMap<u64, f64> = question["gold"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(id, grade)| (id.parse().unwrap(), grade.as_f64().unwrap()))
            .collect();
        let discounted = |gains: &mut dyn Iterator<Item = f64>| -> f64 {
            gains
                .zip(2..)
                .map(|(gain, rank): (f64, u32)| gain / f64::from(rank).log2())
                .sum()
        };
        let mut best: Vec<f64> = gold.values().copied().collect();
        best.sort_by(|one, other| other.total_cmp(one));
        let found = discounted(
            &mut hits
                .iter()
                .map(|hit| gold.get(&hit.owner.get()).copied().unwrap_or_default()),
        );
        sum += found / discounted(&mut best.into_iter().take(10));
    }
    let ndcg = sum / questions.len() as f64;
    println!(
        "scifact: nDCG@10 {ndcg:.4} over {} questions",
        questions.len()
    );
    assert!(ndcg >= LEAST_NDCG, "nDCG@10 {ndcg:.4}");
}
