//! Random transactions beside an index that is made anew of what is there: both find the same, with the same
//! scores, whatever was written, taken back, removed and labelled in between.

use super::*;
use fastrand::Rng;
use std::collections::BTreeMap;

const WORDS: [&str; 12] = [
    "basalt",
    "granite",
    "marble",
    "slate",
    "gneiss",
    "sandstone",
    "shale",
    "chalk",
    "flint",
    "lava",
    "obsidian",
    "pumice",
];

#[derive(Clone, Debug)]
struct Model {
    labelled: bool,
    text: String,
}

type Nodes = BTreeMap<u64, Model>;

fn text(rng: &mut Rng) -> String {
    let count = rng.usize(1..20);
    let words: Vec<&str> = (0..count)
        .map(|_| WORDS[rng.usize(..WORDS.len())])
        .collect();
    words.join(" ")
}

fn change(txn: &mut stratigraph::WriteTxn, nodes: &mut Nodes, rng: &mut Rng) {
    let some = nodes.keys().nth(rng.usize(..nodes.len().max(1))).copied();
    match (rng.usize(..6), some) {
        (0..=2, _) | (_, None) => {
            let model = Model {
                labelled: rng.usize(..4) > 0,
                text: text(rng),
            };
            let labels: &[&str] = if model.labelled { &["L"] } else { &[] };
            let node = txn
                .create_node(labels, [("text", model.text.as_str())])
                .unwrap();
            nodes.insert(node.get(), model);
        }
        (3, Some(id)) => {
            txn.delete_node(NodeId::new(id)).unwrap();
            nodes.remove(&id);
        }
        (4, Some(id)) => {
            let model = nodes.get_mut(&id).unwrap();
            model.labelled = !model.labelled;
            if model.labelled {
                txn.add_label(NodeId::new(id), "L").unwrap();
            } else {
                txn.remove_label(NodeId::new(id), "L").unwrap();
            }
        }
        (_, Some(id)) => {
            let text = text(rng);
            txn.set_property(NodeId::new(id), "text", text.as_str())
                .unwrap();
            nodes.get_mut(&id).unwrap().text = text;
        }
    }
}

/// An index of what the model says.
fn anew(nodes: &Nodes) -> (Database, Vec<u64>) {
    let db = Database::in_memory().unwrap();
    let mut txn = db.write().unwrap();
    let labelled = nodes.iter().filter(|(_, model)| model.labelled);
    let mut ids = Vec::new();
    for (id, model) in labelled {
        txn.create_node(["L"], [("text", model.text.as_str())])
            .unwrap();
        ids.push(*id);
    }
    txn.commit().unwrap();
    db.create_text_index(TextIndex::on_nodes("L", ["text"]).named("texts"))
        .unwrap();
    (db, ids)
}

fn compare(read: &impl Read, nodes: &Nodes, rng: &mut Rng, seed: u64) {
    let (other, ids) = anew(nodes);
    let other = other.read().unwrap();
    for _ in 0..3 {
        let words = match rng.usize(..3) {
            0 => text(rng),
            1 => format!("+{} -{}", WORDS[rng.usize(..12)], WORDS[rng.usize(..12)]),
            _ => format!("\"{} {}\"", WORDS[rng.usize(..12)], WORDS[rng.usize(..12)]),
        };
        let search = TextSearch::new(&words, 10);
        let found = read.search_text("texts", &search).unwrap().hits;
        let found: Vec<(u64, f32)> = found
            .iter()
            .map(|hit| (hit.entity.number(), hit.score))
            .collect();
        let wanted = other.search_text("texts", &search).unwrap().hits;
        let wanted: Vec<(u64, f32)> = wanted
            .iter()
            .map(|hit| (ids[hit.entity.number() as usize], hit.score))
            .collect();
        assert_eq!(found, wanted, "seed {seed}, {words}");
    }
}

#[test]
fn answers_are_those_of_an_index_made_anew() {
    for seed in 0..10 {
        let rng = &mut Rng::with_seed(seed);
        let db = Database::in_memory().unwrap();
        db.create_text_index(TextIndex::on_nodes("L", ["text"]).named("texts"))
            .unwrap();
        let mut nodes = Nodes::new();
        let mut old = Vec::new();
        for _ in 0..20 {
            let mut txn = db.write().unwrap();
            let mut now = nodes.clone();
            for _ in 0..rng.usize(1..30) {
                change(&mut txn, &mut now, rng);
            }
            if rng.bool() {
                let (before, kept) = (txn.savepoint().unwrap(), now.clone());
                for _ in 0..rng.usize(1..10) {
                    change(&mut txn, &mut now, rng);
                }
                compare(&txn, &now, rng, seed);
                if rng.bool() {
                    txn.rollback_to(before).unwrap();
                    now = kept;
                }
            }
            compare(&txn, &now, rng, seed);
            if rng.usize(..5) == 0 {
                txn.rollback();
            } else {
                txn.commit().unwrap();
                nodes = now;
            }
            compare(&db.read().unwrap(), &nodes, rng, seed);
            if rng.usize(..4) == 0 {
                old.push((db.read().unwrap(), nodes.clone()));
            }
            if rng.usize(..4) == 0 {
                db.tend_text_index("texts", &mut Watch::quiet()).unwrap();
            }
            for (read, then) in &old {
                compare(read, then, rng, seed);
            }
        }
    }
}
