//! Random transactions beside a plain map: whatever is asked at whatever commit, the answers are those of
//! comparing everything.

use super::*;
use std::collections::BTreeMap;
use stratigraph::{Effort, How, ReadTxn, ServedBy};

const DIMENSIONS: usize = 8;
const INDEXES: [(&str, Metric); 3] = [
    ("labelled", Metric::Cosine),
    ("any", Metric::Euclidean),
    ("dots", Metric::Dot),
];

/// What a node has.
#[derive(Clone, Debug, Default)]
struct Model {
    labelled: bool,
    vector: Option<Vec<f32>>,
    dots: Option<Vec<f32>>,
}

type Nodes = BTreeMap<u64, Model>;

fn declare(db: &Database) {
    let labelled = VectorIndex::on_nodes("L", "v", DIMENSIONS).named("labelled");
    db.create_vector_index(labelled).unwrap();
    let any = VectorIndex::on_any_node("v", DIMENSIONS).named("any");
    db.create_vector_index(any.metric(Metric::Euclidean))
        .unwrap();
    let dots = VectorIndex::on_any_node("dots", DIMENSIONS).named("dots");
    db.create_vector_index(dots.metric(Metric::Dot)).unwrap();
}

fn rows<'a>(nodes: &'a Nodes, index: &str) -> impl Iterator<Item = (u64, Vec<f32>)> + 'a {
    let index = index.to_owned();
    nodes.iter().filter_map(move |(id, node)| {
        let vector = match &*index {
            "labelled" => node.vector.as_ref().filter(|_| node.labelled),
            "any" => node.vector.as_ref(),
            _ => node.dots.as_ref(),
        };
        vector.map(|vector| (*id, vector.clone()))
    })
}

fn compare(read: &impl Read, nodes: &Nodes, rng: &mut Rng, seed: u64) {
    for (index, metric) in INDEXES {
        let query = random(rng, DIMENSIONS);
        let k = [1, 3, 10, 1000][rng.usize(..4)];
        let among: Option<RoaringTreemap> =
            (rng.usize(..3) == 0).then(|| nodes.keys().copied().filter(|_| rng.bool()).collect());
        let allowed = |id: u64| among.as_ref().is_none_or(|among| among.contains(id));
        let wanted = nearest(
            metric,
            &query,
            k,
            rows(nodes, index).filter(|(id, _)| allowed(*id)),
        );
        let mut search = VectorSearch::new(&query, k).effort(Effort::Exact);
        if let Some(among) = &among {
            search = search.among(among);
        }
        let answer = read.search_vectors(index, &search).unwrap();
        assert_eq!(answer.how, How::Exact);
        let found: Vec<u64> = answer.hits.iter().map(|hit| hit.entity.number()).collect();
        assert_eq!(found, wanted, "seed {seed}, {index}");
        let quick = read
            .search_vectors(index, &search.effort(Effort::Breadth(64)))
            .unwrap();
        assert_eq!(quick.hits.len(), wanted.len(), "seed {seed}, {index}");
        let right = quick
            .hits
            .iter()
            .filter(|hit| wanted.contains(&hit.entity.number()));
        assert!(
            right.count() * 10 >= wanted.len() * 9,
            "seed {seed}, {index}"
        );
    }
}

/// One change of a transaction and of the model.
fn change(txn: &mut stratigraph::WriteTxn, nodes: &mut Nodes, rng: &mut Rng) {
    let some = |rng: &mut Rng, nodes: &Nodes| {
        let place = rng.usize(..nodes.len().max(1));
        nodes.keys().nth(place).copied()
    };
    match (rng.usize(..8), some(rng, nodes)) {
        (0..=2, _) | (_, None) => {
            let model = Model {
                labelled: rng.bool(),
                vector: (rng.usize(..4) > 0).then(|| random(rng, DIMENSIONS)),
                dots: rng.bool().then(|| random(rng, DIMENSIONS)),
            };
            let labels: &[&str] = if model.labelled { &["L", "M"] } else { &["M"] };
            let vector = model.vector.clone().map_or(Value::Null, value);
            let dots = model.dots.clone().map_or(Value::Null, value);
            let node = txn
                .create_node(labels, [("v", vector), ("dots", dots)])
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
            let node = NodeId::new(id);
            if model.labelled {
                txn.add_label(node, "L").unwrap();
            } else {
                txn.remove_label(node, "L").unwrap();
            }
        }
        (5, Some(id)) => {
            let vector = random(rng, DIMENSIONS);
            txn.set_property(NodeId::new(id), "dots", value(vector.clone()))
                .unwrap();
            nodes.get_mut(&id).unwrap().dots = Some(vector);
        }
        (6, Some(id)) => {
            txn.remove_property(NodeId::new(id), "v").unwrap();
            nodes.get_mut(&id).unwrap().vector = None;
        }
        (_, Some(id)) => {
            let vector = random(rng, DIMENSIONS);
            txn.set_property(NodeId::new(id), "v", value(vector.clone()))
                .unwrap();
            nodes.get_mut(&id).unwrap().vector = Some(vector);
        }
    }
}

fn run(seed: u64, folder: Option<&std::path::Path>, rounds: usize) {
    let rng = &mut Rng::with_seed(seed);
    let open = || match folder {
        Some(folder) => Database::builder()
            .create_if_missing(true)
            .vector_threads(1)
            .open(folder),
        None => Database::builder().vector_threads(1).in_memory(),
    };
    let mut db = open().unwrap();
    let mut nodes = Nodes::new();
    declare(&db);
    let mut old: Vec<(ReadTxn, Nodes)> = Vec::new();
    for _ in 0..rounds {
        let mut txn = db.write().unwrap();
        let mut now = nodes.clone();
        for _ in 0..rng.usize(1..60) {
            change(&mut txn, &mut now, rng);
        }
        if rng.usize(..3) == 0 {
            let (before, kept) = (txn.savepoint().unwrap(), now.clone());
            for _ in 0..rng.usize(1..20) {
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
        for (read, then) in &old {
            compare(read, then, rng, seed);
        }
        if rng.usize(..4) == 0 {
            old.push((db.read().unwrap(), nodes.clone()));
        }
        if old.len() > 4 {
            old.remove(rng.usize(..4));
        }
        if folder.is_some() && rng.usize(..6) == 0 {
            old.clear();
            db.close().unwrap();
            db = open().unwrap();
            wait(&db);
            let read = db.read().unwrap();
            let search = VectorSearch::new(&[1.0; DIMENSIONS], 1);
            for (index, _) in INDEXES {
                let answer = read.search_vectors(index, &search).unwrap();
                assert_eq!(answer.served_by, ServedBy::Index);
            }
            compare(&read, &nodes, rng, seed);
        }
    }
}

#[test]
fn answers_are_those_of_comparing_everything() {
    for seed in 0..12 {
        run(seed, None, 25);
    }
}

#[test]
fn they_are_also_after_every_open() {
    for seed in 100..104 {
        let folder = tempfile::tempdir().unwrap();
        run(seed, Some(folder.path()), 40);
    }
}
